//! Faults of a shared store: unknown outcomes, locks, two programs at once, a server that goes away.

use std::num::NonZeroU8;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use bursar::apps::AppMetrics;
use bursar::clock::Clock;
use bursar::engine::{Command, Engine, Executor, task};
use bursar::ids::{AppId, OrgId, Seeds};
use bursar::refusal::{Code, Refusal};
use bursar::store::postgres::Settings;
use bursar::store::{Postgres, Reads, Store};
use bursar::world::{Halt, Key, Record, Value, Want, World};
use futures::future::join_all;
use serde_json::json;
use uuid::Uuid;

use crate::harness::postgres::{Cluster, Database, aside};
use crate::harness::{Server, bursar};

/// The organization of the rows in these tests.
pub const ORG: OrgId = OrgId(Uuid::from_u128(1));

pub const APP: Uuid = Uuid::from_u128(1);

fn key() -> Key {
    [Value::Id(ORG.0), Value::Id(APP)].iter().collect()
}

/// Adds to the number of users of an app, which it creates if it is missing.
#[derive(Clone)]
pub struct CountUp(pub i64);

pub const COUNT: CountUp = CountUp(1);

impl Command for CountUp {
    type Reply = i64;

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<AppMetrics>(key())]
    }

    fn decide(&self, world: &mut World) -> Result<i64, Halt> {
        let Some(metrics) = world.get::<AppMetrics>(key())? else {
            let money_out = bursar::money::Cents::new(0);
            world.add(AppMetrics { org: ORG, app: AppId(APP), money_out, connected_users: self.0 });
            return Ok(self.0);
        };
        Ok(world.change(&metrics, |metrics| metrics.connected_users += self.0).connected_users)
    }
}

/// Returns the writing half of a database.
pub fn store(settings: Settings) -> Store {
    let writer = Postgres::open(settings, false, NonZeroU8::new(1)).unwrap().writers.pop().unwrap();
    Store::Postgres(Box::new(writer))
}

pub fn executor(settings: Settings) -> Executor {
    Executor::new(aside(|| store(settings)), Clock::wall(), Seeds::System)
}

/// Runs commands as one batch; returns their results.
pub fn batch(executor: &mut Executor, commands: &[CountUp]) -> Vec<Result<i64, Code>> {
    let (said, heard) = std::sync::mpsc::channel();
    let tasks = commands.iter().enumerate().map(|(place, command)| {
        let said = said.clone();
        task(ORG, command.clone(), move |outcome: Result<i64, Refusal>| {
            said.send((place, outcome.map_err(|refusal| refusal.code))).unwrap();
        })
    });
    let tasks = tasks.collect();
    executor.run(tasks);
    let mut answers: Vec<_> = heard.try_iter().collect();
    answers.sort_by_key(|(place, _)| *place);
    answers.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Returns the count in the database.
pub fn count(database: &Database) -> i64 {
    database.run("SELECT connected_users FROM app_metrics").first().map_or(0, |row| row.parse().unwrap())
}

#[test]
fn one_that_the_store_refuses_costs_the_others_nothing() {
    let database = Database::new();
    let mut executor = executor(database.settings());
    database.run("ALTER TABLE app_metrics ADD CHECK (connected_users < 100)");
    let reported = batch(&mut executor, &[COUNT, CountUp(1_000), COUNT, COUNT]);
    assert_eq!(reported, [Ok(1), Err(Code::InternalError), Ok(2), Ok(3)]);
    assert_eq!(count(&database), 3);
}

#[test]
fn each_command_is_later_than_any_before_in_every_process() {
    let database = Database::new();
    let (mut one, mut other) = (executor(database.settings()), executor(database.settings()));
    let moment = || -> i64 { database.run("SELECT moment FROM tenants")[0].parse().unwrap() };
    let mut last = 0;
    for _ in 0..5 {
        for executor in [&mut one, &mut other] {
            assert!(batch(executor, &[COUNT, COUNT])[1].is_ok());
            assert!(moment() > last + 1, "two commands, two moments");
            last = moment();
        }
    }
    // A process whose clock is a year behind.
    let behind = Clock::manual(bursar::clock::Time::from_micros(last).plus_seconds(-365 * 86_400));
    let mut slow = Executor::new(store(database.settings()), behind, Seeds::System);
    assert_eq!(batch(&mut slow, &[COUNT]), [Ok(21)]);
    assert_eq!(moment(), last + 1);
}

/// Counts one for a separate organization.
struct CountFor(OrgId);

impl Command for CountFor {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let (app, money_out) = (AppId(Uuid::from_u128(9)), bursar::money::Cents::new(0));
        world.add(AppMetrics { org: self.0, app, money_out, connected_users: 1 });
        Ok(())
    }
}

