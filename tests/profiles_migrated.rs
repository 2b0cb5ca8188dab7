//! Migrated stores of the version before apps had profiles of payees: the data of each app (docs/internals/adr/0038).

use bursar::store::{Sqlite, sqlite};

use crate::harness::bursar;
use crate::harness::postgres::{Cluster, Database};

/// A store of the version before apps had profiles: one organization, apps A and B, and four users. User 1 is known to
/// A only; 2 was known to both when one of them added a method; 3 was known to A at that time; 4 chose it in claims of
/// both.
const BEFORE: &str = "
    INSERT INTO users (org, id, phone_e164, email, status, auto_payout_enabled, default_payout_method, metadata, \
        payout_options_exclude_list, compliance, version, created_at) VALUES \
        ({0}, {1}, '+11', 'one', 'unverified', TRUE, {11}, 'note', '[\"wire\"]', '{}', 7, 1), \
        ({0}, {2}, '+12', NULL, 'verified', TRUE, {12}, NULL, '[]', '{}', 3, 1), \
        ({0}, {3}, '+13', NULL, 'verified', TRUE, {13}, NULL, '[]', '{}', 3, 1), \
        ({0}, {4}, '+14', NULL, 'verified', TRUE, {14}, NULL, '[]', '{}', 3, 1);
    INSERT INTO app_users (org, app, user_id, connected_at) VALUES ({0}, {8}, {1}, 1), ({0}, {8}, {2}, 1), ({0}, {9}, {2}, 2), \
        ({0}, {8}, {3}, 1), ({0}, {9}, {3}, 9), ({0}, {8}, {4}, 1), ({0}, {9}, {4}, 2);
    INSERT INTO payout_methods (org, id, user_id, platform, description, mask, sealed_details, fingerprint, currency, rtp_enabled, \
        in_use, created_at, version) VALUES \
        ({0}, {11}, {1}, 'ach', 'Account', 'm1', {b:1}, {b:1}, 'USD', FALSE, TRUE, 5, 1), \
        ({0}, {12}, {2}, 'ach', 'Account', 'm2', {b:2}, {b:2}, 'USD', FALSE, TRUE, 5, 1), \
        ({0}, {13}, {3}, 'ach', 'Account', 'm3', {b:3}, {b:3}, 'USD', FALSE, TRUE, 5, 1), \
        ({0}, {14}, {4}, 'ach', 'Account', 'm4', {b:4}, {b:4}, 'USD', FALSE, TRUE, 5, 1);
    INSERT INTO claim_sessions (org, id, app, link, secret_hash, user_id, asks_profile, asks_compliance, payout_method, created_at, \
        expires_at) VALUES ({0}, {21}, {8}, {31}, {b:5}, {4}, FALSE, FALSE, {14}, 5, 6), \
        ({0}, {22}, {9}, {32}, {b:6}, {4}, FALSE, FALSE, {14}, 7, 8);
";

/// Formats ids and bytes for a store.
fn written(sql: &str, id: fn(u8) -> String, bytes: fn(u8) -> String) -> String {
    let place = regex::Regex::new(r"\{(b:)?(\d+)\}").unwrap();
    let number = |found: &regex::Captures<'_>| found[2].parse().unwrap();
    let write = |found: &regex::Captures<'_>| {
        if found.get(1).is_some() { bytes(number(found)) } else { id(number(found)) }
    };
    place.replace_all(sql, write).into_owned()
}

/// The profiles and methods after the migration: the end of each id, and the other differing fields.
const PROFILES: [&str; 7] = [
    "1 8 TRUE m1 note 7",
    "2 8 FALSE - - 3",
    "2 9 FALSE - - 3",
    "3 8 TRUE m3 - 3",
    "3 9 FALSE - - 3",
    "4 8 TRUE m4 - 3",
    "4 9 TRUE m4 - 3",
];
const METHODS: [&str; 6] = ["m1 8 app", "m2 8 unknown", "m2 9 unknown", "m3 8 app", "m4 8 payee", "m4 9 payee"];

const ASKED: [&str; 3] = [
    "SELECT right({p.user_id}, 1) || ' ' || right({p.app}, 1) || ' ' || CASE WHEN p.auto_payout_enabled THEN 'TRUE' ELSE 'FALSE' END \
        || ' ' || coalesce(m.mask, '-') || ' ' || coalesce(p.metadata, '-') || ' ' || p.version FROM app_users p \
        LEFT JOIN payout_methods m ON m.org = p.org AND m.id = p.default_payout_method AND m.app = p.app ORDER BY 1",
    "SELECT p.mask || ' ' || right({p.app}, 1) || ' ' || p.origin FROM payout_methods p ORDER BY 1",
    "SELECT right({p.id}, 1) || ' ' || coalesce(right({p.phone_app}, 1), '-') || coalesce(right({p.email_app}, 1), '-') FROM users p \
        ORDER BY 1",
];

/// The app that set unverified contact data: the only app. The phones of users 2 to 4 have no known author.
const CONTACTS: [&str; 4] = ["1 88", "2 --", "3 --", "4 --"];

#[test]
fn an_embedded_store_of_before_gives_each_app_what_is_known_to_be_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("before.sqlite");
    let mut connection = rusqlite::Connection::open(&path).unwrap();
    sqlite::schema::migrate(&mut connection, 31).unwrap();
    let id = |number: u8| format!("x'{number:032}'");
    connection.execute_batch(&written(BEFORE, id, |number| format!("x'{number:02}'"))).unwrap();
    drop(connection);
    drop(Sqlite::open(&path, true).unwrap());
    let connection = rusqlite::Connection::open(&path).unwrap();
    let column = regex::Regex::new(r"right\(\{([a-z._]+)\}, 1\)").unwrap();
    let list = |sql: &str| -> Vec<String> {
        let sql = column.replace_all(sql, "nullif(substr(hex($1), -1), '')");
        let mut statement = connection.prepare(&sql).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(list(ASKED[0]), PROFILES);
    assert_eq!(list(ASKED[1]), METHODS);
    assert_eq!(list(ASKED[2]), CONTACTS);
}

#[test]
fn a_database_of_before_gives_each_app_what_is_known_to_be_its_own() {
    let database: Database = Cluster::single().bare();
    database.migrate_to(31);
    let id = |number: u8| format!("'{number:032}'::uuid");
    database.run(&written(BEFORE, id, |number| format!("'\\x{number:02}'::bytea")));
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let migrated = bursar(&["migrate", "--database-url", &database.url(), "--data-dir", data]).output().unwrap();
    assert!(migrated.status.success(), "{}", String::from_utf8_lossy(&migrated.stderr));
    let column = regex::Regex::new(r"\{([a-z._]+)\}").unwrap();
    let list = |sql: &str| database.run(&column.replace_all(sql, "$1::text"));
    assert_eq!(list(ASKED[0]), PROFILES);
    assert_eq!(list(ASKED[1]), METHODS);
    assert_eq!(list(ASKED[2]), CONTACTS);
}
