//! The command line: one subcommand for each thing the program does (decisions.md 15).
//!
//! Exit codes: 0 done, 1 failed, 2 wrong usage, 78 wrong configuration.

mod api;
mod backup;
mod bench;
mod events;
mod keys;
mod listen;
mod log;
mod logging;
mod migrate;
mod move_store;
mod routes;
mod screening;
mod serve;
mod simulate;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::config::{BadConfig, Config, Settings};
use crate::opened::Unopened;

/// EX_CONFIG of sysexits.h.
const EXIT_CONFIG: u8 = 78;

#[derive(Parser)]
#[command(name = "bursar", version, about, max_term_width = 100)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the API and the pages, and work off what waits
    #[command(after_help = "Examples:\n  bursar serve\n  bursar serve --listen 127.0.0.1:0 --data-dir /tmp/try\n  \
                            bursar serve --config /etc/bursar.toml")]
    Serve {
        #[command(flatten)]
        configured: Configured,
        /// Say where it listens as JSON, in one line
        #[arg(long)]
        json: bool,
    },
    /// Bring the store's schema up to date, and end
    #[command(after_help = "Examples:\n  bursar migrate\n  bursar migrate --data-dir /var/lib/bursar --json\n  \
                            bursar migrate --distribute --database-url postgres://bursar@coordinator/bursar")]
    Migrate {
        #[command(flatten)]
        configured: Configured,
        /// Spread a PostgreSQL database with the extension Citus over its nodes, by organization
        #[arg(long)]
        distribute: bool,
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Move an embedded store to PostgreSQL, whole: equal before and after, and resumed where it was killed
    #[command(
        after_help = "Examples:\n  bursar move --to postgres://bursar@db1.internal/bursar --database-password-file /etc/bursar/database-password\n  \
                            bursar move --to postgres://bursar@db1.internal/bursar --config /etc/bursar.toml --json\n  \
                            bursar move --to postgres://bursar@db1.internal/bursar --give-up\n\nThe server must not run. The database must be empty; it is brought \
                            up to date. A move that was killed\ngoes on when the same command is run again."
    )]
    Move(Box<move_store::Asked>),
    /// Check the books and the event logs against the invariants; changes nothing, and the server may run
    #[command(after_help = "Examples:\n  bursar verify\n  bursar verify --database-url sqlite:/backup/bursar.db\n  \
                            bursar verify --json | jq '.findings[].where'\n\nExits with 1 when anything is found.")]
    Verify {
        #[command(flatten)]
        configured: Configured,
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Copy an embedded store into a new file, while it is served or not, and check the copy
    #[command(after_help = "Examples:\n  bursar backup /backup/bursar-monday.sqlite\n  \
                            bursar backup --data-dir /var/lib/bursar /backup/bursar.sqlite --json\n\n\
                            The key file is not in it. On PostgreSQL use the server's own backups.")]
    Backup {
        /// The new file
        #[arg(value_name = "FILE")]
        to: PathBuf,
        #[command(flatten)]
        configured: Configured,
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Put a copy of an embedded store where there is none, checked and brought up to date
    #[command(after_help = "Examples:\n  bursar restore /backup/bursar-monday.sqlite\n  \
                            bursar restore --data-dir /var/lib/bursar /backup/bursar.sqlite --json\n\n\
                            The store is then as it was: what happened since is not in it.")]
    Restore {
        /// The copy
        #[arg(value_name = "FILE")]
        from: PathBuf,
        #[command(flatten)]
        configured: Configured,
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Send payouts to a running sandbox, and tell how fast they are answered
    #[command(after_help = "Examples:\n  bursar bench\n  bursar bench --connections 64 --seconds 30 --json\n  \
                            bursar bench --scenario reads,lists --connections 64\n  bursar bench --connections 64 --rate 1000")]
    Bench(bench::Asked),
    /// The same work without the service around it, to compare the figures of bench with
    #[command(after_help = "Examples:\n  bursar reference rows --data-dir /tmp/empty --json\n  \
                            bursar reference echo --body link.json")]
    Reference {
        #[command(subcommand)]
        asked: bench::Reference,
    },
    /// Simulate months of payouts from a seed, and check every invariant after each step
    #[command(after_help = "Examples:\n  bursar simulate\n  bursar simulate --seed 42 --ops 1000000\n  \
                            bursar simulate --json | jq -r .report.state_hash")]
    Simulate(simulate::Simulated),
    /// Load the sanctions list, or compare a name with it
    #[command(
        after_help = "Examples:\n  bursar screening load ~/Downloads/SDN.CSV ~/Downloads/ALT.CSV ~/Downloads/ADD.CSV\n  \
                            bursar screening load /srv/ofac --data-dir /var/lib/bursar\n  \
                            bursar screening check 'Jane Doe' --json"
    )]
    Screening {
        #[command(subcommand)]
        asked: screening::Asked,
    },
    /// Print the events of a running server
    #[command(after_help = "Examples:\n  bursar events\n  bursar events --follow --name transfer.completed\n  \
                            bursar events --json | jq -c '[.name, .object.status]'")]
    Events(events::Asked),
    /// Bring the events of a running server to a URL, signed as webhooks are
    #[command(after_help = "Examples:\n  bursar listen --forward-to http://127.0.0.1:3000/hooks\n  \
                            bursar listen --forward-to http://127.0.0.1:3000/hooks --after 0 --json")]
    Listen(listen::Asked),
    /// List, issue and revoke the keys of an app of a running server
    #[command(
        after_help = "Examples:\n  bursar keys list\n  bursar keys create --json\n  bursar keys revoke pk_sandbox_…"
    )]
    Keys(keys::Asked),
    /// List every route: method, path, who may call it, operation id
    #[command(after_help = "Examples:\n  bursar routes\n  bursar routes --json | jq -r '.[].path'")]
    Routes {
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Settings, and the file with more of them.
#[derive(Clone, Args)]
struct Configured {
    /// TOML file with the same settings: listen = "…", data-dir = "…"
    #[arg(long, env = "BURSAR_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    settings: Settings,
}

impl Configured {
    fn load(self) -> Result<Config, BadConfig> {
        Config::load(self.settings, self.config.as_deref())
    }
}

/// Why a subcommand did not do what it should.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error(transparent)]
    Config(#[from] BadConfig),
    #[error("{0}")]
    Work(String),
}

impl From<Unopened> for Failed {
    fn from(unopened: Unopened) -> Self {
        match unopened {
            Unopened::Config(bad) => Self::Config(bad),
            other @ (Unopened::Locked { .. }
            | Unopened::Store(_)
            | Unopened::Shared(_)
            | Unopened::Sandbox(_)
            | Unopened::System { .. }) => Self::Work(other.to_string()),
        }
    }
}

impl From<std::io::Error> for Failed {
    fn from(error: std::io::Error) -> Self {
        Self::Work(error.to_string())
    }
}

/// Runs what the command line asks for.
pub fn run() -> ExitCode {
    // Clap ends the process by itself with 2 for wrong usage and 0 for --help.
    let done = match Line::parse().command {
        Command::Serve { configured, json } => serve::run(configured, json),
        Command::Migrate { configured, distribute, json } => migrate::run(configured, distribute, json),
        Command::Move(asked) => move_store::run(*asked),
        Command::Verify { configured, json } => verify::run(configured, json),
        Command::Backup { to, configured, json } => backup::backup(configured, &to, json),
        Command::Restore { from, configured, json } => backup::restore(configured, &from, json),
        Command::Bench(asked) => bench::bench(&asked),
        Command::Reference { asked } => bench::reference(asked),
        Command::Simulate(simulated) => simulate::run(&simulated),
        Command::Screening { asked } => screening::run(asked),
        Command::Events(asked) => events::run(&asked),
        Command::Listen(asked) => listen::run(&asked),
        Command::Keys(asked) => keys::run(&asked),
        Command::Routes { json } => routes::run(json),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failed) => {
            complain(&failed);
            match failed {
                Failed::Config(_) => ExitCode::from(EXIT_CONFIG),
                Failed::Work(_) => ExitCode::FAILURE,
            }
        }
    }
}

fn complain(failed: &Failed) {
    complain_of(&failed.to_string());
}

/// Writes what is wrong to standard error.
fn complain_of(text: &str) {
    use std::io::Write as _;
    let mut lines = String::new();
    for line in text.lines() {
        lines.push_str("bursar: ");
        lines.push_str(line);
        lines.push('\n');
    }
    // When even stderr is gone, the exit code still tells.
    drop(std::io::stderr().write_all(lines.as_bytes()));
}

/// Writes a result to standard output. A reader that went away (`bursar routes | head`) is no failure.
fn say(text: &str) -> Result<(), Failed> {
    say_while_heard(text).map(|_| ())
}

/// The same for what does not end by itself: gives whether there is still a reader.
fn say_while_heard(text: &str) -> Result<bool, Failed> {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Does what waits for others, until it is done or somebody presses Ctrl-C, which is no failure.
fn until_interrupted(work: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        tokio::select! {
            done = work => done,
            interrupted = tokio::signal::ctrl_c() => Ok(interrupted?),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound_and_every_subcommand_has_examples() {
        Line::command().debug_assert();
        for command in Line::command().get_subcommands() {
            assert!(command.get_after_help().is_some(), "{} has no examples", command.get_name());
        }
    }
}
