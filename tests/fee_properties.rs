//! The arithmetic of fees over many random cases: parts add up, limits hold, nothing is rounded twice. A seed makes the
//! cases reproducible.

use bursar::fees::{ChargeInput, FeeRefusal, Party, Schedule, bases, charge, fee, rate, schedule};
use bursar::money::{Cents, Percent};
use bursar::platform::Platform;
use jiff::civil::date;
use rust_decimal::{Decimal, RoundingStrategy};

const CASES: u64 = 1_200_000;

/// A random generator with equal output in every run.
struct Lot(u64);

impl Lot {
    fn draw(&mut self, below: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % below
    }

    fn chance(&mut self, one_in: u64) -> bool {
        self.draw(one_in) == 0
    }

    fn cents(&mut self, below: u64) -> Cents {
        Cents::new(i64::try_from(self.draw(below)).unwrap())
    }

    /// Returns small, middling and the largest amounts with equal frequency.
    fn amount(&mut self) -> Cents {
        let below = [100, 10_000, 1_000_000, 9_999_999_999][usize::try_from(self.draw(4)).unwrap()];
        Cents::new(self.cents(below).get() + 1)
    }

    fn percent(&mut self) -> Percent {
        Percent::basis_points(u32::try_from(self.draw(10_000)).unwrap() >> self.draw(8))
    }

    fn schedule(&mut self) -> Schedule {
        let min = if self.chance(3) { self.cents(500) } else { Cents::ZERO };
        let max = self.chance(3).then(|| min.checked_add(self.cents(5_000)).unwrap());
        Schedule { fixed: self.cents(1_000), percent: self.percent(), min, max }
    }
}

fn of<T: Copy>(choices: &[T], lot: &mut Lot) -> T {
    choices[usize::try_from(lot.draw(choices.len() as u64)).unwrap()]
}

/// Computes the fee by another method: decimals instead of integers.
fn fee_by_decimals(schedule: &Schedule, amount: Cents) -> i64 {
    let percent: Decimal = schedule.percent.to_string().parse().unwrap();
    let exact = Decimal::from(schedule.fixed.get()) + percent * Decimal::from(amount.get());
    let rounded = exact.round_dp_with_strategy(0, RoundingStrategy::MidpointNearestEven);
    let least = if percent.is_zero() { 0 } else { 1 };
    let cents = i64::try_from(rounded).unwrap().max(schedule.min.get()).max(least);
    schedule.max.map_or(cents, |max| cents.min(max.get()))
}

/// Computes a share alone: the charge for a currency conversion has no minimum.
fn share_by_decimals(share: Percent, amount: Cents) -> i64 {
    let share: Decimal = share.to_string().parse().unwrap();
    let exact = share * Decimal::from(amount.get());
    i64::try_from(exact.round_dp_with_strategy(0, RoundingStrategy::MidpointNearestEven)).unwrap()
}

