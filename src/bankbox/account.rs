//! The customer's account at the bank: what the bank books, and the statement of each banking day.

use bursar_formats::bai2::{self, Detail, Funds, Group, Summary};
use bursar_formats::iso20022::camt::{self, Balance, BankCode, Entry, Report, ReportKind};
use bursar_formats::iso20022::{AccountId, Amount};
use jiff::civil::{Date, DateTime};
use serde::{Deserialize, Serialize};

use super::answers::Answer;
use crate::calendars::{Calendar, Zone};
use crate::clock::Time;

/// The hour of the next day at which a statement is written, in the bank's time.
const WRITTEN_AT_HOUR: i8 = 6;
/// Statements that are written at once, if the bank was not asked for a long time.
const STATEMENTS_MAX: usize = 400;

/// The format of the statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum StatementFormat {
    Bai2,
    Camt053,
}

/// What the bank books as one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Grain {
    Entry,
    File,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Payments,
    Collections,
    Returns,
    ReturnedDebits,
    Wire,
    Fee,
    Interest,
    /// Another bank's debit.
    Debit,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Booked {
    on: String,
    kind: Kind,
    /// In cents, positive.
    amount: i64,
    reference: String,
    text: String,
    /// The message whose payments are one line, and their number.
    #[serde(default)]
    batch: Option<(String, u64)>,
    /// The reason of a return, by ISO 20022.
    #[serde(default)]
    reason: Option<String>,
}

/// An account that the bank keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    pub number: String,
    pub format: StatementFormat,
    pub grain: Grain,
    /// In cents, after the last statement.
    pub balance: i64,
    /// The day of the last statement.
    last_on: String,
    sequence: u64,
    lines: Vec<Booked>,
}

fn eastern(now: i64) -> DateTime {
    Zone::eastern().local(Time::from_micros(now.saturating_mul(1_000_000)))
}

fn day(text: &str) -> Date {
    text.parse().unwrap_or(Date::ZERO)
}

impl Account {
    /// Opens an account with a balance in cents. The first statement is that of today, or of the next banking day.
    #[must_use]
    pub fn open(number: &str, format: StatementFormat, grain: Grain, balance: i64, now: i64) -> Self {
        let before = eastern(now).date().yesterday().unwrap_or(Date::ZERO);
        let (last_on, lines) = (before.to_string(), Vec::new());
        Self { number: number.to_owned(), format, grain, balance, last_on, sequence: 0, lines }
    }

    pub(super) fn number(&self) -> &str {
        &self.number
    }

    pub(super) const fn is_idle(&self) -> bool {
        self.lines.is_empty()
    }

    /// Books an amount on a day, or on the first banking day whose statement is not written.
    pub(super) fn book(&mut self, on: Date, kind: Kind, amount: i64, reference: &str, text: &str) -> &mut Booked {
        let first = Calendar::Fed.add_banking_days(day(&self.last_on), 1);
        let on = Calendar::Fed.next_open(on.max(first)).to_string();
        let (reference, text) = (reference.to_owned(), text.to_owned());
        self.lines.push(Booked { on, kind, amount, reference, text, batch: None, reason: None });
        let last = self.lines.len() - 1;
        &mut self.lines[last]
    }

    /// Books the payments of a message on a day, as one line or as several.
    pub(super) fn book_message(&mut self, on: Date, message: &str, payments: &[(&str, i64)], text: &str) {
        match self.grain {
            Grain::Entry => {
                for (id, amount) in payments {
                    self.book(on, Kind::Payments, *amount, id, text);
                }
            }
            Grain::File if payments.is_empty() => {}
            Grain::File => {
                let sum = payments.iter().map(|(_, amount)| amount).sum();
                let count = u64::try_from(payments.len()).unwrap_or(0);
                self.book(on, Kind::Payments, sum, "", text).batch = Some((message.to_owned(), count));
            }
        }
    }

    /// Credits a payment that comes back, with the reason.
    pub(super) fn book_return(&mut self, now: i64, amount: i64, id: &str, reason: &str) {
        let on = eastern(now).date();
        let text = format!("RETURN {reason}");
        self.book(on, Kind::Returns, amount, id, &text).reason = Some(reason.to_owned());
    }

    /// Books an amount today.
    pub(super) fn book_now(&mut self, now: i64, kind: Kind, amount: i64, reference: &str, text: &str) {
        self.book(eastern(now).date(), kind, amount, reference, text);
    }

    /// Returns the statements of the banking days that have ended.
    pub(super) fn statements(&mut self, now: i64) -> Vec<Answer> {
        let local = eastern(now);
        let today = local.date();
        let last = if local.hour() >= WRITTEN_AT_HOUR { today } else { today.yesterday().unwrap_or(today) };
        let mut statements = Vec::new();
        while statements.len() < STATEMENTS_MAX {
            let on = Calendar::Fed.add_banking_days(day(&self.last_on), 1);
            if on >= last {
                break;
            }
            statements.extend(self.statement(on, now));
        }
        statements
    }

    fn statement(&mut self, on: Date, now: i64) -> Option<Answer> {
        let text = on.to_string();
        let (lines, later) = std::mem::take(&mut self.lines).into_iter().partition(|line| line.on <= text);
        self.lines = later;
        let opening = self.balance;
        self.balance = lines.iter().fold(opening, |balance, line: &Booked| balance.saturating_add(line.signed()));
        self.last_on.clone_from(&text);
        self.sequence += 1;
        let compact = text.replace('-', "");
        let (name, bytes) = match self.format {
            StatementFormat::Bai2 => (format!("STATEMENT_{compact}.bai"), self.bai2(on, now, opening, &lines)),
            StatementFormat::Camt053 => (format!("STATEMENT_{compact}.xml"), self.camt(on, now, opening, &lines)),
        };
        bytes.map(|bytes| Answer { name, bytes })
    }

