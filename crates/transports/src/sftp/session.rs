//! One session: packets out, replies in, and the operations that need several of each.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;

use super::packet::{self, Offers, Reply, Request};
use super::peer::Peer;
use crate::entry::{Listing, Stat};
use crate::error::{Error, Kind};

/// Bytes in one request to read or to write. Every server accepts 32 KiB.
const PIECE: usize = 32 << 10;
/// Requests without a reply. Their replies fit into a pipe, so neither side blocks the other.
const WINDOW: usize = 32;
/// Most of what the program writes to its standard error that is kept.
const WRITTEN_MAX: usize = 8 << 10;
/// Time for a program to end after its input ends.
const END: Duration = Duration::from_secs(1);

/// Why a request has no result.
#[derive(Debug)]
pub enum Fault {
    /// The server answered, and the session continues.
    Status { code: u32, message: String },
    /// We refuse the answer, and the session continues.
    Refused(Kind, String),
    /// The connection is over.
    Broken(io::Error),
    /// The server does not follow the protocol. The connection is over.
    Protocol(&'static str),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

pub struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    written: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
    next: u32,
    pub offers: Offers,
}

/// Keeps the beginning of the program's messages, and reads the rest, so that it never blocks on them.
async fn keep(mut from: ChildStderr, kept: Arc<Mutex<Vec<u8>>>) {
    let mut piece = [0; 1024];
    while let Ok(length @ 1..) = from.read(&mut piece).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let left = WRITTEN_MAX.saturating_sub(kept.len());
        kept.extend(&piece[..length.min(left)]);
    }
}

impl Session {
    /// Starts the program and exchanges versions, within the time to connect.
    pub async fn open(peer: &Peer, connect: Duration) -> Result<Self, Error> {
        let failed = |kind, detail: &str| Error::new(kind, "connect to", &peer.name(), detail);
        let mut child =
            peer.command(connect)?.spawn().map_err(|error| failed(Kind::Unreachable, &error.to_string()))?;
        let (Some(input), Some(output), Some(errors)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(failed(Kind::Unreachable, "the program has no pipes"));
        };
        let written = Arc::new(Mutex::new(Vec::new()));
        let reader = tokio::spawn(keep(errors, Arc::clone(&written)));
        let output = BufReader::with_capacity(PIECE, output);
        let mut session = Self { child, input, output, written, reader, next: 0, offers: Offers::default() };
        match tokio::time::timeout(connect, session.greet()).await {
            Ok(Ok(())) => Ok(session),
            Ok(Err(fault)) => Err(session.explain(fault, peer, "connect to", &peer.name()).await),
            Err(_) => Err(failed(Kind::TimedOut, "")),
        }
    }

    async fn greet(&mut self) -> Result<(), Fault> {
        self.input.write_all(&packet::hello()).await?;
        let reply = self.packet().await?;
        self.offers = packet::offers(&reply).ok_or(Fault::Protocol("no version 3"))?;
        Ok(())
    }

    /// Returns the error of a broken session, with what the program wrote before it ended.
    pub async fn explain(self, fault: Fault, peer: &Peer, operation: &'static str, subject: &str) -> Error {
        let (kind, detail) = match fault {
            Fault::Status { message, .. } => (Kind::Refused, message),
            Fault::Refused(kind, detail) => (kind, detail),
            Fault::Protocol(detail) => (Kind::Protocol, detail.to_owned()),
            Fault::Broken(error) => {
                let written = self.end().await;
                let detail = if written.trim().is_empty() { error.to_string() } else { written.clone() };
                (peer.reason(&written), detail)
            }
        };
        Error::new(kind, operation, subject, &detail)
    }

