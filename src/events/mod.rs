//! The event log of each app: every committed transition has exactly one event,
//! with a gap-free sequence (decisions.md 12, invariants 14 and 15).
//!
//! Events are written in the commit of what they tell. Each carries a hash of itself
//! and of the one before, so that the log is also the audit chain: nobody can take
//! one out, or change one, unseen. Deliberately absent: delivery, which reads the log
//! (`webhooks`).

mod http;
mod listening;
mod names;

pub use http::{EventJson, routes};
pub use listening::{Listening, Untold, listen, stop_listening, take_untold};
pub use names::EventName;

use serde::Serialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::clock::Time;
use crate::http::Scope;
use crate::ids::{AppId, EventId, OrgId};
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
        pub listening: Listening,
        /// Up to which event they were; of no meaning where nobody is.
        pub told_sequence: i64,
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
            listening: Listening::Nobody,
            told_sequence: 0,
        }
    }
}

record! {
    /// One thing that happened. Never changed, never removed.
    pub struct Event in "events" {
        key (org, app, sequence)
        unique BY_ID (org, id);
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
        /// SHA-256 over the hash before and this event.
        pub hash: Vec<u8>,
        /// When.
        pub created_at: Time,
    }
}

/// What is told of an object.
#[derive(Clone, Debug)]
pub struct News {
    /// The event's name.
    pub name: EventName,
    /// The object.
    pub object_id: Uuid,
    /// The object's version.
    pub version: i64,
    /// The whole object as JSON, without secrets.
    pub object: String,
}

impl News {
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

/// The row that [`tell`] asks for.
pub fn want(scope: Scope) -> Want {
    Want::row::<EventStream>(key![scope.org, scope.app])
}

/// Writes an event at the end of the app's log.
pub fn tell(world: &mut World, scope: Scope, news: News) -> Result<(), Halt> {
    let stream = world.get::<EventStream>(key![scope.org, scope.app])?;
    let (sequence, before) =
        stream.as_ref().map_or((1, Vec::new()), |stream| (stream.sequence + 1, stream.hash.clone()));
    let event = Event {
        org: scope.org,
        app: scope.app,
        sequence,
        id: world.id(),
        name: news.name,
        object_id: news.object_id,
        version: news.version,
        object: news.object,
        hash: Vec::new(),
        created_at: world.now(),
    };
    let hash = link(&before, &event);
    match &stream {
        Some(stream) => {
            let listening = listening::call(world, stream);
            world.change(stream, |stream| {
                stream.sequence = sequence;
                stream.hash.clone_from(&hash);
                stream.listening = listening;
            });
        }
        None => {
            world.add(EventStream { sequence, hash: hash.clone(), ..EventStream::empty(scope) });
        }
    }
    world.add(Event { hash, ..event });
    Ok(())
}

/// Writes an event at the end of every log of the organization: of what all its apps share. An organization has no
/// log of its own.
pub fn tell_all(world: &mut World, org: OrgId, news: &News) -> Result<(), Halt> {
    for stream in world.all::<EventStream>(EventStream::OF_ORG, key![org])? {
        tell(world, Scope { org, app: stream.app }, news.clone())?;
    }
    Ok(())
}

/// The hash that chains an event to the one before it. `bursar verify` computes it again.
pub fn link(before: &[u8], event: &Event) -> Vec<u8> {
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
