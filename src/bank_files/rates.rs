//! The return rates of debits, which the rules of ACH limit: what came back of the debits that an originator sent in the
//! last 60 days.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::model::{BankFile, FileStatus};
use crate::banking::originators::Originator;
use crate::clock::{DAY_SECONDS, Time};
use crate::ids::{BankConnectionId, OrgId, OriginatorId};
use crate::rails::Direction;
use crate::world::query::Query;
use crate::world::record::{Cell as _, words};
use crate::world::{Halt, World};

const DAYS: i64 = 60;
/// More originators than an organization has, and more files that collect than it sends in these days.
const ORIGINATORS_READ: usize = 200;
const FILES_READ: usize = 5_000;
/// Hundredths of a percent.
const WHOLE: i64 = 10_000;
const UNAUTHORIZED_LIMIT: i64 = 50;
const ADMINISTRATIVE_LIMIT: i64 = 300;
const ALL_LIMIT: i64 = 1_500;
/// The share of a limit from which a rate is near it, in percent.
const NEAR_PERCENT: i64 = 70;

words! {
    /// How a return rate compares with its limit.
    pub enum RateStatus {
        /// Below 70 % of the limit.
        Normal = "normal",
        /// At least 70 % of the limit.
        Near = "near",
        /// Above the limit.
        Above = "above",
    }
}

/// A rate of returned debits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ReturnRate)]
pub struct ReturnRateJson {
    /// The debits that came back.
    pub returned: i64,
    /// Their share of all debits, in hundredths of a percent, rounded down.
    pub basis_points: i64,
    /// The limit of the rules, in hundredths of a percent.
    pub limit_basis_points: i64,
    /// The comparison of both.
    pub status: RateStatus,
}

/// The return rates of an originator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ReturnRates)]
pub struct ReturnRatesJson {
    /// The originator.
    pub originator_id: OriginatorId,
    /// Its connection.
    pub bank_connection_id: BankConnectionId,
    /// The name under which it sends.
    #[schema(example = "ACME INC")]
    pub company_name: String,
    /// Debits that were sent since then are counted: 60 days.
    #[schema(value_type = String, format = DateTime)]
    pub since: Time,
    /// The debits that were sent.
    pub debits: i64,
    /// Those that were not authorized: R05, R07, R10, R11, R29, R51.
    pub unauthorized: ReturnRateJson,
    /// Those to accounts that are closed, unknown or not valid: R02, R03, R04, R12, R13, R28.
    pub administrative: ReturnRateJson,
    /// All that came back.
    pub all: ReturnRateJson,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    debits: i64,
    unauthorized: i64,
    administrative: i64,
    all: i64,
}

/// Returns the rates of all originators. For reads only.
///
/// # Errors
/// The store's.
pub fn return_rates(world: &World, org: OrgId) -> Result<Vec<ReturnRatesJson>, Halt> {
    let since = world.now().plus_seconds(-DAYS * DAY_SECONDS);
    let debits = Query::of::<BankFile>(org.to_value(), "id", FILES_READ).equal("direction", Direction::Debit);
    let mut counts: BTreeMap<OriginatorId, Counts> = BTreeMap::new();
    for file in world.page::<BankFile>(&debits)? {
        if file.status != FileStatus::Sent || !file.moves_money() || file.sent_at.is_none_or(|sent| sent < since) {
            continue;
        }
        let sum = counts.entry(file.originator).or_default();
        sum.debits += file.entries;
        sum.unauthorized += file.unauthorized;
        sum.administrative += file.administrative;
        sum.all += file.returned;
    }
    let originators = world.page::<Originator>(&Query::of::<Originator>(org.to_value(), "id", ORIGINATORS_READ))?;
    let shown = |originator: &Originator| {
        let Counts { debits, unauthorized, administrative, all } =
            counts.get(&originator.id).copied().unwrap_or_default();
        ReturnRatesJson {
            originator_id: originator.id,
            bank_connection_id: originator.connection,
            company_name: originator.company_name.clone(),
            since,
            debits,
            unauthorized: rate(unauthorized, debits, UNAUTHORIZED_LIMIT),
            administrative: rate(administrative, debits, ADMINISTRATIVE_LIMIT),
            all: rate(all, debits, ALL_LIMIT),
        }
    };
    Ok(originators.iter().map(|originator| shown(originator)).collect())
}

impl ReturnRatesJson {
    /// Returns the rates that are near their limits or above them, with their names.
    pub fn alarming(&self) -> impl Iterator<Item = (&'static str, &ReturnRateJson)> {
        let all = [("unauthorized", &self.unauthorized), ("administrative", &self.administrative), ("all", &self.all)];
        all.into_iter().filter(|(_, rate)| rate.status != RateStatus::Normal)
    }
}

fn rate(returned: i64, debits: i64, limit: i64) -> ReturnRateJson {
    let basis_points = if debits == 0 { 0 } else { returned.saturating_mul(WHOLE) / debits };
    let (share, limit_share) = (i128::from(returned) * i128::from(WHOLE), i128::from(limit) * i128::from(debits));
    let status = if share > limit_share {
        RateStatus::Above
    } else if returned > 0 && share * 100 >= limit_share * i128::from(NEAR_PERCENT) {
        RateStatus::Near
    } else {
        RateStatus::Normal
    };
    ReturnRateJson { returned, basis_points, limit_basis_points: limit, status }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_near_its_limit_from_seventy_percent_on_and_above_it_beyond() {
        for (returned, debits, basis_points, status) in [
            (0, 0, 0, RateStatus::Normal),
            (0, 1_000, 0, RateStatus::Normal),
            (34, 10_000, 34, RateStatus::Normal),
            (35, 10_000, 35, RateStatus::Near),
            (50, 10_000, 50, RateStatus::Near),
            (51, 10_000, 51, RateStatus::Above),
            (1, 3, 3_333, RateStatus::Above),
        ] {
            let found = rate(returned, debits, UNAUTHORIZED_LIMIT);
            assert_eq!((found.basis_points, found.status), (basis_points, status), "{returned} of {debits}");
        }
    }
}
