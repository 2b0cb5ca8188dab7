mod findings;
mod methods;
pub mod notices;
mod path;
mod proofs;
mod screening;

pub use findings::ComplianceDecisionJson;

use path::user_of;

use super::inputs::{BirthDate, read_with_days};
use super::model::{Adjustment1099, AppUser, Form1099, User, UserStatus};
use super::rows::as_seen;
use super::update::{MethodChoice, UserPatch};
use super::{By, ConnectUser, CreateUser, Identity, Person, UpdateUser, UserJson, find, json, seal_birth_date};
use crate::email::Email;
use crate::http::lists::{ListEnvelope, list_query, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::{AppId, OrgId, UserId};
use crate::input::types::{CallingCode, Integer, Metadata, Name, NationalNumber, Phone, PhoneFilter, Text, phone_of};
use crate::input::{Change, Problems, gather, input, missing};
use crate::money::Cents;
use crate::patch::Patch;
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::query::{Compare, Query, Through};
use crate::world::record::{Cell, key};
use crate::world::{Halt, Record, Value, World};

input! {
    /// A person to add to the app's users.
    pub struct CreateUserInput {
        /// First name.
        pub first_name: Name,
        /// Last name.
        pub last_name: Name,
        /// E-mail address.
        pub email: Email,
        /// Country calling code, digits only. Required unless phone_number begins with a plus.
        pub country_code: Option<CallingCode>,
        /// The number within its country, or the whole number, such as +12127361234.
        pub phone_number: NationalNumber,
        /// The app's own note.
        pub metadata: Option<Metadata>,
    }
}

pub async fn create(call: Call) -> Outcome {
    let scope = call.scope()?;
    let command = match call.body::<CreateUserInput>() {
        Ok(input) => new_user(&call, scope, input).await,
        Err(refusal) => Err(refusal),
    };
    call.once(command, Answer::created).await
}

async fn new_user(call: &Call, scope: Scope, input: CreateUserInput) -> Result<CreateUser, Refusal> {
    let phone = phone_of(input.country_code.as_ref(), Some(&input.phone_number), "", Code::InvalidInput)
        .map_err(Refusal::fields)?;
    let phone = phone.ok_or_else(|| Refusal::fields(missing("/phone_number")))?;
    let (first_name, last_name) = (input.first_name.0, input.last_name.0);
    let names = call.bursar.look_up(vec![format!("{first_name} {last_name}")]).await?;
    let person = Person {
        identity: Identity::Phone(phone),
        first_name: Some(first_name),
        last_name: Some(last_name),
        email: Some(input.email),
        verified: false,
    };
    let metadata = input.metadata.map(|metadata| metadata.0);
    Ok(CreateUser { scope, by: By::key_of(call.caller.kind), person, metadata, names })
}

list_query! {
    /// Filters for users.
    pub struct UsersQuery {
        /// Only the user with this phone number: E.164, or its digits.
        pub phone_number: Option<PhoneFilter>,
        /// Only users with this e-mail address.
        pub email: Option<Email>,
        /// Only users with this status.
        pub status: Option<UserStatus>,
        /// Only users with exactly this metadata, at most 500 characters.
        pub metadata: Option<Text<500>>,
    }
}

pub async fn list(call: Call) -> Outcome {
    let scope = call.scope()?;
    let query: UsersQuery = call.query()?;
    let list = call
        .read(move |world| {
            let found =
                page::<User>(world, connected_to(scope), &query.asked(), |users| filtered(scope, users, &query))?;
            let data = world.each(&found.records, |world, user| {
                let profile = world.get::<AppUser>(key![scope.org, scope.app, user.id])?;
                let seen = profile.map_or_else(|| user.clone(), |profile| as_seen(user.clone(), &profile));
                json(world, scope, &seen)
            })?;
            Ok(ListEnvelope { has_more: found.has_more, data })
        })
        .await?;
    Ok(Answer::ok(&list))
}

/// Returns a query for the users of an app, including disconnected ones.
fn connected_to(scope: Scope) -> Query {
    let mut users = Query::of::<User>(scope.org.to_value(), "id", 1);
    users.through = Some(profiles_with(scope, Vec::new()));
    users
}

fn profiles_with(scope: Scope, equal: Vec<(&'static str, Value)>) -> Through {
    let equal = [vec![("app", scope.app.to_value())], equal].concat();
    Through { table: AppUser::TABLE, column: "user_id", equal }
}

fn filtered(scope: Scope, users: Query, query: &UsersQuery) -> Query {
    let filters = [
        ("phone_e164", query.phone_number.as_ref().map(|phone| phone.0.e164())),
        ("email", query.email.as_ref().map(|email| email.as_str().to_owned())),
        ("status", query.status.map(|status| status.as_str().to_owned())),
    ];
    let metadata = query.metadata.as_ref().map(|metadata| ("metadata", metadata.0.to_value()));
    if metadata.is_none() && filters.iter().all(|(_, value)| value.is_none()) {
        return users;
    }
    // An app cannot filter by data of disconnected users.
    let connected = Some(("disconnected_at", Value::Null));
    let through = Some(profiles_with(scope, connected.into_iter().chain(metadata).collect()));
    filters.into_iter().fold(Query { through, ..users }, |users, (column, value)| match value {
        Some(value) => users.filter(column, Compare::Equal, value.to_value()),
        None => users,
    })
}

pub async fn get(call: Call) -> Outcome {
    let (scope, id) = user_of(&call)?;
    let user = call.read(move |world| shown(world, scope, id)).await?;
    Ok(Answer::ok(&user))
}

fn shown(world: &mut World, scope: Scope, id: UserId) -> Result<UserJson, Halt> {
    let user = find(world, scope, id)?;
    json(world, scope, &user)
}

input! {
    /// An amount paid elsewhere that counts towards a year's tax form.
    pub struct AdjustmentInput {
        /// The tax year.
        pub year: Integer<2000, 2100>,
        /// The form on which it is reported.
        pub form: Form1099,
        /// In cents; a negative amount reduces the sum.
        pub amount: Integer<{ -Cents::AMOUNT_MAX.get() }, { Cents::AMOUNT_MAX.get() }>,
    }
}

input! {
    /// The fields to change. Fields that are not sent stay unchanged; null clears a field that may be empty.
    pub struct UpdateUserInput {
        /// A platform that is set up, or the id of a payout method.
        pub default_payout_method: Patch<MethodChoice>,
        /// Whether payouts go to the default method at once.
        pub auto_payout_enabled: Change<bool>,
        /// Date of birth.
        pub date_of_birth: Patch<BirthDate>,
        /// An amount paid elsewhere that counts towards a year's tax form.
        pub adjustment_1099 as "1099_adjustment": Patch<AdjustmentInput>,
        /// The app's own note.
        pub metadata: Patch<Metadata>,
        /// Rails that are not offered to this user; replaces the list.
        pub payout_options_exclude_list: Patch<Vec<Platform>>,
        /// First name.
        pub first_name: Change<Name>,
        /// Last name.
        pub last_name: Change<Name>,
        /// E-mail address.
        pub email: Change<Email>,
        /// The phone number. An app can change it only while it is not verified.
        pub phone_number: Change<Phone>,
    }
}

pub async fn update(call: Call) -> Outcome {
    let (scope, user) = user_of(&call)?;
    let command =
        match read_with_days::<UpdateUserInput>(&call.body, call.bursar.clock.now().date(), &["/date_of_birth"]) {
            Ok(input) => update_of(&call, scope, user, input).await,
            Err(refusal) => Err(refusal),
        };
    call.once(command, Answer::ok).await
}

async fn update_of(call: &Call, scope: Scope, user: UserId, input: UpdateUserInput) -> Result<UpdateUser, Refusal> {
    let patch = patch(call, scope.org, user, input).map_err(Refusal::fields)?;
    let asked = patch.clone();
    let name = call.read(move |world| Ok(asked.new_name(&*find(world, scope, user)?))).await;
    // For an unknown user no name is looked up; the command rejects the request.
    let names = call.bursar.look_up(name.ok().flatten().into_iter().collect()).await?;
    Ok(UpdateUser { scope, by: By::key_of(call.caller.kind), user, patch, names })
}

fn patch(call: &Call, org: OrgId, user: UserId, input: UpdateUserInput) -> Result<UserPatch, Problems> {
    let mut problems = Problems::new();
    let today = call.bursar.clock.now().date();
    let sealed_date_of_birth = match input.date_of_birth {
        Patch::Keep => Patch::Keep,
        Patch::Clear => Patch::Clear,
        Patch::Set(born) => match gather(born.checked(today, "/date_of_birth"), &mut problems) {
            Some(born) => {
                let nonce = call.bursar.entropy().bytes();
                Patch::Set(seal_birth_date(&call.bursar.vault, org, user, born.0, nonce))
            }
            None => Patch::Keep,
        },
    };
    let patch = UserPatch {
        default_payout_method: input.default_payout_method,
        auto_payout_enabled: input.auto_payout_enabled.0,
        sealed_date_of_birth,
        adjustment_1099: map(input.adjustment_1099, |adjustment| Adjustment1099 {
            year: adjustment.year.0,
            form: adjustment.form,
            amount: Cents::new(adjustment.amount.0),
        }),
        metadata: map(input.metadata, |metadata| metadata.0),
        payout_options_exclude_list: match input.payout_options_exclude_list {
            Patch::Keep => None,
            Patch::Clear => Some(Vec::new()),
            Patch::Set(list) => Some(list),
        },
        first_name: input.first_name.0.map(|name| name.0),
        last_name: input.last_name.0.map(|name| name.0),
        email: input.email.0,
        phone: input.phone_number.0.map(|phone| phone.0),
    };
    if problems.is_empty() { Ok(patch) } else { Err(problems) }
}

fn map<T, U>(patch: Patch<T>, into: impl FnOnce(T) -> U) -> Patch<U> {
    match patch {
        Patch::Keep => Patch::Keep,
        Patch::Clear => Patch::Clear,
        Patch::Set(value) => Patch::Set(into(value)),
    }
}

input! {
    /// A user, and the app to connect.
    pub struct ConnectUserInput {
        /// A user of the organization.
        pub user_id: UserId,
        /// An app of the organization.
        pub app_id: AppId,
    }
}

pub async fn connect(call: Call) -> Outcome {
    let org = call.caller.org;
    let command = call.body::<ConnectUserInput>();
    let command = command.map(|input| ConnectUser { org, user: input.user_id, app: input.app_id });
    call.once(command, Answer::ok).await
}

pub fn routes() -> Vec<Route> {
    let own = vec![
        route!(Post "/v2/users" App "create_user" create)
            .about("Users", "Create a user")
            .describe(
                "The phone number identifies the user within the organization. If this app already has a user with \
                 the phone number, the call returns that user. If only another app has one, the call is refused with \
                 `user-in-another-app`; with an organization key and Api-App-Id it connects the existing user to the \
                 app instead and keeps the user's data.",
            )
            .takes::<CreateUserInput>()
            .gives::<UserJson>(201, "The user.")
            .refuses(&[Code::InvalidPhoneNumber, Code::InvalidEmail, Code::UserInactive, Code::UserInAnotherApp]),
        route!(Get "/v2/users" App "list_users" list)
            .about("Users", "List the app's users")
            .describe("Lists the users that are connected to the app, newest first.")
            .asks::<UsersQuery>()
            .gives::<ListEnvelope<UserJson>>(200, "One page of the list, newest first."),
        route!(Post "/v2/users/connect" Organization "connect_user" connect)
            .about("Users", "Connect a user to an app")
            .describe("Lets another app of the organization pay the user. The user must be active. A repeated call changes nothing.")
            .takes::<ConnectUserInput>()
            .gives::<UserJson>(200, "The user, as that app sees it.")
            .refuses(&[Code::OrganizationKeyRequired, Code::NotFound, Code::UserInactive]),
        route!(Get "/v2/users/{user_id}" App "get_user" get)
            .about("Users", "Get a user")
            .describe("Returns one user, as the app sees them.")
            .gives::<UserJson>(200, "The user.")
            .refuses(&[Code::NotFound]),
        route!(Patch "/v2/users/{user_id}" App "update_user" update)
            .about("Users", "Update a user")
            .describe(
                "Updates all fields that are sent, or none. The default payout method, automatic payouts, metadata \
                 and excluded rails belong to this app's profile of the payee. An app can change a phone number or \
                 e-mail address only if the app wrote it and it is not verified. An organization key can change both; \
                 the payee verifies the new contact.",
            )
            .takes::<UpdateUserInput>()
            .gives::<UserJson>(200, "The user.")
            .refuses(&[Code::InvalidPhoneNumber, Code::InvalidEmail, Code::NotFound, Code::InvalidState, Code::UserInactive]),
    ];
    [own, proofs::routes(), notices::routes(), findings::routes(), methods::routes(), screening::routes()].concat()
}
