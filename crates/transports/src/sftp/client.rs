//! The operations over SFTP: paths, time limits, errors, and a session that is opened when it is needed.
//!
//! *Guarantees*: with `posix-rename@openssh.com` a rename is atomic; it would overwrite, so the final name is checked
//! before it. Without it, version 3 requires that RENAME refuses an existing name, and some servers link and then
//! unlink: a crash of such a server leaves both names. A file is created exclusively, and written to the disk if the
//! server offers `fsync@openssh.com`.

use std::time::Duration;

use tokio::time::error::Elapsed;

use super::packet::{self, Request};
use super::peer::Peer;
use super::session::{Fault, Session};
use crate::entry::{Limits, Listing, Stat};
use crate::error::{Error, Kind};
use crate::folder::ARCHIVE;
use crate::name::Name;

/// A folder of an SFTP server.
///
/// Between two operations the session is kept. An operation that is dropped, or that ends without an answer, ends it.
pub struct Sftp {
    peer: Peer,
    folder: String,
    limits: Limits,
    session: Option<Session>,
}

type Timed<T> = Result<Result<T, Fault>, Elapsed>;

async fn timed<T>(time: Duration, work: impl Future<Output = Result<T, Fault>>) -> Timed<T> {
    tokio::time::timeout(time, work).await
}

impl Sftp {
    /// `folder` is a path on the server; relative paths begin at the folder of the user.
    #[must_use]
    pub fn new(peer: Peer, folder: &str, limits: Limits) -> Self {
        let folder = if folder.is_empty() { "." } else { folder };
        Self { peer, folder: folder.trim_end_matches('/').to_owned(), limits, session: None }
    }

    fn path(&self, name: &Name) -> String {
        format!("{}/{name}", self.folder)
    }

    fn folder_path(&self) -> &str {
        if self.folder.is_empty() { "/" } else { &self.folder }
    }

    /// Takes the session out, so that a dropped operation ends it.
    async fn session(&mut self) -> Result<Session, Error> {
        match self.session.take() {
            Some(session) => Ok(session),
            None => Session::open(&self.peer, self.limits.connect).await,
        }
    }

    /// Keeps the session if it is in order, and returns the result with the words for an operator.
    async fn finish<T>(
        &mut self,
        session: Session,
        result: Timed<T>,
        operation: &'static str,
        subject: &str,
    ) -> Result<T, Error> {
        let error = |kind, detail: &str| Err(Error::new(kind, operation, subject, detail));
        match result {
            Err(_) => error(Kind::TimedOut, ""),
            Ok(Err(fault @ (Fault::Broken(_) | Fault::Protocol(_)))) => {
                Err(session.explain(fault, &self.peer, operation, subject).await)
            }
            Ok(answered) => {
                self.session = Some(session);
                match answered {
                    Ok(value) => Ok(value),
                    Err(Fault::Refused(kind, detail)) => error(kind, &detail),
                    Err(Fault::Status { code, message }) => error(kind_of(code, &message), &message),
                    Err(Fault::Broken(_) | Fault::Protocol(_)) => error(Kind::Protocol, ""),
                }
            }
        }
    }

    /// Returns whether the server renames atomically. Connects if necessary.
    ///
    /// # Errors
    ///
    /// Returns why the server cannot be reached.
    pub async fn renames_atomically(&mut self) -> Result<bool, Error> {
        let session = self.session().await?;
        let offered = session.offers.posix_rename;
        self.session = Some(session);
        Ok(offered)
    }

    /// # Errors
    ///
    /// Returns why the folder cannot be read, or that it has more entries than the limit.
    pub async fn list(&mut self) -> Result<Listing, Error> {
        let mut session = self.session().await?;
        let result = timed(self.limits.operation, session.list(self.folder_path(), self.limits.entries_max)).await;
        let folder = self.folder_path().to_owned();
        self.finish(session, result, "list", &folder).await
    }

    /// Returns `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be known.
    pub async fn stat(&mut self, name: &Name) -> Result<Option<Stat>, Error> {
        let mut session = self.session().await?;
        let result = timed(self.limits.operation, session.stat(&self.path(name))).await;
        self.finish(session, result, "stat", name.as_str()).await
    }

