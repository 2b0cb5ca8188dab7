//! Batches of several organizations over a shared store, which locks all of them.
//!
//! Invariants: a batch changes rows only of organizations whose lock it holds, and no organization of a batch changes the
//! result of another.

use super::{BatchTask, CommitError, Executor, Verdict, answer, overrule, unavailable};
use crate::ids::OrgId;
use crate::world::{Key, TableChanges, ValueRef};

impl Executor {
    /// Runs a batch of several organizations of a shared store. If nothing could be written, each organization gets a
    /// batch of its own, so that one whose lock is taken or whose rows are damaged affects no other.
    pub(super) fn run_together(&mut self, mut batch: Vec<BatchTask>) -> Verdict {
        let mut followed = Vec::new();
        let outcome = match self.decide_and_commit_once(&mut batch, &mut followed) {
            Ok(()) => Ok(()),
            Err(error @ CommitError::Unknown(_)) => Err(error),
            Err(CommitError::Again(reason) | CommitError::Refused(reason) | CommitError::Full(reason)) => {
                tracing::debug!(reason, "a batch is divided by organization");
                metrics::counter!("bursar_batch_retries_total").increment(1);
                return self.run_apart(batch);
            }
        };
        self.end(batch, followed, outcome)
    }

    pub(super) fn run_apart(&mut self, mut batch: Vec<BatchTask>) -> Verdict {
        while let Some(first) = batch.first() {
            let organization = first.task.organization();
            let (mut own, others) = batch.into_iter().partition(|entry| entry.task.organization() == organization);
            batch = others;
            let mut followed = Vec::new();
            own.iter_mut().for_each(|entry: &mut BatchTask| entry.decided = false);
            let outcome = self.decide_and_commit(&mut own, &mut followed);
            if let Verdict::Stop(reason) = self.end(own, followed, outcome) {
                overrule(&mut batch, &unavailable());
                answer(batch);
                return Verdict::Stop(reason);
            }
        }
        Verdict::GoOn
    }

    pub(super) fn is_of_several(&self, batch: &[BatchTask]) -> bool {
        self.store.is_shared() && Self::organizations(batch).len() > 1
    }

    /// Returns what a batch of a shared store changes in another organization, whose lock it does not hold. The rows of
    /// the nil organization are the store's own: the sandbox's clock, the start of the history.
    pub(super) fn foreign(&self, batch: &[BatchTask], changes: &[TableChanges]) -> Option<String> {
        if !self.store.is_shared() {
            return None;
        }
        let organizations = Self::organizations(batch);
        let of_store = ValueRef::Id(uuid::Uuid::nil());
        let locked: Vec<_> =
            organizations.iter().map(|organization| ValueRef::Id(organization.0)).chain([of_store]).map(Some).collect();
        let is_foreign = |change: &&TableChanges| {
            let rows = [&change.inserts, &change.updates].into_iter().flatten();
            let of_rows = rows.map(|row| row.first().map(ValueRef::from));
            let mut owners = of_rows.chain(change.deletes.iter().map(Key::first));
            owners.any(|owner| !locked.contains(&owner))
        };
        let foreign = changes.iter().find(is_foreign)?;
        let commands = organizations.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        Some(format!("a command of {commands} changes another organization's row in {}", foreign.table.name))
    }

    /// Returns the organizations of a batch's commands, each once.
    pub(super) fn organizations(batch: &[BatchTask]) -> Vec<OrgId> {
        let mut organizations: Vec<OrgId> = batch.iter().map(|entry| entry.task.organization()).collect();
        organizations.sort_unstable();
        organizations.dedup();
        organizations
    }
}
