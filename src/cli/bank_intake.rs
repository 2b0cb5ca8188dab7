//! `bursar bank inbound` and `bursar bank items`: over HTTP, like files with payments.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Subcommand;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::bank_files::{list, show, table};
use super::bank_set_up::{Acting, change, exchange, parsed};
use super::terminal::{Failed, Id, say, words};
use crate::bank_intake::{BookedAs, ItemStatus};

#[derive(Subcommand)]
pub(super) enum InboundVerb {
    /// List the newest files
    List(Acting),
    /// Show a file, with the reasons if it is in quarantine
    Show {
        /// Id of the file
        id: Id,
        #[command(flatten)]
        acting: Acting,
    },
    /// Upload a file of a bank, for example from its portal; another member lets it be read
    Upload {
        /// The file
        file: PathBuf,
        /// Id of the connection to the bank
        #[arg(long, value_name = "ID")]
        connection: Id,
        #[command(flatten)]
        acting: Acting,
    },
    /// Read an uploaded file, or one in quarantine again
    Replay {
        /// Id of the file
        id: Id,
        /// For an uploaded file: the same file, which you downloaded from the bank yourself
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        #[command(flatten)]
        acting: Acting,
    },
    /// Discard an uploaded file, or one in quarantine
    Discard {
        /// Id of the file
        id: Id,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        acting: Acting,
    },
}

fn read(file: &Path) -> Result<Vec<u8>, Failed> {
    std::fs::read(file).map_err(|error| Failed::Unreadable(format!("{}: {error}", file.display())))
}

pub(super) fn inbound(verb: InboundVerb) -> Result<(), Failed> {
    let at = |id: Id, verb: &str| format!("/v2/bank/inbound-files/{id}/{verb}");
    match verb {
        InboundVerb::List(acting) => {
            let rows = list("/v2/bank/inbound-files?limit=100", &acting)?;
            let columns = ["id", "status", "created", "items", "unmatched", "name"];
            table(&["ID", "STATUS", "STORED", "REPORTS", "UNMATCHED", "NAME"], &columns, &rows, &acting)
        }
        InboundVerb::Show { id, acting } => show(&format!("/v2/bank/inbound-files/{id}"), &acting),
        InboundVerb::Upload { file, connection, acting } => {
            let content = STANDARD.encode(read(&file)?);
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let body = acting.named(json!({"bank_connection_id": connection, "name": name, "content": content}));
            let stored = parsed(&exchange(Method::POST, "/v2/bank/inbound-files", Some(body), &acting)?)?;
            say(&if acting.is_json() { stored.to_string() } else { uploaded(&stored) })
        }
        InboundVerb::Replay { id, file, acting } => {
            let hash =
                |bytes: Vec<u8>| Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            let sha256 = file.map(|file| read(&file).map(hash)).transpose()?;
            change(Method::POST, &at(id, "replay"), json!({"sha256": sha256}), &acting)
        }
        InboundVerb::Discard { id, reason, acting } => {
            change(Method::POST, &at(id, "discard"), json!({"reason": reason}), &acting)
        }
    }
}

/// Says what became of an upload: a new file, or which file has the same bytes already.
fn uploaded(file: &Value) -> String {
    let [id, status, name, created] =
        ["id", "status", "name", "created"].map(|field| file[field].as_str().unwrap_or("-"));
    match (status, file["duplicate_of"].as_str()) {
        (_, Some(first)) => format!("{id} is {status}: file {first} has the same bytes, and is applied once"),
        ("uploaded", None) => {
            format!("{id} is {status} since {created}; another member lets it be read: bursar bank inbound replay {id}")
        }
        (_, None) => {
            format!("{id} is {status}: the bank's file {name} of {created} has the same bytes; nothing was uploaded")
        }
    }
}

