//! Opens the history of a store, once.

use zeroize::Zeroizing;

use super::carry_over;
use super::error::HistoryError;
use crate::chain::{ChainKey, HistoryKeys};
use crate::clock::{Clock, Time};
use crate::engine::{Command, Executor};
use crate::ids::{OrgId, Seeds};
use crate::store::{Reads, Store};
use crate::vault::{Purpose, Vault};
use crate::world::record::{Cell as _, key, record};
use crate::world::{Halt, Record as _, Want, World};

record! {
    /// Marks that the whole history of this store is chained under its key. One row without an organization.
    pub struct HistoryBegin in "history_begins" {
        key (org);
        /// All zeroes.
        pub org: OrgId,
        /// Computed with the chain key, so that a manipulated store cannot skip the migration.
        pub proof: Vec<u8>,
        pub created_at: Time,
    }
}

const STORE: OrgId = OrgId(uuid::Uuid::nil());

/// Derives the history's keys from a vault.
#[must_use]
pub fn keys(vault: &Vault) -> HistoryKeys {
    HistoryKeys::of_seed(&Zeroizing::new(vault.keyed_hash(Purpose::History, &[b"seed"])))
}

/// Returns the proof that a history is chained under this key.
#[must_use]
pub fn proof(chain: &ChainKey) -> Vec<u8> {
    chain.begin("history").end()
}

/// Returns whether the store's whole history is chained under this key.
pub fn is_begun(reads: &Reads, chain: &ChainKey) -> Result<bool, HistoryError> {
    let found = reads.load(&[Want::row::<HistoryBegin>(key![STORE])])?;
    let Some(row) = found.into_iter().flatten().next() else { return Ok(false) };
    let position = HistoryBegin::TABLE.position("proof").unwrap_or(0);
    if row.get(position) == Some(&proof(chain).to_value()) { Ok(true) } else { Err(HistoryError::ForeignKey) }
}

/// Migrates an older history once, and returns the store with its whole history chained under these keys. Blocks, so it
/// must not be called from async code.
pub fn open(store: Store, reads: &Reads, keys: &HistoryKeys, clock: &Clock) -> Result<Store, HistoryError> {
    if is_begun(reads, &keys.chain)? {
        return Ok(store);
    }
    let mut executor = Executor::new(store, clock.clone(), Seeds::System);
    carry_over::run(&mut executor, reads, &keys.chain)?;
    executor.run_one(STORE, Begin { proof: proof(&keys.chain) })?;
    Ok(executor.into_store())
}

struct Begin {
    proof: Vec<u8>,
}

impl Command for Begin {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        if world.get::<HistoryBegin>(key![STORE])?.is_none() {
            let created_at = world.now();
            world.add(HistoryBegin { org: STORE, proof: self.proof.clone(), created_at });
        }
        Ok(())
    }
}
