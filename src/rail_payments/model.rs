use crate::clock::Time;
use crate::ids::{AppId, JobId, OrgId, RailProviderId, RailRouteId, TransferId};
use crate::money::Cents;
use crate::platform::Platform;
use crate::rails::failures::FailureCode;
use crate::world::record::{record, words};

words! {
    /// The state of a payment at its provider.
    pub enum PaymentStatus {
        /// The provider was not called yet.
        Queued = "queued",
        /// The provider may have it.
        Attempted = "attempted",
        /// The provider has it.
        Accepted = "accepted",
        /// The money arrived.
        Completed = "completed",
        /// The money did not arrive.
        Failed = "failed",
        /// The money arrived and came back.
        Returned = "returned",
        /// Canceled before the provider was called.
        Withdrawn = "withdrawn",
    }
}

record! {
    pub struct RailPayment in "rail_payments" {
        key (org, transfer);
        pub org: OrgId,
        /// The transfer, which is also our reference at the provider.
        pub transfer: TransferId,
        pub app: AppId,
        pub route: RailRouteId,
        pub provider: RailProviderId,
        pub platform: Platform,
        /// The amount to arrive.
        pub amount: Cents,
        pub status: PaymentStatus,
        pub attempts: i64,
        pub first_attempted_at: Option<Time>,
        pub attempted_at: Option<Time>,
        /// From the first attempt to the outcome.
        pub sealed_order: Option<Vec<u8>>,
        /// The provider's own reference.
        pub reference: Option<String>,
        /// What the provider charges.
        pub fee: Option<Cents>,
        pub failure: Option<FailureCode>,
        /// The last answer that was no outcome.
        pub doubt: Option<String>,
        /// The job that looks it up.
        pub look_up: Option<JobId>,
        pub version: i64,
        pub created_at: Time,
        pub updated_at: Time,
    }
}
