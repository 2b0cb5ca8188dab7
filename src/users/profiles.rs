//! App profiles: the data that each app keeps about a payee, and the connections between apps and payees
//! (docs/decisions.md 17).
//!
//! Invariant: an app reads and writes its own profile only, and a profile's default method is one of that app's
//! methods. Every transition is emitted to the apps that it concerns: a profile's to its app, the payee's to all
//! connected apps. Each log numbers a user's events independently, so that no log reveals what another app did.

use std::sync::Arc;

use super::model::{AppUser, User};
use super::rows::{as_seen, connections, default_payout_method, erase_personal_data, profile_if_connected};
use super::rules;
use super::{json, notices};
use crate::apps;
use crate::caller::CredentialKind;
use crate::clock::Time;
use crate::events::{self, EventName, NewEvent};
use crate::ids::{PayoutMethodId, UserId};
use crate::payout_methods::{self, PayoutMethod};
use crate::program::Environment;
use crate::reason::{Details, Reason};
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::{Document, key};
use crate::world::{Halt, Record, World};

/// The kind of key with which a payee is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    App,
    /// An organization key that acts for the app.
    Organization,
}

impl By {
    #[must_use]
    pub const fn key_of(kind: CredentialKind) -> Self {
        match kind {
            CredentialKind::Organization => Self::Organization,
            CredentialKind::App | CredentialKind::Client | CredentialKind::Member | CredentialKind::None => Self::App,
        }
    }
}

pub fn is_paid_automatically(world: &World, scope: Scope, user: UserId) -> Result<bool, Halt> {
    Ok(profile_if_connected(world, scope, user)?.is_some_and(|profile| profile.auto_payout_enabled))
}

/// Returns the default method if the app's payouts go there without a link: automatic payouts are enabled and not
/// frozen, and the method is older than the app's rest period for new methods.
pub fn automatic_method(
    world: &mut World,
    scope: Scope,
    user: &User,
    environment: Environment,
) -> Result<Option<Arc<PayoutMethod>>, Halt> {
    if user.payouts_frozen_at.is_some() || !is_paid_automatically(world, scope, user.id)? {
        return Ok(None);
    }
    let Some(method) = default_payout_method(world, scope, user.id)? else { return Ok(None) };
    let is_rested = world.now() >= rests_until(world, scope, &method, environment)?;
    Ok(Some(method).filter(|_| is_rested))
}

fn rests_until(world: &mut World, scope: Scope, method: &PayoutMethod, environment: Environment) -> Result<Time, Halt> {
    let rest = apps::find(world, scope)?.settings.0.method_rest_seconds(environment);
    Ok(method.created_at.plus_seconds(rest))
}

/// Rejects, with `invalid-state`, a payout that the payee does not start: while automatic payouts are frozen, or during
/// the rest period of a new method. Cards have no rest period, because they name no account that a thief could have
/// set.
pub fn may_be_paid_without_payee(
    world: &mut World,
    scope: Scope,
    user: &User,
    method: &PayoutMethod,
    environment: Environment,
) -> Result<(), Halt> {
    must_not_be_frozen(user)?;
    let until = rests_until(world, scope, method, environment)?;
    if method.platform.pays_whole_dollars() || world.now() >= until {
        return Ok(());
    }
    let message = format!("The payout method is new and usable from {until}. Pay then, or send a payout link.");
    Err(Refusal::new(Code::InvalidState, message).because(Reason::TooEarly).with(Details::allowed_at(until)).into())
}

/// Rejects, with `invalid-state`, a payout that the payee does not start, while automatic payouts are frozen.
pub fn must_not_be_frozen(user: &User) -> Result<(), Refusal> {
    if user.payouts_frozen_at.is_none() {
        return Ok(());
    }
    let message =
        "The payee has frozen automatic payouts. Send a payout link, or wait until the payee ends the freeze.";
    Err(Refusal::new(Code::InvalidState, message).because(Reason::PayoutsFrozen))
}

/// Changes data of the payee and emits an event to every connected app.
pub fn change(
    world: &mut World,
    user: &Arc<User>,
    event: EventName,
    edit: impl FnOnce(&mut User),
) -> Result<Arc<User>, Halt> {
    let stored = world.get::<User>(key![user.org, user.id])?;
    // The erased view that a disconnected app sees must never be stored.
    if stored.is_none_or(|stored| stored.deleted_at != user.deleted_at) {
        return Err(Refusal::new(Code::UserInactive, "The user is disabled or was deleted.")
            .because(Reason::ObjectDeleted)
            .into());
    }
    let connections = connections(world, user)?;
    let before = user.clone();
    let user = world.change(user, |user| {
        edit(user);
        user.version += 1;
    });
    for profile in &connections {
        announce(world, &user, profile, event, |_| {})?;
    }
    let must_freeze = match connections.first() {
        Some(profile) => notices::of_changes(world, (&before, &user), (profile, profile), None)?,
        None => false,
    };
    if must_freeze { notices::freeze(world, &user) } else { Ok(user) }
}

/// Changes the app's profile and emits an event to this app only.
pub fn change_profile(
    world: &mut World,
    user: &User,
    profile: &Arc<AppUser>,
    event: EventName,
    edit: impl FnOnce(&mut AppUser),
) -> Result<Arc<AppUser>, Halt> {
    let before = profile.clone();
    let profile = announce(world, user, profile, event, edit)?;
    let must_freeze = notices::of_changes(world, (user, user), (&before, &profile), None)?;
    if let Some(stored) = world.get::<User>(key![user.org, user.id])?.filter(|_| must_freeze) {
        notices::freeze(world, &stored)?;
    }
    Ok(profile)
}

