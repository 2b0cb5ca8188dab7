//! Deliberate faults in the records of banks. The product reads them; the checks of a commit see the correct rows.

use super::kinds::Sabotage;
use super::rows::{lose, overwrite};
use crate::bank_files::{BankEntry, BankFile, EntryStatus, FileStatus};
use crate::bank_intake::{BankItem, ItemKind, ItemStatus};
use crate::banking::Acknowledgements;
use crate::banking::connections::BankConnection;
use crate::jobs::{Job, Work};
use crate::ledger::{LedgerAccount, LedgerAccountKind};
use crate::rails::Direction;
use crate::sim::checks::changed::{changed, read};
use crate::store::memory::{Change, Memory};
use crate::transfers::Transfer;
use crate::world::record::{Cell as _, Document};
use crate::world::{Record, Table, Value};

/// Overwrites columns of a stored row.
fn set<R: Record>(memory: &Memory, is_meant: impl Fn(&R) -> bool, columns: &[(&str, Value)]) {
    let found = memory.rows(R::TABLE).into_iter().find(|row| read::<R>(row).is_some_and(|record| is_meant(&record)));
    let Some(mut row) = found else { return };
    for (column, value) in columns {
        row[R::TABLE.position(column).expect("a column of the record")] = value.clone();
    }
    memory.tamper(R::TABLE, Table::index_values(R::TABLE.key(), &row), Some(row));
}

pub(super) fn tamper(sabotage: Sabotage, changes: &[Change], memory: &Memory) {
    let mut unseen = changes.to_vec();
    if sabotage == Sabotage::EntriesInTwoFiles {
        let other = memory.rows(BankFile::TABLE).into_iter().find_map(|row| read::<BankFile>(&row));
        if let Some(other) = other {
            let is_elsewhere = |entry: &BankEntry| entry.file != other.id && entry.status == EntryStatus::Settled;
            overwrite(&mut unseen, memory, is_elsewhere, "file", &other.id.to_value());
        }
    } else if sabotage == Sabotage::TurnedDebits {
        let is_debit = |entry: &BankEntry| entry.direction == Direction::Debit;
        overwrite(&mut unseen, memory, is_debit, "direction", &Direction::Credit.to_value());
    } else if sabotage == Sabotage::UnbookedNotCleared {
        // The posting is there, and the file does not know it.
        overwrite(&mut unseen, memory, |file: &BankFile| file.debit_line.is_some(), "debit_line", &Value::Null);
        overwrite(&mut unseen, memory, |one: &BankEntry| one.debit_line.is_some(), "debit_line", &Value::Null);
    } else if sabotage == Sabotage::LostReports {
        lose(&mut unseen, memory, |item: &BankItem| item.kind == ItemKind::Return);
    } else if sabotage == Sabotage::MovedAtBank {
        let is_at_bank = |account: &LedgerAccount| account.kind == LedgerAccountKind::AtBank;
        overwrite(&mut unseen, memory, is_at_bank, "balance", &Value::Int(-1));
    } else if sabotage == Sabotage::LinesMoveTwice {
        let booked = changed::<BankEntry>(changes).filter_map(|change| change.after);
        for line in booked.filter_map(|entry| entry.debit_line) {
            let is_other = |entry: &BankEntry| entry.debit_line.is_none();
            set(memory, is_other, &[("debit_line", Value::Id(line.0))]);
        }
        let files = changed::<BankFile>(changes).filter_map(|change| change.after);
        for (file, line) in files.filter_map(|file| Some((file.id, file.debit_line?))) {
            let is_of_file = |entry: &BankEntry| entry.file == file && entry.debit_line.is_none();
            set(memory, is_of_file, &[("debit_line", Value::Id(line.0))]);
        }
    } else if sabotage == Sabotage::ForgottenSuspense {
        overwrite(&mut unseen, memory, |item: &BankItem| item.suspense.is_some(), "suspense", &Value::Null);
    } else if sabotage == Sabotage::CompletesUnsent {
        presume_sent(&mut unseen, memory);
    } else if sabotage == Sabotage::ForgottenAcknowledgements {
        for connection in changed::<BankConnection>(changes).filter_map(|change| change.after) {
            let mut settings = connection.settings.clone();
            settings.0.acknowledgements = Acknowledgements::default();
            set(memory, |one: &BankConnection| one.id == connection.id, &[("settings", settings.to_value())]);
        }
    } else if sabotage == Sabotage::WaitsForNothing {
        let other = Value::Id(uuid::Uuid::from_u128(1));
        overwrite(&mut unseen, memory, |transfer: &Transfer| transfer.held_for.is_some(), "held_for", &other);
    } else if sabotage == Sabotage::PostsNotices {
        post_returns(changes, memory);
    }
}

/// Takes each file that was cut for one at the bank, and presumes its settlement instead of sending it.
fn presume_sent(unseen: &mut [Change], memory: &Memory) {
    let is_sealed = |file: &BankFile| file.status == FileStatus::Sealed;
    overwrite(unseen, memory, is_sealed, "sha256", &Value::Text("0".repeat(64)));
    overwrite(unseen, memory, is_sealed, "open_at", &Value::Null);
    overwrite(unseen, memory, is_sealed, "status", &FileStatus::Sent.to_value());
    for job in changed::<Job>(unseen).filter_map(|change| change.after) {
        if let Work::SendBankFile { file } = job.work.0 {
            let ends = Document(Work::EndBankFile { file }).to_value();
            set(memory, |one: &Job| one.id == job.id, &[("work", ends)]);
        }
    }
}

/// Moves the money of each return that was applied, for which the bank's statement has a line too.
fn post_returns(changes: &[Change], memory: &Memory) {
    let is_report = |item: &BankItem| (item.kind, item.status) == (ItemKind::Return, ItemStatus::Applied);
    for item in changed::<BankItem>(changes).filter_map(|change| change.after).filter(|item| is_report(item)) {
        let is_at_bank = |account: &LedgerAccount| account.kind == LedgerAccountKind::AtBank;
        let accounts = memory.rows(LedgerAccount::TABLE);
        let Some(account) = accounts.iter().find_map(|row| read::<LedgerAccount>(row).filter(|one| is_at_bank(one)))
        else {
            continue;
        };
        let balance = Value::Int(account.balance.get() - item.amount.get());
        set(memory, |one: &LedgerAccount| one.id == account.id, &[("balance", balance)]);
    }
}
