//! Limits guesses at claims (docs/decisions.md 14 and 17): tokens by IP address, and contacts by link and IP address,
//! because the page shows the end of the phone number or e-mail address. The environment's clock drives it.
//!
//! Invariants: a guess counts when it begins and is given back if it was right, so concurrent requests cannot exceed a
//! limit. A correct token is delayed but never refused, because many payees share one address. Memory is bounded, and
//! the cost of a guess does not depend on the number of addresses.

use std::hash::{BuildHasher as _, Hash, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use super::proxies::neighbourhood;
use crate::clock::Time;
use crate::refusal::{Code, Refusal};

/// Maximum number of counts, 24 bytes each.
const SLOTS: usize = 32_768;
/// Slots in which a count may be. When all are taken, the smallest count is replaced.
const WAYS: usize = 8;

/// Microseconds.
const SECOND: i64 = 1_000_000;

#[derive(Clone, Copy)]
struct Bound {
    /// Wrong guesses before the caller must wait.
    wrong: u32,
    /// The time from the first wrong guess until the count ends.
    seconds: i64,
    message: &'static str,
}

const TOKENS: Bound =
    Bound { wrong: 20, seconds: 60, message: "You opened more than 20 unknown links within a minute. Wait a moment." };
const CONTACTS: Bound = Bound {
    wrong: 10,
    seconds: 3_600,
    message: "More than 10 wrong phone numbers or e-mail addresses were entered within an hour. Try again later.",
};

#[derive(Default)]
pub(super) struct Guesses {
    tokens: Counts,
    /// By link and IP address; otherwise anyone with the link could lock out its payee.
    contacts: Counts,
}

/// A guess in progress. It counts as wrong until it is given back.
pub(super) struct Guess<'a> {
    counts: &'a Counts,
    bound: Bound,
    who: u64,
    /// Seconds until the count ends, if it was full before this guess.
    wait_seconds: Option<u32>,
}

impl Guesses {
    pub(super) fn token(&self, peer: IpAddr, now: Time) -> Guess<'_> {
        self.tokens.begin(TOKENS, neighbourhood(peer), now)
    }

    pub(super) fn contact(&self, token: &str, peer: Option<IpAddr>, now: Time) -> Guess<'_> {
        self.contacts.begin(CONTACTS, (token, peer.map(neighbourhood)), now)
    }
}

impl Guess<'_> {
    /// Refuses if the limit was reached before this guess.
    ///
    /// # Errors
    /// `rate-limited`, with the time to wait.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        self.wait_seconds
            .map_or(Ok(()), |seconds| Err(Refusal::new(Code::RateLimited, self.bound.message).retry_after(seconds)))
    }

    pub(super) fn give_back(self) {
        self.counts.give_back(self.who);
    }
}

struct Counts {
    hasher: RandomState,
    /// Empty until the first guess.
    slots: Mutex<Vec<Slot>>,
}

impl Default for Counts {
    fn default() -> Self {
        Self { hasher: RandomState::new(), slots: Mutex::default() }
    }
}

/// One count. `who` is a hash keyed per process, so that a caller cannot choose a shared slot; 0 means none.
#[derive(Clone, Copy, Default)]
struct Slot {
    who: u64,
    over_at: i64,
    wrong: u32,
}

impl Counts {
    fn begin(&self, bound: Bound, who: impl Hash, now: Time) -> Guess<'_> {
        let who = self.hasher.hash_one(who).max(1);
        let now = now.micros();
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.is_empty() {
            slots.resize(SLOTS, Slot::default());
        }
        let slot = slot_of(&mut slots, who, now);
        if slot.who != who || slot.over_at <= now {
            *slot = Slot { who, over_at: now.saturating_add(bound.seconds * SECOND), wrong: 0 };
        }
        let wait_seconds = (slot.over_at - now + SECOND - 1) / SECOND;
        let wait_seconds = u32::try_from(wait_seconds).ok().filter(|_| slot.wrong >= bound.wrong);
        slot.wrong = slot.wrong.saturating_add(1);
        Guess { counts: self, bound, who, wait_seconds }
    }

    fn give_back(&self, who: u64) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = set(&mut slots, who).iter_mut().find(|slot| slot.who == who) {
            slot.wrong = slot.wrong.saturating_sub(1);
        }
    }
}

fn set(slots: &mut [Slot], who: u64) -> &mut [Slot] {
    let sets = u64::try_from(SLOTS / WAYS).expect("a few thousand fit");
    let first = usize::try_from(who % sets).expect("it is less than the number of slots") * WAYS;
    &mut slots[first..first + WAYS]
}

