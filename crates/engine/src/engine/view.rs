//! Runs reads over a world that is filled from the store's reading half.

use super::StoreError;
use crate::clock::Time;
use crate::refusal::{Code, Refusal};
use crate::store::Reads;
use crate::world::{Halt, Row, Want, World};

/// Rounds of loading after which a read is considered endless.
pub(super) const ROUNDS_MAX: usize = 200;

pub(super) enum Seen<T> {
    Ended(Result<T, Refusal>),
    /// It needs these rows, which could not be loaded at once.
    Waits(Vec<Want>),
}

/// Runs `query` over the store until it has all rows. Writes nothing.
pub fn view<T>(reads: &Reads, now: Time, query: impl FnMut(&mut World) -> Result<T, Halt>) -> Result<T, Refusal> {
    match rounds(now, query, |wants| Some(reads.load(wants))) {
        Seen::Ended(outcome) => outcome,
        Seen::Waits(_) => Err(endless()),
    }
}

/// Runs `query` until it has all rows, or until `load` declines to load its wants.
pub(super) fn rounds<T>(
    now: Time,
    mut query: impl FnMut(&mut World) -> Result<T, Halt>,
    load: impl Fn(&[Want]) -> Option<Result<Vec<Vec<Row>>, StoreError>>,
) -> Seen<T> {
    let mut world = World::new(now);
    for _ in 0..ROUNDS_MAX {
        let wants = match query(&mut world) {
            Ok(seen) => return Seen::Ended(Ok(seen)),
            Err(Halt::Refuse(refusal)) => return Seen::Ended(Err(*refusal)),
            Err(Halt::Load(wants)) => wants,
        };
        let Some(answers) = load(&wants) else { return Seen::Waits(wants) };
        let taken = answers.and_then(|answers| super::take_in(&mut world, wants, answers));
        if let Err(error) = taken {
            return Seen::Ended(Err(unreadable(&error)));
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
