use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::clock::Time;
use crate::ids::{AppId, ApprovalPolicyId, MemberId, OrgId, VendorId};
use crate::money::Cents;
use crate::world::record::{Document, record, words};

words! {
    /// The comparison of a condition.
    pub enum Operator {
        /// At most.
        AtMost = "<=",
        /// Exactly.
        Equal = "==",
        /// At least.
        AtLeast = ">=",
    }
}

/// A condition that a bill must meet for a policy to apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "field", rename_all = "snake_case")]
pub enum Condition {
    /// A condition on the amount.
    Amount {
        /// The comparison.
        operator: Operator,
        /// Cents.
        #[schema(value_type = i64)]
        value: Cents,
    },
    /// A condition on the vendor.
    Vendor {
        /// Always ==.
        operator: Operator,
        /// The vendor's id.
        value: VendorId,
    },
}

/// A step of an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PolicyStep {
    /// The number of approvals needed.
    pub num_approvals_required: u32,
    /// The ids of the members who may approve this step.
    pub approvers: Vec<MemberId>,
}

record! {
    pub struct ApprovalPolicy in "approval_policies" {
        key (org, id)
        many OF_APP (org, app);
        pub org: OrgId,
        pub id: ApprovalPolicyId,
        pub app: AppId,
        pub name: Option<String>,
        /// A bill must meet all of them.
        pub conditions: Document<Vec<Condition>>,
        pub steps: Document<Vec<PolicyStep>>,
        /// The lowest number is evaluated first.
        pub priority: i64,
        pub active: bool,
        /// The last change's member, if the request named one.
        pub updated_by: Option<MemberId>,
        pub version: i64,
        pub created_at: Time,
        pub updated_at: Time,
        pub deleted_at: Option<Time>,
    }
}
