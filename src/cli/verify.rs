//! `bursar verify`

use comfy_table::{ContentArrangement, Table};

use super::{Configured, Failed, say};
use crate::opened;
use crate::verify::{Report, verify};

/// Checks the store; fails when anything is found.
pub(super) fn run(configured: Configured, as_json: bool) -> Result<(), Failed> {
    let config = configured.load()?;
    let report = verify(&opened::read_only(&config)?).map_err(|error| Failed::Work(error.to_string()))?;
    let told = if as_json {
        serde_json::to_string(&report).expect("a report is plain data, which always serializes")
    } else {
        table(&report)
    };
    say(&told)?;
    match report.findings.len() {
        0 => Ok(()),
        1 => Err(Failed::Work("there is 1 finding".to_owned())),
        many => Err(Failed::Work(format!("there are {many} findings"))),
    }
}

fn table(report: &Report) -> String {
    let Report { accounts, transactions, entries, holds, events, payout_requests, batch_rows, payables, findings } =
        report;
    let seen = format!(
        "Checked {accounts} ledger accounts, {transactions} transactions, {entries} entries, {holds} holds, \
         {events} events, {payout_requests} payout requests, {batch_rows} rows of batches, {payables} payables."
    );
    if findings.is_empty() {
        return format!("{seen}\nEvery invariant that stored data can show holds.");
    }
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Dynamic).set_header(["invariant", "where", "what"]);
    for finding in findings {
        table.add_row([&finding.invariant.to_string(), &finding.place, &finding.what]);
    }
    format!("{seen}\n{table}")
}
