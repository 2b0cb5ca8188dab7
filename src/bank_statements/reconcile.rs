//! Compares the bank's balance of an account with the ledger, and lists what is open.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;

use super::model::{BankBalance, BankStatement, StatementStatus};
use super::reconcile_json::{LineSumJson, ReconciliationJson, SuspenseJson, UnbookedJson};
use super::rows;
use crate::bank_files;
use crate::bank_intake::{self, ItemKind, LineMeaning};
use crate::banking::connections::{self, BankConnection};
use crate::banking::settlement_accounts;
use crate::calendars::Calendar;
use crate::ids::{OrgId, SettlementAccountId};
use crate::money::{Cents, MoneyOverflow};
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, World};

/// The age in banking days from which something unbooked is overdue.
const OVERDUE_DAYS: i64 = 2;
/// The longest time without a statement that is listed, in days.
const MISSING_MAX: usize = 366;

fn too_large(_: MoneyOverflow) -> Refusal {
    Refusal::new(Code::InternalError, "A sum of bank lines is too large.")
}

/// Returns the reconciliation of an account with its last statement, or with the one of a day.
///
/// # Errors
/// `not-found` if no statement of the account, or of the day, is applied.
pub fn reconcile(
    world: &mut World,
    org: OrgId,
    account: SettlementAccountId,
    on: Option<Date>,
) -> Result<ReconciliationJson, Halt> {
    let connection = settlement_accounts::find(world, org, account)?.connection;
    let connection = connections::find(world, org, connection)?;
    let calendar = connection.settings.0.calendar;
    let last = rows::balance(world, org, account)?;
    let (last, statement) = applied(world, org, account, last, on)?;
    let ledger = ledger_at(world, &statement, &last)?;
    let difference = ledger.minus(statement.closing).map_err(too_large)?;
    let unbooked = unbooked(world, &statement, &connection)?;
    let suspense = suspense(world, &statement, calendar)?;
    let missing = if on.is_some() { Vec::new() } else { missing(world, &last, &connection) };
    let waiting = rows::in_state(world, org, account, StatementStatus::Waiting)?;
    let quarantined = rows::in_state(world, org, account, StatementStatus::Quarantined)?;
    let open_statements: Vec<_> = waiting.iter().chain(&quarantined).map(|statement| statement.id).collect();
    let balanced = difference.is_zero()
        && !suspense.iter().any(|line| line.open)
        && !unbooked.iter().any(|one| one.overdue)
        && missing.is_empty()
        && open_statements.is_empty();
    Ok(ReconciliationJson {
        settlement_account_id: account,
        date: statement.booked_on.clone(),
        bank_statement_id: statement.id,
        opening: statement.opening,
        closing: statement.closing,
        lines: by_meaning(world, &statement)?,
        ledger,
        difference,
        unbooked,
        suspense,
        missing,
        open_statements,
        balanced,
    })
}

fn applied(
    world: &World,
    org: OrgId,
    account: SettlementAccountId,
    last: Option<Arc<BankBalance>>,
    on: Option<Date>,
) -> Result<(Arc<BankBalance>, Arc<BankStatement>), Halt> {
    let none = |day: &str| Refusal::new(Code::NotFound, format!("No statement of the settlement account {day}."));
    let last = last.ok_or_else(|| none("is applied yet"))?;
    let Some(on) = on else {
        let statement = rows::find(world, org, last.statement)?;
        return Ok((last, statement));
    };
    let found = rows::of_day(world, org, account, &on.to_string())?;
    let found = found.into_iter().find(|statement| statement.status == StatementStatus::Applied);
    Ok((last, found.ok_or_else(|| none(&format!("of {on} is applied")))?))
}

/// Returns the ledger's money in the account after a statement. It moves by applied statements only, so the later ones
/// are subtracted.
fn ledger_at(world: &mut World, statement: &BankStatement, last: &BankBalance) -> Result<Cents, Halt> {
    let (org, account) = (statement.org, statement.settlement_account);
    let since = statement.closing.minus(last.closing).map_err(too_large)?;
    Ok(since.plus(bank_files::at_bank(world, org, account)?).map_err(too_large)?)
}

