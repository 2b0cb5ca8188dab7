//! A payout link as JSON (docs/specification.md, Payout link).

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::model::{AccountingData, DeliveryMethod, LinkStatus, Payee, PayoutLink};
use super::token;
use crate::clock::Time;
use crate::ids::{PayoutLinkId, TransferId, UserId};
use crate::money::Cents;
use crate::program::Bursar;
use crate::vault::Vault;

/// An amount that a payee can claim with a link.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PayoutLinkJson {
    /// The link's id.
    pub id: PayoutLinkId,
    /// When the link was created.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The URL at which the payee claims it. Secret: it lets its holder begin the claim. Null in events.
    #[schema(required)]
    pub link: Option<String>,
    /// Cents.
    #[schema(value_type = i64, example = 1000)]
    pub amount: Cents,
    /// The link's status.
    #[schema(value_type = LinkStatus)]
    pub status: &'static str,
    /// The payee.
    pub payee: Payee,
    /// How the link is delivered.
    pub delivery: DeliveryJson,
    /// Excluded from tax reports.
    pub tax_exempt: bool,
    /// The user who claimed the link.
    #[schema(required)]
    pub claimed_user_id: Option<UserId>,
    /// The onboarding flow of the link.
    #[schema(required)]
    pub flow_id: Option<Uuid>,
    /// The transfer that holds the money.
    pub transfer_id: TransferId,
    /// The memo.
    #[schema(required)]
    pub memo: Option<String>,
    /// The metadata as text; an object as its JSON text.
    #[schema(required)]
    pub metadata: Option<String>,
    /// The description.
    #[schema(required)]
    pub description: Option<String>,
    /// References into your accounting.
    pub accounting_data: AccountingData,
    /// The e-mail address of the person who created the link, if a person did.
    #[schema(required)]
    pub created_by_email: Option<String>,
    /// service_balance or ach.
    pub funding_source: &'static str,
    /// When the link expires.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Time,
    /// The number of deliveries, at most five.
    pub deliveries: u32,
    /// When the payee asked for a new link, after this one had expired.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub new_link_requested_at: Option<Time>,
}

/// How a link is delivered.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DeliveryJson {
    /// The channel.
    #[schema(value_type = DeliveryMethod)]
    pub method: &'static str,
    /// The e-mail address, if one is used.
    #[schema(required)]
    pub email: Option<String>,
    /// The country calling code of the phone, if one is used.
    #[schema(required)]
    pub country_code: Option<String>,
    /// The phone number, if one is used.
    #[schema(required)]
    pub phone_number: Option<String>,
    /// Why the last attempt to deliver failed, in the words of the SMS or e-mail provider, also during retries; null
    /// after a provider accepts the message.
    #[schema(required)]
    pub error: Option<String>,
}

pub fn json(bursar: &Bursar, link: &PayoutLink) -> PayoutLinkJson {
    json_under(&bursar.public_url, &bursar.vault, link)
}

/// Returns the same for a program with this public URL and vault.
pub fn json_under(public_url: &str, vault: &Vault, link: &PayoutLink) -> PayoutLinkJson {
    body(link, address_under(public_url, vault, link))
}

/// Returns the URL at which the payee claims the link.
pub fn address(bursar: &Bursar, link: &PayoutLink) -> Option<String> {
    address_under(&bursar.public_url, &bursar.vault, link)
}

/// Returns the same URL for a command, which has the public URL and the vault.
pub fn address_under(public_url: &str, vault: &Vault, link: &PayoutLink) -> Option<String> {
    token::shown(vault, link).map(|token| address_start(public_url) + &token)
}

/// Returns the address of a link without its token.
pub fn address_start(public_url: &str) -> String {
    format!("{public_url}/claim/")
}

/// Returns the link for events, without its address, which is a secret.
pub fn without_address(link: &PayoutLink) -> PayoutLinkJson {
    body(link, None)
}

fn body(link: &PayoutLink, address: Option<String>) -> PayoutLinkJson {
    use super::model::DeliveryMethod::{All, Email, Link, Sms};
    let payee = link.payee.0.clone();
    let (by_phone, by_email) = match link.delivery_method {
        Sms => (true, false),
        Email => (false, true),
        All => (true, true),
        Link => (false, false),
    };
    PayoutLinkJson {
        id: link.id,
        created: link.created_at,
        link: address,
        amount: link.amount,
        status: link.status.as_str(),
        delivery: DeliveryJson {
            method: link.delivery_method.as_str(),
            email: payee.email.clone().filter(|_| by_email),
            country_code: payee.country_code.clone().filter(|_| by_phone),
            phone_number: payee.phone_number.clone().filter(|_| by_phone),
            error: link.delivery_error.clone(),
        },
        payee,
        tax_exempt: link.tax_exempt,
        claimed_user_id: link.claimed_user,
        flow_id: link.flow,
        transfer_id: link.transfer,
        memo: link.memo.clone(),
        metadata: link.metadata.clone(),
        description: link.description.clone(),
        accounting_data: link.accounting_data.0,
        created_by_email: link.created_by_email.clone(),
        funding_source: link.funding_source.as_str(),
        expires_at: link.expires_at,
        deliveries: link.deliveries,
        new_link_requested_at: link.new_link_requested_at,
    }
}
