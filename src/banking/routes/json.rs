use serde::Serialize;
use utoipa::ToSchema;

use super::model::RailRoute;
use crate::banking::setup::SetupStatus;
use crate::clock::Time;
use crate::ids::{BankConnectionId, MemberId, OriginatorId, RailProviderId, RailRouteId, SettlementAccountId};
use crate::platform::Platform;

/// The way of a rail's payments to a bank or a provider, from a day on.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RailRouteJson {
    /// The route's id.
    pub id: RailRouteId,
    /// When the route was added.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The state.
    pub status: SetupStatus,
    /// The rail.
    pub platform: Platform,
    /// The currency, by ISO 4217.
    #[schema(example = "USD")]
    pub currency: String,
    /// The first day, in the connection's time zone; of a provider, in UTC.
    #[schema(format = Date, example = "2026-12-01")]
    pub from_on: String,
    /// The connection; null if a provider carries the payments.
    #[schema(required)]
    pub bank_connection_id: Option<BankConnectionId>,
    /// The originator; null if a provider carries the payments.
    #[schema(required)]
    pub originator_id: Option<OriginatorId>,
    /// The settlement account; null if a provider carries the payments.
    #[schema(required)]
    pub settlement_account_id: Option<SettlementAccountId>,
    /// The provider; null if files of a bank carry the payments.
    #[schema(required)]
    pub rail_provider_id: Option<RailProviderId>,
    /// The member who added it.
    pub made_by: MemberId,
    /// The member who approved it.
    #[schema(required)]
    pub approved_by: Option<MemberId>,
    /// When it was approved.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub approved: Option<Time>,
    /// The member who ended it.
    #[schema(required)]
    pub ended_by: Option<MemberId>,
    /// When it was ended.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub ended: Option<Time>,
}

impl From<&RailRoute> for RailRouteJson {
    fn from(route: &RailRoute) -> Self {
        Self {
            id: route.id,
            created: route.created_at,
            status: route.status,
            platform: route.platform,
            currency: route.currency.clone(),
            from_on: route.from_on.clone(),
            bank_connection_id: route.connection,
            originator_id: route.originator,
            settlement_account_id: route.settlement_account,
            rail_provider_id: route.provider,
            made_by: route.made_by,
            approved_by: route.approved_by,
            approved: route.approved_at,
            ended_by: route.ended_by,
            ended: route.ended_at,
        }
    }
}
