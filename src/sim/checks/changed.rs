//! The changes of a commit, by kind of record.

use std::sync::Arc;

use crate::ledger::verify::Finding;
use crate::store::memory::Change;
use crate::transfers::Transfer;
use crate::world::Record;

pub(in crate::sim) struct Changed<R> {
    pub before: Option<Arc<R>>,
    pub after: Option<Arc<R>>,
}

/// Returns the changes of one kind of record, by key.
pub(in crate::sim) fn changed<R: Record>(changes: &[Change]) -> impl Iterator<Item = Changed<R>> {
    changes.iter().filter(|change| change.table == R::TABLE).map(|change| Changed {
        before: change.before.as_ref().and_then(|row| read(row)),
        after: change.after.as_ref().and_then(|row| read(row)),
    })
}

/// Returns the rows of a kind after the commit.
pub(in crate::sim) fn written<R: Record>(changes: &[Change]) -> impl Iterator<Item = Arc<R>> {
    changed::<R>(changes).filter_map(|changed| changed.after)
}

pub(in crate::sim) fn read<R: Record>(row: &[crate::world::Value]) -> Option<Arc<R>> {
    (R::TABLE.decode)(row).ok()?.downcast::<R>().ok()
}

/// Whether the change only removes an erased payee's metadata, or only names the payout method with the numbers that a
/// bank corrected. That is no transition and emits no event of the transfer.
pub(in crate::sim) fn is_no_transition(change: &Changed<Transfer>) -> bool {
    let (Some(before), Some(after)) = (&change.before, &change.after) else { return false };
    let row = |transfer: &Transfer| (Transfer::TABLE.encode)(transfer);
    let erased = Transfer { metadata: None, ..Transfer::clone(before) };
    let corrected = Transfer { payout_method: after.payout_method, ..Transfer::clone(before) };
    before.metadata.is_some() && row(&erased) == row(after)
        || before.payout_method != after.payout_method && row(&corrected) == row(after)
}

/// Checks that rows of this kind are only added.
pub(in crate::sim) fn kept_for_ever<R: Record>(changes: &[Change], invariant: u8) -> Vec<Finding> {
    let broken = changes.iter().filter(|change| change.table == R::TABLE && change.before.is_some());
    let finding = |change: &Change| Finding {
        invariant,
        what: "was changed or removed, but can only be added".to_owned(),
        place: format!("{} {:?}", change.table.name, change.key),
    };
    broken.map(finding).collect()
}
