//! How a simulated worker fetches, reads and applies the files of a bank, as the real one does (`worker::bank_intake`,
//! `worker::bank_statements`).

use bursar_formats::Format;
use bursar_transports::Entry;
use bursar_transports::intake::{Verdict, Waits};
use sha2::{Digest as _, Sha256};

use super::super::chance::Chance;
use super::super::sabotage::Sabotage;
use super::super::system::System;
use super::hand::{Finished, Outside};
use crate::bank_files::BankEntry;
use crate::bank_intake::{
    self, InboundFile, InboundStatus, ItemKind, KeepInbound, NewItem, PART_BYTES, Page, Reading, Reported, Target,
};
use crate::bank_statements::{self, ApplyStatement, Content, LineTarget, MatchedStatements, Plan, StatementReason};
use crate::banking::connections;
use crate::clock::DAY_SECONDS;
use crate::ids::{BankConnectionId, InboundFileId, SettlementAccountId};
use crate::jobs::Leased;
use crate::refusal::Refusal;
use crate::vault::Unsealed;
use crate::world::{Record as _, Value};

/// The largest file that is read.
const BYTES_MAX: u64 = 4 << 20;
/// Reports of a page: few, so that workers end between pages.
const PAGE: usize = 2;
/// The wait while a file may still be written, in seconds.
const SOON_SECONDS: i64 = 60;

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Lists the bank's folder, and fetches the next complete file that is not known.
pub(super) fn poll(
    id: BankConnectionId,
    leased: &Leased,
    system: &System,
    outside: &mut Outside<'_>,
    chance: &mut Chance,
) -> Result<Option<Finished>, Refusal> {
    let (org, now) = (leased.org, system.now());
    let listing = outside.bank.listing();
    let mut wait = if outside.bank.sound { DAY_SECONDS / 4 } else { chance.between(900, DAY_SECONDS / 3) };
    for verdict in outside.bank.watch.poll(&listing, BYTES_MAX) {
        match verdict {
            Verdict::Waiting(_, Waits::New | Waits::Growing) => wait = SOON_SECONDS,
            Verdict::Waiting(_, Waits::Temporary | Waits::Empty | Waits::TooLarge | Waits::NotAFile)
            | Verdict::Received(_) => {}
            Verdict::Ready(entry) => {
                let (name, stat) = (entry.name.to_string(), entry.stat);
                let size = i64::try_from(stat.size).unwrap_or(i64::MAX);
                let is_known =
                    system.read(|world| bank_intake::is_known(world, org, id, &name, size, stat.modified))?;
                if is_known {
                    outside.bank.watch.received(&entry);
                    continue;
                }
                if !outside.bank.sound && chance.one_in(20) {
                    // The connection ended while the file was read.
                    return Ok(None);
                }
                return Ok(fetched(id, leased, &entry, outside, chance));
            }
        }
    }
    Ok(Some(Finished::Wait(now.plus_seconds(wait))))
}

fn fetched(
    connection: BankConnectionId,
    leased: &Leased,
    entry: &Entry,
    outside: &Outside<'_>,
    chance: &mut Chance,
) -> Option<Finished> {
    let bytes = outside.bank.fetch(&entry.name)?;
    let parts = bytes.chunks(PART_BYTES).map(|part| Unsealed::new(outside.vault, part, chance.entropy().bytes()));
    let parts = parts.collect();
    let name = entry.name.to_string();
    let sha256 = if outside.sabotage == Sabotage::KnowsNamesOnly { hash(name.as_bytes()) } else { hash(&bytes) };
    let (leased, size) = (leased.clone(), i64::try_from(bytes.len()).unwrap_or(i64::MAX));
    let modified = entry.stat.modified;
    Some(Finished::InboundKept(Box::new(KeepInbound { leased, connection, name, size, modified, sha256, parts })))
}

