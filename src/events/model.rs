//! The records of an app's log.

use std::sync::Arc;

use uuid::Uuid;

use super::event::Event;
use super::links::link;
use super::names::EventName;
use crate::chain::{ChainKey, Head, Log};
use crate::clock::Time;
use crate::ids::{AppId, EventId, OrgId};
use crate::scope::Scope;
use crate::world::Value;
use crate::world::record::{Corrupt, record, words};

pub use super::body::Body;

/// The events of a segment at most.
pub const SEGMENT_EVENTS: i64 = 64;
/// The bytes of the objects of a segment at most, unless it is one event.
const SEGMENT_BYTES: usize = 256 * 1024;

words! {
    /// The state of an app's subscription.
    pub enum Subscription {
        /// No subscription.
        None = "none",
        /// Subscribed, without unread events.
        Idle = "idle",
        /// Subscribed, with a job for the unread events.
        Scheduled = "scheduled",
    }
}

record! {
    pub struct EventStream in "event_streams" {
        key (org, app)
        many OF_ORG (org);
        pub org: OrgId,
        pub app: AppId,
        /// The sequence number of the last event; the first event has 1.
        pub sequence: i64,
        pub hash: Vec<u8>,
        pub subscription: Subscription,
        /// The last event that the webhook job has read; meaningless without a subscription.
        pub notified_sequence: i64,
        /// The last event of a version that chained without a key; 0 if none, negative until the chain is migrated.
        pub unkeyed_to: i64,
        /// Proof of [`Self::unkeyed_to`] with the chain key.
        pub unkeyed_proof: Option<Vec<u8>>,
        /// The last event that is an [`EventRow`]; negative if all are.
        pub rows_to: i64,
        /// The first event of the newest segment; 0 without a segment.
        pub segment: i64,
    }
}

impl EventStream {
    pub(super) fn empty(scope: Scope) -> Self {
        Self {
            org: scope.org,
            app: scope.app,
            sequence: 0,
            hash: Vec::new(),
            subscription: Subscription::None,
            notified_sequence: 0,
            unkeyed_to: 0,
            unkeyed_proof: None,
            rows_to: 0,
            segment: 0,
        }
    }

    /// Returns the last event that is a row of its own; 0 if none is.
    pub fn last_row(&self) -> i64 {
        if self.rows_to < 0 { self.sequence } else { self.rows_to }
    }

    /// Returns the head of the log, whose last event was emitted at `at`.
    pub(super) fn head(&self, at: Time) -> Head {
        Head { log: Log::Events, of: self.app.0, sequence: self.sequence, hash: self.hash.clone(), at }
    }
}

record! {
    /// Events of one commit, at most [`SEGMENT_EVENTS`]. Segments are never changed or removed, except that a payee's
    /// data can be erased from their events.
    pub struct EventSegment in "event_segments" {
        key (org, app, first);
        pub org: OrgId,
        pub app: AppId,
        pub first: i64,
        pub last: i64,
        /// A bit for each name of an event in the segment; see [`name_bit`].
        pub names: i64,
        /// The chained hash of the event before the first; empty if there is none.
        pub previous_hash: Vec<u8>,
        /// The chained hash of the last event; see [`super::link`].
        pub hash: Vec<u8>,
        /// When the last event was emitted.
        pub created_at: Time,
        pub body: Body,
    }
}

record! {
    /// A segment with events about an object.
    pub struct EventObject in "event_objects" {
        key (org, object_id, app, first)
        many OF_OBJECT (org, object_id);
        pub org: OrgId,
        pub object_id: Uuid,
        pub app: AppId,
        pub first: i64,
    }
}

record! {
    /// An event of a version that stored each event in a row.
    pub struct EventRow in "events" {
        key (org, app, sequence)
        unique BY_ID (org, id)
        many OF_OBJECT (org, object_id);
        pub org: OrgId,
        pub app: AppId,
        pub sequence: i64,
        pub id: EventId,
        pub name: EventName,
        pub object_id: Uuid,
        pub version: i64,
        pub object: String,
        pub hash: Vec<u8>,
        pub created_at: Time,
        pub erased: Option<Vec<u8>>,
    }
}

impl EventRow {
    pub fn event(&self) -> Event {
        let Self { org, app, sequence, id, name, object_id, version, object, hash: _, created_at, erased } =
            self.clone();
        Event { org, app, sequence, id, name, object_id, version, object, created_at, erased }
    }
}

impl EventSegment {
    /// Begins a segment with its first event.
    pub(super) fn of(event: Event, previous_hash: Vec<u8>, hash: Vec<u8>) -> Self {
        let Event { org, app, sequence, created_at, name, .. } = event;
        let body = Body::of([Arc::new(event)]);
        let names = name_bit(name);
        Self { org, app, first: sequence, last: sequence, names, previous_hash, hash, created_at, body }
    }

    /// Appends the next event.
    pub(super) fn append(&mut self, event: Event, hash: Vec<u8>) {
        self.last = event.sequence;
        self.names |= name_bit(event.name);
        self.hash = hash;
        self.created_at = event.created_at;
        self.body.append(Arc::new(event));
    }

