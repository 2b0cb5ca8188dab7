//! Checks a ledger row by row. Pure: its caller passes the rows, in the order of the functions below.
//!
//! It trusts no stored value: it computes balances, counts and numbers again from the entries. It keeps one line for
//! each ledger account in memory, never the entries.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::account::LedgerAccountKind;
use super::model::{Entry, Hold, HoldState, LedgerAccount, LedgerBook, Transaction};
use crate::ids::{AppId, LedgerAccountId, OrgId, PostingId};

/// A violation that a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The number of the broken invariant in docs/internals/reliability.md, or [`Self::UNNUMBERED`].
    pub invariant: u8,
    pub what: String,
    #[serde(rename = "where")]
    pub place: String,
}

impl Finding {
    /// Replaces the number if the rule is none of the numbered invariants, or if the program reports its own bug. The
    /// text names the rule.
    pub const UNNUMBERED: u8 = 0;
}

/// A ledger account: its row, and the sums of its entries.
struct Seen {
    account: LedgerAccount,
    /// The sum of the entries so far, in 128 bits so that it cannot overflow.
    sum: i128,
    entries: i64,
    /// The posting of the last entry: a wallet is checked after its posting.
    posting: Option<PostingId>,
}

#[derive(Default)]
pub struct Checker {
    books: BTreeMap<OrgId, LedgerBook>,
    opened: BTreeMap<OrgId, i64>,
    accounts: HashMap<(OrgId, LedgerAccountId), Seen>,
    last_number: BTreeMap<OrgId, i64>,
    /// Sums of the entries of each part of a ledger, which must be zero.
    sums: BTreeMap<(OrgId, Option<AppId>), i128>,
    /// The sum of each app's open holds, less its held balance.
    held: BTreeMap<(OrgId, AppId), i128>,
    findings: Vec<Finding>,
}

impl Checker {
    /// Takes the heads of all ledgers, first.
    pub fn book(&mut self, book: &LedgerBook) {
        self.books.insert(book.org, book.clone());
    }

    /// Takes every ledger account, second.
    pub fn account(&mut self, account: &LedgerAccount) {
        *self.opened.entry(account.org).or_default() += 1;
        if account.balance.is_negative() && !account.kind.may_go_below_zero() {
            let what = format!("{} is below zero: {}", account.name(), account.balance.dollars());
            self.find(4, what, account_row(account.id));
        }
        let seen = Seen { account: account.clone(), sum: 0, entries: 0, posting: None };
        self.accounts.insert((account.org, account.id), seen);
    }

    /// Takes every transaction, by number, third.
    pub fn transaction(&mut self, transaction: &Transaction) {
        let row = transaction_row(transaction.org, transaction.number);
        let last = self.last_number.insert(transaction.org, transaction.number).unwrap_or(0);
        if transaction.number != last + 1 {
            self.find(2, format!("transactions are missing: the previous number is {last}"), row.clone());
        }
        if !transaction.amount.is_positive() {
            self.find(1, format!("moves {} cents", transaction.amount), row.clone());
        }
        if transaction.source == transaction.destination {
            self.find(1, "moves money within one ledger account".to_owned(), row.clone());
        }
        for entry in transaction.entries() {
            let within = self.accounts.get(&(transaction.org, entry.account)).map(|seen| seen.account.app);
            if within.is_some_and(|app| app != transaction.app) {
                self.find(1, format!("crosses the boundary of its ledger, to {}", entry.account), row.clone());
            }
            self.entry(transaction, entry);
        }
    }

    fn entry(&mut self, of: &Transaction, entry: Entry) {
        let wrong = match self.accounts.get_mut(&(of.org, entry.account)) {
            None => Some((3, "its ledger account does not exist".to_owned())),
            Some(seen) => {
                *self.sums.entry((of.org, seen.account.app)).or_default() += i128::from(entry.amount.get());
                seen.follow(entry, of.posting)
            }
        };
        if let Some((invariant, what)) = wrong {
            self.find(invariant, what, format!("entry {} of ledger account {}", entry.number, entry.account));
        }
    }

