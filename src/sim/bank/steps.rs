//! The bank's part of each step, and of the end.

use super::set_up::{Members, Place, SetUpBank};
use crate::bank_statements::{BankStatement, StatementStatus, reconcile};
use crate::banking::settlement_accounts::SettlementAccount;
use crate::clock::DAY_SECONDS;
use crate::http::Answer;
use crate::ledger::verify::Finding;
use crate::members::Role;
use crate::money::Cents;
use crate::sim::checks::changed::{read, written};
use crate::sim::report::Violation;
use crate::sim::requests::{Said, Who};
use crate::sim::simulation::Simulation;
use crate::sim::system::Batch;
use crate::store::memory::{Change, Fault};
use crate::verify::check_banks;
use crate::world::Record as _;

/// The number of the invariant that the ledger's money at a bank is the bank's.
const AT_BANK: u8 = 41;
/// The number of the invariant that all work completes when faults end.
const AT_REST: u8 = 20;

impl Simulation {
    /// Sets up a bank for the first organization. Its route is in force from the next day on.
    pub(in crate::sim) fn set_up_bank(&mut self) -> Result<(), Box<Violation>> {
        let Some(org) = self.stage.apps.first().map(|scope| scope.org) else { return Ok(()) };
        let members = self.directory.members.get(&org).cloned().unwrap_or_default();
        let of_role = |role| members.iter().find(|(_, known)| *known == role).map(|(id, _)| *id);
        let (Some(admin), Some(payer)) = (of_role(Role::Admin), of_role(Role::Payer)) else { return Ok(()) };
        let members = Members { admin, payer };
        let command = SetUpBank::draw(org, members, &self.vault, &mut self.chance);
        let (statements, acknowledges) = (command.statements(), command.acknowledges());
        let mut batch = Batch::new();
        batch.add(Who::Stage, org, command, |connection| Said::Answer(Answer::ok(&connection.id)));
        let ran = self.system.run(batch, Fault::None);
        self.settle(ran)?;
        let memory = self.system.memory();
        let accounts = memory.rows(SettlementAccount::TABLE);
        let account = accounts.first().and_then(|row| read::<SettlementAccount>(row));
        let Some(account) = account else { return Ok(()) };
        let place = Place { org, account: account.id, members };
        self.far.open(place, statements, acknowledges, self.system.now());
        self.desk.acknowledges = acknowledges;
        self.system.pass(DAY_SECONDS);
        Ok(())
    }

    /// Lets the bank work, and a member who has something to do.
    pub(in crate::sim) fn bank_works(&mut self, batch: &mut Batch<Who, Said>) {
        let now = self.system.now();
        self.far.tick(now, &self.stage.apps, &mut self.chance);
        if self.draining || self.chance.one_in(3) {
            let deed = self.desk.next(&self.system, &mut self.far, &mut self.chance);
            if let Some(deed) = deed {
                deed.send(batch);
            }
        }
    }

    /// Checks the invariants of banks (38 to 44) over all rows, after each statement and each day.
    pub(in crate::sim) fn check_banks(&mut self, changes: &[Change]) -> Result<(), Box<Violation>> {
        let is_applied = |statement: &BankStatement| statement.status == StatementStatus::Applied;
        let has_statement = written::<BankStatement>(changes).any(|statement| is_applied(&statement));
        let day = self.system.now().micros() / 1_000_000 / DAY_SECONDS;
        if !has_statement && self.bank_checked_on == day {
            return Ok(());
        }
        self.bank_checked_on = day;
        match check_banks(&self.system.reads()) {
            Ok(findings) => findings.into_iter().next().map_or(Ok(()), |finding| Err(self.violation(finding))),
            Err(error) => Err(self.violation(Finding {
                invariant: Finding::UNNUMBERED,
                what: error.to_string(),
                place: "the store".to_owned(),
            })),
        }
    }

    /// Returns what is open at the end: the ledger must have the bank's balance, and nothing may be unbooked.
    pub(in crate::sim) fn bank_left_over(&self) -> Option<Finding> {
        let place = self.far.place?;
        let at = format!("settlement account {}", place.account);
        let found = match self.system.read(|world| reconcile(world, place.org, place.account, None)) {
            Ok(found) => found,
            Err(refusal) => {
                let what = format!("cannot be reconciled: {}", refusal.message);
                return Some(Finding { invariant: AT_REST, what, place: at });
            }
        };
        let balance = self.far.balance();
        if found.closing != Cents::new(balance) || !found.difference.is_zero() {
            let what = format!(
                "the bank has {balance} cents; its last statement closes with {}, and the ledger differs by {}",
                found.closing, found.difference
            );
            return Some(Finding { invariant: AT_BANK, what, place: at });
        }
        let is_open = !found.unbooked.is_empty() || !found.open_statements.is_empty();
        if is_open || found.suspense.iter().any(|line| line.open) {
            let what = format!("is not reconciled: {found:?}");
            return Some(Finding { invariant: AT_REST, what, place: at });
        }
        None
    }
}
