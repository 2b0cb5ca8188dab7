//! Reads the records of a file, opens the account numbers, and builds the bytes.

use std::sync::Arc;

use super::build::{Account, Line, build};
use super::model::{BankEntry, BankFile, EntryStatus};
use super::rows;
use crate::banking::{originators, settlement_accounts};
use crate::ids::TransferId;
use crate::payout_methods::{self, Details, PayoutMethod};
use crate::refusal::{Code, Refusal};
use crate::vault::Vault;
use crate::world::{Halt, World};

/// More entries than a file can have.
const ENTRIES_READ: usize = 200_000;

/// What the records of a file give.
#[derive(Debug)]
pub enum Contents {
    Bytes(Vec<u8>),
    /// No entry is left.
    Nothing,
    /// The accounts of these entries were changed by another program, or are no accounts at a US bank.
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
        let message = "The file is open until its cut-off, and has no bytes yet.";
        return Err(Refusal::new(Code::InvalidState, message).into());
    };
    let mut entries = rows::after(world, file, None, ENTRIES_READ)?;
    entries.retain(|entry| entry.status != EntryStatus::Withdrawn);
    entries.sort_by_key(|entry| entry.number);
    if entries.is_empty() {
        return Ok(Contents::Nothing);
    }
    let originator = originators::find(world, file.org, file.originator)?;
    let own = if header.0.nacha.balanced {
        let account = settlement_accounts::find(world, file.org, file.settlement_account)?;
        let number = settlement_accounts::open(&account, vault).map_err(|_| sealed())?;
        let (routing, account_type) = (account.routing_number.clone(), account.account_type);
        Some(Account { routing, number, account_type })
    } else {
        None
    };
    let found = world
        .each(&entries, |world, entry| payout_methods::paid_to(world, entry.org, entry.user_id, entry.payout_method))?;
    let (mut lines, mut unusable) = (Vec::with_capacity(entries.len()), Vec::new());
    for (entry, method) in entries.iter().zip(found) {
        let Some(name) = entry.name.clone().filter(|_| !method.sealed_details.is_empty()) else {
            return Ok(Contents::Erased);
        };
        match account_of(&method, vault)? {
            Some(account) => lines.push(line(entry, name, account)),
            None => unusable.push(entry.transfer),
        }
    }
    if !unusable.is_empty() {
        return Ok(Contents::Unusable(unusable));
    }
    Ok(Contents::Bytes(build(file, &header.0, &originator, lines, own)?))
}

fn sealed() -> Refusal {
    Refusal::new(Code::InternalError, "The sealed number of a bank account cannot be decrypted.")
}

fn line(entry: &Arc<BankEntry>, name: String, account: Account) -> Line {
    Line { number: entry.number, transfer: entry.transfer, name, amount: entry.amount, account }
}

/// Returns the account of a payout method; `None` if it is not one that this program sealed, although the key is there.
fn account_of(method: &PayoutMethod, vault: &Vault) -> Result<Option<Account>, Refusal> {
    match Details::open(method, vault) {
        Ok(details) => Ok(details.bank().map(|bank| Account {
            routing: bank.routing_number.clone(),
            number: bank.account_number.clone(),
            account_type: bank.account_type,
        })),
        Err(_) if vault.has_key_of(&method.sealed_details) => Ok(None),
        Err(_) => Err(sealed()),
    }
}
