//! A folder of this machine, or one that the machine has mounted.
//!
//! *Guarantees*: a file is created exclusively and written to the disk with its folder's entry. A rename is atomic and
//! refuses an existing name, both by the kernel (`renameat2` with `NOREPLACE`). On a file system without that flag, the
//! final name is checked before an atomic rename, which would overwrite a file that appears between the two.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, RawMode, RenameFlags};
use rustix::io::Errno;

use crate::entry::{EntryKind, Limits, Listing, Stat};
use crate::error::{Error, Kind};
use crate::name::Name;

/// The folder, next to the files, that read files are moved to.
pub const ARCHIVE: &str = "archive";
const FILE_MODE: RawMode = 0o640;
const FOLDER_MODE: RawMode = 0o750;

/// A folder as the far end. Each operation opens it, so a mount that comes back is used at once.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    limits: Limits,
}

impl Folder {
    #[must_use]
    pub fn new(path: &Path, limits: Limits) -> Self {
        Self { path: path.to_owned(), limits }
    }

    /// Runs an operation on a thread, because a system call on a network's folder may hang.
    ///
    /// After the time limit the thread is abandoned: the operation may still take effect.
    async fn run<T: Send + 'static>(
        &self,
        operation: &'static str,
        name: &str,
        time: Duration,
        work: impl FnOnce(&OwnedFd) -> io::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        let path = self.path.clone();
        let thread = tokio::task::spawn_blocking(move || {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            work(&rustix::fs::open(&path, flags, Mode::empty())?)
        });
        let subject = if name.is_empty() { self.path.display().to_string() } else { name.to_owned() };
        match tokio::time::timeout(time, thread).await {
            Ok(Ok(Ok(value))) => Ok(value),
            Ok(Ok(Err(error))) => Err(Error::new(kind_of(&error), operation, &subject, &error.to_string())),
            Ok(Err(ended)) => Err(Error::new(Kind::Refused, operation, &subject, &ended.to_string())),
            Err(_) => Err(Error::new(Kind::TimedOut, operation, &subject, "")),
        }
    }

    /// # Errors
    ///
    /// Returns why the folder cannot be read, or that it has more entries than the limit.
    pub async fn list(&self) -> Result<Listing, Error> {
        let most = self.limits.entries_max;
        self.run("list", "", self.limits.operation, move |folder| list(folder, most)).await
    }

    /// Returns `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be known.
    pub async fn stat(&self, name: &Name) -> Result<Option<Stat>, Error> {
        let file = name.clone();
        self.run("stat", name.as_str(), self.limits.operation, move |folder| stat(folder, &file)).await
    }

    /// Writes a new file, to the disk, and checks its size; `read_back` reads and compares its bytes too.
    ///
    /// # Errors
    ///
    /// Returns that the name exists, or why the bytes cannot be stored. A part that was written may remain.
    pub async fn put(&self, name: &Name, bytes: &[u8], read_back: bool) -> Result<(), Error> {
        let (file, bytes) = (name.clone(), bytes.to_vec());
        let time = self.limits.time_for(bytes.len() as u64);
        self.run("write", name.as_str(), time, move |folder| put(folder, &file, &bytes, read_back)).await
    }

    /// # Errors
    ///
    /// Returns that the new name exists, that the old one is missing, or why the system refuses.
    pub async fn rename(&self, from: &Name, to: &Name) -> Result<(), Error> {
        let (old, new) = (from.clone(), to.clone());
        self.run("rename", from.as_str(), self.limits.operation, move |folder| {
            rename(folder, &old, folder, &new)?;
            rustix::fs::fsync(folder).map_err(io::Error::from)
        })
        .await
    }

    /// # Errors
    ///
    /// Returns that the file is larger than the limits, missing, no regular file, or not readable.
    pub async fn read(&self, name: &Name, most: u64) -> Result<Vec<u8>, Error> {
        let (file, most) = (name.clone(), most.min(self.limits.read_max));
        self.run("read", name.as_str(), self.limits.time_for(most), move |folder| read(folder, &file, most)).await
    }

    /// # Errors
    ///
    /// Returns that the file is missing, or why the system refuses.
    pub async fn remove(&self, name: &Name) -> Result<(), Error> {
        let file = name.clone();
        self.run("remove", name.as_str(), self.limits.operation, move |folder| {
            rustix::fs::unlinkat(folder, file.as_str(), AtFlags::empty()).map_err(io::Error::from)
        })
        .await
    }

    /// Moves a file to `archive/`, under the given name.
    ///
    /// # Errors
    ///
    /// Returns that the file is missing, that the archive has the name, or why the system refuses.
    pub async fn archive(&self, name: &Name, under: &Name) -> Result<(), Error> {
        let (old, new) = (name.clone(), under.clone());
        self.run("archive", name.as_str(), self.limits.operation, move |folder| {
            match rustix::fs::mkdirat(folder, ARCHIVE, Mode::from_raw_mode(FOLDER_MODE)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(refused) => return Err(refused.into()),
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let archive = rustix::fs::openat(folder, ARCHIVE, flags, Mode::empty())?;
            rename(folder, &old, &archive, &new)
        })
        .await
    }
}

