//! What an app may set for itself (decisions.md 2 and 7).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fees::{Party, Schedule};
use crate::money::Cents;
use crate::platform::Platform;

/// An app's settings. Kept as a document: a setting that an older program did not know has its default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Who pays the fees when the payout does not say.
    pub payout_fee_party: Party,
    /// What the app adds to the service's fees.
    pub fees: FeeTable,
    /// Rails that this app's payees are not offered.
    pub payout_options_exclude_list: Vec<Platform>,
    /// Pulls money when the wallet runs low.
    pub auto_refill: Option<AutoRefill>,
    /// What a payout, and a day's payouts, may amount to.
    pub payout_limits: PayoutLimits,
    /// Cents above which a payout needs somebody's approval.
    pub payout_approval_limit: Option<Cents>,
    /// Whether a POST without an idempotency key is refused.
    pub require_idempotency_key: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            payout_fee_party: Party::User,
            fees: FeeTable::default(),
            payout_options_exclude_list: Vec::new(),
            auto_refill: None,
            payout_limits: PayoutLimits::default(),
            payout_approval_limit: None,
            require_idempotency_key: false,
        }
    }
}

/// When and how much is pulled by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AutoRefill {
    /// Cents pulled each time.
    pub amount: Cents,
    /// Pulled when the wallet holds less than this.
    pub threshold: Cents,
}

/// The most that may leave, in cents; none for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayoutLimits {
    /// By one payout.
    pub per_payout: Option<Cents>,
    /// By all payouts of one day in UTC.
    pub per_day: Option<Cents>,
}

/// The name of the row that holds for every rail without a row of its own.
pub(super) const DEFAULTS: &str = "defaults";

/// Fee schedules by rail and currency: `intl_bank/EUR` before `intl_bank` before `defaults`
/// (decisions.md 7).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FeeTable(pub(super) BTreeMap<String, Schedule>);

impl FeeTable {
    /// What the app adds for a rail, and for one of its currencies (three letters) where it has several.
    pub fn schedule(&self, platform: Platform, currency: Option<&str>) -> Schedule {
        // Who asks for ach may get rtp; the app's price for ach holds then, unless it has one for rtp.
        let asked_as = if platform == Platform::Rtp { Platform::Ach } else { platform };
        let by_currency = currency.and_then(|currency| self.0.get(&format!("{platform}/{currency}")));
        let found = by_currency
            .or_else(|| self.0.get(platform.as_str()))
            .or_else(|| self.0.get(asked_as.as_str()))
            .or_else(|| self.0.get(DEFAULTS));
        found.copied().unwrap_or(Schedule::FREE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_row_of_the_fee_table_holds() {
        let fixed = |cents| Schedule { fixed: Cents::new(cents), ..Schedule::FREE };
        let rows = [("defaults", 1), ("intl_bank", 2), ("intl_bank/EUR", 3)];
        let table = FeeTable(rows.into_iter().map(|(name, cents)| (name.to_owned(), fixed(cents))).collect());
        assert_eq!(table.schedule(Platform::IntlBank, Some("EUR")), fixed(3));
        assert_eq!(table.schedule(Platform::IntlBank, Some("GBP")), fixed(2));
        assert_eq!(table.schedule(Platform::IntlBank, None), fixed(2));
        assert_eq!(table.schedule(Platform::Ach, Some("USD")), fixed(1));
        assert_eq!(FeeTable::default().schedule(Platform::Ach, None), Schedule::FREE);

        let ach_only = FeeTable([("ach".to_owned(), fixed(4))].into());
        assert_eq!(ach_only.schedule(Platform::Rtp, None), fixed(4));
        assert_eq!(ach_only.schedule(Platform::Wire, None), Schedule::FREE);
    }

    #[test]
    fn settings_of_an_older_program_have_defaults() {
        let settings: Settings = serde_json::from_str(r#"{"require_idempotency_key": true}"#).unwrap();
        assert_eq!(settings, Settings { require_idempotency_key: true, ..Settings::default() });
    }
}
