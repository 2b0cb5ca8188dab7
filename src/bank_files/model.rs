use serde::{Deserialize, Serialize};

use crate::banking::Identity;
use crate::banking::originators::EntryClass;
use crate::clock::Time;
use crate::ids::{
    AppId, BankAccountId, BankConnectionId, BankFileId, BankItemId, BankReversalId, MemberId, OrgId, OriginatorId,
    PayoutMethodId, SettlementAccountId, TransferId, UserId,
};
use crate::money::Cents;
use crate::platform::Platform;
use crate::rails::Direction;
use crate::rails::failures::FailureCode;
use crate::world::record::{Document, record, words};

words! {
    /// The state of a file.
    pub enum FileStatus {
        /// Payments join it until its cut-off.
        Open = "open",
        /// Complete; waits to be released, sent, or taken to the bank.
        Sealed = "sealed",
        /// On its way; the bank cannot see it yet.
        Sending = "sending",
        /// It is getting its final name; the bank may see it.
        Renaming = "renaming",
        /// It may have reached the bank; a member decides with the bank.
        InDoubt = "in_doubt",
        /// The bank has it.
        Sent = "sent",
        /// The bank refused it whole; a member moves it into a later window or cancels it.
        Rejected = "rejected",
        /// It never reaches the bank, and its payments fail.
        Canceled = "canceled",
        /// Its window closed without a payment.
        Dropped = "dropped",
    }
}

words! {
    /// The state of an entry.
    pub enum EntryStatus {
        /// In its file.
        Joined = "joined",
        /// The money is presumed to have arrived.
        Settled = "settled",
        /// Removed before its file was written.
        Withdrawn = "withdrawn",
        /// Its file was canceled.
        Canceled = "canceled",
        /// The bank sent the money back, before or after it was presumed to have arrived.
        Returned = "returned",
        /// The bank refused it before it debited the money.
        Rejected = "rejected",
        /// It arrived, and our reversal took the money back.
        Reversed = "reversed",
    }
}

words! {
    /// What an entry of a file is.
    pub enum EntryKind {
        /// The first entry of a transfer.
        Payment = "payment",
        /// Takes the money of an earlier entry back.
        Reversal = "reversal",
        /// Presents a debit again that came back.
        Retry = "retry",
        /// Validates an account, without money.
        Prenote = "prenote",
    }
}

words! {
    /// What all entries of a file are.
    pub enum FilePurpose {
        /// Payments and debits.
        Payments = "payments",
        /// Reversals of earlier entries.
        Reversals = "reversals",
        /// Debits that are presented again.
        Retries = "retries",
        /// Prenotes, without money.
        Prenotes = "prenotes",
    }
}

words! {
    /// What a bank's acknowledgements and status reports (pain.002) say, from the weakest to the strongest.
    pub enum BankAnswer {
        /// Received, or in progress.
        Accepted = "accepted",
        /// The money has moved.
        Settled = "settled",
        /// Refused.
        Rejected = "rejected",
    }
}

words! {
    /// What a bank said about a file that was not applied, because it may be wrong: members decide.
    pub enum Contest {
        /// The bank had it before.
        Duplicate = "duplicate",
        /// The acknowledgement has other totals.
        OtherTotals = "other_totals",
        /// A refusal of a file that is not known to be at the bank, or whose money has moved.
        Refused = "refused",
    }
}

words! {
    /// What members know about a file from the bank.
    pub enum FileOutcome {
        /// The bank has accepted it.
        Accepted = "accepted",
        /// The bank refused it.
        Rejected = "rejected",
        /// The bank never got it.
        NotReceived = "not_received",
    }
}

/// What members decided about a file. It takes effect when another member has decided the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDecision {
    pub outcome: FileOutcome,
    /// How the first member knows it.
    pub evidence: String,
    pub proposed_by: MemberId,
    pub proposed_at_micros: i64,
    pub confirmed_by: Option<MemberId>,
}

