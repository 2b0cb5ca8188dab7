//! The bytes of the bank's answers. Pure.

use bursar_formats::nacha::{
    self, Addenda, Batch, BatchHeader, Change, Entry, File, FileHeader, LineEnd, Return, Trace, check_digit,
};
use serde::{Deserialize, Serialize};

/// A file of the bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Returns whether a transaction code is a credit.
pub(super) fn is_credit(code: &str) -> bool {
    matches!(code, "22" | "32")
}

/// Returns whether a transaction code is a debit.
pub(super) fn is_debit(code: &str) -> bool {
    matches!(code, "27" | "37")
}

/// Returns whether a transaction code is a prenote.
pub(super) fn is_prenote(code: &str) -> bool {
    matches!(code, "23" | "33" | "28" | "38")
}

/// A payment, as its file had it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Paid {
    origin: String,
    origin_name: String,
    bank: String,
    bank_name: String,
    company_name: String,
    company_id: String,
    sec: String,
    description: String,
    code: String,
    routing: String,
    account: String,
    pub amount: u64,
    pub individual_id: String,
    name: String,
    pub trace: u64,
}

impl Paid {
    pub fn of(file: &File, batch: &Batch, entry: &Entry) -> Self {
        let of_file = |value: fn(&FileHeader) -> &String| file.header.as_ref().map(value).cloned().unwrap_or_default();
        Self {
            origin: of_file(|header| &header.origin).trim().to_owned(),
            origin_name: of_file(|header| &header.origin_name),
            bank: of_file(|header| &header.destination),
            bank_name: of_file(|header| &header.destination_name),
            company_name: batch.header.company_name.clone(),
            company_id: batch.header.company_id.clone(),
            sec: batch.header.sec.clone(),
            description: batch.header.description.clone(),
            code: entry.code.clone(),
            routing: entry.routing.clone(),
            account: entry.account.clone(),
            amount: entry.amount,
            individual_id: entry.individual_id.clone(),
            name: entry.name.clone(),
            trace: entry.trace.0,
        }
    }

    /// Returns the payment as a bank that makes a mistake sees it.
    pub fn with(&self, amount: u64, trace: u64) -> Self {
        Self { amount, trace, ..self.clone() }
    }

    /// Returns whether it debits its account, or asks about it for a debit.
    pub fn is_debit(&self) -> bool {
        is_debit(&self.code) || matches!(self.code.as_str(), "28" | "38")
    }

    fn odfi(&self) -> String {
        self.bank.chars().take(8).collect()
    }

    fn header(&self, sec: &str, odfi: String) -> BatchHeader {
        BatchHeader {
            service_class: String::new(),
            company_name: self.company_name.clone(),
            discretionary: String::new(),
            company_id: self.company_id.clone(),
            sec: sec.to_owned(),
            description: self.description.clone(),
            descriptive_date: String::new(),
            effective_on: None,
            settlement_day: None,
            odfi,
            number: 0,
        }
    }

    /// Returns the entry that goes back, without addenda.
    fn back(&self, amount: u64, trace: Trace) -> Entry {
        let first = self.code.chars().next().unwrap_or('2');
        let last = if self.is_debit() { '6' } else { '1' };
        let odfi = format!("{:08}", self.trace / 10_000_000);
        let digit = check_digit(&odfi).unwrap_or(0);
        Entry {
            line: 0,
            code: format!("{first}{last}"),
            routing: format!("{odfi}{digit}"),
            account: self.account.clone(),
            amount,
            individual_id: self.individual_id.clone(),
            name: self.name.clone(),
            discretionary: String::new(),
            trace,
            addenda: Vec::new(),
        }
    }

    fn rdfi(&self) -> String {
        self.routing.chars().take(8).collect()
    }

