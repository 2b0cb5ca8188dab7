//! Migrated databases of the version before limits counted all transfers: their daily sums.

use crate::harness::bursar;
use crate::harness::postgres::{Cluster, Database};

/// A transfer of the earlier version: its kind, status and amount, whether a link created it, its payer, and its time.
type Moved = (&'static str, &'static str, i64, bool, Option<(&'static str, u8)>, i64);

/// The last microsecond of 2026-03-02, and the first of the day after it.
const MONDAY: i64 = 1_772_495_999_999_999;
const TUESDAY: i64 = 1_772_496_000_000_000;

const MOVED: [Moved; 12] = [
    ("payout", "completed", 100, false, None, MONDAY),
    ("payable", "completed", 7, false, None, MONDAY),
    ("payable", "failed", 3_000, false, None, MONDAY),
    ("balance", "completed", -8, false, None, MONDAY),
    ("balance", "completed", 3_000, false, None, MONDAY),
    ("balance", "completed", -3_000, true, None, MONDAY),
    ("refill", "completed", -3_000, false, None, MONDAY),
    ("payment", "completed", 30, false, Some(("user_id", 5)), MONDAY),
    ("payment", "pending", 1, false, Some(("user_id", 5)), MONDAY),
    ("payment", "canceled", 3_000, false, Some(("user_id", 5)), MONDAY),
    ("payment", "completed", 40, false, Some(("customer", 6)), TUESDAY),
    ("payment", "completed", 2, false, None, TUESDAY),
];

fn id(number: usize) -> String {
    format!("'{number:032}'::uuid")
}

#[test]
fn a_database_of_before_keeps_the_sums_of_its_days() {
    migrated_from(40, &[]);
}

/// The migration was interrupted before it dropped the old columns, and the earlier version paid out more.
#[test]
fn sums_of_a_migration_that_was_interrupted_are_made_again() {
    let stale = format!(
        "INSERT INTO limit_days (org, app, measure, payer, day, total) VALUES ({}, {}, 'payout', {}, '2026-03-02', 1)",
        id(1),
        id(9),
        id(0)
    );
    migrated_from(41, &[stale]);
}

/// Fills a database of this version, migrates it, and checks its sums.
fn migrated_from(version: i32, filled: &[String]) {
    let database: Database = Cluster::single().bare();
    database.migrate_to(version);
    // In two organizations, so that nothing is added up across them.
    for org in [1, 2] {
        database.run(&format!(
            "INSERT INTO payout_days (org, app, day, total) VALUES ({0}, {1}, '2026-03-02', 120), ({0}, {1}, '2026-03-03', 4)",
            id(org),
            id(9)
        ));
        for (number, (kind, status, amount, by_link, payer, at)) in MOVED.into_iter().enumerate() {
            let link = if by_link { id(8) } else { "NULL".to_owned() };
            let (column, payer) =
                payer.map_or(("user_id", "NULL".to_owned()), |(column, payer)| (column, id(payer.into())));
            database.run(&format!(
                "INSERT INTO transfers (org, id, app, kind, status, amount, payout_link, {column}, fee, platform_fee, fx_fee, \
                 arrives, tax_exempt, version, created_at, updated_at) VALUES ({}, {}, {}, '{kind}', '{status}', {amount}, \
                 {link}, {payer}, 0, 0, 0, {amount}, FALSE, 1, {at}, {at})",
                id(org),
                id(100 + number),
                id(9),
            ));
        }
    }
    for statement in filled {
        database.run(statement);
    }
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let migrated = bursar(&["migrate", "--database-url", &database.url(), "--data-dir", data]).output().unwrap();
    assert!(migrated.status.success(), "{}", String::from_utf8_lossy(&migrated.stderr));
    let sums = "SELECT right(org::text, 1) || ' ' || measure || ' ' || right(payer::text, 1) || ' ' || day || ' ' || total \
        FROM limit_days ORDER BY 1";
    let of_one = [
        "payable 0 2026-03-02 7",
        "payer_payment 5 2026-03-02 31",
        "payer_payment 6 2026-03-03 40",
        "payment 0 2026-03-02 31",
        "payment 0 2026-03-03 42",
        "payout 0 2026-03-02 120",
        "payout 0 2026-03-03 4",
        "transfer 0 2026-03-02 8",
    ];
    let expected: Vec<_> = [1, 2].iter().flat_map(|org| of_one.map(|sum| format!("{org} {sum}"))).collect();
    let mut found = database.run(sums);
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(database.run("SELECT to_regclass('payout_days')"), [""], "what nothing reads is gone");
}
