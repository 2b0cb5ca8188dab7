//! A batch as a CSV file: a header with the names of the fields, and a line for each row. The file becomes the same JSON
//! as a body, so a file and a body of the same rows are the same batch.
//!
//! Nothing is guessed: a column without a meaning, an amount with a comma and a file in another encoding are refused.

use std::collections::{HashMap, HashSet};

use csv::{ReaderBuilder, StringRecord};

use super::NewBatch;
use super::input::{ROWS_MAX, columns as fields};
use super::results::RESULT_COLUMNS;
use crate::input::{Input as _, wrong};
use crate::refusal::{Code, FieldError, Refusal};
use crate::strict_json::Json;

/// The query parameter that maps fields to columns.
const COLUMNS: &str = "columns";
/// A column of dollars, in place of `amount_cents`.
const DOLLARS: &str = "amount";
const CENTS: &str = "amount_cents";
const BYTE_ORDER_MARK: &str = "\u{feff}";
/// The separators of spreadsheets, in order of preference.
const SEPARATORS: [char; 3] = [',', ';', '\t'];

/// Returns the body of a batch that the file describes.
///
/// # Errors
/// `invalid-input`, and the errors of the rows, each with its line and the name of its column.
pub fn read(file: &[u8], query: &[(String, String)]) -> Result<Json, Refusal> {
    let text =
        std::str::from_utf8(file).map_err(|_| of_file("is not UTF-8; save it as \"CSV UTF-8\" and send it again"))?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    if text.contains('\0') {
        return Err(of_file("contains a null byte; it is no CSV file"));
    }
    let separator = separator(text);
    check_quotes(text, separator)?;
    let mut lines = ReaderBuilder::new()
        .delimiter(separator)
        .flexible(true)
        .has_headers(false)
        .from_reader(text.as_bytes())
        .into_records();
    let header = match lines.next() {
        Some(header) => header.map_err(|error| of_file(&format!("cannot be read: {error}")))?,
        None => return Err(of_file("is empty; its first line names the fields")),
    };
    let columns = Columns::of(&header, asked_columns(query)?.as_ref())?;
    let (mut rows, mut places) = (Vec::new(), Vec::new());
    let mut problems = Vec::new();
    for line in lines {
        let line = line.map_err(|error| of_file(&format!("cannot be read: {error}")))?;
        let number = line.position().map_or(0, csv::Position::line);
        // Spreadsheets write empty lines after the last row.
        if line.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        if line.len() != header.len() {
            let cells = if line.len() == 1 { "1 cell".to_owned() } else { format!("{} cells", line.len()) };
            let message = format!("has {cells} in line {number}, and {} in its first line", header.len());
            return Err(of_file(&message));
        }
        let pointer = format!("/links/{}", rows.len());
        let (json, unreadable) = columns.row(&line, &pointer);
        rows.push(json);
        problems.extend(unreadable);
        places.push(number);
    }
    match rows.len() {
        0 => return Err(of_file("has no row after its first line")),
        1..=ROWS_MAX => {}
        more => return Err(of_file(&format!("has {more} rows; at most {ROWS_MAX}"))),
    }
    let body = Json::Object(vec![("links".to_owned(), Json::List(rows))]);
    if let Err(found) = NewBatch::read(&body, "") {
        // A cell that cannot be read is missing in its row.
        let is_new = |problem: &FieldError| problems.iter().all(|known: &FieldError| known.field != problem.field);
        let more: Vec<FieldError> = found.into_iter().filter(is_new).collect();
        problems.extend(more);
    }
    if problems.is_empty() {
        return Ok(body);
    }
    problems.sort_by_key(|problem| row_of(&problem.field));
    let place = |problem: FieldError| match row_of(&problem.field).and_then(|row| places.get(row)) {
        Some(number) => placed(problem, *number, &columns),
        None => problem,
    };
    Err(Refusal::fields(problems.into_iter().map(place).collect()))
}

