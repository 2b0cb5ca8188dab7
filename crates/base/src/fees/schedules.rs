//! The service's own fee schedules: dated, versioned data, one list per rail (docs/decisions.md 7).
//!
//! Invariant: a published version is never edited. A new price is a new version with its own `effective_from`, so that
//! past payouts can still be explained.

use super::rules::Schedule;
use crate::{
    money::{Cents, Percent},
    platform::Platform,
};
use jiff::civil::{Date, date};

/// The price and speed of a rail from one day on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RailTerms {
    /// The name of the rule in explanations, for example `ach-standard`.
    pub rule_id: &'static str,
    /// Counted from 1 within the rule.
    pub version: u32,
    pub effective_from: Date,
    pub schedule: Schedule,
    /// The percentage for a currency exchange; zero on domestic rails.
    pub fx_percent: Percent,
    pub arrival: Arrival,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Arrival {
    /// The latest time of `text` in seconds, so that nothing arrives later than promised. A business day counts as one
    /// day: weekends are left to the rail.
    pub seconds: i64,
    /// Shown to people: `1 business day`.
    pub text: &'static str,
}

/// The versions of one rail, oldest first. `first` is separate so that the list is never empty.
struct Versions {
    first: RailTerms,
    later: &'static [RailTerms],
}

impl Versions {
    /// Returns the terms of a day; earlier days use the first version.
    fn on(&self, day: Date) -> &RailTerms {
        self.later.iter().rev().find(|terms| terms.effective_from <= day).unwrap_or(&self.first)
    }
}

#[must_use]
pub fn schedule(rail: Platform, on: Date) -> &'static RailTerms {
    let versions = match rail {
        Platform::Ach => &ACH,
        Platform::WalletA => &WALLET_A,
        Platform::WalletB => &WALLET_B,
        Platform::PrepaidCardA => &PREPAID_CARD_A,
        Platform::GiftCardA => &GIFT_CARD_A,
        Platform::WalletC => &WALLET_C,
        Platform::IntlBank => &INTL_BANK,
        Platform::IntlTransfer => &INTL_TRANSFER,
        Platform::BankTransfer => &BANK_TRANSFER,
        Platform::Wire => &WIRE,
        Platform::WalletD => &WALLET_D,
        Platform::WalletE => &WALLET_E,
        Platform::Crypto => &CRYPTO,
        Platform::PushToCard => &PUSH_TO_CARD,
        Platform::Rtp => &RTP,
    };
    versions.on(on)
}

const SECONDS: Arrival = arrival(10, "seconds");
const MINUTES: Arrival = arrival(300, "minutes");
const SAME_DAY: Arrival = arrival(14_400, "same day");
const ONE_BUSINESS_DAY: Arrival = arrival(86_400, "1 business day");
const TWO_BUSINESS_DAYS: Arrival = arrival(172_800, "1–2 business days");
const THREE_BUSINESS_DAYS: Arrival = arrival(259_200, "1–3 business days");

const FREE: Schedule = Schedule::FREE;
const ONE_PERCENT: Percent = Percent::basis_points(100);

static ACH: Versions = first("ach-standard", fixed(25), ONE_BUSINESS_DAY);
static RTP: Versions = first("rtp-standard", fixed(100), SECONDS);
static WIRE: Versions = first("wire-standard", fixed(1500), SAME_DAY);
static BANK_TRANSFER: Versions =
    first("bank-transfer-standard", Schedule { percent: Percent::basis_points(50), ..fixed(150) }, TWO_BUSINESS_DAYS);
static INTL_BANK: Versions =
    with_fx(first("intl-bank-standard", Schedule { percent: ONE_PERCENT, ..fixed(200) }, THREE_BUSINESS_DAYS));
static INTL_TRANSFER: Versions = with_fx(first("intl-transfer-standard", fixed(500), THREE_BUSINESS_DAYS));
static WALLET_A: Versions = first(
    "wallet-a-standard",
    Schedule { percent: Percent::basis_points(200), max: Some(Cents::new(2000)), ..FREE },
    MINUTES,
);
static WALLET_B: Versions = first("wallet-b-standard", fixed(50), MINUTES);
static WALLET_C: Versions = first("wallet-c-standard", fixed(25), ONE_BUSINESS_DAY);
static WALLET_D: Versions = first("wallet-d-standard", percent(ONE_PERCENT), MINUTES);
static WALLET_E: Versions = first("wallet-e-standard", percent(ONE_PERCENT), MINUTES);
static PREPAID_CARD_A: Versions = first("prepaid-card-a-standard", FREE, MINUTES);
static GIFT_CARD_A: Versions = first("gift-card-a-standard", FREE, MINUTES);
static PUSH_TO_CARD: Versions =
    first("push-to-card-standard", Schedule { min: Cents::new(50), ..percent(ONE_PERCENT) }, MINUTES);
