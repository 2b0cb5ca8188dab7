//! Several hosts in one URL, one of which is out of date: it is silent, or its commits have an unknown outcome.

use std::num::NonZeroU8;
use std::time::{Duration, Instant};

use bursar::apps::AppMetrics;
use bursar::clock::Clock;
use bursar::engine::Executor;
use bursar::ids::Seeds;
use bursar::refusal::Code;
use bursar::store::postgres::Settings;
use bursar::store::{Postgres, Reads, Store};
use bursar::world::{Value, Want};
use uuid::Uuid;

use crate::harness::postgres::Cluster;
use crate::postgres::{COUNT, CountUp, ORG, batch, end_the_commit, executor, wait_for};

/// Opens an executor and readers that share the state of their hosts.
fn open(settings: Settings) -> (Executor, Reads) {
    let Postgres { mut writers, readers, .. } = Postgres::open(settings, false, NonZeroU8::new(1)).unwrap();
    let store = Store::Postgres(Box::new(writers.pop().unwrap()));
    (Executor::new(store, Clock::wall(), Seeds::System), Reads::Postgres(readers))
}

/// Returns the count of [`COUNT`] in the view of readers.
fn read(reads: &Reads) -> Option<Value> {
    let key = [Value::Id(ORG.0), Value::Id(Uuid::from_u128(1))].iter().collect();
    let found = reads.load(&[Want::row::<AppMetrics>(key)]).unwrap();
    found[0].first().and_then(|row| row.last().cloned())
}

/// A primary that has lost its standbys and its role without noticing: it accepts writes that never end. Another is
/// primary, and has more data.
#[test]
fn a_host_that_does_not_say_what_became_of_a_commit_is_asked_last_and_not_read_from() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [old, new] = folders.each_ref().map(|folder| Cluster::own(folder.path()));
    let lost = old.database();
    // They have one name, like the two of a cluster.
    new.run("postgres", &format!("CREATE DATABASE {} TEMPLATE bursar_template", lost.name));
    let socket = |cluster: &Cluster| cluster.folder().join("socket").display().to_string().replace('/', "%2F");
    let hosts = |clusters: &[&Cluster]| {
        let hosts: Vec<String> = clusters.iter().map(|cluster| socket(cluster)).collect();
        Settings::parse(&format!("postgres://bursar@{}/{}", hosts.join(","), lost.name)).unwrap()
    };
    assert_eq!(batch(&mut executor(hosts(&[&new])), &[CountUp(10)]), [Ok(10)]);

    let (mut executor, reads) = open(hosts(&[&old, &new]));
    assert_eq!(batch(&mut executor, &[COUNT]), [Ok(1)], "the first is asked first");
    assert_eq!(read(&reads), Some(Value::Int(1)));
    wait_for(&lost, "nobody");
    let ended = end_the_commit(&lost, "pg_terminate_backend");
    assert_eq!(batch(&mut executor, &[COUNT]), [Err(Code::OutcomeUnknown)]);
    ended.join().unwrap();
    let begun = Instant::now();
    assert_eq!(batch(&mut executor, &[COUNT]), [Ok(11)], "the other is asked first now");
    assert_eq!(read(&reads), Some(Value::Int(11)), "and nothing is read from the one of before");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

/// The system accepts its connections, but no process responds.
#[test]
fn a_stalled_server_is_detected_quickly() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = Cluster::own(folder.path());
    let (mut executor, reads) = open(cluster.database().settings());
    assert_eq!(batch(&mut executor, &[COUNT]), [Ok(1)]);
    assert!(reads.reachable().is_ok());
    let all = "server=$(head -n 1 data/postmaster.pid); kill -$SIGNAL $server $(pgrep -P $server)";
    cluster.script(&format!("SIGNAL=STOP; {all}"));
    for _ in 0..2 {
        let begun = Instant::now();
        assert!(reads.reachable().is_err());
        assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
    }
    assert_eq!(batch(&mut executor, &[COUNT]), [Err(Code::ServiceUnavailable)]);
    cluster.script(&format!("SIGNAL=CONT; {all}"));
    let begun = Instant::now();
    while batch(&mut executor, &[COUNT]) != [Ok(2)] {
        assert!(begun.elapsed() < Duration::from_secs(20), "it does not come back");
    }
    assert!(reads.reachable().is_ok());
}
