//! The routes of payout link batches.

use super::{csv_file, rows};
use std::sync::Arc;

use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::json::{BatchResultJson, PayoutLinkBatchJson, SubmittedJson};
use super::model::{BatchRow, BatchStatus, PayoutLinkBatch, RowStatus};
use super::plan::{BatchPlanJson, name_of, plan};
use super::{NewBatch, Submit, Submitted, ValidatedRow, results, row};
use crate::http::lists::{LIMIT_MAX, ListEnvelope, PageRequest, list_query, of_app, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Content, Outcome, Route};
use crate::idempotency::{Keyed, Once};
use crate::input::input;
use crate::input::types::{Integer, LongText, word_input};
use crate::payout_links::{self, NewToken};
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::query::Query;
use crate::world::record::{Cell as _, key};
use crate::world::{Halt, World};

word_input!(BatchStatus);
word_input!(RowStatus);

input! {
    /// The mode of a submission.
    pub struct SubmitQuery {
        /// true: check and plan the whole batch, and create and store nothing.
        pub dry_run: Option<bool>,
        /// For a CSV file with other names of columns: a JSON object of fields and names, such as
        /// {"phone_number": "Phone", "amount": "Amount"}. Columns that it does not name are left out.
        pub columns: Option<LongText>,
    }
}

list_query! {
    /// The filters of the list of batches.
    pub struct BatchesQuery {
        /// Return only batches in this status.
        pub status: Option<BatchStatus>,
    }
}

input! {
    /// Selects rows of a batch. A cursor is the position of a row.
    pub struct RowsQuery {
        /// The number of rows on a page, 1 to 100; 10 if missing.
        pub limit: Option<Integer<1, LIMIT_MAX>>,
        /// Return the page after the row with this id.
        pub starting_after: Option<i64>,
        /// Return the page just before the row with this id.
        pub ending_before: Option<i64>,
        /// Return only rows in this status.
        pub status: Option<RowStatus>,
    }
}

impl RowsQuery {
    /// Returns the page, in the order of the batch.
    fn asked(&self) -> PageRequest<i64> {
        PageRequest {
            limit: self.limit.map(|limit| limit.0),
            starting_after: self.starting_after,
            ending_before: self.ending_before,
            ascending: true,
            ..PageRequest::default()
        }
    }
}

/// The body of a 200: a batch that was enqueued again, or a plan.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = EnqueuedOrPlanned)]
#[allow(clippy::large_enum_variant, reason = "it describes an answer and is never stored")]
pub enum EnqueuedOrPlannedJson {
    /// Enqueued again.
    Enqueued(SubmittedJson),
    /// Planned.
    Planned(BatchPlanJson),
}

/// Returns the request of a row, as the running program makes it.
pub fn link_request(bursar: &Arc<Bursar>, scope: Scope, row: &ValidatedRow) -> Once {
    let token = NewToken::draw(&bursar.vault, &mut bursar.entropy());
    let made = bursar.clone();
    let once = row::request(&bursar.vault, scope, row, token, move |link| payout_links::made(&made, link));
    let context = bursar.error_context(None);
    Once { keyed: once.keyed.map(|keyed| Keyed { context, ..keyed }), ..once }
}

