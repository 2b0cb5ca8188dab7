//! BAI2 files as a whole.

use super::*;
use crate::finding::{Profile, Severity};

const FULL: &str = include_str!("../../../../fixtures/ach-corpus/bai2/full.bai");

/// The statement of the fixture, with its trailers computed again.
fn file() -> File {
    read(FULL.as_bytes(), Profile::Strict).unwrap().0
}

#[test]
fn a_statement_is_read_with_its_funds_and_continuations() {
    let account = &file().groups[0].accounts[0];
    assert_eq!((account.summary(10), account.summary(15)), (Some(10_000_000), Some(9_769_725)));
    let wire = &account.details[2];
    assert_eq!(wire.text, "WIRE FROM ADA BYRON, LTD. REF 1/2APP-7K3Q");
    assert_eq!(wire.funds, Funds::Value(Some(jiff::civil::date(2026, 11, 23)), "1430".to_owned()));
    assert_eq!(account.details[3].funds, Funds::Simple([0, 10_000, 0]));
}

#[test]
fn what_is_written_reads_back() {
    let file = file();
    let bytes = write(&file).unwrap();
    let (mut again, findings) = read(&bytes, Profile::Strict).unwrap();
    assert!(findings.is_empty(), "{:?}", findings.in_order());
    // The line numbers differ: the writer uses no continuation.
    for (again, first) in again.groups[0].accounts[0].details.iter_mut().zip(&file.groups[0].accounts[0].details) {
        again.line = first.line;
    }
    assert_eq!(again, file);
    let mut odd = file;
    odd.groups[0].accounts[0].details[0].text = "PAID/16,1".to_owned();
    assert_eq!(write(&odd).unwrap_err().field, "text");
}

#[test]
fn each_broken_rule_is_found() {
    let cases = [
        ("01,123456780", "01,", "bai2.required"),
        ("261124,0600", "261324,0600", "bai2.date"),
        ("261124,0600", "261124,2560", "bai2.time"),
        (",,2/\n02", ",,3/\n02", "bai2.version"),
        (",1,261123", ",7,261123", "bai2.group-status"),
        ("USD,2/", "USD,9/", "bai2.as-of-modifier"),
        ("2400,USD", "2400,usd", "bai2.currency"),
        ("16,447,2975", "16,4X7,2975", "bai2.type-code"),
        ("16,447,2975,", "16,447,29.75,", "bai2.amount"),
        ("2975,Z,", "2975,Q,", "bai2.funds-type"),
        ("S,0,10000,0", "S,0,10000,1", "bai2.distribution"),
        ("49,30090800,7", "49,30090801,7", "bai2.account-total"),
        ("49,30090800,7", "49,30090800,8", "bai2.account-records"),
        ("98,30090800,1,9", "98,1,1,9", "bai2.group-total"),
        ("98,30090800,1,9", "98,30090800,2,9", "bai2.group-accounts"),
        ("98,30090800,1,9", "98,30090800,1,8", "bai2.group-records"),
        ("99,30090800,1,11", "99,0,1,11", "bai2.file-total"),
        ("99,30090800,1,11", "99,30090800,0,11", "bai2.file-groups"),
        ("99,30090800,1,11", "99,30090800,1,1X", "bai2.number"),
        ("99,30090800,1,11/\n", "", "bai2.record-order"),
        ("02,ACME", "16,ACME", "bai2.record-order"),
        ("99,30090800,1,11/\n", "99,30090800,1,11/\n16,1,1/\n", "bai2.after-end"),
        ("100,22700", "100,22701", "bai2.sum"),
        ("015,9769725", "015,9769726", "bai2.balance"),
        ("PAYOUT,ACME", "PAYOUT\u{1},ACME", "bai2.control-character"),
    ];
    for (from, to, rule) in cases {
        assert!(FULL.contains(from), "{from}");
        let findings = check(FULL.replacen(from, to, 1).as_bytes(), Profile::Strict);
        let codes: Vec<&str> = findings.in_order().iter().map(|finding| finding.rule.code).collect();
        assert!(codes.contains(&rule), "{from} -> {to}: {codes:?}");
    }
    for bytes in ["", "\n \n", "junk"] {
        assert!(check(bytes.as_bytes(), Profile::Incoming).count(Severity::Error) > 0);
    }
}
