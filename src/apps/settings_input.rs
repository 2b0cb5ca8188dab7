//! Settings in requests and responses.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value as Schema, json};

use super::limits::Limits;
use super::settings::DEFAULT_COUNTRIES;
use super::settings::{
    AuthorizationNeeded, AutoRefill, DEFAULTS, DeliveryLimits, FeeTable, FeeVersion, FeeVersions, MemberProof, Settings,
};
use crate::clock::Time;
use crate::fees::{Party, Schedule};
use crate::input::types::{Amount, Integer, word_input};
use crate::input::{Input, Problems, gather, input, wrong};
use crate::money::{Cents, Percent};
use crate::patch::Patch;
use crate::platform::Platform;
use crate::program::Environment;
use crate::refusal::{Code, Refusal};
use crate::strict_json::{Json, pointer_step};

word_input!(MemberProof);

/// Every rail in a dozen currencies.
const FEE_ROWS_MAX: usize = 200;

word_input!(AuthorizationNeeded);

/// Business days.
type HoldDays = Integer<0, 90>;
/// The ACH rules allow two.
type DebitRetries = Integer<0, 2>;
/// At most thirty days.
type RestHours = Integer<0, 720>;

/// Cents from zero up to the largest amount.
type Fee = Integer<0, { Cents::AMOUNT_MAX.get() }>;

input! {
    /// A fee schedule: fixed + percent of the amount, held between min and max.
    pub struct ScheduleInput {
        /// Fixed cents, for any amount; 0 by default.
        pub fixed: Option<Fee>,
        /// Share of the amount as a decimal fraction below 1, `0.05` for five percent; 0 by default.
        pub percent: Option<Percent>,
        /// Least cents of the fee; 0 by default.
        pub min: Option<Fee>,
        /// Most cents of the fee; no bound by default.
        pub max: Option<Fee>,
    }
}

