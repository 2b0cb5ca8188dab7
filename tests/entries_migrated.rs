//! Migrated stores of the version before transactions contained their entries: the balances after each transaction.

use bursar::store::{Sqlite, sqlite};

use crate::harness::bursar;
use crate::harness::postgres::{Cluster, Database};

/// In two organizations with the same accounts, numbers and other balances: 50.00 from account 8 to 9, then 20.00 from 9 to
/// 7. The second transaction of organization 2 lost an entry.
const BEFORE: [&str; 2] = [
    "INSERT INTO transactions (org, number, posting, kind, amount, source, destination, source_name, destination_name, created_at) \
     VALUES ({1}, 1, {5}, 'refill', 5000, {8}, {9}, 'a', 'b', 1), ({1}, 2, {5}, 'balance', 2000, {9}, {7}, 'b', 'c', 1), \
        ({2}, 1, {5}, 'refill', 5001, {8}, {9}, 'a', 'b', 1), ({2}, 2, {5}, 'balance', 2000, {9}, {7}, 'b', 'c', 1)",
    "INSERT INTO ledger_entries (org, account, number, amount, balance_after, created_at) \
     VALUES ({1}, {8}, 1, -5000, -5000, 1), ({1}, {9}, 1, 5000, 5000, 1), ({1}, {9}, 2, -2000, 3000, 1), ({1}, {7}, 2, 2000, 2000, 1), \
        ({2}, {8}, 1, -5001, -5001, 1), ({2}, {9}, 1, 5001, 5001, 1), ({2}, {9}, 2, -2000, 3001, 1)",
];
const BALANCES: &str =
    "SELECT number || ' ' || source_balance || ' ' || destination_balance FROM transactions ORDER BY org, number";
const AFTER: [&str; 4] = ["1 -5000 5000", "2 3000 2000", "1 -5001 5001", "2 3001 0"];

fn written(sql: &str, id: fn(&str) -> String) -> String {
    let place = regex::Regex::new(r"\{(\d)\}").unwrap();
    place.replace_all(sql, |found: &regex::Captures<'_>| id(&found[1])).into_owned()
}

#[test]
fn an_embedded_store_of_before_keeps_the_balances_after_its_transactions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("before.sqlite");
    let mut connection = rusqlite::Connection::open(&path).unwrap();
    sqlite::schema::migrate(&mut connection, 68).unwrap();
    for sql in BEFORE {
        connection.execute_batch(&written(sql, |number| format!("x'{number:0>32}'"))).unwrap();
    }
    drop(connection);
    drop(Sqlite::open(&path, true).unwrap());
    let connection = rusqlite::Connection::open(&path).unwrap();
    let mut statement = connection.prepare(BALANCES).unwrap();
    let found: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(found, AFTER);
    assert!(connection.prepare("SELECT 1 FROM ledger_entries").is_err(), "what nothing reads is dropped");
}

#[test]
fn a_database_of_before_keeps_the_balances_after_its_transactions() {
    let database: Database = Cluster::single().bare();
    database.migrate_to(68);
    for sql in BEFORE {
        database.run(&written(sql, |number| format!("'{number:0>32}'::uuid")));
    }
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let migrated = bursar(&["migrate", "--database-url", &database.url(), "--data-dir", data]).output().unwrap();
    assert!(migrated.status.success(), "{}", String::from_utf8_lossy(&migrated.stderr));
    assert_eq!(database.run(BALANCES), AFTER);
    assert_eq!(database.run("SELECT to_regclass('ledger_entries')"), [""], "what nothing reads is dropped");
}
