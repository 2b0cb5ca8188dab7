//! PgBouncer between the program and the server, with a connection for each transaction. `make pgbouncer` runs the
//! API's tests through it.

use std::time::{Duration, Instant};

use bursar::refusal::Code;
use bursar::store::postgres::Settings;

use crate::harness::postgres::{Cluster, Database, aside};
use crate::postgres::{COUNT, batch, count, executor, two_programs_race};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_programs_race_through_a_pooler_as_without_and_leave_nothing_on_its_connections() {
    let folder = tempfile::tempdir().unwrap();
    let database = aside(|| Cluster::own(folder.path())).database();
    Box::pin(two_programs_race(database.pooled())).await;
    // The next client of such a connection finds it in its initial state.
    let anew = |sql: &str| database.run(sql);
    let as_found = |sql: &str| aside(|| pooler_of(&database).run(&database.name, sql));
    for sql in [
        "SELECT string_agg(name || setting, ',' ORDER BY name) FROM pg_settings \
         WHERE (source NOT IN ('client', 'default') OR name IN ('lock_timeout', 'plan_cache_mode', 'synchronous_commit')) \
         AND name <> 'application_name'",
        "SELECT count(*) FROM pg_prepared_statements",
    ] {
        let expected = anew(sql);
        for _ in 0..20 {
            assert_eq!(as_found(sql), expected);
        }
    }
    let served = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let connections: usize = anew(served)[0].parse().unwrap();
    assert!((1..=8).contains(&connections), "{connections}: the pooler has eight for a database");
}

/// Returns the pooler of a database's server, in the view of a client.
fn pooler_of(database: &Database) -> Cluster {
    let pooler = database.cluster.folder().join("pooler");
    Cluster::elsewhere(format!("postgres:///{{}}?user=bursar&host={}", pooler.display()))
}

#[test]
fn a_commit_whose_pooler_dies_is_unknown_and_service_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = Cluster::own(folder.path());
    let database = cluster.database();
    let settings: Settings = database.pooled();
    let mut executor = executor(settings);
    assert_eq!(batch(&mut executor, &[COUNT]), [Ok(1)]);
    // A slow commit, to be interrupted.
    database.run(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(2); RETURN NULL; END'",
    );
    database.run("CREATE CONSTRAINT TRIGGER slow AFTER UPDATE ON app_metrics DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()");
    let commits =
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query = 'COMMIT' AND state = 'active'";
    std::thread::scope(|scope| {
        let killed = scope.spawn(|| {
            let begun = Instant::now();
            while database.run(commits).is_empty() {
                assert!(begun.elapsed() < Duration::from_secs(20), "nobody commits");
            }
            cluster.kill_pooler();
        });
        assert_eq!(batch(&mut executor, &[COUNT]), [Err(Code::OutcomeUnknown)]);
        killed.join().unwrap();
    });
    assert_eq!(batch(&mut executor, &[COUNT]), [Err(Code::ServiceUnavailable)], "nobody is there");
    cluster.start_pooler();
    database.run("ALTER TABLE app_metrics DISABLE TRIGGER slow");
    let begun = Instant::now();
    // The server continued without the pooler: the unknown commit is done.
    while batch(&mut executor, &[COUNT]) != [Ok(3)] {
        assert!(begun.elapsed() < Duration::from_secs(10), "it does not come back");
    }
    assert_eq!(count(&database), 3);
}