#[test]
fn over_a_million_charges_add_up_and_stay_within_their_bounds() {
    let mut lot = Lot(2026);
    let rails: Vec<Platform> = Platform::ALL.into_iter().chain([Platform::Rtp]).collect();
    let (mut charged, mut eaten_up, mut on_whole_dollars, mut held) = (0_u64, 0_u64, 0_u64, 0_u64);
    for case in 0..CASES {
        let platform = of(&rails, &mut lot);
        // Half of the cases are the service's own prices, half are any.
        let terms = schedule(platform, of(&[date(2025, 1, 1), date(2026, 3, 2), date(2027, 1, 1)], &mut lot));
        let service = if lot.chance(2) { terms.schedule } else { lot.schedule() };
        let override_ = lot.chance(2);
        let app = match (override_, lot.chance(4)) {
            (_, true) => Schedule::FREE,
            (true, false) => Schedule { fixed: lot.cents(1_000), percent: lot.percent(), ..Schedule::FREE },
            (false, false) => lot.schedule(),
        };
        let party = of(&Party::ALL, &mut lot);
        let fx = if lot.chance(3) { lot.percent() } else { terms.fx_percent };
        let amount = lot.amount();
        let input = ChargeInput { platform, amount, service: &service, app: &app, override_, fx, party };
        let reported = || format!("case {case}: {input:?}");

        let (base, app_base) = bases(platform, amount, override_).unwrap();
        let whole = platform.pays_whole_dollars();
        assert_eq!(base.get(), if whole { amount.get() / 100 * 100 } else { amount.get() }, "{}", reported());
        assert_eq!(app_base, if override_ { amount } else { base }, "{}", reported());
        on_whole_dollars += u64::from(whole && base != amount);

        let parts = [fee_by_decimals(&service, base), fee_by_decimals(&app, app_base)];
        let upcharge = share_by_decimals(fx, amount);
        let total = parts[0] + parts[1] + upcharge;
        for (one, on) in [(&service, base), (&app, app_base)] {
            let fee = fee(one, on).unwrap();
            assert!(fee >= one.min || one.max.is_some_and(|max| max < one.min), "{}", reported());
            assert!(one.max.is_none_or(|max| fee <= max) && !fee.is_negative(), "{}", reported());
            held += u64::from(one.max == Some(fee) || (one.min == fee && one.min.is_positive()));
        }
        match charge(input) {
            Ok(done) => {
                charged += 1;
                assert_eq!(
                    [done.fee.get(), done.platform_fee.get(), done.fx_upcharge.get()],
                    [parts[0], parts[1], upcharge],
                    "{}",
                    reported()
                );
                assert_eq!(done.total.get(), total, "{}", reported());
                let user_fee = if party == Party::User { total } else { 0 };
                assert_eq!(done.user_fee.get(), user_fee, "{}", reported());
                assert_eq!(done.payout_amount.get(), amount.get() - user_fee, "{}", reported());
                assert!(done.payout_amount.is_positive() && done.payout_amount <= amount, "{}", reported());
            }
            Err(FeeRefusal::FeesExceedAmount { .. }) => {
                eaten_up += 1;
                assert!(party == Party::User && total > amount.get(), "{}", reported());
            }
            Err(FeeRefusal::FeesTakeAll { .. }) => {
                eaten_up += 1;
                assert!(party == Party::User && total == amount.get(), "{}", reported());
            }
            Err(other) => panic!("{other}: {}", reported()),
        }
    }
    // The cases must be of all kinds, or they would prove little.
    assert!(charged > 500_000 && eaten_up > 50_000 && on_whole_dollars > 50_000 && held > 50_000);
}

#[test]
fn money_is_changed_exactly_and_rounded_once() {
    let mut lot = Lot(7);
    let currencies = ["EUR", "JPY", "KWD", "BHD", "CLP", "KRW", "GBP", "MXN", "INR"];
    for _ in 0..100_000 {
        let currency = of(&currencies, &mut lot);
        let on = of(&[date(2025, 6, 1), date(2026, 3, 2), date(2026, 12, 1)], &mut lot);
        let rate = rate(currency, on).unwrap();
        let amount = lot.amount();
        let minor = Decimal::from(10_u64.pow(rate.minor_digits));
        let exact = Decimal::from(amount.get()) / Decimal::ONE_HUNDRED * rate.per_dollar * minor;
        let rounded = exact.round_dp_with_strategy(0, RoundingStrategy::MidpointNearestEven);
        assert_eq!(Decimal::from(rate.convert(amount).unwrap()), rounded, "{amount} in {currency}");
    }
}

/// The negative control: a fee that is rounded twice is found.
#[test]
fn a_fee_that_is_rounded_twice_is_another() {
    let schedule = Schedule { fixed: Cents::new(25), percent: Percent::basis_points(500), ..Schedule::FREE };
    let twice = 25 + fee(&Schedule { fixed: Cents::ZERO, ..schedule }, Cents::new(30)).unwrap().get();
    assert_ne!(twice, fee_by_decimals(&schedule, Cents::new(30)));
    assert_eq!(fee(&schedule, Cents::new(30)).unwrap().get(), fee_by_decimals(&schedule, Cents::new(30)));
}
