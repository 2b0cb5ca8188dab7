//! `bursar verify`: checks all stored invariants in one read-only pass over one consistent state, while the server runs
//! (docs/decisions.md 15).
//!
//! The checks are pure functions of their nouns; this module passes them the rows. The simulator runs the same pass
//! from time to time.

mod answers;
mod bank_files;
mod bank_intake;
mod bank_set_up;
mod bank_statements;
mod contents;
mod day_sums;
mod groups;
mod held;

mod history;
mod link_jobs;
mod rail_payments;
mod report;
mod tax_sums;

pub use contents::{Contents, LastEvent};
pub use report::Report;

use std::collections::{HashMap, HashSet};

use crate::apps::limit_days::LimitDay;
use crate::apps::{self, keys};
use crate::chain::{Anchor, ChainKey};
use crate::funding::{self, Debt};
use crate::ledger::verify::{Checker, Finding};
use crate::ledger::wallet_funding::WalletFunding;
use crate::ledger::{Hold, LedgerAccount, LedgerBook, Transaction};
use crate::payables::{self, Payable};
use crate::payout_link_batches::rules::Tally;
use crate::payout_link_batches::{BatchRow, PayoutLinkBatch};
use crate::payout_links::PayoutLink;
use crate::payout_methods::PayoutMethod;
use crate::payout_requests::{self, PayoutRequest};
use crate::payouts::LinkSums;
use crate::store::{Reads, Snapshot, StoreError};
use crate::transfers::{Debit, Transfer};
use crate::users::{AppUser, TaxYear};
use crate::world::Key;
use crate::world::record::key;
use day_sums::DaySums;
use groups::together;
use tax_sums::TaxSums;

/// Checks the ledgers, the event logs and the related rows of all organizations. Without the key of the history, it
/// checks that logs have no gap and end at their heads, and not their links.
///
/// # Errors
///
/// The store cannot be read, or has an invalid row.
pub fn verify(reads: &Reads) -> Result<Report, StoreError> {
    run(reads, None, &[])
}

/// Checks the links of the history too, which must contain these anchors.
///
/// # Errors
///
/// The store cannot be read, or has an invalid row.
pub fn verify_history(reads: &Reads, chain: &ChainKey, anchors: &[Anchor]) -> Result<Report, StoreError> {
    run(reads, Some(chain), anchors)
}

fn run(reads: &Reads, chain: Option<&ChainKey>, anchors: &[Anchor]) -> Result<Report, StoreError> {
    reads.snapshot(|snapshot| {
        let mut report = Report::default();
        report.findings = check_books(snapshot, &mut report)?;
        let broken = history::check(snapshot, chain, anchors, &mut report)?;
        report.findings.extend(broken);
        let wrong = check_requests(snapshot, &mut report)?;
        report.findings.extend(wrong);
        let broken = check_payables(snapshot, &mut report)?;
        report.findings.extend(broken);
        report.findings.extend(check_sums(snapshot)?);
        report.findings.extend(check_links(snapshot)?);
        report.findings.extend(check_profiles(snapshot)?);
        report.findings.extend(check_keys(snapshot)?);
        report.findings.extend(bank_set_up::check(snapshot)?);
        report.findings.extend(rail_payments::check(snapshot)?);
        report.findings.extend(of_banks(snapshot)?);
        report.findings.extend(answers::check(snapshot)?);
        report.findings.extend(link_jobs::check(snapshot)?);
        let wrong = check_batches(snapshot, &mut report)?;
        report.findings.extend(wrong);
        Ok(report)
    })
}

/// Checks the files, entries, reports and statements of banks (invariants 38 to 44, 63 and 64) alone.
///
/// # Errors
///
/// The store cannot be read, or has an invalid row.
pub fn check_banks(reads: &Reads) -> Result<Vec<Finding>, StoreError> {
    reads.snapshot(of_banks)
}

fn of_banks(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let mut findings = bank_files::check(snapshot)?;
    findings.extend(bank_intake::check(snapshot)?);
    findings.extend(bank_statements::check(snapshot)?);
    Ok(findings)
}

