//! Makes a person known to an app: creates a user, or connects one that the organization already has.

use std::sync::Arc;

use super::model::{AppUser, Compliance, User, UserStatus};
use super::profiles::{By, change, change_both, connect_app};
use super::rows::{by_phone, is_connected, profile_if_connected};
use super::rules::{self, UserEvent};
use super::{UserJson, contacts, json, screening, warnings};
use crate::apps;
use crate::clock::Time;
use crate::email::Email;
use crate::engine::Command;
use crate::events::EventName;
use crate::ids::{AppId, OrgId};
use crate::phone::PhoneNumber;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::screening::LookedUp;
use crate::world::record::{Document, key};
use crate::world::{Halt, Record, World};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    Phone(PhoneNumber),
    /// For a payee whose link was mailed and names no phone. An address identifies a person only after verification,
    /// because a caller can submit any address.
    Email(Email),
}

#[derive(Clone, Debug)]
pub struct Person {
    pub identity: Identity,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    /// Stored only if the user has no address yet.
    pub email: Option<Email>,
    /// Whether the person has just verified the phone or the address in `identity`.
    pub verified: bool,
}

/// Returns the user with the person's phone or verified address, connected to the app; creates one if none exists.
/// Fills missing fields only. Rejects with `user-inactive` for a disabled user, and with `user-in-another-app` if
/// `person` is unverified and the app is not connected.
pub fn connect_or_create(
    world: &mut World,
    scope: Scope,
    person: &Person,
    names: &LookedUp,
) -> Result<Arc<User>, Halt> {
    admit(world, (scope, By::App), (person, None), names)
}

/// Records that a user has verified their own phone or address. Rejects with `user-inactive` for a disabled user.
pub fn prove(
    world: &mut World,
    scope: Scope,
    user: &Arc<User>,
    identity: Identity,
    names: &LookedUp,
) -> Result<Arc<User>, Halt> {
    let person = Person { identity, first_name: None, last_name: None, email: None, verified: true };
    connect_known(world, (scope, By::App), user, (&person, None), names)
}

/// Returns whether a user can verify their identity by this address: it is the user's, and either the user has verified
/// it or no user has and the user has no verified phone. A caller can submit any address, so it must not open what a
/// phone protects.
pub fn may_prove_address(world: &mut World, user: &User, email: &Email) -> Result<bool, Halt> {
    if user.email.as_ref().is_none_or(|known| !known.eq_ignore_ascii_case(email.as_str())) {
        return Ok(false);
    }
    let has_proven = by_proven_email(world, user.org, email)?;
    Ok(has_proven.map_or(user.phone_verified_at.is_none(), |other| other.id == user.id))
}

/// Creates or connects a user on the word of an app or the organization, without verification.
#[derive(Clone, Debug)]
pub struct CreateUser {
    pub scope: Scope,
    /// An organization key may connect a user of another app.
    pub by: By,
    pub person: Person,
    pub metadata: Option<String>,
    pub names: LookedUp,
}

impl Command for CreateUser {
    type Reply = UserJson;

    fn decide(&self, world: &mut World) -> Result<UserJson, Halt> {
        if let Identity::Phone(phone) = &self.person.identity {
            apps::phones::may_write_to(world, self.scope, &phone.e164(), "/phone_number")?;
        }
        let reported = (&self.person, self.metadata.as_ref());
        let user = admit(world, (self.scope, self.by), reported, &self.names)?;
        json(world, self.scope, &user)
    }
}

fn admit(
    world: &mut World,
    (scope, by): (Scope, By),
    (person, metadata): (&Person, Option<&String>),
    names: &LookedUp,
) -> Result<Arc<User>, Halt> {
    let known = match &person.identity {
        Identity::Phone(phone) => by_phone(world, scope.org, &phone.e164())?,
        Identity::Email(email) if person.verified => by_proven_email(world, scope.org, email)?,
        Identity::Email(_) => None,
    };
    match known {
        Some(known) => {
            let is_vouched_for = person.verified || by == By::Organization;
            if !is_vouched_for && !is_connected(world, scope, known.id)? {
                return Err(in_another_app().into());
            }
            connect_known(world, (scope, by), &known, (person, metadata), names)
        }
        None => create(world, scope, (person, metadata), names),
    }
}

/// An app cannot connect another app's user without the organization or the payee. The refusal is the same for every
/// such user, so it reveals nothing about them.
fn in_another_app() -> Refusal {
    let message = "Another app of your organization has a user with this phone number. To connect this app, call POST \
                   /v2/users with an organization key and the header Api-App-Id, or send a payout link that the payee \
                   claims.";
    Refusal::new(Code::UserInAnotherApp, message)
}

