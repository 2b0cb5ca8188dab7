use crate::ids::{AppId, OrgId};

/// An app of an organization: the owner of every tenant object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    pub org: OrgId,
    pub app: AppId,
}
