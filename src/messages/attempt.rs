//! The record that an attempt has begun.
//!
//! Invariant: `in_doubt_since` of a message is committed before a provider receives the message. A worker that finds it
//! set knows that an attempt began and has no recorded outcome, and queries the provider before it sends again.

use std::sync::Arc;

use super::conclude::{AttemptOutcome, record_outcome};
use super::model::{Message, MessageStatus};
use crate::clock::Time;
use crate::engine::Command;
use crate::ids::MessageId;
use crate::jobs::{self, Leased};
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// The time that a provider may need to list an accepted message: a broken attempt may still be in flight. A message
/// that the provider does not know a minute later was never accepted.
const SETTLES_SECONDS: i64 = 60;
/// The most attempts of a message that no sender waits for, if its provider cannot be queried.
const UNCONFIRMED_ATTEMPTS_MAX: i64 = 3;

/// The known outcome of an earlier attempt that is in doubt, if there was one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    NotQueried,
    /// The provider was queried and does not know the message.
    NotTaken {
        /// The time of the query, or earlier: the result is valid for that time, even if it arrives later.
        asked_at: Time,
    },
    /// The provider cannot be queried.
    Untold,
}

/// The worker's next action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// The attempt is recorded: send the message.
    Send,
    /// An earlier attempt is in doubt: query the provider first.
    Ask,
    /// Send nothing; the job is finished or postponed.
    Over,
}

/// Records that a message is about to be sent to a provider.
#[derive(Clone, Debug)]
pub struct BeginAttempt {
    pub leased: Leased,
    pub message: MessageId,
    pub before: Before,
}

impl Command for BeginAttempt {
    type Reply = Begun;

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<Message>(key![self.leased.org, self.message])]
    }

    fn decide(&self, world: &mut World) -> Result<Begun, Halt> {
        let message = super::rows::find(world, self.leased.org, self.message)?;
        if self.before == Before::Untold && self.leased.attempt > UNCONFIRMED_ATTEMPTS_MAX {
            let reason =
                message.error.clone().unwrap_or_else(|| "The provider did not confirm the message.".to_owned());
            record_outcome(world, &self.leased, self.message, &AttemptOutcome::Failed { reason, retry: false })?;
            return Ok(Begun::Over);
        }
        begin(world, &self.leased, &message, self.before)
    }
}

/// Begins an attempt; see [`BeginAttempt`].
///
/// # Errors
/// `resource-busy` when another worker has the lease and sends instead.
pub fn begin(world: &mut World, leased: &Leased, message: &Arc<Message>, before: Before) -> Result<Begun, Halt> {
    let now = world.now();
    jobs::still_leased(world, leased)?;
    match message.status {
        MessageStatus::Queued => {}
        MessageStatus::Sent | MessageStatus::Delivered | MessageStatus::Failed => {
            jobs::finish(world, leased)?;
            return Ok(Begun::Over);
        }
    }
    match (message.in_doubt_since, before) {
        (Some(_), Before::NotQueried) => return Ok(Begun::Ask),
        (Some(since), Before::NotTaken { asked_at }) if asked_at < since.plus_seconds(SETTLES_SECONDS) => {
            jobs::put_off(world, leased, since.plus_seconds(SETTLES_SECONDS), message.error.clone())?;
            return Ok(Begun::Over);
        }
        (None, _) | (Some(_), Before::NotTaken { .. } | Before::Untold) => {}
    }

    // From here it must succeed.
    world.change(message, |message| message.in_doubt_since = Some(now));
    Ok(Begun::Send)
}

#[cfg(test)]
mod tests {
    use super::super::conclude::tests::Bench;
    use super::*;

    fn begin(bench: &mut Bench, leased: &Leased, before: Before) -> Begun {
        let message = bench.message;
        bench.executor.run_one(leased.org, BeginAttempt { leased: leased.clone(), message, before }).unwrap()
    }

    /// The provider is queried now and does not know the message.
    fn not_taken(bench: &Bench) -> Before {
        Before::NotTaken { asked_at: bench.clock.now() }
    }

