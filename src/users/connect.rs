use super::profiles::connect_app;
use super::rows::find_in_organization;
use super::{UserJson, is_connected, json, rules};
use crate::apps;
use crate::engine::Command;
use crate::ids::{AppId, OrgId, UserId};
use crate::scope::Scope;
use crate::world::{Halt, World};

/// Connects a user to an app. A repeated call changes nothing.
#[derive(Clone, Debug)]
pub struct ConnectUser {
    pub org: OrgId,
    pub user: UserId,
    pub app: AppId,
}

impl Command for ConnectUser {
    type Reply = UserJson;

    fn decide(&self, world: &mut World) -> Result<UserJson, Halt> {
        let scope = Scope { org: self.org, app: self.app };
        let user = find_in_organization(world, self.org, self.user)?;
        apps::find(world, scope)?;
        rules::must_be_active(&user)?;
        if is_connected(world, scope, user.id)? {
            return json(world, scope, &user);
        }

        // From here it must succeed. Only the newly connected app receives an event.
        connect_app(world, scope, &user, None)?;
        json(world, scope, &user)
    }
}
