//! Backups of an embedded store, which may be in use, and their restoration to an empty place.
//!
//! Invariant: the requested file is a complete, checked copy, or does not exist. Deliberately absent: the key file,
//! which is kept apart from the data that it opens, and backups of PostgreSQL, which has its own.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::config::{BadConfig, Config, Database};
use crate::instance::{self, StartError};
use crate::store::{Reads, Sqlite};
use crate::verify::{Contents, Report, verify};

#[derive(Debug, thiserror::Error)]
pub enum NotCopied {
    #[error(transparent)]
    StartError(#[from] StartError),
    /// The copy would be unreliable, or would overwrite a file.
    #[error("{0}")]
    Refused(String),
    /// The operating system returned an error.
    #[error("{what}: {source}")]
    System { what: String, source: std::io::Error },
}

/// A checked copy.
#[derive(Debug)]
pub struct Copied {
    pub path: PathBuf,
    pub bytes: u64,
    /// The report of the checks, without findings.
    pub report: Report,
    /// The number of organizations and the newest event.
    pub contents: Contents,
}

/// Copies the configured store into a new file, even while a server has it open. Fails with `Refused` if the file
/// exists or the copy is not sound, and with `StartError` without an embedded store.
pub fn backup(config: &Config, to: &Path) -> Result<Copied, NotCopied> {
    let store = embedded(config)?;
    if !store.exists() {
        return Err(NotCopied::Refused(format!("no store exists at {}", store.display())));
    }
    put(store, to, Purpose::Backup)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Backup,
    /// The schema is updated, and a copy without an organization is refused unless `empty_ok`.
    Restore {
        empty_ok: bool,
    },
}

/// Restores a copy as the configured store, which must not exist, and updates its schema. With `empty_ok` the copy may
/// be without an organization. Fails with `Refused` if there is a store or the copy is not sound, and with `StartError`
/// if a server has it open or the copy is not a store.
pub fn restore(config: &Config, from: &Path, empty_ok: bool) -> Result<Copied, NotCopied> {
    let store = embedded(config)?;
    if !from.is_file() {
        let why = if from.exists() { "is not a regular file" } else { "does not exist" };
        return Err(NotCopied::Refused(format!("the file {} {why}", from.display())));
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
            Err(StartError::from(BadConfig::one(message.to_owned())).into())
        }
    }
}

/// Copies a store's file to a new one, which gets its name only after it was flushed and checked.
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
    Sqlite::copy(from, part).map_err(StartError::from)?;
    if purpose != Purpose::Backup {
        drop(Sqlite::open(part, true).map_err(StartError::from)?);
    }
    let reads = Reads::Sqlite(Sqlite::read_only(part).map_err(StartError::from)?);
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

/// Removes the remains of an earlier attempt or this one.
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