/// Refuses quotes that would change the meaning of the following text: a quote without an end takes in the next rows, and
/// text after an end belongs to no cell.
fn check_quotes(text: &str, separator: u8) -> Result<(), Refusal> {
    #[derive(Clone, Copy)]
    enum At {
        StartOfCell,
        InCell,
        InQuotes { opened: u64 },
        AfterQuotes { opened: u64 },
    }
    let (mut at, mut line) = (At::StartOfCell, 1);
    for character in text.chars() {
        let ends_cell = matches!(character, '\r' | '\n') || character == char::from(separator);
        at = match (at, character) {
            (At::StartOfCell, '"') => At::InQuotes { opened: line },
            (At::StartOfCell | At::InCell | At::AfterQuotes { .. }, _) if ends_cell => At::StartOfCell,
            (At::StartOfCell | At::InCell, _) => At::InCell,
            (At::InQuotes { opened }, '"') => At::AfterQuotes { opened },
            // Two quotes are a quote in the text.
            (At::AfterQuotes { opened }, '"') => At::InQuotes { opened },
            (At::InQuotes { opened }, _) => At::InQuotes { opened },
            (At::AfterQuotes { opened }, _) => {
                let message = format!(
                    "has text after the end of the quotes that open in line {opened}; write a quote in a cell twice"
                );
                return Err(of_file(&message));
            }
        };
        line += u64::from(character == '\n');
    }
    match at {
        At::InQuotes { opened } => Err(of_file(&format!("has quotes that open in line {opened} and do not end"))),
        At::StartOfCell | At::InCell | At::AfterQuotes { .. } => Ok(()),
    }
}

/// The column of each field.
struct Columns {
    /// Field, position, and the name in the file.
    fields: Vec<(&'static str, usize, String)>,
}

impl Columns {
    /// Finds the columns. With a mapping, columns that it does not name are left out, because the caller chose; without
    /// one, every column must be a field.
    fn of(header: &StringRecord, mapping: Option<&HashMap<String, String>>) -> Result<Self, Refusal> {
        let names: Vec<&str> = header.iter().map(str::trim).collect();
        let mut seen = HashSet::new();
        if let Some(twice) = names.iter().find(|name| !name.is_empty() && !seen.insert(**name)) {
            return Err(of_file(&format!("has the column {twice:?} twice")));
        }
        let known: Vec<&'static str> = fields().into_iter().chain([DOLLARS]).collect();
        let mut found = Vec::new();
        if let Some(mapping) = mapping {
            for (field, name) in mapping {
                let Some(field) = known.iter().find(|known| *known == field) else {
                    return Err(of_columns(&format!(
                        "names the unknown field {field:?}; known are {}",
                        known.join(", ")
                    )));
                };
                let Some(at) = names.iter().position(|known| known == name) else {
                    return Err(of_columns(&format!("names the column {name:?}, which the file does not have")));
                };
                found.push((*field, at, name.clone()));
            }
        } else {
            for (at, name) in names.iter().enumerate() {
                let Some(field) = known.iter().find(|known| *known == name) else {
                    if RESULT_COLUMNS.contains(name) {
                        let message = format!(
                            "has the column {name:?} of a result file; remove the columns {} and the rows that succeeded",
                            RESULT_COLUMNS.join(", ")
                        );
                        return Err(of_file(&message));
                    }
                    let message = format!(
                        "has the unknown column {name:?}; known are {}. Map other names with the query parameter {COLUMNS}",
                        known.join(", ")
                    );
                    return Err(of_file(&message));
                };
                found.push((*field, at, (*name).to_owned()));
            }
        }
        let has = |field: &str| found.iter().any(|(known, ..)| *known == field);
        match (has(CENTS), has(DOLLARS)) {
            (true, true) => return Err(of_file("has amount and amount_cents; send one of them")),
            (false, false) => {
                let message = format!(
                    "has no column amount_cents or amount. Map another name with the query parameter {COLUMNS}"
                );
                return Err(of_file(&message));
            }
            (true, false) | (false, true) => {}
        }
        found.sort_by_key(|(_, at, _)| *at);
        Ok(Self { fields: found })
    }

    /// Returns a row as JSON, and the errors of the cells that cannot be read. Such a cell and an empty one are missing
    /// fields.
    fn row(&self, line: &StringRecord, pointer: &str) -> (Json, Vec<FieldError>) {
        let (mut members, mut unreadable) = (Vec::new(), Vec::new());
        for (field, at, _) in &self.fields {
            let cell = line.get(*at).unwrap_or_default().trim();
            if cell.is_empty() {
                continue;
            }
            let (name, value) = match *field {
                DOLLARS => (CENTS, dollars(cell).map(Json::Int)),
                CENTS => (CENTS, whole(cell).map(Json::Int)),
                "metadata" => ("metadata", object(cell)),
                "force_collect_compliance_information" => (*field, yes_or_no(cell)),
                _ => (*field, Ok(Json::Text(cell.to_owned()))),
            };
            match value {
                Ok(value) => members.push((name.to_owned(), value)),
                Err(message) => unreadable.push(error(&format!("{pointer}/{name}"), &message)),
            }
        }
        (Json::Object(members), unreadable)
    }

