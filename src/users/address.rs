use super::change;
use super::inputs::Address;
use super::rows::{find, seal_context};
use super::rules;
use crate::engine::Command;
use crate::events::EventName;
use crate::ids::{OrgId, UserId};
use crate::scope::Scope;
use crate::vault::Vault;
use crate::world::{Halt, World};

#[derive(Clone, Debug)]
pub struct SealedAddress {
    pub sealed: Vec<u8>,
    /// Written to `users.country` with the address.
    pub country: String,
}

impl Address {
    /// `nonce` must be unique.
    #[must_use]
    pub fn sealed(&self, vault: &Vault, org: OrgId, user: UserId, nonce: [u8; 24]) -> SealedAddress {
        let plain = serde_json::to_vec(self).expect("addresses are plain data, which always serialize");
        let sealed = vault.seal(&seal_context(org, user, "sealed_address"), &plain, nonce);
        SealedAddress { sealed, country: self.country.clone() }
    }
}

#[derive(Clone, Debug)]
pub struct SetAddress {
    pub scope: Scope,
    pub user: UserId,
    pub address: SealedAddress,
}

impl Command for SetAddress {
    /// Whether this is the user's first address.
    type Reply = bool;

    fn decide(&self, world: &mut World) -> Result<bool, Halt> {
        let user = find(world, self.scope, self.user)?;
        rules::must_be_active(&user)?;

        // From here it must succeed.
        change(world, &user, EventName::UserUpdated, |user| {
            user.sealed_address = Some(self.address.sealed.clone());
            user.country = Some(self.address.country.clone());
        })?;
        Ok(user.sealed_address.is_none())
    }
}
