//! The schemas of both stores, compared with the records and with each other.

use std::collections::{BTreeMap, BTreeSet};

use bursar::store::Sqlite;
use bursar::tables;
use bursar::world::record::Kind;

use crate::harness::postgres::Database;

/// The tables of a schema: for each the columns with their types and nullability, the primary key, and the columns of
/// its indexes by name.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shape {
    columns: Vec<(String, String, bool)>,
    key: Vec<String>,
    indexes: BTreeMap<String, (bool, Vec<String>)>,
}

fn fields(line: &str) -> Vec<&str> {
    line.split('|').collect()
}

fn split(list: &str) -> Vec<String> {
    list.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn of_sqlite() -> BTreeMap<String, Shape> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("schema.sqlite");
    drop(Sqlite::open(&path, true).unwrap());
    let connection = rusqlite::Connection::open(&path).unwrap();
    let list = |sql: &str| -> Vec<String> {
        let mut statement = connection.prepare(sql).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let mut shapes: BTreeMap<String, Shape> = BTreeMap::new();
    let tables =
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'refinery%'";
    for table in list(tables) {
        let mut shape = Shape::default();
        let columns =
            format!("SELECT name || '|' || type || '|' || \"notnull\" FROM pragma_table_info('{table}') ORDER BY cid");
        for line in list(&columns) {
            let [name, kind, full] = fields(&line)[..] else { panic!("{line}") };
            shape.columns.push((name.to_owned(), kind.to_owned(), full == "0"));
        }
        shape.key = list(&format!("SELECT name FROM pragma_table_info('{table}') WHERE pk > 0 ORDER BY pk"));
        let indexes = format!(
            "SELECT i.name || '|' || i.\"unique\" || '|' || (SELECT group_concat(c.name) FROM \
             (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno) c) \
             FROM pragma_index_list('{table}') i WHERE i.origin = 'c'"
        );
        for line in list(&indexes) {
            let [name, unique, columns] = fields(&line)[..] else { panic!("{line}") };
            shape.indexes.insert(name.to_owned(), (unique == "1", split(columns)));
        }
        shapes.insert(table, shape);
    }
    shapes
}

fn of_postgres(database: &Database) -> BTreeMap<String, Shape> {
    let mut shapes: BTreeMap<String, Shape> = BTreeMap::new();
    let columns = "SELECT table_name || '|' || column_name || '|' || data_type || '|' || is_nullable \
        FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE 'refinery%' \
        ORDER BY table_name, ordinal_position";
    for line in database.run(columns) {
        let [table, name, kind, nullable] = fields(&line)[..] else { panic!("{line}") };
        let shape = shapes.entry(table.to_owned()).or_default();
        shape.columns.push((name.to_owned(), kind.to_owned(), nullable == "YES"));
    }
    let indexes = "SELECT t.relname || '|' || i.relname || '|' || x.indisprimary || '|' || x.indisunique || '|' || \
        (SELECT string_agg(a.attname, ',' ORDER BY k.place) FROM unnest(x.indkey) WITH ORDINALITY k (number, place) \
         JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number) \
        FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid \
        WHERE t.relnamespace = 'public'::regnamespace AND t.relname NOT LIKE 'refinery%'";
    for line in database.run(indexes) {
        let [table, name, primary, unique, columns] = fields(&line)[..] else { panic!("{line}") };
        let shape = shapes.get_mut(table).unwrap();
        if primary == "true" {
            shape.key = split(columns);
        } else {
            shape.indexes.insert(name.to_owned(), (unique == "true", split(columns)));
        }
    }
    shapes
}

fn kept_as(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Id => ("BLOB", "uuid"),
        Kind::Bytes => ("BLOB", "bytea"),
        Kind::Int | Kind::Time => ("INTEGER", "bigint"),
        Kind::Bool => ("INTEGER", "boolean"),
        Kind::Text => ("TEXT", "text"),
    }
}

/// The columns of a record may have another order than in the schema, because statements name them.
fn sorted(columns: impl Iterator<Item = (String, String, bool)>) -> Vec<(String, String, bool)> {
    let set: BTreeSet<(String, String, bool)> = columns.collect();
    set.into_iter().collect()
}

#[test]
fn both_schemas_say_what_the_records_say() {
    let (mut sqlite, mut postgres) = (of_sqlite(), of_postgres(&Database::new()));
    let lock = postgres.remove("tenants").expect("only the shared store has to lock organizations");
    assert_eq!(lock.key, ["org"]);
    // The tables of a move differ by store, and belong to no record.
    for shapes in [&mut sqlite, &mut postgres] {
        assert_eq!(shapes.remove("moves").expect("both stores know of moves").key, ["id"]);
    }
    let known: BTreeSet<&str> = tables::ALL.iter().map(|table| table.name).collect();
    assert_eq!(known.len(), tables::ALL.len(), "a table is listed twice in src/tables.rs");
    assert_eq!(known, sqlite.keys().map(String::as_str).collect(), "the tables of src/tables.rs and of SQLite");
    assert_eq!(known, postgres.keys().map(String::as_str).collect(), "the tables of src/tables.rs and of PostgreSQL");
    for table in tables::ALL {
        let (embedded, shared) = (&sqlite[table.name], &postgres[table.name]);
        let said = |choose: fn((&'static str, &'static str)) -> &'static str| {
            sorted(
                table
                    .columns
                    .iter()
                    .map(|column| (column.name.to_owned(), choose(kept_as(column.kind)).to_owned(), column.nullable)),
            )
        };
        assert_eq!(sorted(embedded.columns.iter().cloned()), said(|(sqlite, _)| sqlite), "{} in SQLite", table.name);
        assert_eq!(
            sorted(shared.columns.iter().cloned()),
            said(|(_, postgres)| postgres),
            "{} in PostgreSQL",
            table.name
        );
        let key: Vec<&str> = table.key().columns.iter().map(|&column| table.columns[column].name).collect();
        assert_eq!((&embedded.key, &shared.key), (&shared.key, &embedded.key), "{}", table.name);
        assert_eq!(shared.key, key, "{}", table.name);
        assert_eq!(shared.indexes, embedded.indexes, "{}", table.name);
    }
}

/// A primary key that begins with the organization keeps a row on one node of a distributed database, where it can be
/// locked.
#[test]
fn every_key_and_every_look_up_begins_with_the_organization() {
    let postgres = of_postgres(&Database::new());
    for table in tables::ALL {
        assert_eq!(table.columns[table.key().columns[0]].name, "org", "{}", table.name);
        for index in table.indexes {
            assert_eq!(index.columns[0], table.key().columns[0], "{} by {}", table.name, index.name);
            let columns: Vec<&str> = index.columns.iter().map(|&column| table.columns[column].name).collect();
            let shape = &postgres[table.name];
            let served =
                |kept: &[String]| kept.iter().map(String::as_str).take(columns.len()).eq(columns.iter().copied());
            let by_unique =
                shape.indexes.values().any(|(unique, kept)| *unique && kept.len() == columns.len() && served(kept));
            let by_any = served(&shape.key) || shape.indexes.values().any(|(_, kept)| served(kept));
            let is_key = index.columns == table.key().columns;
            assert!(by_any, "nothing serves {} by {columns:?}", table.name);
            assert!(!index.unique || is_key || by_unique, "{} by {columns:?} is not kept unique", table.name);
        }
        for (name, (unique, columns)) in &postgres[table.name].indexes {
            assert!(!unique || columns[0] == "org", "{name} is unique across organizations");
        }
    }
}