    /// Returns the name of a field's column in the file.
    fn name(&self, field: &str) -> Option<&str> {
        let is = |known: &str| known == field || known == DOLLARS && field == CENTS;
        self.fields.iter().find(|(known, ..)| is(known)).map(|(.., name)| name.as_str())
    }
}

/// Dollars with no or two decimals. What looks like a decimal comma or a thousands separator is never guessed.
fn dollars(cell: &str) -> Result<i64, String> {
    let asked = format!("is {cell:?}; write dollars with a point and two decimals, such as 1250.50");
    let (whole, cents) = cell.split_once('.').unwrap_or((cell, "00"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits(whole) && digits(cents) && cents.len() == 1 {
        return Err(format!("is {cell:?}; an amount needs two decimals: write {whole}.{cents}0"));
    }
    if !digits(whole) || cents.len() != 2 || !digits(cents) {
        return Err(asked);
    }
    format!("{whole}{cents}").parse().map_err(|_| asked)
}

fn whole(cell: &str) -> Result<i64, String> {
    let asked = || format!("is {cell:?}; write whole cents, such as 125050 for $1250.50, or use the column amount");
    if !cell.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(asked());
    }
    cell.parse().map_err(|_| asked())
}

fn object(cell: &str) -> Result<Json, String> {
    Json::parse(cell.as_bytes()).map_err(|problem| format!("is not valid JSON: {}", problem.described(cell.as_bytes())))
}

fn yes_or_no(cell: &str) -> Result<Json, String> {
    match cell.to_ascii_lowercase().as_str() {
        "true" => Ok(Json::Bool(true)),
        "false" => Ok(Json::Bool(false)),
        _ => Err(format!("is {cell:?}; write true or false")),
    }
}

/// Returns the mapping in the query, from fields to names of columns.
fn asked_columns(query: &[(String, String)]) -> Result<Option<HashMap<String, String>>, Refusal> {
    let Some((_, text)) = query.iter().find(|(name, _)| name == COLUMNS) else { return Ok(None) };
    let malformed =
        || of_columns("must be a JSON object of fields and names of columns, such as {\"email\":\"E-mail\"}");
    let Ok(Json::Object(members)) = Json::parse(text.as_bytes()) else { return Err(malformed()) };
    let mut mapping = HashMap::new();
    let mut used = HashSet::new();
    for (field, name) in members {
        let Json::Text(name) = name else { return Err(malformed()) };
        let name = name.trim().to_owned();
        if !used.insert(name.clone()) {
            return Err(of_columns(&format!("names the column {name:?} twice")));
        }
        mapping.insert(field, name);
    }
    Ok(Some(mapping))
}

/// Returns the separator that the first line has most often, outside of quotes.
fn separator(text: &str) -> u8 {
    let mut quoted = false;
    let mut counts = [0_usize; SEPARATORS.len()];
    for character in text.chars() {
        match character {
            '"' => quoted = !quoted,
            '\n' | '\r' if !quoted => break,
            _ if quoted => {}
            _ => {
                if let Some(at) = SEPARATORS.iter().position(|separator| *separator == character) {
                    counts[at] += 1;
                }
            }
        }
    }
    let most = counts.iter().max().copied().unwrap_or_default();
    let at = counts.iter().position(|count| *count == most).unwrap_or_default();
    u8::try_from(SEPARATORS[at]).unwrap_or(b',')
}

/// Returns the position of the row that a pointer names.
fn row_of(pointer: &str) -> Option<usize> {
    pointer.strip_prefix("/links/")?.split('/').next()?.parse().ok()
}

/// Adds the line and the column of the file to the message of a field.
fn placed(problem: FieldError, line: u64, columns: &Columns) -> FieldError {
    let field = problem.field.split('/').nth(3).unwrap_or_default();
    let column = columns.name(field).map(|name| format!(", column {name:?}")).unwrap_or_default();
    let missing = if column.is_empty() && !field.is_empty() { format!("{field} ") } else { String::new() };
    let message = format!("Line {line}{column}: {missing}{}", problem.message);
    FieldError { message, ..problem }
}

fn error(field: &str, message: &str) -> FieldError {
    FieldError { field: field.to_owned(), code: Code::InvalidInput.as_str(), reason: None, message: message.to_owned() }
}

fn of_file(message: &str) -> Refusal {
    Refusal::new(Code::InvalidInput, format!("The file {message}."))
}

fn of_columns(message: &str) -> Refusal {
    Refusal::fields(wrong(COLUMNS, message))
}