impl ScheduleInput {
    fn schedule(&self, at: &str) -> Result<Schedule, Problems> {
        let cents = |fee: Option<Fee>| fee.map(|fee| Cents::new(fee.0));
        let min = cents(self.min).unwrap_or(Cents::ZERO);
        let max = cents(self.max);
        if max.is_some_and(|max| max < min) {
            return Err(wrong(&format!("{at}/max"), "must be at least min"));
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

/// Parses `defaults`, a rail, or a rail and a currency.
fn row_name(name: &str, at: &str) -> Result<String, Problems> {
    let (rail, currency) = name.split_once('/').map_or((name, None), |(rail, currency)| (rail, Some(currency)));
    let is_known = rail.parse::<Platform>().is_ok() || (rail == DEFAULTS && currency.is_none());
    let is_currency = |code: &str| code.len() == 3 && code.bytes().all(|letter| letter.is_ascii_uppercase());
    if is_known && currency.is_none_or(is_currency) {
        return Ok(name.to_owned());
    }
    Err(wrong(at, "unknown fee table row; expected a rail (ach), a rail and a currency (intl_bank/EUR), or defaults"))
}

input! {
    /// When and how much money is deposited automatically.
    pub struct AutoRefillInput {
        /// Cents of each deposit.
        pub amount: Amount,
        /// Cents below which the wallet is refilled.
        pub threshold: Amount,
    }
}

input! {
    /// Limits on payouts. An omitted limit stays; null removes it.
    pub struct PayoutLimitsInput {
        /// Cents of one payout.
        pub per_payout: Patch<Amount>,
        /// Cents of all payouts of one day in UTC.
        pub per_day: Patch<Amount>,
    }
}

input! {
    /// Limits on the payment of bills. An omitted limit stays; null removes it.
    pub struct PayableLimitsInput {
        /// Cents of one bill.
        pub per_payable: Patch<Amount>,
        /// Cents of all bills that are paid on one day in UTC.
        pub per_day: Patch<Amount>,
    }
}

input! {
    /// Limits on transfers from the app to users. An omitted limit stays; null removes it.
    pub struct TransferLimitsInput {
        /// Cents of one transfer.
        pub per_transfer: Patch<Amount>,
        /// Cents of all transfers to users on one day in UTC.
        pub per_day: Patch<Amount>,
    }
}

input! {
    /// Limits on payments that the app collects. An omitted limit stays; null removes it.
    pub struct PaymentLimitsInput {
        /// Cents of one payment.
        pub per_payment: Patch<Amount>,
        /// Cents of one payer's payments of one day in UTC.
        pub per_payer_per_day: Patch<Amount>,
        /// Cents of all payments of one day in UTC.
        pub per_day: Patch<Amount>,
    }
}

input! {
    /// Limits on the deliveries of links. An omitted limit stays; null restores the default.
    pub struct DeliveryLimitsInput {
        /// Deliveries to one phone or address on one day in UTC, by all apps of the organization; 20 by default.
        pub per_recipient_per_day: Patch<Integer<1, 1_000>>,
        /// Deliveries of the app on one day in UTC; null for no limit.
        pub per_day: Patch<Integer<0, 1_000_000_000>>,
    }
}

/// The two letters of a country that is not under embargo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhoneCountry(pub String);

impl Input for PhoneCountry {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let code = crate::input::text(json, at)?.trim().to_ascii_uppercase();
        if crate::embargo::is_country(&code) {
            return Err(wrong(at, crate::embargo::REFUSED));
        }
        if crate::country::is_country(&code) {
            return Ok(Self(code));
        }
        Err(wrong(at, "must be a two-letter country code such as US (ISO 3166-1)"))
    }
    fn schema() -> Schema {
        json!({"type": "string", "pattern": r"^\s*[A-Za-z]{2}\s*$", "examples": ["US"]})
    }
}

input! {
    /// An app's settings. An omitted setting stays; null restores the default.
    pub struct SettingsInput {
        /// Who pays the fees of a payout that does not name the party: user (the default) or platform.
        pub payout_fee_party: Patch<Party>,
        /// The fees that the app adds to the service's fees, by rail (`ach`), rail and currency (`intl_bank/EUR`) or
        /// `defaults`.
        pub fees: Patch<FeeTable>,
        /// When these fees take effect, a moment in the future; at once by default.
        pub fees_effective_at: Option<Time>,
        /// Rails that are hidden from this app's payees; replaces the list.
        pub payout_options_exclude_list: Patch<Vec<Platform>>,
        /// Deposits money automatically when the wallet runs low.
        pub auto_refill: Patch<AutoRefillInput>,
        /// Limits on payouts.
        pub payout_limits: Patch<PayoutLimitsInput>,
        /// Cents above which a payout needs a member's approval.
        pub payout_approval_limit: Patch<Amount>,
        /// Limits on the payment of bills.
        pub payable_limits: Patch<PayableLimitsInput>,
        /// Cents above which an app key does not pay a bill, and a new vendor's first account waits for 24 hours.
        pub payable_approval_limit: Patch<Amount>,
        /// Limits on transfers from the app to users.
        pub transfer_limits: Patch<TransferLimitsInput>,
        /// Limits on payments that the app collects.
        pub payment_limits: Patch<PaymentLimitsInput>,
        /// Whether each payment names its authorization (per_payment, the default in production) or the app attests
        /// that it keeps one (attested, the default in the sandbox).
        pub payment_authorization: Patch<AuthorizationNeeded>,
        /// Business days for which the money of a payment cannot leave the app after it arrived: 3 by default in
        /// production, 0 in the sandbox.
        pub payment_hold_days: Patch<HoldDays>,
        /// How often a debit in a bank's file is presented again that the payer's account did not cover (R01, R09): 0 (the
        /// default), 1 or 2 times. The payment stays pending until the last one ends.
        pub debit_retries: Patch<DebitRetries>,
        /// Limits on the deliveries of links.
        pub delivery_limits: Patch<DeliveryLimitsInput>,
        /// Countries, by their two letters, to whose phones the app sends messages; CA and US by default. Replaces the
        /// list.
        pub phone_countries: Patch<Vec<PhoneCountry>>,
        /// Hours for which a new payout method receives only payouts that the payee starts: automatic ones become
        /// links, others are refused. By default 24 in production, 0 in the sandbox.
        pub method_rest_hours: Patch<RestHours>,
        /// Whether a POST without an idempotency key is refused.
        pub require_idempotency_key: Patch<bool>,
        /// Whether the payee of an unclaimed link is reminded, three days after its creation and a day before it
        /// expires (the default: true). A link with `remind_at` has that reminder only.
        pub payee_reminders: Patch<bool>,
        /// How a member in acting_user_id is proven: asserted (the default: the app's key acts for its members) or
        /// required (submit, approve, reject, pay and confirm need the member's own session in the header
        /// Member-Session).
        pub member_proof: Patch<MemberProof>,
    }
}

fn patched<T, V>(patch: &Patch<T>, now: V, default: V, set: impl FnOnce(&T) -> V) -> V {
    match patch {
        Patch::Keep => now,
        Patch::Clear => default,
        Patch::Set(value) => set(value),
    }
}

impl SettingsInput {
    /// Returns the settings after these changes, and the new version of the fee table, if any.
    ///
    /// # Errors
    ///
    /// `invalid-input` for a moment that is not in the future or has no fees; `limit-exceeded` if too many fee tables
    /// wait for their time.
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
            Some(_) if self.fees == Patch::Keep => return wrong("requires fees in the same request"),
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
        let limit = |patch: &Patch<Amount>, now| patched(patch, now, None, |amount| Some(amount.0));
        let limits =
            |before: Limits, each: &Patch<Amount>, per_payer: Option<&Patch<Amount>>, per_day: &Patch<Amount>| {
                let per_payer =
                    per_payer.map_or(before.per_payer_per_day, |patch| limit(patch, before.per_payer_per_day));
                Limits {
                    each: limit(each, before.each),
                    per_payer_per_day: per_payer,
                    per_day: limit(per_day, before.per_day),
                }
            };
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
            payout_limits: patched(&self.payout_limits, now.payout_limits, default.payout_limits, |asked| {
                limits(now.payout_limits, &asked.per_payout, None, &asked.per_day)
            }),
            payout_approval_limit: limit(&self.payout_approval_limit, now.payout_approval_limit),
            payable_limits: patched(&self.payable_limits, now.payable_limits, default.payable_limits, |asked| {
                limits(now.payable_limits, &asked.per_payable, None, &asked.per_day)
            }),
            payable_approval_limit: limit(&self.payable_approval_limit, now.payable_approval_limit),
            transfer_limits: patched(&self.transfer_limits, now.transfer_limits, default.transfer_limits, |asked| {
                limits(now.transfer_limits, &asked.per_transfer, None, &asked.per_day)
            }),
            payment_limits: patched(&self.payment_limits, now.payment_limits, default.payment_limits, |asked| {
                limits(now.payment_limits, &asked.per_payment, Some(&asked.per_payer_per_day), &asked.per_day)
            }),
            payment_authorization: patched(&self.payment_authorization, now.payment_authorization, None, |to| {
                Some(*to)
            }),
            payment_hold_days: patched(&self.payment_hold_days, now.payment_hold_days, None, |days| Some(days.0)),
            debit_retries: patched(&self.debit_retries, now.debit_retries, default.debit_retries, |retries| retries.0),
            delivery_limits: patched(&self.delivery_limits, now.delivery_limits, default.delivery_limits, |asked| {
                asked.applied_to(now.delivery_limits)
            }),
            phone_countries: patched(&self.phone_countries, now.phone_countries, None, |countries| {
                let countries: BTreeSet<String> = countries.iter().map(|country| country.0.clone()).collect();
                Some(countries.into_iter().collect())
            }),
            method_rest_hours: patched(&self.method_rest_hours, now.method_rest_hours, None, |hours| Some(hours.0)),
            require_idempotency_key: patched(
                &self.require_idempotency_key,
                now.require_idempotency_key,
                default.require_idempotency_key,
                |to| *to,
            ),
            payee_reminders: patched(&self.payee_reminders, now.payee_reminders, default.payee_reminders, |to| *to),
            member_proof: patched(&self.member_proof, now.member_proof, default.member_proof, |to| *to),
            brand: now.brand,
        }
    }
}

