//! Reads the bytes of a statement file: all of its statements, or the findings that refuse it. Pure.

use bursar_formats::bai2::codes::{CLOSING, OPENING, TOTAL_CREDITS, TOTAL_DEBITS};
use bursar_formats::bai2::{self, Detail, Group};
use bursar_formats::iso20022::{self, Message, camt};
use bursar_formats::{Format, Profile};

use super::codes;
use crate::bank_intake::{Findings, LineMeaning, kept, refused};
use crate::banking::settlement_accounts::StatementKind;
use crate::money::Cents;

/// The most lines of a file, whose statements are applied in one commit each.
pub const LINES_MAX: usize = 25_000;
/// The longest text of a line that is kept.
const TEXT_MAX: usize = 500;
const CODE_MAX: usize = 20;
const REASON_MAX: usize = 35;
/// The largest balance or line: a trillion dollars, so that no sum of them overflows.
const AMOUNT_MAX: i64 = 100_000_000_000_000;

/// What a file contains.
#[derive(Clone, Debug)]
pub enum Content {
    Statements(Vec<ReadStatement>),
    /// Reports within a day, or notifications: they never move money.
    Information,
}

/// A statement, as the bank wrote it.
#[derive(Clone, Debug)]
pub struct ReadStatement {
    pub kind: StatementKind,
    pub account_number: String,
    pub currency: String,
    /// `YYYY-MM-DD`
    pub booked_on: String,
    pub reference: String,
    pub sequence: Option<i64>,
    pub opening: Cents,
    pub closing: Cents,
    pub lines: Vec<ReadLine>,
}

#[derive(Clone, Debug)]
pub struct ReadLine {
    /// The line of the file; the place in the statement for XML.
    pub line: i64,
    pub code: String,
    pub meaning: LineMeaning,
    /// Negative for a debit.
    pub amount: Cents,
    /// The bank's.
    pub reference: String,
    /// The customer's.
    pub customer_reference: String,
    pub text: String,
    /// The ISO 20022 reason of a return.
    pub return_reason: Option<String>,
}

impl ReadStatement {
    /// Returns the number and the sum of the lines in one direction.
    pub fn side(&self, is_credit: bool) -> (i64, i128) {
        let of_side = self.lines.iter().filter(|line| line.amount.is_positive() == is_credit);
        of_side.fold((0, 0), |(count, sum), line| (count + 1, sum + i128::from(line.amount.get()).abs()))
    }
}

/// Returns all statements of a file, or why it is refused whole.
pub fn read(bytes: &[u8]) -> Result<Content, Findings> {
    let content = match Format::of(bytes) {
        Some(Format::Bai2) => of_bai2(bytes)?,
        Some(Format::Iso20022) => of_camt(bytes)?,
        Some(Format::Nacha) | None => {
            let message = "The file is no statement.".to_owned();
            return Err(refused("statement.format", message, "Ask the bank what the file is."));
        }
    };
    if let Content::Statements(statements) = &content {
        let lines: usize = statements.iter().map(|statement| statement.lines.len()).sum();
        if lines > LINES_MAX {
            let message = format!("The file has {lines} lines; at most {LINES_MAX} are applied together.");
            let advice = "Ask the bank to book sums of files instead of each payment.";
            return Err(refused("statement.too-many", message, advice));
        }
        for statement in statements {
            check_size(statement)?;
            check_sum(statement)?;
        }
    }
    Ok(content)
}

fn check_size(statement: &ReadStatement) -> Result<(), Findings> {
    let balances = [statement.opening, statement.closing].into_iter();
    let mut amounts = balances.chain(statement.lines.iter().map(|line| line.amount));
    match amounts.find(|amount| amount.get().unsigned_abs() > AMOUNT_MAX.unsigned_abs()) {
        Some(amount) => Err(too_large(amount)),
        None => Ok(()),
    }
}

fn too_large(cents: impl std::fmt::Display) -> Findings {
    let message = format!("The statement has an amount of {cents} cents; the largest is {AMOUNT_MAX}.");
    refused("statement.amount", message, "Ask the bank for a correct statement.")
}

