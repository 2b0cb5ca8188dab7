//! Adds and finds messages.

use std::sync::Arc;

use super::model::{Channel, Message, MessageStatus, Template};
use crate::ids::{MessageId, OrgId};
use crate::jobs::{self, Work};
use crate::language::Language;
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::world::record::{Document, key};
use crate::world::{Halt, Want, World};

/// Adds a message and the job that sends it. `recipient` is E.164 or an address. Without a language it has that of its
/// app.
pub fn queue(
    world: &mut World,
    scope: Scope,
    (channel, recipient): (Channel, &str),
    language: Option<Language>,
    template: Template,
) -> MessageId {
    queue_sealed(world, scope, (channel, recipient), language, |_| template)
}

/// Adds a message whose template has a sealed value, which is bound to the id of the message.
pub fn queue_sealed(
    world: &mut World,
    scope: Scope,
    (channel, recipient): (Channel, &str),
    language: Option<Language>,
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
        template: Document(template(id)),
        status: MessageStatus::Queued,
        error: None,
        created_at,
        sent_at: None,
        reference: None,
        in_doubt_since: None,
        language,
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