impl DeliveryLimitsInput {
    fn applied_to(&self, now: DeliveryLimits) -> DeliveryLimits {
        let default = DeliveryLimits::default();
        let (each, all) = (now.per_recipient_per_day, now.per_day);
        DeliveryLimits {
            per_recipient_per_day: patched(&self.per_recipient_per_day, each, default.per_recipient_per_day, |to| to.0),
            per_day: patched(&self.per_day, all, None, |to| Some(to.0)),
        }
    }
}

fn once_each(rails: &[Platform]) -> Vec<Platform> {
    Platform::ALL.into_iter().filter(|rail| rails.contains(rail)).collect()
}

/// Limits on the deliveries of links.
#[derive(Clone, Copy, Debug, Serialize, utoipa::ToSchema)]
pub struct DeliveryLimitsJson {
    /// Deliveries to one phone or address on one day in UTC.
    #[schema(example = 20)]
    pub per_recipient_per_day: i64,
    /// Deliveries of the app on one day in UTC; null for no limit.
    #[schema(required)]
    pub per_day: Option<i64>,
}

/// An app's settings.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct SettingsJson {
    /// Who pays the fees of a payout that does not name the party.
    #[schema(example = "user")]
    pub payout_fee_party: &'static str,
    /// The fees that the app adds now to the service's fees; fee-tables lists the past and scheduled versions.
    pub fees: BTreeMap<String, ScheduleJson>,
    /// Rails that are hidden from this app's payees.
    pub payout_options_exclude_list: Vec<Platform>,
    /// When and how much money is deposited automatically.
    #[schema(required)]
    pub auto_refill: Option<AutoRefillJson>,
    /// Limits on payouts.
    pub payout_limits: PayoutLimitsJson,
    /// Cents above which a payout needs a member's approval.
    #[schema(required)]
    pub payout_approval_limit: Option<i64>,
    /// Limits on the payment of bills.
    pub payable_limits: PayableLimitsJson,
    /// Cents above which an app key does not pay a bill, and a new vendor's first account waits for 24 hours.
    #[schema(required)]
    pub payable_approval_limit: Option<i64>,
    /// Limits on transfers from the app to users.
    pub transfer_limits: TransferLimitsJson,
    /// Limits on payments that the app collects.
    pub payment_limits: PaymentLimitsJson,
    /// Whether each payment names its authorization (per_payment), or the app attests that it keeps one (attested).
    pub payment_authorization: AuthorizationNeeded,
    /// Business days for which the money of a payment cannot leave the app after it arrived.
    pub payment_hold_days: i64,
    /// How often a debit in a bank's file is presented again that the payer's account did not cover.
    pub debit_retries: i64,
    /// Limits on the deliveries of links.
    pub delivery_limits: DeliveryLimitsJson,
    /// Countries, by their two letters, to whose phones the app sends messages.
    pub phone_countries: Vec<String>,
    /// Hours for which a new payout method receives only payouts that the payee starts.
    pub method_rest_hours: i64,
    /// Whether a POST without an idempotency key is refused.
    pub require_idempotency_key: bool,
    /// Whether the payee of an unclaimed link is reminded: three days after its creation and a day before it expires.
    pub payee_reminders: bool,
    /// How a named member is proven: asserted by the app, or required as the member's own session.
    pub member_proof: MemberProof,
}

