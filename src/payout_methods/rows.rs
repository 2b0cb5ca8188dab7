//! Finds and changes the rows.

use std::sync::Arc;

use super::details::{SealedDetails, seal_context};
use super::model::{MethodOrigin, PayoutMethod, Validation};
use crate::ids::{OrgId, PayoutMethodId, UserId};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

/// Returns a method of the app and user, also a disabled one.
///
/// # Errors
/// `not-found`, also for methods of another user, another app or a guest.
pub fn find(world: &World, scope: Scope, user: UserId, id: PayoutMethodId) -> Result<Arc<PayoutMethod>, Halt> {
    let method = paid_to(world, scope.org, user, id)?;
    let is_usable = method.app == scope.app && method.origin != MethodOrigin::Guest;
    if is_usable { Ok(method) } else { Err(Refusal::not_found("payout method").into()) }
}

/// Returns the method of a transfer. Use it only for ids from stored rows or the payee's choice: transfers from before
/// methods belonged to apps may name another app's method.
///
/// # Errors
/// `not-found`, also for another user's method.
pub fn paid_to(world: &World, org: OrgId, user: UserId, id: PayoutMethodId) -> Result<Arc<PayoutMethod>, Halt> {
    match world.get::<PayoutMethod>(key![org, id])? {
        Some(method) if method.user_id == user => Ok(method),
        Some(_) | None => Err(Refusal::not_found("payout method").into()),
    }
}

/// Returns the app's enabled methods of a user, oldest first, without guests' methods.
pub fn of_app(world: &mut World, scope: Scope, user: UserId) -> Result<Vec<Arc<PayoutMethod>>, Halt> {
    let mut methods = with_guests(world, scope, user)?;
    methods.retain(|method| method.origin != MethodOrigin::Guest);
    Ok(methods)
}

/// Same as [`of_app`], with guests' methods.
fn with_guests(world: &mut World, scope: Scope, user: UserId) -> Result<Vec<Arc<PayoutMethod>>, Halt> {
    let mut methods = of_payee(world, scope.org, user)?;
    methods.retain(|method| method.app == scope.app);
    Ok(methods)
}

/// Returns a user's enabled methods with all apps, oldest first. Never show them to an app.
pub fn of_payee(world: &mut World, org: OrgId, user: UserId) -> Result<Vec<Arc<PayoutMethod>>, Halt> {
    let mut methods = world.all::<PayoutMethod>(PayoutMethod::OF_USER, key![org, user])?;
    methods.retain(|method| method.in_use);
    Ok(methods)
}

/// Returns the methods that a payee may choose in a claim: those of the app, and those that the payee chose in claims
/// of other apps. Methods that another app added are excluded, and a guest's method is offered only if it is already
/// `chosen`.
pub fn offered(
    world: &mut World,
    scope: Scope,
    user: UserId,
    chosen: Option<PayoutMethodId>,
) -> Result<Vec<Arc<PayoutMethod>>, Halt> {
    let all = of_payee(world, scope.org, user)?;
    let is_own = |method: &&Arc<PayoutMethod>| {
        method.app == scope.app && (method.origin != MethodOrigin::Guest || chosen == Some(method.id))
    };
    let mut offered: Vec<Arc<PayoutMethod>> = all.iter().filter(is_own).cloned().collect();
    for method in all.iter().filter(|method| method.app != scope.app && method.origin == MethodOrigin::Payee) {
        if offered.iter().all(|known| known.fingerprint != method.fingerprint) {
            offered.push(method.clone());
        }
    }
    Ok(offered)
}

/// Returns whether another user of the organization has or had the same details.
pub fn is_shared(world: &mut World, org: OrgId, user: UserId, details: &SealedDetails) -> Result<bool, Halt> {
    if !details.has_location() {
        return Ok(false);
    }
    let same = world.all::<PayoutMethod>(PayoutMethod::BY_FINGERPRINT, key![org, details.fingerprint])?;
    Ok(same.iter().any(|method| method.user_id != user))
}

/// Maximum number of enabled methods per user and app.
pub const METHODS_MAX: usize = 50;

