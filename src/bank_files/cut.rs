//! Ends a file at its cut-off: its identity, its numbers, and whether it must be released.

use std::sync::Arc;

use super::carrier::next_window;
use super::corrections::apply_corrections;
use super::cover::{at_bank, shortfall};
use super::held::move_held;
use super::join::remove;
use super::model::{BankEntry, BankFile, BankSequence, FileStatus, Header};
use super::references;
use super::rows;
use super::rules::{self, FileEvent};
use crate::banking::connections::{self, BankConnection, ConnectionStatus};
use crate::banking::{FileFormat, UncoveredFiles};
use crate::clock::{DAY_SECONDS, Time};
use crate::engine::Command;
use crate::ids::BankFileId;
use crate::jobs::{self, Leased, Work};
use crate::money::Cents;
use crate::rails::Direction;
use crate::refusal::{Code, Refusal};
use crate::world::record::{Document, key};
use crate::world::{Halt, Want, World};

/// The letters of files of one day, in the order of their use.
const MODIFIERS: &[u8; 36] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/// How often a connection that is not in use is checked, in seconds.
const CHECK_SECONDS: i64 = 60;
/// The largest number in the last seven digits of a trace number.
const TRACE_MAX: i64 = 9_999_999;
/// The trace number of the entry that balances a file.
const OFFSETS: i64 = 1;

/// The job of a cut-off.
#[derive(Clone, Debug)]
pub struct CutFile {
    pub leased: Leased,
    pub file: BankFileId,
}

impl Command for CutFile {
    type Reply = ();

    fn needs(&self) -> Vec<Want> {
        vec![self.leased.want(), Want::row::<BankFile>(key![self.leased.org, self.file])]
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let file = rows::find(world, self.leased.org, self.file)?;
        let now = world.now();
        if file.status != FileStatus::Open {
            return jobs::finish(world, &self.leased);
        }
        if now < file.window_at {
            return jobs::put_off(world, &self.leased, file.window_at, None);
        }
        if file.entries == 0 {
            let to = rules::apply(file.status, FileEvent::Emptied)?;
            rows::change(world, &file, |file| file.status = to);
            return jobs::finish(world, &self.leased);
        }
        let connection = connections::find(world, file.org, file.connection)?;
        let sequence = rows::sequence(world, &connection)?;
        connections::poll(world, &connection)?;
        let day = connection.settings.0.time_zone.day_of(now).to_string();
        let files = if sequence.day == day { sequence.files } else { 0 };
        let modifier = modifier(connection.settings.0.identity.format(), files);
        let is_in_use = connection.status == ConnectionStatus::Approved;
        let Some(modifier) = modifier.filter(|_| now < file.submit_by) else {
            return self.move_on(world, &file, &connection);
        };
        if !is_in_use {
            let reason = format!("the bank connection is {}", connection.status);
            return jobs::put_off(world, &self.leased, now.plus_seconds(CHECK_SECONDS), Some(reason));
        }
        seal(world, &file, &connection, &sequence, Cut { now, day, files, modifier })?;
        jobs::enqueue(world, file.org, Work::SendBankFile { file: file.id.0 });
        jobs::finish(world, &self.leased)
    }
}

impl CutFile {
    /// Moves an open file into the next window. A file that the rules would not allow then is canceled.
    fn move_on(&self, world: &mut World, file: &Arc<BankFile>, connection: &BankConnection) -> Result<(), Halt> {
        let at = match move_to_next(world, file, connection)? {
            Next::Moved(moved) => moved.window_at,
            Next::NoWindow => world.now().plus_seconds(DAY_SECONDS),
            Next::TooLate => {
                let to = rules::apply(file.status, FileEvent::Expired)?;
                rows::change(world, file, |file| file.status = to);
                jobs::enqueue(world, file.org, Work::EndBankFile { file: file.id.0 });
                return jobs::finish(world, &self.leased);
            }
        };
        jobs::put_off(world, &self.leased, at, Some("the window was missed".to_owned()))
    }
}

/// The place of a file that missed its window.
pub(super) enum Next {
    Moved(Arc<BankFile>),
    /// There is no window within three weeks.
    NoWindow,
    /// The next window is after the time until which the rules allow its entries.
    TooLate,
}

/// Moves a file into the next window, without an identity.
pub(super) fn move_to_next(world: &mut World, file: &Arc<BankFile>, connection: &BankConnection) -> Result<Next, Halt> {
    let to = rules::apply(file.status, FileEvent::Redated)?;
    let rail = (file.platform, file.direction, file.purpose);
    let Some(window) = next_window(connection, rail, world.now(), file.same_day) else {
        return Ok(Next::NoWindow);
    };
    if file.send_by.is_some_and(|send_by| window.submit_by > send_by) {
        return Ok(Next::TooLate);
    }
    let moved = rows::change(world, file, |file| {
        file.status = to;
        file.window_name = window.name;
        file.window_at = window.window_at;
        file.submit_by = window.submit_by;
        file.effective_on = window.effective_on;
        file.settles_at = window.settles_at;
        file.same_day = window.same_day;
        (file.header, file.name, file.size, file.sha256) = (None, None, None, None);
        (file.must_release, file.released_by, file.released_at, file.uncovered) = (false, None, None, None);
        (file.way, file.temp_name, file.sealed_at) = (None, None, None);
        (file.first_trace, file.sent_at, file.ended_through, file.answer) = (None, None, None, None);
        (file.contested, file.decision, file.failure) = (None, None, None);
    });
    move_held(world, &moved)?;
    apply_corrections(world, &moved)?;
    Ok(Next::Moved(moved))
}

