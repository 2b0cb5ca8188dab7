//! `bursar bank`: files of banks, offline; and the set-up of banks (`bank_set_up.rs`) and files with payments
//! (`bank_files.rs`) on a running server.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bursar_formats::finding::{Finding, Findings};
use bursar_formats::nacha::BYTES_MAX;
use bursar_formats::view::{Table as Rows, View};
use bursar_formats::{Inspected, Profile, Severity, inspect, show};
use clap::Subcommand;
use comfy_table::{Table, presets};
use serde_json::{Value, json};

use super::bank_files as files;
use super::bank_intake as intake;
use super::bank_set_up as set_up;
use super::bank_statements as statements;
use super::terminal::{Failed, Id, say};

/// What to do with files.
#[derive(Subcommand)]
pub(super) enum Options {
    /// Check files and list what is wrong, with line, column and rule
    #[command(
        after_help = "Examples:\n  bursar bank check payment.ach\n  bursar bank check --incoming return.ach statement.bai\n  \
                            cat payment.xml | bursar bank check - --json\n\nThe content decides the format: NACHA, BAI2 or ISO 20022 \
                            (pain.001, pain.002, camt.053, camt.054).\nExits with 0 if no file has an error, with 1 if one has, and \
                            with 2 if one cannot be read."
    )]
    Check {
        /// The files; - is standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Judge files from a bank: deviations that do not change the meaning are notes
        #[arg(long)]
        incoming: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a file as tables, with bank account numbers masked
    #[command(after_help = "Examples:\n  bursar bank show return.ach\n  bursar bank show statement.bai --json\n\n\
                            Exits with 1 if the file has an error, and with 2 if it cannot be read.")]
    Show {
        /// The file; - is standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Run a simulated bank: it reads payment files and answers with returns, changes, rejections and statements
    #[command(
        after_help = "Example:\n  bursar bank serve --dir /tmp/bank\n\nThe account number of a payment selects the \
                            answer: 10000002 is returned with R02, 20000002 three days later, 30000001 is changed \
                            with C01, and 50000000 rejects the file. Prints the name of each answer."
    )]
    Serve(super::bank_serve::Serve),
    /// List, add, test, approve, pause and resume connections to banks
    Connections {
        #[command(subcommand)]
        verb: set_up::ConnectionVerb,
    },
    /// List, add, approve and end originators, the names under which entries are sent
    Originators {
        #[command(subcommand)]
        verb: set_up::PartVerb,
    },
    /// List, add, approve and end settlement accounts, your own accounts at your bank
    SettlementAccounts {
        #[command(subcommand)]
        verb: set_up::PartVerb,
    },
    /// List, add, approve and end providers of rails behind HTTP
    Providers {
        #[command(subcommand)]
        verb: set_up::PartVerb,
    },
    /// List payments at providers behind HTTP, and decide what became of one in doubt
    ProviderPayments {
        #[command(subcommand)]
        verb: files::ProviderPaymentVerb,
    },
    /// List, add, approve and end the routes of rails
    Routes {
        #[command(subcommand)]
        verb: set_up::PartVerb,
    },
    /// List, show, release, mark, move, reverse and cancel files with payments
    Files {
        #[command(subcommand)]
        verb: files::FileVerb,
    },
    /// List, show, approve and dismiss reversals of entries and files at the bank
    Reversals {
        #[command(subcommand)]
        verb: files::ReversalVerb,
    },
    /// List, show, upload, replay and discard files that banks sent
    Inbound {
        #[command(subcommand)]
        verb: intake::InboundVerb,
    },
    /// List returns, changes, lines of statements and other reports of banks; clarify those that matched nothing
    Items {
        #[command(subcommand)]
        verb: intake::ItemVerb,
    },
    /// List, show, confirm and discard statements of bank accounts
    Statements {
        #[command(subcommand)]
        verb: statements::StatementVerb,
    },
    /// Compare the bank's balance with the ledger, and list what is open
    #[command(
        after_help = "Example:\n  bursar bank reconcile --on 2026-11-23\n\nExits with 1 if a difference is not zero, a \
                            line is not explained, a payment is overdue, or a statement is missing."
    )]
    Reconcile(statements::Reconcile),
    /// List what a person must look at: files, statements and lines
    #[command(after_help = "Exits with 1 if there is an alarm.")]
    Alarms(set_up::Acting),
    /// List the return rates of debits, by originator
    ReturnRates(set_up::Acting),
    /// List the references with which payers name the app of a deposit
    DepositReferences(set_up::Acting),
    /// List payments in files
    Entries {
        /// Id of a file
        #[arg(long, value_name = "ID")]
        file: Option<Id>,
        #[command(flatten)]
        acting: set_up::Acting,
    },
    /// Stop all connections to banks
    #[command(after_help = "Example:\n  bursar bank pause-all --reason 'The bank called.' --as 019a…")]
    PauseAll {
        /// Why files stop
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        acting: set_up::Acting,
    },
    /// Show banking days, cut-offs, effective dates and settlement times of a connection
    #[command(after_help = "Example:\n  bursar bank calendar 2026-11-23 2026-11-30 --connection 019a…")]
    Calendar(set_up::Calendar),
}

