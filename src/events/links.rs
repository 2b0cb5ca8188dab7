//! The keyed chain of a log: each event's link to the one before, which stays valid when a payee's data is erased.

use sha2::{Digest as _, Sha256};

use super::event::Event;
use crate::chain::ChainKey;

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
fn erasure_proof(chain: &ChainKey, before: &[u8], event: &Event, hash: &[u8], object: &[u8]) -> Vec<u8> {
    let proof = chain.begin("erased").part(before).part(hash).id(event.id.0);
    proof.part(object).part(event.object.as_bytes()).end()
}

/// Returns whether an event with this hash is the valid successor of `before`, with its object unchanged or erased by
/// bursar. `unkeyed` marks events of a version that chained without a key.
pub fn follows(chain: &ChainKey, before: &[u8], event: &Event, hash: &[u8], unkeyed: bool) -> bool {
    let linked = match (unkeyed, &event.erased) {
        (false, _) => link(chain, before, event) == hash,
        (true, None) => unkeyed_link(before, event) == hash,
        (true, Some(_)) => true,
    };
    linked && erasure_is_proved(chain, before, event, hash)
}

/// Returns whether the object of an event with this hash is the original one, or was erased by bursar.
pub fn erasure_is_proved(chain: &ChainKey, before: &[u8], event: &Event, hash: &[u8]) -> bool {
    match (&event.erased, erased_part(event)) {
        (None, _) => true,
        (Some(_), Some((object, proof))) => erasure_proof(chain, before, event, hash, object) == proof,
        (Some(_), None) => false,
    }
}

/// Returns the event with another object, and with the proof of it.
pub(super) fn erased(chain: &ChainKey, before: &[u8], event: &Event, hash: &[u8], object: String) -> Event {
    let was = erased_part(event).map_or_else(|| object_link(chain, event), |(object, _)| object.to_vec());
    let mut erased = Event { object, ..event.clone() };
    let proof = erasure_proof(chain, before, &erased, hash, &was);
    erased.erased = Some([was, proof].concat());
    erased
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
