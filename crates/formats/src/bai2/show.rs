//! A BAI2 file as tables.

use super::codes::{Sense, name, sense};
use super::model::{Account, File, Group};
use crate::text::{decimal, masked};
use crate::view::{Table, View};

const COLUMNS: &[&str] = &["line", "type", "credit", "debit", "bank reference", "customer reference", "text"];
/// Decimals of the currencies that BAI2 files in practice have.
const DECIMALS: u32 = 2;

/// Returns a file as tables, one for each account.
#[must_use]
pub fn show(file: &File) -> View {
    let mut view = View { title: "BAI2 file".to_owned(), ..View::default() };
    view.facts = vec![
        ("sender", file.sender.clone()),
        ("receiver", file.receiver.clone()),
        ("created", format!("{} {}", file.created_on, file.created_at)),
        ("id", file.id.clone()),
    ];
    for group in &file.groups {
        view.tables.extend(group.accounts.iter().map(|account| table(group, account)));
    }
    view
}

fn table(group: &Group, account: &Account) -> Table {
    let currency = [account.currency.as_str(), group.currency.as_str(), "USD"];
    let currency = currency.into_iter().find(|currency| !currency.is_empty()).unwrap_or_default();
    let mut table = Table::new(format!("Account {} on {}", masked(&account.number), group.as_of), COLUMNS);
    let finality = match group.modifier.as_str() {
        "2" | "4" => "final",
        "" => "not stated",
        _ => "for information",
    };
    table.facts = vec![("currency", currency.to_owned()), ("finality", finality.to_owned())];
    for summary in &account.summaries {
        let amount = summary.amount.map_or_else(String::new, |amount| decimal(i128::from(amount), DECIMALS));
        table.facts.push((name(summary.code).unwrap_or("other summary"), amount));
    }
    for detail in &account.details {
        let amount = detail.amount.map_or_else(String::new, |amount| decimal(i128::from(amount), DECIMALS));
        let (credit, debit) = match sense(detail.code) {
            Sense::Debit => (String::new(), amount),
            Sense::Credit | Sense::Status | Sense::Information => (amount, String::new()),
        };
        let kind = format!("{:03} {}", detail.code, name(detail.code).unwrap_or("other"));
        let references = (detail.bank_reference.clone(), detail.customer_reference.clone());
        let text = detail.text.clone();
        table.row(vec![detail.line.to_string(), kind, credit, debit, references.0, references.1, text]);
    }
    table
}
