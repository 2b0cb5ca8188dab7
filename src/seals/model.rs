use crate::clock::Time;
use crate::ids::OrgId;
use crate::vault::{Purpose, Vault};
use crate::world::record::record;

/// The layout of new seals.
pub const LAYOUT: i64 = 2;

record! {
    /// The layout and the key of all seals of an organization.
    pub struct SealState in "seal_states" {
        key (org);
        pub org: OrgId,
        pub layout: i64,
        pub key_id: i64,
        /// A keyed hash of the row, which only this program can compute.
        pub proof: Vec<u8>,
        /// When the last seal was rewritten.
        pub updated_at: Time,
    }
}

impl SealState {
    pub fn new(vault: &Vault, org: OrgId, key: u16, now: Time) -> Self {
        let key_id = i64::from(key);
        Self { org, layout: LAYOUT, key_id, proof: proof(vault, org, LAYOUT, key_id), updated_at: now }
    }

    /// Returns whether this program wrote the row, for this layout.
    pub fn holds(&self, vault: &Vault) -> bool {
        self.layout == LAYOUT && proof(vault, self.org, self.layout, self.key_id) == self.proof
    }
}

fn proof(vault: &Vault, org: OrgId, layout: i64, key: i64) -> Vec<u8> {
    let parts = [org.0.as_bytes().as_slice(), &layout.to_be_bytes(), &key.to_be_bytes()];
    vault.keyed_hash(Purpose::Seals, &parts).to_vec()
}