/// Refuses another method at the limit, because link holders can add methods and every read lists them all. The card of
/// a payout is exempt: each payout may add one.
///
/// # Errors
/// `limit-exceeded` if the user has [`METHODS_MAX`] other enabled methods.
pub fn must_have_room(world: &mut World, scope: Scope, user: UserId, details: &SealedDetails) -> Result<(), Halt> {
    let methods = with_guests(world, scope, user)?;
    let is_known = methods.iter().any(|method| method.fingerprint == details.fingerprint);
    if is_known || methods.len() < METHODS_MAX {
        return Ok(());
    }
    let message =
        format!("{METHODS_MAX} payout methods are in use, which is the limit. Remove one first, or use one of them.");
    Err(Refusal::over_limit("payout_methods", METHODS_MAX, message).into())
}

/// Adds a method to an app; returns it and whether it is new. Equal details are one method per app; other apps have no
/// influence.
pub fn add(
    world: &mut World,
    scope: Scope,
    user: UserId,
    (details, origin): (&SealedDetails, MethodOrigin),
    metadata: Option<&str>,
) -> Result<(Arc<PayoutMethod>, bool), Halt> {
    let mut known = of_app(world, scope, user)?;
    if origin == MethodOrigin::Guest {
        known.extend(with_guests(world, scope, user)?);
    }
    let known = known.into_iter().find(|method| method.fingerprint == details.fingerprint);

    // From here it must succeed.
    if let Some(known) = known {
        return Ok((confirm(world, &known, origin, metadata), false));
    }
    let (id, created_at) = (world.id(), world.now());
    let details = details.clone();
    let method = PayoutMethod {
        org: scope.org,
        id,
        user_id: user,
        app: scope.app,
        origin,
        platform: details.platform,
        description: details.description,
        mask: details.mask,
        sealed_details: Vec::new(),
        fingerprint: details.fingerprint,
        bank_name: details.bank_name,
        routing_number: details.routing_number,
        email: details.email,
        phone_number: details.phone_number,
        cash_tag: details.cash_tag,
        handle: details.handle,
        holder_name: details.holder_name,
        country: details.country,
        currency: details.currency,
        rtp_enabled: details.rtp_enabled,
        addressed: details.gaps.is_empty(),
        metadata: metadata.map(str::to_owned),
        in_use: true,
        created_at,
        disabled_at: None,
        disabled_reason: None,
        validated_at: None,
        validation: None,
        version: 1,
    };
    let sealed_details = details.secret.seal(&seal_context(&method));
    Ok((world.add(PayoutMethod { sealed_details, ..method }), true))
}

/// Records that a method was given or chosen again. The payee's choice remains the origin, and a guest changes nothing.
pub fn confirm(
    world: &mut World,
    method: &Arc<PayoutMethod>,
    origin: MethodOrigin,
    metadata: Option<&str>,
) -> Arc<PayoutMethod> {
    let stays = [method.origin, origin].contains(&MethodOrigin::Guest) || method.origin == MethodOrigin::Payee;
    let origin = if stays { method.origin } else { origin };
    if origin == method.origin && metadata.is_none() {
        return method.clone();
    }
    world.change(method, |method| {
        method.origin = origin;
        method.metadata = metadata.map(str::to_owned).or(method.metadata.take());
        method.version += 1;
    })
}

/// Disables a method. The reason is `removed` (by the user) or the code of a permanent payout failure. Payouts in
/// progress are unaffected.
pub fn disable(world: &mut World, method: &Arc<PayoutMethod>, reason: &str) -> Arc<PayoutMethod> {
    if !method.in_use {
        return method.clone();
    }
    let now = world.now();
    world.change(method, |method| {
        method.in_use = false;
        method.disabled_at = Some(now);
        method.disabled_reason = Some(reason.to_owned());
        method.version += 1;
    })
}

/// Records what validates the account of a method, or that nothing does. A validated account stays validated as it is.
pub fn validate(world: &mut World, method: &Arc<PayoutMethod>, validation: Option<Validation>) {
    if validation.is_some() == method.validation.is_some() {
        return;
    }
    let now = world.now();
    world.change(method, |method| {
        method.validated_at = validation.map(|_| now);
        method.validation = validation;
        method.version += 1;
    });
}

/// Erases the details of an erased payee (docs/decisions.md 6). The row remains, because payouts refer to it.
pub fn erase(world: &mut World, method: &Arc<PayoutMethod>) {
    let method = disable(world, method, "erased");
    world.change(&method, |method| {
        method.sealed_details = Vec::new();
        method.fingerprint = Vec::new();
        method.description = method.platform.display_name().to_owned();
        method.mask = None;
        method.email = None;
        method.phone_number = None;
        method.cash_tag = None;
        method.handle = None;
        method.holder_name = None;
        method.metadata = None;
    });
}
