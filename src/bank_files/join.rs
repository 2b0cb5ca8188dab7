//! A transfer joins the open file of its window, in its own commit; or leaves it again, while it is open.

use std::sync::Arc;

use bursar_formats::text;

use super::carrier::{Carrier, Slot, is_at_once};
use super::model::{BankEntry, BankFile, EntryKind, EntryStatus, FilePurpose, FileStatus};
use super::rows;
use crate::banking::FileFormat;
use crate::ids::{BankFileId, OrgId};
use crate::jobs::{self, Work};
use crate::money::Cents;
use crate::refusal::{Code, Refusal};
use crate::transfers::rules::TransferEvent;
use crate::transfers::{self, Transfer, TransferStatus};
use crate::world::{Halt, World};

/// Entries of a file at most. Their sum has at most 12 digits in a NACHA file.
const ENTRIES_MAX: i64 = 100_000;
/// Prenotes of a file at most: when it moves, the payments that wait for it change in the same commit.
const PRENOTES_MAX: i64 = 1_000;
const CREDIT_MAX: Cents = Cents::new(999_999_999_999);
/// The length of a payee's name in an entry of a NACHA file, and in a message.
const NACHA_NAME_MAX: usize = 22;
const MESSAGE_NAME_MAX: usize = 70;
/// The name of a payee whose name has no letter of a file.
pub(super) const NO_NAME: &str = "PAYEE";

/// Returns a first entry of a transfer; its file completes it.
pub(super) fn first_entry(world: &World, carrier: &Carrier, transfer: &Transfer, name: &str) -> BankEntry {
    BankEntry {
        org: transfer.org,
        transfer: transfer.id,
        kind: EntryKind::Payment,
        of_transfer: None,
        follows: None,
        followed_by: None,
        reversal: None,
        // The next ones are those of its file.
        file: BankFileId(transfer.id.0),
        number: 0,
        settlement_account: carrier.parts.settlement_account,
        direction: carrier.direction,
        app: transfer.app,
        user_id: transfer.user_id,
        payout_method: transfer.payout_method,
        bank_account: transfer.bank_account,
        corrected_in: None,
        corrected_method: None,
        corrected_account: None,
        amount: transfer.arrives,
        name: Some(written(carrier.format, name)),
        status: EntryStatus::Joined,
        answer: None,
        error: None,
        debit_line: None,
        credit_due: None,
        credit_line: None,
        created_at: world.now(),
        ended_at: None,
    }
}

/// Adds a transfer to the open file of its window, and makes it pending. `name` is the holder's of the account.
///
/// # Errors
/// The store's.
pub(super) fn enter(
    world: &mut World,
    carrier: &Carrier,
    transfer: &Arc<Transfer>,
    name: &str,
) -> Result<Arc<Transfer>, Halt> {
    let entry = first_entry(world, carrier, transfer, name);
    let file = add(world, carrier, entry)?;
    let settles_at = Some(file.settles_at);
    if transfer.status == TransferStatus::Pending {
        // Approval made it pending and emitted the event.
        return Ok(world.change(transfer, |transfer| transfer.settles_at = settles_at));
    }
    transfers::advance(world, transfer, TransferEvent::Submitted, |transfer| transfer.settles_at = settles_at)
}

/// Adds an entry to the open file of its window; returns the file.
pub(super) fn add(world: &mut World, carrier: &Carrier, entry: BankEntry) -> Result<Arc<BankFile>, Halt> {
    let file = open_file(world, carrier, (entry.org, entry.amount))?;
    let credit = file.credit.plus(entry.amount).map_err(|_| too_large())?;
    world.add(BankEntry {
        file: file.id,
        number: file.entries_ever,
        settlement_account: file.settlement_account,
        direction: file.direction,
        ..entry
    });
    Ok(rows::change(world, &file, |file| {
        file.entries += 1;
        file.entries_ever += 1;
        file.credit = credit;
        file.send_by = [file.send_by, carrier.send_by].into_iter().flatten().min();
    }))
}

/// Returns a payee's name in the characters of a format. A name in another script folds to nothing, which a bank refuses.
pub(super) fn written(format: FileFormat, name: &str) -> String {
    let (folded, most) = match format {
        FileFormat::Nacha => (text::upper_ascii(name), NACHA_NAME_MAX),
        FileFormat::Pain001 => (text::iso_text(name), MESSAGE_NAME_MAX),
    };
    // The cut may leave a slash at the end.
    let short = text::shortened(&folded, most).trim_end_matches(['/', ' ']);
    if short.is_empty() { NO_NAME.to_owned() } else { short.to_owned() }
}

