//! Alarms about the files of a connection.

use std::borrow::Cow;
use std::sync::Arc;

use super::json::{AlarmKind, BankAlarmJson};
use crate::bank_files::{self, BankFile, Contest, FileStatus};
use crate::banking::connections::{BankConnection, ConnectionStatus};
use crate::banking::{SideLimits, TRANSPORT_MANUAL};
use crate::clock::Time;
use crate::money::Cents;
use crate::world::{Halt, World};

/// The time before the bank's deadline at which a file that is not sent is an alarm.
pub const BEFORE_DEADLINE_SECONDS: i64 = 600;
const MINUTE_SECONDS: i64 = 60;
/// The part of a limit that is an alarm.
const NEAR_PERCENT: i64 = 80;

pub(super) fn alarms(world: &World, connection: &BankConnection) -> Result<Vec<BankAlarmJson>, Halt> {
    let now = world.now();
    let mut found: Vec<_> =
        bank_files::open_files(world, connection)?.iter().filter_map(|file| of_file(file, connection, now)).collect();
    found.extend(stopped(connection));
    found.extend(not_acknowledged(world, connection)?);
    found.extend(near_limits(world, connection)?);
    Ok(found)
}

/// A connection that no member paused.
fn stopped(connection: &BankConnection) -> Option<BankAlarmJson> {
    let is_stopped = connection.status == ConnectionStatus::Paused && connection.paused_by.is_none();
    let reason = connection.pause_reason.as_deref().filter(|_| is_stopped)?;
    let message = format!("{reason} No file is sent. Compare the file with the bank, then resume the connection.");
    Some(BankAlarmJson::new(AlarmKind::Stopped, connection.id, message))
}

/// Files of before the approval were sent under other settings.
fn not_acknowledged(world: &World, connection: &BankConnection) -> Result<Vec<BankAlarmJson>, Halt> {
    let minutes = connection.settings.0.acknowledgements.within_minutes;
    let Some((minutes, approved_at)) = minutes.zip(connection.approved_at) else { return Ok(Vec::new()) };
    let due = |file: &BankFile| file.sent_at.map(|sent| sent.plus_seconds(minutes * MINUTE_SECONDS));
    let files = bank_files::unanswered(world, connection, approved_at)?.into_iter();
    let late = files.filter(|file| due(file).is_some_and(|due| due <= world.now()));
    let alarm = |file: Arc<BankFile>| {
        let message = "The bank has not acknowledged the file in time. Ask the bank whether it has it.";
        BankAlarmJson {
            bank_file_id: Some(file.id),
            settlement_account_id: Some(file.settlement_account),
            amount: Some(file.leaving(file.credit).negated()),
            deadline: due(&file),
            ..BankAlarmJson::new(AlarmKind::NotAcknowledged, file.connection, message)
        }
    };
    Ok(late.map(alarm).collect())
}

fn of_file(file: &Arc<BankFile>, connection: &BankConnection, now: Time) -> Option<BankAlarmJson> {
    let is_due = file.entries > 0 && now >= file.submit_by.plus_seconds(-BEFORE_DEADLINE_SECONDS);
    let (kind, message): (_, Cow<'static, str>) = match file.status {
        FileStatus::Sent | FileStatus::Sealed | FileStatus::Sending | FileStatus::Renaming | FileStatus::InDoubt
            if file.contested.is_some() =>
        {
            (AlarmKind::Contested, file.contested.map_or("", contested).into())
        }
        FileStatus::InDoubt => (
            AlarmKind::InDoubt,
            "The file may be at the bank. Ask the bank, and mark it as sent, or not sent by two members.".into(),
        ),
        FileStatus::Rejected => {
            (AlarmKind::Rejected, "The bank refused the file. Move it into a later window, or cancel it.".into())
        }
        FileStatus::Renaming if is_due => (
            AlarmKind::Unsent,
            "The file may be at the bank: its delivery has not ended. Ask the bank, and do not take it there. At the deadline \
             the file is sent, or in doubt."
                .into(),
        ),
        FileStatus::Open | FileStatus::Sealed | FileStatus::Sending if is_due => {
            (AlarmKind::Unsent, unsent(file, connection))
        }
        FileStatus::Open
        | FileStatus::Sealed
        | FileStatus::Sending
        | FileStatus::Renaming
        | FileStatus::Sent
        | FileStatus::Canceled
        | FileStatus::Dropped => return None,
    };
    Some(BankAlarmJson {
        bank_file_id: Some(file.id),
        settlement_account_id: Some(file.settlement_account),
        amount: Some(file.leaving(file.credit).negated()),
        deadline: Some(file.submit_by),
        ..BankAlarmJson::new(kind, file.connection, message)
    })
}

/// Returns what the bank says, and what to do.
const fn contested(contest: Contest) -> &'static str {
    match contest {
        Contest::Duplicate => {
            "The bank says that it had the file before. Ask the bank which file it has, then let two members decide \
             (accepted or rejected). Do not pay again before that."
        }
        Contest::OtherTotals => {
            "The bank acknowledges the file with other totals. Compare them with the bank, then let two members decide \
             (accepted or rejected)."
        }
        Contest::Refused => {
            "The bank refuses the file after it booked it, for a part only, or before the file was known to be there. Ask \
             the bank, then let two members decide (accepted or rejected)."
        }
    }
}

/// Returns why a file is not sent, and what to do.
fn unsent(file: &BankFile, connection: &BankConnection) -> Cow<'static, str> {
    let advice = advice(file, connection);
    match &file.failure {
        Some(failure) => format!("The last delivery failed: {failure}. {advice}").into(),
        None => advice.into(),
    }
}

fn advice(file: &BankFile, connection: &BankConnection) -> &'static str {
    if file.must_wait_for_release() && file.uncovered.is_some() {
        return "The account does not cover the file. Transfer the money to it, then let another member release the file \
                before the deadline, or move it.";
    }
    if file.must_wait_for_release() {
        return "The file waits for its release. Let another member release it before the deadline, or move it.";
    }
    if connection.status != ConnectionStatus::Approved {
        return "The connection is not in use. Resume it, or take the file to the bank and mark it as sent.";
    }
    if connection.transport == TRANSPORT_MANUAL {
        return "The file waits for a member. Take it to the bank and mark it as sent, or move it.";
    }
    "The file is not at the bank. Take it to the bank and mark it as sent, or move it into a later window."
}

fn near_limits(world: &World, connection: &BankConnection) -> Result<Vec<BankAlarmJson>, Halt> {
    let settings = &connection.settings.0;
    let today = settings.time_zone.day_of(world.now()).to_string();
    let Some((credit, debit)) = bank_files::sums_of_day(world, connection, &today)? else { return Ok(Vec::new()) };
    let of = |sum: Cents, most: Option<Cents>, what: &str| {
        let near =
            most.filter(|most| i128::from(sum.get()) * 100 >= i128::from(most.get()) * i128::from(NEAR_PERCENT))?;
        let message = format!(
            "The files of today {what} {} of {}, the limit of the connection for a day. Beyond it a file waits for its \
             release.",
            sum.dollars(),
            near.dollars()
        );
        Some(BankAlarmJson { amount: Some(sum), ..BankAlarmJson::new(AlarmKind::NearLimit, connection.id, message) })
    };
    let per_day = |limits: Option<SideLimits>| limits.map(|limits| limits.per_day);
    let credit = of(credit, per_day(settings.limits.credit), "pay");
    Ok(credit.into_iter().chain(of(debit, per_day(settings.limits.debit), "collect")).collect())
}
