//! The bank's side of the mailbox: the folder for payment files, what the bank took from it, and what it owes.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use bursar_formats::Profile;
use bursar_formats::nacha;
use bursar_transports::intake::Watch;
use bursar_transports::publish::{Found, Look};
use bursar_transports::{Entry, EntryKind, Listing, Name, Stat};
use sha2::{Digest as _, Sha256};

use super::set_up::{NUMBER, Place};
use crate::bank_files::EntryStatus;
use crate::bank_statements::deposit_reference;
use crate::bankbox::{self, Account, Grain, StatementFormat};
use crate::banking::settlement_accounts::{BookingGrain, StatementKind};
use crate::clock::Time;
use crate::ids::{BankFileId, InboundFileId, TransferId};
use crate::ledger::verify::Finding;
use crate::scope::Scope;
use crate::sim::chance::Chance;

/// The number of the invariant that an entry is in one file, and a file's bytes follow from its records.
pub(super) const FILES: u8 = 38;
/// The money in the account before its first statement, in cents.
const OPENING: i64 = 700_000_000;
/// The time between two answers of the bank.
const ANSWER_SECONDS: i64 = 600;
/// The account number with which the simulated operator refuses a file.
const REFUSED: &[u8; 17] = b"50000000         ";

/// A file on its way into the folder.
pub(super) struct Posted {
    pub at: Time,
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The program's entries.
#[derive(Default)]
pub(super) struct Truth {
    pub entries: HashMap<TransferId, EntryStatus>,
    /// The payment of each id in a file.
    pub payments: HashMap<String, TransferId>,
    /// The reversals of each transfer, by their ids in a file.
    pub reversals: HashMap<TransferId, Vec<String>>,
    /// The transfers that waited for a prenote.
    pub held: HashSet<TransferId>,
    /// The files whose payments are not presumed settled.
    pub unclear: HashSet<BankFileId>,
}

/// A file that the bank shows in its folder.
pub(super) struct Shown {
    pub bytes: Vec<u8>,
    pub modified: i64,
}

#[derive(Default)]
pub(in crate::sim) struct Far {
    pub place: Option<Place>,
    pub(super) bank: bankbox::Bank,
    /// Payment files, temporary ones too.
    outbound: BTreeMap<String, Vec<u8>>,
    pub(super) inbound: BTreeMap<String, Shown>,
    /// Answers that are not in the folder yet.
    pub(super) arriving: Vec<Posted>,
    /// Statements that the bank sends when it is asked.
    pub(super) lost: Vec<Posted>,
    /// What earlier polls of the program's process saw.
    pub watch: Watch,
    /// The names of the files that the bank took, by the hash of their bytes.
    pub(super) taken: BTreeMap<String, String>,
    /// How often the bank has each payment in files that it did not refuse, by the id of the payment.
    pub(super) accepted: HashMap<String, u32>,
    pub(super) refused: HashSet<String>,
    /// The hashes of the files that the bank refused.
    refused_files: HashSet<String>,
    /// Whether the bank acknowledges files.
    pub(super) acknowledges: bool,
    pub(super) returned: HashSet<String>,
    /// The hash that the program committed for each name.
    pub(super) committed: HashMap<String, String>,
    /// The hash of the bytes under each name in the folder for answers.
    pub(super) hashes: HashMap<String, String>,
    /// The hashes of the answers that the program reads or has read.
    pub(super) used: HashMap<InboundFileId, String>,
    /// Answers that the program has not stored: name and time.
    pub(super) unread: BTreeSet<(String, i64)>,
    pub(super) truth: Truth,
    pub(super) findings: Vec<Finding>,
    pub(super) posts: u64,
    last_answer: Option<Time>,
    /// Whether it has no faults or delays. On when the simulation drains.
    pub sound: bool,
    pub reached: BTreeMap<&'static str, u64>,
}

pub(super) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn seconds(now: Time) -> i64 {
    now.micros() / 1_000_000
}

fn is_temporary(name: &str) -> bool {
    Name::parse(name).is_ok_and(|name| name.is_temporary())
}

impl Far {
    /// Opens the customer's account at a bank that acknowledges files, or does not.
    pub fn open(&mut self, place: Place, (kind, grain): (StatementKind, BookingGrain), acknowledges: bool, now: Time) {
        let format = if kind == StatementKind::Bai2 { StatementFormat::Bai2 } else { StatementFormat::Camt053 };
        let grain = if grain == BookingGrain::Entry { Grain::Entry } else { Grain::File };
        self.bank.keep(Account::open(NUMBER, format, grain, OPENING, seconds(now)));
        self.acknowledges = acknowledges;
        if acknowledges {
            self.bank.acknowledge();
        }
        self.place = Some(place);
    }

