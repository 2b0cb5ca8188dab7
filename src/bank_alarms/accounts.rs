//! Alarms about a settlement account: its statements, what is not booked, and whether it covers the next files.

use super::json::{AlarmKind, BankAlarmJson};
use crate::bank_files;
use crate::bank_statements::{ReconciliationJson, reconcile};
use crate::banking::SetupStatus;
use crate::banking::connections::BankConnection;
use crate::banking::settlement_accounts::{SettlementAccount, StatementKind};
use crate::ids::BankConnectionId;
use crate::money::Cents;
use crate::refusal::Code;
use crate::world::{Halt, World};

/// The hour of the connection's zone at which the statement of the banking day before is late.
const LATE_HOUR: i8 = 12;

pub(super) fn alarms(
    world: &mut World,
    connection: &BankConnection,
    account: &SettlementAccount,
) -> Result<Vec<BankAlarmJson>, Halt> {
    if account.status != SetupStatus::Approved {
        return Ok(Vec::new());
    }
    let mut found = match reconcile(world, account.org, account.id, None) {
        Ok(found) => of_reconciliation(world, connection, account, &found)?,
        Err(Halt::Refuse(refusal)) if refusal.code == Code::NotFound => without_statement(world, connection, account),
        Err(halt) => return Err(halt),
    };
    found.iter_mut().for_each(|alarm| alarm.settlement_account_id = Some(account.id));
    Ok(found)
}

fn of_reconciliation(
    world: &mut World,
    connection: &BankConnection,
    account: &SettlementAccount,
    found: &ReconciliationJson,
) -> Result<Vec<BankAlarmJson>, Halt> {
    let new = |kind, message: &str| BankAlarmJson::new(kind, connection.id, message);
    let mut alarms = Vec::new();
    let days = late(world, connection, &found.missing);
    if !days.is_empty() && account.statement_kind != StatementKind::Manual {
        alarms.push(missing(connection.id, days));
    }
    for statement in &found.open_statements {
        let message = "The statement waits for the one before it, or contradicts it. Get the missing one, confirm that \
                       there is none, or discard it.";
        let alarm = new(AlarmKind::StatementStopped, message);
        alarms.push(BankAlarmJson { bank_statement_id: Some(*statement), ..alarm });
    }
    for one in found.unbooked.iter().filter(|one| one.overdue) {
        let message = format!(
            "The bank has not booked what was due on {}, {} banking days ago. Ask the bank for its line.",
            one.since, one.age
        );
        let alarm = new(AlarmKind::Unbooked, &message);
        alarms.push(BankAlarmJson { bank_file_id: one.bank_file_id, amount: Some(one.amount), ..alarm });
    }
    for line in found.suspense.iter().filter(|line| line.open && line.age > 1) {
        let message = format!("A line of {} is not explained. Match it, or assign it to an app.", line.since);
        let alarm = new(AlarmKind::Suspense, &message);
        alarms.push(BankAlarmJson { bank_item_id: Some(line.bank_item_id), amount: Some(line.amount), ..alarm });
    }
    alarms.extend(not_covered(world, connection, account, found.closing)?);
    Ok(alarms)
}

/// An account whose first statement does not arrive.
fn without_statement(world: &World, connection: &BankConnection, account: &SettlementAccount) -> Vec<BankAlarmJson> {
    let settings = &connection.settings.0;
    let Some(approved_at) = account.approved_at.filter(|_| account.statement_kind != StatementKind::Manual) else {
        return Vec::new();
    };
    let (from, today) = (settings.time_zone.day_of(approved_at), settings.time_zone.day_of(world.now()));
    // The bank reports the account from the day after its approval at the latest.
    let days = std::iter::successors(Some(from), |day| day.tomorrow().ok()).skip(1).take_while(|day| *day < today);
    let days: Vec<String> =
        days.filter(|day| settings.calendar.is_open(*day)).take(DAYS_MAX).map(|day| day.to_string()).collect();
    let days = late(world, connection, &days);
    if days.is_empty() { Vec::new() } else { vec![missing(connection.id, days)] }
}

/// The most days that are listed.
const DAYS_MAX: usize = 31;

/// Returns the days whose statement is late: before noon, that of the last banking day is not.
fn late(world: &World, connection: &BankConnection, days: &[String]) -> Vec<String> {
    let is_morning = connection.settings.0.time_zone.local(world.now()).hour() < LATE_HOUR;
    let count = days.len().saturating_sub(usize::from(is_morning)).min(DAYS_MAX);
    days[..count].to_vec()
}

fn missing(connection: BankConnectionId, days: Vec<String>) -> BankAlarmJson {
    let message = format!(
        "The statement of {} has not arrived. Ask the bank to send it again, or upload it.",
        days.first().map_or("a day", String::as_str)
    );
    BankAlarmJson { days, ..BankAlarmJson::new(AlarmKind::StatementMissing, connection, message) }
}

/// Compares the next files that pay with the balance of the last statement.
fn not_covered(
    world: &mut World,
    connection: &BankConnection,
    account: &SettlementAccount,
    closing: Cents,
) -> Result<Option<BankAlarmJson>, Halt> {
    let next = bank_files::not_at_bank(world, connection)?;
    let Some(cover) = bank_files::shortfall(world, (account.org, account.id), closing, &next)? else {
        return Ok(None);
    };
    let message = format!(
        "The next files pay {}, and the account has {} by its statements. Transfer {} to it before the bank pays.",
        cover.due.dollars(),
        cover.available.dollars(),
        cover.short.dollars()
    );
    let alarm = BankAlarmJson::new(AlarmKind::NotCovered, connection.id, message);
    Ok(Some(BankAlarmJson { amount: Some(cover.short), ..alarm }))
}