    /// Ends the input, so that the program signs out, and returns what it wrote to its standard error.
    pub async fn end(self) -> String {
        let Self { mut child, input, output, written, reader, .. } = self;
        drop((input, output));
        // A program that does not end in time is killed when `child` is dropped.
        let ended = async { (child.wait().await.is_ok(), reader.await.is_ok()) };
        drop(tokio::time::timeout(END, ended).await);
        let kept = written.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).into_owned()
    }

    async fn packet(&mut self) -> Result<Vec<u8>, Fault> {
        let length = usize::try_from(self.output.read_u32().await?).unwrap_or(usize::MAX);
        if length == 0 || length > packet::LENGTH_MAX {
            return Err(Fault::Protocol("a packet has an impossible length"));
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).await?;
        Ok(bytes)
    }

    async fn send(&mut self, request: &Request<'_>) -> Result<u32, Fault> {
        self.next = self.next.wrapping_add(1);
        self.input.write_all(&request.encode(self.next)).await?;
        Ok(self.next)
    }

    async fn receive(&mut self, id: u32) -> Result<Reply, Fault> {
        match packet::decode(&self.packet().await?) {
            Some((of, reply)) if of == id => Ok(reply),
            Some(_) => Err(Fault::Protocol("a reply has another request's number")),
            None => Err(Fault::Protocol("a reply is malformed")),
        }
    }

    async fn call(&mut self, request: Request<'_>) -> Result<Reply, Fault> {
        let id = self.send(&request).await?;
        self.receive(id).await
    }

    /// Sends a request whose only result is a status.
    pub async fn request(&mut self, request: Request<'_>) -> Result<(), Fault> {
        done(self.call(request).await?)
    }

    async fn open_handle(&mut self, request: Request<'_>) -> Result<Vec<u8>, Fault> {
        let reply = self.call(request).await?;
        let Reply::Handle(handle) = reply else { return Err(unexpected(reply)) };
        Ok(handle)
    }

    pub async fn stat(&mut self, path: &str) -> Result<Option<Stat>, Fault> {
        let reply = self.call(Request::Stat(path)).await?;
        if matches!(reply, Reply::Status { code: packet::NO_SUCH_FILE, .. }) {
            return Ok(None);
        }
        let Reply::Attributes(stat) = reply else { return Err(unexpected(reply)) };
        let no_size = || Fault::Refused(Kind::Refused, "the server does not send sizes".to_owned());
        stat.map(Some).ok_or_else(no_size)
    }

    /// Returns the free bytes of the file system, if the server says.
    pub async fn free_bytes(&mut self, folder: &str) -> Result<Option<u64>, Fault> {
        if !self.offers.statvfs {
            return Ok(None);
        }
        let reply = self.call(Request::Space(folder)).await?;
        if matches!(reply, Reply::Status { .. }) {
            return Ok(None);
        }
        let Reply::Extended(numbers) = reply else { return Err(unexpected(reply)) };
        Ok(packet::free_bytes(&numbers))
    }

    pub async fn list(&mut self, folder: &str, most: usize) -> Result<Listing, Fault> {
        let handle = self.open_handle(Request::OpenFolder(folder)).await?;
        let mut listing = Listing::default();
        let result = loop {
            let reply = self.call(Request::ReadFolder(&handle)).await?;
            if matches!(reply, Reply::Status { code: packet::END_OF_FILE, .. }) {
                break Ok(());
            }
            let Reply::Names(names) = reply else { break Err(unexpected(reply)) };
            for (name, stat) in names.into_iter().filter(|(name, _)| name != b"." && name != b"..") {
                match stat {
                    Some(stat) => listing.add(&name, stat),
                    None => listing.unusable.push(name.escape_ascii().to_string()),
                }
            }
            if listing.entries.len() + listing.unusable.len() > most {
                break Err(Fault::Refused(Kind::TooLarge, format!("more than {most} entries")));
            }
        };
        self.request(Request::Close(&handle)).await?;
        listing.sort();
        result.map(|()| listing)
    }

    /// Creates a file exclusively and writes it, with many requests on their way at once.
    pub async fn create(&mut self, path: &str, bytes: &[u8]) -> Result<(), Fault> {
        let handle = match self.open_handle(Request::Create(path)).await {
            // Version 3 has no status for a file that exists.
            Err(Fault::Status { code: packet::FAILURE, message }) if self.stat(path).await?.is_some() => {
                return Err(Fault::Refused(Kind::Exists, message));
            }
            opened => opened?,
        };
        let mut result = self.write(&handle, bytes).await?;
        if result.is_ok() && self.offers.fsync {
            result = definite(self.request(Request::Sync(&handle)).await)?;
        }
        let closed = definite(self.request(Request::Close(&handle)).await)?;
        result.and(closed)
    }

    /// The outer result is the session's, the inner one the server's.
    async fn write(&mut self, handle: &[u8], bytes: &[u8]) -> Result<Result<(), Fault>, Fault> {
        let mut pieces = bytes.chunks(PIECE);
        let (mut waiting, mut offset, mut result) = (VecDeque::new(), 0, Ok(()));
        loop {
            while result.is_ok() && waiting.len() < WINDOW {
                let Some(piece) = pieces.next() else { break };
                waiting.push_back(self.send(&Request::Write { handle, offset, bytes: piece }).await?);
                offset += piece.len() as u64;
            }
            let Some(id) = waiting.pop_front() else { return Ok(result) };
            let written = done(self.receive(id).await?);
            result = result.and(definite(written)?);
        }
    }

    /// Reads a whole file of at most so many bytes.
    pub async fn read(&mut self, path: &str, most: u64) -> Result<Vec<u8>, Fault> {
        let handle = self.open_handle(Request::Open(path)).await?;
        let result = self.pieces(&handle, most).await?;
        self.request(Request::Close(&handle)).await?;
        result
    }

    /// Requests pieces in advance. After a short reply the rest of the window is dropped and requested again.
    async fn pieces(&mut self, handle: &[u8], most: u64) -> Result<Result<Vec<u8>, Fault>, Fault> {
        let length = u32::try_from(PIECE).unwrap_or(u32::MAX);
        let mut bytes: Vec<u8> = Vec::new();
        loop {
            let from = bytes.len() as u64;
            let mut waiting = VecDeque::new();
            // Small files need one request, and a window of the size that has been read so far never wastes much.
            let window = (bytes.len() / PIECE + 1).min(WINDOW);
            for piece in 0..window {
                let offset = from + (piece * PIECE) as u64;
                waiting.push_back(self.send(&Request::Read { handle, offset, length }).await?);
            }
            let (mut is_in_order, mut end) = (true, None);
            while let Some(id) = waiting.pop_front() {
                let piece = definite(data(self.receive(id).await?))?;
                match piece {
                    _ if !is_in_order => {}
                    Ok(Some(piece)) => {
                        is_in_order = piece.len() == PIECE;
                        bytes.extend(piece);
                    }
                    Ok(None) => end = Some(Ok(())),
                    Err(fault) => end = Some(Err(fault)),
                }
                is_in_order &= end.is_none();
            }
            if bytes.len() as u64 > most {
                return Ok(Err(Fault::Refused(Kind::TooLarge, format!("more than {most} bytes"))));
            }
            if let Some(end) = end {
                return Ok(end.map(|()| bytes));
            }
        }
    }
}

