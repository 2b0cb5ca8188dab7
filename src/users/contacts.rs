//! Who may change how a payee is reached, and where an app reaches them (docs/decisions.md 17).
//!
//! | contact data | changed by |
//! |---|---|
//! | not there | any connected app |
//! | not verified | the app that wrote it; the organization |
//! | verified, or written by the payee | the payee, with a code on both sides (`contact_change.rs`); the organization, and then it is no longer verified |
//! | name, date of birth, tax form, amounts of tax years of a verified payee | the only connected app; the payee; the organization |
//!
//! Invariant: an app reaches a payee only at contact data that is verified, that it wrote, that the payee or the organization wrote,
//! or that was there when the app was connected. So no app steers the links and notices of another.

use super::by_phone;
use super::model::{AppUser, User};
use super::profiles::{By, connections, profile_if_connected};
use super::rules::{self, UserEvent};
use crate::clock::Time;
use crate::email::Email;
use crate::ids::AppId;
use crate::phone::PhoneNumber;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// Where an app reaches a payee.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// The digits of the country code.
    pub phone_country_code: Option<String>,
    /// The digits after it.
    pub phone_national: Option<String>,
    /// Both, E.164.
    pub phone_e164: Option<String>,
    /// E-mail address.
    pub email: Option<String>,
}

/// Where an app that is connected to a user reaches them; nowhere once it has disconnected.
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

/// Writes a phone number. `wrote` is the app that did; `None` for the organization.
pub(super) fn write_phone(user: &mut User, phone: &PhoneNumber, wrote: Option<AppId>, now: Time) {
    if user.phone_e164.as_deref() == Some(&phone.e164()) {
        // Written once more by the organization, it is the organization's.
        user.phone_app = user.phone_app.and(wrote.and(user.phone_app));
        return;
    }
    user.phone_country_code = Some(phone.country_code().to_owned());
    user.phone_national = Some(phone.national().to_owned());
    user.phone_e164 = Some(phone.e164());
    user.phone_verified_at = None;
    (user.phone_app, user.phone_set_at) = (wrote, Some(now));
    // An address tells better where the payee is.
    if user.sealed_address.is_none() {
        user.country = phone.country();
    }
    unverify(user);
}

/// Writes an e-mail address, likewise.
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

/// The payee proved a contact that `wrote` wrote at `set_at`. One that the organization wrote since the payee froze automatic
/// payouts ends that, as the contact of the notice does: it is the way out for a payee who lost that one.
pub(super) fn end_freeze(user: &mut User, (wrote, set_at): (Option<AppId>, Option<Time>)) {
    if wrote.is_none() && set_at.zip(user.payouts_frozen_at).is_some_and(|(set_at, frozen_at)| set_at > frozen_at) {
        user.payouts_frozen_at = None;
    }
}

/// A payee who has nothing verified any more is not verified.
fn unverify(user: &mut User) {
    if !user.is_verified() {
        user.status = rules::status_after(user.status, UserEvent::Unverify);
    }
}

/// Refuses an app that would change what all apps share of a verified payee: the name, the date of birth, a tax form that is there,
/// the amounts of tax years. Another app's payouts depend on it.
///
/// # Errors
/// `invalid-state` at the field.
pub(super) fn may_write_identity(world: &World, by: By, user: &User, field: &str) -> Result<(), Halt> {
    if by == By::Organization || !user.is_verified() || connections(world, user)?.len() < 2 {
        return Ok(());
    }
    let message = "The payee is verified and other apps pay them too. Use an organization key to change this contact.";
    Err(Refusal::field(Code::InvalidState, field, message).into())
}

/// Refuses a phone number that may not be written, and one that another user has.
///
/// # Errors
/// `invalid-state`.
pub(super) fn may_write_phone(
    world: &mut World,
    (scope, by): (Scope, By),
    user: &User,
    phone: &PhoneNumber,
) -> Result<(), Halt> {
    if user.phone_e164.as_deref() == Some(&phone.e164()) {
        return Ok(());
    }
    let refused = |message: &str| Err(Refusal::field(Code::InvalidState, "/phone_number", message).into());
    // The number would be free, and a person who must not be paid would come back by it as another.
    if user.compliance.0.flags.ofac {
        return refused(
            "The user is under a sanctions review. The phone number cannot be changed until the review ends.",
        );
    }
    if by == By::App {
        if user.phone_verified_at.is_some() {
            return refused(
                "The user has verified the phone number. Only the payee or an organization key can change it now.",
            );
        }
        if user.phone_e164.is_some() && user.phone_app != Some(scope.app) {
            return refused("Another app wrote the phone number. Use an organization key to change it.");
        }
        // A phone opens claims: to add one to a verified payee decides who that payee is.
        if user.is_verified() && connections(world, user)?.len() > 1 {
            return refused("The payee is verified. Use an organization key to add a phone number.");
        }
    }
    match by_phone(world, user.org, &phone.e164())? {
        Some(_) => refused("Another user of the organization has this phone number."),
        None => Ok(()),
    }
}

/// Refuses an e-mail address that may not be written.
///
/// # Errors
/// `invalid-state`.
pub(super) fn may_write_email((scope, by): (Scope, By), user: &User, email: &Email) -> Result<(), Refusal> {
    if user.email.as_deref() == Some(email.as_str()) || user.email.is_none() {
        return Ok(());
    }
    let refused = |message: &str| Err(Refusal::field(Code::InvalidState, "/email", message));
    // A person who must not be paid and reads the address would come back by it as another.
    if user.email_verified_at.is_some() && user.compliance.0.flags.ofac {
        return refused(
            "The user is under a sanctions review. The verified e-mail address cannot be changed until the review \
             ends.",
        );
    }
    if by == By::Organization {
        return Ok(());
    }
    if user.email_verified_at.is_some() {
        return refused(
            "The user has verified the e-mail address. Only the payee or an organization key can change it now.",
        );
    }
    if user.email_app != Some(scope.app) {
        return refused("Another app wrote the e-mail address. Use an organization key to change it.");
    }
    Ok(())
}
