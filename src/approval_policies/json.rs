//! An approval policy as JSON.

use serde::Serialize;
use utoipa::ToSchema;

use super::model::{ApprovalPolicy, Condition, PolicyStep};
use crate::clock::Time;
use crate::ids::{AppId, ApprovalPolicyId, MemberId};

/// A rule that says whose approval a bill needs.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ApprovalPolicyJson {
    /// Its id.
    pub id: ApprovalPolicyId,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When it last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated: Time,
    /// What people call it.
    #[schema(required)]
    pub name: Option<String>,
    /// What a bill must be like; all must hold.
    pub conditions: Vec<Condition>,
    /// Who approves, step by step.
    pub steps: Vec<PolicyStep>,
    /// The lower, the earlier it is looked at.
    pub priority: i64,
    /// Whether it is looked at.
    pub active: bool,
    /// The member who changed it last, where the request named one.
    #[schema(required)]
    pub updated_by: Option<MemberId>,
    /// The app.
    pub api_app_id: AppId,
    /// When it was deleted.
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
