//! What the payouts of a link took together. The sum stands in the link, and moves in the commit in which a payout is made,
//! fails or comes back, so that nobody has to add up all payouts that there ever were. [`LinkSums`] holds it against
//! them.

use std::collections::BTreeMap;

use crate::ids::{OrgId, PayoutLinkId};
use crate::money::Cents;
use crate::payout_links::{self, PayoutLink};
use crate::refusal::{Code, Refusal};
use crate::transfers::rules::taken;
use crate::transfers::{Transfer, TransferKind};
use crate::world::{Halt, World};

/// Counts a payout that was just made.
pub(super) fn count(world: &mut World, payout: &Transfer) -> Result<(), Halt> {
    move_sum(world, payout, Cents::ZERO, |link| {
        link.newest_payout = Some(payout.id);
        link.payouts += 1;
    })
}

/// Counts anew a payout that took another amount before.
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

/// Holds the sums of links against the payouts that they are sums of: what `bursar verify` does.
#[derive(Debug, Default)]
pub struct LinkSums(BTreeMap<(OrgId, PayoutLinkId), i128>);

impl LinkSums {
    /// Takes in a transfer.
    pub fn transfer(&mut self, transfer: &Transfer) {
        if let (TransferKind::Payout, Some(link)) = (transfer.kind, transfer.payout_link) {
            let taken = taken(transfer).unwrap_or(Cents::ZERO);
            *self.0.entry((transfer.org, link)).or_default() += i128::from(taken.get());
        }
    }

    /// Takes in a link.
    pub fn link(&mut self, link: &PayoutLink) {
        if !link.paid_out.is_zero() {
            *self.0.entry((link.org, link.id)).or_default() -= i128::from(link.paid_out.get());
        }
    }

    /// The links whose sum is another than their payouts': by how many cents it is too low.
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
        // Four of seven took all of it; what came back left its fee.
        assert_eq!(sums.wrong().collect::<Vec<_>>(), [(link, 425)]);
        assert_eq!(LinkSums::default().wrong().count(), 0);
    }
}
