//! `bursar bank statements`, `reconcile`, `alarms` and `deposit-references`: over HTTP.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::bank_files::{dollars, list, show, table};
use super::bank_set_up::{Acting, change};
use super::terminal::{Failed, say};

#[derive(Subcommand)]
pub(super) enum StatementVerb {
    /// List the newest statements
    List {
        /// Id of a settlement account
        #[arg(long, value_name = "ID")]
        settlement_account: Option<Uuid>,
        /// List only statements in this state: waiting, applied, quarantined or discarded
        #[arg(long, value_name = "STATUS")]
        status: Option<String>,
        #[command(flatten)]
        acting: Acting,
    },
    /// Show a statement
    Show {
        /// Id of the statement
        id: Uuid,
        #[command(flatten)]
        acting: Acting,
    },
    /// Confirm that the bank has no statement between a waiting one and the last applied one
    Confirm {
        /// Id of the statement
        id: Uuid,
        /// How you know it: who at the bank, when
        #[arg(long, value_name = "TEXT")]
        evidence: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Discard a statement that is not applied
    Discard {
        /// Id of the statement
        id: Uuid,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Restore a statement that was discarded by mistake
    Restore {
        /// Id of the statement
        id: Uuid,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        acting: Acting,
    },
}

pub(super) fn statements(verb: StatementVerb) -> Result<(), Failed> {
    match verb {
        StatementVerb::List { settlement_account, status, acting } => {
            let of_account = settlement_account.map(|id| format!("&settlement_account_id={id}")).unwrap_or_default();
            let in_state = status.map(|status| format!("&status={status}")).unwrap_or_default();
            let rows = list(&format!("/v2/bank/statements?limit=100{of_account}{in_state}"), &acting)?;
            let columns = ["id", "date", "status", "reason", "opening", "closing", "line_count"];
            table(&["ID", "DATE", "STATUS", "REASON", "OPENING", "CLOSING", "LINES"], &columns, &rows, &acting)
        }
        StatementVerb::Show { id, acting } => show(&format!("/v2/bank/statements/{id}"), &acting),
        StatementVerb::Confirm { id, evidence, acting } => {
            change(Method::POST, &format!("/v2/bank/statements/{id}/confirm"), json!({"evidence": evidence}), &acting)
        }
        StatementVerb::Discard { id, reason, acting } => {
            change(Method::POST, &format!("/v2/bank/statements/{id}/discard"), json!({"reason": reason}), &acting)
        }
        StatementVerb::Restore { id, reason, acting } => {
            change(Method::POST, &format!("/v2/bank/statements/{id}/restore"), json!({"reason": reason}), &acting)
        }
    }
}

pub(super) fn references(acting: &Acting) -> Result<(), Failed> {
    let rows = json!({"data": list("/v2/bank/deposit-references", acting)?});
    table(&["APP", "NAME", "REFERENCE"], &["app_id", "name", "reference"], &rows, acting)
}

pub(super) fn alarms(acting: &Acting) -> Result<(), Failed> {
    let found = list("/v2/bank/alarms", acting)?;
    let count = found.as_array().map_or(0, Vec::len);
    let columns = ["kind", "bank_connection_id", "bank_file_id", "message"];
    table(&["KIND", "CONNECTION", "FILE", "WHAT TO DO"], &columns, &json!({"data": found}), acting)?;
    match count {
        0 => Ok(()),
        1 => Err(Failed::Work("There is 1 alarm.".to_owned())),
        count => Err(Failed::Work(format!("There are {count} alarms."))),
    }
}

#[derive(Args)]
pub(super) struct Reconcile {
    /// Id of a settlement account [default: all approved ones with statements]
    #[arg(long, value_name = "ID")]
    settlement_account: Option<Uuid>,
    /// The day of a statement [default: the last applied one]
    #[arg(long, value_name = "DATE")]
    on: Option<String>,
    #[command(flatten)]
    acting: Acting,
}

pub(super) fn reconcile(asked: &Reconcile) -> Result<(), Failed> {
    let is_day = |text: &String| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if !asked.on.as_ref().is_none_or(is_day) {
        return Err(Failed::Work("--on must be a day such as 2026-11-23.".to_owned()));
    }
    let accounts = match asked.settlement_account {
        Some(account) => vec![account.to_string()],
        None => accounts(&asked.acting)?,
    };
    if accounts.is_empty() {
        return Err(Failed::Work("There is no approved settlement account with statements.".to_owned()));
    }
    let mut open = 0;
    let mut all = Vec::new();
    for account in &accounts {
        let on = asked.on.as_ref().map(|on| format!("&on={on}")).unwrap_or_default();
        let path = format!("/v2/bank/reconciliation?settlement_account_id={account}{on}");
        let found = match list(&path, &asked.acting) {
            // An account without a statement hides no other account.
            Err(Failed::Work(reason)) if asked.settlement_account.is_none() => {
                open += 1;
                if !asked.acting.is_json() {
                    say(&format!("{account}: {reason}"))?;
                }
                all.push(json!({"settlement_account_id": account, "balanced": false, "message": reason}));
                continue;
            }
            found => found?,
        };
        open += usize::from(found["balanced"] != true);
        if !asked.acting.is_json() {
            say(&report(&found))?;
        }
        all.push(found);
    }
    if asked.acting.is_json() {
        say(&json!({"data": all}).to_string())?;
    }
    if open > 0 {
        return Err(Failed::Work(format!("{open} of {} accounts are not reconciled.", accounts.len())));
    }
    Ok(())
}

fn accounts(acting: &Acting) -> Result<Vec<String>, Failed> {
    let mut accounts: Vec<Value> = Vec::new();
    loop {
        let last = accounts.last().and_then(|last| last["id"].as_str());
        let after = last.map(|last| format!("&starting_after={last}")).unwrap_or_default();
        let found = list(&format!("/v2/bank/settlement-accounts?limit=100&status=approved{after}"), acting)?;
        accounts.extend(found["data"].as_array().into_iter().flatten().cloned());
        if found["has_more"] != true {
            let with_statements = accounts.iter().filter(|one| one["statement_kind"] != "manual");
            return Ok(with_statements.filter_map(|one| one["id"].as_str().map(str::to_owned)).collect());
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| "-".to_owned(), str::to_owned)
}

fn report(found: &Value) -> String {
    let cells = ["closing", "ledger", "difference"].map(|name| dollars(&found[name]));
    let [bank, ledger, difference] = cells;
    let mut report = format!(
        "{} {}: bank {bank}, ledger {ledger}, difference {difference}",
        text(&found["settlement_account_id"]),
        text(&found["date"])
    );
    let rows = |name: &str| found[name].as_array().cloned().unwrap_or_default();
    let mut add = |line: String| {
        // Writing to a text never fails.
        let _ = write!(report, "\n  {line}");
    };
    add(format!("opening {}", dollars(&found["opening"])));
    for sum in rows("lines") {
        let lines = if sum["count"] == 1 { "line" } else { "lines" };
        let suspense = match sum["in_suspense"].as_i64() {
            Some(0) | None => String::new(),
            Some(_) => format!(", {} of it in suspense", dollars(&sum["in_suspense"])),
        };
        add(format!("{} {lines} of {}: {}{suspense}", sum["count"], text(&sum["meaning"]), dollars(&sum["amount"])));
    }
    for one in rows("unbooked") {
        let (kind, id) = if one["bank_file_id"].is_null() {
            ("returned payment", &one["transfer_id"])
        } else {
            ("file", &one["bank_file_id"])
        };
        let late = if one["overdue"] == true { ", overdue" } else { "" };
        let (amount, since) = (dollars(&one["amount"]), text(&one["since"]));
        add(format!("not booked: {kind} {} of {since}, {amount}, {} banking days{late}", text(id), one["age"]));
    }
    for one in rows("suspense") {
        let (amount, status) = (dollars(&one["amount"]), text(&one["status"]));
        let (since, id) = (text(&one["since"]), text(&one["bank_item_id"]));
        let open = if one["open"] == true { ", open" } else { "" };
        add(format!("in suspense: line {id} of {since}, {amount}, {} banking days, {status}{open}", one["age"]));
    }
    for day in rows("missing") {
        add(format!("missing: the statement of {}", text(&day)));
    }
    for id in rows("open_statements") {
        add(format!("not applied: statement {}", text(&id)));
    }
    report
}
