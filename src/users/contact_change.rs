//! Lets the payee change a phone number or an e-mail address (docs/decisions.md 17).
//!
//! Invariant: a payee's change of verified contact data needs a code to the present contact and a code to the new one.
//! `claims/contact_change.rs` sends and compares the codes.

use std::sync::Arc;

use super::contacts::{write_email, write_phone};
use super::create::{Identity, by_proven_email};
use super::model::User;
use super::profiles::change_both;
use super::rows::{by_phone, profile};
use super::rules::{self, UserEvent};
use crate::apps;
use crate::events::EventName;
use crate::language::Text;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// Returns the verified contact that must confirm the change: the one of the same kind if there is one, else the other.
fn present_contact(user: &User, new: &Identity) -> Option<String> {
    let phone = user.phone_e164.clone().filter(|_| user.phone_verified_at.is_some());
    let email = user.email.clone().filter(|_| user.email_verified_at.is_some());
    match new {
        Identity::Phone(_) => phone.or(email),
        Identity::Email(_) => email.or(phone),
    }
}

/// Returns the contact that receives the confirmation code. Rejects the change with `user-inactive`, with
/// `invalid-state`, or with `invalid-input` if the new contact equals the present one.
pub fn may_change_contact(user: &User, new: &Identity) -> Result<String, Refusal> {
    rules::must_be_active(user)?;
    rules::must_not_be_reviewed(user)?;
    let (field, is_present) = match new {
        Identity::Phone(phone) => {
            ("/phone_number", user.phone_verified_at.is_some() && user.phone_e164.as_ref() == Some(&phone.e164()))
        }
        Identity::Email(email) => {
            let is_same = user.email.as_ref().is_some_and(|known| known.eq_ignore_ascii_case(email.as_str()));
            ("/email", user.email_verified_at.is_some() && is_same)
        }
    };
    if is_present {
        return Err(Refusal::field(Code::InvalidInput, field, "is already your contact; enter a new one"));
    }
    present_contact(user, new)
        .ok_or_else(|| Refusal::to_payee(Code::InvalidState, Text::ContactNeedsVerified).because(Reason::StepMissing))
}

/// Writes the new contact after both codes were verified, and notifies the previous contact.
///
/// Rejects as [`may_change_contact`] does, with `invalid-phone-number`, and with `invalid-state` if another user has
/// the contact; the message does not reveal that user.
pub fn change_contact(world: &mut World, scope: Scope, user: &Arc<User>, new: &Identity) -> Result<Arc<User>, Halt> {
    may_change_contact(user, new)?;
    let others = match new {
        Identity::Phone(phone) => {
            apps::phones::may_write_to(world, scope, &phone.e164(), "/phone_number")?;
            by_phone(world, user.org, &phone.e164())?
        }
        Identity::Email(email) => by_proven_email(world, user.org, email)?,
    };
    if others.is_some_and(|other| other.id != user.id) {
        return Err(Refusal::to_payee(Code::InvalidState, Text::ContactUnusable).because(Reason::AlreadyExists).into());
    }
    let profile = profile(world, scope, user.id)?;
    let now = world.now();

    // From here it must succeed.
    let mut edited = User::clone(user);
    match new {
        Identity::Phone(phone) => {
            write_phone(&mut edited, phone, None, now);
            edited.phone_verified_at = Some(now);
        }
        Identity::Email(email) => {
            write_email(&mut edited, email, None, now);
            edited.email = Some(email.as_str().to_lowercase());
            edited.email_verified_at = Some(now);
        }
    }
    edited.status = rules::status_after(edited.status, UserEvent::Verify);
    let unchanged = profile.as_ref().clone();
    change_both(world, (user, edited), (&profile, unchanged), EventName::UserUpdated)
}
