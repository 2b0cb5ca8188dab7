//! Approval policies: the rules that say whose approval a bill needs (docs/decisions.md 10).
//!
//! A policy has conditions, all of which a bill must meet, and ordered steps, each with its approvers and how many of
//! them are needed. The active policy with the lowest priority number whose conditions are met is chosen when a bill
//! is submitted, and copied into it: what becomes of the policy later changes no bill that is under way. Deliberately
//! absent: approving, which is the bill's.
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

/// A policy of the app, deleted ones too.
///
/// # Errors
/// `not-found`.
pub fn find(world: &World, scope: Scope, id: ApprovalPolicyId) -> Result<Arc<ApprovalPolicy>, Halt> {
    match world.get::<ApprovalPolicy>(key![scope.org, id])? {
        Some(policy) if policy.app == scope.app => Ok(policy),
        Some(_) | None => Err(Refusal::not_found("approval policy").into()),
    }
}

/// The app's policies that were not deleted, oldest first.
pub fn of_app(world: &World, scope: Scope) -> Result<Vec<Arc<ApprovalPolicy>>, Halt> {
    let mut policies = ever_made(world, scope)?;
    policies.retain(|policy| policy.deleted_at.is_none());
    Ok(policies)
}

/// Every policy that the app ever had.
fn ever_made(world: &World, scope: Scope) -> Result<Vec<Arc<ApprovalPolicy>>, Halt> {
    world.all::<ApprovalPolicy>(ApprovalPolicy::OF_APP, key![scope.org, scope.app])
}

/// Tells of a policy as it is now.
fn emit(world: &mut World, policy: &ApprovalPolicy) -> Result<(), Halt> {
    let (name, object) = (EventName::ApprovalPolicyUpdated, ApprovalPolicyJson::from(policy));
    let scope = Scope { org: policy.org, app: policy.app };
    events::emit(world, scope, NewEvent::of(name, policy.id.0, policy.version, &object))
}
