//! The record of a payable, its histories, and its closed sets of words.

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
    /// Where a payable stands.
    pub enum PayableStatus {
        /// Being prepared; may be changed.
        Created = "created", // docs/specification.md
        /// Given up.
        Canceled = "canceled",
        /// Waits for its approvers.
        SubmittedForApproval = "submitted_for_approval",
        /// An approver said no; may be changed, which makes it created again.
        Rejected = "rejected",
        /// May be paid.
        Approved = "approved",
        /// On its way to the vendor.
        PaymentInitiated = "payment_initiated",
        /// It did not arrive, or came back; may be paid again.
        PaymentFailed = "payment_failed",
        /// It arrived.
        PaymentCompleted = "payment_completed",
    }
}

words! {
    /// What a member did with a payable.
    pub enum ActionKind {
        /// Made it.
        Create = "create", // docs/specification.md
        /// Changed it, or its file.
        Update = "update",
        /// Gave it up.
        Cancel = "cancel",
        /// Asked for approval.
        SubmitForApproval = "submit_for_approval",
        /// Said yes.
        Approve = "approve",
        /// Said no.
        Reject = "reject",
        /// Paid it.
        InitiatePayment = "initiate_payment",
        /// Paid it again, after a payment failed.
        RetryPayment = "retry_payment",
    }
}

words! {
    /// Where the money for a payable comes from.
    pub enum FundingSource {
        /// The app's wallet.
        ServiceBalance = "service_balance", // docs/specification.md
    }
}

/// One thing that was done with a payable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// What.
    pub kind: ActionKind,
    /// By whom; `None` when the app itself did it, by its key.
    pub actor: Option<Actor>,
    /// Their words.
    pub comment: Option<String>,
    /// When.
    pub at: Time,
}

/// A state, and when it was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusChange {
    /// The state.
    pub status: PayableStatus,
    /// When.
    pub at: Time,
}

/// A step of the approval: who may approve in it, and who has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalStep {
    /// How many are needed.
    pub num_approvals_required: u32,
    /// Those who may approve; each once.
    pub approvals: Vec<Approval>,
    /// When enough had.
    pub completed_at: Option<Time>,
}

/// One approver of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// Who.
    pub member: MemberId,
    /// What `user_id` shows.
    pub number: i64,
    /// Their name when the payable was submitted.
    pub name: String,
    /// Yes or no; `None` until they say.
    pub given: Option<bool>,
    /// When.
    pub at: Option<Time>,
    /// Their words.
    pub comment: Option<String>,
}

/// What was submitted for approval, and is what is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// Cents.
    pub amount: Cents,
    /// Whom.
    pub vendor: VendorId,
    /// By which of their payment methods.
    pub payment_method: VendorPaymentMethodId,
    /// To which account.
    pub bank_account: BankAccountId,
}

/// One attempt to pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Its transfer.
    pub transfer: TransferId,
    /// The key of the request, where it was a UUID; else the transfer's id, which is what the rail is told.
    pub idempotency_key: uuid::Uuid,
    /// What was approved and paid.
    pub terms: Terms,
    /// When.
    pub at: Time,
}

record! {
    /// A vendor's bill.
    pub struct Payable in "payables" {
        key (org, id)
        many BY_TRANSFER (org, transfer)
        many OPEN_OF_VENDOR (org, open_vendor);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: PayableId,
        /// The app.
        pub app: AppId,
        /// The number of the bill.
        pub number: String,
        /// Cents; zero while nobody has said.
        pub amount: Cents,
        /// Always USD.
        pub currency: String,
        /// What it is for.
        pub description: Option<String>,
        /// The app's own id for it.
        pub external_id: Option<String>,
        /// Where it stands.
        pub status: PayableStatus,
        /// Where its money comes from.
        pub funding_source: FundingSource,
        /// Who is to be paid.
        pub vendor: Option<VendorId>,
        /// Their name, which never changes.
        pub vendor_name: Option<String>,
        /// To which of their accounts.
        pub payment_method: Option<VendorPaymentMethodId>,
        /// The name on it.
        pub payment_method_name: Option<String>,
        /// The vendor, while the bill is neither paid nor canceled: so those can be found without the others.
        pub open_vendor: Option<VendorId>,
        /// What is billed.
        pub items: Document<Vec<Item>>,
        /// Where its file is served, as it was told when the file came; `None` without a file.
        pub file_url: Option<String>,
        /// The transfer of the last attempt to pay.
        pub transfer: Option<TransferId>,
        /// What was submitted; `None` before.
        pub terms: Option<Document<Terms>>,
        /// Who submitted it; `None` before.
        pub submitted_by: Option<MemberId>,
        /// The policy under which it was submitted, where one fitted.
        pub policy: Option<ApprovalPolicyId>,
        /// Whose approval it needs and has.
        pub approval_steps: Document<Vec<ApprovalStep>>,
        /// What was done with it, oldest first.
        pub action_history: Document<Vec<Action>>,
        /// The states that it was in, oldest first.
        pub status_history: Document<Vec<StatusChange>>,
        /// Every attempt to pay, oldest first.
        pub transfer_history: Document<Vec<Attempt>>,
        /// Goes up with each change.
        pub version: i64,
        /// When it was made.
        pub created_at: Time,
        /// When it last changed.
        pub updated_at: Time,
    }
}

impl Payable {
    /// The app that it belongs to.
    pub fn scope(&self) -> Scope {
        Scope { org: self.org, app: self.app }
    }
}

record! {
    /// The bill itself, as a PDF.
    pub struct PayableFile in "payable_files" {
        key (org, payable);
        /// The organization.
        pub org: OrgId,
        /// Whose it is.
        pub payable: PayableId,
        /// The app.
        pub app: AppId,
        /// The PDF.
        pub bytes: Vec<u8>,
        /// When it came.
        pub created_at: Time,
    }
}
