//! The alarms of an organization, connection by connection.

use super::accounts;
use super::files;
use super::json::BankAlarmJson;
use crate::banking::connections::{self, BankConnection};
use crate::banking::settlement_accounts;
use crate::ids::OrgId;
use crate::world::{Halt, World};

/// Returns all alarms of an organization.
///
/// # Errors
/// The store's.
pub fn alarms(world: &mut World, org: OrgId) -> Result<Vec<BankAlarmJson>, Halt> {
    // Read together: one after another, many connections would exceed the rounds of a read.
    let connections = connections::of_org(world, org)?;
    let found = world.each(&connections, |world, connection| alarms_of(world, connection))?;
    Ok(found.into_iter().flatten().collect())
}

/// Returns the alarms of a connection.
///
/// # Errors
/// The store's.
pub fn alarms_of(world: &mut World, connection: &BankConnection) -> Result<Vec<BankAlarmJson>, Halt> {
    let mut found = files::alarms(world, connection)?;
    let accounts = settlement_accounts::of_connection(world, connection.org, connection.id)?;
    let of_accounts = world.each(&accounts, |world, account| accounts::alarms(world, connection, account))?;
    found.extend(of_accounts.into_iter().flatten());
    Ok(found)
}
