//! The routes of transfers.

use super::rows;
use serde_json::json;

use super::json::inside_transaction;
use super::model::{Transfer, TransferKind, TransferStatus};
use super::{MoveBalance, TransferJson};
use crate::clock::Time;
use crate::http::lists::{self, LIMIT_MAX, ListEnvelope, PageRequest, list_query, of_app, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::{TransferId, UserId};
use crate::input::input;
use crate::input::types::{Integer, Metadata, SignedAmount, word_input};
use crate::ledger::{self, Transaction, TransactionJson, TransactionKind};
use crate::refusal::{Code, Refusal};
use crate::world::Query;
use uuid::Uuid;

word_input!(TransferKind);
word_input!(TransferStatus);

input! {
    /// A new transfer between the app and a user.
    pub struct NewTransfer {
        /// The user.
        pub user_id: UserId,
        /// Cents: below zero from the app to the user, above zero from the user to the app.
        pub amount: SignedAmount,
        /// A note: text, or an object, which is returned as its JSON text.
        pub metadata: Option<Metadata>,
    }
}

input! {
    /// The filters of the list of transfers.
    pub struct TransfersQuery {
        /// The number of objects on a page, 1 to 100; 10 if missing.
        pub limit: Option<Integer<1, LIMIT_MAX>>,
        /// Return the page after the transfer with this id.
        pub starting_after: Option<Uuid>,
        /// Return the page just before the transfer with this id.
        pub ending_before: Option<Uuid>,
        /// Return only transfers of this user.
        pub user_id: Option<UserId>,
        /// Return only transfers of this type.
        pub kind as "type": Option<TransferKind>,
        /// Return only transfers in this status.
        pub status: Option<TransferStatus>,
        /// Return only transfers created at this time or later.
        pub start_date: Option<Time>,
        /// Return only transfers created before this time.
        pub end_date: Option<Time>,
        /// Equal to start_date, as on every list.
        pub created_after: Option<Time>,
        /// Equal to end_date, as on every list.
        pub created_before: Option<Time>,
        /// Oldest first.
        pub reverse_order: Option<bool>,
    }
}

impl TransfersQuery {
    fn asked(&self) -> PageRequest {
        PageRequest {
            limit: self.limit.map(|limit| limit.0),
            starting_after: self.starting_after,
            ending_before: self.ending_before,
            created_after: self.start_date.max(self.created_after),
            created_before: [self.end_date, self.created_before].into_iter().flatten().min(),
            ascending: self.reverse_order.unwrap_or(false),
        }
    }

    /// Refuses a time that begins after its end, by the names that the caller sent.
    fn check_range(&self) -> Result<(), Refusal> {
        for from in [("start_date", self.start_date), ("created_after", self.created_after)] {
            for until in [("end_date", self.end_date), ("created_before", self.created_before)] {
                lists::check_range(from, until)?;
            }
        }
        Ok(())
    }

    fn narrow(&self, query: Query) -> Query {
        query.matching("user_id", self.user_id).matching("kind", self.kind).matching("status", self.status)
    }
}

/// POST /v2/transfers
pub async fn create(call: Call) -> Outcome {
    let scope = call.scope()?;
    let command = call.body::<NewTransfer>().map(|new| MoveBalance {
        scope,
        user: new.user_id,
        amount: new.amount.0,
        metadata: new.metadata.map(|metadata| metadata.0),
    });
    call.once(command, |(_, transfer)| Answer::ok(transfer)).await
}

/// GET /v2/transfers
pub async fn list(call: Call) -> Outcome {
    let scope = call.scope()?;
    let asked: TransfersQuery = call.query()?;
    asked.check_range()?;
    let seen = call
        .read(move |world| {
            let mine = of_app::<Transfer>(scope, "id");
            let page = page::<Transfer>(world, mine, &asked.asked(), |query| asked.narrow(query))?;
            let data = world.each(&page.records, |world, transfer| super::json(world, transfer))?;
            Ok(ListEnvelope { has_more: page.has_more, data })
        })
        .await?;
    Ok(Answer::ok(&seen))
}

/// GET /v2/transfers/{transfer_id}
pub async fn show(call: Call) -> Outcome {
    let (scope, id) = (call.scope()?, call.id("transfer_id", "transfer")?);
    let seen = call
        .read(move |world| {
            let transfer = rows::find(world, scope, id)?;
            super::json(world, &transfer)
        })
        .await?;
    Ok(Answer::ok(&seen))
}

list_query! {
    /// Selects transactions.
    pub struct TransactionsQuery by i64 {
        /// Only transactions of this transfer.
        pub transfer_id: Option<TransferId>,
        /// Only transactions of this type.
        pub kind as "type": Option<TransactionKind>,
    }
}

pub async fn list_transactions(call: Call) -> Outcome {
    let (scope, query) = (call.scope()?, call.query::<TransactionsQuery>()?);
    let list = call
        .read(move |world| {
            let mine = of_app::<Transaction>(scope, "number");
            let found = page::<Transaction>(world, mine, &query.asked(), |transactions| {
                transactions.matching("transfer", query.transfer_id).matching("kind", query.kind)
            })?;
            let data = world.each(&found.records, |world, transaction| {
                let transfer = match transaction.transfer {
                    Some(transfer) => inside_transaction(world, scope, transfer)?,
                    None => None,
                };
                Ok(TransactionJson { transfer, ..ledger::json(transaction) })
            })?;
            Ok(ListEnvelope { has_more: found.has_more, data })
        })
        .await?;
    Ok(Answer::ok(&list))
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/transfers" App "create_transfer" create)
            .about("Transfers", "Move money between the app and a user")
            .describe("A negative amount goes from the app to the user, a positive amount from the user to the app. A positive amount takes any money of the user's wallet with this app, also money of a claimed link that a bank returned. The user is not notified. The transfer completes immediately. Transfers to users count toward transfer_limits of the app's settings.")
            .takes::<NewTransfer>()
            .example(json!({"user_id": "019a0000-0000-7000-8000-000000000000", "amount": -1000}))
            .gives::<TransferJson>(200, "The transfer.")
            .refuses(&[Code::InsufficientFunds, Code::NotFound, Code::InvalidState, Code::UserInactive, Code::LimitExceeded]),
        route!(Get "/v2/transfers" App "list_transfers" list)
            .about("Transfers", "List transfers")
            .describe("Lists transfers, newest first; oldest first with reverse_order=true.")
            .asks::<TransfersQuery>()
            .gives::<ListEnvelope<TransferJson>>(200, "One page of the list."),
        route!(Get "/v2/transfers/{transfer_id}" App "get_transfer" show)
            .about("Transfers", "Get a transfer")
            .describe("Returns one transfer with its status and, after a failure or a return, the reason.")
            .gives::<TransferJson>(200, "The transfer.")
            .refuses(&[Code::NotFound]),
    ]
}

/// Returns the route of transactions, which show their transfers.
pub fn transaction_routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/transactions" App "list_transactions" list_transactions)
            .about("Transfers", "List the app's transactions")
            .describe(
                "Lists transactions with their transfers, newest first. starting_after and ending_before take a \
                 transaction's id, which is a number.",
            )
            .asks::<TransactionsQuery>()
            .gives::<ListEnvelope<TransactionJson>>(200, "One page of the list."),
    ]
}
