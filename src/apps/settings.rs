//! The settings of an app (docs/decisions.md 2 and 7).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::brand::Brand;
use super::limits::{Limits, Movement};
use crate::clock::Time;
use crate::fees::{Added, Party, PlatformFeeSource, Schedule};
use crate::money::Cents;
use crate::platform::Platform;
use crate::program::Environment;
use crate::refusal::Refusal;
use crate::world::record::words;

/// The countries of an app without the setting.
pub const DEFAULT_COUNTRIES: [&str; 2] = ["CA", "US"];

/// An app's settings, stored as a document: a setting that is missing in it has its default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The party that pays the fees of a payout that names none.
    pub payout_fee_party: Party,
    /// The fees that the app adds to the service's fees.
    pub fees: FeeVersions,
    /// Rails that are hidden from this app's payees.
    pub payout_options_exclude_list: Vec<Platform>,
    /// Deposits that are made when the wallet runs low.
    pub auto_refill: Option<AutoRefill>,
    pub payout_limits: Limits,
    /// Cents above which a payout needs a member's approval.
    pub payout_approval_limit: Option<Cents>,
    pub payable_limits: Limits,
    /// Cents above which an app key does not pay a bill, and a new vendor's first account waits.
    pub payable_approval_limit: Option<Cents>,
    /// Limits on transfers from the app to users.
    pub transfer_limits: Limits,
    pub payment_limits: Limits,
    /// `None` for the environment's default.
    pub payment_authorization: Option<AuthorizationNeeded>,
    /// Business days for which the money of a payment is held; `None` for the environment's default.
    pub payment_hold_days: Option<i64>,
    /// How often a debit is presented again that the payer's account did not cover.
    pub debit_retries: i64,
    pub delivery_limits: DeliveryLimits,
    /// Countries, by their two letters, to whose phones the app sends messages; `None` for the default.
    pub phone_countries: Option<Vec<String>>,
    /// Hours for which a new payout method gets no automatic payouts; `None` for the environment's default.
    pub method_rest_hours: Option<i64>,
    /// Whether a POST without an idempotency key is refused.
    pub require_idempotency_key: bool,
    /// Whether the payee of an unclaimed link is reminded.
    pub payee_reminders: bool,
    pub member_proof: MemberProof,
    /// How the app appears to payees.
    #[serde(skip_serializing_if = "Brand::is_empty")]
    pub brand: Brand,
}

words! {
    /// The proof that a named member acts.
    pub enum MemberProof {
        /// The app's statement: its key acts for the app's members.
        Asserted = "asserted",
        /// The member's own session.
        Required = "required",
    }
}

/// Limits on the deliveries of links on one day in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeliveryLimits {
    /// To one phone or address, by all apps of the organization.
    pub per_recipient_per_day: i64,
    /// By the app; `None` for no limit.
    pub per_day: Option<i64>,
}

impl Default for DeliveryLimits {
    fn default() -> Self {
        Self { per_recipient_per_day: 20, per_day: None }
    }
}

/// Deliveries of a new app in production on one day.
const DELIVERIES_PER_DAY: i64 = 10_000;

impl Default for Settings {
    fn default() -> Self {
        Self {
            payout_fee_party: Party::User,
            fees: FeeVersions::default(),
            payout_options_exclude_list: Vec::new(),
            auto_refill: None,
            payout_limits: Limits::default(),
            payout_approval_limit: None,
            payable_limits: Limits::default(),
            payable_approval_limit: None,
            transfer_limits: Limits::default(),
            payment_limits: Limits::default(),
            payment_authorization: None,
            payment_hold_days: None,
            debit_retries: 0,
            delivery_limits: DeliveryLimits::default(),
            phone_countries: None,
            method_rest_hours: None,
            require_idempotency_key: false,
            payee_reminders: true,
            member_proof: MemberProof::Asserted,
            brand: Brand::default(),
        }
    }
}

