//! The events of a segment as bytes: a format number, then LZ4 of the organization, the app, the first sequence, and
//! for each event its fields. Numbers are little-endian, texts follow their lengths.
//!
//! Invariant: any bytes are read without a panic, and with memory at most in proportion to their length.

use std::sync::Arc;

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

/// The events of a segment, in order; never empty.
#[derive(Clone, Debug)]
pub struct Body(pub Vec<Arc<Event>>);

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
    fn packed(&self) -> Vec<u8> {
        let texts: usize = self.0.iter().map(|event| event.object.len() + 128).sum();
        let mut raw = Vec::with_capacity(texts + 40);
        if let Some(first) = self.0.first() {
            raw.extend_from_slice(first.org.0.as_bytes());
            raw.extend_from_slice(first.app.0.as_bytes());
            raw.extend_from_slice(&first.sequence.to_le_bytes());
        }
        for Event { id, name, object_id, version, object, created_at, erased, .. } in self.0.iter().map(AsRef::as_ref) {
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
        (!events.is_empty()).then_some(Self(events))
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
            let body = Body(events.clone());
            prop_assert_eq!(Body::from_value(&body.to_value()).unwrap().0, events);
        }

        /// Nothing panics, and nothing that was cut off is read.
        #[test]
        fn damaged_bodies_are_refused(seed: u64, bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let events = (1..9).map(|at| event(at, "{\"amount\":1000,\"memo\":\"for May\"}", None)).collect();
            let whole = Body(events).packed();
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

    /// A length of four gigabytes is refused before memory is taken for it.
    #[test]
    fn a_body_cannot_ask_for_more_memory_than_its_length_explains() {
        assert!(Body::unpacked(&[FORMAT, 0xff, 0xff, 0xff, 0xff, 0]).is_none());
    }
}
