//! Creates a payout link: holds the money and delivers the link.

use super::rows;
use std::sync::Arc;

use super::deliver::deliver_first;
use super::model::{AccountingData, DeliveryMethod, FundingSource, LinkStatus, Payee, PayoutLink};
use super::sweep;
use super::token::NewToken;
use crate::apps::Movement;
use crate::apps::{self, phones};
use crate::clock::{DAY_SECONDS, Time};
use crate::engine::Command;
use crate::events::{self, EventName};
use crate::fees::Party;
use crate::funding;
use crate::ids::{PayoutLinkId, TransferId, UserId};
use crate::jobs::{self, Work};
use crate::ledger::{holds, postings};
use crate::messages::{delivery_days, stops};
use crate::money::Cents;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers::rules::TransferEvent;
use crate::transfers::{self, Transfer, TransferKind};
use crate::users;
use crate::world::record::Document;
use crate::world::{Halt, Want, World};

pub const LIFE_SECONDS: i64 = 30 * DAY_SECONDS;
const LIFE_MAX_SECONDS: i64 = 366 * DAY_SECONDS;

#[derive(Clone, Debug, Default)]
pub struct DeliveryRequest {
    /// If empty, chosen by the payee's known contacts.
    pub method: Option<DeliveryMethod>,
    pub message: Option<String>,
}

#[derive(Clone, Debug)]
pub struct NewLink {
    /// Cents.
    pub amount: Cents,
    /// The user to pay; their stored phone and address are used.
    pub user: Option<UserId>,
    pub payee: Payee,
    pub delivery: DeliveryRequest,
    /// Whether a tax form is required for any amount.
    pub collect_compliance: bool,
    pub tax_exempt: bool,
    pub memo: Option<String>,
    pub metadata: Option<String>,
    pub description: Option<String>,
    pub accounting_data: AccountingData,
    pub funding_source: FundingSource,
    pub fee_party: Option<Party>,
    pub expires_at: Option<Time>,
    pub remind_at: Option<Time>,
}

impl NewLink {
    /// Returns a link with this amount and defaults.
    pub fn of(amount: Cents) -> Self {
        Self {
            amount,
            user: None,
            payee: Payee::default(),
            delivery: DeliveryRequest::default(),
            collect_compliance: false,
            tax_exempt: false,
            memo: None,
            metadata: None,
            description: None,
            accounting_data: AccountingData::default(),
            funding_source: FundingSource::ServiceBalance,
            fee_party: None,
            expires_at: None,
            remind_at: None,
        }
    }
}

/// POST /v2/payout-links
#[derive(Clone, Debug)]
pub struct Create {
    pub scope: Scope,
    pub new: NewLink,
    pub token: NewToken,
}

impl Command for Create {
    type Reply = Arc<PayoutLink>;

    fn needs(&self) -> Vec<Want> {
        wants(self.scope, &self.new)
    }

    fn decide(&self, world: &mut World) -> Result<Arc<PayoutLink>, Halt> {
        let link = create(world, self.scope, &self.new, &self.token)?;
        if link.status == LinkStatus::FundsPending {
            return Ok(link);
        }
        deliver_first(world, &link)
    }
}

/// Returns the rows that [`create`] always loads, so that a command can prefetch them at once.
pub fn wants(scope: Scope, new: &NewLink) -> Vec<Want> {
    // The rows depend on the ledger accounts only, so the transfer's id does not matter yet.
    let posting = postings::open_hold(scope, TransferId(uuid::Uuid::nil()), new.amount);
    let held = matches!(new.funding_source, FundingSource::ServiceBalance).then(|| posting.wants());
    let stopped = new.payee.e164().map(|phone| stops::want(scope.org, &phone));
    let recipient = new.payee.e164().or_else(|| new.payee.email.clone());
    let counted = delivery_days::wants(scope, recipient);
    [apps::want(scope), events::want(scope), sweep::want(scope.org)]
        .into_iter()
        .chain(held.into_iter().flatten())
        .chain(counted)
        .chain(stopped)
        .collect()
}

/// Refuses a phone to which the app may not send, and names the field if the request has it.
fn may_write_to(world: &mut World, scope: Scope, new: &NewLink, payee: &Payee) -> Result<(), Halt> {
    match (payee.e164(), new.payee.e164()) {
        (Some(phone), Some(_)) => phones::may_write_to(world, scope, &phone, "/payee/phone_number"),
        (Some(phone), None) => phones::still_writes_to(world, scope, &phone),
        (None, _) => Ok(()),
    }
}

