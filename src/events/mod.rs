//! The event log of each app: every committed transition has exactly one event,
//! with a gap-free sequence (docs/decisions.md 12, invariants 14 and 15).
//!
//! Events are written in the commit of what they tell. Each carries a keyed hash of itself
//! and of the one before, so that the log is also the audit chain: an event that is removed
//! or changed breaks it, and without the store's chain key no other chain can be computed.
//! The administrative acts of an organization are events of a log of its own (`acts`).
//! Deliberately absent: delivery, which reads the log (`webhooks`).

pub mod acts;
mod http;
mod subscription;
mod names;

pub use http::{EventJson, HeadJson, routes};
pub use names::EventName;
pub use subscription::{Subscription, Unread, subscribe, take_unread, unsubscribe};

use std::sync::Arc;

use serde::Serialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::chain::{ChainKey, Head, Log};
use crate::clock::Time;
use crate::ids::{AppId, EventId, OrgId};
use crate::scope::Scope;
use crate::world::record::{key, record};
use crate::world::{Halt, Want, World};

record! {
    /// Where the log of an app stands.
    pub struct EventStream in "event_streams" {
        key (org, app)
        many OF_ORG (org);
        /// The organization.
        pub org: OrgId,
        /// The app.
        pub app: AppId,
        /// The last event's sequence number; the first event has 1.
        pub sequence: i64,
        /// The last event's hash.
        pub hash: Vec<u8>,
        /// Whether anybody is to be told of what is new.
        pub subscription: Subscription,
        /// Up to which event they were; of no meaning where nobody is.
        pub notified_sequence: i64,
        /// The last event of a version that chained without a key; 0 where there was none, and below zero until the
        /// chain is carried over.
        pub unkeyed_to: i64,
        /// Proves [`Self::unkeyed_to`]: only the chain key makes it.
        pub unkeyed_proof: Option<Vec<u8>>,
    }
}

impl EventStream {
    /// The head of a log without events.
    fn empty(scope: Scope) -> Self {
        Self {
            org: scope.org,
            app: scope.app,
            sequence: 0,
            hash: Vec::new(),
            subscription: Subscription::None,
            notified_sequence: 0,
            unkeyed_to: 0,
            unkeyed_proof: None,
        }
    }
}

record! {
    /// One thing that happened. Never changed, never removed.
    pub struct Event in "events" {
        key (org, app, sequence)
        unique BY_ID (org, id)
        many OF_OBJECT (org, object_id);
        /// The organization.
        pub org: OrgId,
        /// The app.
        pub app: AppId,
        /// Its place in the app's log.
        pub sequence: i64,
        /// Its id.
        pub id: EventId,
        /// What happened.
        pub name: EventName,
        /// To which object.
        pub object_id: Uuid,
        /// The object's version: 1 for the first event about it, then one more each.
        pub version: i64,
        /// The whole object as it was then, as JSON, without secrets.
        pub object: String,
        /// The link to the hash before; see [`link`].
        pub hash: Vec<u8>,
        /// When.
        pub created_at: Time,
        /// Where the payee's data were erased from the object: the link's part for the object as it was, and a proof
        /// that the service erased them.
        pub erased: Option<Vec<u8>>,
    }
}

impl Event {
    /// The log's head when this event was the last.
    pub fn head(&self) -> Head {
        let Self { app, sequence, hash, created_at, .. } = self;
        Head { log: Log::Events, of: app.0, sequence: *sequence, hash: hash.clone(), at: *created_at }
    }
}

/// What is told of an object.
#[derive(Clone, Debug)]
pub struct NewEvent {
    /// The event's name.
    pub name: EventName,
    /// The object.
    pub object_id: Uuid,
    /// The object's version.
    pub version: i64,
    /// The whole object as JSON, without secrets.
    pub object: String,
}

impl NewEvent {
    /// What is told of an object that looks so now.
    ///
    /// # Panics
    /// When the object does not serialize, which plain data always do.
    pub fn of(name: EventName, object_id: Uuid, version: i64, object: &impl Serialize) -> Self {
        let object = serde_json::to_string(object).expect("what the API shows is plain data, which always serializes");
        Self { name, object_id, version, object }
    }
}