    /// Writes a new file and checks its size; `read_back` reads and compares its bytes too.
    ///
    /// # Errors
    ///
    /// Returns that the name exists, or why the bytes cannot be stored. A part that was written may remain.
    pub async fn put(&mut self, name: &Name, bytes: &[u8], read_back: bool) -> Result<(), Error> {
        let mut session = self.session().await?;
        let (path, size) = (self.path(name), bytes.len() as u64);
        let work = async {
            if let Err(fault) = session.create(&path, bytes).await {
                return Err(refine(&mut session, fault, &path, self.folder_path(), size).await);
            }
            let is_whole = session.stat(&path).await?.is_some_and(|stat| stat.size == size);
            if !is_whole || read_back && session.read(&path, size).await? != bytes {
                return Err(Fault::Refused(Kind::Changed, "the server has other bytes than were written".to_owned()));
            }
            Ok(())
        };
        let result = timed(self.limits.time_for(size), work).await;
        self.finish(session, result, "write", name.as_str()).await
    }

    /// # Errors
    ///
    /// Returns that the new name exists, that the old one is missing, or why the server refuses.
    pub async fn rename(&mut self, from: &Name, to: &Name) -> Result<(), Error> {
        let mut session = self.session().await?;
        let (old, new) = (self.path(from), self.path(to));
        let result = timed(self.limits.operation, rename(&mut session, &old, &new)).await;
        self.finish(session, result, "rename", from.as_str()).await
    }

    /// # Errors
    ///
    /// Returns that the file is larger than the limits, missing, or not readable.
    pub async fn read(&mut self, name: &Name, most: u64) -> Result<Vec<u8>, Error> {
        let mut session = self.session().await?;
        let most = most.min(self.limits.read_max);
        let result = timed(self.limits.time_for(most), session.read(&self.path(name), most)).await;
        self.finish(session, result, "read", name.as_str()).await
    }

    /// # Errors
    ///
    /// Returns that the file is missing, or why the server refuses.
    pub async fn remove(&mut self, name: &Name) -> Result<(), Error> {
        let mut session = self.session().await?;
        let result = timed(self.limits.operation, session.request(Request::Remove(&self.path(name)))).await;
        self.finish(session, result, "remove", name.as_str()).await
    }

    /// Moves a file to `archive/`, under the given name.
    ///
    /// # Errors
    ///
    /// Returns that the file is missing, that the archive has the name, or why the server refuses.
    pub async fn archive(&mut self, name: &Name, under: &Name) -> Result<(), Error> {
        let mut session = self.session().await?;
        let folder = format!("{}/{ARCHIVE}", self.folder);
        let (old, new) = (self.path(name), format!("{folder}/{under}"));
        let work = async {
            if session.stat(&folder).await?.is_none() {
                session.request(Request::MakeFolder(&folder)).await?;
            }
            rename(&mut session, &old, &new).await
        };
        let result = timed(self.limits.operation, work).await;
        self.finish(session, result, "archive", name.as_str()).await
    }

    /// Signs out. Dropping the value ends the session too, without a farewell.
    pub async fn close(&mut self) {
        if let Some(session) = self.session.take() {
            session.end().await;
        }
    }
}

async fn rename(session: &mut Session, old: &str, new: &str) -> Result<(), Fault> {
    if session.stat(new).await?.is_some() {
        return Err(Fault::Refused(Kind::Exists, new.to_owned()));
    }
    let is_atomic = session.offers.posix_rename;
    session.request(if is_atomic { Request::PosixRename(old, new) } else { Request::Rename(old, new) }).await
}

/// Finds the reason of a general failure: version 3 has no status for a full disk.
async fn refine(session: &mut Session, fault: Fault, path: &str, folder: &str, size: u64) -> Fault {
    let Fault::Status { code: packet::FAILURE, message } = &fault else { return fault };
    let found = async {
        let written = session.stat(path).await?.map_or(0, |stat| stat.size);
        Ok::<_, Fault>((written, session.free_bytes(folder).await?))
    };
    match found.await {
        Ok((written, Some(free))) if free < size.saturating_sub(written) => {
            Fault::Refused(Kind::NoSpace, format!("{message}: {written} of {size} bytes were written, {free} are free"))
        }
        Err(over @ (Fault::Broken(_) | Fault::Protocol(_))) => over,
        Ok(_) | Err(Fault::Status { .. } | Fault::Refused(..)) => fault,
    }
}

fn kind_of(code: u32, message: &str) -> Kind {
    let message = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    match code {
        packet::NO_SUCH_FILE => Kind::Missing,
        packet::PERMISSION_DENIED => Kind::Permission,
        _ if says(&["no space", "disk full", "quota"]) => Kind::NoSpace,
        _ if says(&["exists"]) => Kind::Exists,
        _ => Kind::Refused,
    }
}
