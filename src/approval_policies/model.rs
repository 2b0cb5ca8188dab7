//! The record of an approval policy.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::clock::Time;
use crate::ids::{AppId, ApprovalPolicyId, MemberId, OrgId, VendorId};
use crate::money::Cents;
use crate::world::record::{Document, record, words};

words! {
    /// How an amount is compared.
    pub enum Operator {
        /// At most.
        AtMost = "<=",
        /// Exactly.
        Equal = "==",
        /// At least.
        AtLeast = ">=",
    }
}

/// What a bill must be like for a policy to be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "field", rename_all = "snake_case")]
pub enum Condition {
    /// On its amount.
    Amount {
        /// How it is compared.
        operator: Operator,
        /// With how many cents.
        #[schema(value_type = i64)]
        value: Cents,
    },
    /// On its vendor.
    Vendor {
        /// Always ==.
        operator: Operator,
        /// Who it must be.
        value: VendorId,
    },
}

/// A step of an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PolicyStep {
    /// How many of the approvers are needed.
    pub num_approvals_required: u32,
    /// The ids of the members who may approve here.
    pub approvers: Vec<MemberId>,
}

record! {
    /// A rule that says whose approval a bill needs.
    pub struct ApprovalPolicy in "approval_policies" {
        key (org, id)
        many OF_APP (org, app);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: ApprovalPolicyId,
        /// The app.
        pub app: AppId,
        /// What people call it.
        pub name: Option<String>,
        /// What a bill must be like; all must hold.
        pub conditions: Document<Vec<Condition>>,
        /// Who approves, step by step.
        pub steps: Document<Vec<PolicyStep>>,
        /// The lower, the earlier it is looked at.
        pub priority: i64,
        /// Whether it is looked at.
        pub active: bool,
        /// The member who changed it last, where the request named one.
        pub updated_by: Option<MemberId>,
        /// Goes up with each change.
        pub version: i64,
        /// When it was made.
        pub created_at: Time,
        /// When it last changed.
        pub updated_at: Time,
        /// When it was deleted.
        pub deleted_at: Option<Time>,
    }
}
