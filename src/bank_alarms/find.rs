//! The alarms of an organization, connection by connection.

use super::accounts;
use super::files;
use super::intake;
use super::json::{AlarmKind, BankAlarmJson};
use crate::bank_files::{self, ReturnRatesJson};
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
    let rates = bank_files::return_rates(world, org)?;
    Ok(found.into_iter().flatten().chain(rates.iter().filter_map(of_rates)).collect())
}

/// Returns the alarms of a connection.
///
/// # Errors
/// The store's.
pub fn alarms_of(world: &mut World, connection: &BankConnection) -> Result<Vec<BankAlarmJson>, Halt> {
    let mut found = files::alarms(world, connection)?;
    found.extend(intake::alarms(world, connection)?);
    let accounts = settlement_accounts::of_connection(world, connection.org, connection.id)?;
    let of_accounts = world.each(&accounts, |world, account| accounts::alarms(world, connection, account))?;
    found.extend(of_accounts.into_iter().flatten());
    Ok(found)
}

/// An originator whose debits come back too often.
fn of_rates(rates: &ReturnRatesJson) -> Option<BankAlarmJson> {
    let percent = |points: i64| format!("{}.{:02} %", points / 100, points % 100);
    let shown = rates.alarming().map(|(name, rate)| {
        format!("{name} {} of at most {}", percent(rate.basis_points), percent(rate.limit_basis_points))
    });
    let shown: Vec<String> = shown.collect();
    if shown.is_empty() {
        return None;
    }
    let message = format!(
        "The return rates of {} in 60 days: {}. Find out why, and collect less until then: above a limit your bank must \
         act.",
        rates.company_name,
        shown.join(", ")
    );
    let alarm = BankAlarmJson::new(AlarmKind::ReturnRate, rates.bank_connection_id, message);
    Some(BankAlarmJson { originator_id: Some(rates.originator_id), ..alarm })
}
