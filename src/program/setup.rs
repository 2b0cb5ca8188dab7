//! The setup token of a server that has no organization yet.

use std::sync::{Mutex, PoisonError};

use subtle::ConstantTimeEq as _;

use crate::clock::Time;

#[derive(Clone, Debug)]
pub struct Setup {
    pub hash: [u8; 32],
    pub expires_at: Time,
}

/// The tokens that were printed and not used.
#[derive(Debug, Default)]
pub struct SetupToken(Mutex<Vec<Setup>>);

impl SetupToken {
    /// Adds a valid token.
    pub fn open(&self, setup: Setup) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(setup);
    }

    /// Whether a valid token has this hash.
    pub fn is_open(&self, hash: &[u8; 32], now: Time) -> bool {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().any(|setup| now < setup.expires_at && setup.hash.ct_eq(hash).into())
    }

    /// Removes and returns the token with this hash, if it is valid.
    pub fn take(&self, hash: &[u8; 32], now: Time) -> Option<Setup> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|setup| now < setup.expires_at && setup.hash.ct_eq(hash).into())?;
        Some(kept.remove(at))
    }
}
