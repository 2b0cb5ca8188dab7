//! An app, as payees see it.

use super::model::Brand;
use crate::apps::model::App;
use crate::scope::Scope;

/// The app of a page or a message, as payees see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    pub scope: Scope,
    pub name: String,
    pub brand: Brand,
}

impl From<&App> for Sender {
    fn from(app: &App) -> Self {
        let scope = Scope { org: app.org, app: app.id };
        Self { scope, name: app.name.clone(), brand: app.settings.0.brand.clone() }
    }
}

impl Sender {
    /// Returns the path of the public page about the sender.
    pub fn path(&self) -> String {
        format!("/senders/{}/{}", self.scope.org, self.scope.app)
    }

    pub fn logo_path(&self) -> String {
        format!("{}/logo", self.path())
    }
}
