//! Finds and changes the rows, seals and opens the secrets, and records the acts.

use std::sync::Arc;

use secrecy::SecretString;

use super::json::RailProviderJson;
use super::model::RailProvider;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{MemberId, OrgId, RailProviderId};
use crate::platform::Platform;
use crate::rails::providers::{Access, ProviderKind};
use crate::refusal::Refusal;
use crate::vault::{Purpose, SealContext, Tampered, Vault};
use crate::webhooks::signature;
use crate::world::record::key;
use crate::world::{Halt, World};

/// The columns with secrets.
pub const SECRET: &str = "sealed_secret";
pub const NUDGE: &str = "sealed_nudge_secret";

pub fn find(world: &World, org: OrgId, id: RailProviderId) -> Result<Arc<RailProvider>, Halt> {
    let found = world.get::<RailProvider>(key![org, id])?;
    Ok(found.ok_or_else(|| Refusal::not_found("provider"))?)
}

pub(super) fn of_org(world: &World, org: OrgId) -> Result<Vec<Arc<RailProvider>>, Halt> {
    world.all::<RailProvider>(RailProvider::OF_ORG, key![org])
}

/// Returns the rails that providers of a kind may carry.
#[must_use]
pub fn carries(kind: ProviderKind) -> &'static [Platform] {
    match kind {
        ProviderKind::Adapter => &Platform::ALL,
        ProviderKind::Paypal => &[Platform::WalletA, Platform::WalletB],
    }
}

/// Changes a provider, and records the act of the member, if one acts.
pub(super) fn change(
    world: &mut World,
    before: &Arc<RailProvider>,
    kind: ActKind,
    by: Option<MemberId>,
    edit: impl FnOnce(&mut RailProvider),
) -> Result<Arc<RailProvider>, Halt> {
    let after = world.change(before, |provider| {
        edit(provider);
        provider.version += 1;
    });
    let act = NewAct::of(kind, None, after.id).by(by);
    acts::record(world, after.org, act.changing(&RailProviderJson::from(&**before), &RailProviderJson::from(&*after)))?;
    Ok(after)
}

/// Returns the seal context of a secret, which includes the address that receives it.
#[must_use]
pub fn seal_context(provider: &RailProvider, column: &str) -> SealContext {
    SealContext::new(Purpose::Provider, provider.org, "rail_providers", provider.id.0, column)
        .bound_to(provider.kind.as_str())
        .bound_to(&provider.url)
        .bound_to(provider.client_id.as_deref().unwrap_or_default())
}

/// Opens the credentials for a call.
///
/// # Errors
/// [`Tampered`] if another program changed the row.
pub fn access(provider: &RailProvider, vault: &Vault) -> Result<Access, Tampered> {
    let secret = vault.open(&seal_context(provider, SECRET), &provider.sealed_secret)?;
    let secret = SecretString::from(String::from_utf8(secret).map_err(|_| Tampered)?);
    let (kind, url, client_id) = (provider.kind, provider.url.clone(), provider.client_id.clone());
    Ok(Access { kind, url, client_id, secret })
}

/// Opens the secret that signs nudges; `None` if there is none.
///
/// # Errors
/// [`Tampered`] if another program changed the row.
pub fn nudge_secret(provider: &RailProvider, vault: &Vault) -> Result<Option<signature::Secret>, Tampered> {
    let Some(sealed) = &provider.sealed_nudge_secret else { return Ok(None) };
    let secret = vault.open(&seal_context(provider, NUDGE), sealed)?;
    Ok(Some(signature::Secret::from_bytes(secret)))
}
