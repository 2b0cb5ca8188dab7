//! Finds and changes the rows.

use std::sync::Arc;

use super::json::ApprovalPolicyJson;
use super::model::ApprovalPolicy;
use crate::events::{self, EventName, NewEvent};
use crate::ids::ApprovalPolicyId;
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

/// Returns a policy of the app, also a deleted one.
pub fn find(world: &World, scope: Scope, id: ApprovalPolicyId) -> Result<Arc<ApprovalPolicy>, Halt> {
    match world.get::<ApprovalPolicy>(key![scope.org, id])? {
        Some(policy) if policy.app == scope.app => Ok(policy),
        Some(_) | None => Err(Refusal::not_found("approval policy").into()),
    }
}

/// Returns the app's policies except deleted ones, oldest first.
pub fn of_app(world: &World, scope: Scope) -> Result<Vec<Arc<ApprovalPolicy>>, Halt> {
    let mut policies = ever_made(world, scope)?;
    policies.retain(|policy| policy.deleted_at.is_none());
    Ok(policies)
}

pub(super) fn ever_made(world: &World, scope: Scope) -> Result<Vec<Arc<ApprovalPolicy>>, Halt> {
    world.all::<ApprovalPolicy>(ApprovalPolicy::OF_APP, key![scope.org, scope.app])
}

pub(super) fn emit(world: &mut World, policy: &ApprovalPolicy) -> Result<(), Halt> {
    let (name, object) = (EventName::ApprovalPolicyUpdated, ApprovalPolicyJson::from(policy));
    let scope = Scope { org: policy.org, app: policy.app };
    events::emit(world, scope, NewEvent::of(name, policy.id.0, policy.version, &object))
}
