use serde::Serialize;
use utoipa::ToSchema;

use super::model::{BookingGrain, SettlementAccount, StatementKind};
use crate::banking::setup::SetupStatus;
use crate::clock::Time;
use crate::ids::{BankConnectionId, MemberId, SettlementAccountId};
use crate::payout_methods::AccountType;

/// An account of the organization at its bank.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SettlementAccountJson {
    /// The account's id.
    pub id: SettlementAccountId,
    /// When the account was added.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The state.
    pub status: SetupStatus,
    /// The connection.
    pub bank_connection_id: BankConnectionId,
    /// The account's name.
    pub name: String,
    /// The currency, by ISO 4217.
    #[schema(example = "USD")]
    pub currency: String,
    /// checking or savings.
    pub account_type: AccountType,
    /// The bank's routing number.
    #[schema(example = "011000015")]
    pub routing_number: String,
    /// The last four digits of the account number.
    #[schema(example = "6789")]
    pub mask: String,
    /// How the bank reports the account's lines.
    pub statement_kind: StatementKind,
    /// What the bank books as one line.
    pub booking_grain: BookingGrain,
    /// The member who added it.
    pub made_by: MemberId,
    /// The member who approved it.
    #[schema(required)]
    pub approved_by: Option<MemberId>,
    /// When it was approved.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub approved: Option<Time>,
    /// The member who ended it.
    #[schema(required)]
    pub ended_by: Option<MemberId>,
    /// When it was ended.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub ended: Option<Time>,
}

impl From<&SettlementAccount> for SettlementAccountJson {
    fn from(account: &SettlementAccount) -> Self {
        Self {
            id: account.id,
            created: account.created_at,
            status: account.status,
            bank_connection_id: account.connection,
            name: account.name.clone(),
            currency: account.currency.clone(),
            account_type: account.account_type,
            routing_number: account.routing_number.clone(),
            mask: account.last4.clone(),
            statement_kind: account.statement_kind,
            booking_grain: account.booking_grain,
            made_by: account.made_by,
            approved_by: account.approved_by,
            approved: account.approved_at,
            ended_by: account.ended_by,
            ended: account.ended_at,
        }
    }
}
