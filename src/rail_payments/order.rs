//! What a worker needs to call the provider of a payment.

use std::sync::Arc;

use serde_json::{Value, json};

use super::model::RailPayment;
use super::rows;
use crate::banking::SetupStatus;
use crate::banking::providers::{self, RailProvider};
use crate::ids::{OrgId, TransferId};
use crate::payout_methods::{self, Details, Target, UsBank};
use crate::rails::Direction;
use crate::rails::providers::{Access, Order, Payee};
use crate::refusal::{Code, Refusal};
use crate::transfers::Transfer;
use crate::users;
use crate::vault::{Tampered, Vault};
use crate::world::record::key;
use crate::world::{Halt, World};

/// A payment, its provider, and the order in clear. The worker must not store it.
#[derive(Debug)]
pub struct Plan {
    pub payment: Arc<RailPayment>,
    pub provider: Arc<RailProvider>,
    /// `None` if the credentials do not open.
    pub access: Option<Access>,
    /// `None` if it is over, or the account does not open.
    pub order: Option<Order>,
    pub is_tampered: bool,
}

impl Plan {
    /// Returns whether the provider may be queried: not with credentials that another member did not approve.
    #[must_use]
    pub fn may_query(&self) -> bool {
        self.provider.approved_by.is_some()
    }

    /// Returns whether the provider receives no further payments.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.provider.status == SetupStatus::Ended
    }
}

/// Returns the plan of a payment; `None` if no provider carries the transfer.
///
/// # Errors
/// `not-found`, `internal-error`.
pub fn plan(world: &mut World, vault: &Vault, org: OrgId, id: TransferId) -> Result<Option<Plan>, Halt> {
    let Some(payment) = rows::get(world, org, id)? else { return Ok(None) };
    let provider = providers::find(world, org, payment.provider)?;
    let transfer = world.get::<Transfer>(key![org, id])?.ok_or_else(|| Refusal::not_found("transfer"))?;
    let access = providers::access(&provider, vault).ok();
    let (order, is_tampered) = match (&payment.sealed_order, transfer.waits_for_rail()) {
        (Some(sealed), _) => (vault.open(&rows::seal_context(&payment), sealed).ok(), false),
        (None, true) => match new_order(world, vault, &payment, &transfer)? {
            Ok(order) => (Some(order.to_bytes()), false),
            Err(is_tampered) => (None, is_tampered),
        },
        (None, false) => (None, false),
    };
    let order = order.and_then(|bytes| Order::from_bytes(&bytes));
    Ok(Some(Plan { payment, provider, access, order, is_tampered }))
}

/// Returns the order of a payment; the inner error says whether the account was changed in the store.
fn new_order(
    world: &mut World,
    vault: &Vault,
    payment: &RailPayment,
    transfer: &Transfer,
) -> Result<Result<Order, bool>, Halt> {
    let (Some(user), Some(method)) = (transfer.user_id, transfer.payout_method) else {
        return Err(Refusal::new(Code::InternalError, "A payout at a provider has no payee.").into());
    };
    let user = users::find_in_organization(world, transfer.org, user)?;
    let method = payout_methods::paid_to(world, transfer.org, user.id, method)?;
    let details = match Details::open(&method, vault) {
        Ok(details) => details,
        Err(Tampered) => return Ok(Err(vault.has_key_of(&method.sealed_details))),
    };
    let email = user.email.clone().filter(|_| details.target == Target::Nothing);
    let payee = Payee { name: user.full_name(), email };
    Ok(Ok(Order::new(payment.platform, Direction::Credit, payment.amount, far_end(&details.target), payee)))
}

fn us_bank(bank: &UsBank) -> Value {
    json!({
        "routing_number": bank.routing_number, "account_number": bank.account_number,
        "account_type": bank.account_type.as_str(),
    })
}

fn far_end(target: &Target) -> Value {
    let mut fields = match target {
        Target::UsBank { bank, address, residence } => {
            let mut fields = us_bank(bank);
            (fields["address"], fields["residence"]) = (json!(address), json!(residence));
            fields
        }
        Target::CashTag { cash_tag, bank } => json!({"cash_tag": cash_tag, "bank": bank.as_ref().map(us_bank)}),
        Target::Email { email } => json!({"email": email}),
        Target::Handle { handle } => json!({"handle": handle}),
        Target::Phone { phone_number } => json!({"phone_number": phone_number}),
        Target::Iban { iban, bic, account_holder_name, residence } => json!({
            "iban": iban, "bic": bic, "account_holder_name": account_holder_name, "residence": residence,
        }),
        Target::LocalAccount { country, account_number, bank_code, account_holder_name, residence } => json!({
            "country": country, "account_number": account_number, "bank_code": bank_code,
            "account_holder_name": account_holder_name, "residence": residence,
        }),
        Target::Recipient { name, country, phone_number } => {
            json!({"name": name, "country": country, "phone_number": phone_number})
        }
        Target::Card { card_token } => json!({"card_token": card_token}),
        Target::Chain { network, address } => json!({"network": network.as_str(), "address": address}),
        Target::Nothing => json!({}),
    };
    fields["type"] = json!(kind(target));
    fields
}

/// Returns the word for a kind of account in the adapter protocol.
const fn kind(target: &Target) -> &'static str {
    match target {
        Target::UsBank { .. } => "us_bank",
        Target::CashTag { .. } => "cash_tag",
        Target::Email { .. } => "email",
        Target::Handle { .. } => "handle",
        Target::Phone { .. } => "phone",
        Target::Iban { .. } => "iban",
        Target::LocalAccount { .. } => "account",
        Target::Recipient { .. } => "recipient",
        Target::Card { .. } => "card_token",
        Target::Chain { .. } => "chain",
        Target::Nothing => "card",
    }
}
