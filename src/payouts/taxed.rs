//! What stored tax years must be: the sums of the transfers that count in them. Pure: whoever has the rows shows them.
//!
//! What counts, and when, is told in `users/tax_year.rs`. A sum never falls below zero, so the order matters.

use std::collections::BTreeMap;

use crate::clock::Time;
use crate::ids::{AppId, OrgId, UserId};
use crate::money::Cents;
use crate::tax;
use crate::transfers::{Transfer, TransferKind, TransferStatus};
use crate::users::TaxYear;

/// Holds the sums of tax years against the transfers that they are sums of: what `bursar verify` does.
#[derive(Debug, Default)]
pub struct TaxSums {
    counted: BTreeMap<Year, Vec<(Time, i64)>>,
    reported: BTreeMap<Year, i64>,
}

/// Whose year it is: payer, payee, and the year.
type Year = (OrgId, AppId, UserId, i64);

impl TaxSums {
    /// Takes in a transfer.
    pub fn transfer(&mut self, transfer: &Transfer) {
        let Some(user) = transfer.user_id else { return };
        for Counted { year_of, at, cents } in counts(transfer) {
            let year = (transfer.org, transfer.app, user, tax::year_of(year_of));
            self.counted.entry(year).or_default().push((at, cents));
        }
    }

    /// Takes in a year.
    pub fn year(&mut self, year: &TaxYear) {
        self.reported.insert((year.org, year.app, year.user_id, year.year), year.reportable.get());
    }

    /// The years that say another sum than their transfers: app, user, year, what it says, what it must be, in cents.
    pub fn wrong(mut self) -> Vec<(AppId, UserId, i64, i64, i64)> {
        let mut wrong = Vec::new();
        for (year, mut counted) in self.counted {
            counted.sort_unstable();
            let add =
                |sum: i64, (_, cents): &(Time, i64)| sum.checked_add(*cents).unwrap_or(Cents::AMOUNT_MAX.get()).max(0);
            let sum = counted.iter().fold(0, add);
            let reported = self.reported.remove(&year).unwrap_or(0);
            if reported != sum {
                wrong.push((year.1, year.2, year.3, reported, sum));
            }
        }
        let unfounded = self.reported.into_iter().filter(|(_, reported)| *reported != 0);
        wrong.extend(unfounded.map(|((_, app, user, year), reported)| (app, user, year, reported, 0)));
        wrong
    }
}

/// What a transfer adds to a tax year of its user.
struct Counted {
    /// A moment of that year.
    year_of: Time,
    /// When it was added.
    at: Time,
    /// Cents; below zero for what was given back.
    cents: i64,
}

impl Counted {
    const fn at(at: Time, cents: i64) -> Self {
        Self { year_of: at, at, cents }
    }
}

