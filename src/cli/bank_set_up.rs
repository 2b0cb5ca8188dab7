//! `bursar bank connections`, `originators`, `settlement-accounts`, `routes`, `pause-all`, `calendar`: over HTTP, with the
//! organization's key and, in production, the member's own session.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use comfy_table::{Table, presets};
use reqwest::Method;
use serde_json::{Value, json};

use super::api::{As, Server};
use super::terminal::{Failed, Id, counted, say, until_interrupted};

/// The server, and the person who acts.
#[derive(Args)]
pub(super) struct Acting {
    #[command(flatten)]
    server: Server,
    /// Id of the acting member; not needed with a session
    #[arg(long = "as", value_name = "ID")]
    member: Option<Id>,
    /// The member's own session, which production requires
    #[arg(long, value_name = "TOKEN", env = "BURSAR_MEMBER_SESSION", hide_env_values = true)]
    member_session: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
pub(super) enum ConnectionVerb {
    /// List the connections
    List(Acting),
    /// Add a connection from a file with the fields of POST /v2/bank/connections
    Add {
        /// The JSON file; - is standard input
        file: PathBuf,
        #[command(flatten)]
        acting: Acting,
    },
    /// Change a connection by a file with the fields that change; its approval ends
    Change {
        /// Id of the connection
        id: Id,
        /// The JSON file; - is standard input
        file: PathBuf,
        #[command(flatten)]
        acting: Acting,
    },
    /// Write a test file for the bank: one prenote to the settlement account, without money
    TestFile {
        /// Id of the connection
        id: Id,
        /// Id of the originator
        #[arg(long, value_name = "ID")]
        originator: Id,
        /// Id of the settlement account
        #[arg(long, value_name = "ID")]
        settlement_account: Id,
        /// The new file [default: standard output]
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        acting: Acting,
    },
    /// Record that the bank has accepted a test file
    Test {
        /// Id of the connection
        id: Id,
        /// How the bank confirmed it: who, when, the reference
        #[arg(long, value_name = "TEXT")]
        evidence: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Approve a connection that another member made
    Approve {
        /// Id of the connection
        id: Id,
        #[command(flatten)]
        acting: Acting,
    },
    /// Stop a connection: no file is sent
    Pause {
        /// Id of the connection
        id: Id,
        /// Why files stop
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        acting: Acting,
    },
    /// Resume a paused connection
    Resume {
        /// Id of the connection
        id: Id,
        #[command(flatten)]
        acting: Acting,
    },
}

#[derive(Subcommand)]
pub(super) enum PartVerb {
    /// List them
    List(Acting),
    /// Add one from a file with the fields of the POST request
    Add {
        /// The JSON file; - is standard input
        file: PathBuf,
        #[command(flatten)]
        acting: Acting,
    },
    /// Approve one that another member added
    Approve {
        /// Its id
        id: Id,
        #[command(flatten)]
        acting: Acting,
    },
    /// Take one out of use
    End {
        /// Its id
        id: Id,
        #[command(flatten)]
        acting: Acting,
    },
}

/// Days of a connection.
#[derive(Args)]
pub(super) struct Calendar {
    /// The first day, for example 2026-11-23
    from: String,
    /// The last day
    to: String,
    /// Id of the connection
    #[arg(long, value_name = "ID")]
    connection: Id,
    #[command(flatten)]
    acting: Acting,
}

pub(super) fn connections(verb: ConnectionVerb) -> Result<(), Failed> {
    let at = |id: Id, verb: &str| format!("/v2/bank/connections/{id}/{verb}");
    match verb {
        ConnectionVerb::List(acting) => list("connections", &acting),
        ConnectionVerb::Add { file, acting } => change(Method::POST, "/v2/bank/connections", object(&file)?, &acting),
        ConnectionVerb::Change { id, file, acting } => {
            change(Method::PATCH, &format!("/v2/bank/connections/{id}"), object(&file)?, &acting)
        }
        ConnectionVerb::TestFile { id, originator, settlement_account, output, acting } => {
            let query = format!("originator_id={originator}&settlement_account_id={settlement_account}");
            download(&format!("{}?{query}", at(id, "test-file")), output.as_deref(), &acting)
        }
        ConnectionVerb::Test { id, evidence, acting } => {
            change(Method::POST, &at(id, "test"), json!({"evidence": evidence}), &acting)
        }
        ConnectionVerb::Approve { id, acting } => change(Method::POST, &at(id, "approve"), json!({}), &acting),
        ConnectionVerb::Pause { id, reason, acting } => {
            change(Method::POST, &at(id, "pause"), json!({"reason": reason}), &acting)
        }
        ConnectionVerb::Resume { id, acting } => change(Method::POST, &at(id, "resume"), json!({}), &acting),
    }
}

/// `parts` is the last word of their path.
pub(super) fn part(parts: &str, verb: PartVerb) -> Result<(), Failed> {
    let at = |id: Id, verb: &str| format!("/v2/bank/{parts}/{id}/{verb}");
    match verb {
        PartVerb::List(acting) => list(parts, &acting),
        PartVerb::Add { file, acting } => change(Method::POST, &format!("/v2/bank/{parts}"), object(&file)?, &acting),
        PartVerb::Approve { id, acting } => change(Method::POST, &at(id, "approve"), json!({}), &acting),
        PartVerb::End { id, acting } => change(Method::POST, &at(id, "end"), json!({}), &acting),
    }
}

pub(super) fn pause_all(reason: &str, acting: &Acting) -> Result<(), Failed> {
    let answer =
        parsed(&exchange(Method::POST, "/v2/bank/pause", Some(acting.named(json!({"reason": reason}))), acting)?)?;
    if acting.json {
        return say(&answer.to_string());
    }
    let paused = answer["data"].as_array().map_or(0, Vec::len);
    say(&format!("{} stopped", counted(paused, "connection")))
}

pub(super) fn calendar(asked: &Calendar) -> Result<(), Failed> {
    let is_day = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if !is_day(&asked.from) || !is_day(&asked.to) {
        return Err(Failed::Work("FROM and TO must be days such as 2026-11-23.".to_owned()));
    }
    let Calendar { from, to, connection, acting } = asked;
    let path = format!("/v2/bank/calendar?bank_connection_id={connection}&from={from}&to={to}");
    let answer = parsed(&exchange(Method::GET, &path, None, acting)?)?;
    if acting.json {
        return say(&answer.to_string());
    }
    let mut table = grid(&["DATE", "WINDOW", "CUT-OFF", "SUBMIT BY", "EFFECTIVE", "SETTLES"]);
    for day in answer["data"].as_array().into_iter().flatten() {
        let windows: Vec<&Value> = day["windows"].as_array().into_iter().flatten().collect();
        if windows.is_empty() {
            let state = if day["open"] == true { "no window" } else { "closed" };
            table.add_row([text(day, "date"), state, "-", "-", "-", "-"]);
        }
        for window in windows {
            let cells = ["window", "cutoff", "submit_by", "effective", "settles"].map(|name| text(window, name));
            table.add_row(std::iter::once(text(day, "date")).chain(cells));
        }
    }
    say(&table.trim_fmt())
}

impl Acting {
    /// Returns whether JSON is printed instead of tables.
    pub(super) const fn is_json(&self) -> bool {
        self.json
    }

