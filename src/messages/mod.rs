//! Messages to people: what is said, to whom, by which channel, and what became of it.
//!
//! A message is queued in the commit that has a reason for it, together with the job that
//! sends it. The worker composes the text, writes down that it begins ([`BeginAttempt`]),
//! sends it, and comes back with [`Concluded`].
//!
//! Invariants: a message is concluded once (`rules.rs`); a template never holds a secret in
//! clear: a link is named by its id and a code is sealed, so the text exists only while it
//! is sent, and in the sandbox's inbox; no carrier is told of a message before that is written
//! down (`attempt.rs`). Deliberately absent: the network, which is `senders`.
//!
//! Start at [`queue`], then [`compose`].

mod attempt;
mod compose;
mod conclude;
pub mod delivery_days;
pub mod http;
mod model;
mod rules;

pub use attempt::{Before, BeginAttempt, Begun, begin};
pub use compose::{Composed, Letter, compose, in_words};
pub use conclude::{AttemptOutcome, Concluded, StillOnItsWay, record_outcome, record_report, without_recipient};
pub use delivery_days::DeliveryDay;
pub use http::routes;
pub use model::{Channel, CodePurpose, InboxMessage, Message, MessageStatus, PayeeChange, Template};

use std::sync::Arc;

use crate::ids::{MessageId, OrgId};
use crate::jobs::{self, Work};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::world::query::Compare;
use crate::world::record::{Cell as _, Value, key};
use crate::world::{Halt, Query, Want, World};

/// Adds a message and the job that sends it. `recipient` is E.164 or an address.
pub fn queue(world: &mut World, scope: Scope, channel: Channel, recipient: &str, template: Template) -> MessageId {
    queue_sealed(world, scope, channel, recipient, |_| template)
}

/// The same for a template with a sealed value, which is bound to the id of the message.
pub fn queue_sealed(
    world: &mut World,
    scope: Scope,
    channel: Channel,
    recipient: &str,
    template: impl FnOnce(MessageId) -> Template,
) -> MessageId {
    let id: MessageId = world.id();
    let created_at = world.now();
    world.add(Message {
        org: scope.org,
        id,
        app: scope.app,
        channel,
        recipient: recipient.to_owned(),
        template: crate::world::record::Document(template(id)),
        status: MessageStatus::Queued,
        error: None,
        created_at,
        sent_at: None,
        reference: None,
        in_doubt_since: None,
    });
    jobs::enqueue(world, scope.org, Work::SendMessage { message: id.0 });
    id
}

/// A message by its id, for the worker.
///
/// # Errors
/// `not-found`.
pub fn find(world: &mut World, org: OrgId, id: MessageId) -> Result<Arc<Message>, Halt> {
    let message = world.get::<Message>(key![org, id])?;
    message.ok_or_else(|| Refusal::not_found("message").into())
}

/// The row that [`find`] asks for.
pub fn want(org: OrgId, id: MessageId) -> Want {
    Want::row::<Message>(key![org, id])
}

/// What carriers call the other messages to the same phone or address.
pub fn other_references(world: &mut World, message: &Message) -> Result<Vec<String>, Halt> {
    let all = world.all::<Message>(Message::BY_RECIPIENT, key![message.org, message.recipient.clone()])?;
    Ok(all.iter().filter(|other| other.id != message.id).filter_map(|other| other.reference.clone()).collect())
}

/// What arrived in the sandbox for all organizations, newest first: of one phone or address, or of all.
pub fn received(world: &mut World, to: Option<&str>, limit: usize) -> Result<Vec<Arc<InboxMessage>>, Halt> {
    let mut query = Query::of::<InboxMessage>(Value::Null, "id", limit);
    // The page has no tenant: in the sandbox nobody logs in.
    query.conditions.clear();
    if let Some(to) = to {
        query = query.filter("recipient", Compare::Equal, to.to_owned().to_value());
    }
    world.page::<InboxMessage>(&query)
}
