//! Which rails are connected to a bank or a provider.
//!
//! In the sandbox every rail is: one without a route is simulated.

use super::rows::carrying;
use crate::fees::BOOK_CURRENCY;
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// Returns whether payouts of an app by a rail leave.
///
/// # Errors
/// The store's.
pub fn is_connected(world: &World, scope: Scope, platform: Platform) -> Result<bool, Halt> {
    if !world.is_live() {
        return Ok(true);
    }
    Ok(carrying(world, scope, platform, BOOK_CURRENCY, world.now())?.is_some())
}

/// Returns whether an ach payout may go by rtp. Money that a bank carries must not go by a simulated rail.
///
/// # Errors
/// The store's.
pub fn is_rtp_connected(world: &World, scope: Scope) -> Result<bool, Halt> {
    let carries = |platform| carrying(world, scope, platform, BOOK_CURRENCY, world.now());
    Ok(carries(Platform::Rtp)?.is_some() || (!world.is_live() && carries(Platform::Ach)?.is_none()))
}

/// Refuses payouts by a rail that no route connects for the app.
///
/// # Errors
/// `rail-not-connected`.
pub fn must_be_connected(world: &World, scope: Scope, platform: Platform) -> Result<(), Halt> {
    if is_connected(world, scope, platform)? {
        return Ok(());
    }
    let message = format!(
        "No route connects the rail {platform} to a bank or a provider. Choose a rail of the payout options, or let an \
         admin add a route."
    );
    Err(Refusal::new(Code::RailNotConnected, message).into())
}

/// Refuses a movement that no route to a bank carries.
///
/// # Errors
/// `rail-not-connected`.
pub fn must_be_simulated(world: &World, platform: Platform, what: &str) -> Result<(), Refusal> {
    if !world.is_live() {
        return Ok(());
    }
    let message = format!(
        "No route of the rail {platform} to a bank carries {what}. Let an admin add a route to a bank connection."
    );
    Err(Refusal::new(Code::RailNotConnected, message))
}
