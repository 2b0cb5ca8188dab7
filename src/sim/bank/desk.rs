//! The members of the organization with a bank. They release, move, mark and cancel files, discard what is in
//! quarantine, match and approve, and ask the bank; each by what they can know.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::far::Far;
use super::set_up::{Place, person};
use crate::bank_files::{
    self, ActOnFile, BankEntry, BankFile, Deed, EntryStatus, FileOutcome, FilePurpose, FileStatus,
};
use crate::bank_intake::{
    ActOnInbound, ActOnItem, BankItem, BookedAs, FileDeed, InboundFile, InboundStatus, ItemDeed, ItemKind, ItemReason,
    ItemStatus, LineMeaning, Proposal, is_clarified,
};
use crate::bank_reversals::{
    ActOnReversal, BankReversal, ProposeReversal, ReversalDeed, ReversalReason, ReversalStatus,
};
use crate::bank_statements::{BankStatement, StatementReason, StatementStatus};
use crate::banking::connections::{BankConnection, ConnectionStatus, ResumeConnection};
use crate::clock::{DAY_SECONDS, Time};
use crate::engine::Command;
use crate::ids::{
    BankConnectionId, BankFileId, BankItemId, BankReversalId, BankStatementId, InboundFileId, MemberId, TransferId,
};
use crate::sim::chance::Chance;
use crate::sim::checks::changed::{changed, written};
use crate::sim::requests::{Said, Who};
use crate::sim::system::{Batch, System};
use crate::store::memory::Change;
use crate::transfers::Transfer;
use crate::world::record::{Document, key};
use crate::world::{Halt, World};

/// The time after its sending in which a member finds an error in a file; longer than the rules allow.
const REVERSED_SECONDS: i64 = 10 * DAY_SECONDS;
/// Entries of which a member reverses one.
const ENTRIES_READ: usize = 50;

/// What needs a member.
#[derive(Default)]
pub(in crate::sim) struct Desk {
    files: BTreeMap<BankFileId, Arc<BankFile>>,
    inbound: BTreeMap<InboundFileId, Arc<InboundFile>>,
    items: BTreeMap<BankItemId, Arc<BankItem>>,
    statements: BTreeMap<BankStatementId, Arc<BankStatement>>,
    /// Files that the bank has not booked.
    undebited: BTreeMap<BankFileId, Arc<BankFile>>,
    /// Files whose entries may be reversed.
    sent: BTreeMap<BankFileId, Arc<BankFile>>,
    /// Reversals that another member must approve.
    reversals: BTreeMap<BankReversalId, Arc<BankReversal>>,
    /// Whether the bank acknowledges files.
    pub acknowledges: bool,
    /// Connections that the program stopped.
    stopped: BTreeMap<BankConnectionId, Arc<BankConnection>>,
}

/// What a member does.
#[derive(Clone, Debug)]
pub(in crate::sim) enum MemberDeed {
    File(ActOnFile),
    Inbound(ActOnInbound),
    Item(ActOnItem),
    Reverse(ProposeReversal),
    Reversal(ActOnReversal),
    Resume(ResumeConnection),
}

impl MemberDeed {
    pub fn send(self, batch: &mut Batch<Who, Said>) {
        match self {
            Self::File(act) => add(batch, act.org, act),
            Self::Inbound(act) => add(batch, act.org, act),
            Self::Item(act) => add(batch, act.org, act),
            Self::Reverse(act) => add(batch, act.org, act),
            Self::Reversal(act) => add(batch, act.org, act),
            Self::Resume(act) => add(batch, act.org, act),
        }
    }
}

fn add<C: Command>(batch: &mut Batch<Who, Said>, org: crate::ids::OrgId, act: C) {
    batch.add(Who::Member, org, act, |_| Said::Done);
}

fn evidence() -> String {
    "By phone.".to_owned()
}

fn needs_member(file: &BankFile, acknowledges: bool) -> bool {
    match file.status {
        FileStatus::Sealed | FileStatus::Sending | FileStatus::InDoubt | FileStatus::Rejected => true,
        // Members ask a bank that should have answered.
        FileStatus::Sent => {
            file.contested.is_some() || acknowledges && !file.is_answered() && file.ended_through.is_none()
        }
        FileStatus::Open | FileStatus::Renaming | FileStatus::Canceled | FileStatus::Dropped => false,
    }
}

