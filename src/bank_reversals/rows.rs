//! Finds and changes the rows, and records the acts.

use std::sync::Arc;

use super::json::BankReversalJson;
use super::model::BankReversal;
use crate::bank_files::BankEntry;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{BankFileId, BankReversalId, MemberId, OrgId};
use crate::refusal::Refusal;
use crate::world::record::key;
use crate::world::{Halt, World};

/// # Errors
/// `not-found`.
pub fn find(world: &World, org: OrgId, id: BankReversalId) -> Result<Arc<BankReversal>, Halt> {
    let found = world.get::<BankReversal>(key![org, id])?;
    Ok(found.ok_or_else(|| Refusal::not_found("bank reversal"))?)
}

/// Returns the orders about a file.
pub(super) fn of_file(world: &World, org: OrgId, file: BankFileId) -> Result<Vec<Arc<BankReversal>>, Halt> {
    world.all::<BankReversal>(BankReversal::OF_FILE, key![org, file])
}

/// Changes an order.
pub(super) fn change(
    world: &mut World,
    before: &Arc<BankReversal>,
    edit: impl FnOnce(&mut BankReversal),
) -> Arc<BankReversal> {
    let now = world.now();
    world.change(before, |reversal| {
        edit(reversal);
        reversal.updated_at = now;
    })
}

/// Changes an order, and records the act of the member. Its version is what members approve.
pub(super) fn change_by(
    world: &mut World,
    before: &Arc<BankReversal>,
    kind: ActKind,
    by: MemberId,
    edit: impl FnOnce(&mut BankReversal),
) -> Result<Arc<BankReversal>, Halt> {
    let after = change(world, before, |reversal| {
        edit(reversal);
        reversal.version += 1;
    });
    let act = NewAct::of(kind, None, after.id).by(Some(by));
    let (was, is) = (BankReversalJson::without_words(before), BankReversalJson::without_words(&after));
    acts::record(world, after.org, act.changing(&was, &is))?;
    Ok(after)
}

/// What became of a reversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Settled,
    Returned,
    Unsent,
}

/// Counts what became of a reversal in its order.
///
/// # Errors
/// The store's.
pub fn count_ended(world: &mut World, entry: &BankEntry, ended: Ended) -> Result<(), Halt> {
    let Some(reversal) = entry.reversal else { return Ok(()) };
    let reversal = find(world, entry.org, reversal)?;
    change(world, &reversal, |reversal| match ended {
        Ended::Settled => reversal.settled += 1,
        Ended::Returned => reversal.returned += 1,
        Ended::Unsent => reversal.unsent += 1,
    });
    Ok(())
}

/// Removes what members wrote about an entry, whose payee was erased.
///
/// # Errors
/// The store's.
pub fn erase(world: &mut World, entry: &BankEntry) -> Result<(), Halt> {
    for reversal in of_file(world, entry.org, entry.file)? {
        if reversal.entry == Some(entry.transfer) && (reversal.evidence.is_some() || reversal.dismissal.is_some()) {
            world.change(&reversal, |reversal| (reversal.evidence, reversal.dismissal) = (None, None));
        }
    }
    Ok(())
}
