//! Records the outcomes of payments in bank files.

use std::sync::Arc;

use super::effects::{arrived, call_off_reversal, came_back, failed, present_again, settle};
use super::prenotes;
use crate::bank_files::{self, BankAnswer, BankEntry, BankFile, EntryKind, EntryStatus, FilePurpose, FileStatus};
use crate::banking::{AcknowledgementKind, connections};
use crate::engine::Command;
use crate::ids::{BankFileId, OrgId, SettlementAccountId, TransferId};
use crate::jobs::{self, Leased};
use crate::rails::Direction;
use crate::rails::failures::FailureCode;
use crate::refusal::{Code, Refusal};
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// The wait for the line of a statement.
const BOOKED_AGAIN_SECONDS: i64 = 3_600;

/// Records the next outcomes of a file: a payment in a file at the bank is presumed settled at the settlement time, unless the
/// bank contests the file or owes its acknowledgement (invariant 65); one in a canceled file fails, and the reversal of one in
/// a refused file is not sent.
#[derive(Clone, Debug)]
pub struct EndEntries {
    pub leased: Leased,
    pub file: BankFileId,
    /// The entry up to which outcomes were recorded when the entries were read.
    pub after: Option<TransferId>,
    /// The entries after it, in order; empty if none is left.
    pub entries: Vec<TransferId>,
}

/// Why the outcomes of a file at the bank wait for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// The statement has no line for debits that a member marked as sent.
    ForLine,
    /// The bank refused the file of a payment that the file reverses.
    ForOriginal,
    /// What the bank says about the file may be wrong.
    ForMembers,
    /// The bank acknowledges files, and has not acknowledged this one.
    ForAcknowledgement,
}

impl Command for EndEntries {
    type Reply = Option<Waits>;

    fn needs(&self) -> Vec<Want> {
        let org = self.leased.org;
        let entries = self.entries.iter().map(|transfer| Want::row::<BankEntry>(key![org, *transfer]));
        [self.leased.want(), Want::row::<BankFile>(key![org, self.file])].into_iter().chain(entries).collect()
    }

    fn decide(&self, world: &mut World) -> Result<Option<Waits>, Halt> {
        let file = bank_files::find(world, self.leased.org, self.file)?;
        let now = world.now();
        let status = match file.status {
            FileStatus::Sent if now < file.settles_at => {
                return jobs::put_off(world, &self.leased, file.settles_at, None).map(|()| None);
            }
            FileStatus::Sent if file.contested.is_some() => {
                let reason = "the bank contests the file; members decide about it".to_owned();
                jobs::put_off(world, &self.leased, now.plus_seconds(BOOKED_AGAIN_SECONDS), Some(reason))?;
                return Ok(Some(Waits::ForMembers));
            }
            FileStatus::Sent if !file.is_answered() && expects_answer(world, &file)? => {
                let reason = "the bank has not acknowledged the file".to_owned();
                jobs::put_off(world, &self.leased, now.plus_seconds(BOOKED_AGAIN_SECONDS), Some(reason))?;
                return Ok(Some(Waits::ForAcknowledgement));
            }
            // A member's word that a bank has a file of debits would give an app money that no payer paid.
            FileStatus::Sent if file.direction == Direction::Debit && file.moves_money() && file.is_unproven() => {
                let reason = "the bank has not credited the file, which a member marked as sent".to_owned();
                jobs::put_off(world, &self.leased, now.plus_seconds(BOOKED_AGAIN_SECONDS), Some(reason))?;
                return Ok(Some(Waits::ForLine));
            }
            FileStatus::Sent => Some(EntryStatus::Settled),
            FileStatus::Canceled => Some(EntryStatus::Canceled),
            // A member decides about its payments; their reversals are not sent.
            FileStatus::Rejected => None,
            FileStatus::Open
            | FileStatus::Sealed
            | FileStatus::Sending
            | FileStatus::Renaming
            | FileStatus::InDoubt
            | FileStatus::Dropped => return jobs::finish(world, &self.leased).map(|()| None),
        };
        // Another worker may have recorded them in the meantime, or the file has another state.
        let is_next = file.ended_through == self.after;
        let Some(last) = self.entries.last().copied().filter(|_| is_next) else {
            if is_next {
                jobs::finish(world, &self.leased)?;
            } else {
                jobs::put_off(world, &self.leased, now, None)?;
            }
            return Ok(None);
        };
        if status == Some(EntryStatus::Settled) && waits_for_originals(world, &file, &self.entries)? {
            let reason = "the bank refused the file of a payment that it reverses; move or cancel that file".to_owned();
            jobs::put_off(world, &self.leased, now.plus_seconds(BOOKED_AGAIN_SECONDS), Some(reason))?;
            return Ok(Some(Waits::ForOriginal));
        }
        world.each(&self.entries, |world, transfer| match status {
            Some(status) => end(world, &file, *transfer, status),
            None => match bank_files::entry(world, file.org, *transfer)? {
                Some(entry) => call_off_reversal(world, &entry, FailureCode::RejectedByRail),
                None => Ok(()),
            },
        })?;
        bank_files::change(world, &file, |file| file.ended_through = Some(last));
        jobs::put_off(world, &self.leased, now, None)?;
        Ok(None)
    }
}

