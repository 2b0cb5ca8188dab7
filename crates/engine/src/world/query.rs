use super::record::{Cell, Record, Row, Table, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    Ascending,
    Descending,
}

impl Direction {
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    Equal,
    /// Equal or greater.
    AtLeast,
    Less,
    Other,
    /// Numbers that have a bit in common.
    Shares,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    pub column: usize,
    pub compare: Compare,
    pub value: Value,
}

/// Selects only rows that another table of the same organization connects:
/// `EXISTS (SELECT 1 FROM table WHERE org = .. AND its `column` = the row's order column AND equal ..)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Through {
    pub table: &'static Table,
    /// Its column that holds the listed row's id.
    pub column: &'static str,
    /// Further columns that must be equal; `Null` for a column that must be empty.
    pub equal: Vec<(&'static str, Value)>,
}

/// A query for one page. Rows are ordered by one column that is unique within the organization: an id, whose order is
/// that of creation, or a sequence number.
#[derive(Clone, Debug)]
pub struct Query {
    pub table: &'static Table,
    /// All must hold. The first is always the organization.
    pub conditions: Vec<Condition>,
    pub through: Option<Through>,
    pub order: usize,
    pub direction: Direction,
    /// Only rows after this value of the ordering column, in list order.
    pub after: Option<Value>,
    pub limit: usize,
}

impl Query {
    /// Selects all rows of `R` whose first key column (the organization) is `org`, newest first by `order`. Panics if
    /// the record has no column `order`, which any test of the caller finds.
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

    /// Selects rows of all organizations, in the order of their keys. For the system only.
    pub fn across<R: Record>(limit: usize) -> Self {
        let table = R::TABLE;
        let order = table.key().columns[0];
        let direction = Direction::Ascending;
        Self { table, conditions: Vec::new(), through: None, order, direction, after: None, limit }
    }

    /// Panics if the record has no such column.
    #[must_use]
    pub fn filter(mut self, column: &'static str, compare: Compare, value: Value) -> Self {
        let column = self.table.position(column).expect("filters name a column of their record");
        self.conditions.push(Condition { column, compare, value });
        self
    }

    #[must_use]
    pub fn equal(self, column: &'static str, value: impl Cell) -> Self {
        self.filter(column, Compare::Equal, value.to_value())
    }

    /// Adds a condition of equality if a value is given. Panics if the record has no such column.
    #[must_use]
    pub fn matching(self, column: &'static str, asked: Option<impl Cell>) -> Self {
        match asked {
            Some(value) => self.equal(column, value),
            None => self,
        }
    }

    /// Returns the columns that order rows with equal values of the ordering column, ascending: the primary key, or
    /// nothing if the ordering column is a part of it and so unique within the organization. Several jobs may be due at
    /// the same time, and every store must return them in the same order.
    pub fn ties(&self) -> &'static [usize] {
        let key = self.table.key().columns;
        if key.contains(&self.order) { &[] } else { key }
    }

    /// Returns whether a row meets the conditions on its own columns and comes after `after`.
    pub fn holds(&self, row: &Row) -> bool {
        let conditions = self.conditions.iter().all(|condition| {
            let value = &row[condition.column];
            // As in SQL, no comparison with a null is true.
            *value != Value::Null
                && match condition.compare {
                    Compare::Equal => *value == condition.value,
                    Compare::AtLeast => *value >= condition.value,
                    Compare::Less => *value < condition.value,
                    Compare::Other => *value != condition.value,
                    Compare::Shares => match (value, &condition.value) {
                        (Value::Int(bits), Value::Int(asked)) => bits & asked != 0,
                        _ => false,
                    },
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
