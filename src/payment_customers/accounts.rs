//! The bank accounts from which a customer pays.

use super::rows::{change, find};
use crate::bank_accounts::{self, BankAccountJson, SealedAccount};
use crate::engine::Command;
use crate::ids::{BankAccountId, PaymentCustomerId};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// POST /v2/payment-customers/{customer_id}/bank-accounts
#[derive(Clone, Debug)]
pub struct AddAccount {
    pub scope: Scope,
    pub customer: PaymentCustomerId,
    /// Named after the customer if it has no holder name.
    pub account: SealedAccount,
}

impl Command for AddAccount {
    type Reply = BankAccountJson;

    fn decide(&self, world: &mut World) -> Result<BankAccountJson, Halt> {
        let customer = find(world, self.scope, self.customer)?;
        let known = bank_accounts::of_holder(world, self.scope.org, customer.id.0)?;

        // From here it must succeed.
        let named = self.account.named(customer.name.as_deref().unwrap_or_default());
        let account = bank_accounts::add(world, self.scope, customer.id.0, &named)?;
        // Without a change there is no transition and no event.
        if !known.iter().any(|known| (known.id, known.version) == (account.id, account.version)) {
            change(world, &customer, |_| ())?;
        }
        Ok(BankAccountJson::from(&*account))
    }
}

/// DELETE /v2/payment-customers/{customer_id}/bank-accounts/{account_id}
#[derive(Clone, Copy, Debug)]
pub struct RemoveAccount {
    pub scope: Scope,
    pub customer: PaymentCustomerId,
    pub account: BankAccountId,
}

impl Command for RemoveAccount {
    type Reply = BankAccountJson;

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
