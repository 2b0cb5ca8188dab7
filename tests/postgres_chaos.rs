//! Four processes on one PostgreSQL and 64 clients, while a seed decides when processes are killed or paused past their
//! leases. Then the clients, the API, the records of the rails and of a bank with its statements, the inbox, the event
//! logs and the ledger are compared.
//!
//! `BURSAR_CHAOS_SECONDS` makes it longer and `BURSAR_CHAOS_SEED` changes the seed: `make chaos` runs five minutes. The
//! negative control of fencing tokens is in `postgres_fencing.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bursar::clock::{DAY_SECONDS, Time};
use bursar::events;
use bursar::jobs::LEASE_SECONDS;
use bursar::load::{CENTS, Load, Sent, again, link_id};
use bursar::store::{Postgres, Reads};
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::crash::setting;
use crate::harness::Process;
use crate::harness::far_bank::{self, FarBank};
use crate::harness::judge::{Judge, Verdict, links, listed, load};
use crate::harness::postgres::{Database, aside, is_citus_asked_for};
use crate::harness::rails::{self, Asked, Reported};
use crate::postgres_processes::{Deployment, ask, until};

const PROCESSES: usize = 4;
const CLIENTS: usize = 64;
/// After this time without a response a client tries another process, with the same key.
const PATIENCE: Duration = Duration::from_secs(3);
/// Longer than the server lets a transaction idle; other work of a paused process has ended by then.
const THROWN_OUT_AFTER: Duration = Duration::from_millis(4_500);
/// The time until the next cut-off of the bank.
const HOUR: i64 = 3_600;
/// In a run of at least this length, one process is also paused past its lease by the wall clock.
const LONG: Duration = Duration::from_secs(120);

/// The harm to a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Harm {
    /// `kill -9` within two seconds after a cut-off of the bank, and a new process replaces it.
    Kill,
    /// SIGSTOP until all of its leases have expired, because the sandbox's clock was moved, and others have its jobs.
    Stop,
    /// SIGSTOP until the leases expire without a move of the clock.
    LongStop,
}

/// A payout that a client sent.
struct Order {
    key: String,
    path: &'static str,
    body: Value,
}

impl Order {
    /// One in two is a link to an unknown phone; the others go to a payee's account by a rail.
    fn draw(chance: &mut StdRng, payees: &[String], key: String) -> Self {
        if chance.random_range(0..2) == 0 {
            // Those above 0199 can be reached.
            let line = format!("212736{:04}", chance.random_range(200..10_000));
            let body = json!({"amount": CENTS, "payee": {"country_code": "1", "phone_number": line}});
            return Self { key, path: "/v2/payouts/send-payout", body };
        }
        let (payee, amount) = (&payees[chance.random_range(0..payees.len())], chance.random_range(200..900));
        let body = json!({"user_id": payee, "amount": amount, "platform": "default", "fund": true, "tax_exempt": true});
        Self { key, path: "/v2/payouts", body }
    }

    fn is_by_rail(&self) -> bool {
        self.path == "/v2/payouts"
    }
}

/// An order with a successful response.
struct Acknowledged {
    order: Order,
    /// The link or the transfer that it created.
    id: String,
    /// Whether the first attempt succeeded.
    at_once: bool,
}

/// The clients' view.
struct Stage {
    seed: u64,
    connections: Mutex<Vec<Load>>,
    payees: Vec<String>,
    ended: AtomicBool,
}

impl Stage {
    /// Sends to one process; returns the id of the created object, or `None` for a retry.
    async fn ask(&self, process: usize, order: &Order) -> Option<String> {
        let with = self.connections.lock().unwrap()[process % PROCESSES].clone();
        let (path, key, body) = (order.path.to_owned(), order.key.clone(), order.body.to_string());
        let sent = Sent { path, key, body, link: None, micros: 0 };
        match tokio::time::timeout(PATIENCE, again(&with, &sent)).await.ok().flatten() {
            Some((201, body)) => link_id(&body),
            // Another process is executing it.
            Some((409, body)) if body.contains("resource-busy") => None,
            Some((503, _)) | None => None,
            Some((status, body)) => panic!("{} {}: {status}: {body}", order.path, order.body),
        }
    }

