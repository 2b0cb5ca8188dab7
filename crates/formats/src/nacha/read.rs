//! The reader: a file as values, if no rule refuses it.

use super::batch::AddendaKind;
use super::fields::{date, day, time};
use super::layout::{
    batch_header, change_addenda, contested_addenda, dishonored_addenda, entry, file_header, iat_batch_header,
    iat_entry, other_addenda, payment_addenda, refused_change_addenda, return_addenda,
};
use super::model::{
    Addenda, Batch, BatchHeader, Change, Contested, Dishonored, Entry, File, FileHeader, RefusedChange, Return, Trace,
};
use super::record::Record;
use super::scan::{Checked, Item, scan};
use crate::finding::{Findings, Profile, Refused};

/// Checks a file without keeping it.
#[must_use]
pub fn check(bytes: &[u8], profile: Profile) -> Checked {
    scan(bytes, profile, &mut |_| {})
}

/// Reads a file whole, or refuses it whole.
pub fn read(bytes: &[u8], profile: Profile) -> Result<(File, Findings), Refused> {
    let mut file = File::default();
    let checked = scan(bytes, profile, &mut |item| add(&mut file, item));
    checked.findings.into_result(file)
}

fn add(file: &mut File, item: Item<'_>) {
    match item {
        Item::FileHeader(record) => file.header = Some(of_file_header(record)),
        Item::BatchHeader(record) => {
            file.batches.push(Batch { header: of_batch_header(record), entries: Vec::new() });
        }
        Item::Entry(record) => {
            if let Some(batch) = file.batches.last_mut() {
                batch.entries.push(of_entry(record, batch.header.sec == "IAT"));
            }
        }
        Item::Addenda(record, kind) => {
            let entry = file.batches.last_mut().and_then(|batch| batch.entries.last_mut());
            entry.into_iter().for_each(|entry| entry.addenda.push(of_addenda(record, kind)));
        }
    }
}

fn of_file_header(record: &Record) -> FileHeader {
    let text = |field| record.text(field).to_owned();
    FileHeader {
        destination: text(file_header::DESTINATION),
        origin: record.raw(file_header::ORIGIN).trim_end_matches(' ').to_owned(),
        created_on: date(record.raw(file_header::CREATED_ON)),
        created_at: time(record.raw(file_header::CREATED_AT)),
        modifier: record.raw(file_header::MODIFIER).chars().next().unwrap_or(' '),
        destination_name: text(file_header::DESTINATION_NAME),
        origin_name: text(file_header::ORIGIN_NAME),
        reference: text(file_header::REFERENCE),
    }
}

fn of_batch_header(record: &Record) -> BatchHeader {
    let text = |field| record.text(field).to_owned();
    let is_iat = record.raw(batch_header::SEC) == "IAT";
    BatchHeader {
        service_class: text(batch_header::SERVICE_CLASS),
        // International batches have no name of the company.
        company_name: if is_iat { String::new() } else { text(batch_header::COMPANY_NAME) },
        discretionary: text(if is_iat { iat_batch_header::EXCHANGE } else { batch_header::DISCRETIONARY }),
        company_id: record.raw(batch_header::COMPANY_ID).trim_end_matches(' ').to_owned(),
        sec: text(batch_header::SEC),
        description: text(batch_header::DESCRIPTION),
        descriptive_date: text(batch_header::DESCRIPTIVE_DATE),
        effective_on: date(record.raw(batch_header::EFFECTIVE_ON)),
        settlement_day: day(record.raw(batch_header::SETTLEMENT_DAY)),
        odfi: text(batch_header::ODFI),
        number: u32::try_from(record.number(batch_header::NUMBER).unwrap_or(0)).unwrap_or(0),
    }
}

