//! A bank account as JSON.

use serde::Serialize;
use utoipa::ToSchema;

use super::model::BankAccount;
use crate::clock::Time;
use crate::ids::BankAccountId;
use crate::payout_methods::AccountType;

/// An account at a US bank, of which people see the end of the number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = BankAccount)]
pub struct BankAccountJson {
    /// Its id: the account_id of payments.
    pub id: BankAccountId,
    /// The name on the account.
    pub name: String,
    /// The last four digits of its number.
    #[schema(example = "6789")]
    pub mask: String,
    /// The bank's number.
    #[schema(example = "110000000")]
    pub routing_number: String,
    /// The bank, where it is known.
    #[schema(required)]
    pub bank_name: Option<String>,
    /// checking or savings.
    pub account_type: AccountType,
    /// Whether it takes instant payments.
    pub rtp_enabled: bool,
    /// Whether it is in use; a removed one is not, nor one that a failure showed to be of no use.
    pub in_use: bool,
    /// When it was added.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
}

impl From<&BankAccount> for BankAccountJson {
    fn from(account: &BankAccount) -> Self {
        Self {
            id: account.id,
            name: account.name.clone(),
            mask: account.last4.clone(),
            routing_number: account.routing_number.clone(),
            bank_name: account.bank_name.clone(),
            account_type: account.account_type,
            rtp_enabled: account.rtp_enabled,
            in_use: account.in_use,
            created: account.created_at,
        }
    }
}
