//! `bursar completions`

use clap::{Command, ValueEnum};
use clap_complete::{Shell, generate};

use super::terminal::{Failed, say};

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum For {
    Bash,
    Zsh,
    Fish,
}

/// Prints the script of a shell.
pub(super) fn run(mut line: Command, shell: For) -> Result<(), Failed> {
    let shell = match shell {
        For::Bash => Shell::Bash,
        For::Zsh => Shell::Zsh,
        For::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    generate(shell, &mut line, "bursar", &mut script);
    say(String::from_utf8_lossy(&script).trim_end())
}
