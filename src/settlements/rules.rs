//! The meaning of a rail's status for a transfer. Pure.

use crate::clock::Time;
use crate::rails::ItemStatus;
use crate::rails::failures::FailureCode;
use crate::transfers::TransferStatus;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was recorded before.
    Old,
    /// The rail has no outcome yet; query it again at this time.
    Wait(Time),
    /// The status contradicts the transfer; query again and report an anomaly if it continues.
    Odd,
    Arrived,
    Failed(FailureCode),
    /// The money arrived before and was returned.
    CameBack(FailureCode),
    /// Two facts since the last query: it arrived and was returned.
    ArrivedAndCameBack(FailureCode),
}

/// Returns the meaning of a rail's status for a transfer in this state.
pub(super) const fn outcome(status: TransferStatus, item_status: ItemStatus) -> Outcome {
    use TransferStatus::{Canceled, Completed, Created, Failed, Flagged, Pending, Reversed};
    match (status, item_status) {
        (Created | Flagged | Pending, ItemStatus::Accepted { settles_at }) => Outcome::Wait(settles_at),
        (Created | Flagged, ItemStatus::Completed | ItemStatus::Failed(_) | ItemStatus::Returned(_) | ItemStatus::Unknown)
        | (Pending, ItemStatus::Unknown)
        // The rail and the ledger disagree, so an amount is missing or surplus.
        | (Completed | Reversed, ItemStatus::Failed(_))
        | (Failed, ItemStatus::Completed | ItemStatus::Returned(_))
        | (Canceled, ItemStatus::Completed | ItemStatus::Failed(_) | ItemStatus::Returned(_)) => Outcome::Odd,
        (Pending, ItemStatus::Completed) => Outcome::Arrived,
        (Pending, ItemStatus::Failed(code)) => Outcome::Failed(code),
        (Pending, ItemStatus::Returned(code)) => Outcome::ArrivedAndCameBack(code),
        (Completed, ItemStatus::Returned(code)) => Outcome::CameBack(code),
        // An earlier status, repeated.
        (Completed, ItemStatus::Accepted { .. } | ItemStatus::Completed | ItemStatus::Unknown)
        | (Reversed, ItemStatus::Accepted { .. } | ItemStatus::Completed | ItemStatus::Returned(_) | ItemStatus::Unknown)
        | (Failed, ItemStatus::Accepted { .. } | ItemStatus::Failed(_) | ItemStatus::Unknown)
        | (Canceled, ItemStatus::Accepted { .. } | ItemStatus::Unknown) => Outcome::Old,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_state_and_word() {
        let at = Time::from_micros(7);
        let code = FailureCode::AccountClosed;
        let words = [
            ItemStatus::Accepted { settles_at: at },
            ItemStatus::Completed,
            ItemStatus::Failed(code),
            ItemStatus::Returned(code),
            ItemStatus::Unknown,
        ];
        let (wait, odd, old) = (Outcome::Wait(at), Outcome::Odd, Outcome::Old);
        for status in TransferStatus::ALL {
            let expected = match status {
                TransferStatus::Created | TransferStatus::Flagged => [wait, odd, odd, odd, odd],
                TransferStatus::Pending => {
                    [wait, Outcome::Arrived, Outcome::Failed(code), Outcome::ArrivedAndCameBack(code), odd]
                }
                TransferStatus::Completed => [old, old, odd, Outcome::CameBack(code), old],
                TransferStatus::Reversed => [old, old, odd, old, old],
                TransferStatus::Failed => [old, odd, old, odd, old],
                TransferStatus::Canceled => [old, odd, odd, odd, old],
            };
            assert_eq!(words.map(|word| outcome(*status, word)), expected, "{status}");
        }
    }
}
