//! Applies a statement in one commit: each line is booked as a payment, a return, a deposit or a cost, or goes to
//! suspense.

use std::sync::Arc;

use super::keep::item;
use super::matching::LineTarget;
use super::model::{BankBalance, BankStatement, StatementReason, StatementStatus};
use super::read::ReadLine;
use super::rows;
use super::rules::{self, StatementEvent};
use crate::bank_files::{self, Line};
use crate::bank_intake::{self, BankItem, BookedAs, ItemEvent, ItemKind, ItemReason, LineMeaning, apply_to_item};
use crate::engine::Command;
use crate::ids::{BankFileId, BankItemId, BankStatementId, SettlementAccountId, TransferId};
use crate::jobs::{self, Leased};
use crate::rails::failures::FailureCode;
use crate::refusal::{Code, Refusal};
use crate::settlements::{self, Returned};
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// Applies the next statement of an account, by its plan.
#[derive(Clone, Debug)]
pub struct ApplyStatement {
    pub leased: Leased,
    pub statement: BankStatementId,
    /// The last applied statement when the plan was made.
    pub after: Option<BankStatementId>,
    /// The lines, or why they cannot be applied.
    pub lines: Result<Vec<(BankItemId, LineTarget)>, StatementReason>,
}

/// The effect of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppliedStatement {
    Now {
        lines: usize,
        /// Lines in suspense.
        unmatched: usize,
        /// Lines by which a third party debits the account.
        debits_by_others: usize,
    },
    /// It waits for another one.
    Waiting,
    Quarantined,
    /// The records changed after the plan; the next run makes another one.
    Changed,
}

impl Command for ApplyStatement {
    type Reply = AppliedStatement;

    fn needs(&self) -> Vec<Want> {
        let org = self.leased.org;
        let lines = self.lines.iter().flatten().map(|(item, _)| Want::row::<BankItem>(key![org, *item]));
        [self.leased.want(), Want::row::<BankStatement>(key![org, self.statement])].into_iter().chain(lines).collect()
    }

    fn decide(&self, world: &mut World) -> Result<AppliedStatement, Halt> {
        let (org, now) = (self.leased.org, world.now());
        let statement = rows::find(world, org, self.statement)?;
        let last = rows::balance(world, org, statement.settlement_account)?;
        let is_next = last.as_ref().map(|last| last.statement) == self.after;
        if statement.status != StatementStatus::Waiting || !is_next {
            jobs::put_off(world, &self.leased, now, None)?;
            return Ok(AppliedStatement::Changed);
        }
        match &self.lines {
            Err(reason) => self.stop(world, &statement, *reason),
            Ok(lines) => {
                let applied = apply(world, &statement, last.as_ref(), lines)?;
                // The next one may wait for it.
                jobs::put_off(world, &self.leased, now, None)?;
                Ok(applied)
            }
        }
    }
}

impl ApplyStatement {
    fn stop(
        &self,
        world: &mut World,
        statement: &Arc<BankStatement>,
        reason: StatementReason,
    ) -> Result<AppliedStatement, Halt> {
        let stopped = match reason {
            StatementReason::MissingBefore => AppliedStatement::Waiting,
            StatementReason::OtherOpening => AppliedStatement::Quarantined,
        };
        if stopped == AppliedStatement::Quarantined {
            let to = rules::apply(statement.status, StatementEvent::Contradicted)?;
            rows::change(world, statement, |statement| (statement.status, statement.reason) = (to, Some(reason)));
        } else if statement.reason != Some(reason) {
            rows::change(world, statement, |statement| statement.reason = Some(reason));
        }
        jobs::finish(world, &self.leased)?;
        Ok(stopped)
    }
}

fn apply(
    world: &mut World,
    statement: &Arc<BankStatement>,
    last: Option<&Arc<BankBalance>>,
    lines: &[(BankItemId, LineTarget)],
) -> Result<AppliedStatement, Halt> {
    let to = rules::apply(statement.status, StatementEvent::Applied)?;
    if i64::try_from(lines.len()) != Ok(statement.lines) {
        return Err(Refusal::new(Code::InternalError, "A statement has lost lines. Run bursar verify.").into());
    }
    let reasons = world.each(lines, |world, (item, target)| book(world, statement, *item, target))?;
    if last.is_none() {
        add_opening(world, statement)?;
    }
    let position = last.map_or(0, |last| last.statements) + 1;
    let now = world.now();
    let BankStatement { org, id, settlement_account, sequence, closing, .. } = **statement;
    match last {
        Some(last) => {
            world.change(last, |last| {
                (last.statement, last.sequence, last.closing, last.statements) = (id, sequence, closing, position);
                last.booked_on.clone_from(&statement.booked_on);
            });
        }
        None => {
            let booked_on = statement.booked_on.clone();
            let statements = position;
            world.add(BankBalance { org, settlement_account, statement: id, booked_on, sequence, closing, statements });
        }
    }
    rows::change(world, statement, |statement| {
        (statement.status, statement.reason) = (to, None);
        (statement.position, statement.applied_at) = (Some(position), Some(now));
    });
    let count = |wanted: &dyn Fn(&ItemReason) -> bool| reasons.iter().flatten().filter(|reason| wanted(reason)).count();
    Ok(AppliedStatement::Now {
        lines: lines.len(),
        unmatched: count(&|_| true),
        debits_by_others: count(&|reason| *reason == ItemReason::DebitByOther),
    })
}

