//! When keys were last used. A request only notes it in memory; it is written down with [`NoteUse`], at most once an hour for each
//! key, so that no payout pays for it.

use super::model::Key;
use crate::clock::Time;
use crate::engine::Command;
use crate::ids::OrgId;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// A use that is this much newer than the one that is written down is written down too.
const EVERY_SECONDS: i64 = 3_600;

/// Writes down that a key was used.
#[derive(Clone, Debug)]
pub struct NoteUse {
    /// The organization.
    pub org: OrgId,
    /// The public half of the key.
    pub client_id: String,
    /// When.
    pub at: Time,
}

impl Command for NoteUse {
    type Reply = ();

    fn organization(&self) -> OrgId {
        self.org
    }

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<Key>(key![self.org, self.client_id])]
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let Some(key) = world.get::<Key>(key![self.org, self.client_id])? else { return Ok(()) };
        if key.last_used_at.is_none_or(|noted| noted.plus_seconds(EVERY_SECONDS) <= self.at) {
            world.change(&key, |key| key.last_used_at = Some(self.at));
        }
        Ok(())
    }
}
