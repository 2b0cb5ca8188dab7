//! What carries a payout: a file for a bank, a provider behind HTTP, or a simulated rail of the sandbox.

use crate::bank_files;
use crate::banking::routes;
use crate::money::Cents;
use crate::payout_methods::PayoutMethod;
use crate::platform::Platform;
use crate::rail_payments::{self, ProviderCarrier};
use crate::scope::Scope;
use crate::world::{Halt, World};

#[derive(Clone, Debug)]
pub(super) enum Carrier {
    File(bank_files::Carrier),
    Provider(ProviderCarrier, Platform),
    /// In the sandbox only.
    Simulated,
}

impl Carrier {
    /// Returns the carrier of a payout of this amount.
    ///
    /// # Errors
    /// Those of [`bank_files::carrier`]; `rail-not-connected` without a route, except in the sandbox.
    pub fn of(
        world: &mut World,
        scope: Scope,
        platform: Platform,
        method: &PayoutMethod,
        amount: Cents,
    ) -> Result<Self, Halt> {
        if let Some(carrier) = bank_files::carrier(world, scope, platform, method, amount)? {
            return Ok(Self::File(carrier));
        }
        if let Some(carrier) = rail_payments::carrier(world, scope, platform)? {
            return Ok(Self::Provider(carrier, platform));
        }
        routes::must_be_connected(world, scope, platform)?;
        Ok(Self::Simulated)
    }
}
