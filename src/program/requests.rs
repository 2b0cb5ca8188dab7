//! The newest requests of the API, in the memory of a sandbox's process, for developers.
//!
//! Invariants: at most [`KEPT_MAX`] requests; the order of their ids is the order in which they were answered; no
//! request has a claim token, a body or a query string.
//!
//! Deliberately absent: requests of production, and those that another process on the same database answered.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use uuid::{Builder, Uuid};

use crate::clock::Time;
use crate::ids::{AppId, OrgId};

/// An hour of a developer's work, in less than a megabyte.
const KEPT_MAX: usize = 1_000;

/// A request that was answered.
#[derive(Clone, Debug)]
pub struct SeenRequest {
    pub id: Uuid,
    /// When it was answered.
    pub answered_at: Time,
    pub method: String,
    /// The path, with placeholders in place of tokens.
    pub path: String,
    /// `None` for a path or method that does not exist.
    pub operation: Option<&'static str>,
    pub status: u16,
    /// The code and message of a refusal.
    pub error: Option<(String, String)>,
    pub request_id: String,
    /// The client id that was sent, also if it was refused.
    pub client_id: Option<String>,
    /// The organization of the key or the claim; of a refused key the one that it names.
    pub org: Option<OrgId>,
    pub app: Option<AppId>,
    pub took: Duration,
}

#[derive(Debug, Default)]
pub struct SeenRequests {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    count: u64,
    newest_millis: u64,
    requests: VecDeque<Arc<SeenRequest>>,
}

impl SeenRequests {
    /// Adds a request, with an id of its own.
    pub fn add(&self, mut request: SeenRequest) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.count += 1;
        kept.newest_millis = kept.newest_millis.max(request.answered_at.micros().unsigned_abs() / 1_000);
        request.id = id(kept.newest_millis, kept.count);
        if kept.requests.len() == KEPT_MAX {
            kept.requests.pop_front();
        }
        kept.requests.push_back(Arc::new(request));
    }

    /// Returns the requests that `is_asked_for` selects, newest first.
    pub fn newest(&self, is_asked_for: impl Fn(&SeenRequest) -> bool) -> Vec<Arc<SeenRequest>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.requests.iter().rev().filter(|request| is_asked_for(request)).cloned().collect()
    }
}

/// Returns a UUID of version 7. Ids of later requests are greater, also those of one millisecond.
fn id(millis: u64, count: u64) -> Uuid {
    let mut bytes = [0; 10];
    // The version and the variant replace the upper bits of bytes 0 and 2.
    bytes[3..].copy_from_slice(&count.to_be_bytes()[1..]);
    Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(micros: i64) -> SeenRequest {
        SeenRequest {
            id: Uuid::nil(),
            answered_at: Time::from_micros(micros),
            method: "GET".into(),
            path: "/v2/apps".into(),
            operation: None,
            status: 200,
            error: None,
            request_id: micros.to_string(),
            client_id: None,
            org: None,
            app: None,
            took: Duration::ZERO,
        }
    }

    #[test]
    fn the_newest_requests_are_kept_and_their_ids_grow() {
        let seen = SeenRequests::default();
        for number in 0..1_500 {
            // Two threads may add requests in another order than that of their times.
            seen.add(request(1_790_000_000_000_000 + if number % 2 == 0 { number } else { -number }));
        }
        let kept = seen.newest(|_| true);
        assert_eq!(kept.len(), KEPT_MAX);
        assert_eq!(kept[0].answered_at.micros(), 1_790_000_000_000_000 - 1_499);
        assert!(kept.is_sorted_by(|newer, older| newer.id > older.id));
        assert_eq!(kept[0].id.get_version_num(), 7);
        assert_eq!(seen.newest(|request| request.request_id == "1790000000001498").len(), 1);
    }
}
