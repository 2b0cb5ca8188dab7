//! The result of a check.

use serde::Serialize;

use crate::ledger::verify::Finding;

/// Records whose related rows are fetched together.
pub(super) const TOGETHER: usize = 500;

/// The numbers of checked rows, and the findings.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    pub accounts: u64,
    pub transactions: u64,
    pub entries: u64,
    pub holds: u64,
    pub events: u64,
    /// Events of a version that chained without a key. They are provably unchanged only since the chain was carried
    /// over.
    pub unkeyed_events: u64,
    /// Events from which a payee's data were erased.
    pub erased_events: u64,
    /// Whether the links of the history were computed, which needs its key.
    pub history_checked: bool,
    /// Anchors that the history contains.
    pub anchors: u64,
    pub payout_requests: u64,
    pub payables: u64,
    pub batch_rows: u64,
    /// Sealed values that were opened; `None` without the key file.
    pub seals: Option<u64>,
    /// Violations by invariant. Empty if all checks passed.
    pub findings: Vec<Finding>,
}
