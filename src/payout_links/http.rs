//! The routes of payout links.

use super::rows;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::json;

use super::create::{Create, DeliveryRequest, NewLink};
use super::model::{AccountingData, DeliveryMethod, FundingSource, LinkStatus, Payee, PayoutLink};
use super::token::{ClaimToken, NewToken};
use super::{Cancel, PayoutLinkJson, Redeliver, Reported};
use crate::clock::Time;
use crate::email::Email;
use crate::fees::Party;
use crate::http::lists::{ListEnvelope, list_query, of_app, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::{MessageId, OrgId, UserId};
use crate::input::types::{
    Amount, CallingCode, Integer, LongText, Metadata, Name, NationalNumber, PhoneFilter, Text, phone_of, word_input,
};
use crate::input::{Input, Problems, input, wrong};
use crate::program::Bursar;
use crate::providers::{Report, SIGNATURE, report_url};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::strict_json::Json;
use crate::text::{MESSAGE_MAX, check_message};
use crate::world::Query;

/// Checks that a token opens a link, in any state.
///
/// # Errors
/// `not-found` when it opens none.
pub fn check_token(bursar: Arc<Bursar>, token: String) -> Pin<Box<dyn Future<Output = Result<(), Refusal>> + Send>> {
    Box::pin(async move {
        let parsed = ClaimToken::parse(&bursar.vault, &token).ok_or_else(|| Refusal::not_found("payout link"))?;
        bursar.read(move |world| rows::by_token(world, &parsed).map(|_| ())).await
    })
}

word_input!(DeliveryMethod);
word_input!(FundingSource);
word_input!(LinkStatus);

input! {
    /// The payee, as far as the sender knows.
    pub struct PayeeInput {
        /// The first name.
        pub first_name: Option<Name>,
        /// The last name.
        pub last_name: Option<Name>,
        /// The e-mail address.
        pub email: Option<Email>,
        /// The country calling code, digits. Required with a phone_number that does not begin with a plus.
        pub country_code: Option<CallingCode>,
        /// The phone number within its country, with country_code; or in the form +12127361234.
        pub phone_number: Option<NationalNumber>,
    }
}

/// A sender's message to a payee. It is part of a text that bursar sends, so it must not contain an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SenderMessage(pub String);

impl Input for SenderMessage {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let Text(message) = Text::<MESSAGE_MAX>::read(json, at)?;
        check_message(&message).map_err(|reason| wrong(at, reason.to_string()))?;
        Ok(Self(message))
    }
    fn schema() -> serde_json::Value {
        Text::<MESSAGE_MAX>::schema()
    }
}

input! {
    /// How a link is delivered.
    pub struct DeliveryInput {
        /// Your message to the payee, quoted after the link with your app's name: at most 160 characters, without a web
        /// address, a domain or a phone number.
        pub message: Option<SenderMessage>,
        /// sms, email, link or all. By default sms if a phone is known, else email if an address is known, else link.
        pub method: Option<DeliveryMethod>,
        /// The payee's e-mail address, if payee does not have it.
        pub email: Option<Email>,
        /// The payee's country calling code, if payee does not have it. Required with a phone_number that does not begin
        /// with a plus.
        pub country_code: Option<CallingCode>,
        /// The payee's phone number, if payee does not have it: within its country, with country_code; or in the form
        /// +12127361234.
        pub phone_number: Option<NationalNumber>,
    }
}

impl DeliveryInput {
    fn contact(&self) -> PayeeInput {
        PayeeInput {
            first_name: None,
            last_name: None,
            email: self.email.clone(),
            country_code: self.country_code.clone(),
            phone_number: self.phone_number.clone(),
        }
    }
}

fn is_another_address(one: Option<&str>, other: Option<&str>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one.to_lowercase() != other.to_lowercase())
}

