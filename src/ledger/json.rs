//! A transaction as JSON (docs/specification.md, Transfer, `transactions`).

use serde::Serialize;
use utoipa::ToSchema;

use super::model::{Transaction, TransactionKind};
use crate::clock::Time;
use crate::ids::{OrgId, TransferId};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

/// One movement between two ledger accounts.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TransactionJson {
    /// The number of the transaction in the organization's ledger.
    pub id: i64,
    /// Cents, as decimal text.
    #[schema(example = "1000")]
    pub amount: String,
    /// When it was posted.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The ledger account that the money left.
    pub source_name: String,
    /// The ledger account that received the money.
    pub destination_name: String,
    /// The purpose of the transaction.
    #[serde(rename = "type")]
    #[schema(value_type = TransactionKind)]
    pub kind: &'static str,
    /// The caller's note.
    #[schema(required)]
    pub metadata: Option<String>,
    /// The transfer that the transaction belongs to.
    #[schema(required)]
    pub transfer_id: Option<TransferId>,
    /// The transfer, in the list of transactions; null in a transfer's own list.
    #[schema(required, value_type = Option<Object>)]
    pub transfer: Option<serde_json::Value>,
}

pub fn json(transaction: &Transaction) -> TransactionJson {
    TransactionJson {
        id: transaction.number,
        amount: transaction.amount.to_string(),
        created: transaction.created_at,
        source_name: transaction.source_name.clone(),
        destination_name: transaction.destination_name.clone(),
        kind: transaction.kind.as_str(),
        metadata: transaction.metadata.clone(),
        transfer_id: transaction.transfer,
        transfer: None,
    }
}

/// Returns the transactions of a transfer in the app's part of the ledger, in the order of their posting. An app may
/// not read those in the organization's part.
pub fn transactions_in(world: &mut World, scope: Scope, transfer: TransferId) -> Result<Vec<TransactionJson>, Halt> {
    let transactions = world.all::<Transaction>(Transaction::BY_TRANSFER, key![scope.org, Some(transfer)])?;
    let own = transactions.iter().filter(|transaction| transaction.app == Some(scope.app));
    Ok(own.map(|transaction| json(transaction)).collect())
}

/// Returns all transactions of a transfer, in the order of their posting.
pub fn transactions_of(world: &mut World, org: OrgId, transfer: TransferId) -> Result<Vec<TransactionJson>, Halt> {
    let transactions = world.all::<Transaction>(Transaction::BY_TRANSFER, key![org, Some(transfer)])?;
    Ok(transactions.iter().map(|transaction| json(transaction)).collect())
}
