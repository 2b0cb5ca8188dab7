//! Creates the links of a payout link batch: many rows in parallel, each with its own command.

use std::sync::Arc;

use futures::future::join_all;

use crate::ids::PayoutLinkBatchId;
use crate::jobs::Leased;
use crate::payout_link_batches::{BatchRow, Begin, Finish, PayoutLinkBatch, ProcessRow, link_request, waiting};
use crate::program::Bursar;
use crate::refusal::Refusal;
use crate::world::record::key;

/// Rows processed in parallel. They share a commit, and leave room in it for requests.
const ROWS_AT_ONCE: usize = 64;

/// Creates the links of all waiting rows. A crash or a second worker duplicates nothing: a finished row no longer
/// waits, and an interrupted one has created its link or nothing.
pub(super) async fn process(bursar: &Arc<Bursar>, leased: Leased, id: PayoutLinkBatchId) -> Result<(), Refusal> {
    bursar.engine.run(leased.org, Begin { leased: leased.clone(), batch: id }).await?;
    loop {
        let org = leased.org;
        let (batch, rows) = bursar
            .read(move |world| {
                let batch = world.get::<PayoutLinkBatch>(key![org, id])?;
                let batch = batch.ok_or_else(|| Refusal::not_found("payout link batch"))?;
                Ok((batch, world.page::<BatchRow>(&waiting(org, id, ROWS_AT_ONCE))?))
            })
            .await?;
        if rows.is_empty() {
            return bursar.engine.run(leased.org, Finish { leased, batch: id }).await;
        }
        let commands = rows.iter().map(|row| bursar.engine.run(leased.org, command(bursar, &leased, &batch, row)));
        for done in join_all(commands).await {
            done?;
        }
    }
}

fn command(bursar: &Arc<Bursar>, leased: &Leased, batch: &PayoutLinkBatch, row: &BatchRow) -> ProcessRow {
    let make = link_request(bursar, batch.scope(), &row.asked.0);
    ProcessRow { leased: leased.clone(), batch: batch.id, number: row.number, make }
}