    fn bai2(&self, on: Date, now: i64, opening: i64, lines: &[Booked]) -> Option<Vec<u8>> {
        let created = eastern(now);
        let summary = |code, amount, count| Summary { code, amount: Some(amount), count, funds: Funds::Absent };
        let side = |is_credit: bool| {
            let of_side = lines.iter().filter(|line| line.is_credit() == is_credit);
            of_side.fold((0_i64, 0_u64), |(sum, count), line| (sum.saturating_add(line.amount), count + 1))
        };
        let (credits, debits) = (side(true), side(false));
        let account = bai2::Account {
            number: self.number.clone(),
            currency: "USD".to_owned(),
            summaries: vec![
                summary(10, opening, None),
                summary(15, self.balance, None),
                summary(100, credits.0, Some(credits.1)),
                summary(400, debits.0, Some(debits.1)),
            ],
            details: lines.iter().map(Booked::detail).collect(),
        };
        let group = Group {
            receiver: "CUSTOMER".to_owned(),
            originator: "BANK".to_owned(),
            status: "1".to_owned(),
            as_of: on,
            as_of_time: "2400".to_owned(),
            currency: "USD".to_owned(),
            modifier: "2".to_owned(),
            accounts: vec![account],
        };
        let file = bai2::File {
            sender: "BANK".to_owned(),
            receiver: "CUSTOMER".to_owned(),
            created_on: created.date(),
            created_at: created.strftime("%H%M").to_string(),
            id: self.sequence.to_string(),
            groups: vec![group],
        };
        bai2::write(&file).ok()
    }

    fn camt(&self, on: Date, now: i64, opening: i64, lines: &[Booked]) -> Option<Vec<u8>> {
        let created_at = eastern(now).strftime("%Y-%m-%dT%H:%M:%S").to_string();
        let balance = |code: &str, cents: i64| Balance {
            code: code.to_owned(),
            amount: usd(cents.saturating_abs()),
            is_credit: cents >= 0,
            on: Some(on),
        };
        let account = camt::Account {
            id: format!("{:010}", self.sequence),
            sequence: Some(self.sequence),
            created_at: Some(created_at.clone()),
            account: AccountId::Other(self.number.clone()),
            currency: Some("USD".to_owned()),
            balances: vec![balance("OPBD", opening), balance("CLBD", self.balance)],
            entries: lines.iter().map(|line| line.entry(on)).collect(),
        };
        let message_id = format!("STATEMENT-{}", self.sequence);
        let report = Report { kind: ReportKind::Statement, message_id, created_at, accounts: vec![account] };
        camt::write(&report).ok()
    }
}

fn usd(minor: i64) -> Amount {
    Amount { minor, currency: "USD".to_owned() }
}

impl Booked {
    const fn is_credit(&self) -> bool {
        match self.kind {
            Kind::Collections | Kind::Returns | Kind::Wire | Kind::Interest => true,
            Kind::Payments | Kind::ReturnedDebits | Kind::Fee | Kind::Debit => false,
        }
    }

    fn signed(&self) -> i64 {
        if self.is_credit() { self.amount } else { self.amount.saturating_neg() }
    }

    fn detail(&self) -> Detail {
        let code = match self.kind {
            Kind::Payments => 447,
            Kind::Collections => 166,
            Kind::Returns => 257,
            Kind::ReturnedDebits => 557,
            Kind::Wire => 195,
            Kind::Fee => 698,
            Kind::Interest => 354,
            Kind::Debit => 451,
        };
        Detail {
            line: 0,
            code,
            amount: Some(self.amount),
            funds: Funds::Unknown,
            bank_reference: String::new(),
            customer_reference: self
                .batch
                .as_ref()
                .map_or_else(|| self.reference.clone(), |(message, _)| message.clone()),
            text: self.text.clone(),
        }
    }

    fn entry(&self, on: Date) -> Entry {
        let (domain, family, sub_family) = match self.kind {
            Kind::Payments => ("PMNT", "ICDT", "DMCT"),
            Kind::Collections => ("PMNT", "IDDT", "PMDD"),
            Kind::Returns => ("PMNT", "ICDT", "RRTN"),
            Kind::ReturnedDebits => ("PMNT", "IDDT", "UPDD"),
            Kind::Wire => ("PMNT", "RCDT", "DMCT"),
            Kind::Fee => ("ACMT", "MDOP", "CHRG"),
            Kind::Interest => ("ACMT", "MCOP", "INTR"),
            Kind::Debit => ("PMNT", "RDDT", "PMDD"),
        };
        let named = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let code =
            BankCode { domain: named(domain), family: named(family), sub_family: named(sub_family), proprietary: None };
        Entry {
            reference: None,
            amount: usd(self.amount),
            is_credit: self.is_credit(),
            is_reversal: false,
            status: "BOOK".to_owned(),
            booked_on: Some(on),
            value_on: Some(on),
            bank_reference: None,
            code,
            batch: self.batch.as_ref().map(|(message, count)| camt::Batch {
                message_id: Some(message.clone()),
                payment_id: Some(message.clone()),
                count: Some(*count),
            }),
            details: match self.batch {
                Some(_) => Vec::new(),
                None => vec![camt::Detail {
                    end_to_end_id: named(&self.reference),
                    remittance: named(&self.text),
                    return_reason: self.reason.clone(),
                    ..camt::Detail::default()
                }],
            },
        }
    }
}
