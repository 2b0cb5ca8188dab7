use super::rows;
use serde_json::json;

use super::change::{CreatePolicy, DeletePolicy, PolicyPatch, UpdatePolicy};
use super::inputs::{NewPolicy, PolicyChanges};
use super::json::ApprovalPolicyJson;
use super::model::ApprovalPolicy;
use crate::http::lists::{ListEnvelope, list_query, page_of};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::MemberId;
use crate::input::input;
use crate::permission::Permission;
use crate::refusal::Code;
use crate::security_log::SecurityEvent;

input! {
    /// The member who deletes.
    pub struct PolicyDeletion {
        /// The member (admin); the app itself if not given.
        pub acting_user_id: Option<MemberId>,
    }
}

list_query! {
    /// The filters of the list of approval policies.
    pub struct ApprovalPoliciesQuery {
        /// Return only active policies (true) or only inactive ones (false).
        pub active: Option<bool>,
    }
}

/// POST /v2/accounts-payable/approval-policies
pub async fn create(call: Call) -> Outcome {
    let scope = call.scope()?;
    let command = call.body::<NewPolicy>().map(|new| CreatePolicy {
        scope,
        acting: new.acting_user_id,
        says: PolicyPatch {
            name: new.name.map(|name| name.0).into(),
            conditions: new.conditions.map(|conditions| conditions.0),
            steps: Some(new.steps.0),
            priority: new.priority.map(|priority| priority.0),
            active: new.active,
        },
    });
    let created = call.once(command, |policy| Answer::created(&ApprovalPolicyJson::from(&**policy))).await?;
    if created.is_new() {
        call.log_security(SecurityEvent::PolicyChanged, "created", None);
    }
    Ok(created)
}

/// GET /v2/accounts-payable/approval-policies
pub async fn list(call: Call) -> Outcome {
    let scope = call.scope()?;
    let asked: ApprovalPoliciesQuery = call.query()?;
    let found = call
        .read(move |world| {
            let policies = rows::ever_made(world, scope)?;
            let place = |policy: &ApprovalPolicy| (policy.id.0, policy.created_at);
            Ok(page_of(policies, &asked.asked(), place, |policy| {
                policy.deleted_at.is_none() && asked.active.is_none_or(|active| policy.active == active)
            })?)
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|policy| ApprovalPolicyJson::from(policy))))
}

/// GET /v2/accounts-payable/approval-policies/{approval_policy_id}
pub async fn show(call: Call) -> Outcome {
    let (scope, id) = (call.scope()?, call.id("approval_policy_id", "approval policy")?);
    let policy = call.read(move |world| rows::find(world, scope, id)).await?;
    Ok(Answer::ok(&ApprovalPolicyJson::from(&*policy)))
}

/// PATCH /v2/accounts-payable/approval-policies/{approval_policy_id}
pub async fn update(call: Call) -> Outcome {
    let (scope, policy) = (call.scope()?, call.id("approval_policy_id", "approval policy")?);
    let changes: PolicyChanges = call.body()?;
    let patch = PolicyPatch {
        name: changes.name.map(|name| name.0),
        conditions: changes.conditions.0.map(|conditions| conditions.0),
        steps: changes.steps.0.map(|steps| steps.0),
        priority: changes.priority.0.map(|priority| priority.0),
        active: changes.active.0,
    };
    let command = UpdatePolicy { scope, policy, acting: changes.acting_user_id, patch };
    let policy = call.run(command).await?;
    call.log_security(SecurityEvent::PolicyChanged, "updated", Some(&policy.id.to_string()));
    Ok(Answer::ok(&ApprovalPolicyJson::from(&*policy)))
}

/// DELETE /v2/accounts-payable/approval-policies/{approval_policy_id}
pub async fn delete(call: Call) -> Outcome {
    let (scope, policy) = (call.scope()?, call.id("approval_policy_id", "approval policy")?);
    let acting = call.body::<PolicyDeletion>()?.acting_user_id;
    let policy = call.run(DeletePolicy { scope, policy, acting }).await?;
    call.log_security(SecurityEvent::PolicyChanged, "deleted", Some(&policy.id.to_string()));
    Ok(Answer::ok(&ApprovalPolicyJson::from(&*policy)))
}

const TAG: &str = "Accounts payable";

pub fn routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/accounts-payable/approval-policies" App "list_approval_policies" list)
            .members(Permission::View)
            .about(TAG, "List approval policies")
            .describe("Lists the policies that decide who approves a payable, newest first.")
            .asks::<ApprovalPoliciesQuery>()
            .gives::<ListEnvelope<ApprovalPolicyJson>>(200, "One page of the list."),
        route!(Post "/v2/accounts-payable/approval-policies" OrganizationForApp "create_approval_policy" create)
            .members(Permission::Govern)
            .about(TAG, "Create an approval policy")
            .describe(
                "When a payable is submitted, bursar copies the steps of one active policy into it: the policy with \
                 the lowest priority number whose conditions are all met. Without such a policy, one approver other \
                 than the submitter is enough.",
            )
            .takes::<NewPolicy>()
            .example(json!({
                "name": "Large bills",
                "conditions": [{"field": "amount", "operator": ">=", "value": 100_000}],
                "steps": [{"num_approvals_required": 1, "approvers": ["0198c0de-0000-7000-8000-000000000001"]}],
                "priority": 10
            }))
            .gives::<ApprovalPolicyJson>(201, "The approval policy.")
            .refuses(&[Code::NotFound, Code::NotPermitted, Code::LimitExceeded]),
        route!(Get "/v2/accounts-payable/approval-policies/{approval_policy_id}" App "get_approval_policy" show)
            .members(Permission::View)
            .about(TAG, "Get an approval policy")
            .describe("Returns one approval policy with its steps.")
            .gives::<ApprovalPolicyJson>(200, "The approval policy; deleted policies are returned too.")
            .refuses(&[Code::NotFound]),
        route!(Patch "/v2/accounts-payable/approval-policies/{approval_policy_id}" OrganizationForApp "update_approval_policy" update)
            .members(Permission::Govern)
            .about(TAG, "Update an approval policy")
            .describe("Payables that are already submitted keep their steps.")
            .takes::<PolicyChanges>()
            .gives::<ApprovalPolicyJson>(200, "The approval policy.")
            .refuses(&[Code::NotFound, Code::NotPermitted, Code::InvalidState]),
        route!(Delete "/v2/accounts-payable/approval-policies/{approval_policy_id}" OrganizationForApp "delete_approval_policy" delete)
            .members(Permission::Govern)
            .about(TAG, "Delete an approval policy")
            .describe("Payables that are already submitted keep its steps. A repeated call changes nothing.")
            .takes::<PolicyDeletion>()
            .gives::<ApprovalPolicyJson>(200, "The approval policy.")
            .refuses(&[Code::NotFound, Code::NotPermitted]),
    ]
}
