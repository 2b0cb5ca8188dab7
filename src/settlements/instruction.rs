//! The instruction for a rail.

use crate::bank_accounts::{self, BankAccount};
use crate::ids::{OrgId, TransferId};
use crate::payout_methods::{self, Details};
use crate::rails::{FarEnd, Instruction};
use crate::refusal::{Code, Refusal};
use crate::transfers::Transfer;
use crate::vault::{Tampered, Vault};
use crate::world::record::key;
use crate::world::{Halt, World};

/// Returns the instruction for a transfer's rail, with the account at its other end in clear; `None` if it was sent
/// before, or has no rail. The caller must not store it.
///
/// # Errors
/// `not-found`; `internal-error` if a sealed value does not open.
pub fn instruction(world: &World, vault: &Vault, org: OrgId, id: TransferId) -> Result<Option<Instruction>, Halt> {
    let transfer = world.get::<Transfer>(key![org, id])?.ok_or_else(|| Refusal::not_found("transfer"))?;
    let (true, Some(platform), Some(direction)) = (transfer.waits_for_rail(), transfer.platform, transfer.direction())
    else {
        return Ok(None);
    };
    let Some(far_end) = far_end(world, vault, &transfer)? else { return Ok(None) };
    let (app, amount) = (transfer.app, transfer.arrives);
    Ok(Some(Instruction { org, app, transfer: id, platform, direction, amount, far_end }))
}

/// Returns whether the sealed account at the other end of a transfer was tampered with, although its key is available.
/// Such a transfer must not be sent, so it fails.
pub fn is_tampered(world: &World, vault: &Vault, org: OrgId, id: TransferId) -> Result<bool, Halt> {
    let transfer = world.get::<Transfer>(key![org, id])?.ok_or_else(|| Refusal::not_found("transfer"))?;
    if let Some(account) = transfer.bank_account {
        let account = world.get::<BankAccount>(key![org, account])?;
        return Ok(account.is_some_and(|account| {
            bank_accounts::open(&account, vault).is_err() && vault.has_key_of(&account.sealed_number)
        }));
    }
    let (Some(user), Some(method)) = (transfer.user_id, transfer.payout_method) else { return Ok(false) };
    let method = payout_methods::paid_to(world, org, user, method)?;
    Ok(Details::open(&method, vault).is_err() && vault.has_key_of(&method.sealed_details))
}

/// Returns the account at the other end: a user's payout method, or the bank account of an app, a payer or a vendor.
fn far_end(world: &World, vault: &Vault, transfer: &Transfer) -> Result<Option<FarEnd>, Halt> {
    let damaged = |_: Tampered| {
        Refusal::new(
            Code::InternalError,
            "The sealed details of an account cannot be \
                                                                   decrypted.",
        )
    };
    if let Some(account) = transfer.bank_account {
        let account = world.get::<BankAccount>(key![transfer.org, account])?;
        let account = account.ok_or_else(|| Refusal::not_found("bank account"))?;
        let number = bank_accounts::open(&account, vault).map_err(damaged)?;
        return Ok(Some(FarEnd { account_number: Some(number), handle: None }));
    }
    let (Some(user), Some(method)) = (transfer.user_id, transfer.payout_method) else { return Ok(None) };
    let method = payout_methods::paid_to(world, transfer.org, user, method)?;
    let details = Details::open(&method, vault).map_err(damaged)?;
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Ok(Some(FarEnd { account_number: owned(details.account_number()), handle: owned(details.handle()) }))
}