    /// Runs one client until the end: it retries every order at various processes until it succeeds.
    async fn client(self: Arc<Self>, number: usize) -> Vec<Acknowledged> {
        let mut chance = StdRng::seed_from_u64(self.seed ^ ((u64::try_from(number).unwrap() + 1) << 32));
        let mut acknowledged = Vec::new();
        while !self.ended.load(Ordering::SeqCst) {
            let order = Order::draw(&mut chance, &self.payees, format!("chaos-{number}-{}", acknowledged.len()));
            let (begun, mut process) = (Instant::now(), number);
            let id = loop {
                if let Some(id) = self.ask(process, &order).await {
                    break id;
                }
                assert!(begun.elapsed() < Duration::from_secs(90), "{} is never answered", order.key);
                process += 1;
                tokio::time::sleep(Duration::from_millis(50)).await;
            };
            // Some retry at another process: it returns the same object and does nothing else.
            if chance.random_range(0..16) == 0
                && let Some(repeated) = self.ask(process + 1, &order).await
            {
                assert_eq!(repeated, id, "{}", order.key);
            }
            acknowledged.push(Acknowledged { order, id, at_once: process == number });
        }
        acknowledged
    }
}

/// Four processes, and the harms to them.
struct Four {
    deployment: Deployment,
    bank: FarBank,
    running: Vec<Process>,
    credentials: Value,
    kills: usize,
    stops: usize,
    /// Leases that a paused process held when they expired.
    superseded: usize,
}

