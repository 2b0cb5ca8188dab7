//! The one pass over a file: order of the records, batches, sums, and a finding for each broken rule.

use std::collections::HashSet;

use super::batch::{AddendaKind, OpenBatch, compare};
use super::fields;
use super::layout::{Field, entry, file_control, file_header};
use super::lines::{End, Lines};
use super::record::Record;
use super::rules;
use super::totals::Totals;
use crate::finding::{Findings, Place, Profile};

/// Largest file: a million entries, each with an addenda record, and some room.
pub const BYTES_MAX: usize = 256 * 1024 * 1024;
/// Records in a block.
const BLOCK: u64 = 10;

/// A record that is in its place.
pub enum Item<'r> {
    FileHeader(&'r Record),
    BatchHeader(&'r Record),
    Entry(&'r Record),
    Addenda(&'r Record, AddendaKind),
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct Checked {
    pub findings: Findings,
    pub totals: Totals,
    /// Entries with a return addenda.
    pub returns: u64,
    /// Entries with a change addenda.
    pub changes: u64,
    /// The file has neither a file header nor a file control.
    pub is_partial: bool,
}

/// Where in the file the pass is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Start,
    /// After the file header or a batch control.
    Between,
    InBatch,
    /// After the file control.
    Ended,
}

struct Scan<'e> {
    findings: Findings,
    each: &'e mut dyn FnMut(Item<'_>),
    at: At,
    has_header: bool,
    batch: Option<OpenBatch>,
    last_number: Option<u64>,
    traces: HashSet<u64>,
    totals: Totals,
    returns: u64,
    changes: u64,
    /// Records before the padding.
    records: u64,
    padding: u64,
    has_unread: bool,
    has_text_after_end: bool,
}

/// Passes over a file and gives each record that is in its place to `each`.
pub fn scan(bytes: &[u8], profile: Profile, each: &mut dyn FnMut(Item<'_>)) -> Checked {
    let mut scan = Scan {
        findings: Findings::new(profile),
        each,
        at: At::Start,
        has_header: false,
        batch: None,
        last_number: None,
        traces: HashSet::new(),
        totals: Totals::default(),
        returns: 0,
        changes: 0,
        records: 0,
        padding: 0,
        has_unread: false,
        has_text_after_end: false,
    };
    if bytes.len() > BYTES_MAX {
        let message = format!("The file has {} bytes; the most is {BYTES_MAX}.", bytes.len());
        scan.findings.add(&rules::TOO_LARGE, Place::FILE, message);
    } else {
        scan.lines(bytes);
        scan.end();
    }
    let is_partial = !scan.has_header && scan.at != At::Ended && scan.records > 0;
    let Scan { findings, totals, returns, changes, .. } = scan;
    Checked { findings, totals, returns, changes, is_partial }
}

impl Scan<'_> {
    fn lines(&mut self, bytes: &[u8]) {
        let lines = Lines::new(bytes);
        if lines.fixed {
            self.findings.add(&rules::NO_LINE_ENDS, Place::FILE, "The file has no line ends.");
        }
        let mut first_end = None;
        for (number, (bytes, end)) in (1u32..).zip(lines) {
            let place = Place { line: number, column: 1, record: "line", field: "" };
            if end != End::None && *first_end.get_or_insert(end) != end || end == End::Cr && number == 1 {
                self.findings.add(&rules::LINE_ENDS, place, "The line ends differently, or with CR alone.");
                // Once is enough.
                first_end = first_end.map(|_| end);
            }
            if bytes.iter().all(|byte| *byte == b' ') {
                self.findings.add(&rules::BLANK_LINE, place, "The line is blank.");
                continue;
            }
            let record = Record::new(number, bytes, &mut self.findings);
            self.record(record);
        }
    }

    fn record(&mut self, record: Record) {
        if self.at == At::Ended {
            return self.after_end(&record);
        }
        self.records += 1;
        match record.kind() {
            b'1' => self.file_header(record),
            b'5' => self.batch_header(record),
            b'6' => self.entry(record),
            b'7' => self.addenda(&record),
            b'8' => self.batch_control(&record),
            b'9' if record.is_all(b'9') => self.misplaced(&record, "Padding comes before the file control."),
            b'9' => self.file_control(&record),
            _ => {
                let message = "The record has an unknown type.";
                self.findings.add(&rules::RECORD_TYPE, record.place("line", file_header::TYPE), message);
            }
        }
    }

    fn misplaced(&mut self, record: &Record, message: &str) {
        self.findings.add(&rules::RECORD_ORDER, record.place("line", file_header::TYPE), message);
    }

    fn after_end(&mut self, record: &Record) {
        if record.is_all(b'9') {
            self.padding += 1;
        } else if !self.has_text_after_end {
            self.has_text_after_end = true;
            let message = "A record follows the file control.";
            self.findings.add(&rules::AFTER_END, record.place("line", file_header::TYPE), message);
        }
    }

    fn file_header(&mut self, record: Record) {
        if self.at != At::Start {
            return self.misplaced(&record, "A file header must be the first record.");
        }
        fields::check(&record, &file_header::LAYOUT, &[], &mut self.findings);
        self.has_header = true;
        self.at = At::Between;
        (self.each)(Item::FileHeader(&record));
    }

    fn batch_header(&mut self, record: Record) {
        self.end_batch_without_control();
        (self.each)(Item::BatchHeader(&record));
        let batch = OpenBatch::open(record, &mut self.findings);
        if let (Some(number), Some(last)) = (batch.number, self.last_number)
            && number <= last
        {
            let message = format!("Batch {number} follows batch {last}.");
            self.findings.add(&rules::BATCH_NUMBER, batch.header_place(), message);
        }
        self.last_number = batch.number.or(self.last_number);
        self.has_unread |= batch.is_unread();
        self.batch = Some(batch);
        self.at = At::InBatch;
    }

    fn entry(&mut self, record: Record) {
        let Some(batch) = &mut self.batch else {
            return self.misplaced(&record, "An entry is outside of a batch.");
        };
        if batch.is_unread() {
            return;
        }
        (self.each)(Item::Entry(&record));
        let line = record.line;
        let trace = batch.entry(record, &mut self.findings);
        // A file from a bank repeats trace numbers of several banks; there only the order in a batch is reported.
        if self.findings.profile() == Profile::Strict
            && let Some(trace) = trace
            && !self.traces.insert(trace)
        {
            let column = u32::try_from(entry::TRACE.from).unwrap_or(1);
            let place = Place { line, column, record: "entry", field: entry::TRACE.name };
            let message = format!("Trace number {trace:015} occurs a second time.");
            self.findings.add(&rules::TRACE_DUPLICATE, place, message);
        }
    }

    fn addenda(&mut self, record: &Record) {
        if self.batch.as_ref().is_some_and(OpenBatch::is_unread) {
            return;
        }
        match self.batch.as_mut().and_then(|batch| batch.addenda(record, &mut self.findings)) {
            Some(kind) => (self.each)(Item::Addenda(record, kind)),
            None => self.misplaced(record, "An addenda record does not follow an entry."),
        }
    }

    fn batch_control(&mut self, record: &Record) {
        let Some(mut batch) = self.batch.take() else {
            return self.misplaced(record, "A batch control is outside of a batch.");
        };
        batch.close(record, &mut self.findings);
        self.count(&batch);
    }

    fn count(&mut self, batch: &OpenBatch) {
        self.totals.add(&batch.totals);
        self.returns += batch.returns;
        self.changes += batch.changes;
        self.at = At::Between;
    }

    fn end_batch_without_control(&mut self) {
        if let Some(mut batch) = self.batch.take() {
            batch.close_entry(&mut self.findings);
            let message = "The batch has no batch control.";
            self.findings.add(&rules::BATCH_CONTROL_MISSING, batch.header_place(), message);
            self.count(&batch);
        }
    }

    fn file_control(&mut self, record: &Record) {
        self.end_batch_without_control();
        self.at = At::Ended;
        // Accounting advices have another file control; the file is refused already.
        if self.has_unread {
            return;
        }
        let layout = file_control::LAYOUT;
        fields::check(record, &layout, &[], &mut self.findings);
        let totals = self.totals;
        let blocks = self.records.div_ceil(BLOCK);
        let compared: [(Field, _, u64); 6] = [
            (file_control::BATCHES, &rules::FILE_BATCHES, totals.batches),
            (file_control::BLOCKS, &rules::FILE_BLOCKS, blocks),
            (file_control::COUNT, &rules::FILE_COUNT, totals.records()),
            (file_control::HASH, &rules::FILE_HASH, totals.entry_hash()),
            (file_control::DEBITS, &rules::FILE_DEBITS, totals.debits),
            (file_control::CREDITS, &rules::FILE_CREDITS, totals.credits),
        ];
        for (field, rule, computed) in compared {
            // Without its header the number of lines is another one.
            if field != file_control::BLOCKS || self.has_header {
                compare(record, layout.name, field, rule, computed, &mut self.findings);
            }
        }
    }

    /// Judges the file as a whole.
    fn end(&mut self) {
        self.end_batch_without_control();
        let has_control = self.at == At::Ended;
        let missing = match (self.records > 0, self.has_header, has_control) {
            (false, ..) => Some((&rules::EMPTY, "The file has no record.")),
            (_, true, true) => None,
            (_, true, false) => Some((&rules::FILE_CONTROL_MISSING, "The file has no file control.")),
            (_, false, true) => Some((&rules::FILE_HEADER_MISSING, "The file has no file header.")),
            (_, false, false) => Some((&rules::PARTIAL, "The file has neither file header nor file control.")),
        };
        if let Some((rule, message)) = missing {
            self.findings.add(rule, Place::FILE, message);
        }
        if self.records > 0 && self.totals.batches == 0 && !self.has_unread {
            self.findings.add(&rules::NO_BATCH, Place::FILE, "The file has no batch.");
        }
        let wanted = (BLOCK - self.records % BLOCK) % BLOCK;
        if has_control && !self.has_text_after_end && self.padding != wanted {
            let message = format!("The file has {} lines of nines instead of {wanted}.", self.padding);
            self.findings.add(&rules::PADDING, Place::FILE, message);
        }
    }
}
