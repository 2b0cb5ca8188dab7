//! Compares the program's records with the bank's after each commit, by rules that do not use the product's.

use super::far::Far;
use crate::bank_files::{BankAnswer, BankEntry, BankFile, EntryKind, EntryStatus, FileStatus, individual_id};
use crate::bank_intake::{BankItem, InboundFile, ItemKind, ItemStatus};
use crate::ids::TransferId;
use crate::ledger::verify::Finding;
use crate::rails::Direction;
use crate::sim::checks::changed::written;
use crate::store::memory::Change;
use crate::transfers::{Transfer, TransferStatus};

/// The number of the invariant that a bank's file is applied once, and a return to the payment that it names.
const INTAKE: u8 = 40;
/// The number of the invariant that a transfer has no outcome that its rail did not give.
const OUTCOME: u8 = 5;
/// The number of the invariant that nothing is presumed settled against the bank's word.
const PRESUMED: u8 = 65;

impl Far {
    /// Takes a commit; returns what contradicts the bank's records.
    pub fn commit(&mut self, changes: &[Change]) -> Option<Finding> {
        self.place?;
        for file in written::<BankFile>(changes) {
            if let (Some(name), Some(sha256)) = (file.name.clone(), file.sha256.clone()) {
                if file.answer == Some(BankAnswer::Accepted) && !self.taken.contains_key(&sha256) {
                    let what = "is acknowledged; the bank does not have it".to_owned();
                    self.find(INTAKE, what, format!("bank file {}", file.id));
                }
                self.committed.insert(name, sha256);
            }
            let is_unclear = file.contested.is_some() || self.acknowledges && !file.is_answered();
            if file.status == FileStatus::Sent && is_unclear {
                self.truth.unclear.insert(file.id);
            } else {
                self.truth.unclear.remove(&file.id);
            }
        }
        for entry in written::<BankEntry>(changes) {
            let before = self.truth.entries.insert(entry.transfer, entry.status);
            let is_presumed = (before, entry.status) == (Some(EntryStatus::Joined), EntryStatus::Settled);
            // A change that the bank reports ends a prenote too, and shows that the bank has its file.
            let is_payment = entry.kind != EntryKind::Prenote && entry.answer.is_none();
            if is_presumed && is_payment && self.truth.unclear.contains(&entry.file) {
                let what = format!("is settled; the bank contests the file {} or has not acknowledged it", entry.file);
                self.find(PRESUMED, what, format!("bank entry {}", entry.transfer));
            }
            if before.is_none() {
                self.count(match (entry.kind, entry.direction) {
                    (EntryKind::Payment, Direction::Credit) => "payments in bank files",
                    (EntryKind::Payment, Direction::Debit) => "debits in bank files",
                    (EntryKind::Reversal, _) => "reversals in bank files",
                    (EntryKind::Retry, _) => "debits that were presented again",
                    (EntryKind::Prenote, _) => "prenotes in bank files",
                });
                if entry.kind == EntryKind::Reversal {
                    let id = individual_id(entry.transfer);
                    self.truth.reversals.entry(entry.moves()).or_default().push(id);
                }
            }
            match (entry.kind, entry.status) {
                (EntryKind::Payment | EntryKind::Retry, EntryStatus::Reversed) => {
                    self.count("payments that were reversed")
                }
                (EntryKind::Reversal, EntryStatus::Returned) => self.count("reversals that were returned"),
                (_, _) => {}
            }
            self.truth.payments.insert(individual_id(entry.transfer), entry.transfer);
        }
        let held = written::<Transfer>(changes).filter(|transfer| transfer.held_for.is_some());
        self.truth.held.extend(held.map(|transfer| transfer.id));
        for file in written::<InboundFile>(changes) {
            let known = (file.name.clone(), file.modified.unwrap_or_default());
            self.unread.remove(&known);
            self.read_once(&file);
        }
        for item in written::<BankItem>(changes) {
            let is_return = (item.kind, item.status) == (ItemKind::Return, ItemStatus::Applied);
            self.count(what_came(item.kind, item.status));
            if let (true, Some(transfer)) = (is_return, item.transfer)
                && item.individual_id != individual_id(transfer)
            {
                let what = format!("is the return of {}; it was applied to {transfer}", item.individual_id);
                self.find(INTAKE, what, format!("bank item {}", item.id));
            }
        }
        self.complaint()
    }

