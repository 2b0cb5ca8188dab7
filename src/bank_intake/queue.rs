//! What members do with a line of a statement that is in suspense. Where its money reaches a wallet or a file, another
//! member approves it.

use std::sync::Arc;

use super::model::{BankItem, BookedAs};
use super::rows::{record, refused};
use super::rules::{self, ItemEvent};
use crate::apps;
use crate::bank_files::{self, Line};
use crate::banking::is_second_person;
use crate::events::acts::ActKind;
use crate::ids::{AppId, BankFileId, MemberId, TransferId};
use crate::money::Cents;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// The most that one member books as costs.
const WRITE_OFF_MAX: Cents = Cents::new(10_000);

/// The owner of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assignee {
    App(AppId),
    Organization,
    /// The debit of a file.
    File(BankFileId),
    /// The credit of a returned payment.
    Return(TransferId),
}

fn line_of(item: &BankItem) -> Result<Line, Halt> {
    let account = item.suspense.ok_or_else(|| refused("The line is not in suspense."))?;
    Ok(Line { org: item.org, id: item.id, account, amount: item.amount })
}

/// Proposes an owner, which another member approves.
pub(super) fn assign(
    world: &mut World,
    item: &Arc<BankItem>,
    by: MemberId,
    to: Assignee,
    evidence: &str,
) -> Result<Arc<BankItem>, Halt> {
    if !item.is_line() {
        return Err(refused("Only a line of a statement is assigned. Match a return with a payout."));
    }
    let status = rules::apply_to_item(item.status, ItemEvent::Matched)?;
    let line = line_of(item)?;
    may_be(world, line, to)?;

    // From here it must succeed.
    record(world, item, ActKind::BankItemMatched, by, |item| {
        (item.status, item.matched_by, item.evidence) = (status, Some(by), Some(evidence.to_owned()));
        (item.app, item.bank_file, item.transfer) = match to {
            Assignee::App(app) => (Some(app), None, None),
            Assignee::Organization => (None, None, None),
            Assignee::File(file) => (None, Some(file), None),
            Assignee::Return(transfer) => (None, None, Some(transfer)),
        };
    })
}

fn may_be(world: &mut World, line: Line, to: Assignee) -> Result<(), Halt> {
    match to {
        Assignee::Organization => Ok(()),
        Assignee::App(app) => {
            if !line.amount.is_positive() {
                let message = "must be null: the line debits the account, so no app receives money";
                return Err(Refusal::field(Code::InvalidInput, "/app_id", message).into());
            }
            apps::find(world, Scope { org: line.org, app }).map(|_| ())
        }
        Assignee::Return(transfer) => {
            let entry = bank_files::entry(world, line.org, transfer)?;
            let is_returned = entry.as_ref().is_some_and(|entry| entry.credit_due == Some(line.account));
            let fits = entry.is_some_and(|entry| entry.amount == line.amount);
            if is_returned && fits {
                return Ok(());
            }
            let message =
                "is no returned payment of this amount that the bank has not credited; match its return first";
            Err(Refusal::field(Code::InvalidInput, "/transfer_id", message).into())
        }
        Assignee::File(file) => {
            let file = bank_files::find(world, line.org, file)?;
            let wrong = |message: String| Err(Refusal::field(Code::InvalidInput, "/bank_file_id", message).into());
            if file.debit_due != Some(line.account) || file.booked > 0 {
                return wrong("is a file that the bank has debited, or that is not at the bank".to_owned());
            }
            if file.credit != line.amount.negated() {
                let (sum, amount) = (file.credit.dollars(), line.amount.dollars());
                return wrong(format!("is a file of {sum}; the line is {amount}"));
            }
            Ok(())
        }
    }
}

/// Books what a member proposed, as another one.
pub(super) fn approve(world: &mut World, item: &Arc<BankItem>, by: MemberId) -> Result<Arc<BankItem>, Halt> {
    let status = rules::apply_to_item(item.status, ItemEvent::Approved)?;
    let Some(matched_by) = item.matched_by else { return Err(refused("The line is not assigned. Assign it first.")) };
    is_second_person(matched_by, by)?;
    let line = line_of(item)?;
    let (transfer, booked_as) = match (item.bank_file, item.transfer, item.app) {
        (Some(file), _, _) => {
            may_be(world, line, Assignee::File(file))?;
            bank_files::assign_to_file(world, line, file)?;
            (None, BookedAs::Payments)
        }
        (None, Some(transfer), _) => {
            may_be(world, line, Assignee::Return(transfer))?;
            bank_files::assign_to_return(world, line, transfer)?;
            (Some(transfer), BookedAs::Returns)
        }
        (None, None, Some(app)) => {
            may_be(world, line, Assignee::App(app))?;
            (Some(bank_files::assign_to_app(world, line, app)?), BookedAs::Deposit)
        }
        (None, None, None) => {
            bank_files::assign_to_organization(world, line)?;
            (None, BookedAs::Organization)
        }
    };
    let now = world.now();
    record(world, item, ActKind::BankItemApproved, by, |item| {
        (item.status, item.closed_by, item.closed_at) = (status, Some(by), Some(now));
        (item.transfer, item.booked_as, item.suspense) = (transfer, Some(booked_as), None);
    })
}

/// Books a small line as a cost or an income.
pub(super) fn write_off(
    world: &mut World,
    item: &Arc<BankItem>,
    by: MemberId,
    reason: &str,
) -> Result<Arc<BankItem>, Halt> {
    if !item.is_line() {
        return Err(refused("Only a line of a statement is booked as costs. Ignore the report."));
    }
    let status = rules::apply_to_item(item.status, ItemEvent::WrittenOff)?;
    let line = line_of(item)?;
    let size = if line.amount.is_negative() { line.amount.negated() } else { line.amount };
    if size > WRITE_OFF_MAX {
        let message = format!(
            "The line of {} is above {}, the most that is booked as costs. Assign it to its owner.",
            line.amount.dollars(),
            WRITE_OFF_MAX.dollars()
        );
        return Err(Refusal::new(Code::LimitExceeded, message).into());
    }
    bank_files::write_off(world, line)?;
    let now = world.now();
    record(world, item, ActKind::BankItemWrittenOff, by, |item| {
        (item.status, item.closed_by, item.closed_at) = (status, Some(by), Some(now));
        (item.booked_as, item.suspense) = (Some(BookedAs::Costs), None);
        (item.app, item.bank_file, item.transfer) = (None, None, None);
        item.evidence = Some(reason.to_owned());
    })
}

/// Records why a line stays in suspense.
pub(super) fn explain(
    world: &mut World,
    item: &Arc<BankItem>,
    by: MemberId,
    reason: &str,
) -> Result<Arc<BankItem>, Halt> {
    if !item.is_line() {
        return Err(refused("Only a line of a statement is explained. Ignore the report."));
    }
    let status = rules::apply_to_item(item.status, ItemEvent::Explained)?;
    record(world, item, ActKind::BankItemExplained, by, |item| {
        (item.status, item.closed_by) = (status, Some(by));
        (item.matched_by, item.app, item.bank_file, item.transfer) = (None, None, None, None);
        item.evidence = Some(reason.to_owned());
    })
}
