//! Checks that payees under review and payees who owe a tax form receive no money (docs/decisions.md 6). These rules
//! have no number among the invariants.
//!
//! Taxable sums are computed again from links and transfers alone. The order of several commands in one commit is
//! unknown, so the check uses the lowest possible sum.

use std::collections::{BTreeSet, HashMap};

use super::changed::{changed, written};
use crate::clock::Time;
use crate::ids::{AppId, PayoutLinkId, ScreeningHitId, UserId};
use crate::ledger::verify::Finding;
use crate::payout_links::{LinkStatus, PayoutLink};
use crate::store::memory::Change;
use crate::transfers::rules::is_recalled;
use crate::transfers::{Transfer, TransferKind, TransferStatus};
use crate::users::screening::{HitStatus, ScreeningHit};
use crate::users::{User, UserStatus};

/// The cents per year from which a tax form is due: $2,000 in every year of a simulation.
const REPORTED_FROM: i64 = 200_000;

/// The key of a sum that an app paid a person in a year.
type Year = (AppId, UserId, i16);

#[derive(Clone, Copy)]
struct Known {
    status: UserStatus,
    has_tax_form: bool,
}

#[derive(Default)]
pub(super) struct People {
    known: HashMap<UserId, Known>,
    /// The open screening hits of each person.
    found: HashMap<UserId, BTreeSet<ScreeningHitId>>,
    paid: HashMap<Year, i64>,
}

impl People {
    pub(super) fn commit(&mut self, changes: &[Change]) -> Vec<Finding> {
        let now: HashMap<UserId, Known> = written::<User>(changes).map(|user| (user.id, known(&user))).collect();
        let (received, given_back) = counted(changes);
        for (year, amount) in given_back {
            *self.paid.entry(year).or_default() -= amount;
        }
        let decided: BTreeSet<ScreeningHitId> = written::<ScreeningHit>(changes).map(|hit| hit.id).collect();
        let mut findings = Vec::new();
        let payouts = changed::<Transfer>(changes).filter(|change| change.before.is_none());
        for payout in payouts.filter_map(|it| it.after).filter(|transfer| transfer.kind == TransferKind::Payout) {
            let Some(user) = payout.user_id else { continue };
            let found = self.found.get(&user).is_some_and(|found| !found.is_subset(&decided));
            let what = if found {
                Some("is paid to a user with an undecided sanctions match (docs/decisions.md 6)".to_owned())
            } else {
                self.wrong(&payout, user, &now, &received)
            };
            let place = format!("transfer {}", payout.id);
            findings.extend(what.map(|what| Finding { invariant: Finding::UNNUMBERED, what, place }));
        }
        for (_, year, amount) in received {
            *self.paid.entry(year).or_default() += amount;
        }
        self.known.extend(now);
        for hit in written::<ScreeningHit>(changes) {
            let of_user = self.found.entry(hit.user_id).or_default();
            match hit.status {
                HitStatus::Open => of_user.insert(hit.id),
                HitStatus::Cleared | HitStatus::Confirmed => of_user.remove(&hit.id),
            };
        }
        findings
    }

    /// Returns the fault of a new payout.
    fn wrong(
        &self,
        payout: &Transfer,
        user: UserId,
        now: &HashMap<UserId, Known>,
        received: &[(Option<PayoutLinkId>, Year, i64)],
    ) -> Option<String> {
        let before = self.known.get(&user)?;
        let states = [Some(before), now.get(&user)];
        if states.iter().flatten().all(|known| known.status == UserStatus::InReview) {
            return Some("is paid to a user under review (docs/decisions.md 6)".to_owned());
        }
        if payout.tax_exempt || states.iter().flatten().any(|known| known.has_tax_form) {
            return None;
        }
        let year = (payout.app, user, year_of(payout.created_at));
        // The claim that this payout belongs to came before it.
        let own = received.iter().filter(|(link, of, _)| *of == year && link.is_some() && *link == payout.payout_link);
        let own: i64 = own.map(|(_, _, amount)| amount).sum();
        let funded = if payout.funded { payout.amount.get() } else { 0 };
        let sum = self.paid.get(&year).copied().unwrap_or(0) + own + funded;
        let what = || format!("is paid without a tax form at {sum} cents of this year (docs/decisions.md 6)");
        (sum >= REPORTED_FROM).then(what)
    }
}

/// Returns the amounts that persons received in a commit, each with its link if any, and the amounts they gave back.
#[allow(clippy::type_complexity, reason = "two lists that are read where they are made")]
fn counted(changes: &[Change]) -> (Vec<(Option<PayoutLinkId>, Year, i64)>, Vec<(Year, i64)>) {
    let (mut received, mut given_back) = (Vec::new(), Vec::new());
    for change in changed::<PayoutLink>(changes) {
        let was = change.before.map(|link| link.status);
        let Some(link) = change.after.filter(|link| !link.tax_exempt) else { continue };
        let is_claimed = matches!(link.status, LinkStatus::Claimed | LinkStatus::Reversed);
        let was_claimed = matches!(was, Some(LinkStatus::Claimed | LinkStatus::Reversed));
        if let Some(user) = link.claimed_user.filter(|_| is_claimed && !was_claimed) {
            received.push((Some(link.id), (link.app, user, year_of(link.updated_at)), link.amount.get()));
        }
    }
    for change in changed::<Transfer>(changes) {
        let was = change.before.map(|transfer| transfer.status);
        let Some(transfer) = change.after.filter(|transfer| !transfer.tax_exempt) else { continue };
        let Some(user) = transfer.user_id else { continue };
        let year = (transfer.app, user, year_of(transfer.updated_at));
        let amount = transfer.amount.get();
        match transfer.kind {
            TransferKind::Balance if was.is_none() && transfer.payout_link.is_none() => {
                // A negative balance transfer moves money from the app to the person.
                if amount < 0 { received.push((None, year, -amount)) } else { given_back.push((year, amount)) }
            }
            TransferKind::Payout if transfer.funded => {
                let paid_in = (year.0, user, year_of(transfer.created_at));
                if was.is_none() {
                    received.push((None, paid_in, amount));
                }
                if was != Some(transfer.status) {
                    given_back.extend(gone(transfer.status, amount).map(|amount| (paid_in, amount)));
                }
            }
            // Its claim counted it.
            TransferKind::Payout if is_recalled(&transfer) => {
                if was != Some(transfer.status) {
                    let claimed = (year.0, user, year_of(transfer.created_at));
                    given_back.extend(gone(transfer.status, amount).map(|amount| (claimed, amount)));
                }
            }
            TransferKind::Balance
            | TransferKind::Payout
            | TransferKind::Refill
            | TransferKind::Payment
            | TransferKind::Payable
            | TransferKind::Settlement => {}
        }
    }
    (received, given_back)
}

/// Returns the highest amount that the app receives back of a payout that it funded.
const fn gone(status: TransferStatus, amount: i64) -> Option<i64> {
    match status {
        TransferStatus::Failed | TransferStatus::Canceled | TransferStatus::Reversed => Some(amount),
        TransferStatus::Created | TransferStatus::Flagged | TransferStatus::Pending | TransferStatus::Completed => None,
    }
}

fn known(user: &User) -> Known {
    Known { status: user.status, has_tax_form: user.has_tax_form() }
}

fn year_of(moment: Time) -> i16 {
    moment.date().year()
}
