//! The keyed history: a change of stored data cannot recompute the chain, and an anchor shows rewritten or truncated
//! history.

use std::path::{Path, PathBuf};

use bursar::store::{Reads, Sqlite};
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::harness::old_events;
use crate::harness::{Manner, Process, Receiver, Server, bursar};
use crate::process::as_app;

/// Creates a sandbox with some links, and ends it.
fn lived() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    live(&data);
    (folder, data)
}

fn live(data: &Path) {
    let process = Process::start(data);
    for amount in [100, 200, 300] {
        let body = json!({"amount": amount, "memo": "for May", "delivery": {"method": "link"}}).to_string();
        as_app(&process, data, "POST /v2/payout-links", &body);
    }
    process.signal("TERM");
    assert!(process.wait(std::time::Duration::from_secs(30)).0.success());
}

/// Runs `bursar` over a data folder; returns whether it succeeded, and its output.
fn run(data: &Path, arguments: &[&str]) -> (bool, String) {
    let output = bursar(arguments).args(["--data-dir", data.to_str().unwrap()]).output().unwrap();
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap()).concat();
    (output.status.success(), said)
}

/// Restores a copy of the store.
fn put_back(data: &Path, copy: &[u8]) {
    for beside in ["bursar.sqlite-wal", "bursar.sqlite-shm"] {
        drop(std::fs::remove_file(data.join(beside)));
    }
    std::fs::write(data.join("bursar.sqlite"), copy).unwrap();
}

fn store(data: &Path) -> Connection {
    Connection::open(data.join("bursar.sqlite")).unwrap()
}

/// Turns the store into one of a version without segments and without a key.
fn forget_segments(data: &Path) {
    let reads = Reads::Sqlite(Sqlite::read_only(&data.join("bursar.sqlite")).unwrap());
    let rows = old_events::rows(&reads, bursar::events::unkeyed_link);
    drop(reads);
    store(data).execute_batch(&old_events::statements(&rows, true).join(";")).unwrap();
}

/// Each event with its bytes, in the order of the log.
type Rows = Vec<(Vec<u8>, Vec<u8>, i64, Vec<u8>, String, Vec<u8>, i64, String, i64)>;

/// Reproduces finding M6: computes the chain of a version without a key over all events.
fn rechain_without_key(store: &Connection) {
    let mut statement = store
        .prepare("SELECT org, app, sequence, id, name, object_id, version, object, created_at FROM events ORDER BY org, app, sequence")
        .unwrap();
    let read = |row: &rusqlite::Row<'_>| {
        Ok((
            row.get(0)?,
            row.get(1)?,
            row.get(2)?,
            row.get(3)?,
            row.get(4)?,
            row.get(5)?,
            row.get(6)?,
            row.get(7)?,
            row.get(8)?,
        ))
    };
    let rows: Rows = statement.query_map([], read).unwrap().map(Result::unwrap).collect();
    let (mut before, mut log) = (Vec::new(), Vec::new());
    for (org, app, sequence, id, name, object_id, version, object, created_at) in rows {
        if log != app {
            (before, log) = (Vec::new(), app.clone());
        }
        let mut hash = Sha256::new();
        hash.update(&before);
        hash.update(sequence.to_be_bytes());
        hash.update(&id);
        for text in [&name, &object] {
            hash.update(u64::try_from(text.len()).unwrap().to_be_bytes());
            hash.update(text.as_bytes());
        }
        hash.update(&object_id);
        hash.update(version.to_be_bytes());
        hash.update(created_at.to_be_bytes());
        before = hash.finalize().to_vec();
        let place = params![before, org, app, sequence];
        store.execute("UPDATE events SET hash = ?1 WHERE org = ?2 AND app = ?3 AND sequence = ?4", place).unwrap();
        store.execute("UPDATE event_streams SET hash = ?1, sequence = ?4 WHERE org = ?2 AND app = ?3", place).unwrap();
    }
}

#[test]
fn events_that_were_changed_and_chained_again_are_found() {
    let (_folder, data) = lived();
    let (sound, said) = run(&data, &["verify"]);
    assert!(sound && said.contains("0 events are from a version without a key"), "{said}");

    // A chain recomputed without a key over the same events is found, although no event was changed.
    let changed = "UPDATE events SET object = replace(object, 'for May', 'for July')";
    let kept = std::fs::read(data.join("bursar.sqlite")).unwrap();
    for script in [changed, "SELECT 1"] {
        put_back(&data, &kept);
        forget_segments(&data);
        let open = store(&data);
        open.execute_batch(script).unwrap();
        rechain_without_key(&open);
        drop(open);
        let (sound, said) = run(&data, &["verify"]);
        assert!(!sound && said.contains("this event or an earlier one was changed"), "{said}");
        // The mark of events from a version without a key requires the key, too.
        store(&data).execute_batch("UPDATE event_streams SET unkeyed_to = sequence, unkeyed_proof = x'00'").unwrap();
        let (sound, said) = run(&data, &["verify"]);
        assert!(!sound && said.contains("the keyless events up to here are not proved"), "{said}");
        // And the service does not carry them over a second time.
        store(&data).execute_batch("UPDATE event_streams SET unkeyed_to = -1, unkeyed_proof = NULL").unwrap();
        drop(Process::start(&data));
        let (sound, said) = run(&data, &["verify"]);
        assert!(!sound && said.contains("its chain is not upgraded"), "{said}");
    }
    put_back(&data, &kept);
    assert!(run(&data, &["verify"]).0, "negative control: the store as it was is sound");
}

