//! How a batch moves from state to state (docs/states.md), and what must go together in it.

use super::model::{BatchRow, BatchStatus, PayoutLinkBatch, RowStatus};
use crate::payout_links::PayoutLink;
use crate::world::states::{self, TransitionRow};

/// What can happen to a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchEvent {
    /// A worker takes it up.
    Begun,
    /// Its last row is done, and all have their link.
    AllSucceeded,
    /// Its last row is done, and some have none.
    SomeFailed,
}

impl BatchEvent {
    /// All, for the tests and docs/states.md.
    pub const ALL: [Self; 3] = [Self::Begun, Self::AllSucceeded, Self::SomeFailed];
}

/// The next state; `None` where nothing is left to do. A batch is taken up as often as it was enqueued, and again
/// after a crash; whoever comes when it is done finds nothing to do.
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

/// What has happened to a batch by its counts, once its last row is done.
pub fn ended(batch: &PayoutLinkBatch) -> Option<BatchEvent> {
    if batch.succeeded.saturating_add(batch.failed) < batch.total {
        return None;
    }
    Some(if batch.failed == 0 { BatchEvent::AllSucceeded } else { BatchEvent::SomeFailed })
}

/// Every move from state to state, for docs/states.md: from, what happens, to.
pub fn transitions() -> Vec<TransitionRow> {
    states::transitions(&BatchEvent::ALL, transition)
}

/// What the rows of a batch add up to, and whether two of them have the same link.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    rows: i64,
    succeeded: i64,
    failed: i64,
    links: std::collections::HashSet<crate::ids::PayoutLinkId>,
}

impl Tally {
    /// Takes in a row with its link; gives what cannot be true of it (invariant 11), `None` when all is well.
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

    /// What cannot be true of the batch and its rows together.
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
