use serde::Serialize;
use utoipa::ToSchema;

use super::named::may_approve;
use crate::http::lists::{ListEnvelope, list_query, page_of};
use crate::http::route::route;
use crate::http::{Answer, Call, CredentialKind, Outcome, Route};
use crate::ids::MemberId;
use crate::members::{Member, Role};
use crate::permission::Permission;
use crate::world::record::key;

list_query! {
    /// The filter of the list of approvers.
    pub struct ApproversQuery {}
}

/// A member who may approve bills.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ApproverJson {
    /// The member's id, for `acting_user_id` and approval policies.
    pub id: MemberId,
    /// The member's number, shown as `user_id` in histories.
    pub user_id: i64,
    /// The member's name.
    pub name: String,
    /// The member's e-mail address. Null if an app key sends the request.
    #[schema(required)]
    pub email: Option<String>,
    /// admin or ap_approver.
    pub role: Role,
}

impl From<&Member> for ApproverJson {
    fn from(member: &Member) -> Self {
        let Member { id, number, name, email, role, .. } = member.clone();
        Self { id, user_id: number, name, email: Some(email), role }
    }
}

pub async fn list(call: Call) -> Outcome {
    let org = call.scope()?.org;
    let query: ApproversQuery = call.query()?;
    let by_app = call.caller.kind == CredentialKind::App && call.caller.member.is_none();
    // An organization has few members, and the permission to approve is a rule, not a column.
    let list = call
        .read(move |world| {
            let members = world.all::<Member>(Member::OF_ORG, key![org])?;
            let found = page_of(members, &query.asked(), |member| (member.id.0, member.created_at), may_approve)?;
            let shown = |member: &Member| {
                let approver = ApproverJson::from(member);
                // The address with which a member signs in is not visible to an app key.
                if by_app { ApproverJson { email: None, ..approver } } else { approver }
            };
            Ok(found.envelope(|member| shown(member)))
        })
        .await?;
    Ok(Answer::ok(&list))
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/accounts-payable/approvers" App "list_approvers" list)
            .members(Permission::View)
            .about("Accounts payable", "List the members who may approve")
            .describe("Lists active members with the role admin or ap_approver, newest first.")
            .asks::<ApproversQuery>()
            .gives::<ListEnvelope<ApproverJson>>(200, "One page of the list."),
    ]
}
