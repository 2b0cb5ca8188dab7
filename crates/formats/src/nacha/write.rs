//! The writer: values as the bytes of a file. It computes control records, sequence numbers and padding.
//!
//! It writes exactly the given text and refuses a value that does not fit its field: a shortened account number is
//! another account. Names pass through [`crate::text::upper_ascii`] and [`crate::text::shortened`] first.

use std::fmt;

use super::codes::Side;
use super::layout::{
    Field, Kind, WIDTH, batch_control, batch_header, change_addenda, contested_addenda, dishonored_addenda, entry,
    file_control, file_header, payment_addenda, refused_change_addenda, return_addenda,
};
use super::model::{Addenda, BatchHeader, Entry, File, FileHeader, Trace};
use super::record::number;
use super::totals::Totals;

const BLOCK: u64 = 10;

/// How a line ends; the bank's guide says which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    Lf,
    Crlf,
}

/// A value that has no place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritable {
    pub record: &'static str,
    pub field: &'static str,
    pub reason: String,
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.record, self.field, self.reason)
    }
}

impl std::error::Error for Unwritable {}

/// A record that is being filled.
struct Line {
    record: &'static str,
    text: [u8; WIDTH],
}

impl Line {
    fn new(record: &'static str, fields: &[Field]) -> Self {
        let mut line = Self { record, text: [b' '; WIDTH] };
        for field in fields {
            if let Kind::Constant(text) = field.kind {
                line.set(*field, text.bytes());
            }
        }
        line
    }

    fn set(&mut self, field: Field, bytes: impl Iterator<Item = u8>) {
        let slots = self.text.get_mut(field.from - 1..field.to).unwrap_or_default();
        slots.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = byte);
    }

    fn refuse(&self, field: Field, reason: String) -> Unwritable {
        Unwritable { record: self.record, field: field.name, reason }
    }

    /// Writes text, left-justified with blanks.
    fn text(&mut self, field: Field, value: &str) -> Result<&mut Self, Unwritable> {
        if value.len() > field.width() {
            return Err(self.refuse(field, format!("must have at most {} characters", field.width())));
        }
        if !value.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Err(self.refuse(field, "must be printable ASCII".to_owned()));
        }
        self.set(field, value.bytes());
        Ok(self)
    }

    /// Writes digits, right-justified with zeros.
    fn number(&mut self, field: Field, value: u64) -> Result<&mut Self, Unwritable> {
        let digits = format!("{value:0>width$}", width = field.width());
        if digits.len() > field.width() {
            return Err(self.refuse(field, format!("must have at most {} digits", field.width())));
        }
        self.set(field, digits.bytes());
        Ok(self)
    }

    /// Writes a text that consists of as many digits as the field has.
    fn digits(&mut self, field: Field, value: &str) -> Result<&mut Self, Unwritable> {
        if value.len() != field.width() || number(value).is_none() {
            return Err(self.refuse(field, format!("must have {} digits", field.width())));
        }
        self.set(field, value.bytes());
        Ok(self)
    }

    fn trace(&mut self, field: Field, trace: Trace) -> Result<&mut Self, Unwritable> {
        self.number(field, trace.0)
    }

    fn date(&mut self, field: Field, date: Option<jiff::civil::Date>) -> Result<&mut Self, Unwritable> {
        let Some(date) = date else { return Ok(self) };
        if !(2000..2100).contains(&date.year()) {
            return Err(self.refuse(field, "must be in the 21st century".to_owned()));
        }
        let text = format!("{:02}{:02}{:02}", date.year() - 2000, date.month(), date.day());
        self.digits(field, &text)
    }

    fn day(&mut self, field: Field, day: Option<u16>) -> Result<&mut Self, Unwritable> {
        match day {
            Some(day) => self.number(field, u64::from(day)),
            None => Ok(self),
        }
    }
}

/// Writes a file record by record, so a large file needs no second copy in memory.
pub struct Writer {
    out: Vec<u8>,
    end: LineEnd,
    records: u64,
    totals: Totals,
    batch: Option<(BatchHeader, Totals)>,
}

