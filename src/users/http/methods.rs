use serde::Serialize;
use serde_json::{Value as Schema, json};

use super::path::user_of;
use crate::apps;
use crate::engine::Command;
use crate::fees;
use crate::fees::Schedule;
use crate::http::lists::{ListEnvelope, list_query, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::{PayoutMethodId, UserId};
use crate::input::types::Metadata;
use crate::input::{Input, Problems, gather, optional, wrong};
use crate::payout_methods::{self, Details, MethodOrigin, PayoutMethod, read_details};
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::strict_json::Json;
use crate::users::{
    MethodDetailsJson, NewMethod, can_be_delivered, disable_payout_method, find, method_details, must_be_usable,
    open_rails, set_up_payout_method,
};
use crate::world::query::Compare;
use crate::world::record::Cell;
use crate::world::{Halt, Query, World};

/// A payout method in a request: the platform, the details that it requires, and the app's preferences.
#[derive(Clone, Debug)]
pub struct PayoutMethodInput {
    pub details: Details,
    /// If absent, only the user's first method becomes the default.
    pub is_default: Option<bool>,
    /// Whether the app's payouts go to the default method without a claim.
    pub auto_payout_enabled: Option<bool>,
    pub metadata: Option<Metadata>,
}

impl Input for PayoutMethodInput {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let platform = match json.get("platform") {
            Some(platform) => Platform::read(platform, &format!("{at}/platform"))?,
            // The platform decides which other fields are valid.
            None => return Err(wrong(&format!("{at}/platform"), "is required")),
        };
        let mut problems = Problems::new();
        let other_fields = ["platform", "is_default", "auto_payout_enabled", "metadata"];
        let details = gather(read_details(platform, json, at, &other_fields), &mut problems);
        let is_default = gather(optional(json, at, "is_default"), &mut problems);
        let auto_payout_enabled = gather(optional(json, at, "auto_payout_enabled"), &mut problems);
        let metadata = gather(optional(json, at, "metadata"), &mut problems);
        match (details, is_default, auto_payout_enabled, metadata) {
            (Some(details), Some(is_default), Some(auto_payout_enabled), Some(metadata)) => {
                Ok(Self { details, is_default, auto_payout_enabled, metadata })
            }
            (Some(_) | None, _, _, _) => Err(problems),
        }
    }

    fn schema() -> Schema {
        let mut properties = payout_methods::described();
        let mut also = |name: &str, mut schema: Schema, description: &str| {
            schema["description"] = json!(description);
            properties.insert(name.to_owned(), schema);
        };
        also(
            "is_default",
            Option::<bool>::schema(),
            "Whether it becomes the default payout method. If omitted, only the first method does.",
        );
        also(
            "auto_payout_enabled",
            Option::<bool>::schema(),
            "Whether payouts go to the default payout method automatically.",
        );
        also("metadata", Option::<Metadata>::schema(), "A note, returned unchanged.");
        json!({"type": "object", "properties": properties, "required": ["platform"], "additionalProperties": false})
    }
}

#[derive(Clone, Debug)]
pub struct SetPayoutMethod {
    pub scope: Scope,
    pub user: UserId,
    pub new: NewMethod,
}

impl Command for SetPayoutMethod {
    type Reply = MethodDetailsJson;

    fn decide(&self, world: &mut World) -> Result<MethodDetailsJson, Halt> {
        let user = find(world, self.scope, self.user)?;
        must_be_usable(world, self.scope.org, user.id, &self.new.details)?;
        payout_methods::must_have_room(world, self.scope, user.id, &self.new.details)?;
        let method = set_up_payout_method(world, self.scope, &user, (&self.new, MethodOrigin::App))?;
        Ok(method_details(&method))
    }
}

pub async fn set(call: Call) -> Outcome {
    let (scope, user) = user_of(&call)?;
    let command = match call.body::<PayoutMethodInput>() {
        Ok(input) => new_method(&call, input).await.map(|new| SetPayoutMethod { scope, user, new }),
        Err(refusal) => Err(refusal),
    };
    call.once(command, Answer::ok).await
}

async fn new_method(call: &Call, input: PayoutMethodInput) -> Result<NewMethod, Refusal> {
    let names = call.bursar.look_up(input.details.holder_name().map(str::to_owned).into_iter().collect()).await?;
    let nonce = call.bursar.entropy().bytes();
    Ok(NewMethod {
        details: input.details.sealed(&call.bursar.vault, nonce),
        is_default: input.is_default,
        auto_payout_enabled: input.auto_payout_enabled,
        metadata: input.metadata.map(|metadata| metadata.0),
        names: Some(names),
    })
}

#[derive(Clone, Debug)]
pub struct RemovePayoutMethod {
    pub scope: Scope,
    pub user: UserId,
    pub method: PayoutMethodId,
}

impl Command for RemovePayoutMethod {
    type Reply = MethodDetailsJson;

    fn decide(&self, world: &mut World) -> Result<MethodDetailsJson, Halt> {
        let user = find(world, self.scope, self.user)?;
        let method = payout_methods::find(world, self.scope, user.id, self.method)?;
        let method = disable_payout_method(world, self.scope, &user, &method, "removed")?;
        Ok(method_details(&method))
    }
}

pub async fn remove(call: Call) -> Outcome {
    let (scope, user) = user_of(&call)?;
    let method = call.id("method_id", "payout method")?;
    call.once(Ok(RemovePayoutMethod { scope, user, method }), Answer::ok).await
}

list_query! {
    /// Filters for payout methods.
    pub struct PayoutMethodsQuery {
        /// Only methods of this rail.
        pub platform: Option<Platform>,
    }
}