static CRYPTO: Versions = first("crypto-standard", fixed(100), MINUTES);

const fn first(rule_id: &'static str, schedule: Schedule, arrival: Arrival) -> Versions {
    Versions {
        first: RailTerms {
            rule_id,
            version: 1,
            effective_from: date(2025, 1, 1),
            schedule,
            fx_percent: Percent::ZERO,
            arrival,
        },
        later: &[],
    }
}

const fn with_fx(mut versions: Versions) -> Versions {
    versions.first.fx_percent = ONE_PERCENT;
    versions
}

const fn fixed(cents: i64) -> Schedule {
    Schedule { fixed: Cents::new(cents), ..FREE }
}

const fn percent(percent: Percent) -> Schedule {
    Schedule { percent, ..FREE }
}

const fn arrival(seconds: i64, text: &'static str) -> Arrival {
    Arrival { seconds, text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fees::fee;

    #[test]
    fn every_rail_has_the_price_of_the_decisions() {
        let day = date(2026, 6, 1);
        // The fee on $100.00, and the percentage for a currency exchange.
        let table = [
            (Platform::Ach, 25, "0", "1 business day"),
            (Platform::WalletA, 200, "0", "minutes"),
            (Platform::WalletB, 50, "0", "minutes"),
            (Platform::PrepaidCardA, 0, "0", "minutes"),
            (Platform::GiftCardA, 0, "0", "minutes"),
            (Platform::WalletC, 25, "0", "1 business day"),
            (Platform::IntlBank, 300, "0.01", "1–3 business days"),
            (Platform::IntlTransfer, 500, "0.01", "1–3 business days"),
            (Platform::BankTransfer, 200, "0", "1–2 business days"),
            (Platform::Wire, 1500, "0", "same day"),
            (Platform::WalletD, 100, "0", "minutes"),
            (Platform::WalletE, 100, "0", "minutes"),
            (Platform::Crypto, 100, "0", "minutes"),
            (Platform::PushToCard, 100, "0", "minutes"),
            (Platform::Rtp, 100, "0", "seconds"),
        ];
        for (rail, cents, fx, text) in table {
            let terms = schedule(rail, day);
            assert_eq!(fee(&terms.schedule, Cents::new(10_000)), Ok(Cents::new(cents)), "{rail}");
            assert_eq!(terms.fx_percent.to_string(), fx, "{rail}");
            assert_eq!(terms.arrival.text, text, "{rail}");
            assert_eq!(terms.rule_id, format!("{}-standard", rail.as_str().replace('_', "-")));
        }
    }

    #[test]
    fn bounds_of_wallet_a_and_push_to_card() {
        let on = |rail, cents| fee(&schedule(rail, date(2026, 1, 1)).schedule, Cents::new(cents));
        assert_eq!(on(Platform::WalletA, 10_000_000), Ok(Cents::new(2000)));
        assert_eq!(on(Platform::PushToCard, 100), Ok(Cents::new(50)));
    }

    #[test]
    fn the_day_decides_the_version() {
        static LATER: [RailTerms; 2] = {
            let (mut second, mut third) = (first("rule", FREE, MINUTES).first, first("rule", FREE, MINUTES).first);
            second.version = 2;
            second.effective_from = date(2026, 1, 1);
            third.version = 3;
            third.effective_from = date(2027, 1, 1);
            [second, third]
        };
        let versions = Versions { later: &LATER, ..first("rule", FREE, MINUTES) };
        for (day, version) in [
            (date(1999, 1, 1), 1),
            (date(2025, 12, 31), 1),
            (date(2026, 1, 1), 2),
            (date(2026, 12, 31), 2),
            (date(2027, 1, 1), 3),
            (date(2100, 1, 1), 3),
        ] {
            assert_eq!(versions.on(day).version, version, "{day}");
        }
    }
}
