//! The sandbox's rails: all fourteen, simulated, with records of their own and failures that magic values select.
//!
//! Only the rail writes its table, in separate commits, like a bank: it takes an item at most once, settles it when its
//! time has come, and may return it later. The sandbox's bank works seven days a week, so a day of settlement is a day
//! of the clock. Deliberately absent: our ledger.

use super::failures::FailureCode;
use super::model::{Direction, FarEnd, Instruction, ItemStatus};
use crate::clock::{DAY_SECONDS, Time};
use crate::engine::Command;
use crate::ids::{AppId, OrgId, TransferId};
use crate::jobs::{self, Work};
use crate::money::Cents;
use crate::platform::Platform;
use crate::world::record::{key, record};
use crate::world::{Halt, Want, World};

/// The time from settlement to a late return.
pub const RETURN_AFTER_SECONDS: i64 = 2 * DAY_SECONDS;

record! {
    /// An item in the records of the sandbox's rail.
    pub struct RailItem in "rail_items" {
        key (org, transfer);
        pub org: OrgId,
        /// The rail's reference for the item.
        pub transfer: TransferId,
        pub app: AppId,
        pub platform: Platform,
        pub direction: Direction,
        pub amount: Cents,
        pub accepted_at: Time,
        /// When it completes or fails.
        pub settles_at: Time,
        /// The failure at settlement, if a magic value selects one.
        pub fails_with: Option<FailureCode>,
        /// The time of a late return, if a magic value selects one.
        pub returns_at: Option<Time>,
        pub returned_with: Option<FailureCode>,
    }
}

/// The outcome that magic values select.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimulatedOutcome {
    /// Fails when it settles.
    pub fails_with: Option<FailureCode>,
    /// Arrives, and is returned later.
    pub returned_with: Option<FailureCode>,
}

/// Derives the outcome from the account at the other end, in both directions (docs/sandbox.md).
pub fn simulated_outcome(far_end: &FarEnd) -> SimulatedOutcome {
    if let Some(number) = &far_end.account_number {
        if let Some(code) = return_code(number, "100000") {
            return SimulatedOutcome { fails_with: Some(code), returned_with: None };
        }
        if let Some(code) = return_code(number, "200000") {
            return SimulatedOutcome { fails_with: None, returned_with: Some(code) };
        }
    }
    let handle = far_end.handle.as_deref().unwrap_or_default().trim_start_matches(['$', '@']);
    let reported = |prefixes: [&str; 2]| {
        let rest = prefixes.iter().find_map(|prefix| handle.strip_prefix(prefix))?;
        let word = rest.split('@').next().unwrap_or(rest).replace('-', "_");
        Some(FailureCode::from_word(&word).unwrap_or(FailureCode::RejectedByRail))
    };
    SimulatedOutcome { fails_with: reported(["fail+", "fail-"]), returned_with: reported(["return+", "return-"]) }
}

/// `10000002` with the prefix `100000` is R02.
fn return_code(account_number: &str, prefix: &str) -> Option<FailureCode> {
    let digits = account_number.strip_prefix(prefix)?;
    if digits.len() != 2 {
        return None;
    }
    digits.parse().ok().map(FailureCode::of_return_code)
}

/// Hands an item to the rail. A second one with the same transfer changes nothing.
#[derive(Clone, Debug)]
pub struct Accept(pub Instruction);

impl Command for Accept {
    type Reply = ItemStatus;

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<RailItem>(key![self.0.org, self.0.transfer])]
    }

    fn decide(&self, world: &mut World) -> Result<ItemStatus, Halt> {
        let Instruction { org, app, transfer, platform, direction, amount, ref far_end } = self.0;
        let now = world.now();
        if let Some(item) = world.get::<RailItem>(key![org, transfer])? {
            return Ok(item_status(&item, now));
        }
        let settles_at = now.plus_seconds(crate::fees::schedule(platform, now.date()).arrival.seconds);
        let SimulatedOutcome { fails_with, returned_with } = simulated_outcome(far_end);
        let returns_at = returned_with.map(|_| settles_at.plus_seconds(RETURN_AFTER_SECONDS));
        let item = world.add(RailItem {
            org,
            transfer,
            app,
            platform,
            direction,
            amount,
            accepted_at: now,
            settles_at,
            fails_with,
            returns_at,
            returned_with,
        });
        // A bank reports a late return on its own, without a daily query.
        if let Some(returns_at) = returns_at {
            jobs::enqueue_at(world, org, Work::FollowTransfer { transfer: transfer.0 }, returns_at);
        }
        Ok(item_status(&item, now))
    }
}

/// Returns the state of an item at this time.
pub fn look_up(world: &mut World, org: OrgId, transfer: TransferId, now: Time) -> Result<ItemStatus, Halt> {
    let item = world.get::<RailItem>(key![org, transfer])?;
    Ok(item.map_or(ItemStatus::Unknown, |item| item_status(&item, now)))
}

fn item_status(item: &RailItem, now: Time) -> ItemStatus {
    if now < item.settles_at {
        return ItemStatus::Accepted { settles_at: item.settles_at };
    }
    match (item.fails_with, item.returned_with, item.returns_at) {
        (Some(code), _, _) => ItemStatus::Failed(code),
        (None, Some(code), Some(returns_at)) if now >= returns_at => ItemStatus::Returned(code),
        (None, _, _) => ItemStatus::Completed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magic_values_decide_the_fate() {
        let bank = |number: &str| simulated_outcome(&FarEnd { account_number: Some(number.into()), handle: None });
        let wallet = |handle: &str| simulated_outcome(&FarEnd { account_number: None, handle: Some(handle.into()) });
        assert_eq!(bank("10000002").fails_with, Some(FailureCode::AccountClosed));
        assert_eq!(bank("10000003").fails_with, Some(FailureCode::NoAccount));
        assert_eq!(bank("20000001").returned_with, Some(FailureCode::InsufficientFunds));
        assert_eq!(bank("100000021"), SimulatedOutcome::default());
        assert_eq!(bank("000123456789"), SimulatedOutcome::default());
        assert_eq!(wallet("fail+account_closed@example.com").fails_with, Some(FailureCode::AccountClosed));
        assert_eq!(wallet("$fail-name_mismatch").fails_with, Some(FailureCode::NameMismatch));
        assert_eq!(wallet("fail-anything").fails_with, Some(FailureCode::RejectedByRail));
        assert_eq!(wallet("return+account_closed@example.com").returned_with, Some(FailureCode::AccountClosed));
        assert_eq!(wallet("pay@example.com"), SimulatedOutcome::default());
    }
}