fn check_sum(statement: &ReadStatement) -> Result<(), Findings> {
    let sum: i128 = statement.lines.iter().map(|line| i128::from(line.amount.get())).sum();
    let difference = i128::from(statement.closing.get()) - i128::from(statement.opening.get());
    if sum == difference {
        return Ok(());
    }
    let message = format!(
        "The lines of {} add up to {sum} cents; the closing balance less the opening balance is {difference} cents.",
        statement.booked_on
    );
    Err(refused("statement.sum", message, "Ask the bank for a complete statement."))
}

fn of_bai2(bytes: &[u8]) -> Result<Content, Findings> {
    let (file, _) = bai2::read(bytes, Profile::Incoming).map_err(|refused| kept(&refused.0))?;
    let mut statements = Vec::new();
    let mut is_information = false;
    for group in &file.groups {
        let is_final = match group.modifier.as_str() {
            "2" | "4" => true,
            "1" | "3" => false,
            // Without a word of the bank, a report about an earlier day is final.
            _ => group.as_of < file.created_on,
        };
        if !is_final {
            is_information = true;
            continue;
        }
        if group.status != "1" {
            let message = format!("The group of {} has the status {}, no update.", group.as_of, group.status);
            let advice = "A deletion, a correction or a test is not applied. Clarify it with the bank.";
            return Err(refused("statement.status", message, advice));
        }
        for account in &group.accounts {
            statements.push(of_bai2_account(&file.id, group, account)?);
        }
    }
    if statements.is_empty() && is_information {
        return Ok(Content::Information);
    }
    Ok(Content::Statements(statements))
}

fn of_bai2_account(id: &str, group: &Group, account: &bai2::Account) -> Result<ReadStatement, Findings> {
    let (Some(opening), Some(closing)) = (account.summary(OPENING), account.summary(CLOSING)) else {
        let message = format!("The statement of {} lacks the opening or the closing ledger balance.", group.as_of);
        return Err(refused("statement.balance", message, "Ask the bank for the type codes 010 and 015."));
    };
    let money: Vec<(&Detail, bool)> =
        account.details.iter().filter_map(|detail| Some((detail, codes::is_credit(detail.code)?))).collect();
    for (code, is_credit) in [(TOTAL_CREDITS, true), (TOTAL_DEBITS, false)] {
        let stated = account.summaries.iter().find(|summary| summary.code == code).and_then(|summary| summary.count);
        let found = u64::try_from(money.iter().filter(|(_, credit)| *credit == is_credit).count()).unwrap_or(u64::MAX);
        if let Some(stated) = stated.filter(|stated| *stated != found) {
            let message = format!("Type {code} of {} counts {stated} lines; the statement has {found}.", group.as_of);
            return Err(refused("statement.count", message, "Ask the bank for a complete statement."));
        }
    }
    let currency = [account.currency.as_str(), group.currency.as_str(), "USD"];
    let currency = currency.into_iter().find(|currency| !currency.is_empty()).unwrap_or_default();
    Ok(ReadStatement {
        kind: StatementKind::Bai2,
        account_number: account.number.trim().to_owned(),
        currency: currency.to_owned(),
        booked_on: group.as_of.to_string(),
        reference: shortened(id),
        sequence: None,
        opening: Cents::new(opening),
        closing: Cents::new(closing),
        lines: with_money(money.into_iter().map(|(detail, is_credit)| of_bai2_line(detail, is_credit)).collect()),
    })
}

fn of_bai2_line(detail: &Detail, is_credit: bool) -> ReadLine {
    let amount = Cents::new(detail.amount.unwrap_or(0));
    let amount = if is_credit { amount } else { amount.negated() };
    let texts = [detail.bank_reference.clone(), detail.customer_reference.clone(), detail.text.clone()];
    let code = format!("{:03}", detail.code);
    read_line(i64::from(detail.line), code, codes::of_bai2(detail.code), amount, false, texts)
}