/// Returns the payee with the contacts of `delivery`. A link goes to its payee only, so those contacts are the payee's.
fn reached(payee: Payee, delivery: Option<&DeliveryInput>, user: Option<UserId>) -> Result<Payee, Problems> {
    let Some(contact) = delivery.map(DeliveryInput::contact) else { return Ok(payee) };
    let contact = contact.into_payee("/delivery")?;
    let (email, phone) = (contact.email, contact.country_code.zip(contact.phone_number));
    let known = payee.country_code.clone().zip(payee.phone_number.clone());
    for (field, is_given, is_another) in [
        ("email", email.is_some(), is_another_address(email.as_deref(), payee.email.as_deref())),
        ("phone_number", phone.is_some(), known.is_some() && phone != known),
    ] {
        let at = format!("/delivery/{field}");
        if is_given && user.is_some() {
            return Err(wrong(&at, "cannot be combined with user_id; the link goes to the user's own contact"));
        }
        if is_given && is_another {
            return Err(wrong(
                &at,
                format!("must be equal to payee.{field}; a link goes only to its payee, so omit this field"),
            ));
        }
    }
    let (country_code, phone_number) = phone.or(known).unzip();
    Ok(Payee { email: email.or(payee.email), country_code, phone_number, ..payee })
}

input! {
    /// References into your accounting.
    pub struct AccountingInput {
        /// An account in your ledger.
        pub ledger_account_id: Option<Integer<0, { i64::MAX }>>,
        /// A class in your ledger.
        pub ledger_class_id: Option<Integer<0, { i64::MAX }>>,
    }
}

/// A step that the claim adds to the required ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdditionalStep;

impl Input for AdditionalStep {
    fn read(json: &crate::strict_json::Json, at: &str) -> Result<Self, Problems> {
        match crate::input::text(json, at)? {
            "compliance" => Ok(Self),
            _ => Err(wrong(at, "must be one of: compliance")),
        }
    }
    fn schema() -> serde_json::Value {
        json!({"type": "string", "enum": ["compliance"]})
    }
}

input! {
    /// The fields of a new payout link.
    pub struct NewPayoutLink {
        /// Cents.
        pub amount: Amount,
        /// The user to pay; excludes payee.
        pub user_id: Option<UserId>,
        /// The payee; excludes user_id.
        pub payee: Option<PayeeInput>,
        /// How the link is delivered.
        pub delivery: Option<DeliveryInput>,
        /// Require a tax form for any amount.
        pub force_collect_compliance_information: Option<bool>,
        /// Exclude the payout from tax reports.
        pub tax_exempt: Option<bool>,
        /// A memo.
        pub memo: Option<LongText>,
        /// Metadata: a string or an object; returned as a string.
        pub metadata: Option<Metadata>,
        /// A description.
        pub description: Option<LongText>,
        /// The party that pays the fees; the app's default if missing.
        pub payout_fee_party: Option<Party>,
        /// Steps to add to the required ones.
        pub additional_steps: Option<Vec<AdditionalStep>>,
        /// References into your accounting.
        pub accounting_data: Option<AccountingInput>,
        /// service_balance (the default): the money is held in the wallet. ach: it is pulled from the app's bank
        /// account, and the link is delivered when the bank has paid.
        pub funding_source: Option<FundingSource>,
        /// When the link expires; 30 days from now if missing.
        pub expires_at: Option<Time>,
        /// When the payee is reminded, which counts as a delivery.
        pub remind_at: Option<Time>,
    }
}

impl NewPayoutLink {
    /// Returns the new link after the checks between fields.
    pub fn into_new_link(self) -> Result<NewLink, Refusal> {
        if self.user_id.is_some() && self.payee.is_some() {
            return Err(Refusal::field(
                Code::InvalidInput,
                "/payee",
                "cannot be combined with user_id; send only one of them",
            ));
        }
        let payee = match self.payee {
            Some(payee) => payee.into_payee("/payee").map_err(Refusal::fields)?,
            None => Payee::default(),
        };
        let payee = reached(payee, self.delivery.as_ref(), self.user_id).map_err(Refusal::fields)?;
        let delivery = self.delivery.map_or_else(DeliveryRequest::default, |delivery| DeliveryRequest {
            method: delivery.method,
            message: delivery.message.map(|message| message.0),
        });
        let accounting = self.accounting_data.as_ref();
        Ok(NewLink {
            amount: self.amount.0,
            user: self.user_id,
            payee,
            delivery,
            collect_compliance: self.force_collect_compliance_information.unwrap_or(false)
                || self.additional_steps.is_some_and(|steps| !steps.is_empty()),
            tax_exempt: self.tax_exempt.unwrap_or(false),
            memo: self.memo.map(|memo| memo.0),
            metadata: self.metadata.map(|metadata| metadata.0),
            description: self.description.map(|description| description.0),
            accounting_data: AccountingData {
                ledger_account_id: accounting.and_then(|data| data.ledger_account_id).map(|id| id.0),
                ledger_class_id: accounting.and_then(|data| data.ledger_class_id).map(|id| id.0),
            },
            funding_source: self.funding_source.unwrap_or(FundingSource::ServiceBalance),
            fee_party: self.payout_fee_party,
            expires_at: self.expires_at,
            remind_at: self.remind_at,
        })
    }
}

