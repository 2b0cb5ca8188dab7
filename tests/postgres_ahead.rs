//! Batches over PostgreSQL that are decided while another one is written: no update is lost, also with another process in between.

use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use bursar::apps::AppMetrics;
use bursar::clock::{Clock, Time};
use bursar::engine::{Command, Engine, Executor, Task, Verdict, task};
use bursar::ids::{OrgId, Seeds};
use bursar::refusal::{Code, Refusal};
use bursar::store::postgres::Settings;
use bursar::world::query::Query;
use bursar::world::{Halt, Value, Want, World};
use futures::future::join_all;
use uuid::Uuid;

use crate::harness::postgres::{Database, aside};
use crate::postgres::{ORG, executor, store};
use crate::postgres_organizations::CountOf;
use crate::postgres_processes::until;

const OTHER: OrgId = OrgId(Uuid::from_u128(2));

type Heard = (u128, Result<i64, Code>);

/// An executor whose batches are decided ahead.
struct Ahead {
    executor: Executor,
    said: Sender<Heard>,
    heard: Receiver<Heard>,
    /// Commands whose results were not collected.
    asked: usize,
}

impl Ahead {
    fn over(database: &Database) -> Self {
        Self::with(database.settings())
    }

    fn with(settings: Settings) -> Self {
        let (said, heard) = channel();
        Self { executor: executor(settings), said, heard, asked: 0 }
    }

    /// Counts one for each organization, in one batch.
    fn count(&mut self, organizations: &[OrgId]) {
        let tasks = organizations.iter().map(|&org| self.task(org, CountOf(org))).collect();
        self.decide(tasks);
    }

    fn task<C: Command<Reply = i64>>(&self, org: OrgId, command: C) -> Box<dyn Task> {
        let said = self.said.clone();
        task(org, command, move |outcome: Result<i64, Refusal>| {
            said.send((org.0.as_u128(), outcome.map_err(|refusal| refusal.code))).unwrap();
        })
    }

    fn decide(&mut self, tasks: Vec<Box<dyn Task>>) {
        self.asked += tasks.len();
        assert_eq!(self.executor.decide_ahead(tasks), Verdict::GoOn);
    }

    /// Waits for the pending commit; returns all results.
    fn finish(&mut self) -> Vec<Heard> {
        assert_eq!(self.executor.finish_commits(), Verdict::GoOn);
        // The callers are answered right after the executor.
        let heard = (0..std::mem::take(&mut self.asked)).map(|_| self.heard.recv_timeout(Duration::from_secs(10)));
        heard.collect::<Result<_, _>>().expect("each command has a result")
    }
}

fn stored(database: &Database, organization: OrgId) -> i64 {
    let rows = database.run(&format!("SELECT connected_users FROM app_metrics WHERE org = '{organization}'"));
    rows.first().map_or(0, |count| count.parse().unwrap())
}

/// Waits until a count is committed, also if its executor has not noticed.
fn until_stored(database: &Database, count: i64) {
    until("the commit", Duration::from_secs(10), || stored(database, ORG) == count);
}

#[test]
fn a_batch_is_decided_over_the_pending_one_and_its_callers_wait_for_both() {
    let database = Database::new();
    let mut ahead = Ahead::over(&database);
    ahead.count(&[ORG]);
    ahead.count(&[ORG, OTHER]);
    ahead.count(&[OTHER, ORG]);
    let mut heard = ahead.finish();
    heard.sort_unstable_by_key(|(org, count)| (*org, count.ok()));
    assert_eq!(heard, [(1, Ok(1)), (1, Ok(2)), (1, Ok(3)), (2, Ok(1)), (2, Ok(2))]);
    assert_eq!((stored(&database, ORG), stored(&database, OTHER)), (3, 2));
}

/// Another process writes between the reads of a batch and its commit.
#[test]
fn a_process_in_between_is_noticed() {
    let database = Database::new();
    let (mut ahead, mut between) = (Ahead::over(&database), executor(database.settings()));
    ahead.count(&[ORG]);
    until_stored(&database, 1);
    assert_eq!(between.run_one(ORG, CountOf(ORG)).unwrap(), 2);
    ahead.count(&[ORG]);
    ahead.count(&[ORG]);
    let heard: Vec<i64> = ahead.finish().into_iter().map(|(_, count)| count.unwrap()).collect();
    assert_eq!((heard, stored(&database, ORG)), (vec![1, 3, 4], 4));
}

/// The control: without the time of the organization, the check finds nothing, and the update is lost.
#[test]
fn a_writer_that_leaves_the_time_as_it_is_is_not_noticed() {
    let database = Database::new();
    let mut ahead = Ahead::over(&database);
    ahead.count(&[ORG]);
    until_stored(&database, 1);
    database.run("UPDATE app_metrics SET connected_users = connected_users + 10");
    ahead.count(&[ORG]);
    let heard: Vec<i64> = ahead.finish().into_iter().map(|(_, count)| count.unwrap()).collect();
    assert_eq!((heard, stored(&database, ORG)), (vec![1, 2], 2));
}

