//! The app that an object belongs to.

use crate::ids::{AppId, OrgId};

/// An app of an organization: what every tenant object belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    /// The organization.
    pub org: OrgId,
    /// The app.
    pub app: AppId,
}
