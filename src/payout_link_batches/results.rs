//! The result file of a batch: its rows as they were submitted, and what has come of each so far.

use std::borrow::Cow;

use super::input::columns;
use super::model::{BatchRow, RowStatus};

/// What a file in UTF-8 begins with, so that a spreadsheet does not take it for another encoding.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Columns besides those of the input (docs/decisions.md 9).
const RESULT_COLUMNS: [&str; 5] = ["status", "payout_link_id", "link", "error_code", "error_message"];

/// The file: a line for each row, in their order. `address` is where a row's link is claimed. Every cell is quoted: where a
/// spreadsheet separates by semicolons, an open cell with one would become two.
///
/// # Errors
/// None that can happen: the file is written to memory.
pub fn csv<'a>(rows: impl Iterator<Item = (&'a BatchRow, Option<String>)>) -> Result<String, csv::Error> {
    let mut file = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .quote_style(csv::QuoteStyle::Always)
        .from_writer(BYTE_ORDER_MARK.as_bytes().to_vec());
    file.write_record(columns().into_iter().chain(RESULT_COLUMNS))?;
    for (row, address) in rows {
        let cells = cells(row, address);
        file.write_record(cells.iter().map(|cell| defused(cell).into_owned()))?;
    }
    let bytes = file.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8(bytes).expect("cells are text"))
}

/// A row's cells, in the order of the columns. What is empty or not known yet is an empty cell.
fn cells(row: &BatchRow, address: Option<String>) -> Vec<String> {
    let asked = &row.asked.0;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let status = match row.status {
        RowStatus::Waiting => "",
        RowStatus::Succeeded | RowStatus::Failed => row.status.as_str(),
    };
    vec![
        text(&asked.first_name),
        text(&asked.last_name),
        text(&asked.email),
        text(&asked.country_code),
        text(&asked.phone_number),
        asked.delivery_method.as_str().to_owned(),
        asked.amount_cents.get().to_string(),
        text(&asked.memo),
        asked.idempotency_key.to_string(),
        asked.metadata.as_ref().map(serde_json::Value::to_string).unwrap_or_default(),
        asked.force_collect_compliance_information.to_string(),
        status.to_owned(),
        row.payout_link.map(|link| link.to_string()).unwrap_or_default(),
        address.unwrap_or_default(),
        text(&row.error_code),
        text(&row.error_message),
    ]
}

/// A cell that no spreadsheet takes for a formula: an apostrophe goes before each part that would begin one. A part begins
/// where the cell does, and behind what separates cells in other countries' spreadsheets, which split it there. A number
/// with its sign, such as a phone's `+12127361234`, calculates nothing and stays as it is.
fn defused(cell: &str) -> Cow<'_, str> {
    const SEPARATORS: [char; 5] = [';', '\t', '|', '\r', '\n'];
    let begins_with_blank = cell.starts_with(['\t', '\r', '\n']);
    if !begins_with_blank && !cell.split(SEPARATORS).any(is_formula) {
        return Cow::Borrowed(cell);
    }
    let mut defused = String::with_capacity(cell.len() + 1);
    if begins_with_blank {
        defused.push('\'');
    }
    for part in cell.split_inclusive(SEPARATORS) {
        if is_formula(part.trim_end_matches(SEPARATORS)) {
            defused.push('\'');
        }
        defused.push_str(part);
    }
    Cow::Owned(defused)
}

fn is_formula(part: &str) -> bool {
    // The full-width forms are folded to the plain ones by some spreadsheets.
    const BEGINNINGS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
    let is_number = part
        .strip_prefix(['+', '-'])
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()));
    // Some spreadsheets pass over what is blank, or take off quotes, before they look for a formula.
    let is_passed_over = |c: char| c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}' | '"');
    !is_number && part.trim_start_matches(is_passed_over).starts_with(BEGINNINGS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_spreadsheet_would_run_is_defused() {
        for cell in [
            "=1+1",
            "+1+1",
            "-1+1",
            "@SUM(A1)",
            "=HYPERLINK(\"http://x\")",
            "+",
            "-",
            "-2+3+cmd|' /C calc'!A0",
            "＝1+1",
            "+1 212",
            "=cmd@example.com",
            " =1+1",
            "\u{a0}@SUM(A1)",
            "\u{200b}=1",
            "\"=1+1\"",
        ] {
            assert_eq!(defused(cell), format!("'{cell}"));
        }
        for (cell, harmless) in [
            ("\t=1", "'\t'=1"),
            ("\r=1", "'\r'=1"),
            ("\n=1", "'\n'=1"),
            (";=1+1;", ";'=1+1;"),
            (";=HYPERLINK(A1);", ";'=HYPERLINK(A1);"),
            ("Jane;=1+1", "Jane;'=1+1"),
            ("'Jane; -1+1", "'Jane;' -1+1"),
            ("Jane\t=1+1", "Jane\t'=1+1"),
            ("Jane|@SUM(A1)", "Jane|'@SUM(A1)"),
            ("Jane\r\n=1+1", "Jane\r\n'=1+1"),
        ] {
            assert_eq!(defused(cell), harmless);
        }
        for cell in ["", "Jane", "1=1", "a@b.c", "+12127361234", "-5", "'=1", "{\"a\":1}", "100", "a;-5", "a|b;c"] {
            assert_eq!(defused(cell), cell);
        }
    }
}
