//! What members do with a statement: an administrative act.

use std::sync::Arc;

use super::json::BankStatementJson;
use super::model::{BankStatement, StatementStatus};
use super::rows;
use super::rules::{self, StatementEvent};
use crate::acting::Act;
use crate::bank_intake::{self, ItemEvent, apply_to_item};
use crate::banking::Person;
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{BankStatementId, MemberId, OrgId};
use crate::jobs::{self, Work};
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, World};

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
        let refused = |message: String| Err(Refusal::new(Code::InvalidState, message).into());
        if statement.status != StatementStatus::Waiting {
            return refused(format!("The statement is {}; only one that waits is confirmed.", statement.status));
        }
        if let Some(last) = last.filter(|last| last.closing != statement.opening) {
            let (opening, closing) = (statement.opening.dollars(), last.closing.dollars());
            let message = format!(
                "The statement opens with {opening}; the last applied one closes with {closing}. A statement is \
                 missing: ask the bank for it."
            );
            return refused(message);
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
