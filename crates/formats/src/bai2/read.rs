//! The reader: logical records as values, with a finding for each broken rule.

use jiff::civil::Date;

use super::model::{Account, Detail, File, Funds, Group, Summary};
use super::records::{Record, records};
use super::rules;
use super::sums::{self, Level};
use crate::finding::{Findings, Place, Profile, Refused, Rule, quoted};

/// Largest file.
pub const BYTES_MAX: usize = 64 * 1024 * 1024;

/// Checks a file.
#[must_use]
pub fn check(bytes: &[u8], profile: Profile) -> Findings {
    parse(bytes, profile).1
}

/// Reads a file whole, or refuses it whole.
pub fn read(bytes: &[u8], profile: Profile) -> Result<(File, Findings), Refused> {
    match parse(bytes, profile) {
        (Some(file), findings) => findings.into_result(file),
        (None, findings) => Err(Refused(findings)),
    }
}

fn parse(bytes: &[u8], profile: Profile) -> (Option<File>, Findings) {
    let mut findings = Findings::new(profile);
    if bytes.len() > BYTES_MAX {
        let message = format!("The file has {} bytes; the most is {BYTES_MAX}.", bytes.len());
        findings.add(&rules::TOO_LARGE, Place::FILE, message);
        return (None, findings);
    }
    let records = records(bytes, &mut findings);
    if records.is_empty() {
        findings.add(&rules::EMPTY, Place::FILE, "The file has no record.");
    }
    let mut reader = Reader { findings, file: None, ended: false, open: Open::File, levels: [Level::default(); 3] };
    for record in &records {
        reader.record(record);
    }
    if !reader.ended {
        reader.findings.add(&rules::ORDER, Place::FILE, "The file has no file trailer (99).");
    }
    (reader.file, reader.findings)
}

/// The innermost level that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    File,
    Group,
    Account,
}

struct Reader {
    findings: Findings,
    file: Option<File>,
    ended: bool,
    open: Open,
    /// Sums and counts of the file, the open group and the open account.
    levels: [Level; 3],
}

impl Reader {
    fn record(&mut self, record: &Record) {
        if self.ended {
            self.findings.add(&rules::AFTER_END, record.place(""), "A record follows the file trailer.");
            return;
        }
        for level in &mut self.levels {
            level.records = level.records.saturating_add(record.physical);
        }
        let expected = match record.code {
            "01" => self.file.is_none(),
            "02" | "99" => self.file.is_some() && self.open == Open::File,
            "03" | "98" => self.open == Open::Group,
            _ => self.open == Open::Account,
        };
        if !expected {
            self.findings.add(&rules::ORDER, record.place(""), "The record is not in its place.");
        }
        let mut fields = Fields::new(record, &mut self.findings);
        match record.code {
            "01" => {
                if let Some(file) = fields.file() {
                    self.file.get_or_insert(file);
                }
            }
            "02" => {
                let group = fields.group();
                self.levels[1] = Level { records: record.physical, ..Level::default() };
                self.open = Open::Group;
                if let (Some(file), Some(group)) = (&mut self.file, group) {
                    file.groups.push(group);
                }
            }
            "03" => {
                let account = fields.account();
                self.levels[2] = Level { records: record.physical, ..Level::default() };
                self.levels[2].total = account.summaries.iter().map(|summary| amount(summary.amount)).sum();
                self.open = Open::Account;
                self.group().into_iter().for_each(|group| group.accounts.push(account.clone()));
            }
            "16" => {
                let detail = fields.detail();
                self.levels[2].total += amount(detail.amount);
                let account = self.group().and_then(|group| group.accounts.last_mut());
                account.into_iter().for_each(|account| account.details.push(detail.clone()));
            }
            _ => self.trailer(record),
        }
    }

    fn group(&mut self) -> Option<&mut Group> {
        self.file.as_mut().and_then(|file| file.groups.last_mut())
    }

