//! Rails: the ways by which money leaves. What a rail is asked, what it may answer,
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
use failures::FailureCode;

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
    /// What is to arrive, in cents.
    pub amount: Cents,
    /// Where: the account number, address, handle or token, in clear. Never logged, never kept.
    pub destination: Destination,
}

/// Where money goes, in clear, for the moment in which a rail is told.
#[derive(Clone, Default)]
pub struct Destination {
    /// The bank account's number, where there is one.
    pub account_number: Option<String>,
    /// An address, handle, tag or token, where there is one.
    pub handle: Option<String>,
}

impl std::fmt::Debug for Destination {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Destination(…)")
    }
}

/// What a rail says of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
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
