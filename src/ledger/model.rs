//! What is kept of the book.

use super::account::{LedgerAccountKind, account_name};
use crate::clock::Time;
use crate::ids::{AppId, LedgerAccountId, OrgId, PostingId, TransferId, UserId};
use crate::money::Cents;
use crate::platform::Platform;
use crate::world::record::{record, words};

/// The currency of every book (docs/decisions.md 8).
pub const CURRENCY: &str = "USD";

record! {
    /// Where an organization's book stands. Whoever posts changes it, so postings of one organization
    /// have one order, without gaps.
    pub struct LedgerBook in "ledger_books" {
        key (org);
        /// The organization.
        pub org: OrgId,
        /// The number of the last transaction; the first has 1.
        pub last_number: i64,
        /// How many ledger accounts were opened.
        pub accounts: i64,
        /// The link of the last transaction ([`super::chain`]); empty until the chain is carried over, where transactions
        /// were posted before there was one.
        pub hash: Vec<u8>,
    }
}

record! {
    /// One ledger account: a place, and how much is there.
    pub struct LedgerAccount in "ledger_accounts" {
        key (org, id)
        unique BY_NUMBER (org, number)
        many BY_ORGANIZATION (org)
        many BY_APP (org, app);
        /// The organization.
        pub org: OrgId,
        /// Its id, made of what the place is ([`super::Account::id`]).
        pub id: LedgerAccountId,
        /// How many accounts of the organization were opened before it, plus one: the order of lists.
        pub number: i64,
        /// What kind of place it is.
        pub kind: LedgerAccountKind,
        /// The app in whose book it stands; empty in the organization's own.
        pub app: Option<AppId>,
        /// Whose wallet it is.
        pub user: Option<UserId>,
        /// Which rail's clearing account it is.
        pub platform: Option<Platform>,
        /// The sum of its entries, in cents.
        pub balance: Cents,
        /// How many entries it has.
        pub entries: i64,
        /// Always [`CURRENCY`].
        pub currency: String,
        /// When its first entry was made.
        pub created_at: Time,
        /// When its last entry was made.
        pub changed_at: Time,
    }
}

impl LedgerAccount {
    /// What people call it.
    pub fn name(&self) -> String {
        account_name(self.kind, self.platform)
    }
}

words! {
    /// What a transaction is for (docs/decisions.md 8; the words of `transactions[].type`).
    pub enum TransactionKind {
        /// Money changes its owner or its purpose inside the service.
        Balance = "balance",
        /// An app's wallet is filled or emptied.
        Refill = "refill",
        /// Money leaves for a payee, or comes back from there.
        Payout = "payout",
        /// Money comes in from a payer, or goes back.
        Payment = "payment",
        /// What a payout costs, or what of it is given back.
        Fee = "fee",
        /// The organization's half of a movement between it and an app: it stands in its book for the half
        /// in the app's.
        Surrogate = "surrogate",
    }
}

record! {
    /// One movement of money between two ledger accounts. Never changed, never removed.
    pub struct Transaction in "transactions" {
        key (org, number)
        many BY_TRANSFER (org, transfer);
        /// The organization.
        pub org: OrgId,
        /// Its place in the organization's book, without gaps; the `id` of docs/specification.md.
        pub number: i64,
        /// The app in whose book it stands; empty in the organization's own.
        pub app: Option<AppId>,
        /// What was posted together has the same posting.
        pub posting: PostingId,
        /// The transfer that it belongs to.
        pub transfer: Option<TransferId>,
        /// What it is for.
        pub kind: TransactionKind,
        /// How much, in cents, above zero.
        pub amount: Cents,
        /// From where.
        pub source: LedgerAccountId,
        /// To where.
        pub destination: LedgerAccountId,
        /// What people call the source.
        pub source_name: String,
        /// What people call the destination.
        pub destination_name: String,
        /// What the caller noted.
        pub metadata: Option<String>,
        /// When.
        pub created_at: Time,
    }
}

record! {
    /// One side of a transaction, as its ledger account sees it. Never changed, never removed.
    pub struct Entry in "ledger_entries" {
        key (org, account, number);
        /// The organization.
        pub org: OrgId,
        /// The ledger account.
        pub account: LedgerAccountId,
        /// The number of the transaction.
        pub number: i64,
        /// How much came, or went when negative, in cents.
        pub amount: Cents,
        /// The account's balance after it.
        pub balance_after: Cents,
        /// When.
        pub created_at: Time,
    }
}

words! {
    /// What became of money that was set aside.
    pub enum HoldState {
        /// It is set aside.
        Open = "open",
        /// It went where it was set aside for.
        Captured = "captured",
        /// It went back.
        Released = "released",
    }
}

record! {
    /// Money that an app has set aside for one transfer.
    pub struct Hold in "holds" {
        key (org, id);
        /// The organization.
        pub org: OrgId,
        /// The transfer that set it aside.
        pub id: TransferId,
        /// The app whose money it is.
        pub app: AppId,
        /// How much, in cents.
        pub amount: Cents,
        /// What became of it.
        pub state: HoldState,
        /// Since when it is set aside.
        pub opened_at: Time,
        /// When it was captured or released.
        pub closed_at: Option<Time>,
    }
}
