//! PostgreSQL statements, generated from the records' declarations. Parameters are whole columns, so that a batch needs
//! one statement per table, regardless of the number of rows.
//!
//! Each statement names its organization, and quotes every name, because some are SQL keywords.
//!
//! A distributed database routes a statement to a node by the organization, if it is a constant. Routing is cheapest,
//! and the plan is cached, for a statement on one table; so there a statement concerns one organization, and the
//! parameter columns are not joined. Elsewhere they are joined, and the organization is one of them: a statement may
//! concern several. As a constant it would let a plan read all of its rows, which is cheap only while they are few. So
//! each row is found by an index and its other columns, even with a plan from when the table was small.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use uuid::Uuid;

use super::cells::{Param, matches_nothing, read_row, type_name};
use crate::ids::OrgId;
use crate::store::StoreError;
use crate::store::sql::sql_of;
use crate::world::query::{Direction, Query};
use crate::world::record::{Index, Kind};
use crate::world::{Key, Row, RowsWanted, Table, TableChanges, Value, ValueRef, Want};

/// The last time of an organization whose rows are being moved in.
pub(super) const CLOSED: i64 = -1;
/// The owner of rows that belong to an environment and to no tenant, such as the sandbox's clock.
pub(super) const NO_ORGANIZATION: Uuid = Uuid::nil();

/// An operation on a table. Equal forms have equal texts, so a connection prepares each once.
#[derive(Clone, Debug)]
pub(super) struct Form {
    table: &'static Table,
    act: Act,
    /// Whether it is for a distributed database, with the organization as a constant.
    spread: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Act {
    /// Rows by these columns of an index.
    Find(&'static [usize]),
    /// Rows by these columns, of which only the last one differs.
    FindByLast(&'static [usize]),
    Insert,
    /// The number of rows; each value is a parameter.
    InsertEach(usize),
    Update,
    /// Rows whose keys differ in the last column only.
    UpdateByLast,
    Delete,
    /// Rows whose keys differ in the last column only.
    DeleteByLast,
    Page(String),
}

impl PartialEq for Form {
    fn eq(&self, other: &Self) -> bool {
        self.table == other.table && self.act == other.act && self.spread == other.spread
    }
}

impl Eq for Form {}

impl Hash for Form {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.table.name.hash(state);
        self.act.hash(state);
    }
}

#[derive(Debug)]
pub(super) struct Statement<'a> {
    pub form: Form,
    pub params: Vec<Param<'a>>,
}

fn quoted(table: &Table, position: usize) -> String {
    format!("\"{}\"", table.columns[position].name)
}

/// Returns `unnest($2::uuid[], $3::bigint[]) AS k ("id", "number")`: rows from parameter columns, from this parameter
/// on.
fn rows_of(table: &Table, columns: &[usize], first: usize, name: &str) -> String {
    let arrays = columns
        .iter()
        .enumerate()
        .map(|(place, &column)| format!("${}::{}[]", place + first, type_name(table.columns[column].kind)));
    let names = columns.iter().map(|&column| quoted(table, column));
    let (arrays, names): (Vec<String>, Vec<String>) = (arrays.collect(), names.collect());
    format!("unnest({}) AS {name} ({})", arrays.join(", "), names.join(", "))
}

fn organization(table: &Table) -> usize {
    table.key().columns[0]
}

/// Returns the table's columns without the organization, in their order.
fn others(table: &Table) -> Vec<usize> {
    (0..table.columns.len()).filter(|&column| column != organization(table)).collect()
}

fn matched(table: &Table, columns: &[usize], name: &str) -> String {
    let same = columns.iter().map(|&column| {
        let column = quoted(table, column);
        format!(" AND t.{column} = {name}.{column}")
    });
    same.collect()
}

/// Returns ` AND t."app" = ($2::uuid[])[1] AND t."id" = ANY($3::uuid[])`: the last of these columns has many values.
/// Parameters are columns as in [`rows_of`]; `params` holds their numbers.
fn by_last(table: &Table, columns: &[usize], params: &[usize]) -> String {
    let condition = |(place, (&column, param)): (usize, (&usize, &usize))| {
        let (kind, last) = (type_name(table.columns[column].kind), place + 1 == columns.len());
        let given = if last { format!("ANY(${param}::{kind}[])") } else { format!("(${param}::{kind}[])[1]") };
        format!(" AND t.{} = {given}", quoted(table, column))
    };
    columns.iter().zip(params).enumerate().map(condition).collect()
}

/// Values by their places: a row, or a key.
pub(super) trait Cells {
    fn cell(&self, place: usize) -> ValueRef<'_>;
}

impl Cells for Row {
    fn cell(&self, place: usize) -> ValueRef<'_> {
        ValueRef::from(&self[place])
    }
}

