//! Under which layout and master key the seals of an organization are.

use crate::clock::Time;
use crate::ids::OrgId;
use crate::vault::{Purpose, Vault};
use crate::world::record::record;

/// The layout that this program seals in.
pub const LAYOUT: i64 = 2;

record! {
    /// All seals of the organization are in this layout and under this key.
    pub struct SealState in "seal_states" {
        key (org);
        /// The organization.
        pub org: OrgId,
        /// The layout.
        pub layout: i64,
        /// The id of the master key.
        pub key_id: i64,
        /// A keyed hash of the row: only this program writes it.
        pub proof: Vec<u8>,
        /// When the last seal was rewritten.
        pub updated_at: Time,
    }
}

impl SealState {
    /// The state that holds now.
    pub fn new(vault: &Vault, org: OrgId, key: u16, now: Time) -> Self {
        let key_id = i64::from(key);
        Self { org, layout: LAYOUT, key_id, proof: proof(vault, org, LAYOUT, key_id), updated_at: now }
    }

    /// Whether this program wrote the row, for this layout.
    pub fn holds(&self, vault: &Vault) -> bool {
        self.layout == LAYOUT && proof(vault, self.org, self.layout, self.key_id) == self.proof
    }
}

fn proof(vault: &Vault, org: OrgId, layout: i64, key: i64) -> Vec<u8> {
    let parts = [org.0.as_bytes().as_slice(), &layout.to_be_bytes(), &key.to_be_bytes()];
    vault.keyed_hash(Purpose::Seals, &parts).to_vec()
}
