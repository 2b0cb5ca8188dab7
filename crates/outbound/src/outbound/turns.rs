//! The calls to one server that are in flight.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Calls to one server at a time. A server that does not answer holds so many, and leaves the others to other servers.
const CALLS_MAX: usize = 32;

#[derive(Debug, Default)]
pub struct Turns(Mutex<HashMap<u128, Arc<Semaphore>>>);

impl Turns {
    /// Returns the right to one call, until it is dropped; `None` while [`CALLS_MAX`] calls to the server are in flight.
    pub fn take(&self, server: u128) -> Option<OwnedSemaphorePermit> {
        let mut servers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let free = servers.entry(server).or_insert_with(|| Arc::new(Semaphore::new(CALLS_MAX)));
        free.clone().try_acquire_owned().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_server_has_its_own_limit() {
        let turns = Turns::default();
        let taken: Vec<_> = (0..CALLS_MAX).filter_map(|_| turns.take(1)).collect();
        assert_eq!(taken.len(), CALLS_MAX);
        assert!(turns.take(1).is_none());
        assert!(turns.take(2).is_some());
        drop(taken);
        assert!(turns.take(1).is_some());
    }
}