/// What a transfer adds to its user's tax years.
fn counts(transfer: &Transfer) -> Vec<Counted> {
    let amount = transfer.amount.get();
    match (transfer.kind, transfer.payout_link) {
        // Between the wallets of app and user: below zero, the user received it.
        (TransferKind::Balance, None) => vec![Counted::at(transfer.created_at, -amount)],
        // The hold of a link counts when it is claimed.
        (TransferKind::Balance, Some(_)) => match (transfer.tax_exempt, transfer.completed_at) {
            (false, Some(claimed_at)) => vec![Counted::at(claimed_at, amount)],
            (true, _) | (false, None) => Vec::new(),
        },
        (TransferKind::Payout, _) if transfer.funded && !transfer.tax_exempt => {
            let given_back = match transfer.status {
                TransferStatus::Created
                | TransferStatus::Flagged
                | TransferStatus::Pending
                | TransferStatus::Completed => None,
                TransferStatus::Failed | TransferStatus::Canceled => Some(amount),
                TransferStatus::Reversed => Some(transfer.arrives.get()),
            };
            let paid = Counted::at(transfer.created_at, amount);
            let back = given_back.map(|cents| Counted { at: transfer.updated_at, cents: -cents, ..paid });
            [Some(paid), back].into_iter().flatten().collect()
        }
        (
            TransferKind::Payout
            | TransferKind::Refill
            | TransferKind::Payment
            | TransferKind::Payable
            | TransferKind::Settlement,
            _,
        ) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{PayoutLinkId, TransferId};
    use uuid::Uuid;

    const ORG: OrgId = OrgId(Uuid::from_u128(1));
    const APP: AppId = AppId(Uuid::from_u128(2));
    const JANE: UserId = UserId(Uuid::from_u128(3));

    fn at(text: &str) -> Time {
        Time::parse(text).unwrap()
    }

    fn transfer(kind: TransferKind, cents: i64, made: &str) -> Transfer {
        let fresh = Transfer::new(ORG, APP, TransferId(Uuid::from_u128(4)), kind, Cents::new(cents), at(made));
        Transfer { user_id: Some(JANE), status: TransferStatus::Completed, completed_at: Some(at(made)), ..fresh }
    }

    fn wrong(transfers: &[Transfer], years: &[(i64, i64)]) -> Vec<(i64, i64, i64)> {
        let mut sums = TaxSums::default();
        transfers.iter().for_each(|transfer| sums.transfer(transfer));
        for (year, cents) in years {
            let reportable = Cents::new(*cents);
            sums.year(&TaxYear { org: ORG, app: APP, user_id: JANE, year: *year, reportable, form_awaited: false });
        }
        sums.wrong().into_iter().map(|(_, _, year, reported, sum)| (year, reported, sum)).collect()
    }

    #[test]
    fn a_year_that_lacks_a_transfer_is_found_out() {
        let link = Some(PayoutLinkId(Uuid::from_u128(5)));
        let late = at("2026-01-02T00:00:00Z");
        let transfers = [
            transfer(TransferKind::Balance, -500, "2025-12-30T00:00:00Z"),
            transfer(TransferKind::Balance, 200, "2025-12-31T00:00:00Z"),
            // Claimed in the next year.
            Transfer {
                payout_link: link,
                completed_at: Some(late),
                ..transfer(TransferKind::Balance, 30, "2025-12-31T00:00:00Z")
            },
            Transfer {
                payout_link: link,
                tax_exempt: true,
                ..transfer(TransferKind::Balance, 9, "2025-12-31T00:00:00Z")
            },
            Transfer {
                payout_link: link,
                completed_at: None,
                ..transfer(TransferKind::Balance, 9, "2025-12-31T00:00:00Z")
            },
            // Made in one year, back in the next: it never counted, and nothing is taken off the next.
            Transfer {
                funded: true,
                status: TransferStatus::Failed,
                updated_at: at("2026-01-01T00:00:00Z"),
                ..transfer(TransferKind::Payout, 1_000, "2025-12-31T00:00:00Z")
            },
            transfer(TransferKind::Payout, 70, "2025-12-31T00:00:00Z"),
            transfer(TransferKind::Payment, 70, "2025-12-31T00:00:00Z"),
        ];
        assert_eq!(wrong(&transfers, &[(2025, 300), (2026, 30)]), []);
        assert_eq!(wrong(&transfers, &[(2025, 299), (2026, 30)]), [(2025, 299, 300)]);
        assert_eq!(wrong(&transfers, &[(2025, 300)]), [(2026, 0, 30)], "a row is lost");
        assert_eq!(wrong(&transfers, &[(2025, 300), (2026, 30), (2024, 1)]), [(2024, 1, 0)], "one too many");
    }

    #[test]
    fn what_came_back_after_it_arrived_takes_off_what_had_arrived() {
        let back = Transfer {
            funded: true,
            status: TransferStatus::Reversed,
            arrives: Cents::new(975),
            updated_at: at("2026-03-05T00:00:00Z"),
            ..transfer(TransferKind::Payout, 1_000, "2026-03-02T00:00:00Z")
        };
        assert_eq!(wrong(&[back], &[(2026, 25)]), []);
    }
}
