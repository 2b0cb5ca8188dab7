use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::ledger::verify::Finding;
use crate::refusal::Refusal;

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

/// Returns a finding without an invariant: the program itself reports a bug.
pub(super) fn bug(place: &str, refusal: &Refusal) -> Finding {
    let what = format!("a bug: {}", refusal.message);
    Finding { invariant: Finding::UNNUMBERED, what, place: place.to_owned() }
}
