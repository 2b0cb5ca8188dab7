//! A cache of recently read keys, so that the requests of a busy caller need no read.
//!
//! Invariant: a revoked key is refused at once by the process that revoked it, and after [`KEPT`] by every other
//! (docs/decisions.md 2 allows five seconds). Deliberately absent: unknown keys, because strangers could fill the
//! memory with them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::clock::Time;
use crate::ids::{AppId, OrgId};

/// How long a key is valid without another read.
const KEPT: Duration = Duration::from_secs(3);
/// Keys in the cache at most; further keys are read each time.
const KEYS_MAX: usize = 10_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownKey {
    pub org: OrgId,
    /// `None` for a key of the organization.
    pub app: Option<AppId>,
    pub secret_hash: Vec<u8>,
    pub expires_at: Option<Time>,
}

/// A token from before a read. The key is stored only if no key was revoked in between.
#[derive(Clone, Copy, Debug)]
pub struct ReadToken {
    revocations: u64,
    at: Instant,
}

#[derive(Default)]
pub struct KnownKeys {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    revocations: u64,
    keys: HashMap<String, (Instant, Arc<KnownKey>)>,
    used: HashMap<String, (OrgId, Time)>,
}

impl KnownKeys {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn get(&self, client_id: &str) -> Option<Arc<KnownKey>> {
        let known = self.known();
        let (read_at, key) = known.keys.get(client_id)?;
        (read_at.elapsed() < KEPT).then(|| key.clone())
    }

    /// Returns the token for [`KnownKeys::remember`], to be taken before the read.
    pub fn ask(&self) -> ReadToken {
        ReadToken { revocations: self.known().revocations, at: Instant::now() }
    }

    /// Stores a key that was read after `asked`.
    pub fn remember(&self, client_id: &str, key: Arc<KnownKey>, asked: ReadToken) {
        let mut known = self.known();
        // The read may precede a revocation that was already confirmed.
        if known.revocations != asked.revocations {
            return;
        }
        if known.keys.len() >= KEYS_MAX {
            known.keys.retain(|_, (read_at, _)| read_at.elapsed() < KEPT);
        }
        if known.keys.len() < KEYS_MAX {
            known.keys.insert(client_id.to_owned(), (asked.at, key));
        }
    }

    /// Records the use of a key in memory, so that no request waits for it; see [`KnownKeys::take_used`].
    pub fn note_use(&self, client_id: &str, org: OrgId, now: Time) {
        let mut known = self.known();
        if let Some(used) = known.used.get_mut(client_id) {
            used.1 = now;
        } else if known.used.len() < KEYS_MAX {
            known.used.insert(client_id.to_owned(), (org, now));
        }
    }

    /// Returns the keys used since the last call, with their last use.
    pub fn take_used(&self) -> Vec<(OrgId, String, Time)> {
        let used = std::mem::take(&mut self.known().used);
        used.into_iter().map(|(client_id, (org, at))| (org, client_id, at)).collect()
    }

    /// Removes all keys after a revocation. Revocations are rare, so the revoked key is not named.
    pub fn forget_all(&self) {
        let mut known = self.known();
        known.revocations += 1;
        known.keys.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn key() -> Arc<KnownKey> {
        Arc::new(KnownKey { org: OrgId(Uuid::nil()), app: None, secret_hash: vec![1], expires_at: None })
    }

    #[test]
    fn what_was_read_before_a_revocation_is_not_kept() {
        let keys = KnownKeys::default();
        let before = keys.ask();
        keys.forget_all();
        keys.remember("a", key(), before);
        assert_eq!(keys.get("a"), None);
        keys.remember("a", key(), keys.ask());
        assert_eq!(keys.get("a"), Some(key()));
        keys.forget_all();
        assert_eq!(keys.get("a"), None);
    }

    #[test]
    fn a_key_is_believed_for_less_than_five_seconds() {
        let keys = KnownKeys::default();
        let Some(long_ago) = Instant::now().checked_sub(KEPT) else { return };
        keys.remember("a", key(), ReadToken { at: long_ago, ..keys.ask() });
        assert_eq!(keys.get("a"), None);
        assert!(KEPT < Duration::from_secs(5));
    }
}
