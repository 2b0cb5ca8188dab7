use serde_json::json;

use super::add::{AddProvider, Secrets};
use super::inputs::{NewProviderSecret, NewRailProvider, ProviderAct, RailProvidersQuery};
use super::json::RailProviderJson;
use super::model::RailProvider;
use super::review::{ApproveProvider, EndProvider};
use super::rotate::RotateProviderSecret;
use crate::banking::person::Person;
use crate::http::lists::{ListEnvelope, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::permission::Permission;
use crate::refusal::{Code, Refusal};
use crate::security_log::SecurityEvent;
use crate::vault::Unsealed;
use crate::world::Query;
use crate::world::record::Cell as _;

const TAG: &str = "Banks";

fn unsealed(call: &Call, plain: impl Into<Vec<u8>>) -> Unsealed {
    Unsealed::new(&call.bursar.vault, plain, call.bursar.entropy().bytes())
}

fn new_provider(call: &Call, new: NewRailProvider) -> Result<AddProvider, Refusal> {
    Ok(AddProvider {
        org: call.caller.org,
        person: Person::by(&call.caller, call.bursar.environment, new.acting_user_id),
        name: new.name.0,
        kind: new.kind,
        url: new.url.within(call.bursar.outbound.reach())?,
        client_id: new.client_id.map(|id| id.0),
        secrets: Secrets {
            secret: unsealed(call, new.secret.0),
            nudge: new.nudge_secret.map(|secret| unsealed(call, secret.0.bytes())),
        },
    })
}

/// POST /v2/bank/providers
pub async fn create(call: Call) -> Outcome {
    let command = call.body::<NewRailProvider>().and_then(|new| new_provider(&call, new));
    let added = call.once(command, |provider| Answer::created(&RailProviderJson::from(&**provider))).await?;
    if added.is_new() {
        call.log_security(SecurityEvent::BankSetUpChanged, "provider_added", None);
    }
    Ok(added)
}

/// GET /v2/bank/providers
pub async fn list(call: Call) -> Outcome {
    let (asked, org) = (call.query::<RailProvidersQuery>()?, call.caller.org);
    let found = call
        .read(move |world| {
            let mine = Query::of::<RailProvider>(org.to_value(), "id", 1);
            page::<RailProvider>(world, mine, &asked.asked(), |query| {
                query.matching("kind", asked.kind).matching("status", asked.status)
            })
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|provider| RailProviderJson::from(provider))))
}

/// POST /v2/bank/providers/{rail_provider_id}/approve
pub async fn approve(call: Call) -> Outcome {
    let (org, provider) = (call.caller.org, call.id("rail_provider_id", "provider")?);
    let command = call.body::<ProviderAct>().map(|body| ApproveProvider {
        org,
        person: Person::by(&call.caller, call.bursar.environment, body.acting_user_id),
        provider,
    });
    let approved = call.once(command, |provider| Answer::ok(&RailProviderJson::from(&**provider))).await?;
    if approved.is_new() {
        call.log_security(SecurityEvent::BankSetUpChanged, "provider_approved", Some(&provider.to_string()));
    }
    Ok(approved)
}

/// POST /v2/bank/providers/{rail_provider_id}/rotate-secret
pub async fn rotate(call: Call) -> Outcome {
    let (org, provider) = (call.caller.org, call.id("rail_provider_id", "provider")?);
    let command = call.body::<NewProviderSecret>().map(|body| RotateProviderSecret {
        org,
        person: Person::by(&call.caller, call.bursar.environment, body.acting_user_id),
        provider,
        secret: unsealed(&call, body.secret.0),
    });
    let rotated = call.once(command, |provider| Answer::ok(&RailProviderJson::from(&**provider))).await?;
    if rotated.is_new() {
        call.log_security(SecurityEvent::BankSetUpChanged, "provider_secret_rotated", Some(&provider.to_string()));
    }
    Ok(rotated)
}

/// POST /v2/bank/providers/{rail_provider_id}/end
pub async fn end(call: Call) -> Outcome {
    let (org, provider) = (call.caller.org, call.id("rail_provider_id", "provider")?);
    let command = call.body::<ProviderAct>().map(|body| EndProvider {
        org,
        person: Person::by(&call.caller, call.bursar.environment, body.acting_user_id),
        provider,
    });
    let ended = call.once(command, |provider| Answer::ok(&RailProviderJson::from(&**provider))).await?;
    if ended.is_new() {
        call.log_security(SecurityEvent::BankSetUpChanged, "provider_ended", Some(&provider.to_string()));
    }
    Ok(ended)
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/bank/providers" Organization "add_rail_provider" create)
            .members(Permission::Govern)
            .about(TAG, "Add a provider of rails behind HTTP")
            .describe(
                "A provider is an adapter of your own, or PayPal Payouts. Its address never changes: add another \
                 provider, approve it, and route to it.",
            )
            .takes::<NewRailProvider>()
            .example(json!({
                "acting_user_id": "019a0000-0000-7000-8000-000000000000", "name": "Card adapter", "kind": "adapter",
                "url": "https://adapter.example.com/v1", "secret": "adapter-token-1",
            }))
            .gives::<RailProviderJson>(201, "The provider.")
            .refuses(&[Code::NotFound, Code::MemberProofRequired, Code::LimitExceeded]),
        route!(Get "/v2/bank/providers" Organization "list_rail_providers" list)
            .members(Permission::View)
            .about(TAG, "List the providers of rails behind HTTP")
            .describe("Lists the providers behind HTTP, newest first. Secrets are never shown.")
            .asks::<RailProvidersQuery>()
            .gives::<ListEnvelope<RailProviderJson>>(200, "One page of the list."),
        route!(Post "/v2/bank/providers/{rail_provider_id}/approve" Organization "approve_rail_provider" approve)
            .members(Permission::Pay)
            .about(TAG, "Approve a provider")
            .describe(
                "Requires another member than the one who added it or gave its newest secret: an admin or a payer.",
            )
            .takes::<ProviderAct>()
            .gives::<RailProviderJson>(200, "The provider.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::SelfApproval, Code::InvalidState]),
        route!(Post "/v2/bank/providers/{rail_provider_id}/rotate-secret" Organization "rotate_rail_provider_secret" rotate)
            .members(Permission::Govern)
            .about(TAG, "Replace the credential of a provider")
            .describe(
                "The approval ends. Until another member approves the provider again, it is not called: payments wait, \
                 and none is lost.",
            )
            .takes::<NewProviderSecret>()
            .gives::<RailProviderJson>(200, "The provider.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
        route!(Post "/v2/bank/providers/{rail_provider_id}/end" Organization "end_rail_provider" end)
            .members(Permission::Govern)
            .about(TAG, "Take a provider out of use")
            .describe(
                "Refused while a route that is in force or will be names it. Payments that it has are followed to \
                 their end. A repeated call changes nothing.",
            )
            .takes::<ProviderAct>()
            .gives::<RailProviderJson>(200, "The provider.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
    ]
}
