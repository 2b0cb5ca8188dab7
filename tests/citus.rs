//! A database that Citus distributes over nodes: the routing of statements, and the distribution. `citus_nodes.rs`
//! shows that nothing is lost while nodes are added and organizations move.
//!
//! `BURSAR_TEST_CITUS_URL` names the cluster; `make test-citus` runs these, and then the API's tests, on it.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU8;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bursar::refusal::Code;
use bursar::store::Postgres;
use bursar::store::postgres::Settings;
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

use crate::harness::judge::{links, load};
use crate::harness::postgres::{Cluster, Database, aside};
use crate::harness::{Server, bursar};
use crate::move_store::{moved, of_database, of_store, sandbox};
use crate::postgres::{COUNT, ORG, batch, count, executor, store};
use crate::postgres_processes::Deployment;
use crate::samples::{Stage, sample};

/// Statements that may query every node: system reads on which no payment waits. Each has the start of its statement
/// and its reason.
const OVER_ALL_NODES: [(&str, &str); 5] = [
    ("SELECT \"jobs\"", "workers look for what is due, whoever's it is"),
    ("SELECT \"stored_answers\"", "when nothing is due, the oldest answers are cleared away"),
    ("SELECT \"webhook_deliveries\"", "and the oldest deliveries"),
    ("SELECT \"inbox_messages\"", "the sandbox's inbox shows what arrived for everyone"),
    ("SELECT \"organizations\"", "the start of a sandbox looks whether there is anybody"),
];

/// Statements that read the server's state, the coordinator's own tables and the locks; none reads our tables.
const OF_THE_SERVER: [&str; 7] = [
    "server_encoding",
    "pg_extension",
    "pg_dist_",
    "pg_stat_user_tables",
    "refinery_",
    "pg_control_system",
    "worker_hash",
];

/// Records the text of each statement that the store sends.
#[derive(Clone, Default)]
struct Sent(Arc<Mutex<BTreeSet<String>>>);

impl<S: tracing::Subscriber> Layer<S> for Sent {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        event.record(&mut &*self);
    }
}

impl Visit for &Sent {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "statement" {
            let parts = value.split("; ").map(str::trim);
            let about_rows =
                parts.filter(|part| ["SELECT", "INSERT", "UPDATE", "DELETE"].iter().any(|act| part.starts_with(act)));
            self.0.lock().unwrap().extend(about_rows.map(str::to_owned));
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

fn database() -> Database {
    Cluster::citus().database()
}

/// Returns an empty, distributed database for one test.
pub fn own() -> Database {
    let cluster = Cluster::citus();
    let name = cluster.citus.as_ref().unwrap().distributed(&cluster);
    Database { cluster, name }
}

/// Returns an empty database of the cluster with the extension.
pub fn bare() -> Database {
    let cluster = Cluster::citus();
    let name = cluster.citus.as_ref().unwrap().bare(&cluster);
    Database { cluster, name }
}

/// Returns the largest number of nodes that a statement queries, over each plan that the server makes and the one that
/// it keeps. `None` if a plan does not show it.
fn nodes_asked(database: &Database, text: &str) -> Option<usize> {
    // Parameters have the server's types, and their values do not matter.
    let prepared = format!("SET plan_cache_mode = auto; PREPARE asked AS {text}");
    let types = "SELECT unnest(parameter_types)::text FROM pg_prepared_statements WHERE name = 'asked'";
    let types = database.run(&format!("{prepared}; {types}"));
    let value = |name: &String| match name.as_str() {
        "uuid" => format!("'{}'", ORG.0),
        "uuid[]" => format!("ARRAY['{}']::uuid[]", ORG.0),
        "bigint" => "1".to_owned(),
        "bigint[]" => "ARRAY[1]::bigint[]".to_owned(),
        "boolean" => "true".to_owned(),
        "boolean[]" => "ARRAY[true]".to_owned(),
        "text" => "'x'".to_owned(),
        "text[]" => "ARRAY['x']".to_owned(),
        "bytea" => "'\\x00'".to_owned(),
        "bytea[]" => "ARRAY['\\x00'::bytea]".to_owned(),
        other => panic!("no value for a parameter of type {other}: {text}"),
    };
    let values: Vec<String> = types.iter().map(value).collect();
    let values = if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) };
    // After five plans for its parameters the server may keep one for all.
    let explain = format!("EXPLAIN EXECUTE asked{values}; ").repeat(7);
    let plans = database.run(&format!("{prepared}; {explain}"));
    let said = plans.iter().filter(|line| line.contains("Custom Scan")).count();
    let counts = plans.iter().filter_map(|line| line.trim().strip_prefix("Task Count: ")?.parse::<usize>().ok());
    let counts: Vec<usize> = counts.collect();
    // A plan without a number of nodes gathers rows on the coordinator.
    if counts.len() == said && said == 7 { counts.into_iter().max() } else { None }
}

