use std::sync::Arc;

use super::model::{AppUser, User};
use super::profiles::{change_both_adding, change_profile, forget_default};
use super::rows;
use super::{rules, screening, warnings};
use crate::apps;
use crate::banking::routes;
use crate::clock::DAY_SECONDS;
use crate::events::EventName;
use crate::fees::BOOK_CURRENCY;
use crate::ids::{OrgId, PayoutMethodId, UserId};
use crate::input::wrong;
use crate::payout_methods::{self, CORRECTED, MethodOrigin, PayoutMethod, SealedDetails};
use crate::platform::Platform;
use crate::rails::failures::FailureCode;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::screening::LookedUp;
use crate::world::record::key;
use crate::world::{Halt, World};

/// How long the word of a bank about an account counts, in seconds.
const CLOSED_SECONDS: i64 = 60 * DAY_SECONDS;

/// Refuses an account from which a bank returned a payment within sixty days, if the cause is the account and not the name
/// of its holder: each return counts against the app at its bank.
///
/// # Errors
/// `invalid-state`.
pub fn must_be_usable(world: &World, org: OrgId, user: UserId, details: &SealedDetails) -> Result<(), Halt> {
    let now = world.now();
    let returned = |method: &Arc<PayoutMethod>| {
        let is_recent = method.disabled_at.is_some_and(|at| now < at.plus_seconds(CLOSED_SECONDS));
        let code = method.disabled_reason.as_deref().and_then(FailureCode::from_word);
        code.filter(|code| is_recent && method.fingerprint == details.fingerprint && is_of_number(*code))
    };
    let all = world.all::<PayoutMethod>(PayoutMethod::OF_USER, key![org, user])?;
    let Some(code) = all.iter().find_map(returned) else { return Ok(()) };
    let message = format!("{} Use another account.", code.failure().message);
    Err(Refusal::new(Code::InvalidState, message).because(Reason::AccountReturned).saying(code.said()).into())
}

/// Returns whether a failure is about the account alone.
const fn is_of_number(code: FailureCode) -> bool {
    matches!(code, FailureCode::AccountClosed | FailureCode::InvalidAccountNumber | FailureCode::AccountNotEligible)
}

#[derive(Clone, Debug)]
pub struct NewMethod {
    pub details: SealedDetails,
    /// If `None`, only the user's first method becomes the default.
    pub is_default: Option<bool>,
    /// `None` keeps the present setting.
    pub auto_payout_enabled: Option<bool>,
    pub metadata: Option<String>,
    /// The sanctions list look-up for the holder's name; `None` only if the details name no holder.
    pub names: Option<LookedUp>,
}

/// Sets up a payout method of the app, for the API and the claim page. Rejects with `user-inactive`, and with
/// `invalid-state` if the user is not verified, and with `invalid-input` if the bank of the rail's route needs more fields
/// or a card has no address.
pub fn set_up_payout_method(
    world: &mut World,
    scope: Scope,
    user: &Arc<User>,
    (new, origin): (&NewMethod, MethodOrigin),
) -> Result<Arc<PayoutMethod>, Halt> {
    rules::must_be_verified(user)?;
    if !can_be_delivered(user, new.details.platform, new.details.email.as_deref()) {
        return Err(Refusal::fields(wrong("/email", "is required")).into());
    }
    must_be_complete(world, scope, &new.details)?;
    let profile = rows::profile(world, scope, user.id)?;
    let had_default = rows::default_payout_method(world, scope, user.id)?.is_some();
    let is_shared = payout_methods::is_shared(world, scope.org, user.id, &new.details)?;
    let details = (&new.details, origin);
    let (method, is_new) = payout_methods::add(world, scope, user.id, details, new.metadata.as_deref())?;

    let mut edited = User::clone(user);
    if is_new {
        check_new(world, &mut edited, new, is_shared)?;
    }

    // From here it must succeed.
    let mut preferred = AppUser::clone(&profile);
    if new.is_default.unwrap_or(!had_default) {
        preferred.default_payout_method = Some(method.id);
    }
    preferred.auto_payout_enabled = new.auto_payout_enabled.unwrap_or(preferred.auto_payout_enabled);
    let added = Some(&*method).filter(|_| is_new && new.details.has_location());
    let event = EventName::UserUpdatedPayoutMethod;
    change_both_adding(world, (user, edited), (&profile, preferred), event, added)?;
    Ok(method)
}

/// Returns whether there is an e-mail address for a card, which is delivered by e-mail: its own, or the user's. Other
/// rails deliver to the details themselves.
pub fn can_be_delivered(user: &User, platform: Platform, email: Option<&str>) -> bool {
    !platform.pays_whole_dollars() || email.is_some() || user.email.is_some()
}

/// Refuses details that lack what the bank of the rail's route needs.
fn must_be_complete(world: &World, scope: Scope, details: &SealedDetails) -> Result<(), Halt> {
    if details.gaps.is_empty() || !routes::wants_address(world, scope, details.platform, BOOK_CURRENCY)? {
        return Ok(());
    }
    let message = format!("is required by the bank that sends {} payments", details.platform);
    let missing = details.gaps.iter().flat_map(|gap| wrong(&format!("/{gap}"), message.clone()));
    Err(Refusal::fields(missing.collect()).into())
}

