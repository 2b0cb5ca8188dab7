//! Who is paid: nobody under review, and nobody who owes a tax form (decisions.md 6). These have no number of their
//! own in design.md.
//!
//! What counts for the tax office is summed up here once more, from links, transfers and nothing else. Where a commit
//! holds several commands, their order is not known; then the sum is taken at its least.

use std::collections::HashMap;

use super::{changed, written};
use crate::clock::Time;
use crate::ids::{AppId, PayoutLinkId, UserId};
use crate::ledger::verify::Finding;
use crate::payout_links::{LinkStatus, PayoutLink};
use crate::store::memory::Change;
use crate::transfers::{Transfer, TransferKind, TransferStatus};
use crate::users::{User, UserStatus};

/// From how much on, in a year, a form is due: $2,000, in every year that a simulation reaches.
const REPORTED_FROM: i64 = 200_000;

/// What an app paid a person in a year.
type Year = (AppId, UserId, i16);

/// What is known of a person.
#[derive(Clone, Copy)]
struct Known {
    status: UserStatus,
    has_tax_form: bool,
}

/// See the module's comment.
#[derive(Default)]
pub(super) struct People {
    known: HashMap<UserId, Known>,
    paid: HashMap<Year, i64>,
}

impl People {
    pub(super) fn commit(&mut self, changes: &[Change]) -> Vec<Finding> {
        let now: HashMap<UserId, Known> = written::<User>(changes).map(|user| (user.id, known(&user))).collect();
        let (received, given_back) = counted(changes);
        for (year, amount) in given_back {
            *self.paid.entry(year).or_default() -= amount;
        }
        let mut findings = Vec::new();
        let payouts = changed::<Transfer>(changes).filter(|change| change.before.is_none());
        for payout in payouts.filter_map(|it| it.after).filter(|transfer| transfer.kind == TransferKind::Payout) {
            let Some(user) = payout.user_id else { continue };
            let what = self.wrong(&payout, user, &now, &received);
            findings.extend(what.map(|what| Finding { invariant: 0, what, place: format!("transfer {}", payout.id) }));
        }
        for (_, year, amount) in received {
            *self.paid.entry(year).or_default() += amount;
        }
        self.known.extend(now);
        findings
    }

    /// What is wrong with a payout that was made.
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
            return Some("is paid to a person under review".to_owned());
        }
        if payout.tax_exempt || states.iter().flatten().any(|known| known.has_tax_form) {
            return None;
        }
        let year = (payout.app, user, year_of(payout.created_at));
        // What was claimed for this payout came before it.
        let own = received.iter().filter(|(link, of, _)| *of == year && link.is_some() && *link == payout.payout_link);
        let own: i64 = own.map(|(_, _, amount)| amount).sum();
        let funded = if payout.funded { payout.amount.get() } else { 0 };
        let sum = self.paid.get(&year).copied().unwrap_or(0) + own + funded;
        (sum >= REPORTED_FROM)
            .then(|| format!("is paid without a tax form to a person who was paid {sum} cents in this year"))
    }
}

/// What persons received in a commit, each with its link where it came by one, and what they gave back.
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
                // Below zero it goes from the app to the person.
                if amount < 0 { received.push((None, year, -amount)) } else { given_back.push((year, amount)) }
            }
            TransferKind::Payout if transfer.funded => {
                if was.is_none() {
                    received.push((None, (year.0, user, year_of(transfer.created_at)), amount));
                }
                if was != Some(transfer.status) {
                    given_back.extend(gone(transfer.status, amount).map(|amount| (year, amount)));
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

/// What the app is given back of a payout that it filled the wallet for, at most.
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
