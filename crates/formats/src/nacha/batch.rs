//! One batch while it is read: its entries, and the comparison with its control record.

use super::check_digit;
use super::codes::{Purpose, SecCode, Side, TransactionCode, sec_code};
use super::fields;
use super::layout::{Field, Layout, batch_control, batch_header, entry, iat_batch_header, iat_entry, other_addenda};
use super::layout::{
    change_addenda, contested_addenda, dishonored_addenda, payment_addenda, refused_change_addenda, return_addenda,
};
use super::record::Record;
use super::rules;
use super::totals::Totals;
use crate::finding::{Findings, Place, Rule, quoted};

/// The trace number without its last seven digits is the ODFI.
const TRACE_SEQUENCES: u64 = 10_000_000;
/// SEC codes with addenda of their own types.
const OWN_ADDENDA: [&str; 5] = ["IAT", "MTE", "POP", "POS", "SHR"];

/// The kinds of addenda records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddendaKind {
    Payment,
    Return,
    Dishonored,
    Contested,
    Change,
    RefusedChange,
    Other,
}

impl AddendaKind {
    pub fn of(record: &Record) -> Self {
        match (record.raw(other_addenda::ADDENDA_TYPE), record.raw(return_addenda::REASON)) {
            ("05", _) => Self::Payment,
            ("98", "C61" | "C62" | "C63" | "C64" | "C65" | "C66" | "C67" | "C68" | "C69") => Self::RefusedChange,
            ("98", _) => Self::Change,
            ("99", "R61" | "R62" | "R67" | "R68" | "R69" | "R70") => Self::Dishonored,
            ("99", "R71" | "R72" | "R73" | "R74" | "R75" | "R76" | "R77") => Self::Contested,
            ("99", _) => Self::Return,
            _ => Self::Other,
        }
    }

    const fn layout(self) -> Layout {
        match self {
            Self::Payment => payment_addenda::LAYOUT,
            Self::Return => return_addenda::LAYOUT,
            Self::Dishonored => dishonored_addenda::LAYOUT,
            Self::Contested => contested_addenda::LAYOUT,
            Self::Change => change_addenda::LAYOUT,
            Self::RefusedChange => refused_change_addenda::LAYOUT,
            Self::Other => other_addenda::LAYOUT,
        }
    }

    const fn is_return(self) -> bool {
        matches!(self, Self::Return | Self::Dishonored | Self::Contested)
    }

    const fn is_change(self) -> bool {
        matches!(self, Self::Change | Self::RefusedChange)
    }
}

/// An entry whose addenda may follow.
struct OpenEntry {
    record: Record,
    trace: u64,
    amount: u64,
    code: Option<TransactionCode>,
    addenda: u32,
    payments: u32,
    returned: bool,
    changed: bool,
}

/// A batch whose control record has not come yet.
pub struct OpenBatch {
    header: Record,
    layout: Layout,
    sec: Option<SecCode>,
    odfi: Option<u64>,
    pub number: Option<u64>,
    last_trace: Option<u64>,
    entry: Option<OpenEntry>,
    pub totals: Totals,
    credits: u64,
    debits: u64,
    pub returns: u64,
    pub changes: u64,
}

impl OpenBatch {
    pub fn open(record: Record, findings: &mut Findings) -> Self {
        let code = record.raw(batch_header::SEC);
        let sec = sec_code(code);
        let is_iat = code == "IAT";
        let layout = if is_iat { iat_batch_header::LAYOUT } else { batch_header::LAYOUT };
        fields::check(&record, &layout, &[batch_header::SERVICE_CLASS, batch_header::ODFI], findings);
        let class = record.raw(batch_header::SERVICE_CLASS);
        if !["200", "220", "225"].contains(&class) && code != "ADV" {
            let message = format!("The service class is {}.", quoted(class));
            findings.add(&rules::SERVICE_CLASS, record.place(layout.name, batch_header::SERVICE_CLASS), message);
        }
        let rule = match sec {
            None => Some(&rules::SEC_UNKNOWN),
            Some(_) if is_iat => Some(&rules::SEC_NOT_SENT),
            Some(sec) if sec.code == "ADV" => Some(&rules::SEC_NOT_READ),
            Some(_) => None,
        };
        if let Some(rule) = rule {
            findings.add(rule, record.place(layout.name, batch_header::SEC), format!("The code is {}.", quoted(code)));
        }
        let odfi = odfi(&record, layout.name, findings);
        let number = record.number(batch_header::NUMBER);
        let totals = Totals { batches: 1, ..Totals::default() };
        Self {
            header: record,
            layout,
            sec,
            odfi,
            number,
            last_trace: None,
            entry: None,
            totals,
            credits: 0,
            debits: 0,
            returns: 0,
            changes: 0,
        }
    }

