//! Finds and changes the rows.

use std::sync::Arc;

use super::json::BankFileJson;
use super::model::{BankEntry, BankFile, BankSequence, FileStatus};
use crate::banking::connections::{self, BankConnection};
use crate::banking::settlement_accounts;
use crate::clock::{DAY_SECONDS, Time};
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{
    BankAccountId, BankConnectionId, BankFileId, MemberId, OrgId, PayoutMethodId, SettlementAccountId, TransferId,
};
use crate::money::Cents;
use crate::refusal::{Code, Refusal};
use crate::world::query::{Compare, Direction, Query};
use crate::world::record::{Cell as _, key};
use crate::world::{Halt, World};

/// Files before a trace number that are read, more than the times that the numbers repeat.
const RANGES_READ: usize = 20;
/// The days in which a payment comes back at the latest: a payee may contest it that long.
const RETURN_DAYS: i64 = 60;
/// More files than an account has in these days.
const FILES_READ: usize = 5_000;

/// # Errors
/// `not-found`.
pub fn find(world: &World, org: OrgId, id: BankFileId) -> Result<Arc<BankFile>, Halt> {
    let found = world.get::<BankFile>(key![org, id])?;
    Ok(found.ok_or_else(|| Refusal::not_found("bank file"))?)
}

pub(super) fn of_window(world: &World, file: &BankFile) -> Result<Vec<Arc<BankFile>>, Halt> {
    world.all::<BankFile>(BankFile::OF_WINDOW, key![file.org, file.connection, file.window_at])
}

/// Returns the entry of a transfer.
///
/// # Errors
/// The store's.
pub fn entry(world: &World, org: OrgId, transfer: TransferId) -> Result<Option<Arc<BankEntry>>, Halt> {
    world.get::<BankEntry>(key![org, transfer])
}

/// Returns the entry with a number of a file.
///
/// # Errors
/// The store's.
pub fn at(world: &World, file: &BankFile, number: i64) -> Result<Option<Arc<BankEntry>>, Halt> {
    Ok(world.all::<BankEntry>(BankEntry::BY_NUMBER, key![file.org, file.id, number])?.pop())
}

/// Returns the entries of a payout method.
///
/// # Errors
/// The store's.
pub fn of_method(world: &World, org: OrgId, method: PayoutMethodId) -> Result<Vec<Arc<BankEntry>>, Halt> {
    world.all::<BankEntry>(BankEntry::OF_METHOD, key![org, Some(method)])
}

/// Returns the entries of a bank account.
///
/// # Errors
/// The store's.
pub fn of_account(world: &World, org: OrgId, account: BankAccountId) -> Result<Vec<Arc<BankEntry>>, Halt> {
    world.all::<BankEntry>(BankEntry::OF_ACCOUNT, key![org, Some(account)])
}

/// Returns the files whose numbers include this one, newest range first. Numbers repeat after ten million entries. For
/// reads only.
///
/// # Errors
/// The store's.
pub fn of_trace(
    world: &World,
    org: OrgId,
    connection: BankConnectionId,
    number: i64,
) -> Result<Vec<Arc<BankFile>>, Halt> {
    let below = number.saturating_add(1).to_value();
    let files = Query::of::<BankFile>(org.to_value(), "first_trace", RANGES_READ).equal("connection", connection);
    let mut found = world.page::<BankFile>(&files.filter("first_trace", Compare::Less, below))?;
    found.retain(|file| file.first_trace.is_some_and(|first| number < first.saturating_add(file.entries_ever)));
    Ok(found)
}

/// Returns the next entries of a file, in the order of their transfers.
///
/// # Errors
/// The store's.
pub fn after(
    world: &World,
    file: &BankFile,
    after: Option<TransferId>,
    limit: usize,
) -> Result<Vec<Arc<BankEntry>>, Halt> {
    let entries = Query::of::<BankEntry>(file.org.to_value(), "transfer", limit).equal("file", file.id);
    let after = after.map(|after| after.to_value());
    world.page::<BankEntry>(&Query { direction: Direction::Ascending, after, ..entries })
}

/// Returns the files at the bank that it has not booked on an account, oldest first.
///
/// # Errors
/// The store's.
pub fn awaiting_debit(world: &World, org: OrgId, account: SettlementAccountId) -> Result<Vec<Arc<BankFile>>, Halt> {
    let mut files = world.all::<BankFile>(BankFile::DEBIT_DUE, key![org, Some(account)])?;
    files.sort_by_key(|file| (file.window_at, file.id));
    Ok(files)
}