/// Removes an entry from a file that the bank cannot have. A written file then has other bytes, so it gets another identity
/// in the next window; if the rules do not allow one, it is canceled. Returns whether the entry could be removed.
///
/// # Errors
/// The store's.
pub fn pull_out(world: &mut World, entry: &Arc<BankEntry>) -> Result<bool, Halt> {
    let file = rows::find(world, entry.org, entry.file)?;
    if !matches!(file.status, FileStatus::Open | FileStatus::Sealed | FileStatus::Sending) {
        return Ok(false);
    }
    remove(world, &file, entry)?;
    if file.sha256.is_none() {
        return Ok(true);
    }
    let file = rows::find(world, entry.org, entry.file)?;
    if file.unswept {
        // The sender removes what an earlier delivery left before it sends the new bytes.
        rows::change(world, &file, |file| {
            (file.size, file.sha256) = (None, None);
            (file.released_by, file.released_at) = (None, None);
        });
        return Ok(true);
    }
    let connection = connections::find(world, file.org, file.connection)?;
    if let Next::Moved(moved) = move_to_next(world, &file, &connection)? {
        jobs::enqueue_at(world, moved.org, Work::CutBankFile { file: moved.id.0 }, moved.window_at);
        return Ok(true);
    }
    let to = rules::apply(file.status, FileEvent::Canceled)?;
    rows::change(world, &file, |file| (file.status, file.ended_through) = (to, None));
    jobs::enqueue(world, file.org, Work::EndBankFile { file: file.id.0 });
    Ok(true)
}

/// Returns the modifier of the next file of a day; `None` if the format has no other one.
fn modifier(format: FileFormat, files: i64) -> Option<String> {
    match format {
        FileFormat::Nacha => {
            let letter = usize::try_from(files).ok().and_then(|files| MODIFIERS.get(files).copied());
            letter.map(|letter| char::from(letter).to_string())
        }
        FileFormat::Pain001 => Some((files + 1).to_string()),
    }
}

struct Cut {
    now: Time,
    day: String,
    /// Files of the day before this one.
    files: i64,
    modifier: String,
}

fn seal(
    world: &mut World,
    file: &Arc<BankFile>,
    connection: &BankConnection,
    sequence: &Arc<BankSequence>,
    cut: Cut,
) -> Result<(), Halt> {
    let settings = &connection.settings.0;
    let Cut { now, day, files, modifier } = cut;
    let too_large = |_| Refusal::new(Code::InternalError, "The sum of a day's bank files is too large.");
    let (limits, before) = match file.direction {
        Direction::Credit => (settings.limits.credit, sequence.credit),
        Direction::Debit => (settings.limits.debit, sequence.debit),
    };
    let before = if files == 0 { Cents::ZERO } else { before };
    let sum = before.plus(file.credit).map_err(too_large)?;
    let is_above = limits.is_none_or(|limits| file.credit > limits.per_file || sum > limits.per_day);
    let uncovered = uncovered(world, file, connection)?;
    let must_release = file.moves_money() && (is_above || uncovered.is_some());
    let cuts = file.cuts + 1;
    let (first_trace, message_id) = match settings.identity.format() {
        FileFormat::Nacha => (Some(first_trace(sequence, file)), None),
        FileFormat::Pain001 => (None, Some(references::message_id(file.id, cuts))),
    };
    let local = settings.time_zone.local(now);
    let created_at = local.strftime("%H:%M").to_string();
    let name = settings.file_name.replace("{date}", &day.replace('-', ""));
    let name = name.replace("{time}", &created_at.replace(':', "")).replace("{modifier}", &modifier);
    let to = rules::apply(file.status, FileEvent::Cut)?;
    world.change(sequence, |sequence| {
        sequence.next_trace = first_trace.map_or(sequence.next_trace, |first| first + file.entries_ever + OFFSETS);
        sequence.files = files + 1;
        if files == 0 {
            (sequence.credit, sequence.debit) = (Cents::ZERO, Cents::ZERO);
        }
        match file.direction {
            Direction::Credit => sequence.credit = sum,
            Direction::Debit => sequence.debit = sum,
        }
        sequence.day.clone_from(&day);
    });
    let identity = settings.identity.clone();
    let first = first_trace.unwrap_or(0);
    let header = Header { identity, created_on: day, created_at, modifier, first_trace: first, message_id };
    rows::change(world, file, |file| {
        file.status = to;
        file.header = Some(Document(header));
        file.cuts = cuts;
        file.first_trace = first_trace;
        file.name = Some(name);
        (file.must_release, file.uncovered) = (must_release, uncovered);
        file.sealed_at = Some(now);
    });
    Ok(())
}

/// Returns what the account of a file that pays lacks for it and the files before it, if its connection holds such files.
fn uncovered(world: &mut World, file: &Arc<BankFile>, connection: &BankConnection) -> Result<Option<Cents>, Halt> {
    let is_held = connection.settings.0.uncovered_files == UncoveredFiles::Hold;
    if !is_held || file.direction == Direction::Debit || !file.moves_money() {
        return Ok(None);
    }
    let mut next = rows::not_at_bank(world, connection)?;
    next.retain(|other| other.id == file.id || other.status != FileStatus::Open);
    let account = (file.org, file.settlement_account);
    let balance = at_bank(world, account.0, account.1)?;
    Ok(shortfall(world, account, balance, &next)?.map(|cover| cover.short))
}

/// Returns the first number of a file's entries. They ascend, so a file never crosses the end of the range.
fn first_trace(sequence: &BankSequence, file: &BankFile) -> i64 {
    let numbers = file.entries_ever + OFFSETS;
    if sequence.next_trace > TRACE_MAX - numbers { 1 } else { sequence.next_trace }
}
