//! Releases the money of a payment when its payment hold ends.

use crate::engine::Command;
use crate::ids::TransferId;
use crate::jobs::{self, Leased};
use crate::ledger::{self, postings};
use crate::transfers::{self, Transfer};
use crate::world::record::key;
use crate::world::{Halt, World};

/// Ends the payment hold: the money moves to the app's wallet, unless the bank has taken it back.
#[derive(Clone, Debug)]
pub struct ReleasePayment {
    pub leased: Leased,
    pub transfer: TransferId,
}

impl Command for ReleasePayment {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        jobs::finish(world, &self.leased)?;
        let Some(transfer) = world.get::<Transfer>(key![self.leased.org, self.transfer])? else { return Ok(()) };
        let Some(debit) = transfers::debit(world, &transfer)?.filter(|debit| debit.held) else { return Ok(()) };
        ledger::post(world, &postings::release_payment(transfer.scope(), transfer.id, transfer.arrives))?;

        // From here it must succeed.
        world.change(&debit, |debit| debit.held = false);
        transfers::touch(world, &transfer)
    }
}