    /// Takes every hold, last.
    pub fn hold(&mut self, hold: &Hold) {
        let row = format!("hold {}", hold.id);
        let open = match hold.state {
            HoldState::Open => true,
            HoldState::Captured | HoldState::Released => false,
        };
        if open == hold.closed_at.is_some() {
            self.find(7, format!("is {}, which contradicts its closing time", hold.state), row);
        }
        if open {
            *self.held.entry((hold.org, hold.app)).or_default() += i128::from(hold.amount.get());
        }
    }

    /// Returns the findings by invariant, then by row.
    pub fn findings(mut self) -> Vec<Finding> {
        for ((org, app), sum) in std::mem::take(&mut self.sums) {
            if sum != 0 {
                let part = app.map_or("the organization's own ledger accounts".to_owned(), |app| format!("app {app}"));
                self.find(1, format!("{part} sums to {sum} cents"), format!("ledger of organization {org}"));
            }
        }
        self.compare_accounts();
        self.compare_books();
        for ((_, app), held) in std::mem::take(&mut self.held) {
            if held != 0 {
                let what = format!("open holds exceed the app's held balance by {held} cents");
                self.find(7, what, format!("app {app}"));
            }
        }
        self.findings.sort_by(|a, b| (a.invariant, &a.place, &a.what).cmp(&(b.invariant, &b.place, &b.what)));
        self.findings
    }

    /// Compares each account's row with its entries, and subtracts held balances from the sums of holds.
    fn compare_accounts(&mut self) {
        for seen in std::mem::take(&mut self.accounts).into_values() {
            let Seen { account, sum, entries, .. } = seen;
            if i128::from(account.balance.get()) != sum || account.entries != entries {
                let (balance, count) = (account.balance, account.entries);
                let what = format!(
                    "records {balance} cents in {count} entries; its entries sum to {sum} cents in \
                                    {entries}"
                );
                self.find(3, what, account_row(account.id));
            }
            if let (LedgerAccountKind::AppHeld, Some(app)) = (account.kind, account.app) {
                *self.held.entry((account.org, app)).or_default() -= i128::from(account.balance.get());
            }
        }
    }

    /// Compares the head of each ledger with the counts.
    fn compare_books(&mut self) {
        let books = std::mem::take(&mut self.books);
        for org in self.last_number.keys().filter(|org| !books.contains_key(org)).copied().collect::<Vec<_>>() {
            self.find(2, "has transactions but no row of its own".to_owned(), format!("ledger of organization {org}"));
        }
        for (org, book) in books {
            let last = self.last_number.get(&org).copied().unwrap_or(0);
            let opened = self.opened.get(&org).copied().unwrap_or(0);
            if (book.last_number, book.accounts) != (last, opened) {
                let (numbers, accounts) = (book.last_number, book.accounts);
                let what = format!("counts {numbers} transactions and {accounts} accounts; it has {last} and {opened}");
                self.find(2, what, format!("ledger of organization {org}"));
            }
        }
    }

    fn find(&mut self, invariant: u8, what: String, place: String) {
        self.findings.push(Finding { invariant, what, place });
    }
}

impl Seen {
    /// Adds the account's next entry, and returns its fault.
    fn follow(&mut self, entry: Entry, posting: PostingId) -> Option<(u8, String)> {
        let before = self.sum;
        let over = self.posting.replace(posting).is_some_and(|last| last != posting);
        self.sum += i128::from(entry.amount.get());
        self.entries += 1;
        if self.sum != i128::from(entry.balance_after.get()) {
            let (after, sum) = (entry.balance_after, self.sum);
            return Some((3, format!("records a balance of {after} cents after it; the entries sum to {sum}")));
        }
        // Within a posting money may pass through an empty wallet; between two it may not.
        if over && before < 0 && !self.account.kind.may_go_below_zero() {
            return Some((4, format!("found the wallet at {before} cents")));
        }
        None
    }
}

fn account_row(id: LedgerAccountId) -> String {
    format!("ledger account {id}")
}

fn transaction_row(org: OrgId, number: i64) -> String {
    format!("transaction {number} of organization {org}")
}
