//! ISO 20022 messages as tables.

use super::camt::{Account, Entry, Report, ReportKind};
use super::pain001::{CreditTransfers, Payment};
use super::pain002::{Reason, StatusReport};
use super::{AccountId, Agent, Message};
use crate::text::{decimal, masked};
use crate::view::{Table, View};

const TRANSFERS: &[&str] = &["end-to-end id", "amount", "creditor", "bank", "account", "text"];
const STATUSES: &[&str] = &["payment", "end-to-end id", "status", "reason"];
const ENTRIES: &[&str] = &["booked", "value", "status", "credit", "debit", "code", "bank reference", "details"];

/// Returns a message as tables.
#[must_use]
pub fn show(message: &Message) -> View {
    match message {
        Message::CreditTransfers(message) => credit_transfers(message),
        Message::StatusReport(report) => status_report(report),
        Message::Report(report) => account_report(report),
    }
}

fn credit_transfers(message: &CreditTransfers) -> View {
    let facts = vec![
        ("message id", message.message_id.clone()),
        ("created", message.created_at.clone()),
        ("initiator", message.initiator.clone()),
    ];
    let tables = message.payments.iter().map(payment).collect();
    View { title: "Credit transfers (pain.001)".to_owned(), facts, tables }
}

fn payment(payment: &Payment) -> Table {
    let mut table = Table::new(format!("Payment {} on {}", payment.id, payment.execute_on), TRANSFERS);
    let service = [&payment.service_level, &payment.local_instrument].map(|code| code.as_deref().unwrap_or("-"));
    table.facts = vec![
        ("debtor", payment.debtor.name.clone()),
        ("debtor account", number(&payment.debtor_account)),
        ("debtor bank", agent(Some(&payment.debtor_agent))),
        ("service", service.join(" ")),
    ];
    for transfer in &payment.transfers {
        table.row(vec![
            transfer.end_to_end_id.clone(),
            format!("{} {}", transfer.amount.text(), transfer.amount.currency),
            transfer.creditor.name.clone(),
            agent(transfer.creditor_agent.as_ref()),
            number(&transfer.creditor_account),
            transfer.remittance.clone().unwrap_or_default(),
        ]);
    }
    table
}

fn number(account: &AccountId) -> String {
    masked(account.number())
}

fn agent(agent: Option<&Agent>) -> String {
    match agent {
        Some(Agent::Bic(bic)) => bic.clone(),
        Some(Agent::Clearing { system, member }) => format!("{system} {member}"),
        None => String::new(),
    }
}

fn status_report(report: &StatusReport) -> View {
    let facts = vec![
        ("message id", report.message_id.clone()),
        ("created", report.created_at.clone()),
        ("original message", format!("{} {}", report.original_name, report.original_message_id)),
        ("group status", report.group_status.clone().unwrap_or_default()),
        ("reason", reasons(&report.reasons)),
    ];
    let mut table = Table::new("Statuses".to_owned(), STATUSES);
    for payment in &report.payments {
        let status = payment.status.clone().unwrap_or_default();
        if payment.status.is_some() || payment.transactions.is_empty() {
            table.row(vec![payment.original_id.clone(), String::new(), status, reasons(&payment.reasons)]);
        }
        for transaction in &payment.transactions {
            table.row(vec![
                payment.original_id.clone(),
                transaction.end_to_end_id.clone().or_else(|| transaction.uetr.clone()).unwrap_or_default(),
                report.status(payment, transaction).unwrap_or_default().to_owned(),
                reasons(&transaction.reasons),
            ]);
        }
    }
    View { title: "Status report (pain.002)".to_owned(), facts, tables: vec![table] }
}

fn reasons(reasons: &[Reason]) -> String {
    let texts = reasons.iter().map(|reason| {
        let parts = [&reason.code, &reason.proprietary, &reason.text];
        parts.into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
    });
    texts.collect::<Vec<_>>().join("; ")
}

fn account_report(report: &Report) -> View {
    let title = match report.kind {
        ReportKind::Statement => "Statement (camt.053)",
        ReportKind::Notification => "Notification (camt.054)",
    };
    let facts = vec![("message id", report.message_id.clone()), ("created", report.created_at.clone())];
    let tables = report.accounts.iter().map(account).collect();
    View { title: title.to_owned(), facts, tables }
}

fn account(account: &Account) -> Table {
    let mut table = Table::new(format!("Account {}, {}", number(&account.account), account.id), ENTRIES);
    let amounts = |minor: i128, currency: &str| format!("{} {currency}", decimal(minor, super::decimals(currency)));
    for balance in &account.balances {
        let name = match balance.code.as_str() {
            "OPBD" => "opening booked",
            "PRCD" => "previous closing",
            "CLBD" => "closing booked",
            "CLAV" => "closing available",
            _ => "other balance",
        };
        table.facts.push((name, amounts(balance.signed(), &balance.amount.currency)));
    }
    account.entries.iter().for_each(|entry| table.row(row(entry)));
    table
}

fn row(entry: &Entry) -> Vec<String> {
    let day = |date: Option<jiff::civil::Date>| date.map_or_else(String::new, |date| date.to_string());
    let amount = format!("{} {}", entry.amount.text(), entry.amount.currency);
    let (credit, debit) = if entry.is_credit { (amount, String::new()) } else { (String::new(), amount) };
    let code = [&entry.code.domain, &entry.code.family, &entry.code.sub_family, &entry.code.proprietary];
    let details = entry.details.iter().map(|detail| {
        let parts =
            [&detail.end_to_end_id, &detail.debtor, &detail.creditor, &detail.return_reason, &detail.remittance];
        parts.into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
    });
    vec![
        day(entry.booked_on),
        day(entry.value_on),
        if entry.is_reversal { format!("{} reversal", entry.status) } else { entry.status.clone() },
        credit,
        debit,
        code.into_iter().flatten().cloned().collect::<Vec<_>>().join(" "),
        entry.bank_reference.clone().unwrap_or_default(),
        details.collect::<Vec<_>>().join("; "),
    ]
}
