//! The rules for changing a payee's contact data, and for the contacts at which an app may reach a payee
//! (docs/decisions.md 17).
//!
//! | contact data | changed by |
//! |---|---|
//! | missing | any connected app |
//! | not verified | the app that wrote it; the organization |
//! | verified, or written by the payee | the payee, with a code on both sides (`contact_change.rs`); the organization, which makes it unverified |
//! | name, date of birth, tax form, amounts of tax years of a verified payee | the only connected app; the payee; the organization |
//!
//! Invariant: an app reaches a payee only at contact data that is verified, that the app, the payee or the organization
//! wrote, or that existed when the app was connected. So no app redirects the links and notices of another app.

use super::model::{AppUser, User};
use super::profiles::By;
use super::rows::{by_phone, connections, profile_if_connected};
use super::rules::{self, UserEvent};
use crate::clock::Time;
use crate::email::Email;
use crate::ids::AppId;
use crate::phone::PhoneNumber;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::{Halt, World};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    pub phone_country_code: Option<String>,
    pub phone_national: Option<String>,
    /// E.164.
    pub phone_e164: Option<String>,
    pub email: Option<String>,
}

/// Returns the contact data that a connected app may use; empty after the app has disconnected.
pub fn reached(world: &World, scope: Scope, user: &User) -> Result<Reached, Halt> {
    let Some(profile) = profile_if_connected(world, scope, user.id)? else { return Ok(Reached::default()) };
    let by_phone = is_trusted(&profile, user.phone_verified_at, user.phone_app, user.phone_set_at);
    let by_email = is_trusted(&profile, user.email_verified_at, user.email_app, user.email_set_at);
    Ok(Reached {
        phone_country_code: user.phone_country_code.clone().filter(|_| by_phone),
        phone_national: user.phone_national.clone().filter(|_| by_phone),
        phone_e164: user.phone_e164.clone().filter(|_| by_phone),
        email: user.email.clone().filter(|_| by_email),
    })
}

fn is_trusted(profile: &AppUser, verified: Option<Time>, wrote: Option<AppId>, set_at: Option<Time>) -> bool {
    verified.is_some()
        || wrote.is_none_or(|app| app == profile.app)
        || set_at.is_none_or(|set_at| set_at <= profile.connected_at)
}

/// Writes a phone number. `wrote` is the app that sent it, or `None` for the organization.
pub(super) fn write_phone(user: &mut User, phone: &PhoneNumber, wrote: Option<AppId>, now: Time) {
    if user.phone_e164.as_deref() == Some(&phone.e164()) {
        // The organization takes over a number that an app wrote, by sending it again.
        user.phone_app = user.phone_app.and(wrote.and(user.phone_app));
        return;
    }
    user.phone_country_code = Some(phone.country_code().to_owned());
    user.phone_national = Some(phone.national().to_owned());
    user.phone_e164 = Some(phone.e164());
    user.phone_verified_at = None;
    (user.phone_app, user.phone_set_at) = (wrote, Some(now));
    // An address is better evidence of the country than a phone number.
    if user.sealed_address.is_none() {
        user.country = phone.country();
    }
    unverify(user);
}

/// Writes an e-mail address by the same rules as [`write_phone`].
pub(super) fn write_email(user: &mut User, email: &Email, wrote: Option<AppId>, now: Time) {
    if user.email.as_deref() == Some(email.as_str()) {
        user.email_app = user.email_app.and(wrote.and(user.email_app));
        return;
    }
    user.email = Some(email.as_str().to_owned());
    user.email_verified_at = None;
    (user.email_app, user.email_set_at) = (wrote, Some(now));
    unverify(user);
}

/// Ends a freeze of automatic payouts if the verified contact was written by the organization after the freeze began.
/// This is the way out for a payee who lost the contact that received the notice.
pub(super) fn end_freeze(user: &mut User, (wrote, set_at): (Option<AppId>, Option<Time>)) {
    if wrote.is_none() && set_at.zip(user.payouts_frozen_at).is_some_and(|(set_at, frozen_at)| set_at > frozen_at) {
        user.payouts_frozen_at = None;
    }
}

