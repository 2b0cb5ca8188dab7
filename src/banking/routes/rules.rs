//! The route in force on a day, and the parts that a route needs. Pure.

use std::sync::Arc;

use jiff::civil::Date;

use super::model::RailRoute;
use crate::banking::connections::{BankConnection, ConnectionStatus};
use crate::banking::originators::Originator;
use crate::banking::providers::{self, RailProvider};
use crate::banking::settings::FileFormat;
use crate::banking::settlement_accounts::SettlementAccount;
use crate::banking::setup::SetupStatus;
use crate::calendars::Zone;
use crate::platform::Platform;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};

/// Returns the route in force on a day, of the routes of one rail and one currency.
///
/// The latest route that was approved and has begun replaces those before it. When it has ended, no route is in force:
/// an older one must not carry money again unnoticed.
pub fn in_force(routes: &[Arc<RailRoute>], day: Date) -> Option<&Arc<RailRoute>> {
    let day = day.to_string();
    let begun = routes.iter().filter(|route| route.approved_at.is_some() && route.from_on <= day);
    let latest = begun.max_by(|one, other| (&one.from_on, one.id).cmp(&(&other.from_on, other.id)))?;
    (latest.status == SetupStatus::Approved).then_some(latest)
}

/// Returns the rails whose payments the files of a format carry.
pub(super) const fn carried_by(format: FileFormat) -> &'static [Platform] {
    match format {
        FileFormat::Nacha => &[Platform::Ach],
        FileFormat::Pain001 => &[Platform::BankTransfer, Platform::Wire, Platform::Rtp, Platform::IntlBank],
    }
}

/// Returns whether a bank needs the payee's address for payments of a rail. Banks refuse wires without town and country.
#[must_use]
pub const fn needs_address(platform: Platform, format: FileFormat) -> bool {
    match format {
        FileFormat::Nacha => false,
        FileFormat::Pain001 => matches!(platform, Platform::Wire | Platform::IntlBank),
    }
}

/// Returns whether the files of any format carry payments of a rail.
pub fn may_carry(platform: Platform) -> bool {
    FileFormat::ALL.iter().any(|format| carried_by(*format).contains(&platform))
}

/// The parts of a route.
pub(super) enum Parts {
    Bank { connection: Arc<BankConnection>, originator: Arc<Originator>, account: Arc<SettlementAccount> },
    Provider(Arc<RailProvider>),
}

impl Parts {
    /// Returns the zone in which its days begin.
    pub fn zone(&self) -> Zone {
        match self {
            Self::Bank { connection, .. } => connection.settings.0.time_zone.clone(),
            Self::Provider(_) => Zone::utc(),
        }
    }

    /// Returns the rails that it can carry, and its noun for messages.
    pub fn carried(&self) -> (&'static [Platform], String) {
        match self {
            Self::Bank { connection, .. } => {
                (carried_by(connection.format), format!("{} connection", connection.format))
            }
            Self::Provider(provider) => {
                (providers::carries(provider.kind), format!("provider of the kind {}", provider.kind))
            }
        }
    }
}

/// Refuses a route whose parts are not approved.
pub(super) fn are_approved(parts: &Parts) -> Result<(), Refusal> {
    let part = |noun: &str, status: SetupStatus| match status {
        SetupStatus::Approved => None,
        SetupStatus::Draft | SetupStatus::Ended => Some(format!("{noun} is {status}")),
    };
    let missing = match parts {
        Parts::Bank { connection, originator, account } => {
            let connection = match connection.status {
                ConnectionStatus::Approved | ConnectionStatus::Paused => None,
                ConnectionStatus::Draft | ConnectionStatus::Tested => {
                    Some(format!("bank connection is {}", connection.status))
                }
            };
            connection
                .or_else(|| part("originator", originator.status))
                .or_else(|| part("settlement account", account.status))
        }
        Parts::Provider(provider) => part("provider", provider.status),
    };
    match missing {
        None => Ok(()),
        Some(missing) => {
            let message = format!("The {missing}. A route needs approved parts; approve it first, or use another one.");
            Err(Refusal::new(Code::InvalidState, message).because(Reason::MemberNeeded))
        }
    }
}

/// Refuses a route that begins today or earlier: entries of today may be in a file already.
pub(super) fn begins_later(from_on: &str, today: Date, zone: &str) -> Result<(), Refusal> {
    if *from_on > *today.to_string() {
        return Ok(());
    }
    let message = format!("must be after {today}, the present day in {zone}");
    Err(Refusal::field(Code::InvalidInput, "/from_on", message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Time;
    use crate::ids::{BankConnectionId, MemberId, OrgId, OriginatorId, RailRouteId, SettlementAccountId};
    use jiff::civil::date;
    use uuid::Uuid;

    fn route(id: u128, from_on: &str, status: SetupStatus, was_approved: bool) -> Arc<RailRoute> {
        let at = Time::from_micros(0);
        Arc::new(RailRoute {
            org: OrgId(Uuid::nil()),
            id: RailRouteId(Uuid::from_u128(id)),
            platform: Platform::Ach,
            currency: "USD".into(),
            from_on: from_on.into(),
            connection: Some(BankConnectionId(Uuid::nil())),
            originator: Some(OriginatorId(Uuid::nil())),
            settlement_account: Some(SettlementAccountId(Uuid::nil())),
            provider: None,
            status,
            made_by: MemberId(Uuid::nil()),
            approved_by: None,
            approved_at: was_approved.then_some(at),
            ended_by: None,
            ended_at: None,
            version: 1,
            created_at: at,
        })
    }

    #[test]
    fn the_latest_route_that_has_begun_is_in_force() {
        use SetupStatus::{Approved, Draft, Ended};
        let routes = [
            route(1, "2026-11-02", Approved, true),
            route(2, "2026-11-23", Approved, true),
            route(3, "2026-11-24", Draft, false),
            route(4, "2026-11-24", Ended, false),
            route(5, "2026-12-01", Ended, true),
            route(6, "2026-12-07", Ended, true),
            route(7, "2026-12-07", Approved, true),
        ];
        let found = |month, day| in_force(&routes, date(2026, month, day)).map(|route| route.id.0.as_u128());
        assert_eq!([found(11, 1), found(11, 2), found(11, 22), found(11, 23)], [None, Some(1), Some(1), Some(2)]);
        assert_eq!(found(11, 24), Some(2), "neither a draft nor a draft that ended replaces a route");
        assert_eq!([found(12, 1), found(12, 6)], [None, None], "an ended route is not replaced by the one before it");
        assert_eq!(found(12, 7), Some(7), "the later of two of one day");
    }

    #[test]
    fn a_route_begins_on_a_later_day() {
        let begins = |from_on| begins_later(from_on, date(2026, 11, 23), "America/New_York").is_ok();
        assert!(begins("2026-11-24") && begins("2027-01-01") && !begins("2026-11-23") && !begins("2026-02-24"));
    }
}