/// Creates the link and holds its money, or starts the pull; it does not deliver the link.
pub fn create(world: &mut World, scope: Scope, new: &NewLink, token: &NewToken) -> Result<Arc<PayoutLink>, Halt> {
    let payee = payee(world, scope, new)?;
    may_write_to(world, scope, new, &payee)?;
    let method = method(&payee, new.delivery.method)?;
    let expires_at = expiry(world.now(), new)?;
    // Refuses an amount above the limit per payout. The daily limits apply when the link is paid out.
    apps::find(world, scope)?.settings.0.payout_limits.allows(Movement::Payout, new.amount)?;
    let (hold, id): (_, PayoutLinkId) = (world.id(), world.id());
    let status = match new.funding_source {
        FundingSource::ServiceBalance => {
            holds::open_new(world, scope, hold, new.amount)?;
            LinkStatus::Created
        }
        FundingSource::Ach => {
            let account = funding::needed_ach_account(world, scope)?;
            let way = funding::way(world, scope, &account, new.amount)?;
            funding::pull(world, scope, (&account, &way), new.amount, Some(id), None)?;
            LinkStatus::FundsPending
        }
    };

    // From here it must succeed.
    let now = world.now();
    let transfer = Transfer::new(scope.org, scope.app, hold, TransferKind::Balance, new.amount, now);
    let transfer = transfers::open(world, Transfer { payout_link: Some(id), tax_exempt: new.tax_exempt, ..transfer })?;
    if status == LinkStatus::Created {
        transfers::advance(world, &transfer, TransferEvent::Submitted, |_| ())?;
    }
    let link = world.add(PayoutLink {
        org: scope.org,
        id,
        app: scope.app,
        token_layout: None,
        token_hash: Vec::new(),
        sealed_token: token.seal(scope.org, id),
        amount: new.amount,
        status,
        payee_phone: payee.e164(),
        payee_email: payee.email.as_ref().map(|email| email.to_lowercase()),
        payee: Document(payee),
        for_user: new.user,
        delivery_method: method,
        delivery_error: None,
        message: new.delivery.message.clone(),
        deliveries: 0,
        tax_exempt: new.tax_exempt,
        collect_compliance: new.collect_compliance,
        claimed_user: None,
        payee_user: new.user,
        flow: None,
        transfer: hold,
        memo: new.memo.clone(),
        metadata: new.metadata.clone(),
        description: new.description.clone(),
        accounting_data: Document(new.accounting_data),
        created_by_email: None,
        funding_source: new.funding_source,
        fee_party: new.fee_party,
        paid_out: Cents::ZERO,
        newest_payout: None,
        payouts: 0,
        expires_at,
        new_link_requested_at: None,
        version: 1,
        created_at: now,
        updated_at: now,
    });
    plan(world, &link, new.remind_at)?;
    rows::emit(world, &link, EventName::PayoutLinkUpdated)?;
    Ok(link)
}

/// Ensures that the payee is reminded and the link expires.
fn plan(world: &mut World, link: &PayoutLink, remind_at: Option<Time>) -> Result<(), Halt> {
    let Some(remind_at) = remind_at else { return sweep::watch(world, link) };
    jobs::enqueue_at(world, link.org, Work::RemindLink { link: link.id.0 }, remind_at);
    sweep::enqueue(world, link, link.expires_at);
    Ok(())
}

/// Returns the payee from the request, or from the named user.
fn payee(world: &mut World, scope: Scope, new: &NewLink) -> Result<Payee, Halt> {
    let Some(user) = new.user else { return Ok(new.payee.clone()) };
    let user = users::find(world, scope, user)?;
    users::must_be_active(&user)?;
    let reached = users::reached(world, scope, &user)?;
    Ok(Payee {
        first_name: user.first_name.clone(),
        last_name: user.last_name.clone(),
        email: reached.email,
        country_code: reached.phone_country_code,
        phone_number: reached.phone_national,
    })
}

/// Returns the requested method, or by default sms for a known phone, else email for a known address, else link
/// (docs/decisions.md 16).
fn method(payee: &Payee, asked: Option<DeliveryMethod>) -> Result<DeliveryMethod, Refusal> {
    let (phone, email) = (payee.phone_number.is_some(), payee.email.is_some());
    let chosen = asked.unwrap_or(match (phone, email) {
        (true, _) => DeliveryMethod::Sms,
        (false, true) => DeliveryMethod::Email,
        (false, false) => DeliveryMethod::Link,
    });
    let lacks = match chosen {
        DeliveryMethod::Sms if !phone => "sms requires payee.country_code and payee.phone_number",
        DeliveryMethod::Email if !email => "email requires payee.email",
        DeliveryMethod::All if !phone && !email => "all requires a phone number or an e-mail address of the payee",
        DeliveryMethod::Sms | DeliveryMethod::Email | DeliveryMethod::All | DeliveryMethod::Link => return Ok(chosen),
    };
    Err(Refusal::field(Code::InvalidInput, "/delivery/method", lacks))
}

fn expiry(now: Time, new: &NewLink) -> Result<Time, Refusal> {
    let expires_at = new.expires_at.unwrap_or(now.plus_seconds(LIFE_SECONDS));
    if expires_at <= now || expires_at > now.plus_seconds(LIFE_MAX_SECONDS) {
        return Err(Refusal::field(
            Code::InvalidInput,
            "/expires_at",
            "must be in the future and at most 366 days away",
        ));
    }
    match new.remind_at {
        Some(remind_at) if remind_at <= now || remind_at >= expires_at => {
            Err(Refusal::field(Code::InvalidInput, "/remind_at", "must be in the future and before the link expires"))
        }
        Some(_) | None => Ok(expires_at),
    }
}
