//! Rails: the ways by which money leaves and comes in. What a rail is asked, what it may answer,
//! and why money does not arrive.
//!
//! A rail is another's system with a book of its own; it is told of a transfer at most
//! once, under the transfer's id, and a transfer in doubt is looked up, never sent
//! again. Deliberately absent: our ledger, which learns of a rail's word by a command.

pub mod failures;
pub mod sandbox;

use crate::clock::Time;
use crate::ids::{AppId, OrgId, TransferId};
use crate::money::Cents;
use crate::platform::Platform;
use crate::world::record::words;
use failures::FailureCode;

words! {
    /// Which way a rail moves money, as the account at its other end sees it.
    pub enum Direction {
        /// To the account: a payout, a bill that is paid, what an app withdraws.
        Credit = "credit",
        /// Pulled from the account: a payment, what an app deposits.
        Debit = "debit",
    }
}

/// What a rail is asked to do.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The organization.
    pub org: OrgId,
    /// The app.
    pub app: AppId,
    /// The transfer, which is also the rail's reference: a second instruction of it is the same item.
    pub transfer: TransferId,
    /// By which rail.
    pub platform: Platform,
    /// Whether the money goes to the account or is pulled from it.
    pub direction: Direction,
    /// What is to arrive, there or here, in cents.
    pub amount: Cents,
    /// The account at the other end: its number, address, handle or token, in clear. Never logged, never kept.
    pub far_end: FarEnd,
}

/// The account at the other end of a movement, in clear, for the moment in which a rail is told.
#[derive(Clone, Default)]
pub struct FarEnd {
    /// The bank account's number, where there is one.
    pub account_number: Option<String>,
    /// An address, handle, tag or token, where there is one.
    pub handle: Option<String>,
}

impl std::fmt::Debug for FarEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FarEnd(…)")
    }
}

/// What a rail says of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemStatus {
    /// The rail has it and is at work; the outcome is due at this moment.
    Accepted {
        /// When to ask again.
        settles_at: Time,
    },
    /// The money arrived.
    Completed,
    /// The money did not arrive and is back.
    Failed(FailureCode),
    /// The money had arrived and came back later.
    Returned(FailureCode),
    /// The rail has never heard of it.
    Unknown,
}
