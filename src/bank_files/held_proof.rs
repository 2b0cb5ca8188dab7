//! Invariant 64: a payment that waits for a prenote is in no file, and waits for a prenote of its account whose outcome is
//! open; an account has one such prenote for each originator and direction, and prenotes move no money.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{BankEntry, BankFile, EntryKind, EntryStatus};
use crate::clock::Time;
use crate::ids::{BankAccountId, BankFileId, OrgId, OriginatorId, PayoutMethodId, TransferId};
use crate::ledger::verify::Finding;
use crate::rails::Direction;
use crate::transfers::{Transfer, TransferStatus};

const HELD: u8 = 64;

/// The account at the other end.
type Account = (Option<PayoutMethodId>, Option<BankAccountId>);

/// What is checked of a file.
struct Of {
    originator: OriginatorId,
    settles_at: Time,
    moves_money: bool,
}

/// Compares prenotes with the transfers that wait for them. Takes all files before the entries, and the transfers last.
#[derive(Default)]
pub struct Checker {
    files: BTreeMap<(OrgId, BankFileId), Of>,
    /// The prenotes whose outcome is open.
    open: BTreeMap<(OrgId, TransferId), (Account, Direction, Time)>,
    accounts: BTreeSet<(OrgId, Account, OriginatorId, Direction)>,
    findings: Vec<Finding>,
}

impl Checker {
    fn find(&mut self, what: impl Into<String>, place: String) {
        self.findings.push(Finding { invariant: HELD, what: what.into(), place });
    }

    pub fn file(&mut self, file: &BankFile) {
        let (originator, settles_at, moves_money) = (file.originator, file.settles_at, file.moves_money());
        self.files.insert((file.org, file.id), Of { originator, settles_at, moves_money });
    }

    /// Takes an entry with its transfer.
    pub fn entry(&mut self, entry: &BankEntry, transfer: Option<&Transfer>) {
        let place = format!("bank entry of transfer {}", entry.transfer);
        let is_held = transfer.is_some_and(|transfer| transfer.held_for.is_some());
        if is_held && entry.is_of_transfer() && entry.status != EntryStatus::Withdrawn {
            self.find("is in a file, and its transfer waits for a prenote", place.clone());
        }
        // Invariant 38 reports a missing file.
        let Some(Of { originator, settles_at, moves_money }) = self.files.get(&(entry.org, entry.file)) else { return };
        let (originator, settles_at, is_prenote) = (*originator, *settles_at, entry.kind == EntryKind::Prenote);
        if is_prenote == *moves_money {
            self.find("is a prenote among payments, or a payment among prenotes", place.clone());
        }
        if !is_prenote {
            return;
        }
        if !entry.amount.is_zero() {
            self.find(format!("is a prenote of {} cents", entry.amount), place.clone());
        }
        if entry.status != EntryStatus::Joined {
            return;
        }
        let account = (entry.payout_method, entry.bank_account);
        if !self.accounts.insert((entry.org, account, originator, entry.direction)) {
            self.find("is the second open prenote of its account", place);
        }
        self.open.insert((entry.org, entry.transfer), (account, entry.direction, settles_at));
    }

    /// Takes a transfer.
    pub fn transfer(&mut self, transfer: &Transfer) {
        let Some(prenote) = transfer.held_for else { return };
        let place = format!("transfer {}", transfer.id);
        if transfer.status != TransferStatus::Pending {
            self.find(format!("is {}, and waits for a prenote", transfer.status), place.clone());
        }
        let Some((account, direction, settles_at)) = self.open.get(&(transfer.org, prenote)).copied() else {
            return self.find(format!("waits for the prenote {prenote}, whose outcome is known"), place);
        };
        let is_of_account = account == (transfer.payout_method, transfer.bank_account);
        if !is_of_account || transfer.direction() != Some(direction) {
            self.find("waits for a prenote of another account or direction", place.clone());
        }
        if transfer.held_until != Some(settles_at) {
            self.find(format!("does not wait until {settles_at}, when its prenote is presumed accepted"), place);
        }
    }

    #[must_use]
    pub fn findings(self) -> Vec<Finding> {
        self.findings
    }
}
