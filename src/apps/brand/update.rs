use std::sync::Arc;

use super::inputs::{BrandInput, LogoFile};
use super::model::{AppLogo, Brand, Logo, logo};
use super::sender::Sender;
use crate::apps::json::emit_updated;
use crate::apps::model::App;
use crate::apps::rows::find;
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// Changes an app's color, links, contacts and texts.
#[derive(Clone, Debug)]
pub struct UpdateBrand {
    pub scope: Scope,
    pub changes: BrandInput,
}

impl Command for UpdateBrand {
    type Reply = Sender;

    fn decide(&self, world: &mut World) -> Result<Sender, Halt> {
        let app = find(world, self.scope)?;
        let brand = self.changes.applied_to(&app.settings.0.brand);
        keep(world, &app, brand)
    }
}

/// Replaces an app's logo.
#[derive(Clone, Debug)]
pub struct SetLogo {
    pub scope: Scope,
    pub file: LogoFile,
}

impl Command for SetLogo {
    type Reply = Sender;

    fn decide(&self, world: &mut World) -> Result<Sender, Halt> {
        let app = find(world, self.scope)?;
        let LogoFile { bytes, image } = &self.file;
        let size = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let new = Logo { kind: image.kind.into(), width: image.width, height: image.height, bytes: size };

        // From here it must succeed.
        let now = world.now();
        match logo(world, self.scope)? {
            Some(old) if old.bytes == *bytes => {}
            Some(old) => {
                world.change(&old, |row| {
                    row.bytes.clone_from(bytes);
                    row.changed_at = now;
                });
            }
            None => {
                let Scope { org, app } = self.scope;
                world.add(AppLogo { org, app, bytes: bytes.clone(), changed_at: now });
            }
        }
        keep(world, &app, Brand { logo: Some(new), ..app.settings.0.brand.clone() })
    }
}

/// Removes an app's logo. A repeated call changes nothing.
#[derive(Clone, Debug)]
pub struct RemoveLogo {
    pub scope: Scope,
}

impl Command for RemoveLogo {
    type Reply = Sender;

    fn decide(&self, world: &mut World) -> Result<Sender, Halt> {
        let app = find(world, self.scope)?;

        // From here it must succeed.
        if let Some(old) = logo(world, self.scope)? {
            world.remove(&old);
        }
        keep(world, &app, Brand { logo: None, ..app.settings.0.brand.clone() })
    }
}

/// Stores a brand that differs, with its act and the app's event.
fn keep(world: &mut World, app: &Arc<App>, brand: Brand) -> Result<Sender, Halt> {
    if brand == app.settings.0.brand {
        return Ok(Sender::from(&**app));
    }
    let act = NewAct::of(ActKind::SettingsChanged, Some(app.id), app.id).changing(&app.settings.0.brand, &brand);
    let app = world.change(app, |app| {
        app.settings.0.brand = brand;
        app.version += 1;
    });
    emit_updated(world, &app)?;
    acts::record(world, app.org, act)?;
    Ok(Sender::from(&*app))
}