/// POST /v2/payout-link-batches
pub async fn submit(call: Call) -> Outcome {
    let scope = call.scope()?;
    let asked: SubmitQuery = call.query()?;
    if asked.columns.is_some() && !call.is_csv {
        return Err(Refusal::field(Code::InvalidInput, "columns", "applies to a body of Content-Type: text/csv only"));
    }
    let rows = call.body::<NewBatch>().map(|new| new.into_rows(&call.bursar.vault));
    if asked.dry_run == Some(true) {
        let (rows, fingerprint) = rows?;
        let bursar = call.bursar.clone();
        let names = bursar.look_up(rows.iter().map(name_of).collect()).await?;
        let rows: Vec<_> = rows.into_iter().map(|row| (link_request(&bursar, scope, &row), row)).collect();
        let planned = call.read(move |world| plan(world, scope, &names, &rows, &fingerprint)).await?;
        return Ok(Answer::ok(&EnqueuedOrPlannedJson::Planned(planned)));
    }
    let command = rows.map(|(rows, fingerprint)| Submit { scope, rows, fingerprint });
    call.once(command, |Submitted { id, rows, again }| {
        let shown = SubmittedJson { success: true, id: *id, validated_rows: rows.clone() };
        if *again { Answer::ok(&EnqueuedOrPlannedJson::Enqueued(shown)) } else { Answer::created(&shown) }
    })
    .await
}

/// GET /v2/payout-link-batches
pub async fn list(call: Call) -> Outcome {
    let scope = call.scope()?;
    let asked: BatchesQuery = call.query()?;
    let found = call
        .read(move |world| {
            let mine = of_app::<PayoutLinkBatch>(scope, "id");
            page::<PayoutLinkBatch>(world, mine, &asked.asked(), |query| query.matching("status", asked.status))
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|batch| PayoutLinkBatchJson::from(batch))))
}

/// GET /v2/payout-link-batches/{payout_link_batch_id}
pub async fn show(call: Call) -> Outcome {
    let (scope, id) = (call.scope()?, call.id("payout_link_batch_id", "payout link batch")?);
    let batch = call.read(move |world| rows::find(world, scope, id)).await?;
    Ok(Answer::ok(&PayoutLinkBatchJson::from(&*batch)))
}

/// Returns the addresses of the rows' links.
fn addresses(
    world: &mut World,
    bursar: &Bursar,
    scope: Scope,
    rows: &[Arc<BatchRow>],
) -> Result<Vec<Option<String>>, Halt> {
    world.each(rows, |world, row| match row.payout_link {
        Some(link) => {
            let link = payout_links::find(world, scope, link)?;
            Ok(payout_links::address(bursar, &link))
        }
        None => Ok(None),
    })
}

/// GET /v2/payout-link-batches/{payout_link_batch_id}/rows
pub async fn list_rows(call: Call) -> Outcome {
    let (scope, id) = (call.scope()?, call.id("payout_link_batch_id", "payout link batch")?);
    let asked: RowsQuery = call.query()?;
    let bursar = call.bursar.clone();
    let found = call
        .read(move |world| {
            let batch = rows::find(world, scope, id)?;
            let of_batch = Query::of::<BatchRow>(scope.org.to_value(), "number", 1).equal("batch", batch.id);
            let found =
                page::<BatchRow>(world, of_batch, &asked.asked(), |query| query.matching("status", asked.status))?;
            let addresses = addresses(world, &bursar, scope, &found.records)?;
            let rows = found.records.iter().zip(addresses);
            let data = rows.map(|(row, address)| BatchResultJson::new(row, address)).collect();
            Ok(ListEnvelope { has_more: found.has_more, data })
        })
        .await?;
    Ok(Answer::ok(&found))
}

/// GET /v2/payout-link-batches/{payout_link_batch_id}/results
pub async fn show_results(call: Call) -> Outcome {
    let (scope, id) = (call.scope()?, call.id("payout_link_batch_id", "payout link batch")?);
    let bursar = call.bursar.clone();
    let file = call
        .read(move |world| {
            let batch = rows::find(world, scope, id)?;
            let rows = world.all::<BatchRow>(BatchRow::OF_BATCH, key![scope.org, batch.id])?;
            let addresses = addresses(world, &bursar, scope, &rows)?;
            let rows = rows.iter().map(|row| &**row).zip(addresses);
            results::csv(rows).map_err(|_| Refusal::new(Code::InternalError, "The file could not be written.").into())
        })
        .await?;
    let name = format!("attachment; filename=\"payout-link-batch-{id}.csv\"");
    let answer = Answer { content: Content::Csv(file), ..Answer::empty(200) };
    Ok(answer.header("content-disposition", name))
}