    pub(super) fn count(&mut self, what: &'static str) {
        *self.reached.entry(what).or_default() += 1;
    }

    pub(super) fn find(&mut self, invariant: u8, what: String, place: String) {
        self.findings.push(Finding { invariant, what, place });
    }

    pub fn complaint(&mut self) -> Option<Finding> {
        self.findings.pop()
    }

    /// Lets the bank collect files, answer, and book what others do, if time has passed.
    pub fn tick(&mut self, now: Time, apps: &[Scope], chance: &mut Chance) {
        let Some(place) = self.place else { return };
        self.collect(now, chance);
        let has_passed = |last: Time| now.seconds_since(last) >= ANSWER_SECONDS;
        if self.last_answer.is_none_or(has_passed) {
            self.last_answer = Some(now);
            if !self.sound {
                self.others(place, now, apps, chance);
            }
            for answer in self.bank.answer(seconds(now)) {
                self.post(answer, now, chance);
            }
        }
        self.show(now);
    }

    /// Books deposits with and without a reference, costs, and debits of others.
    fn others(&mut self, place: Place, now: Time, apps: &[Scope], chance: &mut Chance) {
        let amount = chance.between(1, 900_000);
        let of_org: Vec<_> = apps.iter().filter(|app| app.org == place.org).collect();
        match chance.position(60) {
            0 | 1 => {
                let Some(Scope { org, app }) = chance.pick(&of_org).copied() else { return };
                let reference = deposit_reference(*org, *app);
                self.bank.wire(amount, &format!("FUNDING {reference}"), seconds(now));
            }
            2 => self.bank.wire(amount, "FROM A CUSTOMER", seconds(now)),
            3 => self.bank.fee(amount % 9_000 + 1, seconds(now)),
            4 => self.bank.interest(amount % 9_000 + 1, seconds(now)),
            5 => self.bank.debit_by_other(amount % 9_000 + 1, seconds(now)),
            _ => {}
        }
    }

    /// Takes the complete files out of the folder, sooner or later.
    fn collect(&mut self, now: Time, chance: &mut Chance) {
        let names: Vec<String> = self.outbound.keys().filter(|name| !is_temporary(name)).cloned().collect();
        for name in names {
            if self.sound || chance.one_in(3) {
                self.take(&name, now, chance);
            }
        }
    }

    /// A file that cannot be read stays, as its writer may not have finished.
    fn take(&mut self, name: &str, now: Time, chance: &mut Chance) {
        let Some(bytes) = self.outbound.get(name).cloned() else { return };
        let Ok((file, _)) = nacha::read(&bytes, Profile::Strict) else { return };
        self.outbound.remove(name);
        let sha256 = hash(&bytes);
        let place = || format!("file {name} at the bank");
        if self.committed.get(name) != Some(&sha256) {
            self.find(FILES, "has other bytes than those that were committed".to_owned(), place());
        }
        if let Some(earlier) = self.taken.get(&sha256) {
            let what = format!("was published a second time; the first was {earlier}");
            self.find(FILES, what, place());
            return;
        }
        let is_rejected = !self.sound && chance.one_in(9);
        self.count(if is_rejected { "bank files that the bank refused" } else { "bank files that the bank took" });
        if is_rejected {
            self.refused_files.insert(sha256.clone());
        }
        self.taken.insert(sha256, name.to_owned());
        let entries = file.batches.iter().flat_map(|batch| &batch.entries);
        let ids: Vec<String> = entries
            .filter(|entry| entry.name.trim_end() != "OFFSET")
            .map(|entry| entry.individual_id.clone())
            .collect();
        if is_rejected {
            self.refused.extend(ids);
            return self.reject(&bytes, now, chance);
        }
        for id in ids {
            let times = self.accepted.entry(id.clone()).or_default();
            *times += 1;
            if *times > 1 {
                self.find(FILES, format!("has the payment {id}, which the bank has already"), place());
            }
        }
        // It was read above, by the same rules.
        drop(self.bank.take(&bytes, seconds(now)));
    }

