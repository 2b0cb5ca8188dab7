use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::add::AddRoute;
use super::inputs::{NewRailRoute, RailRouteAct, RailRoutesQuery};
use super::json::RailRouteJson;
use super::model::RailRoute;
use super::review::{ApproveRoute, EndRoute};
use super::rows;
use super::rules::in_force;
use crate::banking::person::Person;
use crate::http::lists::{ListEnvelope, page_of};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::permission::Permission;
use crate::platform::Platform;
use crate::refusal::Code;
use crate::security_log::SecurityEvent;

const TAG: &str = "Banks";

/// POST /v2/bank/routes
pub async fn create(call: Call) -> Outcome {
    let command = call.body::<NewRailRoute>().and_then(|new| {
        Ok(AddRoute {
            org: call.caller.org,
            person: Person::by(&call.caller, call.bursar.environment, new.acting_user_id),
            platform: new.platform.0,
            carries: new.carries()?,
            currency: new.currency.0,
            from_on: new.from_on.0.to_string(),
        })
    });
    let added = call.once(command, |route| Answer::created(&RailRouteJson::from(&**route))).await?;
    if added.is_new() {
        call.log_security(SecurityEvent::BankSetUpChanged, "route_added", None);
    }
    Ok(added)
}

/// GET /v2/bank/routes
pub async fn list(call: Call) -> Outcome {
    let (asked, org) = (call.query::<RailRoutesQuery>()?, call.caller.org);
    let found = call
        .read(move |world| {
            let routes = rows::of_org(world, org)?;
            let mut rails: BTreeMap<(Platform, &str), Vec<Arc<RailRoute>>> = BTreeMap::new();
            for route in &routes {
                rails.entry((route.platform, &route.currency)).or_default().push(route.clone());
            }
            let of_day = asked.in_force_on.map(|day| {
                let ids = rails.values().filter_map(|routes| in_force(routes, day.0)).map(|route| route.id);
                ids.collect::<Vec<_>>()
            });
            let is_asked_for = |route: &RailRoute| {
                asked.platform.is_none_or(|platform| route.platform == platform.0)
                    && asked.status.is_none_or(|status| route.status == status)
                    && of_day.as_ref().is_none_or(|ids| ids.contains(&route.id))
            };
            Ok(page_of(routes.clone(), &asked.asked(), |route| (route.id.0, route.created_at), is_asked_for)?)
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|route| RailRouteJson::from(route))))
}

/// POST /v2/bank/routes/{rail_route_id}/approve
pub async fn approve(call: Call) -> Outcome {
    let (org, route) = (call.caller.org, call.id("rail_route_id", "route")?);
    let command = call.body::<RailRouteAct>().map(|body| ApproveRoute {
        org,
        person: Person::by(&call.caller, call.bursar.environment, body.acting_user_id),
        route,
    });
    let approved = call.once(command, |route| Answer::ok(&RailRouteJson::from(&**route))).await?;
    if approved.is_new() {
        call.log_security(SecurityEvent::BankSetUpChanged, "route_approved", Some(&route.to_string()));
    }
    Ok(approved)
}

/// POST /v2/bank/routes/{rail_route_id}/end
pub async fn end(call: Call) -> Outcome {
    let (org, route) = (call.caller.org, call.id("rail_route_id", "route")?);
    let command = call.body::<RailRouteAct>().map(|body| EndRoute {
        org,
        person: Person::by(&call.caller, call.bursar.environment, body.acting_user_id),
        route,
    });
    let ended = call.once(command, |route| Answer::ok(&RailRouteJson::from(&**route))).await?;
    if ended.is_new() {
        call.log_security(SecurityEvent::BankSetUpChanged, "route_ended", Some(&route.to_string()));
    }
    Ok(ended)
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/bank/routes" Organization "add_rail_route" create)
            .members(Permission::Govern)
            .about(TAG, "Route a rail to a bank or a provider from a day on")
            .describe(
                "A route is never edited: a later one replaces it from its first day on. A route to a bank carries \
                 payouts by ach in files; a route to a provider carries payouts of its rail over HTTP. In the sandbox, \
                 a rail without a route is simulated; in production it is refused with rail-not-connected.",
            )
            .takes::<NewRailRoute>()
            .example(json!({
                "acting_user_id": "019a0000-0000-7000-8000-000000000000", "platform": "ach", "currency": "USD",
                "from_on": "2026-12-01", "bank_connection_id": "019a0000-0000-7000-8000-000000000001",
                "originator_id": "019a0000-0000-7000-8000-000000000002",
                "settlement_account_id": "019a0000-0000-7000-8000-000000000003",
            }))
            .gives::<RailRouteJson>(201, "The route.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState, Code::LimitExceeded]),
        route!(Get "/v2/bank/routes" Organization "list_rail_routes" list)
            .members(Permission::View)
            .about(TAG, "List the routes of rails")
            .describe("Lists which bank or provider carries a rail, and from which day on, newest first.")
            .asks::<RailRoutesQuery>()
            .gives::<ListEnvelope<RailRouteJson>>(200, "One page of the list."),
        route!(Post "/v2/bank/routes/{rail_route_id}/approve" Organization "approve_rail_route" approve)
            .members(Permission::Pay)
            .about(TAG, "Approve a route")
            .describe(
                "Requires another member than the one who added it: an admin or a payer. The connection, the \
                 originator and the settlement account, or the provider, must be approved, and the first day must be \
                 after today.",
            )
            .takes::<RailRouteAct>()
            .gives::<RailRouteJson>(200, "The route.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::SelfApproval, Code::InvalidState]),
        route!(Post "/v2/bank/routes/{rail_route_id}/end" Organization "end_rail_route" end)
            .members(Permission::Govern)
            .about(TAG, "End a route")
            .describe("No route of the rail is in force then, also no earlier one. A repeated call changes nothing.")
            .takes::<RailRouteAct>()
            .gives::<RailRouteJson>(200, "The route.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound]),
    ]
}
