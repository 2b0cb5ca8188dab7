//! The transports from outside: folders, OpenSSH's own server on a pipe and behind sshd, and senders that are killed.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a failed step ends the test")]

mod bank;
mod killed;
mod operations;
mod sshd;

use std::path::{Path, PathBuf};
use std::time::Duration;

use bursar_transports::sftp::Peer;
use bursar_transports::{Limits, Name, Transport};

/// Debian's package openssh-sftp-server.
pub const SFTP_SERVER: &str = "/usr/lib/openssh/sftp-server";

pub fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

pub fn limits() -> Limits {
    Limits { connect: Duration::from_secs(20), operation: Duration::from_secs(20), ..Limits::default() }
}

pub fn folder(path: &Path) -> Transport {
    Transport::folder(path, limits())
}

pub fn program(program: &str, arguments: &[&str]) -> Peer {
    let arguments = arguments.iter().map(|argument| (*argument).into()).collect();
    Peer::Program { program: PathBuf::from(program), arguments }
}

/// `sftp-server` on a pipe, without ssh.
pub fn pipe(path: &Path, arguments: &[&str]) -> Transport {
    let peer = program(SFTP_SERVER, arguments);
    Transport::sftp(peer, path.to_str().unwrap(), limits())
}
