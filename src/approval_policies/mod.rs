//! Approval policies: the rules that define which members must approve a bill (docs/decisions.md 10).
//!
//! A policy has conditions, all of which a bill must meet, and ordered steps with approvers and a number of approvals.
//! At submission, the matching active policy with the lowest priority number is copied into the bill, so later changes
//! of the policy do not affect it. Deliberately absent: approving, which belongs to the bill.
//!
//! Start at `rules.rs`.

mod change;
mod http;
mod inputs;
mod json;
mod model;
pub mod rules;

pub use change::{CreatePolicy, DeletePolicy, PolicyPatch, UpdatePolicy};
pub use http::routes;
pub use json::ApprovalPolicyJson;
pub use model::{ApprovalPolicy, Condition, Operator, PolicyStep};

use std::sync::Arc;

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

fn ever_made(world: &World, scope: Scope) -> Result<Vec<Arc<ApprovalPolicy>>, Halt> {
    world.all::<ApprovalPolicy>(ApprovalPolicy::OF_APP, key![scope.org, scope.app])
}

fn emit(world: &mut World, policy: &ApprovalPolicy) -> Result<(), Halt> {
    let (name, object) = (EventName::ApprovalPolicyUpdated, ApprovalPolicyJson::from(policy));
    let scope = Scope { org: policy.org, app: policy.app };
    events::emit(world, scope, NewEvent::of(name, policy.id.0, policy.version, &object))
}
