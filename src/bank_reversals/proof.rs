//! Invariant 63: an order counts what became of its reversals, and was approved by another member than its author.

use std::collections::BTreeMap;

use super::model::{BankReversal, ReversalStatus};
use crate::bank_files::{BankEntry, EntryKind, EntryStatus};
use crate::ids::{BankReversalId, OrgId};
use crate::ledger::verify::Finding;

const INVARIANT: u8 = 63;

#[derive(Default)]
struct Counts {
    joined: i64,
    unsent: i64,
    /// The reversals whose outcome is known, except the unsent ones.
    ended: i64,
}

/// Takes all entries, then all orders.
#[derive(Default)]
pub struct Checker {
    counts: BTreeMap<(OrgId, BankReversalId), Counts>,
    findings: Vec<Finding>,
}

impl Checker {
    pub fn entry(&mut self, entry: &BankEntry) {
        if entry.kind != EntryKind::Reversal {
            return;
        }
        let Some(reversal) = entry.reversal else {
            let what = "reverses another entry without an order of the members".to_owned();
            let place = format!("bank entry {}", entry.transfer);
            return self.findings.push(Finding { invariant: INVARIANT, what, place });
        };
        let counts = self.counts.entry((entry.org, reversal)).or_default();
        counts.joined += 1;
        match entry.status {
            EntryStatus::Joined => {}
            EntryStatus::Withdrawn | EntryStatus::Canceled | EntryStatus::Rejected => counts.unsent += 1,
            EntryStatus::Settled | EntryStatus::Returned | EntryStatus::Reversed => counts.ended += 1,
        }
    }

    pub fn reversal(&mut self, reversal: &BankReversal) {
        let counts = self.counts.remove(&(reversal.org, reversal.id)).unwrap_or_default();
        // A reversal that settled and was returned later counts as both.
        let (least, most) = (reversal.settled.max(reversal.returned), reversal.settled + reversal.returned);
        let is_approved = matches!(reversal.status, ReversalStatus::Approved | ReversalStatus::Joined);
        let what = if (reversal.joined, reversal.unsent) != (counts.joined, counts.unsent) {
            format!(
                "counts {} reversals, {} of them unsent; it has {}, {} of them unsent",
                reversal.joined, reversal.unsent, counts.joined, counts.unsent
            )
        } else if !(least..=most).contains(&counts.ended) {
            format!("counts {least} to {most} reversals that ended; it has {}", counts.ended)
        } else if is_approved != reversal.approved_by.is_some() || reversal.approved_by == Some(reversal.made_by) {
            format!("is {}, and no other member approved it", reversal.status)
        } else {
            return;
        };
        self.findings.push(Finding { invariant: INVARIANT, what, place: format!("bank reversal {}", reversal.id) });
    }

    #[must_use]
    pub fn findings(mut self) -> Vec<Finding> {
        for (_, reversal) in self.counts.keys() {
            let what = "is the order of an entry, and does not exist".to_owned();
            self.findings.push(Finding { invariant: INVARIANT, what, place: format!("bank reversal {reversal}") });
        }
        self.findings
    }
}
