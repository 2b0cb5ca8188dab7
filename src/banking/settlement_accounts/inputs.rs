//! Inputs of requests about settlement accounts, and the sealing of the number before a command sees it.

use std::fmt;

use super::model::{BookingGrain, StatementKind};
use super::rows::fingerprint;
use crate::bank::{AccountNumber, RoutingNumber};
use crate::banking::setup::SetupStatus;
use crate::banking::texts::Currency;
use crate::http::lists::list_query;
use crate::ids::{BankConnectionId, MemberId};
use crate::input::input;
use crate::input::types::{Name, word_input};
use crate::payout_methods::AccountType;
use crate::vault::{Unsealed, Vault};

word_input!(StatementKind);
word_input!(BookingGrain);

input! {
    /// A new settlement account.
    pub struct NewSettlementAccount {
        /// The member who adds it (admin).
        pub acting_user_id: MemberId,
        /// The connection.
        pub bank_connection_id: BankConnectionId,
        /// The account's name.
        pub name: Name,
        /// The currency, by ISO 4217; only USD.
        pub currency: Currency,
        /// Four to seventeen digits. Stored encrypted; responses show the last four.
        pub account_number: AccountNumber,
        /// Nine digits; the last is a check digit.
        pub routing_number: RoutingNumber,
        /// checking or savings.
        pub account_type: AccountType,
        /// How the bank reports the account's lines: bai2, camt053 or manual.
        pub statement_kind: StatementKind,
        /// What the bank books as one line: entry, batch, file or day.
        pub booking_grain: BookingGrain,
    }
}

/// An account number for a command, which seals it into the row that it adds.
#[derive(Clone)]
pub struct SealedNumber {
    pub last4: String,
    pub number: Unsealed,
    pub fingerprint: Vec<u8>,
}

impl fmt::Debug for SealedNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealedNumber(***{})", self.last4)
    }
}

impl NewSettlementAccount {
    /// Returns the number for a command. `nonce` must never be used twice.
    #[must_use]
    pub fn sealed(&self, vault: &Vault, nonce: [u8; 24]) -> SealedNumber {
        let digits = self.account_number.expose().as_bytes();
        SealedNumber {
            last4: self.account_number.last4().to_owned(),
            number: Unsealed::new(vault, digits, nonce),
            fingerprint: fingerprint(self.routing_number.as_str(), digits, vault),
        }
    }
}

input! {
    /// The member who acts.
    pub struct SettlementAccountAct {
        /// The member.
        pub acting_user_id: MemberId,
    }
}

list_query! {
    /// The filters of the list of settlement accounts.
    pub struct SettlementAccountsQuery {
        /// Return only accounts of this connection.
        pub bank_connection_id: Option<BankConnectionId>,
        /// Return only accounts in this state.
        pub status: Option<SetupStatus>,
    }
}
