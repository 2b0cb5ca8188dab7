//! Invariant 41: the ledger's money at a bank is the closing balance of the last applied statement. 42: a payment or a
//! file is booked by one applied line, with its sum. 43: suspense is the sum of the lines in it. 44: statements are
//! applied without a gap, and their lines add up.

use std::collections::{BTreeMap, HashMap};

use super::model::{BankBalance, BankStatement, StatementStatus};
use crate::bank_files::{BankEntry, BankFile};
use crate::bank_intake::{BankItem, BookedAs, ItemKind, ItemStatus};
use crate::ids::{BankItemId, BankStatementId, OrgId, SettlementAccountId};
use crate::ledger::verify::Finding;
use crate::ledger::{LedgerAccount, LedgerAccountKind};

const AT_BANK: u8 = 41;
const BOOKED: u8 = 42;
const SUSPENSE: u8 = 43;
const ORDER: u8 = 44;

/// The lines of a statement.
#[derive(Default)]
struct Lines {
    count: i64,
    sum: i128,
    /// Lines that are neither booked nor in suspense.
    open: i64,
}

type Account = (OrgId, SettlementAccountId);

/// Compares statements, lines, files, entries and ledger accounts. Takes the lines last.
#[derive(Default)]
pub struct Checker {
    statements: BTreeMap<(OrgId, BankStatementId), (BankStatement, Lines)>,
    balances: HashMap<Account, BankBalance>,
    at_bank: BTreeMap<Account, i128>,
    suspense: BTreeMap<Account, i128>,
    /// What files and entries say that a line books: positive for debits.
    booked: HashMap<(OrgId, BankItemId), i128>,
    findings: Vec<Finding>,
}

impl Checker {
    fn find(&mut self, invariant: u8, what: impl Into<String>, place: String) {
        self.findings.push(Finding { invariant, what: what.into(), place });
    }

    pub fn statement(&mut self, statement: &BankStatement) {
        self.statements.insert((statement.org, statement.id), (statement.clone(), Lines::default()));
    }

    pub fn balance(&mut self, balance: &BankBalance) {
        self.balances.insert((balance.org, balance.settlement_account), balance.clone());
    }

    pub fn account(&mut self, account: &LedgerAccount) {
        let Some(at) = account.settlement_account else { return };
        let (key, balance) = ((account.org, at), i128::from(account.balance.get()));
        match account.kind {
            LedgerAccountKind::AtBank => *self.at_bank.entry(key).or_default() -= balance,
            LedgerAccountKind::Suspense => *self.suspense.entry(key).or_default() += balance,
            LedgerAccountKind::AppWallet
            | LedgerAccountKind::AppHeld
            | LedgerAccountKind::AppCollected
            | LedgerAccountKind::UserWallet
            | LedgerAccountKind::OrganizationWallet
            | LedgerAccountKind::Clearing
            | LedgerAccountKind::ServiceFees
            | LedgerAccountKind::Fx
            | LedgerAccountKind::External
            | LedgerAccountKind::Funding
            | LedgerAccountKind::OrganizationFunding
            | LedgerAccountKind::Unbooked
            | LedgerAccountKind::BankCosts => {}
        }
    }

    pub fn file(&mut self, file: &BankFile) {
        if let Some(line) = file.debit_line {
            *self.booked.entry((file.org, line)).or_default() += i128::from(file.leaving(file.due().1).get());
        }
    }

    pub fn entry(&mut self, entry: &BankEntry) {
        let amount = i128::from(entry.leaving().get());
        if let Some(line) = entry.debit_line {
            *self.booked.entry((entry.org, line)).or_default() += amount;
        }
        if let Some(line) = entry.credit_line {
            *self.booked.entry((entry.org, line)).or_default() -= amount;
        }
    }

