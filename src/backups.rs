//! Copies of an embedded store: one that is made while it is served, and one that is put where no store is.
//!
//! Invariant: under the name that was asked for there is a whole copy that was found sound, or nothing. Deliberately
//! absent: the key file, which does not belong beside what it opens, and backups of PostgreSQL, which has its own.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::config::{BadConfig, Config, Database};
use crate::instance::{self, Unopened};
use crate::store::{Reads, Sqlite};
use crate::verify::{Contents, Report, verify};

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub enum NotCopied {
    /// The store did not open.
    #[error(transparent)]
    Unopened(#[from] Unopened),
    /// It would be no copy to rely on, or stand in the way of something.
    #[error("{0}")]
    Refused(String),
    /// The system said no.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: String,
        /// The reason.
        source: std::io::Error,
    },
}

/// A copy that was made and checked.
#[derive(Debug)]
pub struct Copied {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// What was checked in it. There are no findings.
    pub report: Report,
    /// What is in it.
    pub contents: Contents,
}

/// Copies the store that the configuration names into a new file, while it is served or not.
///
/// # Errors
/// `Refused` when the file is there, or the copy is not sound; `Unopened` when there is no embedded store.
pub fn backup(config: &Config, to: &Path) -> Result<Copied, NotCopied> {
    let store = embedded(config)?;
    if !store.exists() {
        return Err(NotCopied::Refused(format!("no store exists at {}", store.display())));
    }
    put(store, to, Purpose::Backup)
}

/// What a copy is made for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Backup,
    /// To be served: its schema is brought up to date, and without an organization it is refused unless `empty_ok`.
    Restore {
        empty_ok: bool,
    },
}

/// Puts a copy where the configuration says that the store is, and brings its schema up to date. There must be none.
/// With `empty_ok` the copy may be one without an organization.
///
/// # Errors
/// `Refused` when there is a store, or the copy is not sound; `Unopened` when a server has it open, or the copy is no store.
pub fn restore(config: &Config, from: &Path, empty_ok: bool) -> Result<Copied, NotCopied> {
    let store = embedded(config)?;
    if !from.is_file() {
        return Err(NotCopied::Refused(format!("the file {} does not exist", from.display())));
    }
    if let Some(folder) = store.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        instance::make_folder(folder)?;
    }
    let lock = instance::lock(store)?;
    if let Some(there) = [store.to_owned(), sibling(store, "-wal")].iter().find(|path| path.exists()) {
        let message = format!("{} already exists. Move it away before you restore a copy.", there.display());
        return Err(NotCopied::Refused(message));
    }
    let copied = put(from, store, Purpose::Restore { empty_ok })?;
    drop(lock);
    Ok(copied)
}

fn embedded(config: &Config) -> Result<&Path, NotCopied> {
    match &config.database {
        Database::Sqlite(path) => Ok(path),
        Database::Postgres { .. } => {
            let message = "the store is on PostgreSQL: use the server's own backups, such as pg_dump or pg_basebackup";
            Err(Unopened::from(BadConfig::one(message.to_owned())).into())
        }
    }
}

/// Copies one store's file to a new one, which has its name only when it was flushed and found sound.
fn put(from: &Path, to: &Path, purpose: Purpose) -> Result<Copied, NotCopied> {
    if to.exists() {
        return Err(NotCopied::Refused(format!("{} already exists: name another file", to.display())));
    }
    let part = sibling(to, ".part");
    clear(&part)?;
    let made = make(from, &part, purpose).and_then(|(report, contents)| {
        let bytes = flush(&part)?;
        fs::rename(&part, to).map_err(system("cannot name the copy", to))?;
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(system("cannot flush the folder", folder))?;
        Ok(Copied { path: to.to_owned(), bytes, report, contents })
    });
    clear(&part)?;
    made
}

fn make(from: &Path, part: &Path, purpose: Purpose) -> Result<(Report, Contents), NotCopied> {
    Sqlite::copy(from, part).map_err(Unopened::from)?;
    if purpose != Purpose::Backup {
        drop(Sqlite::open(part, true).map_err(Unopened::from)?);
    }
    let reads = Reads::Sqlite(Sqlite::read_only(part).map_err(Unopened::from)?);
    let unread = |error| NotCopied::Refused(format!("the copy cannot be checked: {error}"));
    let (report, contents) = (verify(&reads).map_err(unread)?, Contents::of(&reads).map_err(unread)?);
    let empty_ok = match purpose {
        Purpose::Backup => true,
        Purpose::Restore { empty_ok } => empty_ok,
    };
    if let Some(reason) = contents.refusal(empty_ok) {
        return Err(NotCopied::Refused(format!("{}: {reason}", from.display())));
    }
    match report.findings.len() {
        0 => Ok((report, contents)),
        found => Err(NotCopied::Refused(format!("the copy has {found} findings: run bursar verify"))),
    }
}

fn flush(path: &Path) -> Result<u64, NotCopied> {
    let failed = |source| system("cannot flush the copy", path)(source);
    let file = File::open(path).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    Ok(file.metadata().map_err(failed)?.len())
}

/// Removes what an earlier attempt, or this one, left behind.
fn clear(part: &Path) -> Result<(), NotCopied> {
    for path in [part.to_owned(), sibling(part, "-wal"), sibling(part, "-shm")] {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(system("cannot remove an incomplete copy", &path)(error));
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

fn sibling(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

fn system(what: &str, path: &Path) -> impl FnOnce(std::io::Error) -> NotCopied {
    let what = format!("{what} {}", path.display());
    move |source| NotCopied::System { what, source }
}
