//! `bursar verify`: checks everything that stored data can show, in one read-only pass over one consistent
//! state, while the server runs (decisions.md 15).
//!
//! The checks themselves are pure and stand with their nouns; this module shows them the rows. The simulator
//! runs the same pass after each of its steps.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::events::{self, Event, EventStream};
use crate::funding::{self, Debt};
use crate::ids::{AppId, LedgerAccountId, OrgId};
use crate::ledger::verify::{Checker, Finding};
use crate::ledger::watch::WalletWatch;
use crate::ledger::{Entry, Hold, LedgerAccount, LedgerBook, Transaction};
use crate::payables::{self, Payable};
use crate::payout_link_batches::rules::Tally;
use crate::payout_link_batches::{BatchRow, PayoutLinkBatch};
use crate::payout_links::PayoutLink;
use crate::payout_requests::{self, PayoutRequest};
use crate::payouts::{DaySums, LinkSums, PayoutDay, TaxSums};
use crate::store::{Reads, Snapshot, StoreError};
use crate::transfers::Transfer;
use crate::users::TaxYear;
use crate::world::record::key;
use crate::world::{Record, Row};

/// Records that are looked at together.
const TOGETHER: usize = 500;

/// What was looked at and what was found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Ledger accounts.
    pub accounts: u64,
    /// Transactions.
    pub transactions: u64,
    /// Entries.
    pub entries: u64,
    /// Holds.
    pub holds: u64,
    /// Events.
    pub events: u64,
    /// Payout requests.
    pub payout_requests: u64,
    /// Payables.
    pub payables: u64,
    /// Rows of payout link batches.
    pub batch_rows: u64,
    /// What must not be, by invariant. Empty when all is well.
    pub findings: Vec<Finding>,
}

/// Checks the books, the event logs and what must go together of all organizations.
///
/// # Errors
/// When the store cannot be read, or holds a row that makes no sense.
pub fn verify(reads: &Reads) -> Result<Report, StoreError> {
    reads.snapshot(|snapshot| {
        let mut report = Report::default();
        report.findings = check_books(snapshot, &mut report)?;
        let broken = check_events(snapshot, &mut report)?;
        report.findings.extend(broken);
        let wrong = check_requests(snapshot, &mut report)?;
        report.findings.extend(wrong);
        let broken = check_payables(snapshot, &mut report)?;
        report.findings.extend(broken);
        report.findings.extend(check_sums(snapshot)?);
        report.findings.extend(check_links(snapshot)?);
        let wrong = check_batches(snapshot, &mut report)?;
        report.findings.extend(wrong);
        Ok(report)
    })
}

/// Shows every record of a kind, many at a time: what they are held against is looked up for all of them at once,
/// because over a server each question costs a round trip. Gives how many there are.
fn together<R: Record>(
    snapshot: &Snapshot<'_>,
    mut look: impl FnMut(&[R]) -> Result<(), StoreError>,
) -> Result<u64, StoreError> {
    let (mut some, mut seen) = (Vec::with_capacity(TOGETHER), 0);
    snapshot.each::<R>(|record| {
        seen += 1;
        some.push(record.clone());
        if some.len() < TOGETHER {
            return Ok(());
        }
        look(&std::mem::replace(&mut some, Vec::with_capacity(TOGETHER)))
    })?;
    look(&some)?;
    Ok(seen)
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
    report.transactions = together::<Transaction>(snapshot, |transactions| {
        let entries = |place: fn(&Transaction) -> LedgerAccountId| {
            let keys = transactions.iter().map(|one| key![one.org, place(one), one.number]);
            snapshot.get_all::<Entry>(&keys.collect::<Vec<_>>())
        };
        let (left, arrived) = (entries(|one| one.source)?, entries(|one| one.destination)?);
        for (transaction, (left, arrived)) in transactions.iter().zip(left.iter().zip(&arrived)) {
            checker.transaction(transaction, left.as_deref(), arrived.as_deref());
        }
        Ok(())
    })?;
    report.entries = together::<Entry>(snapshot, |entries| {
        let keys: Vec<Row> = entries.iter().map(|entry| key![entry.org, entry.number]).collect();
        for (entry, transaction) in entries.iter().zip(snapshot.get_all::<Transaction>(&keys)?) {
            checker.entry(entry, transaction.as_deref());
        }
        Ok(())
    })?;
    snapshot.each::<Hold>(|hold| {
        report.holds += 1;
        checker.hold(hold);
        Ok(())
    })?;
    Ok(checker.findings())
}

/// An approved request has made exactly one link, any other none (invariant 13).
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
            shared.then_some("its link was made by another request")
        });
        findings.extend(what.map(|what| {
            let place = format!("payout request {}", request.id);
            Finding { invariant: 13, what: what.to_owned(), place }
        }));
        Ok(())
    })?;
    Ok(findings)
}

