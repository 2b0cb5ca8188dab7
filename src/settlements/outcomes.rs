//! Applies a fact about the money of a transfer to its noun.

use std::sync::Arc;

use crate::funding;
use crate::ledger::Account;
use crate::payables;
use crate::payments;
use crate::payout_links;
use crate::payouts;
use crate::rails::failures::FailureCode;
use crate::refusal::{Code, Refusal};
use crate::transfers::{Transfer, TransferKind};
use crate::world::{Halt, World};

#[derive(Clone, Copy)]
pub(super) enum Fact {
    Arrived,
    Failed(FailureCode),
    CameBack(FailureCode),
}

/// Applies a fact to the noun of the transfer's kind. A new noun adds its line here. `outside` is the ledger account that
/// represents the money outside: [`Account::External`], or what a bank of the organization has not booked.
pub(super) fn bring(world: &mut World, transfer: &Arc<Transfer>, fact: Fact, outside: Account) -> Result<(), Halt> {
    match (transfer.kind, fact) {
        (TransferKind::Payout, Fact::Arrived) => payouts::complete(world, transfer, outside).map(|_| ()),
        (TransferKind::Payout, Fact::Failed(code)) => payouts::fail(world, transfer, code),
        (TransferKind::Payout, Fact::CameBack(code)) => payouts::take_back(world, transfer, code, outside),
        (TransferKind::Refill, Fact::Arrived) => {
            let transfer = funding::complete(world, transfer, outside)?;
            payout_links::funded(world, &transfer)
        }
        (TransferKind::Refill, Fact::Failed(code)) => {
            let transfer = funding::fail(world, transfer, code)?;
            payout_links::not_funded(world, &transfer, code)
        }
        (TransferKind::Refill, Fact::CameBack(code)) => funding::take_back(world, transfer, code, outside).map(|_| ()),
        (TransferKind::Payment, Fact::Arrived) => payments::complete(world, transfer, outside).map(|_| ()),
        (TransferKind::Payment, Fact::Failed(code)) => payments::fail(world, transfer, code).map(|_| ()),
        (TransferKind::Payment, Fact::CameBack(code)) => {
            payments::take_back(world, transfer, code, outside).map(|_| ())
        }
        (TransferKind::Payable, Fact::Arrived) => payables::complete(world, transfer, outside),
        (TransferKind::Payable, Fact::Failed(code)) => payables::fail(world, transfer, code),
        (TransferKind::Payable, Fact::CameBack(code)) => payables::take_back(world, transfer, code, outside),
        (TransferKind::Balance | TransferKind::Settlement, _) => {
            let message = format!("A transfer of type {} has no rail.", transfer.kind);
            Err(Refusal::new(Code::InternalError, message).into())
        }
    }
}
