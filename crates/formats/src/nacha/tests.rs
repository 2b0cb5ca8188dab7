//! Each rule is found where it is broken.

use std::collections::BTreeSet;

use super::{check, rules};
use crate::finding::{Profile, Rule};

const PAYMENT: &str = include_str!("../../../../fixtures/ach-corpus/golden/payment.ach");

/// Writes text over the file from a line and a column on.
fn over(text: &str, line: usize, column: usize, new: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[line - 1].replace_range(column - 1..column - 1 + new.len(), new);
    lines.join("\n") + "\n"
}

/// Returns the file without some lines.
fn without(dropped: &[usize]) -> String {
    let kept = (1..).zip(PAYMENT.split_inclusive('\n')).filter(|(line, _)| !dropped.contains(line));
    kept.map(|(_, text)| text).collect()
}

/// Returns the file with a line repeated behind itself.
fn twice(repeated: usize) -> String {
    let lines = (1..).zip(PAYMENT.split_inclusive('\n'));
    lines.map(|(line, text)| if line == repeated { text.repeat(2) } else { text.to_owned() }).collect()
}

/// A field that breaks a rule: line, column, new text.
const FIELDS: [(&Rule, usize, usize, &str); 41] = [
    (&rules::RECORD_TYPE, 3, 1, "4"),
    (&rules::CONTROL_CHARACTER, 3, 55, "\u{1}"),
    (&rules::CONSTANT, 1, 35, "093"),
    (&rules::NUMBER, 3, 30, "X"),
    (&rules::REQUIRED, 2, 5, "                "),
    (&rules::DATE, 2, 70, "261399"),
    (&rules::TIME, 1, 30, "2560"),
    (&rules::DAY, 2, 76, "400"),
    (&rules::MODIFIER, 1, 34, "a"),
    (&rules::DESTINATION, 1, 13, "9"),
    (&rules::RESERVED, 10, 60, "0"),
    (&rules::SEC_UNKNOWN, 2, 51, "ZZZ"),
    (&rules::SEC_NOT_SENT, 2, 51, "IAT"),
    (&rules::SEC_NOT_READ, 2, 51, "ADV"),
    (&rules::SERVICE_CLASS, 2, 2, "230"),
    (&rules::SERVICE_CLASS_CONTENT, 2, 2, "225"),
    (&rules::MIXED_ONE_SIDE, 2, 2, "200"),
    (&rules::BATCH_NUMBER, 7, 94, "1"),
    (&rules::BATCH_MISMATCH, 6, 94, "7"),
    (&rules::OPERATOR_REJECT, 2, 80, "REJ12345"),
    (&rules::TRANSACTION_CODE, 3, 2, "99"),
    (&rules::CHECK_DIGIT, 3, 12, "4"),
    (&rules::ZERO_AMOUNT, 3, 30, "0000000000"),
    (&rules::AMOUNT_NOT_ZERO, 3, 2, "23"),
    (&rules::TRACE_ODFI, 3, 80, "99999999"),
    (&rules::TRACE_ORDER, 4, 94, "0"),
    (&rules::TRACE_DUPLICATE, 4, 94, "1"),
    (&rules::ADDENDA_MISSING, 3, 79, "1"),
    (&rules::ADDENDA_NOT_INDICATED, 4, 79, "0"),
    (&rules::ADDENDA_TYPE, 5, 2, "06"),
    (&rules::ADDENDA_SEQUENCE, 5, 84, "0002"),
    (&rules::ADDENDA_ENTRY, 5, 94, "9"),
    (&rules::RETURN_REASON, 5, 2, "99R99"),
    (&rules::CHANGE_CODE, 5, 2, "98C99"),
    (&rules::BATCH_COUNT, 6, 10, "9"),
    (&rules::BATCH_HASH, 6, 20, "9"),
    (&rules::BATCH_DEBITS, 6, 32, "1"),
    (&rules::BATCH_CREDITS, 6, 44, "1"),
    (&rules::FILE_BATCHES, 10, 7, "9"),
    (&rules::FILE_BLOCKS, 10, 13, "9"),
    (&rules::FILE_COUNT, 10, 21, "9"),
];

