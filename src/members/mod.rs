//! Team members: the people of an organization, who act in accounts payable and the
//! dashboard (docs/decisions.md 2).
//!
//! Invariant: a member's number is given once and never again, because histories show
//! it. So a member is never deleted, only removed. Deliberately absent: what each role
//! may do; the nouns that members act on say that. Start at [`Member`].

pub mod change;
pub mod http;
mod model;
pub mod password;
pub mod sign_in;

pub use change::{CreateMember, RemoveMember, UpdateMember};
pub use http::routes;
pub use model::{Member, MemberStatus, NewMember, Role, add, find};

use crate::permission::Permission;

/// Whether a role may do this: the one rule for keys that name a member and for members who are signed in.
pub const fn may(role: Role, permission: Permission) -> bool {
    match (role, permission) {
        (_, Permission::Own | Permission::View)
        | (
            Role::Admin,
            Permission::Prepare | Permission::Approve | Permission::Pay | Permission::Confirm | Permission::Govern,
        )
        | (Role::ApCreator, Permission::Prepare | Permission::Confirm)
        | (Role::ApApprover, Permission::Approve | Permission::Confirm)
        | (Role::Payer, Permission::Pay | Permission::Confirm) => true,
        (Role::ApCreator, Permission::Approve | Permission::Pay | Permission::Govern)
        | (Role::ApApprover, Permission::Prepare | Permission::Pay | Permission::Govern)
        | (Role::Payer, Permission::Prepare | Permission::Approve | Permission::Govern)
        | (
            Role::Viewer,
            Permission::Prepare | Permission::Approve | Permission::Pay | Permission::Confirm | Permission::Govern,
        ) => false,
    }
}

/// The roles that may do this.
pub fn roles_that_may(permission: Permission) -> String {
    let roles: Vec<&str> = Role::ALL.iter().filter(|role| may(**role, permission)).map(|role| role.as_str()).collect();
    roles.join(", ")
}