/// The batch holds the lock of its own organization only.
#[test]
fn a_command_that_changes_another_organizations_row_is_refused() {
    let database = Database::new();
    let mut executor = executor(database.settings());
    let other = OrgId(Uuid::from_u128(2));
    let refusal = executor.run_one(ORG, CountFor(other)).unwrap_err();
    assert_eq!(refusal.code, Code::InternalError);
    assert_eq!(database.run("SELECT count(*) FROM app_metrics"), ["0"]);
    executor.run_one(other, CountFor(other)).unwrap();
    assert_eq!(database.run("SELECT count(*) FROM app_metrics"), ["1"]);
}

/// A process whose clock was ahead leaves its time with the organizations that it served. The others must not get it
/// from those.
#[test]
fn a_moment_that_is_ahead_stays_with_its_organization() {
    let database = Database::new();
    let mut executor = executor(database.settings());
    assert_eq!(batch(&mut executor, &[COUNT]), [Ok(1)]);
    let year_micros = 365 * 86_400 * 1_000_000_i64;
    database.run(&format!("UPDATE tenants SET moment = moment + {year_micros}"));
    let ahead: i64 = database.run("SELECT moment FROM tenants")[0].parse().unwrap();
    assert_eq!(batch(&mut executor, &[COUNT]), [Ok(2)]);
    let other = OrgId(Uuid::from_u128(2));
    executor.run_one(other, CountFor(other)).unwrap();
    let of = |org: OrgId| -> i64 {
        database.run(&format!("SELECT moment FROM tenants WHERE org = '{org}'"))[0].parse().unwrap()
    };
    assert_eq!(of(ORG), ahead + 1, "its own moments only ever grow");
    let behind = ahead - of(other);
    assert!(behind > year_micros / 2, "{behind}");
}

/// A token has the organization in clear text, so a caller can invent one.
#[tokio::test]
async fn a_made_up_claim_token_leaves_nothing_behind() {
    let database = Database::new();
    let server = Server::postgres(database.settings()).await;
    let tenants = || database.run("SELECT org FROM tenants").len();
    let before = tenants();
    let token = base64::prelude::BASE64_URL_SAFE_NO_PAD.encode([7; 48]);
    let contact = json!({"country_code": "1", "phone_number": "2127361234"});
    let reported = server.post(&format!("/v2/claims/{token}/contact")).json(contact).send().await;
    assert_eq!(reported.status, 404);
    let phone = [("country_code", "1"), ("phone_number", "2127361234")];
    for (step, form) in [("contact", &phone[..]), ("code", &[("resend", "1")]), ("code", &[("token", "123456")])] {
        let page = server.post(&format!("/claim/{token}/{step}")).form(form).send().await;
        assert_eq!(page.status, 404, "{step}");
    }
    assert_eq!(tenants(), before);
}

/// Sets the default isolation level of a database.
pub fn isolated(database: &Database, level: &str) {
    database.run(&format!("ALTER DATABASE {} SET default_transaction_isolation = '{level}'", database.name));
}

/// Slows down each change of the counted rows, so that the batches of two programs overlap.
pub fn slow_updates(database: &Database) {
    database.run(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END'",
    );
    database.run("CREATE TRIGGER slow BEFORE UPDATE ON app_metrics FOR EACH ROW EXECUTE FUNCTION slow()");
}