    /// Answers with a rejection, as another bank that refuses the file because of one account.
    fn reject(&mut self, bytes: &[u8], now: Time, chance: &mut Chance) {
        let is_before = |line: &&[u8]| line.first() != Some(&b'6');
        let start: usize = bytes.split(|byte| *byte == b'\n').take_while(is_before).map(|line| line.len() + 1).sum();
        let mut altered = bytes.to_vec();
        let Some(account) = altered.get_mut(start + 12..start + 29) else { return };
        account.copy_from_slice(REFUSED);
        let mut operator = bankbox::Bank::default();
        drop(operator.take(&altered, seconds(now)));
        for answer in operator.answer(seconds(now)) {
            self.post(answer, now, chance);
        }
    }

    /// Whether the bank finds a payment in its folder.
    pub(super) fn is_in_folder(&self, id: &str) -> bool {
        let mut files = self.outbound.iter().filter(|(name, _)| !is_temporary(name));
        files.any(|(_, bytes)| bytes.windows(id.len()).any(|window| window == id.as_bytes()))
    }

    /// Whether the bank has these bytes, or finds them whole in its folder.
    pub fn has(&self, name: &str, sha256: &str) -> bool {
        self.taken.contains_key(sha256) || self.outbound.get(name).is_some_and(|bytes| hash(bytes) == sha256)
    }

    /// Whether the bank refused the file with these bytes.
    pub(super) fn has_refused(&self, sha256: &str) -> bool {
        self.refused_files.contains(sha256)
    }

    /// Writes a temporary file, or a part of it.
    pub fn put(&mut self, name: &Name, bytes: &[u8]) {
        self.outbound.insert(name.to_string(), bytes.to_vec());
    }

    /// Renames; returns whether there was such a file. `and_keep`: the server ended between the link and its removal.
    pub fn rename(&mut self, temp: &Name, last: &Name, and_keep: bool) -> bool {
        let Some(bytes) = self.outbound.get(temp.as_str()).cloned() else { return false };
        if !and_keep {
            self.outbound.remove(temp.as_str());
        }
        self.outbound.insert(last.to_string(), bytes);
        true
    }

    pub fn remove(&mut self, name: &Name) {
        self.outbound.remove(name.as_str());
    }

    /// Removes what is in the folder of a file that the bank does not have.
    pub fn clear(&mut self, file: &str, last: &str) {
        self.remove_strays(file);
        self.outbound.remove(last);
    }

    pub fn remove_strays(&mut self, file: &str) {
        self.outbound.retain(|name, _| Name::parse(name).is_ok_and(|name| name.lease_of(file).is_none()));
    }

    pub fn look(&self, temp: &Name, last: &Name, bytes: &[u8]) -> Look {
        let found = |name: &Name| match self.outbound.get(name.as_str()) {
            None => Found::Missing,
            Some(other) if other.len() == bytes.len() => Found::Whole,
            Some(_) => Found::Different,
        };
        Look { temp: found(temp), last: found(last) }
    }

    /// Lists the folder for answers.
    pub fn listing(&self) -> Listing {
        let entries = self.inbound.iter().filter_map(|(name, shown)| {
            let size = u64::try_from(shown.bytes.len()).ok()?;
            let stat = Stat { kind: EntryKind::File, size, modified: Some(shown.modified) };
            Some(Entry { name: Name::parse(name).ok()?, stat })
        });
        Listing { entries: entries.collect(), unusable: Vec::new() }
    }

    pub fn fetch(&self, name: &Name) -> Option<Vec<u8>> {
        self.inbound.get(name.as_str()).map(|shown| shown.bytes.clone())
    }

    /// Whether it owes nothing, and the program has stored all of its answers.
    pub fn is_silent(&self) -> bool {
        let is_collected = !self.outbound.keys().any(|name| !is_temporary(name));
        self.place.is_none()
            || is_collected
                && self.bank.is_idle()
                && self.arriving.is_empty()
                && self.lost.is_empty()
                && self.unread.is_empty()
    }

    /// Returns the next time at which an answer is in the folder.
    pub fn next_answer(&self) -> Option<Time> {
        self.arriving.iter().map(|posted| posted.at).min()
    }

    /// The money in the account after its last statement, in cents.
    pub fn balance(&self) -> i64 {
        self.bank.balance().unwrap_or_default()
    }
}
