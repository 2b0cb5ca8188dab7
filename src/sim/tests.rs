//! That the simulator repeats itself, finds nothing in the product, and finds what is broken on purpose.

use super::*;

fn run(seed: u64, ops: u64, sabotage: Sabotage) -> Result<Report, Box<Violation>> {
    simulate(Settings { seed, ops, sabotage }, |_| ())
}

#[test]
fn one_seed_is_one_history_and_nothing_is_wrong_in_it() {
    let first = run(7, 3_000, Sabotage::None).unwrap_or_else(|violation| panic!("{violation}"));
    let second = run(7, 3_000, Sabotage::None).unwrap_or_else(|violation| panic!("{violation}"));
    assert_eq!(first, second);
    let other = run(8, 3_000, Sabotage::None).unwrap_or_else(|violation| panic!("{violation}"));
    assert_ne!(first.state_hash, other.state_hash);
}

/// Each of these breaks one thing on purpose. The simulation must name the invariant that it breaks.
#[test]
fn what_is_broken_on_purpose_is_found() {
    for (sabotage, invariant) in [
        (Sabotage::RailTakesTwice, 6),
        (Sabotage::OneDeliveryTooMany, 10),
        (Sabotage::LazyStore, 19),
        (Sabotage::LostEvents, 14),
        (Sabotage::StaleLeases, 17),
        (Sabotage::ForgottenLinks, 13),
        (Sabotage::DeniedRows, 11),
        (Sabotage::CarrierDenies, 10),
        (Sabotage::PagesByCount, 18),
        (Sabotage::RestlessAccounts, 12),
        (Sabotage::UnfundedLinks, 9),
        (Sabotage::ForgottenDebts, 5),
        (Sabotage::ForgottenReviews, 0),
        (Sabotage::ForgottenTaxYears, 0),
        (Sabotage::ForgottenApprovals, 12),
    ] {
        let Err(violation) = run(7, 40_000, sabotage) else { panic!("{sabotage:?} went unnoticed") };
        assert_eq!(violation.finding.invariant, invariant, "{sabotage:?}: {violation}");
    }
}
