//! Creates or updates an app's compliance information.

use std::sync::Arc;

use super::input::ComplianceInput;
use super::model::{AppCompliance, Compliance};
use crate::apps;
use crate::engine::Command;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::vault::{Purpose, SealContext, Vault};
use crate::world::record::key;
use crate::world::{Halt, World};

/// PUT /v2/apps/{app_id}/compliance
#[derive(Clone, Debug)]
pub struct PutCompliance {
    pub scope: Scope,
    pub sent: ComplianceInput,
    /// Opens the stored data and seals the new data.
    pub vault: Arc<Vault>,
    /// For the seal; must be unique.
    pub nonce: [u8; 24],
}

impl Command for PutCompliance {
    /// Whether it was created, and the masked data.
    type Reply = (bool, Compliance);

    fn decide(&self, world: &mut World) -> Result<Self::Reply, Halt> {
        let Scope { org, app: id } = self.scope;
        let app = apps::find(world, self.scope)?;
        let row = world.get::<AppCompliance>(key![org, id])?;
        let before = read(world, self.scope, &self.vault)?;
        let after = self.sent.merged_into(&before, world.now().date()).map_err(Refusal::fields)?;
        if row.is_some() && after == before {
            // Without a change there is no transition and no event.
            return Ok((false, after.masked()));
        }

        // From here it must succeed.
        let now = world.now();
        let plain = serde_json::to_vec(&after).expect("compliance is plain data, which always serializes");
        let sealed = self.vault.seal(&seal_context(self.scope), &plain, self.nonce);
        match &row {
            Some(row) => {
                world.change(row, |row| {
                    row.sealed = sealed;
                    row.updated_at = now;
                });
            }
            None => {
                world.add(AppCompliance { org, app: id, sealed, created_at: now, updated_at: now });
            }
        }
        apps::touch(world, &app)?;
        Ok((row.is_none(), after.masked()))
    }
}

pub fn seal_context(scope: Scope) -> SealContext {
    SealContext::new(Purpose::TaxId, scope.org, "app_compliance", scope.app.0, "sealed").formerly(scope.app.0)
}

/// Returns the stored data in clear text; empty if there is none.
///
/// # Errors
/// `internal-error` if the sealed data does not open.
pub fn read(world: &World, scope: Scope, vault: &Vault) -> Result<Compliance, Halt> {
    let Some(row) = world.get::<AppCompliance>(key![scope.org, scope.app])? else { return Ok(Compliance::default()) };
    let damaged = || {
        Refusal::new(
            Code::InternalError,
            "The sealed compliance information of an app cannot be \
                                                        decrypted.",
        )
    };
    let plain = vault.open(&seal_context(scope), &row.sealed).map_err(|_| damaged())?;
    Ok(serde_json::from_slice(&plain).map_err(|_| damaged())?)
}

pub fn erase(world: &mut World, scope: Scope) -> Result<(), Halt> {
    if let Some(row) = world.get::<AppCompliance>(key![scope.org, scope.app])? {
        world.remove(&row);
    }
    Ok(())
}
