//! The limits on wrong codes of one recipient, as a pure rule.
//!
//! Invariant: at most [`LOCKED_AFTER`] wrong codes of one recipient are compared, over all links, apps and pages,
//! before an organization unlocks it. Links that name no payee have a share of that, [`UNNAMED_WRONG_MAX`]: their
//! holders can enter any phone number, and must not be able to lock out a stranger.

use crate::clock::{DAY_SECONDS, Time};

/// Wrong codes after which the recipient waits [`SHORT_WAIT_SECONDS`] after each further one.
pub const SHORT_WAIT_AFTER: i64 = 10;
/// Wrong codes after which the recipient waits [`LONG_WAIT_SECONDS`] after each further one.
pub const LONG_WAIT_AFTER: i64 = 30;
pub const LOCKED_AFTER: i64 = 100;
/// Wrong codes that are compared at links that name no payee.
pub const UNNAMED_WRONG_MAX: i64 = 20;
pub const SHORT_WAIT_SECONDS: i64 = 3_600;
pub const LONG_WAIT_SECONDS: i64 = DAY_SECONDS;
/// A count is dropped after this time without a wrong code.
pub const KEPT_SECONDS: i64 = 30 * DAY_SECONDS;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wrong {
    pub count: i64,
    pub last_at: Option<Time>,
}

impl Wrong {
    fn fresh(self, now: Time) -> i64 {
        match self.last_at {
            Some(last_at) if now.seconds_since(last_at) < KEPT_SECONDS => self.count,
            Some(_) | None => 0,
        }
    }

    fn and_one(self, now: Time) -> Self {
        Self { count: self.fresh(now) + 1, last_at: Some(now) }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// In contexts that name the recipient: an app's user, a link's payee.
    pub named: Wrong,
    pub unnamed: Wrong,
    pub locked_at: Option<Time>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockState {
    Open,
    /// Holds the seconds until codes are compared again.
    Waiting(i64),
    Locked,
}

impl Tally {
    pub fn total(self, now: Time) -> i64 {
        self.named.fresh(now) + self.unnamed.fresh(now)
    }

    /// Returns whether a code is compared now, in a context that names the recipient or in one that does not.
    pub fn lock_state(self, is_named: bool, now: Time) -> LockState {
        if self.locked_at.is_some() {
            return LockState::Locked;
        }
        let until = if is_named {
            // Wrong codes of a stranger at their own link must not make the payee wait.
            waits_until(self.named.fresh(now), self.named.last_at)
        } else if self.unnamed.fresh(now) >= UNNAMED_WRONG_MAX {
            self.unnamed.last_at.map(|last_at| last_at.plus_seconds(KEPT_SECONDS))
        } else {
            waits_until(self.total(now), self.named.last_at.max(self.unnamed.last_at))
        };
        match until.map(|until| until.seconds_since(now)) {
            Some(seconds) if seconds > 0 => LockState::Waiting(seconds),
            Some(_) | None => LockState::Open,
        }
    }

    #[must_use]
    pub fn after_wrong(mut self, is_named: bool, now: Time) -> Self {
        let wrong = if is_named { &mut self.named } else { &mut self.unnamed };
        *wrong = wrong.and_one(now);
        if self.total(now) >= LOCKED_AFTER {
            self.locked_at = self.locked_at.or(Some(now));
        }
        self
    }
}

fn waits_until(count: i64, last_at: Option<Time>) -> Option<Time> {
    let seconds = match count {
        LONG_WAIT_AFTER.. => LONG_WAIT_SECONDS,
        SHORT_WAIT_AFTER.. => SHORT_WAIT_SECONDS,
        _ => return None,
    };
    last_at.map(|last_at| last_at.plus_seconds(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day_one() -> Time {
        Time::parse("2026-06-01T10:00:00Z").unwrap()
    }

    /// Guesses as often as codes are compared, for a number of days; returns the number of comparisons.
    fn compared(days: i64, mut named: impl FnMut(i64) -> bool, mut pauses: impl FnMut(i64) -> bool) -> i64 {
        let (start, mut tally, mut compared) = (day_one(), Tally::default(), 0);
        for minute in 0..days * 24 * 60 {
            let now = start.plus_seconds(minute * 60);
            if !pauses(minute) && tally.lock_state(named(minute), now) == LockState::Open {
                tally = tally.after_wrong(named(minute), now);
                compared += 1;
            }
        }
        compared
    }

    #[test]
    fn waits_grow_and_end_in_a_lock() {
        let (mut tally, mut now) = (Tally::default(), day_one());
        let mut waits = Vec::new();
        while tally.locked_at.is_none() {
            match tally.lock_state(true, now) {
                LockState::Waiting(seconds) => {
                    waits.push(seconds);
                    now = now.plus_seconds(seconds);
                }
                LockState::Open | LockState::Locked => tally = tally.after_wrong(true, now),
            }
        }
        let of = |seconds| waits.iter().filter(|wait| **wait == seconds).count();
        assert_eq!((of(SHORT_WAIT_SECONDS), of(LONG_WAIT_SECONDS)), (20, 70));
        assert_eq!(tally.total(now), LOCKED_AFTER);
        assert_eq!(tally.lock_state(true, now.plus_seconds(KEPT_SECONDS)), LockState::Locked, "time does not unlock");
    }

    #[test]
    fn no_timing_gets_more_than_a_hundred_guesses_in_sixty_days() {
        for pause in [0, 20, 29, 30, 31] {
            let rests = |minute: i64| pause > 0 && minute / (24 * 60) % (2 * pause) >= pause;
            for code_contexts in 0..3 {
                let named = |minute: i64| code_contexts == 0 || code_contexts == 1 && minute % 2 == 0;
                let compared = compared(60, named, rests);
                assert!(
                    compared <= LOCKED_AFTER,
                    "{compared} guesses with rests of {pause} days at doors {code_contexts}"
                );
            }
        }
    }

    #[test]
    fn a_stranger_neither_locks_a_payee_nor_makes_them_wait() {
        assert!(compared(365, |_| false, |_| false) <= UNNAMED_WRONG_MAX * 12);
        let mut tally = Tally::default();
        for _ in 0..UNNAMED_WRONG_MAX {
            tally = tally.after_wrong(false, day_one());
        }
        assert_eq!(tally.lock_state(true, day_one()), LockState::Open);
        assert_eq!(tally.lock_state(false, day_one()), LockState::Waiting(KEPT_SECONDS));
    }
}