    fn trailer(&mut self, record: &Record) {
        let [file, group, account] = self.levels;
        let (stated, computed, names, next) = match record.code {
            "49" => (2, [account.total, i128::from(account.records), 0], sums::OF_ACCOUNT, Open::Group),
            "98" => (3, group.compared(), sums::OF_GROUP, Open::File),
            _ => (3, file.compared(), sums::OF_FILE, Open::File),
        };
        let mut fields = Fields::new(record, &mut self.findings);
        for ((name, rule), computed) in names.into_iter().zip(computed).take(stated) {
            fields.compare(name, rule, computed);
        }
        match record.code {
            "49" => {
                self.levels[1].child(&account);
                if self.open == Open::Account {
                    let account = self.group().and_then(|group| group.accounts.last()).cloned();
                    account.iter().for_each(|account| sums::check_balance(account, record, &mut self.findings));
                }
            }
            "98" => self.levels[0].child(&group),
            _ => self.ended = true,
        }
        self.open = next;
    }
}

fn amount(amount: Option<i64>) -> i128 {
    i128::from(amount.unwrap_or(0))
}

/// The fields of a record, read one after the other.
struct Fields<'r, 'f> {
    record: &'r Record,
    rest: Option<&'r str>,
    findings: &'f mut Findings,
}

impl<'r, 'f> Fields<'r, 'f> {
    const fn new(record: &'r Record, findings: &'f mut Findings) -> Self {
        Self { record, rest: Some(record.text.as_str()), findings }
    }

    fn add(&mut self, rule: &'static Rule, field: &'static str, message: String) {
        self.findings.add(rule, self.record.place(field), message);
    }

