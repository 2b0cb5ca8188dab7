//! What a rail's word means for a transfer. Pure.

use crate::clock::Time;
use crate::rails::Standing;
use crate::rails::failures::FailureCode;
use crate::transfers::TransferStatus;

/// What is to be done about what a rail said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
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
pub(super) const fn news(status: TransferStatus, standing: Standing) -> News {
    use TransferStatus::{Canceled, Completed, Created, Failed, Flagged, Pending, Reversed};
    match (status, standing) {
        (Created | Flagged | Pending, Standing::Accepted { settles_at }) => News::Wait(settles_at),
        (Created | Flagged, Standing::Completed | Standing::Failed(_) | Standing::Returned(_) | Standing::Unknown)
        | (Pending, Standing::Unknown)
        // One of the two books is wrong, and money is missing or too much.
        | (Completed | Reversed, Standing::Failed(_))
        | (Failed, Standing::Completed | Standing::Returned(_))
        | (Canceled, Standing::Completed | Standing::Failed(_) | Standing::Returned(_)) => News::Odd,
        (Pending, Standing::Completed) => News::Arrived,
        (Pending, Standing::Failed(code)) => News::Failed(code),
        (Pending, Standing::Returned(code)) => News::ArrivedAndCameBack(code),
        (Completed, Standing::Returned(code)) => News::CameBack(code),
        // An earlier word, told again.
        (Completed, Standing::Accepted { .. } | Standing::Completed | Standing::Unknown)
        | (Reversed, Standing::Accepted { .. } | Standing::Completed | Standing::Returned(_) | Standing::Unknown)
        | (Failed, Standing::Accepted { .. } | Standing::Failed(_) | Standing::Unknown)
        | (Canceled, Standing::Accepted { .. } | Standing::Unknown) => News::Old,
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
            Standing::Accepted { settles_at: at },
            Standing::Completed,
            Standing::Failed(code),
            Standing::Returned(code),
            Standing::Unknown,
        ];
        let (wait, odd, old) = (News::Wait(at), News::Odd, News::Old);
        for status in TransferStatus::ALL {
            let expected = match status {
                TransferStatus::Created | TransferStatus::Flagged => [wait, odd, odd, odd, odd],
                TransferStatus::Pending => {
                    [wait, News::Arrived, News::Failed(code), News::ArrivedAndCameBack(code), odd]
                }
                TransferStatus::Completed => [old, old, odd, News::CameBack(code), old],
                TransferStatus::Reversed => [old, old, odd, old, old],
                TransferStatus::Failed => [old, odd, old, odd, old],
                TransferStatus::Canceled => [old, odd, odd, odd, old],
            };
            assert_eq!(words.map(|word| news(*status, word)), expected, "{status}");
        }
    }
}