/// Returns whether the bank acknowledges the file. Files of before the approval were sent under other settings.
fn expects_answer(world: &mut World, file: &BankFile) -> Result<bool, Halt> {
    let connection = connections::find(world, file.org, file.connection)?;
    let is_of_settings = file.sent_at.zip(connection.approved_at).is_some_and(|(sent, approved)| sent >= approved);
    Ok(is_of_settings && connection.settings.0.acknowledgements.kind != AcknowledgementKind::None)
}

/// Returns whether a member must decide about the original of a reversal: its file was refused, and may be sent again.
fn waits_for_originals(world: &mut World, file: &BankFile, entries: &[TransferId]) -> Result<bool, Halt> {
    if file.purpose != FilePurpose::Reversals {
        return Ok(false);
    }
    let waits = world.each(entries, |world, id| {
        let reversal = bank_files::entry(world, file.org, *id)?;
        let original = reversal.filter(|reversal| reversal.status == EntryStatus::Joined);
        let Some(original) = original.and_then(|reversal| reversal.follows) else { return Ok(false) };
        let Some(original) = bank_files::entry(world, file.org, original)? else { return Ok(false) };
        let of = bank_files::find(world, file.org, original.file)?;
        Ok(original.status == EntryStatus::Joined
            && !matches!(of.status, FileStatus::Sent | FileStatus::Canceled | FileStatus::Dropped))
    })?;
    Ok(waits.contains(&true))
}

fn end(world: &mut World, file: &Arc<BankFile>, id: TransferId, status: EntryStatus) -> Result<(), Halt> {
    let Some(entry) = bank_files::entry(world, file.org, id)? else { return Ok(()) };
    if entry.file != file.id {
        return Ok(());
    }
    if entry.kind == EntryKind::Prenote && status == EntryStatus::Canceled {
        let is_open = matches!(entry.status, EntryStatus::Joined | EntryStatus::Settled);
        return if is_open { prenotes::canceled(world, &entry) } else { Ok(()) };
    }
    // The bank refused the file after its payments were presumed settled.
    if matches!(entry.status, EntryStatus::Settled | EntryStatus::Reversed) && status == EntryStatus::Canceled {
        let credited_to = debited_from(file, &entry);
        let ended = Ended { status: EntryStatus::Returned, credited_to, again: None };
        return take_back(world, file, &entry, FailureCode::RejectedByRail, ended);
    }
    if entry.status != EntryStatus::Joined {
        return Ok(());
    }
    if status == EntryStatus::Settled {
        return settle(world, &entry);
    }
    failed(world, &entry, FailureCode::RejectedByRail, false)?;
    call_off_reversal(world, &entry, FailureCode::RejectedByRail)?;
    let now = world.now();
    let credited_to = debited_from(file, &entry);
    world.change(&entry, |entry| {
        (entry.status, entry.ended_at, entry.credit_due) = (status, Some(now), credited_to);
    });
    Ok(())
}

/// Returns the account that the bank debited for an entry, and credits if it refuses the file.
fn debited_from(file: &BankFile, entry: &BankEntry) -> Option<SettlementAccountId> {
    let is_debited = file.debit_line.is_some() || entry.debit_line.is_some();
    is_debited.then_some(entry.settlement_account)
}

