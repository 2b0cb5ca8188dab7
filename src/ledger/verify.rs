//! Checks a book row by row. Pure: whoever has the rows shows them, in the order of the functions below.
//!
//! It trusts nothing that is stored: balances, counts and numbers are worked out again from the entries.
//! What it must remember is one line for each ledger account, never the entries.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::account::LedgerAccountKind;
use super::model::{Entry, Hold, HoldState, LedgerAccount, LedgerBook, Transaction};
use crate::ids::{AppId, LedgerAccountId, OrgId, PostingId};

/// Something that must not be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which invariant is broken, by its number in docs/internals/reliability.md, or [`Self::UNNUMBERED`].
    pub invariant: u8,
    /// What is wrong.
    pub what: String,
    /// In which row.
    #[serde(rename = "where")]
    pub place: String,
}

impl Finding {
    /// In place of a number: a rule that is none of the numbered invariants, or a bug that says so itself. What was
    /// found says which.
    pub const UNNUMBERED: u8 = 0;
}

/// What entries say of a ledger account, beside what its row says.
struct Seen {
    account: LedgerAccount,
    /// The sum of the entries so far. Wide, because the point is to find what does not fit.
    sum: i128,
    entries: i64,
    /// The posting of the last entry: a wallet counts when its posting is over.
    posting: Option<PostingId>,
}

/// See the module's comment.
#[derive(Default)]
pub struct Checker {
    books: BTreeMap<OrgId, LedgerBook>,
    opened: BTreeMap<OrgId, i64>,
    accounts: HashMap<(OrgId, LedgerAccountId), Seen>,
    last_number: BTreeMap<OrgId, i64>,
    /// Sums of the entries of each part of a book, which must be zero.
    sums: BTreeMap<(OrgId, Option<AppId>), i128>,
    /// What open holds say that an app holds.
    held: BTreeMap<(OrgId, AppId), i128>,
    findings: Vec<Finding>,
}

impl Checker {
    /// First every book.
    pub fn book(&mut self, book: &LedgerBook) {
        self.books.insert(book.org, book.clone());
    }

    /// Then every ledger account.
    pub fn account(&mut self, account: &LedgerAccount) {
        *self.opened.entry(account.org).or_default() += 1;
        if account.balance.is_negative() && !account.kind.may_go_below_zero() {
            let what = format!("{} is below zero: {}", account.name(), account.balance.dollars());
            self.find(4, what, account_row(account.id));
        }
        let seen = Seen { account: account.clone(), sum: 0, entries: 0, posting: None };
        self.accounts.insert((account.org, account.id), seen);
    }

    /// Then every transaction, in the order of numbers, with its two entries.
    pub fn transaction(&mut self, transaction: &Transaction, left: Option<&Entry>, arrived: Option<&Entry>) {
        let row = transaction_row(transaction.org, transaction.number);
        let last = self.last_number.insert(transaction.org, transaction.number).unwrap_or(0);
        if transaction.number != last + 1 {
            self.find(2, format!("transactions are missing: the previous number is {last}"), row.clone());
        }
        if !transaction.amount.is_positive() {
            self.find(1, format!("moves {} cents", transaction.amount), row.clone());
        }
        let expected = [
            (transaction.source, left, transaction.amount.get().checked_neg()),
            (transaction.destination, arrived, Some(transaction.amount.get())),
        ];
        for (account, entry, amount) in expected {
            match entry {
                None => self.find(2, format!("has no entry in ledger account {account}"), row.clone()),
                Some(entry) if Some(entry.amount.get()) != amount => {
                    let what =
                        format!("moves {} cents; its entry in {account} has {}", transaction.amount, entry.amount);
                    self.find(1, what, row.clone());
                }
                Some(_) => {}
            }
            let within = self.accounts.get(&(transaction.org, account)).map(|seen| seen.account.app);
            if within.is_some_and(|app| app != transaction.app) {
                self.find(1, format!("crosses the boundary of its ledger, to {account}"), row.clone());
            }
        }
    }

    /// Then every entry, account by account, in the order of numbers, with its transaction.
    pub fn entry(&mut self, entry: &Entry, transaction: Option<&Transaction>) {
        let row = format!("entry {} of ledger account {}", entry.number, entry.account);
        let of = transaction.filter(|of| of.source == entry.account || of.destination == entry.account);
        let mut wrong = Vec::new();
        if of.is_none() {
            wrong.push((2, "belongs to no transaction".to_owned()));
        }
        match self.accounts.get_mut(&(entry.org, entry.account)) {
            None => wrong.push((3, "its ledger account does not exist".to_owned())),
            Some(seen) => {
                *self.sums.entry((entry.org, seen.account.app)).or_default() += i128::from(entry.amount.get());
                wrong.extend(seen.follow(entry, of.map(|of| of.posting)));
            }
        }
        for (invariant, what) in wrong {
            self.find(invariant, what, row.clone());
        }
    }

    /// Then every hold.
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

    /// What is wrong, when everything was shown: by invariant, then by row.
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

    /// The row of each account against its entries; and what apps hold, for the comparison with the holds.
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

    /// The row of each book against what it counts.
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
    /// Takes in the account's next entry, and says what is wrong with it.
    fn follow(&mut self, entry: &Entry, posting: Option<PostingId>) -> Option<(u8, String)> {
        let before = self.sum;
        let over = self.posting.is_some() && self.posting != posting;
        self.sum += i128::from(entry.amount.get());
        self.entries += 1;
        self.posting = posting;
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