/// Returns a short name of a statement, as in [`OVER_ALL_NODES`].
fn what(text: &str) -> String {
    let act = text.split(' ').next().unwrap_or_default();
    let table = text.split("FROM ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    format!("{act} {table}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_statement_but_the_systems_look_ups_is_for_one_node() {
    // The first user of a database creates its template, which must not be recorded.
    let database = aside(database);
    let sent = Sent::default();
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(sent.clone())).unwrap();
    // Every route once, successfully, with its follow-up work: nearly every statement occurs.
    let stage = Stage::on(Server::postgres(database.settings()).await).await;
    for route in bursar::routes::table() {
        let operation = route.documented.operation_id;
        let Some(sample) = sample(&stage, operation).await else { continue };
        let mut asking = stage.server.ask(route.method.as_str(), &sample.target(route.path));
        asking = match route.who {
            bursar::http::Who::Organization => asking.as_org(),
            bursar::http::Who::OrganizationForApp => asking.as_org().for_app(&stage.app.id),
            bursar::http::Who::Provider | bursar::http::Who::Member => asking,
            bursar::http::Who::Anyone
            | bursar::http::Who::AppOrItsClient
            | bursar::http::Who::App
            | bursar::http::Who::AppOrOrganization => asking.app_key(),
        };
        for (name, value) in &sample.headers {
            asking = asking.header(name, value);
        }
        let asking = match &sample.body {
            Some(body) => asking.json(body.clone()),
            None => asking,
        };
        asking.send().await;
    }
    stage.server.pass(90_000).await;
    stage.server.pass(40 * 86_400).await;
    // The worker does this when it is idle.
    bursar::worker::bury_outlived(stage.server.bursar()).await.unwrap();
    bursar::worker::forget_outlived(stage.server.bursar()).await.unwrap();
    let sent = sent.0.lock().unwrap().clone();
    // The statements of the whole snapshot are not collected: it is declared as a cursor.
    let (mut of_one, mut of_all) = (0, BTreeMap::new());
    let mut wrong = Vec::new();
    aside(|| {
        for text in &sent {
            match nodes_asked(&database, text) {
                Some(1) => of_one += 1,
                _ if OVER_ALL_NODES.iter().any(|(known, _)| *known == what(text)) => {
                    assert!(!text.contains("\"org\" = "), "it knows its organization: {text}");
                    of_all.insert(what(text), text);
                }
                _ if OF_THE_SERVER.iter().any(|catalog| text.contains(catalog)) => {}
                asked => wrong.push(format!("{asked:?} nodes: {text}")),
            }
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(of_one > 200, "only {of_one} statements were seen");
    assert_eq!(of_all.len(), OVER_ALL_NODES.len(), "not all of the house's look-ups were seen: {of_all:?}");
    println!("{of_one} statements for one node, {} for all", of_all.len());
}

#[test]
fn a_statement_for_many_nodes_is_found() {
    let database = database();
    let one = format!("SELECT moment FROM tenants WHERE org = '{}' FOR UPDATE", ORG.0);
    assert_eq!(nodes_asked(&database, &one), Some(1));
    let shards: usize =
        database.run("SELECT shard_count FROM citus_tables WHERE table_name = 'tenants'::regclass")[0].parse().unwrap();
    assert!(shards > 1);
    for (text, asked) in [
        ("SELECT moment FROM tenants WHERE moment = 1", Some(shards)),
        ("UPDATE jobs SET due_at = 1 WHERE id = $1", Some(shards)),
        ("SELECT t.due_at FROM jobs t JOIN tenants n ON true WHERE t.id = $1 AND t.org = n.org", Some(shards)),
        // The coordinator gathers the incoming columns and copies them to the node.
        ("INSERT INTO tenants (org, moment) SELECT $1, n.* FROM unnest($2::bigint[]) AS n (moment)", None),
    ] {
        assert_eq!(nodes_asked(&database, text), asked, "{text}");
    }
}

fn migrate(database: &Database, flags: &[&str]) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let (url, data) = (database.url(), folder.path().to_str().unwrap().to_owned());
    let done = bursar(&[&["migrate", "--database-url", &url, "--data-dir", &data], flags].concat()).output().unwrap();
    (done.status.success(), String::from_utf8([done.stdout, done.stderr].concat()).unwrap())
}

fn spread(database: &Database) -> BTreeMap<String, String> {
    let kinds = "SELECT table_name::text || '|' || citus_table_type || ' ' || colocation_id FROM citus_tables";
    let pair = |line: String| {
        let (table, kind) = line.split_once('|').unwrap();
        (table.to_owned(), kind.to_owned())
    };
    database.run(kinds).into_iter().map(pair).collect()
}

#[test]
fn a_database_in_use_is_distributed_once_and_later_tables_follow() {
    let database = bare();
    // First a database that is not distributed, with money in it.
    let deployment = Deployment::new(database.clone());
    let process = deployment.start(&[]);
    let credentials = deployment.credentials();
    let sent = |process: &crate::harness::Process, phone: u32| {
        let body = crate::postgres_processes::payout(phone);
        crate::postgres_processes::ask(process, &credentials, "app", "POST", "/v2/payouts/send-payout", &body).0
    };
    assert_eq!(sent(&process, 1), 201);
    assert!(spread(&database).is_empty());
    drop(process);
    let (done, said) = migrate(&database, &["--distribute"]);
    assert!(done && said.contains("distributed"), "{said}");
    let tables = spread(&database);
    let group = &tables["tenants"];
    assert!(group.starts_with("distributed"), "{group}");
    for table in bursar::tables::ALL {
        assert_eq!(&tables[table.name], group, "{} stands beside tenants", table.name);
    }
    deployment.verify();
    let process = deployment.start(&["--no-migrate"]);
    assert_eq!(sent(&process, 2), 201);
    assert_eq!(links(&load(&process, &credentials, 0)).len(), 2, "the one from before is still there");
    drop(process);
    // A repetition has nothing to do.
    let (done, said) = migrate(&database, &["--distribute", "--json"]);
    assert!(done && said.contains("\"distributed\":[]"), "{said}");

    // A table that a later migration creates.
    database.run("CREATE TABLE later (org uuid NOT NULL, id uuid NOT NULL, PRIMARY KEY (org, id))");
    database.run("CREATE TABLE shared (id uuid NOT NULL, PRIMARY KEY (id))");
    let folder = tempfile::tempdir().unwrap();
    let (url, data) = (database.url(), folder.path().to_str().unwrap().to_owned());
    let refused = bursar(&["serve", "--no-migrate", "--database-url", &url, "--data-dir", &data]).output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(1) && said.contains("later, shared in it not yet"), "{said}");
    let process = deployment.start(&[]);
    assert_eq!(sent(&process, 3), 201);
    let tables = spread(&database);
    assert_eq!(&tables["later"], group);
    assert!(tables["shared"].starts_with("reference"), "{}", tables["shared"]);
    deployment.verify();
}

#[test]
fn what_cannot_be_distributed_is_reported() {
    let database = bare();
    database.run("DROP EXTENSION citus");
    let (done, said) = migrate(&database, &["--distribute"]);
    assert!(!done && said.contains("it has no extension citus: run CREATE EXTENSION"), "{said}");
    assert!(database.run("SELECT to_regclass('tenants')") == [""], "nothing was made before it was looked at");
    database.run("CREATE EXTENSION citus");
    let (done, said) = migrate(&database, &["--distribute"]);
    assert!(!done && said.contains("it has no node for tables"), "{said}");

    let database = bare();
    let careless = format!("ALTER DATABASE {} SET synchronous_commit = off", database.name);
    database.run(&format!("SELECT run_command_on_workers('{careless}')"));
    let (done, said) = migrate(&database, &["--distribute"]);
    assert!(!done && said.contains("synchronous_commit is off at"), "{said}");
    // A distributed database that becomes unsafe is refused too.
    database.run(&format!("SELECT run_command_on_workers('{}')", careless.replace("= off", "= on")));
    assert!(migrate(&database, &["--distribute"]).0);
    database.run(&format!("SELECT run_command_on_workers('{careless}')"));
    let refused = Postgres::open(Settings::parse(&database.url()).unwrap(), false, NonZeroU8::new(1)).err().unwrap();
    assert!(refused.to_string().contains("synchronous_commit is off at"), "{refused}");
}

/// Moves a store into a distributed database, back, and there again.
#[test]
fn an_embedded_store_moves_to_many_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    sandbox(&data, 3);
    let (before, database) = (of_store(&data), database());
    let url = database.url();
    let run = |words: &[&str]| crate::move_store::run(&data, &url, words);
    moved(&run(&["--json"]));
    assert_eq!(before.differences(&of_database(&database)), Vec::<String>::new());
    moved(&run(&["--give-up", "--json"]));
    assert_eq!(of_database(&database).rows(), 0);
    moved(&run(&["--json"]));
    let process = crate::harness::Process::start_with(&data, &["--database-url", &url]);
    let credentials = serde_json::from_slice(&std::fs::read(data.join("sandbox-credentials.json")).unwrap()).unwrap();
    let body = crate::postgres_processes::payout(9);
    let ask = |method, path, body| crate::postgres_processes::ask(&process, &credentials, "app", method, path, body);
    assert_eq!(ask("POST", "/v2/payouts/send-payout", &body).0, 201);
    assert_eq!(ask("GET", "/v2/payout-links", "").1["data"].as_array().unwrap().len(), 4);
    let reads = bursar::store::Reads::Postgres(Postgres::read_only(database.settings()).unwrap());
    assert!(aside(|| bursar::verify::verify(&reads)).unwrap().findings.is_empty());
}

/// Makes the workers delay each commit that changes the counted rows.
fn slow_commits(database: &Database) {
    // The extension distributes the function to the workers.
    database.run(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(30); RETURN NULL; END'",
    );
    database.alter("app_metrics", "CREATE CONSTRAINT TRIGGER slow AFTER UPDATE ON %s DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()");
}

/// The coordinator reports a commit as refused although its node did not respond; it warns before.
#[test]
fn a_commit_whose_node_is_lost_is_unknown() {
    let database = own();
    let mut executor = executor(database.settings());
    assert_eq!(batch(&mut executor, &[COUNT]), [Ok(1)]);
    slow_commits(&database);
    let ending = {
        let database = database.clone();
        std::thread::spawn(move || {
            let end = "SELECT result FROM run_command_on_workers($$SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                WHERE datname = current_database() AND query ILIKE 'COMMIT%' AND wait_event = 'PgSleep'$$) WHERE result <> '0'";
            let begun = Instant::now();
            while database.run(end).is_empty() {
                assert!(begun.elapsed() < Duration::from_secs(20), "no node commits");
                std::thread::park_timeout(Duration::from_millis(10));
            }
        })
    };
    assert_eq!(batch(&mut executor, &[COUNT]), [Err(Code::OutcomeUnknown)]);
    ending.join().unwrap();
    database.alter("app_metrics", "DROP TRIGGER slow ON %s");
    assert_eq!(batch(&mut executor, &[COUNT]), [Ok(2)]);
    assert_eq!(count(&database), 2);
}

/// A paused process that holds the lock is disconnected on the node too, where the others wait.
#[test]
fn who_stops_with_the_lock_is_thrown_out_of_its_node() {
    let database = database();
    let mut stopped = store(database.settings());
    stopped.begin(&[ORG], &[]).unwrap();
    let begun = Instant::now();
    let mut other = executor(database.settings());
    assert_eq!(batch(&mut other, &[COUNT]), [Ok(1)]);
    let waited = begun.elapsed();
    assert!(waited > Duration::from_secs(2) && waited < Duration::from_secs(8), "{waited:?}");
    assert!(stopped.commit(&[], bursar::clock::Time::from_micros(1)).is_err(), "it has lost its lock");
    let left = "SELECT result FROM run_command_on_workers($$SELECT count(*) FROM pg_stat_activity \
        WHERE datname = current_database() AND state LIKE 'idle in transaction%'$$)";
    assert!(database.run(left).iter().all(|count| count == "0"));
}

/// Every written row is read back unchanged, for all column values; also through a pooler.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn through_a_pooler_too_nothing_stays_set() {
    let database = aside(database);
    let server = Server::postgres(database.settings().through_pooler(true)).await;
    let body = json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    server.work_off().await;
    let shown = server.get(&format!("/v2/payout-links/{}", link.id())).app_key().send().await.expect(200);
    assert_eq!(shown.body["status"], "delivered");
    server.verify();
}
