//! `bursar bank check` and `bursar bank show`, and independent tools: they accept our files, and we read theirs.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use bursar_formats::iso20022::{self, Message};
use bursar_formats::{Profile, bai2, nacha};
use serde_json::Value;

use crate::harness::bursar;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/ach-corpus").join(name)
}

fn run(arguments: &[&str], files: &[&Path]) -> Output {
    bursar(&[&["bank"], arguments].concat()).args(files).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn check_lists_findings_with_line_column_and_rule() {
    let good = fixture("golden/payment.ach");
    let bad = fixture("mutants/01-batch-hash-wrong.ach");
    let accepted = run(&["check"], &[&good]);
    assert_eq!(accepted.status.code(), Some(0));
    assert!(out(&accepted).ends_with("payment.ach: NACHA, 0 errors, 0 warnings, 0 notes\n"), "{}", out(&accepted));
    let refused = run(&["check"], &[&good, &bad]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(out(&refused).contains("line 6, column 11: error [nacha.batch-hash] batch control entry hash: "));
    let found = json(&run(&["check", "--json"], &[&good, &bad]));
    assert_eq!((&found["files"][0]["errors"], &found["files"][1]["errors"]), (&Value::from(0), &Value::from(1)));
    let finding = &found["files"][1]["findings"][0];
    assert_eq!(
        (&finding["line"], &finding["column"], &finding["rule"]),
        (&6.into(), &11.into(), &"nacha.batch-hash".into())
    );
    assert!(finding["advice"].as_str().unwrap().ends_with('.'));
}

#[test]
fn a_file_from_a_bank_is_judged_by_its_meaning() {
    let file = fixture("from-mock-bank/mb_9_nacha.return");
    assert_eq!(run(&["check"], &[&file]).status.code(), Some(1));
    let accepted = run(&["check", "--incoming"], &[&file]);
    assert_eq!(accepted.status.code(), Some(0), "{}", out(&accepted));
    assert!(out(&accepted).contains("note [nacha.short-line]"));
}

#[test]
fn standard_input_and_unreadable_files() {
    let text = fs::read(fixture("iso20022/camt053.xml")).unwrap();
    let mut child = bursar(&["bank", "check", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&text).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(out(&output), "-: ISO 20022 camt.053.001.08, 0 errors, 0 warnings, 0 notes\n");

    let folder = tempfile::tempdir().unwrap();
    let unknown = folder.path().join("notes.txt");
    fs::write(&unknown, "hello").unwrap();
    for (arguments, file) in [("check", &unknown), ("show", &unknown), ("check", &folder.path().join("missing"))] {
        let output = run(&[arguments], &[file]);
        assert_eq!(output.status.code(), Some(2), "{arguments} {}", file.display());
        assert!(String::from_utf8_lossy(&output.stderr).contains(file.to_str().unwrap()));
    }
    // The readable file is still reported.
    let good = fixture("golden/return.ach");
    let both = run(&["check"], &[&unknown, &good]);
    assert_eq!(both.status.code(), Some(2));
    assert!(out(&both).contains("return.ach: NACHA, 0 errors"));
}

#[test]
fn show_prints_every_format_and_masks_account_numbers() {
    for (file, parts) in [
        ("golden/return.ach", ["Batch 1: PPD PAYOUT", "return R02 account closed of 123456780000001"]),
        ("bai2/full.bai", ["195 incoming wire", "closing ledger"]),
        ("iso20022/camt053.xml", ["closing booked", "PMNT ICDT ESCT"]),
        ("iso20022/camt054.xml", ["Notification (camt.054)", "AC04"]),
        ("iso20022/pain001_wire.xml", ["USABA 011000015", "Ada Byron"]),
        ("iso20022/pain002.xml", ["RJCT", "AC04 closed"]),
    ] {
        let output = run(&["show"], &[&fixture(file)]);
        assert_eq!(output.status.code(), Some(0), "{file}");
        let shown = out(&output);
        assert!(parts.iter().all(|part| shown.contains(part)), "{file}: {shown}");
        for number in ["000123456789", "000987654321", "DE89370400440532013000", "NL91ABNA0417164300"] {
            assert!(!shown.contains(number), "{file}: {shown}");
        }
        let table = &json(&run(&["show", "--json"], &[&fixture(file)]))["tables"][0];
        assert!(table["rows"].as_array().is_some_and(|rows| !rows.is_empty()), "{file}");
    }
    let refused = run(&["show"], &[&fixture("mutants/42-empty.ach")]);
    assert_eq!(refused.status.code(), Some(2));
    let refused = run(&["show"], &[&fixture("mutants/09-file-credit-wrong.ach")]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("nacha.file-credits"));
}

pub fn independent(verb: &str, folder: &Path) -> String {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bank_files");
    let python = tests.join(".venv/bin/python");
    assert!(python.exists(), "run `make setup`");
    let output = Command::new(python).arg(tests.join("independent.py")).arg(verb).arg(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    out(&output)
}

/// Writes a file of ours for each one that an independent tool can judge.
fn write_ours(folder: &Path) {
    // Returns are no payments, and both tools refuse them; mock-bank takes neither prenotes nor both sides in one file.
    for name in ["payment", "reversal", "web-debit"] {
        let bytes = fs::read(fixture("golden").join(name).with_extension("ach")).unwrap();
        let (file, _) = nacha::read(&bytes, Profile::Strict).unwrap();
        fs::write(folder.join(name).with_extension("ach"), nacha::write(&file, nacha::LineEnd::Lf).unwrap()).unwrap();
    }
    let (statement, _) = bai2::read(&fs::read(fixture("bai2/full.bai")).unwrap(), Profile::Strict).unwrap();
    fs::write(folder.join("full.bai"), bai2::write(&statement).unwrap()).unwrap();
    for name in ["pain001_ach", "pain001_inst", "pain001_sepa", "pain001_wire", "pain002", "camt053", "camt054"] {
        let bytes = fs::read(fixture("iso20022").join(name).with_extension("xml")).unwrap();
        let (message, _) = iso20022::read(&bytes, Profile::Strict).unwrap();
        let (ending, bytes) = match &message {
            Message::CreditTransfers(message) => ("pay.xml", iso20022::pain001::write(message)),
            Message::StatusReport(report) => ("xml", iso20022::pain002::write(report)),
            Message::Report(report) => ("xml", iso20022::camt::write(report)),
        };
        fs::write(folder.join(name).with_extension(ending), bytes.unwrap()).unwrap();
    }
}

#[test]
fn independent_tools_accept_our_files() {
    let folder = tempfile::tempdir().unwrap();
    write_ours(folder.path());
    let said = independent("judge", folder.path());
    let verdicts: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let refused: Vec<&Value> = verdicts.iter().filter(|verdict| verdict["ok"] != true).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    // Two tools for each of three NACHA files and four payments, one for the others.
    assert_eq!(verdicts.len(), 3 * 2 + 1 + 4 * 2 + 3);
}

/// The control: a tool that accepts everything proves nothing.
#[test]
fn independent_tools_refuse_broken_files() {
    let folder = tempfile::tempdir().unwrap();
    write_ours(folder.path());
    for (name, from, to) in [
        ("payment.ach", "00000010007K3", "00000010017K3"),
        ("full.bai", "49,30090800", "49,30090801"),
        ("pain001_wire.pay.xml", "<PmtMtd>TRF</PmtMtd>", ""),
        ("pain002.xml", "<OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>", ""),
        ("camt053.xml", "<CdtDbtInd>DBIT</CdtDbtInd>", ""),
    ] {
        let path = folder.path().join(name);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{name}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    }
    let said = independent("judge", folder.path());
    let verdicts: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let broken = ["payment.ach", "full.bai", "pain001_wire.pay.xml", "pain002.xml", "camt053.xml"];
    for name in broken {
        let of_file = verdicts.iter().filter(|verdict| verdict["file"] == name);
        assert!(of_file.clone().count() > 0 && of_file.clone().all(|verdict| verdict["ok"] == false), "{name}: {said}");
    }
}

#[test]
fn we_read_files_of_independent_tools() {
    let folder = tempfile::tempdir().unwrap();
    independent("write", folder.path());
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();

    let (payment, _) = nacha::read(&read("payment.ach"), Profile::Strict).unwrap();
    let amounts: Vec<u64> = payment.batches[0].entries.iter().map(|entry| entry.amount).collect();
    assert_eq!(amounts, [1000, 1975]);
    let (returns, _) = nacha::read(&read("returns.ach"), Profile::Incoming).unwrap();
    let amounts: Vec<u64> = returns.batches[0].entries.iter().map(|entry| entry.amount).collect();
    assert_eq!(amounts, [1000, 2000]);

    let (statement, _) = bai2::read(&read("statement.bai"), Profile::Incoming).unwrap();
    let account = &statement.groups[0].accounts[0];
    assert_eq!((account.summary(bai2::codes::CLOSING), account.details.len()), (Some(100_000), 3));

    for (name, entries) in [("statement.xml", [-1000, -2000, 3000]), ("notice.xml", [-1000, -2000, 3000])] {
        let (message, _) = iso20022::read(&read(name), Profile::Incoming).unwrap();
        let Message::Report(report) = message else { panic!("{name} is another message") };
        let found: Vec<i128> = report.accounts[0].entries.iter().map(|entry| entry.signed()).collect();
        assert_eq!(found, entries, "{name}");
    }
}
