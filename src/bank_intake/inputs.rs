//! Inputs of requests about files of banks.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Schema, json};

use super::model::{BookedAs, InboundStatus, ItemKind, ItemStatus};
use crate::http::lists::list_query;
use crate::ids::{AppId, BankConnectionId, BankFileId, InboundFileId, MemberId, SettlementAccountId, TransferId};
use crate::input::types::{Line, LongText, word_input};
use crate::input::{Input, Problems, input, text, wrong};
use crate::strict_json::Json;

/// The largest file, in bytes before Base64.
const CONTENT_MAX: usize = 8 << 20;
/// The longest name, in characters.
const NAME_MAX: usize = 200;

word_input!(InboundStatus);
word_input!(ItemKind);
word_input!(ItemStatus);
word_input!(BookedAs);

input! {
    /// The member who acts.
    pub struct InboundFileAct {
        /// The member (admin or payer).
        pub acting_user_id: MemberId,
    }
}

input! {
    /// The member who lets a file be read.
    pub struct InboundFileReplay {
        /// The member (admin or payer).
        pub acting_user_id: MemberId,
        /// For an uploaded file: the SHA-256 hash, in hexadecimal digits, of the file that the member has from the bank.
        pub sha256: Option<Line<64>>,
    }
}

/// The bytes of a file.
#[derive(Clone, PartialEq, Eq)]
pub struct Content(pub Vec<u8>);

impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Content({} bytes)", self.0.len())
    }
}

impl Input for Content {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let bytes = STANDARD.decode(text(json, at)?).map_err(|_| wrong(at, "must be the file in Base64"))?;
        if bytes.is_empty() || bytes.len() > CONTENT_MAX {
            let message = format!(
                "is a file of {} bytes; 1 to {CONTENT_MAX} are accepted. Ask the bank for several files, or use its \
                 inbound folder",
                bytes.len()
            );
            return Err(wrong(at, message));
        }
        Ok(Self(bytes))
    }
    fn schema() -> Schema {
        json!({"type": "string", "contentEncoding": "base64", "minLength": 4, "maxLength": CONTENT_MAX.div_ceil(3) * 4})
    }
}

input! {
    /// A file of a bank, which a member has from its portal.
    pub struct NewInboundFile {
        /// The member (admin or payer).
        pub acting_user_id: MemberId,
        /// The connection to the bank.
        pub bank_connection_id: BankConnectionId,
        /// The name at the bank.
        pub name: Line<NAME_MAX>,
        /// The file in Base64, at most 8 MiB before encoding.
        pub content: Content,
    }
}

input! {
    /// Why a file is discarded, or a report ignored.
    pub struct InboundDismissal {
        /// The member (admin or payer).
        pub acting_user_id: MemberId,
        /// The reason: who at the bank, when, what was clarified.
        pub reason: LongText,
    }
}

input! {
    /// The payout that a return is about.
    pub struct BankItemMatch {
        /// The member (admin or payer).
        pub acting_user_id: MemberId,
        /// The payment: the id of its entry. It has the amount of the return, and was sent by the same connection.
        pub transfer_id: TransferId,
        /// How the member knows it: who at the bank, when, the reference.
        pub evidence: LongText,
    }
}

input! {
    /// The approval of what another member matched or assigned.
    pub struct BankItemApproval {
        /// The member (admin or payer).
        pub acting_user_id: MemberId,
        /// The version of the item that the member saw.
        pub version: i64,
    }
}

input! {
    /// What a line of a statement is.
    pub struct BankItemAssignment {
        /// The member (admin or payer).
        pub acting_user_id: MemberId,
        /// deposit: money of an app; organization: money of the organization's wallet; payments: the debit of files
        /// and payments; returns: the credit of returned payments; costs: a cost, or an income, of the organization.
        pub booked_as: BookedAs,
        /// The app of a deposit.
        pub app_id: Option<AppId>,
        /// The files that the bank debited whole. For the money before the first statement: those that the bank debited
        /// before that statement.
        pub bank_file_ids: Option<Vec<BankFileId>>,
        /// The payments that the bank debited one by one, or the returned payments that it credited.
        pub transfer_ids: Option<Vec<TransferId>>,
        /// How the member knows it: who at the bank, when, the reference.
        pub evidence: LongText,
    }
}

list_query! {
    /// The filters of the list of files that banks sent.
    pub struct InboundFilesQuery {
        /// Return only files of this connection.
        pub bank_connection_id: Option<BankConnectionId>,
        /// Return only files in this state.
        pub status: Option<InboundStatus>,
    }
}

list_query! {
    /// The filters of the list of reports.
    pub struct BankItemsQuery {
        /// Return only reports of this file.
        pub inbound_file_id: Option<InboundFileId>,
        /// Return only reports in this state.
        pub status: Option<ItemStatus>,
        /// Return only reports of this kind.
        pub kind: Option<ItemKind>,
        /// Return only lines of this settlement account.
        pub settlement_account_id: Option<SettlementAccountId>,
    }
}
