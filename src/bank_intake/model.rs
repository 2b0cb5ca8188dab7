use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::clock::Time;
use crate::ids::{
    AppId, BankConnectionId, BankFileId, BankItemId, BankStatementId, InboundFileId, InboundPartId, MemberId, OrgId,
    PayoutMethodId, SettlementAccountId, TransferId,
};
use crate::money::Cents;
use crate::world::record::{Document, record, words};

words! {
    /// The state of a file that a bank sent.
    pub enum InboundStatus {
        /// A member uploaded it; another one must let it be read.
        Uploaded = "uploaded",
        /// Stored; it is read next.
        Stored = "stored",
        /// Read whole, and applied.
        Applied = "applied",
        /// It cannot be read, and nothing of it was applied.
        Quarantined = "quarantined",
        /// A member discarded it in quarantine. Never applied.
        Discarded = "discarded",
        /// The bytes of another file, under another name. Never applied.
        Duplicate = "duplicate",
    }
}

words! {
    /// What a bank reports.
    pub enum ItemKind {
        /// The money of a payment comes back.
        Return = "return",
        /// The bank of a payee reports other numbers of an account.
        Change = "change",
        /// The bank or the operator refused a file of ours.
        Rejection = "rejection",
        /// A return that was refused.
        DishonoredReturn = "dishonored_return",
        /// A refused return that its bank contests.
        ContestedReturn = "contested_return",
        /// A change that was refused.
        RefusedChange = "refused_change",
        /// A status of a file or of a payment, in a pain.002 message.
        Status = "status",
        /// The acknowledgement of a NACHA file, in a text of the bank.
        Acknowledgement = "acknowledgement",
        /// A payment to us, or an unknown kind.
        Entry = "entry",
        /// A line of a statement.
        Line = "line",
        /// The opening balance of the first statement of an account.
        OpeningBalance = "opening_balance",
    }
}

words! {
    /// The state of a report.
    pub enum ItemStatus {
        /// A line whose statement is not applied yet.
        Waiting = "waiting",
        /// Booked, or recorded on the payee's account.
        Applied = "applied",
        /// A member must look into it with the bank.
        Unmatched = "unmatched",
        /// A member matched it with a payout, or said what a line is; another one must approve that.
        Matched = "matched",
        /// A line that stays in suspense, with the reason that a member gave.
        Explained = "explained",
        /// A member clarified it; it changed nothing.
        Ignored = "ignored",
    }
}

words! {
    /// Why a report was not applied.
    pub enum ItemReason {
        /// No payment of this connection has the trace number.
        UnknownTrace = "unknown_trace",
        /// No file or payment at this bank has the reference.
        UnknownReference = "unknown_reference",
        /// The bank says that it has the file or the payment already.
        Duplicate = "duplicate",
        /// The bank contradicts what it said before.
        Contradiction = "contradiction",
        /// The payment has another amount.
        OtherAmount = "other_amount",
        /// The payment went to another account.
        OtherAccount = "other_account",
        /// The payment was returned before.
        AlreadyReturned = "already_returned",
        /// The payment's file is not at the bank according to our records.
        NotSent = "not_sent",
        /// The payment left its file, or its file was canceled.
        NotInFile = "not_in_file",
        /// The rejected batch has another number of payments, or another sum, than the file.
        OtherTotals = "other_totals",
        /// The corrected data is missing or not valid, or is not an account number.
        NotACorrection = "not_a_correction",
        /// The account is no longer in use.
        MethodNotInUse = "method_not_in_use",
        /// Reports of this kind are never applied without a person.
        NeedsReview = "needs_review",
        /// No payment, return or deposit of ours has the references or the amount of the line.
        UnknownLine = "unknown_line",
        /// Several payments or files have the amount of the line.
        SeveralMatches = "several_matches",
        /// The line names a payment of ours that is booked already, or has another amount.
        OtherPayment = "other_payment",
        /// The bank's fee, or its interest, is above what is booked without a person.
        LargeCost = "large_cost",
        /// A third party debited the account.
        DebitByOther = "debit_by_other",
        /// The money that was in the account before its first statement.
        MoneyBefore = "money_before",
    }
}

words! {
    /// What the bank's code says about a line of a statement.
    pub enum LineMeaning {
        /// A debit for payments in a file of ours.
        Payments = "payments",
        /// A credit for what a file of ours collects.
        Collections = "collections",
        /// A credit for payments that came back.
        Returns = "returns",
        /// A debit for what was collected and taken back.
        ReturnedDebits = "returned_debits",
        /// Money from others.
        Deposit = "deposit",
        /// Several payments from others in one line, or one whose text is longer than what is stored.
        Deposits = "deposits",
        /// The bank's fees.
        Fee = "fee",
        /// Interest that the bank pays.
        Interest = "interest",
        /// A third party debited the account.
        DebitByOther = "debit_by_other",
        /// Another code.
        Other = "other",
        /// The money before the first statement.
        OpeningBalance = "opening_balance",
    }
}

words! {
    /// What a line was booked as.
    pub enum BookedAs {
        /// Payments in files: their debit, or the credit of what they collect.
        Payments = "payments",
        /// Returned payments: their credit, or the debit of what was collected.
        Returns = "returns",
        /// A deposit of an app.
        Deposit = "deposit",
        /// A cost or an income of the organization.
        Costs = "costs",
        /// Money of the organization's wallet.
        Organization = "organization",
    }
}