impl Cells for Key {
    fn cell(&self, place: usize) -> ValueRef<'_> {
        self.get(place).unwrap_or(ValueRef::Null)
    }
}

fn differ_in_last<'a, C: Cells + 'a>(rows: impl Iterator<Item = &'a C> + Clone, places: &[usize]) -> bool {
    let Some((_, same)) = places.split_last() else { return true };
    let Some(first) = rows.clone().next() else { return true };
    rows.skip(1).all(|row| same.iter().all(|&place| row.cell(place) == first.cell(place)))
}

impl Form {
    pub fn text(&self) -> String {
        let (table, name) = (self.table, self.table.name);
        let org = quoted(table, organization(table));
        let key = &table.key().columns[1..];
        match &self.act {
            Act::Find(columns) => {
                let selected = selected(table);
                match &columns[1..] {
                    [] if self.spread => format!("SELECT {selected} FROM \"{name}\" t WHERE t.{org} = $1"),
                    columns => {
                        let (rows, same) = self.matched_rows(columns, columns, "k");
                        format!("SELECT {selected} FROM \"{name}\" t JOIN {rows} ON true WHERE {same}")
                    }
                }
            }
            Act::FindByLast(columns) => {
                let params: Vec<usize> = (2..=columns.len()).collect();
                let same = by_last(table, &columns[1..], &params);
                format!("SELECT {} FROM \"{name}\" t WHERE t.{org} = $1{same}", selected(table))
            }
            Act::InsertEach(rows) => {
                let others = others(table);
                let names: Vec<String> = others.iter().map(|&column| quoted(table, column)).collect();
                let row = |row: usize| {
                    let params = (0..others.len()).map(|place| format!(", ${}", 2 + row * others.len() + place));
                    format!("($1{})", params.collect::<String>())
                };
                let rows: Vec<String> = (0..*rows).map(row).collect();
                format!("INSERT INTO \"{name}\" ({org}, {}) VALUES {}", names.join(", "), rows.join(", "))
            }
            Act::UpdateByLast => self.update_by_last(),
            Act::DeleteByLast => {
                let params: Vec<usize> = (2..key.len() + 2).collect();
                format!("DELETE FROM \"{name}\" AS t WHERE t.{org} = $1{}", by_last(table, key, &params))
            }
            Act::Insert => {
                let columns = [&[organization(table)], &*others(table)].concat();
                let names: Vec<String> = columns.iter().map(|&column| quoted(table, column)).collect();
                let rows = rows_of(table, &columns, 1, "n");
                format!("INSERT INTO \"{name}\" ({}) SELECT n.* FROM {rows}", names.join(", "))
            }
            Act::Update => {
                let others = others(table);
                let sets = others.iter().filter(|column| !key.contains(column)).map(|&column| {
                    let column = quoted(table, column);
                    format!("{column} = n.{column}")
                });
                let sets = sets.collect::<Vec<_>>().join(", ");
                let (rows, same) = self.matched_rows(&others, key, "n");
                format!("UPDATE \"{name}\" AS t SET {sets} FROM {rows} WHERE {same}")
            }
            Act::Delete => match key {
                [] if self.spread => format!("DELETE FROM \"{name}\" AS t WHERE t.{org} = $1"),
                key => {
                    let (rows, same) = self.matched_rows(key, key, "k");
                    format!("DELETE FROM \"{name}\" AS t USING {rows} WHERE {same}")
                }
            },
            Act::Page(text) => text.clone(),
        }
    }