/// Lets two engines count at once; returns the number of successes, and the count.
pub async fn race(settings: Settings, database: &Database) -> (i64, i64) {
    let engines: Vec<Engine> =
        (0..2).map(|_| Engine::start(executor(settings.clone())).expect("there are threads")).collect();
    engines[0].run(ORG, COUNT).await.unwrap();
    let racing = (0..300).map(|number| engines[number % 2].run(ORG, COUNT));
    let done = join_all(racing).await.into_iter().filter(Result::is_ok).count();
    (i64::try_from(done).unwrap() + 1, count(database))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_engines_that_change_one_row_lose_nothing() {
    let database = Database::new();
    // At SERIALIZABLE nothing would be lost without the lock.
    isolated(&database, "read committed");
    slow_updates(&database);
    let (done, counted) = race(database.settings(), &database).await;
    assert_eq!((done, counted), (301, 301));

    // The negative control: without the lock the same race loses updates.
    database.run("DELETE FROM app_metrics");
    let mut lost = false;
    for _ in 0..10 {
        let (done, counted) = race(database.settings().without_locks(), &database).await;
        lost = counted < done;
        if lost {
            break;
        }
        database.run("DELETE FROM app_metrics");
    }
    assert!(lost, "without locks nothing was lost: the test cannot fail");
}

/// A commit with an unknown outcome: a trigger delays it until its backend is terminated.
#[test]
fn a_commit_whose_backend_is_ended_is_unknown() {
    let database = Database::new();
    let mut executor = executor(database.settings());
    assert_eq!(batch(&mut executor, &[COUNT]), [Ok(1)]);
    database.run(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(30); RETURN NULL; END'",
    );
    database.run("CREATE CONSTRAINT TRIGGER slow AFTER UPDATE ON app_metrics DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()");
    let ended = end_the_commit(&database, "pg_terminate_backend");
    assert_eq!(batch(&mut executor, &[COUNT, COUNT]), [Err(Code::OutcomeUnknown), Err(Code::OutcomeUnknown)]);
    ended.join().unwrap();
    // No trace of it remains: the next batch finds that nothing was committed.
    database.run("DROP TRIGGER slow ON app_metrics");
    assert_eq!(batch(&mut executor, &[COUNT]), [Ok(2)]);
}

/// Waits for a commit of the program in this database, and terminates or cancels it.
pub fn end_the_commit(database: &Database, how: &'static str) -> std::thread::JoinHandle<()> {
    let database = database.clone();
    std::thread::spawn(move || {
        let end = format!(
            "SELECT {how}(pid) FROM pg_stat_activity WHERE datname = '{}' AND query = 'COMMIT' AND state = 'active'",
            database.name
        );
        let begun = Instant::now();
        while database.run(&end).is_empty() {
            assert!(begun.elapsed() < Duration::from_secs(20), "nobody commits");
            std::thread::park_timeout(Duration::from_millis(10));
        }
    })
}

/// If a commit waits for a standby, ending the wait leaves it committed here and perhaps on no other server. With any
/// default of the database, our sessions wait and get the warning.
#[test]
fn a_commit_that_no_standby_has_is_never_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = Cluster::own(folder.path());
    let database = cluster.database();
    assert_eq!(batch(&mut executor(database.settings()), &[COUNT]), [Ok(1)]);
    wait_for(&database, "nobody");
    let mut expected = 1;
    for (how, careless) in [
        ("pg_cancel_backend", "synchronous_commit = on"),
        ("pg_terminate_backend", "synchronous_commit = on"),
        // The only sign is the warning that the wait was given up.
        ("pg_cancel_backend", "client_min_messages = error"),
        ("pg_cancel_backend", "synchronous_commit = local"),
        ("pg_cancel_backend", "synchronous_commit = off"),
        ("pg_cancel_backend", "synchronous_commit = remote_write"),
    ] {
        // Nor would this one end.
        let at_once = "SET synchronous_commit = local; ALTER DATABASE";
        database.run(&format!("{at_once} {} SET {careless}", database.name));
        for settings in [database.settings(), database.pooled()] {
            let ended = end_the_commit(&database, how);
            assert_eq!(batch(&mut executor(settings), &[COUNT]), [Err(Code::OutcomeUnknown)], "{how}, {careless}");
            ended.join().unwrap();
            expected += 1;
            assert_eq!(count(&database), expected, "{how}, {careless}: it is here, and yet unknown");
        }
        database.run(&format!("{at_once} {} RESET ALL", database.name));
    }
    wait_for(&database, "");
    assert_eq!(batch(&mut executor(database.settings()), &[COUNT]), [Ok(expected + 1)]);
}