fn too_large() -> Refusal {
    Refusal::new(Code::InternalError, "The sum of a bank file is too large.")
}

/// Returns the open file of the window with room for an amount; adds one if there is none.
fn open_file(world: &mut World, carrier: &Carrier, (org, amount): (OrgId, Cents)) -> Result<Arc<BankFile>, Halt> {
    let new = new_file(world, org, carrier);
    let fits = |file: &Arc<BankFile>| {
        file.status == FileStatus::Open
            && (file.platform == carrier.platform && !is_at_once(carrier.platform))
            && (file.originator, file.settlement_account) == (new.originator, new.settlement_account)
            && (file.direction, file.entry_class, file.purpose) == (new.direction, new.entry_class, new.purpose)
            && file.window_name == new.window_name
            && file.entries_ever < if file.purpose == FilePurpose::Prenotes { PRENOTES_MAX } else { ENTRIES_MAX }
            && file.credit.plus(amount).is_ok_and(|credit| credit <= CREDIT_MAX)
    };
    if let Some(found) = rows::of_window(world, &new)?.into_iter().find(fits) {
        return Ok(found);
    }
    let file = world.add(new);
    jobs::enqueue_at(world, file.org, Work::CutBankFile { file: file.id.0 }, file.window_at);
    Ok(file)
}

fn new_file(world: &mut World, org: OrgId, carrier: &Carrier) -> BankFile {
    let (id, now) = (world.id(), world.now());
    let Carrier { parts, platform, format: _, direction, class, purpose, send_by, window, validates: _ } = carrier;
    let Slot { name, window_at, submit_by, effective_on, settles_at, same_day } = window.clone();
    BankFile {
        org,
        id,
        connection: parts.connection,
        originator: parts.originator,
        settlement_account: parts.settlement_account,
        platform: *platform,
        direction: *direction,
        purpose: *purpose,
        send_by: *send_by,
        entry_class: *class,
        status: FileStatus::Open,
        window_name: name,
        window_at,
        submit_by,
        effective_on,
        settles_at,
        same_day,
        entries: 0,
        credit: Cents::ZERO,
        entries_ever: 0,
        header: None,
        cuts: 0,
        first_trace: None,
        name: None,
        size: None,
        sha256: None,
        must_release: false,
        uncovered: None,
        contested: None,
        decision: None,
        open_at: Some(parts.connection),
        released_by: None,
        released_at: None,
        leases: 0,
        way: None,
        temp_name: None,
        doubt: None,
        unswept: false,
        failure: None,
        sealed_at: None,
        sent_at: None,
        answer: None,
        returned: 0,
        unauthorized: 0,
        administrative: 0,
        refused: 0,
        refused_credit: Cents::ZERO,
        ended_through: None,
        debit_due: None,
        debit_line: None,
        booked: 0,
        closed_by: None,
        evidence: None,
        version: 1,
        created_at: now,
        updated_at: now,
    }
}

/// Removes a transfer from its file; returns whether it could. The entry of a file that was cut remains. A transfer that
/// waits for a prenote is in no file.
///
/// # Errors
/// The store's.
pub fn withdraw(world: &mut World, transfer: &Transfer) -> Result<bool, Halt> {
    if transfer.held_for.is_some() {
        return Ok(true);
    }
    let Some(entry) = rows::entry(world, transfer.org, transfer.id)? else { return Ok(false) };
    let file = rows::find(world, entry.org, entry.file)?;
    if entry.status != EntryStatus::Joined || file.status != FileStatus::Open {
        return Ok(false);
    }
    remove(world, &file, &entry)?;
    Ok(true)
}

/// Removes an entry from a file whose bytes were not written.
///
/// # Errors
/// The store's.
pub fn remove(world: &mut World, file: &Arc<BankFile>, entry: &Arc<BankEntry>) -> Result<(), Halt> {
    let now = world.now();
    let credit = file.credit.minus(entry.amount).map_err(|_| too_large())?;
    world.change(entry, |entry| (entry.status, entry.ended_at) = (EntryStatus::Withdrawn, Some(now)));
    rows::change(world, file, |file| {
        file.entries -= 1;
        file.credit = credit;
    });
    Ok(())
}
