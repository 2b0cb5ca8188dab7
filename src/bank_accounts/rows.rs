//! Finds and changes the rows.

use std::sync::Arc;

use uuid::Uuid;

use super::input::{SealedAccount, seal_context};
use super::model::BankAccount;
use crate::ids::{BankAccountId, OrgId};
use crate::payout_methods::{CORRECTED, Validation};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::vault::{Tampered, Vault};
use crate::world::record::key;
use crate::world::{Halt, World};

/// Returns a bank account of this holder, in use or not. Another holder's account is `not-found`.
pub fn find(world: &World, org: OrgId, holder: Uuid, id: BankAccountId) -> Result<Arc<BankAccount>, Halt> {
    match world.get::<BankAccount>(key![org, id])? {
        Some(account) if account.holder == holder => Ok(account),
        Some(_) | None => Err(Refusal::not_found("bank account").into()),
    }
}

/// Returns the holder's bank accounts in use, oldest first.
pub fn of_holder(world: &World, org: OrgId, holder: Uuid) -> Result<Vec<Arc<BankAccount>>, Halt> {
    world.all::<BankAccount>(BankAccount::OF_HOLDER, key![org, holder, true])
}

/// Accounts in use per holder at most.
pub const ACCOUNTS_MAX: usize = 20;

/// Adds a bank account that arrives with a payment and is never removed by its holder: at the limit, the oldest goes
/// out of use. The same account with another name is a new one, so that earlier payments keep their sender.
pub fn bring(world: &mut World, scope: Scope, holder: Uuid, new: &SealedAccount) -> Result<Arc<BankAccount>, Halt> {
    let accounts = of_holder(world, scope.org, holder)?;
    let is_known = |known: &&Arc<BankAccount>| known.fingerprint == new.fingerprint && has_holder(known, new);
    if let Some(known) = accounts.iter().find(is_known) {
        return Ok(known.clone());
    }
    let surplus = (accounts.len() + 1).saturating_sub(ACCOUNTS_MAX);
    for oldest in accounts.iter().take(surplus) {
        disable(world, oldest, "replaced");
    }
    Ok(insert(world, scope, holder, new))
}

/// Adds a bank account, or returns the holder's existing one, under the new name if it differs. Fails with
/// `limit-exceeded` if the holder has [`ACCOUNTS_MAX`] others.
pub fn add(world: &mut World, scope: Scope, holder: Uuid, new: &SealedAccount) -> Result<Arc<BankAccount>, Halt> {
    let accounts = of_holder(world, scope.org, holder)?;
    let known = accounts.iter().find(|account| account.fingerprint == new.fingerprint);
    if known.is_none() && accounts.len() >= ACCOUNTS_MAX {
        let message = format!("{ACCOUNTS_MAX} bank accounts are in use, which is the limit. Remove one first.");
        return Err(Refusal::over_limit("bank_accounts", ACCOUNTS_MAX, message).into());
    }

    // From here it must succeed.
    if let Some(known) = known {
        if has_holder(known, new) {
            return Ok(known.clone());
        }
        return Ok(world.change(known, |account| {
            account.name.clone_from(&new.name);
            account.holder_type = new.holder_type.or(account.holder_type);
            account.version += 1;
        }));
    }
    Ok(insert(world, scope, holder, new))
}

/// Replaces the numbers of an account, as its bank reports them: another account takes its place.
///
/// # Errors
/// The store's.
pub fn correct(world: &mut World, account: &Arc<BankAccount>, new: &SealedAccount) -> Result<Arc<BankAccount>, Halt> {
    let scope = Scope { org: account.org, app: account.app };
    let known = of_holder(world, account.org, account.holder)?;
    disable(world, account, CORRECTED);
    match known.iter().find(|known| known.fingerprint == new.fingerprint) {
        Some(known) => Ok(known.clone()),
        None => Ok(insert(world, scope, account.holder, new)),
    }
}

/// Returns whether an account has the holder of another one, as far as the other one names it.
fn has_holder(known: &BankAccount, new: &SealedAccount) -> bool {
    known.name == new.name && (new.holder_type.is_none() || new.holder_type == known.holder_type)
}

