//! SQLite statements, generated from the records' declarations. Only this module and the migrations contain SQL for
//! records.

use crate::world::query::{Compare, Direction, Query};
use crate::world::record::Index;
use crate::world::{Columns, Row, Table, Value};

fn names(table: &Table) -> Vec<&'static str> {
    table.columns.iter().map(|column| column.name).collect()
}

fn equals(table: &Table, index: &Index) -> String {
    let parts: Vec<String> = index
        .columns
        .iter()
        .enumerate()
        .map(|(place, &column)| format!("{} = ?{}", table.columns[column].name, place + 1))
        .collect();
    parts.join(" AND ")
}

/// Returns the statement for all rows with given values in an index, ordered by the primary key.
pub(super) fn select(table: &Table, index: &Index) -> String {
    let key: Vec<&str> = table.key().columns.iter().map(|&column| table.columns[column].name).collect();
    let (columns, found, order) = (names(table).join(", "), equals(table, index), key.join(", "));
    format!("SELECT {columns} FROM {} WHERE {found} ORDER BY {order}", table.name)
}

/// Returns the statement for the rows of all organizations, ordered by the primary key, after the first `skip`.
pub(super) fn every(table: &Table, skip: u64) -> String {
    let key: Vec<&str> = table.key().columns.iter().map(|&column| table.columns[column].name).collect();
    let (columns, order) = (names(table).join(", "), key.join(", "));
    format!("SELECT {columns} FROM {} ORDER BY {order} LIMIT -1 OFFSET {skip}", table.name)
}

/// Returns a condition in the SQL of both stores.
pub(super) fn sql_of(compare: Compare, column: &str, value: &str) -> String {
    match compare {
        Compare::Equal => format!("{column} = {value}"),
        Compare::AtLeast => format!("{column} >= {value}"),
        Compare::Less => format!("{column} < {value}"),
        Compare::Other => format!("{column} <> {value}"),
        Compare::Shares => format!("({column} & {value}) <> 0"),
    }
}

pub(super) fn page(query: &Query) -> (String, Row) {
    let table = query.table;
    let mut values: Row = Vec::new();
    let mut parts: Vec<String> = Vec::new();
    for condition in &query.conditions {
        values.push(condition.value.clone());
        let column = format!("t.{}", table.columns[condition.column].name);
        parts.push(sql_of(condition.compare, &column, &format!("?{}", values.len())));
    }
    let order = table.columns[query.order].name;
    let (behind, direction) = match query.direction {
        Direction::Ascending => (">", "ASC"),
        Direction::Descending => ("<", "DESC"),
    };
    if let Some(after) = &query.after {
        values.push(after.clone());
        parts.push(format!("t.{order} {behind} ?{}", values.len()));
    }
    if let Some(through) = &query.through {
        let organization = table.columns[table.key().columns[0]].name;
        let mut connected = vec![format!("c.org = t.{organization}"), format!("c.{} = t.{order}", through.column)];
        for (column, value) in &through.equal {
            if matches!(value, Value::Null) {
                connected.push(format!("c.{column} IS NULL"));
                continue;
            }
            values.push(value.clone());
            connected.push(format!("c.{column} = ?{}", values.len()));
        }
        parts.push(format!("EXISTS (SELECT 1 FROM {} c WHERE {})", through.table.name, connected.join(" AND ")));
    }
    if parts.is_empty() {
        // A page without conditions, such as the earliest job of any organization.
        parts.push("TRUE".to_owned());
    }
    let columns: Vec<String> = names(table).iter().map(|name| format!("t.{name}")).collect();
    let ties: Vec<String> = query.ties().iter().map(|&tie| format!(", t.{}", table.columns[tie].name)).collect();
    let text = format!(
        "SELECT {} FROM {} t WHERE {} ORDER BY t.{order} {direction}{} LIMIT {}",
        columns.join(", "),
        table.name,
        parts.join(" AND "),
        ties.concat(),
        query.limit
    );
    (text, values)
}

pub(super) fn insert(table: &Table) -> String {
    let places: Vec<String> = (1..=table.columns.len()).map(|place| format!("?{place}")).collect();
    format!("INSERT INTO {} ({}) VALUES ({})", table.name, names(table).join(", "), places.join(", "))
}

/// Returns an update of some columns. Its parameters are their values and the key's, in the order of the table's
/// columns.
pub(super) fn update(table: &Table, changed: Columns) -> String {
    let key = table.key().columns;
    let (mut sets, mut found) = (Vec::new(), Vec::new());
    let given = (0..table.columns.len()).filter(|position| changed.contains(*position) || key.contains(position));
    for (place, position) in given.enumerate() {
        let text = format!("{} = ?{}", table.columns[position].name, place + 1);
        if key.contains(&position) { found.push(text) } else { sets.push(text) }
    }
    format!("UPDATE {} SET {} WHERE {}", table.name, sets.join(", "), found.join(" AND "))
}

pub(super) fn delete(table: &Table) -> String {
    format!("DELETE FROM {} WHERE {}", table.name, equals(table, table.key()))
}
