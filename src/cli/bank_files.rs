//! `bursar bank files` and `bursar bank entries`: over HTTP, like the set-up of banks.

use std::path::PathBuf;

use clap::Subcommand;
use reqwest::Method;
use serde_json::{Value, json};

use super::bank_set_up::{Acting, change, download, exchange, grid, parsed};
use super::terminal::{Failed, Id, say};
use crate::money::Cents;

#[derive(Subcommand)]
pub(super) enum FileVerb {
    /// List the newest files
    List(Acting),
    /// Show a file
    Show {
        /// Id of the file
        id: Id,
        #[command(flatten)]
        acting: Acting,
    },
    /// Write the content of a file that was cut; pause the connection first if the server sends files itself
    Content {
        /// Id of the file
        id: Id,
        /// The new file [default: standard output]
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        acting: Acting,
    },
    /// Release a file above a limit, as another member than the one who set the limits
    Release {
        /// Id of the file
        id: Id,
        #[command(flatten)]
        acting: Acting,
    },
    /// Record that the bank has a file
    MarkSent {
        /// Id of the file
        id: Id,
        /// How you know it: who at the bank, when, the reference
        #[arg(long, value_name = "TEXT")]
        evidence: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Record that the bank does not have a file in doubt; when another member has confirmed it, the server sends it again
    MarkUnsent {
        /// Id of the file
        id: Id,
        /// How you know it: who at the bank, when, the reference
        #[arg(long, value_name = "TEXT")]
        evidence: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Record what the bank says about a file; it takes effect when another member has decided the same
    Decide {
        /// Id of the file
        id: Id,
        /// accepted or rejected by the bank; not_received: the bank never got a file in doubt
        #[arg(long, value_parser = ["accepted", "rejected", "not_received"])]
        outcome: String,
        /// How you know it: who at the bank, when, the reference
        #[arg(long, value_name = "TEXT")]
        evidence: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Move a file that missed its deadline into the next window
    Redate {
        /// Id of the file
        id: Id,
        #[command(flatten)]
        acting: Acting,
    },
    /// Propose to take an entry, or all entries of a file, back at the bank; another member approves it
    Reverse {
        /// Id of the file
        id: Id,
        /// Only this entry [default: all entries of the file]
        #[arg(long, value_name = "ID")]
        entry: Option<Id>,
        /// The error
        #[arg(long, value_parser = ["duplicate", "wrong_receiver", "wrong_amount", "wrong_date"])]
        reason: String,
        /// When the error was found, in RFC 3339 form; at most 24 hours ago
        #[arg(long, value_name = "TIME")]
        found_at: String,
        /// What went wrong, and how you know it
        #[arg(long, value_name = "TEXT")]
        evidence: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Cancel a file that is not at the bank; its payouts fail
    Cancel {
        /// Id of the file
        id: Id,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        acting: Acting,
    },
}

#[derive(Subcommand)]
pub(super) enum ProviderPaymentVerb {
    /// List the newest payments
    List(Acting),
    /// Decide what became of a payment in doubt; it takes effect when another member has decided the same
    Decide {
        /// Id of the transfer
        transfer: Id,
        /// completed: the payee has the money; failed: it was not paid, and its money goes back
        #[arg(long, value_parser = ["completed", "failed"])]
        outcome: String,
        /// How you know it: who at the provider, when, the reference
        #[arg(long, value_name = "TEXT")]
        evidence: String,
        #[command(flatten)]
        acting: Acting,
    },
}

pub(super) fn provider_payments(verb: ProviderPaymentVerb) -> Result<(), Failed> {
    match verb {
        ProviderPaymentVerb::List(acting) => {
            let rows = list("/v2/bank/provider-payments?limit=100", &acting)?;
            let columns = ["transfer_id", "platform", "status", "amount", "attempts", "doubt"];
            table(&["TRANSFER", "RAIL", "STATUS", "AMOUNT", "ATTEMPTS", "DOUBT"], &columns, &rows, &acting)
        }
        ProviderPaymentVerb::Decide { transfer, outcome, evidence, acting } => {
            let body = acting.named(json!({"outcome": outcome, "evidence": evidence}));
            let path = format!("/v2/bank/provider-payments/{transfer}/decide");
            let payment = parsed(&exchange(Method::POST, &path, Some(body), &acting)?)?;
            if acting.is_json() {
                return say(&payment.to_string());
            }
            let waits = if payment["decision"]["confirmed_by"].is_null() {
                format!("; {outcome} takes effect when another member decides the same")
            } else {
                String::new()
            };
            say(&format!("{transfer} is {}{waits}", shown("status", &payment["status"])))
        }
    }
}

pub(super) fn files(verb: FileVerb) -> Result<(), Failed> {
    let at = |id: Id, verb: &str| format!("/v2/bank/files/{id}/{verb}");
    match verb {
        FileVerb::List(acting) => {
            let rows = list("/v2/bank/files?limit=100", &acting)?;
            let columns = [
                "id",
                "platform",
                "purpose",
                "status",
                "answer",
                "cutoff",
                "submit_by",
                "entries",
                "credit",
                "debit",
                "name",
            ];
            let titles = [
                "ID",
                "RAIL",
                "PURPOSE",
                "STATUS",
                "BANK SAYS",
                "CUT-OFF",
                "SUBMIT BY",
                "ENTRIES",
                "PAYS",
                "COLLECTS",
                "NAME",
            ];
            table(&titles, &columns, &rows, &acting)
        }
        FileVerb::Show { id, acting } => show(&format!("/v2/bank/files/{id}"), &acting),
        FileVerb::Content { id, output, acting } => download(&at(id, "content"), output.as_deref(), &acting),
        FileVerb::Release { id, acting } => change(Method::POST, &at(id, "release"), json!({}), &acting),
        FileVerb::MarkSent { id, evidence, acting } => {
            change(Method::POST, &at(id, "mark-sent"), json!({"evidence": evidence}), &acting)
        }
        FileVerb::MarkUnsent { id, evidence, acting } => {
            decide(&at(id, "mark-unsent"), json!({"evidence": evidence}), &acting)
        }
        FileVerb::Decide { id, outcome, evidence, acting } => {
            decide(&at(id, "decide"), json!({"outcome": outcome, "evidence": evidence}), &acting)
        }
        FileVerb::Redate { id, acting } => change(Method::POST, &at(id, "redate"), json!({}), &acting),
        FileVerb::Reverse { id, entry, reason, found_at, evidence, acting } => {
            let body = json!({"entry_id": entry, "reason": reason, "found_at": found_at, "evidence": evidence});
            change(Method::POST, &at(id, "reverse"), body, &acting)
        }
        FileVerb::Cancel { id, reason, acting } => {
            change(Method::POST, &at(id, "cancel"), json!({"reason": reason}), &acting)
        }
    }
}

/// Sends what a member knows about a file, and says whether it has taken effect.
fn decide(path: &str, body: Value, acting: &Acting) -> Result<(), Failed> {
    let file = parsed(&exchange(Method::POST, path, Some(acting.named(body)), acting)?)?;
    if acting.is_json() {
        return say(&file.to_string());
    }
    let waits = if file["decision"]["confirmed_by"].is_null() {
        format!(
            "; {} takes effect when another member decides the same",
            shown("outcome", &file["decision"]["outcome"])
        )
    } else {
        String::new()
    };
    say(&format!("{} is {}{waits}", shown("id", &file["id"]), shown("status", &file["status"])))
}

#[derive(Subcommand)]
pub(super) enum ReversalVerb {
    /// List the newest reversals
    List(Acting),
    /// Show a reversal
    Show {
        /// Id of the reversal
        id: Id,
        #[command(flatten)]
        acting: Acting,
    },
    /// Approve a reversal, as another member than the one who proposed it
    Approve {
        /// Id of the reversal
        id: Id,
        /// The version that you saw
        #[arg(long, value_name = "NUMBER")]
        version: i64,
        #[command(flatten)]
        acting: Acting,
    },
    /// Dismiss a proposed reversal
    Dismiss {
        /// Id of the reversal
        id: Id,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        acting: Acting,
    },
}

pub(super) fn reversals(verb: ReversalVerb) -> Result<(), Failed> {
    let at = |id: Id, verb: &str| format!("/v2/bank/reversals/{id}/{verb}");
    match verb {
        ReversalVerb::List(acting) => {
            let rows = list("/v2/bank/reversals?limit=100", &acting)?;
            let columns =
                ["id", "status", "reason", "bank_file_id", "send_by", "joined", "settled", "returned", "version"];
            let titles = ["ID", "STATUS", "REASON", "FILE", "SEND BY", "JOINED", "SETTLED", "RETURNED", "VERSION"];
            table(&titles, &columns, &rows, &acting)
        }
        ReversalVerb::Show { id, acting } => show(&format!("/v2/bank/reversals/{id}"), &acting),
        ReversalVerb::Approve { id, version, acting } => {
            change(Method::POST, &at(id, "approve"), json!({"version": version}), &acting)
        }
        ReversalVerb::Dismiss { id, reason, acting } => {
            change(Method::POST, &at(id, "dismiss"), json!({"reason": reason}), &acting)
        }
    }
}

/// Lists the return rates of debits: each rate is a row.
pub(super) fn return_rates(acting: &Acting) -> Result<(), Failed> {
    let found = list("/v2/bank/return-rates", acting)?;
    let originators = found.as_array().cloned().unwrap_or_default();
    let rows = originators.iter().flat_map(|one| {
        ["unauthorized", "administrative", "all"].map(|name| {
            let rate = &one[name];
            json!({
                "originator_id": one["originator_id"], "rate": name, "debits": one["debits"],
                "returned": rate["returned"], "basis_points": rate["basis_points"],
                "limit_basis_points": rate["limit_basis_points"], "status": rate["status"],
            })
        })
    });
    let rows = json!({"data": rows.collect::<Vec<Value>>()});
    let columns = ["originator_id", "rate", "debits", "returned", "basis_points", "limit_basis_points", "status"];
    table(&["ORIGINATOR", "RATE", "DEBITS", "RETURNED", "BASIS POINTS", "LIMIT", "STATUS"], &columns, &rows, acting)
}

/// Lists the newest payments of a file, or of all files.
pub(super) fn entries(file: Option<Id>, acting: &Acting) -> Result<(), Failed> {
    let of_file = file.map(|file| format!("&bank_file_id={file}")).unwrap_or_default();
    let rows = list(&format!("/v2/bank/entries?limit=100{of_file}"), acting)?;
    let columns = ["id", "kind", "transfer_id", "status", "name", "amount", "individual_id", "bank_file_id"];
    let titles = ["ID", "KIND", "TRANSFER", "STATUS", "NAME", "AMOUNT", "INDIVIDUAL ID", "FILE"];
    table(&titles, &columns, &rows, acting)
}

pub(super) fn show(path: &str, acting: &Acting) -> Result<(), Failed> {
    let one = parsed(&exchange(Method::GET, path, None, acting)?)?;
    if acting.is_json() {
        return say(&one.to_string());
    }
    let fields = one.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let lines: Vec<String> = fields.map(|(name, value)| format!("{name:22} {}", shown(name, value))).collect();
    say(&lines.join("\n"))
}

pub(super) fn list(path: &str, acting: &Acting) -> Result<Value, Failed> {
    parsed(&exchange(Method::GET, path, None, acting)?)
}

/// Fields in cents, which are shown as `1234.56`.
const AMOUNTS: [&str; 5] = ["amount", "credit", "debit", "opening", "closing"];

fn shown(name: &str, value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(_) if AMOUNTS.contains(&name) => dollars(value),
        // A proposal for a line of a statement: what it is, and what it names.
        Value::Object(proposal) if name == "proposal" => {
            let parts = proposal.values().filter(|part| !part.is_null()).flat_map(|part| match part.as_array() {
                Some(ids) => ids.iter().map(|id| shown("id", id)).collect(),
                None => vec![shown("", part)],
            });
            parts.collect::<Vec<_>>().join(" ")
        }
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

pub(super) fn dollars(value: &Value) -> String {
    value.as_i64().map_or_else(|| "-".to_owned(), |cents| Cents::new(cents).plain())
}

pub(super) fn table(titles: &[&str], columns: &[&str], answer: &Value, acting: &Acting) -> Result<(), Failed> {
    if acting.is_json() {
        return say(&answer.to_string());
    }
    let mut table = grid(titles);
    for row in answer["data"].as_array().into_iter().flatten() {
        table.add_row(columns.iter().map(|name| shown(name, &row[*name])));
    }
    say(&table.trim_fmt())?;
    if answer["has_more"] == true { say("… and more; use the API with starting_after") } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_shown_with_two_decimals_and_proposals_in_words() {
        let proposal =
            json!({"booked_as": "payments", "app_id": null, "bank_file_ids": ["f1"], "transfer_ids": ["t1", "t2"]});
        for (name, value, expected) in [
            ("amount", json!(-123_456), "-1234.56"),
            ("opening", json!(5), "0.05"),
            ("entries", json!(200), "200"),
            ("amount", Value::Null, "-"),
            ("proposal", proposal, "payments f1 t1 t2"),
            ("proposal", Value::Null, "-"),
        ] {
            assert_eq!(shown(name, &value), expected, "{name}");
        }
    }
}
