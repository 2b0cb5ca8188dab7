//! The records of a batch and of its rows.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::clock::Time;
use crate::ids::{AppId, OrgId, PayoutLinkBatchId, PayoutLinkId};
use crate::money::Cents;
use crate::payout_links::DeliveryMethod;
use crate::scope::Scope;
use crate::world::record::{Document, record, words};

words! {
    /// The state of a batch.
    pub enum BatchStatus {
        /// Accepted; no link is created yet.
        Submitted = "submitted", // docs/specification.md
        /// Its links are being created.
        Processing = "processing",
        /// Every row has its link.
        Completed = "completed",
        /// Every row is processed, and some failed.
        CompletedWithErrors = "completed_with_errors",
    }
}

words! {
    /// The state of a row.
    pub enum RowStatus {
        /// Not processed yet.
        Waiting = "waiting",
        /// The row has its link.
        Succeeded = "succeeded",
        /// The row failed; its error has the reason.
        Failed = "failed",
    }
}

words! {
    /// The channel by which a row's link is delivered.
    pub enum RowDelivery {
        /// By e-mail.
        Email = "email", // docs/specification.md
        /// Not delivered: the sender gives it to the payee.
        Link = "link", // docs/specification.md
        /// By text message.
        Sms = "sms",
    }
}

impl From<RowDelivery> for DeliveryMethod {
    fn from(delivery: RowDelivery) -> Self {
        match delivery {
            RowDelivery::Email => Self::Email,
            RowDelivery::Link => Self::Link,
            RowDelivery::Sms => Self::Sms,
        }
    }
}

/// A row as it was understood: exactly the fields of a row of the batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = PayoutLinkBatchRow)]
pub struct ValidatedRow {
    /// The first name.
    #[schema(required)]
    pub first_name: Option<String>,
    /// The last name.
    #[schema(required)]
    pub last_name: Option<String>,
    /// The e-mail address.
    #[schema(required)]
    pub email: Option<String>,
    /// The country calling code, digits.
    #[schema(required)]
    pub country_code: Option<String>,
    /// The phone number within its country.
    #[schema(required)]
    pub phone_number: Option<String>,
    /// email, link, sms.
    pub delivery_method: RowDelivery,
    /// Cents.
    #[schema(value_type = i64, minimum = 1)]
    pub amount_cents: Cents,
    /// The memo, copied to the link.
    #[schema(required)]
    pub memo: Option<String>,
    /// The idempotency key of the row's link.
    pub idempotency_key: Uuid,
    /// The metadata, copied to the link as text.
    #[schema(required, value_type = Option<Object>)]
    pub metadata: Option<Value>,
    /// Whether a tax form is required for any amount.
    pub force_collect_compliance_information: bool,
}

/// Returns the sum of the amounts, or of the fees, of a batch's rows.
pub(super) fn sum(amounts: impl IntoIterator<Item = Cents>) -> Cents {
    let sum = amounts.into_iter().try_fold(Cents::ZERO, Cents::plus);
    sum.expect("500 amounts of ten digits fit into 64 bits")
}

record! {
    pub struct PayoutLinkBatch in "payout_link_batches" {
        key (org, id)
        unique BY_FINGERPRINT (org, app, fingerprint);
        pub org: OrgId,
        pub id: PayoutLinkBatchId,
        pub app: AppId,
        /// A keyed hash of the rows, which identifies an equal batch.
        pub fingerprint: Vec<u8>,
        pub status: BatchStatus,
        pub total: i64,
        pub succeeded: i64,
        pub failed: i64,
        /// Cents of all rows.
        pub amount: Cents,
        /// Cents of the rows with a link.
        pub succeeded_amount: Cents,
        /// Incremented by each change of status.
        pub version: i64,
        pub created_at: Time,
        pub completed_at: Option<Time>,
    }
}

impl PayoutLinkBatch {
    pub fn scope(&self) -> Scope {
        Scope { org: self.org, app: self.app }
    }
}

record! {
    pub struct BatchRow in "payout_link_batch_rows" {
        key (org, batch, number)
        many OF_BATCH (org, batch);
        pub org: OrgId,
        pub batch: PayoutLinkBatchId,
        /// Its position, from 0.
        pub number: i64,
        pub asked: Document<ValidatedRow>,
        pub status: RowStatus,
        pub payout_link: Option<PayoutLinkId>,
        /// One of the codes of docs/errors.md.
        pub error_code: Option<String>,
        pub error_message: Option<String>,
    }
}

impl BatchRow {
    /// Removes an erased payee's data from the row. The amount, the key and the outcome stay.
    pub fn erase(&mut self) {
        let asked = &mut self.asked.0;
        (asked.first_name, asked.last_name, asked.email) = (None, None, None);
        (asked.country_code, asked.phone_number) = (None, None);
        (asked.memo, asked.metadata) = (None, None);
        self.error_message = None;
    }
}
