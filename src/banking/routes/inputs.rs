//! Inputs of requests about routes.

use serde_json::{Value as Schema, json};

use super::rules::carried_by;
use crate::banking::settings::FileFormat;
use crate::banking::setup::SetupStatus;
use crate::banking::texts::{Currency, Day};
use crate::http::lists::list_query;
use crate::ids::{BankConnectionId, MemberId, OriginatorId, SettlementAccountId};
use crate::input::{Input, Problems, input, text, wrong};
use crate::platform::Platform;
use crate::strict_json::Json;

/// A rail whose payments files carry. Unlike a payout, a route may name rtp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutedRail(pub Platform);

impl RoutedRail {
    fn words() -> Vec<&'static str> {
        let rails = FileFormat::ALL.iter().flat_map(|format| carried_by(*format));
        rails.map(|platform| platform.as_str()).collect()
    }

    fn of_word(word: &str, at: &str) -> Result<Self, Problems> {
        let found = word.parse::<Platform>().ok().filter(|_| Self::words().contains(&word));
        found.map(Self).ok_or_else(|| wrong(at, format!("must be one of: {}", Self::words().join(", "))))
    }
}

impl Input for RoutedRail {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        Self::of_word(text(json, at)?, at)
    }
    fn read_text(text: &str, at: &str) -> Result<Self, Problems> {
        Self::of_word(text, at)
    }
    fn schema() -> Schema {
        json!({"type": "string", "enum": Self::words()})
    }
}

input! {
    /// A new route.
    pub struct NewRailRoute {
        /// The member who adds it (admin).
        pub acting_user_id: MemberId,
        /// The rail: ach for a connection of the format nacha; bank_transfer, wire, rtp or intl_bank for pain001.
        pub platform: RoutedRail,
        /// The currency, by ISO 4217; only USD.
        pub currency: Currency,
        /// The first day, in the connection's time zone; after today.
        pub from_on: Day,
        /// The connection.
        pub bank_connection_id: BankConnectionId,
        /// An originator of the connection.
        pub originator_id: OriginatorId,
        /// A settlement account of the connection.
        pub settlement_account_id: SettlementAccountId,
    }
}

input! {
    /// The member who acts.
    pub struct RailRouteAct {
        /// The member.
        pub acting_user_id: MemberId,
    }
}

list_query! {
    /// The filters of the list of routes.
    pub struct RailRoutesQuery {
        /// Return only routes of this rail.
        pub platform: Option<RoutedRail>,
        /// Return only routes in this state.
        pub status: Option<SetupStatus>,
        /// Return only the routes in force on this day.
        pub in_force_on: Option<Day>,
    }
}