/// Returns the caller's own slot, or one that has ended, or the one with the smallest count of the set.
fn slot_of(slots: &mut [Slot], who: u64, now: i64) -> &mut Slot {
    let set = set(slots, who);
    let own = set.iter().position(|slot| slot.who == who);
    let smallest = || {
        let size = |(_, slot): &(usize, &Slot)| if slot.over_at <= now { 0 } else { slot.wrong.saturating_add(1) };
        set.iter().enumerate().min_by_key(size).map_or(0, |(at, _)| at)
    };
    let at = own.unwrap_or_else(smallest);
    &mut set[at]
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Time = Time::from_micros(1_790_000_000_000_000);

    fn wrong_token(guesses: &Guesses, peer: IpAddr, now: Time) -> Result<(), Refusal> {
        guesses.token(peer, now).check()
    }

    #[test]
    fn twenty_wrong_tokens_slow_an_address_until_its_minute_is_over() {
        let guesses = Guesses::default();
        let (guesser, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        for second in 0..20 {
            assert_eq!(wrong_token(&guesses, guesser, START.plus_seconds(second)), Ok(()));
        }
        let refusal = wrong_token(&guesses, guesser, START.plus_seconds(20)).unwrap_err();
        assert_eq!((refusal.code, refusal.retry_after_seconds), (Code::RateLimited, Some(40)));
        assert_eq!(wrong_token(&guesses, other, START.plus_seconds(20)), Ok(()));
        assert_eq!(wrong_token(&guesses, guesser, START.plus_seconds(60)), Ok(()));
    }

    #[test]
    fn a_guess_counts_when_it_begins_and_not_any_more_when_it_was_right() {
        let guesses = Guesses::default();
        let peer = IpAddr::from([192, 0, 2, 1]);
        let at_once: Vec<Guess<'_>> = (0..24).map(|_| guesses.token(peer, START)).collect();
        assert_eq!(at_once.iter().filter(|guess| guess.check().is_err()).count(), 4, "side by side they count too");
        at_once.into_iter().for_each(Guess::give_back);
        for _ in 0..100 {
            let right = guesses.token(peer, START);
            assert_eq!(right.check(), Ok(()));
            right.give_back();
        }
    }

    #[test]
    fn a_minute_over_begins_a_new_count() {
        let guesses = Guesses::default();
        let guesser = IpAddr::from([192, 0, 2, 1]);
        for second in 0..60 {
            assert_eq!(wrong_token(&guesses, guesser, START.plus_seconds(second * 4)), Ok(()));
        }
    }

    #[test]
    fn the_addresses_of_one_network_of_64_bits_count_as_one() {
        let guesses = Guesses::default();
        let address = |last: u16| IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, last]);
        let refused = (0..30).filter(|last| wrong_token(&guesses, address(*last), START).is_err()).count();
        assert_eq!(refused, 10);
        assert_eq!(wrong_token(&guesses, IpAddr::from([0x2001, 0xdb8, 0, 2, 0, 0, 0, 1]), START), Ok(()));
    }

    #[test]
    fn ten_wrong_contacts_from_one_address_stop_it_for_the_hour_and_no_other() {
        let guesses = Guesses::default();
        let (guesser, other) = (Some(IpAddr::from([192, 0, 2, 1])), Some(IpAddr::from([192, 0, 2, 2])));
        let wrong = |link: &str, peer, seconds| guesses.contact(link, peer, START.plus_seconds(seconds)).check();
        for minute in 0..10 {
            assert_eq!(wrong("one", guesser, minute * 60), Ok(()));
        }
        let refusal = wrong("one", guesser, 600).unwrap_err();
        assert_eq!((refusal.code, refusal.retry_after_seconds), (Code::RateLimited, Some(3_000)));
        assert_eq!(wrong("one", other, 600), Ok(()), "the payee has another address");
        assert_eq!(wrong("other", guesser, 600), Ok(()));
        assert_eq!(wrong("one", guesser, 3_600), Ok(()));
    }

    /// More addresses than slots: memory does not grow, and no address is refused for the guesses of another.
    #[test]
    fn a_million_guessers_take_no_more_memory_and_share_no_count() {
        let guesses = Guesses::default();
        let busy = IpAddr::from([192, 0, 2, 1]);
        for _ in 0..25 {
            let _counted = guesses.token(busy, START);
        }
        for number in 0..1_000_000_u32 {
            assert_eq!(wrong_token(&guesses, IpAddr::from((10 << 24 | number).to_be_bytes()), START), Ok(()));
        }
        assert_eq!(guesses.tokens.slots.lock().unwrap().len(), SLOTS);
        assert!(wrong_token(&guesses, busy, START).is_err(), "the largest counts are kept longest");
    }
}
