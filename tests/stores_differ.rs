//! The same random requests through the whole program over memory, SQLite, PostgreSQL and, if `BURSAR_TEST_STORE` says
//! so, Citus: responses are equal byte for byte, and so are all tables in the end.
//!
//! `BURSAR_DIFFER_REQUESTS` makes it longer: 100,000 are the acceptance run (`make differ`), in histories of 2,000 with
//! separate seeds, the first from `BURSAR_DIFFER_SEED`.

use std::fmt::Write as _;
use std::panic::AssertUnwindSafe;

use bursar::http::{Route, Who};
use bursar::tables;
use futures::future::join_all;
use futures::{FutureExt as _, StreamExt as _, stream};
use serde_json::{Value, json};

use crate::crash::setting;
use crate::harness::postgres::{Cluster, Database, aside, is_citus_asked_for};
use crate::harness::{Reply, Server};
use crate::samples::{Sample, Stage, sample};

/// A variation of a request.
#[derive(Clone, Copy, Debug)]
pub enum Twist {
    /// The sample unchanged.
    Plain,
    /// Sent twice under one idempotency key.
    Twice,
    /// A field of the body is missing.
    Lacking(u64),
    /// A field of the body is nonsense.
    Wrong(u64),
    /// By another organization's app.
    Foreign,
}

fn draw(state: &mut u64, bound: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % bound
}

fn twisted(body: &Value, twist: Twist) -> Value {
    let mut body = body.clone();
    let (Twist::Lacking(at) | Twist::Wrong(at)) = twist else { return body };
    if let Some(fields) = body.as_object_mut()
        && !fields.is_empty()
    {
        let place = usize::try_from(at).unwrap() % fields.len();
        let name = fields.keys().nth(place).cloned().unwrap();
        match twist {
            Twist::Lacking(_) => drop(fields.shift_remove(&name)),
            Twist::Plain | Twist::Twice | Twist::Foreign | Twist::Wrong(_) => {
                fields[&name] = json!(["\u{1F4B8}", null]);
            }
        }
    }
    body
}

pub async fn send(stage: &Stage, route: &Route, sample: &Sample, twist: Twist, key: &str) -> Reply {
    let asking = stage.server.ask(route.method.as_str(), &sample.target(route.path));
    let mut asking = match (twist, route.who) {
        (Twist::Foreign, _) => asking.basic(&stage.foreign_app.client_id, &stage.foreign_app.api_key),
        (_, Who::Organization) => asking.as_org(),
        (_, Who::OrganizationForApp) => asking.as_org().for_app(&stage.app.id),
        (_, Who::Anyone | Who::AppOrItsClient | Who::App | Who::AppOrOrganization) => asking.app_key(),
        // A provider's signature and a member's session are in a header of the sample.
        (_, Who::Provider | Who::Member) => asking,
    };
    for (name, value) in &sample.headers {
        asking = asking.header(name, value);
    }
    if matches!(twist, Twist::Twice) {
        asking = asking.idempotency_key(key);
    }
    let fields: Vec<(&str, &str)> = sample.form.iter().map(|(name, value)| (*name, value.as_str())).collect();
    match &sample.body {
        Some(body) => asking.json(twisted(body, twist)).send().await,
        None if !fields.is_empty() => asking.form(&fields).send().await,
        None => asking.send().await,
    }
}

/// Returns all responses of a store to one request, including its replay.
async fn said(stage: &Stage, route: &Route, twist: Twist, number: u64) -> String {
    let Some(sample) = sample(stage, route.documented.operation_id).await else { return "no sample".to_owned() };
    let key = format!("key-{number}");
    let mut said = String::new();
    for _ in 0..if matches!(twist, Twist::Twice) { 2 } else { 1 } {
        let reply = send(stage, route, &sample, twist, &key).await;
        writeln!(said, "{} {:?} {}", reply.status, reply.header("idempotent-replayed"), reply.text).unwrap();
    }
    said
}

/// Returns the responses, or the error of the sample's preparation. Earlier requests may make it fail, but equally on
/// all stores.
async fn said_or_why(stage: &Stage, route: &Route, twist: Twist, number: u64) -> String {
    match AssertUnwindSafe(said(stage, route, twist, number)).catch_unwind().await {
        Ok(said) => said,
        Err(panic) => format!("{IN_THE_WAY}{:?}", panic.downcast_ref::<String>()),
    }
}

/// Requests of a history at most: stored data makes each of them slower.
const HISTORY_MAX: u64 = 2_000;
/// Histories in parallel.
const BESIDE: usize = 6;

