//! The operations on a folder of a bank, by the way that the connection is configured for.

use std::path::Path;

use crate::entry::{Limits, Listing, Stat};
use crate::error::Error;
use crate::folder::Folder;
use crate::name::Name;
use crate::sftp::{Peer, Sftp};

/// A way to one folder of a bank.
pub enum Transport {
    Folder(Folder),
    Sftp(Box<Sftp>),
}

impl Transport {
    #[must_use]
    pub fn folder(path: &Path, limits: Limits) -> Self {
        Self::Folder(Folder::new(path, limits))
    }

    /// `folder` is a path on the server; relative paths begin at the folder of the user.
    #[must_use]
    pub fn sftp(peer: Peer, folder: &str, limits: Limits) -> Self {
        Self::Sftp(Box::new(Sftp::new(peer, folder, limits)))
    }

    /// Returns whether a rename happens at one moment, so that after a crash exactly one of both names exists.
    ///
    /// # Errors
    ///
    /// Returns why the server cannot be reached.
    pub async fn renames_atomically(&mut self) -> Result<bool, Error> {
        match self {
            Self::Folder(_) => Ok(true),
            Self::Sftp(sftp) => sftp.renames_atomically().await,
        }
    }

    /// # Errors
    ///
    /// Returns why the folder cannot be read, or that it has more entries than the limit.
    pub async fn list(&mut self) -> Result<Listing, Error> {
        match self {
            Self::Folder(folder) => folder.list().await,
            Self::Sftp(sftp) => sftp.list().await,
        }
    }

    /// Returns `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be known.
    pub async fn stat(&mut self, name: &Name) -> Result<Option<Stat>, Error> {
        match self {
            Self::Folder(folder) => folder.stat(name).await,
            Self::Sftp(sftp) => sftp.stat(name).await,
        }
    }

    /// Writes a new file and checks its size; `read_back` reads and compares its bytes too.
    ///
    /// # Errors
    ///
    /// Returns that the name exists, or why the bytes cannot be stored. A part that was written may remain.
    pub async fn put(&mut self, name: &Name, bytes: &[u8], read_back: bool) -> Result<(), Error> {
        match self {
            Self::Folder(folder) => folder.put(name, bytes, read_back).await,
            Self::Sftp(sftp) => sftp.put(name, bytes, read_back).await,
        }
    }

    /// Renames a file to a name that does not exist. After a timeout the rename may still happen: stat both names.
    ///
    /// # Errors
    ///
    /// Returns that the new name exists, that the old one is missing, or why the other side refuses.
    pub async fn rename(&mut self, from: &Name, to: &Name) -> Result<(), Error> {
        match self {
            Self::Folder(folder) => folder.rename(from, to).await,
            Self::Sftp(sftp) => sftp.rename(from, to).await,
        }
    }

    /// # Errors
    ///
    /// Returns that the file is larger than `most` bytes or the limits, missing, or not readable.
    pub async fn read(&mut self, name: &Name, most: u64) -> Result<Vec<u8>, Error> {
        match self {
            Self::Folder(folder) => folder.read(name, most).await,
            Self::Sftp(sftp) => sftp.read(name, most).await,
        }
    }

    /// # Errors
    ///
    /// Returns that the file is missing, or why the other side refuses.
    pub async fn remove(&mut self, name: &Name) -> Result<(), Error> {
        match self {
            Self::Folder(folder) => folder.remove(name).await,
            Self::Sftp(sftp) => sftp.remove(name).await,
        }
    }

    /// Moves a file to `archive/`, under the given name: banks use a name again.
    ///
    /// # Errors
    ///
    /// Returns that the file is missing, that the archive has the name, or why the other side refuses.
    pub async fn archive(&mut self, name: &Name, under: &Name) -> Result<(), Error> {
        match self {
            Self::Folder(folder) => folder.archive(name, under).await,
            Self::Sftp(sftp) => sftp.archive(name, under).await,
        }
    }

    /// Ends the session, if there is one.
    pub async fn close(&mut self) {
        match self {
            Self::Folder(_) => {}
            Self::Sftp(sftp) => sftp.close().await,
        }
    }
}
