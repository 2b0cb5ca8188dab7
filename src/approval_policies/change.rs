//! Creates, changes and deletes approval policies. Submitted bills keep the steps that they were submitted with.

use super::rows;
use std::sync::Arc;

use super::inputs::PRIORITY_DEFAULT;
use super::json::ApprovalPolicyJson;
use super::model::{ApprovalPolicy, Condition, PolicyStep};
use crate::acting::{Act, acting_if_named, may_approve};
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{ApprovalPolicyId, MemberId};
use crate::input::{Problems, wrong};
use crate::members;
use crate::patch::Patch;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::vendors;
use crate::world::record::{Document, key};
use crate::world::{Halt, Want, World};

/// Maximum per app, because every submission of a bill evaluates all policies.
const POLICIES_MAX: usize = 200;

#[derive(Clone, Debug)]
pub struct PolicyPatch {
    pub name: Patch<String>,
    pub conditions: Option<Vec<Condition>>,
    pub steps: Option<Vec<PolicyStep>>,
    pub priority: Option<i64>,
    pub active: Option<bool>,
}

impl PolicyPatch {
    /// Refuses unknown vendors, unknown approvers, and members who may not approve.
    fn must_name_those_who_can(&self, world: &mut World, scope: Scope) -> Result<(), Halt> {
        for condition in self.conditions.iter().flatten() {
            if let Condition::Vendor { value, .. } = condition {
                vendors::find(world, scope, *value)?;
            }
        }
        let steps = self.steps.as_deref().unwrap_or_default();
        let named = steps.iter().flat_map(|step| &step.approvers);
        world.require(named.map(|id| Want::row::<members::Member>(key![scope.org, *id])))?;
        let mut problems = Problems::new();
        for (at_step, step) in steps.iter().enumerate() {
            for (place, id) in step.approvers.iter().enumerate() {
                let member = members::find(world, scope.org, *id)?;
                if !may_approve(&member) {
                    let message = format!("{} has the role {}, which cannot approve", member.name, member.role);
                    problems.extend(wrong(&format!("/steps/{at_step}/approvers/{place}"), message));
                }
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(Refusal::fields(problems).into()) }
    }
}

/// POST /v2/accounts-payable/approval-policies
#[derive(Clone, Debug)]
pub struct CreatePolicy {
    pub scope: Scope,
    pub acting: Option<MemberId>,
    pub says: PolicyPatch,
}

impl Command for CreatePolicy {
    type Reply = Arc<ApprovalPolicy>;

    fn decide(&self, world: &mut World) -> Result<Arc<ApprovalPolicy>, Halt> {
        let Scope { org, app } = self.scope;
        self.says.must_name_those_who_can(world, self.scope)?;
        let actor = acting_if_named(world, org, self.acting, Act::Govern)?;
        if rows::of_app(world, self.scope)?.len() >= POLICIES_MAX {
            let message =
                format!("The app has {POLICIES_MAX} approval policies, which is the limit. Delete one first.");
            return Err(Refusal::over_limit("approval_policies", POLICIES_MAX, message).into());
        }

        // From here it must succeed.
        let (id, now) = (world.id(), world.now());
        let mut policy = ApprovalPolicy {
            org,
            id,
            app,
            name: None,
            conditions: Document::default(),
            steps: Document::default(),
            priority: PRIORITY_DEFAULT,
            active: true,
            updated_by: actor.map(|actor| actor.member),
            version: 1,
            created_at: now,
            updated_at: now,
            deleted_at: None,
        };
        self.says.apply(&mut policy);
        let policy = world.add(policy);
        rows::emit(world, &policy)?;
        let act = NewAct::of(ActKind::PolicyCreated, Some(app), id).by(policy.updated_by);
        acts::record(world, org, act.changing(&(), &ApprovalPolicyJson::from(&*policy)))?;
        Ok(policy)
    }
}

impl PolicyPatch {
    fn apply(&self, policy: &mut ApprovalPolicy) {
        policy.name = self.name.clone().over(policy.name.take());
        if let Some(conditions) = &self.conditions {
            policy.conditions.0.clone_from(conditions);
        }
        if let Some(steps) = &self.steps {
            policy.steps.0.clone_from(steps);
        }
        policy.priority = self.priority.unwrap_or(policy.priority);
        policy.active = self.active.unwrap_or(policy.active);
    }
}

/// PATCH /v2/accounts-payable/approval-policies/{approval_policy_id}
#[derive(Clone, Debug)]
pub struct UpdatePolicy {
    pub scope: Scope,
    pub policy: ApprovalPolicyId,
    pub acting: Option<MemberId>,
    pub patch: PolicyPatch,
}

impl Command for UpdatePolicy {
    type Reply = Arc<ApprovalPolicy>;

    fn decide(&self, world: &mut World) -> Result<Arc<ApprovalPolicy>, Halt> {
        let policy = rows::find(world, self.scope, self.policy)?;
        self.patch.must_name_those_who_can(world, self.scope)?;
        let actor = acting_if_named(world, self.scope.org, self.acting, Act::Govern)?;
        if policy.deleted_at.is_some() {
            return Err(Refusal::new(Code::InvalidState, "This approval policy was deleted. Create a new one.")
                .because(Reason::ObjectDeleted)
                .into());
        }

        // From here it must succeed.
        change(world, &policy, actor.map(|actor| actor.member), |policy, _| self.patch.apply(policy))
    }
}

/// DELETE /v2/accounts-payable/approval-policies/{approval_policy_id}. A repeat changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct DeletePolicy {
    pub scope: Scope,
    pub policy: ApprovalPolicyId,
    pub acting: Option<MemberId>,
}

impl Command for DeletePolicy {
    type Reply = Arc<ApprovalPolicy>;

    fn decide(&self, world: &mut World) -> Result<Arc<ApprovalPolicy>, Halt> {
        let policy = rows::find(world, self.scope, self.policy)?;
        let actor = acting_if_named(world, self.scope.org, self.acting, Act::Govern)?;
        if policy.deleted_at.is_some() {
            return Ok(policy);
        }

        // From here it must succeed.
        change(world, &policy, actor.map(|actor| actor.member), |policy, now| {
            policy.active = false;
            policy.deleted_at = Some(now);
        })
    }
}

/// Changes a policy, emits its event and records the act. Each transition is one event.
fn change(
    world: &mut World,
    policy: &Arc<ApprovalPolicy>,
    by: Option<MemberId>,
    edit: impl FnOnce(&mut ApprovalPolicy, crate::clock::Time),
) -> Result<Arc<ApprovalPolicy>, Halt> {
    let now = world.now();
    let before = ApprovalPolicyJson::from(&**policy);
    let policy = world.change(policy, |policy| {
        edit(policy, now);
        policy.updated_by = by;
        policy.updated_at = now;
        policy.version += 1;
    });
    rows::emit(world, &policy)?;
    let kind = if policy.deleted_at.is_some() { ActKind::PolicyDeleted } else { ActKind::PolicyChanged };
    let act = NewAct::of(kind, Some(policy.app), policy.id).by(by);
    acts::record(world, policy.org, act.changing(&before, &ApprovalPolicyJson::from(&*policy)))?;
    Ok(policy)
}
