//! Messages to people: their text, recipient, channel and outcome.
//!
//! A message is queued in the commit of its cause, with the job that sends it. The worker composes the text, records
//! that it begins ([`BeginAttempt`]), sends it, and records the outcome ([`Concluded`]).
//!
//! Invariants: a message has one final outcome (`rules.rs`). A template has no secret in clear: it has the id of a link
//! and a sealed code, so the text exists only during sending, and in the sandbox's inbox. An attempt is recorded before
//! the provider receives the message (`attempt.rs`). `senders` has the network.
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

/// Adds a message whose template has a sealed value, which is bound to the id of the message.
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

/// Returns a message by its id, for the worker. Error: `not-found`.
pub fn find(world: &mut World, org: OrgId, id: MessageId) -> Result<Arc<Message>, Halt> {
    let message = world.get::<Message>(key![org, id])?;
    message.ok_or_else(|| Refusal::not_found("message").into())
}

pub fn want(org: OrgId, id: MessageId) -> Want {
    Want::row::<Message>(key![org, id])
}

/// Returns the provider's references of other messages to the same phone or address.
pub fn other_references(world: &mut World, message: &Message) -> Result<Vec<String>, Halt> {
    let all = world.all::<Message>(Message::BY_RECIPIENT, key![message.org, message.recipient.clone()])?;
    Ok(all.iter().filter(|other| other.id != message.id).filter_map(|other| other.reference.clone()).collect())
}

/// Returns the sandbox's inbox of all organizations, newest first: of one phone or address, or of all.
pub fn received(world: &mut World, to: Option<&str>, limit: usize) -> Result<Vec<Arc<InboxMessage>>, Halt> {
    let mut query = Query::of::<InboxMessage>(Value::Null, "id", limit);
    // The page has no tenant, because the sandbox has no login.
    query.conditions.clear();
    if let Some(to) = to {
        query = query.filter("recipient", Compare::Equal, to.to_owned().to_value());
    }
    world.page::<InboxMessage>(&query)
}
