//! The result file of a batch: its rows as they were submitted, and what has come of each so far.

use std::borrow::Cow;

use super::input::columns;
use super::model::{BatchRow, RowStatus};

/// Columns besides those of the input (decisions.md 9).
const RESULT_COLUMNS: [&str; 5] = ["status", "payout_link_id", "link", "error_code", "error_message"];

/// The file: a line for each row, in their order. `address` is where a row's link is claimed.
///
/// # Errors
/// None that can happen: the file is written to memory.
pub fn csv<'a>(rows: impl Iterator<Item = (&'a BatchRow, Option<String>)>) -> Result<String, csv::Error> {
    let mut file = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
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

/// A cell that no spreadsheet takes for a formula: an apostrophe goes before whatever would begin one. A number
/// with its sign, such as a phone's `+12127361234`, calculates nothing and stays as it is.
fn defused(cell: &str) -> Cow<'_, str> {
    // The full-width forms are folded to the plain ones by some spreadsheets.
    const BEGINNINGS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    let number = cell
        .strip_prefix(['+', '-'])
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()));
    // Some spreadsheets pass over what is blank before it.
    let begins =
        cell.trim_start_matches(|blank: char| blank.is_whitespace() || blank == '\u{200b}' || blank == '\u{feff}');
    let runs = cell.starts_with(BEGINNINGS) || begins.starts_with(BEGINNINGS);
    if runs && !number { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) }
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
            "\t=1",
            "\r=1",
            "\n=1",
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
        ] {
            assert_eq!(defused(cell), format!("'{cell}"));
        }
        for cell in ["", "Jane", "1=1", "a@b.c", "+12127361234", "-5", "'=1", "{\"a\":1}", "100"] {
            assert_eq!(defused(cell), cell);
        }
    }
}
