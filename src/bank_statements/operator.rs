//! What members do with a statement: an administrative act.

use std::sync::Arc;

use super::json::BankStatementJson;
use super::model::{BankStatement, StatementStatus};
use super::rows;
use super::rules::{self, StatementEvent};
use crate::acting::Act;
use crate::bank_intake::{self, ItemEvent, apply_to_item};
use crate::banking::{Person, SetupStatus, settlement_accounts};
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{BankStatementId, MemberId, OrgId};
use crate::jobs::{self, Work};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, World};

fn refused(reason: Reason, message: impl Into<String>) -> Halt {
    Refusal::new(Code::InvalidState, message).because(reason).into()
}

/// POST /v2/bank/statements/{bank_statement_id}/confirm
#[derive(Clone, Debug)]
pub struct ConfirmStatement {
    pub org: OrgId,
    pub person: Person,
    pub statement: BankStatementId,
    pub evidence: String,
}

impl Command for ConfirmStatement {
    type Reply = Arc<BankStatement>;

    fn decide(&self, world: &mut World) -> Result<Arc<BankStatement>, Halt> {
        let statement = rows::find(world, self.org, self.statement)?;
        let by = self.person.may(world, self.org, Act::Pay)?.member;
        let account = statement.settlement_account;
        let last = rows::balance(world, self.org, account)?;
        if statement.status != StatementStatus::Waiting {
            let (from, waiting) = (statement.status, StatementStatus::Waiting.as_str());
            let message = format!("The statement is {from}; only one that waits is confirmed. Show it to see why.");
            return Err(Refusal::in_status(message, from.as_str(), vec![waiting]).into());
        }
        if let Some(last) = last.filter(|last| last.closing != statement.opening) {
            let (opening, closing) = (statement.opening.dollars(), last.closing.dollars());
            let message = format!(
                "The statement opens with {opening}; the last applied one closes with {closing}. A statement is \
                 missing: ask the bank for it."
            );
            return Err(Refusal::new(Code::InvalidState, message).because(Reason::StepMissing).into());
        }

        // From here it must succeed.
        let after = rows::change(world, &statement, |statement| {
            (statement.confirmed_by, statement.evidence) = (Some(by), Some(self.evidence.clone()));
        });
        jobs::enqueue(world, self.org, Work::ApplyStatements { account: account.0 });
        record(world, ActKind::BankStatementConfirmed, by, &statement, &after)?;
        Ok(after)
    }
}

fn record(
    world: &mut World,
    kind: ActKind,
    by: MemberId,
    before: &BankStatement,
    after: &BankStatement,
) -> Result<(), Halt> {
    let act = NewAct::of(kind, None, after.id).by(Some(by));
    acts::record(world, after.org, act.changing(&BankStatementJson::from(before), &BankStatementJson::from(after)))
}

/// POST /v2/bank/statements/{bank_statement_id}/discard
#[derive(Clone, Debug)]
pub struct DiscardStatement {
    pub org: OrgId,
    pub person: Person,
    pub statement: BankStatementId,
    pub reason: String,
}

impl Command for DiscardStatement {
    type Reply = Arc<BankStatement>;

    fn decide(&self, world: &mut World) -> Result<Arc<BankStatement>, Halt> {
        let statement = rows::find(world, self.org, self.statement)?;
        let by = self.person.may(world, self.org, Act::Pay)?.member;
        let to = rules::apply(statement.status, StatementEvent::Discarded)?;
        let lines = bank_intake::of_statement(world, self.org, statement.id)?;

        // From here it must succeed.
        let now = world.now();
        for line in lines {
            let ignored = apply_to_item(line.status, ItemEvent::Ignored)?;
            world.change(&line, |line| {
                (line.status, line.closed_by, line.closed_at) = (ignored, Some(by), Some(now));
            });
        }
        let after = rows::change(world, &statement, |statement| {
            (statement.status, statement.closed_by) = (to, Some(by));
            statement.evidence = Some(self.reason.clone());
        });
        // Another statement may be the next one now.
        jobs::enqueue(world, self.org, Work::ApplyStatements { account: statement.settlement_account.0 });
        record(world, ActKind::BankStatementDiscarded, by, &statement, &after)?;
        Ok(after)
    }
}

/// POST /v2/bank/statements/{bank_statement_id}/restore
#[derive(Clone, Debug)]
pub struct RestoreStatement {
    pub org: OrgId,
    pub person: Person,
    pub statement: BankStatementId,
    pub reason: String,
}

impl Command for RestoreStatement {
    type Reply = Arc<BankStatement>;

    fn decide(&self, world: &mut World) -> Result<Arc<BankStatement>, Halt> {
        let statement = rows::find(world, self.org, self.statement)?;
        let by = self.person.may(world, self.org, Act::Pay)?.member;
        let to = rules::apply(statement.status, StatementEvent::Restored)?;
        let account = statement.settlement_account;
        if settlement_accounts::find(world, self.org, account)?.status == SetupStatus::Ended {
            let message = "The settlement account is not in use any more. Its statements are not applied.";
            return Err(refused(Reason::AccountDisabled, message));
        }
        if let Some(same) = rows::same_day(world, self.org, account, &statement.booked_on)? {
            let message = format!(
                "The statement {} of the same day is {}. Discard that one first if this one is right.",
                same.id, same.status
            );
            return Err(refused(Reason::AlreadyExists, message));
        }
        let last = rows::balance(world, self.org, account)?;
        if let Some(last) = last.filter(|last| statement.booked_on <= last.booked_on) {
            let message = format!(
                "The statement of {} is applied, and this one is of {}: its day is closed.",
                last.booked_on, statement.booked_on
            );
            return Err(refused(Reason::TooLate, message));
        }
        let lines = bank_intake::of_statement(world, self.org, statement.id)?;

        // From here it must succeed.
        for line in lines {
            let waiting = apply_to_item(line.status, ItemEvent::Restored)?;
            world.change(&line, |line| {
                (line.status, line.closed_by, line.closed_at) = (waiting, None, None);
            });
        }
        let after = rows::change(world, &statement, |statement| {
            (statement.status, statement.reason, statement.confirmed_by) = (to, None, None);
            (statement.closed_by, statement.evidence) = (Some(by), Some(self.reason.clone()));
        });
        jobs::enqueue(world, self.org, Work::ApplyStatements { account: account.0 });
        record(world, ActKind::BankStatementRestored, by, &statement, &after)?;
        Ok(after)
    }
}