impl PayeeInput {
    /// Returns the payee; `at` is the JSON pointer of its fields in the body.
    pub fn into_payee(self, at: &str) -> Result<Payee, Problems> {
        let number = phone_of(self.country_code.as_ref(), self.phone_number.as_ref(), at, Code::InvalidPhoneNumber)?;
        Ok(Payee {
            first_name: self.first_name.map(|name| name.0),
            last_name: self.last_name.map(|name| name.0),
            email: self.email.map(|email| email.as_str().to_owned()),
            country_code: number.as_ref().map(|number| number.country_code().to_owned()),
            phone_number: number.as_ref().map(|number| number.national().to_owned()),
        })
    }
}

list_query! {
    /// The filters of the list of payout links.
    pub struct PayoutLinksQuery {
        /// Return only links in this status.
        pub status: Option<LinkStatus>,
        /// Return only links for this phone, `+12127361234` or its digits.
        pub phone_number: Option<PhoneFilter>,
        /// Return only links for this e-mail address.
        pub email: Option<Email>,
        /// Return only links made for this user, or claimed by them.
        pub user_id: Option<UserId>,
    }
}

impl PayoutLinksQuery {
    fn narrow(&self, query: Query) -> Query {
        query
            .matching("status", self.status)
            .matching("payee_phone", self.phone_number.as_ref().map(|phone| phone.0.e164()))
            .matching("payee_email", self.email.as_ref().map(|email| email.as_str().to_lowercase()))
            .matching("payee_user", self.user_id)
    }
}

/// Renders a link under this status. Its address is a secret, so the stored response for replays is sealed.
fn answer(bursar: &Arc<Bursar>, status: u16) -> impl Fn(&Arc<PayoutLink>) -> Answer + Send + 'static {
    let bursar = bursar.clone();
    move |link| Answer::json(status, &super::json(&bursar, link)).secret()
}

/// Renders a new link: 202 while it waits for its money.
pub fn made(bursar: &Arc<Bursar>, link: &Arc<PayoutLink>) -> Answer {
    answer(bursar, if link.status == LinkStatus::FundsPending { 202 } else { 201 })(link)
}

/// POST /v2/payout-links
pub async fn create(call: Call) -> Outcome {
    let scope = call.scope()?;
    let token = NewToken::draw(&call.bursar.vault, &mut call.bursar.entropy());
    let command =
        call.body::<NewPayoutLink>().and_then(NewPayoutLink::into_new_link).map(|new| Create { scope, new, token });
    let bursar = call.bursar.clone();
    call.once(command, move |link| made(&bursar, link)).await
}

/// GET /v2/payout-links
pub async fn list(call: Call) -> Outcome {
    let scope = call.scope()?;
    let asked: PayoutLinksQuery = call.query()?;
    let found = call
        .read(move |world| {
            page::<PayoutLink>(world, of_app::<PayoutLink>(scope, "id"), &asked.asked(), |query| asked.narrow(query))
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|link| super::json(&call.bursar, link))))
}

/// GET /v2/payout-links/{payout_link_id}
pub async fn show(call: Call) -> Outcome {
    let (scope, id) = (call.scope()?, call.id("payout_link_id", "payout link")?);
    let link = call.read(move |world| rows::find(world, scope, id)).await?;
    Ok(answer(&call.bursar, 200)(&link))
}

/// POST /v2/payout-links/{payout_link_id}/redeliver
pub async fn redeliver(call: Call) -> Outcome {
    let (scope, link) = (call.scope()?, call.id("payout_link_id", "payout link")?);
    let command = call.body::<crate::input::types::NoFields>().map(|_| Redeliver { scope, link });
    call.once(command, answer(&call.bursar, 200)).await
}