/// Changes the payee and the app's profile as one event of this app; other connected apps receive an event if data that
/// they see has changed. Returns the user. Without a change it emits nothing.
pub(super) fn change_both(
    world: &mut World,
    users: (&Arc<User>, User),
    profiles: (&Arc<AppUser>, AppUser),
    event: EventName,
) -> Result<Arc<User>, Halt> {
    change_both_adding(world, users, profiles, event, None)
}

pub(super) fn change_both_adding(
    world: &mut World,
    (user, mut edited): (&Arc<User>, User),
    (profile, edited_profile): (&Arc<AppUser>, AppUser),
    event: EventName,
    added: Option<&PayoutMethod>,
) -> Result<Arc<User>, Halt> {
    if notices::of_changes(world, (user, &edited), (profile, &edited_profile), added)? {
        edited.payouts_frozen_at.get_or_insert(world.now());
    }
    let shown = shows_as(user) != shows_as(&edited);
    if !shown && edited_profile.values() == profile.values() {
        return Ok(note(world, user, edited));
    }
    let user = if shown {
        let others = connections(world, user)?;
        let user = world.change(user, |user| {
            *user = edited;
            user.version += 1;
        });
        for other in others.iter().filter(|other| other.app != profile.app) {
            announce(world, &user, other, EventName::UserUpdated, |_| {})?;
        }
        user
    } else {
        note(world, user, edited)
    };
    announce(world, &user, profile, event, |profile| *profile = edited_profile)?;
    Ok(user)
}

fn note(world: &mut World, user: &Arc<User>, edited: User) -> Arc<User> {
    if edited.values() == user.values() { user.clone() } else { world.change(user, |user| *user = edited) }
}

/// Returns the row without the times of new methods, which no app is shown.
fn shows_as(user: &User) -> crate::world::Row {
    let mut shown = User::clone(user);
    shown.compliance.0.methods_set_up_micros = Vec::new();
    shown.values()
}

/// Emits an event for a user whose own row is unchanged, after a change in dependent rows.
pub fn emit_again(world: &mut World, scope: Scope, user: &User) -> Result<(), Halt> {
    match profile_if_connected(world, scope, user.id)? {
        Some(profile) => announce(world, user, &profile, EventName::UserUpdated, |_| {}).map(|_| ()),
        None => Ok(()),
    }
}

fn announce(
    world: &mut World,
    user: &User,
    profile: &Arc<AppUser>,
    event: EventName,
    edit: impl FnOnce(&mut AppUser),
) -> Result<Arc<AppUser>, Halt> {
    let version = profile.version + 1;
    let profile = world.change(profile, |profile| {
        edit(profile);
        profile.version = version;
    });
    emit(world, &profile, user, event)?;
    Ok(profile)
}

fn emit(world: &mut World, profile: &AppUser, user: &User, event: EventName) -> Result<(), Halt> {
    let scope = Scope { org: profile.org, app: profile.app };
    let object = json(world, scope, user)?;
    events::emit(world, scope, NewEvent::of(event, user.id.0, profile.version, &object))
}

/// Connects the app to the user and emits an event to it. Data of other apps is not copied; an app that reconnects
/// starts with an empty profile.
pub(super) fn connect_app(world: &mut World, scope: Scope, user: &User, metadata: Option<&String>) -> Result<(), Halt> {
    rules::must_be_active(user)?;
    let now = world.now();
    let profile = match world.get::<AppUser>(key![scope.org, scope.app, user.id])? {
        Some(profile) => world.change(&profile, |profile| {
            profile.clear();
            profile.connected_at = now;
            profile.disconnected_at = None;
            profile.metadata = metadata.cloned();
            profile.version += 1;
        }),
        None => world.add(AppUser {
            org: scope.org,
            app: scope.app,
            user_id: user.id,
            connected_at: now,
            disconnected_at: None,
            auto_payout_enabled: false,
            default_payout_method: None,
            metadata: metadata.cloned(),
            payout_options_exclude_list: Document(Vec::new()),
            version: 1,
        }),
    };
    emit(world, &profile, user, EventName::UserUpdated)?;
    apps::count_connected_user(world, scope, 1)
}

/// Disconnects one app: erases its methods of the user, after which it sees an erased user.
pub fn disconnect(world: &mut World, profile: &Arc<AppUser>, user: &Arc<User>) -> Result<Arc<User>, Halt> {
    let scope = Scope { org: profile.org, app: profile.app };
    let methods = world.all::<PayoutMethod>(PayoutMethod::OF_USER, key![scope.org, user.id])?;

    // From here it must succeed.
    for method in methods.iter().filter(|method| method.app == scope.app) {
        payout_methods::erase(world, method);
    }
    let now = world.now();
    let mut ended = AppUser::clone(profile);
    ended.clear();
    ended.disconnected_at = Some(now);
    let seen = as_seen(user.clone(), &ended);
    announce(world, &seen, profile, EventName::UserUpdated, |profile| *profile = ended)?;
    apps::count_connected_user(world, scope, -1)?;
    Ok(seen)
}

/// Erases the user's own rows: the profiles of the connected apps and the user.
pub fn erase(world: &mut World, user: &Arc<User>, connections: &[Arc<AppUser>]) -> Result<Arc<User>, Halt> {
    for profile in connections {
        world.change(profile, AppUser::clear);
    }
    let now = world.now();
    change(world, user, EventName::UserUpdated, |user| {
        erase_personal_data(user);
        user.deleted_at = Some(now);
    })
}

/// Removes a method from its app's profile if it is the default, which ends automatic payouts until another is chosen.
/// Returns whether it was the default.
pub(super) fn forget_default(profile: &mut AppUser, method: PayoutMethodId) {
    if profile.default_payout_method == Some(method) {
        profile.default_payout_method = None;
        profile.auto_payout_enabled = false;
    }
}