/// Returns the returned payments whose return the bank has not booked on an account, oldest first.
///
/// # Errors
/// The store's.
pub fn awaiting_credit(world: &World, org: OrgId, account: SettlementAccountId) -> Result<Vec<Arc<BankEntry>>, Halt> {
    let mut entries = world.all::<BankEntry>(BankEntry::CREDIT_DUE, key![org, Some(account)])?;
    entries.sort_by_key(|entry| (entry.ended_at, entry.transfer));
    Ok(entries)
}

/// Returns what the bank has not booked of a file.
///
/// # Errors
/// The store's.
pub fn open_amount(world: &World, file: &BankFile) -> Result<Cents, Halt> {
    if file.booked == 0 {
        return Ok(file.due().1);
    }
    let entries = world.all::<BankEntry>(BankEntry::OF_FILE, key![file.org, file.id])?;
    let open = entries.iter().filter(|entry| entry.is_debited() && entry.debit_line.is_none());
    let too_large = |_| Refusal::new(Code::InternalError, "The sum of a bank file is too large.");
    let sum = open.map(|entry| entry.amount).try_fold(Cents::ZERO, Cents::plus);
    Ok(sum.map_err(too_large)?)
}

/// Returns what was at the bank before a day, and is not booked: files, and payments that were returned.
///
/// # Errors
/// The store's.
pub fn sent_before(
    world: &mut World,
    org: OrgId,
    account: SettlementAccountId,
    day: &str,
) -> Result<Vec<String>, Halt> {
    let connection = settlement_accounts::find(world, org, account)?.connection;
    let connection = connections::find(world, org, connection)?;
    let zone = &connection.settings.0.time_zone;
    let was_before = |time: Option<Time>| time.is_some_and(|time| zone.day_of(time).to_string().as_str() < day);
    let is_before = |file: &BankFile| was_before(file.sent_at) || file.effective_on.as_str() < day;
    let files = awaiting_debit(world, org, account)?.into_iter().filter(|file| is_before(file));
    let mut found: Vec<String> = files.map(|file| format!("the file {}", file.id)).collect();
    let in_doubt = newest(world, org, account)?.into_iter().filter(|file| file.status == FileStatus::InDoubt);
    found.extend(in_doubt.map(|file| format!("the file {}, perhaps,", file.id)));
    // A return may be reported on the day after its credit.
    let was_until = |time: Option<Time>| time.is_some_and(|time| zone.day_of(time).to_string().as_str() <= day);
    let entries = awaiting_credit(world, org, account)?.into_iter().filter(|entry| was_until(entry.ended_at));
    found.extend(entries.map(|entry| format!("the returned payment {}", entry.transfer)));
    Ok(found)
}

fn newest(world: &World, org: OrgId, account: SettlementAccountId) -> Result<Vec<Arc<BankFile>>, Halt> {
    let query = Query::of::<BankFile>(org.to_value(), "id", FILES_READ).equal("settlement_account", account);
    world.page::<BankFile>(&query)
}

/// Returns a file of an account that is not at its end: it is not sent yet, in doubt or rejected, or was sent so lately that
/// payments may come back.
///
/// # Errors
/// The store's.
pub fn in_flight(world: &World, org: OrgId, account: SettlementAccountId) -> Result<Option<BankFileId>, Halt> {
    let since = world.now().plus_seconds(-RETURN_DAYS * DAY_SECONDS);
    let files = newest(world, org, account)?;
    let may_come_back =
        |file: &BankFile| file.status == FileStatus::Sent && file.sent_at.is_some_and(|sent| sent > since);
    let is_open = |file: &&Arc<BankFile>| file.is_open() || may_come_back(file);
    Ok(files.iter().find(is_open).map(|file| file.id))
}

/// Returns the latest files of a connection, newest first.
fn latest(world: &World, org: OrgId, connection: BankConnectionId) -> Result<Vec<Arc<BankFile>>, Halt> {
    let query = Query::of::<BankFile>(org.to_value(), "id", FILES_READ).equal("connection", connection);
    world.page::<BankFile>(&query)
}

/// Returns the files of a connection at which members must look, oldest first.
///
/// # Errors
/// The store's.
pub fn open_files(world: &World, connection: &BankConnection) -> Result<Vec<Arc<BankFile>>, Halt> {
    let mut files = world.all::<BankFile>(BankFile::OPEN, key![connection.org, Some(connection.id)])?;
    // Files that have not changed since the index was added.
    let older = latest(world, connection.org, connection.id)?.into_iter();
    files.extend(older.filter(|file| file.open_at.is_none() && file.is_open()));
    files.sort_by_key(|file| (file.window_at, file.id));
    Ok(files)
}

