use crate::banking::setup::SetupStatus;
use crate::clock::Time;
use crate::ids::{BankConnectionId, MemberId, OrgId, OriginatorId, RailRouteId, SettlementAccountId};
use crate::platform::Platform;
use crate::world::record::record;

record! {
    pub struct RailRoute in "rail_routes" {
        key (org, id)
        many OF_ORG (org)
        many OF_RAIL (org, platform, currency);
        pub org: OrgId,
        pub id: RailRouteId,
        pub platform: Platform,
        /// ISO 4217.
        pub currency: String,
        /// The first day, `YYYY-MM-DD`, in the connection's time zone.
        pub from_on: String,
        pub connection: BankConnectionId,
        pub originator: OriginatorId,
        pub settlement_account: SettlementAccountId,
        pub status: SetupStatus,
        pub made_by: MemberId,
        pub approved_by: Option<MemberId>,
        pub approved_at: Option<Time>,
        pub ended_by: Option<MemberId>,
        pub ended_at: Option<Time>,
        pub version: i64,
        pub created_at: Time,
    }
}