fn unverify(user: &mut User) {
    if !user.is_verified() {
        user.status = rules::status_after(user.status, UserEvent::Unverify);
    }
}

/// Rejects, with `invalid-state` at `field`, an app's change of data that all apps share of a verified payee: name,
/// date of birth, an existing tax form, amounts of tax years. The payouts of other apps depend on that data.
pub fn may_write_identity(world: &World, by: By, user: &User, field: &str) -> Result<(), Halt> {
    if by == By::Organization || !user.is_verified() || connections(world, user)?.len() < 2 {
        return Ok(());
    }
    let message = "The payee is verified and other apps pay them too. Use an organization key to change this contact.";
    Err(Refusal::field(Code::InvalidState, field, message).because(Reason::OtherOwner).into())
}

/// Rejects, with `invalid-state`, a phone number that the caller may not write or that another user has.
pub(super) fn may_write_phone(
    world: &mut World,
    (scope, by): (Scope, By),
    user: &User,
    phone: &PhoneNumber,
) -> Result<(), Halt> {
    if user.phone_e164.as_deref() == Some(&phone.e164()) {
        return Ok(());
    }
    let refused = |reason, message: &str| {
        Err(Refusal::field(Code::InvalidState, "/phone_number", message).because(reason).into())
    };
    // Otherwise the number would be free, and a sanctioned person could use it to register again as a new user.
    if user.compliance.0.flags.ofac {
        return refused(
            Reason::UnderReview,
            "The user is under a sanctions review. The phone number cannot be changed until the review ends.",
        );
    }
    if by == By::App {
        if user.phone_verified_at.is_some() {
            return refused(
                Reason::OtherOwner,
                "The user has verified the phone number. Only the payee or an organization key can change it now.",
            );
        }
        if user.phone_e164.is_some() && user.phone_app != Some(scope.app) {
            return refused(
                Reason::OtherOwner,
                "Another app wrote the phone number. Use an organization key to change it.",
            );
        }
        // A phone number opens claims: adding one to a verified payee could hand the payee's claims to another person.
        if user.is_verified() && connections(world, user)?.len() > 1 {
            return refused(
                Reason::OtherOwner,
                "The payee is verified. Use an organization key to add a phone number.",
            );
        }
    }
    match by_phone(world, user.org, &phone.e164())? {
        Some(_) => {
            let message = "Another user of the organization has this phone number. Use that user, or another number.";
            refused(Reason::AlreadyExists, message)
        }
        None => Ok(()),
    }
}

/// Rejects, with `invalid-state`, an e-mail address that the caller may not write.
pub(super) fn may_write_email((scope, by): (Scope, By), user: &User, email: &Email) -> Result<(), Refusal> {
    if user.email.as_deref() == Some(email.as_str()) || user.email.is_none() {
        return Ok(());
    }
    let refused = |reason, message: &str| Err(Refusal::field(Code::InvalidState, "/email", message).because(reason));
    // Otherwise a sanctioned person could use the free address to register again as a new user.
    if user.email_verified_at.is_some() && user.compliance.0.flags.ofac {
        return refused(
            Reason::UnderReview,
            "The user is under a sanctions review. The verified e-mail address cannot be changed until the review \
             ends.",
        );
    }
    if by == By::Organization {
        return Ok(());
    }
    if user.email_verified_at.is_some() {
        return refused(
            Reason::OtherOwner,
            "The user has verified the e-mail address. Only the payee or an organization key can change it now.",
        );
    }
    if user.email_app != Some(scope.app) {
        return refused(
            Reason::OtherOwner,
            "Another app wrote the e-mail address. Use an organization key to change it.",
        );
    }
    Ok(())
}
