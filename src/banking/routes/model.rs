use crate::banking::setup::SetupStatus;
use crate::clock::Time;
use crate::ids::{BankConnectionId, MemberId, OrgId, OriginatorId, RailProviderId, RailRouteId, SettlementAccountId};
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
        /// The first day, `YYYY-MM-DD`, in the connection's time zone; of a provider, in UTC.
        pub from_on: String,
        /// With the next two, of a route to a bank.
        pub connection: Option<BankConnectionId>,
        pub originator: Option<OriginatorId>,
        pub settlement_account: Option<SettlementAccountId>,
        /// Of a route to a provider.
        pub provider: Option<RailProviderId>,
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

/// What carries the payments of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carries {
    Bank(BankParts),
    Provider(RailProviderId),
}

/// The parts of a route to a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankParts {
    pub connection: BankConnectionId,
    pub originator: OriginatorId,
    pub settlement_account: SettlementAccountId,
}

impl RailRoute {
    /// Returns what carries its payments; `None` if the row was changed by another program.
    #[must_use]
    pub fn carries(&self) -> Option<Carries> {
        match (self.connection, self.originator, self.settlement_account, self.provider) {
            (Some(connection), Some(originator), Some(settlement_account), None) => {
                Some(Carries::Bank(BankParts { connection, originator, settlement_account }))
            }
            (None, None, None, Some(provider)) => Some(Carries::Provider(provider)),
            (_, _, _, _) => None,
        }
    }

    /// Returns the parts of a route to a bank.
    #[must_use]
    pub fn bank(&self) -> Option<BankParts> {
        match self.carries() {
            Some(Carries::Bank(parts)) => Some(parts),
            Some(Carries::Provider(_)) | None => None,
        }
    }
}
