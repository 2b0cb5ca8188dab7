//! Payout link batches: 1 to 500 links that are submitted together and created one by one (docs/specification.md 15,
//! 16).
//!
//! A batch is checked as a whole and stored; the worker creates its links afterwards. Each row is a separate request
//! with its own key, in the key space of `POST /v2/payout-links`, and runs the same command. That makes a crash, a
//! second worker and a batch that is enqueued again harmless. Invariants: each row creates at most one link, and there
//! are as many results as rows (11); a failed row stops no other. A batch cannot be changed or canceled, but each of
//! its links can be canceled.
//!
//! Start at `submit.rs`, then `row.rs`.

mod csv_file;
mod finish;
mod http;
mod input;
mod json;
mod model;
mod plan;
mod results;
mod row;
mod rows;
pub mod rules;
mod submit;

pub use finish::{Begin, Finish};
pub use http::{link_request, routes};
pub use input::{NewBatch, ROWS_MAX};
pub use json::PayoutLinkBatchJson;
pub use model::{BatchRow, BatchStatus, PayoutLinkBatch, RowStatus, ValidatedRow};
pub use plan::{BatchPlanJson, plan};
pub use row::{ProcessRow, request};
pub use rows::{find, refuse_open, waiting};
pub use submit::{Submit, Submitted};
