//! The bank's answers to pain.001 messages: status reports (pain.002) and notifications of returns (camt.054). Pure.

use bursar_formats::finding::Findings;
use bursar_formats::iso20022::camt::{self, BankCode, Detail, Entry, Report, ReportKind};
use bursar_formats::iso20022::pain001::{CreditTransfers, Payment, Transfer};
use bursar_formats::iso20022::pain002::{self, PaymentStatus, Reason, StatusReport, TransactionStatus};
use bursar_formats::iso20022::{self, AccountId, Amount, Message};
use bursar_formats::{Profile, Refused};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::answers::Answer;
use super::magic::{Selected, selected, selected_by_iban};
use crate::calendars::Zone;
use crate::clock::Time;

const HOUR_SECONDS: i64 = 3_600;
const DAY_SECONDS: i64 = 86_400;
/// The time until a late return, in seconds: two days after the next morning.
const LATE_SECONDS: i64 = 3 * DAY_SECONDS;
/// The service level of wires, whose settlement the bank reports.
const URGENT: &str = "URGP";
/// That of instant payments, which are settled or refused at once.
const INSTANT: &str = "URNS";

/// The status of a payment, with the reason of a refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Status {
    id: String,
    status: String,
    reason: Option<String>,
}

/// A message that the bank owes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Owed {
    Status { message: String, group: String, reason: Option<String>, payments: Vec<Status> },
    Return { id: String, amount: i64, reason: String },
}

/// The payments that the bank executes on a day, with the text of their line: id and amount of each.
pub(super) struct Executed {
    pub on: Date,
    pub text: String,
    pub payments: Vec<(String, i64)>,
}

/// What the bank does with a message.
#[derive(Default)]
pub(super) struct Answers {
    pub executed: Vec<Executed>,
    /// The messages that it owes, from a time on.
    pub owed: Vec<(i64, Owed)>,
}

/// Reads a message of a customer.
pub(super) fn read(bytes: &[u8]) -> Result<CreditTransfers, Refused> {
    match iso20022::read(bytes, Profile::Strict)? {
        (Message::CreditTransfers(message), _) => Ok(message),
        (Message::StatusReport(_) | Message::Report(_), _) => Err(Refused(Findings::new(Profile::Strict))),
    }
}

fn of(transfer: &Transfer) -> Selected {
    match &transfer.creditor_account {
        AccountId::Iban(iban) => selected_by_iban(iban),
        AccountId::Other(number) => selected(number),
    }
}

/// Returns the reason of ISO 20022 that a return code means.
const fn iso_reason(code: u8) -> &'static str {
    match code {
        1 | 9 => "AM04",
        2 => "AC04",
        3 | 4 => "AC01",
        14 | 15 => "MD07",
        16 => "AC06",
        20 => "AG01",
        23 => "MS02",
        24 => "AM05",
        90 => "RR04",
        _ => "MS03",
    }
}

/// Returns what the bank does with a message, which it may know already.
pub(super) fn answers(message: &CreditTransfers, known: bool, now: i64) -> Answers {
    let mut answers = Answers::default();
    let whole = |reason: &str| Owed::Status {
        message: message.message_id.clone(),
        group: "RJCT".to_owned(),
        reason: Some(reason.to_owned()),
        payments: Vec::new(),
    };
    let all = || message.payments.iter().flat_map(|payment| &payment.transfers);
    if known {
        answers.owed.push((now, whole("DUPL")));
        return answers;
    }
    if all().any(|transfer| of(transfer) == Selected::Rejected) {
        answers.owed.push((now, whole("FF01")));
        return answers;
    }
    for payment in &message.payments {
        execute(&mut answers, message, payment, now);
    }
    if all().any(|transfer| of(transfer) == Selected::Duplicate) {
        answers.owed.clear();
        answers.owed.push((now, whole("DUPL")));
    }
    answers
}

fn execute(answers: &mut Answers, message: &CreditTransfers, payment: &Payment, now: i64) {
    let is_instant = payment.service_level.as_deref() == Some(INSTANT);
    let accepted = if is_instant { "ACSC" } else { "ACSP" };
    let status = |transfer: &Transfer, status: &str, reason: Option<&str>| Status {
        id: transfer.end_to_end_id.clone(),
        status: status.to_owned(),
        reason: reason.map(str::to_owned),
    };
    let (mut statuses, mut executed, mut settled) = (Vec::new(), Vec::new(), Vec::new());
    for transfer in &payment.transfers {
        let id = transfer.end_to_end_id.clone();
        let returned = |id: &str, amount: i64, code: u8| Owed::Return {
            id: id.to_owned(),
            amount,
            reason: iso_reason(code).to_owned(),
        };
        let selected = of(transfer);
        if let Selected::Returned(code) = selected {
            statuses.push(status(transfer, "RJCT", Some(iso_reason(code))));
            continue;
        }
        let amount = transfer.amount.minor;
        executed.push((id.clone(), amount));
        settled.push(status(transfer, "ACSC", None));
        statuses.push(status(transfer, accepted, None));
        match selected {
            Selected::ReturnedLate(code) => answers.owed.push((now + LATE_SECONDS, returned(&id, amount, code))),
            Selected::ReturnedTwice => {
                answers.owed.push((now + LATE_SECONDS, returned(&id, amount, 2)));
                answers.owed.push((now + LATE_SECONDS + DAY_SECONDS, returned(&id, amount, 2)));
            }
            Selected::ReturnedWithAnotherAmount => {
                answers.owed.push((now + LATE_SECONDS, returned(&id, amount + 1, 2)));
            }
            Selected::ReturnedWithAnotherTrace => {
                let other: String = id.chars().rev().collect();
                answers.owed.push((now + LATE_SECONDS, returned(&other, amount, 2)));
            }
            Selected::Contradicted => {
                let named = |one: Status| reported(message, vec![one]);
                answers.owed.push((now + HOUR_SECONDS, named(status(transfer, "ACSC", None))));
                answers.owed.push((now + 2 * HOUR_SECONDS, named(status(transfer, "RJCT", Some("AC04")))));
            }
            Selected::Nothing
            | Selected::ShortOfFunds(_)
            | Selected::ReversalReturned(_)
            | Selected::ReversalReturnedLate(_)
            | Selected::Returned(_)
            | Selected::Changed(_)
            | Selected::Rejected
            | Selected::Duplicate => {}
        }
    }
    answers.owed.push((now, reported(message, statuses)));
    let on = payment.execute_on;
    if payment.service_level.as_deref() == Some(URGENT) && !settled.is_empty() {
        let today = Zone::eastern().local(Time::from_micros(now.saturating_mul(1_000_000))).date();
        let days = i64::from((on - today).get_days().max(0));
        answers.owed.push((now + HOUR_SECONDS + days * DAY_SECONDS, reported(message, settled)));
    }
    let text = format!("{} {}", payment.debtor.name, payment.service_level.as_deref().unwrap_or_default());
    answers.executed.push(Executed { on, text, payments: executed });
}