/// Payables are paid at most once, as they were approved (invariant 12).
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

/// What stands for a sum is that sum. Of a day's payouts: else a limit would let too much go, or too little. Of a tax
/// year: else too much or too little would be reported. Of what an app owes: else a debt would never be covered.
fn check_sums(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let (mut days, mut years) = (DaySums::default(), TaxSums::default());
    let mut wallets = funding::verify::Checker::default();
    snapshot.each::<Transfer>(|transfer| {
        days.transfer(transfer);
        years.transfer(transfer);
        wallets.transfer(transfer);
        Ok(())
    })?;
    snapshot.each::<PayoutDay>(|day| {
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
    snapshot.each::<WalletWatch>(|watch| {
        wallets.watch(watch);
        Ok(())
    })?;
    let day = |(app, day, lacks)| Finding {
        invariant: 3,
        what: format!("lacks {lacks} cents of its payouts"),
        place: format!("payouts of app {app} on {day}"),
    };
    let year = |(app, user, year, told, sum)| Finding {
        invariant: 3,
        what: format!("says {told} cents; its transfers say {sum}"),
        place: format!("tax year {year} of user {user} with app {app}"),
    };
    let wrong = days.wrong().map(day).chain(years.wrong().into_iter().map(year));
    Ok(wrong.chain(wallets.findings()).collect())
}

/// What stands in a link is what its payouts took: else a payee could take more, or is told that less is left. And a
/// transfer that is under way is found under whom it concerns: else its money would be forgotten with the user.
fn check_links(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let (mut sums, mut findings) = (LinkSums::default(), Vec::new());
    snapshot.each::<Transfer>(|transfer| {
        sums.transfer(transfer);
        if transfer.under_way_of != transfer.whose_while_under_way() {
            let place = format!("transfer {}", transfer.id);
            findings.push(Finding { invariant: 5, what: "is not found while it is under way".to_owned(), place });
        }
        Ok(())
    })?;
    snapshot.each::<PayoutLink>(|link| {
        sums.link(link);
        Ok(())
    })?;
    let wrong = sums.wrong().map(|(link, lacks)| Finding {
        invariant: 3,
        what: format!("lacks {lacks} cents of its payouts"),
        place: format!("payout link {link}"),
    });
    findings.extend(wrong);
    Ok(findings)
}

/// Each row of a batch has made at most one link, and there are as many rows as were submitted (invariant 11).
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
        find("has rows and is not there", format!("payout link batch {id}"));
    }
    Ok(findings)
}

/// The end of an app's log as far as its events were seen.
struct LogEnd {
    org: OrgId,
    app: AppId,
    sequence: i64,
    hash: Vec<u8>,
}

fn check_events(snapshot: &Snapshot<'_>, report: &mut Report) -> Result<Vec<Finding>, StoreError> {
    let mut findings = Vec::new();
    let mut ends: Vec<LogEnd> = Vec::new();
    snapshot.each::<Event>(|event| {
        report.events += 1;
        if ends.last().is_none_or(|end| (end.org, end.app) != (event.org, event.app)) {
            ends.push(LogEnd { org: event.org, app: event.app, sequence: 0, hash: Vec::new() });
        }
        if let Some(end) = ends.last_mut() {
            findings.extend(follow(end, event));
        }
        Ok(())
    })?;
    let mut streams = 0;
    snapshot.each::<EventStream>(|stream| {
        streams += 1;
        let end = ends.iter().find(|end| (end.org, end.app) == (stream.org, stream.app));
        // A log may be listened to before it has an event.
        let ended = end.map_or((0, [].as_slice()), |end| (end.sequence, end.hash.as_slice()));
        if ended != (stream.sequence, stream.hash.as_slice()) {
            let what = "the log does not end where its head says".to_owned();
            findings.push(Finding { invariant: 14, what, place: format!("log of app {}", stream.app) });
        }
        Ok(())
    })?;
    if streams < ends.len() {
        let what = format!("{} logs have no head", ends.len() - streams);
        findings.push(Finding { invariant: 14, what, place: "event_streams".to_owned() });
    }
    Ok(findings)
}

/// Takes in the next event of a log, and says what is wrong with it.
fn follow(end: &mut LogEnd, event: &Event) -> Option<Finding> {
    let place = format!("event {} of app {}", event.sequence, event.app);
    let gap = event.sequence != end.sequence + 1;
    let linked = events::link(&end.hash, event) == event.hash;
    end.sequence = event.sequence;
    end.hash.clone_from(&event.hash);
    if gap {
        return Some(Finding { invariant: 14, what: "the events before it are missing".to_owned(), place });
    }
    (!linked).then(|| Finding { invariant: 15, what: "was changed, or one before it was".to_owned(), place })
}

#[cfg(test)]
mod tests;
