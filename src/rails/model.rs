//! The instruction that a rail takes, and the states that it reports.

use super::failures::FailureCode;
use crate::clock::Time;
use crate::ids::{AppId, OrgId, TransferId};
use crate::money::Cents;
use crate::platform::Platform;
use crate::world::record::words;

words! {
    /// The direction in which a rail moves money, from the view of the account at its other end.
    pub enum Direction {
        /// To the account: a payout, a paid bill, an app's withdrawal.
        Credit = "credit",
        /// Pulled from the account: a payment, an app's deposit.
        Debit = "debit",
    }
}

/// An instruction to a rail.
#[derive(Clone, Debug)]
pub struct Instruction {
    pub org: OrgId,
    pub app: AppId,
    /// The transfer, which is also the rail's reference: a second instruction for it is the same item.
    pub transfer: TransferId,
    pub platform: Platform,
    pub direction: Direction,
    /// The amount to arrive, in cents.
    pub amount: Cents,
    /// In clear text. Never logged, never stored.
    pub far_end: FarEnd,
}

/// The account at the other end, in clear text, kept only while a rail is instructed.
#[derive(Clone, Default)]
pub struct FarEnd {
    pub account_number: Option<String>,
    /// An address, handle, tag or token.
    pub handle: Option<String>,
}

impl std::fmt::Debug for FarEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FarEnd(…)")
    }
}

/// The state of an item, as its rail reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemStatus {
    Accepted {
        /// When the outcome is due, and the rail is queried again.
        settles_at: Time,
    },
    /// The money arrived.
    Completed,
    /// The money did not arrive and is back.
    Failed(FailureCode),
    /// The money had arrived and came back later.
    Returned(FailureCode),
    /// The rail has never received it.
    Unknown,
}
