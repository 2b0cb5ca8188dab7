//! How often one may guess at claims (decisions.md 14): an address at tokens, and whoever has a link at the phone or address
//! that it names, of which the page shows the end. The environment's clock drives it.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use super::proxies::neighbourhood;
use crate::clock::Time;
use crate::refusal::{Code, Refusal};

/// Who is remembered before those whose time is over are forgotten.
const REMEMBERED_MAX: usize = 10_000;

/// How often each may be wrong.
#[derive(Clone, Copy)]
struct Bound {
    /// Wrong guesses after which one must wait.
    wrong: u32,
    /// How long a count lasts, from its first wrong guess on.
    seconds: i64,
    /// What is told then.
    message: &'static str,
}

const TOKENS: Bound =
    Bound { wrong: 20, seconds: 60, message: "More than 20 links in a minute were not known. Wait a moment." };
const CONTACTS: Bound = Bound {
    wrong: 10,
    seconds: 3_600,
    message: "More than 10 phone numbers or addresses in an hour were not the payee's. Wait a while.",
};

/// The wrong guesses of late.
///
/// Wrong ones are counted after they were looked up, so requests that run side by side may pass the limit by
/// their number. Counting right ones too would stop everybody behind one busy address.
#[derive(Default)]
pub(super) struct Guesses {
    tokens: Counts<IpAddr>,
    /// By link and address: else whoever has the link could keep its payee out.
    contacts: Counts<(String, Option<IpAddr>)>,
}

impl Guesses {
    /// Whether the address may show a token now, right or wrong.
    ///
    /// # Errors
    /// `rate-limited`, with the time to wait.
    pub(super) fn may_try_token(&self, peer: IpAddr, now: Time) -> Result<(), Refusal> {
        self.tokens.may_try(TOKENS, &neighbourhood(peer), now)
    }

    /// Counts a token that was not known.
    pub(super) fn count_token(&self, peer: IpAddr, now: Time) {
        self.tokens.count(TOKENS, neighbourhood(peer), now);
    }

    /// Whether a phone or an address may be named for the link of a token now.
    ///
    /// # Errors
    /// `rate-limited`, with the time to wait.
    pub(super) fn may_try_contact(&self, token: &str, peer: Option<IpAddr>, now: Time) -> Result<(), Refusal> {
        self.contacts.may_try(CONTACTS, &(token.to_owned(), peer.map(neighbourhood)), now)
    }

    /// Counts a phone or an address that was not the payee's.
    pub(super) fn count_contact(&self, token: &str, peer: Option<IpAddr>, now: Time) {
        self.contacts.count(CONTACTS, (token.to_owned(), peer.map(neighbourhood)), now);
    }
}

struct Counts<K> {
    counts: Mutex<HashMap<K, Count>>,
}

impl<K> Default for Counts<K> {
    fn default() -> Self {
        Self { counts: Mutex::default() }
    }
}

#[derive(Clone, Copy)]
struct Count {
    since: Time,
    wrong: u32,
}

impl Count {
    /// Seconds until it is forgotten; none when it is over.
    fn seconds_left(self, bound: Bound, now: Time) -> Option<u32> {
        let left = bound.seconds.saturating_sub(now.seconds_since(self.since));
        u32::try_from(left).ok().filter(|left| *left > 0)
    }
}

impl<K: Eq + Hash> Counts<K> {
    fn may_try(&self, bound: Bound, who: &K, now: Time) -> Result<(), Refusal> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.get(who).filter(|count| count.wrong >= bound.wrong);
        match count.and_then(|count| count.seconds_left(bound, now)) {
            None => Ok(()),
            Some(seconds) => Err(Refusal::new(Code::RateLimited, bound.message).retry_after(seconds)),
        }
    }

    fn count(&self, bound: Bound, who: K, now: Time) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= REMEMBERED_MAX {
            counts.retain(|_, count| count.seconds_left(bound, now).is_some());
        }
        let fresh = Count { since: now, wrong: 0 };
        let count = counts.entry(who).or_insert(fresh);
        if count.seconds_left(bound, now).is_none() {
            *count = fresh;
        }
        count.wrong = count.wrong.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Time = Time::from_micros(1_790_000_000_000_000);

    #[test]
    fn twenty_wrong_tokens_stop_an_address_until_its_minute_is_over() {
        let tokens = Guesses::default();
        let (guesser, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        for second in 0..20 {
            assert_eq!(tokens.may_try_token(guesser, START.plus_seconds(second)), Ok(()));
            tokens.count_token(guesser, START.plus_seconds(second));
        }
        let refusal = tokens.may_try_token(guesser, START.plus_seconds(20)).unwrap_err();
        assert_eq!((refusal.code, refusal.retry_after_seconds), (Code::RateLimited, Some(40)));
        assert_eq!(tokens.may_try_token(other, START.plus_seconds(20)), Ok(()));
        assert_eq!(tokens.may_try_token(guesser, START.plus_seconds(60)), Ok(()));
    }

    #[test]
    fn a_minute_over_begins_a_new_count() {
        let tokens = Guesses::default();
        let guesser = IpAddr::from([192, 0, 2, 1]);
        for second in 0..60 {
            tokens.count_token(guesser, START.plus_seconds(second * 4));
        }
        assert_eq!(tokens.may_try_token(guesser, START.plus_seconds(240)), Ok(()));
    }

    #[test]
    fn ten_wrong_contacts_from_one_address_stop_it_for_the_hour_and_nobody_else() {
        let guesses = Guesses::default();
        let (guesser, other) = (Some(IpAddr::from([192, 0, 2, 1])), Some(IpAddr::from([192, 0, 2, 2])));
        for minute in 0..10 {
            assert_eq!(guesses.may_try_contact("one", guesser, START.plus_seconds(minute * 60)), Ok(()));
            guesses.count_contact("one", guesser, START.plus_seconds(minute * 60));
        }
        let refusal = guesses.may_try_contact("one", guesser, START.plus_seconds(600)).unwrap_err();
        assert_eq!((refusal.code, refusal.retry_after_seconds), (Code::RateLimited, Some(3_000)));
        assert_eq!(guesses.may_try_contact("one", other, START.plus_seconds(600)), Ok(()), "the payee is elsewhere");
        assert_eq!(guesses.may_try_contact("other", guesser, START.plus_seconds(600)), Ok(()));
        assert_eq!(guesses.may_try_contact("one", guesser, START.plus_seconds(3_600)), Ok(()));
    }
}
