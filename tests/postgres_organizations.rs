//! Batches of several organizations: one commit, and no organization that changes the result of another.

use std::time::{Duration, Instant};

use bursar::apps::AppMetrics;
use bursar::engine::{Command, Executor, task};
use bursar::ids::{AppId, OrgId};
use bursar::refusal::{Code, Refusal};
use bursar::world::{Halt, Value, World};
use uuid::Uuid;

use crate::harness::postgres::Database;
use crate::postgres::{APP, ORG, executor, store};

/// Counts one for an organization and the commands of its batch.
pub struct CountOf(pub OrgId);

impl Command for CountOf {
    type Reply = i64;

    fn decide(&self, world: &mut World) -> Result<i64, Halt> {
        let (org, app) = (self.0, AppId(APP));
        if let Some(metrics) = world.get::<AppMetrics>([Value::Id(org.0), Value::Id(APP)].iter().collect())? {
            return Ok(world.change(&metrics, |metrics| metrics.connected_users += 1).connected_users);
        }
        let money_out = bursar::money::Cents::new(0);
        world.add(AppMetrics { org, app, money_out, connected_users: 1 });
        Ok(1)
    }
}

/// Runs a command of each organization as one batch; returns their results by organization.
fn batch_of(executor: &mut Executor, organizations: &[OrgId]) -> Vec<(u128, Result<i64, Code>)> {
    let (said, heard) = std::sync::mpsc::channel();
    let tasks = organizations.iter().map(|&org| {
        let said = said.clone();
        task(org, CountOf(org), move |outcome: Result<i64, Refusal>| {
            said.send((org.0.as_u128(), outcome.map_err(|refusal| refusal.code))).unwrap();
        })
    });
    executor.run(tasks.collect());
    let mut answers: Vec<_> = heard.try_iter().collect();
    answers.sort_unstable_by_key(|(org, _)| *org);
    answers
}

/// The transactions that wrote the rows of the organizations, each once.
fn transactions(database: &Database) -> usize {
    database.run("SELECT DISTINCT xmin::text FROM app_metrics").len()
}

const THREE: [OrgId; 3] = [ORG, OrgId(Uuid::from_u128(2)), OrgId(Uuid::from_u128(3))];

#[test]
fn organizations_share_a_commit_once_they_have_a_time() {
    let database = Database::new();
    let mut executor = executor(database.settings());
    assert_eq!(batch_of(&mut executor, &THREE), [(1, Ok(1)), (2, Ok(1)), (3, Ok(1))]);
    assert_eq!(transactions(&database), 3, "the first command of an organization locks it alone");
    assert_eq!(batch_of(&mut executor, &THREE), [(1, Ok(2)), (2, Ok(2)), (3, Ok(2))]);
    assert_eq!(transactions(&database), 1);
    let moments = database.run("SELECT DISTINCT moment FROM tenants");
    assert_eq!(moments.len(), 1, "{moments:?}");
}

#[test]
fn a_row_that_the_store_refuses_or_cannot_read_costs_no_other_organization() {
    let database = Database::new();
    let mut executor = executor(database.settings());
    batch_of(&mut executor, &THREE);
    let second = THREE[1];
    database.run(&format!("ALTER TABLE app_metrics ADD CHECK (connected_users < 2 OR org <> '{second}')"));
    let refused = Err(Code::InternalError);
    assert_eq!(batch_of(&mut executor, &THREE), [(1, Ok(2)), (2, refused), (3, Ok(2))]);
    database.run("ALTER TABLE app_metrics ALTER connected_users DROP NOT NULL");
    database.run(&format!("UPDATE app_metrics SET connected_users = NULL WHERE org = '{second}'"));
    let unread = Err(Code::ServiceUnavailable);
    assert_eq!(batch_of(&mut executor, &THREE), [(1, Ok(3)), (2, unread), (3, Ok(3))]);
}

#[test]
fn a_time_that_is_ahead_does_not_spread_within_a_batch() {
    let database = Database::new();
    let mut executor = executor(database.settings());
    batch_of(&mut executor, &THREE);
    let year_micros = 365 * 86_400 * 1_000_000_i64;
    database.run(&format!("UPDATE tenants SET moment = moment + {year_micros} WHERE org = '{ORG}'"));
    assert_eq!(batch_of(&mut executor, &THREE), [(1, Ok(2)), (2, Ok(2)), (3, Ok(2))]);
    let moments = database.run("SELECT moment FROM tenants ORDER BY moment");
    let moments: Vec<i64> = moments.iter().map(|moment| moment.parse().unwrap()).collect();
    assert!(moments[2] - moments[1] > year_micros / 2, "{moments:?}");
}

/// Another process holds the lock of one of them until the server ends its transaction.
#[test]
fn a_process_that_stops_with_one_lock_keeps_a_batch_of_several_waiting_no_longer() {
    let database = Database::new();
    let mut executor = executor(database.settings());
    batch_of(&mut executor, &THREE);
    let mut stopped = store(database.settings());
    stopped.begin(&THREE[1..2], &[]).unwrap();
    let begun = Instant::now();
    assert_eq!(batch_of(&mut executor, &THREE), [(1, Ok(2)), (2, Ok(2)), (3, Ok(2))]);
    let waited = begun.elapsed();
    assert!(waited > Duration::from_secs(2) && waited < Duration::from_secs(8), "{waited:?}");
}

/// Two processes take the locks of the same organizations in one order, which is not that of their commands.
#[test]
fn batches_of_the_same_organizations_wait_for_each_other_in_no_cycle() {
    let database = Database::new();
    batch_of(&mut executor(database.settings()), &THREE);
    let (there, back) = (THREE, [THREE[2], THREE[1], THREE[0]]);
    let count = |order: [OrgId; 3]| {
        let mut executor = executor(database.settings());
        move || (0..100).flat_map(|_| batch_of(&mut executor, &order)).filter(|(_, outcome)| outcome.is_err()).count()
    };
    let threads = [there, back].map(|order| std::thread::spawn(count(order)));
    let failed: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert_eq!((failed, database.run("SELECT DISTINCT connected_users FROM app_metrics")), (0, vec!["201".to_owned()]));
    assert_eq!(database.run("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"), ["0"]);
}
