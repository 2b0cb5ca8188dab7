use std::collections::BTreeMap;
use std::sync::Arc;

use super::code::CodeContext;
use super::json::VerificationJson;
use super::model::{Verification, VerificationRecipient};
use crate::chain::hex;
use crate::events::{self, EventName, NewEvent};
use crate::ids::OrgId;
use crate::scope::Scope;
use crate::world::record::{Document, key};
use crate::world::{Halt, World};

pub(super) fn row(
    world: &mut World,
    org: OrgId,
    recipient: &str,
    code_context: CodeContext,
) -> Result<Option<Arc<Verification>>, Halt> {
    world.get::<Verification>(key![org, recipient.to_owned(), code_context.purpose, code_context.about])
}

/// Returns the counts of a recipient; those of an erased one are stored under a hash.
pub(super) fn recipient_row(
    world: &mut World,
    org: OrgId,
    recipient: &str,
) -> Result<Option<Arc<VerificationRecipient>>, Halt> {
    match world.get::<VerificationRecipient>(key![org, recipient.to_owned()])? {
        Some(counted) => Ok(Some(counted)),
        None => world.get::<VerificationRecipient>(key![org, forgotten(world, recipient)]),
    }
}

/// Changes the counts of a recipient. Only changes that emit an event increment the version; a wrong code emits none.
pub(super) fn count(
    world: &mut World,
    scope: Scope,
    recipient: &str,
    counted: Option<Arc<VerificationRecipient>>,
    edit: impl FnOnce(&mut VerificationRecipient),
) -> Result<Arc<VerificationRecipient>, Halt> {
    let mut fresh = match &counted {
        Some(counted) => VerificationRecipient::clone(counted),
        None => VerificationRecipient {
            org: scope.org,
            recipient: recipient.to_owned(),
            id: world.id(),
            app: scope.app,
            named_wrong: 0,
            named_wrong_at: None,
            unnamed_wrong: 0,
            unnamed_wrong_at: None,
            locked_at: None,
            unnamed_sent_at_micros: Document(Vec::new()),
            version: 0,
            versions: Document(BTreeMap::new()),
            created_at: world.now(),
        },
    };
    fresh.app = scope.app;
    edit(&mut fresh);
    match counted.filter(|counted| counted.recipient == recipient) {
        Some(counted) => Ok(world.change(&counted, |counted| *counted = fresh)),
        None => Ok(world.add(VerificationRecipient { recipient: recipient.to_owned(), ..fresh })),
    }
}

/// Removes the codes of an erased person. Sends and attempts stay counted under a hash; otherwise deleting a user would
/// reset the limits on sends and guesses.
pub fn forget(world: &mut World, org: OrgId, recipient: &str) -> Result<(), Halt> {
    let (now, forgotten) = (world.now(), forgotten(world, recipient));
    for known in world.all::<Verification>(Verification::OF_RECIPIENT, key![org, recipient.to_owned()])? {
        let key = key![org, forgotten.clone(), known.purpose, known.about];
        let before = world.get::<Verification>(key)?;
        world.remove(&known);
        let sends = Verification {
            recipient: forgotten.clone(),
            code_hash: Vec::new(),
            used_at: Some(now),
            ..Verification::clone(&known)
        };
        match before {
            Some(before) => world.change(&before, |before| *before = sends),
            None => world.add(sends),
        };
    }
    let Some(counted) = world.get::<VerificationRecipient>(key![org, recipient.to_owned()])? else { return Ok(()) };
    let before = world.get::<VerificationRecipient>(key![org, forgotten.clone()])?;
    world.remove(&counted);
    let count = VerificationRecipient { recipient: forgotten, ..VerificationRecipient::clone(&counted) };
    match before {
        Some(before) => world.change(&before, |before| *before = count),
        None => world.add(count),
    };
    Ok(())
}

/// Returns the hash that replaces an erased recipient. Keyed, because a phone number can be guessed.
pub(super) fn forgotten(world: &World, recipient: &str) -> String {
    format!("erased:{}", hex(&world.chain().begin("recipient").part(recipient.as_bytes()).end()))
}

pub(super) fn emit(
    world: &mut World,
    scope: Scope,
    name: EventName,
    counted: &VerificationRecipient,
    json: &VerificationJson,
) -> Result<(), Halt> {
    events::emit(world, scope, NewEvent::of(name, counted.id.0, counted.version_in(scope.app), json))
}
