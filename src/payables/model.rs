//! The record of a payable, its histories and its enumerations.

use serde::{Deserialize, Serialize};

use super::items::Item;
use crate::acting::Actor;
use crate::clock::Time;
use crate::ids::{
    AppId, ApprovalPolicyId, BankAccountId, MemberId, OrgId, PayableId, TransferId, VendorId, VendorPaymentMethodId,
};
use crate::money::Cents;
use crate::scope::Scope;
use crate::world::record::{Document, record, words};

words! {
    /// The state of a payable.
    pub enum PayableStatus {
        /// Being prepared; can be changed.
        Created = "created", // docs/specification.md
        /// Canceled before it was submitted.
        Canceled = "canceled",
        /// Waiting for its approvers.
        SubmittedForApproval = "submitted_for_approval",
        /// Rejected by an approver. A change makes it created again.
        Rejected = "rejected",
        /// Approved; can be paid.
        Approved = "approved",
        /// The payment is on its way to the vendor.
        PaymentInitiated = "payment_initiated",
        /// The payment failed or was returned; it can be retried.
        PaymentFailed = "payment_failed",
        /// The payment arrived.
        PaymentCompleted = "payment_completed",
    }
}

words! {
    /// A member's action on a payable.
    pub enum ActionKind {
        /// Created it.
        Create = "create", // docs/specification.md
        /// Changed it, or its file.
        Update = "update",
        /// Canceled it.
        Cancel = "cancel",
        /// Submitted it for approval.
        SubmitForApproval = "submit_for_approval",
        /// Approved it.
        Approve = "approve",
        /// Rejected it.
        Reject = "reject",
        /// Paid it.
        InitiatePayment = "initiate_payment",
        /// Paid it again after a failed payment.
        RetryPayment = "retry_payment",
    }
}

words! {
    /// The source of the money for a payable.
    pub enum FundingSource {
        /// The app's wallet.
        ServiceBalance = "service_balance", // docs/specification.md
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    pub kind: ActionKind,
    /// `None` when the app itself acted, with its key.
    pub actor: Option<Actor>,
    pub comment: Option<String>,
    pub at: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusChange {
    pub status: PayableStatus,
    pub at: Time,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalStep {
    pub num_approvals_required: u32,
    /// Each permitted approver, once.
    pub approvals: Vec<Approval>,
    pub completed_at: Option<Time>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    pub member: MemberId,
    /// The public `user_id`.
    pub number: i64,
    /// The member's name when the payable was submitted.
    pub name: String,
    /// `None` until the member approves or rejects.
    pub given: Option<bool>,
    pub at: Option<Time>,
    pub comment: Option<String>,
}

/// The submitted copy, which is approved and paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// Cents.
    pub amount: Cents,
    pub vendor: VendorId,
    pub payment_method: VendorPaymentMethodId,
    pub bank_account: BankAccountId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub transfer: TransferId,
    /// The idempotency key of the request, if it was a UUID; else the transfer's id, which is sent to the rail.
    pub idempotency_key: uuid::Uuid,
    pub terms: Terms,
    pub at: Time,
}

record! {
    pub struct Payable in "payables" {
        key (org, id)
        many BY_TRANSFER (org, transfer)
        many OPEN_OF_VENDOR (org, open_vendor);
        pub org: OrgId,
        pub id: PayableId,
        pub app: AppId,
        pub number: String,
        /// Cents; zero until an amount is set.
        pub amount: Cents,
        /// Always USD.
        pub currency: String,
        pub description: Option<String>,
        /// The app's own id for it.
        pub external_id: Option<String>,
        pub status: PayableStatus,
        pub funding_source: FundingSource,
        pub vendor: Option<VendorId>,
        /// The name of a vendor never changes.
        pub vendor_name: Option<String>,
        pub payment_method: Option<VendorPaymentMethodId>,
        pub payment_method_name: Option<String>,
        /// The vendor while the bill is neither paid nor canceled, so that a query finds only open bills.
        pub open_vendor: Option<VendorId>,
        pub items: Document<Vec<Item>>,
        /// As returned when the file was added; `None` without a file.
        pub file_url: Option<String>,
        /// The transfer of the last attempt to pay.
        pub transfer: Option<TransferId>,
        /// `None` before submission.
        pub terms: Option<Document<Terms>>,
        /// `None` before submission.
        pub submitted_by: Option<MemberId>,
        /// `None` if no policy applied.
        pub policy: Option<ApprovalPolicyId>,
        pub approval_steps: Document<Vec<ApprovalStep>>,
        /// Oldest first.
        pub action_history: Document<Vec<Action>>,
        /// Oldest first.
        pub status_history: Document<Vec<StatusChange>>,
        /// Oldest first.
        pub transfer_history: Document<Vec<Attempt>>,
        /// Incremented by each change.
        pub version: i64,
        pub created_at: Time,
        pub updated_at: Time,
    }
}

impl Payable {
    pub fn scope(&self) -> Scope {
        Scope { org: self.org, app: self.app }
    }
}

record! {
    pub struct PayableFile in "payable_files" {
        key (org, payable);
        pub org: OrgId,
        pub payable: PayableId,
        pub app: AppId,
        pub bytes: Vec<u8>,
        pub created_at: Time,
    }
}
