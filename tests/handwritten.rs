//! The handwritten documents: the things that they name exist, and their lists are complete.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::source::{files, order, program, root};

fn text(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn documents() -> Vec<PathBuf> {
    let in_root = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let in_root = in_root.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    in_root.chain(files(&root().join("docs"), ".md")).collect()
}

/// Returns every text between two marks.
fn between<'a>(text: &'a str, before: &'a str, after: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(before).skip(1).filter_map(move |rest| Some(rest.split_once(after)?.0))
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for link in between(&text, "](", ")").filter(|link| !link.starts_with("http")) {
            let target = link.split('#').next().unwrap();
            if !target.is_empty() && !document.parent().unwrap().join(target).exists() {
                broken.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// In a line, the words after the name of a source file are tests in it.
fn wrong_names(line: &str) -> Vec<String> {
    let mut source = None;
    let mut wrong = Vec::new();
    for name in line.split('`').skip(1).step_by(2) {
        let is_word = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        match &source {
            _ if name.ends_with(".rs") && name.contains('/') => {
                source = fs::read_to_string(root().join(name)).ok();
                wrong.extend(source.is_none().then(|| name.to_owned()));
            }
            Some(source) if is_word && !source.contains(&format!("fn {name}(")) => wrong.push(name.to_owned()),
            Some(_) | None => {}
        }
    }
    wrong
}

#[test]
fn tests_that_are_named_exist() {
    for document in ["docs/internals/spec-gaps.md", "docs/internals/reliability.md"] {
        let wrong: Vec<String> = text(document).lines().flat_map(wrong_names).collect();
        assert!(wrong.is_empty(), "{document} names what is not there: {}", wrong.join(", "));
    }
    assert_eq!(wrong_names("`no_test` before any file, then `tests/main.rs` `no_such_test`"), ["no_such_test"]);
    assert_eq!(wrong_names("`tests/no-such-file.rs`"), ["tests/no-such-file.rs"]);
}

/// Returns rows of tables whose last cell names no test by its file and function; [`wrong_names`] checks that both
/// exist.
fn unpinned_rows(text: &str) -> Vec<&str> {
    let is_row = |line: &&str| line.starts_with("| ") && !line.ends_with("| pinned by |");
    let is_pinned = |line: &&str| {
        let cells = line.trim_end().trim_end_matches('|');
        let names: Vec<&str> = cells.rsplit("| ").next().unwrap_or_default().split('`').skip(1).step_by(2).collect();
        names.windows(2).any(|pair| pair[0].ends_with(".rs") && !pair[1].contains(['.', '/', ' ']))
    };
    text.lines().filter(is_row).filter(|line| !is_pinned(line)).collect()
}

#[test]
fn every_choice_is_pinned_by_a_test() {
    let gaps = text("docs/internals/spec-gaps.md");
    let unpinned = unpinned_rows(&gaps);
    assert!(unpinned.is_empty(), "no test pins:\n{}", unpinned.join("\n"));
    let rows = gaps.lines().filter(|line| line.starts_with("| ")).count();
    assert!(rows > 100, "{rows} rows: are they still found?");
    for phrase in ["not built yet", "no test of its own"] {
        assert!(!gaps.to_lowercase().contains(phrase), "{phrase}");
    }
    let row = |pinned: &str| format!("| `tests/main.rs` `elsewhere` | a choice | 1 | {pinned} |");
    for pinned in ["not built yet", "", "`tests/main.rs`", "`openapi.json`", "`no_file`"] {
        assert_eq!(unpinned_rows(&row(pinned)).len(), 1, "{pinned}");
    }
    assert!(unpinned_rows(&row("`tests/main.rs` `a_test`")).is_empty());
}

#[test]
fn the_map_names_every_module() {
    let map = text("ARCHITECTURE.md");
    let shown = |module: &str| map.contains(&format!("`{module}/`")) || map.contains(&format!("`{module}.rs`"));
    let missing: Vec<String> = order().into_iter().filter(|module| !shown(module)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md does not show {}", missing.join(", "));
}

#[test]
fn every_setting_and_metric_is_documented_for_operators() {
    let reported = text("docs/operating.md");
    let mut names: BTreeSet<String> = between(&text("src/config.rs"), "env = \"", "\"").map(str::to_owned).collect();
    for source in program() {
        let code = fs::read_to_string(source).unwrap();
        for kind in ["counter!(", "gauge!(", "histogram!("] {
            let metrics =
                code.split(kind).skip(1).filter_map(|rest| rest.trim_start().strip_prefix('"')?.split_once('"'));
            names.extend(metrics.map(|(name, _)| name.to_owned()));
        }
    }
    assert!(names.len() > 10, "{names:?}");
    let untold: Vec<&String> = names.iter().filter(|name| !reported.contains(&format!("`{name}`"))).collect();
    assert!(untold.is_empty(), "docs/operating.md does not tell of {untold:?}");
}
