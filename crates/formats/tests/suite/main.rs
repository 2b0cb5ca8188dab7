//! The formats as a whole: the corpus with its verdicts, what is written and read, and damaged files.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a failed step ends the test")]

mod corpus;
mod damage;
mod nacha_files;

use std::fs;
use std::path::{Path, PathBuf};

/// The folder with the files and their verdicts.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/ach-corpus")
}

/// Returns every file below a folder, in order.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}
