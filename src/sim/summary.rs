use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use super::report::Report;
use super::simulation::{START, Simulation};
use crate::clock::DAY_SECONDS;
use crate::store::Memory;
use crate::world::record::feed_bytes;

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
            simulated_days: self.system.now().seconds_since(START) / DAY_SECONDS,
            reached: self.reached(),
            answers: self.heard.clone(),
            state_hash: state_hash(self.system.memory()),
        }
    }

    fn reached(&self) -> BTreeMap<&'static str, u64> {
        let (rest, full_days) = self.checks.reached();
        let mut reached = self.far.reached.clone();
        reached.extend([
            ("automatic payouts to rested methods", rest.rested),
            ("payouts that became links because the method was young", rest.became_links),
            ("payouts of payees to young methods", rest.by_payee),
            ("recipients and days with as many deliveries as are allowed", full_days),
            ("follow-ups that failed", self.failed_follow_ups),
            ("messages in the inbox without a worker", self.provider.followed),
            ("rekeys", self.seals.rekeys),
            ("seals opened after restarts", self.seals.opened),
        ]);
        reached
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