    /// Returns whether another event of this size fits.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.last - self.first + 1 < SEGMENT_EVENTS && self.body.bytes() + bytes <= SEGMENT_BYTES
    }

    /// Reads a stored row.
    pub fn decoded(row: &[Value]) -> Result<Self, Corrupt> {
        Self::from_values(row)
    }

    pub fn events(&self) -> impl DoubleEndedIterator<Item = &Arc<Event>> + Clone {
        self.body.events()
    }

    pub fn event(&self, sequence: i64) -> Option<&Arc<Event>> {
        let place = usize::try_from(sequence.checked_sub(self.first)?).ok()?;
        self.body.get(place).filter(|event| event.sequence == sequence)
    }

    /// Returns the chained hash of each event.
    pub fn hashes(&self, chain: &ChainKey) -> Vec<Vec<u8>> {
        let mut hashes: Vec<Vec<u8>> = Vec::with_capacity(self.body.count());
        for event in self.events() {
            let before = hashes.last().unwrap_or(&self.previous_hash);
            let hash = link(chain, before, event);
            hashes.push(hash);
        }
        hashes
    }

    /// Returns why the columns contradict the body; `None` if they agree.
    pub fn contradiction(&self) -> Option<&'static str> {
        let (Some(first), Some(last)) = (self.events().next(), self.events().next_back()) else {
            return Some("it has no events");
        };
        let is_numbered = |(event, sequence): (&Arc<Event>, i64)| {
            let place = (event.org, event.app, event.sequence);
            place == (self.org, self.app, sequence) && is_numbered(event, self.first)
        };
        let names = self.events().fold(0, |names, event| names | name_bit(event.name));
        if (first.sequence, last.sequence) != (self.first, self.last)
            || !self.events().zip(self.first..).all(is_numbered)
        {
            return Some("its events belong elsewhere");
        }
        ((names, last.created_at) != (self.names, self.created_at)).then_some("its columns differ from its events")
    }
}

/// Returns the proof of the event and the hash at which a log without a key ends.
pub fn unkeyed_proof(chain: &ChainKey, stream: &EventStream, unkeyed_to: i64, hash: &[u8]) -> Vec<u8> {
    chain.begin("unkeyed").id(stream.org.0).id(stream.app.0).number(unkeyed_to).part(hash).end()
}

/// Returns whether an event's id contains its place.
fn is_numbered(event: &Event, first: i64) -> bool {
    place(event.id) == Some((event.sequence, first))
}

/// Returns the bit of a name in [`EventSegment::names`]: its place in [`EventName::ALL`], which is only appended to.
pub fn name_bit(name: EventName) -> i64 {
    let place = EventName::ALL.iter().position(|known| *known == name);
    place.map_or(0, |place| 1 << place)
}

/// Makes the id of an event of a segment: a UUID of version 8 with 48 bits of the sequence, the event's offset in its
/// segment, and 66 of the given bits. So an event is found by its id without an index.
pub(super) fn numbered_id(sequence: i64, first: i64, random: [u8; 16]) -> EventId {
    let mut bytes = random;
    bytes[..6].copy_from_slice(&sequence.to_be_bytes()[2..]);
    bytes[7] = (sequence - first).to_be_bytes()[7];
    EventId(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}

/// Returns an event's sequence and the first of its segment, from its id; `None` for an id of another kind.
pub(super) fn place(id: EventId) -> Option<(i64, i64)> {
    let bytes = id.0.as_bytes();
    let mut sequence = [0; 8];
    sequence[2..].copy_from_slice(&bytes[..6]);
    let sequence = i64::from_be_bytes(sequence);
    (id.0.get_version_num() == 8).then(|| (sequence, sequence - i64::from(bytes[7])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_the_place_of_its_event() {
        for (sequence, first) in [(1, 1), (64, 1), ((1 << 48) - 1, (1 << 48) - 64)] {
            let id = numbered_id(sequence, first, [0xff; 16]);
            assert_eq!(place(id), Some((sequence, first)));
            assert_eq!((id.0.get_version_num(), id.0.get_variant()), (8, uuid::Variant::RFC4122));
        }
        assert_eq!(place(EventId(Uuid::now_v7())), None);
        // Of the 74 bits after sequence, version and variant, 8 are the offset and 66 are random.
        let fixed = numbered_id(1, 1, [0; 16]).0.as_u128() ^ numbered_id(1, 1, [0xff; 16]).0.as_u128();
        assert_eq!(fixed.count_ones(), 66);
    }

    /// Stored segments have these bits: a name may be added at the end, and none may move.
    #[test]
    fn the_bits_of_names_never_move() {
        let names: Vec<&str> = EventName::ALL.iter().map(|name| name.as_str()).collect();
        let kept = "payout_link.updated payout_link.sent payout_link.claimed payout_link.paid_out payout_link.failed \
            transfer.updated transfer.completed transfer.failed transfer.flagged payout_request.updated user.updated \
            user.updated.payout_method user.user_merged app.updated member.updated payable.updated vendor.updated \
            vendor_payment_method.updated approval_policy.updated payout_link_batch.updated payment.updated \
            payment_customer.updated verification.sent verification.locked verification.unlocked \
            administrative_act.recorded webhook_endpoint.tested";
        assert!(names.join(" ").starts_with(kept), "{names:?}");
        assert!(EventName::ALL.iter().all(|name| name_bit(*name) > 0), "63 names have a bit");
    }
}