    /// The same bytes under two names are read once, unless a member discarded the first.
    fn read_once(&mut self, file: &InboundFile) {
        let Some(hash) = self.hashes.get(&file.name).cloned() else { return };
        if !file.is_used() {
            self.used.remove(&file.id);
            return;
        }
        if self.used.iter().any(|(id, used)| *id != file.id && *used == hash) {
            let what = "has the bytes of another file that is read".to_owned();
            self.find(INTAKE, what, format!("inbound file {} ({})", file.id, file.name));
        }
        self.used.insert(file.id, hash);
    }

    /// Whether a transfer is a payment in a file, or waited for a prenote before it would be one.
    pub fn carries(&self, transfer: TransferId) -> bool {
        self.truth.entries.contains_key(&transfer) || self.truth.held.contains(&transfer)
    }

    /// Whether the bank has a reversal of a transfer, or refused it: the refusal may come after it was presumed settled.
    fn is_taken_back(&self, transfer: TransferId) -> bool {
        let ids = self.truth.reversals.get(&transfer);
        let has = |id: &String| self.accepted.contains_key(id) || self.refused.contains(id) || self.is_in_folder(id);
        ids.is_some_and(|ids| ids.iter().any(has))
    }

    /// Compares a transfer with the bank's records: no outcome that the bank did not give.
    pub fn disagreement(&self, transfer: &Transfer) -> Option<Finding> {
        let id = individual_id(transfer.id);
        let (is_accepted, is_refused) = (self.accepted.contains_key(&id), self.refused.contains(&id));
        let (is_returned, is_waiting) = (self.returned.contains(&id), self.is_in_folder(&id));
        let agrees = match transfer.status {
            TransferStatus::Created | TransferStatus::Flagged | TransferStatus::Pending => true,
            TransferStatus::Completed => is_accepted || is_refused || is_waiting,
            TransferStatus::Reversed => is_returned || is_refused || self.is_taken_back(transfer.id),
            TransferStatus::Failed => {
                // What was collected and paid back before it was presumed settled never arrived.
                let is_paid_back = transfer.direction() == Some(Direction::Debit) && self.is_taken_back(transfer.id);
                is_returned || is_paid_back || !is_accepted && !is_waiting
            }
            TransferStatus::Canceled => !is_accepted && !is_waiting,
        };
        let what = || {
            let refused = if is_refused { ", refused" } else { "" };
            let returned = if is_returned { ", returned" } else { "" };
            let state = if is_accepted { "has" } else { "does not have" };
            format!("is {}; the bank {state} it{refused}{returned}", transfer.status)
        };
        (!agrees).then(|| Finding { invariant: OUTCOME, what: what(), place: format!("transfer {}", transfer.id) })
    }
}

/// Returns the words of the report for what came of something that a bank sent.
const fn what_came(kind: ItemKind, status: ItemStatus) -> &'static str {
    match (kind, status) {
        (ItemKind::Return, ItemStatus::Applied) => "returns that were applied",
        (ItemKind::Return, ItemStatus::Matched) => "returns that a member matched",
        (ItemKind::Change, ItemStatus::Applied) => "corrected accounts",
        (ItemKind::Rejection, ItemStatus::Applied) => "rejections that were applied",
        (ItemKind::Acknowledgement, ItemStatus::Applied) => "acknowledgements that were applied",
        (ItemKind::Line, ItemStatus::Applied) => "lines of statements that were booked",
        (ItemKind::Line, ItemStatus::Explained) => "lines of statements that were explained",
        (ItemKind::Line, ItemStatus::Matched) => "lines of statements that a member assigned",
        (_, ItemStatus::Ignored) => "reports of banks that a member ignored",
        (_, _) => "other changes of what banks sent",
    }
}