fn list(folder: &OwnedFd, most: usize) -> io::Result<Listing> {
    let mut listing = Listing::default();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        if listing.entries.len() >= most {
            return Err(Errno::FBIG.into());
        }
        match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => listing.add(name.to_bytes(), stat_of(&stat)),
            // Removed while the folder was read.
            Err(Errno::NOENT) => {}
            Err(refused) => return Err(refused.into()),
        }
    }
    listing.sort();
    Ok(listing)
}

fn stat(folder: &OwnedFd, name: &Name) -> io::Result<Option<Stat>> {
    match rustix::fs::statat(folder, name.as_str(), AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat_of(&stat))),
        Err(Errno::NOENT) => Ok(None),
        Err(refused) => Err(refused.into()),
    }
}

fn put(folder: &OwnedFd, name: &Name, bytes: &[u8], read_back: bool) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::openat(folder, name.as_str(), flags, Mode::from_raw_mode(FILE_MODE))?);
    file.write_all(bytes)?;
    file.sync_all()?;
    let is_whole = stat(folder, name)?.is_some_and(|stat| stat.size == bytes.len() as u64);
    if !is_whole || read_back && read(folder, name, bytes.len() as u64)? != bytes {
        return Err(Errno::STALE.into());
    }
    rustix::fs::fsync(folder)?;
    Ok(())
}

fn rename(from: &OwnedFd, old: &Name, to: &OwnedFd, new: &Name) -> io::Result<()> {
    match rustix::fs::renameat_with(from, old.as_str(), to, new.as_str(), RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
        done => return done.map_err(io::Error::from),
    }
    if stat(to, new)?.is_some() {
        return Err(Errno::EXIST.into());
    }
    rustix::fs::renameat(from, old.as_str(), to, new.as_str()).map_err(io::Error::from)
}

fn read(folder: &OwnedFd, name: &Name, most: u64) -> io::Result<Vec<u8>> {
    // A pipe without a writer would block the open.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::openat(folder, name.as_str(), flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(Errno::LOOP.into());
    }
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Errno::FBIG.into());
    }
    Ok(bytes)
}

fn stat_of(stat: &rustix::fs::Stat) -> Stat {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink
        | FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => EntryKind::Other,
    };
    Stat { kind, size: u64::try_from(stat.st_size).unwrap_or(0), modified: Some(stat.st_mtime) }
}

fn kind_of(error: &io::Error) -> Kind {
    match Errno::from_io_error(error) {
        Some(Errno::NOENT | Errno::NOTDIR) => Kind::Missing,
        Some(Errno::EXIST | Errno::NOTEMPTY) => Kind::Exists,
        Some(Errno::ACCESS | Errno::PERM | Errno::ROFS) => Kind::Permission,
        Some(Errno::NOSPC | Errno::DQUOT) => Kind::NoSpace,
        Some(Errno::FBIG) => Kind::TooLarge,
        Some(Errno::STALE) => Kind::Changed,
        Some(Errno::HOSTDOWN | Errno::HOSTUNREACH | Errno::NOTCONN | Errno::IO) => Kind::Unreachable,
        Some(Errno::TIMEDOUT) => Kind::TimedOut,
        _ => Kind::Refused,
    }
}
