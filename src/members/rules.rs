//! The permissions of each role.

use super::model::Role;
use crate::permission::Permission;

/// Whether a role has a permission: the only rule, for keys that name a member and for signed-in members.
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

/// Returns the roles that have a permission.
pub fn roles_that_may(permission: Permission) -> String {
    let roles: Vec<&str> = Role::ALL.iter().filter(|role| may(**role, permission)).map(|role| role.as_str()).collect();
    roles.join(", ")
}