/// How many events the app's log has. Who has seen the app's objects at this place has seen them all until there are
/// more.
pub fn length(world: &World, scope: Scope) -> Result<i64, Halt> {
    Ok(world.get::<EventStream>(key![scope.org, scope.app])?.map_or(0, |stream| stream.sequence))
}

/// The head of the app's log; `None` while it is empty.
pub fn head_of(world: &World, scope: Scope) -> Result<Option<Head>, Halt> {
    let Some(stream) = world.get::<EventStream>(key![scope.org, scope.app])? else { return Ok(None) };
    let last = world.get::<Event>(key![scope.org, scope.app, stream.sequence])?;
    Ok(last.map(|event| event.head()))
}

/// The row that [`emit`] asks for.
pub fn want(scope: Scope) -> Want {
    Want::row::<EventStream>(key![scope.org, scope.app])
}

/// Writes an event at the end of the app's log.
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

/// Writes an event at the end of the log of every app of the organization: of what all its apps share.
pub fn emit_to_all(world: &mut World, org: OrgId, new: &NewEvent) -> Result<(), Halt> {
    for stream in world.all::<EventStream>(EventStream::OF_ORG, key![org])? {
        if stream.app.0 != org.0 {
            emit(world, Scope { org, app: stream.app }, new.clone())?;
        }
    }
    Ok(())
}

/// The keyed hash that chains an event to the one before it. `bursar verify` computes it again.
///
/// It covers a keyed hash of the object in place of the object, so that a payee's data can be erased from an object
/// and the chain stays whole.
pub fn link(chain: &ChainKey, before: &[u8], event: &Event) -> Vec<u8> {
    let object = match erased_part(event) {
        Some((object, _)) => object.to_vec(),
        None => object_link(chain, event),
    };
    let link = chain.begin("event").part(before).id(event.org.0).id(event.app.0).number(event.sequence);
    let link = link.id(event.id.0).part(event.name.as_str().as_bytes()).id(event.object_id).number(event.version);
    link.number(event.created_at.micros()).part(&object).end()
}

/// The link's part for the object.
fn object_link(chain: &ChainKey, event: &Event) -> Vec<u8> {
    chain.begin("object").id(event.id.0).part(event.object.as_bytes()).end()
}

/// Of an event whose object was erased: the link's part for the object as it was, and the proof.
fn erased_part(event: &Event) -> Option<(&[u8], &[u8])> {
    event.erased.as_deref()?.split_at_checked(32)
}

/// It covers the hashes on both sides: the hash of an erased event of a version without key cannot be computed again.
fn erasure_proof(chain: &ChainKey, before: &[u8], event: &Event, object: &[u8]) -> Vec<u8> {
    let proof = chain.begin("erased").part(before).part(&event.hash).id(event.id.0);
    proof.part(object).part(event.object.as_bytes()).end()
}

/// Whether an event follows from the one before it, and its object is as it was emitted or was erased by the service.
/// `unkeyed` says that a version emitted it that chained without a key.
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

/// Puts another object into an event, without the payee's data. The chain stays whole.
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

/// The hash of a version that chained without a key.
pub fn unkeyed_link(before: &[u8], event: &Event) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(before);
    hash.update(event.sequence.to_be_bytes());
    hash.update(event.id.0.as_bytes());
    // A length before each text: no two events have the same bytes.
    for text in [event.name.as_str(), &event.object] {
        hash.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(text.as_bytes());
    }
    hash.update(event.object_id.as_bytes());
    hash.update(event.version.to_be_bytes());
    hash.update(event.created_at.micros().to_be_bytes());
    hash.finalize().to_vec()
}

/// Proves where a log without key ends: with which event, and with which hash.
pub fn unkeyed_proof(chain: &ChainKey, stream: &EventStream, unkeyed_to: i64, hash: &[u8]) -> Vec<u8> {
    chain.begin("unkeyed").id(stream.org.0).id(stream.app.0).number(unkeyed_to).part(hash).end()
}
