//! Cached plans of the server: a plan for an empty table must not be used after it has grown.

use std::time::{Duration, Instant};

use crate::harness::postgres::Database;
use crate::postgres::{COUNT, ORG, batch, executor};

/// Rows that are added while plans are cached.
const ROWS: u64 = 100_000;

/// While a table is empty, reading all rows of the organization costs as much as reading one by its key. The test
/// counts index entries that are read, so its speed does not matter; and the server does not analyze the table during
/// the test, which would also renew the plans.
#[test]
fn a_plan_of_an_empty_table_is_replaced_when_the_table_has_grown() {
    let database = Database::new();
    database.run("ALTER TABLE app_metrics SET (autovacuum_enabled = false)");
    let mut executor = executor(database.settings());
    let mut count_up = |times: i64| (0..times).for_each(|_| assert!(batch(&mut executor, &[COUNT])[0].is_ok()));
    count_up(4);
    database.run(&format!(
        "INSERT INTO app_metrics (org, app, money_out, connected_users) \
         SELECT '{}', gen_random_uuid(), 0, 0 FROM generate_series(1, {ROWS})",
        ORG.0
    ));
    // The 8th renews its plans.
    count_up(40);
    drop(executor);
    // A session reports its reads when it ends.
    let left = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'bursar'";
    let begun = Instant::now();
    while !database.run(left).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it does not end");
        std::thread::park_timeout(Duration::from_millis(20));
    }
    let read = "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'app_metrics'";
    let read: u64 = database.run(read)[0].parse().unwrap();
    println!("{read} entries of indexes were read");
    assert!(read > ROWS, "the plans of the empty table find all rows: without that this test cannot fail");
    assert!(read < 10 * ROWS, "{read} entries were read: the 5th to the 7th may read all rows, twice each");
}