fn check_books(snapshot: &Snapshot<'_>, report: &mut Report) -> Result<Vec<Finding>, StoreError> {
    let mut checker = Checker::default();
    snapshot.each::<LedgerBook>(|book| {
        checker.book(book);
        Ok(())
    })?;
    snapshot.each::<LedgerAccount>(|account| {
        report.accounts += 1;
        checker.account(account);
        Ok(())
    })?;
    snapshot.each::<Transaction>(|transaction| {
        report.transactions += 1;
        report.entries += 2;
        checker.transaction(transaction);
        Ok(())
    })?;
    snapshot.each::<Hold>(|hold| {
        report.holds += 1;
        checker.hold(hold);
        Ok(())
    })?;
    let mut findings = checker.findings();
    findings.extend(check_held(snapshot)?);
    Ok(findings)
}

/// Checks that the collected money of an app is the sum of its held payments (invariant 3).
fn check_held(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let mut held = held::Held::default();
    snapshot.each::<LedgerAccount>(|account| {
        held.account(account);
        Ok(())
    })?;
    together::<Debit>(snapshot, |debits| {
        let keys: Vec<Key> = debits.iter().map(|debit| key![debit.org, debit.id]).collect();
        for (debit, payment) in debits.iter().zip(snapshot.get_all::<Transfer>(&keys)?) {
            held.debit(debit, payment.as_deref());
        }
        Ok(())
    })?;
    Ok(held.findings())
}

/// Checks that an approved request has exactly one link, any other none (invariant 13).
fn check_requests(snapshot: &Snapshot<'_>, report: &mut Report) -> Result<Vec<Finding>, StoreError> {
    let (mut findings, mut made) = (Vec::new(), HashSet::new());
    snapshot.each::<PayoutRequest>(|request| {
        report.payout_requests += 1;
        let link = match request.payout_link {
            Some(link) => snapshot.get::<PayoutLink>(&key![request.org, link])?,
            None => None,
        };
        let what = payout_requests::rules::contradiction(request, link.as_deref()).or_else(|| {
            let shared = link.is_some_and(|link| !made.insert((link.org, link.id)));
            shared.then_some("its link was created by another request")
        });
        findings.extend(what.map(|what| {
            let place = format!("payout request {}", request.id);
            Finding { invariant: 13, what: what.to_owned(), place }
        }));
        Ok(())
    })?;
    Ok(findings)
}

/// Checks that payables are paid at most once, on the approved terms (invariant 12).
fn check_payables(snapshot: &Snapshot<'_>, report: &mut Report) -> Result<Vec<Finding>, StoreError> {
    let mut checker = payables::verify::Checker::default();
    snapshot.each::<Payable>(|payable| {
        report.payables += 1;
        let attempts = payable.transfer_history.0.iter();
        let transfers = attempts.map(|attempt| snapshot.get::<Transfer>(&key![payable.org, attempt.transfer]));
        checker.payable(payable, &transfers.collect::<Result<Vec<_>, _>>()?);
        Ok(())
    })?;
    snapshot.each::<Transfer>(|transfer| {
        checker.transfer(transfer);
        Ok(())
    })?;
    Ok(checker.findings())
}

/// Checks stored sums: of a day's movements, which limits use; of a tax year, which is reported; of an app's debts,
/// which must be paid.
fn check_sums(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let (mut days, mut years) = (DaySums::default(), TaxSums::default());
    let mut wallets = funding::verify::Checker::default();
    snapshot.each::<Transfer>(|transfer| {
        days.transfer(transfer);
        years.transfer(transfer);
        wallets.transfer(transfer);
        Ok(())
    })?;
    snapshot.each::<LimitDay>(|day| {
        days.day(day);
        Ok(())
    })?;
    snapshot.each::<TaxYear>(|year| {
        years.year(year);
        Ok(())
    })?;
    snapshot.each::<Debt>(|debt| {
        wallets.debt(debt);
        Ok(())
    })?;
    snapshot.each::<WalletFunding>(|watch| {
        wallets.watch(watch);
        Ok(())
    })?;
    let year = |(app, user, year, reported, sum)| Finding {
        invariant: 3,
        what: format!("records {reported} cents; its transfers sum to {sum}"),
        place: format!("tax year {year} of user {user} with app {app}"),
    };
    let wrong = days.findings().chain(years.wrong().into_iter().map(year));
    Ok(wrong.chain(wallets.findings()).collect())
}