impl Four {
    fn start() -> Self {
        let deployment = Deployment::new(Database::new());
        // The first creates the schema, and the organization to which the bank belongs.
        drop(deployment.start(&[]));
        let credentials = deployment.credentials();
        let bank = FarBank::open(&credentials);
        let mut four = Self { deployment, bank, running: Vec::new(), credentials, kills: 0, stops: 0, superseded: 0 };
        four.running = std::thread::scope(|scope| {
            let all: Vec<_> = (0..PROCESSES).map(|_| scope.spawn(|| four.started())).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        four.bank.connect(&four.running[0]);
        four
    }

    fn started(&self) -> Process {
        let flags = self.bank.flags();
        self.deployment.start(&flags.each_ref().map(String::as_str))
    }

    fn process(&self, place: usize) -> Load {
        load(&self.running[place], &self.credentials, 0)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, answer) = ask(&self.running[0], &self.credentials, "app", method, path, &body);
        assert!((200..300).contains(&status), "{method} {path}: {status}: {answer}");
        answer
    }

    /// Creates a payee with an account and a proven phone; returns the id.
    fn payee(&self, line: usize, method: &Value) -> String {
        let phone = format!("212737{line:04}");
        let email = format!("jane{line}@example.com");
        let person = json!({"first_name": "Jane", "last_name": "Doe", "email": email, "country_code": "1", "phone_number": phone});
        let id = self.call("POST", "/v2/users", &person)["id"].as_str().unwrap().to_owned();
        self.call("POST", &format!("/v2/users/{id}/send-verification-token"), &json!({}));
        let inbox = format!("/v2/sandbox/messages?limit=1&to=%2B1{phone}");
        let mut code = Value::Null;
        until("the code arrives", Duration::from_secs(10), || {
            code = self.call("GET", &inbox, &Value::Null)["data"][0]["code"].clone();
            code.is_string()
        });
        self.call("POST", &format!("/v2/users/{id}/verify"), &json!({"token": code}));
        self.call("PUT", &format!("/v2/users/{id}/payout-methods"), method);
        id
    }

    /// Kills or pauses a process; returns when it, or its replacement, runs.
    fn harm(&mut self, harm: Harm, victim: usize, stage: &Stage) {
        match harm {
            Harm::Kill => {
                // The workers follow within a second, and send the bank's file.
                self.deployment.move_clock(HOUR);
                std::thread::park_timeout(Duration::from_millis(u64::try_from(self.kills % 8).unwrap() * 250));
                self.running.remove(victim).kill();
                self.running.insert(victim, self.started());
                stage.connections.lock().unwrap()[victim] = self.process(victim);
                self.kills += 1;
            }
            Harm::Stop | Harm::LongStop => {
                self.running[victim].stop();
                let leased = self.leased();
                std::thread::park_timeout(THROWN_OUT_AFTER);
                let held: BTreeSet<String> = self.leased().intersection(&leased).cloned().collect();
                if harm == Harm::Stop {
                    self.deployment.move_clock(LEASE_SECONDS + 1);
                }
                until("others take over", Duration::from_secs(100), || self.leased().is_disjoint(&held));
                self.running[victim].signal("CONT");
                self.superseded += held.len();
                self.stops += 1;
            }
        }
    }

    /// Returns the leased jobs, each with its fencing token.
    fn leased(&self) -> BTreeSet<String> {
        let jobs = "SELECT concat_ws(' ', org, id, fence) FROM jobs WHERE leased_until IS NOT NULL";
        self.deployment.database.run(jobs).into_iter().collect()
    }

    /// Moves the clock until nothing is in progress: rails settle within three days, and returns come two days later.
    fn settle(&self) {
        let left = "SELECT 1 FROM jobs \
             WHERE work SIMILAR TO '%(send_message|submit_transfer|follow_transfer|end_bank_file)%' LIMIT 1";
        let at_most = Duration::from_secs(300);
        // The leases of dead processes expire; a move of the clock would otherwise wait for them.
        self.deployment.move_clock(LEASE_SECONDS + 1);
        until("what the dead had in hand is done", at_most, || self.leased().is_empty());
        self.bank.send_all(&self.running[0]);
        for _ in 0..4 {
            self.call("POST", "/v2/sandbox/clock/advance", &json!({"seconds": 5 * DAY_SECONDS}));
            until("what fell due is done", at_most, || {
                let now = time(&self.call("GET", "/v2/sandbox/clock", &Value::Null)["now"]).micros();
                let due = format!("SELECT 1 FROM jobs WHERE due_at <= {now} OR leased_until IS NOT NULL LIMIT 1");
                self.deployment.database.run(&due).is_empty()
            });
            if self.deployment.database.run(left).is_empty() {
                return;
            }
        }
        panic!("it never comes to rest");
    }
}

fn time(shown: &Value) -> Time {
    Time::parse(shown.as_str().unwrap()).unwrap()
}

/// Returns accounts for every outcome of a payout by a rail, early and late.
fn accounts() -> [Value; 7] {
    let bank =
        |routing: &str, number: &str| json!({"platform": "ach", "routing_number": routing, "account_number": number});
    [
        bank("110000000", "55500001"),
        // R08, in a day.
        bank("110000000", "10000008"),
        // R01, two days after it arrived.
        bank("110000000", "20000001"),
        // Within seconds.
        bank("011000015", "55500002"),
        bank("011000015", "10000001"),
        // Within minutes.
        json!({"platform": "wallet_b", "handle": "fail-rejected_by_rail"}),
        // In a file for the bank.
        json!({"platform": far_bank::RAIL, "routing_number": "110000000", "account_number": "55500003"}),
    ]
}

/// Returns harms of both kinds in random order.
fn deck(chance: &mut StdRng, with_long_stop: bool) -> Vec<Harm> {
    let mut deck = vec![Harm::Kill, Harm::Stop];
    deck.extend(with_long_stop.then_some(Harm::LongStop));
    deck.shuffle(chance);
    deck
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_processes_that_are_killed_and_stopped_do_everything_once() {
    let seed = setting("BURSAR_CHAOS_SEED", 1);
    let duration = Duration::from_secs(setting("BURSAR_CHAOS_SECONDS", 5));
    println!("BURSAR_CHAOS_SEED={seed} BURSAR_CHAOS_SECONDS={}", duration.as_secs());
    let mut chance = StdRng::seed_from_u64(seed);
    let mut four = Four::start();
    let payees: Vec<String> = (0..).zip(accounts()).map(|(line, account)| four.payee(line, &account)).collect();
    let connections = Mutex::new((0..PROCESSES).map(|place| four.process(place)).collect());
    let stage = Arc::new(Stage { seed, connections, payees, ended: AtomicBool::new(false) });
    let clients: Vec<_> = (0..CLIENTS).map(|number| tokio::spawn(stage.clone().client(number))).collect();

    let begun = Instant::now();
    let mut harms = deck(&mut chance, duration >= LONG);
    while begun.elapsed() < duration || !harms.is_empty() {
        tokio::time::sleep(Duration::from_millis(chance.random_range(200..1_500))).await;
        let victim = chance.random_range(0..PROCESSES);
        match harms.pop() {
            Some(harm) => four.harm(harm, victim, &stage),
            None => harms = deck(&mut chance, false),
        }
    }
    let under_load = begun.elapsed();
    stage.ended.store(true, Ordering::SeqCst);
    let answered = futures::future::join_all(clients).await;
    let acknowledged: Vec<Acknowledged> = answered.into_iter().flat_map(Result::unwrap).collect();
    assert!(acknowledged.len() > 100, "{}: there was no load", acknowledged.len());
    assert!(duration < LONG || four.superseded > 0, "nobody was stopped with work in hand");

    let settling = Instant::now();
    four.settle();
    let comparison = Comparison::of(&four, &acknowledged);
    comparison.is_clean();
    let (items, in_files) = (comparison.asked.len(), four.bank.book().len());
    assert!(in_files > 0, "no payout went through the bank");
    let (kills, stops, superseded) = (four.kills, four.stops, four.superseded);
    let (all, at_once) = (acknowledged.len(), acknowledged.iter().filter(|one| one.at_once).count());
    println!(
        "{all} payouts in {} s, {at_once} of them acknowledged at once; {items} items in the rails' book, {in_files} of them in files at the bank; \
         {kills} kills, {stops} stops past the lease, {superseded} leases overtaken by others; {} s to settle and compare",
        under_load.as_secs(),
        settling.elapsed().as_secs()
    );
    // Nodes of Citus accept no statement that changes one row of any organization.
    if !is_citus_asked_for() {
        comparison.finds_what_is_wrong();
    }
}

/// Compares requests and results, each pair separately.
struct Comparison<'a> {
    four: &'a Four,
    process: Load,
    /// The links that clients received.
    judge: Judge,
    /// The payouts by a rail.
    asked: Vec<Asked>,
}

impl<'a> Comparison<'a> {
    fn of(four: &'a Four, acknowledged: &[Acknowledged]) -> Self {
        let (mut judge, mut asked) = (Judge::default(), Vec::new());
        for Acknowledged { order, id, .. } in acknowledged {
            if order.is_by_rail() {
                let (user, amount) = (order.body["user_id"].as_str().unwrap(), order.body["amount"].as_i64().unwrap());
                asked.push(Asked { transfer: id.clone(), user: user.to_owned(), amount });
            } else {
                judge.hear(id.clone());
            }
        }
        Self { four, process: four.process(0), judge, asked }
    }