pub async fn list(call: Call) -> Outcome {
    let (scope, id) = user_of(&call)?;
    let query: PayoutMethodsQuery = call.query()?;
    let list = call
        .read(move |world| {
            let user = find(world, scope, id)?;
            let theirs = Query::of::<PayoutMethod>(scope.org.to_value(), "id", 1);
            let theirs = theirs.equal("user_id", user.id).equal("app", scope.app);
            let theirs = theirs.filter("origin", Compare::Other, MethodOrigin::Guest.to_value());
            let found = page::<PayoutMethod>(world, theirs, &query.asked(), |methods| {
                methods.equal("in_use", true).matching("platform", query.platform)
            })?;
            Ok(found.envelope(method_details))
        })
        .await?;
    Ok(Answer::ok(&list))
}

/// A rail that is available to a user.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = PayoutOption)]
pub struct PayoutOptionJson {
    /// The rail.
    pub platform: Platform,
    /// The display name.
    pub name: &'static str,
    /// The service's fee schedule.
    pub fee_settings: Schedule,
    /// The fees that the app adds.
    pub platform_fee_settings: Schedule,
    /// The percentage charged for currency conversion, as a decimal.
    pub fx_percent: String,
    /// The arrival time for display: `1 business day`.
    pub arrival: &'static str,
    /// The latest arrival, in seconds.
    pub arrival_seconds: i64,
    /// Whether the user has a method of this rail, or an e-mail address, to which the card rails deliver.
    pub set_up: bool,
    /// The user's newest method of this rail.
    #[schema(required)]
    pub payout_method_id: Option<PayoutMethodId>,
}

pub async fn options(call: Call) -> Outcome {
    let (scope, id) = user_of(&call)?;
    let list = call.read(move |world| offered(world, scope, id)).await?;
    Ok(Answer::ok(&list))
}

/// Returns all rails except those that the app or the user excludes, on one page.
fn offered(world: &mut World, scope: Scope, id: UserId) -> Result<ListEnvelope<PayoutOptionJson>, Halt> {
    let user = find(world, scope, id)?;
    let settings = apps::find(world, scope)?.settings.0.clone();
    let methods = payout_methods::of_app(world, scope, user.id)?;
    let now = world.now();
    let data = open_rails(world, scope, &user)?
        .into_iter()
        .map(|rail| {
            let terms = fees::schedule(rail, now.date());
            let method = methods.iter().rev().find(|method| method.platform == rail);
            let currency = method.map(|method| method.currency.as_str());
            PayoutOptionJson {
                platform: rail,
                name: rail.display_name(),
                fee_settings: terms.schedule,
                platform_fee_settings: settings.fees.added(now, rail, currency).schedule,
                fx_percent: terms.fx_percent.to_string(),
                arrival: terms.arrival.text,
                arrival_seconds: terms.arrival.seconds,
                set_up: method.is_some() || rail.pays_whole_dollars() && can_be_delivered(&user, rail, None),
                payout_method_id: method.map(|method| method.id),
            }
        })
        .collect();
    Ok(ListEnvelope { has_more: false, data })
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/users/{user_id}/payout-methods" App "list_payout_methods" list)
            .about("Payout methods", "List a user's payout methods")
            .describe("Lists the methods in use that the app's payouts can go to, newest first, with masked numbers.")
            .asks::<PayoutMethodsQuery>()
            .gives::<ListEnvelope<MethodDetailsJson>>(200, "The payout methods that are in use, newest first.")
            .refuses(&[Code::NotFound]),
        // docs/specification.md, endpoint 17, names this route without the version; both routes are served.
        route!(Get "/users/{user_id}/payout-methods" App "list_payout_methods_unversioned" list)
            .about("Payout methods", "List a user's payout methods (path without version)")
            .describe("Answers as the path with the version does.")
            .asks::<PayoutMethodsQuery>()
            .gives::<ListEnvelope<MethodDetailsJson>>(200, "The payout methods that are in use, newest first.")
            .refuses(&[Code::NotFound]),
        route!(Put "/v2/users/{user_id}/payout-methods" App "set_payout_method" set)
            .about("Payout methods", "Set up a payout method for a verified user")
            .describe("Send the platform and the fields that it requires. Sending the same details again returns the existing method. A card of prepaid_card_a or gift_card_a is delivered by e-mail: send email unless the user has one. Card numbers are never accepted: send card_token.")
            .takes::<PayoutMethodInput>()
            .example(json!({"platform": "ach", "account_number": "123456789", "routing_number": "110000000"}))
            .gives::<MethodDetailsJson>(200, "The payout method.")
            .refuses(&[Code::InvalidPhoneNumber, Code::InvalidEmail, Code::NotFound, Code::InvalidState, Code::UserInactive, Code::LimitExceeded]),
        route!(Delete "/v2/users/{user_id}/payout-methods/{method_id}" App "remove_payout_method" remove)
            .about("Payout methods", "Remove a payout method")
            .describe("Payouts in progress are not affected. A repeated call changes nothing.")
            .gives::<MethodDetailsJson>(200, "The removed payout method.")
            .refuses(&[Code::NotFound]),
        route!(Get "/v2/users/{user_id}/payout-options" App "list_payout_options" options)
            .about("Payout methods", "List the payout rails available to a user")
            .describe("Returns each rail that is open to the user, with its fees and its time of arrival, on one page.")
            .gives::<ListEnvelope<PayoutOptionJson>>(200, "The payout rails, with fees and delivery times.")
            .refuses(&[Code::NotFound]),
    ]
}
