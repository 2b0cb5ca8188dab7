//! Checks sealed values over restarts and rekeys (30). From time to time another master key becomes active, and all
//! seals are rewritten page by page, between the commands of clients; then the old key is removed. After each restart
//! and each rekey, every seal of a sample must open in its own row and field and in no other.

use std::collections::{BTreeMap, VecDeque};

use zeroize::Zeroizing;

use super::chance::Chance;
use super::system::System;
use crate::apps::Organization;
use crate::ids::OrgId;
use crate::ledger::verify::Finding;
use crate::seals::check::{self, Extent};
use crate::seals::{Position, Seal};
use crate::store::memory::{Change, Memory};
use crate::vault::{Ring, Vault};
use crate::world::{Key, Record as _, Row, Table, Value};

/// The invariant's number, as `bursar verify` has it.
const SEALS: u8 = 30;
/// Rows of each table in the sample.
const SAMPLE: usize = 12;
/// The first rekey begins at this step, each later one when the steps have multiplied by the factor.
const FIRST_REKEY_STEP: u64 = 500;
pub(super) const REKEY_FACTOR: u64 = 4;

/// A uniform random sample of a table's rows.
struct Sample {
    table: &'static Table,
    keys: Vec<Key>,
    seen: i64,
}

/// A pass over all seals during a rekey.
pub(super) struct Pass {
    pub organizations: VecDeque<OrgId>,
    pub at: Position,
}

pub(super) struct Seals {
    tables: Vec<&'static str>,
    samples: BTreeMap<&'static str, Sample>,
    /// A separate source, so that the sample does not change the history.
    pub chance: Chance,
    hashing: Zeroizing<[u8; 32]>,
    keys: BTreeMap<u16, Zeroizing<[u8; 32]>>,
    pub pass: Option<Pass>,
    pub next_rekey: u64,
    pub rekeys: u64,
    pub opened: u64,
}

impl Seals {
    pub fn new(seed: u64, master: [u8; 32]) -> Self {
        Self {
            tables: check::tables(),
            samples: BTreeMap::new(),
            chance: Chance::of_seed(seed),
            hashing: Zeroizing::new(master),
            keys: BTreeMap::from([(Vault::FIRST_KEY, Zeroizing::new(master))]),
            pass: None,
            next_rekey: FIRST_REKEY_STEP,
            rekeys: 0,
            opened: 0,
        }
    }

    /// Records a commit: old and new rows are equally likely in the sample.
    pub fn commit(&mut self, changes: &[Change]) {
        let added = changes.iter().filter(|change| change.before.is_none() && change.after.is_some());
        for change in added.filter(|change| self.tables.contains(&change.table.name)) {
            let sample = self.samples.entry(change.table.name);
            let sample = sample.or_insert_with(|| Sample { table: change.table, keys: Vec::new(), seen: 0 });
            sample.seen += 1;
            if sample.keys.len() < SAMPLE {
                sample.keys.push(change.key.clone());
            } else if let Ok(place) = usize::try_from(self.chance.between(0, sample.seen - 1))
                && let Some(key) = sample.keys.get_mut(place)
            {
                key.clone_from(&change.key);
            }
        }
    }

    pub fn is_rekeying(&self) -> bool {
        self.pass.is_some()
    }

    /// Returns the fault of the sample.
    pub fn check(&mut self, memory: &Memory, vault: &Vault) -> Option<Finding> {
        for sample in self.samples.values() {
            let mut before: Vec<Seal> = Vec::new();
            for key in &sample.keys {
                let Some(row) = memory.row(sample.table, key) else { continue };
                let place = || format!("{} {key:?}", sample.table.name);
                let finding = |what: String| Some(Finding { invariant: SEALS, what, place: place() });
                let (seals, found) = match check::of_row(sample.table, &row, vault) {
                    Ok(opened) => opened,
                    Err(error) => return finding(error.to_string()),
                };
                if found.is_some() {
                    return found;
                }
                let opens = |seal: &Seal, place: &Seal| vault.open(&place.context, &seal.bytes).is_ok();
                let others = |own: usize| {
                    let of_row = seals.iter().enumerate().filter(move |(other, _)| *other != own);
                    before.iter().chain(of_row.map(|(_, place)| place))
                };
                if seals.iter().enumerate().any(|(own, seal)| others(own).any(|place| opens(seal, place))) {
                    return finding("has a seal that opens in another row".to_owned());
                }
                self.opened += u64::try_from(seals.len()).unwrap_or(0);
                before = seals;
            }
        }
        None
    }

    /// Activates a new key. The previous one still opens its seals.
    pub fn begin(&mut self, memory: &Memory, vault: &Vault) {
        let active = self.keys.last_key_value().map_or(Vault::FIRST_KEY, |(id, _)| id + 1);
        self.keys.insert(active, Zeroizing::new(self.chance.entropy().bytes()));
        self.take_up(vault, active);
        let org = |row: &Row| if let Value::Id(id) = row[0] { Some(OrgId(id)) } else { None };
        let organizations = memory.rows(Organization::TABLE).iter().filter_map(org).collect();
        self.pass = Some(Pass { organizations, at: Position::default() });
    }

    fn take_up(&self, vault: &Vault, active: u16) {
        vault.replace(Ring::new(&self.hashing, &self.keys, active).expect("the ring has its active key"));
    }

    /// Moves the pass to its next position, in the next organization or the same.
    pub fn go_on(&mut self, at: Position, next_organization: bool) {
        let Some(pass) = &mut self.pass else { return };
        pass.at = at;
        if next_organization {
            pass.organizations.pop_front();
        }
    }

    /// Removes all keys but the active one, which seals all values now.
    pub fn end(&mut self, vault: &Vault) {
        let active = vault.ring().active();
        self.keys.retain(|id, _| *id == active);
        self.take_up(vault, active);
        self.rekeys += 1;
        self.pass = None;
    }
}

/// Returns the first fault of any seal.
pub(super) fn all(system: &System, vault: &Vault) -> Option<Finding> {
    match check::check(&system.reads(), vault, Extent::All) {
        Ok(opened) => opened.findings.into_iter().next(),
        Err(error) => {
            Some(Finding { invariant: Finding::UNNUMBERED, what: error.to_string(), place: "the store".to_owned() })
        }
    }
}