    fn reported(&self) -> Vec<Reported> {
        listed(&self.process, "/v2/transfers?limit=100&type=payout").iter().map(Reported::of).collect()
    }

    /// Every link that a client received exists, and no other.
    fn links(&self) -> Vec<String> {
        let verdict = self.judge.verdict(&links(&self.process));
        if verdict == Verdict::default() { Vec::new() } else { vec![format!("{verdict:?}")] }
    }

    /// The records of the rails and of the bank, the API and the clients agree about each payout.
    fn rails(&self) -> Vec<String> {
        let book = [rails::book(&self.four.deployment.database), self.four.bank.book()].concat();
        rails::disagreements(&self.asked, &self.reported(), &book).into_iter().collect()
    }

    /// The bank has booked what it took, and the ledger has the bank's balance.
    fn statements(&self) -> Vec<String> {
        self.four.bank.disagreements(&self.four.running[0])
    }

    /// Arrived money is outside, failed money is back, and held money is set aside.
    fn ledger(&self) -> Vec<String> {
        let trial = self.four.call("GET", "/v2/ledger/trial-balance", &Value::Null);
        let mut balances: BTreeMap<&str, i64> = BTreeMap::new();
        for account in trial["accounts"].as_array().unwrap() {
            *balances.entry(account["type"].as_str().unwrap()).or_default() += account["balance"].as_i64().unwrap();
        }
        let arrived = rails::arrived(&rails::book(&self.four.deployment.database));
        let links = i64::try_from(self.judge.sent_and_acknowledged().0).unwrap();
        let reported = self.reported();
        let earned: i64 = reported
            .iter()
            .filter(|reported| reported.status != "failed")
            .map(|reported| reported.amount - reported.arrives)
            .sum();
        // The demonstration's million dollars came from outside.
        let external = arrived - 100_000_000;
        let at_bank: i64 = self.four.bank.book().iter().map(|item| item.amount).sum();
        let held = links * i64::try_from(CENTS).unwrap();
        let must_be = [
            ("external", external),
            ("at_bank", at_bank),
            ("unbooked", 0),
            ("app_held", held),
            ("service_fees", earned),
            ("clearing", 0),
            ("user_wallet", 0),
            ("app_wallet", -external - at_bank - held - earned),
        ];
        let is = |kind| balances.get(kind).copied().unwrap_or_default();
        let wrong = must_be.iter().filter(|(kind, cents)| is(*kind) != *cents);
        wrong.map(|(kind, cents)| format!("{kind} has {} cents and not {cents}", is(kind))).collect()
    }

