//! NACHA files: what is written reads back, is deterministic, and each change of a control field is found.

use std::fs;

use bursar_formats::nacha::{
    Addenda, Batch, BatchHeader, Change, Entry, File, FileHeader, LineEnd, Return, Trace, check, check_digit, read,
    show, write,
};
use bursar_formats::{Profile, Severity};
use jiff::civil::date;
use proptest::prelude::*;

use crate::fixtures;

fn golden(name: &str) -> Vec<u8> {
    fs::read(fixtures().join("golden").join(name).with_extension("ach")).unwrap()
}

const GOLDENS: [&str; 16] = [
    "balanced",
    "contested",
    "dishonored",
    "noc",
    "noc-c02",
    "noc-c03",
    "noc-c04",
    "noc-c05",
    "noc-c06",
    "noc-c07",
    "noc-c09",
    "payment",
    "prenote",
    "return",
    "reversal",
    "web-debit",
];

#[test]
fn goldens_are_written_byte_for_byte() {
    for name in GOLDENS {
        let bytes = golden(name);
        let (file, findings) = read(&bytes, Profile::Strict).unwrap();
        assert!(findings.is_empty(), "{name}: {:?}", findings.in_order());
        let again = write(&file, LineEnd::Lf).unwrap();
        assert_eq!(String::from_utf8(again).unwrap(), String::from_utf8(bytes).unwrap(), "{name}");
        let crlf = write(&file, LineEnd::Crlf).unwrap();
        assert!(read(&crlf, Profile::Strict).is_ok(), "{name}");
        assert_eq!(show(&file).tables.len(), file.batches.len());
    }
}

#[test]
fn corrected_data_is_read_by_its_code() {
    let change = |code: &str, corrected: &str| {
        Change {
            code: code.to_owned(),
            original_trace: Trace(1),
            original_rdfi: "11000000".to_owned(),
            corrected: corrected.to_owned(),
        }
        .corrected_values()
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(change("C01", "9876543299").unwrap().account, some("9876543299"));
    assert_eq!(change("C02", "011000015").unwrap().routing, some("011000015"));
    let both = change("C03", "011000015   98-76").unwrap();
    assert_eq!((both.routing, both.account), (some("011000015"), some("98-76")));
    assert_eq!(change("C04", "ADA KING").unwrap().name, some("ADA KING"));
    assert_eq!(change("C05", "32").unwrap().transaction_code, some("32"));
    for moved in ["9876543299          32", "9876543299       32", "9876543299 32"] {
        let both = change("C06", moved).unwrap();
        assert_eq!((both.account, both.transaction_code), (some("9876543299"), some("32")), "{moved}");
    }
    let all = change("C07", "0110000159876543299       32").unwrap();
    assert_eq!((all.routing, all.account, all.transaction_code), (some("011000015"), some("9876543299"), some("32")));
    assert_eq!(change("C08", "x"), None);
    assert_eq!(change("C06", "9876543299"), None);
    assert_eq!(change("C03", "011000015"), None);
}

/// Every byte of a batch control and of a file control matters.
#[test]
fn every_changed_byte_of_a_control_record_is_found() {
    let mut changes = 0;
    for name in GOLDENS {
        let bytes = golden(name);
        let text = String::from_utf8(bytes.clone()).unwrap();
        for (number, line) in
            text.lines().enumerate().filter(|(_, line)| line.starts_with('8') || line.starts_with("90"))
        {
            for column in 0..line.len() {
                for letter in *b"059 AZ" {
                    let at = number * 95 + column;
                    if bytes[at] == letter {
                        continue;
                    }
                    let mut changed = bytes.clone();
                    changed[at] = letter;
                    changes += 1;
                    let findings = check(&changed, Profile::Strict).findings;
                    assert!(findings.refuses(), "{name}, line {}, column {}", number + 1, column + 1);
                }
            }
        }
    }
    assert!(changes > 15_000, "{changes}");
}

fn text(most: usize) -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![Just(' '), proptest::char::range('0', '9'), proptest::char::range('A', 'Z')],
        1..=most,
    )
    .prop_map(|letters| letters.into_iter().collect::<String>().trim().to_owned())
    .prop_map(|text| if text.is_empty() { "X".to_owned() } else { text })
}

fn routing() -> impl Strategy<Value = String> {
    (0u32..100_000_000).prop_map(|number| {
        let digits = format!("{number:08}");
        let check = check_digit(&digits).unwrap();
        format!("{digits}{check}")
    })
}

