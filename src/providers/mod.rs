//! Those who carry messages to people: a mail server over SMTP, and a gateway to phones over HTTP.
//!
//! Invariant: what is said of a hand-over is true. [`SendOutcome::Refused`] and [`SendOutcome::NotNow`] mean that the carrier has
//! not taken it; where that is not known, it is [`SendOutcome::InDoubt`]. Each call has a deadline for all of it.
//! Deliberately absent: repeats, which are the worker's, and any knowledge of what a message is about.

mod gateway;
mod report;
mod smtp;

pub use gateway::{Gateway, GatewaySettings};
pub use report::{Report, SIGNATURE, report_url};
pub use smtp::{Mail, Smtp, SmtpSettings};

use std::net::IpAddr;

/// The carriers that are configured. Where there is none, the sandbox's inbox stands for it.
#[derive(Debug, Default)]
pub struct Providers {
    /// Takes e-mail.
    pub mail: Option<Smtp>,
    /// Takes text messages and calls.
    pub phone: Option<Gateway>,
}

/// What a carrier made of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendOutcome {
    /// It took it, and calls it so.
    Taken {
        /// The carrier's name for it, where it has one.
        reference: Option<String>,
    },
    /// It did not take it and never will.
    Refused {
        /// Why.
        reason: String,
    },
    /// It did not take it now.
    NotNow {
        /// Why.
        reason: String,
    },
    /// It may have taken it.
    InDoubt {
        /// What happened.
        reason: String,
    },
}

/// What a carrier knows of a message that it may have taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It took it.
    Taken {
        /// The carrier's name for it.
        reference: String,
    },
    /// It did not.
    NotTaken,
    /// It did not answer.
    Silence {
        /// What happened.
        reason: String,
    },
    /// It is of those that cannot be asked.
    Unsupported,
}

/// What became of a message that a carrier took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// It arrived.
    Arrived,
    /// It will not.
    Lost {
        /// Why.
        reason: String,
    },
    /// Nobody knows yet.
    OnItsWay,
}

/// Whether a host is this machine: there nobody listens in between, so plain connections are allowed.
fn is_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare == "localhost" || bare.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// An answer of the other side, cut to what a column should hold.
fn in_short(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(300).collect()
}
