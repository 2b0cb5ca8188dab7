//! Entries that follow an earlier one: under the same name, to the same account, with the same amount and class.

use std::sync::Arc;

use super::carrier::{Carrier, following};
use super::far_end::{FarEnd, far_end};
use super::join::add;
use super::model::{BankEntry, BankFile, EntryKind, EntryStatus, FilePurpose, FileStatus};
use super::rows;
use crate::banking::{SetupStatus, connections, originators};
use crate::clock::{DAY_SECONDS, Time};
use crate::ids::{BankReversalId, TransferId};
use crate::money::Cents;
use crate::payout_methods::CORRECTED;
use crate::rails::Direction;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, World};

/// The banking days after a return before the debit is presented again: the payer needs time to fill the account.
const RETRY_WAIT_DAYS: u32 = 3;
/// The time after the settlement of a debit within which the ACH rules allow to present it again.
const RETRY_SECONDS: i64 = 180 * DAY_SECONDS;

/// Why an entry cannot be reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotReversible {
    /// Its file is not at the bank.
    NotAtBank,
    /// Only a member says that the bank has its file.
    Unproven,
    /// Its file is a message, which has no reversals.
    Message,
    /// It is a reversal.
    Reversal,
    /// It is a prenote.
    Prenote,
    /// It was returned, so its money is back.
    Returned,
    /// It left its file, or the bank refused it.
    NotSent,
    /// A reversal of it is on its way, or took effect.
    Reversed,
    /// The bank replaced the numbers of its account.
    Corrected,
    /// The numbers of its account are gone.
    Erased,
    /// No window reaches the bank in time.
    Late,
}

impl NotReversible {
    /// Returns one sentence, with what to do.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::NotAtBank => "The file is not at the bank. Cancel it, or wait until it is sent.",
            Self::Unproven => {
                "A member marked the file as sent, or moved it, and no statement shows it yet. Wait for the statement of \
                 its settlement."
            }
            Self::Message => "Only an entry of a NACHA file can be reversed. Ask the bank to recall the payment.",
            Self::Reversal => "The entry is a reversal itself. Make a new payment instead.",
            Self::Prenote => "The entry is a prenote, which moves no money.",
            Self::Returned => "The entry was returned, so its money is back.",
            Self::NotSent => "The entry left its file, or the bank refused it. No money moved.",
            Self::Reversed => "The entry has a reversal already. An entry is reversed once.",
            Self::Corrected => "The bank replaced the numbers of the account. Ask the bank to reverse the entry.",
            Self::Erased => "The numbers of the account were erased. Ask the bank to reverse the entry.",
            Self::Late => {
                "No window of the bank connection takes a reversal within five banking days after the settlement. Ask \
                 the bank to recall the payment."
            }
        }
    }
}

impl NotReversible {
    const fn reason(self) -> Reason {
        match self {
            Self::NotAtBank | Self::Unproven => Reason::TooEarly,
            Self::Message | Self::Reversal | Self::Prenote => Reason::WrongKind,
            Self::Returned | Self::NotSent | Self::Corrected => Reason::BankExcludes,
            Self::Reversed => Reason::AlreadyDone,
            Self::Erased => Reason::ObjectDeleted,
            Self::Late => Reason::TooLate,
        }
    }
}

impl From<NotReversible> for Halt {
    fn from(why: NotReversible) -> Self {
        Refusal::new(Code::InvalidState, why.message()).because(why.reason()).into()
    }
}

/// Returns why no entry of a file can be reversed at any time.
fn obstacle_of_file(file: &BankFile) -> Option<NotReversible> {
    if file.status != FileStatus::Sent {
        return Some(NotReversible::NotAtBank);
    }
    if file.header.as_ref().is_none_or(|header| header.0.identity.nacha().is_none()) {
        return Some(NotReversible::Message);
    }
    if !file.moves_money() {
        return Some(NotReversible::Prenote);
    }
    // A payer could otherwise get back what was never collected.
    file.is_unproven().then_some(NotReversible::Unproven)
}

