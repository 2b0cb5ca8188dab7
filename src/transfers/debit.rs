//! The payment's part of a transfer: the payer's authorization, and the payment hold.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::model::{Transfer, TransferKind};
use crate::clock::Time;
use crate::ids::{AppId, OrgId, TransferId};
use crate::world::record::{Document, key, record, words};
use crate::world::{Halt, World};

words! {
    /// The source of the payer's consent.
    pub enum AuthorizationKind {
        /// The request of this payment, with the text that the payer accepted.
        PerPayment = "per_payment",
        /// The app's general statement.
        Attested = "attested",
    }
}

words! {
    /// How the payer gave the authorization, which decides the class of the entry in a bank's file.
    pub enum AuthorizationChannel {
        /// On a page on the internet.
        Web = "web",
        /// In writing.
        Written = "written",
        /// By phone.
        Phone = "phone",
    }
}

/// The statement of the app's settings for a payment without its own authorization.
pub const ATTESTED: &str = "The app attests that it keeps the payer's authorization for each payment that it collects.";

/// The payer's authorization of a payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = PaymentAuthorization)]
pub struct Authorization {
    /// per_payment, or attested by the app's settings.
    #[serde(rename = "type")]
    pub kind: AuthorizationKind,
    /// When the payer accepted; the time of the payment if the app attests.
    #[schema(value_type = String, format = DateTime)]
    pub accepted_at: Time,
    /// The text that the payer accepted, or the app's general statement.
    pub text: String,
    /// The app's reference to its proof.
    #[schema(required)]
    pub reference: Option<String>,
    /// How the payer gave it; null if the app did not say it.
    #[schema(required)]
    #[serde(default)]
    pub channel: Option<AuthorizationChannel>,
    /// How the app validated the account, such as the name of a service; null if the app did not say it.
    #[schema(required)]
    #[serde(default)]
    pub account_validation: Option<String>,
}

record! {
    /// The part of a payment that other transfers do not have.
    pub struct Debit in "debits" {
        key (org, id);
        pub org: OrgId,
        pub id: TransferId,
        pub app: AppId,
        pub mandate: Document<Authorization>,
        /// Business days for which the money is held after it arrived.
        pub hold_days: i64,
        pub held: bool,
        /// From when its money can leave the app; `None` until it has arrived.
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
    /// From when the money can leave the app; null until it has arrived, and after a return.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub available_at: Option<Time>,
}

/// Returns the payment's part; `None` for other transfers, and for payments from versions without it.
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

pub(super) fn json(world: &World, transfer: &Transfer) -> Result<Option<DebitJson>, Halt> {
    Ok(debit(world, transfer)?.map(|debit| DebitJson {
        authorization: debit.mandate.0.clone(),
        held: debit.held,
        available_at: debit.available_at,
    }))
}
