//! What an app may set for itself (decisions.md 2 and 7).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::clock::Time;
use crate::fees::{Added, Party, PlatformFeeSource, Schedule};
use crate::money::Cents;
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};

/// An app's settings. Kept as a document: a setting that an older program did not know has its default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Who pays the fees when the payout does not say.
    pub payout_fee_party: Party,
    /// What the app adds to the service's fees.
    pub fees: FeeVersions,
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
            fees: FeeVersions::default(),
            payout_options_exclude_list: Vec::new(),
            auto_refill: None,
            payout_limits: PayoutLimits::default(),
            payout_approval_limit: None,
            require_idempotency_key: false,
        }
    }
}

impl Settings {
    /// Whether the organization keeps the app from paying out as much as it likes.
    pub fn limits_payouts(&self) -> bool {
        self.payout_limits != PayoutLimits::default() || self.payout_approval_limit.is_some()
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

impl PayoutLimits {
    /// Whether one payout may have this amount, or a link be made of it.
    ///
    /// # Errors
    /// `limit-exceeded`.
    pub fn may_pay(&self, amount: Cents) -> Result<(), Refusal> {
        match self.per_payout {
            Some(limit) if amount > limit => {
                let (asked, limit) = (amount.dollars(), limit.dollars());
                let message = format!("One payout of this app may be at most {limit}; this one is {asked}.");
                Err(Refusal::field(Code::LimitExceeded, "/amount", message))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Whether the payouts of a day may amount to what they do already, `used`, and this amount.
    ///
    /// # Errors
    /// `limit-exceeded`.
    pub fn may_pay_today(&self, used: Cents, amount: Cents) -> Result<(), Refusal> {
        let Some(limit) = self.per_day else { return Ok(()) };
        let left = limit.checked_sub(used).unwrap_or(Cents::ZERO).max(Cents::ZERO);
        if amount <= left {
            return Ok(());
        }
        let message = format!(
            "All payouts of this app on one day may be at most {}; {} are used, {} are left until midnight UTC.",
            limit.dollars(),
            used.dollars(),
            left.dollars()
        );
        Err(Refusal::field(Code::LimitExceeded, "/amount", message))
    }
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
        self.row(platform, currency).map_or(Schedule::FREE, |(_, schedule)| schedule)
    }

    /// The row that holds for a rail and a currency.
    fn row(&self, platform: Platform, currency: Option<&str>) -> Option<(&str, Schedule)> {
        // Who asks for ach may get rtp; the app's price for ach holds then, unless it has one for rtp.
        let asked_as = if platform == Platform::Rtp { Platform::Ach } else { platform };
        let names = [platform, asked_as].into_iter().flat_map(|rail| {
            let by_currency = currency.map(|currency| format!("{rail}/{currency}"));
            by_currency.into_iter().chain([rail.as_str().to_owned()])
        });
        let found = names.chain([DEFAULTS.to_owned()]).find_map(|name| self.0.get_key_value(&name));
        found.map(|(name, schedule)| (name.as_str(), *schedule))
    }
}

/// Versions that wait for their time, at most.
pub const SCHEDULED_MAX: usize = 20;

/// What an app adds to fees: the version that holds, and those whose time will come. The table `fee_tables` has all that
/// ever were; these stand with the app, so that a payout reads nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FeeVersions {
    /// How many were made; the next one is one more.
    made: i64,
    /// The version that held when the settings were changed last; 0 before the first.
    version: i64,
    /// Its rows.
    table: FeeTable,
    /// Those that begin later, in the order in which they do.
    scheduled: Vec<FeeVersion>,
}

/// A fee table, and from when on it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeeVersion {
    /// Counts from 1 within the app.
    pub version: i64,
    /// From when on it holds, until another's time comes.
    pub effective_at: Time,
    /// The rows.
    pub table: FeeTable,
}

impl FeeVersions {
    /// The version that holds at a moment, and its rows: the one whose time came last.
    pub fn holding(&self, now: Time) -> (i64, &FeeTable) {
        let due = self.scheduled.iter().rev().find(|version| version.effective_at <= now);
        due.map_or((self.version, &self.table), |version| (version.version, &version.table))
    }

    /// What the app adds at a moment to the fees of a rail.
    pub fn added(&self, now: Time, platform: Platform, currency: Option<&str>) -> Added {
        let (table_version, table) = self.holding(now);
        match table.row(platform, currency) {
            Some((row, schedule)) => {
                Added { schedule, source: PlatformFeeSource::FeeTable, row: Some(row.to_owned()), table_version }
            }
            None => Added { schedule: Schedule::FREE, source: PlatformFeeSource::None, row: None, table_version },
        }
    }

    /// With one version more, which holds from then on. `None` where the table that holds now is the same.
    ///
    /// # Errors
    /// `limit-exceeded` when [`SCHEDULED_MAX`] wait already.
    pub fn changed(
        &self,
        now: Time,
        table: &FeeTable,
        effective_at: Option<Time>,
    ) -> Result<Option<(FeeVersions, FeeVersion)>, Refusal> {
        if effective_at.is_none() && *self.holding(now).1 == *table {
            return Ok(None);
        }
        let made = self.made + 1;
        let new = FeeVersion { version: made, effective_at: effective_at.unwrap_or(now), table: table.clone() };
        let mut scheduled: Vec<FeeVersion> =
            self.scheduled.iter().filter(|version| version.effective_at > now).cloned().collect();
        if effective_at.is_none() {
            return Ok(Some((FeeVersions { made, version: made, table: table.clone(), scheduled }, new)));
        }
        if scheduled.len() >= SCHEDULED_MAX {
            let message = format!("{SCHEDULED_MAX} fee tables wait for their time already.");
            return Err(Refusal::new(Code::LimitExceeded, message));
        }
        scheduled.push(new.clone());
        // A stable sort: of two for the same moment the later one is found first, from the end.
        scheduled.sort_by_key(|version| version.effective_at);
        let (version, table) = self.holding(now);
        Ok(Some((FeeVersions { made, version, table: table.clone(), scheduled }, new)))
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

        let in_dollars = FeeTable([("ach/USD".to_owned(), fixed(5)), ("ach".to_owned(), fixed(4))].into());
        assert_eq!(in_dollars.schedule(Platform::Rtp, Some("USD")), fixed(5));
        assert_eq!(in_dollars.schedule(Platform::Rtp, None), fixed(4));
        let rtp_too = FeeTable([("ach/USD".to_owned(), fixed(5)), ("rtp".to_owned(), fixed(6))].into());
        assert_eq!(rtp_too.schedule(Platform::Rtp, Some("USD")), fixed(6), "its own price comes first");
    }

    #[test]
    fn the_version_whose_time_came_last_holds() {
        let table =
            |cents| FeeTable([("ach".to_owned(), Schedule { fixed: Cents::new(cents), ..Schedule::FREE })].into());
        let at = |seconds: i64| Time::from_micros(seconds * 1_000_000);
        let add = |versions: &FeeVersions, now, cents, effective_at: Option<i64>| {
            versions.changed(at(now), &table(cents), effective_at.map(at)).unwrap().unwrap().0
        };
        let none = FeeVersions::default();
        assert_eq!(none.holding(at(0)), (0, &FeeTable::default()));
        let first = add(&none, 10, 1, None);
        assert!(first.changed(at(11), &table(1), None).unwrap().is_none(), "the same table is no new version");
        let waiting = add(&first, 20, 2, Some(100));
        let changed = add(&waiting, 50, 3, None);
        let holds = |versions: &FeeVersions, now| versions.holding(at(now)).0;
        assert_eq!([20, 99, 100, 1_000].map(|now| holds(&waiting, now)), [1, 1, 2, 2]);
        assert_eq!([50, 99, 100].map(|now| holds(&changed, now)), [3, 3, 2], "what was scheduled still comes");
        // A change after its time is a change of it; version 2 is over.
        let last = add(&changed, 150, 4, None);
        assert_eq!([150, 1_000].map(|now| holds(&last, now)), [4, 4]);
        // Of two for the same moment the later one.
        let twice = add(&add(&first, 20, 5, Some(100)), 21, 6, Some(100));
        assert_eq!(holds(&twice, 100), 3);
        // One that is due by then is what the next scheduled one follows.
        let due = add(&waiting, 150, 7, Some(200));
        assert_eq!([150, 200].map(|now| holds(&due, now)), [2, 3]);

        let mut full = first;
        for n in 0..20 {
            full = add(&full, 20, n, Some(100 + n));
        }
        assert_eq!(full.changed(at(20), &table(0), Some(at(99))).unwrap_err().code, Code::LimitExceeded);
        assert!(full.changed(at(20), &table(9), None).is_ok());
    }

    #[test]
    fn a_limit_names_what_is_used_and_what_is_left() {
        let limits = PayoutLimits { per_payout: Some(Cents::new(500)), per_day: Some(Cents::new(1_000)) };
        assert!(limits.may_pay(Cents::new(500)).is_ok());
        assert_eq!(limits.may_pay(Cents::new(501)).unwrap_err().code, Code::LimitExceeded);
        assert!(limits.may_pay_today(Cents::new(600), Cents::new(400)).is_ok());
        let refusal = limits.may_pay_today(Cents::new(600), Cents::new(401)).unwrap_err();
        let said = "All payouts of this app on one day may be at most $10.00; $6.00 are used, $4.00 are left until midnight UTC.";
        assert!(refusal.message.contains(said) || refusal.errors[0].message == said, "{refusal:?}");
        // A limit that was lowered below what is used leaves nothing, and not less.
        assert!(
            limits.may_pay_today(Cents::new(2_000), Cents::new(1)).unwrap_err().errors[0]
                .message
                .contains("$0.00 are left")
        );
        assert!(PayoutLimits::default().may_pay_today(Cents::new(i64::MAX), Cents::new(1)).is_ok());
    }

    #[test]
    fn settings_of_an_older_program_have_defaults() {
        let settings: Settings = serde_json::from_str(r#"{"require_idempotency_key": true}"#).unwrap();
        assert_eq!(settings, Settings { require_idempotency_key: true, ..Settings::default() });
    }
}
