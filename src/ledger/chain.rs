//! The hash chain over an organization's transactions and their entries.
//!
//! Only the newest link is stored, in the ledger's own row, so a payout writes no extra row for it. `bursar verify`
//! computes all links again, by transaction number.

use super::model::{Entry, Transaction};
use crate::chain::ChainKey;

/// Returns the link of a transaction with its two entries to the previous transaction.
pub fn link(chain: &ChainKey, before: &[u8], transaction: &Transaction) -> Vec<u8> {
    let Transaction { org, number, app, posting, transfer, kind, amount, source, destination, created_at, .. } =
        transaction;
    let link = chain.begin("transaction").part(before).id(org.0).number(*number);
    let link = link.maybe(app.as_ref().map(|app| app.0.as_bytes().as_slice())).id(posting.0);
    let link = link.maybe(transfer.as_ref().map(|transfer| transfer.0.as_bytes().as_slice()));
    let link = link.part(kind.as_str().as_bytes()).number(amount.get()).id(source.0).id(destination.0);
    let link = link.part(transaction.source_name.as_bytes()).part(transaction.destination_name.as_bytes());
    let link = link.maybe(transaction.metadata.as_ref().map(String::as_bytes)).number(created_at.micros());
    transaction
        .entries()
        .into_iter()
        .fold(link, |link, entry| {
            let Entry { account, number, amount, balance_after, created_at } = entry;
            let link = link.id(account.0).number(number).number(amount.get()).number(balance_after.get());
            link.number(created_at.micros())
        })
        .end()
}