    /// Each link is in one message of the inbox and in one more for each reminder that is due, and each failed or
    /// returned payout in another.
    fn messages(&self) -> Vec<String> {
        let token = |link: &Value| link.as_str().and_then(|link| link.rsplit('/').next()).map(str::to_owned);
        let mut inbox: BTreeMap<Option<String>, usize> = BTreeMap::new();
        let mut notices = 0;
        for message in listed(&self.process, "/v2/sandbox/messages?limit=100") {
            match message["link"].as_str() {
                Some(link) if link.contains("/notice/") => notices += 1,
                Some(_) | None => *inbox.entry(token(&message["link"])).or_default() += 1,
            }
        }
        let mut wrong = Vec::new();
        // For the account that the app added for each payee.
        if notices != accounts().len() {
            wrong.push(format!("{notices} notices"));
        }
        let now = time(&self.four.call("GET", "/v2/sandbox/clock", &Value::Null)["now"]);
        for link in listed(&self.process, "/v2/payout-links?limit=100") {
            let times = inbox.remove(&token(&link["link"])).unwrap_or_default();
            // Three days after its creation, and a day before its expiry.
            let reminders = [
                time(&link["created"]).plus_seconds(3 * DAY_SECONDS),
                time(&link["expires_at"]).plus_seconds(-DAY_SECONDS),
            ];
            let expected = 1 + reminders.into_iter().filter(|due| *due <= now).count();
            if (times, &link["status"], &link["deliveries"]) != (expected, &json!("delivered"), &json!(expected)) {
                wrong.push(format!("{times} messages, and not {expected}: {link}"));
            }
        }
        let lost = self.reported().iter().filter(|reported| reported.status != "completed").count();
        // The rest are the codes with which the payees proved their phones.
        if inbox != [(None, lost + accounts().len())].into() {
            wrong.push(format!("{lost} payouts were lost, and the other messages are {inbox:?}"));
        }
        wrong
    }