fn by_meaning(world: &World, statement: &BankStatement) -> Result<Vec<LineSumJson>, Halt> {
    let mut sums: BTreeMap<LineMeaning, LineSumJson> = BTreeMap::new();
    for line in bank_intake::of_statement(world, statement.org, statement.id)? {
        if line.kind != ItemKind::Line {
            continue;
        }
        let meaning = line.meaning.unwrap_or(LineMeaning::Other);
        let none = LineSumJson { meaning, count: 0, amount: Cents::ZERO, in_suspense: Cents::ZERO };
        let sum = sums.entry(meaning).or_insert(none);
        sum.count += 1;
        sum.amount = sum.amount.plus(line.amount).map_err(too_large)?;
        if line.suspense.is_some() {
            sum.in_suspense = sum.in_suspense.plus(line.amount).map_err(too_large)?;
        }
    }
    Ok(sums.into_values().collect())
}

/// Returns the number of banking days from a day to another.
fn age(calendar: Calendar, from: &str, to: &str) -> i64 {
    let (Ok(from), Ok(to)) = (from.parse::<Date>(), to.parse::<Date>()) else { return 0 };
    let days = std::iter::successors(Some(from), |day| day.tomorrow().ok()).skip(1).take_while(|day| *day <= to);
    i64::try_from(days.filter(|day| calendar.is_open(*day)).count()).unwrap_or(i64::MAX)
}

fn unbooked(
    world: &mut World,
    statement: &BankStatement,
    connection: &BankConnection,
) -> Result<Vec<UnbookedJson>, Halt> {
    let (org, account) = (statement.org, statement.settlement_account);
    let settings = &connection.settings.0;
    let aged = |since: &str| {
        let age = age(settings.calendar, since, &statement.booked_on);
        (age, age >= OVERDUE_DAYS)
    };
    let files = world.each(bank_files::awaiting_debit(world, org, account)?, |world, file| {
        let open = bank_files::open_amount(world, &file)?;
        Ok((file, open))
    })?;
    let files = files.into_iter().map(|(file, open)| {
        let (age, overdue) = aged(&file.effective_on);
        let since = file.effective_on.clone();
        let amount = file.leaving(open).negated();
        UnbookedJson { bank_file_id: Some(file.id), transfer_id: None, since, age, amount, overdue }
    });
    let returns = bank_files::awaiting_credit(world, org, account)?.into_iter().map(|entry| {
        let since = entry.ended_at.map_or_else(String::new, |ended| settings.time_zone.day_of(ended).to_string());
        let (age, overdue) = aged(&since);
        let transfer_id = Some(entry.transfer);
        UnbookedJson { bank_file_id: None, transfer_id, since, age, amount: entry.leaving(), overdue }
    });
    Ok(files.chain(returns).collect())
}

fn suspense(world: &World, statement: &BankStatement, calendar: Calendar) -> Result<Vec<SuspenseJson>, Halt> {
    let lines = bank_intake::in_suspense(world, statement.org, statement.settlement_account)?;
    let shown = lines.into_iter().map(|line| {
        let since = line.booked_on.clone().unwrap_or_default();
        SuspenseJson {
            bank_item_id: line.id,
            status: line.status,
            reason: line.reason,
            age: age(calendar, &since, &statement.booked_on),
            since,
            amount: line.amount,
            open: !bank_intake::is_clarified(&line),
            evidence: line.evidence.clone(),
        }
    });
    Ok(shown.collect())
}

/// Returns the banking days after the last statement and before today.
fn missing(world: &World, last: &BankBalance, connection: &BankConnection) -> Vec<String> {
    let settings = &connection.settings.0;
    let today = settings.time_zone.day_of(world.now());
    let Ok(last) = last.booked_on.parse::<Date>() else { return Vec::new() };
    let days = std::iter::successors(Some(last), |day| day.tomorrow().ok()).skip(1).take_while(|day| *day < today);
    let open = days.filter(|day| settings.calendar.is_open(*day)).take(MISSING_MAX);
    open.map(|day| day.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_counts_banking_days() {
        for (from, to, expected) in [
            ("2026-03-06", "2026-03-06", 0),
            ("2026-03-06", "2026-03-09", 1),
            ("2026-03-06", "2026-03-10", 2),
            ("2026-03-10", "2026-03-06", 0),
        ] {
            assert_eq!(age(Calendar::Fed, from, to), expected, "{from} {to}");
        }
    }
}
