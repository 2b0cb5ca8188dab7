//! Providers of messages: a mail server over SMTP, and a gateway to phones over HTTP.
//!
//! Invariant: the outcome of a hand-over is certain or in doubt. [`SendOutcome::Refused`] and [`SendOutcome::NotNow`]
//! mean that the provider did not accept the message; if that is unknown, the outcome is [`SendOutcome::InDoubt`]. Each
//! call has one deadline. Retries belong to the worker, and this module does not know the content of a message.

mod gateway;
mod mail;
mod report;
mod smtp;

pub use gateway::{Gateway, GatewaySettings};
pub use mail::{Frame, Mail, html};
pub use report::{Incoming, Report, SIGNATURE, replies_url, report_url};
pub use smtp::{Smtp, SmtpSettings};

use std::net::IpAddr;

/// The configured providers. Without one, the sandbox's inbox takes its messages.
#[derive(Debug, Default)]
pub struct Providers {
    pub mail: Option<Smtp>,
    /// For text messages and calls.
    pub phone: Option<Gateway>,
}

/// The outcome of handing a message to a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendOutcome {
    /// The provider accepted it.
    Taken {
        /// The provider's id of the message, if it has one.
        reference: Option<String>,
    },
    /// Not accepted; a retry would fail too.
    Refused { reason: String },
    /// Not accepted; a retry may succeed.
    NotNow { reason: String },
    /// Possibly accepted.
    InDoubt { reason: String },
}

/// The provider's record of a message in doubt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Taken {
        /// The provider's id of the message.
        reference: String,
    },
    NotTaken,
    /// The provider did not respond.
    Silence {
        reason: String,
    },
    /// The provider has no query for this.
    Unsupported,
}

/// The delivery status of an accepted message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    Arrived,
    /// It will not arrive.
    Lost {
        reason: String,
    },
    /// Not known yet.
    OnItsWay,
}

/// Returns whether a host is this machine. Connections to it cannot be intercepted, so they may be plain.
fn is_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare == "localhost" || bare.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Shortens a response to the length of a column.
fn in_short(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(300).collect()
}