/// Reads a stored file.
pub(super) fn read(
    id: InboundFileId,
    leased: &Leased,
    system: &System,
    outside: &Outside<'_>,
    chance: &mut Chance,
) -> Result<Finished, Refusal> {
    let org = leased.org;
    let (file, bytes, connection) = system.read(|world| {
        let file = bank_intake::find(world, org, id)?;
        let bytes = bank_intake::bytes(world, outside.vault, &file)?;
        let connection = connections::find(world, org, file.connection)?;
        Ok((file, bytes, connection))
    })?;
    if matches!(Format::of(&bytes), Some(Format::Bai2 | Format::Iso20022)) {
        let reading = match bank_statements::read(&bytes) {
            Ok(Content::Information) => Ok(MatchedStatements::default()),
            Ok(Content::Statements(statements)) => system
                .read(|world| bank_statements::matched(world, outside.vault, (org, file.connection), &statements))?,
            Err(findings) => Err(findings),
        };
        return Ok(Finished::StatementsKept(id, Box::new(reading)));
    }
    let reports = match bank_intake::read(&bytes, &connection.settings.0.acknowledgements) {
        _ if file.status != InboundStatus::Stored => Vec::new(),
        Ok(reports) => reports,
        Err(findings) => return Ok(Finished::InboundRead(id, Box::new(Reading::Refused(findings)))),
    };
    let from = file.reports_read;
    let begin = if outside.sabotage == Sabotage::ReadsPagesAgain { 0 } else { from };
    let (page, to, is_last) = bank_intake::page(&reports, begin, PAGE);
    let items = matched(&file, page, system, outside, chance)?;
    let reading = Reading::Items(Page { from, to, is_last, items });
    Ok(Finished::InboundRead(id, Box::new(reading)))
}

fn matched(
    file: &InboundFile,
    reports: &[Reported],
    system: &System,
    outside: &Outside<'_>,
    chance: &mut Chance,
) -> Result<Vec<NewItem>, Refusal> {
    let nonces: Vec<[u8; 24]> = reports.iter().map(|_| chance.entropy().bytes()).collect();
    let mut items = system.read(|world| {
        world.each(reports.iter().zip(&nonces), |world, (reported, nonce)| {
            let connection = (file.org, file.connection);
            let target = bank_intake::target(world, outside.vault, connection, reported, *nonce)?;
            Ok(NewItem { reported: reported.clone(), target })
        })
    })?;
    if outside.sabotage == Sabotage::MatchesByAmount {
        items.iter_mut().for_each(|item| match_by_amount(item, system));
    }
    Ok(items)
}

/// A negative control: takes the first payment of the amount for the returned one.
fn match_by_amount(item: &mut NewItem, system: &System) {
    let amount = Value::Int(i64::try_from(item.reported.amount).unwrap_or(0));
    let at = |column| BankEntry::TABLE.position(column).expect("a column of the record");
    let row = system.memory().rows(BankEntry::TABLE).into_iter().find(|row| row[at("amount")] == amount);
    if let (ItemKind::Return, Some(Value::Id(transfer))) =
        (item.reported.kind, row.map(|row| row[at("transfer")].clone()))
    {
        item.target = Target::Return(crate::ids::TransferId(transfer));
    }
}

/// Applies the next statement of an account.
pub(super) fn apply(
    account: SettlementAccountId,
    leased: &Leased,
    system: &System,
    outside: &Outside<'_>,
) -> Result<Finished, Refusal> {
    let (org, leased) = (leased.org, leased.clone());
    let command = match system.read(|world| bank_statements::plan(world, org, account))? {
        Plan::Nothing => return Ok(Finished::FileRests),
        Plan::Stopped { statement, after, reason } => {
            let over_gap = outside.sabotage == Sabotage::AppliesOverGaps && reason == StatementReason::MissingBefore;
            let lines = if over_gap {
                let lines = system.read(|world| bank_intake::of_statement(world, org, statement))?;
                let unknown = LineTarget::Unmatched(crate::bank_intake::ItemReason::UnknownLine);
                Ok(lines.iter().map(|line| (line.id, unknown.clone())).collect())
            } else {
                Err(reason)
            };
            ApplyStatement { leased, statement, after, lines }
        }
        Plan::Apply { statement, after, lines } => ApplyStatement { leased, statement, after, lines: Ok(lines) },
    };
    Ok(Finished::StatementPlanned(Box::new(command)))
}
