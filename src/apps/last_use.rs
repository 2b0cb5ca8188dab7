//! The last use of keys. A request records it in memory only; [`NoteUse`] stores it at most once an hour for each key,
//! so that no payout waits for it.

use super::model::Key;
use crate::clock::Time;
use crate::engine::Command;
use crate::ids::OrgId;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// A use is stored if it is this much newer than the stored one.
const EVERY_SECONDS: i64 = 3_600;

/// Stores the last use of a key.
#[derive(Clone, Debug)]
pub struct NoteUse {
    pub org: OrgId,
    pub client_id: String,
    pub at: Time,
}

impl Command for NoteUse {
    type Reply = ();

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
