//! Access tokens of external servers, kept in memory until shortly before they expire.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ring::digest::{SHA256, digest};
use secrecy::SecretString;

/// A token is fetched again this long before its end.
const SPARE: Duration = Duration::from_secs(60);
/// A token is kept this long at most, also if its server promises more.
const KEPT_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// Names a token without containing its credentials.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenKey(Vec<u8>);

impl TokenKey {
    /// The address and the credentials, so that replaced credentials get a token of their own.
    pub fn of(parts: &[&str]) -> Self {
        Self(digest(&SHA256, parts.join("\0").as_bytes()).as_ref().to_vec())
    }
}

#[derive(Debug, Default)]
pub struct Tokens(Mutex<HashMap<TokenKey, (SecretString, Instant)>>);

impl Tokens {
    pub fn get(&self, key: &TokenKey) -> Option<SecretString> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(key).filter(|(_, until)| Instant::now() < *until).map(|(token, _)| token.clone())
    }

    pub fn keep(&self, key: TokenKey, token: SecretString, valid_seconds: u64) {
        let valid = Duration::from_secs(valid_seconds).min(KEPT_MAX).saturating_sub(SPARE);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, (token, Instant::now() + valid));
    }

    /// Forgets a token that the server refused.
    pub fn forget(&self, key: &TokenKey) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_kept_until_shortly_before_its_end_and_no_length_is_too_long() {
        for (valid_seconds, is_kept) in [(0, false), (60, false), (3_600, true), (u64::MAX, true)] {
            let (tokens, key) = (Tokens::default(), TokenKey::of(&["https://example.com", "secret"]));
            tokens.keep(key.clone(), SecretString::from("token"), valid_seconds);
            assert_eq!(tokens.get(&key).is_some(), is_kept, "{valid_seconds}");
        }
    }
}
