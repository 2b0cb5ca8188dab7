//! The basis of a charge, stored with the payout and returned by the estimate so that every fee can be explained later.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{RailTerms, Rate, Schedule};
use crate::money::{Cents, MoneyOverflow};

/// The rules and settings from which the fees of a payout were computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct FeeBasis {
    /// The rule of the service's fee, for example `ach-standard`.
    pub rule_id: String,
    /// The version of the rule, from 1.
    pub rule_version: u32,
    /// The first day of that version.
    #[schema(value_type = String, format = Date)]
    pub rule_effective_from: Day,
    /// The source of the app's own fee: override, fee_table or none.
    pub platform_fee_source: PlatformFeeSource,
    /// The row of the app's fee table that was used: `intl_bank/EUR`, `ach`, `defaults`.
    #[schema(required)]
    pub fee_table_row: Option<String>,
    /// The version of the app's fee table at that time; 0 before the first one.
    pub fee_table_version: i64,
    /// The app's own fee.
    pub platform_fee_settings: Schedule,
    /// The currency exchange; null without one.
    #[schema(required)]
    pub exchange: Option<Exchange>,
}

/// The source of the app's own fee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlatformFeeSource {
    /// `payout_fee_fixed` and `payout_fee_percent` of this payout.
    Override,
    /// The app's fee table.
    FeeTable,
    /// None: the fee table has no matching row.
    None,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    pub schedule: Schedule,
    pub source: PlatformFeeSource,
    pub row: Option<String>,
    pub table_version: i64,
}

impl FeeBasis {
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

/// The exchange of an amount into another currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Exchange {
    /// The target currency (ISO 4217).
    pub currency: String,
    /// Units of the currency per dollar, as a decimal.
    #[schema(example = "0.852")]
    pub rate: String,
    /// The first day of this rate.
    #[schema(value_type = String, format = Date)]
    pub rate_date: Day,
    /// The amount that arrives, in the currency's smallest unit; null if the request had no amount.
    #[schema(required)]
    pub converted_amount: Option<i64>,
    /// Decimal digits of the currency: `converted_amount` 8520 with 2 is 85.20.
    pub minor_digits: u32,
}

impl Exchange {
    /// Converts an amount at a rate.
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

/// A day as in JSON: `2026-01-31`.
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
