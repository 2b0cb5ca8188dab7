//! Batches in crashes: each is sent three times at once, and the server is killed repeatedly while rows are being
//! processed. In the end each valid row has exactly one link.
//!
//! `BURSAR_BATCHES`, `BURSAR_BATCH_ROWS` and `BURSAR_BATCH_KILLS` make it larger: 200 batches of 500 rows and twenty
//! kills are the acceptance run (`make batches`).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use bursar::engine::Command;
use bursar::idempotency::StoredAnswer;
use bursar::ids::{OrgId, PayoutLinkBatchId};
use bursar::payout_link_batches::{BatchRow, BatchStatus, PayoutLinkBatch, RowStatus};
use bursar::store::{Reads, Sqlite};
use bursar::world::record::key;
use bursar::world::{Halt, World};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::{Process, Server, bursar};

const BATCHES: &str = "/v2/payout-link-batches";
/// More than the demonstration app has, in cents.
const TOO_MUCH: i64 = 1_000_000_000;
/// Copies of each batch that are sent.
const COPIES: usize = 3;
/// Batches in progress at once.
const AT_ONCE: usize = 4;
/// Slightly more rows than the worker takes at once: a batch with this many left is not done a moment later.
const SLICE: i64 = 70;

fn setting(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// A client and its server; the address changes with each restart.
#[derive(Clone)]
struct Caller {
    address: Arc<Mutex<String>>,
    token: String,
}

impl Caller {
    /// Sends one request; returns `None` if the server was killed before its response.
    fn try_ask(&self, method: &str, path: &str, body: &str) -> Option<(u16, String)> {
        let address = self.address.lock().unwrap().clone();
        let mut stream = TcpStream::connect(address).ok()?;
        let (token, length) = (&self.token, body.len());
        let head = format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Basic {token}\r\n");
        let rest =
            format!("content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
        stream.write_all((head + &rest).as_bytes()).ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        let (head, body) = text.split_once("\r\n\r\n")?;
        let whole = head.lines().find_map(|line| line.strip_prefix("content-length: "))?.parse().ok();
        let status = head.split(' ').nth(1)?.parse().ok()?;
        (whole == Some(body.len())).then(|| (status, body.to_owned()))
    }

    /// Retries until there is a response.
    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        loop {
            if let Some(answer) = self.try_ask(method, path, body) {
                return answer;
            }
            std::thread::yield_now();
        }
    }

    fn read(&self, path: &str) -> Value {
        let (status, body) = self.ask("GET", path, "");
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }
}

/// Returns the rows of a batch. Row 0 repeats row 1 of the batch before; row 2 reuses a key of the batch before for
/// another payout; row 4 asks for more than the balance.
fn rows(batch: usize, rows: usize) -> Value {
    let key = |batch: usize, row: usize| Uuid::from_u128(u128::try_from((batch << 32) + row).unwrap()).to_string();
    let row = |row: usize| {
        let (key, amount) = match row {
            0 if batch > 0 => (key(batch - 1, 1), 101),
            2 if batch > 0 => (key(batch - 1, 3), 999),
            4 => (key(batch, row), TOO_MUCH),
            row => (key(batch, row), 100 + i64::try_from(row % 7).unwrap()),
        };
        json!({"amount_cents": amount, "delivery_method": "link", "idempotency_key": key})
    };
    json!({"links": (0..rows).map(row).collect::<Vec<_>>()})
}

/// Sends a batch until there is a response; returns its id.
fn submit(caller: &Caller, body: &str) -> String {
    let (status, text) = caller.ask("POST", BATCHES, body);
    let answer: Value = serde_json::from_str(&text).unwrap();
    match status {
        201 | 200 => answer["id"].as_str().unwrap().to_owned(),
        409 => {
            assert_eq!(answer["error_code"], "batch-already-processed", "{text}");
            let message = answer["message"].as_str().unwrap().strip_prefix("Batch ").unwrap();
            message[..36].to_owned()
        }
        _ => panic!("{status}: {text}"),
    }
}

#[derive(Clone, Debug)]
struct Line {
    key: String,
    amount: i64,
    status: String,
    link: String,
    error: String,
}

fn lines(file: &str) -> Vec<Line> {
    let line = |line: BTreeMap<String, String>| Line {
        key: line["idempotency_key"].clone(),
        amount: line["amount_cents"].parse().unwrap(),
        status: line["status"].clone(),
        link: line["payout_link_id"].clone(),
        error: line["error_code"].clone(),
    };
    csv::Reader::from_reader(file.as_bytes()).deserialize().map(|read| line(read.unwrap())).collect()
}

/// Returns the links of a page with their amounts.
fn shown(page: &Value) -> impl Iterator<Item = (String, i64)> {
    let data = page["data"].as_array().unwrap();
    data.iter().map(|link| (link["id"].as_str().unwrap().to_owned(), link["amount"].as_i64().unwrap()))
}

/// Returns every link of the app, newest first.
fn links(caller: &Caller) -> Vec<(String, i64)> {
    let (mut all, mut after) = (Vec::<(String, i64)>::new(), String::new());
    loop {
        let page = caller.read(&format!("/v2/payout-links?limit=100{after}"));
        all.extend(shown(&page));
        if page["has_more"] == false {
            return all;
        }
        after = format!("&starting_after={}", all.last().unwrap().0);
    }
}

/// Returns the first page of batches that are waiting or processing.
fn open_batches(caller: &Caller) -> Vec<Value> {
    let of = |status: &str| caller.read(&format!("{BATCHES}?limit=100&status={status}"))["data"].clone();
    ["submitted", "processing"].iter().flat_map(|status| of(status).as_array().unwrap().clone()).collect()
}

/// Waits until a batch has finished rows and more waiting ones than the worker takes at once. Returns too if all
/// batches are submitted and none is open.
fn wait_for_rows_under_way(caller: &Caller, all_are_submitted: impl Fn() -> bool) {
    loop {
        let none_will_come = all_are_submitted();
        let open = open_batches(caller);
        let is_between = |batch: &Value| {
            let count = |name: &str| batch[name].as_i64().unwrap();
            let done = count("succeeded") + count("failed");
            done > 0 && count("total") - done > SLICE
        };
        if open.iter().any(is_between) || none_will_come && open.is_empty() {
            return;
        }
        std::thread::yield_now();
    }
}

/// Counts the batches with both finished and waiting rows in the store that a kill left.
fn batches_under_way(data: &Path) -> usize {
    let reads = Reads::Sqlite(Sqlite::read_only(&data.join("bursar.sqlite")).unwrap());
    let mut found = 0;
    let fetch = |batch: &PayoutLinkBatch| {
        let done = batch.succeeded + batch.failed;
        found += usize::from(batch.status == BatchStatus::Processing && done > 0 && done < batch.total);
        Ok(())
    };
    reads.snapshot(|snapshot| snapshot.each(fetch)).unwrap();
    found
}

/// Compares results and links. Each payable key has one link, and each link one key.
fn wrong(lines: &[Line], links: &[(String, i64)]) -> Vec<String> {
    let mut wrong = Vec::new();
    let amounts: HashMap<&str, i64> = links.iter().map(|(id, amount)| (id.as_str(), *amount)).collect();
    if amounts.len() != links.len() {
        wrong.push("a link is listed twice".to_owned());
    }
    let (mut link_of, mut key_of) = (HashMap::new(), HashMap::new());
    for line in lines.iter().filter(|line| line.status == "succeeded") {
        if amounts.get(line.link.as_str()) != Some(&line.amount) {
            wrong.push(format!("{line:?}: its link is missing, or of another amount"));
        }
        if *link_of.entry(&line.key).or_insert(&line.link) != &line.link {
            wrong.push(format!("{line:?}: its key has two links"));
        }
        if *key_of.entry(&line.link).or_insert(&line.key) != &line.key {
            wrong.push(format!("{line:?}: its link has two keys"));
        }
    }
    for line in lines.iter().filter(|line| line.status != "succeeded") {
        let right = match line.error.as_str() {
            "transaction-insufficient-funds" => line.amount == TOO_MUCH,
            // An earlier row with the key has its link, for another amount.
            "idempotency-key-reused" => {
                link_of.get(&line.key).is_some_and(|link| amounts[link.as_str()] != line.amount)
            }
            _ => false,
        };
        if !right || line.status != "failed" || !line.link.is_empty() {
            wrong.push(format!("{line:?}: it should have its link"));
        }
    }
    for (id, _) in links.iter().filter(|(id, _)| !key_of.contains_key(id)) {
        wrong.push(format!("no row has the link {id}"));
    }
    wrong
}

#[test]
fn each_valid_row_has_one_link_however_often_the_server_dies() {
    let count = setting("BURSAR_BATCHES", 4);
    let (row_count, kills) = (setting("BURSAR_BATCH_ROWS", 200), setting("BURSAR_BATCH_KILLS", 2));
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let begun = Instant::now();
    let mut process = Some(Process::start(&data));
    let credentials: Value =
        serde_json::from_str(&std::fs::read_to_string(data.join("sandbox-credentials.json")).unwrap()).unwrap();
    let word = |name: &str| credentials["app"][name].as_str().unwrap();
    let token = BASE64_STANDARD.encode(format!("{}:{}", word("client_id"), word("api_key")));
    let caller = Caller { address: Arc::new(Mutex::new(process.as_ref().unwrap().address.clone())), token };
    let (next, answered) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let ids: Mutex<BTreeMap<usize, HashSet<String>>> = Mutex::default();
    let mut kills_in_between = 0;

    std::thread::scope(|threads| {
        for _ in 0..AT_ONCE {
            threads.spawn(|| {
                loop {
                    let batch = next.fetch_add(1, Ordering::SeqCst);
                    if batch >= count {
                        break;
                    }
                    let body = rows(batch, row_count).to_string();
                    std::thread::scope(|copies| {
                        for _ in 0..COPIES {
                            copies.spawn(|| {
                                let id = submit(&caller, &body);
                                ids.lock().unwrap().entry(batch).or_default().insert(id);
                                answered.fetch_add(1, Ordering::SeqCst);
                            });
                        }
                    });
                }
            });
        }
        // Kills are spread over the run: the server dies while batches arrive and others are half done.
        for kill in 1..=kills {
            while answered.load(Ordering::SeqCst) < kill * count * COPIES / (kills + 1) {
                std::thread::yield_now();
            }
            wait_for_rows_under_way(&caller, || answered.load(Ordering::SeqCst) == count * COPIES);
            process.take().unwrap().kill();
            kills_in_between += usize::from(batches_under_way(&data) > 0);
            let started = Process::start(&data);
            caller.address.lock().unwrap().clone_from(&started.address);
            process = Some(started);
        }
    });
    let ids = ids.into_inner().unwrap();
    assert!(ids.values().all(|ids| ids.len() == 1), "the copies of a batch are one batch");
    assert!(kills_in_between * 2 >= kills, "only {kills_in_between} of {kills} kills found a batch half done");
    while !open_batches(&caller).is_empty() {
        std::thread::yield_now();
    }

    let mut all = Vec::new();
    for id in ids.values().flatten() {
        let (status, file) = caller.ask("GET", &format!("{BATCHES}/{id}/results.csv"), "");
        assert_eq!(status, 200, "{file}");
        let lines = lines(&file);
        assert_eq!(lines.len(), row_count, "as many results as rows");
        all.extend(lines);
    }
    let links = links(&caller);
    let wrong = wrong(&all, &links);
    assert!(wrong.is_empty(), "{} things are wrong, the first: {:#?}", wrong.len(), wrong.first());
    process.take().unwrap().kill();
    let verified = bursar(&["verify", "--data-dir", data.to_str().unwrap()]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    let (rows, made, lasted) = (all.len(), links.len(), begun.elapsed());
    println!("{rows} rows of {count} batches, {made} links, {kills} kills, {kills_in_between} in a batch, {lasted:?}");
}

/// Simulated bugs: a batch forgets the results of its rows, and the service forgets its idempotency keys.
struct Forget {
    org: OrgId,
    batch: PayoutLinkBatchId,
}

impl Command for Forget {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let key = key![self.org, self.batch];
        let batch = world.get::<PayoutLinkBatch>(key.clone())?.expect("it is there");
        for row in world.all::<BatchRow>(BatchRow::OF_BATCH, key)? {
            let used = row.asked.0.idempotency_key.to_string();
            let answered = world.get::<StoredAnswer>(key![self.org, batch.app, used])?;
            let answer = answered.expect("every row was answered");
            world.remove(&answer);
            world.change(&row, |row| {
                row.status = RowStatus::Waiting;
                (row.payout_link, row.error_code, row.error_message) = (None, None, None);
            });
        }
        world.change(&batch, |batch| {
            batch.status = BatchStatus::Submitted;
            (batch.succeeded, batch.failed, batch.completed_at) = (0, 0, None);
        });
        Ok(())
    }
}

/// The negative control: the judge finds a server that processes rows twice.
#[tokio::test]
async fn rows_that_are_processed_twice_are_noticed() {
    let server = Server::start().await;
    let submit = async || server.post(BATCHES).app_key().json(rows(0, 12)).send().await;
    let judge = async |batch: &str| {
        let file = server.get(&format!("{BATCHES}/{batch}/results.csv")).app_key().send().await.expect(200).text;
        let page = server.get("/v2/payout-links?limit=100").app_key().send().await.expect(200).body;
        wrong(&lines(&file), &shown(&page).collect::<Vec<_>>())
    };
    let batch = submit().await.expect(201).id();
    server.work_off().await;
    submit().await.refused(409, "batch-already-processed");
    assert_eq!(judge(&batch).await, [""; 0]);

    let organization = server.credentials()["organization"]["id"].as_str().unwrap().parse().unwrap();
    let forget = Forget { org: OrgId(organization), batch: PayoutLinkBatchId(batch.parse().unwrap()) };
    server.bursar().engine.run(forget.org, forget).await.unwrap();
    assert_eq!(submit().await.expect(200).id(), batch, "it is enqueued again");
    server.work_off().await;
    let wrong = judge(&batch).await;
    assert_eq!(wrong.len(), 11, "the first link of each row but the one that asks for too much: {wrong:?}");
    assert!(wrong.iter().all(|what| what.starts_with("no row has the link ")), "{wrong:?}");
}

/// The negative control: each of these runs is wrong, and the judge says so.
#[test]
fn a_link_too_many_or_too_few_is_noticed() {
    let line = |key: &str, amount, status: &str, link: &str, error: &str| Line {
        key: key.to_owned(),
        amount,
        status: status.to_owned(),
        link: link.to_owned(),
        error: error.to_owned(),
    };
    let sound = vec![
        line("a", 100, "succeeded", "1", ""),
        line("a", 100, "succeeded", "1", ""),
        line("a", 999, "failed", "", "idempotency-key-reused"),
        line("b", 101, "succeeded", "2", ""),
        line("c", TOO_MUCH, "failed", "", "transaction-insufficient-funds"),
    ];
    let listed = vec![("1".to_owned(), 100), ("2".to_owned(), 101)];
    assert_eq!(wrong(&sound, &listed), [""; 0]);
    let another = |id: &str, amount| [listed.clone(), vec![(id.to_owned(), amount)]].concat();
    assert!(!wrong(&sound, &another("3", 100)).is_empty(), "a link made twice");
    assert!(!wrong(&sound, &another("2", 101)).is_empty(), "a link listed twice");
    assert!(!wrong(&sound, &listed[..1]).is_empty(), "a link that is not there");
    for (place, bad) in [
        (1, line("a", 100, "succeeded", "3", "")),
        (3, line("b", 101, "succeeded", "1", "")),
        (3, line("b", 101, "", "", "")),
        (3, line("b", 101, "failed", "", "transaction-insufficient-funds")),
        (2, line("a", 100, "failed", "", "idempotency-key-reused")),
    ] {
        let mut lines = sound.clone();
        lines[place] = bad;
        assert!(
            !wrong(&lines, &another("3", 100)).is_empty() && !wrong(&lines, &listed).is_empty(),
            "{:?}",
            lines[place]
        );
    }
}
