//! A user's fields are changed, all or none (decisions.md 6 and 16).

use std::sync::Arc;

use serde_json::{Value as Schema, json};

use super::create::follow_name;
use super::model::{Adjustment1099, User};
use super::{UserJson, by_phone, change, find, rules};
use crate::email::Email;
use crate::engine::Command;
use crate::events::EventName;
use crate::http::Scope;
use crate::http::input::{Input, Patch, Problems, text, wrong};
use crate::ids::{OrgId, PayoutMethodId, UserId};
use crate::payout_methods;
use crate::phone::PhoneNumber;
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::screening::LookedUp;
use crate::strict_json::Json;
use crate::world::record::Document;
use crate::world::{Halt, Record, World};

/// Which of a user's methods becomes the default: the newest of a rail, or one by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodChoice {
    /// The newest method of this rail.
    Rail(Platform),
    /// This method.
    Method(PayoutMethodId),
}

impl Input for MethodChoice {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        if let Ok(platform) = Platform::parse_requested(text(json, at)?) {
            return Ok(Self::Rail(platform));
        }
        let id = PayoutMethodId::read(json, at);
        id.map(Self::Method).map_err(|_| wrong(at, "must be a platform, or the id of a payout method"))
    }
    fn schema() -> Schema {
        json!({"anyOf": [Platform::schema(), PayoutMethodId::schema()]})
    }
}

/// What is to change.
#[derive(Clone, Debug)]
pub struct UserPatch {
    /// The default payout method; it must be set up.
    pub default_payout_method: Patch<MethodChoice>,
    /// Whether payouts go there at once.
    pub auto_payout_enabled: Option<bool>,
    /// The date of birth, sealed beside the user's id.
    pub sealed_date_of_birth: Patch<Vec<u8>>,
    /// What was paid elsewhere.
    pub adjustment_1099: Patch<Adjustment1099>,
    /// The app's own words.
    pub metadata: Patch<String>,
    /// Replaces the list.
    pub payout_options_exclude_list: Option<Vec<Platform>>,
    /// First name; the whole name is screened again.
    pub first_name: Option<String>,
    /// Last name; the whole name is screened again.
    pub last_name: Option<String>,
    /// Address.
    pub email: Option<Email>,
    /// Phone, while it is not verified.
    pub phone: Option<PhoneNumber>,
}

impl UserPatch {
    /// The whole name that a user is about to have; `None` when it stays.
    pub fn new_name(&self, user: &User) -> Option<String> {
        let mut renamed = User::clone(user);
        self.rename(&mut renamed);
        Some(renamed.full_name()).filter(|name| *name != user.full_name())
    }

    fn rename(&self, user: &mut User) {
        if let Some(first_name) = &self.first_name {
            user.first_name = Some(first_name.clone());
        }
        if let Some(last_name) = &self.last_name {
            user.last_name = Some(last_name.clone());
        }
    }
}

/// Changes a user.
#[derive(Clone, Debug)]
pub struct UpdateUser {
    /// The app.
    pub scope: Scope,
    /// The user.
    pub user: UserId,
    /// What is to change.
    pub patch: UserPatch,
    /// What the list says of the new name.
    pub names: LookedUp,
}

impl Command for UpdateUser {
    type Reply = UserJson;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<UserJson, Halt> {
        let patch = &self.patch;
        let user = find(world, self.scope, self.user)?;
        rules::must_be_active(&user)?;
        if let Some(phone) = &patch.phone {
            must_be_free(world, &user, phone)?;
        }
        if let Some(email) = &patch.email {
            must_not_be_identity(&user, email)?;
        }
        let default = match patch.default_payout_method {
            Patch::Keep => user.default_payout_method,
            Patch::Clear => None,
            Patch::Set(choice) => Some(chosen(world, &user, choice)?),
        };

        // From here it must succeed.
        let mut edited = User::clone(&user);
        edited.default_payout_method = default;
        apply(patch, &mut edited);
        follow_name(world, &user, &mut edited, &self.names)?;
        let unchanged = edited.values() == user.values();
        let user = if unchanged { user } else { change(world, &user, EventName::UserUpdated, |user| *user = edited)? };
        super::json(world, self.scope, &user)
    }
}