/// What a member says that a line is. Another member approves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = BankItemProposal)]
pub struct Proposal {
    /// What the line is booked as.
    pub booked_as: BookedAs,
    /// The app of a deposit.
    #[schema(required)]
    pub app_id: Option<AppId>,
    /// The files that the bank booked whole.
    pub bank_file_ids: Vec<BankFileId>,
    /// The payments that the bank booked one by one, or the returned payments.
    pub transfer_ids: Vec<TransferId>,
}

/// What is wrong with a file, or unusual.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = InboundFinding)]
pub struct Finding {
    /// error, warning or note.
    #[schema(example = "error")]
    pub severity: String,
    /// The code of the rule.
    #[schema(example = "nacha.batch-hash")]
    pub rule: String,
    /// The line, from 1; 0 is the file as a whole.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The record and the field.
    #[schema(example = "batch control entry hash")]
    pub place: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub advice: String,
}

/// The findings of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    pub kept: Vec<Finding>,
    /// Findings that were counted and not kept.
    pub left_out: u64,
}

record! {
    /// A file that a bank sent.
    pub struct InboundFile in "inbound_files" {
        key (org, id)
        many BY_HASH (org, connection, sha256)
        many BY_NAME (org, connection, name);
        pub org: OrgId,
        pub id: InboundFileId,
        pub connection: BankConnectionId,
        pub name: String,
        /// Bytes.
        pub size: i64,
        /// Seconds since 1970, by the clock of the bank's server.
        pub modified: Option<i64>,
        /// In hexadecimal digits.
        pub sha256: String,
        pub status: InboundStatus,
        /// The first file with these bytes.
        pub duplicate_of: Option<InboundFileId>,
        pub findings: Document<Findings>,
        /// Reports of the file that are stored.
        pub items: i64,
        /// Reports that were read: those that change nothing are not stored. The next page begins here.
        pub reports_read: i64,
        /// Those that matched nothing when the file was applied.
        pub unmatched: i64,
        /// The member who uploaded it; `None` for a file from the bank's folder.
        pub uploaded_by: Option<MemberId>,
        /// The member who replayed or discarded it last.
        pub closed_by: Option<MemberId>,
        /// Why it was discarded.
        pub evidence: Option<String>,
        pub version: i64,
        pub created_at: Time,
        pub updated_at: Time,
    }
}

record! {
    /// A piece of a file's bytes.
    pub struct InboundPart in "inbound_parts" {
        key (org, id)
        many OF_FILE (org, file);
        pub org: OrgId,
        pub id: InboundPartId,
        pub file: InboundFileId,
        /// From 0.
        pub number: i64,
        pub sealed_bytes: Vec<u8>,
    }
}

record! {
    /// A report in a file that a bank sent.
    pub struct BankItem in "bank_items" {
        key (org, id)
        many OF_FILE (org, inbound_file)
        many OF_TRANSFER (org, transfer)
        many OF_STATEMENT (org, statement)
        many OF_ACCOUNT (org, settlement_account)
        many BY_STATUS (org, status)
        many IN_SUSPENSE (org, suspense);
        pub org: OrgId,
        pub id: BankItemId,
        pub inbound_file: InboundFileId,
        pub connection: BankConnectionId,
        /// The line of the file.
        pub line: i64,
        pub kind: ItemKind,
        /// R02, C01, REJ00012, ACSC; 165 or PMNT-RCDT-ESCT for a line; empty if there is none.
        pub code: String,
        /// The ISO 20022 reason of a return or a refusal: AC04.
        pub bank_reason: Option<String>,
        /// Fifteen digits: the trace number of our payment.
        pub trace: Option<String>,
        /// Negative if a line debits the account.
        pub amount: Cents,
        /// The id that we gave the payment; the customer's reference of a line.
        pub individual_id: String,
        /// The bank's own words; `None` after an erasure.
        pub text: Option<String>,
        pub status: ItemStatus,
        /// Why it was unmatched.
        pub reason: Option<ItemReason>,
        /// The payment that it matches, or seems to.
        pub transfer: Option<TransferId>,
        /// The file of ours that a rejection names.
        pub bank_file: Option<BankFileId>,
        /// The payout method with the corrected numbers.
        pub payout_method: Option<PayoutMethodId>,
        pub matched_by: Option<MemberId>,
        /// The member who approved or ignored it.
        pub closed_by: Option<MemberId>,
        pub closed_at: Option<Time>,
        /// What the members know; `None` after an erasure.
        pub evidence: Option<String>,
        /// The statement of a line.
        pub statement: Option<BankStatementId>,
        pub settlement_account: Option<SettlementAccountId>,
        /// `YYYY-MM-DD`: the day of a line's statement.
        pub booked_on: Option<String>,
        /// The bank's reference of a line.
        pub reference: Option<String>,
        pub meaning: Option<LineMeaning>,
        pub booked_as: Option<BookedAs>,
        /// The app that a deposit belongs to.
        pub app: Option<AppId>,
        /// The settlement account while the line is in suspense.
        pub suspense: Option<SettlementAccountId>,
        /// What a member says that the line is, while it is matched.
        pub proposal: Option<Document<Proposal>>,
        /// Counts the changes by members.
        pub version: i64,
        pub created_at: Time,
    }
}

impl InboundFile {
    /// Returns whether its bytes are, or will be, read: no other file with these bytes may be.
    pub const fn is_used(&self) -> bool {
        match self.status {
            InboundStatus::Stored | InboundStatus::Applied | InboundStatus::Quarantined => true,
            InboundStatus::Uploaded | InboundStatus::Discarded | InboundStatus::Duplicate => false,
        }
    }
}

impl BankItem {
    /// Returns whether it is a line of a statement, or the money before the first one.
    pub const fn is_line(&self) -> bool {
        matches!(self.kind, ItemKind::Line | ItemKind::OpeningBalance)
    }
}
