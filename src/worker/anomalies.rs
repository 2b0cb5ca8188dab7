//! Transfers of which a rail says what contradicts their records.

use crate::ids::TransferId;
use crate::settlements::Anomaly;

pub(super) fn report(id: TransferId, anomaly: &Anomaly) {
    metrics::counter!("bursar_transfers_odd_total", "kind" => anomaly.kind).increment(1);
    tracing::warn!(transfer = %id, kind = anomaly.kind, reason = anomaly.reason, "a transfer needs manual review");
}
