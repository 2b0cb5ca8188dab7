//! Settings as a request carries them and as an answer shows them.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value as Schema, json};

use super::settings::{AutoRefill, DEFAULTS, FeeTable, FeeVersion, FeeVersions, PayoutLimits, Settings};
use crate::clock::Time;
use crate::fees::{Party, Schedule};
use crate::http::input::{Input, Patch, Problems, gather, input, wrong};
use crate::http::inputs::{Amount, Whole};
use crate::money::{Cents, Percent};
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::strict_json::{Json, pointer_step};

/// Rows of a fee table at most: every rail in a dozen currencies.
const FEE_ROWS_MAX: usize = 200;

/// Cents from zero up to the largest amount.
type Fee = Whole<0, { Cents::AMOUNT_MAX.get() }>;

input! {
    /// A fee schedule: fixed + percent of the amount, held between min and max.
    pub struct ScheduleInput {
        /// Cents taken whatever the amount; 0 when not given.
        pub fixed: Option<Fee>,
        /// Share of the amount as a decimal fraction below 1, `0.05` for five percent; 0 when not given.
        pub percent: Option<Percent>,
        /// Cents taken at least; 0 when not given.
        pub min: Option<Fee>,
        /// Cents taken at most; no bound when not given.
        pub max: Option<Fee>,
    }
}

impl ScheduleInput {
    fn schedule(&self, at: &str) -> Result<Schedule, Problems> {
        let cents = |fee: Option<Fee>| fee.map(|fee| Cents::new(fee.0));
        let min = cents(self.min).unwrap_or(Cents::ZERO);
        let max = cents(self.max);
        if max.is_some_and(|max| max < min) {
            return Err(wrong(&format!("{at}/max"), "must not be less than min"));
        }
        let fixed = cents(self.fixed).unwrap_or(Cents::ZERO);
        Ok(Schedule { fixed, percent: self.percent.unwrap_or(Percent::ZERO), min, max })
    }
}

impl Input for FeeTable {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let Json::Object(rows) = json else { return Err(wrong(at, format!("must be an object, not {}", json.kind()))) };
        if rows.len() > FEE_ROWS_MAX {
            return Err(wrong(at, format!("must have at most {FEE_ROWS_MAX} rows")));
        }
        let mut problems = Problems::new();
        let mut table = BTreeMap::new();
        for (name, row) in rows {
            let at = format!("{at}/{}", pointer_step(name));
            let read = row_name(name, &at).and_then(|name| Ok((name, ScheduleInput::read(row, &at)?.schedule(&at)?)));
            table.extend(gather(read, &mut problems));
        }
        if problems.is_empty() { Ok(Self(table)) } else { Err(problems) }
    }
    fn schema() -> Schema {
        json!({"type": "object", "maxProperties": FEE_ROWS_MAX, "additionalProperties": ScheduleInput::schema()})
    }
}

/// `defaults`, a rail, or a rail and a currency.
fn row_name(name: &str, at: &str) -> Result<String, Problems> {
    let (rail, currency) = name.split_once('/').map_or((name, None), |(rail, currency)| (rail, Some(currency)));
    let is_known = rail.parse::<Platform>().is_ok() || (rail == DEFAULTS && currency.is_none());
    let is_currency = |code: &str| code.len() == 3 && code.bytes().all(|letter| letter.is_ascii_uppercase());
    if is_known && currency.is_none_or(is_currency) {
        return Ok(name.to_owned());
    }
    Err(wrong(at, "is no row of a fee table: name a rail (ach), a rail and a currency (intl_bank/EUR), or defaults"))
}

input! {
    /// When and how much is pulled by itself.
    pub struct AutoRefillInput {
        /// Cents pulled each time.
        pub amount: Amount,
        /// Pulled when the wallet holds less than so many cents.
        pub threshold: Amount,
    }
}

input! {
    /// The most that may leave. A limit that is not sent stays; null takes it away.
    pub struct PayoutLimitsInput {
        /// Cents of one payout.
        pub per_payout: Patch<Amount>,
        /// Cents of all payouts of one day in UTC.
        pub per_day: Patch<Amount>,
    }
}