impl Settings {
    /// Returns the settings of a new app. The sandbox delivers nothing to a person, so it has no daily limit.
    pub fn of_new_app(environment: Environment) -> Self {
        let per_day = match environment {
            Environment::Sandbox => None,
            Environment::Production => Some(DELIVERIES_PER_DAY),
        };
        Self { delivery_limits: DeliveryLimits { per_day, ..DeliveryLimits::default() }, ..Self::default() }
    }

    /// Returns the countries to whose phones the app sends messages.
    pub fn phone_countries(&self) -> Vec<String> {
        let usual = || DEFAULT_COUNTRIES.map(str::to_owned).to_vec();
        self.phone_countries.clone().unwrap_or_else(usual)
    }

    pub fn writes_to(&self, country: &str) -> bool {
        match &self.phone_countries {
            Some(countries) => countries.iter().any(|known| known == country),
            None => DEFAULT_COUNTRIES.contains(&country),
        }
    }

    /// Returns the hours for which a new payout method receives only payouts that the payee starts.
    pub fn method_rest_hours(&self, environment: Environment) -> i64 {
        self.method_rest_hours.unwrap_or(match environment {
            Environment::Sandbox => 0,
            Environment::Production => 24,
        })
    }

    pub fn method_rest_seconds(&self, environment: Environment) -> i64 {
        self.method_rest_hours(environment) * 3_600
    }

    pub const fn limits(&self, movement: Movement) -> &Limits {
        match movement {
            Movement::Payout => &self.payout_limits,
            Movement::Payable => &self.payable_limits,
            Movement::Transfer => &self.transfer_limits,
            Movement::Payment(_) => &self.payment_limits,
        }
    }

    /// Whether each payment must name its authorization.
    pub fn authorization_needed(&self, environment: Environment) -> AuthorizationNeeded {
        self.payment_authorization.unwrap_or(match environment {
            Environment::Sandbox => AuthorizationNeeded::Attested,
            Environment::Production => AuthorizationNeeded::PerPayment,
        })
    }

    /// Returns the business days for which the money of a payment is held after it arrived.
    pub fn hold_days(&self, environment: Environment) -> i64 {
        self.payment_hold_days.unwrap_or(match environment {
            Environment::Sandbox => 0,
            Environment::Production => 3,
        })
    }

    /// Whether the organization limits money that moves between the app and banks. If so, the app's key may not choose
    /// the app's bank account: withdrawals go to it, and deposits from it count towards no limit on payments.
    pub fn limits_bank_account(&self) -> bool {
        self.limits_money_out() || self.payment_limits != Limits::default()
    }

    /// Whether the organization limits money that the app's key moves out of the wallet, by any limit.
    pub fn limits_money_out(&self) -> bool {
        let limits = [self.payout_limits, self.payable_limits, self.transfer_limits];
        let approvals = [self.payout_approval_limit, self.payable_approval_limit];
        limits.iter().any(|limits| *limits != Limits::default()) || approvals.iter().any(Option::is_some)
    }
}