pub(super) fn run(asked: Options) -> Result<(), Failed> {
    match asked {
        Options::Check { files, incoming, json } => check(&files, incoming, json),
        Options::Show { file, json } => show_one(&file, json),
        Options::Serve(asked) => super::bank_serve::serve(&asked),
        Options::Connections { verb } => set_up::connections(verb),
        Options::Originators { verb } => set_up::part("originators", verb),
        Options::SettlementAccounts { verb } => set_up::part("settlement-accounts", verb),
        Options::Providers { verb } => set_up::part("providers", verb),
        Options::ProviderPayments { verb } => files::provider_payments(verb),
        Options::Routes { verb } => set_up::part("routes", verb),
        Options::Files { verb } => files::files(verb),
        Options::Inbound { verb } => intake::inbound(verb),
        Options::Reversals { verb } => files::reversals(verb),
        Options::Items { verb } => intake::items(verb),
        Options::Statements { verb } => statements::statements(verb),
        Options::Reconcile(asked) => statements::reconcile(&asked),
        Options::Alarms(acting) => statements::alarms(&acting),
        Options::ReturnRates(acting) => files::return_rates(&acting),
        Options::DepositReferences(acting) => statements::references(&acting),
        Options::Entries { file, acting } => files::entries(file, &acting),
        Options::PauseAll { reason, acting } => set_up::pause_all(&reason, &acting),
        Options::Calendar(asked) => set_up::calendar(&asked),
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more than the limit, so the checker sees that the file is too large.
    let most = u64::try_from(BYTES_MAX).unwrap_or(u64::MAX).saturating_add(1);
    if path == Path::new("-") {
        io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    } else {
        File::open(path)?.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn unreadable(path: &Path, reason: &str) -> String {
    format!("{}: {reason}", path.display())
}

/// No format was recognized.
const UNKNOWN: &str = "the format is unknown; bursar reads NACHA, BAI2 and ISO 20022 files";

fn check(paths: &[PathBuf], incoming: bool, as_json: bool) -> Result<(), Failed> {
    let profile = if incoming { Profile::Incoming } else { Profile::Strict };
    let (mut inspected, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        match read(path).map(|bytes| inspect(&bytes, profile)) {
            Ok(Some(found)) => inspected.push((path, found)),
            Ok(None) => problems.push(unreadable(path, UNKNOWN)),
            Err(error) => problems.push(unreadable(path, &error.to_string())),
        }
    }
    if as_json {
        let files: Vec<Value> = inspected.iter().map(|(path, found)| report(path, found)).collect();
        say(&json!({"files": files}).to_string())?;
    } else {
        for (path, found) in &inspected {
            say(&lines(path, found))?;
        }
    }
    if !problems.is_empty() {
        return Err(Failed::Unreadable(problems.join("\n")));
    }
    let wrong = inspected.iter().filter(|(_, found)| found.findings.refuses()).count();
    if wrong > 0 {
        return Err(Failed::Work(format!("{wrong} of {} files have errors.", inspected.len())));
    }
    Ok(())
}

fn format_of(found: &Inspected) -> String {
    match &found.message {
        Some(message) => format!("{} {message}", found.format.name()),
        None => found.format.name().to_owned(),
    }
}

fn lines(path: &Path, found: &Inspected) -> String {
    let findings = &found.findings;
    let counted = |severity: Severity| {
        let count = findings.count(severity);
        format!("{count} {}{}", severity.name(), if count == 1 { "" } else { "s" })
    };
    let counts = [Severity::Error, Severity::Warning, Severity::Note].map(counted).join(", ");
    let mut lines = vec![format!("{}: {}, {counts}", path.display(), format_of(found))];
    lines.extend(findings.in_order().into_iter().map(|finding| format!("  {finding}")));
    if findings.left_out() > 0 {
        lines.push(format!("  … and {} more", findings.left_out()));
    }
    lines.join("\n")
}

fn report(path: &Path, found: &Inspected) -> Value {
    let mut report =
        json!({"file": path.display().to_string(), "format": found.format.name(), "message": found.message});
    report["findings"] = list(&found.findings);
    for (name, severity) in [("errors", Severity::Error), ("warnings", Severity::Warning), ("notes", Severity::Note)] {
        report[name] = json!(found.findings.count(severity));
    }
    report["left_out"] = json!(found.findings.left_out());
    report
}

fn list(findings: &Findings) -> Value {
    findings.in_order().into_iter().map(row).collect()
}

fn row(finding: &Finding) -> Value {
    json!({
        "severity": finding.severity.name(),
        "rule": finding.rule.code,
        "line": finding.place.line,
        "column": finding.place.column,
        "record": finding.place.record,
        "field": finding.place.field,
        "message": finding.message,
        "advice": finding.rule.advice,
    })
}

fn show_one(path: &Path, as_json: bool) -> Result<(), Failed> {
    let bytes = read(path).map_err(|error| Failed::Unreadable(unreadable(path, &error.to_string())))?;
    match show(&bytes) {
        None => Err(Failed::Unreadable(unreadable(path, UNKNOWN))),
        Some(Err(refused)) => Err(Failed::Work(format!(
            "{}: {refused}\nRun `bursar bank check --incoming {}` for all findings.",
            path.display(),
            path.display()
        ))),
        Some(Ok((view, findings))) if as_json => {
            let mut shown = of_view(&view);
            shown["findings"] = list(&findings);
            say(&shown.to_string())
        }
        Some(Ok((view, findings))) => {
            let notes = findings.in_order().into_iter().map(|finding| format!("\n{finding}"));
            say(&(text(&view) + &notes.collect::<String>()))
        }
    }
}

fn of_view(view: &View) -> Value {
    let facts = |facts: &[(&str, String)]| -> Vec<Value> {
        facts.iter().map(|(name, value)| json!({"name": name, "value": value})).collect()
    };
    let tables = view.tables.iter().map(|table| {
        let rows = table.rows.iter().map(|row| -> Value {
            let cells = table.columns.iter().zip(row);
            Value::Object(cells.map(|(name, cell)| ((*name).to_owned(), json!(cell))).collect())
        });
        json!({
            "title": table.title,
            "facts": facts(&table.facts),
            "rows": rows.collect::<Vec<_>>(),
            "left_out": table.left_out,
        })
    });
    json!({"title": view.title, "facts": facts(&view.facts), "tables": tables.collect::<Vec<_>>()})
}

fn text(view: &View) -> String {
    let mut text = view.title.clone();
    add_facts(&mut text, &view.facts);
    for table in &view.tables {
        text.push_str("\n\n");
        text.push_str(&table.title);
        add_facts(&mut text, &table.facts);
        if !table.rows.is_empty() {
            text.push_str("\n\n");
            text.push_str(&grid(table));
        }
        if table.left_out > 0 {
            text.push_str(&format!("\n  … and {} more", table.left_out));
        }
    }
    text
}

fn add_facts(text: &mut String, facts: &[(&str, String)]) {
    let width = facts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in facts {
        text.push_str(&format!("\n  {name:width$}  {}", printable(value)));
    }
}

/// Returns the rows without the columns that are empty in all of them.
fn grid(rows: &Rows) -> String {
    let filled: Vec<usize> = (0..rows.columns.len())
        .filter(|at| rows.rows.iter().any(|row| row.get(*at).is_some_and(|cell| !cell.is_empty())))
        .collect();
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(filled.iter().filter_map(|at| rows.columns.get(*at)).map(|name| name.to_uppercase()));
    for row in &rows.rows {
        table.add_row(filled.iter().filter_map(|at| row.get(*at)).map(|cell| printable(cell)));
    }
    table.trim_fmt()
}

/// A file must not control the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}
