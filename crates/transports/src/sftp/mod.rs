//! SFTP, version 3, over the standard input and output of a program: the system's `ssh`, or `sftp-server` on a pipe.
//!
//! `packet.rs` has the packets, `session.rs` sends and receives them, `peer.rs` starts the program and explains its end,
//! `client.rs` has the operations.

mod packet;
mod peer;
mod session;
mod client;

pub use client::Sftp;
pub use peer::{Peer, Ssh};
