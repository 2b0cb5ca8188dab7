use serde_json::json;
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

use super::decide::DecidePayment;
use super::json::RailPaymentJson;
use super::model::{DecidedOutcome, PaymentStatus, RailPayment};
use super::nudge::Nudge;
use crate::banking::{Person, providers};
use crate::clock::Clock;
use crate::http::lists::{ListEnvelope, list_query, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::{MemberId, OrgId, RailProviderId, TransferId};
use crate::input::input;
use crate::input::types::{LongText, word_input};
use crate::permission::Permission;
use crate::rails::providers::ProviderKind;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::strict_json::Json;
use crate::webhooks::signature::{self, Secret};
use crate::world::Query;
use crate::world::record::Cell as _;

/// How far the clock of a provider may differ from ours, in seconds.
const TOLERANCE_SECONDS: i64 = 300;

word_input!(PaymentStatus);
word_input!(DecidedOutcome);

input! {
    /// What a member knows about a payment in doubt.
    pub struct RailPaymentDecisionInput {
        /// The member (admin or payer).
        pub acting_user_id: MemberId,
        /// completed: the payee has the money. failed: the payment was not made; its money goes back.
        pub outcome: DecidedOutcome,
        /// How the member knows it: who at the provider, when, the reference.
        pub evidence: LongText,
    }
}

list_query! {
    /// The filters of the list of payments at providers.
    pub struct RailPaymentsQuery {
        /// Return only payments in this state.
        pub status: Option<PaymentStatus>,
        /// Return only payments at this provider.
        pub rail_provider_id: Option<RailProviderId>,
    }
}

/// GET /v2/bank/provider-payments
pub async fn list(call: Call) -> Outcome {
    let (asked, org) = (call.query::<RailPaymentsQuery>()?, call.caller.org);
    let found = call
        .read(move |world| {
            let mine = Query::of::<RailPayment>(org.to_value(), "transfer", 1);
            page::<RailPayment>(world, mine, &asked.asked(), |query| {
                query.matching("provider", asked.rail_provider_id).matching("status", asked.status)
            })
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|payment| RailPaymentJson::from(payment))))
}

/// POST /v2/bank/provider-payments/{transfer_id}/decide
pub async fn decide(call: Call) -> Outcome {
    let (org, transfer) = (call.caller.org, call.id("transfer_id", "payment at a provider")?);
    let command = call.body::<RailPaymentDecisionInput>().map(|body| {
        let person = Person::by(&call.caller, call.bursar.environment, body.acting_user_id);
        DecidePayment { org, person, transfer, outcome: body.outcome, evidence: body.evidence.0 }
    });
    call.once(command, |payment| Answer::ok(&RailPaymentJson::from(&**payment))).await
}

/// POST /v2/rails/{route}/nudge
pub async fn nudge(call: Call) -> Outcome {
    let (org, id) = provider_in(call.parameter("route")).ok_or_else(|| Refusal::not_found("provider"))?;
    let provider = call.read(move |world| providers::find(world, org, id)).await?;
    let secret = providers::nudge_secret(&provider, &call.bursar.vault);
    let secret = secret.map_err(|_| Refusal::new(Code::InternalError, "The secret of nudges cannot be decrypted."))?;
    let is_allowed = match (provider.kind, &secret) {
        // PayPal does not sign like us. Its event may hasten a look-up, as anyone's could who knew this path.
        (ProviderKind::Paypal, None) => true,
        (ProviderKind::Adapter, None) => false,
        (ProviderKind::Adapter | ProviderKind::Paypal, Some(secret)) => is_signed(&call, secret),
    };
    if !is_allowed {
        return Err(Refusal::new(Code::NotPermitted, "The request is not signed with the provider's nudge secret.")
            .because(Reason::SignatureWrong));
    }
    let Some(transfer) = transfer_in(&call.body) else {
        return Err(Refusal::field(Code::InvalidInput, "/transfer_id", "is required: the id of a transfer"));
    };
    call.bursar.engine.run(org, Nudge { org, provider: id, transfer }).await?;
    Ok(Answer::empty(204))
}

