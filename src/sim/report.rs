//! What a simulation says at its end.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::Simulation;
use crate::ledger::verify::Finding;
use crate::store::Memory;
use crate::world::record::feed_bytes;

/// A simulation that found nothing wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// What decided everything.
    pub seed: u64,
    /// Commands that were run.
    pub ops: u64,
    /// Batches.
    pub steps: u64,
    /// Commits that were written.
    pub commits: u64,
    /// Faults of the store.
    pub faults: u64,
    /// How often the program was started again.
    pub restarts: u64,
    /// Payout links that were made.
    pub links: u64,
    /// Payouts that were made.
    pub payouts: u64,
    /// Idempotency keys whose answers were kept.
    pub keys: usize,
    /// Days that passed in the simulation.
    pub simulated_days: i64,
    /// How often both sides of some rules came up.
    pub reached: BTreeMap<&'static str, u64>,
    /// How often each kind of request was answered in each way: what this run has reached.
    pub answers: BTreeMap<String, u64>,
    /// SHA-256 over all rows of all tables. Two runs of a seed have the same.
    pub state_hash: String,
}

/// Something that must not be, and how to see it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The seed.
    pub seed: u64,
    /// The length that was asked for; the end is another at another length.
    pub ops: u64,
    /// In which step.
    pub step: u64,
    /// What was found. The invariants are listed in docs/internals/reliability.md.
    pub finding: Finding,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, ops, step, finding } = self;
        match finding.invariant {
            Finding::UNNUMBERED => write!(f, "step {step} found an error")?,
            number => write!(f, "invariant {number} is broken in step {step}")?,
        }
        writeln!(f, ": {}: {}", finding.place, finding.what)?;
        write!(f, "repeat it with: bursar simulate --seed {seed} --ops {ops}")
    }
}

impl std::error::Error for Violation {}

impl Simulation {
    pub(super) fn report(&self) -> Report {
        Report {
            seed: self.settings.seed,
            ops: self.ops,
            steps: self.steps,
            commits: self.system.memory().commits(),
            faults: self.faults,
            restarts: self.system.restarts,
            links: self.directory.links_made,
            payouts: self.directory.payouts,
            keys: self.promises.len(),
            simulated_days: self.system.now().seconds_since(super::START) / crate::clock::DAY_SECONDS,
            reached: self.reached(),
            answers: self.heard.clone(),
            state_hash: state_hash(self.system.memory()),
        }
    }
}

impl Simulation {
    fn reached(&self) -> BTreeMap<&'static str, u64> {
        let (rest, full_days) = self.checks.reached();
        BTreeMap::from([
            ("automatic payouts to rested methods", rest.rested),
            ("payouts that became links because the method was young", rest.became_links),
            ("payouts of payees to young methods", rest.by_payee),
            ("recipients and days with as many deliveries as are allowed", full_days),
            ("rekeys", self.seals.rekeys),
            ("seals opened after restarts", self.seals.opened),
        ])
    }
}

/// Hashes every row, by table and key. A length or a tag stands before each value: no two states look the same.
fn state_hash(memory: &Memory) -> String {
    let mut hash = Sha256::new();
    memory.each_row(|table, row| {
        feed_bytes(&mut hash, table.as_bytes());
        row.iter().for_each(|value| value.feed(&mut hash));
    });
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
