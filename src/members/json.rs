//! A member as JSON.

use serde::Serialize;

use super::model::{Member, MemberStatus, Role};
use crate::clock::Time;
use crate::ids::MemberId;

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
