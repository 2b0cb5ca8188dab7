//! One table of cases for all stores: memory, SQLite and PostgreSQL behave alike.

use std::collections::BTreeMap;
use std::num::NonZeroU8;
use std::time::Duration;

use bursar::apps::AppMetrics;
use bursar::clock::{Clock, Time};
use bursar::engine::{Executor, Verdict, task, view};
use bursar::ids::{OrgId, Seeds};
use bursar::instance::Instance;
use bursar::jobs::Job;
use bursar::ledger::LedgerAccount;
use bursar::refusal::{Code, Refusal};
use bursar::store::{CommitError, Memory, Reads, Store};
use bursar::tables;
use bursar::users::User;
use bursar::world::query::{Compare, Direction, Query};
use bursar::world::record::Kind;
use bursar::world::{Key, Record, Row, RowsWanted, Table, TableChanges, Value, ValueRef, Want};
use uuid::Uuid;

use crate::harness::postgres::{Database, aside};
use crate::postgres::{COUNT, CountUp, ORG as COUNTED};

/// An opened store, and its guards.
struct Open {
    name: &'static str,
    store: Store,
    reads: Reads,
    _guards: Box<dyn std::any::Any>,
}

fn stores() -> Vec<Open> {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::new();
    let database = Database::new();
    let open = |name, opened: Instance, guards: Box<dyn std::any::Any>| {
        let (mut stores, reads, kept) = opened.into_parts();
        Open { name, store: stores.remove(0), reads, _guards: Box::new((guards, kept)) }
    };
    let sqlite = Instance::sqlite(&folder.path().join("x.sqlite"), true).unwrap();
    let postgres = aside(|| Instance::postgres(database.settings(), false, NonZeroU8::new(1))).unwrap();
    vec![
        open("memory", Instance::memory(&memory), Box::new(())),
        open("sqlite", sqlite, Box::new(folder)),
        open("postgres", postgres, Box::new(())),
    ]
}

