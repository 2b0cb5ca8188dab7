//! Invariant 38: each entry is in exactly one file, a file's counters are those of its entries, and its bytes follow
//! from its records. Invariant 39: what is unbooked is what settled through an account, less what its bank booked.
//! Invariant 63: an originator of one app sends no payment of another app, and an entry is reversed once. Invariant 66: a
//! file that is written after a correction pays to the corrected account.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sha2::{Digest as _, Sha256};

use super::contents::{Contents, contents};
use super::model::{BankEntry, BankFile, EntryKind, EntryStatus, FileStatus, is_administrative, is_unauthorized};
use crate::banking::originators::Originator;
use crate::clock::Time;
use crate::engine::view;
use crate::ids::{AppId, BankFileId, OrgId, OriginatorId, SettlementAccountId, TransferId};
use crate::ledger::verify::Finding;
use crate::ledger::{LedgerAccount, LedgerAccountKind};
use crate::rails::Direction;
use crate::refusal::Refusal;
use crate::store::{Reads, StoreError};
use crate::transfers::{Transfer, TransferStatus};
use crate::vault::Vault;

const FILES: u8 = 38;
const UNBOOKED: u8 = 39;
const FOLLOWED: u8 = 63;
const CORRECTED: u8 = 66;

/// The sums of a file's entries.
#[derive(Default)]
struct Sums {
    entries: i64,
    credit: i128,
    last_number: i64,
    withdrawn: i64,
    returned: i64,
    unauthorized: i64,
    administrative: i64,
    refused: i64,
    refused_credit: i128,
}

/// Compares files, entries, transfers and ledger accounts. Takes all originators and files before the entries, and the
/// accounts last.
#[derive(Default)]
pub struct Checker {
    /// The only app that an originator serves.
    served: BTreeMap<(OrgId, OriginatorId), AppId>,
    /// The entries whose reversal may take effect, or did.
    reversed: BTreeSet<(OrgId, TransferId)>,
    files: BTreeMap<(OrgId, BankFileId), (BankFile, Sums)>,
    unbooked: HashMap<(OrgId, AppId, SettlementAccountId), i128>,
    findings: Vec<Finding>,
}

impl Checker {
    fn find(&mut self, invariant: u8, what: impl Into<String>, place: String) {
        self.findings.push(Finding { invariant, what: what.into(), place });
    }

    pub fn originator(&mut self, originator: &Originator) {
        if let Some(app) = originator.app {
            self.served.insert((originator.org, originator.id), app);
        }
    }

    pub fn file(&mut self, file: &BankFile) {
        self.files.insert((file.org, file.id), (file.clone(), Sums::default()));
    }

    /// Takes an entry with its transfer.
    pub fn entry(&mut self, entry: &BankEntry, transfer: Option<&Transfer>) {
        let place = format!("bank entry of transfer {}", entry.transfer);
        let Some((file, sums)) = self.files.get_mut(&(entry.org, entry.file)) else {
            return self.find(FILES, format!("is in file {}, which does not exist", entry.file), place);
        };
        let account = file.settlement_account;
        sums.last_number = sums.last_number.max(entry.number + 1);
        if entry.status == EntryStatus::Withdrawn {
            sums.withdrawn += 1;
        } else {
            sums.entries += 1;
            sums.credit += i128::from(entry.amount.get());
        }
        if entry.status == EntryStatus::Returned {
            sums.returned += 1;
            let of_transfer = || transfer.and_then(|transfer| transfer.error).filter(|_| entry.is_of_transfer());
            let code = entry.error.or_else(of_transfer).filter(|_| file.direction == Direction::Debit);
            sums.unauthorized += i64::from(code.is_some_and(is_unauthorized));
            sums.administrative += i64::from(code.is_some_and(is_administrative));
        }
        if entry.status == EntryStatus::Rejected {
            sums.refused += 1;
            sums.refused_credit += i128::from(entry.amount.get());
        }
        let unbooked = unbooked(file, entry);
        if unbooked != 0 {
            *self.unbooked.entry((entry.org, entry.app, account)).or_default() += unbooked;
        }
        let serves = self.served.get(&(file.org, file.originator)).is_none_or(|app| *app == entry.app);
        let is_of_file = (entry.settlement_account, entry.direction) == (account, file.direction);
        let is_corrected = entry.corrected_in.is_none_or(|at| at == file.id && file.sha256.is_some());
        if !is_of_file {
            self.find(FILES, "names another settlement account or direction than its file", place.clone());
        }
        if !is_corrected {
            self.find(CORRECTED, "pays to the account of before its correction", place.clone());
        }
        if !serves {
            self.find(FOLLOWED, "is in a file under the name of another app", place.clone());
        }
        if let (EntryKind::Reversal, Some(original)) = (entry.kind, entry.follows)
            && !matches!(entry.status, EntryStatus::Withdrawn | EntryStatus::Canceled | EntryStatus::Rejected)
            && !self.reversed.insert((entry.org, original))
        {
            self.find(FOLLOWED, format!("reverses {original} a second time"), place.clone());
        }
        if entry.kind != EntryKind::Prenote && !transfer.is_some_and(|transfer| is_of(entry, transfer)) {
            let status = transfer.map_or("missing", |transfer| transfer.status.as_str());
            self.find(
                FILES,
                format!("is {}; its transfer is {status}, or differs in amount or payee", entry.status),
                place,
            );
        }
    }

