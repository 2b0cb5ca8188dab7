//! Creates, changes and deletes payment customers.

use super::PaymentCustomerJson;
use super::model::PaymentCustomer;
use super::rows::{change, emit, find};
use crate::bank_accounts;
use crate::engine::Command;
use crate::ids::PaymentCustomerId;
use crate::patch::Patch;
use crate::phone::PhoneNumber;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers;
use crate::world::{Halt, World};

/// POST /v2/payment-customers
#[derive(Clone, Debug)]
pub struct CreateCustomer {
    pub scope: Scope,
    pub name: String,
    pub email: Option<String>,
    pub phone: Option<PhoneNumber>,
    pub metadata: Option<String>,
}

impl Command for CreateCustomer {
    type Reply = PaymentCustomerJson;

    fn decide(&self, world: &mut World) -> Result<PaymentCustomerJson, Halt> {
        let (id, now) = (world.id(), world.now());
        let customer = world.add(PaymentCustomer {
            org: self.scope.org,
            id,
            app: self.scope.app,
            name: Some(self.name.clone()),
            email: self.email.clone(),
            phone_country_code: self.phone.as_ref().map(|phone| phone.country_code().to_owned()),
            phone_national: self.phone.as_ref().map(|phone| phone.national().to_owned()),
            metadata: self.metadata.clone(),
            version: 1,
            created_at: now,
            updated_at: now,
            deleted_at: None,
            in_use: true,
        });
        emit(world, &customer)?;
        Ok(PaymentCustomerJson::from(&*customer))
    }
}

/// PATCH /v2/payment-customers/{customer_id}
#[derive(Clone, Debug)]
pub struct UpdateCustomer {
    pub scope: Scope,
    pub customer: PaymentCustomerId,
    pub name: Option<String>,
    pub email: Patch<String>,
    pub phone: Patch<PhoneNumber>,
    pub metadata: Patch<String>,
}

impl Command for UpdateCustomer {
    type Reply = PaymentCustomerJson;

    fn decide(&self, world: &mut World) -> Result<PaymentCustomerJson, Halt> {
        let before = find(world, self.scope, self.customer)?;
        let after = self.applied_to(&before);
        // Without a change there is no transition and no event.
        if PaymentCustomerJson::from(&after) == PaymentCustomerJson::from(&*before) {
            return Ok(PaymentCustomerJson::from(&after));
        }

        // From here it must succeed.
        let customer = change(world, &before, |customer| *customer = after)?;
        Ok(PaymentCustomerJson::from(&*customer))
    }
}

impl UpdateCustomer {
    fn applied_to(&self, before: &PaymentCustomer) -> PaymentCustomer {
        let mut customer = before.clone();
        if let Some(name) = &self.name {
            customer.name = Some(name.clone());
        }
        patch(&self.email, &mut customer.email, String::clone);
        patch(&self.metadata, &mut customer.metadata, String::clone);
        patch(&self.phone, &mut customer.phone_country_code, |phone| phone.country_code().to_owned());
        patch(&self.phone, &mut customer.phone_national, |phone| phone.national().to_owned());
        customer
    }
}

fn patch<T>(patch: &Patch<T>, field: &mut Option<String>, set: impl FnOnce(&T) -> String) {
    match patch {
        Patch::Keep => {}
        Patch::Clear => *field = None,
        Patch::Set(value) => *field = Some(set(value)),
    }
}

/// DELETE /v2/payment-customers/{customer_id}
#[derive(Clone, Copy, Debug)]
pub struct DeleteCustomer {
    pub scope: Scope,
    pub customer: PaymentCustomerId,
}

impl Command for DeleteCustomer {
    type Reply = PaymentCustomerJson;

    fn decide(&self, world: &mut World) -> Result<PaymentCustomerJson, Halt> {
        let customer = find(world, self.scope, self.customer)?;
        if transfers::under_way_of_customer(world, self.scope.org, customer.id)? {
            let message = "This customer has a payment in progress. Wait until it is complete.";
            return Err(Refusal::new(Code::InvalidState, message).because(Reason::InUse).into());
        }

        // From here it must succeed.
        bank_accounts::erase_of(world, self.scope.org, customer.id.0)?;
        let now = world.now();
        let customer = change(world, &customer, |customer| {
            customer.name = None;
            customer.email = None;
            customer.phone_country_code = None;
            customer.phone_national = None;
            customer.metadata = None;
            customer.deleted_at = Some(now);
            customer.in_use = false;
        })?;
        Ok(PaymentCustomerJson::from(&*customer))
    }
}
