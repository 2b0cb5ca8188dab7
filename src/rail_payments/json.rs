use serde::Serialize;
use utoipa::ToSchema;

use super::model::{DecidedOutcome, Decision, PaymentStatus, RailPayment};
use crate::clock::Time;
use crate::ids::{AppId, MemberId, RailProviderId, RailRouteId, TransferId};
use crate::money::Cents;
use crate::platform::Platform;
use crate::rails::failures::FailureCode;

/// A payout at a provider behind HTTP.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RailPaymentJson {
    /// The transfer, which is also our reference at the provider.
    pub transfer_id: TransferId,
    /// When the payment was queued.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The state at the provider.
    pub status: PaymentStatus,
    /// The app whose payout it is.
    pub app_id: AppId,
    /// The provider.
    pub rail_provider_id: RailProviderId,
    /// The route that chose the provider.
    pub rail_route_id: RailRouteId,
    /// The rail.
    pub platform: Platform,
    /// The amount to arrive, in cents.
    #[schema(value_type = i64)]
    pub amount: Cents,
    /// How often the payment was handed over.
    pub attempts: i64,
    /// When it was last handed over.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub attempted: Option<Time>,
    /// The provider's own reference.
    #[schema(required)]
    pub reference: Option<String>,
    /// What the provider charges, in cents, if it said so.
    #[schema(required, value_type = Option<i64>)]
    pub provider_fee: Option<Cents>,
    /// Why it failed or came back.
    #[schema(required, value_type = Option<String>)]
    pub failure: Option<FailureCode>,
    /// The last answer of the provider that was no outcome; null if there is none.
    #[schema(required)]
    pub doubt: Option<String>,
    /// What members decided about a payment in doubt; null if no member did.
    #[schema(required)]
    pub decision: Option<RailPaymentDecisionJson>,
}

/// What members decided about a payment in doubt. It takes effect when a second member has confirmed it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RailPaymentDecisionJson {
    /// completed: the payee has the money. failed: the payment was not made, and its money goes back.
    pub outcome: DecidedOutcome,
    /// How the first member knows it.
    pub evidence: String,
    /// The member who proposed it.
    pub proposed_by: MemberId,
    /// When it was proposed.
    #[schema(value_type = String, format = DateTime)]
    pub proposed: Time,
    /// The member who confirmed it; null until then.
    #[schema(required)]
    pub confirmed_by: Option<MemberId>,
}

impl From<&Decision> for RailPaymentDecisionJson {
    fn from(decision: &Decision) -> Self {
        Self {
            outcome: decision.outcome,
            evidence: decision.evidence.clone(),
            proposed_by: decision.proposed_by,
            proposed: Time::from_micros(decision.proposed_at_micros),
            confirmed_by: decision.confirmed_by,
        }
    }
}

impl From<&RailPayment> for RailPaymentJson {
    fn from(payment: &RailPayment) -> Self {
        Self {
            transfer_id: payment.transfer,
            created: payment.created_at,
            status: payment.status,
            app_id: payment.app,
            rail_provider_id: payment.provider,
            rail_route_id: payment.route,
            platform: payment.platform,
            amount: payment.amount,
            attempts: payment.attempts,
            attempted: payment.attempted_at,
            reference: payment.reference.clone(),
            provider_fee: payment.fee,
            failure: payment.failure,
            doubt: payment.doubt.clone(),
            decision: payment.decision.as_ref().map(|decision| RailPaymentDecisionJson::from(&decision.0)),
        }
    }
}