/// Returns why an entry of a file cannot be reversed at any time.
fn obstacle(world: &World, file: &BankFile, entry: &BankEntry) -> Result<Option<NotReversible>, Halt> {
    if let Some(obstacle) = obstacle_of_file(file) {
        return Ok(Some(obstacle));
    }
    if entry.kind == EntryKind::Reversal {
        return Ok(Some(NotReversible::Reversal));
    }
    match entry.status {
        EntryStatus::Joined | EntryStatus::Settled => {}
        EntryStatus::Returned => return Ok(Some(NotReversible::Returned)),
        EntryStatus::Reversed => return Ok(Some(NotReversible::Reversed)),
        EntryStatus::Withdrawn | EntryStatus::Canceled | EntryStatus::Rejected => {
            return Ok(Some(NotReversible::NotSent));
        }
    }
    if entry.followed_by.is_some() {
        return Ok(Some(NotReversible::Reversed));
    }
    let account = far_end(world, entry)?;
    if account.is_erased() || entry.name.is_none() {
        return Ok(Some(NotReversible::Erased));
    }
    let disabled_for = match &account {
        FarEnd::Method(method) => method.disabled_reason.as_deref(),
        FarEnd::Account(account) => account.disabled_reason.as_deref(),
    };
    // No entry goes to numbers that a bank replaced.
    Ok((disabled_for == Some(CORRECTED)).then_some(NotReversible::Corrected))
}

const fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Credit => Direction::Debit,
        Direction::Debit => Direction::Credit,
    }
}

/// Returns an entry that follows another one; its file completes it.
fn new(
    world: &World,
    entry: &BankEntry,
    id: TransferId,
    kind: EntryKind,
    reversal: Option<BankReversalId>,
) -> BankEntry {
    BankEntry {
        transfer: id,
        kind,
        of_transfer: Some(entry.moves()),
        follows: Some(entry.transfer),
        followed_by: None,
        reversal,
        corrected_in: None,
        corrected_method: None,
        corrected_account: None,
        status: EntryStatus::Joined,
        answer: None,
        error: None,
        debit_line: None,
        credit_due: None,
        credit_line: None,
        created_at: world.now(),
        ended_at: None,
        ..entry.clone()
    }
}

/// Returns why an entry cannot be reversed now; `None` if it can.
///
/// # Errors
/// The store's.
pub fn may_reverse(
    world: &World,
    file: &BankFile,
    entry: &BankEntry,
    send_by: Time,
) -> Result<Option<NotReversible>, Halt> {
    if let Some(obstacle) = obstacle(world, file, entry)? {
        return Ok(Some(obstacle));
    }
    let to = (FilePurpose::Reversals, opposite(entry.direction));
    let carrier = following(world, file, to, entry.amount, (world.now(), send_by))?;
    Ok(carrier.is_none().then_some(NotReversible::Late))
}

/// Returns why no entry of a file can be reversed now; `None` if some may be.
///
/// # Errors
/// The store's.
pub fn may_reverse_file(world: &World, file: &BankFile, send_by: Time) -> Result<Option<NotReversible>, Halt> {
    if let Some(obstacle) = obstacle_of_file(file) {
        return Ok(Some(obstacle));
    }
    if file.purpose == FilePurpose::Reversals {
        return Ok(Some(NotReversible::Reversal));
    }
    let to = (FilePurpose::Reversals, opposite(file.direction));
    let carrier = following(world, file, to, Cents::ZERO, (world.now(), send_by))?;
    Ok(carrier.is_none().then_some(NotReversible::Late))
}

/// Adds the reversal of an entry to the next file of reversals: the opposite transaction code, all else as it was. Nothing
/// is posted until it settles.
///
/// # Errors
/// The store's.
pub fn reverse(
    world: &mut World,
    entry: &Arc<BankEntry>,
    reversal: BankReversalId,
    send_by: Time,
) -> Result<Option<NotReversible>, Halt> {
    let file = rows::find(world, entry.org, entry.file)?;
    if let Some(obstacle) = obstacle(world, &file, entry)? {
        return Ok(Some(obstacle));
    }
    let to = (FilePurpose::Reversals, opposite(entry.direction));
    let Some(carrier) = following(world, &file, to, entry.amount, (world.now(), send_by))? else {
        return Ok(Some(NotReversible::Late));
    };

    // From here it must succeed.
    let id = world.id();
    let new = new(world, entry, id, EntryKind::Reversal, Some(reversal));
    add(world, &carrier, new)?;
    world.change(entry, |entry| entry.followed_by = Some(id));
    Ok(None)
}

