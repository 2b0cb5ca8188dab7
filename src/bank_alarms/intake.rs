//! Alarms about the files of a bank: a folder that cannot be read, files that are not applied, and reports that match no
//! payment.

use bursar_transports::Kind;

use super::json::{AlarmKind, BankAlarmJson};
use crate::bank_intake::{self, ReportsOpen};
use crate::banking::connections::BankConnection;
use crate::world::{Halt, World};

/// After three polls, a minute apart.
const UNREACHABLE_SECONDS: i64 = 120;

fn unreachable(world: &World, connection: &BankConnection) -> Option<BankAlarmJson> {
    let since = connection.unreachable_since.filter(|since| world.now() >= since.plus_seconds(UNREACHABLE_SECONDS))?;
    let kind = connection.unreachable.as_deref().and_then(Kind::of_code).unwrap_or(Kind::Unreachable);
    let message = format!("The folder with the bank's files cannot be read: {}. {}", kind.meaning(), kind.advice());
    let alarm = BankAlarmJson::new(AlarmKind::Unreachable, connection.id, message);
    Some(BankAlarmJson { deadline: Some(since), ..alarm })
}

pub(super) fn alarms(world: &World, connection: &BankConnection) -> Result<Vec<BankAlarmJson>, Halt> {
    let new = |kind, message: String| BankAlarmJson::new(kind, connection.id, message);
    let quarantined = bank_intake::quarantined(world, connection.org, connection.id)?.into_iter().map(|file| {
        let message = format!(
            "Nothing of the file {} is applied. Read its findings, and get a correct file from the bank, replay it, or \
             discard it.",
            file.name
        );
        BankAlarmJson { inbound_file_id: Some(file.id), ..new(AlarmKind::Quarantined, message) }
    });
    let mut found: Vec<BankAlarmJson> = unreachable(world, connection).into_iter().chain(quarantined).collect();
    let ReportsOpen { count, is_all, amount } = bank_intake::reports_open(world, connection.org, connection.id)?;
    if count > 0 {
        let many = if is_all { count.to_string() } else { format!("More than {count}") };
        let message = format!(
            "Reports of the bank that changed nothing: {many}. Match each with its payment, or ignore it with a reason \
             (`bursar bank items`)."
        );
        found.push(BankAlarmJson { amount, ..new(AlarmKind::Unmatched, message) });
    }
    Ok(found)
}
