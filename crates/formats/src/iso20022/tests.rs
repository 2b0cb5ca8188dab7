//! Messages as a whole.

use super::*;
use crate::finding::Severity;

const SAMPLES: [(&str, &str); 7] = [
    ("camt.053", include_str!("../../../../fixtures/ach-corpus/iso20022/camt053.xml")),
    ("camt.054", include_str!("../../../../fixtures/ach-corpus/iso20022/camt054.xml")),
    ("pain.001 ach", include_str!("../../../../fixtures/ach-corpus/iso20022/pain001_ach.xml")),
    ("pain.001 instant", include_str!("../../../../fixtures/ach-corpus/iso20022/pain001_inst.xml")),
    ("pain.001 sepa", include_str!("../../../../fixtures/ach-corpus/iso20022/pain001_sepa.xml")),
    ("pain.001 wire", include_str!("../../../../fixtures/ach-corpus/iso20022/pain001_wire.xml")),
    ("pain.002", include_str!("../../../../fixtures/ach-corpus/iso20022/pain002.xml")),
];

fn write(message: &Message) -> Vec<u8> {
    match message {
        Message::CreditTransfers(message) => pain001::write(message),
        Message::StatusReport(report) => pain002::write(report),
        Message::Report(report) => camt::write(report),
    }
    .unwrap()
}

fn codes(text: &str) -> Vec<&'static str> {
    check(text.as_bytes(), Profile::Strict).in_order().iter().map(|finding| finding.rule.code).collect()
}

#[test]
fn samples_are_accepted_and_read_back_from_our_writer() {
    for (name, text) in SAMPLES {
        let (message, findings) = read(text.as_bytes(), Profile::Strict).unwrap_or_else(|no| panic!("{name}: {no}"));
        assert!(findings.is_empty(), "{name}: {:?}", findings.in_order());
        let bytes = write(&message);
        assert_eq!(write(&message), bytes, "{name}: the bytes are deterministic");
        let (again, _) = read(&bytes, Profile::Strict).unwrap_or_else(|no| panic!("{name}: {no}"));
        assert_eq!(again, message, "{name}");
        assert!(!show(&message).tables.is_empty(), "{name}");
    }
}

#[test]
fn each_broken_rule_is_found() {
    let [camt053, _, ach, _, sepa, wire, pain002] = SAMPLES.map(|(_, text)| text);
    let cases = [
        (camt053, "<CLBD", "<CLBD", ""),
        (camt053, ">987.66<", ">987.67<", "iso20022.balance"),
        (camt053, "<Cd>OPBD</Cd>", "<Cd>XXXX</Cd>", "iso20022.no-balance"),
        (camt053, "Ccy=\"EUR\">12.34", "Ccy=\"USD\">12.34", "iso20022.currency"),
        (camt053, "Ccy=\"EUR\">12.34", "Ccy=\"EUR\">12.345", "iso20022.amount"),
        (camt053, "<CdtDbtInd>DBIT", "<CdtDbtInd>OTHR", "iso20022.indicator"),
        (camt053, "<BookgDt><Dt>2026-11-24", "<BookgDt><Dt>2026-13-24", "iso20022.date"),
        (camt053, "DE89370400440532013000", "DE89370400440532013001", "iso20022.iban"),
        (camt053, "<NbOfTxs>1", "<NbOfTxs>2", "iso20022.details"),
        (camt053, "camt.053.001.08", "camt.053.001.99", "iso20022.version"),
        (camt053, "camt.053.001.08", "camt.052.001.08", "iso20022.version"),
        (ach, "<NbOfTxs>1", "<NbOfTxs>3", "iso20022.count"),
        (ach, "<CtrlSum>12.34", "<CtrlSum>12.33", "iso20022.sum"),
        (ach, "<MsgId>", "<MsgId>0123456789012345678901234567890123456789", "iso20022.length"),
        (ach, "<PmtMtd>TRF", "<PmtMtd>CHK", "iso20022.code"),
        (ach, "<EndToEndId>", "<EndToEndIdX>", "iso20022.not-well-formed"),
        (ach, "<PmtId>", "<PmtId><!-- -->&nbsp;", "iso20022.entity"),
        (ach, "?>\n", "?>\n<!DOCTYPE a [<!ENTITY b \"c\">]>", "iso20022.dtd"),
        (ach, "</Document>", "", "iso20022.not-well-formed"),
        (ach, "</Document>", "</Document><a/>", "iso20022.not-well-formed"),
        (wire, "<CreDtTm>2026-11-23T", "<CreDtTm>2026-11-31T", "iso20022.date-time"),
        (wire, "021000021", "021000022", "iso20022.code"),
        (wire, "-4e11-", "-1e11-", "iso20022.uetr"),
        (wire, "<TwnNm>Amsterdam</TwnNm>", "<AdrLine>Amsterdam</AdrLine>", "iso20022.address"),
        (wire, "<Nm>Ada Byron</Nm>", "", "iso20022.missing"),
        (wire, "Ada Byron", "Ada // Byron", "iso20022.characters"),
        (wire, "</CdtrAcct>", "</CdtrAcct><Cdtr></Cdtr>", "iso20022.repeated"),
        (wire, "<EndToEndId>0198f2a4c0de7e11b0a1000000000002", "<EndToEndId> ", "iso20022.empty"),
        (sepa, "<BICFI>", "<BICFI>x", "iso20022.bic"),
        (pain002, "<TxSts>RJCT", "<TxSts>WHAT", "iso20022.code"),
        (pain002, "<OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>", "", "iso20022.missing"),
    ];
    for (text, from, to, rule) in cases.into_iter().filter(|(.., rule)| !rule.is_empty()) {
        assert!(text.contains(from), "{from}");
        let found = codes(&text.replacen(from, to, 1));
        assert!(found.contains(&rule), "{from} -> {to}: {found:?}");
    }
}

