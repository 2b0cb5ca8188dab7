//! Log lines go to standard error; `RUST_LOG` chooses which.

use std::io::{IsTerminal as _, stderr};

use tracing_subscriber::EnvFilter;

use super::json_lines::JsonLines;
use crate::config::LogFormat;
use crate::log_output::{self, LogOutput};

/// Starts logging. Without a choice: for people on a terminal, JSON lines otherwise.
pub(super) fn start(format: Option<LogFormat>) -> std::io::Result<()> {
    start_with(format, "info")
}

/// The same for a command that ends: errors, and the lines of the security log.
pub(super) fn start_for_command(format: Option<LogFormat>) -> std::io::Result<()> {
    start_with(format, "error,security=info")
}

fn start_with(format: Option<LogFormat>, filter: &str) -> std::io::Result<()> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(filter));
    let format = format.unwrap_or(if stderr().is_terminal() { LogFormat::Human } else { LogFormat::Json });
    let output = LogOutput::start(stderr())?;
    output.of_process();
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(output).with_target(false);
    match format {
        LogFormat::Human => subscriber.with_ansi(stderr().is_terminal()).init(),
        LogFormat::Json => subscriber.json().event_format(JsonLines::default()).init(),
    }
    log_output::log_panics();
    Ok(())
}
