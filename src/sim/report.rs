use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::Simulation;
use crate::ledger::verify::Finding;
use crate::store::Memory;
use crate::world::record::feed_bytes;

/// The result of a simulation without a violation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    pub seed: u64,
    pub ops: u64,
    pub steps: u64,
    pub commits: u64,
    pub faults: u64,
    pub restarts: u64,
    pub links: u64,
    pub payouts: u64,
    /// Idempotency keys whose responses were stored.
    pub keys: usize,
    pub simulated_days: i64,
    /// How often both sides of some rules occurred.
    pub reached: BTreeMap<&'static str, u64>,
    /// The number of responses by request kind and status: the coverage of this run.
    pub answers: BTreeMap<String, u64>,
    /// SHA-256 over all rows of all tables. Two runs of a seed have the same.
    pub state_hash: String,
}

/// A violation, and the settings that repeat it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    pub seed: u64,
    /// The requested length; another length drains elsewhere.
    pub ops: u64,
    pub step: u64,
    /// The finding. docs/internals/reliability.md lists the invariants.
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
            ("follow-ups that failed", self.failed_follow_ups),
            ("messages in the inbox without a worker", self.provider.followed),
            ("rekeys", self.seals.rekeys),
            ("seals opened after restarts", self.seals.opened),
        ])
    }
}

/// Hashes every row, by table and key. A length or a tag precedes each value, so that no two states have the same
/// input.
fn state_hash(memory: &Memory) -> String {
    let mut hash = Sha256::new();
    memory.each_row(|table, row| {
        feed_bytes(&mut hash, table.as_bytes());
        row.iter().for_each(|value| value.feed(&mut hash));
    });
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
