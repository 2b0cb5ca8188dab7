//! Reading: the same finders over the same kind of world, filled from the store's reading half.

use super::StoreError;
use crate::clock::Time;
use crate::refusal::{Code, Refusal};
use crate::store::Reads;
use crate::world::{Halt, Want, World};

/// A read that has not ended after this many loads would never end.
const ROUNDS_MAX: usize = 200;

/// Runs `look` over the store until it has everything it asks for. Nothing is written.
pub fn view<T>(reads: &Reads, now: Time, mut look: impl FnMut(&mut World) -> Result<T, Halt>) -> Result<T, Refusal> {
    let mut world = World::new(now);
    for _ in 0..ROUNDS_MAX {
        let wants = match look(&mut world) {
            Ok(seen) => return Ok(seen),
            Err(Halt::Refuse(refusal)) => return Err(*refusal),
            Err(Halt::Load(wants)) => wants,
        };
        load(reads, &mut world, wants).map_err(|error| {
            tracing::error!(%error, "a read failed");
            Refusal::new(Code::ServiceUnavailable, "The store cannot be read now.").retry_after(1)
        })?;
    }
    Err(Refusal::new(Code::InternalError, "The read never came to its end."))
}

fn load(reads: &Reads, world: &mut World, wants: Vec<Want>) -> Result<(), StoreError> {
    let answers = reads.load(&wants)?;
    for (want, rows) in wants.into_iter().zip(answers) {
        world.take_in(want, &rows)?;
    }
    Ok(())
}
