//! What is kept of a payment beyond its transfer: the payer's authorization, and until when its money is held.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::model::{Transfer, TransferKind};
use crate::clock::Time;
use crate::ids::{AppId, OrgId, TransferId};
use crate::world::record::{Document, key, record, words};
use crate::world::{Halt, World};

words! {
    /// Who says that the payer agreed.
    pub enum AuthorizationKind {
        /// The request of this payment, with the words that the payer accepted.
        PerPayment = "per_payment",
        /// The app's standing statement.
        Attested = "attested",
    }
}

/// What the app's settings state where a payment carries no authorization of its own.
pub const ATTESTED: &str = "The app attests that it keeps the payer's authorization for each payment that it collects.";

/// The payer's authorization of a payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = PaymentAuthorization)]
pub struct Authorization {
    /// per_payment, or attested by the app's settings.
    #[serde(rename = "type")]
    pub kind: AuthorizationKind,
    /// When the payer accepted; the time of the payment where the app attests.
    #[schema(value_type = String, format = DateTime)]
    pub accepted_at: Time,
    /// The words that the payer accepted, or those of the standing statement.
    pub text: String,
    /// Where the app keeps its proof.
    #[schema(required)]
    pub reference: Option<String>,
}

record! {
    /// The part of a payment that other transfers do not have.
    pub struct Debit in "debits" {
        key (org, id);
        /// The organization.
        pub org: OrgId,
        /// The payment.
        pub id: TransferId,
        /// The app that collects it.
        pub app: AppId,
        /// The payer's authorization.
        pub mandate: Document<Authorization>,
        /// Business days for which its money is held after it has arrived.
        pub hold_days: i64,
        /// Whether its money is held now.
        pub held: bool,
        /// From when on its money can leave the app; none until it has arrived.
        pub available_at: Option<Time>,
    }
}

/// A payment's authorization, and when its money can leave the app.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Debit)]
pub struct DebitJson {
    /// The payer's authorization.
    pub authorization: Authorization,
    /// Whether the money has arrived and cannot leave the app yet.
    pub held: bool,
    /// From when on the money can leave the app; null until it has arrived, and when it went back.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub available_at: Option<Time>,
}

/// What is kept of a payment; none for other transfers, and for payments that were made before it was kept.
pub fn debit(world: &World, transfer: &Transfer) -> Result<Option<Arc<Debit>>, Halt> {
    match transfer.kind {
        TransferKind::Payment => world.get::<Debit>(key![transfer.org, transfer.id]),
        TransferKind::Balance
        | TransferKind::Payout
        | TransferKind::Refill
        | TransferKind::Payable
        | TransferKind::Settlement => Ok(None),
    }
}

/// The same as JSON.
pub(super) fn json(world: &World, transfer: &Transfer) -> Result<Option<DebitJson>, Halt> {
    Ok(debit(world, transfer)?.map(|debit| DebitJson {
        authorization: debit.mandate.0.clone(),
        held: debit.held,
        available_at: debit.available_at,
    }))
}