impl Writer {
    pub fn new(header: &FileHeader, end: LineEnd) -> Result<Self, Unwritable> {
        let mut writer = Self { out: Vec::new(), end, records: 0, totals: Totals::default(), batch: None };
        let mut line = Line::new("file header", file_header::LAYOUT.fields);
        // Nine digits are a routing number, which has a blank before it.
        let padded = if header.destination.len() == 9 { " " } else { "" };
        line.text(file_header::DESTINATION, &format!("{padded}{}", header.destination))?
            .text(file_header::ORIGIN, &header.origin)?
            .date(file_header::CREATED_ON, header.created_on)?
            .text(file_header::MODIFIER, header.modifier.encode_utf8(&mut [0; 4]))?
            .text(file_header::DESTINATION_NAME, &header.destination_name)?
            .text(file_header::ORIGIN_NAME, &header.origin_name)?
            .text(file_header::REFERENCE, &header.reference)?;
        if let Some(at) = header.created_at {
            line.digits(file_header::CREATED_AT, &format!("{:02}{:02}", at.hour(), at.minute()))?;
        }
        writer.push(&line);
        Ok(writer)
    }

    /// Begins a batch, and ends the batch before it.
    pub fn batch(&mut self, header: &BatchHeader) -> Result<(), Unwritable> {
        self.end_batch()?;
        let mut line = Line::new("batch header", batch_header::LAYOUT.fields);
        if matches!(header.sec.as_str(), "IAT" | "ADV") {
            return Err(line.refuse(batch_header::SEC, format!("{} is not written", header.sec)));
        }
        line.text(batch_header::SERVICE_CLASS, &header.service_class)?
            .text(batch_header::COMPANY_NAME, &header.company_name)?
            .text(batch_header::DISCRETIONARY, &header.discretionary)?
            .text(batch_header::COMPANY_ID, &header.company_id)?
            .text(batch_header::SEC, &header.sec)?
            .text(batch_header::DESCRIPTION, &header.description)?
            .text(batch_header::DESCRIPTIVE_DATE, &header.descriptive_date)?
            .date(batch_header::EFFECTIVE_ON, header.effective_on)?
            .day(batch_header::SETTLEMENT_DAY, header.settlement_day)?
            .text(batch_header::STATUS, "1")?
            .text(batch_header::ODFI, &header.odfi)?
            .number(batch_header::NUMBER, u64::from(header.number))?;
        self.push(&line);
        self.batch = Some((header.clone(), Totals { batches: 1, ..Totals::default() }));
        Ok(())
    }

    /// Writes an entry with its addenda into the open batch.
    pub fn entry(&mut self, value: &Entry) -> Result<(), Unwritable> {
        let mut line = Line::new("entry", entry::LAYOUT.fields);
        if self.batch.is_none() {
            return Err(line.refuse(entry::TYPE, "needs a batch".to_owned()));
        }
        let code = value.transaction_code();
        let side = code.map(|code| code.side).ok_or_else(|| line.refuse(entry::CODE, "is unknown".to_owned()))?;
        let (rdfi, check) = value.routing.split_at_checked(8).unwrap_or((&value.routing, ""));
        line.digits(entry::CODE, &value.code)?
            .digits(entry::RDFI, rdfi)?
            .digits(entry::CHECK_DIGIT, check)?
            .text(entry::ACCOUNT, &value.account)?
            .number(entry::AMOUNT, value.amount)?
            .text(entry::INDIVIDUAL_ID, &value.individual_id)?
            .text(entry::NAME, &value.name)?
            .text(entry::DISCRETIONARY, &value.discretionary)?
            .text(entry::INDICATOR, if value.addenda.is_empty() { "0" } else { "1" })?
            .trace(entry::TRACE, value.trace)?;
        // All lines are built before the first one is written, so a refused entry leaves no half of it.
        let addenda = (1u64..).zip(&value.addenda);
        let addenda: Vec<Line> =
            addenda.map(|(at, addenda)| addenda_line(addenda, at, value.trace)).collect::<Result<_, _>>()?;
        self.push(&line);
        for line in &addenda {
            self.push(line);
        }
        if let Some((_, totals)) = &mut self.batch {
            totals.entry(number(rdfi).unwrap_or(0), value.amount, Some(side));
            totals.addenda += u64::try_from(addenda.len()).unwrap_or(0);
        }
        Ok(())
    }

