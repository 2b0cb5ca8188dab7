//! A user's payout methods: setting one up, choosing the default, removing one.

use std::sync::Arc;

use super::model::User;
use super::{change, rules, screening, warnings};
use crate::apps;
use crate::events::EventName;
use crate::http::Scope;
use crate::payout_methods::{self, PayoutMethod, SealedDetails};
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::screening::LookedUp;
use crate::world::{Halt, World};

/// A method to set up, and what it is for.
#[derive(Clone, Debug)]
pub struct NewMethod {
    /// What is needed to pay, sealed.
    pub details: SealedDetails,
    /// Whether it becomes the default; when not said, only the first one does.
    pub is_default: Option<bool>,
    /// Whether payouts go to the default at once; stays as it is when not said.
    pub auto_payout_enabled: Option<bool>,
    /// The app's own words about the method.
    pub metadata: Option<String>,
    /// What the sanctions list says of the holder's name; `None` only where the details name no holder.
    pub names: Option<LookedUp>,
}

/// Sets up a payout method for a verified user, from the app's API as well as from the claim page.
///
/// # Errors
/// `user-inactive`; `invalid-state` when the user is not verified (decisions.md 6).
pub fn set_up_payout_method(
    world: &mut World,
    scope: Scope,
    user: &Arc<User>,
    new: &NewMethod,
) -> Result<Arc<PayoutMethod>, Halt> {
    rules::must_be_verified(user)?;
    let had_default = super::default_payout_method(world, user)?.is_some();
    let is_shared = payout_methods::is_shared(world, scope.org, user.id, &new.details)?;
    let (method, is_new) = payout_methods::add(world, scope.org, user.id, &new.details, new.metadata.as_deref())?;

    let mut edited = User::clone(user);
    if is_new {
        look_at_new(world, &mut edited, new, is_shared)?;
    }

    // From here it must succeed.
    if new.is_default.unwrap_or(!had_default) {
        edited.default_payout_method = Some(method.id);
    }
    edited.auto_payout_enabled = new.auto_payout_enabled.unwrap_or(edited.auto_payout_enabled);
    change(world, user, EventName::UserUpdatedPayoutMethod, |user| *user = edited)?;
    Ok(method)
}

/// What a method that was not there before says about its user: whose account it is, and how many there were of late.
/// The holder is screened, because it is the holder who gets the money.
fn look_at_new(world: &mut World, user: &mut User, new: &NewMethod, is_shared: bool) -> Result<(), Halt> {
    let now = world.now();
    if new.details.name_a_place() {
        warnings::count_method(user, now);
    }
    user.compliance.0.flags.payout_method |= is_shared;
    let Some(holder) = &new.details.holder_name else { return Ok(()) };
    let Some(names) = &new.names else {
        return Err(Refusal::new(Code::InternalError, "The holder's name was not looked up.").into());
    };
    user.compliance.0.flags.name_mismatch |= warnings::is_somebody_else(user, holder);
    screening::screen(world, user, holder, names)?;
    Ok(())
}

/// Takes a method out of use: `removed` by the user, or the code of the failure that showed it to be of no use.
/// A user whose default it was has none, and is not paid automatically any more, until another is chosen.
///
/// # Errors
/// None of its own.
pub fn disable_payout_method(
    world: &mut World,
    user: &Arc<User>,
    method: &Arc<PayoutMethod>,
    reason: &str,
) -> Result<Arc<PayoutMethod>, Halt> {
    if !method.in_use {
        return Ok(method.clone());
    }

    // From here it must succeed.
    let method = payout_methods::disable(world, method, reason);
    change(world, user, EventName::UserUpdatedPayoutMethod, |user| {
        if user.default_payout_method == Some(method.id) {
            user.default_payout_method = None;
            user.auto_payout_enabled = false;
        }
    })?;
    Ok(method)
}

/// What a payee says of a method that was set up before: whether it becomes the default, and whether later
/// payouts go to the default unasked.
pub fn prefer_payout_method(
    world: &mut World,
    user: &Arc<User>,
    method: &PayoutMethod,
    is_default: bool,
    auto_payout_enabled: Option<bool>,
) -> Result<Arc<User>, Halt> {
    let default = if is_default { Some(method.id) } else { user.default_payout_method };
    let enabled = auto_payout_enabled.unwrap_or(user.auto_payout_enabled);
    if default == user.default_payout_method && enabled == user.auto_payout_enabled {
        return Ok(user.clone());
    }
    change(world, user, EventName::UserUpdated, |user| {
        user.default_payout_method = default;
        user.auto_payout_enabled = enabled;
    })
}

/// The rails that are open to a user of this app: all fourteen, less those that the app or the user leaves out.
pub fn open_rails(world: &mut World, scope: Scope, user: &User) -> Result<Vec<Platform>, Halt> {
    let app = apps::find(world, scope)?;
    let left_out = |platform: &Platform| {
        app.settings.0.payout_options_exclude_list.contains(platform)
            || user.payout_options_exclude_list.0.contains(platform)
    };
    Ok(Platform::ALL.into_iter().filter(|platform| !left_out(platform)).collect())
}