    /// Takes a ledger account.
    pub fn account(&mut self, account: &LedgerAccount) {
        let (LedgerAccountKind::Unbooked, Some(app), Some(at)) =
            (account.kind, account.app, account.settlement_account)
        else {
            return;
        };
        let unbooked = self.unbooked.remove(&(account.org, app, at)).unwrap_or_default();
        if i128::from(account.balance.get()) != unbooked {
            let what = format!("holds {} cents; the bank has not booked {unbooked} cents", account.balance);
            self.find(UNBOOKED, what, format!("ledger account {}", account.id));
        }
    }

    #[must_use]
    pub fn findings(mut self) -> Vec<Finding> {
        for ((_, id), (file, sums)) in std::mem::take(&mut self.files) {
            if let Some(what) = wrong(&file, &sums) {
                self.find(FILES, what, format!("bank file {id}"));
            }
        }
        for ((_, app, account), cents) in std::mem::take(&mut self.unbooked) {
            if cents == 0 {
                continue;
            }
            let what = format!("{cents} cents of app {app} are not booked and are in no ledger account");
            self.find(UNBOOKED, what, format!("settlement account {account}"));
        }
        self.findings
    }
}

/// Returns what an entry adds to the unbooked money: it is settled, less what the bank booked, and what it booked for a
/// return.
fn unbooked(file: &BankFile, entry: &BankEntry) -> i128 {
    let is_debited = entry.is_debited() && (file.debit_line.is_some() || entry.debit_line.is_some());
    let is_settled = matches!(entry.status, EntryStatus::Settled | EntryStatus::Reversed);
    let facts = i128::from(is_settled) - i128::from(is_debited) + i128::from(entry.credit_line.is_some());
    i128::from(entry.leaving().get()) * facts
}

/// Returns whether an entry is that of its transfer, or follows it.
fn is_of(entry: &BankEntry, transfer: &Transfer) -> bool {
    let direction = match (entry.is_of_transfer(), entry.direction) {
        (true, direction) => direction,
        (false, Direction::Credit) => Direction::Debit,
        (false, Direction::Debit) => Direction::Credit,
    };
    (transfer.arrives, transfer.user_id, transfer.direction()) == (entry.amount, entry.user_id, Some(direction))
        && (!entry.is_of_transfer() || is_presented_again(entry) || agrees(entry.status, transfer.status))
}

/// Returns whether another entry decides about the transfer.
fn is_presented_again(entry: &BankEntry) -> bool {
    entry.status == EntryStatus::Returned && entry.followed_by.is_some()
}