    /// Takes the bytes that are complete so far.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// Ends the file. Returns the bytes since the last [`Writer::take`], and the totals.
    pub fn finish(mut self) -> Result<(Vec<u8>, Totals), Unwritable> {
        self.end_batch()?;
        let totals = self.totals;
        let mut line = Line::new("file control", file_control::LAYOUT.fields);
        let blocks = (self.records + 1).div_ceil(BLOCK);
        line.number(file_control::BATCHES, totals.batches)?
            .number(file_control::BLOCKS, blocks)?
            .number(file_control::COUNT, totals.records())?
            .number(file_control::HASH, totals.entry_hash())?
            .number(file_control::DEBITS, totals.debits)?
            .number(file_control::CREDITS, totals.credits)?;
        self.push(&line);
        while !self.records.is_multiple_of(BLOCK) {
            self.push(&Line { record: "padding", text: [b'9'; WIDTH] });
        }
        Ok((self.out, totals))
    }

    fn end_batch(&mut self) -> Result<(), Unwritable> {
        let Some((header, totals)) = self.batch.take() else { return Ok(()) };
        let mut line = Line::new("batch control", batch_control::LAYOUT.fields);
        line.text(batch_control::SERVICE_CLASS, &header.service_class)?
            .number(batch_control::COUNT, totals.records())?
            .number(batch_control::HASH, totals.entry_hash())?
            .number(batch_control::DEBITS, totals.debits)?
            .number(batch_control::CREDITS, totals.credits)?
            .text(batch_control::COMPANY_ID, &header.company_id)?
            .text(batch_control::ODFI, &header.odfi)?
            .number(batch_control::NUMBER, u64::from(header.number))?;
        self.push(&line);
        self.totals.add(&totals);
        Ok(())
    }

    fn push(&mut self, line: &Line) {
        self.out.extend_from_slice(&line.text);
        self.out.extend_from_slice(match self.end {
            LineEnd::Lf => b"\n",
            LineEnd::Crlf => b"\r\n",
        });
        self.records += 1;
    }
}

fn addenda_line(addenda: &Addenda, at: u64, entry: Trace) -> Result<Line, Unwritable> {
    let line = match addenda {
        Addenda::Payment(text) => {
            let mut line = Line::new("payment addenda", payment_addenda::LAYOUT.fields);
            line.text(payment_addenda::TEXT, text)?
                .number(payment_addenda::SEQUENCE, at)?
                .number(payment_addenda::ENTRY, entry.0 % 10_000_000)?;
            line
        }
        Addenda::Return(value) => {
            let mut line = Line::new("return addenda", return_addenda::LAYOUT.fields);
            line.text(return_addenda::REASON, &value.reason)?
                .trace(return_addenda::ORIGINAL_TRACE, value.original_trace)?
                .date(return_addenda::DIED_ON, value.died_on)?
                .digits(return_addenda::ORIGINAL_RDFI, &value.original_rdfi)?
                .text(return_addenda::TEXT, &value.text)?
                .trace(return_addenda::TRACE, entry)?;
            line
        }
        Addenda::Dishonored(value) => dishonored_line(value, entry)?,
        Addenda::Contested(value) => contested_line(value, entry)?,
        Addenda::Change(value) => {
            let mut line = Line::new("change addenda", change_addenda::LAYOUT.fields);
            line.text(change_addenda::CODE, &value.code)?
                .trace(change_addenda::ORIGINAL_TRACE, value.original_trace)?
                .digits(change_addenda::ORIGINAL_RDFI, &value.original_rdfi)?
                .text(change_addenda::CORRECTED, &value.corrected)?
                .trace(change_addenda::TRACE, entry)?;
            line
        }
        Addenda::RefusedChange(value) => {
            let mut line = Line::new("refused change addenda", refused_change_addenda::LAYOUT.fields);
            line.text(refused_change_addenda::CODE, &value.code)?
                .trace(refused_change_addenda::ORIGINAL_TRACE, value.original_trace)?
                .digits(refused_change_addenda::ORIGINAL_RDFI, &value.original_rdfi)?
                .text(refused_change_addenda::CORRECTED, &value.corrected)?
                .text(refused_change_addenda::CHANGE, &value.change)?
                .digits(refused_change_addenda::CHANGE_SEQUENCE, &value.change_sequence)?
                .trace(refused_change_addenda::TRACE, entry)?;
            line
        }
        Addenda::Other { kind, .. } => {
            let line = Line::new("addenda", &[]);
            return Err(line.refuse(payment_addenda::ADDENDA_TYPE, format!("type {kind} is not written")));
        }
    };
    Ok(line)
}