/// Applies the payee's choice of a saved method in a claim: a method of this app, or a method that the payee chose with
/// another app and that `copy` duplicates for this app. Methods that another app added on its own, and guest methods
/// unless `is_chosen` in this session, are rejected.
///
/// Rejects with `not-found`, and as [`set_up_payout_method`] does.
pub fn choose_payout_method(
    world: &mut World,
    scope: Scope,
    user: &Arc<User>,
    (id, copy): (PayoutMethodId, Option<&NewMethod>),
    is_chosen: bool,
) -> Result<Arc<PayoutMethod>, Halt> {
    let saved = payout_methods::paid_to(world, scope.org, user.id, id)?;
    if saved.origin == MethodOrigin::Guest && !is_chosen {
        return Err(Refusal::not_found("payout method").into());
    }
    if !can_be_delivered(user, saved.platform, saved.email.as_deref()) {
        // The user's address was removed since.
        return Err(Refusal::fields(wrong("/email", "is required")).into());
    }
    if saved.app == scope.app {
        let chosen = if saved.in_use { MethodOrigin::Payee } else { saved.origin };
        return Ok(payout_methods::confirm(world, &saved, chosen, None));
    }
    let is_offered = saved.in_use && saved.origin == MethodOrigin::Payee;
    match copy.filter(|copy| is_offered && copy.details.fingerprint == saved.fingerprint) {
        Some(copy) => {
            must_be_usable(world, scope.org, user.id, &copy.details)?;
            payout_methods::must_have_room(world, scope, user.id, &copy.details)?;
            set_up_payout_method(world, scope, user, (copy, MethodOrigin::Payee))
        }
        None => Err(Refusal::not_found("payout method").into()),
    }
}

/// Raises the warnings that a new method causes, and screens the account holder, who receives the money.
fn check_new(world: &mut World, user: &mut User, new: &NewMethod, is_shared: bool) -> Result<(), Halt> {
    let now = world.now();
    if new.details.has_location() {
        warnings::count_method(user, now);
    }
    user.compliance.0.flags.payout_method |= is_shared;
    let Some(holder) = &new.details.holder_name else { return Ok(()) };
    let Some(names) = &new.names else {
        return Err(Refusal::new(Code::InternalError, "The holder's name was not looked up.").into());
    };
    user.compliance.0.flags.name_mismatch |= warnings::is_another_person(user, holder);
    screening::screen(world, user, holder, names)?;
    Ok(())
}

/// Disables a method of the app. `reason` is `removed`, or the error code of a failed payout. If it was the default,
/// the user has no default and no automatic payouts until another is chosen.
pub fn disable_payout_method(
    world: &mut World,
    scope: Scope,
    user: &User,
    method: &Arc<PayoutMethod>,
    reason: &str,
) -> Result<Arc<PayoutMethod>, Halt> {
    // An old transfer may name another app's method for the same account, from before methods belonged to apps.
    let own = if method.app == scope.app {
        Some(method.clone())
    } else {
        let methods = payout_methods::of_app(world, scope, user.id)?;
        methods.into_iter().find(|own| own.fingerprint == method.fingerprint)
    };
    let Some(method) = own.filter(|own| own.in_use) else { return Ok(method.clone()) };

    // From here it must succeed.
    let method = payout_methods::disable(world, &method, reason);
    if let Some(profile) = rows::profile_if_connected(world, scope, user.id)? {
        change_profile(world, user, &profile, EventName::UserUpdatedPayoutMethod, |profile| {
            forget_default(profile, method.id);
        })?;
    }
    Ok(method)
}

/// Replaces the numbers of an account with those that its bank reported: adds a method with them, which becomes the
/// default if the old one was, and disables the old one. Returns the new method.
pub fn correct_payout_method(
    world: &mut World,
    scope: Scope,
    user: &User,
    method: &Arc<PayoutMethod>,
    details: &SealedDetails,
) -> Result<Arc<PayoutMethod>, Halt> {
    let corrected = (details, method.origin);
    let (new, _) = payout_methods::add(world, scope, user.id, corrected, method.metadata.as_deref())?;
    payout_methods::disable(world, method, CORRECTED);
    if let Some(profile) = rows::profile_if_connected(world, scope, user.id)? {
        change_profile(world, user, &profile, EventName::UserUpdatedPayoutMethod, |profile| {
            if profile.default_payout_method == Some(method.id) {
                profile.default_payout_method = Some(new.id);
            }
        })?;
    }
    Ok(new)
}

pub fn prefer_payout_method(
    world: &mut World,
    scope: Scope,
    user: &User,
    method: &PayoutMethod,
    (is_default, auto_payout_enabled): (bool, Option<bool>),
) -> Result<(), Halt> {
    let profile = rows::profile(world, scope, user.id)?;
    let default = if is_default { Some(method.id) } else { profile.default_payout_method };
    let enabled = auto_payout_enabled.unwrap_or(profile.auto_payout_enabled);
    if default == profile.default_payout_method && enabled == profile.auto_payout_enabled {
        return Ok(());
    }
    change_profile(world, user, &profile, EventName::UserUpdated, |profile| {
        profile.default_payout_method = default;
        profile.auto_payout_enabled = enabled;
    })?;
    Ok(())
}

/// Returns the rails that are available to a user of this app: all 14 except those that the app excludes, for all users
/// or for this one, and those that are not connected.
pub fn open_rails(world: &mut World, scope: Scope, user: &User) -> Result<Vec<Platform>, Halt> {
    let app = apps::find(world, scope)?;
    let profile = rows::profile_if_connected(world, scope, user.id)?;
    let left_out = |platform: &Platform| {
        app.settings.0.payout_options_exclude_list.contains(platform)
            || profile.as_ref().is_some_and(|profile| profile.payout_options_exclude_list.0.contains(platform))
    };
    let open: Vec<Platform> = Platform::ALL.into_iter().filter(|platform| !left_out(platform)).collect();
    let connected = world.each(open, |world, rail| Ok((rail, routes::is_connected(world, scope, rail)?)))?;
    Ok(connected.into_iter().filter(|(_, is_connected)| *is_connected).map(|(rail, _)| rail).collect())
}
