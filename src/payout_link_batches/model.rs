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
    /// Where a batch stands.
    pub enum BatchStatus {
        /// Accepted; nothing is made yet.
        Submitted = "submitted", // docs/specification.md
        /// Its links are being made.
        Processing = "processing",
        /// Every row has made its link.
        Completed = "completed",
        /// Every row is done, and some could not make their link.
        CompletedWithErrors = "completed_with_errors",
    }
}

words! {
    /// What became of a row.
    pub enum RowStatus {
        /// Nothing yet.
        Waiting = "waiting",
        /// It has its link.
        Succeeded = "succeeded",
        /// It could not make one; its error says why.
        Failed = "failed",
    }
}

words! {
    /// How the link of a row is delivered.
    pub enum RowDelivery {
        /// By e-mail.
        Email = "email", // docs/specification.md
        /// Not at all: its maker hands it over.
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
    /// First name.
    #[schema(required)]
    pub first_name: Option<String>,
    /// Last name.
    #[schema(required)]
    pub last_name: Option<String>,
    /// E-mail address.
    #[schema(required)]
    pub email: Option<String>,
    /// Country calling code, digits.
    #[schema(required)]
    pub country_code: Option<String>,
    /// Phone number within its country.
    #[schema(required)]
    pub phone_number: Option<String>,
    /// email, link, sms.
    pub delivery_method: RowDelivery,
    /// Cents.
    #[schema(value_type = i64, minimum = 1)]
    pub amount_cents: Cents,
    /// Memo; becomes the link's.
    #[schema(required)]
    pub memo: Option<String>,
    /// The key under which the row makes its link.
    pub idempotency_key: Uuid,
    /// Metadata; becomes the link's, as its text.
    #[schema(required, value_type = Option<Object>)]
    pub metadata: Option<Value>,
    /// Whether a tax form is asked for whatever the amount.
    pub force_collect_compliance_information: bool,
}

/// What the amounts, or the fees, of a batch's rows add up to.
pub(super) fn sum(amounts: impl IntoIterator<Item = Cents>) -> Cents {
    let sum = amounts.into_iter().try_fold(Cents::ZERO, Cents::plus);
    sum.expect("500 amounts of ten digits fit into 64 bits")
}

record! {
    /// Links that were submitted together.
    pub struct PayoutLinkBatch in "payout_link_batches" {
        key (org, id)
        unique BY_FINGERPRINT (org, app, fingerprint);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: PayoutLinkBatchId,
        /// The app.
        pub app: AppId,
        /// A keyed hash of its rows, by which the same batch is recognized.
        pub fingerprint: Vec<u8>,
        /// Where it stands.
        pub status: BatchStatus,
        /// How many rows it has.
        pub total: i64,
        /// How many have their link.
        pub succeeded: i64,
        /// How many could not make one.
        pub failed: i64,
        /// What all rows together ask for, in cents.
        pub amount: Cents,
        /// What those that have their link asked for, in cents.
        pub succeeded_amount: Cents,
        /// Goes up with each change of status.
        pub version: i64,
        /// When it was submitted.
        pub created_at: Time,
        /// When its last row was done.
        pub completed_at: Option<Time>,
    }
}

impl PayoutLinkBatch {
    /// The app it belongs to.
    pub fn scope(&self) -> Scope {
        Scope { org: self.org, app: self.app }
    }
}

record! {
    /// One row of a batch.
    pub struct BatchRow in "payout_link_batch_rows" {
        key (org, batch, number)
        many OF_BATCH (org, batch);
        /// The organization.
        pub org: OrgId,
        /// The batch.
        pub batch: PayoutLinkBatchId,
        /// Its place, from 0.
        pub number: i64,
        /// What was asked for.
        pub asked: Document<ValidatedRow>,
        /// What became of it.
        pub status: RowStatus,
        /// Its link.
        pub payout_link: Option<PayoutLinkId>,
        /// Why it has none: one of the codes of docs/errors.md.
        pub error_code: Option<String>,
        /// The same for people.
        pub error_message: Option<String>,
    }
}

impl BatchRow {
    /// Takes an erased payee out of what was asked for. The amount, the key and what became of it stay.
    pub fn erase(&mut self) {
        let asked = &mut self.asked.0;
        (asked.first_name, asked.last_name, asked.email) = (None, None, None);
        (asked.country_code, asked.phone_number) = (None, None);
        (asked.memo, asked.metadata) = (None, None);
        self.error_message = None;
    }
}
