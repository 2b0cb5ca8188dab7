//! How often an address may guess at claim tokens (decisions.md 14). The environment's clock drives it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use super::proxies::neighbourhood;
use crate::clock::Time;
use crate::refusal::{Code, Refusal};

/// Wrong tokens within a minute after which an address must wait.
const WRONG_MAX: u32 = 20;
/// How long a count lasts, from its first wrong token on.
const MINUTE_SECONDS: i64 = 60;
/// Addresses that are remembered before those whose minute is over are forgotten.
const ADDRESSES_MAX: usize = 10_000;

/// The wrong tokens of the last minute, by address.
///
/// Wrong ones are counted after they were looked up, so requests that run side by side may pass the limit by
/// their number. Counting right ones too would stop everybody behind one busy address.
#[derive(Default)]
pub(super) struct WrongTokens {
    counts: Mutex<HashMap<IpAddr, Count>>,
}

#[derive(Clone, Copy)]
struct Count {
    since: Time,
    wrong: u32,
}

impl Count {
    /// Seconds until it is forgotten; none when it is over.
    fn seconds_left(self, now: Time) -> Option<u32> {
        let left = MINUTE_SECONDS.saturating_sub(now.seconds_since(self.since));
        u32::try_from(left).ok().filter(|left| *left > 0)
    }
}

impl WrongTokens {
    /// Whether the address may show a token now, right or wrong.
    ///
    /// # Errors
    /// `rate-limited`, with the time to wait.
    pub(super) fn may_try(&self, peer: IpAddr, now: Time) -> Result<(), Refusal> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.get(&neighbourhood(peer)).filter(|count| count.wrong >= WRONG_MAX);
        match count.and_then(|count| count.seconds_left(now)) {
            None => Ok(()),
            Some(seconds) => {
                let message = format!("More than {WRONG_MAX} links in a minute were not known. Wait a moment.");
                Err(Refusal::new(Code::RateLimited, message).retry_after(seconds))
            }
        }
    }

    /// Counts a token that was not known.
    pub(super) fn count(&self, peer: IpAddr, now: Time) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= ADDRESSES_MAX {
            counts.retain(|_, count| count.seconds_left(now).is_some());
        }
        let fresh = Count { since: now, wrong: 0 };
        let count = counts.entry(neighbourhood(peer)).or_insert(fresh);
        if count.seconds_left(now).is_none() {
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
        let tokens = WrongTokens::default();
        let (guesser, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        for second in 0..20 {
            assert_eq!(tokens.may_try(guesser, START.plus_seconds(second)), Ok(()));
            tokens.count(guesser, START.plus_seconds(second));
        }
        let refusal = tokens.may_try(guesser, START.plus_seconds(20)).unwrap_err();
        assert_eq!((refusal.code, refusal.retry_after_seconds), (Code::RateLimited, Some(40)));
        assert_eq!(tokens.may_try(other, START.plus_seconds(20)), Ok(()));
        assert_eq!(tokens.may_try(guesser, START.plus_seconds(60)), Ok(()));
    }

    #[test]
    fn a_minute_over_begins_a_new_count() {
        let tokens = WrongTokens::default();
        let guesser = IpAddr::from([192, 0, 2, 1]);
        for second in 0..60 {
            tokens.count(guesser, START.plus_seconds(second * 4));
        }
        assert_eq!(tokens.may_try(guesser, START.plus_seconds(240)), Ok(()));
    }
}
