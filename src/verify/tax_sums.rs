//! Verifies stored tax years against the sums of their transfers. Pure: the caller supplies the rows.
//! `taxes` has the rules. A sum never falls below zero, so the order matters.

use std::collections::BTreeMap;

use crate::clock::Time;
use crate::ids::{AppId, OrgId, UserId};
use crate::money::Cents;
use crate::tax;
use crate::transfers::rules::is_recalled;
use crate::transfers::{Transfer, TransferKind, TransferStatus};
use crate::users::TaxYear;

/// Compares the sums of tax years with their transfers, for `bursar verify`.
#[derive(Debug, Default)]
pub struct TaxSums {
    counted: BTreeMap<Year, Vec<(Time, i64)>>,
    reported: BTreeMap<Year, i64>,
}

/// Payer, payee and year.
type Year = (OrgId, AppId, UserId, i64);

impl TaxSums {
    pub fn transfer(&mut self, transfer: &Transfer) {
        let Some(user) = transfer.user_id else { return };
        for Counted { year_of, at, cents } in counts(transfer) {
            let year = (transfer.org, transfer.app, user, tax::year_of(year_of));
            self.counted.entry(year).or_default().push((at, cents));
        }
    }

    pub fn year(&mut self, year: &TaxYear) {
        self.reported.insert((year.org, year.app, year.user_id, year.year), year.reportable.get());
    }

    /// Returns the years with a wrong sum: app, user, year, stored cents, correct cents.
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

struct Counted {
    /// A time in that year.
    year_of: Time,
    at: Time,
    /// Negative for returned money.
    cents: i64,
}

impl Counted {
    const fn at(at: Time, cents: i64) -> Self {
        Self { year_of: at, at, cents }
    }
}

/// Returns the amounts that a transfer adds to its user's tax years.
fn counts(transfer: &Transfer) -> Vec<Counted> {
    let amount = transfer.amount.get();
    match (transfer.kind, transfer.payout_link) {
        // Between the wallets of app and user: a negative amount goes to the user.
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
        // The claim counted it; what its sender recalled is given back.
        (TransferKind::Payout, _)
            if !transfer.tax_exempt && transfer.status == TransferStatus::Reversed && is_recalled(transfer) =>
        {
            let (year_of, at) = (transfer.created_at, transfer.updated_at);
            vec![Counted { year_of, at, cents: -transfer.arrives.get() }]
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
            // Created in one year and returned in the next: it never counted, and the next year is unchanged.
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