    fn is(&self, code: &str) -> bool {
        self.sec.is_some_and(|sec| sec.code == code)
    }

    /// Returns whether the entries have a layout that is not read.
    pub fn is_unread(&self) -> bool {
        self.is("ADV")
    }

    pub fn header_place(&self) -> Place {
        self.header.place(self.layout.name, batch_header::NUMBER)
    }

    /// Reads an entry. Returns its trace number for the search for duplicates.
    pub fn entry(&mut self, record: Record, findings: &mut Findings) -> Option<u64> {
        self.close_entry(findings);
        let layout = if self.is("IAT") { iat_entry::LAYOUT } else { entry::LAYOUT };
        let nameless = self.sec.is_some_and(|sec| !sec.needs_name) && !self.is("IAT");
        fields::check(&record, &layout, if nameless { &[entry::NAME] } else { &[] }, findings);
        let code = transaction_code(&record, findings);
        check_routing(&record, findings);
        let amount = record.number(entry::AMOUNT).unwrap_or(0);
        let side = code.map(|code| code.side);
        self.totals.entry(record.number(entry::RDFI).unwrap_or(0), amount, side);
        self.credits += u64::from(side == Some(Side::Credit));
        self.debits += u64::from(side == Some(Side::Debit));
        let trace = record.number(entry::TRACE);
        if let Some(trace) = trace {
            self.check_trace(&record, trace, findings);
        }
        self.entry = Some(OpenEntry {
            record,
            trace: trace.unwrap_or(0),
            amount,
            code,
            addenda: 0,
            payments: 0,
            returned: false,
            changed: false,
        });
        trace
    }

    fn check_trace(&mut self, record: &Record, trace: u64, findings: &mut Findings) {
        let place = record.place("entry", entry::TRACE);
        if self.odfi.is_some_and(|odfi| odfi != trace / TRACE_SEQUENCES) {
            let odfi = self.header.raw(batch_header::ODFI);
            let message = format!("Trace number {trace:015} does not begin with {odfi}, the ODFI of the batch.");
            findings.add(&rules::TRACE_ODFI, place, message);
        }
        if let Some(last) = self.last_trace.filter(|last| trace <= *last) {
            let message = format!("Trace number {trace:015} follows {last:015}.");
            let rule = if trace == last { &rules::TRACE_DUPLICATE } else { &rules::TRACE_ORDER };
            findings.add(rule, place, message);
        }
        self.last_trace = Some(trace);
    }

    /// Reads an addenda record of the open entry; `None` if there is no entry.
    pub fn addenda(&mut self, record: &Record, findings: &mut Findings) -> Option<AddendaKind> {
        let takes_other = self.sec.is_none_or(|sec| OWN_ADDENDA.contains(&sec.code) || sec.code == "TRX");
        let is_cor = self.is("COR");
        let entry = self.entry.as_mut()?;
        let kind = AddendaKind::of(record);
        let layout = kind.layout();
        fields::check(record, &layout, &[], findings);
        self.totals.addenda += 1;
        entry.addenda += 1;
        entry.returned |= kind.is_return();
        entry.changed |= kind.is_change();
        entry.payments += u32::from(!kind.is_return() && !kind.is_change());
        if kind == AddendaKind::Other && !takes_other || kind.is_change() && !is_cor {
            let message = format!("Type {} is unusual here.", record.raw(other_addenda::ADDENDA_TYPE));
            findings.add(&rules::ADDENDA_TYPE, record.place(layout.name, other_addenda::ADDENDA_TYPE), message);
        }
        check_addenda_code(record, kind, findings);
        entry.check_sequence(record, kind, findings);
        Some(kind)
    }

    pub fn close_entry(&mut self, findings: &mut Findings) {
        let Some(entry) = self.entry.take() else { return };
        self.returns += u64::from(entry.returned);
        self.changes += u64::from(entry.changed);
        entry.check_addenda(self.sec, findings);
        entry.check_amount(findings);
        if self.is("WEB") || self.is("TEL") {
            entry.check_payment_type(findings);
        }
    }

