//! How movements of ach other than payouts travel: in a file for a bank, or simulated in the sandbox.

use std::sync::Arc;

use super::carrier::{Carrier, carrier_from, carrier_to};
use super::classes::class_of_own;
use super::prenotes::join;
use crate::bank_accounts::{BankAccount, HolderType};
use crate::banking::originators::EntryClass;
use crate::banking::routes;
use crate::jobs::{self, Work};
use crate::money::Cents;
use crate::platform::Platform;
use crate::scope::Scope;
use crate::transfers::Transfer;
use crate::world::{Halt, World};

/// How a movement travels.
#[derive(Clone, Debug)]
pub enum Way {
    File(Carrier),
    /// In the sandbox only.
    Simulated,
}

impl Way {
    /// Requires that the account is validated, also if the originator does not.
    pub fn must_validate(&mut self) {
        match self {
            Self::File(carrier) => carrier.validates = true,
            Self::Simulated => {}
        }
    }
}

/// Returns the way of a bill or a withdrawal (`what`, for the message) to the bank account of a vendor or an app.
///
/// # Errors
/// Those of [`carrier`](super::carrier()); `rail-not-connected` without a route to a bank, except in the sandbox.
pub fn way_to(
    world: &World,
    scope: Scope,
    account: &BankAccount,
    amount: Cents,
    what: &'static str,
) -> Result<Way, Halt> {
    by(world, carrier_to(world, scope, account.held_by(HolderType::Company), amount)?, what)
}

/// Returns the way of a debit of a class. `what` is for the message.
///
/// # Errors
/// Those of [`carrier_from`]; `rail-not-connected` without a route to a bank that collects, except in the sandbox.
pub fn way_from(
    world: &World,
    scope: Scope,
    class: EntryClass,
    amount: Cents,
    what: &'static str,
) -> Result<Way, Halt> {
    by(world, carrier_from(world, scope, class, amount)?, what)
}

/// Without a carrier the sandbox simulates the movement, and production refuses it.
fn by(world: &World, carrier: Option<Carrier>, what: &'static str) -> Result<Way, Halt> {
    if let Some(carrier) = carrier {
        return Ok(Way::File(carrier));
    }
    routes::must_be_simulated(world, Platform::Ach, what)?;
    Ok(Way::Simulated)
}

/// Returns the way of a debit of an app's own bank account.
///
/// # Errors
/// Those of [`way_from`].
pub fn way_from_own(
    world: &World,
    scope: Scope,
    account: &BankAccount,
    amount: Cents,
    what: &'static str,
) -> Result<Way, Halt> {
    way_from(world, scope, class_of_own(account.held_by(HolderType::Company)), amount, what)
}

/// Adds a transfer to the file of its way, or queues the job of the simulated rail. `name` is the holder's of the account
/// at its other end.
///
/// # Errors
/// Those of [`join`].
pub fn hand_over(world: &mut World, way: &Way, transfer: Arc<Transfer>, name: &str) -> Result<Arc<Transfer>, Halt> {
    match way {
        Way::File(carrier) => join(world, carrier, &transfer, name),
        Way::Simulated => {
            jobs::enqueue(world, transfer.org, Work::SubmitTransfer { transfer: transfer.id.0 });
            Ok(transfer)
        }
    }
}
