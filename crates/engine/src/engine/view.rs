//! Runs reads over a world that is filled from the store's reading half.

use super::StoreError;
use crate::clock::Time;
use crate::refusal::{Code, Refusal};
use crate::store::Reads;
use crate::world::{Halt, Want, World};

/// Rounds of loading after which a read is considered endless.
pub(super) const ROUNDS_MAX: usize = 200;

pub(super) enum Seen<T> {
    Ended(Result<T, Refusal>),
    /// It needs these rows, which could not be loaded at once.
    Waits(Vec<Want>),
}

/// Why rows were not loaded into a world.
pub(super) enum Unloaded {
    /// These cannot be loaded at once.
    Declined(Vec<Want>),
    Failed(StoreError),
}

impl From<StoreError> for Unloaded {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

/// Runs `query` over the store until it has all rows. Writes nothing.
pub fn view<T>(reads: &Reads, now: Time, query: impl FnMut(&mut World) -> Result<T, Halt>) -> Result<T, Refusal> {
    let load = |world: &mut World, wants: Vec<Want>| {
        let answers = reads.load(&wants)?;
        Ok(super::take_in(world, wants, answers)?)
    };
    match rounds(now, query, load) {
        Seen::Ended(outcome) => outcome,
        Seen::Waits(_) => Err(endless()),
    }
}

/// Runs `query` until it has all rows, or until `load` declines to load its wants.
pub(super) fn rounds<T>(
    now: Time,
    mut query: impl FnMut(&mut World) -> Result<T, Halt>,
    load: impl Fn(&mut World, Vec<Want>) -> Result<(), Unloaded>,
) -> Seen<T> {
    let mut world = World::new(now);
    for _ in 0..ROUNDS_MAX {
        let wants = match query(&mut world) {
            Ok(seen) => return Seen::Ended(Ok(seen)),
            Err(Halt::Refuse(refusal)) => return Seen::Ended(Err(*refusal)),
            Err(Halt::Load(wants)) => wants,
        };
        match load(&mut world, wants) {
            Ok(()) => {}
            Err(Unloaded::Declined(wants)) => return Seen::Waits(wants),
            Err(Unloaded::Failed(error)) => return Seen::Ended(Err(unreadable(&error))),
        }
    }
    Seen::Ended(Err(endless()))
}

pub(super) fn unreadable(error: &StoreError) -> Refusal {
    tracing::error!(%error, "a read failed");
    Refusal::new(Code::ServiceUnavailable, "The store cannot be read now.").retry_after(1)
}

pub(super) fn endless() -> Refusal {
    Refusal::new(Code::InternalError, "The read did not finish.")
}