    /// Compares the batch with its control record.
    pub fn close(&mut self, control: &Record, findings: &mut Findings) {
        self.close_entry(findings);
        if self.is_unread() {
            return;
        }
        let layout = batch_control::LAYOUT;
        fields::check(control, &layout, &[batch_control::ODFI], findings);
        // A wrong ODFI is reported in the header; here both must agree.
        let pairs = [
            (batch_header::SERVICE_CLASS, batch_control::SERVICE_CLASS),
            (batch_header::COMPANY_ID, batch_control::COMPANY_ID),
            (batch_header::ODFI, batch_control::ODFI),
            (batch_header::NUMBER, batch_control::NUMBER),
        ];
        for (of_header, of_control) in pairs {
            let (first, second) = (self.header.raw(of_header), control.raw(of_control));
            // International batches of some banks leave the company id of the control blank.
            let is_left_out = self.is("IAT") && second.trim_matches(' ').is_empty();
            if first != second && !is_left_out {
                let message = format!("The batch header has {}, the batch control {}.", quoted(first), quoted(second));
                findings.add(&rules::BATCH_MISMATCH, control.place(layout.name, of_control), message);
            }
        }
        self.check_service_class(findings);
        let totals = &self.totals;
        if totals.entries == 0 {
            findings.add(&rules::NO_ENTRY, self.header_place(), "The batch has no entry.");
        }
        let compared = [
            (batch_control::COUNT, &rules::BATCH_COUNT, totals.records()),
            (batch_control::HASH, &rules::BATCH_HASH, totals.entry_hash()),
            (batch_control::DEBITS, &rules::BATCH_DEBITS, totals.debits),
            (batch_control::CREDITS, &rules::BATCH_CREDITS, totals.credits),
        ];
        for (field, rule, computed) in compared {
            compare(control, layout.name, field, rule, computed, findings);
        }
    }

    fn check_service_class(&self, findings: &mut Findings) {
        let place = self.header.place(self.layout.name, batch_header::SERVICE_CLASS);
        let (credits, debits) = (self.credits, self.debits);
        let content = format!("The batch has {credits} credits and {debits} debits.");
        match self.header.raw(batch_header::SERVICE_CLASS) {
            "220" if debits > 0 => findings.add(&rules::SERVICE_CLASS_CONTENT, place, content),
            "225" if credits > 0 => findings.add(&rules::SERVICE_CLASS_CONTENT, place, content),
            "200" if (credits == 0) != (debits == 0) => findings.add(&rules::MIXED_ONE_SIDE, place, content),
            _ => {}
        }
    }
}

impl OpenEntry {
    fn check_sequence(&self, record: &Record, kind: AddendaKind, findings: &mut Findings) {
        let (field, expected, found) = match kind {
            AddendaKind::Other => return,
            AddendaKind::Payment => {
                let sequence = record.number(payment_addenda::SEQUENCE);
                if sequence.is_some_and(|sequence| sequence != u64::from(self.addenda)) {
                    let message = format!("This is addenda {} of its entry.", self.addenda);
                    let place = record.place("payment addenda", payment_addenda::SEQUENCE);
                    findings.add(&rules::ADDENDA_SEQUENCE, place, message);
                }
                let found = record.number(payment_addenda::ENTRY);
                (payment_addenda::ENTRY, self.trace % TRACE_SEQUENCES, found)
            }
            AddendaKind::Return
            | AddendaKind::Dishonored
            | AddendaKind::Contested
            | AddendaKind::Change
            | AddendaKind::RefusedChange => (return_addenda::TRACE, self.trace, record.number(return_addenda::TRACE)),
        };
        if found.is_some_and(|found| found != expected) {
            let message = format!("The entry has the trace number {:015}.", self.trace);
            findings.add(&rules::ADDENDA_ENTRY, record.place(kind.layout().name, field), message);
        }
    }

