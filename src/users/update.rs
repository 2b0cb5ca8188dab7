//! Changes a user's fields, all or none (docs/decisions.md 6 and 16).

use serde_json::{Value as Schema, json};

use super::contacts;
use super::create::follow_name;
use super::model::{Adjustment1099, AppUser, User};
use super::profiles::{By, change_both};
use super::rows;
use super::rows::find;
use super::{UserJson, rules};
use crate::apps;
use crate::email::Email;
use crate::engine::Command;
use crate::events::EventName;
use crate::ids::{PayoutMethodId, UserId};
use crate::input::{Input, Problems, text, wrong};
use crate::patch::Patch;
use crate::payout_methods::{self, MethodOrigin};
use crate::phone::PhoneNumber;
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::screening::LookedUp;
use crate::strict_json::Json;
use crate::world::record::Document;
use crate::world::{Halt, World};

/// Selects a user's default method: the newest of a rail, or one by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodChoice {
    Rail(Platform),
    Method(PayoutMethodId),
}

impl Input for MethodChoice {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        if let Ok(platform) = Platform::parse_requested(text(json, at)?) {
            return Ok(Self::Rail(platform));
        }
        let id = PayoutMethodId::read(json, at);
        id.map(Self::Method).map_err(|_| wrong(at, "must be a platform or the id of a payout method"))
    }
    fn schema() -> Schema {
        json!({"anyOf": [Platform::schema(), PayoutMethodId::schema()]})
    }
}

#[derive(Clone, Debug)]
pub struct UserPatch {
    /// Must be set up already.
    pub default_payout_method: Patch<MethodChoice>,
    pub auto_payout_enabled: Option<bool>,
    pub sealed_date_of_birth: Patch<Vec<u8>>,
    pub adjustment_1099: Patch<Adjustment1099>,
    pub metadata: Patch<String>,
    pub payout_options_exclude_list: Option<Vec<Platform>>,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub email: Option<Email>,
    pub phone: Option<PhoneNumber>,
}

impl UserPatch {
    /// Returns the user's new whole name; `None` if it is unchanged.
    pub fn new_name(&self, user: &User) -> Option<String> {
        let mut renamed = User::clone(user);
        self.rename(&mut renamed);
        Some(renamed.full_name()).filter(|name| *name != user.full_name())
    }

    /// Returns the first changed field whose data all apps share.
    fn identity_field(&self, user: &User) -> Option<&'static str> {
        let is_another = |now: &Option<String>, given: &Option<String>| given.is_some() && now != given;
        if is_another(&user.first_name, &self.first_name) {
            Some("/first_name")
        } else if is_another(&user.last_name, &self.last_name) {
            Some("/last_name")
        } else if !matches!(self.sealed_date_of_birth, Patch::Keep) {
            Some("/date_of_birth")
        } else {
            Some("/1099_adjustment").filter(|_| !matches!(self.adjustment_1099, Patch::Keep))
        }
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

#[derive(Clone, Debug)]
pub struct UpdateUser {
    pub scope: Scope,
    pub by: By,
    pub user: UserId,
    pub patch: UserPatch,
    pub names: LookedUp,
}

impl Command for UpdateUser {
    type Reply = UserJson;

    fn decide(&self, world: &mut World) -> Result<UserJson, Halt> {
        let patch = &self.patch;
        let user = find(world, self.scope, self.user)?;
        rules::must_be_active(&user)?;
        let profile = rows::profile(world, self.scope, user.id)?;
        let author = (self.scope, self.by);
        if let Some(phone) = &patch.phone {
            apps::phones::may_write_to(world, self.scope, &phone.e164(), "/phone_number")?;
            contacts::may_write_phone(world, author, &user, phone)?;
        }
        if let Some(email) = &patch.email {
            contacts::may_write_email(author, &user, email)?;
        }
        if let Some(field) = patch.identity_field(&user) {
            contacts::may_write_identity(world, self.by, &user, field)?;
        }
        let default = match patch.default_payout_method {
            Patch::Keep => profile.default_payout_method,
            Patch::Clear => None,
            Patch::Set(choice) => Some(chosen(world, self.scope, &user, choice)?),
        };

        // From here it must succeed.
        let (mut edited, mut edited_profile) = (User::clone(&user), AppUser::clone(&profile));
        edited_profile.default_payout_method = default;
        apply_to_profile(patch, &mut edited_profile);
        apply(patch, &mut edited);
        let wrote = Some(self.scope.app).filter(|_| self.by == By::App);
        if let Some(email) = &patch.email {
            contacts::write_email(&mut edited, email, wrote, world.now());
        }
        if let Some(phone) = &patch.phone {
            contacts::write_phone(&mut edited, phone, wrote, world.now());
        }
        follow_name(world, &user, &mut edited, &self.names)?;
        let user = change_both(world, (&user, edited), (&profile, edited_profile), EventName::UserUpdated)?;
        super::json(world, self.scope, &user)
    }
}

fn apply_to_profile(patch: &UserPatch, profile: &mut AppUser) {
    if let Some(enabled) = patch.auto_payout_enabled {
        profile.auto_payout_enabled = enabled;
    }
    set(&mut profile.metadata, &patch.metadata);
    if let Some(list) = &patch.payout_options_exclude_list {
        let mut list = list.clone();
        list.sort_unstable();
        list.dedup();
        profile.payout_options_exclude_list = Document(list);
    }
}

fn apply(patch: &UserPatch, user: &mut User) {
    set(&mut user.sealed_date_of_birth, &patch.sealed_date_of_birth);
    match &patch.adjustment_1099 {
        Patch::Keep => {}
        Patch::Clear => user.adjustment_1099 = None,
        Patch::Set(adjustment) => user.adjustment_1099 = Some(Document(adjustment.clone())),
    }
    patch.rename(user);
}

fn set<T: Clone>(field: &mut Option<T>, patch: &Patch<T>) {
    match patch {
        Patch::Keep => {}
        Patch::Clear => *field = None,
        Patch::Set(value) => *field = Some(value.clone()),
    }
}

fn chosen(world: &mut World, scope: Scope, user: &User, choice: MethodChoice) -> Result<PayoutMethodId, Halt> {
    let methods = payout_methods::of_app(world, scope, user.id)?;
    let mut newest_first = methods.iter().rev();
    let found = newest_first.find(|method| match choice {
        MethodChoice::Rail(platform) => method.platform == platform && method.origin != MethodOrigin::Unknown,
        MethodChoice::Method(id) => method.id == id,
    });
    let message = "is not a payout method of this user; set it up first";
    let not_set_up = || Refusal::field(Code::InvalidInput, "/default_payout_method", message);
    Ok(found.ok_or_else(not_set_up)?.id)
}