/// Makes commits wait for the standby of this name.
pub fn wait_for(database: &Database, standby: &str) {
    database.run(&format!("ALTER SYSTEM SET synchronous_standby_names = '{standby}'"));
    database.run("SELECT pg_reload_conf()");
    let reported =
        format!("SELECT 1 FROM pg_settings WHERE name = 'synchronous_standby_names' AND setting = '{standby}'");
    let begun = Instant::now();
    while database.run(&reported).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(5), "the server does not read its settings");
    }
}

/// A commit on the primary alone would be lost with it. A replay gets no response from it until a standby has it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_no_standby_has_is_not_repeated_as_done_either() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = aside(|| Cluster::own(folder.path()));
    let database = cluster.database();
    let server = Server::postgres(database.settings()).await;
    aside(|| wait_for(&database, "nobody"));
    let body = json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let send = || server.post("/v2/payouts/send-payout").app_key().idempotency_key("once").json(body.clone()).send();
    for _ in 0..3 {
        let ended = end_the_commit(&database, "pg_cancel_backend");
        let reported = send().await.expect(503);
        assert_eq!(reported.body["error_code"], "outcome-unknown");
        ended.join().unwrap();
        assert_eq!(database.run("SELECT count(*) FROM payout_links"), ["1"], "it is here");
    }
    aside(|| wait_for(&database, ""));
    let reported = send().await.expect(201);
    assert_eq!(reported.header("idempotent-replayed"), Some("true"));
}

/// Another writer of the organization that pauses while it holds the lock.
#[test]
fn who_stops_with_the_lock_is_thrown_out_and_commits_nothing() {
    let database = Database::new();
    let mut stopped = store(database.settings());
    let row = vec![Value::Id(ORG.0), Value::Id(APP), Value::Int(0), Value::Int(500)];
    stopped.begin(&[ORG], &[]).unwrap();
    let begun = Instant::now();
    // It waits until the server has ended the other's transaction, and no longer.
    let mut other = executor(database.settings());
    assert_eq!(batch(&mut other, &[COUNT]), [Ok(1)]);
    let waited = begun.elapsed();
    assert!(waited > Duration::from_secs(2) && waited < Duration::from_secs(8), "{waited:?}");
    let table = AppMetrics::TABLE;
    let late = bursar::world::TableChanges {
        table,
        inserts: Vec::new(),
        updates: vec![row],
        changed: Vec::new(),
        deletes: Vec::new(),
    };
    assert!(stopped.commit(&[late], bursar::clock::Time::from_micros(1)).is_err());
    assert_eq!(count(&database), 1);
}

#[test]
fn a_batch_reads_and_writes_its_own_organization_alone() {
    let database = Database::new();
    let mut store = store(database.settings());
    let foreign = vec![Value::Id(Uuid::from_u128(2)), Value::Id(APP), Value::Int(0), Value::Int(0)];
    store.begin(&[ORG], &[]).unwrap();
    let changes = bursar::world::TableChanges {
        table: AppMetrics::TABLE,
        inserts: vec![foreign],
        updates: Vec::new(),
        changed: Vec::new(),
        deletes: Vec::new(),
    };
    let refused = store.commit(&[changes], bursar::clock::Time::from_micros(1)).unwrap_err();
    assert!(refused.to_string().contains("another organization"), "{refused}");
}