fn of_entry(record: &Record, is_iat: bool) -> Entry {
    let text = |field| record.text(field).to_owned();
    Entry {
        line: record.line,
        code: text(entry::CODE),
        routing: format!("{}{}", record.raw(entry::RDFI), record.raw(entry::CHECK_DIGIT)),
        account: text(if is_iat { iat_entry::ACCOUNT } else { entry::ACCOUNT }),
        amount: record.number(entry::AMOUNT).unwrap_or(0),
        individual_id: if is_iat { String::new() } else { text(entry::INDIVIDUAL_ID) },
        name: if is_iat { String::new() } else { text(entry::NAME) },
        discretionary: text(entry::DISCRETIONARY),
        trace: trace(record, entry::TRACE),
        addenda: Vec::new(),
    }
}

fn trace(record: &Record, field: super::layout::Field) -> Trace {
    Trace(record.number(field).unwrap_or(0))
}

fn of_addenda(record: &Record, kind: AddendaKind) -> Addenda {
    let text = |field| record.text(field).to_owned();
    let number = |field| trace(record, field);
    match kind {
        AddendaKind::Payment => Addenda::Payment(text(payment_addenda::TEXT)),
        AddendaKind::Return => Addenda::Return(Return {
            reason: text(return_addenda::REASON),
            original_trace: number(return_addenda::ORIGINAL_TRACE),
            died_on: date(record.raw(return_addenda::DIED_ON)),
            original_rdfi: text(return_addenda::ORIGINAL_RDFI),
            text: text(return_addenda::TEXT),
        }),
        AddendaKind::Dishonored => Addenda::Dishonored(Dishonored {
            reason: text(dishonored_addenda::REASON),
            original_trace: number(dishonored_addenda::ORIGINAL_TRACE),
            original_rdfi: text(dishonored_addenda::ORIGINAL_RDFI),
            return_trace: number(dishonored_addenda::RETURN_TRACE),
            return_day: day(record.raw(dishonored_addenda::RETURN_DAY)),
            return_reason: text(dishonored_addenda::RETURN_REASON),
            text: text(dishonored_addenda::TEXT),
        }),
        AddendaKind::Contested => Addenda::Contested(Contested {
            reason: text(contested_addenda::REASON),
            original_trace: number(contested_addenda::ORIGINAL_TRACE),
            returned_on: date(record.raw(contested_addenda::RETURNED_ON)),
            original_rdfi: text(contested_addenda::ORIGINAL_RDFI),
            original_day: day(record.raw(contested_addenda::ORIGINAL_DAY)),
            return_trace: number(contested_addenda::RETURN_TRACE),
            return_day: day(record.raw(contested_addenda::RETURN_DAY)),
            return_reason: text(contested_addenda::RETURN_REASON),
            dishonored_trace: number(contested_addenda::DISHONORED_TRACE),
            dishonored_day: day(record.raw(contested_addenda::DISHONORED_DAY)),
            dishonored_reason: text(contested_addenda::DISHONORED_REASON),
        }),
        AddendaKind::Change => Addenda::Change(Change {
            code: text(change_addenda::CODE),
            original_trace: number(change_addenda::ORIGINAL_TRACE),
            original_rdfi: text(change_addenda::ORIGINAL_RDFI),
            corrected: record.raw(change_addenda::CORRECTED).trim_end_matches(' ').to_owned(),
        }),
        AddendaKind::RefusedChange => Addenda::RefusedChange(RefusedChange {
            code: text(refused_change_addenda::CODE),
            original_trace: number(refused_change_addenda::ORIGINAL_TRACE),
            original_rdfi: text(refused_change_addenda::ORIGINAL_RDFI),
            corrected: record.raw(refused_change_addenda::CORRECTED).trim_end_matches(' ').to_owned(),
            change: text(refused_change_addenda::CHANGE),
            change_sequence: text(refused_change_addenda::CHANGE_SEQUENCE),
        }),
        AddendaKind::Other => Addenda::Other {
            kind: text(other_addenda::ADDENDA_TYPE),
            text: record.raw(other_addenda::TEXT).trim_end_matches(' ').to_owned(),
        },
    }
}