    /// Adds the acting member to a body.
    pub(super) fn named(&self, mut body: Value) -> Value {
        if let (Some(member), Some(fields)) = (self.member, body.as_object_mut()) {
            fields.insert("acting_user_id".to_owned(), json!(member));
        }
        body
    }
}

pub(super) fn exchange(method: Method, path: &str, body: Option<Value>, acting: &Acting) -> Result<Vec<u8>, Failed> {
    let api = acting.server.open(As::Organization)?;
    let mut received = Vec::new();
    until_interrupted(async {
        let sent = api.send(method, path, body.as_ref(), acting.member_session.as_deref()).await;
        received = sent.map_err(|error| in_flags(error.into()))?;
        Ok(())
    })?;
    Ok(received)
}

/// Names the flag of the acting member in place of the field of the body.
fn in_flags(failed: Failed) -> Failed {
    let Failed::Work(message) = failed else { return failed };
    let replaced = [
        (
            "/acting_user_id: is required",
            "--as is required: the id of the acting member. bursar get /v2/members --as organization lists them",
        ),
        ("/acting_user_id", "--as"),
        ("acting_user_id", "--as"),
        ("The member does not exist.", "The member of --as does not exist."),
    ];
    Failed::Work(replaced.iter().fold(message, |message, (field, flag)| message.replace(field, flag)))
}

pub(super) fn parsed(bytes: &[u8]) -> Result<Value, Failed> {
    serde_json::from_slice(bytes).map_err(|error| Failed::Work(format!("the answer is no JSON: {error}")))
}

pub(super) fn change(method: Method, path: &str, body: Value, acting: &Acting) -> Result<(), Failed> {
    let answer = parsed(&exchange(method, path, Some(acting.named(body)), acting)?)?;
    if acting.json {
        say(&answer.to_string())
    } else {
        say(&format!("{} is {}", text(&answer, "id"), text(&answer, "status")))
    }
}

pub(super) fn download(path: &str, output: Option<&Path>, acting: &Acting) -> Result<(), Failed> {
    let bytes = exchange(Method::GET, path, None, acting)?;
    match output {
        None => say(String::from_utf8_lossy(&bytes).trim_end()),
        Some(file) => {
            let unwritable = |error: std::io::Error| {
                let name = file.display();
                Failed::Work(if error.kind() == std::io::ErrorKind::AlreadyExists {
                    format!("{name} exists, and may be an older file. Nothing was written; choose another name")
                } else {
                    format!("{name}: {error}")
                })
            };
            let mut new = fs::File::create_new(file).map_err(unwritable)?;
            std::io::Write::write_all(&mut new, &bytes).map_err(unwritable)?;
            say(&format!("{} has {} bytes", file.display(), bytes.len()))
        }
    }
}

fn list(parts: &str, acting: &Acting) -> Result<(), Failed> {
    let answer = parsed(&exchange(Method::GET, &format!("/v2/bank/{parts}?limit=100"), None, acting)?)?;
    if acting.json {
        return say(&answer.to_string());
    }
    let mut table = grid(&["ID", "STATUS", "NAME", "CREATED"]);
    for row in answer["data"].as_array().into_iter().flatten() {
        let name = ["name", "company_name", "from_on"].into_iter().find_map(|name| row[name].as_str());
        table.add_row([text(row, "id"), text(row, "status"), name.unwrap_or("-"), text(row, "created")]);
    }
    say(&table.trim_fmt())?;
    if answer["has_more"] == true { say("… and more; use the API with starting_after") } else { Ok(()) }
}

/// Reads a file with one JSON object.
fn object(path: &Path) -> Result<Value, Failed> {
    let unreadable = |reason: String| Failed::Unreadable(format!("{}: {reason}", path.display()));
    let mut content = String::new();
    if path == Path::new("-") {
        std::io::stdin().lock().read_to_string(&mut content).map_err(|error| unreadable(error.to_string()))?;
    } else {
        content = fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    }
    let read: Value = serde_json::from_str(&content).map_err(|error| unreadable(error.to_string()))?;
    if read.is_object() { Ok(read) } else { Err(unreadable("must contain one JSON object".to_owned())) }
}

pub(super) fn grid(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(columns);
    table
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or("-")
}