/// What a file takes over from its connection when it is cut, so that later changes do not change its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Stored as a field with the name of the format.
    #[serde(flatten)]
    pub identity: Identity,
    /// `YYYY-MM-DD`, in the connection's zone.
    pub created_on: String,
    /// `HH:MM`, in the connection's zone.
    pub created_at: String,
    /// A letter or a digit of a NACHA file; the number of the day's file of another format.
    pub modifier: String,
    /// The last seven digits of the first trace number. An entry adds its own number. 0 in a file of another format.
    pub first_trace: i64,
    /// The id of a pain.001 message, and of its only payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
}

/// The totals in the control record of a NACHA file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlTotals {
    pub entries: i64,
    pub debit: Cents,
    pub credit: Cents,
}

record! {
    pub struct BankFile in "bank_files" {
        key (org, id)
        many OF_WINDOW (org, connection, window_at)
        many BY_TRACE (org, connection, first_trace)
        many DEBIT_DUE (org, debit_due)
        many OPEN (org, open_at);
        pub org: OrgId,
        pub id: BankFileId,
        pub connection: BankConnectionId,
        pub originator: OriginatorId,
        pub settlement_account: SettlementAccountId,
        /// The rail of all its payments.
        pub platform: Platform,
        /// Whether it pays or collects.
        pub direction: Direction,
        pub purpose: FilePurpose,
        /// The last moment at which the rules allow the bank to get it; `None` for first payments and debits.
        pub send_by: Option<Time>,
        /// The class of all its entries; `None` in a message, and in files of earlier versions, which have the
        /// originator's class for payouts.
        pub entry_class: Option<EntryClass>,
        pub status: FileStatus,
        pub window_name: String,
        /// The cut-off.
        pub window_at: Time,
        /// The bank's deadline.
        pub submit_by: Time,
        /// `YYYY-MM-DD`
        pub effective_on: String,
        pub settles_at: Time,
        pub same_day: bool,
        /// Entries without the withdrawn ones.
        pub entries: i64,
        /// Their sum.
        pub credit: Cents,
        /// The numbers that were given to entries.
        pub entries_ever: i64,
        /// `None` until the file is cut.
        pub header: Option<Document<Header>>,
        /// The identities that it got.
        pub cuts: i64,
        /// That of the header, by which the files of a trace number are found.
        pub first_trace: Option<i64>,
        pub name: Option<String>,
        /// Bytes.
        pub size: Option<i64>,
        /// In hexadecimal digits.
        pub sha256: Option<String>,
        /// Whether it is above a limit of the connection, or its account did not cover it.
        pub must_release: bool,
        /// What its account lacked at the cut-off, if it waits for that.
        pub uncovered: Option<Cents>,
        pub released_by: Option<MemberId>,
        pub released_at: Option<Time>,
        /// Counts the deliveries that were begun; only the newest may publish.
        pub leases: i64,
        /// How it is published, from [`FileStatus::Renaming`] on.
        pub way: Option<String>,
        pub temp_name: Option<String>,
        /// Why it is or was in doubt.
        pub doubt: Option<String>,
        /// Whether temporary files of a delivery in doubt must be removed before anything else.
        pub unswept: bool,
        /// Why the last delivery failed; `None` once the bank has the file.
        pub failure: Option<String>,
        pub sealed_at: Option<Time>,
        pub sent_at: Option<Time>,
        /// What the bank says about the file as a whole, in an acknowledgement or a status report.
        pub answer: Option<BankAnswer>,
        /// What the bank said that was not applied. Its payments are not presumed settled.
        pub contested: Option<Contest>,
        pub decision: Option<Document<FileDecision>>,
        /// The connection, while members must look at the file.
        pub open_at: Option<BankConnectionId>,
        /// Entries that the bank returned.
        pub returned: i64,
        /// Those of a file that collects that were not authorized.
        pub unauthorized: i64,
        /// Those of a file that collects whose accounts are closed, unknown or not valid.
        pub administrative: i64,
        /// Entries that the bank refused before it debited them.
        pub refused: i64,
        /// Their sum.
        pub refused_credit: Cents,
        /// The entry up to which outcomes were recorded.
        pub ended_through: Option<TransferId>,
        /// The settlement account, while the file is at the bank and the bank has not booked all of it.
        pub debit_due: Option<SettlementAccountId>,
        /// The line of a statement that books the whole file: a debit, or a credit if the file collects.
        pub debit_line: Option<BankItemId>,
        /// Entries that the bank has booked.
        pub booked: i64,
        /// The member who marked it as sent or not sent, moved it or canceled it last.
        pub closed_by: Option<MemberId>,
        pub evidence: Option<String>,
        pub version: i64,
        pub created_at: Time,
        pub updated_at: Time,
    }
}

