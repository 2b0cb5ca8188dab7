//! Members over HTTP (decisions.md 2).

use serde::Serialize;

use super::change::{CreateMember, RemoveMember, UpdateMember};
use super::model::{Member, MemberStatus, Role};
use super::password::{self, Strength};
use crate::clock::Time;
use crate::email::Email;
use crate::http::input::{Change, Input, Patch, Problems, input, wrong};
use crate::http::inputs::{Name, Text, word_input};
use crate::http::lists::{ListEnvelope, list_query, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::MemberId;
use crate::refusal::{Code, Refusal};
use crate::strict_json::Json;
use crate::world::Query;
use crate::world::record::Cell as _;

/// Shortest password, in characters.
const PASSWORD_MIN: usize = 12;
/// Longest password, in characters.
const PASSWORD_MAX: usize = 200;

word_input!(Role);
word_input!(MemberStatus);

/// A password that a person chose. Its `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(***)")
    }
}

impl Input for Password {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let password = Text::<PASSWORD_MAX>::read(json, at)?.0;
        if password.chars().count() < PASSWORD_MIN {
            return Err(wrong(at, format!("must have at least {PASSWORD_MIN} characters")));
        }
        Ok(Self(password))
    }
    fn schema() -> serde_json::Value {
        let mut schema = Text::<PASSWORD_MAX>::schema();
        schema["format"] = "password".into();
        schema["minLength"] = PASSWORD_MIN.into();
        schema
    }
}

input! {
    /// A member to be added.
    pub struct CreateMemberInput {
        /// Their name.
        pub name: Name,
        /// Their address; no two members have the same.
        pub email: Email,
        /// What they may do.
        pub role: Role,
        /// For the dashboard; who has none cannot sign in there.
        pub password: Option<Password>,
    }
}

input! {
    /// What to change of a member. What is not sent stays.
    pub struct UpdateMemberInput {
        /// Another name.
        pub name: Change<Name>,
        /// Another address.
        pub email: Change<Email>,
        /// Another role.
        pub role: Change<Role>,
        /// Another password; null takes it away, and with it the dashboard.
        pub password: Patch<Password>,
    }
}

list_query! {
    /// Which members.
    pub struct MemberQuery {
        /// Only those who may act (active, the default), or those who were removed.
        pub status: Option<MemberStatus>,
    }
}

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct MemberJson {
    /// What `acting_user_id` takes.
    pub id: MemberId,
    /// What `user_id` in histories shows.
    pub number: i64,
    /// Their name.
    pub name: String,
    /// Their address.
    pub email: String,
    /// What they may do.
    pub role: Role,
    /// Whether they may act.
    pub status: MemberStatus,
    /// When they were added.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When they were removed.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub removed: Option<Time>,
}

impl From<&Member> for MemberJson {
    fn from(member: &Member) -> Self {
        Self {
            id: member.id,
            number: member.number,
            name: member.name.clone(),
            email: member.email.clone(),
            role: member.role,
            status: member.status,
            created: member.created_at,
            removed: member.removed_at,
        }
    }
}

/// Hashes a password off the async threads, which it would hold up.
async fn hashed(call: &Call, password: Option<Password>) -> Result<Option<String>, Refusal> {
    let Some(password) = password else { return Ok(None) };
    let salt = call.bursar.entropy().bytes();
    let hashing = tokio::task::spawn_blocking(move || password::hash(&password.0, salt, Strength::Chosen)).await;
    hashing.map(Some).map_err(|_| Refusal::new(Code::InternalError, "A bug of ours stopped this request."))
}

/// POST /v2/members
pub async fn create(call: Call) -> Outcome {
    let command = match call.body::<CreateMemberInput>() {
        Ok(body) => Ok(CreateMember {
            org: call.caller.org,
            name: body.name.0,
            email: body.email.as_str().to_owned(),
            role: body.role,
            password_hash: hashed(&call, body.password).await?,
        }),
        Err(refusal) => Err(refusal),
    };
    call.once(command, |member| Answer::created(&MemberJson::from(member))).await
}

/// GET /v2/members
pub async fn list(call: Call) -> Outcome {
    let query: MemberQuery = call.query()?;
    let org = call.caller.org;
    let status = query.status.unwrap_or(MemberStatus::Active);
    let list = call
        .read(move |world| {
            let mine = Query::of::<Member>(org.to_value(), "id", 1);
            let found = page::<Member>(world, mine, &query.asked(), |listed| listed.equal("status", status))?;
            Ok(found.envelope(|member| MemberJson::from(member)))
        })
        .await?;
    Ok(Answer::ok(&list))
}

/// PATCH /v2/members/{member_id}
pub async fn update(call: Call) -> Outcome {
    let id: MemberId = call.id("member_id", "member")?;
    let body: UpdateMemberInput = call.body()?;
    let command = UpdateMember {
        org: call.caller.org,
        id,
        name: body.name.0.map(|name| name.0),
        email: body.email.0.map(|email| email.as_str().to_owned()),
        role: body.role.0,
        password_hash: match body.password {
            Patch::Keep => Patch::Keep,
            Patch::Clear => Patch::Clear,
            Patch::Set(password) => hashed(&call, Some(password)).await?.map_or(Patch::Clear, Patch::Set),
        },
    };
    let member = call.run(command).await?;
    Ok(Answer::ok(&MemberJson::from(&member)))
}

/// DELETE /v2/members/{member_id}
pub async fn delete(call: Call) -> Outcome {
    let id: MemberId = call.id("member_id", "member")?;
    let member = call.run(RemoveMember { org: call.caller.org, id }).await?;
    Ok(Answer::ok(&MemberJson::from(&member)))
}

/// The routes of members.
pub fn routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/members" Organization "create_member" create)
            .about("Members", "Adds a member to the organization.")
            .takes::<CreateMemberInput>()
            .example(serde_json::json!({"name": "Jane Doe", "email": "jane@example.com", "role": "ap_approver"}))
            .gives::<MemberJson>(201, "The member.")
            .refuses(&[Code::InvalidState]),
        route!(Get "/v2/members" AppOrOrganization "list_members" list)
            .about("Members", "Lists members, newest first.")
            .describe("An app's key may list them too: accounts payable takes their ids.")
            .asks::<MemberQuery>()
            .gives::<ListEnvelope<MemberJson>>(200, "The members."),
        route!(Patch "/v2/members/{member_id}" Organization "update_member" update)
            .about("Members", "Changes a member.")
            .takes::<UpdateMemberInput>()
            .gives::<MemberJson>(200, "The member.")
            .refuses(&[Code::NotFound, Code::InvalidState]),
        route!(Delete "/v2/members/{member_id}" Organization "delete_member" delete)
            .about("Members", "Removes a member.")
            .describe("They act no more; histories still name them. To remove them again changes nothing.")
            .gives::<MemberJson>(200, "The member.")
            .refuses(&[Code::NotFound, Code::InvalidState]),
    ]
}