    /// Each version of a transfer and of a link has one event.
    fn events(&self) -> Vec<String> {
        let database = &self.four.deployment.database;
        let reads = Reads::Postgres(aside(|| Postgres::read_only(database.settings())).unwrap());
        let mut told: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        let count = |event: &events::Event| {
            told.entry(event.object_id.to_string()).or_default().push(event.version);
            Ok(())
        };
        aside(|| reads.snapshot(|snapshot| events::each(snapshot, count))).unwrap();
        told.values_mut().for_each(|versions| versions.sort_unstable());
        let objects = ["transfers", "payout_links"]
            .map(|table| database.run(&format!("SELECT concat_ws(' ', id, version) FROM {table}")));
        let is_wrong = |object: &String| {
            let (id, version) = object.split_once(' ').unwrap();
            let expected: Vec<i64> = (1..=version.parse().unwrap()).collect();
            told.get(id) != Some(&expected)
        };
        objects.concat().into_iter().filter(is_wrong).collect()
    }

    /// Asserts that nothing differs, all processes run, and every invariant holds.
    fn is_clean(&self) {
        for process in &self.four.running {
            assert_eq!(process.get("/readyz").0, 200);
        }
        let ends: BTreeSet<String> = self.reported().into_iter().map(|reported| reported.status).collect();
        assert_eq!(ends, ["completed", "failed", "reversed"].map(str::to_owned).into(), "each end was met");
        let statements = self.statements();
        for wrong in [statements, self.links(), self.rails(), self.ledger(), self.messages(), self.events()] {
            assert_eq!(wrong, Vec::<String>::new());
        }
        self.four.deployment.verify();
    }

    /// The negative control of each comparison: it finds a duplicate or a loss.
    fn finds_what_is_wrong(&self) {
        let check = |what: &str, sql: &str, compared: &dyn Fn() -> Vec<String>| {
            assert_eq!(compared(), Vec::<String>::new(), "{what}: before");
            assert_eq!(self.four.deployment.database.run(sql).len(), 1, "{what}");
            assert_ne!(compared(), Vec::<String>::new(), "{what}");
        };
        let one = |table: &str, which: &str| format!("(SELECT id FROM {table} WHERE {which} ORDER BY id LIMIT 1)");
        let columns = "app, channel, recipient, subject, text, link, code, created_at, of_link";
        let again = format!(
            "INSERT INTO inbox_messages (org, id, {columns}) SELECT org, gen_random_uuid(), {columns} FROM inbox_messages \
             WHERE id = {} RETURNING id",
            one("inbox_messages", "of_link IS NOT NULL")
        );
        check("a person is told twice", &again, &|| self.messages());
        let last = "SELECT app, max(last) FROM event_segments GROUP BY app ORDER BY max(last) DESC LIMIT 1";
        let lost = format!("DELETE FROM event_segments WHERE (app, last) IN ({last}) RETURNING first");
        check("events are lost", &lost, &|| self.events());
        let lost = format!("DELETE FROM payout_links WHERE id = {} RETURNING id", one("payout_links", "true"));
        check("a link is lost", &lost, &|| self.links());
        let item = "(SELECT transfer FROM rail_items WHERE fails_with IS NULL AND returned_with IS NULL LIMIT 1)";
        let more = format!("UPDATE rail_items SET amount = amount + 1 WHERE transfer = {item} RETURNING transfer");
        check("a cent more than we know arrives", &more, &|| self.ledger());
        assert_eq!(self.rails().len(), 1, "and the rail's book says so");
        let remove = self.four.bank.arrive_twice();
        assert!(self.rails().len() > 1, "a file arrived twice");
        remove();
        assert_eq!(self.rails().len(), 1);
    }
}
