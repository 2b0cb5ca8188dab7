//! Inputs of requests about routes.

use serde_json::{Value as Schema, json};

use super::model::{BankParts, Carries};
use crate::banking::setup::SetupStatus;
use crate::banking::texts::{Currency, Day};
use crate::http::lists::list_query;
use crate::ids::{BankConnectionId, MemberId, OriginatorId, RailProviderId, SettlementAccountId};
use crate::input::{Input, Problems, input, text, wrong};
use crate::platform::Platform;
use crate::refusal::Refusal;
use crate::strict_json::Json;

/// A rail that a route carries. Unlike a payout, a route may name rtp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutedRail(pub Platform);

impl RoutedRail {
    fn words() -> Vec<&'static str> {
        Platform::ALL.into_iter().chain([Platform::Rtp]).map(Platform::as_str).collect()
    }

    fn of_word(word: &str, at: &str) -> Result<Self, Problems> {
        let found = word.parse::<Platform>().ok();
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
        /// The rail: ach for a connection of the format nacha; bank_transfer, wire, rtp or intl_bank for pain001; wallet_a
        /// or wallet_b for paypal; any for an adapter.
        pub platform: RoutedRail,
        /// The currency, by ISO 4217; only USD.
        pub currency: Currency,
        /// The first day, in the connection's time zone, or in UTC for a provider; after today.
        pub from_on: Day,
        /// The connection of a route to a bank.
        pub bank_connection_id: Option<BankConnectionId>,
        /// An originator of the connection; with a connection only.
        pub originator_id: Option<OriginatorId>,
        /// A settlement account of the connection; with a connection only.
        pub settlement_account_id: Option<SettlementAccountId>,
        /// The provider of a route to a provider, instead of the three fields of a bank.
        pub rail_provider_id: Option<RailProviderId>,
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

impl NewRailRoute {
    /// Returns what carries the payments: the three parts of a bank, or a provider.
    pub(super) fn carries(&self) -> Result<Carries, Refusal> {
        let bank = (self.bank_connection_id, self.originator_id, self.settlement_account_id);
        match (bank, self.rail_provider_id) {
            ((Some(connection), Some(originator), Some(settlement_account)), None) => {
                Ok(Carries::Bank(BankParts { connection, originator, settlement_account }))
            }
            ((None, None, None), Some(provider)) => Ok(Carries::Provider(provider)),
            ((_, _, _), Some(_)) => Err(Refusal::fields(wrong(
                "/rail_provider_id",
                "must be sent without bank_connection_id, originator_id and settlement_account_id",
            ))),
            ((connection, originator, account), None) => {
                let given = [
                    ("/bank_connection_id", connection.is_some()),
                    ("/originator_id", originator.is_some()),
                    ("/settlement_account_id", account.is_some()),
                ];
                let missing = given.into_iter().filter(|(_, is_given)| !is_given);
                let message = "is required, unless rail_provider_id is sent";
                Err(Refusal::fields(missing.flat_map(|(field, _)| wrong(field, message)).collect()))
            }
        }
    }
}
