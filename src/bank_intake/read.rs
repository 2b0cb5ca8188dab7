//! Reads the bytes of a bank's file: all of its reports, or the findings that refuse it. Pure.

use bursar_formats::iso20022::camt::ReportKind;
use bursar_formats::iso20022::{self, Message};
use bursar_formats::nacha::{self, Addenda, Batch, Entry};
use bursar_formats::{Format, Profile, finding};

use super::acknowledgement::acknowledgements;
use super::messages;
use super::model::{Finding, Findings, ItemKind};
use super::reported::Reported;
use crate::banking::{Acknowledgements, FileFormat};

/// The most reports of a file.
const REPORTS_MAX: usize = 100_000;
/// Findings that are kept.
const FINDINGS_MAX: usize = 50;
const CODE_MAX: usize = 9;

/// Returns whether a file has reports for this module: a file of returns and changes, a status report, or, of a bank that
/// takes messages, a notification of returns. Others are statements, or for information.
#[must_use]
pub fn has_reports(bytes: &[u8], format: FileFormat) -> bool {
    match Format::of(bytes) {
        Some(Format::Nacha) | None => true,
        Some(Format::Bai2) => false,
        Some(Format::Iso20022) => match iso20022::read(bytes, Profile::Incoming) {
            Ok((Message::StatusReport(_), _)) => true,
            Ok((Message::Report(report), _)) => {
                let is_notification = report.kind == ReportKind::Notification;
                format == FileFormat::Pain001 && is_notification && !messages::returns(&report).is_empty()
            }
            // The reader of statements says what is wrong.
            Ok((Message::CreditTransfers(_), _)) | Err(_) => {
                iso20022::name(bytes).is_some_and(|name| name.starts_with("pain.002"))
            }
        },
    }
}

/// Returns all reports of a file, or why it is refused whole. A text is read as the connection's bank acknowledges files.
pub fn read(bytes: &[u8], expected: &Acknowledgements) -> Result<Vec<Reported>, Findings> {
    match Format::of(bytes) {
        Some(Format::Nacha) => {}
        Some(Format::Iso20022) => return of_message(bytes),
        Some(format @ Format::Bai2) => {
            let message = format!("The file is in the format {}.", format.name());
            return Err(refused(
                "intake.format",
                message,
                "Statements are read elsewhere; ask the bank what the file is.",
            ));
        }
        None => {
            let found = acknowledgements(bytes, expected);
            if !found.is_empty() {
                return fitting(found);
            }
            let message =
                "The format of the file is unknown, and it is no acknowledgement that the connection expects.";
            let advice = "Ask the bank what the file is. If it is an acknowledgement, change acknowledgements of the \
                          connection, and replay the file.";
            return Err(refused("intake.format", message.to_owned(), advice));
        }
    }
    let (file, _) = nacha::read(bytes, Profile::Incoming).map_err(|refused| kept(&refused.0))?;
    fitting(file.batches.iter().flat_map(reports_of).collect())
}

fn of_message(bytes: &[u8]) -> Result<Vec<Reported>, Findings> {
    let (message, _) = iso20022::read(bytes, Profile::Incoming).map_err(|refused| kept(&refused.0))?;
    let reports = match &message {
        Message::StatusReport(report) => messages::statuses(report),
        Message::Report(report) if report.kind == ReportKind::Notification => messages::returns(report),
        Message::Report(_) | Message::CreditTransfers(_) => {
            let message = "The message is neither a status report nor a notification.".to_owned();
            return Err(refused("intake.format", message, "Ask the bank what the file is."));
        }
    };
    fitting(reports)
}

fn fitting(reports: Vec<Reported>) -> Result<Vec<Reported>, Findings> {
    if reports.len() <= REPORTS_MAX {
        return Ok(reports);
    }
    let message = format!("The file has {} reports; at most {REPORTS_MAX} are read together.", reports.len());
    let advice = "Ask the bank for several files, or for statuses of files instead of each payment.";
    Err(refused("intake.too-many", message, advice))
}

/// Returns the part of a file's reports that follows those that were read, where it ends, and whether it is the last one.
#[must_use]
pub fn page(reports: &[Reported], from: i64, most: usize) -> (&[Reported], i64, bool) {
    let begin = usize::try_from(from).unwrap_or(usize::MAX).min(reports.len());
    let end = begin.saturating_add(most).min(reports.len());
    (&reports[begin..end], i64::try_from(end).unwrap_or(i64::MAX), end == reports.len())
}

/// Returns one finding about a file as a whole.
#[must_use]
pub fn refused(rule: &str, message: String, advice: &str) -> Findings {
    let (severity, place) = ("error".to_owned(), "file".to_owned());
    let (rule, advice) = (rule.to_owned(), advice.to_owned());
    Findings { kept: vec![Finding { severity, rule, line: 0, column: 0, place, message, advice }], left_out: 0 }
}

/// Returns the findings of a reader as they are stored.
#[must_use]
pub fn kept(found: &finding::Findings) -> Findings {
    let all = found.in_order();
    // The errors explain why the file is refused.
    let (errors, others): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|finding| finding.severity == finding::Severity::Error);
    let count = errors.len() + others.len();
    let kept: Vec<Finding> = errors.into_iter().chain(others).take(FINDINGS_MAX).map(shown).collect();
    let left_out = found.left_out() + u64::try_from(count - kept.len()).unwrap_or(0);
    Findings { kept, left_out }
}

