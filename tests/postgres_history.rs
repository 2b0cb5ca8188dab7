//! The history of a version without a key, over PostgreSQL: two processes that start at once carry it over.

use std::time::Duration;

use bursar::load::{Load, run};
use bursar::store::{Postgres, Reads};

use crate::harness::bursar;
use crate::harness::judge::load;
use crate::harness::old_events;
use crate::harness::postgres::{Database, aside};
use crate::postgres_processes::Deployment;

/// More transactions than the carry-over reads at once, so that it queries again.
const MANY: i64 = 600;

/// Chains the events like a version without a key.
const RECHAIN: &str = "DO $$
    DECLARE one record; before bytea := ''; log uuid;
    BEGIN
        FOR one IN SELECT * FROM events ORDER BY org, app, sequence LOOP
            IF log IS DISTINCT FROM one.app THEN before := ''; log := one.app; END IF;
            before := sha256(before || int8send(one.sequence) || uuid_send(one.id)
                || int8send(octet_length(one.name)) || convert_to(one.name, 'UTF8')
                || int8send(octet_length(one.object)) || convert_to(one.object, 'UTF8')
                || uuid_send(one.object_id) || int8send(one.version) || int8send(one.created_at));
            UPDATE events SET hash = before WHERE org = one.org AND app = one.app AND sequence = one.sequence;
            UPDATE event_streams SET hash = before WHERE org = one.org AND app = one.app;
        END LOOP;
    END $$";

fn verify(deployment: &Deployment) -> (bool, String) {
    let (data, url) = (deployment.data(), deployment.database.url());
    let output = bursar(&["verify", "--data-dir", data.to_str().unwrap(), "--database-url", &url]).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_carry_the_history_of_a_version_without_key_over() {
    let deployment = Deployment::new(aside(Database::new));
    let process = deployment.start(&[]);
    let credentials = deployment.credentials();
    let transactions = || -> i64 { deployment.database.run("SELECT count(*) FROM transactions")[0].parse().unwrap() };
    for round in 1.. {
        let door = Load { connections: 8, duration: Duration::from_secs(1), ..load(&process, &credentials, round) };
        run(&door).await.unwrap();
        if transactions() > MANY {
            break;
        }
    }
    drop(process);
    let reads = Reads::Postgres(aside(|| Postgres::read_only(deployment.database.settings())).unwrap());
    let rows = aside(|| old_events::rows(&reads, bursar::events::unkeyed_link));
    drop(reads);
    deployment.database.run(&old_events::statements(&rows, false).join(";"));
    for old in [
        RECHAIN,
        "DELETE FROM history_begins",
        "UPDATE ledger_books SET hash = ''",
        "UPDATE event_streams SET unkeyed_to = -1, unkeyed_proof = NULL",
    ] {
        deployment.database.run(old);
    }
    let (sound, said) = verify(&deployment);
    assert!(!sound && said.contains("its chain is not upgraded"), "negative control: {said}");
    std::thread::scope(|scope| {
        let starts = [(); 2].map(|()| scope.spawn(|| drop(deployment.start(&[]))));
        starts.into_iter().for_each(|start| start.join().unwrap());
    });
    let (sound, said) = verify(&deployment);
    assert!(sound && !said.contains("; 0 events are from a version without a key"), "{said}");
    // From now on the old part is as safe as the new.
    deployment.database.run("UPDATE events SET object = object || ' ' WHERE sequence = 3");
    deployment.database.run(RECHAIN);
    let (sound, said) = verify(&deployment);
    assert!(!sound && said.contains("the keyless events up to here are not proved"), "{said}");
}
