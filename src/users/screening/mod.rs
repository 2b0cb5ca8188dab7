//! Screening of users, and the reviews that follow (docs/decisions.md 6, 13).
//!
//! A name is screened in the commit that stores or changes it; the command carries the look-up ([`LookedUp`]). This
//! covers users' names, payees' names on links, names on tax forms and account holders' names. All users are screened
//! again when the list changes. A match puts the user under review: nothing is paid out until an administrator clears
//! or confirms it. A decided pair of names is not reported again. A bank that returns a payment because of sanctions, or
//! as questionable, starts the same review.
//!
//! Invariant: only a person's decision ends a review, with its author, time and reason. The crate's module `screening`
//! compares names.

mod json;
mod model;
mod run;
mod review;

pub use json::{ScreeningHitJson, ScreeningJson, ScreeningRunJson, document, run_of};
pub use model::{EntryDetails, HitStatus, ScreeningHit, ScreeningRun};
pub use review::{DecideScreening, Decision};
pub use run::{BeginScreening, ScreenUsers, next_users};

use std::sync::Arc;

use super::model::{OfacStatus, User};
use super::rules::{self, UserEvent};
use super::{change, find_in_organization, must_be_active};
use crate::events::EventName;
use crate::ids::{OrgId, UserId};
use crate::screening::{FoldedName, Hit, LookedUp};
use crate::world::record::{Document, key};
use crate::world::{Halt, World};

/// Screens a name and puts the user under review on a new match. The caller writes the user's row.
pub fn screen(world: &mut World, user: &mut User, name: &str, names: &LookedUp) -> Result<bool, Halt> {
    let hits = names.hits(name);
    if hits.is_empty() {
        return Ok(false);
    }
    let folded = FoldedName::of(name);
    let known = world.all::<ScreeningHit>(ScreeningHit::OF_USER, key![user.org, user.id])?;
    let new: Vec<Hit> =
        hits.into_iter().filter(|hit| !known.iter().any(|known| known.is_about(&folded, hit))).collect();
    if new.is_empty() {
        return Ok(false);
    }
    for hit in new {
        write_down(world, user, name, names, hit);
    }
    user.compliance.0.flags.ofac = true;
    user.compliance.0.flags.ofac_status = OfacStatus::InReview;
    user.status = rules::status_after(user.status, UserEvent::Flag);
    Ok(true)
}

fn write_down(world: &mut World, user: &User, name: &str, names: &LookedUp, hit: Hit) {
    let (id, created_at) = (world.id(), world.now());
    let Hit { entry, listed_name, name_kind, score, comparison } = hit;
    let details = EntryDetails {
        program: entry.program.clone(),
        title: entry.title.clone(),
        remarks: entry.remarks.clone(),
        addresses: entry.addresses.clone(),
    };
    world.add(ScreeningHit {
        org: user.org,
        id,
        user_id: user.id,
        list_hash: names.version().hash.clone(),
        entry: entry.number,
        listed_name,
        name_kind,
        details: Document(details),
        score,
        screened_name: Some(name.to_owned()),
        comparison: Some(Document(comparison)),
        status: HitStatus::Open,
        decided_by: None,
        comment: None,
        decided_at: None,
        created_at,
    });
}

/// Screens a name that others report for the user, such as the payee's on a link, without storing it as the user's.
/// Rejects with `user-inactive`.
pub fn screen_another_name(
    world: &mut World,
    user: &Arc<User>,
    name: &str,
    names: &LookedUp,
) -> Result<Arc<User>, Halt> {
    must_be_active(user)?;
    let mut screened = User::clone(user);
    if !screen(world, &mut screened, name, names)? {
        return Ok(user.clone());
    }
    change(world, user, EventName::UserUpdated, |user| *user = screened)
}

/// Why a bank's return puts a user under review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suspicion {
    Sanctions,
    Fraud,
}

/// Puts the user of a returned payment under review. A user who is disabled or erased is not paid anyway.
pub fn suspect(world: &mut World, org: OrgId, user: UserId, suspicion: Suspicion) -> Result<(), Halt> {
    let user = find_in_organization(world, org, user)?;
    let status = rules::status_after(user.status, UserEvent::Flag);
    let is_known = user.status == status && (user.compliance.0.flags.ofac || suspicion == Suspicion::Fraud);
    if user.deleted_at.is_some() || must_be_active(&user).is_err() || is_known {
        return Ok(());
    }
    change(world, &user, EventName::UserUpdated, |user| {
        user.status = status;
        let flags = &mut user.compliance.0.flags;
        if suspicion == Suspicion::Sanctions {
            (flags.ofac, flags.ofac_status) = (true, OfacStatus::InReview);
        }
    })?;
    Ok(())
}

/// Erases the person from the hits; the hits and the decisions remain.
pub fn erase(world: &mut World, user: &User) -> Result<(), Halt> {
    for hit in world.all::<ScreeningHit>(ScreeningHit::OF_USER, key![user.org, user.id])? {
        world.change(&hit, |hit| {
            hit.screened_name = None;
            hit.comparison = None;
        });
    }
    Ok(())
}