/// Presents a debit again that came back because the payer's account did not cover it: after three banking days, under the same
/// name, at most `most` times, and within 180 days after the first settlement. Returns the id of the new entry, if there is
/// one.
///
/// # Errors
/// The store's.
pub fn present_again(world: &mut World, entry: &BankEntry, most: i64) -> Result<Option<TransferId>, Halt> {
    let file = rows::find(world, entry.org, entry.file)?;
    let is_debit = entry.is_of_transfer() && entry.direction == Direction::Debit;
    if !is_debit || entry.status != EntryStatus::Joined || entry.followed_by.is_some() || entry.name.is_none() {
        return Ok(None);
    }
    let others = rows::followers(world, entry.org, entry.moves())?;
    let retries = others.iter().filter(|other| other.kind == EntryKind::Retry).count();
    if i64::try_from(retries).unwrap_or(i64::MAX) >= most || !is_in_use(&far_end(world, entry)?) {
        return Ok(None);
    }
    let Some(carrier) = again(world, &file, entry)? else { return Ok(None) };

    // From here it must succeed.
    let id = world.id();
    let new = new(world, entry, id, EntryKind::Retry, None);
    add(world, &carrier, new)?;
    Ok(Some(id))
}

/// Returns whether an entry may still be written into its file: a retry only while its account is in use, and a reversal
/// only while its original is at the bank or has settled.
pub(super) fn may_leave(world: &World, entry: &BankEntry, account: &FarEnd) -> Result<bool, Halt> {
    match (entry.kind, entry.follows) {
        (EntryKind::Payment | EntryKind::Prenote, _) | (EntryKind::Reversal, None) => Ok(true),
        (EntryKind::Retry, _) => Ok(is_in_use(account)),
        (EntryKind::Reversal, Some(original)) => {
            let Some(original) = rows::entry(world, entry.org, original)? else { return Ok(true) };
            let file = rows::find(world, original.org, original.file)?;
            Ok(file.status == FileStatus::Sent && matches!(original.status, EntryStatus::Joined | EntryStatus::Settled))
        }
    }
}

fn is_in_use(account: &FarEnd) -> bool {
    match account {
        FarEnd::Method(method) => method.in_use && !account.is_erased(),
        FarEnd::Account(held) => held.in_use && !account.is_erased(),
    }
}

/// Returns the carrier of a debit that is presented again; `None` if the bank's set-up or the rules do not allow it any more.
fn again(world: &World, file: &BankFile, entry: &BankEntry) -> Result<Option<Carrier>, Halt> {
    let connection = connections::find(world, file.org, file.connection)?;
    let settings = &connection.settings.0;
    let is_allowed = settings.limits.debit.is_some_and(|limits| entry.amount <= limits.per_entry);
    let originator = originators::find(world, file.org, file.originator)?;
    if !is_allowed || originator.status != SetupStatus::Approved {
        return Ok(None);
    }
    let first = match rows::entry(world, entry.org, entry.moves())? {
        Some(first) => rows::find(world, entry.org, first.file)?.submit_by,
        None => file.submit_by,
    };
    let Some(after) = settings.schedule().banking_days_later(world.now(), RETRY_WAIT_DAYS) else { return Ok(None) };
    let to = (FilePurpose::Retries, Direction::Debit);
    following(world, file, to, entry.amount, (after, first.plus_seconds(RETRY_SECONDS)))
}

/// Records that a reversal did not reach the bank: its entry may be reversed again.
///
/// # Errors
/// The store's.
pub fn not_reversed(world: &mut World, reversal: &BankEntry) -> Result<(), Halt> {
    let Some(original) = reversal.follows else { return Ok(()) };
    if let Some(original) = rows::entry(world, reversal.org, original)?
        && original.followed_by == Some(reversal.transfer)
    {
        world.change(&original, |entry| entry.followed_by = None);
    }
    Ok(())
}