fn insert(world: &mut World, scope: Scope, holder: Uuid, new: &SealedAccount) -> Arc<BankAccount> {
    let (id, created_at) = (world.id(), world.now());
    let new = new.clone();
    let account = BankAccount {
        org: scope.org,
        id,
        app: scope.app,
        holder,
        name: new.name,
        account_type: new.account_type,
        holder_type: new.holder_type,
        routing_number: new.routing_number,
        bank_name: new.bank_name,
        last4: new.last4,
        sealed_number: Vec::new(),
        fingerprint: new.fingerprint,
        rtp_enabled: new.rtp_enabled,
        in_use: true,
        created_at,
        disabled_at: None,
        disabled_reason: None,
        validated_at: None,
        validation: None,
        version: 1,
    };
    let sealed_number = new.number.seal(&seal_context(&account));
    world.add(BankAccount { sealed_number, ..account })
}

/// Takes a bank account out of use with a reason: `removed` or `replaced` by its holder, or a failure code. Transfers
/// that use it continue. A repetition changes nothing.
pub fn disable(world: &mut World, account: &Arc<BankAccount>, reason: &str) -> Arc<BankAccount> {
    if account.in_use { disable_for(world, account, reason) } else { account.clone() }
}

/// Takes a bank account out of use, and records the reason also if its holder removed it before: they may add it again.
pub fn disable_for(world: &mut World, account: &Arc<BankAccount>, reason: &str) -> Arc<BankAccount> {
    let now = world.now();
    world.change(account, |account| {
        account.in_use = false;
        account.disabled_at = Some(now);
        account.disabled_reason = Some(reason.to_owned());
        account.version += 1;
    })
}

/// Records what validates an account, or that nothing does. A validated account stays validated as it is.
pub fn validate(world: &mut World, account: &Arc<BankAccount>, validation: Option<Validation>) {
    if validation.is_some() == account.validation.is_some() {
        return;
    }
    let now = world.now();
    world.change(account, |account| {
        account.validated_at = validation.map(|_| now);
        account.validation = validation;
        account.version += 1;
    });
}

/// Erases the accounts of a deleted person or company. The rows remain, because transfers name them.
pub fn erase_of(world: &mut World, org: OrgId, holder: Uuid) -> Result<(), Halt> {
    let mut accounts = of_holder(world, org, holder)?;
    accounts.extend(world.all::<BankAccount>(BankAccount::OF_HOLDER, key![org, holder, false])?);
    for account in accounts {
        let account = disable(world, &account, "erased");
        world.change(&account, |account| {
            account.name = String::new();
            account.last4 = String::new();
            account.sealed_number = Vec::new();
            account.fingerprint = Vec::new();
        });
    }
    Ok(())
}

/// Opens the number for the rail. Fails with [`Tampered`] if another program changed the row.
pub fn open(account: &BankAccount, vault: &Vault) -> Result<String, Tampered> {
    let number = vault.open(&seal_context(account), &account.sealed_number)?;
    String::from_utf8(number).map_err(|_| Tampered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bank_accounts::BankAccountInput;
    use crate::input::Input as _;
    use crate::strict_json::Json;

    fn read(body: &str) -> Result<BankAccountInput, Vec<String>> {
        let read = BankAccountInput::read(&Json::parse(body.as_bytes()).unwrap(), "");
        read.map_err(|problems| problems.into_iter().map(|problem| problem.field).collect())
    }

    const GOOD: &str = r#"{"name": "Corner Shop", "account_number": "123456789", "routing_number": "110000000"}"#;

    #[test]
    fn what_is_missing_or_wrong_is_named_all_at_once() {
        assert_eq!(read("{}").unwrap_err(), ["/name", "/account_number", "/routing_number"]);
        let wrong =
            r#"{"name": "", "account_number": "12", "routing_number": "110000001", "account_type": "x", "iban": "DE"}"#;
        assert_eq!(read(wrong).unwrap_err(), ["/iban", "/name", "/account_number", "/routing_number", "/account_type"]);
    }

    #[test]
    fn a_number_is_never_shown() {
        let vault = Vault::new([1; 32]);
        let input = read(GOOD).unwrap();
        let sealed = input.sealed(&vault, [2; 24]);
        assert!(!format!("{input:?} {sealed:?}").contains("123456789"));
        assert_eq!((sealed.last4.as_str(), sealed.bank_name.as_deref()), ("6789", Some("Sandbox Bank")));
        assert_eq!(sealed.fingerprint, input.sealed(&vault, [3; 24]).fingerprint);
        let savings = GOOD.replace('}', r#", "account_type": "savings"}"#);
        assert_ne!(sealed.fingerprint, read(&savings).unwrap().sealed(&vault, [2; 24]).fingerprint);
    }
}