fn dishonored_line(value: &super::Dishonored, entry: Trace) -> Result<Line, Unwritable> {
    use dishonored_addenda as at;
    let mut line = Line::new("dishonored return addenda", at::LAYOUT.fields);
    line.text(at::REASON, &value.reason)?
        .trace(at::ORIGINAL_TRACE, value.original_trace)?
        .digits(at::ORIGINAL_RDFI, &value.original_rdfi)?
        .trace(at::RETURN_TRACE, value.return_trace)?
        .day(at::RETURN_DAY, value.return_day)?
        .text(at::RETURN_REASON, &value.return_reason)?
        .text(at::TEXT, &value.text)?
        .trace(at::TRACE, entry)?;
    Ok(line)
}

fn contested_line(value: &super::Contested, entry: Trace) -> Result<Line, Unwritable> {
    use contested_addenda as at;
    let mut line = Line::new("contested return addenda", at::LAYOUT.fields);
    line.text(at::REASON, &value.reason)?
        .trace(at::ORIGINAL_TRACE, value.original_trace)?
        .date(at::RETURNED_ON, value.returned_on)?
        .digits(at::ORIGINAL_RDFI, &value.original_rdfi)?
        .day(at::ORIGINAL_DAY, value.original_day)?
        .trace(at::RETURN_TRACE, value.return_trace)?
        .day(at::RETURN_DAY, value.return_day)?
        .text(at::RETURN_REASON, &value.return_reason)?
        .trace(at::DISHONORED_TRACE, value.dishonored_trace)?
        .day(at::DISHONORED_DAY, value.dishonored_day)?
        .text(at::DISHONORED_REASON, &value.dishonored_reason)?
        .trace(at::TRACE, entry)?;
    Ok(line)
}

/// Returns the service class that describes the entries.
fn service_class(entries: &[Entry]) -> &'static str {
    let has = |side| entries.iter().any(|entry| entry.transaction_code().is_some_and(|code| code.side == side));
    match (has(Side::Credit), has(Side::Debit)) {
        (true, true) => "200",
        (_, false) => "220",
        (false, true) => "225",
    }
}

/// Writes a file. Equal values give equal bytes.
pub fn write(file: &File, end: LineEnd) -> Result<Vec<u8>, Unwritable> {
    let missing = || Unwritable { record: "file header", field: "", reason: "is missing".to_owned() };
    let mut writer = Writer::new(file.header.as_ref().ok_or_else(missing)?, end)?;
    for batch in &file.batches {
        let mut header = batch.header.clone();
        if header.service_class.is_empty() {
            service_class(&batch.entries).clone_into(&mut header.service_class);
        }
        writer.batch(&header)?;
        for entry in &batch.entries {
            writer.entry(entry)?;
        }
    }
    writer.finish().map(|(bytes, _)| bytes)
}
