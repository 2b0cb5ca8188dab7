//! Finds and changes the rows, and records the acts.

use std::sync::Arc;

use jiff::civil::Date;

use super::json::RailRouteJson;
use super::model::{BankParts, Carries, RailRoute};
use super::rules::{Parts, in_force, needs_address};
use crate::banking::settings::FileFormat;
use crate::banking::setup::SetupStatus;
use crate::banking::{connections, originators, providers, settlement_accounts};
use crate::calendars::Zone;
use crate::clock::Time;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{MemberId, OrgId, RailProviderId, RailRouteId, SettlementAccountId};
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

pub(super) fn find(world: &World, org: OrgId, id: RailRouteId) -> Result<Arc<RailRoute>, Halt> {
    let found = world.get::<RailRoute>(key![org, id])?;
    Ok(found.ok_or_else(|| Refusal::not_found("route"))?)
}

/// Returns all routes of a rail and a currency.
pub(super) fn of_rail(
    world: &World,
    org: OrgId,
    platform: Platform,
    currency: &str,
) -> Result<Vec<Arc<RailRoute>>, Halt> {
    world.all::<RailRoute>(RailRoute::OF_RAIL, key![org, platform, currency.to_owned()])
}

/// Returns whether an approved route names an account.
///
/// # Errors
/// The store's.
pub fn of_account(world: &World, org: OrgId, account: SettlementAccountId) -> Result<bool, Halt> {
    let routes = world.all::<RailRoute>(RailRoute::OF_ORG, key![org])?;
    Ok(routes.iter().any(|route| route.settlement_account == Some(account) && route.status == SetupStatus::Approved))
}

/// Returns whether an approved route, or one that waits for its approval, names a provider.
///
/// # Errors
/// The store's.
pub fn of_provider(world: &World, org: OrgId, provider: RailProviderId) -> Result<bool, Halt> {
    let routes = world.all::<RailRoute>(RailRoute::OF_ORG, key![org])?;
    Ok(routes.iter().any(|route| route.provider == Some(provider) && route.status != SetupStatus::Ended))
}

/// Returns whether a route names the provider, or named it.
///
/// # Errors
/// The store's.
pub fn had_provider(world: &World, org: OrgId, provider: RailProviderId) -> Result<bool, Halt> {
    let routes = world.all::<RailRoute>(RailRoute::OF_ORG, key![org])?;
    Ok(routes.iter().any(|route| route.provider == Some(provider)))
}

/// Returns the route in force for an app at a time; each route begins with a day in the zone of its connection. A route to
/// the originator of another app is none: no payment of an app is in a file under the name of another one (invariant 63).
///
/// # Errors
/// The store's.
pub fn carrying(
    world: &World,
    scope: Scope,
    platform: Platform,
    currency: &str,
    now: Time,
) -> Result<Option<Arc<RailRoute>>, Halt> {
    let org = scope.org;
    let mut begun = Vec::new();
    for route in of_rail(world, org, platform, currency)? {
        let today = match route.connection {
            Some(connection) => connections::find(world, org, connection)?.settings.0.time_zone.day_of(now),
            None => Zone::utc().day_of(now),
        };
        let serves = match route.originator {
            Some(originator) => originators::find(world, org, originator)?.serves(scope.app),
            None => true,
        };
        if serves && route.from_on <= today.to_string() {
            begun.push(route);
        }
    }
    Ok(in_force(&begun, Date::MAX).cloned())
}

/// Returns whether a route of a rail is in force whose bank needs the payee's address.
///
/// # Errors
/// The store's.
pub fn wants_address(world: &World, scope: Scope, platform: Platform, currency: &str) -> Result<bool, Halt> {
    if !FileFormat::ALL.iter().any(|format| needs_address(platform, *format)) {
        return Ok(false);
    }
    let Some(route) = carrying(world, scope, platform, currency, world.now())? else { return Ok(false) };
    let Some(parts) = route.bank() else { return Ok(false) };
    let connection = connections::find(world, scope.org, parts.connection)?;
    Ok(needs_address(platform, connection.settings.0.identity.format()))
}

/// Returns all routes of an organization.
pub(super) fn of_org(world: &World, org: OrgId) -> Result<Vec<Arc<RailRoute>>, Halt> {
    world.all::<RailRoute>(RailRoute::OF_ORG, key![org])
}

/// Returns the parts of a route. An originator or an account of another connection is `not-found`.
pub(super) fn parts(world: &World, org: OrgId, carries: Carries) -> Result<Parts, Halt> {
    match carries {
        Carries::Bank(BankParts { connection, originator, settlement_account }) => {
            let connection = connections::find(world, org, connection)?;
            let originator = originators::find_of(world, &connection, originator)?;
            let account = settlement_accounts::find_of(world, &connection, settlement_account)?;
            Ok(Parts::Bank { connection, originator, account })
        }
        Carries::Provider(provider) => Ok(Parts::Provider(providers::find(world, org, provider)?)),
    }
}

/// Returns the parts of a stored route.
pub(super) fn parts_of(world: &World, route: &RailRoute) -> Result<Parts, Halt> {
    let carries = route.carries().ok_or_else(|| Refusal::new(Code::InternalError, "The route names no carrier."))?;
    parts(world, route.org, carries)
}

/// Changes a route, and records the act of the member.
pub(super) fn change(
    world: &mut World,
    before: &Arc<RailRoute>,
    kind: ActKind,
    by: MemberId,
    edit: impl FnOnce(&mut RailRoute),
) -> Result<Arc<RailRoute>, Halt> {
    let after = world.change(before, |route| {
        edit(route);
        route.version += 1;
    });
    let act = NewAct::of(kind, None, after.id).by(Some(by));
    acts::record(world, after.org, act.changing(&RailRouteJson::from(&**before), &RailRouteJson::from(&*after)))?;
    Ok(after)
}
