//! camt.053 statements and camt.054 notifications: balances and entries of accounts. Written in version 08.

mod read;
mod write;

use jiff::civil::Date;

use super::amount::Amount;
use super::party::AccountId;

pub(super) use read::of;
pub use write::write;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportKind {
    /// camt.053, with balances.
    Statement,
    /// camt.054, without balances; never booked.
    Notification,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub kind: ReportKind,
    pub message_id: String,
    pub created_at: String,
    pub accounts: Vec<Account>,
}

/// A statement or a notification of one account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub id: String,
    pub sequence: Option<u64>,
    pub created_at: Option<String>,
    pub account: AccountId,
    pub currency: Option<String>,
    pub balances: Vec<Balance>,
    pub entries: Vec<Entry>,
}

impl Account {
    /// Returns the first balance with one of these codes.
    #[must_use]
    pub fn balance(&self, codes: &[&str]) -> Option<&Balance> {
        self.balances.iter().find(|balance| codes.contains(&balance.code.as_str()))
    }

    /// The opening booked balance.
    #[must_use]
    pub fn opening(&self) -> Option<&Balance> {
        self.balance(&["OPBD", "PRCD"])
    }

    /// The closing booked balance.
    #[must_use]
    pub fn closing(&self) -> Option<&Balance> {
        self.balance(&["CLBD"])
    }

    /// The sum of the booked entries, credits positive.
    #[must_use]
    pub fn booked(&self) -> i128 {
        self.entries.iter().filter(|entry| entry.is_booked()).map(Entry::signed).sum()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balance {
    /// `OPBD`, `PRCD`, `CLBD`, `CLAV` and others.
    pub code: String,
    pub amount: Amount,
    pub is_credit: bool,
    pub on: Option<Date>,
}

impl Balance {
    #[must_use]
    pub fn signed(&self) -> i128 {
        signed(&self.amount, self.is_credit)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub reference: Option<String>,
    pub amount: Amount,
    /// The direction of the money, also of a reversal.
    pub is_credit: bool,
    pub is_reversal: bool,
    /// `BOOK`, `PDNG`, `INFO`.
    pub status: String,
    pub booked_on: Option<Date>,
    pub value_on: Option<Date>,
    pub bank_reference: Option<String>,
    pub code: BankCode,
    pub batch: Option<Batch>,
    pub details: Vec<Detail>,
}

impl Entry {
    #[must_use]
    pub fn is_booked(&self) -> bool {
        self.status == "BOOK"
    }

    #[must_use]
    pub fn signed(&self) -> i128 {
        signed(&self.amount, self.is_credit)
    }
}

/// The bank transaction code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BankCode {
    pub domain: Option<String>,
    pub family: Option<String>,
    pub sub_family: Option<String>,
    pub proprietary: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    pub message_id: Option<String>,
    pub payment_id: Option<String>,
    pub count: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    pub bank_reference: Option<String>,
    pub instruction_id: Option<String>,
    pub end_to_end_id: Option<String>,
    pub uetr: Option<String>,
    pub amount: Option<Amount>,
    pub debtor: Option<String>,
    pub creditor: Option<String>,
    pub remittance: Option<String>,
    /// The reason of a return, for example `AC04`.
    pub return_reason: Option<String>,
}

fn signed(amount: &Amount, is_credit: bool) -> i128 {
    let minor = i128::from(amount.minor);
    if is_credit { minor } else { -minor }
}
