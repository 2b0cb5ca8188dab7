use serde::{Deserialize, Serialize};

use crate::clock::{DAY_SECONDS, Time};
use crate::ids::{AppId, JobId, MemberId, OrgId, RailProviderId, RailRouteId, TransferId};
use crate::money::Cents;
use crate::platform::Platform;
use crate::rails::failures::FailureCode;
use crate::world::record::{Document, record, words};

/// How long a payment is not handed over after a proposal that it failed.
const PROPOSAL_SECONDS: i64 = 3 * DAY_SECONDS;

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

words! {
    /// What became of a payment in doubt.
    pub enum DecidedOutcome {
        /// The payee has the money.
        Completed = "completed",
        /// The provider does not have the payment, or did not pay it. The money goes back.
        Failed = "failed",
    }
}

/// What members decided. It counts when another member has decided the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    pub outcome: DecidedOutcome,
    /// How the first member knows it.
    pub evidence: String,
    pub proposed_by: MemberId,
    pub proposed_at_micros: i64,
    pub confirmed_by: Option<MemberId>,
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
        /// What members decided about a payment in doubt.
        pub decision: Option<Document<Decision>>,
        /// The job that looks it up.
        pub look_up: Option<JobId>,
        pub version: i64,
        pub created_at: Time,
        pub updated_at: Time,
    }
}

impl RailPayment {
    /// Returns whether a member has proposed lately that it failed. It is not handed over then: the evidence would be older
    /// than the attempt.
    pub fn may_be_decided_failed(&self, now: Time) -> bool {
        let is_open = |decision: &Decision| {
            let until = Time::from_micros(decision.proposed_at_micros).plus_seconds(PROPOSAL_SECONDS);
            decision.outcome == DecidedOutcome::Failed && now < until
        };
        self.decision.as_ref().is_some_and(|Document(decision)| is_open(decision))
    }

    /// Returns whether two members decided the outcome.
    pub fn is_decided(&self) -> bool {
        self.decision.as_ref().is_some_and(|Document(decision)| decision.confirmed_by.is_some())
    }
}
