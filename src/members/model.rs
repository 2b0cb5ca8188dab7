use crate::clock::Time;
use crate::ids::{MemberId, OrgId};
use crate::world::record::{record, words};

words! {
    /// The permissions of a member.
    pub enum Role {
        /// All acts except approving their own submissions.
        Admin = "admin",
        /// Read only.
        Viewer = "viewer",
        /// Pay approved bills.
        Payer = "payer",
        /// Approve and reject.
        ApApprover = "ap_approver",
        /// Create and submit.
        ApCreator = "ap_creator",
    }
}

words! {
    /// Whether a member still belongs to the organization.
    pub enum MemberStatus {
        /// May act.
        Active = "active",
        /// May not act any more; histories still name the member.
        Removed = "removed",
    }
}

record! {
    /// A person of an organization.
    pub struct Member in "members" {
        key (org, id)
        many OF_ORG (org);
        pub org: OrgId,
        /// The value of `acting_user_id`.
        pub id: MemberId,
        /// The `user_id` in histories: 1 for an organization's first member.
        pub number: i64,
        pub name: String,
        /// Unique among the organization's active members.
        pub email: String,
        pub role: Role,
        pub status: MemberStatus,
        /// `None` for a member who cannot sign in.
        pub password_hash: Option<String>,
        pub created_at: Time,
        pub removed_at: Option<Time>,
        pub version: i64,
    }
}

/// The input for a new member.
#[derive(Clone, Debug)]
pub struct NewMember {
    pub id: MemberId,
    pub name: String,
    pub email: String,
    pub role: Role,
    /// See [`super::password`].
    pub password_hash: Option<String>,
}
