//! Transfers that wait for the outcome of a prenote. They are in no file.

use std::sync::Arc;

use super::model::{BankEntry, BankFile};
use crate::ids::{OrgId, TransferId};
use crate::transfers::{self, Transfer};
use crate::world::record::key;
use crate::world::{Halt, World};

/// Returns the transfers that wait for a prenote, oldest first.
///
/// # Errors
/// The store's.
pub fn waiting_for(world: &World, org: OrgId, prenote: TransferId) -> Result<Vec<Arc<Transfer>>, Halt> {
    world.all::<Transfer>(Transfer::HELD, key![org, Some(prenote)])
}

/// The file of prenotes has another settlement time: the transfers that wait for them wait until then.
pub(super) fn move_held(world: &mut World, file: &BankFile) -> Result<(), Halt> {
    if file.moves_money() {
        return Ok(());
    }
    let prenotes = world.all::<BankEntry>(BankEntry::OF_FILE, key![file.org, file.id])?;
    let held = world.each(prenotes, |world, prenote| waiting_for(world, prenote.org, prenote.transfer))?;
    let late: Vec<Arc<Transfer>> =
        held.into_iter().flatten().filter(|transfer| transfer.held_until != Some(file.settles_at)).collect();
    world.each(late, |world, transfer| {
        let transfer = world.change(&transfer, |transfer| transfer.held_until = Some(file.settles_at));
        transfers::touch(world, &transfer)
    })?;
    Ok(())
}