#[test]
fn ledger_entries_that_were_changed_in_pairs_are_found() {
    let (_folder, data) = lived();
    // Everything that the ledger checks compare is changed consistently: amounts, balances, holds, links, transfers.
    store(&data)
        .execute_batch(
            "CREATE TEMP TABLE changed AS SELECT number, source, destination FROM transactions WHERE amount = 300;
             UPDATE ledger_accounts SET balance = balance + (SELECT count(*) FROM changed WHERE source = id) * 1
                 - (SELECT count(*) FROM changed WHERE destination = id) * 1;
             UPDATE transactions SET
                 source_balance = source_balance
                     + (SELECT count(*) FROM changed c WHERE c.source = transactions.source AND c.number <= transactions.number)
                     - (SELECT count(*) FROM changed c WHERE c.destination = transactions.source AND c.number <= transactions.number),
                 destination_balance = destination_balance
                     + (SELECT count(*) FROM changed c WHERE c.source = transactions.destination AND c.number <= transactions.number)
                     - (SELECT count(*) FROM changed c WHERE c.destination = transactions.destination AND c.number <= transactions.number);
             UPDATE transactions SET amount = 299 WHERE amount = 300;
             UPDATE holds SET amount = 299 WHERE amount = 300;",
        )
        .unwrap();
    let (sound, said) = run(&data, &["verify"]);
    assert!(!sound && said.contains("the ledger's chain does not match its head"), "{said}");
    assert!(said.contains("there is 1 finding"), "everything else is consistent: {said}");
}

#[test]
fn a_history_that_does_not_contain_its_anchor_is_refused() {
    let (folder, data) = lived();
    let copy = std::fs::read(data.join("bursar.sqlite")).unwrap();
    let anchors = folder.path().join("anchors.txt");
    let anchors = anchors.to_str().unwrap();
    let (_, first) = run(&data, &["anchor", "--to", anchors]);
    assert!(first.contains("anchors appended"), "{first}");
    live(&data);
    let (sound, said) = run(&data, &["verify", "--anchor", anchors]);
    assert!(sound, "a history that goes on contains its old anchors: {said}");
    run(&data, &["anchor", "--to", anchors]);
    let lines = std::fs::read_to_string(anchors).unwrap();
    let (sound, said) = run(&data, &["verify", "--anchor", anchors]);
    assert!(sound && said.contains(&format!("{} anchors are contained", lines.lines().count())), "{said}");

    // Truncated to an earlier state: consistent, but without the newer anchors.
    put_back(&data, &copy);
    assert!(run(&data, &["verify"]).0);
    let (sound, said) = run(&data, &["verify", "--anchor", anchors]);
    assert!(!sound && said.contains("truncated"), "{said}");
    // Another history with the same key from that point on.
    live(&data);
    assert!(run(&data, &["verify"]).0);
    let (sound, said) = run(&data, &["verify", "--anchor", anchors]);
    assert!(!sound && said.contains("rewritten"), "{said}");

    // An anchor signed by another key, and a file without one.
    let (_other, others) = lived();
    let (_, said) = run(&others, &["anchor"]);
    // The rest of the output is a line of the security log.
    let (lines, logged): (Vec<&str>, Vec<&str>) = said.lines().partition(|line| line.starts_with("bursar-head"));
    let logged: Value = serde_json::from_str(&logged.concat()).unwrap();
    assert_eq!((&logged["event"], &logged["reason"]), (&json!("history_anchored"), &json!("printed")), "{said}");
    std::fs::write(anchors, lines.join("\n") + "\n").unwrap();
    let (sound, said) = run(&data, &["verify", "--anchor", anchors]);
    assert!(!sound && said.contains("is not signed with this store's key"), "{said}");
    std::fs::write(anchors, "rubbish\n").unwrap();
    let (sound, said) = run(&data, &["verify", "--anchor", anchors]);
    assert!(!sound && said.contains("line 1 is no anchor"), "{said}");
}

