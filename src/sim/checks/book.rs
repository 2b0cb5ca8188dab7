//! Checks the ledger after each commit: invariants 1 to 4 and 7.

use std::collections::{BTreeMap, HashMap};

use super::changed::{changed, kept_for_ever, written};
use crate::ids::{AppId, LedgerAccountId, OrgId, TransferId};
use crate::ledger::verify::Finding;
use crate::ledger::{Hold, HoldState, LedgerAccount, LedgerBook, Transaction};
use crate::store::memory::Change;

/// The state that follows from the entries so far.
#[derive(Default)]
pub(super) struct Book {
    sums: HashMap<(OrgId, LedgerAccountId), i64>,
    apps: HashMap<(OrgId, LedgerAccountId), Option<AppId>>,
    numbers: HashMap<OrgId, i64>,
    /// The sum of each app's open holds.
    held: HashMap<(OrgId, AppId), i64>,
}

impl Book {
    pub(super) fn commit(&mut self, changes: &[Change]) -> Vec<Finding> {
        let mut findings = kept_for_ever::<Transaction>(changes, 2);
        for account in written::<LedgerAccount>(changes) {
            self.apps.insert((account.org, account.id), account.app);
        }
        findings.extend(self.transactions(changes));
        findings.extend(self.entries(changes));
        findings.extend(self.balances(changes));
        findings.extend(self.holds(changes));
        findings
    }

    /// Checks that each transaction moves money between two accounts, and that numbers have no gap.
    fn transactions(&mut self, changes: &[Change]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for transaction in written::<Transaction>(changes) {
            let place = || format!("transaction {} of organization {}", transaction.number, transaction.org);
            if transaction.source == transaction.destination || !transaction.amount.is_positive() {
                findings.push(Finding { invariant: 1, what: "moves no money".to_owned(), place: place() });
            }
            let last = self.numbers.entry(transaction.org).or_default();
            if transaction.number != *last + 1 {
                findings.push(Finding { invariant: 2, what: format!("follows number {last}"), place: place() });
            }
            *last = transaction.number;
        }
        for book in written::<LedgerBook>(changes) {
            let last = self.numbers.get(&book.org).copied().unwrap_or(0);
            if book.last_number != last {
                let what = format!("counts {} transactions; the last has number {last}", book.last_number);
                findings.push(Finding { invariant: 2, what, place: format!("ledger of organization {}", book.org) });
            }
        }
        findings
    }

    /// Checks that each entry carries the balance after it, and that each app's part of the ledger sums to zero.
    fn entries(&mut self, changes: &[Change]) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut parts: BTreeMap<(OrgId, Option<AppId>), i64> = BTreeMap::new();
        let transactions: Vec<_> = written::<Transaction>(changes).collect();
        let entries = transactions.iter().flat_map(|of| of.entries().map(|entry| (of.org, entry)));
        for (org, entry) in entries {
            let at = (org, entry.account);
            let sum = self.sums.entry(at).or_default();
            *sum += entry.amount.get();
            if *sum != entry.balance_after.get() {
                let what = format!("records {} cents; the entries sum to {sum}", entry.balance_after);
                let place = format!("entry {} of ledger account {}", entry.number, entry.account);
                findings.push(Finding { invariant: 3, what, place });
            }
            *parts.entry((org, self.apps.get(&at).copied().flatten())).or_default() += entry.amount.get();
        }
        let uneven = parts.into_iter().filter(|(_, sum)| *sum != 0);
        findings.extend(uneven.map(|((org, app), sum)| Finding {
            invariant: 1,
            what: format!("the commit moved {sum} cents into the ledger accounts of {app:?}"),
            place: format!("ledger of organization {org}"),
        }));
        findings
    }

    /// Checks that each account's row agrees with its entries and that no wallet is below zero.
    fn balances(&self, changes: &[Change]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for account in written::<LedgerAccount>(changes) {
            let place = || format!("ledger account {}", account.id);
            let sum = self.sums.get(&(account.org, account.id)).copied().unwrap_or(0);
            if account.balance.get() != sum {
                let what = format!("records {} cents; its entries sum to {sum}", account.balance);
                findings.push(Finding { invariant: 3, what, place: place() });
            }
            if sum < 0 && !account.kind.may_go_below_zero() {
                let what = format!("{} has a balance of {sum} cents", account.name());
                findings.push(Finding { invariant: 4, what, place: place() });
            }
        }
        findings
    }

    /// Checks that a hold is opened once and closed once, and that an app's held balance is the sum of its open holds.
    fn holds(&mut self, changes: &[Change]) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut find = |id: TransferId, what: &str| {
            findings.push(Finding { invariant: 7, what: what.to_owned(), place: format!("hold {id}") });
        };
        for change in changed::<Hold>(changes) {
            let before = change.before.as_ref().map(|hold| hold.state);
            let Some(after) = change.after else {
                change.before.iter().for_each(|hold| find(hold.id, "was removed"));
                continue;
            };
            match before {
                None | Some(HoldState::Open) => {}
                Some(HoldState::Captured | HoldState::Released) => find(after.id, "was closed twice"),
            }
            let held = self.held.entry((after.org, after.app)).or_default();
            match (before, after.state) {
                (None, HoldState::Open) => *held += after.amount.get(),
                (Some(HoldState::Open), HoldState::Captured | HoldState::Released) => *held -= after.amount.get(),
                (_, HoldState::Open | HoldState::Captured | HoldState::Released) => {}
            }
        }
        for account in written::<LedgerAccount>(changes) {
            let (crate::ledger::LedgerAccountKind::AppHeld, Some(app)) = (account.kind, account.app) else { continue };
            let held = self.held.get(&(account.org, app)).copied().unwrap_or(0);
            if held != account.balance.get() {
                let what = format!("holds {} cents; its open holds are {held}", account.balance);
                findings.push(Finding { invariant: 7, what, place: format!("app {app}") });
            }
        }
        findings
    }
}
