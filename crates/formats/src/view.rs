//! A file as tables for a person: the same shape for every format, bank account numbers masked.

/// Most rows of a table that are kept. Further ones are counted.
pub const ROWS_MAX: usize = 10_000;

/// A file as a title, facts and tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    pub title: String,
    pub facts: Vec<(&'static str, String)>,
    pub tables: Vec<Table>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub title: String,
    pub facts: Vec<(&'static str, String)>,
    pub columns: &'static [&'static str],
    pub rows: Vec<Vec<String>>,
    pub left_out: u64,
}

impl Table {
    #[must_use]
    pub const fn new(title: String, columns: &'static [&'static str]) -> Self {
        Self { title, facts: Vec::new(), columns, rows: Vec::new(), left_out: 0 }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        if self.rows.len() < ROWS_MAX {
            self.rows.push(cells);
        } else {
            self.left_out += 1;
        }
    }
}