fn connect_known(
    world: &mut World,
    (scope, by): (Scope, By),
    user: &Arc<User>,
    (person, metadata): (&Person, Option<&String>),
    names: &LookedUp,
) -> Result<Arc<User>, Halt> {
    rules::must_be_active(user)?;
    let connected = profile_if_connected(world, scope, user.id)?;
    let wrote = Some(scope.app).filter(|_| !person.verified && by == By::App);
    let mut learned = User::clone(user);
    learn(&mut learned, person, wrote, world.now());
    follow_name(world, user, &mut learned, names)?;

    // From here it must succeed.
    let Some(profile) = connected else {
        let changed = learned.values() != user.values();
        let user =
            if changed { change(world, user, EventName::UserUpdated, |user| *user = learned)? } else { user.clone() };
        connect_app(world, scope, &user, metadata)?;
        return Ok(user);
    };
    let mut noted = AppUser::clone(&profile);
    noted.metadata = metadata.cloned().or(noted.metadata);
    change_both(world, (user, learned), (&profile, noted), EventName::UserUpdated)
}

fn create(
    world: &mut World,
    scope: Scope,
    (person, metadata): (&Person, Option<&String>),
    names: &LookedUp,
) -> Result<Arc<User>, Halt> {
    let (id, now) = (world.id(), world.now());
    let phone = match &person.identity {
        Identity::Phone(phone) => Some(phone),
        Identity::Email(_) => None,
    };
    let mut user = User {
        org: scope.org,
        id,
        phone_country_code: phone.map(|phone| phone.country_code().to_owned()),
        phone_national: phone.map(|phone| phone.national().to_owned()),
        phone_e164: phone.map(PhoneNumber::e164),
        phone_verified_at: None,
        email_verified_at: None,
        phone_app: phone.map(|_| scope.app),
        phone_set_at: phone.map(|_| now),
        first_name: None,
        last_name: None,
        email: None,
        email_app: None,
        email_set_at: None,
        status: UserStatus::Unverified,
        country: phone.and_then(PhoneNumber::country),
        sealed_date_of_birth: None,
        adjustment_1099: None,
        sealed_address: None,
        sealed_tax_form: None,
        tax_id_hash: None,
        compliance: Document(Compliance::default()),
        version: 1,
        created_at: now,
        deleted_at: None,
        payouts_frozen_at: None,
        language: None,
    };
    learn(&mut user, person, Some(scope.app).filter(|_| !person.verified), now);
    let name = user.full_name();
    screening::screen(world, &mut user, &name, names)?;
    let user = world.add(user);
    connect_app(world, scope, &user, metadata)?;
    Ok(user)
}

/// Copies new data about a person. `wrote` is the app that reported it, or `None` for the payee and the organization.
fn learn(user: &mut User, person: &Person, wrote: Option<AppId>, now: Time) {
    user.first_name = user.first_name.take().or_else(|| person.first_name.clone());
    user.last_name = user.last_name.take().or_else(|| person.last_name.clone());
    if let (None, Some(email)) = (&user.email, &person.email) {
        user.email = Some(email.as_str().to_owned());
        (user.email_app, user.email_set_at) = (wrote, wrote.map(|_| now));
    }
    if !person.verified {
        return;
    }
    match &person.identity {
        Identity::Phone(phone) if user.phone_e164.as_ref() == Some(&phone.e164()) => {
            contacts::end_freeze(user, (user.phone_app, user.phone_set_at));
        }
        Identity::Email(email) if user.email.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(email.as_str())) => {
            contacts::end_freeze(user, (user.email_app, user.email_set_at));
        }
        Identity::Phone(_) | Identity::Email(_) => {}
    }
    let proven = match &person.identity {
        Identity::Phone(_) => {
            (user.phone_app, user.phone_set_at) = (None, None);
            &mut user.phone_verified_at
        }
        Identity::Email(email) => {
            user.email = Some(email.as_str().to_owned());
            (user.email_app, user.email_set_at) = (None, None);
            &mut user.email_verified_at
        }
    };
    if proven.is_none() {
        *proven = Some(now);
        user.status = rules::status_after(user.status, UserEvent::Verify);
    }
}

/// Screens a changed name and compares it with the account holders of the user's payout methods.
pub(super) fn follow_name(world: &mut World, before: &User, after: &mut User, names: &LookedUp) -> Result<(), Halt> {
    let name = after.full_name();
    if name != before.full_name() {
        screening::screen(world, after, &name, names)?;
        warnings::follow_renaming(world, after)?;
    }
    Ok(())
}

/// Returns the user who verified this address. Verified addresses are stored in lower case. Includes disabled users, so
/// that a sanctioned person cannot register again as a new user.
pub fn by_proven_email(world: &mut World, org: OrgId, email: &Email) -> Result<Option<Arc<User>>, Halt> {
    let same = world.all::<User>(User::BY_EMAIL, key![org, Some(email.as_str().to_lowercase())])?;
    let proven = |user: &&Arc<User>| user.email_verified_at.is_some();
    let disabled = same.iter().filter(proven).find(|user| rules::must_be_active(user).is_err());
    Ok(disabled.or(same.iter().find(proven)).cloned())
}