#[test]
fn hostile_documents_are_refused_within_limits() {
    let deep = format!("<Document xmlns=\"{NAMESPACE}camt.053.001.08\">{}", "<a>".repeat(100_000));
    assert_eq!(codes(&deep), ["iso20022.depth"]);
    let wide = format!("<Document>{}</Document>", "<a/>".repeat(2_000_001));
    assert_eq!(codes(&wide), ["iso20022.elements"]);
    assert_eq!(codes("<Document>&#0;</Document>"), ["iso20022.entity"]);
    assert_eq!(codes(""), ["iso20022.not-well-formed"]);
    let latin = check(b"<Document>\xe9</Document>", Profile::Incoming);
    assert_eq!(latin.first_error().map(|finding| finding.rule.code), Some("iso20022.encoding"));
    let large = vec![b' '; BYTES_MAX + 1];
    assert_eq!(check(&large, Profile::Incoming).count(Severity::Error), 1);
}

#[test]
fn a_transaction_has_the_status_of_the_lowest_level() {
    let (message, _) = read(SAMPLES[6].1.as_bytes(), Profile::Strict).unwrap();
    let Message::StatusReport(mut report) = message else { panic!("another message") };
    let status = |report: &pain002::StatusReport| {
        let payment = &report.payments[0];
        report.status(payment, &payment.transactions[0]).map(str::to_owned)
    };
    assert_eq!(status(&report).as_deref(), Some("RJCT"));
    report.payments[0].transactions[0].status = None;
    assert_eq!(status(&report).as_deref(), Some("PART"));
    assert_eq!(pain002::meaning("RJCT"), Some(pain002::Meaning::Rejected));
    assert_eq!(pain002::meaning("NEWX"), None);
}

/// The element that is refused after the change.
type Refusal = (&'static str, fn(&mut pain001::CreditTransfers));

#[test]
fn the_writer_refuses_what_banks_refuse() {
    let (message, _) = read(SAMPLES[5].1.as_bytes(), Profile::Strict).unwrap();
    let Message::CreditTransfers(message) = message else { panic!("another message") };
    let cases: [Refusal; 5] = [
        ("MsgId", |message| message.message_id = "x".repeat(36)),
        ("Nm", |message| message.initiator = "Zoë".to_owned()),
        ("AdrLine", |message| {
            message.payments[0].debtor.address = Some(Address { lines: vec!["A".to_owned()], ..Address::default() });
        }),
        ("InstdAmt", |message| message.payments[0].transfers[0].amount.minor = -1),
        ("CreDtTm", |message| message.created_at = "today".to_owned()),
    ];
    for (element, change) in cases {
        let mut changed = message.clone();
        change(&mut changed);
        assert_eq!(pain001::write(&changed).unwrap_err().element, element);
    }
}

#[test]
fn a_payment_has_several_transfers_and_an_amount_that_the_bank_converts() {
    let (message, _) = read(SAMPLES[5].1.as_bytes(), Profile::Strict).unwrap();
    let Message::CreditTransfers(mut message) = message else { panic!("another message") };
    let mut second = message.payments[0].transfers[0].clone();
    second.end_to_end_id = "SECOND".to_owned();
    second.converted_to = Some("EUR".to_owned());
    message.payments[0].transfers.push(second);
    let bytes = pain001::write(&message).unwrap();
    let (again, findings) = read(&bytes, Profile::Strict).unwrap();
    assert!(findings.is_empty());
    assert_eq!(again, Message::CreditTransfers(message));
    let text = String::from_utf8(bytes).unwrap();
    let start = text.find("<CdtTrfTxInf>").unwrap();
    let end = text.rfind("</CdtTrfTxInf>").unwrap() + "</CdtTrfTxInf>".len();
    let none = format!("{}{}", &text[..start], &text[end..]);
    assert!(codes(&none).contains(&"iso20022.missing"), "a payment without a transfer is refused");
}