/// Files that break a rule as a whole.
fn wholes() -> Vec<(&'static Rule, String)> {
    let first = PAYMENT.split_inclusive('\n').next().unwrap();
    let web_debit = over(&over(PAYMENT, 2, 51, "WEB"), 3, 2, "27");
    vec![
        (&rules::EMPTY, String::new()),
        (&rules::NOT_ASCII, PAYMENT.replacen("ADA BYRON ", "ADA BYRÖN ", 1)),
        (&rules::LINE_ENDS, PAYMENT.replacen('\n', "\r\n", 1)),
        (&rules::LINE_ENDS, PAYMENT.replace('\n', "\r")),
        (&rules::NO_LINE_ENDS, PAYMENT.replace('\n', "")),
        (&rules::BLANK_LINE, PAYMENT.replacen('\n', "\n\n", 1)),
        (&rules::LINE_LENGTH, PAYMENT.replacen('\n', "X\n", 1)),
        (&rules::SHORT_LINE, PAYMENT.replacen(" \n", "\n", 1)),
        (&rules::TRAILING_BLANKS, PAYMENT.replacen('\n', " \n", 1)),
        (&rules::PADDING, PAYMENT.to_owned() + &("9".repeat(94) + "\n").repeat(10)),
        (&rules::RECORD_ORDER, twice(1)),
        (&rules::FILE_HEADER_MISSING, without(&[1])),
        (&rules::FILE_CONTROL_MISSING, without(&[10])),
        (&rules::PARTIAL, without(&[1, 10])),
        (&rules::BATCH_CONTROL_MISSING, without(&[6])),
        (&rules::BATCH_CONTROL_MISSING, without(&[9])),
        (&rules::AFTER_END, PAYMENT.to_owned() + first),
        (&rules::NO_BATCH, without(&[2, 3, 4, 5, 6, 7, 8, 9])),
        (&rules::NO_ENTRY, without(&[8])),
        (&rules::PAYMENT_TYPE, web_debit),
        (&rules::ADDENDA_COUNT, twice(5)),
        (&rules::FILE_HASH, over(PAYMENT, 10, 31, "9")),
        (&rules::FILE_DEBITS, over(PAYMENT, 10, 43, "1")),
        (&rules::FILE_CREDITS, over(PAYMENT, 10, 55, "1")),
    ]
}

#[test]
fn each_rule_is_found_where_it_is_broken() {
    for (rule, line, column, new) in FIELDS {
        let findings = check(over(PAYMENT, line, column, new).as_bytes(), Profile::Strict).findings;
        let found = findings
            .in_order()
            .into_iter()
            .any(|finding| finding.rule == rule && usize::try_from(finding.place.line).unwrap() == line);
        // A contradiction between header and content is reported at the header.
        assert!(found, "{}: {:?}", rule.code, findings.in_order());
    }
    for (rule, text) in wholes() {
        let findings = check(text.as_bytes(), Profile::Strict).findings;
        let found = findings.in_order().into_iter().any(|finding| finding.rule == rule);
        assert!(found, "{}: {:?}", rule.code, findings.in_order());
    }
}

#[test]
fn every_rule_has_a_case() {
    let mut with_case: BTreeSet<&str> = FIELDS.iter().map(|(rule, ..)| rule.code).collect();
    with_case.extend(wholes().iter().map(|(rule, _)| rule.code));
    // It needs a file of 256 MiB, which the tests of hostile files have.
    with_case.insert(rules::TOO_LARGE.code);
    let all: BTreeSet<&str> = rules::ALL.iter().map(|rule| rule.code).collect();
    assert_eq!(with_case, all);
}
