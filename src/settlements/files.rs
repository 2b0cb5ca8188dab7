//! Records the outcomes of payments in bank files.

use std::sync::Arc;

use super::outcomes::{Fact, bring};
use crate::bank_files::{self, BankAnswer, BankEntry, BankFile, EntryStatus, FileStatus};
use crate::engine::Command;
use crate::ids::{BankFileId, OrgId, SettlementAccountId, TransferId};
use crate::jobs::{self, Leased};
use crate::ledger::Account;
use crate::rails::Direction;
use crate::rails::failures::FailureCode;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// The wait for the line of a statement.
const BOOKED_AGAIN_SECONDS: i64 = 3_600;

/// Records the next outcomes of a file: a payment in a file at the bank is presumed settled at the settlement time, and
/// one in a canceled file fails.
#[derive(Clone, Debug)]
pub struct EndEntries {
    pub leased: Leased,
    pub file: BankFileId,
    /// The entry up to which outcomes were recorded when the entries were read.
    pub after: Option<TransferId>,
    /// The entries after it, in order; empty if none is left.
    pub entries: Vec<TransferId>,
}

impl Command for EndEntries {
    type Reply = ();

    fn needs(&self) -> Vec<Want> {
        let org = self.leased.org;
        let entries = self.entries.iter().map(|transfer| Want::row::<BankEntry>(key![org, *transfer]));
        [self.leased.want(), Want::row::<BankFile>(key![org, self.file])].into_iter().chain(entries).collect()
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let file = bank_files::find(world, self.leased.org, self.file)?;
        let now = world.now();
        let status = match file.status {
            FileStatus::Sent if now < file.settles_at => {
                return jobs::put_off(world, &self.leased, file.settles_at, None);
            }
            FileStatus::Sent if must_be_booked(&file) => {
                let reason = "the bank has not credited the file, which a member marked as sent".to_owned();
                return jobs::put_off(world, &self.leased, now.plus_seconds(BOOKED_AGAIN_SECONDS), Some(reason));
            }
            FileStatus::Sent => EntryStatus::Settled,
            FileStatus::Canceled => EntryStatus::Canceled,
            FileStatus::Open
            | FileStatus::Sealed
            | FileStatus::Sending
            | FileStatus::Renaming
            | FileStatus::InDoubt
            | FileStatus::Rejected
            | FileStatus::Dropped => return jobs::finish(world, &self.leased),
        };
        // Another worker may have recorded them in the meantime, or the file has another state.
        let is_next = file.ended_through == self.after;
        let Some(last) = self.entries.last().copied().filter(|_| is_next) else {
            return if is_next {
                jobs::finish(world, &self.leased)
            } else {
                jobs::put_off(world, &self.leased, now, None)
            };
        };
        world.each(&self.entries, |world, transfer| end(world, &file, *transfer, status))?;
        bank_files::change(world, &file, |file| file.ended_through = Some(last));
        jobs::put_off(world, &self.leased, now, None)
    }
}

/// Returns whether a file waits for the line of its statement. A member's word that a bank has a file of debits would give
/// an app money that no payer paid.
fn must_be_booked(file: &BankFile) -> bool {
    file.direction == Direction::Debit && file.closed_by.is_some() && file.debit_line.is_none() && file.booked == 0
}

fn end(world: &mut World, file: &Arc<BankFile>, id: TransferId, status: EntryStatus) -> Result<(), Halt> {
    let Some(entry) = bank_files::entry(world, file.org, id)? else { return Ok(()) };
    if entry.file != file.id {
        return Ok(());
    }
    // The bank refused the file after its payments were presumed settled.
    if (entry.status, status) == (EntryStatus::Settled, EntryStatus::Canceled) {
        let ended = Ended { status: EntryStatus::Returned, credited_to: debited_from(file, &entry) };
        return take_back(world, file, &entry, FailureCode::RejectedByRail, ended);
    }
    if entry.status != EntryStatus::Joined {
        return Ok(());
    }
    let transfer = transfers::find(world, Scope { org: entry.org, app: entry.app }, id)?;
    let is_settled = status == EntryStatus::Settled;
    let fact = if is_settled { Fact::Arrived } else { Fact::Failed(FailureCode::RejectedByRail) };
    bring(world, &transfer, fact, unbooked(&entry))?;
    let now = world.now();
    let credited_to = debited_from(file, &entry).filter(|_| status == EntryStatus::Canceled);
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

const fn unbooked(entry: &BankEntry) -> Account {
    Account::Unbooked(entry.app, entry.settlement_account)
}

/// The end of a payment that did not arrive.
#[derive(Clone, Copy)]
struct Ended {
    status: EntryStatus,
    /// The account to which the bank credits the money, if it had it.
    credited_to: Option<SettlementAccountId>,
}

fn take_back(
    world: &mut World,
    file: &Arc<BankFile>,
    entry: &Arc<BankEntry>,
    code: FailureCode,
    ended: Ended,
) -> Result<(), Halt> {
    let transfer = transfers::find(world, Scope { org: entry.org, app: entry.app }, entry.transfer)?;
    let fact = if entry.status == EntryStatus::Settled { Fact::CameBack(code) } else { Fact::Failed(code) };
    bring(world, &transfer, fact, unbooked(entry))?;
    let now = world.now();
    world.change(entry, |entry| {
        (entry.status, entry.ended_at) = (ended.status, Some(now));
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
        EntryStatus::Joined | EntryStatus::Settled => {}
    }
    if file.status != FileStatus::Sent {
        return Ok(Returned::NotSent);
    }
    let ended = Ended { status: EntryStatus::Returned, credited_to: Some(entry.settlement_account) };
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
        EntryStatus::Joined | EntryStatus::Settled => {}
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
        EntryStatus::Joined | EntryStatus::Settled => {}
    }
    if file.status != FileStatus::Sent {
        return Ok(Answered::NotSent);
    }
    if [file.answer, entry.answer].contains(&Some(BankAnswer::Settled)) {
        return Ok(Answered::Odd);
    }
    let credited_to = debited_from(&file, entry);
    let status = if credited_to.is_some() { EntryStatus::Returned } else { EntryStatus::Rejected };
    take_back(world, &file, entry, code, Ended { status, credited_to })?;
    let entry = bank_files::entry(world, entry.org, entry.transfer)?.ok_or_else(|| Refusal::not_found("bank entry"))?;
    world.change(&entry, |entry| entry.answer = Some(BankAnswer::Rejected));
    Ok(Answered::Applied)
}

/// Completes a payment that is not completed yet.
fn complete(world: &mut World, entry: &Arc<BankEntry>, answer: Option<BankAnswer>) -> Result<(), Halt> {
    if entry.status == EntryStatus::Joined {
        let transfer = transfers::find(world, Scope { org: entry.org, app: entry.app }, entry.transfer)?;
        bring(world, &transfer, Fact::Arrived, unbooked(entry))?;
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

/// Fails payments whose accounts cannot be used, before their file is written. Their money stays.
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
            let transfer = transfers::find(world, Scope { org, app: entry.app }, *id)?;
            bring(world, &transfer, Fact::Failed(FailureCode::InvalidAccountNumber), unbooked(&entry))?;
        }
        let now = world.now();
        jobs::put_off(world, &self.leased, now, None)
    }
}
