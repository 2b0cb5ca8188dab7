//! Records the outcome of a query to a rail about a transfer.

use super::outcomes::{Fact, bring};
use super::rules::{Outcome, outcome};
use crate::clock::DAY_SECONDS;
use crate::engine::Command;
use crate::ids::TransferId;
use crate::jobs::{self, Leased};
use crate::ledger::Account;
use crate::platform::Platform;
use crate::rails::ItemStatus;
use crate::refusal::Refusal;
use crate::transfers::{self, Transfer};
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// The wait before a rail without an outcome is queried again.
const ASK_AGAIN_SECONDS: i64 = 3_600;

/// Returns the time in flight after which a transfer is reported as late: the slowest rail takes five days, holidays
/// aside, and a wallet waits 30 days for a payee who does not claim.
fn late_seconds(platform: Option<Platform>) -> i64 {
    let waits_for_payee = matches!(platform, Some(Platform::WalletA | Platform::WalletB));
    if waits_for_payee { 31 * DAY_SECONDS } else { 14 * DAY_SECONDS }
}

/// A problem of a transfer that the operators must clear up with the bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anomaly {
    /// `contradicted`, `unknown` or `late`.
    pub kind: &'static str,
    /// One sentence.
    pub reason: String,
}

/// Records the rail's response to a query about a transfer.
#[derive(Clone, Debug)]
pub struct Followed {
    pub leased: Leased,
    pub transfer: TransferId,
    pub item_status: ItemStatus,
}

impl Command for Followed {
    /// The anomaly, if there is one. The rail is queried again in each case.
    type Reply = Option<Anomaly>;

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<Transfer>(key![self.leased.org, self.transfer])]
    }

    fn decide(&self, world: &mut World) -> Result<Self::Reply, Halt> {
        let found = world.get::<Transfer>(key![self.leased.org, self.transfer])?;
        let transfer = found.ok_or_else(|| Refusal::not_found("transfer"))?;
        let now = world.now();
        let outside = Account::External(transfer.app);
        match outcome(transfer.status, self.item_status) {
            Outcome::Old => {}
            Outcome::Arrived => bring(world, &transfer, Fact::Arrived, outside)?,
            Outcome::Failed(code) => bring(world, &transfer, Fact::Failed(code), outside)?,
            Outcome::CameBack(code) => bring(world, &transfer, Fact::CameBack(code), outside)?,
            Outcome::ArrivedAndCameBack(code) => {
                bring(world, &transfer, Fact::Arrived, outside)?;
                let transfer = transfers::find(world, transfer.scope(), transfer.id)?;
                bring(world, &transfer, Fact::CameBack(code), outside)?;
            }
            Outcome::Wait(settles_at) => {
                let is_late = now.seconds_since(transfer.updated_at) > late_seconds(transfer.platform);
                let at_soonest = now.plus_seconds(if is_late { ASK_AGAIN_SECONDS } else { 1 });
                jobs::put_off(world, &self.leased, settles_at.max(at_soonest), None)?;
                let reason = format!("it is in progress since {}", transfer.updated_at);
                return Ok(is_late.then_some(Anomaly { kind: "late", reason }));
            }
            Outcome::Odd => {
                let kind = if self.item_status == ItemStatus::Unknown { "unknown" } else { "contradicted" };
                let reason =
                    format!("the rail reports {:?} for a transfer that is {}", self.item_status, transfer.status);
                jobs::put_off(world, &self.leased, now.plus_seconds(ASK_AGAIN_SECONDS), Some(reason.clone()))?;
                return Ok(Some(Anomaly { kind, reason }));
            }
        }
        jobs::finish(world, &self.leased)?;
        Ok(None)
    }
}
