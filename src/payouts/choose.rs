//! Chooses the rail and the account of a payout for which the app names a rail, or `default`.

use std::sync::Arc;

use super::pay;
use super::quote::Way;
use crate::fees::BOOK_CURRENCY;
use crate::ids::PayoutMethodId;
use crate::payout_methods::{self, MethodOrigin, PayoutMethod};
use crate::platform::Platform;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::users::{self, User};
use crate::world::{Halt, World};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RailRequest {
    /// The rail of the user's default payout method.
    Default,
    Rail(Platform),
}

/// A rail, and the account on it if the user has one.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub platform: Platform,
    /// The account, enabled or not.
    pub method: Option<Arc<PayoutMethod>>,
}

/// Finds the rail and the account among the user's methods with the app: the named account, or else the most recent one
/// on that rail.
///
/// # Errors
/// `user-info-missing` for `default` if the user has none; `invalid-input` at `/account_id` if the rail takes no
/// account or the account is on another; `not-found` for an account that the user does not have.
pub fn choose(
    world: &mut World,
    scope: Scope,
    user: &User,
    asked: RailRequest,
    account: Option<PayoutMethodId>,
) -> Result<Chosen, Halt> {
    let default = match asked {
        RailRequest::Default => Some(default(world, scope, user)?),
        RailRequest::Rail(_) => None,
    };
    let platform = match (asked, &default) {
        (RailRequest::Rail(platform), _) => platform,
        (RailRequest::Default, Some(default)) => default.platform,
        (RailRequest::Default, None) => return Err(no_default().into()),
    };
    let method = match account {
        Some(account) => Some(named(world, scope, user, platform, account)?),
        None if default.is_some() => default,
        None => {
            let methods = payout_methods::of_app(world, scope, user.id)?;
            let usable = |method: &Arc<PayoutMethod>| method.origin != MethodOrigin::Unknown;
            methods.into_iter().rfind(|method| method.platform == platform && usable(method))
        }
    };
    Ok(Chosen { platform, method })
}

fn default(world: &World, scope: Scope, user: &User) -> Result<Arc<PayoutMethod>, Halt> {
    users::default_payout_method(world, scope, user.id)?.ok_or_else(|| no_default().into())
}

fn no_default() -> Refusal {
    let message = "The user has no default payout method. Name a rail, such as ach, as platform, or let the user set up a payout method.";
    Refusal::new(Code::UserInfoMissing, message).because(Reason::AccountMissing)
}

fn named(
    world: &mut World,
    scope: Scope,
    user: &User,
    platform: Platform,
    account: PayoutMethodId,
) -> Result<Arc<PayoutMethod>, Halt> {
    if !matches!(platform, Platform::Ach | Platform::IntlBank | Platform::PushToCard) {
        let message = format!("is supported for ach, intl_bank and push_to_card only, not for {platform}");
        return Err(Refusal::field(Code::InvalidInput, "/account_id", message).into());
    }
    let method = payout_methods::find(world, scope, user.id, account)?;
    if method.platform != platform {
        let message = format!("is a payout method for {}, not for {platform}", method.platform);
        return Err(Refusal::field(Code::InvalidInput, "/account_id", message).into());
    }
    Ok(method)
}

/// Returns the refusal for a rail on which the user has no account.
pub(super) fn no_method(platform: Platform) -> Refusal {
    let message = format!("The user has no payout method for {platform}. Set one up first.");
    Refusal::new(Code::UserInfoMissing, message).because(Reason::AccountMissing)
}

impl Chosen {
    /// Returns the pricing input of a payout to be made: the account must exist, be enabled, and be on a rail that is
    /// open to the user. Cards need no account (docs/decisions.md 16).
    ///
    /// # Errors
    /// `user-info-missing`, `invalid-state`.
    pub fn payable(&self, world: &mut World, scope: Scope, user: &User) -> Result<Way, Halt> {
        users::must_be_active(user)?;
        pay::may_go_by(world, scope, user, self.platform)?;
        match &self.method {
            Some(method) => {
                pay::may_use(method)?;
                Ok(Way::to(method))
            }
            None if self.platform.pays_whole_dollars() => {
                Ok(Way { currency: Some(BOOK_CURRENCY.to_owned()), ..Way::by(self.platform) })
            }
            None => Err(no_method(self.platform).into()),
        }
    }

    /// Returns the pricing input, even if the payout could not be made.
    #[must_use]
    pub fn priced(&self) -> Way {
        self.method.as_deref().map_or_else(|| Way::by(self.platform), Way::to)
    }
}
