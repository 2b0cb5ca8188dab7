//! The simulator repeats itself, finds no fault in the product, and finds each deliberate fault.

use super::*;
use crate::ledger::verify::Finding;

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

/// Checks that the simulation finds the fault, under the invariant that it breaks.
fn is_found(sabotage: Sabotage, invariant: u8) {
    let Err(violation) = run(7, 40_000, sabotage) else { panic!("{sabotage:?} went unnoticed") };
    assert_eq!(violation.finding.invariant, invariant, "{sabotage:?}: {violation}");
}

/// Checks a fault that needs a rare combination: some of these seeds reach it.
fn is_found_with_one_seed(sabotage: Sabotage, invariant: u8) {
    let found = |seed| run(seed, 40_000, sabotage).is_err_and(|violation| violation.finding.invariant == invariant);
    assert!((7..27).any(found), "{sabotage:?} went unnoticed");
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
    is_found(Sabotage::ProviderDenies, 10);
    is_found(Sabotage::PagesByCount, 18);
    is_found(Sabotage::UnfundedLinks, 9);
    is_found(Sabotage::ForgottenApprovals, 12);
    is_found(Sabotage::AssertedMembers, 12);
    is_found(Sabotage::WrongBalances, 3);
    is_found(Sabotage::ReopenedHolds, 7);
    is_found(Sabotage::ForgottenAnswers, 8);
    is_found(Sabotage::BrokenChain, 15);
    is_found(Sabotage::RewrittenLedger, 15);
    is_found(Sabotage::CrossedTenants, 16);
    is_found(Sabotage::KeptFollowUps, 32);
}

/// Checks a fault in the records of a bank. The simulation finds most of them when the bank answers, days later.
fn is_found_at_a_bank(sabotage: Sabotage, invariant: u8) {
    let found = |seed| run(seed, 4_000, sabotage).is_err_and(|violation| violation.finding.invariant == invariant);
    assert!((7..27).any(found), "{sabotage:?} went unnoticed");
}

#[test]
fn payments_that_reach_a_bank_twice_or_not_at_all_are_found() {
    is_found_at_a_bank(Sabotage::SendsWithoutLook, 38);
    is_found_at_a_bank(Sabotage::SendsOtherBytes, 38);
    is_found_at_a_bank(Sabotage::EntriesInTwoFiles, 38);
    is_found_at_a_bank(Sabotage::TurnedDebits, 38);
    is_found_at_a_bank(Sabotage::SendsNothing, 5);
    is_found_at_a_bank(Sabotage::CompletesUnsent, 5);
    is_found_at_a_bank(Sabotage::ForgottenAcknowledgements, 65);
    is_found_at_a_bank(Sabotage::WaitsForNothing, 64);
}

#[test]
fn answers_of_a_bank_that_are_applied_twice_or_to_others_are_found() {
    is_found_at_a_bank(Sabotage::KnowsNamesOnly, 40);
    is_found_at_a_bank(Sabotage::MatchesByAmount, 40);
    is_found_at_a_bank(Sabotage::LostReports, 40);
    is_found_at_a_bank(Sabotage::ReadsPagesAgain, 40);
}

#[test]
fn money_at_a_bank_that_differs_from_its_statements_is_found() {
    is_found_at_a_bank(Sabotage::UnbookedNotCleared, 39);
    is_found_at_a_bank(Sabotage::MovedAtBank, 41);
    is_found_at_a_bank(Sabotage::PostsNotices, 41);
    is_found_at_a_bank(Sabotage::LinesMoveTwice, 42);
    is_found_at_a_bank(Sabotage::ForgottenSuspense, 43);
    is_found_at_a_bank(Sabotage::AppliesOverGaps, 44);
}

#[test]
fn jobs_that_get_lost_are_missed_at_the_end() {
    let Err(violation) = run(1, 2_000, Sabotage::LostJobs) else { panic!("lost jobs went unnoticed") };
    assert_eq!(violation.finding.invariant, 20, "{violation}");
}

#[test]
fn links_that_no_job_expires_are_found() {
    for sabotage in [Sabotage::LostLinkJobs, Sabotage::SkippedLinks] {
        // A link must expire before the end.
        let found = |seed| run(seed, 8_000, sabotage).is_err_and(|violation| violation.finding.invariant == 36);
        assert!((7..27).any(found), "{sabotage:?} went unnoticed");
    }
}

// These faults need money, people or days to come together, which takes long: each has its own test, to run in
// parallel.

#[test]
fn accounts_that_are_paid_to_before_they_rested_are_found() {
    is_found_with_one_seed(Sabotage::RestlessAccounts, 12);
}

#[test]
fn debts_that_are_forgotten_are_found() {
    is_found_with_one_seed(Sabotage::ForgottenDebts, 5);
}

#[test]
fn reviews_that_are_forgotten_are_found() {
    is_found(Sabotage::ForgottenReviews, Finding::UNNUMBERED);
}

#[test]
fn an_app_that_is_connected_by_naming_a_phone_is_found() {
    is_found(Sabotage::SharedPayees, Finding::UNNUMBERED);
}

#[test]
fn limits_that_are_forgotten_are_found() {
    is_found_with_one_seed(Sabotage::ForgottenLimits, 21);
}

#[test]
fn both_sides_of_what_is_limited_come_up() {
    let report = run(1, 20_000, Sabotage::None).unwrap_or_else(|violation| panic!("{violation}"));
    let missing: Vec<_> = report.reached.iter().filter(|(_, times)| **times == 0).collect();
    assert!(missing.is_empty(), "{missing:?} of {:?}", report.reached);
    let tried = |step| report.answers.keys().any(|key| key.starts_with(&format!("POST /v2/claims/{step} by a thief")));
    for step in ["contact", "code", "profile", "compliance", "method", "payout", "end"] {
        assert!(tried(step), "no thief tried the step {step}");
    }
}

#[test]
fn a_thief_who_has_the_payees_phone_too_is_found() {
    is_found(Sabotage::ThiefHasPhone, 23);
}

#[test]
fn claim_sessions_that_never_end_are_found() {
    is_found(Sabotage::EndlessSessions, 23);
}

#[test]
fn automatic_payouts_to_young_methods_are_found() {
    is_found(Sabotage::RestlessMethods, 24);
}

#[test]
fn deliveries_that_are_forgotten_are_found() {
    is_found(Sabotage::ForgottenDeliveries, 25);
}

#[test]
fn seals_that_are_moved_to_another_row_are_found() {
    is_found(Sabotage::MovedSeals, 30);
}

#[test]
fn held_payments_that_are_released_at_once_are_found() {
    let Err(violation) = run(7, 40_000, Sabotage::HastyReleases) else { panic!("hasty releases went unnoticed") };
    assert_eq!(violation.finding.invariant, 22, "{violation}");
}

#[test]
fn years_that_are_forgotten_are_found() {
    is_found_with_one_seed(Sabotage::ForgottenTaxYears, Finding::UNNUMBERED);
}
