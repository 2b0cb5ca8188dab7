use serde::Serialize;
use utoipa::ToSchema;

use super::model::{
    BankAnswer, BankEntry, BankFile, Contest, EntryKind, EntryStatus, FileDecision, FileOutcome, FilePurpose,
    FileStatus,
};
use crate::banking::originators::EntryClass;
use crate::clock::Time;
use crate::ids::{
    AppId, BankConnectionId, BankFileId, BankReversalId, MemberId, OriginatorId, SettlementAccountId, TransferId,
    UserId,
};
use crate::money::Cents;
use crate::platform::Platform;
use crate::rails::Direction;
use crate::rails::failures::FailureCode;
use crate::world::record::Document;

/// A file with payments for a bank.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BankFileJson {
    /// The file's id.
    pub id: BankFileId,
    /// When its first payment joined.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// When the file was last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated: Time,
    /// The state.
    pub status: FileStatus,
    /// The connection.
    pub bank_connection_id: BankConnectionId,
    /// The originator.
    pub originator_id: OriginatorId,
    /// The account that pays.
    pub settlement_account_id: SettlementAccountId,
    /// The rail of its payments.
    pub platform: Platform,
    /// credit if the file pays, debit if it collects.
    pub direction: Direction,
    /// What all entries of the file are.
    pub purpose: FilePurpose,
    /// The last moment at which the ACH rules allow the bank to get the file; null for first payments and debits.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub send_by: Option<Time>,
    /// The class of its entries (SEC); null in a message, and in files of earlier versions.
    #[schema(required)]
    pub entry_class: Option<EntryClass>,
    /// The window's name.
    #[schema(example = "evening")]
    pub window: String,
    /// From here on payments join a later file.
    #[schema(value_type = String, format = DateTime)]
    pub cutoff: Time,
    /// The bank's deadline.
    #[schema(value_type = String, format = DateTime)]
    pub submit_by: Time,
    /// The date that the file carries.
    #[schema(value_type = String, format = Date)]
    pub effective: String,
    /// When the file settles.
    #[schema(value_type = String, format = DateTime)]
    pub settles: Time,
    /// The number of payments.
    pub entries: i64,
    /// The sum of what it pays, in cents.
    #[schema(value_type = i64)]
    pub credit: Cents,
    /// The sum of what it collects, in cents.
    #[schema(value_type = i64)]
    pub debit: Cents,
    /// The id of the message; null until the cut-off, and in a NACHA file.
    #[schema(required, example = "019A00000000700080000000000000AB")]
    pub message_id: Option<String>,
    /// The name at the bank; null until the cut-off.
    #[schema(required, example = "ACME_20261123_A.ach")]
    pub name: Option<String>,
    /// The length in bytes; null until the file is written.
    #[schema(required)]
    pub size: Option<i64>,
    /// The SHA-256 hash of the bytes, in hexadecimal digits; null until the file is written.
    #[schema(required)]
    pub sha256: Option<String>,
    /// Whether it is above a limit of the connection or not covered, and waits for a member who releases it.
    pub must_release: bool,
    /// What its account lacked at the cut-off, in cents, if it waits for that.
    #[schema(required, value_type = Option<i64>)]
    pub uncovered: Option<Cents>,
    /// The member who released it.
    #[schema(required)]
    pub released_by: Option<MemberId>,
    /// When it was released.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub released: Option<Time>,
    /// Why it is or was in doubt: neither-name, final-differs, temp-differs, interrupted or deadline.
    #[schema(required)]
    pub doubt: Option<String>,
    /// Why the last delivery failed: the server retries until the deadline. Null if none failed, and once the bank has
    /// the file.
    #[schema(required, example = "the bank's server refused the final name")]
    pub delivery_error: Option<String>,
    /// When it was cut.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub sealed: Option<Time>,
    /// What the bank's acknowledgement or its status reports say about the file as a whole; null if there is none.
    #[schema(required)]
    pub answer: Option<BankAnswer>,
    /// What the bank said that was not applied, because it may be wrong: its payments wait until members decide.
    #[schema(required)]
    pub contested: Option<Contest>,
    /// What members decided about it; null if nothing.
    #[schema(required)]
    pub decision: Option<FileDecisionJson>,
    /// The payments that the bank returned.
    pub returned: i64,
    /// The payments that the bank refused before it debited them.
    pub refused: i64,
    /// When it reached the bank, or was marked as sent.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub sent: Option<Time>,
    /// The member who marked, moved or canceled it last.
    #[schema(required)]
    pub closed_by: Option<MemberId>,
    /// The evidence for the mark, or the reason of the cancellation.
    #[schema(required)]
    pub evidence: Option<String>,
}

