//! Limits failed sign-ins of members, and concurrent password hashes.
//!
//! Invariants: a wrong password slows down its own account from its own address, and never locks the account's owner
//! out elsewhere; an attempt counts from its start, so concurrent requests do not exceed a limit; memory and CPU for
//! hashing are limited. The environment's clock drives the waits. Each process has its own counts in memory; a restart
//! clears them.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::sync::Semaphore;

use crate::clock::Time;
use crate::refusal::{Code, Refusal};

/// A keyed hash of the organization and the e-mail address of an attempt, which may not exist.
pub type Account = [u8; 32];

/// Each hash takes about 20 MiB and tens of milliseconds of a core.
const HASHES_MAX: usize = 2;
const WAITING_MAX: usize = 32;
/// Above this number of counts, expired ones are removed.
const REMEMBERED_MAX: usize = 10_000;

#[derive(Clone, Copy)]
struct Bound {
    /// Wrong attempts without a wait.
    free: u32,
    /// Seconds without a wrong attempt after which the count expires; also the longest wait.
    window: i64,
}

const OF_ACCOUNT: Bound = Bound { free: 5, window: 900 };
const OF_ADDRESS: Bound = Bound { free: 20, window: 900 };
/// From all networks together. Above it, only networks from which the member signed in before may try.
const FROM_EVERYWHERE: Bound = Bound { free: 100, window: 3_600 };

pub struct SignIns {
    accounts: Counts<(Account, Option<IpAddr>)>,
    addresses: Counts<IpAddr>,
    everywhere: Counts<Account>,
    hashing: Semaphore,
    waiting: AtomicUsize,
}

impl Default for SignIns {
    fn default() -> Self {
        Self {
            accounts: Counts::default(),
            addresses: Counts::default(),
            everywhere: Counts::default(),
            hashing: Semaphore::new(HASHES_MAX),
            waiting: AtomicUsize::new(0),
        }
    }
}

impl SignIns {
    /// Begins an attempt, which counts as a wrong one until [`SignIns::right`] is called.
    ///
    /// # Errors
    ///
    /// `rate-limited`, with the time to wait.
    pub fn begin(&self, account: Account, address: Option<IpAddr>, now: Time) -> Result<(), Refusal> {
        let address = address.map(network);
        if let Some(address) = address {
            self.addresses.begin(OF_ADDRESS, address, now)?;
        }
        self.accounts.begin(OF_ACCOUNT, (account, address), now)?;
        self.everywhere.count(FROM_EVERYWHERE, account, now);
        Ok(())
    }

    /// Checks an attempt from a network from which the member never signed in.
    ///
    /// # Errors
    ///
    /// `rate-limited` after many wrong attempts from all networks.
    pub fn may_from_elsewhere(&self, account: Account, now: Time) -> Result<(), Refusal> {
        self.everywhere.wait(FROM_EVERYWHERE, &account, now)
    }

    /// Clears the count of a right attempt, and of the wrong ones before it from this address.
    pub fn right(&self, account: Account, address: Option<IpAddr>) {
        let address = address.map(network);
        self.accounts.forget(&(account, address));
        self.everywhere.take_back(&account);
        if let Some(address) = address {
            self.addresses.take_back(&address);
        }
    }

    /// Removes an attempt that was neither right nor wrong; earlier ones still count.
    pub fn take_back(&self, account: Account, address: Option<IpAddr>) {
        let address = address.map(network);
        self.accounts.take_back(&(account, address));
        self.everywhere.take_back(&account);
        if let Some(address) = address {
            self.addresses.take_back(&address);
        }
    }

    /// Runs a hash outside of the async threads, a few at a time.
    ///
    /// # Errors
    ///
    /// `service-unavailable` if too many wait.
    pub async fn hash<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
        let _waiting = Waiting::new(&self.waiting)?;
        let bug = || Refusal::new(Code::InternalError, "A bug stopped this request.");
        let _permit = self.hashing.acquire().await.map_err(|_| bug())?;
        tokio::task::spawn_blocking(work).await.map_err(|_| bug())
    }
}

/// A place in the queue, released when the request ends in any way.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(waiting: &'a AtomicUsize) -> Result<Self, Refusal> {
        let place = Self(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) >= WAITING_MAX + HASHES_MAX {
            let message = "The server is checking too many passwords. Try again in a few seconds.";
            return Err(Refusal::new(Code::ServiceUnavailable, message).retry_after(1));
        }
        Ok(place)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns the network of an address: one person has all addresses of an IPv6 network of 64 bits.
pub fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
    }
}

#[derive(Clone, Copy)]
struct Count {
    wrong: u32,
    last: Time,
}