/// The store refuses the pending batch: what was decided over it is decided again.
#[test]
fn a_batch_over_a_refused_one_is_decided_again() {
    let database = Database::new();
    let mut ahead = Ahead::over(&database);
    ahead.count(&[ORG, OTHER]);
    assert_eq!(ahead.finish().len(), 2);
    database.run(&format!("ALTER TABLE app_metrics ADD CHECK (connected_users <> 2 OR org <> '{ORG}')"));
    ahead.count(&[ORG]);
    ahead.count(&[ORG, OTHER]);
    let mut heard = ahead.finish();
    heard.sort_unstable_by_key(|(org, _)| *org);
    let refused = || Err(Code::InternalError);
    assert_eq!(heard, [(1, refused()), (1, refused()), (2, Ok(2))], "each would be the second of its organization");
    assert_eq!((stored(&database, ORG), stored(&database, OTHER)), (1, 2));
}

/// The organization is removed between the reads of a batch and its commit.
#[test]
fn an_organization_that_was_removed_in_between_is_noticed() {
    let database = Database::new();
    let mut ahead = Ahead::over(&database);
    ahead.count(&[ORG]);
    until_stored(&database, 1);
    database.run("DELETE FROM tenants");
    ahead.count(&[ORG]);
    assert_eq!(ahead.finish().len(), 2);
    let tenants = database.run(&format!("SELECT count(*) FROM tenants WHERE org = '{ORG}'"));
    assert_eq!((stored(&database, ORG), tenants), (2, vec!["1".to_owned()]), "it was decided again, with the lock");
}

/// Counts one for another app than [`CountOf`].
struct CountOfOther;

const OTHER_APP: Uuid = Uuid::from_u128(77);

impl Command for CountOfOther {
    type Reply = i64;

    fn decide(&self, world: &mut World) -> Result<i64, Halt> {
        let key = [Value::Id(ORG.0), Value::Id(OTHER_APP)].iter().collect();
        let metrics = world.get::<AppMetrics>(key)?.expect("it was counted before");
        Ok(world.change(&metrics, |metrics| metrics.connected_users += 1).connected_users)
    }
}

/// Reads a list, which does not show the rows of the pending batch; so a batch over a pending one is decided again.
struct ReadsList;

impl Command for ReadsList {
    type Reply = i64;

    fn decide(&self, world: &mut World) -> Result<i64, Halt> {
        let list = Query::of::<AppMetrics>(Value::Id(ORG.0), "app", 9);
        world.require([Want::Page(list)])?;
        Ok(world.now().micros())
    }
}

/// Returns the times of commands over a clock that only commands move.
fn times(is_ahead: bool) -> Vec<i64> {
    let database = Database::new();
    let clock = Clock::manual(Time::from_micros(1_000));
    let executor = Executor::new(aside(|| store(database.settings())), clock, Seeds::counted(1));
    let mut ahead = Ahead { executor, ..Ahead::over(&database) };
    let mut heard = Vec::new();
    for _ in 0..3 {
        ahead.count(&[ORG]);
        if !is_ahead {
            assert_eq!(ahead.finish().len(), 1);
        }
        let reads = ahead.task(ORG, ReadsList);
        ahead.decide(vec![reads]);
        // A count is below each time.
        heard.extend(ahead.finish().into_iter().map(|(_, found)| found.unwrap()).max());
    }
    heard
}

#[test]
fn a_batch_that_is_decided_again_keeps_the_times_of_its_commands() {
    let one_after_the_other = times(false);
    assert_eq!(times(true), one_after_the_other);
    assert!(one_after_the_other.is_sorted());
}

/// The connection that reads leads to a server that is out of date: for it another schema has the rows of before.
#[test]
fn rows_of_a_server_that_is_out_of_date_are_not_used() {
    let database = Database::new();
    let mut ahead = Ahead::over(&database);
    ahead.count(&[ORG]);
    ahead.count(&[ORG]);
    assert_eq!(ahead.finish().len(), 2);
    database.run(&format!(
        "INSERT INTO app_metrics (org, app, money_out, connected_users) VALUES ('{ORG}', '{OTHER_APP}', 0, 0)"
    ));
    database.run("CREATE SCHEMA newer");
    for table in ["tenants", "app_metrics"] {
        database.run(&format!("CREATE TABLE newer.{table} (LIKE public.{table} INCLUDING ALL)"));
        database.run(&format!("INSERT INTO newer.{table} SELECT * FROM public.{table}"));
    }
    // New sessions read and write the newer rows. The one that writes is ended; it is the older one.
    database.run(&format!("ALTER ROLE bursar IN DATABASE {} SET search_path = newer, public", database.name));
    let ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() \
                 AND pid <> pg_backend_pid() ORDER BY backend_start LIMIT 1";
    assert_eq!(database.run(ended), ["t"]);
    let mut between = executor(database.settings());
    for count in 1..=10 {
        assert_eq!(between.run_one(ORG, CountOfOther).unwrap(), count);
    }
    // The first batch opens another connection to write, and keeps the one that reads.
    ahead.count(&[ORG]);
    assert_eq!(ahead.finish(), [(1, Ok(3))]);
    ahead.count(&[ORG]);
    let other = ahead.task(ORG, CountOfOther);
    ahead.decide(vec![other]);
    let heard: Vec<i64> = ahead.finish().into_iter().map(|(_, count)| count.unwrap()).collect();
    assert_eq!(heard, [4, 11]);
    let newer = database.run(&format!("SELECT connected_users FROM newer.app_metrics WHERE app = '{OTHER_APP}'"));
    assert_eq!(newer, ["11"]);
}

