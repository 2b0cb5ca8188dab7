//! The settings, failures and output that all commands share.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use uuid::Uuid;

use crate::config::{BadConfig, Config, Settings};
use crate::instance::StartError;

/// The settings, and the file with more of them.
#[derive(Clone, Args)]
pub(super) struct Configured {
    /// TOML file with the same settings: listen = "…", data-dir = "…"
    #[arg(long, env = "BURSAR_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub settings: Settings,
}

impl Configured {
    pub fn load(self) -> Result<Config, BadConfig> {
        Config::load(self.settings, self.config.as_deref())
    }
}

/// An id on the command line.
#[derive(Clone, Copy, Debug, serde::Serialize)]
#[serde(transparent)]
pub(super) struct Id(Uuid);

impl std::str::FromStr for Id {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let id = if text.len() == 36 { Uuid::try_parse(text).ok() } else { None };
        id.map(Self).ok_or("must be a UUID such as 0195d8a4-6f00-7c3e-8a51-0c6a2f3b9d10")
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Returns the parser of an option that is one of these words.
pub(super) fn words(words: impl Iterator<Item = &'static str>) -> PossibleValuesParser {
    PossibleValuesParser::new(words)
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failed {
    #[error(transparent)]
    Config(#[from] BadConfig),
    #[error("{0}")]
    Work(String),
    #[error("{0}")]
    Unreadable(String),
}

impl From<StartError> for Failed {
    fn from(unopened: StartError) -> Self {
        match unopened {
            StartError::Config(bad) => Self::Config(bad),
            other @ (StartError::Locked { .. }
            | StartError::Store(_)
            | StartError::Shared(_)
            | StartError::Sandbox(_)
            | StartError::System { .. }) => Self::Work(other.to_string()),
        }
    }
}

impl From<std::io::Error> for Failed {
    fn from(error: std::io::Error) -> Self {
        Self::Work(error.to_string())
    }
}

/// Writes an error to standard error, each line with the name of the program.
pub(super) fn complain_of(text: &str) {
    let mut lines = String::new();
    for line in text.lines() {
        lines.push_str("bursar: ");
        lines.push_str(line);
        lines.push('\n');
    }
    complain_as_it_is(&lines);
}

pub(super) fn complain_as_it_is(text: &str) {
    use std::io::Write as _;
    // Without a reader of standard error the exit code remains.
    drop(std::io::stderr().write_all(text.as_bytes()));
}

/// Returns a number with its noun: `1 hold`, `2 holds`.
pub(super) fn counted(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Writes a result to standard output. A reader that went away (`bursar routes | head`) is no failure.
pub(super) fn say(text: &str) -> Result<(), Failed> {
    say_while_heard(text).map(|_| ())
}

/// Writes a line of an endless output. Returns whether there is still a reader.
pub(super) fn say_while_heard(text: &str) -> Result<bool, Failed> {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Runs async work until it is done or the user presses Ctrl-C, which is no failure.
pub(super) fn until_interrupted(work: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        tokio::select! {
            done = work => done,
            interrupted = tokio::signal::ctrl_c() => Ok(interrupted?),
        }
    })
}
