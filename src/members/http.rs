use super::change::{CreateMember, RemoveMember, UpdateMember};
use super::inputs::{CreateMemberInput, NewPassword, UpdateMemberInput};
use super::json::MemberJson;
use super::model::{Member, MemberStatus, Role};
use super::password::{self, Strength};
use crate::http::lists::{ListEnvelope, list_query, page};
use crate::http::route::route;
use crate::http::{Answer, Call, CredentialKind, Outcome, Route};
use crate::ids::MemberId;
use crate::input::types::word_input;
use crate::patch::Patch;
use crate::permission::Permission;
use crate::refusal::{Code, Refusal};
use crate::security_log::SecurityEvent;
use crate::world::Query;
use crate::world::record::Cell as _;

word_input!(Role);
word_input!(MemberStatus);

list_query! {
    /// Selects members.
    pub struct MemberQuery {
        /// Only active (the default) or only removed members.
        pub status: Option<MemberStatus>,
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
    vec![
        route!(Post "/v2/members" Organization "create_member" create)
            .members(Permission::Govern)
            .about("Members", "Add a member to the organization")
            .describe("Adds a person who acts for the organization. The role decides what the member may do.")
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
            .gives::<ListEnvelope<MemberJson>>(200, "One page of the list.")
            .refuses(&[Code::OrganizationKeyRequired]),
        route!(Patch "/v2/members/{member_id}" Organization "update_member" update)
            .members(Permission::Govern)
            .about("Members", "Update a member")
            .describe("Changes only the fields that are sent.")
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
