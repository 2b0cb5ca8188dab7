//! Messages to people: their text, recipient, channel and outcome.
//!
//! A message is queued in the commit of its cause, with the job that sends it. The worker composes the text, records
//! that it begins ([`BeginAttempt`]), sends it, and records the outcome ([`Concluded`]).
//!
//! Invariants: a message has one final outcome (`rules.rs`). A template has no secret in clear: it has the id of a link
//! and a sealed code, so the text exists only during sending, and in the sandbox's inbox, where the text about a link is
//! composed when it is read. An attempt is recorded before
//! the provider receives the message (`attempt.rs`). No text is sent to a number that replied STOP (`stops.rs`).
//! `senders` has the network.
//!
//! Start at [`queue`], then [`compose`].

mod attempt;
mod compose;
mod conclude;
pub mod delivery_days;
mod http;
mod model;
mod replies;
mod rows;
mod rules;
pub mod stops;

pub use attempt::{Before, BeginAttempt, Begun, begin};
pub use compose::{Composed, Letter, compose, in_words, last_day};
pub use conclude::{
    AttemptOutcome, Concluded, Inboxed, StillOnItsWay, record_outcome, record_report, without_recipient,
};
pub use delivery_days::DeliveryDay;
pub use http::routes as inbound_routes;
pub use model::{Channel, CodePurpose, InboxMessage, Keyword, LinkText, Message, MessageStatus, PayeeChange, Template};
pub use replies::answer;
pub use rows::{find, other_references, queue, queue_sealed, want};
pub use stops::{Replied, ReplyRead, TextStop};