    /// Returns the corrected data of a change: another account, another bank, the other type.
    fn corrected(&self, code: &str) -> String {
        let account = format!("6{}", self.account.get(1..).unwrap_or_default());
        let routing = if self.routing == "021000021" { "110000000" } else { "021000021" };
        let kind = if self.code.starts_with('2') { "32" } else { "22" };
        match code {
            "C01" => account,
            "C02" => routing.to_owned(),
            "C03" => format!("{routing}   {account}"),
            "C05" => kind.to_owned(),
            "C06" => format!("{account:17}   {kind}"),
            "C07" => format!("{routing}{account:17}{kind}"),
            _ => self.name.clone(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Report {
    Returned { paid: Paid, reason: String },
    Changed { paid: Paid, code: String },
    Rejected { entries: Vec<Paid> },
}

/// Returns the files of the reports that are due: returns and changes together, each rejection alone.
pub(super) fn files(due: Vec<Report>, now: i64, next_trace: &mut u64, next_file: &mut u32) -> Vec<Answer> {
    let (rejected, others): (Vec<Report>, Vec<Report>) =
        due.into_iter().partition(|report| matches!(report, Report::Rejected { .. }));
    let mut trace = |paid: &Paid| {
        *next_trace += 1;
        Trace(paid.odfi().parse::<u64>().unwrap_or(0) * 10_000_000 + *next_trace)
    };
    let mut files = Vec::new();
    let batches: Vec<(Paid, Batch)> = others.iter().filter_map(|report| batch(report, &mut trace)).collect();
    if let Some((first, _)) = batches.first().cloned() {
        files.push((first, "RETURNS", batches.into_iter().map(|(_, batch)| batch).collect()));
    }
    for report in rejected {
        let Report::Rejected { entries } = report else { continue };
        let Some(first) = entries.first().cloned() else { continue };
        let entries = entries.iter().map(refused).collect();
        let batch = Batch { header: first.header(&first.sec, "REJ00017".to_owned()), entries };
        files.push((first, "REJECTED", vec![batch]));
    }
    files.into_iter().filter_map(|(of, name, batches)| written(&of, name, batches, now, next_file)).collect()
}

fn batch(report: &Report, trace: &mut impl FnMut(&Paid) -> Trace) -> Option<(Paid, Batch)> {
    let (paid, sec, amount, addenda) = match report {
        Report::Returned { paid, reason } => {
            let returned = Return {
                reason: reason.clone(),
                original_trace: Trace(paid.trace),
                died_on: None,
                original_rdfi: paid.rdfi(),
                text: String::new(),
            };
            (paid, paid.sec.as_str(), paid.amount, Addenda::Return(returned))
        }
        Report::Changed { paid, code } => {
            let change = Change {
                code: code.clone(),
                original_trace: Trace(paid.trace),
                original_rdfi: paid.rdfi(),
                corrected: paid.corrected(code),
            };
            (paid, "COR", 0, Addenda::Change(change))
        }
        Report::Rejected { .. } => return None,
    };
    let entry = Entry { addenda: vec![addenda], ..paid.back(amount, trace(paid)) };
    Some((paid.clone(), Batch { header: paid.header(sec, paid.odfi()), entries: vec![entry] }))
}

/// Returns the payment as it was sent.
fn refused(paid: &Paid) -> Entry {
    Entry {
        code: paid.code.clone(),
        routing: paid.routing.clone(),
        trace: Trace(paid.trace),
        ..paid.back(paid.amount, Trace(paid.trace))
    }
}

fn written(of: &Paid, name: &str, mut batches: Vec<Batch>, now: i64, next_file: &mut u32) -> Option<Answer> {
    let at = jiff::Timestamp::from_second(now).ok()?.to_zoned(jiff::tz::TimeZone::UTC);
    for (number, batch) in (1..).zip(&mut batches) {
        batch.header.number = number;
        batch.header.effective_on = Some(at.date());
    }
    let header = FileHeader {
        destination: of.origin.clone(),
        origin: of.bank.clone(),
        created_on: Some(at.date()),
        created_at: Some(at.time()),
        modifier: 'A',
        destination_name: of.origin_name.clone(),
        origin_name: of.bank_name.clone(),
        reference: String::new(),
    };
    *next_file += 1;
    let name = format!("{name}_{:05}.ach", *next_file);
    let bytes = nacha::write(&File { header: Some(header), batches }, LineEnd::Lf);
    bytes.ok().map(|bytes| Answer { name, bytes })
}
