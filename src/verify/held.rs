//! Compares the collected money that apps hold with their payments.

use std::collections::BTreeMap;

use crate::ids::{AppId, OrgId};
use crate::ledger::verify::Finding;
use crate::ledger::{LedgerAccount, LedgerAccountKind};
use crate::transfers::{Debit, Transfer, TransferKind, TransferStatus};

/// A ledger account is the sum of the rows that it represents.
const INVARIANT: u8 = 3;

#[derive(Debug, Default)]
pub struct Held {
    apps: BTreeMap<(OrgId, AppId), i128>,
    findings: Vec<Finding>,
}

impl Held {
    pub fn account(&mut self, account: &LedgerAccount) {
        if let (LedgerAccountKind::AppCollected, Some(app)) = (account.kind, account.app) {
            *self.apps.entry((account.org, app)).or_default() -= i128::from(account.balance.get());
        }
    }

    pub fn debit(&mut self, debit: &Debit, payment: Option<&Transfer>) {
        let payment = payment.filter(|payment| payment.kind == TransferKind::Payment && payment.app == debit.app);
        let wrong = match payment {
            None => Some("belongs to no payment of its app"),
            Some(payment) if debit.held && payment.status != TransferStatus::Completed => {
                Some("holds money of a payment that is not completed")
            }
            Some(_) if debit.held && debit.available_at.is_none() => Some("has no end of its payment hold"),
            Some(_) => None,
        };
        if let Some(what) = wrong {
            self.find(what.to_owned(), format!("debit {}", debit.id));
        }
        if debit.held {
            let amount = payment.map_or(0, |payment| i128::from(payment.arrives.get()));
            *self.apps.entry((debit.org, debit.app)).or_default() += amount;
        }
    }

    pub fn findings(mut self) -> Vec<Finding> {
        for ((_, app), more) in std::mem::take(&mut self.apps) {
            if more != 0 {
                let what = format!("held payments exceed the app's balance of them by {more} cents");
                self.find(what, format!("app {app}"));
            }
        }
        self.findings
    }

    fn find(&mut self, what: String, place: String) {
        self.findings.push(Finding { invariant: INVARIANT, what, place });
    }
}
