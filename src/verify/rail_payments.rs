//! Passes payments at providers and their transfers to their check (invariant 58).

use super::groups::together;
use crate::ledger::verify::Finding;
use crate::rail_payments::{RailPayment, contradiction};
use crate::store::{Snapshot, StoreError};
use crate::transfers::Transfer;
use crate::world::Key;
use crate::world::record::key;

pub(super) fn check(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let mut findings = Vec::new();
    together::<RailPayment>(snapshot, |payments| {
        let keys: Vec<Key> = payments.iter().map(|payment| key![payment.org, payment.transfer]).collect();
        for (payment, transfer) in payments.iter().zip(snapshot.get_all::<Transfer>(&keys)?) {
            findings.extend(contradiction(payment, transfer.as_deref()).map(|what| {
                let place = format!("payment of transfer {} at a provider", payment.transfer);
                Finding { invariant: 58, what: what.to_owned(), place }
            }));
        }
        Ok(())
    })?;
    Ok(findings)
}
