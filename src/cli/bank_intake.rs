//! `bursar bank inbound` and `bursar bank items`: over HTTP, like files with payments.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Subcommand;
use reqwest::Method;
use serde_json::json;
use uuid::Uuid;

use super::bank_files::{list, show, table};
use super::bank_set_up::{Acting, change};
use super::terminal::Failed;

#[derive(Subcommand)]
pub(super) enum InboundVerb {
    /// List the newest files
    List(Acting),
    /// Show a file, with the reasons if it is in quarantine
    Show {
        /// Id of the file
        id: Uuid,
        #[command(flatten)]
        acting: Acting,
    },
    /// Upload a file of a bank, for example from its portal
    Upload {
        /// The file
        file: PathBuf,
        /// Id of the connection to the bank
        #[arg(long, value_name = "ID")]
        connection: Uuid,
        #[command(flatten)]
        acting: Acting,
    },
    /// Read a file in quarantine again
    Replay {
        /// Id of the file
        id: Uuid,
        #[command(flatten)]
        acting: Acting,
    },
    /// Discard a file in quarantine
    Discard {
        /// Id of the file
        id: Uuid,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        acting: Acting,
    },
}

pub(super) fn inbound(verb: InboundVerb) -> Result<(), Failed> {
    let at = |id: Uuid, verb: &str| format!("/v2/bank/inbound-files/{id}/{verb}");
    match verb {
        InboundVerb::List(acting) => {
            let rows = list("/v2/bank/inbound-files?limit=100", &acting)?;
            let columns = ["id", "status", "created", "items", "unmatched", "name"];
            table(&["ID", "STATUS", "STORED", "REPORTS", "UNMATCHED", "NAME"], &columns, &rows, &acting)
        }
        InboundVerb::Show { id, acting } => show(&format!("/v2/bank/inbound-files/{id}"), &acting),
        InboundVerb::Upload { file, connection, acting } => {
            let unreadable = |error: std::io::Error| Failed::Unreadable(format!("{}: {error}", file.display()));
            let content = STANDARD.encode(std::fs::read(&file).map_err(unreadable)?);
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let body = json!({"bank_connection_id": connection, "name": name, "content": content});
            change(Method::POST, "/v2/bank/inbound-files", body, &acting)
        }
        InboundVerb::Replay { id, acting } => change(Method::POST, &at(id, "replay"), json!({}), &acting),
        InboundVerb::Discard { id, reason, acting } => {
            change(Method::POST, &at(id, "discard"), json!({"reason": reason}), &acting)
        }
    }
}

#[derive(Subcommand)]
pub(super) enum ItemVerb {
    /// List the newest reports
    List {
        /// Id of a file that a bank sent
        #[arg(long, value_name = "ID")]
        file: Option<Uuid>,
        /// List only reports in this state: waiting, applied, unmatched, matched, explained or ignored
        #[arg(long, value_name = "STATUS")]
        status: Option<String>,
        #[command(flatten)]
        acting: Acting,
    },
    /// Match a return with a payout; another member approves it
    Match {
        /// Id of the report
        id: Uuid,
        /// Id of the payout's transfer
        #[arg(long, value_name = "ID")]
        transfer: Uuid,
        /// How you know it: who at the bank, when, the reference
        #[arg(long, value_name = "TEXT")]
        evidence: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Approve what another member matched or assigned, which books it
    Approve {
        /// Id of the report or line
        id: Uuid,
        #[command(flatten)]
        acting: Acting,
    },
    /// Say whose money a line of a statement is; another member approves it
    #[command(after_help = "Without --app, --file and --transfer, the line is money of the organization's wallet.")]
    Assign {
        /// Id of the line
        id: Uuid,
        /// Id of the app that receives the money
        #[arg(long, value_name = "ID", conflicts_with_all = ["file", "transfer"])]
        app: Option<Uuid>,
        /// Id of the file that the bank debited
        #[arg(long, value_name = "ID", conflicts_with = "transfer")]
        file: Option<Uuid>,
        /// Id of the transfer of the returned payment that the bank credited
        #[arg(long, value_name = "ID")]
        transfer: Option<Uuid>,
        /// How you know it: who at the bank, when, the reference
        #[arg(long, value_name = "TEXT")]
        evidence: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Book a line of a statement of at most $100.00 as costs
    WriteOff {
        /// Id of the line
        id: Uuid,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Record why a line of a statement stays in suspense
    Explain {
        /// Id of the line
        id: Uuid,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Ignore a report that was clarified with the bank
    Ignore {
        /// Id of the report
        id: Uuid,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        acting: Acting,
    },
}

pub(super) fn items(verb: ItemVerb) -> Result<(), Failed> {
    let at = |id: Uuid, verb: &str| format!("/v2/bank/items/{id}/{verb}");
    match verb {
        ItemVerb::List { file, status, acting } => {
            let of_file = file.map(|file| format!("&inbound_file_id={file}")).unwrap_or_default();
            let in_state = status.map(|status| format!("&status={status}")).unwrap_or_default();
            let rows = list(&format!("/v2/bank/items?limit=100{of_file}{in_state}"), &acting)?;
            let columns = ["id", "kind", "code", "status", "reason", "amount", "transfer_id"];
            table(&["ID", "KIND", "CODE", "STATUS", "REASON", "CENTS", "TRANSFER"], &columns, &rows, &acting)
        }
        ItemVerb::Match { id, transfer, evidence, acting } => {
            let body = json!({"transfer_id": transfer, "evidence": evidence});
            change(Method::POST, &at(id, "match"), body, &acting)
        }
        ItemVerb::Approve { id, acting } => change(Method::POST, &at(id, "approve"), json!({}), &acting),
        ItemVerb::Assign { id, app, file, transfer, evidence, acting } => {
            let mut body = json!({"evidence": evidence});
            for (name, id) in [("app_id", app), ("bank_file_id", file), ("transfer_id", transfer)] {
                if let Some(id) = id {
                    body[name] = json!(id);
                }
            }
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