fn addenda() -> impl Strategy<Value = Option<Addenda>> {
    let returned = (0u64..1_000_000_000_000_000, text(44)).prop_map(|(trace, text)| {
        Addenda::Return(Return {
            reason: "R02".to_owned(),
            original_trace: Trace(trace),
            died_on: None,
            original_rdfi: "01100001".to_owned(),
            text,
        })
    });
    prop_oneof![3 => Just(None), 2 => text(80).prop_map(|text| Some(Addenda::Payment(text))), 1 => returned.prop_map(Some)]
}

fn entry() -> impl Strategy<Value = Entry> {
    let code = prop_oneof!["[234]2", "[234]7", "5[25]"];
    (code, routing(), text(17), 1u64..10_000_000_000, text(15), text(22), addenda()).prop_map(
        |(code, routing, account, amount, individual_id, name, addenda)| Entry {
            line: 0,
            code,
            routing,
            account,
            amount,
            individual_id,
            name,
            discretionary: String::new(),
            trace: Trace(0),
            addenda: addenda.into_iter().collect(),
        },
    )
}

fn file() -> impl Strategy<Value = File> {
    proptest::collection::vec(proptest::collection::vec(entry(), 1..6), 1..4).prop_map(|batches| {
        let mut sequence = 0;
        let batches = (1u32..).zip(batches).map(|(number, mut entries)| {
            for entry in &mut entries {
                sequence += 1;
                entry.trace = Trace(123_456_780_000_000 + sequence);
            }
            Batch { header: header(number), entries }
        });
        File { header: Some(file_header()), batches: batches.collect() }
    })
}

fn file_header() -> FileHeader {
    FileHeader {
        destination: "123456780".to_owned(),
        origin: "1234567890".to_owned(),
        created_on: Some(date(2026, 11, 23)),
        created_at: Some(jiff::civil::time(9, 30, 0, 0)),
        modifier: 'A',
        destination_name: "SAMPLE BANK".to_owned(),
        origin_name: "ACME INC".to_owned(),
        reference: String::new(),
    }
}

fn header(number: u32) -> BatchHeader {
    BatchHeader {
        service_class: String::new(),
        company_name: "ACME INC".to_owned(),
        discretionary: String::new(),
        company_id: "1234567890".to_owned(),
        sec: "PPD".to_owned(),
        description: "PAYOUT".to_owned(),
        descriptive_date: String::new(),
        effective_on: Some(date(2026, 11, 24)),
        settlement_day: None,
        odfi: "12345678".to_owned(),
        number,
    }
}

/// Removes what reading adds: the lines, and the service class that the writer computed.
fn plain(mut file: File) -> File {
    for batch in &mut file.batches {
        batch.header.service_class.clear();
        batch.entries.iter_mut().for_each(|entry| entry.line = 0);
    }
    file
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_passes_the_strict_check_and_reads_back(file in file()) {
        let bytes = write(&file, LineEnd::Lf).unwrap();
        prop_assert_eq!(&write(&file, LineEnd::Lf).unwrap(), &bytes);
        let checked = check(&bytes, Profile::Strict);
        prop_assert_eq!(checked.findings.count(Severity::Error), 0, "{:?}", checked.findings.in_order());
        let (again, _) = read(&bytes, Profile::Strict).unwrap();
        prop_assert_eq!(plain(again), plain(file));
    }
}

/// The field that is refused after the change.
type Refusal = (&'static str, fn(&mut File));

#[test]
fn a_value_that_does_not_fit_is_refused() {
    let (file, _) = read(&golden("payment"), Profile::Strict).unwrap();
    let cases: [Refusal; 8] = [
        ("account number", |file| file.batches[0].entries[0].account = "123456789012345678".to_owned()),
        ("name", |file| file.batches[0].entries[0].name = "ZOË".to_owned()),
        ("amount", |file| file.batches[0].entries[0].amount = 10_000_000_000),
        ("RDFI", |file| file.batches[0].entries[0].routing = "1234567".to_owned()),
        ("check digit", |file| file.batches[0].entries[0].routing = "12345678".to_owned()),
        ("transaction code", |file| file.batches[0].entries[0].code = "99".to_owned()),
        ("SEC code", |file| file.batches[0].header.sec = "IAT".to_owned()),
        ("creation date", |file| file.header.as_mut().unwrap().created_on = Some(date(1999, 12, 31))),
    ];
    for (field, change) in cases {
        let mut changed = file.clone();
        change(&mut changed);
        assert_eq!(write(&changed, LineEnd::Lf).unwrap_err().field, field);
    }
}
