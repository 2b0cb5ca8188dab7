//! Payout link batches, read as the handler reads them.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::system::Batch;
use super::{Request, Said, Who, input};
use crate::http::Answer;
use crate::payout_link_batches::{NewBatch, Submit, Submitted};
use crate::vault::Vault;

impl Request {
    /// Sends the rows. One malformed row rejects the whole batch.
    pub(super) fn send_batch(&self, rows: &[Value], batch: &mut Batch<Who, Said>, vault: &Arc<Vault>) {
        let scope = self.scope;
        let new = input::<NewBatch>(&json!({"links": rows}));
        let command = new.map(|new| {
            let (rows, fingerprint) = new.into_rows(vault);
            Submit { scope, rows, fingerprint }
        });
        self.once_if(batch, vault, command, |Submitted { id, rows, again }: &Submitted| {
            let shown = json!({"id": id, "rows": rows.len()});
            if *again { Answer::ok(&shown) } else { Answer::created(&shown) }
        });
    }
}
