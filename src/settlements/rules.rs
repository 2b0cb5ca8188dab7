//! What a rail's word means for a transfer. Pure.

use crate::clock::Time;
use crate::rails::ItemStatus;
use crate::rails::failures::FailureCode;
use crate::transfers::TransferStatus;

/// What is to be done about what a rail said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is known already.
    Old,
    /// The rail has not decided. To be asked again then.
    Wait(Time),
    /// What it says does not fit what we know. To be asked again, and looked into if that goes on.
    Odd,
    /// The money arrived.
    Arrived,
    /// It did not.
    Failed(FailureCode),
    /// It had arrived and came back.
    CameBack(FailureCode),
    /// Two facts at once, because nobody asked in between: it arrived, and it came back.
    ArrivedAndCameBack(FailureCode),
}

/// What a rail's word means for a transfer that stands so.
pub(super) const fn outcome(status: TransferStatus, item_status: ItemStatus) -> Outcome {
    use TransferStatus::{Canceled, Completed, Created, Failed, Flagged, Pending, Reversed};
    match (status, item_status) {
        (Created | Flagged | Pending, ItemStatus::Accepted { settles_at }) => Outcome::Wait(settles_at),
        (Created | Flagged, ItemStatus::Completed | ItemStatus::Failed(_) | ItemStatus::Returned(_) | ItemStatus::Unknown)
        | (Pending, ItemStatus::Unknown)
        // One of the two books is wrong, and money is missing or too much.
        | (Completed | Reversed, ItemStatus::Failed(_))
        | (Failed, ItemStatus::Completed | ItemStatus::Returned(_))
        | (Canceled, ItemStatus::Completed | ItemStatus::Failed(_) | ItemStatus::Returned(_)) => Outcome::Odd,
        (Pending, ItemStatus::Completed) => Outcome::Arrived,
        (Pending, ItemStatus::Failed(code)) => Outcome::Failed(code),
        (Pending, ItemStatus::Returned(code)) => Outcome::ArrivedAndCameBack(code),
        (Completed, ItemStatus::Returned(code)) => Outcome::CameBack(code),
        // An earlier word, told again.
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
