//! The provider that carries a payout.

use super::model::{PaymentStatus, RailPayment};
use crate::banking::routes::{self, Carries};
use crate::fees::BOOK_CURRENCY;
use crate::ids::{RailProviderId, RailRouteId};
use crate::platform::Platform;
use crate::scope::Scope;
use crate::transfers::Transfer;
use crate::world::{Halt, World};

/// The route to a provider that is in force.
#[derive(Clone, Copy, Debug)]
pub struct ProviderCarrier {
    route: RailRouteId,
    provider: RailProviderId,
}

/// Returns the carrier of a payout by a rail; `None` if no route to a provider is in force.
///
/// # Errors
/// The store's.
pub fn carrier(world: &World, scope: Scope, platform: Platform) -> Result<Option<ProviderCarrier>, Halt> {
    let Some(route) = routes::carrying(world, scope, platform, BOOK_CURRENCY, world.now())? else { return Ok(None) };
    Ok(match route.carries() {
        Some(Carries::Provider(provider)) => Some(ProviderCarrier { route: route.id, provider }),
        Some(Carries::Bank(_)) | None => None,
    })
}

/// Adds the payment of a transfer, which its job hands over.
pub fn hand_over(world: &mut World, carrier: ProviderCarrier, transfer: &Transfer, platform: Platform) {
    let now = world.now();
    world.add(RailPayment {
        org: transfer.org,
        transfer: transfer.id,
        app: transfer.app,
        route: carrier.route,
        provider: carrier.provider,
        platform,
        amount: transfer.arrives,
        status: PaymentStatus::Queued,
        attempts: 0,
        first_attempted_at: None,
        attempted_at: None,
        sealed_order: None,
        reference: None,
        fee: None,
        failure: None,
        doubt: None,
        decision: None,
        look_up: None,
        version: 1,
        created_at: now,
        updated_at: now,
    });
}