fn line_of(item: &BankItem, account: SettlementAccountId) -> Line {
    Line { org: item.org, id: item.id, account, amount: item.amount }
}

/// Puts the money before the first statement into suspense, until members say whose it is, and which files the bank had
/// debited by then.
fn add_opening(world: &mut World, statement: &BankStatement) -> Result<(), Halt> {
    let BankStatement { org, settlement_account, ref booked_on, .. } = *statement;
    let before = bank_files::sent_before(world, org, settlement_account, booked_on)?;
    if statement.opening.is_zero() && before.is_empty() {
        return Ok(());
    }
    let line = ReadLine {
        line: 0,
        code: String::new(),
        meaning: LineMeaning::OpeningBalance,
        amount: statement.opening,
        reference: String::new(),
        customer_reference: String::new(),
        text: String::new(),
        return_reason: None,
    };
    let item = item(world, statement, ItemKind::OpeningBalance, &line);
    let item = world.add(item);
    suspend(world, statement, &item, ItemReason::MoneyBefore)
}

fn suspend(world: &mut World, statement: &BankStatement, item: &Arc<BankItem>, reason: ItemReason) -> Result<(), Halt> {
    let to = apply_to_item(item.status, ItemEvent::Suspended)?;
    let account = statement.settlement_account;
    if !item.amount.is_zero() {
        bank_files::book_unexplained(world, line_of(item, account))?;
    }
    world.change(item, |item| (item.status, item.reason, item.suspense) = (to, Some(reason), Some(account)));
    Ok(())
}

/// Applies the return that a line reports. The bank may have reported it in another file since the line was matched.
fn return_now(world: &mut World, item: &BankItem, transfer: TransferId) -> Result<(), Halt> {
    let entry = bank_files::entry(world, item.org, transfer)?.ok_or_else(|| Refusal::not_found("bank entry"))?;
    let code = FailureCode::of_iso_reason(item.bank_reason.as_deref().unwrap_or_default());
    match settlements::return_entry(world, &entry, code)? {
        Returned::Booked | Returned::Again => Ok(()),
        Returned::NotSent | Returned::NotInFile => Err(bank_files::Overtaken.into()),
    }
}

/// Books a line; returns why it is in suspense.
fn book(
    world: &mut World,
    statement: &BankStatement,
    item: BankItemId,
    target: &LineTarget,
) -> Result<Option<ItemReason>, Halt> {
    let item = bank_intake::item(world, statement.org, item)?;
    let line = line_of(&item, statement.settlement_account);
    let mut transfer: Option<TransferId> = None;
    let (mut bank_file, mut app) = (None, None);
    let booked_as = match target {
        LineTarget::Unmatched(reason) => {
            suspend(world, statement, &item, *reason)?;
            return Ok(Some(*reason));
        }
        LineTarget::Files(files) => {
            bank_files::book_payments(world, line, files, &[])?;
            let ids: Vec<BankFileId> = files.iter().map(|(file, _)| *file).collect();
            settlements::settle_booked(world, line.org, &ids, &[])?;
            bank_file = if let [(file, _)] = files.as_slice() { Some(*file) } else { None };
            BookedAs::Payments
        }
        LineTarget::Entry(paid) => {
            bank_files::book_payments(world, line, &[], &[*paid])?;
            settlements::settle_booked(world, line.org, &[], &[*paid])?;
            transfer = Some(*paid);
            BookedAs::Payments
        }
        LineTarget::Returns(returned) => {
            bank_files::book_returns(world, line, returned)?;
            transfer = if let [one] = returned.as_slice() { Some(*one) } else { None };
            BookedAs::Returns
        }
        LineTarget::Return(returned) => {
            return_now(world, &item, *returned)?;
            bank_files::book_returns(world, line, &[*returned])?;
            transfer = Some(*returned);
            BookedAs::Returns
        }
        LineTarget::Deposit(owner) => {
            transfer = Some(bank_files::book_deposit(world, line, *owner)?);
            app = Some(*owner);
            BookedAs::Deposit
        }
        LineTarget::Costs => {
            bank_files::book_costs(world, line)?;
            BookedAs::Costs
        }
    };
    let to = apply_to_item(item.status, ItemEvent::Booked)?;
    world.change(&item, |item| {
        (item.status, item.booked_as) = (to, Some(booked_as));
        (item.transfer, item.bank_file, item.app) = (transfer, bank_file, app);
    });
    Ok(None)
}