/// What members know from the bank about a file. It takes effect when another member has confirmed it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = BankFileDecision)]
pub struct FileDecisionJson {
    /// What the bank did.
    pub outcome: FileOutcome,
    /// How the first member knows it.
    pub evidence: String,
    /// The member who proposed it.
    pub proposed_by: MemberId,
    /// When it was proposed.
    #[schema(value_type = String, format = DateTime)]
    pub proposed: Time,
    /// The member who confirmed it.
    #[schema(required)]
    pub confirmed_by: Option<MemberId>,
}

impl From<&FileDecision> for FileDecisionJson {
    fn from(decision: &FileDecision) -> Self {
        Self {
            outcome: decision.outcome,
            evidence: decision.evidence.clone(),
            proposed_by: decision.proposed_by,
            proposed: Time::from_micros(decision.proposed_at_micros),
            confirmed_by: decision.confirmed_by,
        }
    }
}

impl From<&BankFile> for BankFileJson {
    fn from(file: &BankFile) -> Self {
        Self {
            id: file.id,
            created: file.created_at,
            updated: file.updated_at,
            status: file.status,
            bank_connection_id: file.connection,
            originator_id: file.originator,
            settlement_account_id: file.settlement_account,
            platform: file.platform,
            direction: file.direction,
            purpose: file.purpose,
            send_by: file.send_by,
            entry_class: file.entry_class,
            window: file.window_name.clone(),
            cutoff: file.window_at,
            submit_by: file.submit_by,
            effective: file.effective_on.clone(),
            settles: file.settles_at,
            entries: file.entries,
            credit: if file.direction == Direction::Credit { file.credit } else { Cents::ZERO },
            debit: if file.direction == Direction::Debit { file.credit } else { Cents::ZERO },
            message_id: file.header.as_ref().and_then(|header| header.0.message_id.clone()),
            name: file.name.clone(),
            size: file.size,
            sha256: file.sha256.clone(),
            must_release: file.must_release,
            uncovered: file.uncovered,
            released_by: file.released_by,
            released: file.released_at,
            doubt: file.doubt.clone(),
            delivery_error: file.failure.clone(),
            sealed: file.sealed_at,
            answer: file.answer,
            contested: file.contested,
            decision: file.decision.as_ref().map(|Document(decision)| FileDecisionJson::from(decision)),
            returned: file.returned,
            refused: file.refused,
            sent: file.sent_at,
            closed_by: file.closed_by,
            evidence: file.evidence.clone(),
        }
    }
}

/// A payment in a file.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BankEntryJson {
    /// The entry's id: that of its transfer, or one of its own if it follows another entry.
    pub id: TransferId,
    /// What it is.
    pub kind: EntryKind,
    /// The transfer whose money it moves.
    pub transfer_id: TransferId,
    /// The entry that it reverses or presents again; null for a first payment or debit.
    #[schema(required)]
    pub follows: Option<TransferId>,
    /// The entry that reverses it or presents it again.
    #[schema(required)]
    pub followed_by: Option<TransferId>,
    /// The order of the members by which it reverses another entry.
    #[schema(required)]
    pub bank_reversal_id: Option<BankReversalId>,
    /// When it joined its file.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The state.
    pub status: EntryStatus,
    /// The file.
    pub bank_file_id: BankFileId,
    /// The payment's place in the file, from 0.
    pub number: i64,
    /// The app.
    pub app_id: AppId,
    /// The user who is paid or pays; null in the entry of a bill, of a payment customer, or of an app's own money.
    #[schema(required)]
    pub user_id: Option<UserId>,
    /// The account's holder as the file names them; null after an erasure.
    #[schema(required, example = "JANE DOE")]
    pub name: Option<String>,
    /// In cents.
    #[schema(value_type = i64)]
    pub amount: Cents,
    /// The id by which the bank names the payment in a return of a NACHA file.
    pub individual_id: String,
    /// The id by which the bank names the payment of a message.
    pub end_to_end_id: String,
    /// What the bank's status reports say about this payment; null if they say nothing.
    #[schema(required)]
    pub answer: Option<BankAnswer>,
    /// credit if it pays, debit if it collects.
    pub direction: Direction,
    /// Why it was returned; null if it was not, and in entries of earlier versions.
    #[schema(required)]
    pub error: Option<FailureCode>,
    /// When it settled, left its file, was canceled, returned or reversed.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub ended: Option<Time>,
}

impl From<&BankEntry> for BankEntryJson {
    fn from(entry: &BankEntry) -> Self {
        Self {
            id: entry.transfer,
            kind: entry.kind,
            transfer_id: entry.moves(),
            follows: entry.follows,
            followed_by: entry.followed_by,
            bank_reversal_id: entry.reversal,
            created: entry.created_at,
            status: entry.status,
            bank_file_id: entry.file,
            number: entry.number,
            app_id: entry.app,
            user_id: entry.user_id,
            name: entry.name.clone(),
            amount: entry.amount,
            individual_id: super::build::individual_id(entry.transfer),
            end_to_end_id: super::references::end_to_end_id(entry.transfer),
            answer: entry.answer,
            direction: entry.direction,
            error: entry.error,
            ended: entry.ended_at,
        }
    }
}
