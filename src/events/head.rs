//! The signed head of a log.

use serde::Serialize;
use utoipa::ToSchema;

use crate::chain::{Head, HistoryKeys, hex};
use crate::clock::Time;

/// A signed position in a log, with the hash of everything up to it. Kept elsewhere, it proves later that the history
/// up to it was not rewritten or truncated.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct HeadJson {
    /// The position of the newest event.
    pub sequence: i64,
    /// The hash at that position, in hex.
    pub hash: String,
    /// When that event was emitted.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The Ed25519 public key of this service's history, in Base64.
    pub public_key: String,
    /// One line with the head and its Ed25519 signature over everything before the last space. Keep it: `bursar verify
    /// --anchor FILE` rejects a history that does not contain it.
    pub anchor: String,
}

impl HeadJson {
    pub fn of(keys: &HistoryKeys, head: &Head) -> Self {
        let Head { sequence, hash, at, .. } = head;
        let (public_key, anchor) = (keys.public_key(), keys.anchor(head));
        Self { sequence: *sequence, hash: hex(hash), created: *at, public_key, anchor }
    }
}