/// A fee schedule, in the shape of `fee_settings`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ScheduleJson {
    /// Fixed cents, for any amount.
    pub fixed: i64,
    /// Share of the amount, a decimal fraction.
    #[schema(example = "0.05")]
    pub percent: String,
    /// Least cents of the fee.
    pub min: i64,
    /// Most cents of the fee; null for no bound.
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

/// When and how much money is deposited automatically, in cents.
#[derive(Clone, Copy, Debug, Serialize, utoipa::ToSchema)]
pub struct AutoRefillJson {
    /// The amount of each deposit.
    pub amount: i64,
    /// The balance below which the wallet is refilled.
    pub threshold: i64,
}

/// Limits on payouts, in cents.
#[derive(Clone, Copy, Debug, Serialize, utoipa::ToSchema)]
pub struct PayoutLimitsJson {
    /// Of one payout.
    #[schema(required)]
    pub per_payout: Option<i64>,
    /// Of all payouts of one day in UTC.
    #[schema(required)]
    pub per_day: Option<i64>,
}

/// Limits on the payment of bills, in cents.
#[derive(Clone, Copy, Debug, Serialize, utoipa::ToSchema)]
pub struct PayableLimitsJson {
    /// Of one bill.
    #[schema(required)]
    pub per_payable: Option<i64>,
    /// Of all bills that are paid on one day in UTC.
    #[schema(required)]
    pub per_day: Option<i64>,
}