const fn agrees(entry: EntryStatus, transfer: TransferStatus) -> bool {
    match entry {
        EntryStatus::Joined => matches!(transfer, TransferStatus::Pending),
        EntryStatus::Settled => matches!(transfer, TransferStatus::Completed),
        EntryStatus::Withdrawn => matches!(transfer, TransferStatus::Canceled | TransferStatus::Failed),
        EntryStatus::Canceled => matches!(transfer, TransferStatus::Failed),
        // A debit whose reversal settles first fails.
        EntryStatus::Reversed | EntryStatus::Returned | EntryStatus::Rejected => {
            matches!(transfer, TransferStatus::Failed | TransferStatus::Reversed)
        }
    }
}

/// Returns what is wrong with a file.
fn wrong(file: &BankFile, sums: &Sums) -> Option<String> {
    if (file.entries, i128::from(file.credit.get())) != (sums.entries, sums.credit) {
        let (entries, credit) = (file.entries, file.credit);
        let Sums { entries: found, credit: sum, .. } = sums;
        return Some(format!("counts {entries} entries of {credit} cents; it has {found} of {sum} cents"));
    }
    if (file.entries_ever, file.entries_ever) != (sums.last_number, sums.entries + sums.withdrawn) {
        return Some("gave a number twice, or to no entry".to_owned());
    }
    let counted = (file.returned, file.unauthorized, file.administrative);
    let found = (sums.returned, sums.unauthorized, sums.administrative);
    if counted != found {
        return Some(format!("counts {counted:?} returned, unauthorized and administrative entries; it has {found:?}"));
    }
    if (file.refused, i128::from(file.refused_credit.get())) != (sums.refused, sums.refused_credit) {
        let (refused, credit) = (file.refused, file.refused_credit);
        let Sums { refused: found, refused_credit: sum, .. } = sums;
        return Some(format!("counts {refused} refused entries of {credit} cents; it has {found} of {sum} cents"));
    }
    // A file that has not changed since the index was added is not in it.
    if file.open_at.is_some_and(|at| at != file.connection || !file.is_open()) {
        return Some("is listed for members, and they need not look at it".to_owned());
    }
    let first_trace = file.header.as_ref().map(|header| header.0.first_trace);
    if file.first_trace.is_some() && file.first_trace != first_trace {
        return Some("is found by another trace number than its header has".to_owned());
    }
    let (is_cut, is_written) = match file.status {
        FileStatus::Open | FileStatus::Dropped => (false, false),
        FileStatus::Sealed => (true, false),
        // It may have ended before its cut-off.
        FileStatus::Canceled => (file.sealed_at.is_some(), file.sent_at.is_some()),
        FileStatus::Sending | FileStatus::Renaming | FileStatus::InDoubt | FileStatus::Sent | FileStatus::Rejected => {
            (true, true)
        }
    };
    if is_cut && file.header.is_none() || is_written && (file.sha256.is_none() || file.must_wait_for_release()) {
        return Some(format!("is {}, and has no identity, no hash or no release", file.status));
    }
    None
}

/// Builds every written file again from its records, and compares the hash. Files with an erased payee are skipped.
///
/// # Errors
/// The store cannot be read.
pub fn bytes(reads: &Reads, vault: &Vault) -> Result<Vec<Finding>, StoreError> {
    let mut files = Vec::new();
    reads.snapshot(|snapshot| {
        snapshot.each::<BankFile>(|file| {
            if file.sha256.is_some() {
                files.push(file.clone());
            }
            Ok(())
        })
    })?;
    Ok(files.into_iter().filter_map(|file| built_otherwise(reads, vault, &file)).collect())
}

fn built_otherwise(reads: &Reads, vault: &Vault, file: &BankFile) -> Option<Finding> {
    let built: Result<Contents, Refusal> = view(reads, Time::from_micros(0), |world| contents(world, vault, file));
    let what = match built {
        Ok(Contents::Erased) => return None,
        Ok(Contents::Bytes(bytes)) => {
            let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            if file.sha256.as_ref() == Some(&hash) {
                return None;
            }
            format!("its records give bytes with the hash {hash}; it was written with another")
        }
        Ok(Contents::Nothing | Contents::Unusable(_)) => "its records give no bytes".to_owned(),
        Err(refusal) => format!("its bytes cannot be built: {}", refusal.message),
    };
    Some(Finding { invariant: FILES, what, place: format!("bank file {}", file.id) })
}
