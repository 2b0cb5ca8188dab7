//! What a charge was made by: kept with the payout and told by the estimate, so that it can be explained for ever.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{RailTerms, Rate, Schedule};
use crate::money::{Cents, MoneyOverflow};

/// What the fees of a payout were made by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct FeeBasis {
    /// The rule of the service's fee: `ach-standard`.
    pub rule_id: String,
    /// Its version, from 1.
    pub rule_version: u32,
    /// The first day on which that version holds.
    #[schema(value_type = String, format = Date)]
    pub rule_effective_from: Day,
    /// Where the app's own fee comes from: override, fee_table or none.
    pub platform_fee_source: PlatformFeeSource,
    /// The row of the app's fee table that held: `intl_bank/EUR`, `ach`, `defaults`.
    #[schema(required)]
    pub fee_table_row: Option<String>,
    /// The version of the app's fee table that held at that moment; 0 before the first one.
    pub fee_table_version: i64,
    /// The app's own fee.
    pub platform_fee_settings: Schedule,
    /// How the money was changed; null where it was not.
    #[schema(required)]
    pub exchange: Option<Exchange>,
}

/// Where what the app adds comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlatformFeeSource {
    /// `payout_fee_fixed` and `payout_fee_percent` of this payout.
    Override,
    /// The app's fee table.
    FeeTable,
    /// Nowhere: the table has no row for it.
    None,
}

/// What the app adds, and where that comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// What it adds.
    pub schedule: Schedule,
    /// Where that comes from.
    pub source: PlatformFeeSource,
    /// The row of the fee table.
    pub row: Option<String>,
    /// The version of the fee table that holds.
    pub table_version: i64,
}

impl FeeBasis {
    /// The basis of a charge.
    #[must_use]
    pub fn new(terms: &RailTerms, added: &Added, exchange: Option<Exchange>) -> FeeBasis {
        FeeBasis {
            rule_id: terms.rule_id.to_owned(),
            rule_version: terms.version,
            rule_effective_from: Day(terms.effective_from),
            platform_fee_source: added.source,
            fee_table_row: added.row.clone(),
            fee_table_version: added.table_version,
            platform_fee_settings: added.schedule,
            exchange,
        }
    }
}

/// How an amount is changed into another currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Exchange {
    /// Into which (ISO 4217).
    pub currency: String,
    /// So many for one dollar, a decimal.
    #[schema(example = "0.852")]
    pub rate: String,
    /// The first day on which this rate holds.
    #[schema(value_type = String, format = Date)]
    pub rate_date: Day,
    /// What arrives, in the currency's smallest unit; null where no amount was asked about.
    #[schema(required)]
    pub converted_amount: Option<i64>,
    /// Digits that the currency has after the point: `converted_amount` 8520 with 2 is 85.20.
    pub minor_digits: u32,
}

impl Exchange {
    /// What arrives of an amount at a rate.
    ///
    /// # Errors
    /// [`MoneyOverflow`] where it does not fit.
    pub fn of(rate: &Rate, amount: Option<Cents>) -> Result<Exchange, MoneyOverflow> {
        Ok(Exchange {
            currency: rate.currency.to_owned(),
            rate: rate.per_dollar.normalize().to_string(),
            rate_date: Day(rate.since),
            converted_amount: amount.map(|amount| rate.convert(amount)).transpose()?,
            minor_digits: rate.minor_digits,
        })
    }
}

/// A day as JSON carries it: `2026-01-31`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day(pub Date);

impl Serialize for Day {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Day, D::Error> {
        String::deserialize(deserializer)?.parse().map(Day).map_err(serde::de::Error::custom)
    }
}
