//! Issues and revokes keys of apps and organizations. Two may live at once, so that a rotation has an overlap.

use std::sync::Arc;

use super::json::{KeyJson, emit_updated};
use super::keys::{LIVE_KEYS_MAX, NewKey};
use super::model::{Key, Organization};
use super::rows::find;
use crate::clock::Time;
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{AppId, OrgId};
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    App(Scope),
    /// Only the operator of the service can rotate these; the API cannot.
    Organization(OrgId),
}

impl Owner {
    const fn org(self) -> OrgId {
        match self {
            Self::App(scope) => scope.org,
            Self::Organization(org) => org,
        }
    }

    const fn app(self) -> Option<AppId> {
        match self {
            Self::App(scope) => Some(scope.app),
            Self::Organization(_) => None,
        }
    }

    /// Refuses an unknown owner.
    fn is_there(self, world: &mut World) -> Result<(), Halt> {
        match self {
            Self::App(scope) => find(world, scope).map(drop),
            Self::Organization(org) => match world.get::<Organization>(key![org])? {
                Some(_) => Ok(()),
                None => Err(Refusal::not_found("organization").into()),
            },
        }
    }

    /// Returns the owner's keys, revoked ones included.
    ///
    /// # Errors
    ///
    /// `not-found` for an unknown owner.
    pub fn keys(self, world: &mut World) -> Result<Vec<Arc<Key>>, Halt> {
        self.is_there(world)?;
        match self {
            Self::App(scope) => world.all::<Key>(Key::OF_APP, key![scope.org, Some(scope.app)]),
            Self::Organization(org) => {
                let all = world.all::<Key>(Key::OF_ORG, key![org])?;
                Ok(all.into_iter().filter(|key| key.app.is_none()).collect())
            }
        }
    }

    /// Emits the change to the app's log; an organization has none.
    fn emit(self, world: &mut World) -> Result<(), Halt> {
        match self {
            Self::App(scope) => {
                let app = find(world, scope)?;
                let app = world.change(&app, |app| app.version += 1);
                emit_updated(world, &app)
            }
            Self::Organization(_) => Ok(()),
        }
    }
}

#[derive(Clone, Debug)]
pub struct IssueKey {
    pub owner: Owner,
    pub key: NewKey,
    /// `None` for never.
    pub expires_at: Option<Time>,
}

impl Command for IssueKey {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let (keys, now) = (self.owner.keys(world)?, world.now());
        if self.expires_at.is_some_and(|at| at <= now) {
            return Err(Refusal::field(Code::InvalidInput, "/expires_at", "must be in the future").into());
        }
        if keys.iter().filter(|key| key.is_live(now)).count() >= LIVE_KEYS_MAX {
            let message = format!("The app has {LIVE_KEYS_MAX} active keys, which is the limit. Revoke one first.");
            return Err(Refusal::over_limit("active_keys", LIVE_KEYS_MAX, message).into());
        }

        // From here it must succeed.
        let issued = self.key.record(self.owner.org(), self.owner.app(), now);
        world.add(Key { expires_at: self.expires_at, ..issued });
        self.owner.emit(world)?;
        let act = NewAct::of(ActKind::KeyIssued, self.owner.app(), &self.key.client_id);
        acts::record(world, self.owner.org(), act)
    }
}

/// Revokes a key. A second revocation changes nothing.
#[derive(Clone, Debug)]
pub struct RevokeKey {
    pub owner: Owner,
    pub client_id: String,
}

impl Command for RevokeKey {
    type Reply = KeyJson;

