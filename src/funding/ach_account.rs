//! The bank account for an app's deposits and withdrawals; an app has at most one.

use std::sync::Arc;

use crate::apps;
use crate::bank_accounts::{self, BankAccount, BankAccountJson, SealedAccount};
use crate::engine::Command;
use crate::ledger::wallet_funding;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// PUT /v2/apps/{app_id}/ach-account
///
/// In production, and if the organization limits the app's money, only the organization sets the account. Otherwise a
/// thief with the app's key could withdraw around the limits, or deposit from a stranger's account.
#[derive(Clone, Debug)]
pub struct SetAchAccount {
    pub scope: Scope,
    /// Named after the app if it has no holder name.
    pub account: SealedAccount,
    /// Whether the request has the app's own key.
    pub by_app: bool,
}

impl Command for SetAchAccount {
    type Reply = BankAccountJson;

    fn decide(&self, world: &mut World) -> Result<BankAccountJson, Halt> {
        let scope = self.scope;
        let app = apps::find(world, scope)?;
        if self.by_app && (world.is_live() || app.settings.0.limits_bank_account()) {
            let message = "In production, and if the organization limits this app's outgoing money, an organization key \
                           sets the bank account.";
            return Err(Refusal::new(Code::OrganizationKeyRequired, message).into());
        }
        let before = ach_account(world, scope)?;

        // From here it must succeed.
        let account = bank_accounts::add(world, scope, app.id.0, &self.account.named(&app.name))?;
        let (id, version) = (account.id, account.version);
        if before.as_ref().is_some_and(|before| (before.id, before.version) == (id, version)) {
            // Without a change there is no transition and no event.
            return Ok(BankAccountJson::from(&*account));
        }
        if let Some(before) = before.filter(|before| before.id != id) {
            bank_accounts::disable(world, &before, "replaced");
        }
        apps::touch(world, &app)?;
        // Failed refills may have been caused by the previous account.
        wallet_funding::change(world, scope, |watch| watch.refill_after = None)?;
        Ok(BankAccountJson::from(&*account))
    }
}

pub fn ach_account(world: &World, scope: Scope) -> Result<Option<Arc<BankAccount>>, Halt> {
    Ok(bank_accounts::of_holder(world, scope.org, scope.app.0)?.pop())
}

/// Returns the app's bank account.
///
/// # Errors
/// `user-info-missing` if there is none.
pub fn needed_ach_account(world: &World, scope: Scope) -> Result<Arc<BankAccount>, Halt> {
    let message = "The app has no bank account. Set it with PUT /v2/apps/{app_id}/ach-account.";
    ach_account(world, scope)?
        .ok_or_else(|| Refusal::new(Code::UserInfoMissing, message).because(Reason::AccountMissing).into())
}