/// Checks the sum of payouts in each link, which limits further payouts. Checks also that each transfer on its way is
/// stored under its user, so that an erasure of the user finds it.
fn check_links(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let (mut sums, mut findings) = (LinkSums::default(), Vec::new());
    snapshot.each::<Transfer>(|transfer| {
        sums.transfer(transfer);
        if transfer.under_way_of != transfer.whose_while_under_way() {
            let place = format!("transfer {}", transfer.id);
            findings.push(Finding {
                invariant: 5,
                what: "is in progress but is not indexed under its owner".to_owned(),
                place,
            });
        }
        Ok(())
    })?;
    snapshot.each::<PayoutLink>(|link| {
        sums.link(link);
        Ok(())
    })?;
    let wrong = sums.wrong().map(|(link, lacks)| Finding {
        invariant: 3,
        what: format!("misses {lacks} cents of its payouts"),
        place: format!("payout link {link}"),
    });
    findings.extend(wrong);
    Ok(findings)
}

/// Checks that a profile's default method belongs to the same app and user.
fn check_profiles(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let mut findings = Vec::new();
    together::<AppUser>(snapshot, |profiles| {
        let named = profiles.iter().filter_map(|profile| Some((profile, profile.default_payout_method?)));
        let named: Vec<_> = named.collect();
        let keys: Vec<Key> = named.iter().map(|(profile, method)| key![profile.org, *method]).collect();
        for ((profile, _), method) in named.iter().zip(snapshot.get_all::<PayoutMethod>(&keys)?) {
            if !method.is_some_and(|method| profile.owns(&method)) {
                findings.push(Finding {
                    invariant: Finding::UNNUMBERED,
                    what: "the default payout method does not belong to this app and user".to_owned(),
                    place: format!("profile of user {} with app {}", profile.user_id, profile.app),
                });
            }
        }
        Ok(())
    })?;
    Ok(findings)
}

/// Checks that a key opens what its prefix says: an app's key must not become the organization's (invariant 31).
fn check_keys(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let mut findings = Vec::new();
    snapshot.each::<apps::Key>(|key| {
        if !keys::agrees(&key.client_id, key.app) {
            let what = "opens another resource than its prefix says".to_owned();
            findings.push(Finding { invariant: 31, what, place: format!("key {}", key.client_id) });
        }
        Ok(())
    })?;
    Ok(findings)
}

/// Checks that each row of a batch has at most one link, and that no submitted row is missing (invariant 11).
fn check_batches(snapshot: &Snapshot<'_>, report: &mut Report) -> Result<Vec<Finding>, StoreError> {
    let mut tallies: HashMap<_, Tally> = HashMap::new();
    let mut findings = Vec::new();
    let mut find = |what: &str, place: String| findings.push(Finding { invariant: 11, what: what.to_owned(), place });
    snapshot.each::<BatchRow>(|row| {
        report.batch_rows += 1;
        let link = match row.payout_link {
            Some(link) => snapshot.get::<PayoutLink>(&key![row.org, link])?,
            None => None,
        };
        let tally = tallies.entry((row.org, row.batch)).or_default();
        if let Some(what) = tally.row(row, link.as_deref()) {
            find(what, format!("row {} of payout link batch {}", row.number, row.batch));
        }
        Ok(())
    })?;
    snapshot.each::<PayoutLinkBatch>(|batch| {
        let tally = tallies.remove(&(batch.org, batch.id)).unwrap_or_default();
        if let Some(what) = tally.contradiction(batch) {
            find(what, format!("payout link batch {}", batch.id));
        }
        Ok(())
    })?;
    for (_, id) in tallies.into_keys() {
        find("has rows but does not exist", format!("payout link batch {id}"));
    }
    Ok(findings)
}

#[cfg(test)]
mod event_tests;
#[cfg(test)]
mod tests;
