//! The writer. It computes the trailers and writes each record in one line.

use std::fmt;

use jiff::civil::Date;

use super::model::{Account, Detail, File, Funds, Group};

/// A text that would be read as the end of a field or record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritable {
    pub field: &'static str,
    pub reason: &'static str,
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.reason)
    }
}

impl std::error::Error for Unwritable {}

/// Control totals and counts of what is written so far.
#[derive(Clone, Copy, Default)]
struct Level {
    total: i128,
    records: u64,
}

/// Writes a file. Equal values give equal bytes.
pub fn write(file: &File) -> Result<Vec<u8>, Unwritable> {
    let mut out = String::new();
    let mut level = Level { total: 0, records: 2 };
    let (sender, receiver) = (field("sender", &file.sender)?, field("receiver", &file.receiver)?);
    let (on, at, id) = (day(file.created_on), &file.created_at, field("file id", &file.id)?);
    put(&mut out, &format!("01,{sender},{receiver},{on},{at},{id},,,2/"));
    for group in &file.groups {
        let written = write_group(group, &mut out)?;
        level.total += written.total;
        level.records += written.records;
    }
    put(&mut out, &format!("99,{},{},{}/", level.total, file.groups.len(), level.records));
    Ok(out.into_bytes())
}

fn write_group(group: &Group, out: &mut String) -> Result<Level, Unwritable> {
    let mut level = Level { total: 0, records: 2 };
    let (receiver, originator) = (field("receiver", &group.receiver)?, field("originator", &group.originator)?);
    let Group { status, as_of_time, currency, modifier, .. } = group;
    let on = day(group.as_of);
    put(out, &format!("02,{receiver},{originator},{status},{on},{as_of_time},{currency},{modifier}/"));
    for account in &group.accounts {
        let written = write_account(account, out)?;
        level.total += written.total;
        level.records += written.records;
    }
    put(out, &format!("98,{},{},{}/", level.total, group.accounts.len(), level.records));
    Ok(level)
}

fn write_account(account: &Account, out: &mut String) -> Result<Level, Unwritable> {
    let mut level = Level { total: 0, records: 2 };
    let mut line = format!("03,{},{}", field("account number", &account.number)?, account.currency);
    for summary in &account.summaries {
        level.total += i128::from(summary.amount.unwrap_or(0));
        let count = summary.count.map_or_else(String::new, |count| count.to_string());
        let (amount, funds) = (amount(summary.amount), funds(&summary.funds));
        line.push_str(&format!(",{:03},{amount},{count},{funds}", summary.code));
    }
    if account.summaries.is_empty() {
        line.push_str(",,,,");
    }
    put(out, &format!("{line}/"));
    for detail in &account.details {
        level.total += i128::from(detail.amount.unwrap_or(0));
        level.records += 1;
        put(out, &format!("{}/", detail_line(detail)?));
    }
    put(out, &format!("49,{},{}/", level.total, level.records));
    Ok(level)
}

fn detail_line(detail: &Detail) -> Result<String, Unwritable> {
    let bank = field("bank reference", &detail.bank_reference)?;
    let customer = field("customer reference", &detail.customer_reference)?;
    let text = text("text", &detail.text)?;
    let (amount, funds) = (amount(detail.amount), funds(&detail.funds));
    Ok(format!("16,{:03},{amount},{funds},{bank},{customer},{text}", detail.code))
}

fn put(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

fn day(date: Date) -> String {
    format!("{:02}{:02}{:02}", date.year().rem_euclid(100), date.month(), date.day())
}

fn amount(amount: Option<i64>) -> String {
    amount.map_or_else(String::new, |amount| amount.to_string())
}

fn funds(funds: &Funds) -> String {
    match funds {
        Funds::Absent => String::new(),
        Funds::Unknown => "Z".to_owned(),
        Funds::Days(days) => days.to_string(),
        Funds::Value(date, time) => format!("V,{},{time}", date.map_or_else(String::new, day)),
        Funds::Simple([now, one, two]) => format!("S,{now},{one},{two}"),
        Funds::Distributed(parts) => {
            let parts: Vec<String> = parts.iter().map(|(days, amount)| format!(",{days},{amount}")).collect();
            format!("D,{}{}", parts.len(), parts.concat())
        }
    }
}

/// A field inside a record contains no separator.
fn field<'a>(name: &'static str, value: &'a str) -> Result<&'a str, Unwritable> {
    let value = text(name, value)?;
    if value.contains(',') || value.contains('/') {
        return Err(Unwritable { field: name, reason: "must not contain a comma or a slash" });
    }
    Ok(value)
}

/// The text at the end of a record may contain commas and slashes, but nothing that looks like another record.
fn text<'a>(name: &'static str, value: &'a str) -> Result<&'a str, Unwritable> {
    let refuse = |reason| Err(Unwritable { field: name, reason });
    if !value.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return refuse("must be printable ASCII");
    }
    if value.starts_with(' ') || value.ends_with(' ') {
        return refuse("must not begin or end with a blank");
    }
    let splits = ["01", "02", "03", "16", "49", "88", "98", "99"];
    let looks_like_a_record = value.split('/').skip(1).any(|rest| {
        let rest = rest.trim_start_matches(' ');
        splits.iter().any(|code| rest.strip_prefix(code).is_some_and(|rest| rest.is_empty() || rest.starts_with(',')))
    });
    if looks_like_a_record {
        return refuse("must not contain a slash before the code of a record");
    }
    Ok(value)
}