#[derive(Subcommand)]
pub(super) enum ItemVerb {
    /// List the newest reports
    List {
        /// Id of a file that a bank sent
        #[arg(long, value_name = "ID")]
        file: Option<Id>,
        /// List only reports in this state: waiting, applied, unmatched, matched, explained or ignored
        #[arg(long, value_name = "STATUS", value_parser = words(ItemStatus::ALL.iter().map(|status| status.as_str())))]
        status: Option<String>,
        #[command(flatten)]
        acting: Acting,
    },
    /// Match a return with its payment; another member approves it
    Match {
        /// Id of the report
        id: Id,
        /// Id of the payment's transfer
        #[arg(long, value_name = "ID")]
        transfer: Id,
        /// How you know it: who at the bank, when, the reference
        #[arg(long, value_name = "TEXT")]
        evidence: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Approve what another member matched or assigned, which books it
    Approve {
        /// Id of the report or line
        id: Id,
        /// The version that you saw, as listed
        #[arg(long, value_name = "NUMBER")]
        version: i64,
        #[command(flatten)]
        acting: Acting,
    },
    /// Say what a line of a statement is; another member approves it
    Assign {
        /// Id of the line
        id: Id,
        /// What the line is: deposit (of an app), organization (its wallet), payments (a debit), returns (a credit) or
        /// costs
        #[arg(long, value_name = "WORD", value_parser = words(BookedAs::ALL.iter().map(|word| word.as_str())))]
        booked_as: String,
        /// Id of the app of a deposit
        #[arg(long, value_name = "ID")]
        app: Option<Id>,
        /// Id of a file that the bank debited whole; may be repeated
        #[arg(long, value_name = "ID")]
        file: Vec<Id>,
        /// Id of the transfer of a payment or of a returned payment; may be repeated
        #[arg(long, value_name = "ID")]
        transfer: Vec<Id>,
        /// How you know it: who at the bank, when, the reference
        #[arg(long, value_name = "TEXT")]
        evidence: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Book a line of a statement as costs; above $100.00 another member approves it
    WriteOff {
        /// Id of the line
        id: Id,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Record why a line of a statement stays in suspense
    Explain {
        /// Id of the line
        id: Id,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Ignore a report that was clarified with the bank
    Ignore {
        /// Id of the report
        id: Id,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        acting: Acting,
    },
}

pub(super) fn items(verb: ItemVerb) -> Result<(), Failed> {
    let at = |id: Id, verb: &str| format!("/v2/bank/items/{id}/{verb}");
    match verb {
        ItemVerb::List { file, status, acting } => {
            let of_file = file.map(|file| format!("&inbound_file_id={file}")).unwrap_or_default();
            let in_state = status.map(|status| format!("&status={status}")).unwrap_or_default();
            let rows = list(&format!("/v2/bank/items?limit=100{of_file}{in_state}"), &acting)?;
            let columns = ["id", "version", "kind", "code", "status", "reason", "amount", "transfer_id", "proposal"];
            table(
                &["ID", "VERSION", "KIND", "CODE", "STATUS", "REASON", "AMOUNT", "TRANSFER", "PROPOSAL"],
                &columns,
                &rows,
                &acting,
            )
        }
        ItemVerb::Match { id, transfer, evidence, acting } => {
            let body = json!({"transfer_id": transfer, "evidence": evidence});
            change(Method::POST, &at(id, "match"), body, &acting)
        }
        ItemVerb::Approve { id, version, acting } => {
            change(Method::POST, &at(id, "approve"), json!({"version": version}), &acting)
        }
        ItemVerb::Assign { id, booked_as, app, file, transfer, evidence, acting } => {
            let body = json!({
                "booked_as": booked_as,
                "app_id": app,
                "bank_file_ids": file,
                "transfer_ids": transfer,
                "evidence": evidence,
            });
            change(Method::POST, &at(id, "assign"), body, &acting)
        }
        ItemVerb::WriteOff { id, reason, acting } => {
            change(Method::POST, &at(id, "write-off"), json!({"reason": reason}), &acting)
        }
        ItemVerb::Explain { id, reason, acting } => {
            change(Method::POST, &at(id, "explain"), json!({"reason": reason}), &acting)
        }
        ItemVerb::Ignore { id, reason, acting } => {
            change(Method::POST, &at(id, "ignore"), json!({"reason": reason}), &acting)
        }
    }
}
