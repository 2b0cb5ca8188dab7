//! A payable as JSON (docs/specification.md, Payable).

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::items::Item;
use super::model::{
    Action, ActionKind, Approval, ApprovalStep, Attempt, FundingSource, Payable, PayableStatus, StatusChange,
};
use crate::clock::Time;
use crate::ids::{AppId, PayableId, TransferId, VendorId, VendorPaymentMethodId};
use crate::members::Role;
use crate::money::Cents;
use crate::program::Bursar;

/// A vendor's bill, with its approval and its payments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PayableJson {
    /// The payable's id.
    pub id: PayableId,
    /// When the payable was created.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When the payable last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated: Time,
    /// Cents; 0 until an amount is set.
    #[schema(value_type = i64, example = 2500)]
    pub amount: Cents,
    /// Always USD.
    pub currency: String,
    /// The purpose of the bill.
    #[schema(required)]
    pub description: Option<String>,
    /// Your own id for the payable.
    #[schema(required)]
    pub external_id: Option<String>,
    /// The number of the bill.
    pub number: String,
    /// The URL of the PDF, which requires the app's credentials.
    #[schema(required)]
    pub file_url: Option<String>,
    /// The state; see docs/states.md.
    pub status: PayableStatus,
    /// service_balance.
    pub funding_source: FundingSource,
    /// The vendor's payment method.
    #[schema(required)]
    pub ap_payment_method_id: Option<VendorPaymentMethodId>,
    /// The name of the payment method.
    #[schema(required)]
    pub ap_payment_method_name: Option<String>,
    /// The vendor to pay.
    #[schema(required)]
    pub ap_vendor_id: Option<VendorId>,
    /// The vendor's name.
    #[schema(required)]
    pub ap_vendor_name: Option<String>,
    /// The app.
    pub api_app_id: AppId,
    /// The transfer of the last attempt to pay.
    #[schema(required)]
    pub transfer_id: Option<TransferId>,
    /// The lines of the bill.
    pub items: Vec<Item>,
    /// The actions on the payable, oldest first.
    pub action_history: Vec<ActionJson>,
    /// The required and given approvals, in order; empty before submission.
    pub approval_steps: Vec<ApprovalStepJson>,
    /// The states that the payable has had, oldest first.
    pub status_history: Vec<StatusChangeJson>,
    /// Every attempt to pay, oldest first.
    pub transfer_history: Vec<AttemptJson>,
}

/// One action on a payable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PayableAction)]
pub struct ActionJson {
    /// The kind of action.
    pub action: ActionKind,
    /// The member's comment.
    #[schema(required)]
    pub comment: Option<String>,
    /// When the action was taken.
    #[schema(value_type = String, format = DateTime)]
    pub timestamp: Time,
    /// The member's number; null when the app itself acted.
    #[schema(required)]
    pub user_id: Option<i64>,
    /// The member's name at that time.
    #[schema(required)]
    pub user_name: Option<String>,
    /// The member's role at that time.
    #[schema(required)]
    pub user_role: Option<Role>,
}

/// A step of the approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ApprovalStep)]
pub struct ApprovalStepJson {
    /// Whether the step has enough approvals.
    pub completed: bool,
    /// When the step was completed.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub completed_timestamp: Option<Time>,
    /// The number of required approvals.
    pub num_approvals_required: u32,
    /// The members who may approve in this step, with their decisions.
    pub user_approvals: Vec<UserApprovalJson>,
}

/// One approver of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = UserApproval)]
pub struct UserApprovalJson {
    /// The approver's comment.
    #[schema(required)]
    pub approval_comment: Option<String>,
    /// Whether the member approved. It is also false before a decision, when approval_timestamp is null.
    pub approval_given: bool,
    /// When the member approved or rejected.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub approval_timestamp: Option<Time>,
    /// The member's name.
    pub name: String,
    /// The member's number.
    pub user_id: i64,
}

/// A state, and when it was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PayableStatusChange)]
pub struct StatusChangeJson {
    /// The state.
    pub status: PayableStatus,
    /// When the state was reached.
    #[schema(value_type = String, format = DateTime)]
    pub timestamp: Time,
}

/// One attempt to pay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PayableTransfer)]
pub struct AttemptJson {
    /// When the attempt began.
    #[schema(value_type = String, format = DateTime)]
    pub created_timestamp: Time,
    /// The idempotency key of the request, if it was a UUID; else the transfer's id.
    pub idempotency_key: Uuid,
    /// The transfer of the attempt.
    pub transfer_id: TransferId,
}

impl From<&Action> for ActionJson {
    fn from(action: &Action) -> Self {
        let actor = action.actor.as_ref();
        Self {
            action: action.kind,
            comment: action.comment.clone(),
            timestamp: action.at,
            user_id: actor.map(|actor| actor.number),
            user_name: actor.map(|actor| actor.name.clone()),
            user_role: actor.map(|actor| actor.role),
        }
    }
}

impl From<&Approval> for UserApprovalJson {
    fn from(approval: &Approval) -> Self {
        Self {
            approval_comment: approval.comment.clone(),
            approval_given: approval.given.unwrap_or(false),
            approval_timestamp: approval.at,
            name: approval.name.clone(),
            user_id: approval.number,
        }
    }
}

impl From<&ApprovalStep> for ApprovalStepJson {
    fn from(step: &ApprovalStep) -> Self {
        Self {
            completed: step.completed_at.is_some(),
            completed_timestamp: step.completed_at,
            num_approvals_required: step.num_approvals_required,
            user_approvals: step.approvals.iter().map(UserApprovalJson::from).collect(),
        }
    }
}

impl From<&Payable> for PayableJson {
    /// Builds the object of events. Its `file_url` is the stored one, from when the file was added.
    fn from(payable: &Payable) -> Self {
        let change = |change: &StatusChange| StatusChangeJson { status: change.status, timestamp: change.at };
        let attempt = |attempt: &Attempt| AttemptJson {
            created_timestamp: attempt.at,
            idempotency_key: attempt.idempotency_key,
            transfer_id: attempt.transfer,
        };
        Self {
            id: payable.id,
            created: payable.created_at,
            updated: payable.updated_at,
            amount: payable.amount,
            currency: payable.currency.clone(),
            description: payable.description.clone(),
            external_id: payable.external_id.clone(),
            number: payable.number.clone(),
            file_url: payable.file_url.clone(),
            status: payable.status,
            funding_source: payable.funding_source,
            ap_payment_method_id: payable.payment_method,
            ap_payment_method_name: payable.payment_method_name.clone(),
            ap_vendor_id: payable.vendor,
            ap_vendor_name: payable.vendor_name.clone(),
            api_app_id: payable.app,
            transfer_id: payable.transfer,
            items: payable.items.0.clone(),
            action_history: payable.action_history.0.iter().map(ActionJson::from).collect(),
            approval_steps: payable.approval_steps.0.iter().map(ApprovalStepJson::from).collect(),
            status_history: payable.status_history.0.iter().map(change).collect(),
            transfer_history: payable.transfer_history.0.iter().map(attempt).collect(),
        }
    }
}

/// Returns the payable, with its file under the present public URL.
pub fn json(bursar: &Bursar, payable: &Payable) -> PayableJson {
    let file_url = payable.file_url.as_ref().map(|_| file_url(&bursar.public_url, payable.id));
    PayableJson { file_url, ..PayableJson::from(payable) }
}

pub(super) fn file_url(public_url: &str, id: PayableId) -> String {
    format!("{public_url}/v2/accounts-payable/payables/{id}/file")
}