    /// Returns the next field; empty if the record has ended.
    fn next(&mut self) -> &'r str {
        let Some(rest) = self.rest else { return "" };
        let (field, rest) = rest.split_once(',').map_or((rest, None), |(field, rest)| (field, Some(rest)));
        self.rest = rest;
        field.trim_matches(' ')
    }

    fn has_more(&self) -> bool {
        self.rest.is_some_and(|rest| !rest.is_empty())
    }

    fn required(&mut self, name: &'static str) -> String {
        let field = self.next();
        if field.is_empty() {
            self.add(&rules::REQUIRED, name, "The field is empty.".to_owned());
        }
        field.to_owned()
    }

    fn date(&mut self, name: &'static str) -> Option<Date> {
        let field = self.next();
        let date = crate::nacha::date(field);
        if date.is_none() {
            self.add(&rules::DATE, name, format!("The value is {}.", quoted(field)));
        }
        date
    }

    fn time(&mut self, name: &'static str) -> String {
        let field = self.next();
        let is_end_of_day = matches!(field, "" | "2400" | "9999");
        if !is_end_of_day && crate::nacha::time(field).is_none() {
            self.add(&rules::TIME, name, format!("The value is {}.", quoted(field)));
        }
        field.to_owned()
    }

    fn one_of(&mut self, name: &'static str, known: &[&str], rule: &'static Rule) -> String {
        let field = self.next();
        if !known.contains(&field) {
            self.add(rule, name, format!("The value is {}.", quoted(field)));
        }
        field.to_owned()
    }

    fn currency(&mut self) -> String {
        let field = self.next();
        let known = field.is_empty() || field.len() == 3 && field.bytes().all(|byte| byte.is_ascii_uppercase());
        if !known {
            self.add(&rules::CURRENCY, "currency", format!("The value is {}.", quoted(field)));
        }
        field.to_owned()
    }

    fn amount(&mut self, name: &'static str) -> Option<i64> {
        let field = self.next();
        let amount = signed(field);
        if amount.is_none() && !field.is_empty() {
            self.add(&rules::AMOUNT, name, format!("The value is {}.", quoted(field)));
        }
        amount
    }

    fn count(&mut self, name: &'static str) -> Option<u64> {
        let field = self.next();
        let count = crate::nacha::number(field);
        if count.is_none() && !field.is_empty() {
            self.add(&rules::NUMBER, name, format!("The value is {}.", quoted(field)));
        }
        count
    }

    fn code(&mut self) -> u16 {
        let field = self.next();
        match crate::nacha::number(field).and_then(|code| u16::try_from(code).ok()) {
            Some(code) if field.len() == 3 => code,
            _ => {
                self.add(&rules::TYPE, "type code", format!("The value is {}.", quoted(field)));
                0
            }
        }
    }

    fn funds(&mut self, amount: Option<i64>) -> Funds {
        let funds = match self.next() {
            "" => Funds::Absent,
            "Z" => Funds::Unknown,
            "0" => Funds::Days(0),
            "1" => Funds::Days(1),
            "2" => Funds::Days(2),
            "V" => {
                let date = self.date("value date");
                Funds::Value(date, self.time("value time"))
            }
            "S" => Funds::Simple([(); 3].map(|()| self.amount("availability").unwrap_or(0))),
            "D" => {
                let number = self.count("number of distributions").unwrap_or(0);
                let mut parts = Vec::new();
                // The number is a claim of the file: reading ends with the record.
                while u64::try_from(parts.len()).unwrap_or(u64::MAX) < number && self.has_more() {
                    let days = self.count("days").and_then(|days| u32::try_from(days).ok()).unwrap_or(0);
                    parts.push((days, self.amount("availability").unwrap_or(0)));
                }
                if u64::try_from(parts.len()).unwrap_or(u64::MAX) != number {
                    self.add(&rules::FUNDS, "funds type", format!("{number} distributions are announced."));
                }
                Funds::Distributed(parts)
            }
            other => {
                self.add(&rules::FUNDS, "funds type", format!("The value is {}.", quoted(other)));
                Funds::Absent
            }
        };
        let parts: Option<i128> = match &funds {
            Funds::Simple(parts) => Some(parts.iter().map(|part| i128::from(*part)).sum()),
            Funds::Distributed(parts) => Some(parts.iter().map(|(_, part)| i128::from(*part)).sum()),
            Funds::Absent | Funds::Unknown | Funds::Days(_) | Funds::Value(..) => None,
        };
        if let (Some(parts), Some(amount)) = (parts, amount)
            && parts != i128::from(amount)
        {
            self.add(&rules::DISTRIBUTION, "funds type", format!("The parts add up to {parts} instead of {amount}."));
        }
        funds
    }

    fn file(&mut self) -> Option<File> {
        let (sender, receiver) = (self.required("sender"), self.required("receiver"));
        let created_on = self.date("creation date");
        let (created_at, id) = (self.time("creation time"), self.required("file id"));
        // Record length and block size say nothing about the content.
        let _sizes = (self.next(), self.next());
        self.one_of("version", &["2"], &rules::VERSION);
        Some(File { sender, receiver, created_on: created_on?, created_at, id, groups: Vec::new() })
    }

    fn group(&mut self) -> Option<Group> {
        let (receiver, originator) = (self.next().to_owned(), self.required("originator"));
        let status = self.one_of("group status", &["1", "2", "3", "4"], &rules::STATUS);
        let as_of = self.date("as-of date");
        let as_of_time = self.time("as-of time");
        let currency = self.currency();
        let modifier = self.one_of("as-of date modifier", &["", "1", "2", "3", "4"], &rules::MODIFIER);
        let accounts = Vec::new();
        Some(Group { receiver, originator, status, as_of: as_of?, as_of_time, currency, modifier, accounts })
    }

    fn account(&mut self) -> Account {
        let (number, currency) = (self.required("account number"), self.currency());
        let mut summaries = Vec::new();
        // Empty fields at the end are those of the last summary, or of none.
        self.rest = self.rest.map(|rest| rest.trim_end_matches(','));
        while self.has_more() {
            let code = self.code();
            let amount = self.amount("summary amount");
            let count = self.count("item count");
            summaries.push(Summary { code, amount, count, funds: self.funds(amount) });
        }
        Account { number, currency, summaries, details: Vec::new() }
    }

    fn detail(&mut self) -> Detail {
        let code = self.code();
        let amount = self.amount("amount");
        let funds = self.funds(amount);
        let (bank_reference, customer_reference) = (self.next().to_owned(), self.next().to_owned());
        let text = self.rest.take().unwrap_or_default().to_owned();
        Detail { line: self.record.line, code, amount, funds, bank_reference, customer_reference, text }
    }

    /// Compares a field of a trailer with the computed value.
    fn compare(&mut self, name: &'static str, rule: &'static Rule, computed: i128) {
        let field = self.next();
        let Some(stated) = signed(field) else {
            self.add(&rules::NUMBER, name, format!("The value is {}.", quoted(field)));
            return;
        };
        if i128::from(stated) != computed {
            self.add(rule, name, format!("The trailer states {stated}, and the content gives {computed}."));
        }
    }
}

/// Reads an amount: digits with an optional sign.
fn signed(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    crate::nacha::number(digits).and_then(|value| i64::try_from(value).ok()).map(|value| value * sign)
}
