//! Why an operation failed, and what an operator does about it.

use std::fmt;

/// Most characters of a server's message that an error repeats.
const DETAIL_MAX: usize = 300;

/// The kinds of failure. Codes are public and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Unreachable,
    HostKey,
    SignIn,
    Permission,
    NoSpace,
    Exists,
    Missing,
    TimedOut,
    TooLarge,
    Changed,
    Refused,
    Protocol,
}

impl Kind {
    pub const ALL: [Self; 12] = [
        Self::Unreachable,
        Self::HostKey,
        Self::SignIn,
        Self::Permission,
        Self::NoSpace,
        Self::Exists,
        Self::Missing,
        Self::TimedOut,
        Self::TooLarge,
        Self::Changed,
        Self::Refused,
        Self::Protocol,
    ];

    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::HostKey => "host-key",
            Self::SignIn => "sign-in",
            Self::Permission => "permission",
            Self::NoSpace => "no-space",
            Self::Exists => "exists",
            Self::Missing => "missing",
            Self::TimedOut => "timeout",
            Self::TooLarge => "too-large",
            Self::Changed => "changed",
            Self::Refused => "refused",
            Self::Protocol => "protocol",
        }
    }

    /// Returns the kind with a code.
    #[must_use]
    pub fn of_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// What is wrong.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Unreachable => "the server cannot be reached",
            Self::HostKey => "the server's host key is not the pinned one",
            Self::SignIn => "the server refuses our key",
            Self::Permission => "permission denied",
            Self::NoSpace => "the disk is full",
            Self::Exists => "a file of this name exists",
            Self::Missing => "there is no such file or folder",
            Self::TimedOut => "no answer within the time limit",
            Self::TooLarge => "more than the limit",
            Self::Changed => "the file is not what it was or should be",
            Self::Refused => "the server refuses the operation",
            Self::Protocol => "the server does not answer with SFTP",
        }
    }

    /// What an operator does.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Unreachable => {
                "Check host, port, DNS and firewall, and the bank's status page; the next attempt connects again."
            }
            Self::HostKey => {
                "Pause the connection. Ask the bank by phone for the fingerprint of its key, and change the pinned key \
                 only if both are equal."
            }
            Self::SignIn => "Check the user and the key file, and that the bank has installed the public key.",
            Self::Permission => {
                "Ask the bank for the right to list, write and rename in this folder, or correct the folder's owner."
            }
            Self::NoSpace => "Free space in the folder, or ask the bank to; the next attempt writes the file again.",
            Self::Exists => "Compare both files. Move the other file away, or correct the template of names.",
            Self::Missing => "Check the name of the folder. A file may have been collected: check the bank's log.",
            Self::TimedOut => {
                "Check the network and the server's load. The operation may have taken effect; the next attempt checks \
                 that first."
            }
            Self::TooLarge => "Check what the file is, then raise the limit of the connection.",
            Self::Changed => {
                "Nothing was published or read. The next attempt repeats the step; if it fails again, check which other program writes here."
            }
            Self::Refused => "Read the server's message, and ask the bank which operations it supports.",
            Self::Protocol => {
                "Check that host and port belong to an SFTP server, and that no login script writes text."
            }
        }
    }
}

/// A failed operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub kind: Kind,
    /// The operation, as an infinitive: `write`, `rename`.
    pub operation: &'static str,
    /// The file or folder.
    pub subject: String,
    /// The system's or the server's own words, cleaned.
    pub detail: String,
}

impl Error {
    #[must_use]
    pub fn new(kind: Kind, operation: &'static str, subject: &str, detail: &str) -> Self {
        Self { kind, operation, subject: clean(subject), detail: clean(detail) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "cannot {} {}: {}", self.operation, self.subject, self.kind.meaning())?;
        if !self.detail.is_empty() {
            write!(to, " ({})", self.detail)?;
        }
        write!(to, ". {}", self.kind.advice())
    }
}

impl std::error::Error for Error {}

/// Returns a text of the other side in one line without control characters, so that it cannot forge a line of a log.
#[must_use]
pub fn clean(text: &str) -> String {
    let visible = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    let line: Vec<String> = visible.collect::<String>().split_whitespace().map(str::to_owned).collect();
    line.join(" ").chars().take(DETAIL_MAX).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Error, Kind};

    #[test]
    fn every_error_says_what_to_do() {
        let codes: BTreeSet<&str> = Kind::ALL.iter().map(|kind| kind.code()).collect();
        assert_eq!(codes.len(), Kind::ALL.len());
        assert!(Kind::ALL.iter().all(|kind| kind.advice().ends_with('.') && !kind.meaning().ends_with('.')));
        let error = Error::new(Kind::NoSpace, "write", "a.part", "Failure\r\nOK: \u{1b}[2Jall is well");
        assert_eq!(
            error.to_string(),
            "cannot write a.part: the disk is full (Failure OK: [2Jall is well). Free space in the folder, or ask the \
             bank to; the next attempt writes the file again."
        );
    }
}
