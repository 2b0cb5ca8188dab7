use super::json::{AppJson, emit_updated, shown};
use super::keys::NewKey;
use super::model::{App, AppStatus};
use super::settings::Settings;
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::OrgId;
use crate::program::Environment;
use crate::world::record::Document;
use crate::world::{Halt, World};

/// Creates an app with its first key.
#[derive(Clone, Debug)]
pub struct CreateApp {
    pub org: OrgId,
    /// The sandbox approves an app at once.
    pub environment: Environment,
    pub name: String,
    pub metadata: Option<String>,
    pub key: NewKey,
}

impl Command for CreateApp {
    type Reply = AppJson;

    fn decide(&self, world: &mut World) -> Result<AppJson, Halt> {
        let now = world.now();
        let app = world.id();
        world.add(self.key.record(self.org, Some(app), now));
        let app = world.add(App {
            org: self.org,
            id: app,
            name: self.name.clone(),
            status: match self.environment {
                Environment::Sandbox => AppStatus::Approved,
                Environment::Production => AppStatus::Created,
            },
            metadata: self.metadata.clone(),
            settings: Document(Settings::of_new_app(self.environment)),
            version: 1,
            created_at: now,
            deleted_at: None,
        });
        emit_updated(world, &app)?;
        acts::record(world, self.org, NewAct::of(ActKind::AppCreated, Some(app.id), app.id))?;
        acts::record(world, self.org, NewAct::of(ActKind::KeyIssued, Some(app.id), &self.key.client_id))?;
        shown(world, &app)
    }
}