    pub fn item(&mut self, item: &BankItem) {
        if !item.is_line() {
            return;
        }
        let place = format!("bank item {}", item.id);
        let amount = i128::from(item.amount.get());
        let is_suspended = match item.status {
            ItemStatus::Unmatched | ItemStatus::Matched | ItemStatus::Explained => true,
            ItemStatus::Waiting | ItemStatus::Applied | ItemStatus::Ignored => false,
        };
        if let (true, Some(account)) = (is_suspended, item.settlement_account) {
            *self.suspense.entry((item.org, account)).or_default() -= amount;
        }
        if item.suspense != item.settlement_account.filter(|_| is_suspended) {
            self.find(SUSPENSE, "is listed in suspense and is not there, or the reverse", place.clone());
        }
        let booked = self.booked.remove(&(item.org, item.id));
        let opened = booked.unwrap_or_default();
        let booked = booked.filter(|_| item.kind == ItemKind::Line);
        let is_of_payments = item.kind == ItemKind::Line
            && item.status == ItemStatus::Applied
            && matches!(item.booked_as, Some(BookedAs::Payments | BookedAs::Returns));
        if booked != is_of_payments.then_some(-amount) {
            let what =
                format!("is a line of {amount} cents; it books {} cents of payments", booked.unwrap_or_default());
            self.find(BOOKED, what, place.clone());
        }
        let statement = item.statement.and_then(|statement| self.statements.get_mut(&(item.org, statement)));
        let Some((statement, lines)) = statement else {
            return self.find(ORDER, "is a line of no statement", place);
        };
        let is_open = matches!(item.status, ItemStatus::Waiting | ItemStatus::Ignored);
        let is_applied = statement.status == StatementStatus::Applied;
        if item.kind == ItemKind::Line {
            lines.count += 1;
            lines.sum += amount;
            lines.open += i64::from(is_open);
        } else if statement.position != Some(1) || amount != i128::from(statement.opening.get()) + opened {
            let what = "is not the opening balance of a first statement, less the payments before it";
            self.find(ORDER, what, place.clone());
        }
        if is_open == is_applied {
            self.find(ORDER, "is booked before its statement is applied, or not with it", place);
        }
    }

    #[must_use]
    pub fn findings(mut self) -> Vec<Finding> {
        for ((_, line), cents) in std::mem::take(&mut self.booked) {
            self.find(BOOKED, format!("books {cents} cents and is no line"), format!("bank item {line}"));
        }
        for ((_, account), cents) in std::mem::take(&mut self.suspense) {
            if cents != 0 {
                let what = format!("its suspense exceeds the lines in it by {cents} cents");
                self.find(SUSPENSE, what, format!("settlement account {account}"));
            }
        }
        let mut applied: BTreeMap<Account, Vec<BankStatement>> = BTreeMap::new();
        for ((_, id), (statement, lines)) in std::mem::take(&mut self.statements) {
            let moved = i128::from(statement.closing.get()) - i128::from(statement.opening.get());
            if (lines.count, lines.sum) != (statement.lines, moved) {
                let what = format!(
                    "states {} lines of {moved} cents; it has {} of {} cents",
                    statement.lines, lines.count, lines.sum
                );
                self.find(ORDER, what, format!("bank statement {id}"));
            }
            if statement.status == StatementStatus::Applied {
                applied.entry((statement.org, statement.settlement_account)).or_default().push(statement);
            }
        }
        for (account, statements) in applied {
            self.check_order(account, statements);
        }
        for ((_, account), cents) in std::mem::take(&mut self.at_bank) {
            if cents != 0 {
                let what = format!("the ledger has {cents} cents at the bank, and no statement is applied");
                self.find(AT_BANK, what, format!("settlement account {account}"));
            }
        }
        self.findings
    }

    fn check_order(&mut self, account: Account, mut statements: Vec<BankStatement>) {
        let place = format!("settlement account {}", account.1);
        statements.sort_by_key(|statement| statement.position);
        for (expected, statement) in (1..).zip(&statements) {
            if statement.position != Some(expected) {
                self.find(ORDER, format!("applied no statement number {expected}"), place.clone());
            }
        }
        for pair in statements.windows(2) {
            let [before, after] = pair else { continue };
            if after.opening != before.closing || after.booked_on <= before.booked_on {
                let what = format!("does not follow the statement of {}", before.booked_on);
                self.find(ORDER, what, format!("bank statement {}", after.id));
            }
        }
        let Some(last) = statements.last() else { return };
        let balance = self.balances.remove(&account);
        if balance.is_none_or(|balance| (balance.statement, balance.closing) != (last.id, last.closing)) {
            self.find(ORDER, "records another last statement than the one applied last", place.clone());
        }
        let at_bank = self.at_bank.remove(&account).unwrap_or_default();
        let closing = i128::from(last.closing.get());
        if at_bank != closing {
            let what = format!("the ledger has {at_bank} cents at the bank; the last statement closes with {closing}");
            self.find(AT_BANK, what, place);
        }
    }
}
