//! The events of a segment as bytes: a format number, then LZ4 of the organization, the app, the first sequence, and
//! for each event its fields. Numbers are little-endian, texts follow their lengths.
//!
//! Invariant: any bytes are read without a panic, and with memory at most in proportion to their length.

use std::sync::{Arc, OnceLock};

use lz4_flex::block::{compress_prepend_size, decompress, uncompressed_size};
use uuid::Uuid;

use super::event::Event;
use super::names::EventName;
use crate::clock::Time;
use crate::ids::{AppId, EventId, OrgId};
use crate::world::Value;
use crate::world::record::{Cell, Kind};

const FORMAT: u8 = 1;
/// A byte of LZ4 expands to at most 255 bytes.
const RATIO_MAX: usize = 256;

/// Places for the events of a growing body: as many as a segment has at most.
const ROOM: usize = 64;

/// The events of a segment, in order; never empty.
///
/// While a batch runs, each event makes a version of its segment, and the world keeps the versions. They share the
/// places for their events, so another version costs the same whether it has two events or sixty.
#[derive(Clone, Debug)]
pub struct Body {
    places: Arc<[OnceLock<Arc<Event>>]>,
    /// The events of this version: places after them belong to later versions, or to one that was rolled back.
    count: usize,
    /// The bytes of the objects.
    bytes: usize,
}

impl Cell for Body {
    const KIND: Kind = Kind::Bytes;

    fn to_value(&self) -> Value {
        Value::Bytes(self.packed())
    }

    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Bytes(bytes) = value { Self::unpacked(bytes) } else { None }
    }
}

impl Body {
    pub fn of(events: impl IntoIterator<Item = Arc<Event>>) -> Self {
        let places: Arc<[OnceLock<Arc<Event>>]> = events.into_iter().map(OnceLock::from).collect();
        let bytes = places.iter().filter_map(OnceLock::get).map(|event| event.object.len()).sum();
        Self { count: places.len(), bytes, places }
    }

