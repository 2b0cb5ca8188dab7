//! Finds and changes the rows, and records the acts.

use std::sync::Arc;

use super::json::BankConnectionJson;
use super::model::BankConnection;
use crate::banking::settings::TRANSPORT_MANUAL;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{BankConnectionId, JobId, MemberId, OrgId};
use crate::jobs::{self, Work};
use crate::refusal::Refusal;
use crate::world::record::key;
use crate::world::{Halt, World};

pub fn find(world: &World, org: OrgId, id: BankConnectionId) -> Result<Arc<BankConnection>, Halt> {
    let found = world.get::<BankConnection>(key![org, id])?;
    Ok(found.ok_or_else(|| Refusal::not_found("bank connection"))?)
}

/// Fetches the files of this bank from now on, unless people carry them.
///
/// # Errors
/// The store's.
pub fn poll(world: &mut World, connection: &BankConnection) -> Result<(), Halt> {
    let (org, job) = (connection.org, JobId(connection.id.0));
    if connection.transport != TRANSPORT_MANUAL && !jobs::is_there(world, org, job)? {
        jobs::enqueue_as(world, org, job, Work::PollBank { connection: connection.id.0 });
    }
    Ok(())
}

/// Returns all connections of an organization, oldest first.
///
/// # Errors
/// The store's.
pub fn of_org(world: &World, org: OrgId) -> Result<Vec<Arc<BankConnection>>, Halt> {
    world.all::<BankConnection>(BankConnection::OF_ORG, key![org])
}

/// Changes a connection, and records the act of the member, or of the server.
pub(super) fn change(
    world: &mut World,
    before: &Arc<BankConnection>,
    kind: ActKind,
    by: impl Into<Option<MemberId>>,
    edit: impl FnOnce(&mut BankConnection),
) -> Result<Arc<BankConnection>, Halt> {
    let now = world.now();
    let after = world.change(before, |connection| {
        edit(connection);
        connection.updated_at = now;
        connection.version += 1;
    });
    let act = NewAct::of(kind, None, after.id).by(by.into());
    let (was, is) = (BankConnectionJson::from(&**before), BankConnectionJson::from(&*after));
    acts::record(world, after.org, act.changing(&was, &is))?;
    Ok(after)
}
