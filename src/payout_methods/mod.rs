//! Payout methods: where a user's money goes.
//!
//! Invariant: what is needed to pay is sealed and never shown; people see its end. Deliberately absent: the
//! user, of whom this noun knows the id alone, so that a user's JSON can show the default method: who may set
//! one up, and which is the default, stands in `users`.

mod model;

pub use model::PayoutMethod;

use std::sync::Arc;

use crate::ids::{OrgId, PayoutMethodId, UserId};
use crate::refusal::Refusal;
use crate::world::record::key;
use crate::world::{Halt, World};

/// A user's method, in use or not.
///
/// # Errors
/// `not-found`, also for another user's method.
pub fn find(world: &mut World, org: OrgId, user: UserId, id: PayoutMethodId) -> Result<Arc<PayoutMethod>, Halt> {
    match world.get::<PayoutMethod>(key![org, id])? {
        Some(method) if method.user_id == user => Ok(method),
        Some(_) | None => Err(Refusal::not_found("payout method").into()),
    }
}

/// A user's methods that are in use, oldest first.
pub fn of_user(world: &mut World, org: OrgId, user: UserId) -> Result<Vec<Arc<PayoutMethod>>, Halt> {
    let mut methods = world.all::<PayoutMethod>(PayoutMethod::OF_USER, key![org, user])?;
    methods.retain(|method| method.disabled_at.is_none());
    Ok(methods)
}
