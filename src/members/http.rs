use serde::Serialize;

use super::change::{CreateMember, RemoveMember, UpdateMember};
use super::model::{Member, MemberStatus, Role};
use super::password::{self, Strength};
use crate::clock::Time;
use crate::email::Email;
use crate::http::lists::{ListEnvelope, list_query, page};
use crate::http::route::route;
use crate::http::{Answer, Call, CredentialKind, Outcome, Route};
use crate::ids::MemberId;
use crate::input::types::{Name, Text, word_input};
use crate::input::{Change, Input, Problems, input, wrong};
use crate::patch::Patch;
use crate::permission::Permission;
use crate::refusal::{Code, Refusal};
use crate::security_log::SecurityEvent;
use crate::strict_json::Json;
use crate::world::Query;
use crate::world::record::Cell as _;

/// In characters.
const PASSWORD_MIN: usize = 12;
/// In characters.
const PASSWORD_MAX: usize = 200;

word_input!(Role);
word_input!(MemberStatus);

/// A password as a member types it. Its `Debug` omits it.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(pub String);

/// A new password of sufficient length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPassword(pub Password);

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(***)")
    }
}

impl Input for Password {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        Ok(Self(Text::<PASSWORD_MAX>::read(json, at)?.0))
    }
    fn schema() -> serde_json::Value {
        let mut schema = Text::<PASSWORD_MAX>::schema();
        schema["format"] = "password".into();
        schema
    }
}

impl Input for NewPassword {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let password = Password::read(json, at)?;
        if password.0.chars().count() < PASSWORD_MIN {
            return Err(wrong(at, format!("must have at least {PASSWORD_MIN} characters")));
        }
        Ok(Self(password))
    }
    fn schema() -> serde_json::Value {
        let mut schema = Password::schema();
        schema["minLength"] = PASSWORD_MIN.into();
        schema
    }
}

input! {
    /// A new member.
    pub struct CreateMemberInput {
        /// The member's name.
        pub name: Name,
        /// The member's e-mail address; unique among active members.
        pub email: Email,
        /// The member's role.
        pub role: Role,
        /// The password for signing in; only with the organization's key. We recommend to omit it, and let the member
        /// set it with a set-up token.
        pub password: Option<NewPassword>,
    }
}

input! {
    /// Changes of a member. An omitted field stays as it is.
    pub struct UpdateMemberInput {
        /// The new name.
        pub name: Change<Name>,
        /// The new e-mail address.
        pub email: Change<Email>,
        /// The new role.
        pub role: Change<Role>,
        /// The new password; null removes it, so that the member cannot sign in. Only with the organization's key.
        pub password: Patch<NewPassword>,
    }
}

list_query! {
    /// Selects members.
    pub struct MemberQuery {
        /// Only active (the default) or only removed members.
        pub status: Option<MemberStatus>,
    }
}

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct MemberJson {
    /// The id that `acting_user_id` takes.
    pub id: MemberId,
    /// The number that `user_id` in histories shows.
    pub number: i64,
    /// The member's name.
    pub name: String,
    /// The e-mail address with which the member signs in; null for an app's key.
    #[schema(required)]
    pub email: Option<String>,
    /// The member's role.
    pub role: Role,
    /// Whether the member may act.
    pub status: MemberStatus,
    /// When the member was added; null for an app's key.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub created: Option<Time>,
    /// When the member was removed.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub removed: Option<Time>,
}

impl From<&Member> for MemberJson {
    fn from(member: &Member) -> Self {
        Self {
            id: member.id,
            number: member.number,
            name: member.name.clone(),
            email: Some(member.email.clone()),
            role: member.role,
            status: member.status,
            created: Some(member.created_at),
            removed: member.removed_at,
        }
    }
}

impl MemberJson {
    /// Returns only what an app needs to name the acting member: the holder of the app's key must not learn how the
    /// member signs in.
    pub fn for_app(member: &Member) -> Self {
        Self { email: None, created: None, removed: None, ..Self::from(member) }
    }
}

/// Hashes a password outside of the async threads, a few at a time.
pub async fn hashed(call: &Call, password: NewPassword) -> Result<String, Refusal> {
    let salt = call.bursar.entropy().bytes();
    call.bursar.sign_ins.hash(move || password::hash(&password.0.0, salt, Strength::Chosen)).await
}

/// Refuses a member who sets another's password, because they could then sign in as that member.
fn may_set_password(call: &Call) -> Result<(), Refusal> {
    if call.caller.kind == CredentialKind::Organization && call.caller.member.is_none() {
        return Ok(());
    }
    let message =
        "requires an organization key; create a set-up token instead, so that the member chooses the password";
    Err(Refusal::field(Code::OrganizationKeyRequired, "/password", message))
}

