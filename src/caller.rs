//! The caller of a request, as authentication found it.

use crate::ids::{AppId, MemberId, MemberSessionId, OrgId};
use crate::permission::Permission;
use crate::world::{Halt, Want, World};

/// The kind of credential that a caller presented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialKind {
    None,
    /// A client id alone, which is public.
    Client,
    App,
    Organization,
    /// A member session without a key.
    Member,
}

/// A member whose session came with the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedIn {
    pub member: MemberId,
    pub session: MemberSessionId,
    /// The permission that the route requires of their role.
    pub permission: Permission,
}

#[derive(Clone, Debug)]
pub struct Caller {
    pub org: OrgId,
    pub app: Option<AppId>,
    pub kind: CredentialKind,
    /// The signed-in member, if the route accepts member sessions.
    pub member: Option<SignedIn>,
    /// The credential's client id, for the log.
    pub client_id: String,
    pub admission: Admission,
}

/// The check that the caller's app and credential still exist. It runs again in the commit of the command, because a
/// deletion may have come first. `apps` supplies it, because this module must not depend on apps.
#[derive(Clone, Copy, Debug)]
pub struct Admission {
    /// The rows that [`Admission::refuse_gone`] reads.
    pub needs: fn(&Caller) -> Vec<Want>,
    /// Refuses a caller whose app or credential was deleted.
    pub refuse_gone: fn(&World, &Caller) -> Result<(), Halt>,
}