input! {
    /// An app's settings. What is not sent stays; null brings the default back.
    pub struct SettingsInput {
        /// Who pays the fees when a payout does not say: user (the default) or platform.
        pub payout_fee_party: Patch<Party>,
        /// What the app adds to the service's fees, by rail (`ach`), rail and currency (`intl_bank/EUR`) or `defaults`.
        pub fees: Patch<FeeTable>,
        /// From when on these fees hold, a moment in the future; at once when it is not sent.
        pub fees_effective_at: Option<Time>,
        /// Rails that this app's payees are not offered; replaces the list.
        pub payout_options_exclude_list: Patch<Vec<Platform>>,
        /// Pulls money when the wallet runs low.
        pub auto_refill: Patch<AutoRefillInput>,
        /// What a payout, and a day's payouts, may amount to.
        pub payout_limits: Patch<PayoutLimitsInput>,
        /// Cents above which a payout needs somebody's approval.
        pub payout_approval_limit: Patch<Amount>,
        /// Whether a POST without an idempotency key is refused.
        pub require_idempotency_key: Patch<bool>,
    }
}

/// The value after a patch.
fn patched<T, V>(patch: &Patch<T>, now: V, default: V, set: impl FnOnce(&T) -> V) -> V {
    match patch {
        Patch::Keep => now,
        Patch::Clear => default,
        Patch::Set(value) => set(value),
    }
}

impl SettingsInput {
    /// The settings after these changes, and the version of the fee table that they made, if they did.
    ///
    /// # Errors
    /// `invalid-input` for a moment that is not in the future or has no fees; `limit-exceeded` when too many fee
    /// tables wait for their time.
    pub fn applied_to(&self, now: &Settings, at: Time) -> Result<(Settings, Option<FeeVersion>), Refusal> {
        let (fees, version) = match self.fees_after(&now.fees, at)? {
            Some((fees, version)) => (fees, Some(version)),
            None => (now.fees.clone(), None),
        };
        Ok((Settings { fees, ..self.applied_beside_fees(now) }, version))
    }

    fn fees_after(&self, fees: &FeeVersions, at: Time) -> Result<Option<(FeeVersions, FeeVersion)>, Refusal> {
        let wrong = |message: &str| Err(Refusal::field(Code::InvalidInput, "/fees_effective_at", message));
        match self.fees_effective_at {
            Some(effective_at) if effective_at <= at => return wrong("must be in the future"),
            Some(_) if self.fees == Patch::Keep => return wrong("says from when on fees hold: send fees with it"),
            Some(_) | None => {}
        }
        match &self.fees {
            Patch::Keep => Ok(None),
            Patch::Clear => fees.changed(at, &FeeTable::default(), self.fees_effective_at),
            Patch::Set(table) => fees.changed(at, table, self.fees_effective_at),
        }
    }

    fn applied_beside_fees(&self, now: &Settings) -> Settings {
        let (now, default) = (now.clone(), Settings::default());
        let limits = now.payout_limits;
        let limit = |patch: &Patch<Amount>, now| patched(patch, now, None, |amount| Some(amount.0));
        Settings {
            payout_fee_party: patched(&self.payout_fee_party, now.payout_fee_party, default.payout_fee_party, |to| *to),
            fees: now.fees,
            payout_options_exclude_list: patched(
                &self.payout_options_exclude_list,
                now.payout_options_exclude_list,
                default.payout_options_exclude_list,
                |rails| once_each(rails),
            ),
            auto_refill: patched(&self.auto_refill, now.auto_refill, default.auto_refill, |refill| {
                Some(AutoRefill { amount: refill.amount.0, threshold: refill.threshold.0 })
            }),
            payout_limits: patched(&self.payout_limits, limits, default.payout_limits, |asked| PayoutLimits {
                per_payout: limit(&asked.per_payout, limits.per_payout),
                per_day: limit(&asked.per_day, limits.per_day),
            }),
            payout_approval_limit: limit(&self.payout_approval_limit, now.payout_approval_limit),
            require_idempotency_key: patched(
                &self.require_idempotency_key,
                now.require_idempotency_key,
                default.require_idempotency_key,
                |to| *to,
            ),
        }
    }
}

fn once_each(rails: &[Platform]) -> Vec<Platform> {
    Platform::ALL.into_iter().filter(|rail| rails.contains(rail)).collect()
}

/// An app's settings.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct SettingsJson {
    /// Who pays the fees when a payout does not say.
    #[schema(example = "user")]
    pub payout_fee_party: &'static str,
    /// What the app adds to the service's fees now; fee-tables has what it added before and will.
    pub fees: BTreeMap<String, ScheduleJson>,
    /// Rails that this app's payees are not offered.
    pub payout_options_exclude_list: Vec<Platform>,
    /// When and how much is pulled by itself.
    #[schema(required)]
    pub auto_refill: Option<AutoRefillJson>,
    /// The most that may leave.
    pub payout_limits: PayoutLimitsJson,
    /// Cents above which a payout needs somebody's approval.
    #[schema(required)]
    pub payout_approval_limit: Option<i64>,
    /// Whether a POST without an idempotency key is refused.
    pub require_idempotency_key: bool,
}