words! {
    /// The source of a payment's authorization.
    pub enum AuthorizationNeeded {
        /// The app attests that it keeps the payer's authorization; a payment may name one.
        Attested = "attested",
        /// Each payment names one.
        PerPayment = "per_payment",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AutoRefill {
    /// Cents of each deposit.
    pub amount: Cents,
    /// Cents below which the wallet is refilled.
    pub threshold: Cents,
}

/// The name of the row for every rail without its own row.
pub(super) const DEFAULTS: &str = "defaults";

/// Fee schedules by rail and currency: `intl_bank/EUR` before `intl_bank` before `defaults` (docs/decisions.md 7).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FeeTable(pub(super) BTreeMap<String, Schedule>);

impl FeeTable {
    /// Returns the app's fees for a rail, and for a currency (three letters) of a rail with several.
    pub fn schedule(&self, platform: Platform, currency: Option<&str>) -> Schedule {
        self.row(platform, currency).map_or(Schedule::FREE, |(_, schedule)| schedule)
    }

    /// Returns the row for a rail and a currency.
    fn row(&self, platform: Platform, currency: Option<&str>) -> Option<(&str, Schedule)> {
        // A request for ach may be paid by rtp, at the app's price for ach unless it has one for rtp.
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

/// The current version of the app's fees and the scheduled ones. The table `fee_tables` has all versions; these are in
/// the app's row, so that a payout reads nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FeeVersions {
    /// The number of versions so far.
    made: i64,
    /// The current version at the last change of the settings; 0 before the first.
    version: i64,
    table: FeeTable,
    /// Later versions, in the order in which they begin.
    scheduled: Vec<FeeVersion>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeeVersion {
    /// Counts from 1 within the app.
    pub version: i64,
    /// The time from which it applies, until a later version does.
    pub effective_at: Time,
    pub table: FeeTable,
}

impl FeeVersions {
    /// Returns the version that applies at a moment, which is the one that began last, and its rows.
    pub fn holding(&self, now: Time) -> (i64, &FeeTable) {
        let due = self.scheduled.iter().rev().find(|version| version.effective_at <= now);
        due.map_or((self.version, &self.table), |version| (version.version, &version.table))
    }

    /// Returns the app's fees for a rail at a moment.
    pub fn added(&self, now: Time, platform: Platform, currency: Option<&str>) -> Added {
        let (table_version, table) = self.holding(now);
        match table.row(platform, currency) {
            Some((row, schedule)) => {
                Added { schedule, source: PlatformFeeSource::FeeTable, row: Some(row.to_owned()), table_version }
            }
            None => Added { schedule: Schedule::FREE, source: PlatformFeeSource::None, row: None, table_version },
        }
    }

    /// Adds a version, which applies from `effective_at` or now. Returns `None` if the current table is equal.
    ///
    /// # Errors
    ///
    /// `limit-exceeded` if [`SCHEDULED_MAX`] versions wait.
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
            let message = format!("{SCHEDULED_MAX} fee tables are already scheduled, which is the limit.");
            return Err(Refusal::over_limit("scheduled_fee_tables", SCHEDULED_MAX, message));
        }
        scheduled.push(new.clone());
        // A stable sort: of two versions for one moment, the search from the end finds the later one first.
        scheduled.sort_by_key(|version| version.effective_at);
        let (version, table) = self.holding(now);
        Ok(Some((FeeVersions { made, version, table: table.clone(), scheduled }, new)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Code;

    /// The texts that the embedded store's migration writes (`fees_and_payouts_of_before_are_taken_over`).
    #[test]
    fn settings_of_a_migrated_store_are_read() {
        let read = |text: &str| -> Settings { serde_json::from_str(text).unwrap() };
        let table = r#"{"ach":{"fixed":7,"percent":"0","min":0,"max":null}}"#;
        let versions = format!(r#"{{"made":1,"version":1,"table":{table},"scheduled":[]}}"#);
        let fees = read(&format!(r#"{{"fees":{versions}}}"#)).fees;
        let (version, table) = fees.holding(Time::from_micros(1_772_496_000_000_000));
        assert_eq!(version, 1);
        assert_eq!(table.schedule(Platform::Ach, None), Schedule { fixed: Cents::new(7), ..Schedule::FREE });
        assert_eq!(read("{}"), Settings::default());
        let none = r#"{"made":0,"version":0,"table":{},"scheduled":[]}"#;
        let required = read(&format!(r#"{{"fees":{none},"require_idempotency_key":true}}"#));
        assert_eq!(required, Settings { require_idempotency_key: true, ..Settings::default() });
    }

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
        // Version 2 has begun, so this change replaces it.
        let last = add(&changed, 150, 4, None);
        assert_eq!([150, 1_000].map(|now| holds(&last, now)), [4, 4]);
        // Of two for one moment, the later one applies.
        let twice = add(&add(&first, 20, 5, Some(100)), 21, 6, Some(100));
        assert_eq!(holds(&twice, 100), 3);
        // A version that has begun precedes the next scheduled one.
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
    fn settings_of_an_older_program_have_defaults() {
        let settings: Settings = serde_json::from_str(r#"{"require_idempotency_key": true}"#).unwrap();
        assert_eq!(settings, Settings { require_idempotency_key: true, ..Settings::default() });
    }
}
