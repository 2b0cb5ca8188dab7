use serde::Serialize;
use utoipa::ToSchema;

use super::model::{ApprovalPolicy, Condition, PolicyStep};
use crate::clock::Time;
use crate::ids::{AppId, ApprovalPolicyId, MemberId};

/// A rule that defines which members must approve a bill.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ApprovalPolicyJson {
    /// The policy's id.
    pub id: ApprovalPolicyId,
    /// When the policy was created.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When the policy was last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated: Time,
    /// The policy's name.
    #[schema(required)]
    pub name: Option<String>,
    /// The conditions, all of which a bill must meet.
    pub conditions: Vec<Condition>,
    /// The approval steps, in order.
    pub steps: Vec<PolicyStep>,
    /// Policies are evaluated from the lowest number.
    pub priority: i64,
    /// Whether the policy is active.
    pub active: bool,
    /// The member who last changed it, if the request named one.
    #[schema(required)]
    pub updated_by: Option<MemberId>,
    /// The app's id.
    pub api_app_id: AppId,
    /// When the policy was deleted.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub deleted: Option<Time>,
}

impl From<&ApprovalPolicy> for ApprovalPolicyJson {
    fn from(policy: &ApprovalPolicy) -> Self {
        Self {
            id: policy.id,
            created: policy.created_at,
            updated: policy.updated_at,
            name: policy.name.clone(),
            conditions: policy.conditions.0.clone(),
            steps: policy.steps.0.clone(),
            priority: policy.priority,
            active: policy.active,
            updated_by: policy.updated_by,
            api_app_id: policy.app,
            deleted: policy.deleted_at,
        }
    }
}
