//! The state transitions of a batch (docs/states.md), and the checks of its sums.

use super::model::{BatchRow, BatchStatus, PayoutLinkBatch, RowStatus};
use crate::payout_links::PayoutLink;
use crate::world::states::{self, TransitionRow};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchEvent {
    Begun,
    /// The last row was processed, and every row has its link.
    AllSucceeded,
    /// The last row was processed, and some rows failed.
    SomeFailed,
}

impl BatchEvent {
    pub const ALL: [Self; 3] = [Self::Begun, Self::AllSucceeded, Self::SomeFailed];
}

/// Returns the next state; `None` if nothing is left to do. A batch begins once for each time it was enqueued, and
/// again after a crash; after its end there is nothing to do.
pub const fn transition(status: BatchStatus, event: BatchEvent) -> Option<BatchStatus> {
    use BatchStatus::{Completed, CompletedWithErrors, Processing, Submitted};
    match (status, event) {
        (Submitted, BatchEvent::Begun) => Some(Processing),
        (Submitted | Processing, BatchEvent::AllSucceeded) => Some(Completed),
        (Submitted | Processing, BatchEvent::SomeFailed) => Some(CompletedWithErrors),
        (Processing, BatchEvent::Begun)
        | (Completed | CompletedWithErrors, BatchEvent::Begun | BatchEvent::AllSucceeded | BatchEvent::SomeFailed) => {
            None
        }
    }
}

/// Returns the final event of a batch by its counts, once the last row is processed.
pub fn ended(batch: &PayoutLinkBatch) -> Option<BatchEvent> {
    if batch.succeeded.saturating_add(batch.failed) < batch.total {
        return None;
    }
    Some(if batch.failed == 0 { BatchEvent::AllSucceeded } else { BatchEvent::SomeFailed })
}

/// Returns every transition for docs/states.md: from, event, to.
pub fn transitions() -> Vec<TransitionRow> {
    states::transitions(&BatchEvent::ALL, transition)
}

/// The sums of a batch's rows, and whether two of them have the same link.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    rows: i64,
    succeeded: i64,
    failed: i64,
    links: std::collections::HashSet<crate::ids::PayoutLinkId>,
}

impl Tally {
    /// Adds a row with its link; returns a violation of invariant 11, if there is one.
    pub fn row(&mut self, row: &BatchRow, link: Option<&PayoutLink>) -> Option<&'static str> {
        self.rows += 1;
        match (row.status, row.payout_link) {
            (RowStatus::Waiting, None) => None,
            (RowStatus::Failed, None) => {
                self.failed += 1;
                row.error_code.is_none().then_some("failed without a reason")
            }
            (RowStatus::Succeeded, Some(id)) => {
                self.succeeded += 1;
                match link {
                    None => Some("its link is missing"),
                    Some(link) if link.amount != row.asked.0.amount_cents => Some("its link has another amount"),
                    Some(_) if !self.links.insert(id) => Some("another row of the batch has the same link"),
                    Some(_) => None,
                }
            }
            (RowStatus::Succeeded, None) => Some("succeeded without a link"),
            (RowStatus::Waiting | RowStatus::Failed, Some(_)) => Some("has a link but did not succeed"),
        }
    }

    /// Returns a contradiction between the batch and its rows, if there is one.
    pub fn contradiction(&self, batch: &PayoutLinkBatch) -> Option<&'static str> {
        if self.rows != batch.total {
            return Some("its number of rows differs from the submitted number");
        }
        if (self.succeeded, self.failed) != (batch.succeeded, batch.failed) {
            return Some("its row counts are wrong");
        }
        let right = match (batch.status, ended(batch)) {
            (BatchStatus::Submitted, _) => self.succeeded + self.failed == 0,
            (BatchStatus::Processing, _) => true,
            (BatchStatus::Completed, end) => end == Some(BatchEvent::AllSucceeded),
            (BatchStatus::CompletedWithErrors, end) => end == Some(BatchEvent::SomeFailed),
        };
        (!right).then_some("its status contradicts its rows")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_state_and_event() {
        use BatchStatus::{Completed, CompletedWithErrors, Processing, Submitted};
        let expected = [
            (Submitted, [Some(Processing), Some(Completed), Some(CompletedWithErrors)]),
            (Processing, [None, Some(Completed), Some(CompletedWithErrors)]),
            (Completed, [None; 3]),
            (CompletedWithErrors, [None; 3]),
        ];
        assert_eq!(expected.map(|(status, _)| status), BatchStatus::ALL);
        for (status, states) in expected {
            assert_eq!(BatchEvent::ALL.map(|event| transition(status, event)), states, "{status}");
        }
    }
}
