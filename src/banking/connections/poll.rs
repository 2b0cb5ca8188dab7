//! Whether the folder with the bank's files can be read.

use super::model::BankConnection;
use super::rows;
use crate::clock::Time;
use crate::engine::Command;
use crate::ids::BankConnectionId;
use crate::jobs::{self, Leased};
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// Ends a poll of a bank's folder.
#[derive(Clone, Debug)]
pub struct EndPoll {
    pub leased: Leased,
    pub connection: BankConnectionId,
    /// The next poll.
    pub again: Time,
    pub reason: String,
    /// The code of the error, if the folder could not be read.
    pub failed: Option<String>,
}

impl Command for EndPoll {
    type Reply = ();

    fn needs(&self) -> Vec<Want> {
        vec![self.leased.want(), Want::row::<BankConnection>(key![self.leased.org, self.connection])]
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let connection = rows::find(world, self.leased.org, self.connection)?;
        jobs::put_off(world, &self.leased, self.again, Some(self.reason.clone()))?;
        let now = world.now();
        let since = self.failed.as_ref().map(|_| connection.unreachable_since.unwrap_or(now));
        if (since, &self.failed) != (connection.unreachable_since, &connection.unreachable) {
            world.change(&connection, |connection| {
                (connection.unreachable_since, connection.unreachable) = (since, self.failed.clone());
            });
        }
        Ok(())
    }
}
