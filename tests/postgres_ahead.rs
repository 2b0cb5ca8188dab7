//! Batches over PostgreSQL that are decided while another one is written: no update is lost, also with another process in between.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use bursar::engine::{Engine, Executor, Task, Verdict, task};
use bursar::ids::OrgId;
use bursar::refusal::{Code, Refusal};
use futures::future::join_all;
use uuid::Uuid;

use crate::harness::postgres::Database;
use crate::postgres::{ORG, executor};
use crate::postgres_organizations::CountOf;
use crate::postgres_processes::until;

const OTHER: OrgId = OrgId(Uuid::from_u128(2));

type Heard = (u128, Result<i64, Code>);

/// An executor whose batches are decided ahead.
struct Ahead {
    executor: Executor,
    said: Sender<Heard>,
    heard: Receiver<Heard>,
}

impl Ahead {
    fn over(database: &Database) -> Self {
        let (said, heard) = channel();
        Self { executor: executor(database.settings()), said, heard }
    }

    /// Counts one for each organization, in one batch.
    fn count(&mut self, organizations: &[OrgId]) {
        let tasks = organizations.iter().map(|&org| -> Box<dyn Task> {
            let said = self.said.clone();
            task(org, CountOf(org), move |outcome: Result<i64, Refusal>| {
                said.send((org.0.as_u128(), outcome.map_err(|refusal| refusal.code))).unwrap();
            })
        });
        assert_eq!(self.executor.decide_ahead(tasks.collect()), Verdict::GoOn);
    }

    /// Waits for the pending commit; returns all results.
    fn finish(&mut self) -> Vec<Heard> {
        assert_eq!(self.executor.finish_commits(), Verdict::GoOn);
        self.heard.try_iter().collect()
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
