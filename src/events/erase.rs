//! The erasure of a payee's data from an event.

use std::sync::Arc;

use super::links::erased;
use super::log::{Found, Stored};
use super::model::EventRow;
use crate::world::record::key;
use crate::world::{Halt, World};

/// Replaces the object of an event by one without the payee's data. The chain remains valid.
pub fn erase(world: &mut World, found: &Found, object: String) -> Result<(), Halt> {
    let (chain, event) = (world.chain().clone(), &found.event);
    match &found.stored {
        Stored::Row(row) => {
            let before = match event.sequence {
                ..=1 => None,
                sequence => world.get::<EventRow>(key![event.org, event.app, sequence - 1])?,
            };
            let before = before.map_or_else(Vec::new, |before| before.hash.clone());
            let erased = erased(&chain, &before, event, &row.hash, object);
            world.change(row, |row| (row.object, row.erased) = (erased.object, erased.erased));
        }
        Stored::Segment(segment) => {
            let hashes = segment.hashes(&chain);
            let place = usize::try_from(event.sequence - segment.first).unwrap_or(usize::MAX);
            let Some(hash) = hashes.get(place) else { return Ok(()) };
            let before = place.checked_sub(1).and_then(|before| hashes.get(before)).unwrap_or(&segment.previous_hash);
            let erased = erased(&chain, before, event, hash, object);
            world.change(segment, |segment| segment.body.edit(|events| events[place] = Arc::new(erased)));
        }
    }
    Ok(())
}