    /// Returns rows from parameter columns, and the condition that joins a table's rows by some of these columns and by
    /// the organization.
    fn matched_rows(&self, columns: &[usize], by: &[usize], name: &str) -> (String, String) {
        let org = organization(self.table);
        if self.spread {
            let same = matched(self.table, by, name);
            return (rows_of(self.table, columns, 2, name), format!("t.{} = $1{same}", quoted(self.table, org)));
        }
        let same = matched(self.table, &[&[org], by].concat(), name);
        let rows = rows_of(self.table, &[&[org], columns].concat(), 1, name);
        (rows, same.trim_start_matches(" AND ").to_owned())
    }

    /// Each row finds its values by the position of its key in the array of keys.
    fn update_by_last(&self) -> String {
        let table = self.table;
        let (org, key, others) = (quoted(table, organization(table)), &table.key().columns[1..], others(table));
        let param = |column: usize| others.iter().position(|&other| other == column).map_or(0, |place| place + 2);
        let array = |column: usize| format!("${}::{}[]", param(column), type_name(table.columns[column].kind));
        let at = match key.last() {
            Some(&last) => format!("array_position({}, t.{})", array(last), quoted(table, last)),
            None => "1".to_owned(),
        };
        let sets = others.iter().filter(|column| !key.contains(column));
        let sets = sets.map(|&column| format!("{} = ({})[{at}]", quoted(table, column), array(column)));
        let params: Vec<usize> = key.iter().map(|&column| param(column)).collect();
        let (sets, same) = (sets.collect::<Vec<_>>().join(", "), by_last(table, key, &params));
        format!("UPDATE \"{}\" AS t SET {sets} WHERE t.{org} = $1{same}", table.name)
    }
}

fn selected(table: &Table) -> String {
    let columns: Vec<String> = (0..table.columns.len()).map(|column| format!("t.{}", quoted(table, column))).collect();
    columns.join(", ")
}

/// Returns the statement for the rows of all organizations, ordered by the primary key, after the first `skip`.
pub(super) fn every(table: &Table, skip: u64) -> String {
    let key: Vec<String> = table.key().columns.iter().map(|&column| quoted(table, column)).collect();
    format!("SELECT {} FROM \"{}\" t ORDER BY {} OFFSET {skip}", selected(table), table.name, key.join(", "))
}

/// Wants as statements, with the wants that each statement's rows answer.
pub(super) struct Questions<'a> {
    pub statements: Vec<Statement<'a>>,
    asked: Vec<Question<'a>>,
    wants: usize,
}

/// The table and the index columns that the wants of one statement share, and in a distributed database the
/// organization.
type Group<'a> = (&'static str, &'static [usize], Option<ValueRef<'a>>);