    fn decide(&self, world: &mut World) -> Result<KeyJson, Halt> {
        self.owner.is_there(world)?;
        let key = world.get::<Key>(key![self.owner.org(), self.client_id])?;
        let Some(key) = key.filter(|key| key.app == self.owner.app()) else {
            return Err(Refusal::not_found("key").into());
        };
        if key.revoked_at.is_some() {
            return Ok(KeyJson::from(&*key));
        }

        // From here it must succeed.
        let now = world.now();
        let key = world.change(&key, |key| key.revoked_at = Some(now));
        self.owner.emit(world)?;
        acts::record(world, self.owner.org(), NewAct::of(ActKind::KeyRevoked, self.owner.app(), &self.client_id))?;
        Ok(KeyJson::from(&*key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::keys::{Drawn, Opens};
    use crate::apps::{CreateApp, CreateDemonstration, Credentials};
    use crate::closing::DeleteApp;
    use crate::events::{self, Filter, Page};
    use crate::program::{Bursar, Environment};
    use crate::world::Direction;

    const ORG: OrgId = OrgId(uuid::Uuid::from_u128(1));

    fn drawn(bursar: &Bursar) -> NewKey {
        Drawn::draw(&mut bursar.entropy(), Environment::Sandbox, ORG, Opens::App).to_store(&bursar.vault)
    }

    async fn app(bursar: &Bursar) -> Scope {
        let (environment, name) = (Environment::Sandbox, "Corner Shop".to_owned());
        let command = CreateApp { org: ORG, environment, name, metadata: None, key: drawn(bursar) };
        Scope { org: ORG, app: bursar.engine.run(ORG, command).await.unwrap().id }
    }

    #[tokio::test]
    async fn two_keys_live_at_once_and_never_three() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        let scope = app(&bursar).await;
        let second = drawn(&bursar);
        bursar
            .engine
            .run(ORG, IssueKey { owner: Owner::App(scope), key: second.clone(), expires_at: None })
            .await
            .unwrap();
        let refusal = bursar
            .engine
            .run(ORG, IssueKey { owner: Owner::App(scope), key: drawn(&bursar), expires_at: None })
            .await
            .unwrap_err();
        assert_eq!(refusal.code, Code::LimitExceeded);

        let client_id = second.client_id;
        let revoked =
            bursar.engine.run(ORG, RevokeKey { owner: Owner::App(scope), client_id: client_id.clone() }).await.unwrap();
        assert!(revoked.revoked.is_some());
        let again = bursar.engine.run(ORG, RevokeKey { owner: Owner::App(scope), client_id }).await.unwrap();
        assert_eq!(again, revoked, "a second revocation changes nothing");
        bursar
            .engine
            .run(ORG, IssueKey { owner: Owner::App(scope), key: drawn(&bursar), expires_at: None })
            .await
            .unwrap();
    }

    #[tokio::test]
    async fn an_organization_rotates_its_own_keys_and_those_of_its_apps() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        let drawn = Credentials::draw(&mut bursar.entropy(), bursar.clock.now(), Environment::Sandbox, "");
        let command = CreateDemonstration::of(&drawn, &bursar.vault, &mut bursar.entropy());
        bursar.engine.run(ORG, command).await.unwrap();
        let owner = Owner::Organization(drawn.organization.id);
        let new = || {
            let drawn = Drawn::draw(&mut bursar.entropy(), Environment::Sandbox, owner.org(), Opens::Organization);
            drawn.to_store(&bursar.vault)
        };
        bursar.engine.run(ORG, IssueKey { owner, key: new(), expires_at: None }).await.unwrap();
        let refusal = bursar.engine.run(ORG, IssueKey { owner, key: new(), expires_at: None }).await.unwrap_err();
        assert_eq!(refusal.code, Code::LimitExceeded);
        let apps = RevokeKey { owner, client_id: drawn.app.client_id };
        assert_eq!(bursar.engine.run(ORG, apps).await.unwrap_err().code, Code::NotFound);
        bursar.engine.run(ORG, RevokeKey { owner, client_id: drawn.organization.client_id }).await.unwrap();
        let keys = bursar.read(move |world| owner.keys(world)).await.unwrap();
        let live: Vec<bool> = keys.iter().map(|key| key.revoked_at.is_none()).collect();
        assert_eq!(live.iter().filter(|live| **live).count(), 1);
        let unknown = Owner::Organization(ORG);
        let refusal =
            bursar.engine.run(ORG, IssueKey { owner: unknown, key: new(), expires_at: None }).await.unwrap_err();
        assert_eq!(refusal.code, Code::NotFound);
    }

    #[tokio::test]
    async fn an_app_revokes_its_own_keys_only() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        let (ours, theirs) = (app(&bursar).await, app(&bursar).await);
        let key = drawn(&bursar);
        bursar
            .engine
            .run(ORG, IssueKey { owner: Owner::App(theirs), key: key.clone(), expires_at: None })
            .await
            .unwrap();
        let refusal =
            bursar.engine.run(ORG, RevokeKey { owner: Owner::App(ours), client_id: key.client_id }).await.unwrap_err();
        assert_eq!(refusal.code, Code::NotFound);
    }

    #[tokio::test]
    async fn a_deleted_app_has_no_live_key_and_one_event_for_each_change() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        let scope = app(&bursar).await;
        bursar
            .engine
            .run(ORG, IssueKey { owner: Owner::App(scope), key: drawn(&bursar), expires_at: None })
            .await
            .unwrap();
        let events_seen = bursar.read(move |world| events::length(world, scope)).await.unwrap();
        let delete = |events_seen| DeleteApp { scope, events_seen };
        let too_late = bursar.engine.run(ORG, delete(events_seen - 1)).await.unwrap();
        assert_eq!(too_late, None, "something happened since the app's objects were looked at");
        assert!(bursar.engine.run(ORG, delete(events_seen)).await.unwrap().is_some());
        let refusal = bursar.engine.run(ORG, delete(events_seen)).await.unwrap_err();
        assert_eq!(refusal.code, Code::NotFound);

        let keys = bursar.read(move |world| world.all::<Key>(Key::OF_APP, key![ORG, Some(scope.app)])).await.unwrap();
        assert!(keys.len() == 2 && keys.iter().all(|key| key.revoked_at.is_some()));
        let (filter, direction) = (Filter::default(), Direction::Descending);
        let newest = Page { scope, filter, direction, after: None, limit: 10 };
        let reported = bursar.read(move |world| newest.events(world)).await.unwrap();
        let versions: Vec<(i64, &str)> = reported.iter().map(|event| (event.version, event.name.as_str())).collect();
        assert_eq!(versions, [(3, "app.updated"), (2, "app.updated"), (1, "app.updated")]);
    }
}
