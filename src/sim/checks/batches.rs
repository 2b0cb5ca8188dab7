//! Checks payout link batches against the requests of their senders (11): every row sent is stored, has at most one
//! link of the requested amount, and agrees with the counts and status of its batch.
//!
//! The client marks each row in its metadata, which its link copies. So a link is matched to its row independently of
//! the product.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::super::requests::{Request, Wish};
use super::changed::{Changed, changed};
use crate::http::{Answer, Content};
use crate::ids::{OrgId, PayoutLinkBatchId, PayoutLinkId};
use crate::ledger::verify::Finding;
use crate::payout_link_batches::{BatchRow, BatchStatus, PayoutLinkBatch, RowStatus};
use crate::payout_links::PayoutLink;
use crate::scope::Scope;
use crate::store::memory::Change;
use crate::world::Record as _;

/// The errors with which a well-formed row may fail.
const MAY_FAIL: [&str; 3] = ["transaction-insufficient-funds", "limit-exceeded", "idempotency-key-reused"];

struct Sent {
    scope: Scope,
    amount: i64,
}

#[derive(Default)]
struct Tally {
    total: i64,
    amount: i64,
    succeeded: i64,
    failed: i64,
    succeeded_amount: i64,
    /// Rows that failed because their payee was erased before they were processed.
    erased: i64,
}

#[derive(Default)]
pub(super) struct Batches {
    /// By mark.
    sent: HashMap<i64, Sent>,
    /// By row, because an erasure removes the mark from the row.
    marks: HashMap<(OrgId, PayoutLinkBatchId, i64), i64>,
    /// The link of each mark.
    made: HashMap<i64, PayoutLinkId>,
    tallies: HashMap<(OrgId, PayoutLinkBatchId), Tally>,
    ended: HashSet<(OrgId, PayoutLinkBatchId)>,
    /// The batch id that was returned for these rows of an app.
    reported: HashMap<(Scope, String), String>,
}

impl Batches {
    pub(super) fn sent(&mut self, request: &Request) {
        let Wish::SubmitBatch(rows) = &request.wish else { return };
        for row in rows {
            let (Some(mark), Some(amount)) = (mark_of(&row["metadata"]), row["amount_cents"].as_i64()) else {
                continue;
            };
            self.sent.insert(mark, Sent { scope: request.scope, amount });
        }
    }

    /// Checks that the same rows always return the same batch, and other rows another.
    pub(super) fn answered(&mut self, request: &Request, answer: &Answer) -> Option<Finding> {
        let (Wish::SubmitBatch(rows), Content::Json(body)) = (&request.wish, &answer.content) else { return None };
        if answer.status >= 400 {
            return None;
        }
        let body: Value = serde_json::from_str(body).ok()?;
        let id = body["id"].as_str()?.to_owned();
        let place = format!("payout link batch {id}");
        if body["rows"].as_u64() != u64::try_from(rows.len()).ok() {
            return Some(broken("returned another number of rows than were sent", place));
        }
        let same = (request.scope, Value::Array(rows.clone()).to_string());
        let before = self.reported.entry(same).or_insert_with(|| id.clone());
        (*before != id).then(|| broken(&format!("has the rows of batch {before}"), place))
    }

    pub(super) fn commit(&mut self, changes: &[Change]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for link in changed::<PayoutLink>(changes).filter(|change| change.before.is_none()).filter_map(|it| it.after) {
            let mark = link.metadata.as_deref().and_then(|text| mark_of(&serde_json::from_str(text).ok()?));
            let Some(mark) = mark.filter(|mark| self.sent.contains_key(mark)) else { continue };
            let first = *self.made.entry(mark).or_insert(link.id);
            if first != link.id {
                findings.push(broken(&format!("the row {mark} had already created {first}"), place_of(&link)));
            }
        }
        for change in changed::<BatchRow>(changes) {
            findings.extend(
                self.row(&change)
                    .map(|(what, row)| broken(what, format!("row {} of payout link batch {}", row.number, row.batch))),
            );
        }
        for batch in changed::<PayoutLinkBatch>(changes).filter_map(|change| change.after) {
            let what = self.batch(&batch);
            findings.extend(what.map(|what| broken(what, format!("payout link batch {}", batch.id))));
        }
        findings
    }

    /// Returns a batch that is unfinished when no job is left.
    pub(super) fn left_over(&self) -> Option<Finding> {
        let waits = self.tallies.keys().find(|id| !self.ended.contains(*id));
        waits.map(|(_, id)| Finding {
            invariant: 20,
            what: "is not complete".to_owned(),
            place: format!("payout link batch {id}"),
        })
    }