fn of_camt(bytes: &[u8]) -> Result<Content, Findings> {
    let (message, _) = iso20022::read(bytes, Profile::Incoming).map_err(|refused| kept(&refused.0))?;
    let Message::Report(report) = message else {
        let message = "The message is no statement.".to_owned();
        let advice = "This version reads camt.053 statements, and camt.054 notifications for information.";
        return Err(refused("intake.format", message, advice));
    };
    match report.kind {
        camt::ReportKind::Notification => Ok(Content::Information),
        camt::ReportKind::Statement => {
            let statements: Result<Vec<_>, Findings> = report.accounts.iter().map(of_camt_account).collect();
            statements.map(Content::Statements)
        }
    }
}

fn of_camt_account(account: &camt::Account) -> Result<ReadStatement, Findings> {
    let balances = (account.opening(), account.closing());
    let (Some(opening), Some(closing)) = balances else {
        let message = "A statement lacks the opening or the closing booked balance.".to_owned();
        return Err(refused("statement.balance", message, "Ask the bank for the balances OPBD and CLBD."));
    };
    let last = account.entries.iter().filter_map(|entry| entry.booked_on).max();
    let Some(booked_on) = closing.on.or(last) else {
        let message = "A statement has no date.".to_owned();
        return Err(refused("statement.date", message, "Ask the bank for a date of the closing balance."));
    };
    let cents = |amount: i128| i64::try_from(amount).map(Cents::new).map_err(|_| too_large(amount));
    let booked = account.entries.iter().filter(|entry| entry.is_booked());
    let lines: Result<Vec<_>, Findings> =
        (1..).zip(booked).map(|(line, entry)| Ok(of_camt_entry(line, entry, cents(entry.signed())?))).collect();
    Ok(ReadStatement {
        kind: StatementKind::Camt053,
        account_number: account.account.number().to_owned(),
        currency: account.currency.clone().unwrap_or_else(|| closing.amount.currency.clone()),
        booked_on: booked_on.to_string(),
        reference: shortened(&account.id),
        sequence: account.sequence.and_then(|sequence| i64::try_from(sequence).ok()),
        opening: cents(opening.signed())?,
        closing: cents(closing.signed())?,
        lines: with_money(lines?),
    })
}

fn of_camt_entry(line: i64, entry: &camt::Entry, amount: Cents) -> ReadLine {
    let batch = entry.batch.iter().flat_map(|batch| [batch.message_id.as_deref(), batch.payment_id.as_deref()]);
    let details = entry.details.iter();
    let ids = details.clone().flat_map(|detail| [detail.end_to_end_id.as_deref(), detail.instruction_id.as_deref()]);
    let texts: Vec<&str> = details.filter_map(|detail| detail.remittance.as_deref()).collect();
    let ids: Vec<&str> = entry.reference.as_deref().into_iter().chain(batch.chain(ids).flatten()).collect();
    let is_batch = entry.batch.as_ref().is_some_and(|batch| batch.count != Some(1));
    let is_part = |detail: &camt::Detail| detail.amount.as_ref().is_some_and(|part| part.minor != entry.amount.minor);
    let several = is_batch || entry.details.len() > 1 || entry.details.iter().any(is_part);
    let texts = [entry.bank_reference.clone().unwrap_or_default(), ids.join(" "), texts.join(" ")];
    let code = codes::camt_text(entry).chars().take(CODE_MAX).collect();
    // One reason of several payments says nothing about the others.
    let reasons = entry.details.iter().filter_map(|detail| detail.return_reason.as_deref());
    let return_reason = reasons.map(|reason| reason.chars().take(REASON_MAX).collect()).next().filter(|_| !several);
    ReadLine { return_reason, ..read_line(line, code, codes::of_camt(entry), amount, several, texts) }
}

/// Returns a line. A deposit that may be of several payers is never booked by a reference: neither is one of which only
/// the first letters are stored, because the rest may contain another reference.
fn read_line(
    line: i64,
    code: String,
    meaning: LineMeaning,
    amount: Cents,
    several: bool,
    [reference, customer_reference, text]: [String; 3],
) -> ReadLine {
    let is_cut = [&reference, &customer_reference, &text].iter().any(|text| text.trim().chars().count() > TEXT_MAX);
    let meaning = if meaning == LineMeaning::Deposit && (several || is_cut) { LineMeaning::Deposits } else { meaning };
    let (reference, customer_reference, text) =
        (shortened(&reference), shortened(&customer_reference), shortened(&text));
    ReadLine { line, code, meaning, amount, reference, customer_reference, text, return_reason: None }
}