pub async fn create(call: Call) -> Outcome {
    let command = match call.body::<CreateMemberInput>() {
        Ok(body) => Ok(CreateMember {
            org: call.caller.org,
            name: body.name.0,
            email: body.email.as_str().to_owned(),
            role: body.role,
            password_hash: match body.password {
                None => None,
                Some(password) => {
                    may_set_password(&call)?;
                    Some(hashed(&call, password).await?)
                }
            },
        }),
        Err(refusal) => Err(refusal),
    };
    let created = call.once(command, |member| Answer::created(&MemberJson::from(member))).await?;
    if created.is_new() {
        call.log_security(SecurityEvent::MemberChanged, "created", None);
    }
    Ok(created)
}

pub async fn list(call: Call) -> Outcome {
    let query: MemberQuery = call.query()?;
    let org = call.caller.org;
    let status = query.status.unwrap_or(MemberStatus::Active);
    let by_app = call.caller.kind == CredentialKind::App && call.caller.member.is_none();
    if by_app && status == MemberStatus::Removed {
        let message = "requires an organization key or a member session";
        return Err(Refusal::field(Code::OrganizationKeyRequired, "status", message));
    }
    let list = call
        .read(move |world| {
            let mine = Query::of::<Member>(org.to_value(), "id", 1);
            let found = page::<Member>(world, mine, &query.asked(), |listed| listed.equal("status", status))?;
            Ok(found.envelope(|member| if by_app { MemberJson::for_app(member) } else { MemberJson::from(member) }))
        })
        .await?;
    Ok(Answer::ok(&list))
}

pub async fn update(call: Call) -> Outcome {
    let id: MemberId = call.id("member_id", "member")?;
    let body: UpdateMemberInput = call.body()?;
    if body.password != Patch::Keep {
        may_set_password(&call)?;
    }
    let command = UpdateMember {
        org: call.caller.org,
        id,
        name: body.name.0.map(|name| name.0),
        email: body.email.0.map(|email| email.as_str().to_owned()),
        role: body.role.0,
        password_hash: match body.password {
            Patch::Keep => Patch::Keep,
            Patch::Clear => Patch::Clear,
            Patch::Set(password) => Patch::Set(hashed(&call, password).await?),
        },
    };
    let member = call.run(command).await?;
    call.log_security(SecurityEvent::MemberChanged, "updated", Some(&member.id.to_string()));
    Ok(Answer::ok(&MemberJson::from(&member)))
}

pub async fn delete(call: Call) -> Outcome {
    let id: MemberId = call.id("member_id", "member")?;
    let member = call.run(RemoveMember { org: call.caller.org, id }).await?;
    call.log_security(SecurityEvent::MemberChanged, "removed", Some(&member.id.to_string()));
    Ok(Answer::ok(&MemberJson::from(&member)))
}

pub fn routes() -> Vec<Route> {
    [member_routes(), super::sign_in::routes()].concat()
}

fn member_routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/members" Organization "create_member" create)
            .members(Permission::Govern)
            .about("Members", "Add a member to the organization")
            .takes::<CreateMemberInput>()
            .example(serde_json::json!({"name": "Jane Doe", "email": "jane@example.com", "role": "ap_approver"}))
            .gives::<MemberJson>(201, "The member.")
            .refuses(&[Code::InvalidState]),
        route!(Get "/v2/members" AppOrOrganization "list_members" list)
            .members(Permission::View)
            .about("Members", "List members")
            .describe(
                "Lists members, newest first. With an app key, returns the id, number, name and role of active \
                 members, so that the app can name the acting member.",
            )
            .asks::<MemberQuery>()
            .gives::<ListEnvelope<MemberJson>>(200, "One page of the list."),
        route!(Patch "/v2/members/{member_id}" Organization "update_member" update)
            .members(Permission::Govern)
            .about("Members", "Update a member")
            .takes::<UpdateMemberInput>()
            .gives::<MemberJson>(200, "The member.")
            .refuses(&[Code::NotFound, Code::InvalidState]),
        route!(Delete "/v2/members/{member_id}" Organization "delete_member" delete)
            .members(Permission::Govern)
            .about("Members", "Remove a member")
            .describe("A removed member can no longer act; histories still name them. A repeated call changes nothing.")
            .gives::<MemberJson>(200, "The member.")
            .refuses(&[Code::NotFound, Code::InvalidState]),
    ]
}