/// Returns the files of a connection that are not at their end and not known to be at the bank, oldest first.
///
/// # Errors
/// The store's.
pub fn not_at_bank(world: &World, connection: &BankConnection) -> Result<Vec<Arc<BankFile>>, Halt> {
    let mut files = open_files(world, connection)?;
    files.retain(|file| file.status != FileStatus::Sent);
    Ok(files)
}

/// Returns the newest of the latest files of a connection that a caller looks for.
///
/// # Errors
/// The store's.
pub fn newest_where(
    world: &World,
    org: OrgId,
    connection: BankConnectionId,
    is_meant: impl Fn(&BankFile) -> bool,
) -> Result<Option<Arc<BankFile>>, Halt> {
    Ok(latest(world, org, connection)?.into_iter().find(|file| is_meant(file)))
}

/// Returns the files that the bank has, and has neither answered nor booked, sent after a time. Prenotes, which are not
/// booked, count until they have ended.
///
/// # Errors
/// The store's.
pub fn unanswered(world: &World, connection: &BankConnection, after: Time) -> Result<Vec<Arc<BankFile>>, Halt> {
    let mut files = latest(world, connection.org, connection.id)?;
    files.retain(|file| {
        let is_over = file.is_answered() || !file.moves_money() && file.ended_through.is_some();
        file.status == FileStatus::Sent && !is_over && file.sent_at.is_some_and(|sent| sent >= after)
    });
    files.sort_by_key(|file| (file.sent_at, file.id));
    Ok(files)
}

/// Returns the sums of a connection's files of a day, that pay and that collect; `None` if it cut none on it.
///
/// # Errors
/// The store's.
pub fn sums_of_day(world: &World, connection: &BankConnection, day: &str) -> Result<Option<(Cents, Cents)>, Halt> {
    let found = world.get::<BankSequence>(key![connection.org, connection.id])?;
    Ok(found.filter(|sequence| sequence.day == day).map(|sequence| (sequence.credit, sequence.debit)))
}

/// Changes a file.
pub fn change(world: &mut World, before: &Arc<BankFile>, edit: impl FnOnce(&mut BankFile)) -> Arc<BankFile> {
    let now = world.now();
    world.change(before, |file| {
        edit(file);
        file.open_at = file.is_open().then_some(file.connection);
        file.updated_at = now;
        file.version += 1;
    })
}

/// Changes a file, and records the act of the member.
pub(super) fn change_by(
    world: &mut World,
    before: &Arc<BankFile>,
    kind: ActKind,
    by: MemberId,
    edit: impl FnOnce(&mut BankFile),
) -> Result<Arc<BankFile>, Halt> {
    let after = change(world, before, edit);
    let act = NewAct::of(kind, None, after.id).by(Some(by));
    acts::record(world, after.org, act.changing(&BankFileJson::from(&**before), &BankFileJson::from(&*after)))?;
    Ok(after)
}

/// Returns the numbers of a connection, which are added by its first file.
pub(super) fn sequence(world: &mut World, connection: &BankConnection) -> Result<Arc<BankSequence>, Halt> {
    let (org, id) = (connection.org, connection.id);
    if let Some(found) = world.get::<BankSequence>(key![org, id])? {
        return Ok(found);
    }
    let (day, credit, debit) = (String::new(), Cents::ZERO, Cents::ZERO);
    Ok(world.add(BankSequence { org, connection: id, next_trace: 1, day, files: 0, credit, debit }))
}

/// Returns the entries that follow those of a transfer.
pub(super) fn followers(world: &World, org: OrgId, transfer: TransferId) -> Result<Vec<Arc<BankEntry>>, Halt> {
    world.all::<BankEntry>(BankEntry::OF_TRANSFER, key![org, Some(transfer)])
}

/// Removes the payee's name from the entries of a transfer; returns these entries.
///
/// # Errors
/// The store's.
pub fn erase(world: &mut World, org: OrgId, transfer: TransferId) -> Result<Vec<Arc<BankEntry>>, Halt> {
    let mut entries = followers(world, org, transfer)?;
    entries.extend(entry(world, org, transfer)?);
    for entry in entries.iter().filter(|entry| entry.name.is_some()) {
        world.change(entry, |entry| entry.name = None);
    }
    Ok(entries)
}