/// Limits on transfers from the app to users, in cents.
#[derive(Clone, Copy, Debug, Serialize, utoipa::ToSchema)]
pub struct TransferLimitsJson {
    /// Of one transfer.
    #[schema(required)]
    pub per_transfer: Option<i64>,
    /// Of all transfers to users on one day in UTC.
    #[schema(required)]
    pub per_day: Option<i64>,
}

/// Limits on payments that the app collects, in cents.
#[derive(Clone, Copy, Debug, Serialize, utoipa::ToSchema)]
pub struct PaymentLimitsJson {
    /// Of one payment.
    #[schema(required)]
    pub per_payment: Option<i64>,
    /// Of one payer's payments of one day in UTC.
    #[schema(required)]
    pub per_payer_per_day: Option<i64>,
    /// Of all payments of one day in UTC.
    #[schema(required)]
    pub per_day: Option<i64>,
}

pub(super) fn rows(table: &FeeTable) -> BTreeMap<String, ScheduleJson> {
    table.0.iter().map(|(name, schedule)| (name.clone(), schedule.into())).collect()
}

impl SettingsJson {
    /// Returns the settings at a moment.
    pub fn at(settings: &Settings, now: Time, environment: Environment) -> Self {
        let cents = |limit: Option<Cents>| limit.map(Cents::get);
        let (payout, payable) = (settings.payout_limits, settings.payable_limits);
        let (transfer, payment) = (settings.transfer_limits, settings.payment_limits);
        Self {
            payout_fee_party: settings.payout_fee_party.as_str(),
            fees: rows(settings.fees.holding(now).1),
            payout_options_exclude_list: settings.payout_options_exclude_list.clone(),
            auto_refill: settings
                .auto_refill
                .map(|refill| AutoRefillJson { amount: refill.amount.get(), threshold: refill.threshold.get() }),
            payout_limits: PayoutLimitsJson { per_payout: cents(payout.each), per_day: cents(payout.per_day) },
            payout_approval_limit: cents(settings.payout_approval_limit),
            payable_limits: PayableLimitsJson { per_payable: cents(payable.each), per_day: cents(payable.per_day) },
            payable_approval_limit: cents(settings.payable_approval_limit),
            transfer_limits: TransferLimitsJson {
                per_transfer: cents(transfer.each),
                per_day: cents(transfer.per_day),
            },
            payment_limits: PaymentLimitsJson {
                per_payment: cents(payment.each),
                per_payer_per_day: cents(payment.per_payer_per_day),
                per_day: cents(payment.per_day),
            },
            payment_authorization: settings.authorization_needed(environment),
            payment_hold_days: settings.hold_days(environment),
            debit_retries: settings.debit_retries,
            delivery_limits: DeliveryLimitsJson {
                per_recipient_per_day: settings.delivery_limits.per_recipient_per_day,
                per_day: settings.delivery_limits.per_day,
            },
            phone_countries: settings
                .phone_countries
                .clone()
                .unwrap_or_else(|| DEFAULT_COUNTRIES.map(str::to_owned).to_vec()),
            method_rest_hours: settings.method_rest_hours(environment),
            require_idempotency_key: settings.require_idempotency_key,
            payee_reminders: settings.payee_reminders,
            member_proof: settings.member_proof,
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
        let limits = Limits { each: Some(Cents::new(3)), per_day: Some(Cents::new(5)), ..Limits::default() };
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