impl Count {
    fn is_over(self, bound: Bound, now: Time) -> bool {
        now.seconds_since(self.last) >= bound.window
    }

    /// Returns the seconds to wait, which double with each wrong attempt after the free ones.
    fn wait(self, bound: Bound, now: Time) -> Option<u32> {
        let beyond = self.wrong.checked_sub(bound.free)?;
        let delay = 1_i64.checked_shl(beyond.min(20)).unwrap_or(bound.window).min(bound.window);
        let left = delay.saturating_sub(now.seconds_since(self.last));
        u32::try_from(left).ok().filter(|left| *left > 0)
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

impl<K: Eq + Hash> Counts<K> {
    fn begin(&self, bound: Bound, who: K, now: Time) -> Result<(), Refusal> {
        self.wait(bound, &who, now)?;
        self.count(bound, who, now);
        Ok(())
    }

    fn wait(&self, bound: Bound, who: &K, now: Time) -> Result<(), Refusal> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.get(who).filter(|count| !count.is_over(bound, now));
        match count.and_then(|count| count.wait(bound, now)) {
            None => Ok(()),
            Some(seconds) => {
                let message = format!("Too many wrong attempts. Wait {seconds} seconds, then try again.");
                Err(Refusal::new(Code::RateLimited, message).retry_after(seconds))
            }
        }
    }

    fn count(&self, bound: Bound, who: K, now: Time) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= REMEMBERED_MAX {
            counts.retain(|_, count| !count.is_over(bound, now));
        }
        let fresh = Count { wrong: 0, last: now };
        let count = counts.entry(who).or_insert(fresh);
        if count.is_over(bound, now) {
            *count = fresh;
        }
        *count = Count { wrong: count.wrong.saturating_add(1), last: now };
    }

    fn forget(&self, who: &K) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).remove(who);
    }

    fn take_back(&self, who: &K) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(who) {
            count.wrong = count.wrong.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Time = Time::from_micros(1_790_000_000_000_000);
    const ADA: Account = [1; 32];

    fn from(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([192, 0, 2, last]))
    }

    #[test]
    fn wrong_passwords_slow_down_their_account_from_their_address_alone() {
        let sign_ins = SignIns::default();
        for _ in 0..5 {
            sign_ins.begin(ADA, from(1), START).unwrap();
        }
        let waits = |at: i64| sign_ins.begin(ADA, from(1), START.plus_seconds(at)).unwrap_err().retry_after_seconds;
        assert_eq!(waits(0), Some(1));
        sign_ins.begin(ADA, from(1), START.plus_seconds(1)).unwrap();
        assert_eq!(waits(1), Some(2), "each wrong attempt doubles the wait");
        sign_ins.begin(ADA, from(2), START.plus_seconds(1)).expect("the owner signs in from elsewhere");
        sign_ins.begin(ADA, from(1), START.plus_seconds(901)).expect("the count is forgotten");
    }

    #[test]
    fn an_address_has_twenty_attempts_for_all_accounts() {
        let sign_ins = SignIns::default();
        let tried = (0..1_000_u32).filter(|n| {
            let mut account = [0; 32];
            account[..4].copy_from_slice(&n.to_be_bytes());
            sign_ins.begin(account, from(1), START).is_ok()
        });
        assert_eq!(tried.count(), 20);
    }

    #[test]
    fn a_right_password_takes_its_attempt_back() {
        let sign_ins = SignIns::default();
        for _ in 0..1_000 {
            sign_ins.begin(ADA, from(1), START).unwrap();
            sign_ins.right(ADA, from(1));
        }
        sign_ins.may_from_elsewhere(ADA, START).unwrap();
    }

    #[test]
    fn a_hundred_wrong_ones_from_everywhere_leave_the_known_networks() {
        let sign_ins = SignIns::default();
        for n in 0..100 {
            sign_ins.begin(ADA, from(n), START).unwrap();
        }
        assert_eq!(sign_ins.may_from_elsewhere(ADA, START).unwrap_err().code, Code::RateLimited);
        sign_ins.begin(ADA, from(200), START).expect("an address of its own is not slowed down");
    }

    #[tokio::test]
    async fn more_than_thirty_four_passwords_at_once_are_refused() {
        let sign_ins = SignIns::default();
        let places: Vec<_> = (0..WAITING_MAX + HASHES_MAX).map(|_| Waiting::new(&sign_ins.waiting).unwrap()).collect();
        let refusal = sign_ins.hash(|| ()).await.unwrap_err();
        assert_eq!((refusal.code, refusal.retry_after_seconds), (Code::ServiceUnavailable, Some(1)));
        drop(places);
        sign_ins.hash(|| ()).await.unwrap();
    }
}
