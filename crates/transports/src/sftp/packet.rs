//! The packets of SFTP version 3 (draft-ietf-secsh-filexfer-02), as far as bank files need them.

use crate::entry::{EntryKind, Stat};

pub const VERSION: u32 = 3;
/// Largest packet that is accepted. OpenSSH sends at most 256 KiB.
pub const LENGTH_MAX: usize = 300_000;

pub const POSIX_RENAME: &str = "posix-rename@openssh.com";
pub const FSYNC: &str = "fsync@openssh.com";
pub const STATVFS: &str = "statvfs@openssh.com";

pub const OK: u32 = 0;
pub const END_OF_FILE: u32 = 1;
pub const NO_SUCH_FILE: u32 = 2;
pub const PERMISSION_DENIED: u32 = 3;
pub const FAILURE: u32 = 4;

const INIT: u8 = 1;
const VERSION_REPLY: u8 = 2;
const STATUS: u8 = 101;
const HANDLE: u8 = 102;
const DATA: u8 = 103;
const NAME: u8 = 104;
const ATTRS: u8 = 105;
const EXTENDED: u8 = 200;
const EXTENDED_REPLY: u8 = 201;

const ATTR_SIZE: u32 = 1;
const ATTR_OWNER: u32 = 2;
const ATTR_PERMISSIONS: u32 = 4;
const ATTR_TIMES: u32 = 8;
const ATTR_EXTENDED: u32 = 0x8000_0000;

const READ_FLAG: u32 = 1;
/// Write, create, and refuse an existing file.
const CREATE_FLAGS: u32 = 2 | 8 | 0x20;