impl Desk {
    pub fn commit(&mut self, changes: &[Change]) {
        for file in written::<BankFile>(changes) {
            set(&mut self.files, file.id, needs_member(&file, self.acknowledges), &file);
            set(&mut self.undebited, file.id, file.debit_due.is_some(), &file);
            let may_be_reversed = (file.status, file.purpose) == (FileStatus::Sent, FilePurpose::Payments);
            set(&mut self.sent, file.id, may_be_reversed, &file);
        }
        for reversal in written::<BankReversal>(changes) {
            set(&mut self.reversals, reversal.id, reversal.status == ReversalStatus::Proposed, &reversal);
        }
        for connection in written::<BankConnection>(changes) {
            set(&mut self.stopped, connection.id, connection.status == ConnectionStatus::Paused, &connection);
        }
        for file in written::<InboundFile>(changes) {
            set(&mut self.inbound, file.id, file.status == InboundStatus::Quarantined, &file);
        }
        for item in written::<BankItem>(changes) {
            let is_open = match item.status {
                ItemStatus::Unmatched | ItemStatus::Matched => true,
                ItemStatus::Explained => !is_clarified(&item),
                ItemStatus::Waiting | ItemStatus::Applied | ItemStatus::Ignored => false,
            };
            set(&mut self.items, item.id, is_open, &item);
        }
        for change in changed::<BankStatement>(changes) {
            let Some(statement) = change.after else { continue };
            let waits = statement.status == StatementStatus::Waiting
                && statement.reason == Some(StatementReason::MissingBefore);
            set(&mut self.statements, statement.id, waits, &statement);
        }
    }

    /// Describes what waits for a member.
    pub fn left(&self) -> String {
        let items: Vec<_> = self.items.values().map(|item| (item.kind, item.status, item.reason)).collect();
        let files: Vec<_> = self.files.values().map(|file| (file.purpose, file.status)).collect();
        let others = (self.inbound.len(), self.statements.len(), self.reversals.len(), self.stopped.len());
        format!("{items:?}, {files:?}, {others:?}")
    }

    pub fn is_empty(&self) -> bool {
        let is_read = self.inbound.is_empty() && self.items.is_empty() && self.statements.is_empty();
        is_read && self.files.is_empty() && self.reversals.is_empty() && self.stopped.is_empty()
    }

    /// Returns what a member does next about something that needs one.
    pub fn next(&self, system: &System, far: &mut Far, chance: &mut Chance) -> Option<MemberDeed> {
        let place = far.place?;
        match chance.position(5) {
            0 if !self.stopped.is_empty() => {
                let connection = pick(&self.stopped, chance)?.id;
                far.count("connections that a member resumed");
                let by = person(place.org, place.members.admin);
                Some(MemberDeed::Resume(ResumeConnection { org: place.org, person: by, connection }))
            }
            0 => {
                let file = pick(&self.files, chance)?;
                let deed = about_file(&file, system.now(), far, chance)?;
                // The second member of a decision is another one, mostly.
                let is_second = matches!(deed, Deed::Decide { .. }) && chance.one_in(2);
                let by = if is_second { person(place.org, place.members.admin) } else { payer(place) };
                Some(MemberDeed::File(ActOnFile { org: place.org, person: by, file: file.id, deed }))
            }
            1 => {
                let file = pick(&self.inbound, chance)?;
                // A file in quarantine has the same faults when it is read again.
                let again = !far.sound && chance.one_in(3);
                let deed =
                    if again { FileDeed::Replay { sha256: None } } else { FileDeed::Discard { reason: evidence() } };
                Some(MemberDeed::Inbound(ActOnInbound { org: place.org, person: payer(place), file: file.id, deed }))
            }
            2 => {
                if !self.statements.is_empty() {
                    far.ask_for_statements();
                }
                None
            }
            3 => self.about_reversals(place, system, far, chance),
            _ => {
                let item = pick(&self.items, chance)?;
                let (by, deed) = self.about_item(&item, place, system, far, chance)?;
                let person = person(place.org, by);
                Some(MemberDeed::Item(ActOnItem { org: place.org, person, item: item.id, deed }))
            }
        }
    }

