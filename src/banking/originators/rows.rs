//! Finds and changes the rows, and records the acts.

use std::sync::Arc;

use super::json::OriginatorJson;
use super::model::Originator;
use crate::banking::connections::BankConnection;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{MemberId, OrgId, OriginatorId};
use crate::refusal::Refusal;
use crate::world::record::key;
use crate::world::{Halt, World};

pub fn find(world: &World, org: OrgId, id: OriginatorId) -> Result<Arc<Originator>, Halt> {
    let found = world.get::<Originator>(key![org, id])?;
    Ok(found.ok_or_else(|| Refusal::not_found("originator"))?)
}

/// Returns an originator of this connection.
pub fn find_of(world: &World, connection: &BankConnection, id: OriginatorId) -> Result<Arc<Originator>, Halt> {
    let originator = find(world, connection.org, id)?;
    if originator.connection == connection.id { Ok(originator) } else { Err(Refusal::not_found("originator").into()) }
}

pub(super) fn of_connection(world: &World, connection: &BankConnection) -> Result<Vec<Arc<Originator>>, Halt> {
    world.all::<Originator>(Originator::OF_CONNECTION, key![connection.org, connection.id])
}

/// Changes an originator, and records the act of the member.
pub(super) fn change(
    world: &mut World,
    before: &Arc<Originator>,
    kind: ActKind,
    by: MemberId,
    edit: impl FnOnce(&mut Originator),
) -> Result<Arc<Originator>, Halt> {
    let after = world.change(before, |originator| {
        edit(originator);
        originator.version += 1;
    });
    let act = NewAct::of(kind, after.app, after.id).by(Some(by));
    let (was, is) = (OriginatorJson::from(&**before), OriginatorJson::from(&*after));
    acts::record(world, after.org, act.changing(&was, &is))?;
    Ok(after)
}
