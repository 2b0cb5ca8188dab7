//! The bank accounts that a customer pays from.

use super::{change, find};
use crate::bank_accounts::{self, BankAccountJson, SealedAccount};
use crate::engine::Command;
use crate::ids::{BankAccountId, OrgId, PaymentCustomerId};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// POST /v2/payment-customers/{customer_id}/bank-accounts
#[derive(Clone, Debug)]
pub struct AddAccount {
    /// The app.
    pub scope: Scope,
    /// The customer.
    pub customer: PaymentCustomerId,
    /// The account; it bears the customer's name where it has no other.
    pub account: SealedAccount,
}

impl Command for AddAccount {
    type Reply = BankAccountJson;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<BankAccountJson, Halt> {
        let customer = find(world, self.scope, self.customer)?;
        let known = bank_accounts::of_holder(world, self.scope.org, customer.id.0)?;

        // From here it must succeed.
        let named = self.account.named(customer.name.as_deref().unwrap_or_default());
        let account = bank_accounts::add(world, self.scope, customer.id.0, &named)?;
        // What changes nothing is no transition, and has no event.
        if !known.iter().any(|known| (known.id, known.version) == (account.id, account.version)) {
            change(world, &customer, |_| ())?;
        }
        Ok(BankAccountJson::from(&*account))
    }
}

/// DELETE /v2/payment-customers/{customer_id}/bank-accounts/{account_id}
#[derive(Clone, Copy, Debug)]
pub struct RemoveAccount {
    /// The app.
    pub scope: Scope,
    /// The customer.
    pub customer: PaymentCustomerId,
    /// The account.
    pub account: BankAccountId,
}

impl Command for RemoveAccount {
    type Reply = BankAccountJson;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<BankAccountJson, Halt> {
        let customer = find(world, self.scope, self.customer)?;
        let account = bank_accounts::find(world, self.scope.org, customer.id.0, self.account)?;
        if !account.in_use {
            return Ok(BankAccountJson::from(&*account));
        }

        // From here it must succeed.
        let account = bank_accounts::disable(world, &account, "removed");
        change(world, &customer, |_| ())?;
        Ok(BankAccountJson::from(&*account))
    }
}