    /// Another member decides about a proposal in time; or a member finds an error in a file at the bank.
    fn about_reversals(&self, place: Place, system: &System, far: &mut Far, chance: &mut Chance) -> Option<MemberDeed> {
        let now = system.now();
        if let Some(reversal) = pick(&self.reversals, chance) {
            let is_fresh = now.seconds_since(reversal.found_at) < DAY_SECONDS;
            let deed = if is_fresh && !chance.one_in(4) {
                ReversalDeed::Approve { version: reversal.version }
            } else {
                ReversalDeed::Dismiss { reason: evidence() }
            };
            // Also by the member who proposed it, which is refused.
            let by = if chance.one_in(8) { place.members.payer } else { place.members.admin };
            let person = person(place.org, by);
            return Some(MemberDeed::Reversal(ActOnReversal { org: place.org, person, reversal: reversal.id, deed }));
        }
        if far.sound || !chance.one_in(24) {
            return None;
        }
        let file = pick(&self.sent, chance)
            .filter(|file| file.sent_at.is_some_and(|sent| now.seconds_since(sent) < REVERSED_SECONDS))?;
        let entries = system.read(|world| bank_files::after(world, &file, None, ENTRIES_READ)).ok()?;
        let entry = if chance.one_in(4) { None } else { chance.pick(&entries).map(|entry| entry.transfer) };
        far.count("reversals that a member proposed");
        Some(MemberDeed::Reverse(ProposeReversal {
            org: place.org,
            person: payer(place),
            file: file.id,
            entry,
            reason: ReversalReason::Duplicate,
            evidence: evidence(),
            found_at: now,
        }))
    }

    fn about_item(
        &self,
        item: &BankItem,
        place: Place,
        system: &System,
        far: &Far,
        chance: &mut Chance,
    ) -> Option<(MemberId, ItemDeed)> {
        let (admin, payer) = (place.members.admin, place.members.payer);
        // A file that was proposed may be booked by another line by now: then a member proposes another one.
        if item.status != ItemStatus::Unmatched && self.may_be_approved(item) {
            let by = if item.matched_by.or(item.closed_by) == Some(payer) { admin } else { payer };
            return Some((by, ItemDeed::Approve { version: item.version }));
        }
        let transfer = far.truth.payments.get(&item.individual_id).copied();
        let payment = transfer.and_then(|transfer| {
            let read = |world: &mut World| payment(world, place, transfer);
            system.read(read).ok().flatten()
        });
        let deed = if item.is_line() {
            self.about_line(item, payment.as_deref(), chance)?
        } else {
            about_report(item, payment.as_deref(), system, place)?
        };
        Some((payer, deed))
    }

    /// Returns whether the files that were proposed are still to be booked.
    fn may_be_approved(&self, item: &BankItem) -> bool {
        let files = item.proposal.iter().flat_map(|Document(proposal)| &proposal.bank_file_ids);
        files.into_iter().all(|file| self.undebited.contains_key(file))
    }

    fn about_line(&self, item: &BankItem, entry: Option<&BankEntry>, chance: &mut Chance) -> Option<ItemDeed> {
        let proposed = |proposal: Proposal| Some(ItemDeed::Assign { proposal, evidence: evidence() });
        let of = |booked_as| Proposal { booked_as, app_id: None, bank_file_ids: Vec::new(), transfer_ids: Vec::new() };
        let to_organization = || proposed(of(BookedAs::Organization));
        match item.meaning.unwrap_or(LineMeaning::Other) {
            LineMeaning::Payments | LineMeaning::Collections => {
                if let Some(entry) = entry {
                    return proposed(Proposal { transfer_ids: vec![entry.transfer], ..of(BookedAs::Payments) });
                }
                let wanted = item.amount.negated();
                let is_meant = |file: &&Arc<BankFile>| file.leaving(file.credit) == wanted && file.booked == 0;
                let file = self.undebited.values().find(is_meant)?;
                proposed(Proposal { bank_file_ids: vec![file.id], ..of(BookedAs::Payments) })
            }
            LineMeaning::ReturnedDebits if entry.is_none_or(|entry| is_settled_otherwise(entry, item)) => {
                Some(ItemDeed::Explain { reason: evidence() })
            }
            LineMeaning::Returns | LineMeaning::ReturnedDebits => match entry {
                Some(entry) if entry.leaving() != item.amount => to_organization(),
                Some(entry) if entry.credit_due.is_some() => {
                    proposed(Proposal { transfer_ids: vec![entry.transfer], ..of(BookedAs::Returns) })
                }
                // The bank credited one payment twice.
                Some(entry) if entry.status == EntryStatus::Returned => to_organization(),
                // Its report has not come.
                Some(_) => None,
                None => to_organization(),
            },
            LineMeaning::DebitByOther if chance.one_in(2) => Some(ItemDeed::Explain { reason: evidence() }),
            LineMeaning::DebitByOther => Some(ItemDeed::WriteOff { reason: evidence() }),
            LineMeaning::Deposit
            | LineMeaning::Deposits
            | LineMeaning::Fee
            | LineMeaning::Interest
            | LineMeaning::Other
            | LineMeaning::OpeningBalance => to_organization(),
        }
    }
}