/// Stores the name that a payee enters, if none is known yet. Rejects with `user-inactive` for a disabled user.
pub fn fill_profile(
    world: &mut World,
    user: &Arc<User>,
    (first_name, last_name): (&str, &str),
    email: Option<&Email>,
    names: &LookedUp,
) -> Result<Arc<User>, Halt> {
    rules::must_be_active(user)?;
    let mut filled = User::clone(user);
    filled.first_name.get_or_insert_with(|| first_name.to_owned());
    filled.last_name.get_or_insert_with(|| last_name.to_owned());
    if let (None, Some(email)) = (&filled.email, email) {
        filled.email = Some(email.as_str().to_owned());
        (filled.email_app, filled.email_set_at) = (None, None);
    }
    follow_name(world, user, &mut filled, names)?;
    // An update without changes is no transition and emits no event.
    if filled.values() == user.values() {
        return Ok(user.clone());
    }

    // From here it must succeed.
    change(world, user, EventName::UserUpdated, |user| *user = filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::engine::Executor;
    use crate::ids::Seeds;
    use crate::screening::Watchlist;
    use crate::store::{Memory, Store};
    use uuid::Uuid;

    struct Meet(Scope, Person);

    impl Command for Meet {
        type Reply = (Arc<User>, super::super::UserJson);

        fn decide(&self, world: &mut World) -> Result<Self::Reply, Halt> {
            let user = connect_or_create(world, self.0, &self.1, &LookedUp::of(Watchlist::of_sandbox(), []))?;
            let json = super::super::json(world, self.0, &user)?;
            Ok((user, json))
        }
    }

    fn person(first_name: &str, last_name: &str) -> Person {
        Person {
            identity: Identity::Phone(PhoneNumber::parse("1", "2025550123").unwrap()),
            first_name: Some(first_name.to_owned()),
            last_name: Some(last_name.to_owned()),
            email: None,
            verified: false,
        }
    }

    fn scope(app: u128) -> Scope {
        Scope { org: OrgId(Uuid::from_u128(1)), app: AppId(Uuid::from_u128(app)) }
    }

    fn executor() -> Executor {
        let clock = Clock::manual(Time::from_micros(1_790_000_000_000_000));
        Executor::new(Store::Memory(Memory::new()), clock, Seeds::counted(1))
    }

    fn meet(executor: &mut Executor, app: u128, person: Person) -> Result<Arc<User>, Refusal> {
        executor.run_one(scope(app).org, Meet(scope(app), person)).map(|(user, _)| user)
    }

    #[test]
    fn one_phone_is_one_user_for_all_apps() {
        let mut executor = executor();
        let first = meet(&mut executor, 1, person("Jane", "Doe")).unwrap();
        let refused = meet(&mut executor, 2, person("Janet", "Dough")).unwrap_err();
        assert_eq!(refused.code, Code::UserInAnotherApp, "an app's word connects nothing");
        let proven = meet(&mut executor, 2, Person { verified: true, ..person("Janet", "Dough") }).unwrap();
        assert_eq!(first.id, proven.id);
        assert_eq!(proven.full_name(), "Jane Doe", "what is known is not overwritten");
        assert_eq!((proven.status, proven.version), (UserStatus::Verified, 2));
        let again = meet(&mut executor, 2, Person { verified: true, ..person("Jane", "Doe") }).unwrap();
        assert_eq!(again.version, 2, "nothing new, no event");
    }

    #[test]
    fn a_listed_name_is_reviewed_and_stays_so() {
        let mut executor = executor();
        let user = meet(&mut executor, 1, Person { verified: true, ..person("Test", "Sanctioned") }).unwrap();
        assert_eq!(user.status, UserStatus::InReview);
        assert!(user.is_verified() && user.compliance.0.flags.ofac);
    }

    #[test]
    fn a_new_user_shows_every_field() {
        let mut executor = executor();
        let (_, json) = executor.run_one(scope(1).org, Meet(scope(1), person("Jane", "Doe"))).unwrap();
        insta::assert_json_snapshot!(json, @r#"
        {
          "id": "01a0c450-6c00-7000-8000-e9aa48460b4d",
          "first_name": "Jane",
          "last_name": "Doe",
          "email": null,
          "phone_number": {
            "country_code": "1",
            "phone_number": "2025550123"
          },
          "verified": false,
          "country": "US",
          "auto_payout_enabled": false,
          "default_payout_method": null,
          "default_payout_method_details": null,
          "wallet": {
            "amount": 0,
            "withdrawable_amount": 0,
            "credit_balance": 0
          },
          "status": "unverified",
          "compliance": {
            "tax_id_collected": false,
            "address_collected": false,
            "date_of_birth_collected": false,
            "must_collect_1099": false,
            "1099_collected": false,
            "w8_ben_collected": false,
            "flagged": false,
            "id_verified": false,
            "has_criminal_activity": false,
            "tax_id_verification": "not_required",
            "background_check": {
              "status": "not_started",
              "updated": "2026-09-21T14:13:20.000000Z"
            },
            "w9": {
              "entity_type": null,
              "business_name": null,
              "tax_id_collected": false,
              "address_collected": false
            },
            "flags": {
              "ofac": false,
              "ofac_status": "unflagged",
              "payout_method": false,
              "payout_method_cycle": false,
              "name_mismatch": false
            }
          },
          "metadata": null,
          "payout_options_exclude_list": [],
          "1099_adjustment": null
        }
        "#);
    }
}
