//! Reads the source as text, for the tests of its structure.

use std::fs;
use std::path::{Path, PathBuf};

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns every file below a folder whose name has this ending, in order.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("node_modules") {
            found.extend(files(&path, ending));
        } else if path.to_str().unwrap().ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The crates whose modules `src/lib.rs` re-exports, in dependency order.
const CRATES: [&str; 3] = ["base", "engine", "outbound"];

/// Returns the folders with the modules of the program, in dependency order.
fn roots() -> Vec<PathBuf> {
    let crates = CRATES.iter().map(|name| root().join("crates").join(name).join("src"));
    crates.chain([root().join("src")]).collect()
}

/// Returns every file of the program: of `src/`, and of the crates whose modules it re-exports.
pub fn program() -> Vec<PathBuf> {
    roots().iter().flat_map(|folder| files(folder, ".rs")).collect()
}

/// Returns the parts of a file's path below the folder of its crate.
pub fn parts(path: &Path) -> Vec<String> {
    let below = roots().into_iter().find_map(|folder| path.strip_prefix(folder).ok()).unwrap();
    below.iter().map(|part| part.to_str().unwrap().to_owned()).collect()
}

/// Returns the top module of a file.
pub fn module(path: &Path) -> String {
    parts(path)[0].trim_end_matches(".rs").to_owned()
}

/// Returns the code of a file without comments and strings, up to its tests.
pub fn code(text: &str) -> String {
    let without_tests = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    without_tests.lines().map(code_of_line).collect::<Vec<_>>().join("\n")
}

/// Returns a line without its comment and with its strings emptied.
pub fn code_of_line(line: &str) -> String {
    let (mut kept, mut rest) = (String::new(), line);
    while let Some(at) = rest.find(['"', '/']) {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        if from.starts_with("//") {
            return kept;
        }
        rest = &from[1..];
        if from.starts_with('"') && !before.ends_with('\'') {
            rest = &rest[end_of_string(rest)..];
        }
    }
    kept + rest
}

/// Returns the end of the string that begins here; the whole line if it continues in the next.
pub fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

pub fn word(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect()
}

/// Returns the modules of the program in dependency order: as each lib.rs lists them.
pub fn order() -> Vec<String> {
    let libs = roots().into_iter().map(|folder| fs::read_to_string(folder.join("lib.rs")).unwrap());
    let modules = |lib: String| {
        let named = lib.lines().filter_map(|line| line.strip_prefix("pub mod "));
        named.map(|rest| rest.trim_end_matches(';').to_owned()).collect::<Vec<_>>()
    };
    libs.flat_map(modules).collect()
}