    fn check_addenda(&self, sec: Option<SecCode>, findings: &mut Findings) {
        let place = self.record.place("entry", entry::INDICATOR);
        match (self.record.raw(entry::INDICATOR), self.addenda) {
            ("1", 0) => findings.add(&rules::ADDENDA_MISSING, place, "The indicator is 1 and no addenda follows."),
            ("0", 1..) => findings.add(&rules::ADDENDA_NOT_INDICATED, place, "The indicator is 0 and addenda follow."),
            _ => {}
        }
        let most = sec.map_or(u32::MAX, |sec| sec.addenda_max);
        if self.payments > most {
            let message = format!("The entry has {} addenda; the most here is {most}.", self.payments);
            findings.add(&rules::ADDENDA_COUNT, place, message);
        }
    }

    fn check_amount(&self, findings: &mut Findings) {
        let place = self.record.place("entry", entry::AMOUNT);
        let Some(code) = self.code else { return };
        let must_be_zero = matches!(code.purpose, Purpose::Prenote | Purpose::ZeroDollar) || self.changed;
        if must_be_zero && self.amount > 0 {
            findings.add(&rules::AMOUNT_NOT_ZERO, place, "The entry moves no money and has an amount.");
        }
        if !must_be_zero && self.amount == 0 && code.purpose == Purpose::Payment && !self.returned {
            findings.add(&rules::ZERO_AMOUNT, place, "The amount is zero.");
        }
    }

    fn check_payment_type(&self, findings: &mut Findings) {
        let is_debit = self.code.is_some_and(|code| code.side == Side::Debit && code.purpose == Purpose::Payment);
        let value = self.record.raw(entry::DISCRETIONARY);
        if is_debit && !self.returned && !matches!(value.trim(), "S" | "R") {
            let place = self.record.place("entry", entry::DISCRETIONARY);
            findings.add(&rules::PAYMENT_TYPE, place, format!("The value is {}.", quoted(value)));
        }
    }
}

/// Reads the ODFI, in whose place an ACH operator writes the code of a rejection.
fn odfi(record: &Record, name: &'static str, findings: &mut Findings) -> Option<u64> {
    let field = batch_header::ODFI;
    let raw = record.raw(field);
    let number = record.number(field);
    if number.is_none() {
        let rejected = raw.strip_prefix("REJ").is_some_and(|code| super::record::number(code).is_some());
        let rule = if rejected { &rules::OPERATOR_REJECT } else { &rules::NUMBER };
        findings.add(rule, record.place(name, field), format!("The value is {}.", quoted(raw)));
    }
    number
}

fn transaction_code(record: &Record, findings: &mut Findings) -> Option<TransactionCode> {
    let digits = record.raw(entry::CODE);
    let code = <[u8; 2]>::try_from(digits.as_bytes()).ok().and_then(TransactionCode::parse);
    // Other characters are reported as no number.
    if code.is_none() && record.number(entry::CODE).is_some() {
        let message = format!("The network has no transaction code {digits}.");
        findings.add(&rules::TRANSACTION_CODE, record.place("entry", entry::CODE), message);
    }
    code
}

fn check_routing(record: &Record, findings: &mut Findings) {
    let rdfi = record.raw(entry::RDFI);
    let (Some(expected), Some(found)) = (check_digit(rdfi), record.number(entry::CHECK_DIGIT)) else { return };
    if u64::from(expected) != found {
        let message = format!("The check digit of {rdfi} is {expected}, and the entry has {found}.");
        findings.add(&rules::CHECK_DIGIT, record.place("entry", entry::CHECK_DIGIT), message);
    }
}

fn check_addenda_code(record: &Record, kind: AddendaKind, findings: &mut Findings) {
    let rule = match kind {
        AddendaKind::Payment | AddendaKind::Other => return,
        AddendaKind::Return | AddendaKind::Dishonored | AddendaKind::Contested => &rules::RETURN_REASON,
        AddendaKind::Change | AddendaKind::RefusedChange => &rules::CHANGE_CODE,
    };
    let code = record.raw(return_addenda::REASON);
    if super::codes::meaning(code).is_none() {
        let place = record.place(kind.layout().name, return_addenda::REASON);
        findings.add(rule, place, format!("The code is {}.", quoted(code)));
    }
}

/// Compares a field of a control record with the computed value.
pub fn compare(
    record: &Record,
    name: &'static str,
    field: Field,
    rule: &'static Rule,
    computed: u64,
    findings: &mut Findings,
) {
    // What is no number is reported as such.
    if record.number(field).is_some_and(|stated| stated != computed) {
        let message = format!("The record states {}, and the content gives {computed}.", record.raw(field));
        findings.add(rule, record.place(name, field), message);
    }
}