impl BankFile {
    /// Returns whether its entries move money.
    pub const fn moves_money(&self) -> bool {
        match self.purpose {
            FilePurpose::Payments | FilePurpose::Reversals | FilePurpose::Retries => true,
            FilePurpose::Prenotes => false,
        }
    }

    /// Returns whether only the word of a member says that the bank has it: no line of a statement books it.
    pub const fn is_unproven(&self) -> bool {
        self.closed_by.is_some() && self.debit_line.is_none() && self.booked == 0
    }
}

impl BankEntry {
    /// Returns its amount as money that leaves the settlement account; negative if it collects.
    #[must_use]
    pub fn leaving(&self) -> Cents {
        leaving(self.direction, self.amount)
    }

    /// Returns whether the bank books it: it is in its file, and not refused.
    pub const fn is_debited(&self) -> bool {
        match self.status {
            EntryStatus::Joined
            | EntryStatus::Settled
            | EntryStatus::Canceled
            | EntryStatus::Returned
            | EntryStatus::Reversed => true,
            EntryStatus::Withdrawn | EntryStatus::Rejected => false,
        }
    }

    /// Returns the transfer whose money it moves; for a prenote, that of the first payment that waited for it.
    #[must_use]
    pub fn moves(&self) -> TransferId {
        self.of_transfer.unwrap_or(self.transfer)
    }

    /// Returns whether it is in a file, or was, as the movement of a transfer in the transfer's direction.
    pub const fn is_of_transfer(&self) -> bool {
        match self.kind {
            EntryKind::Payment | EntryKind::Retry => true,
            EntryKind::Reversal | EntryKind::Prenote => false,
        }
    }
}

/// Returns whether the rules count a returned debit as not authorized.
pub(super) const fn is_unauthorized(code: FailureCode) -> bool {
    matches!(code, FailureCode::Unauthorized | FailureCode::NotAsAuthorized)
}

/// Returns whether the rules count a returned debit as administrative.
pub(super) const fn is_administrative(code: FailureCode) -> bool {
    matches!(code, FailureCode::AccountClosed | FailureCode::NoAccount | FailureCode::InvalidAccountNumber)
}

fn leaving(direction: Direction, amount: Cents) -> Cents {
    match direction {
        Direction::Credit => amount,
        Direction::Debit => amount.negated(),
    }
}

impl BankFile {
    /// Returns the number and the sum of the payments that the bank books.
    pub fn due(&self) -> (i64, Cents) {
        let credit = self.credit.minus(self.refused_credit).unwrap_or(Cents::ZERO);
        (self.entries - self.refused, credit)
    }

    /// Counts a returned entry.
    pub fn count_returned(&mut self, code: FailureCode) {
        self.returned += 1;
        if self.direction == Direction::Debit {
            self.unauthorized += i64::from(is_unauthorized(code));
            self.administrative += i64::from(is_administrative(code));
        }
    }

    /// Returns an amount of it as money that leaves the settlement account; negative if the file collects.
    #[must_use]
    pub fn leaving(&self, amount: Cents) -> Cents {
        leaving(self.direction, amount)
    }

    /// Returns the totals in its control record.
    #[must_use]
    pub fn control_totals(&self) -> ControlTotals {
        let identity = self.header.as_ref().map(|header| &header.0.identity);
        let is_balanced = self.moves_money() && identity.and_then(Identity::nacha).is_some_and(|nacha| nacha.balanced);
        let opposite = if is_balanced { self.credit } else { Cents::ZERO };
        let (debit, credit) = match self.direction {
            Direction::Credit => (opposite, self.credit),
            Direction::Debit => (self.credit, opposite),
        };
        ControlTotals { entries: self.entries + i64::from(is_balanced), debit, credit }
    }

