//! Recomputes from the transfers the sums of days that limits are checked against.

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::apps::limit_days::LimitDay;
use crate::apps::{Measure, Movement, measures};
use crate::ids::{AppId, OrgId};
use crate::ledger::verify::Finding;
use crate::transfers::{Transfer, TransferKind, TransferStatus};

/// A day's sum: organization, app, measure, payer, day.
type Day = (OrgId, AppId, Measure, Uuid, String);

/// Stored sums less their transfers.
#[derive(Debug, Default)]
pub struct DaySums(BTreeMap<Day, i128>);

impl DaySums {
    pub fn transfer(&mut self, transfer: &Transfer) {
        let Some(movement) = movement(transfer).filter(|_| counts(transfer.status)) else { return };
        for (measure, payer) in measures(movement) {
            let day = (transfer.org, transfer.app, measure, payer, transfer.created_at.date().to_string());
            *self.0.entry(day).or_default() += i128::from(transfer.amount.get()).abs();
        }
    }

    pub fn day(&mut self, day: &LimitDay) {
        let key = (day.org, day.app, day.measure, day.payer, day.day.clone());
        *self.0.entry(key).or_default() -= i128::from(day.total.get());
    }

    /// Returns the sums that differ from their transfers.
    pub fn findings(self) -> impl Iterator<Item = Finding> {
        self.0.into_iter().filter(|(_, lacks)| *lacks != 0).map(|((_, app, measure, payer, day), lacks)| {
            let (what, of) = match measure {
                Measure::Payout => ("payouts", String::new()),
                Measure::Payable => ("bills", String::new()),
                Measure::Transfer => ("transfers to users", String::new()),
                Measure::Payment => ("payments", String::new()),
                Measure::PayerPayment => ("payments", format!(" by payer {payer}")),
            };
            Finding {
                invariant: 3,
                what: format!("misses {lacks} cents of its {what}"),
                place: format!("{what} of app {app}{of} on {day}"),
            }
        })
    }
}

/// Returns the movement that a transfer counts as.
fn movement(transfer: &Transfer) -> Option<Movement> {
    match transfer.kind {
        TransferKind::Payout => Some(Movement::Payout),
        TransferKind::Payable => Some(Movement::Payable),
        // The hold of a link is a balance transfer too, but only the link's payout counts.
        TransferKind::Balance if transfer.amount.is_negative() && transfer.payout_link.is_none() => {
            Some(Movement::Transfer)
        }
        TransferKind::Payment => {
            let payer = transfer.user_id.map(|user| user.0).or(transfer.customer.map(|customer| customer.0));
            payer.map(Movement::Payment)
        }
        TransferKind::Balance | TransferKind::Refill | TransferKind::Settlement => None,
    }
}

/// Whether a transfer counts for the day on which it was created.
const fn counts(status: TransferStatus) -> bool {
    match status {
        TransferStatus::Created
        | TransferStatus::Flagged
        | TransferStatus::Pending
        | TransferStatus::Completed
        | TransferStatus::Reversed => true,
        TransferStatus::Failed | TransferStatus::Canceled => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Time;
    use crate::ids::{PaymentCustomerId, TransferId};
    use crate::money::Cents;

    const ORG: OrgId = OrgId(Uuid::from_u128(1));
    const APP: AppId = AppId(Uuid::from_u128(2));
    const CUSTOMER: Uuid = Uuid::from_u128(4);

    fn transfer(kind: TransferKind, status: TransferStatus, amount: i64) -> Transfer {
        let now = Time::parse("2026-03-02T23:59:59Z").unwrap();
        let transfer = Transfer::new(ORG, APP, TransferId(Uuid::from_u128(3)), kind, Cents::new(amount), now);
        Transfer { status, customer: Some(PaymentCustomerId(CUSTOMER)), ..transfer }
    }

    fn found(days: &[(Measure, Uuid, i64)]) -> Vec<String> {
        let mut sums = DaySums::default();
        for status in TransferStatus::ALL {
            sums.transfer(&transfer(TransferKind::Payout, *status, 100));
            sums.transfer(&transfer(TransferKind::Payable, *status, 10));
            sums.transfer(&transfer(TransferKind::Payment, *status, 1));
            sums.transfer(&transfer(TransferKind::Balance, *status, -3));
            sums.transfer(&transfer(TransferKind::Balance, *status, 7));
            sums.transfer(&transfer(TransferKind::Refill, *status, -7));
        }
        for (measure, payer, total) in days {
            let (measure, payer, day) = (*measure, *payer, "2026-03-02".to_owned());
            sums.day(&LimitDay { org: ORG, app: APP, measure, payer, day, total: Cents::new(*total) });
        }
        sums.findings().map(|finding| finding.what).collect()
    }

    #[test]
    fn a_day_that_lacks_a_movement_is_found() {
        let right = [
            (Measure::Payout, Uuid::nil(), 500),
            (Measure::Payable, Uuid::nil(), 50),
            (Measure::Transfer, Uuid::nil(), 15),
            (Measure::Payment, Uuid::nil(), 5),
            (Measure::PayerPayment, CUSTOMER, 5),
        ];
        assert_eq!(found(&right), Vec::<String>::new(), "all but what failed and what was canceled");
        let lacks = [
            "misses 1 cents of its payouts",
            "misses 1 cents of its bills",
            "misses 1 cents of its transfers to users",
            "misses 1 cents of its payments",
            "misses 1 cents of its payments",
        ];
        for (place, lacks) in lacks.iter().enumerate() {
            let mut wrong = right;
            wrong[place].2 -= 1;
            assert_eq!(found(&wrong), [*lacks]);
        }
        assert_eq!(found(&right[1..]), ["misses 500 cents of its payouts"]);
    }
}