const IN_THE_WAY: &str = "in the way: ";

/// The program over a named store. The first one is compared with the others, in order.
type Named = (&'static str, Stage);

/// Creates all stages with empty stores. The single Citus database is emptied.
async fn stages(citus: Option<&Database>) -> Vec<Named> {
    let postgres = aside(|| Cluster::single().database());
    let mut databases = vec![postgres.settings()];
    if let Some(database) = citus {
        aside(|| database.empty());
        databases.push(database.settings());
    }
    let mut stages = Vec::new();
    for (name, server) in ["memory", "SQLite", "PostgreSQL", "Citus"].into_iter().zip(Server::patient(databases).await)
    {
        stages.push((name, Stage::on(server).await));
    }
    stages
}

/// Compares every table of all stores and verifies them; returns the number of rows.
fn compared(stages: &[Named]) -> usize {
    let mut rows = 0;
    for table in tables::ALL {
        let expected = stages[0].1.server.rows(table);
        rows += expected.len();
        for (name, stage) in stages {
            assert_eq!(stage.server.rows(table), expected, "the rows of {} in memory and {name} differ", table.name);
        }
    }
    for (name, stage) in stages {
        let report = bursar::verify::verify(&stage.server.bursar().reads).unwrap();
        assert!(report.findings.is_empty(), "{name}: {:?}", report.findings);
    }
    rows
}

/// The result of a history.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    answered: u64,
    rows: usize,
    begun_anew: u64,
}

/// Sends random requests from a seed, in sequence, to stores that were empty before.
async fn history(requests: u64, seed: u64) -> Tally {
    let mut state = seed;
    let citus = is_citus_asked_for().then(|| aside(Database::new));
    let mut stages = stages(citus.as_ref()).await;
    let table = bursar::routes::table();
    let mut tally = Tally::default();
    for number in 0..requests {
        let route = &table[usize::try_from(draw(&mut state, table.len() as u64)).unwrap()];
        let twist = match draw(&mut state, 8) {
            0 | 1 => Twist::Twice,
            2 => Twist::Lacking(draw(&mut state, 16)),
            3 => Twist::Wrong(draw(&mut state, 16)),
            4 => Twist::Foreign,
            _ => Twist::Plain,
        };
        if draw(&mut state, 16) == 0 {
            let seconds = i64::try_from(draw(&mut state, 90_000)).unwrap();
            join_all(stages.iter().map(|(_, stage)| stage.server.pass(seconds))).await;
        }
        // Each has a separate clock and randomness, so they run in parallel.
        let all = join_all(stages.iter().map(|(_, stage)| said_or_why(stage, route, twist, number))).await;
        tally.answered += u64::from(all[0].starts_with('2'));
        for (said, (name, _)) in all.iter().zip(&stages) {
            let operation = route.documented.operation_id;
            assert_eq!(
                *said, all[0],
                "seed {seed}, request {number}, {operation}, {twist:?}: memory and {name} differ"
            );
        }
        if all[0].starts_with(IN_THE_WAY) {
            tally.rows += compared(&stages);
            tally.begun_anew += 1;
            drop(stages);
            stages = self::stages(citus.as_ref()).await;
        }
    }
    tally.rows += compared(&stages);
    assert!(tally.answered > requests / 4, "seed {seed}: {tally:?} of {requests}: the test has lost its edge");
    assert!(tally.rows > 100, "seed {seed}: {tally:?}");
    tally
}

/// A request mostly waits for round trips, so histories run in parallel. Citus has only one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_stores_give_the_same_answers_and_keep_the_same_book() {
    let requests = setting("BURSAR_DIFFER_REQUESTS", 120);
    let first = setting("BURSAR_DIFFER_SEED", 1);
    let (histories, each) = (requests.div_ceil(HISTORY_MAX), requests.min(HISTORY_MAX));
    let beside = if is_citus_asked_for() { 1 } else { BESIDE };
    let all = stream::iter(first..first + histories)
        .map(|seed| async move { (seed, tokio::spawn(history(each, seed)).await.expect("the history is told above")) })
        .buffer_unordered(beside)
        .inspect(|(seed, tally)| println!("seed {seed}: {each} requests, {tally:?}"))
        .fold(Tally::default(), async |all, (_, one)| Tally {
            answered: all.answered + one.answered,
            rows: all.rows + one.rows,
            begun_anew: all.begun_anew + one.begun_anew,
        })
        .await;
    println!("{} requests in {histories} histories: {all:?}", histories * each);
}
