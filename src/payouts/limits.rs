//! What an app's payouts of a day amount to, and whether one more may be made.
//!
//! Invariant: a payout and its part of the day's sum are one commit, so no two payouts share what is left of a limit.
//! What fails or is taken back is given back to the day on which it was made; what had arrived and came back is not,
//! because it had left. [`DaySums`] holds stored days against that.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::apps;
use crate::http::Scope;
use crate::ids::{AppId, OrgId};
use crate::money::Cents;
use crate::transfers::{Transfer, TransferKind, TransferStatus};
use crate::world::record::{key, record};
use crate::world::{Halt, World};

record! {
    /// What an app's payouts of one day in UTC amount to. Counted whether or not there is a limit, so that one that is
    /// set at noon holds for the whole day.
    pub struct PayoutDay in "payout_days" {
        key (org, app, day);
        /// The organization.
        pub org: OrgId,
        /// The app.
        pub app: AppId,
        /// `2026-01-31`
        pub day: String,
        /// Cents.
        pub total: Cents,
    }
}

/// Counts a payout that is being made now.
///
/// # Errors
/// `limit-exceeded`, naming the limit, what is used and what is left.
pub(super) fn count(world: &mut World, scope: Scope, amount: Cents) -> Result<(), Halt> {
    let limits = apps::find(world, scope)?.settings.0.payout_limits;
    limits.may_pay(amount)?;
    let day = day(world, scope, world.now().date().to_string())?;
    limits.may_pay_today(day.total, amount)?;

    // From here it must succeed. Near the end of 64 bits the sum stands still: such a sum is above any limit.
    world.change(&day, |day| day.total = day.total.plus(amount).unwrap_or(day.total));
    Ok(())
}

/// Gives back what a payout was counted for.
pub(super) fn uncount(world: &mut World, transfer: &Transfer) -> Result<(), Halt> {
    let day = day(world, transfer.scope(), transfer.created_at.date().to_string())?;
    world.change(&day, |day| day.total = day.total.minus(transfer.amount).unwrap_or(day.total).max(Cents::ZERO));
    Ok(())
}

fn day(world: &mut World, scope: Scope, day: String) -> Result<Arc<PayoutDay>, Halt> {
    let Scope { org, app } = scope;
    match world.get::<PayoutDay>(key![org, app, day])? {
        Some(found) => Ok(found),
        None => Ok(world.add(PayoutDay { org, app, day, total: Cents::ZERO })),
    }
}

/// Whether a payout counts for the day on which it was made.
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

/// Holds the sums of days against the payouts that they are sums of: what `bursar verify` does.
#[derive(Debug, Default)]
pub struct DaySums(BTreeMap<(OrgId, AppId, String), i128>);

impl DaySums {
    /// Takes in a transfer.
    pub fn transfer(&mut self, transfer: &Transfer) {
        if transfer.kind == TransferKind::Payout && counts(transfer.status) {
            let day = (transfer.org, transfer.app, transfer.created_at.date().to_string());
            *self.0.entry(day).or_default() += i128::from(transfer.amount.get());
        }
    }

    /// Takes in a day.
    pub fn day(&mut self, day: &PayoutDay) {
        *self.0.entry((day.org, day.app, day.day.clone())).or_default() -= i128::from(day.total.get());
    }

    /// The days whose sum is another than their payouts': app, day, and by how many cents it is too low.
    pub fn wrong(self) -> impl Iterator<Item = (AppId, String, i128)> {
        self.0.into_iter().filter(|(_, lacks)| *lacks != 0).map(|((_, app, day), lacks)| (app, day, lacks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Time;
    use crate::ids::TransferId;
    use uuid::Uuid;

    const ORG: OrgId = OrgId(Uuid::from_u128(1));
    const APP: AppId = AppId(Uuid::from_u128(2));

    #[test]
    fn a_day_that_lacks_a_payout_is_found_out() {
        let payout = |status, kind, amount| {
            let now = Time::parse("2026-03-02T23:59:59Z").unwrap();
            let transfer = Transfer::new(ORG, APP, TransferId(Uuid::from_u128(3)), kind, Cents::new(amount), now);
            Transfer { status, ..transfer }
        };
        let sums = |total: i64| {
            let mut sums = DaySums::default();
            for status in TransferStatus::ALL {
                sums.transfer(&payout(*status, TransferKind::Payout, 100));
                sums.transfer(&payout(*status, TransferKind::Balance, 7));
            }
            sums.day(&PayoutDay { org: ORG, app: APP, day: "2026-03-02".to_owned(), total: Cents::new(total) });
            sums.wrong().collect::<Vec<_>>()
        };
        assert_eq!(sums(500), [], "all but what failed and what was canceled");
        assert_eq!(sums(400), [(APP, "2026-03-02".to_owned(), 100)]);
        assert_eq!(sums(501), [(APP, "2026-03-02".to_owned(), -1)]);
    }
}
