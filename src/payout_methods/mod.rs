//! Payout methods: where a user's money goes.
//!
//! Invariant: what is needed to pay is sealed and never shown; people see its end. A card number is never kept,
//! not even sealed: it is refused where it is recognized. Deliberately absent: the user, of whom this noun knows
//! the id alone, so that a user's JSON can show the default method: who may set one up, and which is the default,
//! stands in `users`.
//!
//! Start at [`read_details`], then [`add`].

mod details;
mod fields;
mod model;
mod read;

pub use details::{AccountType, Details, SealedDetails, Target, UsBank, known_bank};
pub use fields::{FieldSpec, described, fields_of};
pub use model::PayoutMethod;
pub use read::read_details;

use std::sync::Arc;

use crate::ids::{OrgId, PayoutMethodId, UserId};
use crate::refusal::{Code, Refusal};
use crate::world::record::key;
use crate::world::{Halt, World};

/// A user's method, in use or not.
///
/// # Errors
/// `not-found`, also for another user's method.
pub fn find(world: &World, org: OrgId, user: UserId, id: PayoutMethodId) -> Result<Arc<PayoutMethod>, Halt> {
    match world.get::<PayoutMethod>(key![org, id])? {
        Some(method) if method.user_id == user => Ok(method),
        Some(_) | None => Err(Refusal::not_found("payout method").into()),
    }
}

/// A user's methods that are in use, oldest first.
pub fn of_user(world: &mut World, org: OrgId, user: UserId) -> Result<Vec<Arc<PayoutMethod>>, Halt> {
    let mut methods = world.all::<PayoutMethod>(PayoutMethod::OF_USER, key![org, user])?;
    methods.retain(|method| method.in_use);
    Ok(methods)
}

/// Whether another user of the organization is, or was, paid by the same details.
pub fn is_shared(world: &mut World, org: OrgId, user: UserId, details: &SealedDetails) -> Result<bool, Halt> {
    if !details.name_a_place() {
        return Ok(false);
    }
    let same = world.all::<PayoutMethod>(PayoutMethod::BY_FINGERPRINT, key![org, details.fingerprint])?;
    Ok(same.iter().any(|method| method.user_id != user))
}

/// Methods that a user has set up and that are in use, at most: more than anybody is paid by.
pub const METHODS_MAX: usize = 50;

/// Refuses to set up one more where there are many. Whoever holds a link may set methods up, and all of a user's are looked
/// at each time. A card that a payout brings along is not counted here: each payout may bring another.
///
/// # Errors
/// `limit-exceeded` where the user has [`METHODS_MAX`] others in use.
pub fn must_have_room(world: &mut World, org: OrgId, user: UserId, details: &SealedDetails) -> Result<(), Halt> {
    let methods = of_user(world, org, user)?;
    let is_known = methods.iter().any(|method| method.fingerprint == details.fingerprint);
    if is_known || methods.len() < METHODS_MAX {
        return Ok(());
    }
    let message =
        format!("There are {METHODS_MAX} payout methods in use already. Remove one first, or choose one of them.");
    Err(Refusal::new(Code::LimitExceeded, message).into())
}

/// Adds a method, and says whether it is new. The same details given twice are one method: the one that is there is
/// given again.
pub fn add(
    world: &mut World,
    org: OrgId,
    user: UserId,
    details: &SealedDetails,
    metadata: Option<&str>,
) -> Result<(Arc<PayoutMethod>, bool), Halt> {
    let known = of_user(world, org, user)?.into_iter().find(|method| method.fingerprint == details.fingerprint);

    // From here it must succeed.
    if let Some(known) = known {
        let Some(metadata) = metadata else { return Ok((known, false)) };
        let known = world.change(&known, |method| {
            method.metadata = Some(metadata.to_owned());
            method.version += 1;
        });
        return Ok((known, false));
    }
    let (id, created_at) = (world.id(), world.now());
    let details = details.clone();
    let method = world.add(PayoutMethod {
        org,
        id,
        user_id: user,
        platform: details.platform,
        description: details.description,
        mask: details.mask,
        sealed_details: details.sealed,
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
        metadata: metadata.map(str::to_owned),
        in_use: true,
        created_at,
        disabled_at: None,
        disabled_reason: None,
        version: 1,
    });
    Ok((method, true))
}

/// Takes a method out of use: the user removed it (`removed`), or a payout to it failed for good (the failure's code).
/// Payouts under way are not touched.
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

/// Forgets where an erased person was paid (decisions.md 6). The row stays, because payouts name it.
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