/// Returns a status report: of the group if all payments have one status, else of each.
fn reported(message: &CreditTransfers, payments: Vec<Status>) -> Owed {
    let first = payments.first().map(|one| one.status.clone()).unwrap_or_default();
    let all: usize = message.payments.iter().map(|payment| payment.transfers.len()).sum();
    let is_same = payments.iter().all(|one| one.status == first && one.reason.is_none());
    let (group, payments) =
        if is_same && payments.len() == all { (first, Vec::new()) } else { ("PART".to_owned(), payments) };
    Owed::Status { message: message.message_id.clone(), group, reason: None, payments }
}

/// Returns the bytes of a message, with a name.
pub(super) fn written(owed: &Owed, account: &str, now: i64, next_file: &mut u32) -> Option<Answer> {
    let local = Zone::eastern().local(Time::from_micros(now.saturating_mul(1_000_000)));
    let created_at = local.strftime("%Y-%m-%dT%H:%M:%S").to_string();
    *next_file += 1;
    let id = format!("{:010}", *next_file);
    let (name, bytes) = match owed {
        Owed::Status { message, group, reason, payments } => {
            let report = status_report(&id, &created_at, message, (group, reason.as_deref()), payments);
            ("STATUS", pain002::write(&report).ok()?)
        }
        Owed::Return { id: payment, amount, reason } => {
            let entry = returned(payment, *amount, reason, local.date());
            let number = if account.is_empty() { "UNKNOWN" } else { account };
            let account = camt::Account {
                id: id.clone(),
                sequence: None,
                created_at: Some(created_at.clone()),
                account: AccountId::Other(number.to_owned()),
                currency: Some("USD".to_owned()),
                balances: Vec::new(),
                entries: vec![entry],
            };
            let kind = ReportKind::Notification;
            let report = Report { kind, message_id: format!("NOTICE-{id}"), created_at, accounts: vec![account] };
            ("NOTICE", camt::write(&report).ok()?)
        }
    };
    Some(Answer { name: format!("{name}_{:05}.xml", *next_file), bytes })
}

fn reasons(reason: Option<&str>) -> Vec<Reason> {
    reason.map(|code| Reason { code: Some(code.to_owned()), ..Reason::default() }).into_iter().collect()
}

fn status_report(
    id: &str,
    created_at: &str,
    message: &str,
    (group, reason): (&str, Option<&str>),
    payments: &[Status],
) -> StatusReport {
    let transaction = |one: &Status| TransactionStatus {
        instruction_id: None,
        end_to_end_id: Some(one.id.clone()),
        uetr: None,
        status: Some(one.status.clone()),
        reasons: reasons(one.reason.as_deref()),
    };
    let payment = || PaymentStatus {
        original_id: message.to_owned(),
        status: None,
        reasons: Vec::new(),
        transactions: payments.iter().map(transaction).collect(),
    };
    StatusReport {
        message_id: format!("STATUS-{id}"),
        created_at: created_at.to_owned(),
        original_message_id: message.to_owned(),
        original_name: "pain.001.001.09".to_owned(),
        group_status: Some(group.to_owned()),
        reasons: reasons(reason),
        payments: if payments.is_empty() { Vec::new() } else { vec![payment()] },
    }
}

fn returned(id: &str, amount: i64, reason: &str, on: Date) -> Entry {
    let amount = Amount { minor: amount, currency: "USD".to_owned() };
    let part = |text: &str| Some(text.to_owned());
    Entry {
        reference: None,
        amount: amount.clone(),
        is_credit: true,
        is_reversal: false,
        status: "BOOK".to_owned(),
        booked_on: Some(on),
        value_on: Some(on),
        bank_reference: None,
        code: BankCode { domain: part("PMNT"), family: part("ICDT"), sub_family: part("RRTN"), proprietary: None },
        batch: None,
        details: vec![Detail {
            end_to_end_id: Some(id.to_owned()),
            amount: Some(amount),
            return_reason: Some(reason.to_owned()),
            ..Detail::default()
        }],
    }
}
