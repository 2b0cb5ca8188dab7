//! The command line: one subcommand for each thing the program does (docs/decisions.md 15).
//!
//! Exit codes: 0 done, 1 failed, 2 wrong usage or an unreadable file, 78 wrong configuration.

mod api;
mod backup;
mod bank;
mod bank_files;
mod bank_intake;
mod bank_serve;
mod bank_set_up;
mod bank_statements;
mod batch;
mod bench;
mod completions;
mod doctor;
mod events;
mod json_lines;
mod keys;
mod listen;
mod log;
mod logging;
mod logs;
mod man;
mod migrate;
mod master;
mod move_store;
mod organizations;
mod probe;
mod rails;
mod rekey;
mod request;
mod routes;
mod sandbox;
mod sandbox_bank;
mod screening;
mod serve;
mod settings;
mod simulate;
mod terminal;
mod trigger;
mod verify;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use std::path::PathBuf;

use crate::log_output;
use terminal::{Configured, Failed, complain_as_it_is, complain_of};

/// EX_CONFIG of sysexits.h.
const EXIT_CONFIG: u8 = 78;
/// As for wrong usage: the arguments name a file that cannot be read.
const EXIT_UNREADABLE: u8 = 2;

#[derive(Parser)]
#[command(name = "bursar", version, about, max_term_width = 100)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the API server, the web pages and the background worker
    #[command(after_help = "Examples:\n  bursar serve\n  bursar serve --listen 127.0.0.1:0 --data-dir /tmp/try\n  \
                            bursar serve --config /etc/bursar.toml")]
    Serve {
        #[command(flatten)]
        configured: Configured,
        /// Print the address as one line of JSON
        #[arg(long)]
        json: bool,
    },
    /// Check that the server on this machine is ready
    #[command(after_help = "Examples:\n  bursar probe\n  bursar probe --config /etc/bursar.toml\n\n\
                            The command requests /readyz, on admin-listen if it is set. It exits with 1 if the server is \
                            not ready.")]
    Probe {
        #[command(flatten)]
        configured: Configured,
    },
    /// Check the settings, the store, the clock, the ports and the providers of this machine
    #[command(after_help = "Examples:\n  bursar doctor\n  bursar doctor --config /etc/bursar.toml --json\n\n\
                            The command changes nothing, also while the server runs. It exits with 1 if a check failed.")]
    Doctor {
        #[command(flatten)]
        configured: Configured,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Update the schema of the store, and exit
    #[command(after_help = "Examples:\n  bursar migrate\n  bursar migrate --data-dir /var/lib/bursar --json\n  \
                            bursar migrate --distribute --database-url postgres://bursar@coordinator/bursar")]
    Migrate {
        #[command(flatten)]
        configured: Configured,
        /// Distribute a PostgreSQL database with the extension Citus over its nodes, by organization
        #[arg(long)]
        distribute: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Move an embedded store to PostgreSQL, and verify that both are equal
    #[command(
        after_help = "Examples:\n  bursar move --to postgres://bursar@db1.internal/bursar --database-password-file /etc/bursar/database-password\n  \
                            bursar move --to postgres://bursar@db1.internal/bursar --config /etc/bursar.toml --json\n  \
                            bursar move --to postgres://bursar@db1.internal/bursar --give-up\n\nStop the server first. The database must be empty; the move \
                            creates its schema. After an interruption,\nrun the same command again: the move continues."
    )]
    Move(Box<move_store::Options>),
    /// Check the ledger and the event logs against the invariants; read-only, also while the server runs
    #[command(
        after_help = "Examples:\n  bursar verify\n  bursar verify --anchor /mnt/other/anchors.txt\n  bursar verify --database-url sqlite:/backup/bursar.db\n  \
                            bursar verify --json | jq '.findings[].where'\n\nExits with 1 if there is a finding."
    )]
    Verify(Box<verify::Options>),
    /// Sign the heads of the history, to keep outside of the store
    #[command(after_help = "Examples:\n  bursar anchor\n  bursar anchor --to /mnt/other/anchors.txt\n  \
                            bursar anchor --to https://anchors.example.com/bursar\n\nThe command appends to a file. \
                            `bursar verify --anchor FILE` checks that the history contains every anchor.")]
    Anchor {
        #[command(flatten)]
        configured: Configured,
        /// Append to this file, or POST to this URL [default: standard output]
        #[arg(long, value_name = "FILE|URL", value_parser = verify::to)]
        to: Option<verify::To>,
    },
    /// Copy an embedded store into a new file, also while the server runs, and check the copy
    #[command(after_help = "Examples:\n  bursar backup /backup/bursar-monday.sqlite\n  \
                            bursar backup --data-dir /var/lib/bursar /backup/bursar.sqlite --json\n\n\
                            The copy does not contain the key file. For PostgreSQL use the backups of the server.")]
    Backup {
        /// The new file
        #[arg(value_name = "FILE")]
        to: PathBuf,
        #[command(flatten)]
        configured: Configured,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Restore a copy of an embedded store, check it and update its schema
    #[command(after_help = "Examples:\n  bursar restore /backup/bursar-monday.sqlite\n  \
                            bursar restore --data-dir /var/lib/bursar /backup/bursar.sqlite --json\n\n\
                            Changes after the backup are not in the restored store.")]
    Restore {
        /// The copy
        #[arg(value_name = "FILE")]
        from: PathBuf,
        #[command(flatten)]
        configured: Configured,
        /// Accept a copy without an organization
        #[arg(long)]
        empty_ok: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Send payouts to a running sandbox, and report rates and response times
    #[command(after_help = "Examples:\n  bursar bench\n  bursar bench --connections 64 --seconds 30 --json\n  \
                            bursar bench --scenario reads,lists --connections 64\n  bursar bench --connections 64 --rate 1000")]
    Bench(bench::Options),
    /// Measure the work of bench without the service, as a reference
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
    /// Load the sanctions list, or screen a name against it
    #[command(
        after_help = "Examples:\n  bursar screening load ~/Downloads/SDN.CSV ~/Downloads/ALT.CSV ~/Downloads/ADD.CSV\n  \
                            bursar screening load /srv/ofac --data-dir /var/lib/bursar\n  \
                            bursar screening check 'Jane Doe' --json"
    )]
    Screening {
        #[command(subcommand)]
        asked: screening::Options,
    },
    /// Check and show files of banks, offline; set up connections to banks on a running server
    #[command(after_help = "Examples:\n  bursar bank check payment.ach\n  bursar bank show statement.bai\n  \
                            bursar bank check return.ach --incoming --json | jq '.files[].findings'\n  \
                            bursar bank connections add first-bank.json --as 019a…")]
    Bank {
        #[command(subcommand)]
        asked: bank::Options,
    },
    /// Check adapters, the programs that connect rails to bursar over HTTP
    #[command(after_help = "Examples:\n  ADAPTER_TOKEN=… bursar rails check http://127.0.0.1:8700\n  \
                            bursar rails check http://127.0.0.1:8700 --json | jq '.checks[].findings'")]
    Rails {
        #[command(subcommand)]
        asked: rails::Options,
    },
    /// Fetch an object or a list of a running server
    #[command(
        after_help = "Examples:\n  bursar get payout-links?limit=2\n  bursar get /v2/transfers/019a… --json | jq .status\n  \
                            bursar get organizations --as organization"
    )]
    Get(request::Options),
    /// Send a POST request to a running server
    #[command(
        after_help = "Examples:\n  bursar post payout-links amount=1000 payee.country_code=1 payee.phone_number=2127361234\n  \
                            bursar post payment-customers --data @customer.json\n  \
                            bursar post sandbox/clock/advance seconds=86400"
    )]
    Post(request::Body),
    /// Submit a CSV file of payout links to a running server
    #[command(after_help = "Examples:\n  bursar batch march.csv --dry-run\n  bursar batch march.csv\n  \
                            bursar batch payroll.csv --map phone_number=Phone --map country_code=Code --map amount=Dollars\n\n\
                            The fields are those of the rows of POST /v2/payout-link-batches; amount takes dollars, such as 1250.50.")]
    Batch(batch::Options),
    /// Make a payout, a claim or a payment happen in a running sandbox, and print its events
    #[command(
        after_help = "Examples:\n  bursar trigger payout.settled\n  bursar trigger payout.returned --json | jq .transfer_id\n  \
                            bursar trigger link.expired\n\nA scenario creates objects and moves the clock of the sandbox."
    )]
    Trigger(trigger::Options),
    /// Connect a sandbox with a simulated bank, or reset it
    #[command(
        after_help = "Examples:\n  bursar sandbox bank\n  bursar sandbox reset\n  bursar sandbox reset --yes --data-dir /tmp/try"
    )]
    Sandbox {
        #[command(subcommand)]
        asked: sandbox::Options,
    },
    /// Print the script that completes commands in a shell
    #[command(after_help = "Examples:\n  bursar completions bash > /etc/bash_completion.d/bursar\n  \
                            bursar completions zsh > \"${fpath[1]}/_bursar\"\n  \
                            bursar completions fish > ~/.config/fish/completions/bursar.fish")]
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: completions::For,
    },
    /// Print the manual page of all commands
    #[command(after_help = "Examples:\n  bursar man | man -l -\n  bursar man > /usr/local/share/man/man1/bursar.1")]
    Man,
    /// Print the events of a running server
    #[command(after_help = "Examples:\n  bursar events\n  bursar events --follow --name transfer.completed\n  \
                      bursar events --json | jq -c '[.name, .object.status]'")]
    Events(events::Options),
    /// Print the newest requests that a running sandbox answered
    #[command(after_help = "Examples:\n  bursar logs\n  bursar logs --follow --errors\n  \
                            bursar logs --request-id 019a… --json\n\nThe page /requests shows the same.")]
    Logs(logs::Options),
    /// Forward the events of a running server to a URL, signed like webhooks
    #[command(after_help = "Examples:\n  bursar listen --forward-to http://127.0.0.1:3000/hooks\n  \
                            bursar listen --forward-to http://127.0.0.1:3000/hooks --after 0 --json")]
    Listen(listen::Options),
    /// List, create and revoke API keys of an app; create master keys
    #[command(
        after_help = "Examples:\n  bursar keys list\n  bursar keys create --json\n  bursar keys revoke pk_sandbox_…\n  \
                      bursar keys master /etc/bursar/master.key"
    )]
    Keys(keys::Options),
    /// Add a master key, and rewrite every sealed value under it while the server runs
    #[command(after_help = "Examples:\n  bursar rekey --config /etc/bursar.toml\n  bursar rekey --watch --json\n\n\
                            A server must run: it rewrites the seals. After a restart it continues.")]
    Rekey(Box<rekey::Options>),
    /// Create an organization, for example the first one of a production server
    #[command(after_help = "Examples:\n  bursar organizations create --config /etc/bursar.toml --name 'Example Pay' \
                            --admin-email ada@example.com --app-name Payroll\n\nFor an embedded store, stop the server first.")]
    Organizations {
        #[command(subcommand)]
        asked: organizations::Options,
    },
    /// List every route: method, path, who may call it, operation id
    #[command(after_help = "Examples:\n  bursar routes\n  bursar routes --json | jq -r '.[].path'")]
    Routes {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command of the command line.
pub fn run() -> ExitCode {
    harden();
    let done = match parsed().command {
        Command::Serve { configured, json } => serve::run(configured, json),
        Command::Probe { configured } => probe::run(configured),
        Command::Doctor { configured, json } => doctor::run(configured, json),
        Command::Migrate { configured, distribute, json } => migrate::run(configured, distribute, json),
        Command::Move(asked) => move_store::run(*asked),
        Command::Verify(asked) => verify::run(*asked),
        Command::Anchor { configured, to } => verify::anchor(configured, to),
        Command::Backup { to, configured, json } => backup::backup(configured, &to, json),
        Command::Restore { from, configured, empty_ok, json } => backup::restore(configured, &from, empty_ok, json),
        Command::Bench(asked) => bench::bench(&asked),
        Command::Reference { asked } => bench::reference(asked),
        Command::Simulate(simulated) => simulate::run(&simulated),
        Command::Screening { asked } => screening::run(asked),
        Command::Bank { asked } => bank::run(asked),
        Command::Rails { asked } => rails::run(asked),
        Command::Get(asked) => request::get(&asked),
        Command::Post(asked) => request::post(&asked),
        Command::Batch(asked) => batch::submit(&asked),
        Command::Trigger(asked) => trigger::run(&asked),
        Command::Sandbox { asked } => sandbox::run(asked),
        Command::Completions { shell } => completions::run(settings::shaped(Line::command()), shell),
        Command::Man => man::run(settings::shaped(Line::command())),
        Command::Events(asked) => events::run(&asked),
        Command::Logs(options) => logs::run(&options),
        Command::Listen(asked) => listen::run(&asked),
        Command::Keys(asked) => keys::run(&asked),
        Command::Organizations { asked } => organizations::run(asked),
        Command::Rekey(asked) => rekey::run(*asked),
        Command::Routes { json } => routes::run(json),
    };
    log_output::flush();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failed) => {
            complain(&failed);
            match failed {
                Failed::Config(_) => ExitCode::from(EXIT_CONFIG),
                Failed::Work(_) => ExitCode::FAILURE,
                Failed::Unreadable(_) => ExitCode::from(EXIT_UNREADABLE),
            }
        }
    }
}