/// DELETE /v2/payout-links/{payout_link_id}
pub async fn cancel(call: Call) -> Outcome {
    let (scope, link) = (call.scope()?, call.id("payout_link_id", "payout link")?);
    call.once(Ok(Cancel { scope, link }), answer(&call.bursar, 200)).await
}

/// POST /carriers/sms/{org_id}/{message_id}
pub async fn report(call: Call) -> Outcome {
    let (org, message): (OrgId, MessageId) = (call.id("org_id", "message")?, call.id("message_id", "message")?);
    let Some(gateway) = &call.bursar.providers.phone else { return Err(Refusal::not_found("page")) };
    let fields = call.form_fields();
    let signature = call.header(SIGNATURE).unwrap_or_default();
    // Verified first: a caller without a valid signature must not learn whether a message exists.
    if !gateway.has_signed(&report_url(&call.bursar.public_url, org, message), &fields, signature) {
        return Err(Refusal::new(Code::NotPermitted, "The request is not signed by the configured SMS gateway.")
            .because(Reason::SignatureWrong));
    }
    let Some(report) = Report::of(&fields) else {
        return Err(Refusal::new(Code::InvalidInput, "A status report requires MessageSid and MessageStatus."));
    };
    call.bursar.engine.run(org, Reported { org, message, report }).await?;
    Ok(Answer::empty(204))
}

/// Returns the routes that providers call; they are not part of the API.
pub fn reports() -> Vec<Route> {
    vec![
        route!(Post "/carriers/sms/{org_id}/{message_id}" Provider "report_message_status" report)
            .about("Providers", "Report the delivery status of a text message")
            .describe("The SMS gateway calls this route and signs the request (docs/operating.md).")
            .gives_empty(204, "The status was recorded, or was already known.")
            .refuses(&[Code::NotPermitted, Code::NotFound]),
    ]
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/payout-links" App "create_payout_link" create)
            .about("Payout links", "Create a payout link")
            .describe("Holds the amount and delivers the link. If the wallet does not cover the amount, the request is refused.")
            .takes::<NewPayoutLink>()
            .example(json!({
                "amount": 1000,
                "payee": {"country_code": "1", "phone_number": "2127361234"},
                "delivery": {"message": "Thank you for your work!", "method": "sms"}
            }))
            .gives::<PayoutLinkJson>(201, "The payout link.")
            .gives::<PayoutLinkJson>(202, "The payout link, which waits for its money (funding_source ach).")
            .refuses(&[Code::UserInfoMissing, Code::InsufficientFunds, Code::NotFound, Code::UserInactive, Code::InvalidPhoneNumber, Code::InvalidState, Code::LimitExceeded]),
        route!(Get "/v2/payout-links" App "list_payout_links" list)
            .about("Payout links", "List payout links")
            .describe("Lists the app's payout links, newest first.")
            .asks::<PayoutLinksQuery>()
            .gives::<ListEnvelope<PayoutLinkJson>>(200, "One page of the list."),
        route!(Get "/v2/payout-links/{payout_link_id}" App "get_payout_link" show)
            .about("Payout links", "Get a payout link")
            .describe("Returns one payout link with its current status.")
            .gives::<PayoutLinkJson>(200, "The payout link.")
            .refuses(&[Code::NotFound]),
        route!(Post "/v2/payout-links/{payout_link_id}/redeliver" App "redeliver_payout_link" redeliver)
            .about("Payout links", "Redeliver a payout link")
            .describe("A link is delivered at most five times, the first delivery included. The app setting delivery_limits also limits the deliveries per recipient and per app on one day (UTC).")
            .takes::<crate::input::types::NoFields>()
            .gives::<PayoutLinkJson>(200, "The payout link.")
            .refuses(&[Code::NotFound, Code::DeliveryLimitReached, Code::InvalidState, Code::UserInactive, Code::InvalidPhoneNumber, Code::LimitExceeded]),
        route!(Delete "/v2/payout-links/{payout_link_id}" App "cancel_payout_link" cancel)
            .about("Payout links", "Cancel an unclaimed payout link")
            .describe("Releases the held amount. A repeated call changes nothing.")
            .gives::<PayoutLinkJson>(200, "The payout link.")
            .refuses(&[Code::NotFound, Code::InvalidState]),
    ]
}