/// The end of a payment that did not arrive.
#[derive(Clone, Copy)]
struct Ended {
    status: EntryStatus,
    /// The account to which the bank credits the money, if it had it.
    credited_to: Option<SettlementAccountId>,
    /// The entry that presents it again.
    again: Option<TransferId>,
}

fn take_back(
    world: &mut World,
    file: &Arc<BankFile>,
    entry: &Arc<BankEntry>,
    code: FailureCode,
    ended: Ended,
) -> Result<(), Halt> {
    if matches!(entry.status, EntryStatus::Settled | EntryStatus::Reversed) {
        came_back(world, entry, code)?;
    } else if ended.again.is_none() {
        failed(world, entry, code, true)?;
    }
    call_off_reversal(world, entry, code)?;
    if code == FailureCode::Duplicate {
        let reason = format!("The bank says that the payment {} was sent twice.", entry.moves());
        connections::stop(world, file.org, file.connection, &reason)?;
    }
    let now = world.now();
    world.change(entry, |entry| {
        entry.followed_by = ended.again.or(entry.followed_by);
        (entry.status, entry.ended_at, entry.error) = (ended.status, Some(now), Some(code));
        entry.credit_due = ended.credited_to;
    });
    if ended.status == EntryStatus::Returned {
        bank_files::change(world, file, |file| file.count_returned(code));
        return Ok(());
    }
    let too_large = |_| Refusal::new(Code::InternalError, "The sum of refused payments is too large.");
    let refused_credit = file.refused_credit.plus(entry.amount).map_err(too_large)?;
    bank_files::change(world, file, |file| {
        file.refused += 1;
        file.refused_credit = refused_credit;
        // The bank has debited the others.
        if file.booked == file.due().0 {
            file.debit_due = None;
        }
    });
    Ok(())
}

/// The effect of a return on an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    Booked,
    /// It was returned before.
    Again,
    /// Its file is not at the bank according to our records.
    NotSent,
    /// It left its file, or its file was canceled.
    NotInFile,
}

/// Books the return of an entry: its transfer fails, or comes back if it was presumed settled.
///
/// # Errors
/// The store's.
pub fn return_entry(world: &mut World, entry: &Arc<BankEntry>, code: FailureCode) -> Result<Returned, Halt> {
    let file = bank_files::find(world, entry.org, entry.file)?;
    match entry.status {
        EntryStatus::Returned => return Ok(Returned::Again),
        EntryStatus::Withdrawn | EntryStatus::Canceled | EntryStatus::Rejected => return Ok(Returned::NotInFile),
        EntryStatus::Joined | EntryStatus::Settled | EntryStatus::Reversed => {}
    }
    if file.status != FileStatus::Sent {
        return Ok(Returned::NotSent);
    }
    let again = present_again(world, entry, code)?;
    // Nothing is credited for a prenote.
    let credited_to = Some(entry.settlement_account).filter(|_| file.moves_money());
    let ended = Ended { status: EntryStatus::Returned, credited_to, again };
    take_back(world, &file, entry, code, ended)?;
    Ok(Returned::Booked)
}

/// The effect of a bank's answer about a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    Applied,
    /// The bank said so before, or something stronger.
    Known,
    /// It contradicts an earlier answer: a refusal of money that has moved, or the settlement of a refused payment.
    Odd,
    /// Its file is not at the bank according to our records.
    NotSent,
    /// It left its file, or its file was canceled.
    NotInFile,
}

/// Records that the money of a payment has moved, according to the bank.
///
/// # Errors
/// The store's.
pub fn settle_entry(world: &mut World, entry: &Arc<BankEntry>) -> Result<Answered, Halt> {
    let file = bank_files::find(world, entry.org, entry.file)?;
    match entry.status {
        EntryStatus::Rejected => return Ok(Answered::Odd),
        EntryStatus::Returned => return Ok(Answered::Known),
        EntryStatus::Withdrawn | EntryStatus::Canceled => return Ok(Answered::NotInFile),
        EntryStatus::Joined | EntryStatus::Settled | EntryStatus::Reversed => {}
    }
    if file.status != FileStatus::Sent {
        return Ok(Answered::NotSent);
    }
    if entry.answer == Some(BankAnswer::Settled) {
        return Ok(Answered::Known);
    }
    complete(world, entry, Some(BankAnswer::Settled))?;
    Ok(Answered::Applied)
}

