//! Invariant 40: a file of a bank is stored once and applied at most once, whole; a payment is returned once.

use std::collections::{HashMap, HashSet};

use super::model::{BankItem, InboundFile, InboundStatus, ItemKind, ItemStatus};
use crate::bank_files::{BankEntry, EntryStatus};
use crate::ids::{BankConnectionId, InboundFileId, OrgId, TransferId};
use crate::ledger::verify::Finding;

const INTAKE: u8 = 40;

#[derive(Default)]
struct Counts {
    items: i64,
    unmatched: i64,
}

/// Compares files of banks with their reports and with the entries. Takes all files before the reports.
#[derive(Default)]
pub struct Checker {
    files: HashMap<(OrgId, InboundFileId), (InboundFile, Counts)>,
    hashes: HashSet<(OrgId, BankConnectionId, String)>,
    returned: HashSet<(OrgId, TransferId)>,
    /// The lines of NACHA files with a report.
    lines: HashSet<(OrgId, InboundFileId, i64)>,
    findings: Vec<Finding>,
}

impl Checker {
    fn find(&mut self, what: impl Into<String>, place: String) {
        self.findings.push(Finding { invariant: INTAKE, what: what.into(), place });
    }

    pub fn file(&mut self, file: &InboundFile) {
        // A member may upload the bytes of a discarded file again.
        if file.is_used() && !self.hashes.insert((file.org, file.connection, file.sha256.clone())) {
            self.find("has the bytes of another file and is no duplicate", format!("inbound file {}", file.id));
        }
        self.files.insert((file.org, file.id), (file.clone(), Counts::default()));
    }

    /// Takes a report with the entry of its payment.
    pub fn item(&mut self, item: &BankItem, entry: Option<&BankEntry>) {
        let place = format!("bank item {}", item.id);
        match self.files.get_mut(&(item.org, item.inbound_file)) {
            Some((_, counts)) => {
                // No file has the money before the first statement; and lines are booked with their statement.
                counts.items += i64::from(item.kind != ItemKind::OpeningBalance);
                counts.unmatched += i64::from(item.reason.is_some() && !item.is_line());
            }
            None => self.find("is in a file that does not exist", place.clone()),
        }
        if item.trace.is_some() && !self.lines.insert((item.org, item.inbound_file, item.line)) {
            self.find("is a second report of a line of its file", place.clone());
        }
        if (item.kind, item.status) != (ItemKind::Return, ItemStatus::Applied) {
            return;
        }
        let Some(transfer) = item.transfer else { return self.find("is applied to no payment", place) };
        if !self.returned.insert((item.org, transfer)) {
            self.find("returns a payment a second time", place.clone());
        }
        if entry.is_none_or(|entry| (entry.status, entry.amount) != (EntryStatus::Returned, item.amount)) {
            self.find("is applied to a payment that is not returned, or has another amount", place);
        }
    }

    #[must_use]
    pub fn findings(mut self) -> Vec<Finding> {
        for ((_, id), (file, counts)) in std::mem::take(&mut self.files) {
            if (file.items, file.unmatched) != (counts.items, counts.unmatched) {
                let (items, unmatched) = (file.items, file.unmatched);
                let Counts { items: found, unmatched: open } = counts;
                let what = format!("counts {items} reports, {unmatched} unmatched; it has {found}, {open} unmatched");
                self.find(what, format!("inbound file {id}"));
            }
            let may_have = match file.status {
                InboundStatus::Applied => counts.items,
                // Its other pages follow.
                InboundStatus::Stored => file.reports_read,
                InboundStatus::Uploaded
                | InboundStatus::Quarantined
                | InboundStatus::Discarded
                | InboundStatus::Duplicate => 0,
            };
            if counts.items > may_have {
                let what = format!(
                    "is {}, was read as far as {}, and has {} reports",
                    file.status, file.reports_read, counts.items
                );
                self.find(what, format!("inbound file {id}"));
            }
        }
        self.findings
    }
}