pub fn routes() -> Vec<Route> {
    let results = "Returns the result of each row so far: the columns of the input, then status (succeeded, failed), \
                   payout_link_id, link, error_code and error_message, which are empty until the row is done. \
                   succeeded means that the link exists, not that it was delivered or paid. The file begins with a \
                   UTF-8 byte order mark; text that a spreadsheet would execute gets an apostrophe before it. Without the \
                   columns after the input, the file can be submitted again; a row that succeeded gives the same link.";
    vec![
        route!(Post "/v2/payout-link-batches" App "submit_payout_link_batch" submit)
            .about("Payout link batches", "Submit 1 to 500 payout links")
            .describe(
                "Validates all rows together, then creates the links one by one, each with its row's idempotency key, \
                 like POST /v2/payout-links. Identical rows are the same batch: a repeated call enqueues it again \
                 while it is submitted, and returns 409 afterwards. With dry_run=true, nothing is created or stored. \
                 The body may be a CSV file in UTF-8 instead (Content-Type: text/csv): its first line names the fields, \
                 amount_cents takes whole cents, and a column amount takes dollars such as 1250.50.",
            )
            .asks::<SubmitQuery>()
            .takes::<NewBatch>()
            .or_csv(csv_file::read)
            .example(json!({"links": [{
                "email": "jane@example.com",
                "delivery_method": "email",
                "amount_cents": 1000,
                "memo": "March",
                "idempotency_key": "0b7e3c0a-8f3a-4c1e-9d52-6a7e1f2b3c4d"
            }]}))
            .gives::<SubmittedJson>(201, "The batch.")
            .gives::<EnqueuedOrPlannedJson>(200, "The existing batch, enqueued again; or, with dry_run, the plan.")
            .refuses(&[Code::BatchAlreadyProcessed, Code::InvalidPhoneNumber, Code::InvalidEmail]),
        route!(Get "/v2/payout-link-batches" App "list_payout_link_batches" list)
            .about("Payout link batches", "List payout link batches")
            .describe("Lists the app's batches, newest first, without their rows.")
            .asks::<BatchesQuery>()
            .gives::<ListEnvelope<PayoutLinkBatchJson>>(200, "One page of the list."),
        route!(Get "/v2/payout-link-batches/{payout_link_batch_id}" App "get_payout_link_batch" show)
            .about("Payout link batches", "Get a payout link batch")
            .describe("Returns the batch with its progress.")
            .gives::<PayoutLinkBatchJson>(200, "The batch.")
            .refuses(&[Code::NotFound]),
        route!(Get "/v2/payout-link-batches/{payout_link_batch_id}/rows" App "list_payout_link_batch_rows" list_rows)
            .about("Payout link batches", "List the rows of a payout link batch")
            .describe("Returns the rows in the order of the batch, each with its data and its result so far.")
            .asks::<RowsQuery>()
            .gives::<ListEnvelope<BatchResultJson>>(200, "One page of the list.")
            .refuses(&[Code::NotFound]),
        route!(Get "/v2/payout-link-batches/{payout_link_batch_id}/results" App "get_payout_link_batch_results" show_results)
            .about("Payout link batches", "Get the results of a payout link batch as CSV")
            .describe(results)
            .gives_file(200, "The CSV file.", "text/csv")
            .refuses(&[Code::NotFound]),
        route!(Get "/v2/payout-link-batches/{payout_link_batch_id}/results.csv" App "get_payout_link_batch_results_csv" show_results)
            .about("Payout link batches", "Download the results of a payout link batch as CSV")
            .describe("Returns the same file as the path without .csv, for clients that name a download by its path.")
            .gives_file(200, "The CSV file.", "text/csv")
            .refuses(&[Code::NotFound]),
    ]
}