/// Returns whether a debit for a collected payment is not that of its return: it has another amount, or is a second one.
fn is_settled_otherwise(entry: &BankEntry, item: &BankItem) -> bool {
    entry.leaving() != item.amount || entry.status == EntryStatus::Returned && entry.credit_due.is_none()
}

fn payer(place: Place) -> crate::banking::Person {
    person(place.org, place.members.payer)
}

fn set<K: Ord, R>(known: &mut BTreeMap<K, Arc<R>>, id: K, is_open: bool, row: &Arc<R>) {
    if is_open {
        known.insert(id, row.clone());
    } else {
        known.remove(&id);
    }
}

fn pick<K, R>(known: &BTreeMap<K, Arc<R>>, chance: &mut Chance) -> Option<Arc<R>> {
    let place = if known.is_empty() { return None } else { chance.position(known.len()) };
    known.values().nth(place).cloned()
}

/// Returns the entry of a payment.
fn payment(world: &mut World, place: Place, transfer: TransferId) -> Result<Option<Arc<BankEntry>>, Halt> {
    world.get::<Transfer>(key![place.org, transfer])?;
    bank_files::entry(world, place.org, transfer)
}

/// A member looks at what the bank has.
fn about_file(file: &BankFile, now: Time, far: &mut Far, chance: &mut Chance) -> Option<Deed> {
    let (name, sha256) = (file.name.clone()?, file.sha256.clone().unwrap_or_default());
    let is_there = far.has(&name, &sha256);
    // The rules do not allow its entries any more: it cannot be moved.
    let is_too_late = file.send_by.is_some_and(|send_by| now > send_by);
    match file.status {
        FileStatus::Sent if file.contested.is_none() && now < file.settles_at => None,
        FileStatus::Sent => {
            far.count("bank files about which members asked the bank");
            let outcome = if far.has_refused(&sha256) { FileOutcome::Rejected } else { FileOutcome::Accepted };
            Some(Deed::Decide { outcome, evidence: evidence() })
        }
        FileStatus::InDoubt if is_there => {
            far.count("bank files in doubt that were marked as sent");
            Some(Deed::MarkSent { evidence: evidence() })
        }
        FileStatus::InDoubt => {
            far.clear(&file.id.to_string(), &name);
            far.count("bank files in doubt that were sent again");
            Some(Deed::Decide { outcome: FileOutcome::NotReceived, evidence: evidence() })
        }
        FileStatus::Rejected if file.returned > 0 || file.booked > 0 || (!far.sound && chance.one_in(4)) => {
            Some(Deed::Cancel { reason: evidence() })
        }
        FileStatus::Sealed | FileStatus::Sending if is_there => None,
        FileStatus::Rejected | FileStatus::Sealed | FileStatus::Sending if is_too_late => {
            Some(Deed::Cancel { reason: evidence() })
        }
        FileStatus::Rejected => Some(Deed::Redate),
        FileStatus::Sealed | FileStatus::Sending if now >= file.submit_by => Some(Deed::Redate),
        FileStatus::Sealed if file.must_wait_for_release() => {
            far.count("bank files that a second member released");
            Some(Deed::Release)
        }
        FileStatus::Sealed | FileStatus::Sending if !far.sound && chance.one_in(60) => {
            Some(Deed::Cancel { reason: evidence() })
        }
        FileStatus::Sealed
        | FileStatus::Sending
        | FileStatus::Open
        | FileStatus::Renaming
        | FileStatus::Canceled
        | FileStatus::Dropped => None,
    }
}

/// Returns what a member does about a report that matched nothing.
fn about_report(item: &BankItem, entry: Option<&BankEntry>, system: &System, place: Place) -> Option<ItemDeed> {
    let ignored = Some(ItemDeed::Ignore { reason: evidence() });
    let Some(entry) = entry.filter(|_| item.kind == ItemKind::Return) else { return ignored };
    let is_open = matches!(entry.status, EntryStatus::Joined | EntryStatus::Settled | EntryStatus::Reversed);
    let may_match = matches!(item.reason, Some(ItemReason::NotSent | ItemReason::UnknownTrace));
    if !is_open || !may_match || entry.amount != item.amount {
        return ignored;
    }
    let file = system.read(|world| bank_files::find(world, place.org, entry.file)).ok()?;
    match file.status {
        FileStatus::Sent => Some(ItemDeed::Match { transfer: entry.transfer, evidence: evidence() }),
        // The program does not know yet that the bank has it.
        FileStatus::Sealed | FileStatus::Sending | FileStatus::Renaming | FileStatus::InDoubt => None,
        FileStatus::Open | FileStatus::Rejected | FileStatus::Canceled | FileStatus::Dropped => ignored,
    }
}