#[test]
fn the_history_of_a_version_without_key_is_carried_over_once() {
    let (folder, data) = lived();
    forget_segments(&data);
    let open = store(&data);
    rechain_without_key(&open);
    open.execute_batch(
        "DELETE FROM history_begins; UPDATE ledger_books SET hash = x'';
         UPDATE event_streams SET unkeyed_to = -1, unkeyed_proof = NULL;",
    )
    .unwrap();
    drop(open);
    live(&data);
    let (sound, said) = run(&data, &["verify"]);
    assert!(sound && !said.contains("; 0 events are from a version without a key"), "{said}");
    let anchors = folder.path().join("anchors.txt");
    run(&data, &["anchor", "--to", anchors.to_str().unwrap()]);
    // From now on the old part is as safe as the new.
    store(&data)
        .execute_batch("UPDATE events SET object = replace(object, 'for May', 'for July') WHERE sequence < 8")
        .unwrap();
    rechain_without_key(&store(&data));
    let (sound, said) = run(&data, &["verify"]);
    assert!(!sound && said.contains("the keyless events up to here are not proved"), "{said}");
}

#[test]
fn anchor_posts_to_a_url() {
    let (_folder, data) = lived();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let receiver = runtime.block_on(Receiver::start(Manner::Status(200)));
    let (sent, said) = run(&data, &["anchor", "--to", &receiver.url]);
    assert!(sent, "{said}");
    let heard = receiver.heard();
    assert!(heard[0].text.starts_with("bursar-head-v1 "), "{:?}", heard[0].text);
}

#[tokio::test]
async fn list_events_shows_a_signed_head() {
    let server = Server::start().await;
    let body = json!({"amount": 1000, "delivery": {"method": "link"}});
    server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    let page = server.get("/v2/events?limit=100").app_key().send().await.expect(200).body;
    let (head, last) = (&page["head"], page["data"].as_array().unwrap().last().unwrap());
    assert_eq!(head["sequence"], last["sequence"]);
    assert_eq!(head["created"], last["created"]);
    let anchors = bursar::chain::read_anchors(head["anchor"].as_str().unwrap()).unwrap();
    assert!(server.bursar().history.signed(&anchors[0]));
    assert_eq!(head["public_key"], server.bursar().history.public_key());
    assert_eq!(head["hash"], bursar::chain::hex(&anchors[0].head.hash));
}

#[tokio::test]
async fn list_administrative_acts_shows_who_changed_what() {
    let mut server = Server::start().await;
    let app = server.app_id();
    let before = acts(&server).await.len();
    let limits = json!({"payout_limits": {"per_payout": 5000, "per_day": 10_000}});
    server.put(&format!("/v2/apps/{app}/settings")).as_org().json(limits.clone()).send().await.expect(200);
    // A repetition changes nothing and records no act.
    server.put(&format!("/v2/apps/{app}/settings")).as_org().json(limits).send().await.expect(200);
    let jane = json!({"name": "Jane Doe", "email": "jane@example.com", "role": "viewer"});
    let member = server.post("/v2/members").as_org().json(jane).send().await.expect(201).id();
    server.patch(&format!("/v2/members/{member}")).as_org().json(json!({"role": "payer"})).send().await.expect(200);
    let key = server.post(&format!("/v2/apps/{app}/keys")).as_org().send().await.expect(201).body;
    let client_id = key["client_id"].as_str().unwrap();
    server.delete(&format!("/v2/apps/{app}/keys/{client_id}")).as_org().send().await.expect(200);

    let acts = acts(&server).await;
    let reported: Vec<(&str, &str)> =
        acts[before..].iter().map(|act| (act["act"].as_str().unwrap(), act["subject"].as_str().unwrap())).collect();
    let expected = [
        ("settings.changed", app.as_str()),
        ("member.created", &member),
        ("member.changed", &member),
        ("key.issued", client_id),
        ("key.revoked", client_id),
    ];
    assert_eq!(reported, expected);
    let changed = &acts[before];
    assert!(changed["by"].as_str().unwrap().starts_with("org_pk_sandbox_"), "{changed}");
    assert_eq!(changed["after"]["payout_limits"]["per_day"], 10_000, "{changed}");
    assert_eq!(changed["before"]["payout_limits"]["per_day"], Value::Null);
    assert_eq!(
        (&acts[before + 2]["before"], &acts[before + 2]["after"]),
        (&json!({"role": "viewer"}), &json!({"role": "payer"}))
    );
    let text = serde_json::to_string(&acts).unwrap();
    assert!(
        !text.contains(key["api_key"].as_str().unwrap()) && !text.contains("jane@example.com"),
        "no secret, no person"
    );
    server.get("/v2/administrative-acts").app_key().send().await.expect(403);
    server.verify();
    server.restart().await;
    assert_eq!(self::acts(&server).await.len(), acts.len());
}

async fn acts(server: &Server) -> Vec<Value> {
    let page = server.get("/v2/administrative-acts").as_org().send().await.expect(200).body;
    assert_eq!(
        page["head"]["sequence"],
        page["data"].as_array().unwrap().last().map_or(Value::Null, |act| act["sequence"].clone())
    );
    page["data"].as_array().unwrap().clone()
}