/// Returns the organization and the provider in the path.
fn provider_in(text: &str) -> Option<(OrgId, RailProviderId)> {
    let (org, provider) = text.split_at_checked(32)?;
    let id = |text: &str| if text.len() == 32 { Uuid::try_parse(text).ok() } else { None };
    Some((OrgId(id(org)?), RailProviderId(id(provider)?)))
}

fn is_signed(call: &Call, secret: &Secret) -> bool {
    let header = |name| call.header(name).unwrap_or_default();
    let Ok(timestamp) = header("webhook-timestamp").parse::<i64>() else { return false };
    // Providers sign with their own clocks, so the sandbox's movable clock is not used.
    let is_recent = timestamp.abs_diff(Clock::wall().now().seconds()) <= TOLERANCE_SECONDS.unsigned_abs();
    let Ok(body) = std::str::from_utf8(&call.signed_bytes) else { return false };
    let expected = signature::signature(secret, header("webhook-id"), timestamp, body);
    let is_expected = |given: &str| bool::from(given.as_bytes().ct_eq(expected.as_bytes()));
    is_recent && header("webhook-signature").split(' ').any(is_expected)
}

/// Returns the transfer that a nudge names: in our own form, or in the events of PayPal.
fn transfer_in(body: &Json) -> Option<TransferId> {
    let at = |path: &[&str]| {
        let found = path.iter().try_fold(body, |json, name| json.get(name))?;
        if let Json::Text(text) = found { Uuid::try_parse(text).ok() } else { None }
    };
    let paths: [&[&str]; 4] = [
        &["transfer_id"],
        &["resource", "payout_item", "sender_item_id"],
        &["resource", "batch_header", "sender_batch_header", "sender_batch_id"],
        &["resource", "sender_batch_id"],
    ];
    paths.into_iter().find_map(at).map(TransferId)
}

/// Returns the routes that providers call; they are not part of the API.
pub fn nudges() -> Vec<Route> {
    vec![
        route!(Post "/v2/rails/{route}/nudge" Provider "nudge_rail" nudge)
            .about("Providers", "Look a payment up now")
            .describe(
                "A provider of a rail calls this route and signs the request like our own webhooks. A nudge proves \
                 nothing: bursar looks the payment up.",
            )
            .example(json!({"transfer_id": "019a0000-0000-7000-8000-000000000000"}))
            .gives_empty(204, "The payment is looked up, if it is not over.")
            .refuses(&[Code::NotPermitted, Code::NotFound]),
    ]
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/bank/provider-payments" Organization "list_rail_payments" list)
            .members(Permission::View)
            .about("Banks", "List payments at providers behind HTTP")
            .describe(
                "A payment whose status is attempted may be at the provider or not: it is looked up, and handed over \
                 again under the same id only if the provider never received it.",
            )
            .asks::<RailPaymentsQuery>()
            .gives::<ListEnvelope<RailPaymentJson>>(200, "One page of the list."),
        route!(Post "/v2/bank/provider-payments/{transfer_id}/decide" Organization "decide_rail_payment" decide)
            .members(Permission::Pay)
            .about("Banks", "Decide what became of a payment in doubt")
            .describe(
                "For a payment that is attempted, with a doubt that no look-up ends. Ask the provider first: a payment \
                 that is decided as failed and was made is paid again. The decision takes effect when another member \
                 has sent the same outcome; another outcome replaces the proposal.",
            )
            .takes::<RailPaymentDecisionInput>()
            .example(json!({
                "acting_user_id": "019a0000-0000-7000-8000-000000000000",
                "outcome": "failed",
                "evidence": "PayPal support, case 4711: no batch has this id.",
            }))
            .gives::<RailPaymentJson>(200, "The payment.")
            .refuses(&[
                Code::MemberProofRequired,
                Code::NotFound,
                Code::SelfApproval,
                Code::InvalidState,
                Code::ResourceBusy,
            ]),
    ]
}
