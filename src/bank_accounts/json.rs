use serde::Serialize;
use utoipa::ToSchema;

use super::model::{BankAccount, HolderType};
use crate::clock::Time;
use crate::ids::BankAccountId;
use crate::payout_methods::{AccountType, Validation};

/// A bank account in the United States. Only the last digits of its number are shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = BankAccount)]
pub struct BankAccountJson {
    /// The bank account's id, used as account_id in payments.
    pub id: BankAccountId,
    /// The account holder's name.
    pub name: String,
    /// The last four digits of the account number.
    #[schema(example = "6789")]
    pub mask: String,
    /// The bank's routing number.
    #[schema(example = "110000000")]
    pub routing_number: String,
    /// The bank's name, if it is known.
    #[schema(required)]
    pub bank_name: Option<String>,
    /// checking or savings.
    pub account_type: AccountType,
    /// individual or company; null if the request did not say it.
    #[schema(required)]
    pub holder_type: Option<HolderType>,
    /// Whether the account takes instant payments.
    pub rtp_enabled: bool,
    /// Whether the account can be used. False after it was removed or disabled by a failure.
    pub in_use: bool,
    /// When the account was validated for entries in files of a bank; null if nothing validated it.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub validated_at: Option<Time>,
    /// What validated it.
    #[schema(required)]
    pub validation: Option<Validation>,
    /// When the account was added.
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
            holder_type: account.holder_type,
            rtp_enabled: account.rtp_enabled,
            in_use: account.in_use,
            validated_at: account.validated_at,
            validation: account.validation,
            created: account.created_at,
        }
    }
}