/// A line of zero moves nothing.
fn with_money(mut lines: Vec<ReadLine>) -> Vec<ReadLine> {
    lines.retain(|line| !line.amount.is_zero());
    lines
}

fn shortened(text: &str) -> String {
    text.trim().chars().take(TEXT_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture(name: &str) -> Vec<u8> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/ach-corpus");
        std::fs::read(folder.join(name)).unwrap()
    }

    fn statements(bytes: &[u8]) -> Vec<ReadStatement> {
        match read(bytes).unwrap() {
            Content::Statements(statements) => statements,
            Content::Information => panic!("the file is for information"),
        }
    }

    fn rule(bytes: &[u8]) -> String {
        read(bytes).unwrap_err().kept[0].rule.clone()
    }

    #[test]
    fn a_bai2_file_and_a_camt_message_are_statements() {
        for name in ["bai2/full.bai", "iso20022/camt053.xml"] {
            for statement in statements(&fixture(name)) {
                let (credits, debits) = (statement.side(true), statement.side(false));
                assert!(credits.0 + debits.0 == i64::try_from(statement.lines.len()).unwrap(), "{name}");
                assert!(!statement.account_number.is_empty() && statement.booked_on.len() == 10, "{name}");
            }
        }
        assert!(matches!(read(&fixture("iso20022/camt054.xml")), Ok(Content::Information)));
        assert_eq!(rule(&fixture("iso20022/pain001_ach.xml")), "intake.format");
        assert_eq!(rule(b"hello"), "statement.format");
    }

    #[test]
    fn a_file_that_contradicts_itself_is_refused_whole() {
        let file = |modifier: &str, status: &str, summary: &str, closing: i64| {
            let total = 10_000 + closing + 500 + 500;
            format!(
                "01,BANK,ACME,261124,0600,1,,,2/\n02,ACME,BANK,{status},261123,,USD,{modifier}/\n\
                 03,123,,010,10000,,,015,{closing},,,{summary}/\n16,165,500,Z,B1,,BURX/\n49,{total},3/\n\
                 98,{total},1,5/\n99,{total},1,7/\n"
            )
        };
        let good = file("2", "1", "100,500,1,Z", 10_500);
        let read_one = &statements(good.as_bytes())[0];
        assert_eq!((read_one.booked_on.as_str(), read_one.lines[0].amount.get()), ("2026-11-23", 500));
        assert_eq!(read_one.lines[0].meaning, LineMeaning::Deposit);
        // Without a modifier a report about an earlier day is final.
        assert_eq!(statements(file("", "1", "100,500,1,Z", 10_500).as_bytes()).len(), 1);
        assert!(matches!(read(file("3", "1", "100,500,1,Z", 10_500).as_bytes()), Ok(Content::Information)));
        for (text, expected) in [
            (file("2", "3", "100,500,1,Z", 10_500), "statement.status"),
            (file("2", "1", "100,500,2,Z", 10_500), "statement.count"),
            (file("2", "1", "100,500,1,Z", 10_501), "bai2.balance"),
        ] {
            assert_eq!(rule(text.as_bytes()), expected);
        }
    }

    /// A statement that is read leads, however damaged its file is, from its opening to its closing balance.
    #[test]
    fn damaged_files_are_refused_or_still_add_up() {
        for name in ["bai2/full.bai", "iso20022/camt053.xml"] {
            let good = fixture(name);
            let mut refused = 0;
            for place in 0..good.len() {
                let mut flipped = good.clone();
                flipped[place] ^= 1 << (place % 7);
                let cut = good[..place].to_vec();
                let doubled = [&good[..place], &good[place / 2..]].concat();
                for damaged in [flipped, cut, doubled] {
                    let Ok(Content::Statements(found)) = read(&damaged) else {
                        refused += 1;
                        continue;
                    };
                    for statement in found {
                        let sum: i64 = statement.lines.iter().map(|line| line.amount.get()).sum();
                        assert_eq!(sum, statement.closing.get() - statement.opening.get(), "{name} at {place}");
                    }
                }
            }
            assert!(refused > good.len(), "{name}: {refused}");
        }
    }
}
