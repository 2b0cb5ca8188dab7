use super::account::{LedgerAccountKind, account_name};
use crate::clock::Time;
use crate::ids::{AppId, LedgerAccountId, OrgId, PostingId, SettlementAccountId, TransferId, UserId};
use crate::money::Cents;
use crate::platform::Platform;
use crate::world::record::{record, words};

/// The currency of every ledger (docs/decisions.md 8).
pub const CURRENCY: &str = "USD";

record! {
    /// The head of an organization's ledger. Every posting changes it, so the postings of one organization have one
    /// order, without gaps.
    pub struct LedgerBook in "ledger_books" {
        key (org);
        pub org: OrgId,
        /// The number of the last transaction; the first has 1.
        pub last_number: i64,
        /// The number of ledger accounts.
        pub accounts: i64,
        /// The link of the last transaction ([`super::chain`]). Empty until the chain is carried over, if transactions
        /// are older than the chain.
        pub hash: Vec<u8>,
    }
}

record! {
    /// A ledger account with its balance.
    pub struct LedgerAccount in "ledger_accounts" {
        key (org, id)
        unique BY_NUMBER (org, number)
        many BY_ORGANIZATION (org)
        many BY_APP (org, app);
        pub org: OrgId,
        /// A hash of the account's properties ([`super::Account::id`]).
        pub id: LedgerAccountId,
        /// Counts from 1 within the organization: the order of lists.
        pub number: i64,
        pub kind: LedgerAccountKind,
        /// The app in whose part of the ledger it is; `None` in the organization's own part.
        pub app: Option<AppId>,
        /// The user whose wallet it is.
        pub user: Option<UserId>,
        /// The rail whose clearing account it is.
        pub platform: Option<Platform>,
        /// The organization's account at its bank.
        pub settlement_account: Option<SettlementAccountId>,
        /// The sum of its entries, in cents.
        pub balance: Cents,
        /// The number of entries.
        pub entries: i64,
        /// Always [`CURRENCY`].
        pub currency: String,
        pub created_at: Time,
        pub changed_at: Time,
    }
}

impl LedgerAccount {
    pub fn name(&self) -> String {
        account_name(self.kind, self.platform)
    }
}

words! {
    // docs/decisions.md 8
    /// The purpose of a transaction.
    pub enum TransactionKind {
        /// Money changes its owner or its purpose inside the service.
        Balance = "balance",
        /// An app's wallet is filled or emptied.
        Refill = "refill",
        /// Money leaves for a payee, or comes back.
        Payout = "payout",
        /// Money comes in from a payer, or goes back.
        Payment = "payment",
        /// The fee of a payout, or its refund.
        Fee = "fee",
        /// The organization's half of a movement between it and an app.
        Surrogate = "surrogate",
    }
}

record! {
    /// One movement of money between two ledger accounts, with its two entries. Never changed, never removed.
    pub struct Transaction in "transactions" {
        key (org, number)
        many BY_TRANSFER (org, transfer);
        pub org: OrgId,
        /// Counts the organization's transactions without gaps; the `id` of docs/specification.md.
        pub number: i64,
        /// The app in whose part of the ledger it is; `None` in the organization's own part.
        pub app: Option<AppId>,
        /// Transactions that were posted together share it.
        pub posting: PostingId,
        pub transfer: Option<TransferId>,
        pub kind: TransactionKind,
        /// In cents, above zero.
        pub amount: Cents,
        pub source: LedgerAccountId,
        pub destination: LedgerAccountId,
        /// The balance of the source after it.
        pub source_balance: Cents,
        /// The balance of the destination after it.
        pub destination_balance: Cents,
        pub source_name: String,
        pub destination_name: String,
        /// The caller's note.
        pub metadata: Option<String>,
        pub created_at: Time,
    }
}

/// One side of a transaction, in its ledger account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub account: LedgerAccountId,
    /// The number of the transaction.
    pub number: i64,
    /// In cents; negative if money left the account.
    pub amount: Cents,
    pub balance_after: Cents,
    pub created_at: Time,
}

impl Transaction {
    /// Returns the entry of the source and that of the destination.
    pub fn entries(&self) -> [Entry; 2] {
        let Self { number, amount, created_at, .. } = *self;
        let entry = |account, amount, balance_after| Entry { account, number, amount, balance_after, created_at };
        [
            entry(self.source, amount.negated(), self.source_balance),
            entry(self.destination, amount, self.destination_balance),
        ]
    }

    /// Returns the entry in this ledger account; `None` if it is neither the source nor the destination.
    pub fn entry_in(&self, account: LedgerAccountId) -> Option<Entry> {
        self.entries().into_iter().find(|entry| entry.account == account)
    }
}

words! {
    /// The state of money that was set aside.
    pub enum HoldState {
        /// The money is set aside.
        Open = "open",
        /// The money went to the payee.
        Captured = "captured",
        /// The money went back to the app.
        Released = "released",
    }
}

record! {
    /// Money that an app has set aside for one transfer.
    pub struct Hold in "holds" {
        key (org, id);
        pub org: OrgId,
        /// The transfer that set it aside.
        pub id: TransferId,
        pub app: AppId,
        /// In cents.
        pub amount: Cents,
        pub state: HoldState,
        pub opened_at: Time,
        /// When it was captured or released.
        pub closed_at: Option<Time>,
    }
}
