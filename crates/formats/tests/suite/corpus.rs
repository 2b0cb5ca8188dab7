//! The corpus: ACH files with the verdicts of another library (`library.tsv`) and ours (`verdicts.tsv`).
//!
//! `verdicts.tsv` lists for each file our strict verdict, our verdict on a file from a bank, and, where one of them or the
//! sums differ from the library, the reason. Neither an unlisted difference nor a reason without a difference passes.
//! The samples of the library itself are read from the folder of `BURSAR_ACH_SAMPLES`, because they are not ours to copy.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bursar_formats::nacha::{self, Checked};
use bursar_formats::{Profile, Severity, inspect};

use crate::fixtures;

/// A row of `library.tsv`.
struct Library {
    accepts: bool,
    /// Batches, entries, debits, credits, returns, changes.
    sums: Vec<u64>,
}

/// A row of `verdicts.tsv`: `accept`, or the line and the code of the first error.
struct Ours {
    strict: String,
    incoming: String,
    reason: String,
}

fn rows(name: &str) -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(fixtures().join(name)).unwrap();
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
    text.lines().skip(1).map(cells).map(|cells| (cells[0].clone(), cells)).collect()
}

fn library() -> BTreeMap<String, Library> {
    let read = |cells: Vec<String>| Library {
        accepts: cells[1] == "accept",
        sums: cells[4..10].iter().map(|cell| cell.parse().unwrap()).collect(),
    };
    rows("library.tsv").into_iter().map(|(file, cells)| (file, read(cells))).collect()
}

fn ours() -> BTreeMap<String, Ours> {
    let read =
        |cells: Vec<String>| Ours { strict: cells[1].clone(), incoming: cells[2].clone(), reason: cells[3].clone() };
    rows("verdicts.tsv").into_iter().map(|(file, cells)| (file, read(cells))).collect()
}

/// Returns where a file is; `None` for a sample that is not there.
fn path(file: &str) -> Option<PathBuf> {
    match file.strip_prefix("theirs/") {
        None => Some(fixtures().join(file)),
        Some(sample) => std::env::var_os("BURSAR_ACH_SAMPLES").map(|folder| Path::new(&folder).join(sample)),
    }
}

fn verdict(checked: &Checked) -> String {
    match checked.findings.first_error() {
        None => "accept".to_owned(),
        Some(finding) => format!("{}:{}", finding.place.line, finding.rule.code),
    }
}

fn sums(checked: &Checked) -> Vec<u64> {
    let totals = &checked.totals;
    vec![totals.batches, totals.entries, totals.debits, totals.credits, checked.returns, checked.changes]
}

/// Returns what is wrong with the verdicts on one file.
fn wrong(file: &str, bytes: &[u8], library: &Library, ours: &Ours) -> Vec<String> {
    let [strict, incoming] = [Profile::Strict, Profile::Incoming].map(|profile| nacha::check(bytes, profile));
    let mut wrong = Vec::new();
    for (found, listed) in [(verdict(&strict), &ours.strict), (verdict(&incoming), &ours.incoming)] {
        if found != *listed {
            wrong.push(format!("{file}: {found} instead of {listed}"));
        }
    }
    let differs = [&ours.strict, &ours.incoming].iter().any(|verdict| (*verdict == "accept") != library.accepts)
        || library.accepts && sums(&incoming) != library.sums;
    match (differs, ours.reason.is_empty()) {
        (true, true) => wrong.push(format!("{file}: a difference without a reason")),
        (false, false) => wrong.push(format!("{file}: a reason without a difference: {}", ours.reason)),
        _ => {}
    }
    wrong
}

#[test]
fn every_verdict_on_the_corpus_is_the_listed_one() {
    let (library, ours) = (library(), ours());
    assert!(library.keys().eq(ours.keys()), "both tables list the same files");
    let (mut problems, mut checked, mut skipped) = (Vec::new(), 0, 0);
    for (file, listed) in &ours {
        let Some(path) = path(file) else {
            skipped += 1;
            continue;
        };
        checked += 1;
        problems.extend(wrong(file, &fs::read(path).unwrap(), &library[file], listed));
    }
    if skipped > 0 {
        println!("SKIPPED: {skipped} samples of the library; BURSAR_ACH_SAMPLES names no folder with them");
    }
    assert!(checked >= 233, "{checked} files");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_wrong_or_unexplained_verdict_is_found() {
    let bytes = fs::read(fixtures().join("golden/payment.ach")).unwrap();
    let row = |strict: &str, reason: &str| Ours {
        strict: strict.to_owned(),
        incoming: "accept".to_owned(),
        reason: reason.to_owned(),
    };
    let library = |accepts| Library { accepts, sums: vec![2, 3, 0, 252_975, 0, 0] };
    let found = |row: &Ours, accepts| wrong("a", &bytes, &library(accepts), row).len();
    assert_eq!(found(&row("accept", ""), true), 0);
    assert_eq!(found(&row("1:nacha.date", ""), true), 2, "another verdict, which is a difference");
    assert_eq!(found(&row("accept", ""), false), 1, "an unlisted difference");
    assert_eq!(found(&row("accept", "a reason"), true), 1, "a listed difference that does not occur");
    let other = Library { accepts: true, sums: vec![2, 3, 0, 252_974, 0, 0] };
    assert_eq!(wrong("a", &bytes, &other, &row("accept", "")).len(), 1, "another sum");
}

#[test]
fn goldens_are_accepted_and_broken_mutants_are_refused_with_line_and_rule() {
    for (file, row) in ours() {
        if file.starts_with("golden/") {
            assert_eq!((row.strict.as_str(), row.incoming.as_str()), ("accept", "accept"), "{file}");
        }
        // These four are a valid file in other forms of lines.
        let is_valid = ["00-valid", "43-no-final-newline", "44-crlf", "45-one-line-940"];
        if let Some(mutant) = file.strip_prefix("mutants/") {
            let valid = is_valid.iter().any(|name| mutant.starts_with(name));
            assert_eq!(row.strict == "accept", valid, "{file}");
        }
    }
}

#[test]
fn files_of_another_bank_are_read() {
    for name in ["mb_6_bai2.statement", "mb_11_bai2.statement", "mb_14_bai2.statement", "mb_17_bai2.statement"] {
        let bytes = fs::read(fixtures().join("from-mock-bank").join(name)).unwrap();
        let found = inspect(&bytes, Profile::Incoming).unwrap();
        assert!(!found.findings.refuses(), "{name}: {:?}", found.findings.in_order());
    }
    let bytes = fs::read(fixtures().join("from-mock-bank/mb_9_nacha.return")).unwrap();
    let (file, findings) = nacha::read(&bytes, Profile::Incoming).unwrap();
    assert_eq!(findings.count(Severity::Error), 0);
    let entries: Vec<_> = file.batches.iter().flat_map(|batch| &batch.entries).collect();
    let returned: Vec<u64> = entries.iter().map(|entry| entry.amount).collect();
    assert_eq!(returned, [1000, 1975, 2950]);
    assert!(
        entries
            .iter()
            .all(|entry| matches!(&entry.addenda[..], [nacha::Addenda::Return(value)] if value.reason == "R02"))
    );
    assert!(nacha::check(&bytes, Profile::Strict).findings.refuses(), "short lines without padding");
}
