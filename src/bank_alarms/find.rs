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
    let mut found = Vec::new();
    for connection in connections::of_org(world, org)? {
        found.extend(alarms_of(world, &connection)?);
    }
    Ok(found)
}

/// Returns the alarms of a connection.
///
/// # Errors
/// The store's.
pub fn alarms_of(world: &mut World, connection: &BankConnection) -> Result<Vec<BankAlarmJson>, Halt> {
    let mut found = files::alarms(world, connection)?;
    for account in settlement_accounts::of_connection(world, connection.org, connection.id)? {
        found.extend(accounts::alarms(world, connection, &account)?);
    }
    Ok(found)
}