fn done(reply: Reply) -> Result<(), Fault> {
    if matches!(reply, Reply::Status { code: packet::OK, .. }) { Ok(()) } else { Err(unexpected(reply)) }
}

/// Returns a piece of a file; `None` is the end of the file.
fn data(reply: Reply) -> Result<Option<Vec<u8>>, Fault> {
    if matches!(reply, Reply::Status { code: packet::END_OF_FILE, .. }) {
        return Ok(None);
    }
    let Reply::Data(piece) = reply else { return Err(unexpected(reply)) };
    if piece.is_empty() || piece.len() > PIECE {
        return Err(Fault::Protocol("a piece of a file has an impossible length"));
    }
    Ok(Some(piece))
}

/// Separates what the server answered from the end of the session.
fn definite<T>(result: Result<T, Fault>) -> Result<Result<T, Fault>, Fault> {
    match result {
        Err(over @ (Fault::Broken(_) | Fault::Protocol(_))) => Err(over),
        answered => Ok(answered),
    }
}

fn unexpected(reply: Reply) -> Fault {
    match reply {
        Reply::Status { code: packet::OK, .. } => Fault::Protocol("a status instead of a result"),
        Reply::Status { code, message } => Fault::Status { code, message },
        Reply::Handle(_) | Reply::Data(_) | Reply::Names(_) | Reply::Attributes(_) | Reply::Extended(_) => {
            Fault::Protocol("a result of another kind than requested")
        }
    }
}
