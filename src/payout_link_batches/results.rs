//! The result file of a batch: its rows as submitted, with their results so far.

use std::borrow::Cow;

use super::input::columns;
use super::model::{BatchRow, RowStatus};

/// The byte order mark, by which spreadsheets recognize UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The columns that follow those of the input (docs/decisions.md 9).
pub(super) const RESULT_COLUMNS: [&str; 5] = ["status", "payout_link_id", "link", "error_code", "error_message"];

/// Writes the file: a line for each row, in order. `address` is the URL of a row's link. Every cell is quoted, because
/// spreadsheets that separate by semicolons would split an unquoted cell.
///
/// # Errors
/// None in practice: the file is written to memory.
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

/// Returns a row's cells in the order of the columns. An empty or unknown value is an empty cell.
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

/// Returns a cell that no spreadsheet reads as a formula: an apostrophe precedes each part that would begin one. A part
/// begins at the start of the cell, and after characters that separate cells in some countries' spreadsheets. A signed
/// number, such as a phone's `+12127361234`, is harmless and stays unchanged.
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
    // Some spreadsheets convert the full-width forms to the plain ones.
    const BEGINNINGS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
    let is_number = part
        .strip_prefix(['+', '-'])
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()));
    // Some spreadsheets skip blanks, or remove quotes, before they check for a formula.
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
