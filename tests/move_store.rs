//! `bursar move`: an embedded store moves to PostgreSQL completely, and is served from there.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use bursar::moving::proof::Proof;
use bursar::store::postgres::Settings;
use bursar::store::{Postgres, Reads, Sqlite};
use bursar::tables;
use futures::FutureExt as _;
use serde_json::{Value, json};

use crate::harness::postgres::{Cluster, Database, aside};
use crate::harness::{Process, Server, bursar};
use crate::process::as_app;
use crate::samples::{Stage, sample};
use crate::stores_differ::{Twist, send};

/// Runs `bursar move` with further words.
pub fn run(data: &Path, url: &str, words: &[&str]) -> Output {
    command(data, url, words).output().unwrap()
}

/// Returns the command, not started.
pub fn command(data: &Path, url: &str, words: &[&str]) -> std::process::Command {
    bursar(&[&["move", "--data-dir", data.to_str().unwrap(), "--to", url], words].concat())
}

/// Returns its standard output and standard error.
pub fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Asserts success; returns the output.
pub fn moved(output: &Output) -> Value {
    assert!(output.status.success(), "{}", said(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Asserts a refusal for this reason.
pub fn refused(output: &Output, code: i32, why: &str) {
    let said = said(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(why), "{why:?} is not what was said: {said}");
}

/// Returns the proof of a store's content.
pub fn of_store(data: &Path) -> Proof {
    let reads = Reads::Sqlite(Sqlite::read_only(&data.join("bursar.sqlite")).unwrap());
    Proof::of(&reads, |_| {}).unwrap()
}

/// Returns the proof of a database's content.
pub fn of_database(database: &Database) -> Proof {
    let reads = Reads::Postgres(Postgres::read_only(database.settings()).unwrap());
    aside(|| Proof::of(&reads, |_| {}).unwrap())
}

/// Creates an ended sandbox with some payouts; returns the id of the last link.
pub fn sandbox(data: &Path, payouts: u32) -> String {
    let process = Process::start(data);
    let mut last = String::new();
    for number in 0..payouts {
        let payee = json!({"country_code": "1", "phone_number": format!("212736{number:04}")});
        let body = json!({"amount": 100, "payee": payee}).to_string();
        let link = as_app(&process, data, "POST /v2/payouts/send-payout", &body);
        last = link["id"].as_str().unwrap().to_owned();
    }
    end(process);
    last
}

/// Ends a process by a signal.
pub fn end(process: Process) {
    process.signal("TERM");
    assert!(process.wait(Duration::from_secs(20)).0.success());
}

/// Returns a database that no other test uses, because its tables are changed.
pub fn own() -> Database {
    let cluster = Cluster::shared();
    if cluster.citus.is_some() { crate::citus::own() } else { cluster.database() }
}

/// Returns a database without any schema.
fn bare(cluster: &Cluster) -> Database {
    if cluster.citus.is_some() {
        return crate::citus::bare();
    }
    cluster.bare()
}

#[test]
fn a_sandbox_moves_to_an_empty_database_and_resumes_there() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let link = sandbox(&data, 3);
    let home = ["--public-url", "http://127.0.0.1:8080"];
    let show = |process: &Process| as_app(process, &data, &format!("GET /v2/payout-links/{link}"), "");
    let process = Process::start_with(&data, &home);
    let before = (show(&process), as_app(&process, &data, "GET /v2/ledger/trial-balance", "")["accounts"].clone());
    end(process);

    let database = bare(&Cluster::shared());
    let reported = run(&data, &database.url(), &[]);
    let said = said(&reported);
    assert!(reported.status.success(), "{said}");
    for word in ["bursar: reading the store", "bursar: copying transfers", "are equal on both sides", "bursar serve"] {
        assert!(said.contains(word), "{word}: {said}");
    }

    // The database is served with the same folder, keys and ledger.
    let url = database.url();
    let process = Process::start_with(&data, &[&home[..], &["--database-url", &url]].concat());
    let after = (show(&process), as_app(&process, &data, "GET /v2/ledger/trial-balance", "")["accounts"].clone());
    assert_eq!(after, before);
    let body = json!({"amount": 100, "payee": {"country_code": "1", "phone_number": "2127361234"}}).to_string();
    as_app(&process, &data, "POST /v2/payouts/send-payout", &body);
    end(process);
    // And the embedded store cannot be served by mistake.
    let data_dir = data.to_str().unwrap();
    refused(&bursar(&["serve", "--data-dir", data_dir]).output().unwrap(), 1, "moved to postgres://");
    assert!(bursar(&["verify", "--data-dir", data_dir]).output().unwrap().status.success());
    assert!(bursar(&["verify", "--database-url", &url]).output().unwrap().status.success());
    let again = moved(&run(&data, &url, &["--json"]));
    assert_eq!(again["moved"]["already"], true);
}

/// Sends every sample of every route with separate keys; returns the responses. Some samples conflict with others.
async fn everything(
    stage: &Stage,
) -> Vec<(bursar::http::Route, crate::samples::Sample, String, crate::harness::Reply)> {
    let mut sent = Vec::new();
    for (number, route) in bursar::routes::table().into_iter().enumerate() {
        let made = AssertUnwindSafe(sample(stage, route.documented.operation_id)).catch_unwind().await;
        if let Ok(Some(sample)) = made {
            let key = format!("key-{number}");
            let reply = send(stage, &route, &sample, Twist::Twice, &key).await;
            sent.push((route, sample, key, reply));
        }
    }
    sent
}

/// Everything moves: all rows that the API can create are equal in the database, responses are equal, and pending jobs
/// run once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_the_api_can_make_moves_and_is_answered_the_same() {
    let mut stage = Stage::on(Server::sqlite().await).await;
    let sent = everything(&stage).await;
    stage.server.work_off().await;
    // The message of this link is not sent yet.
    let body = json!({"amount": 700, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let waiting = stage.server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    let reads: Vec<_> = sent
        .iter()
        .filter(|(route, ..)| route.method == bursar::http::Method::Get && !route.path.contains("/sandbox/messages"))
        // A set-up token belongs to the process that printed it, and so do the requests that it answered.
        .filter(|(route, ..)| !route.path.starts_with("/setup/") && !route.path.ends_with("/requests"))
        .collect();
    let mut before = Vec::new();
    for (route, sample, key, _) in &reads {
        before.push(send(&stage, route, sample, Twist::Plain, key).await);
    }
    let rows: Vec<_> = tables::ALL.iter().map(|table| (table.name, stage.server.rows(table))).collect();
    let filled = rows.iter().filter(|(_, rows)| !rows.is_empty()).count();
    assert!(filled > tables::ALL.len() * 3 / 4, "{filled} tables have rows: the test has lost its edge");

    let database = Database::new();
    let url = database.url();
    stage.server.move_to(database.settings(), |data| drop(moved(&run(data, &url, &["--json"])))).await;
    stage.server.serve_own_machine();

    for (name, expected) in &rows {
        let table = tables::ALL.iter().find(|table| table.name == *name).unwrap();
        assert_eq!(stage.server.rows(table), *expected, "{name}");
    }
    for ((route, sample, key, _), expected) in reads.iter().zip(&before) {
        let after = send(&stage, route, sample, Twist::Plain, key).await;
        assert_eq!((after.status, &after.text), (expected.status, &expected.text), "{}", route.documented.operation_id);
    }
    let mut replays = 0;
    // The result of a clock move and the state of a claim are not stored, so a replay computes them again.
    let anew = |route: &bursar::http::Route| route.path.contains("/clock/") || route.path.contains("/claims/");
    for (route, sample, key, first) in sent.iter().filter(|(route, ..)| !anew(route)) {
        let replay = send(&stage, route, sample, Twist::Twice, key).await;
        if replay.header("idempotent-replayed").is_some() {
            assert_eq!((replay.status, &replay.text), (first.status, &first.text), "{}", route.documented.operation_id);
            replays += 1;
        }
    }
    assert!(replays > 20 && reads.len() > 20, "{replays} replays, {} reads: the test has lost its edge", reads.len());
    stage.server.work_off().await;
    let path = "/v2/sandbox/messages?to=%2B12127361234&limit=100";
    let inbox = stage.server.get(path).app_key().send().await.expect(200).body;
    let link = waiting.body["link"].as_str().unwrap();
    let about = inbox["data"].as_array().unwrap().iter().filter(|message| message["link"] == link).count();
    assert_eq!(about, 1, "{inbox}");
    stage.server.verify();
}

#[test]
fn what_another_put_into_the_database_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    sandbox(folder.path(), 1);
    let cluster = Cluster::shared();
    let foreign = bare(&cluster);
    foreign.run("CREATE TABLE customers (name text)");
    refused(
        &run(folder.path(), &foreign.url(), &[]),
        1,
        "is not empty: it contains tables of another program: customers",
    );
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(foreign.run(tables), ["1"], "nothing was made beside it");

    let served = Database::new();
    served.run("INSERT INTO environment_clock (org, ahead_seconds) VALUES ('00000000-0000-0000-0000-000000000000', 5)");
    for words in [&[][..], &["--restart"]] {
        refused(&run(folder.path(), &served.url(), words), 1, "is not empty: it contains rows in environment_clock");
    }
    assert_eq!(served.run("SELECT ahead_seconds FROM environment_clock"), ["5"]);
    // The store still works.
    end(Process::start(folder.path()));

    let other = tempfile::tempdir().unwrap();
    sandbox(other.path(), 1);
    let database = Database::new();
    moved(&run(other.path(), &database.url(), &["--json"]));
    refused(&run(folder.path(), &database.url(), &[]), 1, "another store is moving or has moved to the database");
    refused(&run(folder.path(), &database.url(), &["--give-up"]), 1, "has not moved");
}

#[test]
fn an_obstacle_is_explained_in_plain_words() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let database = Database::new();
    let url = database.url();
    refused(&run(&data.join("nowhere"), &url, &[]), 78, "no store exists at");
    assert!(!data.join("nowhere").exists(), "and none was made");
    let process = Process::start(data);
    refused(&run(data, &url, &[]), 1, "another bursar process has");
    end(process);
    refused(&run(data, "mysql://me:secret@a/x", &[]), 78, "--to: must begin with postgres://");
    refused(&run(data, "postgres://me:secret@a/x?sslmode=maybe", &[]), 78, "--to: sslmode must be");
    let unknown = run(data, "postgres://me:secret@127.0.0.1:1/x", &[]);
    refused(&unknown, 1, "cannot open the database postgres://127.0.0.1:1/x: ");
    assert!(!said(&unknown).contains("secret"));
    refused(
        &run(data, &format!("{url}_missing").replace(&format!("{}_missing", database.name), "none"), &[]),
        1,
        "cannot open",
    );
    let gone = url.replace(&database.name, "no_such_database");
    refused(&run(data, &gone, &[]), 1, "no_such_database");
    let open = data.join("password");
    std::fs::write(&open, "secret").unwrap();
    refused(&run(data, &url, &["--database-password-file", open.to_str().unwrap()]), 78, "is readable by other users");
    refused(&run(data, &url, &["--database-url", &url]), 78, "database-url names PostgreSQL already");
    refused(&bursar(&["move"]).output().unwrap(), 2, "--to");
    refused(&run(data, &url, &["--give-up", "--restart"]), 2, "cannot be used with");
    assert!(database.run("SELECT 1 FROM moves").is_empty());
}

#[test]
fn a_store_of_another_version_does_not_move() {
    let folder = tempfile::tempdir().unwrap();
    sandbox(folder.path(), 1);
    let connection = rusqlite::Connection::open(folder.path().join("bursar.sqlite")).unwrap();
    let url = Database::new().url();
    let newer = "INSERT INTO refinery_schema_history SELECT version + 1, 'later', applied_on, checksum FROM \
        refinery_schema_history ORDER BY version DESC LIMIT 1";
    connection.execute(newer, []).unwrap();
    refused(&run(folder.path(), &url, &[]), 1, "created by a newer version of bursar");
    let back =
        "DELETE FROM refinery_schema_history WHERE version >= (SELECT max(version) - 1 FROM refinery_schema_history)";
    connection.execute(back, []).unwrap();
    refused(&run(folder.path(), &url, &[]), 1, "needs 1 migration(s); run `bursar migrate`");
}

/// The negative controls of the proof: a changed row, and a missing row.
#[test]
fn a_row_that_is_lost_or_changed_on_the_way_is_found() {
    let folder = tempfile::tempdir().unwrap();
    sandbox(folder.path(), 2);
    for (table, act, reported) in [
        ("ledger_accounts", "NEW.balance := NEW.balance + 1; RETURN NEW", "ledger_accounts: "),
        ("event_segments", "IF NEW.first = 1 THEN RETURN NULL; END IF; RETURN NEW", "event_segments: "),
        ("event_streams", "NEW.hash := ''::bytea; RETURN NEW", "event log ends at another event"),
    ] {
        let database = own();
        let url = database.url();
        database.run(&format!("CREATE FUNCTION damage() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {act}; END $$"));
        database.alter(table, "CREATE TRIGGER damage BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION damage()");
        let output = run(folder.path(), &url, &[]);
        refused(&output, 1, "differs from the store and is not opened");
        assert!(said(&output).contains(reported), "{}", said(&output));
        // The database cannot be served, and the store is served as before.
        let data_dir = folder.path().to_str().unwrap();
        let serve = bursar(&["serve", "--data-dir", data_dir, "--database-url", &url]).output().unwrap();
        refused(&serve, 1, "is not complete");
        // A repetition does not help; a new move does, once the cause is removed.
        database.alter(table, "DROP TRIGGER damage ON %s");
        refused(&run(folder.path(), &url, &[]), 1, "differs from the store");
        let again = moved(&run(folder.path(), &url, &["--restart", "--json"]));
        assert_eq!(again["moved"]["copied_before"], 0);
        assert!(of_store(folder.path()) == of_database(&database));
        let back = moved(&run(folder.path(), &url, &["--give-up", "--json"]));
        assert_eq!(back["given_up"]["emptied"], Settings::parse(&url).unwrap().to_string());
    }
}

#[test]
fn a_store_with_findings_does_not_move() {
    let folder = tempfile::tempdir().unwrap();
    sandbox(folder.path(), 1);
    let connection = rusqlite::Connection::open(folder.path().join("bursar.sqlite")).unwrap();
    connection.execute("UPDATE ledger_accounts SET balance = balance + 1 WHERE number = 1", []).unwrap();
    drop(connection);
    let database = Database::new();
    refused(&run(folder.path(), &database.url(), &[]), 1, "the store violates invariants");
    assert!(database.run("SELECT 1 FROM moves").is_empty());
}

#[test]
fn one_comes_back_unless_the_database_has_gone_on() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    sandbox(data, 2);
    let before = of_store(data);
    let database = Database::new();
    let url = database.url();
    moved(&run(data, &url, &["--json"]));
    // Nothing was written in the database: the move may be rolled back, and the database is as empty as before.
    moved(&run(data, &url, &["--give-up", "--json"]));
    assert_eq!(of_database(&database).rows(), 0);
    assert!(database.run("SELECT 1 FROM moves UNION ALL SELECT 1 FROM tenants").is_empty());
    assert!(of_store(data) == before);
    end(Process::start(data));

    moved(&run(data, &url, &["--json"]));
    let process = Process::start_with(data, &["--database-url", &url]);
    as_app(&process, data, "POST /v2/payout-links", r#"{"amount": 100, "delivery": {"method": "link"}}"#);
    end(process);
    let there = of_database(&database);
    refused(&run(data, &url, &["--give-up"]), 1, "has changed since the move");
    assert!(of_database(&database) == there, "nothing was touched");
    let elsewhere = Database::new();
    for words in [&[][..], &["--give-up"]] {
        refused(&run(data, &elsewhere.url(), words), 1, "has no record of it");
    }
    // The database is lost, and the operator confirms it.
    let data_dir = data.to_str().unwrap();
    refused(&bursar(&["serve", "--data-dir", data_dir]).output().unwrap(), 1, "moved to");
    let forgotten = bursar(&["move", "--data-dir", data_dir, "--forget"]).output().unwrap();
    assert!(forgotten.status.success(), "{}", said(&forgotten));
    end(Process::start(data));
    refused(&bursar(&["move", "--data-dir", data_dir, "--forget"]).output().unwrap(), 1, "has not moved");
    // The store has forgotten the move that the database records.
    refused(&run(data, &url, &[]), 1, "another store is moving or has moved to the database");
}