/// A request. The path of a file is sent as bytes.
#[derive(Clone, Copy, Debug)]
pub enum Request<'a> {
    Create(&'a str),
    Open(&'a str),
    Close(&'a [u8]),
    Read { handle: &'a [u8], offset: u64, length: u32 },
    Write { handle: &'a [u8], offset: u64, bytes: &'a [u8] },
    Sync(&'a [u8]),
    OpenFolder(&'a str),
    ReadFolder(&'a [u8]),
    Stat(&'a str),
    Remove(&'a str),
    MakeFolder(&'a str),
    Rename(&'a str, &'a str),
    PosixRename(&'a str, &'a str),
    Space(&'a str),
}

#[derive(Debug, PartialEq, Eq)]
pub enum Reply {
    Status { code: u32, message: String },
    Handle(Vec<u8>),
    Data(Vec<u8>),
    Names(Vec<(Vec<u8>, Option<Stat>)>),
    Attributes(Option<Stat>),
    Extended(Vec<u8>),
}

/// What a server offers in addition to version 3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    pub posix_rename: bool,
    pub fsync: bool,
    pub statvfs: bool,
}

struct Writer(Vec<u8>);

impl Writer {
    /// The length is filled in at the end.
    fn new(kind: u8) -> Self {
        Self(vec![0, 0, 0, 0, kind])
    }

    fn u32(mut self, value: u32) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    fn u64(mut self, value: u64) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    fn text(mut self, bytes: &[u8]) -> Self {
        // Names and pieces of files are far below 4 GiB.
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        self.0.extend(length.to_be_bytes());
        self.0.extend(bytes);
        self
    }

    fn end(mut self) -> Vec<u8> {
        let length = u32::try_from(self.0.len() - 4).unwrap_or(u32::MAX);
        self.0[..4].copy_from_slice(&length.to_be_bytes());
        self.0
    }
}

/// Returns the first packet of a session.
#[must_use]
pub fn hello() -> Vec<u8> {
    Writer::new(INIT).u32(VERSION).end()
}

impl Request<'_> {
    /// Returns the packet with its length.
    #[must_use]
    pub fn encode(&self, id: u32) -> Vec<u8> {
        let new = |kind: u8| Writer::new(kind).u32(id);
        let extended = |name: &str| new(EXTENDED).text(name.as_bytes());
        let no_attributes = 0;
        let packet = match *self {
            Self::Create(path) => new(3).text(path.as_bytes()).u32(CREATE_FLAGS).u32(no_attributes),
            Self::Open(path) => new(3).text(path.as_bytes()).u32(READ_FLAG).u32(no_attributes),
            Self::Close(handle) => new(4).text(handle),
            Self::Read { handle, offset, length } => new(5).text(handle).u64(offset).u32(length),
            Self::Write { handle, offset, bytes } => new(6).text(handle).u64(offset).text(bytes),
            Self::Sync(handle) => extended(FSYNC).text(handle),
            Self::OpenFolder(path) => new(11).text(path.as_bytes()),
            Self::ReadFolder(handle) => new(12).text(handle),
            Self::Remove(path) => new(13).text(path.as_bytes()),
            Self::MakeFolder(path) => new(14).text(path.as_bytes()).u32(no_attributes),
            Self::Stat(path) => new(17).text(path.as_bytes()),
            Self::Rename(old, new_name) => new(18).text(old.as_bytes()).text(new_name.as_bytes()),
            Self::PosixRename(old, new_name) => extended(POSIX_RENAME).text(old.as_bytes()).text(new_name.as_bytes()),
            Self::Space(path) => extended(STATVFS).text(path.as_bytes()),
        };
        packet.end()
    }
}

/// Reads a packet's fields in order. `None` is a packet that ends too early.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_be_bytes)
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.u32()?).ok()?;
        self.take(length)
    }

    /// Returns `Some(None)` for attributes without a size: nothing can be concluded from them.
    fn attributes(&mut self) -> Option<Option<Stat>> {
        let flags = self.u32()?;
        let size = if flags & ATTR_SIZE != 0 { Some(self.u64()?) } else { None };
        if flags & ATTR_OWNER != 0 {
            self.take(8)?;
        }
        let mode = if flags & ATTR_PERMISSIONS != 0 { Some(self.u32()?) } else { None };
        let modified = if flags & ATTR_TIMES != 0 {
            self.u32()?;
            Some(i64::from(self.u32()?))
        } else {
            None
        };
        if flags & ATTR_EXTENDED != 0 {
            for _ in 0..self.u32()? {
                self.text()?;
                self.text()?;
            }
        }
        let kind = match mode.map(|mode| mode & 0o170_000) {
            Some(0o100_000) => EntryKind::File,
            Some(0o040_000) => EntryKind::Folder,
            Some(_) | None => EntryKind::Other,
        };
        Some(size.map(|size| Stat { kind, size, modified }))
    }
}

/// Returns the offers in a server's first packet, without its length; `None` if it is no SFTP server of version 3.
#[must_use]
pub fn offers(packet: &[u8]) -> Option<Offers> {
    let mut rest = Reader(packet.strip_prefix(&[VERSION_REPLY])?);
    if rest.u32()? != VERSION {
        return None;
    }
    let mut offers = Offers::default();
    while !rest.0.is_empty() {
        let (name, value) = (rest.text()?, rest.text()?);
        offers.posix_rename |= name == POSIX_RENAME.as_bytes() && value == b"1";
        offers.fsync |= name == FSYNC.as_bytes() && value == b"1";
        offers.statvfs |= name == STATVFS.as_bytes() && value == b"2";
    }
    Some(offers)
}

/// Returns the id and the content of a reply, without its length; `None` if it is malformed.
#[must_use]
pub fn decode(packet: &[u8]) -> Option<(u32, Reply)> {
    let (kind, rest) = packet.split_first()?;
    let mut rest = Reader(rest);
    let id = rest.u32()?;
    let reply = match *kind {
        STATUS => {
            let code = rest.u32()?;
            // Old servers send no text.
            let message = rest.text().unwrap_or_default();
            Reply::Status { code, message: String::from_utf8_lossy(message).into_owned() }
        }
        HANDLE => Reply::Handle(rest.text()?.to_vec()),
        DATA => Reply::Data(rest.text()?.to_vec()),
        NAME => {
            let mut names = Vec::new();
            for _ in 0..rest.u32()? {
                let name = rest.text()?.to_vec();
                rest.text()?;
                names.push((name, rest.attributes()?));
            }
            Reply::Names(names)
        }
        ATTRS => Reply::Attributes(rest.attributes()?),
        EXTENDED_REPLY => Reply::Extended(rest.0.to_vec()),
        _ => return None,
    };
    Some((id, reply))
}

/// Returns the free bytes in the reply to [`Request::Space`]; zero if no further file can be created.
#[must_use]
pub fn free_bytes(reply: &[u8]) -> Option<u64> {
    let mut rest = Reader(reply);
    let mut numbers = [0_u64; 11];
    for number in &mut numbers {
        *number = rest.u64()?;
    }
    let [_, block, _, _, free, files, _, free_files, ..] = numbers;
    // A file system that does not count its files reports none at all.
    Some(if files > 0 && free_files == 0 { 0 } else { block.saturating_mul(free) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::{Offers, Reply, Request, Stat, decode, free_bytes, hello, offers};
    use crate::entry::EntryKind;

    #[test]
    fn packets_have_the_published_bytes() {
        assert_eq!(hello(), [0, 0, 0, 5, 1, 0, 0, 0, 3]);
        assert_eq!(Request::Stat("ab").encode(7), [0, 0, 0, 11, 17, 0, 0, 0, 7, 0, 0, 0, 2, b'a', b'b']);
        let create = Request::Create("a").encode(1);
        assert_eq!(create[13..], [b'a', 0, 0, 0, 0x2a, 0, 0, 0, 0]);
        let write = Request::Write { handle: b"h", offset: 258, bytes: b"xy" }.encode(1);
        assert_eq!(write[4..], *b"\x06\0\0\0\x01\0\0\0\x01h\0\0\0\0\0\0\x01\x02\0\0\0\x02xy");
        let rename = Request::PosixRename("a", "b").encode(1);
        assert_eq!(rename[9..], *b"\0\0\0\x18posix-rename@openssh.com\0\0\0\x01a\0\0\0\x01b");
    }

    #[test]
    fn replies_are_read() {
        let hello = b"\x02\0\0\0\x03\0\0\0\x18posix-rename@openssh.com\0\0\0\x011\0\0\0\x01x\0\0\0\0";
        assert_eq!(offers(hello), Some(Offers { posix_rename: true, fsync: false, statvfs: false }));
        assert_eq!(offers(b"\x02\0\0\0\x06"), None, "another version");
        assert_eq!(offers(b"Last login: today"), None);
        let status = b"\x65\0\0\0\x09\0\0\0\x02\0\0\0\x02no\0\0\0\0";
        assert_eq!(decode(status), Some((9, Reply::Status { code: 2, message: "no".to_owned() })));
        assert_eq!(decode(&status[..9]), Some((9, Reply::Status { code: 2, message: String::new() })));
        let attributes = b"\x69\0\0\0\x01\0\0\0\x0d\0\0\0\0\0\0\0\x05\0\0\x81\xa4\0\0\0\x01\0\0\0\x02";
        let stat = Stat { kind: EntryKind::File, size: 5, modified: Some(2) };
        assert_eq!(decode(attributes), Some((1, Reply::Attributes(Some(stat)))));
        assert_eq!(decode(b"\x69\0\0\0\x01\0\0\0\0"), Some((1, Reply::Attributes(None))), "no size is known");
    }

    #[test]
    fn a_full_disk_is_read_from_the_numbers() {
        let reply = |numbers: [u64; 11]| numbers.iter().flat_map(|number| number.to_be_bytes()).collect::<Vec<u8>>();
        assert_eq!(free_bytes(&reply([1, 4096, 9, 3, 2, 8, 5, 5, 0, 0, 255])), Some(8192));
        assert_eq!(free_bytes(&reply([1, 4096, 9, 3, 2, 8, 0, 0, 0, 0, 255])), Some(0), "no file can be created");
        assert_eq!(free_bytes(&reply([1, 4096, 9, 3, 2, 0, 0, 0, 0, 0, 255])), Some(8192), "files are not counted");
        assert_eq!(free_bytes(b"short"), None);
    }

    proptest! {
        #[test]
        fn no_packet_causes_a_panic(kind in 100_u8..202, bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let mut packet = vec![kind];
            packet.extend(&bytes);
            drop(decode(&packet));
            packet[0] = 2;
            let _ = offers(&packet);
            let _ = free_bytes(&bytes);
        }
    }
}
