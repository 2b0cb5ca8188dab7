//! A NACHA file as tables.

use super::codes::{Purpose, Side, meaning};
use super::model::{Addenda, Batch, Entry, File};
use crate::text::{decimal, masked};
use crate::view::{Table, View};

const COLUMNS: &[&str] = &["line", "trace", "kind", "routing", "account", "amount", "id", "name", "addenda"];

/// Returns a file as tables, one for each batch.
#[must_use]
pub fn show(file: &File) -> View {
    let mut view = View { title: "NACHA file".to_owned(), ..View::default() };
    match &file.header {
        Some(header) => {
            let day = header.created_on.map_or_else(|| "?".to_owned(), |day| day.to_string());
            let time = header.created_at.map_or_else(String::new, |at| format!(" {:02}:{:02}", at.hour(), at.minute()));
            view.facts = vec![
                ("destination", format!("{} {}", header.destination, header.destination_name)),
                ("origin", format!("{} {}", header.origin, header.origin_name)),
                ("created", format!("{day}{time}")),
                ("modifier", header.modifier.to_string()),
            ];
        }
        None => view.facts.push(("file header", "missing: a partial file".to_owned())),
    }
    view.tables = file.batches.iter().map(table).collect();
    view
}

fn table(batch: &Batch) -> Table {
    let header = &batch.header;
    let title = format!("Batch {}: {} {}", header.number, header.sec, header.description);
    let mut table = Table::new(title, COLUMNS);
    table.facts = vec![
        ("service class", header.service_class.clone()),
        ("company", format!("{} {}", header.company_id, header.company_name)),
        ("effective", header.effective_on.map_or_else(|| "none".to_owned(), |day| day.to_string())),
        ("odfi", header.odfi.clone()),
        ("credits", sum(batch, Side::Credit)),
        ("debits", sum(batch, Side::Debit)),
    ];
    if let Some(code) = header.operator_reject() {
        table.facts.push(("rejected by the operator", code.to_owned()));
    }
    batch.entries.iter().for_each(|entry| table.row(row(entry)));
    table
}

fn sum(batch: &Batch, side: Side) -> String {
    let of_side = batch.entries.iter().filter(|entry| entry.transaction_code().is_some_and(|code| code.side == side));
    decimal(of_side.map(|entry| i128::from(entry.amount)).sum(), 2)
}

fn row(entry: &Entry) -> Vec<String> {
    let addenda: Vec<String> = entry.addenda.iter().map(addenda).collect();
    vec![
        entry.line.to_string(),
        entry.trace.to_string(),
        kind(entry),
        entry.routing.clone(),
        masked(&entry.account),
        decimal(i128::from(entry.amount), 2),
        entry.individual_id.clone(),
        entry.name.clone(),
        addenda.join("; "),
    ]
}

fn kind(entry: &Entry) -> String {
    let Some(code) = entry.transaction_code() else { return entry.code.clone() };
    let side = match code.side {
        Side::Credit => "credit",
        Side::Debit => "debit",
    };
    let purpose = match code.purpose {
        Purpose::Payment => "",
        Purpose::Prenote => " prenote",
        Purpose::ZeroDollar => " zero-dollar",
        Purpose::Return => " return or change",
    };
    format!("{} {side}{purpose}", entry.code)
}

fn addenda(addenda: &Addenda) -> String {
    let named = |code: &str| format!("{code} {}", meaning(code).unwrap_or("unknown code"));
    match addenda {
        Addenda::Payment(text) => text.clone(),
        Addenda::Return(value) => format!("return {} of {}", named(&value.reason), value.original_trace),
        Addenda::Dishonored(value) => format!("dishonored return {} of {}", named(&value.reason), value.original_trace),
        Addenda::Contested(value) => format!("contested return {} of {}", named(&value.reason), value.original_trace),
        // The corrected data may be an account number.
        Addenda::Change(value) => format!("change {} of {}", named(&value.code), value.original_trace),
        Addenda::RefusedChange(value) => format!("refused change {} of {}", named(&value.code), value.original_trace),
        Addenda::Other { kind, .. } => format!("type {kind}"),
    }
}
