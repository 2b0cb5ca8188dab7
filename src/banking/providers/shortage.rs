//! Whether the balance at a provider covers payments.

use std::sync::Arc;

use super::model::RailProvider;
use super::rows;
use crate::events::acts::ActKind;
use crate::world::{Halt, World};

/// Records that a provider's balance is too low; returns whether that is new.
///
/// # Errors
/// The store's.
pub fn short_of_funds(world: &mut World, provider: &Arc<RailProvider>) -> Result<bool, Halt> {
    if provider.short_since.is_some() {
        return Ok(false);
    }
    let now = world.now();
    rows::change(world, provider, ActKind::RailProviderShort, None, |provider| provider.short_since = Some(now))?;
    Ok(true)
}

/// Records that a provider took a payment, so its balance is not too low any more.
///
/// # Errors
/// The store's.
pub fn has_funds(world: &mut World, provider: &Arc<RailProvider>) -> Result<(), Halt> {
    if provider.short_since.is_some() {
        rows::change(world, provider, ActKind::RailProviderFunded, None, |provider| provider.short_since = None)?;
    }
    Ok(())
}
