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

/// Breaks one thing on purpose. The simulation must find it, and name the invariant that it breaks.
fn is_found(sabotage: Sabotage, invariant: u8) {
    is_found_from(7, sabotage, invariant);
}

fn is_found_from(seed: u64, sabotage: Sabotage, invariant: u8) {
    let Err(violation) = run(seed, 40_000, sabotage) else { panic!("{sabotage:?} went unnoticed") };
    assert_eq!(violation.finding.invariant, invariant, "{sabotage:?}: {violation}");
}

#[test]
fn what_is_broken_on_purpose_is_found() {
    is_found(Sabotage::RailTakesTwice, 6);
    is_found(Sabotage::OneDeliveryTooMany, 10);
    is_found(Sabotage::LazyStore, 19);
    is_found(Sabotage::LostEvents, 14);
    is_found(Sabotage::StaleLeases, 17);
    is_found(Sabotage::ForgottenLinks, 13);
    is_found(Sabotage::DeniedRows, 11);
    is_found(Sabotage::CarrierDenies, 10);
    is_found(Sabotage::PagesByCount, 18);
    is_found(Sabotage::UnfundedLinks, 9);
    is_found(Sabotage::ForgottenApprovals, 12);
    is_found(Sabotage::WrongBalances, 3);
    is_found(Sabotage::ReopenedHolds, 7);
    is_found(Sabotage::ForgottenAnswers, 8);
    is_found(Sabotage::BrokenChain, 15);
    is_found(Sabotage::CrossedTenants, 16);
}

#[test]
fn jobs_that_get_lost_are_missed_at_the_end() {
    let Err(violation) = run(7, 2_000, Sabotage::LostJobs) else { panic!("lost jobs went unnoticed") };
    assert_eq!(violation.finding.invariant, 20, "{violation}");
}

// These take money, people or days to come together first, and most of the time: they run side by side.

#[test]
fn accounts_that_are_paid_to_before_they_rested_are_found() {
    is_found_from(9, Sabotage::RestlessAccounts, 12);
}

#[test]
fn debts_that_are_forgotten_are_found() {
    is_found(Sabotage::ForgottenDebts, 5);
}

#[test]
fn reviews_that_are_forgotten_are_found() {
    is_found(Sabotage::ForgottenReviews, Finding::UNNUMBERED);
}

#[test]
fn years_that_are_forgotten_are_found() {
    // With this seed the look through the books, every 4,000 steps, comes before any payee who reaches the threshold.
    is_found(Sabotage::ForgottenTaxYears, 3);
}