/// A fee schedule, in the shape of interface.md's `fee_settings`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ScheduleJson {
    /// Cents taken whatever the amount.
    pub fixed: i64,
    /// Share of the amount, a decimal fraction.
    #[schema(example = "0.05")]
    pub percent: String,
    /// Cents taken at least.
    pub min: i64,
    /// Cents taken at most.
    #[schema(required)]
    pub max: Option<i64>,
}

impl From<&Schedule> for ScheduleJson {
    fn from(schedule: &Schedule) -> Self {
        Self {
            fixed: schedule.fixed.get(),
            percent: schedule.percent.to_string(),
            min: schedule.min.get(),
            max: schedule.max.map(Cents::get),
        }
    }
}

/// When and how much is pulled by itself, in cents.
#[derive(Clone, Copy, Debug, Serialize, utoipa::ToSchema)]
pub struct AutoRefillJson {
    /// Pulled each time.
    pub amount: i64,
    /// Pulled when the wallet holds less.
    pub threshold: i64,
}

/// The most that may leave, in cents.
#[derive(Clone, Copy, Debug, Serialize, utoipa::ToSchema)]
pub struct PayoutLimitsJson {
    /// By one payout.
    #[schema(required)]
    pub per_payout: Option<i64>,
    /// By all payouts of one day in UTC.
    #[schema(required)]
    pub per_day: Option<i64>,
}

/// The rows of a fee table.
pub(super) fn rows(table: &FeeTable) -> BTreeMap<String, ScheduleJson> {
    table.0.iter().map(|(name, schedule)| (name.clone(), schedule.into())).collect()
}

impl SettingsJson {
    /// The settings as they are at a moment.
    pub fn at(settings: &Settings, now: Time) -> Self {
        Self {
            payout_fee_party: settings.payout_fee_party.as_str(),
            fees: rows(settings.fees.holding(now).1),
            payout_options_exclude_list: settings.payout_options_exclude_list.clone(),
            auto_refill: settings
                .auto_refill
                .map(|refill| AutoRefillJson { amount: refill.amount.get(), threshold: refill.threshold.get() }),
            payout_limits: PayoutLimitsJson {
                per_payout: settings.payout_limits.per_payout.map(Cents::get),
                per_day: settings.payout_limits.per_day.map(Cents::get),
            },
            payout_approval_limit: settings.payout_approval_limit.map(Cents::get),
            require_idempotency_key: settings.require_idempotency_key,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<SettingsInput, Vec<String>> {
        let json = Json::parse(text.as_bytes()).unwrap();
        SettingsInput::read(&json, "").map_err(|problems| problems.into_iter().map(|problem| problem.field).collect())
    }

    #[test]
    fn what_is_not_sent_stays_and_null_brings_the_default() {
        let set = read(
            r#"{"payout_fee_party": "platform", "payout_limits": {"per_day": 5}, "fees": {"intl_bank/EUR": {"percent": ".01"}},
                "payout_options_exclude_list": ["crypto", "ach", "crypto"], "require_idempotency_key": true}"#,
        );
        let at = Time::from_micros(0);
        let (first, version) = set.unwrap().applied_to(&Settings::default(), at).unwrap();
        assert_eq!(version.unwrap().version, 1);
        assert_eq!(first.payout_fee_party, Party::Platform);
        assert_eq!(first.payout_options_exclude_list, [Platform::Ach, Platform::Crypto]);
        let changes = read(r#"{"payout_limits": {"per_payout": 3}, "payout_fee_party": null}"#).unwrap();
        let (second, version) = changes.applied_to(&first, at).unwrap();
        assert!(version.is_none());
        let limits = PayoutLimits { per_payout: Some(Cents::new(3)), per_day: Some(Cents::new(5)) };
        assert_eq!(second, Settings { payout_fee_party: Party::User, payout_limits: limits, ..first });
    }

    #[test]
    fn every_wrong_row_of_a_fee_table_is_named() {
        let wrong = read(
            r#"{"fees": {"rtp": {}, "barter": {}, "ach/usd": {}, "defaults/EUR": {}, "wire": {"min": 2, "max": 1}}}"#,
        );
        let fields = ["/fees/barter", "/fees/ach~1usd", "/fees/defaults~1EUR", "/fees/wire/max"];
        assert_eq!(wrong.unwrap_err(), fields);
        assert_eq!(
            read(r#"{"fees": {"ach": {"fixed": -1, "percent": "1"}}}"#).unwrap_err(),
            ["/fees/ach/fixed", "/fees/ach/percent"]
        );
    }
}