enum Question<'a> {
    /// Rows by an index, for the wants with these values.
    Rows { table: &'static Table, index: &'static Index, wants: HashMap<&'a Key, usize> },
    /// The page of one want.
    Page { table: &'static Table, want: usize },
}

impl<'a> Questions<'a> {
    /// Makes one statement for all wants by the same index, and one for each page. `spread` is true for a distributed
    /// database, where each statement concerns one organization.
    pub fn of(wants: &'a [Want], spread: bool) -> Self {
        let mut groups: HashMap<Group<'a>, Vec<(usize, &'a RowsWanted)>> = HashMap::new();
        let mut order = Vec::new();
        let mut questions = Self { statements: Vec::new(), asked: Vec::new(), wants: wants.len() };
        for (place, want) in wants.iter().enumerate() {
            match want {
                Want::Rows(wanted) if wanted.values.iter().any(matches_nothing) => {}
                Want::Rows(wanted) => {
                    let organization = spread.then(|| wanted.values.cell(0));
                    let group = (wanted.table.name, wanted.index.columns, organization);
                    let members = groups.entry(group).or_default();
                    if members.is_empty() {
                        order.push(group);
                    }
                    members.push((place, wanted));
                }
                Want::Page(query) => questions.page(place, query),
            }
        }
        for members in order.iter().filter_map(|group| groups.get(group)) {
            questions.rows(members, spread);
        }
        questions
    }

    fn rows(&mut self, members: &[(usize, &'a RowsWanted)], spread: bool) {
        let [(_, first), ..] = members else { return };
        let (table, index) = (first.table, first.index);
        let wants: HashMap<&Key, usize> = members.iter().map(|(place, wanted)| (&wanted.values, *place)).collect();
        // Duplicate values would return their rows twice from the join.
        let distinct: Vec<&'a Key> = wants.keys().copied().collect();
        let places: Vec<usize> = (1..index.columns.len()).collect();
        let by_last = spread && !places.is_empty() && differ_in_last(distinct.iter().copied(), &places);
        let act = if by_last { Act::FindByLast(index.columns) } else { Act::Find(index.columns) };
        let columns = index.columns.iter().enumerate();
        let columns = columns.map(|(place, &column)| match place {
            0 if spread => Param::one(first.values.cell(0)),
            _ => Param::column(table.columns[column].kind, distinct.iter().map(|values| values.cell(place))),
        });
        let params: Option<Vec<Param<'a>>> = columns.collect();
        // No row has a value of another kind than its column.
        let Some(params) = params else { return };
        self.statements.push(Statement { form: Form { table, act, spread }, params });
        self.asked.push(Question::Rows { table, index, wants });
    }

    fn page(&mut self, want: usize, query: &'a Query) {
        if let Some(statement) = page(query) {
            self.statements.push(statement);
            self.asked.push(Question::Page { table: query.table, want });
        }
    }

    /// Distributes the found rows to the wants, ordered by the primary key, or as the page is.
    pub fn answers(&self, found: &[Vec<tokio_postgres::Row>]) -> Result<Vec<Vec<Row>>, StoreError> {
        let mut answers: Vec<Vec<Row>> = vec![Vec::new(); self.wants];
        for (asked, found) in self.asked.iter().zip(found) {
            match asked {
                Question::Page { table, want } => {
                    answers[*want] = found.iter().map(|row| read_row(table, row)).collect::<Result<_, _>>()?;
                }
                Question::Rows { table, index, wants } => {
                    for row in found {
                        let row = read_row(table, row)?;
                        if let Some(&want) = wants.get(&Table::index_values(index, &row)) {
                            answers[want].push(row);
                        }
                    }
                    for &want in wants.values() {
                        answers[want].sort_by_cached_key(|row| Table::index_values(table.key(), row));
                    }
                }
            }
        }
        Ok(answers)
    }
}

/// Returns the statement for a page; `None` if the page is certainly empty.
fn page<'a>(query: &'a Query) -> Option<Statement<'a>> {
    let table = query.table;
    let (mut params, mut parts) = (Vec::new(), Vec::new());
    let mut given = |value: &'a Value| -> Option<usize> {
        if matches_nothing(ValueRef::from(value)) {
            return None;
        }
        params.push(Param::one(ValueRef::from(value))?);
        Some(params.len())
    };
    for condition in &query.conditions {
        let column = format!("t.{}", quoted(table, condition.column));
        parts.push(sql_of(condition.compare, &column, &format!("${}", given(&condition.value)?)));
    }
    let order = quoted(table, query.order);
    let (behind, direction) = match query.direction {
        Direction::Ascending => (">", "ASC"),
        Direction::Descending => ("<", "DESC"),
    };
    if let Some(after) = &query.after {
        parts.push(format!("t.{order} {behind} ${}", given(after)?));
    }
    if let Some(through) = &query.through {
        let org = quoted(table, organization(table));
        let mut connected = vec![format!("c.\"org\" = t.{org}"), format!("c.\"{}\" = t.{order}", through.column)];
        for (column, value) in &through.equal {
            connected.push(match value {
                Value::Null => format!("c.\"{column}\" IS NULL"),
                Value::Id(_) | Value::Int(_) | Value::Bool(_) | Value::Time(_) | Value::Text(_) | Value::Bytes(_) => {
                    format!("c.\"{column}\" = ${}", given(value)?)
                }
            });
        }
        parts.push(format!("EXISTS (SELECT 1 FROM \"{}\" c WHERE {})", through.table.name, connected.join(" AND ")));
    }
    if parts.is_empty() {
        // A page without conditions, such as the earliest job of any organization.
        parts.push("TRUE".to_owned());
    }
    let ties: Vec<String> = query.ties().iter().map(|&tie| format!(", t.{}", quoted(table, tie))).collect();
    let text = format!(
        "SELECT {} FROM \"{}\" t WHERE {} ORDER BY t.{order} {direction}{} LIMIT {}",
        selected(table),
        table.name,
        parts.join(" AND "),
        ties.concat(),
        query.limit
    );
    Some(Statement { form: Form { table, act: Act::Page(text), spread: false }, params })
}