/// A reproducible random generator.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut drawn = self.0;
        drawn = (drawn ^ (drawn >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        drawn = (drawn ^ (drawn >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (drawn ^ (drawn >> 31)) % bound
    }
}

const ORG: Uuid = Uuid::from_u128(7);

/// Returns a row of a table with few possible values, so that rows meet in indexes; some texts are unusual.
fn row(table: &Table, org: Uuid, chance: &mut Chance) -> Row {
    const TEXTS: [&str; 6] = ["", "a", "B", "ä💸", "line\nbreak", "'\"\\%_$1"];
    let cell = |kind: Kind, chance: &mut Chance| match kind {
        Kind::Id => Value::Id(Uuid::from_u128(u128::from(chance.below(5)) << 64)),
        Kind::Int => Value::Int(i64::try_from(chance.below(5)).unwrap() + 1),
        Kind::Bool => Value::Bool(chance.below(2) == 0),
        Kind::Time => Value::Time(Time::from_micros(i64::try_from(chance.below(4)).unwrap())),
        Kind::Text => Value::Text(TEXTS[usize::try_from(chance.below(6)).unwrap()].to_owned()),
        Kind::Bytes => Value::Bytes(vec![0, u8::try_from(chance.below(4)).unwrap(), 255]),
    };
    let mut cells: Row = table
        .columns
        .iter()
        .map(|column| if column.nullable && chance.below(3) == 0 { Value::Null } else { cell(column.kind, chance) })
        .collect();
    cells[table.key().columns[0]] = Value::Id(org);
    cells
}

fn changes(table: &'static Table) -> TableChanges {
    TableChanges { table, inserts: Vec::new(), updates: Vec::new(), changed: Vec::new(), deletes: Vec::new() }
}

/// Commits one batch; returns its outcome.
fn commit(open: &mut Open, changes: Vec<TableChanges>) -> &'static str {
    open.store.begin(&[OrgId(ORG)], &[]).unwrap();
    match open.store.commit(&changes, Time::from_micros(1)) {
        Ok(()) => "ok",
        Err(CommitError::Refused(_)) => "refused",
        Err(error @ (CommitError::Again(_) | CommitError::Full(_) | CommitError::Unknown(_))) => {
            panic!("{}: {error}", open.name)
        }
    }
}

fn all_of(table: &'static Table) -> Query {
    let condition = bursar::world::query::Condition {
        column: table.key().columns[0],
        compare: Compare::Equal,
        value: Value::Id(ORG),
    };
    let order = *table.key().columns.last().unwrap();
    Query {
        table,
        conditions: vec![condition],
        through: None,
        order,
        direction: Direction::Ascending,
        after: None,
        limit: 1_000,
    }
}

/// Returns every query that finds this row, and pages around it.
fn queries(table: &'static Table, row: &Row, chance: &mut Chance) -> Vec<Want> {
    let mut wants: Vec<Want> = table
        .indexes
        .iter()
        .filter(|index| Table::index_values(index, row).iter().all(|value| value != ValueRef::Null))
        .map(|index| Want::Rows(RowsWanted { table, index, values: Table::index_values(index, row) }))
        .collect();
    let order = *table.key().columns.last().unwrap();
    // Within one value of the key's first column, its last column is unique and defines the order.
    let mut page = all_of(table);
    for &column in table.key().columns[..table.key().columns.len() - 1].iter().skip(1) {
        page.conditions.push(bursar::world::query::Condition {
            column,
            compare: Compare::Equal,
            value: row[column].clone(),
        });
    }
    let direction = if chance.below(2) == 0 { Direction::Ascending } else { Direction::Descending };
    let after = (chance.below(2) == 0).then(|| row[order].clone());
    wants.push(Want::Page(Query { direction, after, limit: 3, ..page }));
    wants
}

/// Tables whose rows have more rules than their columns show.
const PARTICULAR: [&str; 4] = ["payout_requests", "payout_link_batches", "payout_link_batch_rows", "debts"];

#[test]
fn rows_of_every_table_are_kept_found_and_shown_alike() {
    let mut stores = stores();
    let mut chance = Chance(1);
    let (mut kept, mut refused) = (0, 0);
    for table in tables::ALL.iter().copied().filter(|table| !PARTICULAR.contains(&table.name)) {
        let mut known: BTreeMap<Key, Row> = BTreeMap::new();
        for _ in 0..12 {
            let row = row(table, ORG, &mut chance);
            let key = Table::index_values(table.key(), &row);
            let mut change = changes(table);
            match (known.contains_key(&key), chance.below(6)) {
                (true, 0) => change.deletes.push(key.clone()),
                // A second row with the same key, which every store refuses.
                (true, 1) | (false, _) => change.inserts.push(row.clone()),
                // No column is left that an update could change.
                (true, _) if table.key().columns.len() == table.columns.len() => change.deletes.push(key.clone()),
                (true, _) => change.updates.push(row.clone()),
            }
            let end = |open: &mut Open| {
                let TableChanges { table, inserts, updates, changed, deletes } = &change;
                let (inserts, updates, deletes) = (inserts.clone(), updates.clone(), deletes.clone());
                commit(open, vec![TableChanges { table, inserts, updates, changed: changed.clone(), deletes }])
            };
            let [memory, sqlite, postgres] = &mut stores[..] else { panic!("three stores") };
            let ended = end(sqlite);
            assert_eq!(end(postgres), ended, "{}: {change:?}", table.name);
            if ended == "ok" {
                // A schema may forbid more than the records, which memory does not check; never less.
                assert_eq!(end(memory), "ok", "{}: {change:?}", table.name);
                kept += 1;
                if change.deletes.is_empty() {
                    known.insert(key, row.clone())
                } else {
                    known.remove(&key)
                };
            } else {
                refused += 1;
            }
            let wants = queries(table, &row, &mut chance);
            let expected = stores[0].reads.load(&wants).unwrap();
            for open in &mut stores {
                let seen = open.reads.load(&wants).unwrap();
                assert_eq!(seen, expected, "{} in {}", table.name, open.name);
                let begun = open.store.begin(&[OrgId(ORG)], &wants).unwrap();
                assert_eq!(begun.answers, expected, "{} in {}", table.name, open.name);
                assert_eq!(open.store.load(&wants).unwrap(), expected, "{} in {}", table.name, open.name);
                open.store.abandon();
            }
        }
        let whole: Vec<Row> = known.into_values().collect();
        for open in &stores {
            let mut rows = open.reads.load(&[Want::Page(all_of(table))]).unwrap().remove(0);
            rows.sort_by_key(|row| Table::index_values(table.key(), row));
            assert_eq!(rows, whole, "{} in {}", table.name, open.name);
        }
    }
    assert!(kept > 200 && refused > 40, "{kept} kept, {refused} refused: the case has lost its edge");
}

/// On PostgreSQL many rows of a commit are one statement per table.
#[test]
fn many_rows_are_written_and_found_at_once() {
    let table = Job::TABLE;
    let mut chance = Chance(2);
    let rows: Vec<Row> = (1..=700_u128)
        .map(|number| {
            let mut row = row(table, ORG, &mut chance);
            row[table.position("id").unwrap()] = Value::Id(Uuid::from_u128(number));
            row
        })
        .collect();
    let key = |row: &Row| Table::index_values(table.key(), row);
    let wants: Vec<Want> = rows.iter().rev().map(|row| Want::row::<Job>(key(row))).collect();
    for mut open in stores() {
        assert_eq!(commit(&mut open, vec![TableChanges { inserts: rows.clone(), ..changes(table) }]), "ok");
        let mut changed = rows.clone();
        for row in &mut changed {
            row[table.position("fence").unwrap()] = Value::Int(99);
        }
        let deletes: Vec<Key> = changed.drain(..100).map(|row| key(&row)).collect();
        assert_eq!(commit(&mut open, vec![TableChanges { updates: changed.clone(), deletes, ..changes(table) }]), "ok");
        let found = open.reads.load(&wants).unwrap();
        let expected: Vec<Vec<Row>> =
            changed.iter().rev().map(|row| vec![row.clone()]).chain((0..100).map(|_| Vec::new())).collect();
        assert_eq!(found, expected, "{}", open.name);
    }
}

#[test]
fn a_refused_commit_leaves_nothing_in_any_table() {
    for mut open in stores() {
        let mut chance = Chance(3);
        let taken = row(User::TABLE, ORG, &mut chance);
        assert_eq!(
            commit(&mut open, vec![TableChanges { inserts: vec![taken.clone()], ..changes(User::TABLE) }]),
            "ok"
        );
        let job = row(Job::TABLE, ORG, &mut chance);
        let both = vec![
            TableChanges { inserts: vec![job.clone()], ..changes(Job::TABLE) },
            TableChanges { inserts: vec![taken], ..changes(User::TABLE) },
        ];
        assert_eq!(commit(&mut open, both), "refused", "{}", open.name);
        let want = Want::row::<Job>(Table::index_values(Job::TABLE.key(), &job));
        assert_eq!(open.reads.load(&[want]).unwrap(), [Vec::<Row>::new()], "{}", open.name);
        // And the store continues to work.
        assert_eq!(commit(&mut open, vec![TableChanges { inserts: vec![job], ..changes(Job::TABLE) }]), "ok");
    }
}

#[test]
fn a_snapshot_shows_everything_in_order_and_one_state() {
    for mut open in stores() {
        let mut accounts = Vec::new();
        for number in 1..=2_500_i64 {
            let mut chance = Chance(4);
            let mut account = row(LedgerAccount::TABLE, ORG, &mut chance);
            let mut set = |name: &str, value| account[LedgerAccount::TABLE.position(name).unwrap()] = value;
            set("id", Value::Id(Uuid::from_u128(u128::try_from(5_000 - number).unwrap())));
            set("number", Value::Int(number));
            set("kind", Value::Text("app_wallet".to_owned()));
            set("platform", Value::Null);
            accounts.push(account);
        }
        let inserts = accounts.clone();
        assert_eq!(commit(&mut open, vec![TableChanges { inserts, ..changes(LedgerAccount::TABLE) }]), "ok");
        accounts.sort();
        let mut seen: Vec<Row> = Vec::new();
        let gone = Table::index_values(LedgerAccount::TABLE.key(), &accounts[0]);
        let reads = open.reads.clone();
        let is_memory = open.name == "memory";
        reads
            .snapshot(|snapshot| {
                // The first read fixes the snapshot.
                assert!(snapshot.get::<LedgerAccount>(&gone)?.is_some());
                if !is_memory {
                    let deletes = vec![gone.clone()];
                    assert_eq!(
                        commit(&mut open, vec![TableChanges { deletes, ..changes(LedgerAccount::TABLE) }]),
                        "ok"
                    );
                }
                assert!(snapshot.get::<LedgerAccount>(&gone)?.is_some(), "what is committed later is another state");
                snapshot.each::<LedgerAccount>(|account| {
                    seen.push(account.values());
                    Ok(())
                })
            })
            .unwrap();
        assert_eq!(seen.len(), accounts.len(), "{}", open.name);
        seen.sort();
        assert_eq!(seen, accounts, "{}", open.name);
    }
}

/// Queries for values that no row has.
#[test]
fn nothing_is_found_by_what_nothing_has() {
    for open in stores() {
        let index = User::TABLE.indexes[1];
        assert!(index.unique && index.columns.len() == 2, "users are found by their phone");
        for value in [Value::Null, Value::Text("a\0b".to_owned()), Value::Text("none".to_owned())] {
            let values = [Value::Id(ORG), value].iter().collect();
            let want = Want::Rows(RowsWanted { table: User::TABLE, index, values });
            assert_eq!(open.reads.load(&[want]).unwrap(), [Vec::<Row>::new()], "{}", open.name);
        }
    }
}

/// The next batch is decided while one is written: it must not depend on a refused write.
#[test]
fn over_sqlite_one_that_is_refused_costs_neither_its_batch_nor_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.sqlite");
    let (mut stores, reads, _guards) = Instance::sqlite(&path, true).unwrap().into_parts();
    for act in ["INSERT", "UPDATE"] {
        let refuse = format!(
            "CREATE TRIGGER full_{act} BEFORE {act} ON app_metrics WHEN NEW.connected_users >= 100 \
             BEGIN SELECT RAISE(ABORT, 'full'); END"
        );
        rusqlite::Connection::open(&path).unwrap().execute_batch(&refuse).unwrap();
    }
    let mut executor = Executor::new(stores.remove(0), Clock::wall(), Seeds::System);
    let (said, heard) = std::sync::mpsc::channel();
    let mut number = 0;
    let mut batch = |commands: &[CountUp]| -> Vec<_> {
        let tasks = commands.iter().map(|command| {
            number += 1;
            let (said, number) = (said.clone(), number);
            task(COUNTED, command.clone(), move |outcome: Result<i64, Refusal>| {
                said.send((number, outcome.map_err(|refusal| refusal.code))).unwrap();
            })
        });
        tasks.collect()
    };
    for commands in [&[COUNT, CountUp(1_000), COUNT][..], &[COUNT, COUNT], &[COUNT]] {
        assert_eq!(executor.decide_ahead(batch(commands)), Verdict::GoOn);
    }
    assert_eq!(executor.finish_commits(), Verdict::GoOn);
    // The callers are answered right after the executor.
    let reported = (0..6).map(|_| heard.recv_timeout(Duration::from_secs(10)));
    let reported: BTreeMap<i32, Result<i64, Code>> = reported.collect::<Result<_, _>>().unwrap();
    let reported: Vec<_> = reported.into_values().collect();
    assert_eq!(reported, [Ok(1), Err(Code::InternalError), Ok(2), Ok(3), Ok(4), Ok(5)]);
    let stored = view(&reads, Time::from_micros(1), |world| {
        let metrics =
            world.get::<AppMetrics>([Value::Id(COUNTED.0), Value::Id(Uuid::from_u128(1))].iter().collect())?;
        Ok(metrics.map(|metrics| metrics.connected_users))
    });
    assert_eq!(stored.unwrap(), Some(5));
}