#[test]
fn without_a_server_callers_are_refused_at_once_and_service_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = Cluster::own(folder.path());
    let database = cluster.database();
    let Postgres { mut writers, readers, .. } = Postgres::open(database.settings(), false, NonZeroU8::new(1)).unwrap();
    let reads = Reads::Postgres(readers);
    let writer = writers.pop().unwrap();
    let mut executor = Executor::new(Store::Postgres(Box::new(writer)), Clock::wall(), Seeds::System);
    assert_eq!(batch(&mut executor, &[COUNT]), [Ok(1)]);
    assert!(reads.reachable().is_ok());

    cluster.crash();
    let begun = Instant::now();
    for _ in 0..20 {
        assert_eq!(batch(&mut executor, &[COUNT]), [Err(Code::ServiceUnavailable)]);
    }
    assert!(reads.reachable().is_err());
    assert!(reads.load(&[Want::row::<AppMetrics>(key())]).is_err());
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());

    cluster.start_again();
    let begun = Instant::now();
    while batch(&mut executor, &[COUNT])[0].is_err() {
        assert!(begun.elapsed() < Duration::from_secs(5), "it does not come back");
    }
    assert!(reads.reachable().is_ok());
    assert_eq!(count(&database), 2, "refused means that nothing happened");
    // No caller notices a restart between two batches.
    cluster.restart();
    assert_eq!(batch(&mut executor, &[COUNT]), [Ok(3)]);
    assert!(reads.load(&[Want::row::<AppMetrics>(key())]).is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn through_a_pooler_nothing_is_prepared_and_nothing_stays_set() {
    let database = Database::new();
    let server = Server::postgres(database.settings().through_pooler(true)).await;
    let body = json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    server.work_off().await;
    let shown = server.get(&format!("/v2/payout-links/{}", link.id())).app_key().send().await.expect(200);
    assert_eq!(shown.body["status"], "delivered");
    // A pooler gives the connection to another client after each transaction, with everything left on it.
    let Postgres { mut writers, .. } =
        aside(|| Postgres::open(database.settings().through_pooler(true), false, NonZeroU8::new(1))).unwrap();
    let mut store = Store::Postgres(Box::new(writers.pop().unwrap()));
    aside(|| {
        store.begin(&[ORG], &[Want::row::<AppMetrics>(key())]).unwrap();
        store.commit(&[], bursar::clock::Time::from_micros(1)).unwrap();
    });
    let idle =
        "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'";
    assert!(database.run(idle).is_empty());
    server.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_programs_race_for_one_key_one_balance_and_one_link() {
    Box::pin(two_programs_race(Database::new().settings())).await;
}

/// Two programs on one database get the same requests many times at once, and run each once.
pub async fn two_programs_race(settings: Settings) {
    let server = Server::postgres(settings).await;
    let twin = server.twin().await;
    let programs = [&server, &twin];
    // One key.
    let body = json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let copy = |number: usize| {
        let asking = programs[number % 2].post("/v2/payouts/send-payout").app_key().idempotency_key("once");
        asking.json(body.clone()).send()
    };
    let replies = join_all((0..50).map(copy)).await;
    let first = &replies[0].text;
    assert!(replies.iter().all(|reply| reply.status == 201 && reply.text == *first));
    assert_eq!(replies.iter().filter(|reply| reply.header("idempotent-replayed").is_none()).count(), 1);
    // One link.
    let path = format!("/v2/payout-links/{}/redeliver", replies[0].id());
    let redelivered = join_all((0..50).map(|number| programs[number % 2].post(&path).app_key().send())).await;
    assert_eq!(redelivered.iter().filter(|reply| reply.status == 200).count(), 4, "the first delivery counts");
    // One balance: of fifty payouts of a twentieth of it each, no more than it holds.
    let app = server.get(&format!("/v2/apps/{}", server.app_id())).as_org().send().await.expect(200).body;
    let balance = app["metrics"]["wallet_balance"].as_i64().unwrap_or_else(|| panic!("{app}"));
    let share = json!({"amount": balance / 20, "payee": {"country_code": "1", "phone_number": "2127361235"}});
    let pay = |number: usize| programs[number % 2].post("/v2/payout-links").app_key().json(share.clone()).send();
    let paid = join_all((0..50).map(pay)).await;
    assert_eq!(paid.iter().filter(|reply| reply.status == 201).count(), 20);
    assert!(paid.iter().all(|reply| [201, 402].contains(&reply.status)));
    server.verify();
    // A job of one worker is not given to the other.
    let (one, other) = (Arc::clone(server.bursar()), Arc::clone(twin.bursar()));
    tokio::join!(async { bursar::worker::work_off(&one).await.ok() }, async {
        bursar::worker::work_off(&other).await.ok()
    });
    twin.work_off().await;
    let inbox = server.get("/v2/sandbox/messages?limit=100").app_key().send().await.expect(200).body;
    assert_eq!(inbox["data"].as_array().unwrap().len(), 25, "five of one link, and one of each of twenty");
}

#[test]
fn tls_is_as_strict_as_the_url_says() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = Cluster::own(folder.path());
    let database = cluster.database();
    // A free port; if another process takes it now, this test fails and does not pass wrongly.
    let port = std::net::TcpListener::bind("localhost:0").unwrap().local_addr().unwrap().port();
    let url = cluster.with_tls(&database.name, port);
    let file = |name: &str| cluster.folder().join(name).display().to_string();
    let opens = |host: &str, query: &str| {
        let url = format!("{}?{query}", url.replace("{host}", host));
        let opened = Postgres::open(Settings::parse(&url).unwrap(), false, NonZeroU8::new(1));
        let Ok(Postgres { mut writers, .. }) = opened else { return false };
        let mut store = Store::Postgres(Box::new(writers.pop().unwrap()));
        store.begin(&[ORG], &[]).is_ok()
    };
    let (root, other) = (file("root.pem"), file("other.pem"));
    assert!(opens("localhost", &format!("sslmode=verify-full&sslrootcert={root}")));
    assert!(opens("localhost", "sslmode=require") && opens("localhost", "") && opens("localhost", "sslmode=disable"));
    assert!(!opens("localhost", &format!("sslmode=verify-full&sslrootcert={other}")), "another signed it");
    assert!(!opens("127.0.0.1", &format!("sslmode=verify-full&sslrootcert={root}")), "it has another name");
    assert!(!opens("localhost", "sslmode=verify-full"), "the system does not know who signed it");
    let by_socket = format!("{}&sslmode=require", database.url().replace("&host", &format!("&port={port}&host")));
    assert!(
        Postgres::open(Settings::parse(&by_socket).unwrap(), false, NonZeroU8::new(1)).is_ok(),
        "a socket needs none"
    );
}

#[test]
fn a_database_of_one_server_is_not_distributed() {
    let database = Database::new();
    let refused = Postgres::distribute(database.settings()).unwrap_err().to_string();
    assert!(refused.contains("it has no extension citus"), "{refused}");
    let folder = tempfile::tempdir().unwrap();
    let embedded =
        bursar(&["migrate", "--distribute", "--data-dir", folder.path().to_str().unwrap()]).output().unwrap();
    let said = String::from_utf8(embedded.stderr).unwrap();
    assert!(embedded.status.code() == Some(78) && said.contains("only a postgres:// database"), "{said}");
}

#[test]
fn a_database_of_a_later_version_is_refused_by_every_writer() {
    let database = Database::new();
    database.run("INSERT INTO refinery_schema_history SELECT 999, 'of_later', now()::text, '1'");
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    crate::move_store::sandbox(&data, 1);
    let (url, data) = (database.url(), data.to_str().unwrap());
    for words in [
        &["serve", "--database-url", &url][..],
        &["serve", "--no-migrate", "--database-url", &url],
        &["migrate", "--database-url", &url],
        &["move", "--to", &url],
    ] {
        let refused = bursar(&[words, &["--data-dir", data]].concat()).output().unwrap();
        let said = String::from_utf8([refused.stdout, refused.stderr].concat()).unwrap();
        assert_eq!(refused.status.code(), Some(1), "{words:?}: {said}");
        assert!(said.contains("was migrated by a newer version of bursar"), "{words:?}: {said}");
    }
    assert_eq!(database.run("SELECT count(*) FROM tenants"), ["0"], "nothing was written");
    // And the store that was to move is served as before.
    let process = crate::harness::Process::start(std::path::Path::new(data));
    assert_eq!(process.get("/readyz").0, 200);
}
