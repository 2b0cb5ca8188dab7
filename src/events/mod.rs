//! The event log of each app: every committed transition has exactly one event, numbered without gaps
//! (docs/decisions.md 12, invariants 14 and 15).
//!
//! Events are written in the commit of their transition. Each has a keyed hash over itself and the event before, so the
//! log is also the audit chain: a removed or changed event breaks it, and only the store's chain key can compute
//! another one. Administrative acts of an organization are events of its own log (`acts`). Deliberately absent:
//! delivery, which reads the log (`webhooks`).

pub mod acts;
mod head;
mod http;
mod model;
mod subscription;
mod names;

pub use head::HeadJson;
pub use http::{EventJson, routes};
pub use model::{Event, EventStream, Subscription};
pub use names::EventName;
pub use subscription::{Unread, subscribe, take_unread, unsubscribe};

use std::sync::Arc;

use serde::Serialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::chain::{ChainKey, Head};
use crate::ids::OrgId;
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

#[derive(Clone, Debug)]
pub struct NewEvent {
    pub name: EventName,
    pub object_id: Uuid,
    pub version: i64,
    /// JSON, without secrets.
    pub object: String,
}

impl NewEvent {
    /// Creates an event for the object's current state.
    ///
    /// # Panics
    /// If the object does not serialize; plain data always does.
    pub fn of(name: EventName, object_id: Uuid, version: i64, object: &impl Serialize) -> Self {
        let object = serde_json::to_string(object).expect("what the API shows is plain data, which always serializes");
        Self { name, object_id, version, object }
    }
}

/// Returns the number of events. Until it changes, objects of the app that were read at this length are current.
pub fn length(world: &World, scope: Scope) -> Result<i64, Halt> {
    Ok(world.get::<EventStream>(key![scope.org, scope.app])?.map_or(0, |stream| stream.sequence))
}

/// Returns the head of the app's log; `None` if it is empty.
pub fn head_of(world: &World, scope: Scope) -> Result<Option<Head>, Halt> {
    let Some(stream) = world.get::<EventStream>(key![scope.org, scope.app])? else { return Ok(None) };
    let last = world.get::<Event>(key![scope.org, scope.app, stream.sequence])?;
    Ok(last.map(|event| event.head()))
}

pub fn want(scope: Scope) -> Want {
    Want::row::<EventStream>(key![scope.org, scope.app])
}

pub fn emit(world: &mut World, scope: Scope, new: NewEvent) -> Result<(), Halt> {
    let stream = world.get::<EventStream>(key![scope.org, scope.app])?;
    let (sequence, before) =
        stream.as_ref().map_or((1, Vec::new()), |stream| (stream.sequence + 1, stream.hash.clone()));
    let event = Event {
        org: scope.org,
        app: scope.app,
        sequence,
        id: world.id(),
        name: new.name,
        object_id: new.object_id,
        version: new.version,
        object: new.object,
        hash: Vec::new(),
        created_at: world.now(),
        erased: None,
    };
    let hash = link(world.chain(), &before, &event);
    match &stream {
        Some(stream) => {
            let subscription = subscription::schedule(world, stream);
            world.change(stream, |stream| {
                stream.sequence = sequence;
                stream.hash.clone_from(&hash);
                stream.subscription = subscription;
            });
        }
        None => {
            world.add(EventStream { sequence, hash: hash.clone(), ..EventStream::empty(scope) });
        }
    }
    world.add(Event { hash, ..event });
    Ok(())
}

/// Appends an event about a shared object to the log of every app of the organization.
pub fn emit_to_all(world: &mut World, org: OrgId, new: &NewEvent) -> Result<(), Halt> {
    for stream in world.all::<EventStream>(EventStream::OF_ORG, key![org])? {
        if stream.app.0 != org.0 {
            emit(world, Scope { org, app: stream.app }, new.clone())?;
        }
    }
    Ok(())
}

/// Returns the keyed hash that chains an event to the one before. `bursar verify` recomputes it.
///
/// It covers a keyed hash of the object instead of the object, so that erased data does not break the chain.
pub fn link(chain: &ChainKey, before: &[u8], event: &Event) -> Vec<u8> {
    let object = match erased_part(event) {
        Some((object, _)) => object.to_vec(),
        None => object_link(chain, event),
    };
    let link = chain.begin("event").part(before).id(event.org.0).id(event.app.0).number(event.sequence);
    let link = link.id(event.id.0).part(event.name.as_str().as_bytes()).id(event.object_id).number(event.version);
    link.number(event.created_at.micros()).part(&object).end()
}

fn object_link(chain: &ChainKey, event: &Event) -> Vec<u8> {
    chain.begin("object").id(event.id.0).part(event.object.as_bytes()).end()
}

/// Splits [`Event::erased`] into the link's part for the original object and the proof.
fn erased_part(event: &Event) -> Option<(&[u8], &[u8])> {
    event.erased.as_deref()?.split_at_checked(32)
}

/// Covers the hashes on both sides, because the hash of an erased event of a version without a key cannot be
/// recomputed.
fn erasure_proof(chain: &ChainKey, before: &[u8], event: &Event, object: &[u8]) -> Vec<u8> {
    let proof = chain.begin("erased").part(before).part(&event.hash).id(event.id.0);
    proof.part(object).part(event.object.as_bytes()).end()
}

/// Returns whether an event is the valid successor of `before`, with its object unchanged or erased by bursar.
/// `unkeyed` marks events of a version that chained without a key.
pub fn follows(chain: &ChainKey, before: &[u8], event: &Event, unkeyed: bool) -> bool {
    let proved = match (&event.erased, erased_part(event)) {
        (None, _) => true,
        (Some(_), Some((object, proof))) => erasure_proof(chain, before, event, object) == proof,
        (Some(_), None) => false,
    };
    let linked = match (unkeyed, &event.erased) {
        (false, _) => link(chain, before, event) == event.hash,
        (true, None) => unkeyed_link(before, event) == event.hash,
        (true, Some(_)) => true,
    };
    proved && linked
}

/// Replaces the object of an event by one without the payee's data. The chain remains valid.
pub fn erase(world: &mut World, event: &Arc<Event>, object: String) -> Result<(), Halt> {
    let before = match event.sequence {
        ..=1 => None,
        sequence => world.get::<Event>(key![event.org, event.app, sequence - 1])?,
    };
    let before = before.map_or_else(Vec::new, |before| before.hash.clone());
    let chain = world.chain().clone();
    let was = erased_part(event).map_or_else(|| object_link(&chain, event), |(object, _)| object.to_vec());
    world.change(event, |event| {
        event.object = object;
        let proof = erasure_proof(&chain, &before, event, &was);
        event.erased = Some([was, proof].concat());
    });
    Ok(())
}

/// Returns the hash that a version without a chain key computed.
pub fn unkeyed_link(before: &[u8], event: &Event) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(before);
    hash.update(event.sequence.to_be_bytes());
    hash.update(event.id.0.as_bytes());
    // Each text follows its length, so no two events have the same bytes.
    for text in [event.name.as_str(), &event.object] {
        hash.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(text.as_bytes());
    }
    hash.update(event.object_id.as_bytes());
    hash.update(event.version.to_be_bytes());
    hash.update(event.created_at.micros().to_be_bytes());
    hash.finalize().to_vec()
}

/// Returns the proof of the event and the hash at which a log without a key ends.
pub fn unkeyed_proof(chain: &ChainKey, stream: &EventStream, unkeyed_to: i64, hash: &[u8]) -> Vec<u8> {
    chain.begin("unkeyed").id(stream.org.0).id(stream.app.0).number(unkeyed_to).part(hash).end()
}