    /// Returns whether members must look at it: it is not at its end and not at the bank, or is contested.
    pub fn is_open(&self) -> bool {
        match self.status {
            FileStatus::Sent => self.contested.is_some(),
            FileStatus::Canceled | FileStatus::Dropped => false,
            FileStatus::Open
            | FileStatus::Sealed
            | FileStatus::Sending
            | FileStatus::Renaming
            | FileStatus::InDoubt
            | FileStatus::Rejected => true,
        }
    }

    /// Returns whether the bank has answered it, or booked a part of it.
    pub fn is_answered(&self) -> bool {
        self.answer.is_some() || self.is_booked()
    }

    /// Returns whether the bank has booked a part of it.
    pub fn is_booked(&self) -> bool {
        self.debit_line.is_some() || self.booked > 0
    }

    pub fn must_wait_for_release(&self) -> bool {
        self.must_release && self.released_at.is_none()
    }
}

record! {
    /// A payment in a file.
    pub struct BankEntry in "bank_entries" {
        key (org, transfer)
        many OF_FILE (org, file)
        many BY_NUMBER (org, file, number)
        many OF_METHOD (org, payout_method)
        many OF_ACCOUNT (org, bank_account)
        many OF_TRANSFER (org, of_transfer)
        many CREDIT_DUE (org, credit_due)
        many CORRECTED (org, corrected_in);
        pub org: OrgId,
        /// The id of the entry: that of its transfer, or one of its own if it follows another entry.
        pub transfer: TransferId,
        pub kind: EntryKind,
        /// The transfer, if the entry follows another one; for a prenote, the first transfer that waited for it.
        pub of_transfer: Option<TransferId>,
        /// The entry that it reverses or presents again.
        pub follows: Option<TransferId>,
        /// The entry that reverses it or presents it again.
        pub followed_by: Option<TransferId>,
        /// The order of the members by which it reverses another entry.
        pub reversal: Option<BankReversalId>,
        pub file: BankFileId,
        /// From 0, in the order in which entries joined the file.
        pub number: i64,
        pub app: AppId,
        /// The user at the other end, if it is one.
        pub user_id: Option<UserId>,
        /// The account at the other end is a payout method or a bank account.
        pub payout_method: Option<PayoutMethodId>,
        pub bank_account: Option<BankAccountId>,
        /// The file, if it was written before the account was corrected, and the account that it pays to when it is written
        /// again.
        pub corrected_in: Option<BankFileId>,
        pub corrected_method: Option<PayoutMethodId>,
        pub corrected_account: Option<BankAccountId>,
        pub settlement_account: SettlementAccountId,
        /// That of its file.
        pub direction: Direction,
        pub amount: Cents,
        /// The holder as the file names them; `None` after an erasure.
        pub name: Option<String>,
        pub status: EntryStatus,
        /// What the bank says about this payment, in a status report.
        pub answer: Option<BankAnswer>,
        /// Why it was returned; in entries of earlier versions the transfer says it.
        pub error: Option<FailureCode>,
        /// The line of a statement that books this entry alone.
        pub debit_line: Option<BankItemId>,
        /// The settlement account, while the payment is returned and the bank has not booked the return.
        pub credit_due: Option<SettlementAccountId>,
        /// The line of a statement that books the return: a credit, or a debit if the entry collects.
        pub credit_line: Option<BankItemId>,
        pub created_at: Time,
        pub ended_at: Option<Time>,
    }
}

record! {
    /// The numbers that a connection gives to its files.
    pub struct BankSequence in "bank_sequences" {
        key (org, connection);
        pub org: OrgId,
        pub connection: BankConnectionId,
        /// The last seven digits of the next trace number.
        pub next_trace: i64,
        /// The day of the last file, `YYYY-MM-DD`, in the connection's zone.
        pub day: String,
        /// Files of that day.
        pub files: i64,
        /// The sum of those that pay.
        pub credit: Cents,
        /// The sum of those that collect.
        pub debit: Cents,
    }
}