/// Reads the command line. Wrong usage ends the process with 2, `--help` with 0.
fn parsed() -> Line {
    let arguments: Vec<String> = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let mut line = settings::shaped(Line::command());
    let read = line.try_get_matches_from_mut(std::env::args_os()).and_then(|matches| {
        settings::check(&mut line, &matches)?;
        Line::from_arg_matches(&matches)
    });
    read.unwrap_or_else(|error| {
        if let Some(hint) = settings::hint(&error, &arguments) {
            let code = error.exit_code();
            complain_as_it_is(&format!("{}\n{hint}\n", error.render().to_string().trim_end()));
            std::process::exit(code);
        }
        error.exit()
    })
}

/// No core dump of this process, and no other process of the user reads its memory: it holds keys.
fn harden() {
    let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
    let limited = rustix::process::setrlimit(rustix::process::Resource::Core, none);
    #[cfg(target_os = "linux")]
    let limited = limited.and(rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable));
    if let Err(error) = limited {
        // Not fatal: the keys are less protected.
        tracing::debug!(%error, "core dumps could not be switched off");
    }
}

fn complain(failed: &Failed) {
    complain_of(&failed.to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound_and_every_subcommand_has_examples() {
        Line::command().debug_assert();
        for command in Line::command().get_subcommands() {
            assert!(command.get_after_help().is_some(), "{} has no examples", command.get_name());
        }
    }

    /// Flags of other programs that the documents name.
    const OF_OTHERS: [&str; 20] = [
        "--arg",
        "--citus",
        "--credentials",
        "--decrypt",
        "--identity",
        "--ignore-default-filter",
        "--into",
        "--locked",
        "--no-capture",
        "--page",
        "--profile",
        "--release",
        "--role",
        "--separate-threads",
        "--store",
        "--size-sort",
        "--stored",
        "--target-dir",
        "--timings",
        "--tool",
    ];

    fn flags(command: &clap::Command, found: &mut Vec<String>) {
        found.extend(command.get_arguments().filter_map(|argument| Some(format!("--{}", argument.get_long()?))));
        command.get_subcommands().for_each(|command| flags(command, found));
    }

    fn documents(folder: &std::path::Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                documents(&entry, found);
            } else if entry.extension().is_some_and(|ending| ending == "md") {
                found.push(entry);
            }
        }
    }

    /// The flags in a text: what begins with two dashes and a letter, and is not inside another word.
    fn named(text: &str) -> Vec<&str> {
        let is_of_a_flag = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        text.split(|c: char| !is_of_a_flag(c))
            .filter(|word| {
                word.strip_prefix("--").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
            })
            .collect()
    }

    #[test]
    fn every_flag_that_a_document_names_is_one_of_ours() {
        let mut known = OF_OTHERS.map(str::to_owned).to_vec();
        flags(&Line::command(), &mut known);
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let mut files = ["README.md", "ARCHITECTURE.md", "STYLE.md"].map(|file| root.join(file)).to_vec();
        documents(&root.join("docs"), &mut files);
        let mut wrong = Vec::new();
        let mut seen = 0;
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            for flag in named(&text) {
                seen += 1;
                if !known.iter().any(|known| known == flag) {
                    wrong.push(format!("{}: {flag}", file.display()));
                }
            }
        }
        assert!(wrong.is_empty() && seen > 30, "{wrong:#?} of {seen}");
        // The control: the flag that the documents once named is seen, and is not one of ours.
        assert_eq!(named("a pooler (`--database-pooled`) and a--b"), ["--database-pooled"]);
        assert!(!known.contains(&"--database-pooled".to_owned()));
    }
}