fn apply(patch: &UserPatch, user: &mut User) {
    if let Some(enabled) = patch.auto_payout_enabled {
        user.auto_payout_enabled = enabled;
    }
    set(&mut user.sealed_date_of_birth, &patch.sealed_date_of_birth);
    match &patch.adjustment_1099 {
        Patch::Keep => {}
        Patch::Clear => user.adjustment_1099 = None,
        Patch::Set(adjustment) => user.adjustment_1099 = Some(Document(adjustment.clone())),
    }
    set(&mut user.metadata, &patch.metadata);
    if let Some(list) = &patch.payout_options_exclude_list {
        let mut list = list.clone();
        list.sort_unstable();
        list.dedup();
        user.payout_options_exclude_list = Document(list);
    }
    patch.rename(user);
    if let Some(email) = &patch.email {
        // Nobody has proved to read the new address.
        user.email_verified_at = user.email_verified_at.filter(|_| user.email.as_deref() == Some(email.as_str()));
        user.email = Some(email.as_str().to_owned());
    }
    if let Some(phone) = &patch.phone {
        user.phone_country_code = Some(phone.country_code().to_owned());
        user.phone_national = Some(phone.national().to_owned());
        user.phone_e164 = Some(phone.e164());
        // An address tells better where somebody is.
        if user.sealed_address.is_none() {
            user.country = phone.country();
        }
    }
}

fn set<T: Clone>(field: &mut Option<T>, patch: &Patch<T>) {
    match patch {
        Patch::Keep => {}
        Patch::Clear => *field = None,
        Patch::Set(value) => *field = Some(value.clone()),
    }
}

/// A phone can be changed until the person has proved to hold it, to one that nobody else has.
fn must_be_free(world: &mut World, user: &User, phone: &PhoneNumber) -> Result<(), Halt> {
    if user.phone_e164.as_deref() == Some(&phone.e164()) {
        return Ok(());
    }
    if user.phone_verified_at.is_some() {
        let message = "The user has verified the phone number; it cannot be changed any more.";
        return Err(Refusal::field(Code::InvalidState, "/phone_number", message).into());
    }
    // The number would be free, and who must not be paid would come back by it as another.
    if user.compliance.0.flags.ofac {
        let message = "The user is under a sanctions review; the phone number cannot be changed before it ends.";
        return Err(Refusal::field(Code::InvalidState, "/phone_number", message).into());
    }
    match by_phone(world, user.org, &phone.e164())? {
        Some(_) => {
            let message = "Another user of the organization has this phone number.";
            Err(Refusal::field(Code::InvalidState, "/phone_number", message).into())
        }
        None => Ok(()),
    }
}

/// The proven address of a user who has no proven phone is who the user is: whoever could change it could make one
/// person of another.
fn must_not_be_identity(user: &User, email: &Email) -> Result<(), Refusal> {
    let stays = user.email.as_deref() == Some(email.as_str());
    if stays || user.email_verified_at.is_none() {
        return Ok(());
    }
    // Whoever reads it would come back by it as another.
    if user.compliance.0.flags.ofac {
        let message = "The user is under a sanctions review; the verified address cannot be changed before it ends.";
        return Err(Refusal::field(Code::InvalidState, "/email", message));
    }
    if user.phone_verified_at.is_some() {
        return Ok(());
    }
    let message = "The user is known by this verified address; it cannot be changed before a phone is verified.";
    Err(Refusal::field(Code::InvalidState, "/email", message))
}

fn chosen(world: &mut World, user: &Arc<User>, choice: MethodChoice) -> Result<PayoutMethodId, Halt> {
    let methods = payout_methods::of_user(world, user.org, user.id)?;
    let mut newest_first = methods.iter().rev();
    let found = newest_first.find(|method| match choice {
        MethodChoice::Rail(platform) => method.platform == platform,
        MethodChoice::Method(id) => method.id == id,
    });
    let message = "is not set up for this user; set up the payout method first";
    let not_set_up = || Refusal::field(Code::InvalidInput, "/default_payout_method", message);
    Ok(found.ok_or_else(not_set_up)?.id)
}
