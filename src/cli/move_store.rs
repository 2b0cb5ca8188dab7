//! `bursar move`

use std::io::{IsTerminal as _, stderr};
use std::time::Instant;

use clap::Args;
use comfy_table::Table;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::terminal::{Configured, Failed, complain_of, say};
use crate::config::{BadConfig, Config, Database, Settings};
use crate::moving::{self, GivenUp, Moved, Progress, Route, Side, Unmoved};
use crate::store::postgres;

/// Where to, and how.
#[derive(Args)]
pub(super) struct Options {
    /// Target database: postgres://user@host:port,host:port/name?sslmode=verify-full, its password in --database-password-file
    #[arg(long, value_name = "URL", required_unless_present = "forget")]
    to: Option<String>,
    /// Start over: delete the data of an unfinished move of this store from the database
    #[arg(long, conflicts_with_all = ["give_up", "forget"])]
    restart: bool,
    /// Roll back: delete the moved data from PostgreSQL and re-enable the embedded store. Refused if anything was written there since
    #[arg(long, conflicts_with = "forget")]
    give_up: bool,
    /// Re-enable the embedded store without the database, because the database is lost, with all changes made in it
    #[arg(long, conflicts_with = "to")]
    forget: bool,
    /// Accept a store without an organization
    #[arg(long)]
    empty_ok: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    configured: Configured,
}

impl From<Unmoved> for Failed {
    fn from(unmoved: Unmoved) -> Self {
        match unmoved {
            Unmoved::StartError(unopened) => unopened.into(),
            other @ (Unmoved::Unread(_)
            | Unmoved::NotCommitted(_)
            | Unmoved::Foreign { .. }
            | Unmoved::Another { .. }
            | Unmoved::Changed { .. }
            | Unmoved::Left { .. }
            | Unmoved::Copy { .. }
            | Unmoved::Empty { .. }
            | Unmoved::Unsound { .. }
            | Unmoved::Unequal { .. }
            | Unmoved::GoneOn { .. }
            | Unmoved::NoMove { .. }) => Self::Work(other.to_string()),
        }
    }
}

/// Moves, continues, or rolls back.
pub(super) fn run(asked: Options) -> Result<(), Failed> {
    let Options { to, restart, give_up, forget, empty_ok, json, configured } = asked;
    let source = match configured.clone().load()?.database {
        Database::Sqlite(path) => path,
        Database::Postgres { .. } => {
            let wrong =
                "database-url names PostgreSQL already; name the embedded store to move: --database-url sqlite:<path>";
            return Err(BadConfig::one(wrong).into());
        }
    };
    if forget {
        return say(&come_back(&moving::forget(&source)?, json));
    }
    let Some(to) = to else { return Err(BadConfig::one("--to is missing").into()) };
    postgres::Settings::parse(&to).map_err(|reason| BadConfig::one(format!("--to: {reason}")))?;
    // The database is reached as `serve` will reach it, with the same settings and under the same conditions.
    let settings = Settings { database_url: Some(to), ..configured.settings };
    let Config { database, data_dir, .. } = Configured { settings, ..configured }.load()?;
    let Database::Postgres { settings, password_file, .. } = database else {
        return Err(BadConfig::one("--to must begin with postgres://").into());
    };
    let route = Route { source, target: *settings, password_file, empty_ok };
    let began = Instant::now();
    let mut shown = Shown::default();
    if give_up {
        let given_up = moving::give_up(&route, |progress| shown.report_progress(progress));
        shown.clear();
        return say(&come_back(&given_up?, json));
    }
    let moved = moving::move_store(&route, restart, |progress| shown.report_progress(progress));
    shown.clear();
    let moved = moved?;
    let millis = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    if json {
        return say(&json!({"moved": moved, "milliseconds": millis}).to_string());
    }
    say(&reported(&moved, millis, &data_dir.display().to_string()))
}

fn come_back(given_up: &GivenUp, as_json: bool) -> String {
    if as_json {
        return json!({"given_up": given_up}).to_string();
    }
    let GivenUp { store, emptied } = given_up;
    let emptied =
        emptied.as_ref().map(|database| format!("The database {database} is empty again. ")).unwrap_or_default();
    format!("{emptied}The store {store} may be served again.")
}

fn reported(moved: &Moved, millis: u64, data_dir: &str) -> String {
    let Moved { from, to, rows, copied_before, already, ended_at, proof } = moved;
    let serve = format!(
        "Serve it from there, with the same key file and settings: bursar serve --data-dir {data_dir} --database-url '{to}'\n\
         (with user and password). The embedded store is kept as it was, and is not served any more."
    );
    let Some(proof) = proof.as_ref().filter(|_| !already) else {
        return format!("{from} moved to {to} on {ended_at} already: {rows} rows.\n{serve}");
    };
    let mut tables = Table::new();
    tables.set_header(["table", "rows"]);
    for table in proof.tables.iter().filter(|table| table.rows > 0) {
        tables.add_row([table.name.to_owned(), table.rows.to_string()]);
    }
    let mut books = Table::new();
    books.set_header(["organization", "currency", "ledger accounts", "cents above zero", "cents below zero"]);
    for book in &proof.books {
        let (organization, currency) = (book.organization.to_string(), book.currency.clone());
        let (above, below) = (book.above_zero.to_string(), book.below_zero.to_string());
        books.add_row([organization, currency, book.accounts.to_string(), above, below]);
    }
    let before =
        if *copied_before > 0 { format!(" ({copied_before} of them in an earlier run)") } else { String::new() };
    format!(
        "{tables}\n{books}\nMoved {rows} rows{before} from {from} to {to} in {}.{:03} seconds.\n\
         Every row, every balance and the end of all {} event logs are equal on both sides, and all checks passed.\n{serve}",
        millis / 1_000,
        millis % 1_000,
        proof.logs.len()
    )
}

/// How far it is: a bar on a terminal, else a line for each stage and table.
#[derive(Default)]
struct Shown {
    bar: Option<ProgressBar>,
    stage: String,
}

impl Shown {
    fn report_progress(&mut self, progress: Progress) {
        let name = |side| match side {
            Side::Store => "the store",
            Side::Database => "the database",
        };
        let (stage, rows, of) = match progress {
            Progress::Read { side, rows, of } => (format!("reading {}", name(side)), rows, of),
            Progress::Checking { side } => (format!("checking the invariants of {}", name(side)), 0, None),
            Progress::Copied { rows, of, .. } => ("copying".to_owned(), rows, Some(of)),
        };
        if stderr().is_terminal() {
            self.draw(stage, rows, of);
        } else {
            let line = if let Progress::Copied { table, .. } = progress { format!("{stage} {table}") } else { stage };
            if line != self.stage {
                complain_of(&line);
                self.stage = line;
            }
        }
    }

    fn draw(&mut self, stage: String, rows: u64, of: Option<u64>) {
        if stage != self.stage {
            self.clear();
            let (bar, template) = match of {
                Some(of) => {
                    (ProgressBar::new(of), "{msg} {bar:40} {human_pos}/{human_len} rows, {per_sec}, {eta} left")
                }
                None => (ProgressBar::new_spinner(), "{msg} {spinner} {human_pos} rows, {elapsed}"),
            };
            let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            self.bar = Some(bar.with_style(style).with_message(stage.clone()));
            self.stage = stage;
        }
        if let Some(bar) = &self.bar {
            bar.set_position(rows);
            bar.tick();
        }
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
