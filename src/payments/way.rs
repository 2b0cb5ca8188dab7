//! How a payment is collected: by an entry in a bank's file, of the class of its authorization, or simulated in the
//! sandbox.

use std::sync::Arc;

use crate::bank_accounts::{BankAccount, HolderType};
use crate::bank_files::{self, Way};
use crate::banking::originators::EntryClass;
use crate::clock::Time;
use crate::ids::UserId;
use crate::money::Cents;
use crate::payout_methods::PayoutMethod;
use crate::rails::failures::FailureCode;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers::{Authorization, AuthorizationKind};
use crate::world::record::key;
use crate::world::{Halt, World};

/// The account that is debited.
#[derive(Clone, Debug)]
pub(super) enum Debited {
    Method(Arc<PayoutMethod>),
    Account(Arc<BankAccount>),
}

/// Returns how a payment is collected.
///
/// # Errors
/// Those of [`bank_files::way_from`]; `invalid-input` if the authorization lacks what a bank's file needs;
/// `invalid-state` if its holder ended the authorization of this account.
pub(super) fn way(
    world: &World,
    scope: Scope,
    debited: &Debited,
    authorization: &Authorization,
    amount: Cents,
) -> Result<Way, Halt> {
    is_authorized(world, debited, authorization)?;
    // A simulated payment has no class.
    if !bank_files::collects(world, scope)? {
        return bank_files::way_from(world, scope, EntryClass::Ppd, amount, "payments");
    }
    let class = class(debited, authorization)?;
    let mut way = bank_files::way_from(world, scope, class, amount, "payments")?;
    // The rules require that the first debit on the internet comes from an account that was validated.
    if class == EntryClass::Web && authorization.account_validation.is_none() {
        way.must_validate();
    }
    Ok(way)
}

/// Returns the class of the entry.
fn class(debited: &Debited, authorization: &Authorization) -> Result<EntryClass, Refusal> {
    let holder = match debited {
        Debited::Method(_) => HolderType::Individual,
        Debited::Account(account) => account.held_by(HolderType::Individual),
    };
    bank_files::class_of_payment(holder, authorization)
}

/// Refuses a debit of an account whose holder ended the authorization, unless the payer gave a new one since.
fn is_authorized(world: &World, debited: &Debited, authorization: &Authorization) -> Result<(), Halt> {
    let Some(ended_at) = ended_at(world, debited)? else { return Ok(()) };
    if authorization.kind == AuthorizationKind::PerPayment && authorization.accepted_at > ended_at {
        return Ok(());
    }
    let message = format!(
        "The bank returned an earlier payment from this account as not authorized, on {}. Get a new authorization of the \
         payer, and send it with the payment.",
        ended_at.date()
    );
    Err(Refusal::new(Code::InvalidState, message).because(Reason::AuthorizationEnded).into())
}

/// Returns when the payer's bank last reported that a debit of this account was not authorized. Accounts of one payer are
/// the same if the bank and the last digits are: a payer may add an account again.
fn ended_at(world: &World, debited: &Debited) -> Result<Option<Time>, Halt> {
    let (org, holder, routing, digits) = match debited {
        Debited::Method(method) => {
            (method.org, method.user_id.0, method.routing_number.as_deref(), method.mask.as_deref().unwrap_or_default())
        }
        Debited::Account(account) => {
            (account.org, account.holder, Some(account.routing_number.as_str()), account.last4.as_str())
        }
    };
    let is_ended = |reason: &Option<String>| reason.as_deref() == Some(FailureCode::Unauthorized.as_str());
    let accounts = world.all::<BankAccount>(BankAccount::OF_HOLDER, key![org, holder, false])?;
    let accounts = accounts.iter().filter(|account| {
        is_ended(&account.disabled_reason)
            && (Some(account.routing_number.as_str()), account.last4.as_str()) == (routing, digits)
    });
    let methods = world.all::<PayoutMethod>(PayoutMethod::OF_USER, key![org, UserId(holder)])?;
    let methods = methods.iter().filter(|method| {
        is_ended(&method.disabled_reason)
            && (method.routing_number.as_deref(), method.mask.as_deref().unwrap_or_default()) == (routing, digits)
    });
    let ended = accounts.filter_map(|account| account.disabled_at).chain(methods.filter_map(|one| one.disabled_at));
    Ok(ended.max())
}