    /// Returns the fault of a written row.
    fn row(&mut self, change: &Changed<BatchRow>) -> Option<(&'static str, BatchRow)> {
        let is = |what: &'static str, row: &BatchRow| Some((what, row.clone()));
        let Some(after) = change.after.as_deref() else { return is("is missing", change.before.as_deref()?) };
        let asked = &after.asked.0;
        let place = (after.org, after.batch, after.number);
        let is_erased = change.before.is_some() && asked.metadata.is_none();
        let mark = if is_erased { self.marks.get(&place).copied() } else { asked.metadata.as_ref().and_then(mark_of) };
        let Some((mark, sent)) = mark.and_then(|mark| Some((mark, self.sent.get(&mark)?))) else {
            return is("was sent by no client", after);
        };
        if asked.amount_cents.get() != sent.amount || after.org != sent.scope.org {
            return is("differs from the sent one", after);
        }
        self.marks.insert(place, mark);
        let tally = self.tallies.entry((after.org, after.batch)).or_default();
        if let Some(before) = change.before.as_deref().filter(|_| is_erased) {
            let was_done = before.status != RowStatus::Waiting;
            if !was_done {
                tally.failed += 1;
                tally.erased += 1;
            }
            let row = |row: &BatchRow| (BatchRow::TABLE.encode)(row);
            if row(&erased(before, was_done)) != row(after) {
                return is("was erased, and other data changed", after);
            }
            return if !was_done && self.made.contains_key(&mark) { is("failed and has a link", after) } else { None };
        }
        match &change.before {
            None => {
                tally.total += 1;
                tally.amount += sent.amount;
            }
            Some(before) if before.status != RowStatus::Waiting || before.asked != after.asked => {
                return is("was changed after it was done", after);
            }
            Some(_) => {}
        }
        match (after.status, after.payout_link, after.error_code.as_deref()) {
            (RowStatus::Waiting, None, None) => None,
            (RowStatus::Succeeded, Some(link), None) => {
                tally.succeeded += 1;
                tally.succeeded_amount += sent.amount;
                if self.made.get(&mark) == Some(&link) { None } else { is("names a link that is not its own", after) }
            }
            (RowStatus::Failed, None, Some(code)) => {
                tally.failed += 1;
                // A row that was sent again in another batch, after its payee's erasure deleted the response of its key.
                let was_elsewhere = || self.marks.iter().any(|(row, marked)| *marked == mark && *row != place);
                if self.made.contains_key(&mark) && !(code == "idempotency-key-reused" && was_elsewhere()) {
                    return is("failed and has a link", after);
                }
                if MAY_FAIL.contains(&code) { None } else { is("failed without a valid reason", after) }
            }
            (RowStatus::Waiting | RowStatus::Succeeded | RowStatus::Failed, _, _) => {
                is("has a status that contradicts its link and its error", after)
            }
        }
    }

    /// Returns the fault of a written batch.
    fn batch(&mut self, batch: &PayoutLinkBatch) -> Option<&'static str> {
        let id = (batch.org, batch.id);
        let Some(tally) = self.tallies.get(&id) else { return Some("has no rows") };
        if (tally.total, tally.amount) != (batch.total, batch.amount.get()) {
            return Some("lacks the rows that were sent");
        }
        if (tally.succeeded, tally.failed, tally.succeeded_amount)
            != (batch.succeeded, batch.failed, batch.succeeded_amount.get())
        {
            return Some("counts its rows wrong");
        }
        let is_done = tally.succeeded + tally.failed == tally.total;
        let right = match batch.status {
            BatchStatus::Submitted => tally.succeeded == 0 && tally.failed == tally.erased,
            BatchStatus::Processing => true,
            BatchStatus::Completed => is_done && tally.failed == 0,
            BatchStatus::CompletedWithErrors => is_done && tally.failed > 0,
        };
        match batch.status {
            BatchStatus::Completed | BatchStatus::CompletedWithErrors => {
                self.ended.insert(id);
            }
            BatchStatus::Submitted | BatchStatus::Processing if self.ended.contains(&id) => {
                return Some("continued after its end");
            }
            BatchStatus::Submitted | BatchStatus::Processing => {}
        }
        (!right).then_some("has a status that contradicts its rows")
    }
}

/// Returns the row without its payee's data. A waiting row fails, because its link would be for any holder.
fn erased(row: &BatchRow, was_done: bool) -> BatchRow {
    let mut row = row.clone();
    let asked = &mut row.asked.0;
    (asked.first_name, asked.last_name, asked.email) = (None, None, None);
    (asked.country_code, asked.phone_number, asked.memo, asked.metadata) = (None, None, None, None);
    row.error_message = None;
    if !was_done {
        row.status = RowStatus::Failed;
        row.error_code = Some("user-inactive".to_owned());
    }
    row
}

fn mark_of(metadata: &Value) -> Option<i64> {
    metadata["mark"].as_i64()
}

fn place_of(link: &PayoutLink) -> String {
    format!("payout link {}", link.id)
}

fn broken(what: &str, place: String) -> Finding {
    Finding { invariant: 11, what: what.to_owned(), place }
}