    #[test]
    fn an_attempt_that_was_not_concluded_is_asked_about() {
        let mut bench = Bench::new();
        let died = bench.lease();
        assert_eq!(begin(&mut bench, &died, Before::NotQueried), Begun::Send);
        // The first worker has died; the next one finds the record.
        bench.clock.advance(jobs::LEASE_SECONDS + 1);
        let leased = bench.lease();
        assert_eq!(begin(&mut bench, &leased, Before::NotQueried), Begun::Ask);
        let heard = not_taken(&bench);
        assert_eq!(begin(&mut bench, &leased, heard), Begun::Send);
        let late = BeginAttempt { leased: died, message: bench.message, before: Before::NotQueried };
        assert!(bench.executor.run_one(late.leased.org, late).is_err(), "a lease that is over begins nothing");
    }

    #[test]
    fn a_provider_has_a_minute_to_find_what_it_took() {
        let mut bench = Bench::new();
        let leased = bench.lease();
        assert_eq!(begin(&mut bench, &leased, Before::NotQueried), Begun::Send);
        bench.conclude(&leased, AttemptOutcome::InDoubt { reason: "no response".into() }).unwrap();
        bench.clock.advance(5);
        let early = bench.lease();
        assert_eq!(begin(&mut bench, &early, Before::NotQueried), Begun::Ask);
        let heard = not_taken(&bench);
        assert_eq!(begin(&mut bench, &early, heard), Begun::Over);
        bench.clock.advance(SETTLES_SECONDS);
        let settled = bench.lease();
        let heard = not_taken(&bench);
        assert_eq!(begin(&mut bench, &settled, heard), Begun::Send);
    }

    /// A worker may be slow after the query; its result is as old as the query.
    #[test]
    fn a_provider_queried_too_early_is_queried_again() {
        let mut bench = Bench::new();
        let leased = bench.lease();
        assert_eq!(begin(&mut bench, &leased, Before::NotQueried), Begun::Send);
        bench.conclude(&leased, AttemptOutcome::InDoubt { reason: "no response".into() }).unwrap();
        bench.clock.advance(SETTLES_SECONDS / 2);
        let slow = bench.lease();
        assert_eq!(begin(&mut bench, &slow, Before::NotQueried), Begun::Ask);
        let heard = not_taken(&bench);
        bench.clock.advance(SETTLES_SECONDS - 1);
        assert_eq!(begin(&mut bench, &slow, heard), Begun::Over);
        let next = bench.lease();
        assert_eq!(begin(&mut bench, &next, Before::NotQueried), Begun::Ask);
        let heard = not_taken(&bench);
        assert_eq!(begin(&mut bench, &next, heard), Begun::Send);
    }

    #[test]
    fn a_known_failure_is_retried_without_a_query() {
        let mut bench = Bench::new();
        let leased = bench.lease();
        assert_eq!(begin(&mut bench, &leased, Before::NotQueried), Begun::Send);
        bench.conclude(&leased, AttemptOutcome::Failed { reason: "busy".into(), retry: true }).unwrap();
        bench.clock.advance(5);
        let again = bench.lease();
        assert_eq!(begin(&mut bench, &again, Before::NotQueried), Begun::Send);
    }

    #[test]
    fn a_provider_without_look_up_gets_a_message_three_times_at_most() {
        let mut bench = Bench::new();
        let mut sent = 0;
        for _ in 0..10 {
            bench.clock.advance(4_000);
            let Some(leased) = bench.lease_if_any() else { break };
            let first = begin(&mut bench, &leased, Before::NotQueried);
            let begun = if first == Begun::Ask { begin(&mut bench, &leased, Before::Untold) } else { first };
            if begun == Begun::Send {
                sent += 1;
                bench.conclude(&leased, AttemptOutcome::InDoubt { reason: "no response".into() }).unwrap();
            }
        }
        assert_eq!(sent, UNCONFIRMED_ATTEMPTS_MAX);
        assert!(bench.lease_if_any().is_none(), "then it is given up");
    }
}
