//! A transaction as JSON (docs/specification.md, Transfer, `transactions`).

use serde::Serialize;
use utoipa::ToSchema;

use super::model::Transaction;
use crate::clock::Time;
use crate::ids::{OrgId, TransferId};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

/// One movement between two places.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TransactionJson {
    /// Its number in the organization's book.
    pub id: i64,
    /// Cents, as decimal text.
    #[schema(example = "1000")]
    pub amount: String,
    /// When it was posted.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// Where the money came from.
    pub source_name: String,
    /// Where it went.
    pub destination_name: String,
    /// balance, refill, payout, payment, fee, surrogate.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The caller's note.
    #[schema(required)]
    pub metadata: Option<String>,
    /// The transfer that it is a part of.
    #[schema(required)]
    pub transfer_id: Option<TransferId>,
    /// The transfer, in the list of transactions; null inside of a transfer.
    #[schema(required, value_type = Option<Object>)]
    pub transfer: Option<serde_json::Value>,
}

/// One transaction.
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

/// The transactions of a transfer in the app's own book, in the order of their posting. What moved in the
/// organization's book is not the app's to see.
pub fn transactions_in(world: &mut World, scope: Scope, transfer: TransferId) -> Result<Vec<TransactionJson>, Halt> {
    let transactions = world.all::<Transaction>(Transaction::BY_TRANSFER, key![scope.org, Some(transfer)])?;
    let own = transactions.iter().filter(|transaction| transaction.app == Some(scope.app));
    Ok(own.map(|transaction| json(transaction)).collect())
}

/// The transactions of a transfer in all books, in the order of their posting.
pub fn transactions_of(world: &mut World, org: OrgId, transfer: TransferId) -> Result<Vec<TransactionJson>, Halt> {
    let transactions = world.all::<Transaction>(Transaction::BY_TRANSFER, key![org, Some(transfer)])?;
    Ok(transactions.iter().map(|transaction| json(transaction)).collect())
}
