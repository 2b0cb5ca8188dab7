//! The sum of a link's payouts. It is stored in the link and changes in the commit in which a payout is created, fails
//! or is returned, so that no query must add up all payouts. [`LinkSums`] verifies it.

use std::collections::BTreeMap;

use crate::ids::{OrgId, PayoutLinkId};
use crate::money::Cents;
use crate::payout_links::{self, PayoutLink};
use crate::refusal::{Code, Refusal};
use crate::transfers::rules::taken;
use crate::transfers::{Transfer, TransferKind};
use crate::world::{Halt, World};

/// Adds a new payout to the sum.
pub(super) fn count(world: &mut World, payout: &Transfer) -> Result<(), Halt> {
    move_sum(world, payout, Cents::ZERO, |link| {
        link.newest_payout = Some(payout.id);
        link.payouts += 1;
    })
}

/// Updates the sum for a payout whose taken amount changed.
pub(super) fn recount(world: &mut World, before: &Transfer, after: &Transfer) -> Result<(), Halt> {
    let took = taken(before).ok_or_else(no_sum)?;
    move_sum(world, after, took, |_| ())
}

fn move_sum(world: &mut World, payout: &Transfer, took: Cents, edit: impl FnOnce(&mut PayoutLink)) -> Result<(), Halt> {
    let Some(link) = payout.payout_link else { return Ok(()) };
    let link = payout_links::find(world, payout.scope(), link)?;
    let takes = taken(payout).ok_or_else(no_sum)?;
    let sum = link.paid_out.checked_sub(took).and_then(|without| without.checked_add(takes)).ok_or_else(no_sum)?;
    world.change(&link, |link| {
        link.paid_out = sum;
        edit(link);
    });
    Ok(())
}

fn no_sum() -> Refusal {
    Refusal::new(Code::InternalError, "The sum of the payouts of this link is out of range.")
}

/// Compares the sums of links with their payouts, for `bursar verify`.
#[derive(Debug, Default)]
pub struct LinkSums(BTreeMap<(OrgId, PayoutLinkId), i128>);

impl LinkSums {
    pub fn transfer(&mut self, transfer: &Transfer) {
        if let (TransferKind::Payout, Some(link)) = (transfer.kind, transfer.payout_link) {
            let taken = taken(transfer).unwrap_or(Cents::ZERO);
            *self.0.entry((transfer.org, link)).or_default() += i128::from(taken.get());
        }
    }

    pub fn link(&mut self, link: &PayoutLink) {
        if !link.paid_out.is_zero() {
            *self.0.entry((link.org, link.id)).or_default() -= i128::from(link.paid_out.get());
        }
    }

    /// Returns the links whose stored total differs from the sum of their payouts, with the missing cents.
    pub fn wrong(self) -> impl Iterator<Item = (PayoutLinkId, i128)> {
        self.0.into_iter().filter(|(_, lacks)| *lacks != 0).map(|((_, link), lacks)| (link, lacks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Time;
    use crate::ids::{AppId, TransferId};
    use crate::transfers::TransferStatus;
    use uuid::Uuid;

    const ORG: OrgId = OrgId(Uuid::from_u128(1));

    #[test]
    fn a_link_that_lacks_a_payout_is_found_out() {
        let link = PayoutLinkId(Uuid::from_u128(2));
        let payout = |status, kind| {
            let id = TransferId(Uuid::from_u128(3));
            let new = Transfer::new(ORG, AppId(Uuid::from_u128(4)), id, kind, Cents::new(100), Time::from_micros(0));
            Transfer { status, payout_link: Some(link), arrives: Cents::new(75), ..new }
        };
        let mut sums = LinkSums::default();
        for status in TransferStatus::ALL {
            sums.transfer(&payout(*status, TransferKind::Payout));
            sums.transfer(&payout(*status, TransferKind::Balance));
        }
        // Four of seven took all of it; a returned payout left its fee.
        assert_eq!(sums.wrong().collect::<Vec<_>>(), [(link, 425)]);
        assert_eq!(LinkSums::default().wrong().count(), 0);
    }
}
