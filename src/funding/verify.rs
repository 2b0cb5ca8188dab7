//! Verifies debts and wallet records: the debts, pulls and refill in a wallet record must match the rows. Pure: callers
//! pass the rows.

use std::collections::{BTreeMap, HashSet};

use super::debts::Debt;
use crate::ids::{AppId, OrgId, TransferId};
use crate::ledger::verify::Finding;
use crate::ledger::wallet_funding::WalletFunding;
use crate::rails::Direction;
use crate::transfers::{Transfer, TransferKind, TransferStatus};

/// A wallet record must match its transfers and debts (part of invariant 3: stored sums equal their parts).
const INVARIANT: u8 = 3;

/// Checks transfers, then debts, then wallet records. It remembers pulls in progress and returned transfers.
#[derive(Default)]
pub struct Checker {
    apps: BTreeMap<(OrgId, AppId), AppTotals>,
    refills: HashSet<TransferId>,
    taken_back: HashSet<TransferId>,
    findings: Vec<Finding>,
}

#[derive(Default)]
struct AppTotals {
    owed: i128,
    pulls: i64,
}

impl Checker {
    /// Must be called first, with every transfer.
    pub fn transfer(&mut self, transfer: &Transfer) {
        // A reversal and a return of one transfer may both take money; then the transfer failed before.
        if matches!(transfer.status, TransferStatus::Reversed | TransferStatus::Failed) {
            self.taken_back.insert(transfer.id);
        }
        if transfer.direction() != Some(Direction::Debit) {
            return;
        }
        if transfer.is_under_way() {
            self.apps.entry((transfer.org, transfer.app)).or_default().pulls += 1;
            if transfer.kind == TransferKind::Refill {
                self.refills.insert(transfer.id);
            }
        }
    }

    /// Must be called second, with every debt.
    pub fn debt(&mut self, debt: &Debt) {
        self.apps.entry((debt.org, debt.app)).or_default().owed += i128::from(debt.left_open.get());
        let wrong = if debt.left_open.is_negative() || debt.left_open > debt.amount {
            Some(format!("leaves {} of {} open", debt.left_open.dollars(), debt.amount.dollars()))
        } else if debt.open != debt.left_open.is_positive() || debt.open == debt.covered_at.is_some() {
            Some("is both open and covered, or neither".to_owned())
        } else if !self.taken_back.contains(&debt.id) {
            Some("is for a transfer that was not returned".to_owned())
        } else {
            None
        };
        if let Some(what) = wrong {
            self.find(what, format!("debt {}", debt.id));
        }
    }

    /// Must be called last, with every wallet record.
    pub fn watch(&mut self, watch: &WalletFunding) {
        let place = format!("wallet watch of app {}", watch.app);
        let AppTotals { owed, pulls } = self.apps.remove(&(watch.org, watch.app)).unwrap_or_default();
        if i128::from(watch.owed.get()) != owed {
            self.find(format!("records {} cents owed; its debts sum to {owed}", watch.owed.get()), place.clone());
        }
        if watch.pulls != pulls {
            self.find(format!("records {} debits in progress; its transfers show {pulls}", watch.pulls), place.clone());
        }
        if watch.refill.is_some_and(|refill| !self.refills.contains(&refill)) {
            self.find("waits for a refill that is not in progress".to_owned(), place);
        }
    }

    pub fn findings(mut self) -> Vec<Finding> {
        for ((_, app), AppTotals { owed, pulls }) in std::mem::take(&mut self.apps) {
            if owed != 0 || pulls != 0 {
                let what = format!("is missing; {owed} cents are owed and {pulls} debits are in progress");
                self.find(what, format!("wallet watch of app {app}"));
            }
        }
        self.findings
    }

    fn find(&mut self, what: String, place: String) {
        self.findings.push(Finding { invariant: INVARIANT, what, place });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Time;
    use crate::money::Cents;
    use crate::platform::Platform;
    use uuid::Uuid;

    const ORG: OrgId = OrgId(Uuid::from_u128(1));
    const APP: AppId = AppId(Uuid::from_u128(2));
    const NOW: Time = Time::from_micros(7);

    fn transfer(id: u128, kind: TransferKind, status: TransferStatus) -> Transfer {
        let fresh = Transfer::new(ORG, APP, TransferId(Uuid::from_u128(id)), kind, Cents::new(500), NOW);
        Transfer { platform: Some(Platform::Ach), status, ..fresh }
    }

    fn debt() -> Debt {
        Debt {
            org: ORG,
            id: TransferId(Uuid::from_u128(1)),
            app: APP,
            kind: TransferKind::Refill,
            platform: Platform::Ach,
            amount: Cents::new(500),
            left_open: Cents::new(300),
            open: true,
            created_at: NOW,
            covered_at: None,
        }
    }

    /// Matches its rows: 300 cents are owed; a refill and a payment are in progress.
    fn watch() -> WalletFunding {
        WalletFunding {
            org: ORG,
            app: APP,
            floor: None,
            refill: Some(TransferId(Uuid::from_u128(2))),
            refill_after: None,
            owed: Cents::new(300),
            pulls: 2,
            scheduled: false,
        }
    }

    fn found(debt: &Debt, watch: Option<&WalletFunding>) -> Vec<String> {
        let mut checker = Checker::default();
        checker.transfer(&transfer(1, TransferKind::Refill, TransferStatus::Reversed));
        checker.transfer(&transfer(2, TransferKind::Refill, TransferStatus::Pending));
        checker.transfer(&transfer(3, TransferKind::Payment, TransferStatus::Created));
        checker.transfer(&transfer(4, TransferKind::Payment, TransferStatus::Completed));
        checker.transfer(&transfer(5, TransferKind::Payout, TransferStatus::Pending));
        checker.debt(debt);
        if let Some(watch) = watch {
            checker.watch(watch);
        }
        checker.findings().into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn what_an_app_owes_and_waits_for_is_held_against_its_rows() {
        assert_eq!(found(&debt(), Some(&watch())), Vec::<String>::new());
        let table: [(&str, WalletFunding); 3] = [
            ("records 299 cents owed; its debts sum to 300", WalletFunding { owed: Cents::new(299), ..watch() }),
            ("records 1 debits in progress; its transfers show 2", WalletFunding { pulls: 1, ..watch() }),
            (
                "waits for a refill that is not in progress",
                WalletFunding { refill: Some(TransferId(Uuid::from_u128(4))), ..watch() },
            ),
        ];
        for (what, watch) in table {
            assert_eq!(found(&debt(), Some(&watch)), [what]);
        }
        assert_eq!(found(&debt(), None), ["is missing; 300 cents are owed and 2 debits are in progress"]);
        let table: [(&str, Debt); 3] = [
            ("leaves $3.00 of $2.99 open", Debt { amount: Cents::new(299), ..debt() }),
            ("is both open and covered, or neither", Debt { covered_at: Some(NOW), ..debt() }),
            ("is for a transfer that was not returned", Debt { id: TransferId(Uuid::from_u128(4)), ..debt() }),
        ];
        for (what, debt) in table {
            assert_eq!(found(&debt, Some(&watch())), [what]);
        }
    }
}