fn shown(finding: &finding::Finding) -> Finding {
    let place = finding.place;
    let names = [place.record, place.field].join(" ");
    // A message may repeat the name or the account number of a payee.
    let is_personal = ["account", "name", "id"].iter().any(|word| place.field.contains(word));
    let message = if is_personal && finding.message.contains('"') {
        "The value is not valid.".to_owned()
    } else {
        finding.message.clone()
    };
    Finding {
        severity: finding.severity.name().to_owned(),
        rule: finding.rule.code.to_owned(),
        line: place.line,
        column: place.column,
        place: names.trim_end().to_owned(),
        message,
        advice: finding.rule.advice.to_owned(),
    }
}

fn reports_of(batch: &Batch) -> Vec<Reported> {
    match batch.header.operator_reject() {
        Some(code) => vec![rejection(batch, code)],
        None => batch.entries.iter().map(report).collect(),
    }
}

fn rejection(batch: &Batch, code: &str) -> Reported {
    let of = |codes: [&str; 4]| {
        let found: Vec<u64> = batch
            .entries
            .iter()
            .filter(|entry| codes.contains(&entry.code.as_str()))
            .map(|entry| entry.amount)
            .collect();
        (i64::try_from(found.len()).unwrap_or(i64::MAX), found.iter().sum::<u64>())
    };
    // With the prenotes of both directions.
    let ((credits, credit), debits) = (of(["22", "32", "23", "33"]), of(["27", "37", "28", "38"]));
    Reported {
        kind: ItemKind::Rejection,
        line: batch.entries.first().map_or(0, |entry| i64::from(entry.line)),
        code: format!("REJ{code}"),
        trace: batch.entries.first().map(|entry| entry.trace),
        amount: if credit == 0 { debits.1 } else { credit },
        credits,
        debits,
        account: String::new(),
        individual_id: String::new(),
        text: String::new(),
        change: None,
        named: None,
    }
}

fn report(entry: &Entry) -> Reported {
    let mut reported = Reported {
        kind: ItemKind::Entry,
        line: i64::from(entry.line),
        code: entry.code.clone(),
        trace: None,
        amount: entry.amount,
        credits: 0,
        debits: (0, 0),
        account: entry.account.clone(),
        individual_id: entry.individual_id.clone(),
        text: String::new(),
        change: None,
        named: None,
    };
    for addenda in &entry.addenda {
        let (kind, code, trace, text) = match addenda {
            Addenda::Return(found) => (ItemKind::Return, &found.reason, found.original_trace, &found.text),
            Addenda::Dishonored(found) => {
                (ItemKind::DishonoredReturn, &found.reason, found.original_trace, &found.text)
            }
            Addenda::Contested(found) => {
                (ItemKind::ContestedReturn, &found.reason, found.original_trace, &reported.text)
            }
            Addenda::Change(found) => (ItemKind::Change, &found.code, found.original_trace, &reported.text),
            Addenda::RefusedChange(found) => {
                (ItemKind::RefusedChange, &found.code, found.original_trace, &reported.text)
            }
            Addenda::Payment(_) | Addenda::Other { .. } => continue,
        };
        let change = if let Addenda::Change(change) = addenda { Some(change.clone()) } else { None };
        let (code, text) = (code.chars().take(CODE_MAX).collect(), text.clone());
        reported = Reported { kind, code, trace: Some(trace), text, change, ..reported };
    }
    reported
}

#[cfg(test)]
mod tests {
    use super::*;
    use bursar_formats::nacha::Trace;

    fn fixture(name: &str) -> Vec<u8> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/ach-corpus");
        std::fs::read(folder.join(name)).unwrap()
    }

    #[test]
    fn returns_and_changes_are_reports() {
        let returned = read(&fixture("golden/return.ach"), &Acknowledgements::default()).unwrap();
        let first = &returned[0];
        assert_eq!((first.kind, first.code.as_str(), first.amount), (ItemKind::Return, "R02", 1_000));
        assert_eq!(first.trace, Some(Trace(123_456_780_000_001)));
        let changed = read(&fixture("golden/noc.ach"), &Acknowledgements::default()).unwrap();
        assert!(changed.iter().all(|one| one.kind == ItemKind::Change && one.change.is_some()));
    }

    #[test]
    fn a_payment_is_a_report_for_a_person() {
        let payments = read(&fixture("golden/payment.ach"), &Acknowledgements::default()).unwrap();
        assert!(!payments.is_empty() && payments.iter().all(|one| one.kind == ItemKind::Entry));
    }

    #[test]
    fn a_file_with_a_wrong_sum_is_refused_whole_with_line_column_and_rule() {
        let findings = read(&fixture("mutants/01-batch-hash-wrong.ach"), &Acknowledgements::default()).unwrap_err();
        let first = &findings.kept[0];
        assert_eq!((first.rule.as_str(), first.line, first.column), ("nacha.batch-hash", 6, 11));
        for name in ["bai2/full.bai", "iso20022/camt053.xml", "iso20022/pain001_ach.xml"] {
            assert!(!has_reports(&fixture(name), FileFormat::Pain001), "{name}");
            assert_eq!(read(&fixture(name), &Acknowledgements::default()).unwrap_err().kept[0].rule, "intake.format");
        }
        for name in ["golden/return.ach", "iso20022/pain002.xml"] {
            assert!(has_reports(&fixture(name), FileFormat::Nacha), "{name}");
        }
        let notification = fixture("iso20022/camt054.xml");
        assert!(has_reports(&notification, FileFormat::Pain001) && !has_reports(&notification, FileFormat::Nacha));
        assert_eq!(read(b"hello", &Acknowledgements::default()).unwrap_err().kept[0].rule, "intake.format");
    }
}
