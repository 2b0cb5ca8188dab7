//! A database at SERIALIZABLE, the only level of some engines: a conflicting batch is refused there and retried, and no
//! caller notices.

use std::time::{Duration, Instant};

use crate::harness::postgres::{Database, aside};
use crate::postgres::{COUNT, ORG, batch, count, executor, isolated, race, slow_updates};

/// Returns the number of transactions that the server has rolled back. A session reports it when it ends.
fn taken_back(database: &Database) -> u64 {
    database.run("SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()")[0].parse().unwrap()
}

/// Lets two executors count at once, each with the locks before it reads; returns the count.
fn race_with_locks(database: &Database) -> i64 {
    let count_many = || {
        let mut executor = executor(database.settings());
        for _ in 0..150 {
            executor.run_one(ORG, COUNT).unwrap();
        }
    };
    std::thread::scope(|scope| {
        let racing = [scope.spawn(count_many), scope.spawn(count_many)];
        racing.into_iter().for_each(|thread| thread.join().unwrap());
    });
    count(database)
}

/// Waits for a condition.
fn until(what: &str, mut so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !so() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it never is: {what}");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waited_for_an_organization_in_vain_begins_again_until_it_is_done() {
    let database = aside(Database::new);
    isolated(&database, "serializable");
    slow_updates(&database);
    let (done, counted) = race(database.settings(), &database).await;
    assert_eq!((done, counted), (301, 301), "each command succeeded, and nothing was lost");
    assert_eq!(aside(|| race_with_locks(&database)), 601);
    // The negative control: they did conflict.
    aside(|| until("the server refuses a batch that conflicts", || taken_back(&database) > 0));

    // At the usual level the same race retries nothing.
    let database = aside(Database::new);
    isolated(&database, "read committed");
    slow_updates(&database);
    assert_eq!(aside(|| race_with_locks(&database)), 300);
    let left = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'bursar'";
    aside(|| until("all sessions have ended", || database.run(left).is_empty()));
    assert_eq!(taken_back(&database), 0);
}

/// Another transaction reads the batch's writes, writes in its reads, and commits at the same time: the batch's COMMIT
/// fails.
#[test]
fn a_commit_that_cannot_be_serialized_is_made_again() {
    let database = Database::new();
    isolated(&database, "serializable");
    let mut executor = executor(database.settings());
    assert_eq!(batch(&mut executor, &[COUNT]), [Ok(1)]);
    // Each counted commit takes a number, which no rollback returns, and waits for the test.
    database.run("CREATE SEQUENCE commits");
    database.run(
        "CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS \
         'BEGIN PERFORM nextval(''commits''); PERFORM pg_advisory_xact_lock(7); RETURN NULL; END'",
    );
    database.run("CREATE CONSTRAINT TRIGGER held AFTER UPDATE ON app_metrics DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION held()");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let other = runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&database.url(), tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    });
    let other = |sql: &str| runtime.block_on(other.batch_execute(sql)).unwrap();
    other("SELECT pg_advisory_lock(7)");
    other("BEGIN; SELECT * FROM app_metrics");
    std::thread::scope(|scope| {
        let counted = scope.spawn(|| batch(&mut executor, &[COUNT]));
        until("the batch commits", || {
            !database.run("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").is_empty()
        });
        other(&format!(
            "INSERT INTO app_metrics (org, app, money_out, connected_users) VALUES ('{}', gen_random_uuid(), 0, 0); COMMIT",
            ORG.0
        ));
        other("SELECT pg_advisory_unlock(7)");
        assert_eq!(counted.join().unwrap(), [Ok(2)]);
    });
    assert_eq!(database.run("SELECT last_value FROM commits"), ["2"], "the first commit failed");
    database.run("DELETE FROM app_metrics WHERE connected_users = 0");
    assert_eq!(count(&database), 2);
}