/// Why changes of a table cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{table}: {wrong}")]
pub(super) struct Unwritable {
    table: &'static str,
    wrong: &'static str,
}

/// Returns the statements for a table's changes: deletes, then updates, then inserts. All rows must belong to the
/// batch's organizations or to [`NO_ORGANIZATION`]. `spread` is true for a distributed database, where the rows of a
/// table belong to one of them.
pub(super) fn writes<'a>(
    batch: &[OrgId],
    changes: &'a TableChanges,
    spread: bool,
) -> Result<Vec<Statement<'a>>, Unwritable> {
    let table = changes.table;
    let key = table.key().columns;
    let whole: Vec<usize> = (0..table.columns.len()).collect();
    // The positions of the key's columns in a key, without the organization.
    let key_in_key: Vec<usize> = (1..key.len()).collect();
    let delete = match spread && differ_in_last(changes.deletes.iter(), &key_in_key) {
        true => Act::DeleteByLast,
        false => Act::Delete,
    };
    let update = match spread && differ_in_last(changes.updates.iter(), &key[1..]) {
        true => Act::UpdateByLast,
        false => Act::Update,
    };
    let mut statements = Vec::new();
    if let Some(place) = owned(batch, table, &changes.deletes, key, spread)? {
        statements.push(in_columns(Form { table, act: delete, spread }, place, &changes.deletes, key)?);
    }
    if let Some(place) = owned(batch, table, &changes.updates, &whole, spread)? {
        statements.push(in_columns(Form { table, act: update, spread }, place, &changes.updates, &whole)?);
    }
    if let Some(place) = owned(batch, table, &changes.inserts, &whole, spread)? {
        if spread {
            for rows in in_powers_of_two(&changes.inserts) {
                statements.push(each_value(table, place, rows)?);
            }
        } else {
            let form = Form { table, act: Act::Insert, spread };
            statements.push(in_columns(form, place, &changes.inserts, &whole)?);
        }
    }
    Ok(statements)
}

/// Returns the place of the organization among the columns of these rows; `None` if there are no rows. Fails if a row
/// belongs to no organization of the batch and not to [`NO_ORGANIZATION`], or, with `spread`, to another one than the
/// first row.
fn owned(
    batch: &[OrgId],
    table: &Table,
    rows: &[impl Cells],
    columns: &[usize],
    spread: bool,
) -> Result<Option<usize>, Unwritable> {
    let unwritable = |wrong| Unwritable { table: table.name, wrong };
    let [first, ..] = rows else { return Ok(None) };
    let place = columns.iter().position(|&column| column == organization(table));
    let place = place.ok_or_else(|| unwritable("its key does not begin with the organization"))?;
    let is_own = |owner| match owner {
        ValueRef::Id(id) => id == NO_ORGANIZATION || batch.contains(&OrgId(id)),
        ValueRef::Null
        | ValueRef::Int(_)
        | ValueRef::Bool(_)
        | ValueRef::Time(_)
        | ValueRef::Text(_)
        | ValueRef::Bytes(_) => false,
    };
    let is_foreign = |row| {
        let owner = Cells::cell(row, place);
        !is_own(owner) || spread && owner != first.cell(place)
    };
    if rows.iter().any(is_foreign) {
        return Err(unwritable("the row belongs to another organization than the batch"));
    }
    Ok(Some(place))
}

