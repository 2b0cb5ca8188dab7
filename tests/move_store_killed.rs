//! `bursar move`, killed at any time and run again: it continues, and no server can start until it is finished.

use std::num::NonZeroU8;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use bursar::ids::OrgId;
use bursar::store::{Postgres, Store};
use serde_json::Value;
use tempfile::TempDir;

use crate::harness::postgres::Database;
use crate::harness::{Process, bursar};
use crate::move_store::{command, end, moved, of_database, of_store, own, refused, run, said, sandbox};
use crate::process::as_app;

/// A sandbox and an empty database in which every chunk is slow.
struct Deployment {
    folder: TempDir,
    database: Database,
}

impl Deployment {
    fn new() -> Self {
        let (folder, database) = (tempfile::tempdir().unwrap(), own());
        sandbox(folder.path(), 3);
        database.run(
            "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.1); RETURN NEW; END'",
        );
        database.alter("moves", "CREATE TRIGGER slow BEFORE UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION slow()");
        Self { folder, database }
    }

    fn data(&self) -> &Path {
        self.folder.path()
    }

    fn url(&self) -> String {
        self.database.url()
    }

    /// Returns the number of copied rows; `None` before the move began.
    fn copied(&self) -> Option<u64> {
        self.database.run("SELECT copied FROM moves").first().map(|copied| copied.parse().unwrap())
    }

    /// Starts a move and kills it when it has copied more rows than this; returns their number then.
    fn killed(&self, more_than: Option<u64>) -> u64 {
        let mut child = command(self.data(), &self.url(), &[]).spawn().unwrap();
        let begun = Instant::now();
        while self.copied() <= more_than {
            assert!(
                begun.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none(),
                "{}",
                reported(child)
            );
            std::thread::park_timeout(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        self.copied().unwrap()
    }

    /// Asserts that a server refuses to start on the database.
    fn database_is_not_served(&self) {
        let (data_dir, url) = (self.data().to_str().unwrap(), self.url());
        for serve in ["serve", "migrate"] {
            let output = bursar(&[serve, "--data-dir", data_dir, "--database-url", &url]).output().unwrap();
            refused(&output, 1, "is not complete: from /");
            assert!(said(&output).contains("Run the same `bursar move` again"), "{}", said(&output));
        }
    }
}

fn reported(child: Child) -> String {
    said(&child.wait_with_output().unwrap())
}

#[test]
fn a_move_that_is_killed_again_and_again_resumes_where_it_was() {
    let deployment = Deployment::new();
    let expected = of_store(deployment.data());
    let mut copied = None;
    for _ in 0..5 {
        let before = copied;
        copied = Some(deployment.killed(copied));
        assert!(copied > before);
        deployment.database_is_not_served();
    }
    let done = moved(&run(deployment.data(), &deployment.url(), &["--json"]));
    assert!(done["moved"]["copied_before"].as_u64() >= copied, "{done}");
    assert_eq!(done["moved"]["rows"], expected.rows());
    assert_eq!(done["moved"]["proof"], serde_json::to_value(&expected).unwrap());
    assert!(of_database(&deployment.database) == expected);
    // It is served now, with the same jobs and ledger.
    let process = Process::start_with(deployment.data(), &["--database-url", &deployment.url()]);
    as_app(&process, deployment.data(), "POST /v2/sandbox/clock/advance", r#"{"seconds": 86400}"#);
    end(process);
    assert!(bursar(&["verify", "--database-url", &deployment.url()]).output().unwrap().status.success());
}

#[test]
fn a_store_that_was_served_in_between_begins_again_or_not_at_all() {
    let deployment = Deployment::new();
    let copied = deployment.killed(Some(0));
    // Before the move begins, the store may be served.
    let process = Process::start(deployment.data());
    as_app(&process, deployment.data(), "POST /v2/payout-links", r#"{"amount": 100, "delivery": {"method": "link"}}"#);
    end(process);
    refused(&run(deployment.data(), &deployment.url(), &[]), 1, "has changed since its move to");
    assert!(deployment.copied() >= Some(copied), "nothing was touched");
    let again = moved(&run(deployment.data(), &deployment.url(), &["--restart", "--json"]));
    assert_eq!(again["moved"]["copied_before"], 0);
    assert!(of_store(deployment.data()) == of_database(&deployment.database));
}

#[test]
fn an_unfinished_move_is_given_up_and_the_database_is_empty_again() {
    let deployment = Deployment::new();
    deployment.killed(Some(0));
    moved(&run(deployment.data(), &deployment.url(), &["--give-up", "--json"]));
    assert_eq!((deployment.copied(), of_database(&deployment.database).rows()), (None, 0));
    end(Process::start(deployment.data()));
    refused(&run(deployment.data(), &deployment.url(), &["--give-up"]), 1, "has not moved");
}

/// Between the last two steps neither store is served, and a repetition opens the database.
#[test]
fn a_move_that_is_killed_before_its_last_step_leaves_neither_to_be_served() {
    let deployment = Deployment::new();
    deployment.database.run(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$",
    );
    deployment.database.alter(
        "moves",
        "CREATE TRIGGER fail BEFORE UPDATE ON %s FOR EACH ROW WHEN (NEW.ended_at IS NOT NULL) EXECUTE FUNCTION fail()",
    );
    let stopped = run(deployment.data(), &deployment.url(), &[]);
    refused(&stopped, 1, "the disk is full");
    assert!(said(&stopped).contains("run the same command again"), "{}", said(&stopped));
    deployment.database_is_not_served();
    let data_dir = deployment.data().to_str().unwrap();
    refused(&bursar(&["serve", "--data-dir", data_dir]).output().unwrap(), 1, "moved to");
    deployment.database.alter("moves", "DROP TRIGGER fail ON %s");
    let done: Value = moved(&run(deployment.data(), &deployment.url(), &["--json"]));
    assert_eq!(done["moved"]["copied_before"], done["moved"]["rows"]);
    end(Process::start_with(deployment.data(), &["--database-url", &deployment.url()]));
}

/// A process that opened the empty database before the move began does nothing there until it has ended.
#[test]
fn who_was_there_before_commits_nothing_until_the_end() {
    let deployment = Deployment::new();
    let credentials = std::fs::read_to_string(deployment.data().join("sandbox-credentials.json")).unwrap();
    let credentials: Value = serde_json::from_str(&credentials).unwrap();
    let org = OrgId(credentials["organization"]["id"].as_str().unwrap().parse().unwrap());
    let writer =
        Postgres::open(deployment.database.settings(), false, NonZeroU8::new(1)).unwrap().writers.pop().unwrap();
    let mut there = Store::Postgres(Box::new(writer));
    deployment.killed(Some(0));
    let kept_out = there.begin(&[org], &[]).unwrap_err().to_string();
    assert!(kept_out.contains("a move into the database is not complete"), "{kept_out}");
    moved(&run(deployment.data(), &deployment.url(), &["--json"]));
    let begun = there.begin(&[org], &[]).unwrap();
    let newest = "SELECT max(created_at) FROM event_segments";
    let newest: i64 = deployment.database.run(newest)[0].parse().unwrap();
    assert!(begun.last.unwrap().micros() >= newest, "whatever comes is later than all that was");
}
