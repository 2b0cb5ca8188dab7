//! Cached plans of the server: a plan for an empty table must not be used after it has grown.

use std::time::{Duration, Instant};

use crate::harness::postgres::Database;
use crate::postgres::{COUNT, ORG, batch, executor};

/// Rows that are added while plans are cached.
const ROWS: u64 = 100_000;

/// While a table is empty, reading all rows of the organization costs as much as reading one by its key. A plan from
/// then is never kept: neither for look-ups nor for updates. The test counts index entries that are read, so its speed
/// does not matter; and the server does not analyze the table during the test, which would also renew the plans.
#[test]
fn a_plan_of_an_empty_table_is_not_used_when_the_table_has_grown() {
    let database = Database::new();
    database.run("ALTER TABLE app_metrics SET (autovacuum_enabled = false)");
    let mut executor = executor(database.settings());
    let mut count_up = |times: i64| (0..times).for_each(|_| assert!(batch(&mut executor, &[COUNT])[0].is_ok()));
    // Enough for `plan_cache_mode = auto` to keep a plan, which it makes at the sixth use.
    count_up(12);
    database.run(&format!(
        "INSERT INTO app_metrics (org, app, money_out, connected_users) \
         SELECT '{}', gen_random_uuid(), 0, 0 FROM generate_series(1, {ROWS})",
        ORG.0
    ));
    count_up(40);
    // From the 65th on plans are kept; those are of the table as it is now.
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
    assert!(
        read < ROWS,
        "{read} entries of indexes were read: a plan of the empty table reads all {ROWS} rows each time"
    );
}

/// The control: with the organization as a constant, a kept plan of the empty table joins each row with all of them.
#[test]
fn a_plan_of_an_empty_table_is_kept_by_the_server() {
    let database = Database::new();
    database.run("ALTER TABLE app_metrics SET (autovacuum_enabled = false)");
    let org = ORG.0;
    let kept = format!("EXECUTE kept('{org}', ARRAY['{org}']::uuid[]); ").repeat(8);
    let seen = database.run(&format!(
        "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET plan_cache_mode = auto; \
         PREPARE kept(uuid, uuid[]) AS UPDATE app_metrics t SET connected_users = 1 \
         FROM unnest($2) AS n (app) WHERE t.org = $1 AND t.app = n.app; {kept} \
         INSERT INTO app_metrics (org, app, money_out, connected_users) \
         SELECT '{org}', gen_random_uuid(), 0, 0 FROM generate_series(1, {ROWS}); \
         EXPLAIN EXECUTE kept('{org}', ARRAY['{org}']::uuid[])"
    ));
    assert!(seen.iter().any(|line| line.contains("Join Filter")), "{seen:#?}");
}
