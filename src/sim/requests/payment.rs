//! Collections: payment customers, their accounts, and payments of them and of users.

use std::sync::Arc;

use super::super::system::Batch;
use super::{Request, RequestKind, Said, Who};
use crate::bank_accounts::OwnAccountInput;
use crate::http::Answer;
use crate::ids::{Entropy, PaymentCustomerId};
use crate::money::Cents;
use crate::patch::Patch;
use crate::payment_customers::{AddAccount, CreateCustomer, DeleteCustomer, UpdateCustomer};
use crate::payments::{CreatePayment, Payer, Source};
use crate::program::Environment;
use crate::vault::Vault;

#[derive(Clone, Debug)]
pub(in crate::sim) enum Paying {
    AddCustomer { name: String, mark: String },
    Rename { customer: PaymentCustomerId, name: String },
    AddAccount { customer: PaymentCustomerId, account: OwnAccountInput },
    Forget(PaymentCustomerId),
    Collect(Collecting),
}

#[derive(Clone, Debug)]
pub(in crate::sim) struct Collecting {
    pub payer: Payer,
    /// `None` uses the payer's newest account.
    pub account: Option<OwnAccountInput>,
    pub amount: Cents,
    pub mark: String,
}

impl Paying {
    pub(super) fn request_kind(&self) -> RequestKind {
        let (target, takes_key, harmless_twice, names_object) = match self {
            Self::AddCustomer { .. } => ("POST /v2/payment-customers?", true, false, false),
            Self::Rename { .. } => ("PATCH /v2/payment-customers?", false, true, true),
            Self::AddAccount { .. } => ("POST /v2/payment-customers/bank-accounts?", true, true, true),
            Self::Forget(_) => ("DELETE /v2/payment-customers?", false, true, true),
            Self::Collect(_) => ("POST /v2/payments?", true, false, true),
        };
        RequestKind { target, takes_key, harmless_twice, names_object }
    }
}

impl Request {
    pub(super) fn send_paying(
        &self,
        paying: Paying,
        batch: &mut Batch<Who, Said>,
        vault: &Arc<Vault>,
        mut entropy: Entropy,
    ) {
        let scope = self.scope;
        match paying {
            Paying::AddCustomer { name, mark } => {
                let command = CreateCustomer { scope, name, email: None, phone: None, metadata: Some(mark) };
                self.once(batch, vault, command, Answer::created);
            }
            Paying::Rename { customer, name } => {
                let (email, phone, metadata) = (Patch::Keep, Patch::Keep, Patch::Keep);
                let command = UpdateCustomer { scope, customer, name: Some(name), email, phone, metadata };
                self.once(batch, vault, command, Answer::ok);
            }
            Paying::AddAccount { customer, account } => {
                let account = account.sealed(vault, entropy.bytes());
                self.once(batch, vault, AddAccount { scope, customer, account }, Answer::created);
            }
            Paying::Forget(customer) => {
                self.once(batch, vault, DeleteCustomer { scope, customer }, |_| Answer::empty(200));
            }
            Paying::Collect(Collecting { payer, account, amount, mark }) => {
                let brought = account.map(|account| Source::Brought(account.sealed(vault, entropy.bytes())));
                let from = brought.unwrap_or(Source::Newest);
                let (authorization, environment) = (None, Environment::Sandbox);
                let metadata = Some(mark);
                let command = CreatePayment { scope, payer, from, amount, metadata, authorization, environment };
                self.once(batch, vault, command, Answer::created);
            }
        }
    }
}
