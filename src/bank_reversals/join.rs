//! The entries of an approved order join the files of reversals.

use std::sync::Arc;

use super::model::{BankReversal, ReversalStatus};
use super::rows;
use super::rules::{self, ReversalEvent};
use crate::bank_files;
use crate::engine::Command;
use crate::ids::{BankReversalId, TransferId};
use crate::jobs::{self, Leased};
use crate::refusal::Refusal;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// Reverses the next entries of a file. After a restart it continues with the entry after the last one.
#[derive(Clone, Debug)]
pub struct JoinReversals {
    pub leased: Leased,
    pub reversal: BankReversalId,
    /// The entry up to which reversals had joined when the entries were read.
    pub after: Option<TransferId>,
    /// The entries after it, in order; empty if none is left.
    pub entries: Vec<TransferId>,
}

impl Command for JoinReversals {
    type Reply = ();

    fn needs(&self) -> Vec<Want> {
        let org = self.leased.org;
        let entries = self.entries.iter().map(|entry| Want::row::<bank_files::BankEntry>(key![org, *entry]));
        [self.leased.want(), Want::row::<BankReversal>(key![org, self.reversal])].into_iter().chain(entries).collect()
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let reversal = rows::find(world, self.leased.org, self.reversal)?;
        if reversal.status != ReversalStatus::Approved {
            return jobs::finish(world, &self.leased);
        }
        // Another worker may have added them in the meantime.
        let is_next = reversal.through == self.after;
        if !is_next {
            let now = world.now();
            return jobs::put_off(world, &self.leased, now, None);
        }
        let is_last = self.entries.is_empty();
        join(world, &reversal, &self.entries, is_last)?;
        if is_last {
            return jobs::finish(world, &self.leased);
        }
        let now = world.now();
        jobs::put_off(world, &self.leased, now, None)
    }
}

/// Adds the reversals of entries, and counts those that cannot be reversed.
pub(super) fn join(
    world: &mut World,
    reversal: &Arc<BankReversal>,
    entries: &[TransferId],
    is_last: bool,
) -> Result<Arc<BankReversal>, Halt> {
    let (id, send_by) = (reversal.id, reversal.send_by);
    let outcomes = world.each(entries, |world, entry| {
        let entry = bank_files::entry(world, reversal.org, *entry)?.ok_or_else(|| Refusal::not_found("bank entry"))?;
        bank_files::reverse(world, &entry, id, send_by)
    })?;
    let skipped = outcomes.iter().filter(|obstacle| obstacle.is_some()).count();
    let to = if is_last { rules::apply(reversal.status, ReversalEvent::Joined)? } else { reversal.status };
    let count = |many: usize| i64::try_from(many).unwrap_or(i64::MAX);
    Ok(rows::change(world, reversal, |reversal| {
        reversal.status = to;
        reversal.through = entries.last().copied().or(reversal.through);
        reversal.skipped += count(skipped);
        reversal.joined += count(outcomes.len() - skipped);
    }))
}
