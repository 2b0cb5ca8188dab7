//! Before a carrier is told anything: the note that it may have been.
//!
//! Invariant: no carrier is told of a message before `in_doubt_since` of it is on the disk. So whoever finds the
//! note later knows that an attempt began and was never concluded, and asks before sending again.

use std::sync::Arc;

use super::conclude::{AttemptOutcome, record_outcome};
use super::model::{Message, MessageStatus};
use crate::clock::Time;
use crate::engine::Command;
use crate::ids::{MessageId, OrgId};
use crate::jobs::{self, Leased};
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// How long a carrier may take until what it took can be found there: an attempt that broke off may still be
/// under way. What it does not know of a minute later, it never took.
const SETTLES_SECONDS: i64 = 60;
/// A message that nobody waits for is not sent more often than this when its carrier cannot say what it took.
const UNCONFIRMED_ATTEMPTS_MAX: i64 = 3;

/// What is known of an attempt before this one, if there was one in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// Nobody has asked.
    NotQueried,
    /// The carrier was asked, and did not know of it.
    NotTaken {
        /// When it was asked, or earlier: what it says holds for that moment, however late it is heard.
        asked_at: Time,
    },
    /// The carrier cannot be asked.
    Untold,
}

/// How to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// The note is written: send it.
    Send,
    /// An earlier attempt is in doubt: ask the carrier first.
    Ask,
    /// Not now, or not at all; the job has been seen to.
    Over,
}

/// Writes down that a carrier is about to be told of a message.
#[derive(Clone, Debug)]
pub struct BeginAttempt {
    /// The job.
    pub leased: Leased,
    /// The message.
    pub message: MessageId,
    /// What is known of an attempt in doubt.
    pub before: Before,
}

impl Command for BeginAttempt {
    type Reply = Begun;

    fn organization(&self) -> OrgId {
        self.leased.org
    }

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<Message>(key![self.leased.org, self.message])]
    }

    fn decide(&self, world: &mut World) -> Result<Begun, Halt> {
        let message = super::find(world, self.leased.org, self.message)?;
        if self.before == Before::Untold && self.leased.attempt > UNCONFIRMED_ATTEMPTS_MAX {
            let reason =
                message.error.clone().unwrap_or_else(|| "The provider did not confirm the message.".to_owned());
            record_outcome(world, &self.leased, self.message, &AttemptOutcome::Failed { reason, retry: false })?;
            return Ok(Begun::Over);
        }
        begin(world, &self.leased, &message, self.before)
    }
}

/// The part that every attempt shares; see [`BeginAttempt`].
///
/// # Errors
/// `resource-busy` when the lease went to another worker, who will send instead.
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
        bench.executor.run_one(BeginAttempt { leased: leased.clone(), message, before }).unwrap()
    }

    /// The carrier is asked now, and does not know of the message.
    fn not_taken(bench: &Bench) -> Before {
        Before::NotTaken { asked_at: bench.clock.now() }
    }

    #[test]
    fn an_attempt_that_was_not_concluded_is_asked_about() {
        let mut bench = Bench::new();
        let died = bench.lease();
        assert_eq!(begin(&mut bench, &died, Before::NotQueried), Begun::Send);
        // Whoever began it is gone; the next one finds the note.
        bench.clock.advance(jobs::LEASE_SECONDS + 1);
        let leased = bench.lease();
        assert_eq!(begin(&mut bench, &leased, Before::NotQueried), Begun::Ask);
        let heard = not_taken(&bench);
        assert_eq!(begin(&mut bench, &leased, heard), Begun::Send);
        let late = BeginAttempt { leased: died, message: bench.message, before: Before::NotQueried };
        assert!(bench.executor.run_one(late).is_err(), "a lease that is over begins nothing");
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

    /// A worker may be slow between the question and its next step; what it heard is no newer for that.
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
