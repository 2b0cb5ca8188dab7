//! Issues and revokes the keys of an app. Two may live at once, so that a rotation has an overlap.

use super::json::{KeyJson, tell_updated};
use super::keys::{LIVE_KEYS_MAX, NewKey};
use super::model::{App, Key, find};
use crate::engine::Command;
use crate::http::Scope;
use crate::ids::OrgId;
use crate::refusal::{Code, Refusal};
use crate::world::record::key;
use crate::world::{Halt, World};

/// A further key of an app.
#[derive(Clone, Debug)]
pub struct IssueKey {
    /// Which app's.
    pub scope: Scope,
    /// The key.
    pub key: NewKey,
}

impl Command for IssueKey {
    type Reply = ();

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let app = find(world, self.scope)?;
        let keys = world.all::<Key>(Key::OF_APP, key![self.scope.org, Some(self.scope.app)])?;
        if keys.iter().filter(|key| key.revoked_at.is_none()).count() >= LIVE_KEYS_MAX {
            let message = format!("The app has {LIVE_KEYS_MAX} live keys already. Revoke one of them first.");
            return Err(Refusal::new(Code::LimitExceeded, message).into());
        }

        // From here it must succeed.
        let issued = self.key.record(self.scope.org, Some(self.scope.app), world.now());
        world.add(issued);
        tell_new_version(world, &app)
    }
}

/// A key that shall open nothing any more. To revoke it again changes nothing.
#[derive(Clone, Debug)]
pub struct RevokeKey {
    /// Which app's.
    pub scope: Scope,
    /// Its public half.
    pub client_id: String,
}

impl Command for RevokeKey {
    type Reply = KeyJson;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<KeyJson, Halt> {
        let app = find(world, self.scope)?;
        let key = world.get::<Key>(key![self.scope.org, self.client_id])?;
        let Some(key) = key.filter(|key| key.app == Some(self.scope.app)) else {
            return Err(Refusal::not_found("key").into());
        };
        if key.revoked_at.is_some() {
            return Ok(KeyJson::from(&*key));
        }

        // From here it must succeed.
        let now = world.now();
        let key = world.change(&key, |key| key.revoked_at = Some(now));
        tell_new_version(world, &app)?;
        Ok(KeyJson::from(&*key))
    }
}

fn tell_new_version(world: &mut World, app: &std::sync::Arc<App>) -> Result<(), Halt> {
    let app = world.change(app, |app| app.version += 1);
    tell_updated(world, &app)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::keys::{Drawn, Opens};
    use crate::apps::{CreateApp, DeleteApp};
    use crate::events::Event;
    use crate::http::{Bursar, Environment};
    use crate::world::Query;
    use crate::world::record::Cell as _;

    const ORG: OrgId = OrgId(uuid::Uuid::from_u128(1));

    fn drawn(bursar: &Bursar) -> NewKey {
        Drawn::draw(&mut bursar.entropy(), Environment::Sandbox, ORG, Opens::App).to_store(&bursar.vault)
    }

    async fn app(bursar: &Bursar) -> Scope {
        let (environment, name) = (Environment::Sandbox, "Corner Shop".to_owned());
        let command = CreateApp { org: ORG, environment, name, metadata: None, key: drawn(bursar) };
        Scope { org: ORG, app: bursar.engine.run(command).await.unwrap().id }
    }

    #[tokio::test]
    async fn two_keys_live_at_once_and_never_three() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        let scope = app(&bursar).await;
        let second = drawn(&bursar);
        bursar.engine.run(IssueKey { scope, key: second.clone() }).await.unwrap();
        let refusal = bursar.engine.run(IssueKey { scope, key: drawn(&bursar) }).await.unwrap_err();
        assert_eq!(refusal.code, Code::LimitExceeded);

        let client_id = second.client_id;
        let revoked = bursar.engine.run(RevokeKey { scope, client_id: client_id.clone() }).await.unwrap();
        assert!(revoked.revoked.is_some());
        let again = bursar.engine.run(RevokeKey { scope, client_id }).await.unwrap();
        assert_eq!(again, revoked, "a second revocation changes nothing");
        bursar.engine.run(IssueKey { scope, key: drawn(&bursar) }).await.unwrap();
    }

    #[tokio::test]
    async fn an_app_revokes_its_own_keys_only() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        let (ours, theirs) = (app(&bursar).await, app(&bursar).await);
        let key = drawn(&bursar);
        bursar.engine.run(IssueKey { scope: theirs, key: key.clone() }).await.unwrap();
        let refusal = bursar.engine.run(RevokeKey { scope: ours, client_id: key.client_id }).await.unwrap_err();
        assert_eq!(refusal.code, Code::NotFound);
    }

    #[tokio::test]
    async fn a_deleted_app_has_no_live_key_and_one_event_for_each_change() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        let scope = app(&bursar).await;
        bursar.engine.run(IssueKey { scope, key: drawn(&bursar) }).await.unwrap();
        bursar.engine.run(DeleteApp { scope }).await.unwrap();
        let refusal = bursar.engine.run(DeleteApp { scope }).await.unwrap_err();
        assert_eq!(refusal.code, Code::NotFound);

        let keys = bursar.read(move |world| world.all::<Key>(Key::OF_APP, key![ORG, Some(scope.app)])).await.unwrap();
        assert!(keys.len() == 2 && keys.iter().all(|key| key.revoked_at.is_some()));
        let all = Query::of::<Event>(ORG.to_value(), "sequence", 10);
        let told = bursar.read(move |world| world.page::<Event>(&all)).await.unwrap();
        let versions: Vec<(i64, &str)> = told.iter().map(|event| (event.version, event.name.as_str())).collect();
        assert_eq!(versions, [(3, "app.updated"), (2, "app.updated"), (1, "app.updated")]);
    }
}