/// One parameter per column, that of the organization first. With `spread` the organization is one value.
fn in_columns<'a>(
    form: Form,
    place: usize,
    rows: &'a [impl Cells],
    columns: &[usize],
) -> Result<Statement<'a>, Unwritable> {
    let table = form.table;
    let column = |(place, &column): (usize, &usize)| {
        let kind: Kind = table.columns[column].kind;
        Param::column(kind, rows.iter().map(move |row| row.cell(place)))
    };
    let owner = match form.spread {
        true => rows.first().and_then(|row| Param::one(row.cell(place))),
        false => column((place, &organization(table))),
    };
    let rest = columns.iter().enumerate().filter(|(other, _)| *other != place).map(column);
    let params: Option<Vec<Param<'a>>> = std::iter::once(owner).chain(rest).collect();
    let params = params.ok_or(Unwritable { table: table.name, wrong: OF_ANOTHER_KIND })?;
    Ok(Statement { form, params })
}

/// One parameter per value.
fn each_value<'a>(table: &'static Table, place: usize, rows: &'a [Row]) -> Result<Statement<'a>, Unwritable> {
    let owner = rows.first().and_then(|row| Param::one(row.cell(place)));
    let cells = rows.iter().flat_map(|row| row.iter().zip(table.columns).enumerate());
    let cells = cells.filter(|(other, _)| *other != place);
    let cells = cells.map(|(_, (value, column))| Param::cell(column.kind, value));
    let params: Option<Vec<Param<'a>>> = std::iter::once(owner).chain(cells).collect();
    let params = params.ok_or(Unwritable { table: table.name, wrong: OF_ANOTHER_KIND })?;
    Ok(Statement { form: Form { table, act: Act::InsertEach(rows.len()), spread: true }, params })
}

const OF_ANOTHER_KIND: &str = "the value does not have the type of its column";

/// The most rows with one parameter per value; a statement takes at most 65,535 parameters.
const EACH_AT_ONCE: usize = 64;

/// Splits rows into parts whose sizes are powers of two, so that a connection can prepare a statement for each size.
fn in_powers_of_two(mut rows: &[Row]) -> Vec<&[Row]> {
    let mut parts = Vec::new();
    while !rows.is_empty() {
        let size = (1_usize << rows.len().ilog2()).min(EACH_AT_ONCE);
        let (part, rest) = rows.split_at(size);
        parts.push(part);
        rows = rest;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_taken_in_parts_of_few_sizes() {
        for (count, sizes) in [(0, vec![]), (1, vec![1]), (7, vec![4, 2, 1]), (200, vec![64, 64, 64, 8])] {
            let rows = vec![Row::new(); count];
            let parts: Vec<usize> = in_powers_of_two(&rows).into_iter().map(<[Row]>::len).collect();
            assert_eq!(parts, sizes, "{count}");
        }
    }

    #[test]
    fn only_what_differs_in_its_last_column_is_found_by_it() {
        let row = |one: i64, other: i64| vec![Value::Int(one), Value::Int(other)];
        for (rows, same) in [
            (vec![], true),
            (vec![row(1, 1)], true),
            (vec![row(1, 1), row(1, 2)], true),
            (vec![row(1, 1), row(1, 2), row(2, 2)], false),
        ] {
            assert_eq!(differ_in_last(rows.iter(), &[0, 1]), same, "{rows:?}");
        }
    }
}