    pub fn events(&self) -> impl DoubleEndedIterator<Item = &Arc<Event>> + Clone {
        self.places[..self.count].iter().filter_map(OnceLock::get)
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the bytes of the objects.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn get(&self, place: usize) -> Option<&Arc<Event>> {
        self.places[..self.count].get(place)?.get()
    }

    pub fn append(&mut self, event: Arc<Event>) {
        self.bytes += event.object.len();
        let event = match self.places.get(self.count) {
            Some(place) => place.set(event).err(),
            None => Some(event),
        };
        if let Some(event) = event {
            // No place is left, or a version that was rolled back has it.
            let known = self.events().cloned().chain([event]).map(OnceLock::from);
            let room = ROOM.saturating_sub(self.count + 1);
            self.places = known.chain(std::iter::repeat_with(OnceLock::new).take(room)).collect();
        }
        self.count += 1;
    }

    /// Changes the events.
    pub fn edit(&mut self, edit: impl FnOnce(&mut Vec<Arc<Event>>)) {
        let mut events: Vec<Arc<Event>> = self.events().cloned().collect();
        edit(&mut events);
        *self = Self::of(events);
    }

    fn packed(&self) -> Vec<u8> {
        let mut raw = Vec::with_capacity(self.bytes + 128 * self.count + 40);
        if let Some(first) = self.get(0) {
            raw.extend_from_slice(first.org.0.as_bytes());
            raw.extend_from_slice(first.app.0.as_bytes());
            raw.extend_from_slice(&first.sequence.to_le_bytes());
        }
        for Event { id, name, object_id, version, object, created_at, erased, .. } in self.events().map(AsRef::as_ref) {
            raw.extend_from_slice(id.0.as_bytes());
            raw.extend_from_slice(object_id.as_bytes());
            raw.extend_from_slice(&version.to_le_bytes());
            raw.extend_from_slice(&created_at.micros().to_le_bytes());
            for part in [name.as_str().as_bytes(), erased.as_deref().unwrap_or_default(), object.as_bytes()] {
                raw.extend_from_slice(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
                raw.extend_from_slice(part);
            }
        }
        let mut packed = vec![FORMAT];
        packed.extend(compress_prepend_size(&raw));
        packed
    }

    fn unpacked(packed: &[u8]) -> Option<Self> {
        let (_, compressed) = packed.split_first().filter(|(format, _)| **format == FORMAT)?;
        let (length, compressed) = uncompressed_size(compressed).ok()?;
        if length > compressed.len().saturating_mul(RATIO_MAX) {
            return None;
        }
        let raw = decompress(compressed, length).ok().filter(|raw| raw.len() == length)?;
        let mut raw = Reader(&raw);
        let (org, app) = (OrgId(raw.id()?), AppId(raw.id()?));
        let mut sequence = raw.number()?;
        let mut events = Vec::new();
        while !raw.0.is_empty() {
            let (id, object_id) = (EventId(raw.id()?), raw.id()?);
            let (version, created_at) = (raw.number()?, Time::from_micros(raw.number()?));
            let name = EventName::from_word(raw.text()?)?;
            let erased = Some(raw.part()?.to_vec()).filter(|erased| !erased.is_empty());
            let object = raw.text()?.to_owned();
            events.push(Arc::new(Event {
                org,
                app,
                sequence,
                id,
                name,
                object_id,
                version,
                object,
                created_at,
                erased,
            }));
            sequence = sequence.checked_add(1)?;
        }
        (!events.is_empty()).then(|| Self::of(events))
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<i64> {
        Some(i64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn id(&mut self) -> Option<Uuid> {
        Uuid::from_slice(self.take(16)?).ok()
    }

    fn part(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        self.take(length)
    }

    fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.part()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(sequence: i64, object: &str, erased: Option<Vec<u8>>) -> Arc<Event> {
        let name = EventName::ALL[usize::try_from(sequence).unwrap() % EventName::ALL.len()];
        Arc::new(Event {
            org: OrgId(Uuid::from_u128(1)),
            app: AppId(Uuid::from_u128(2)),
            sequence,
            id: EventId(Uuid::from_u128(3)),
            name,
            object_id: Uuid::from_u128(4),
            version: -sequence,
            object: object.to_owned(),
            created_at: Time::from_micros(sequence * 5),
            erased,
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn a_body_is_read_as_it_was_written(objects in prop::collection::vec((".{0,400}", any::<bool>()), 1..80)) {
            let numbered = objects.iter().zip(7..);
            let events: Vec<_> = numbered.map(|((text, erased), at)| event(at, text, erased.then(|| vec![9; 64]))).collect();
            let body = Body::of(events.clone());
            let read = Body::from_value(&body.to_value()).unwrap();
            prop_assert_eq!(read.events().cloned().collect::<Vec<_>>(), events);
        }

        /// Nothing panics, and nothing that was cut off is read.
        #[test]
        fn damaged_bodies_are_refused(seed: u64, bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let events: Vec<_> = (1..9).map(|at| event(at, "{\"amount\":1000,\"memo\":\"for May\"}", None)).collect();
            let whole = Body::of(events).packed();
            let at = usize::try_from(seed % u64::try_from(whole.len()).unwrap()).unwrap();
            prop_assert!(Body::unpacked(&whole[..at]).is_none());
            prop_assert!(Body::unpacked(&bytes).is_none());
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (seed >> 32 & 7);
            // A changed byte of a text is read, and breaks the chain.
            drop(Body::unpacked(&flipped));
            let mut headed = vec![FORMAT];
            headed.extend(bytes);
            drop(Body::unpacked(&headed));
        }
    }

    #[test]
    fn versions_of_a_body_share_their_events_and_see_only_their_own() {
        let event = |sequence: i64, text: &str| event(sequence, text, None);
        let texts = |body: &Body| body.events().map(|event| event.object.clone()).collect::<Vec<_>>();
        let mut first = Body::of([event(1, "a")]);
        first.append(event(2, "b"));
        let mut second = first.clone();
        second.append(event(3, "rolled back"));
        // It shares the place that the other version has taken.
        let mut third = first.clone();
        third.append(event(3, "ccc"));
        third.append(event(4, "d"));
        assert_eq!((texts(&first), first.bytes(), first.count()), (vec!["a".to_owned(), "b".to_owned()], 2, 2));
        assert_eq!((texts(&second)[2].as_str(), second.count(), second.bytes()), ("rolled back", 3, 13));
        assert_eq!((texts(&third)[2..].join(" "), third.count(), third.bytes()), ("ccc d".to_owned(), 4, 6));
        assert_eq!(third.get(3).map(|event| event.sequence), Some(4));
        assert!(first.get(2).is_none(), "a place of a later version");
        let mut long = Body::of([event(1, "a")]);
        (2..=200).for_each(|sequence| long.append(event(sequence, "a")));
        assert!(long.events().map(|event| event.sequence).eq(1..=200));
    }

    /// A length of four gigabytes is refused before memory is taken for it.
    #[test]
    fn a_body_cannot_ask_for_more_memory_than_its_length_explains() {
        assert!(Body::unpacked(&[FORMAT, 0xff, 0xff, 0xff, 0xff, 0]).is_none());
    }
}
