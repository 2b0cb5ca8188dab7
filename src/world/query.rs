//! A question for one page of a list: which rows of which tenant, in which order, from where.

use super::record::{Cell, Record, Row, Table, Value};

/// Which way a list runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Oldest first.
    Ascending,
    /// Newest first.
    Descending,
}

impl Direction {
    /// The other way.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }
}

/// How a column is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    /// The same value.
    Equal,
    /// This value or a later one.
    AtLeast,
    /// An earlier value.
    Less,
    /// Another value.
    Other,
}

/// One condition on a column of the listed table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// The column's position.
    pub column: usize,
    /// How it is compared.
    pub compare: Compare,
    /// With what.
    pub value: Value,
}

/// Only rows that another table, of the same organization, connects with these values:
/// `EXISTS (SELECT 1 FROM table WHERE org = .. AND its `column` = the row's order column AND equal ..)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Through {
    /// The connecting table.
    pub table: &'static Table,
    /// Its column that holds the listed row's id.
    pub column: &'static str,
    /// What else must be equal there; `Null` for a column that must be empty.
    pub equal: Vec<(&'static str, Value)>,
}

/// A question for one page. Rows are ordered by one column that is unique within the
/// organization: an id, whose order is that of creation, or a sequence number.
#[derive(Clone, Debug)]
pub struct Query {
    /// The table.
    pub table: &'static Table,
    /// All must hold. The first is always the organization.
    pub conditions: Vec<Condition>,
    /// A connection that must exist.
    pub through: Option<Through>,
    /// The column that orders.
    pub order: usize,
    /// Which way.
    pub direction: Direction,
    /// Only rows behind this value of the ordering column, in list order.
    pub after: Option<Value>,
    /// At most this many rows.
    pub limit: usize,
}

impl Query {
    /// All rows of `R` whose first key column (the organization) is `org`, newest first by `order`.
    ///
    /// # Panics
    /// When `order` is no column of the record: a mistake of the caller that any test finds.
    pub fn of<R: Record>(org: Value, order: &'static str, limit: usize) -> Self {
        let table = R::TABLE;
        let organization = Condition { column: table.key().columns[0], compare: Compare::Equal, value: org };
        Self {
            table,
            conditions: vec![organization],
            through: None,
            order: table.position(order).expect("lists are ordered by a column of their record"),
            direction: Direction::Descending,
            after: None,
            limit,
        }
    }

    /// Rows of all organizations, in the order of their keys: only the house itself looks across.
    pub fn across<R: Record>(limit: usize) -> Self {
        let table = R::TABLE;
        let order = table.key().columns[0];
        let direction = Direction::Ascending;
        Self { table, conditions: Vec::new(), through: None, order, direction, after: None, limit }
    }

    /// Adds a condition.
    ///
    /// # Panics
    /// When the record has no such column.
    #[must_use]
    pub fn filter(mut self, column: &'static str, compare: Compare, value: Value) -> Self {
        let column = self.table.position(column).expect("filters name a column of their record");
        self.conditions.push(Condition { column, compare, value });
        self
    }

    /// Only rows that have this value there.
    ///
    /// # Panics
    /// When the record has no such column.
    #[must_use]
    pub fn equal(self, column: &'static str, value: impl Cell) -> Self {
        self.filter(column, Compare::Equal, value.to_value())
    }

    /// The same, if a value is asked for.
    ///
    /// # Panics
    /// When the record has no such column.
    #[must_use]
    pub fn matching(self, column: &'static str, asked: Option<impl Cell>) -> Self {
        match asked {
            Some(value) => self.equal(column, value),
            None => self,
        }
    }

    /// What decides, ascending, between rows with the same value of the ordering column: the primary key, unless that
    /// column is a part of it and so unique within the organization. Jobs may fall due at one moment, and every
    /// store shows them in one order.
    pub fn ties(&self) -> &'static [usize] {
        let key = self.table.key().columns;
        if key.contains(&self.order) { &[] } else { key }
    }

    /// Whether a row fulfils the conditions on its own columns and lies behind `after`.
    pub fn holds(&self, row: &Row) -> bool {
        let conditions = self.conditions.iter().all(|condition| {
            let value = &row[condition.column];
            // As in SQL, nothing compares with an empty cell.
            *value != Value::Null
                && match condition.compare {
                    Compare::Equal => *value == condition.value,
                    Compare::AtLeast => *value >= condition.value,
                    Compare::Less => *value < condition.value,
                    Compare::Other => *value != condition.value,
                }
        });
        let behind = self.after.as_ref().is_none_or(|after| match self.direction {
            Direction::Ascending => row[self.order] > *after,
            Direction::Descending => row[self.order] < *after,
        });
        conditions && behind
    }
}

impl PartialEq for Query {
    fn eq(&self, other: &Self) -> bool {
        self.table == other.table
            && self.conditions == other.conditions
            && self.through == other.through
            && self.order == other.order
            && self.direction == other.direction
            && self.after == other.after
            && self.limit == other.limit
    }
}

impl Eq for Query {}

impl std::hash::Hash for Query {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.table.name.hash(state);
        self.conditions.hash(state);
        self.through.as_ref().map(|through| (through.table.name, through.column, &through.equal)).hash(state);
        self.order.hash(state);
        self.direction.hash(state);
        self.after.hash(state);
        self.limit.hash(state);
    }
}
