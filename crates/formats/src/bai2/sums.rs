//! Sums and counts: what a trailer must state, and whether the balances agree with the transactions.

use super::codes::{CLOSING, OPENING, Sense, TOTAL_CREDITS, TOTAL_DEBITS};
use super::model::Account;
use super::records::Record;
use super::rules;
use crate::finding::{Findings, Rule};

/// Sums and counts of one level while it is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Level {
    pub total: i128,
    pub children: u64,
    pub records: u64,
}

impl Level {
    pub fn child(&mut self, child: &Self) {
        self.total += child.total;
        self.children += 1;
    }

    /// The values in the order of the trailers 98 and 99.
    pub fn compared(&self) -> [i128; 3] {
        [self.total, i128::from(self.children), i128::from(self.records)]
    }
}

/// The fields of a trailer with their rules.
type Compared = [(&'static str, &'static Rule); 3];

pub const OF_ACCOUNT: Compared = [
    ("control total", &rules::ACCOUNT_TOTAL),
    ("number of records", &rules::ACCOUNT_RECORDS),
    ("", &rules::ACCOUNT_RECORDS),
];
pub const OF_GROUP: Compared = [
    ("control total", &rules::GROUP_TOTAL),
    ("number of accounts", &rules::GROUP_ACCOUNTS),
    ("number of records", &rules::GROUP_RECORDS),
];
pub const OF_FILE: Compared = [
    ("control total", &rules::FILE_TOTAL),
    ("number of groups", &rules::FILE_GROUPS),
    ("number of records", &rules::FILE_RECORDS),
];

/// Checks that the transactions lead from the opening to the closing balance, and the totals of both sides.
pub fn check_balance(account: &Account, trailer: &Record, findings: &mut Findings) {
    let (credits, debits) = (account.sum(Sense::Credit), account.sum(Sense::Debit));
    let place = trailer.place("");
    if let (Some(opening), Some(closing)) = (account.summary(OPENING), account.summary(CLOSING)) {
        let expected = i128::from(opening) + credits - debits;
        if i128::from(closing) != expected {
            let rule = if account.details.is_empty() { &rules::NO_DETAILS } else { &rules::BALANCE };
            let message = format!("The closing balance is {closing}; opening and transactions give {expected}.");
            findings.add(rule, place, message);
        }
    }
    // Without transactions the totals are all that the bank sends.
    if account.details.is_empty() {
        return;
    }
    for (code, sum) in [(TOTAL_CREDITS, credits), (TOTAL_DEBITS, debits)] {
        if let Some(stated) = account.summary(code)
            && i128::from(stated) != sum
        {
            let message = format!("Type {code} states {stated}, and the transactions give {sum}.");
            findings.add(&rules::SUM, place, message);
        }
    }
}
