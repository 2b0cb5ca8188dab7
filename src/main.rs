//! The `bursar` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    bursar::cli::run()
}