/// Records that the bank refused a payment: it fails, or comes back if it was presumed settled.
///
/// # Errors
/// The store's.
pub fn reject_entry(world: &mut World, entry: &Arc<BankEntry>, code: FailureCode) -> Result<Answered, Halt> {
    let file = bank_files::find(world, entry.org, entry.file)?;
    match entry.status {
        EntryStatus::Rejected => return Ok(Answered::Known),
        EntryStatus::Returned if entry.answer == Some(BankAnswer::Rejected) => return Ok(Answered::Known),
        EntryStatus::Returned => return Ok(Answered::Odd),
        EntryStatus::Withdrawn | EntryStatus::Canceled => return Ok(Answered::NotInFile),
        EntryStatus::Joined | EntryStatus::Settled | EntryStatus::Reversed => {}
    }
    if file.status != FileStatus::Sent {
        return Ok(Answered::NotSent);
    }
    if [file.answer, entry.answer].contains(&Some(BankAnswer::Settled)) {
        return Ok(Answered::Odd);
    }
    let credited_to = debited_from(&file, entry);
    let status = if credited_to.is_some() { EntryStatus::Returned } else { EntryStatus::Rejected };
    take_back(world, &file, entry, code, Ended { status, credited_to, again: None })?;
    let entry = bank_files::entry(world, entry.org, entry.transfer)?.ok_or_else(|| Refusal::not_found("bank entry"))?;
    world.change(&entry, |entry| entry.answer = Some(BankAnswer::Rejected));
    Ok(Answered::Applied)
}

/// Completes a payment that is not completed yet.
fn complete(world: &mut World, entry: &Arc<BankEntry>, answer: Option<BankAnswer>) -> Result<(), Halt> {
    if entry.status == EntryStatus::Joined {
        arrived(world, entry)?;
    }
    let now = world.now();
    world.change(entry, |entry| {
        if entry.status == EntryStatus::Joined {
            (entry.status, entry.ended_at) = (EntryStatus::Settled, Some(now));
        }
        entry.answer = answer.or(entry.answer);
    });
    Ok(())
}

/// Completes the instant payments that a line of a statement debits: an instant payment is never presumed settled.
///
/// # Errors
/// The store's.
pub fn settle_booked(world: &mut World, org: OrgId, files: &[BankFileId], payments: &[TransferId]) -> Result<(), Halt> {
    let mut booked = world.each(payments, |world, payment| bank_files::entry(world, org, *payment))?;
    for file in world.each(files, |world, file| bank_files::find(world, org, *file))? {
        if bank_files::is_at_once(file.platform) {
            booked.extend(world.all::<BankEntry>(BankEntry::OF_FILE, key![org, file.id])?.into_iter().map(Some));
        }
    }
    for entry in booked.into_iter().flatten() {
        let file = bank_files::find(world, org, entry.file)?;
        if bank_files::is_at_once(file.platform) && entry.status == EntryStatus::Joined {
            complete(world, &entry, None)?;
        }
    }
    Ok(())
}

/// Fails payments whose accounts cannot be used, and calls off reversals whose originals came back, before their file is
/// written. Their money stays.
#[derive(Clone, Debug)]
pub struct RefuseEntries {
    pub leased: Leased,
    pub file: BankFileId,
    pub entries: Vec<TransferId>,
}

impl Command for RefuseEntries {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let org = self.leased.org;
        for id in &self.entries {
            let file = bank_files::find(world, org, self.file)?;
            let Some(entry) = bank_files::entry(world, org, *id)? else { continue };
            let is_written = file.status != FileStatus::Sealed || file.sha256.is_some();
            if is_written || entry.status != EntryStatus::Joined || entry.file != file.id {
                continue;
            }
            bank_files::remove(world, &file, &entry)?;
            let code = match entry.kind {
                EntryKind::Payment | EntryKind::Reversal | EntryKind::Prenote => FailureCode::InvalidAccountNumber,
                // The account did not cover the debit, and is not in use any more.
                EntryKind::Retry => FailureCode::InsufficientFunds,
            };
            failed(world, &entry, code, false)?;
        }
        let now = world.now();
        jobs::put_off(world, &self.leased, now, None)
    }
}
