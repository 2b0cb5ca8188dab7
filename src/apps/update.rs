use super::fee_tables;
use super::json::{AppJson, emit_updated, shown};
use super::model::App;
use super::rows::find;
use super::settings::Settings;
use super::settings_input::SettingsInput;
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ledger::wallet_funding;
use crate::patch::Patch;
use crate::scope::Scope;
use crate::world::{Halt, World};

/// Changes an app's name and metadata.
#[derive(Clone, Debug)]
pub struct UpdateApp {
    pub scope: Scope,
    pub name: Option<String>,
    pub metadata: Patch<String>,
}

impl Command for UpdateApp {
    type Reply = AppJson;

    fn decide(&self, world: &mut World) -> Result<AppJson, Halt> {
        let app = find(world, self.scope)?;
        let mut changed = App::clone(&app);
        if let Some(name) = &self.name {
            changed.name.clone_from(name);
        }
        match &self.metadata {
            Patch::Keep => {}
            Patch::Clear => changed.metadata = None,
            Patch::Set(metadata) => changed.metadata = Some(metadata.clone()),
        }
        // Equal values are no transition and emit no event.
        if changed.name == app.name && changed.metadata == app.metadata {
            return shown(world, &app);
        }

        // From here it must succeed.
        let before = serde_json::json!({"name": app.name, "metadata": app.metadata});
        let app = world.change(&app, |app| {
            app.name = changed.name;
            app.metadata = changed.metadata;
            app.version += 1;
        });
        emit_updated(world, &app)?;
        let after = serde_json::json!({"name": app.name, "metadata": app.metadata});
        let act = NewAct::of(ActKind::AppChanged, Some(app.id), app.id).changing(&before, &after);
        acts::record(world, self.scope.org, act)?;
        shown(world, &app)
    }
}

#[derive(Clone, Debug)]
pub struct UpdateSettings {
    pub scope: Scope,
    pub changes: SettingsInput,
}

impl Command for UpdateSettings {
    type Reply = Settings;

    fn decide(&self, world: &mut World) -> Result<Settings, Halt> {
        let app = find(world, self.scope)?;
        let (settings, version) = self.changes.applied_to(&app.settings.0, world.now())?;
        if settings == app.settings.0 {
            return Ok(settings);
        }

        // From here it must succeed.
        if settings.auto_refill != app.settings.0.auto_refill {
            let floor = settings.auto_refill.map(|refill| refill.threshold);
            wallet_funding::change(world, self.scope, |watch| {
                watch.floor = floor;
                watch.refill_after = None;
            })?;
        }
        if let Some(version) = version {
            fee_tables::keep(world, self.scope, version);
        }
        let act = NewAct::of(ActKind::SettingsChanged, Some(app.id), app.id).changing(&app.settings.0, &settings);
        let app = world.change(&app, |app| {
            app.settings.0.clone_from(&settings);
            app.version += 1;
        });
        emit_updated(world, &app)?;
        acts::record(world, self.scope.org, act)?;
        Ok(settings)
    }
}
