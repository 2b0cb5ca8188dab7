//! Inputs of requests about routes.

use crate::banking::setup::SetupStatus;
use crate::banking::texts::{Currency, Day};
use crate::http::lists::list_query;
use crate::ids::{BankConnectionId, MemberId, OriginatorId, SettlementAccountId};
use crate::input::input;
use crate::platform::Platform;

input! {
    /// A new route.
    pub struct NewRailRoute {
        /// The member who adds it (admin).
        pub acting_user_id: MemberId,
        /// The rail: ach for a connection of the format nacha.
        pub platform: Platform,
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
        pub platform: Option<Platform>,
        /// Return only routes in this state.
        pub status: Option<SetupStatus>,
        /// Return only the routes in force on this day.
        pub in_force_on: Option<Day>,
    }
}