/// Passes a connection on to the database. Where `armed`, it breaks the text of the next BEGIN of a transaction that writes.
fn forward(from: &UnixStream, to: &UnixStream, armed: Option<&AtomicBool>) {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    let mut buffer = [0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let bytes = &mut buffer[..count];
        let is_begin = |place: &usize| {
            let rest = &bytes[*place..];
            rest.starts_with(b"BEGIN ") && !rest.starts_with(b"BEGIN ISOLATION")
        };
        if let Some(armed) = armed
            && armed.load(Ordering::SeqCst)
            && let Some(place) = (0..count).find(is_begin)
        {
            bytes[place..place + 5].copy_from_slice(b"BEGUN");
            armed.store(false, Ordering::SeqCst);
        }
        if to.write_all(bytes).is_err() {
            break;
        }
    }
    drop(to.shutdown(Shutdown::Both));
}

/// The server refuses the BEGIN of a batch that was decided ahead; what was sent after it is not written in parts.
#[test]
fn a_batch_whose_begin_fails_is_not_written_in_parts() {
    let database = Database::new();
    let folder = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
    let target = database.cluster.folder().join("socket/.s.PGSQL.5432");
    let armed: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let (client, server) = (client.unwrap(), UnixStream::connect(&target).unwrap());
            let (back, on) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            std::thread::spawn(move || forward(&client, &server, Some(armed)));
            std::thread::spawn(move || forward(&on, &back, None));
        }
    });
    let url = format!("postgres:///{}?user=bursar&host={}", database.name, folder.path().display());
    let mut ahead = Ahead::with(Settings::parse(&url).unwrap());
    ahead.count(&[ORG, OTHER]);
    ahead.count(&[ORG, OTHER]);
    assert_eq!(ahead.finish().len(), 4);
    ahead.count(&[ORG, OTHER]);
    until_stored(&database, 3);
    armed.store(true, Ordering::SeqCst);
    ahead.count(&[ORG, OTHER]);
    let heard = ahead.finish();
    assert!(!armed.load(Ordering::SeqCst), "a BEGIN was broken");
    let known = |org: u128| {
        let answers = heard.iter().filter(|(of, _)| *of == org);
        answers.filter_map(|(_, count)| count.as_ref().ok()).max().copied()
    };
    let stored = (stored(&database, ORG), stored(&database, OTHER));
    assert_eq!((known(1), known(2)), (Some(stored.0), Some(stored.1)), "{heard:?}");
    assert_eq!(stored.0, stored.1, "{heard:?}");
    assert!(stored.0 <= 4, "nothing is counted twice: {heard:?}");
}

/// Two processes count for the same organizations, both ahead.
#[test]
fn two_processes_lose_no_update() {
    let database = Database::new();
    let run = |mut ahead: Ahead| {
        move || {
            (0..150).for_each(|round| ahead.count(if round % 3 == 0 { &[ORG, OTHER] } else { &[ORG] }));
            ahead.finish()
        }
    };
    let threads = [Ahead::over(&database), Ahead::over(&database)].map(|ahead| std::thread::spawn(run(ahead)));
    let heard: Vec<Heard> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    for (org, expected) in [(1, 300), (2, 100)] {
        let mut counts: Vec<i64> = heard.iter().filter(|(of, _)| *of == org).map(|(_, count)| count.unwrap()).collect();
        counts.sort_unstable();
        assert_eq!(counts, (1..=expected).collect::<Vec<i64>>(), "{org}");
    }
    assert_eq!((stored(&database, ORG), stored(&database, OTHER)), (300, 100));
}

/// Commands that arrive during a commit join the batch that is decided over it.
#[tokio::test]
async fn commands_of_many_callers_count_once_each() {
    let database = Database::new();
    let engine = Engine::start(executor(database.settings())).unwrap();
    let counted = join_all((0..400).map(|place| {
        let org = if place % 5 == 0 { OTHER } else { ORG };
        engine.run(org, CountOf(org))
    }));
    let mut counts: Vec<i64> = counted.await.into_iter().map(Result::unwrap).collect();
    counts.sort_unstable();
    let mut expected: Vec<i64> = (1..=320).chain(1..=80).collect();
    expected.sort_unstable();
    assert_eq!(counts, expected);
    assert_eq!((stored(&database, ORG), stored(&database, OTHER)), (320, 80));
}
