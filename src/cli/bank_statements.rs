//! `bursar bank statements`, `reconcile`, `alarms` and `deposit-references`: over HTTP.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::{Value, json};

use super::bank_files::{dollars, list, show, table};
use super::bank_set_up::{Acting, change};
use super::terminal::{Failed, Id, say, words};
use crate::bank_statements::StatementStatus;

#[derive(Subcommand)]
pub(super) enum StatementVerb {
    /// List the newest statements
    List {
        /// Id of a settlement account
        #[arg(long, value_name = "ID")]
        settlement_account: Option<Id>,
        /// List only statements in this state: waiting, applied, quarantined or discarded
        #[arg(long, value_name = "STATUS", value_parser = words(StatementStatus::ALL.iter().map(|status| status.as_str())))]
        status: Option<String>,
        #[command(flatten)]
        acting: Acting,
    },
    /// Show a statement
    Show {
        /// Id of the statement
        id: Id,
        #[command(flatten)]
        acting: Acting,
    },
    /// Confirm that the bank has no statement between a waiting one and the last applied one
    Confirm {
        /// Id of the statement
        id: Id,
        /// How you know it: who at the bank, when
        #[arg(long, value_name = "TEXT")]
        evidence: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Discard a statement that is not applied
    Discard {
        /// Id of the statement
        id: Id,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Restore a statement that was discarded by mistake
    Restore {
        /// Id of the statement
        id: Id,
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

/// Returns the objects of an alarm, without its connection, each with its id.
fn concerns(alarm: &Value) -> Option<String> {
    let objects = [
        ("file", "bank_file_id"),
        ("inbound file", "inbound_file_id"),
        ("account", "settlement_account_id"),
        ("originator", "originator_id"),
        ("statement", "bank_statement_id"),
        ("item", "bank_item_id"),
    ];
    let named = objects.iter().filter_map(|(noun, field)| Some(format!("{noun} {}", alarm[*field].as_str()?)));
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| named.join("\n"))
}

pub(super) fn alarms(acting: &Acting) -> Result<(), Failed> {
    let found = list("/v2/bank/alarms", acting)?;
    let count = found.as_array().map_or(0, Vec::len);
    let named = |alarm: &Value| {
        let mut alarm = alarm.clone();
        alarm["concerns"] = json!(concerns(&alarm));
        alarm
    };
    let rows: Vec<Value> = found.as_array().into_iter().flatten().map(named).collect();
    let rows = json!({"data": if acting.is_json() { found } else { json!(rows) }});
    let columns = ["kind", "bank_connection_id", "concerns", "message"];
    table(&["KIND", "CONNECTION", "CONCERNS", "WHAT TO DO"], &columns, &rows, acting)?;
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
    settlement_account: Option<Id>,
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

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::bank_alarms::{AlarmKind, BankAlarmJson};
    use crate::ids::{
        BankConnectionId, BankFileId, BankItemId, BankStatementId, InboundFileId, OriginatorId, SettlementAccountId,
    };

    #[test]
    fn an_alarm_names_each_of_its_objects() {
        let id = Uuid::from_u128;
        let alarm = BankAlarmJson {
            kind: AlarmKind::Unmatched,
            message: String::new(),
            bank_connection_id: BankConnectionId(id(1)),
            settlement_account_id: Some(SettlementAccountId(id(2))),
            bank_file_id: Some(BankFileId(id(3))),
            inbound_file_id: Some(InboundFileId(id(4))),
            originator_id: Some(OriginatorId(id(5))),
            bank_statement_id: Some(BankStatementId(id(6))),
            bank_item_id: Some(BankItemId(id(7))),
            amount: None,
            days: Vec::new(),
            deadline: None,
        };
        let named = concerns(&serde_json::to_value(alarm).unwrap()).unwrap();
        for number in 2..=7 {
            assert!(named.contains(&id(number).to_string()), "{number}: {named}");
        }
        assert_eq!(concerns(&json!({"kind": "stopped"})), None);
    }
}
