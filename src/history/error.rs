//! The reasons why a history cannot be opened.

use crate::refusal::Refusal;
use crate::store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Refused(String),
    /// The history was begun under another key.
    #[error("the history of this store was created with another key")]
    ForeignKey,
}

impl From<Refusal> for HistoryError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal.message)
    }
}
