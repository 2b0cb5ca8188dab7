//! Reads the records of a file, opens the account numbers, and builds the bytes.

use std::sync::Arc;

use super::build::{Account, Line, build};
use super::far_end::{OpenedEnd, far_end};
use super::follow::may_leave;
use super::join::{NO_NAME, written};
use super::message;
use super::model::{BankEntry, BankFile, EntryStatus};
use super::rows;
use crate::banking::{FileFormat, Identity, originators, settlement_accounts};
use crate::ids::TransferId;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::vault::Vault;
use crate::world::{Halt, World};

/// Entries, and payees, that are loaded at a time: the store's rows of a large file, which are several times as large as
/// its records, are never all in memory.
const PAGE: usize = 10_000;

/// What the records of a file give.
#[derive(Debug)]
pub enum Contents {
    Bytes(Vec<u8>),
    /// No entry is left.
    Nothing,
    /// These entries must not be sent: their accounts were changed by another program or erased, are no accounts at a US bank,
    /// or went out of use before a retry; or the originals of reversals came back.
    Unusable(Vec<TransferId>),
    /// A payee was erased, so the bytes cannot be built again.
    Erased,
}

/// Returns the contents of a file that was cut.
///
/// # Errors
/// `invalid-state` before the cut-off; `internal-error` if a key is missing or a value has no place in the file.
pub fn contents(world: &mut World, vault: &Vault, file: &BankFile) -> Result<Contents, Halt> {
    let Some(header) = &file.header else {
        let message = "The file is open until its cut-off, and has no bytes yet. Fetch it after its cut-off.";
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::TooEarly).into());
    };
    let mut entries = all(world, file)?;
    entries.retain(|entry| entry.status != EntryStatus::Withdrawn);
    entries.sort_by_key(|entry| entry.number);
    if entries.is_empty() {
        return Ok(Contents::Nothing);
    }
    let originator = originators::find(world, file.org, file.originator)?;
    let account = settlement_accounts::find(world, file.org, file.settlement_account)?;
    let (format, is_written) = (header.0.identity.format(), file.sha256.is_some());
    let Some((payees, unusable)) = payees(world, vault, &entries, (format, is_written))? else {
        return Ok(Contents::Erased);
    };
    if !unusable.is_empty() {
        return Ok(Contents::Unusable(unusable));
    }
    let own = || settlement_accounts::open(&account, vault).map_err(|_| sealed());
    let bytes = match &header.0.identity {
        Identity::Nacha(nacha) => {
            let (routing, account_type) = (account.routing_number.clone(), account.account_type);
            let own = nacha.balanced.then(own).transpose()?.map(|number| Account { routing, number, account_type });
            build(file, (&header.0, nacha), &originator, payees.into_iter().filter_map(line).collect(), own)?
        }
        Identity::Pain001(identity) => {
            let lines = payees.into_iter().filter_map(message_line).collect();
            message::build(file, (&header.0, identity), &originator, (&account, own()?), lines)?
        }
    };
    Ok(Contents::Bytes(bytes))
}

/// Returns all entries of a file.
fn all(world: &World, file: &BankFile) -> Result<Vec<Arc<BankEntry>>, Halt> {
    let mut entries: Vec<Arc<BankEntry>> = Vec::new();
    loop {
        let page = rows::after(world, file, entries.last().map(|entry| entry.transfer), PAGE)?;
        let is_last = page.len() < PAGE;
        entries.extend(page);
        if is_last {
            return Ok(entries);
        }
    }
}

/// An entry with its payee's name and account in clear text.
type Payee = (Arc<BankEntry>, String, OpenedEnd);

/// The payees, and the transfers whose accounts cannot be used.
type Payees = (Vec<Payee>, Vec<TransferId>);

/// Returns the payees, and the transfers whose accounts cannot be used; `None` if a payee of a written file was erased.
fn payees(
    world: &mut World,
    vault: &Vault,
    entries: &[Arc<BankEntry>],
    (format, is_written): (FileFormat, bool),
) -> Result<Option<Payees>, Halt> {
    let mut found = Vec::with_capacity(entries.len());
    for page in entries.chunks(PAGE) {
        found.extend(world.each(page, |world, entry| far_end(world, entry))?);
    }
    let (mut payees, mut unusable) = (Vec::with_capacity(entries.len()), Vec::new());
    for (entry, account) in entries.iter().zip(found) {
        if !is_written && !may_leave(world, entry, &account)? {
            unusable.push(entry.transfer);
            continue;
        }
        let Some(name) = entry.name.clone().filter(|_| !account.is_erased()) else {
            // The payee of a reversal may be erased before it is written.
            if is_written {
                return Ok(None);
            }
            unusable.push(entry.transfer);
            continue;
        };
        match account.open(vault)? {
            Some(opened) if has_account(format, &opened) => payees.push((entry.clone(), name, opened)),
            Some(_) | None => unusable.push(entry.transfer),
        }
    }
    Ok(Some((payees, unusable)))
}

fn sealed() -> Refusal {
    Refusal::new(Code::InternalError, "The sealed number of a bank account cannot be decrypted.")
}

/// Returns whether a file of the format can pay to the account. Messages carry payouts only.
fn has_account(format: FileFormat, opened: &OpenedEnd) -> bool {
    match (format, opened) {
        (FileFormat::Nacha, opened) => opened.bank().is_some(),
        (FileFormat::Pain001, OpenedEnd::Details(details)) => message::is_writable(details),
        (FileFormat::Pain001, OpenedEnd::Bank(_)) => false,
    }
}

fn line((entry, name, opened): Payee) -> Option<Line> {
    let bank = opened.bank()?;
    let account = Account {
        routing: bank.routing_number.clone(),
        number: bank.account_number.clone(),
        account_type: bank.account_type,
    };
    Some(Line { number: entry.number, transfer: entry.transfer, name, amount: entry.amount, account })
}

/// The holder of an account abroad may have another name than the payee.
fn message_line((entry, name, opened): Payee) -> Option<message::Line> {
    let OpenedEnd::Details(details) = opened else { return None };
    let holder = details.holder_name().map(|holder| written(FileFormat::Pain001, holder));
    let name = holder.filter(|holder| holder != NO_NAME).unwrap_or(name);
    Some(message::Line { transfer: entry.transfer, name, amount: entry.amount, details: *details })
}
