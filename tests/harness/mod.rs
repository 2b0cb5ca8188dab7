//! The whole program in a test: the real router, engine and store, with a manual clock and seeds that count.
//!
//! Two runs of a test return the same bytes, ids and times included.

#![allow(dead_code, unused_imports, reason = "not every noun's tests need every way to ask")]

mod adapter;
mod citus;
mod desk;
pub mod far_bank;
mod gateway;
pub mod judge;
mod mail;
mod paypal;
pub mod old_events;
pub mod patroni;
mod people;
pub mod postgres;
mod process;
pub mod rails;
mod receiver;
mod request;
pub mod sending;

use std::num::NonZeroU8;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use bursar::apps::bootstrap::bootstrap;
use bursar::bank_transports::Transports;
use bursar::clock::{Clock, Time};
use bursar::connections;
use bursar::dispatch::{Limits, Peer, router};
use bursar::events::EventSegment;
use bursar::health::{self, Health};
use bursar::http::{Method, Route};
use bursar::ids::OrgId;
use bursar::ids::Seeds;
use bursar::instance::{Dependencies, Guards, Instance};
use bursar::ledger::verify::Finding;
use bursar::program::{Bursar, Environment};
use bursar::providers::Providers;
use bursar::screening::Watchlist;
use bursar::store::postgres::Settings;
use bursar::store::{Memory, Postgres, Store};
use bursar::vault::Vault;
use bursar::world::query::{Direction, Query};
use bursar::world::{Key, Record, Row, Table, TableChanges, Value as Cell, ValueRef, Want};
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::Value;
use tempfile::TempDir;

pub use adapter::{ADAPTER_TOKEN, Adapter};
pub use desk::Desk;
pub use gateway::{FakeGateway, GatewayMode, Reported, TOKEN};
pub use mail::{FakeMail, MailMode};
pub use paypal::{FakePayPal, PAYPAL_CLIENT, PAYPAL_SECRET, PayPalFault};
pub use process::{Process, bursar, http};
pub use receiver::{Heard, Manner, Receiver};
pub use request::{Asking, Reply};

/// The start of every test's clock: a Monday morning in the middle of a business week for all rails.
pub const START: &str = "2026-03-02T15:00:00Z";
/// The base URL of links.
pub const PUBLIC_URL: &str = "http://127.0.0.1:8080";

/// The deadline of calls to other servers: much shorter than in production, because some of them hang on purpose.
pub const CALL_DEADLINE: Duration = Duration::from_millis(500);

/// Creates new providers at each start.
type MakeProviders = Box<dyn Fn() -> Providers + Send + Sync>;

enum Backend {
    Sqlite,
    Postgres(Box<Settings>),
    Memory(Memory),
}

impl Backend {
    fn quick() -> Self {
        Self::asked_or(Self::Memory(Memory::new()))
    }

    fn asked_or(otherwise: Self) -> Self {
        postgres::asked_for().map_or(otherwise, Self::postgres)
    }

    fn postgres(settings: Settings) -> Self {
        Self::Postgres(Box::new(settings))
    }
}

struct Running {
    router: Router,
    bursar: Arc<Bursar>,
    health: Arc<Health>,
    guards: Guards,
}

/// A running program.
pub struct Server {
    folder: TempDir,
    place: Backend,
    clock: Clock,
    extra: Vec<Route>,
    limits: Limits,
    providers: MakeProviders,
    transports: Transports,
    call_deadline: Duration,
    live: bool,
    starts: u64,
    running: Option<Running>,
}

impl Server {
    /// Uses SQLite in a separate folder, or a separate database if `BURSAR_TEST_STORE` is `postgres`, `pgbouncer` or
    /// `citus`.
    pub async fn start() -> Self {
        Self::with(Backend::asked_or(Backend::Sqlite), Vec::new(), Limits::default(), Box::new(Providers::default))
            .await
    }

    /// Uses memory, with providers in place of the inbox.
    pub async fn with_providers(providers: impl Fn() -> Providers + Send + Sync + 'static) -> Self {
        Self::with(Backend::quick(), Vec::new(), Limits::default(), Box::new(providers)).await
    }

    /// Uses memory, which is faster, or a separate database if `BURSAR_TEST_STORE` says so.
    pub async fn memory() -> Self {
        Self::with(Backend::quick(), Vec::new(), Limits::default(), Box::new(Providers::default)).await
    }

    /// Uses memory and waits long for other servers, which run as programs of their own.
    pub async fn beside_programs() -> Self {
        let patience = Duration::from_secs(60);
        Self::calling(Backend::quick(), Vec::new(), Limits::default(), Box::new(Providers::default), patience).await
    }

    /// Like [`Self::beside_programs`], and refuses rails without a route, as production does.
    pub async fn live() -> Self {
        let mut server = Self::beside_programs().await;
        server.live = true;
        server.restart().await;
        server
    }

    /// Always uses memory: it can be made to fail, and records the changes of commits.
    pub async fn failing() -> Self {
        Self::failing_with_carriers(Providers::default).await
    }

    /// Always uses memory, with providers in place of the inbox.
    pub async fn failing_with_carriers(providers: impl Fn() -> Providers + Send + Sync + 'static) -> Self {
        Self::with(Backend::Memory(Memory::new()), Vec::new(), Limits::default(), Box::new(providers)).await
    }

    /// Always uses SQLite.
    pub async fn sqlite() -> Self {
        Self::with(Backend::Sqlite, Vec::new(), Limits::default(), Box::new(Providers::default)).await
    }

    pub async fn postgres(settings: Settings) -> Self {
        Self::with(Backend::postgres(settings), Vec::new(), Limits::default(), Box::new(Providers::default)).await
    }

    /// Starts another program on the same database with the same credentials, and its own clock and randomness.
    pub async fn twin(&self) -> Self {
        let Backend::Postgres(settings) = &self.place else { panic!("only a shared store has two programs") };
        let folder = tempfile::tempdir().unwrap();
        let credentials = "sandbox-credentials.json";
        std::fs::copy(self.folder.path().join(credentials), folder.path().join(credentials)).unwrap();
        let place = Backend::Postgres(settings.clone());
        let (clock, providers) = (self.clock.clone(), Box::new(Providers::default));
        let (extra, limits, transports) = (Vec::new(), self.limits, self.transports.clone());
        // Its starts are counted from another number, so it draws other ids.
        let call_deadline = self.call_deadline;
        let mut twin = Self {
            folder,
            place,
            clock,
            extra,
            limits,
            providers,
            transports,
            call_deadline,
            live: false,
            starts: 1_000,
            running: None,
        };
        twin.open().await;
        twin
    }

    /// Uses memory, with routes of the test in addition to the real ones.
    pub async fn with_routes(extra: Vec<Route>, limits: Limits) -> Self {
        Self::with(Backend::Memory(Memory::new()), extra, limits, Box::new(Providers::default)).await
    }

    /// Starts programs on memory, SQLite and the databases, in that order, with long deadlines for calls, so that no
    /// response depends on the machine's load.
    pub async fn patient(databases: Vec<Settings>) -> Vec<Self> {
        let databases = databases.into_iter().map(Backend::postgres);
        let mut servers = Vec::new();
        for place in [Backend::Memory(Memory::new()), Backend::Sqlite].into_iter().chain(databases) {
            let patience = Duration::from_secs(120);
            servers.push(
                Self::calling(place, Vec::new(), Limits::default(), Box::new(Providers::default), patience).await,
            );
        }
        servers
    }

    async fn with(place: Backend, extra: Vec<Route>, limits: Limits, providers: MakeProviders) -> Self {
        Self::calling(place, extra, limits, providers, CALL_DEADLINE).await
    }

    async fn calling(
        place: Backend,
        extra: Vec<Route>,
        limits: Limits,
        providers: MakeProviders,
        call_deadline: Duration,
    ) -> Self {
        let start = Time::parse(START).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::manual(start);
        let transports = Transports::default();
        let mut server = Self {
            folder,
            place,
            clock,
            extra,
            limits,
            providers,
            transports,
            call_deadline,
            live: false,
            starts: 0,
            running: None,
        };
        server.open().await;
        server
    }

    async fn open(&mut self) {
        // A restart must not draw the same ids again.
        self.starts += 1;
        let opened = match &self.place {
            Backend::Sqlite => Instance::sqlite(&self.folder.path().join("bursar.sqlite"), true).unwrap(),
            // One executor: its randomness then equals that of the other stores, and so do responses.
            Backend::Postgres(settings) => {
                postgres::aside(|| Instance::postgres((**settings).clone(), false, NonZeroU8::new(1))).unwrap()
            }
            Backend::Memory(memory) => Instance::memory(memory),
        };
        let dependencies = Dependencies {
            clock: self.clock.clone(),
            command_seeds: Seeds::counted(self.starts * 2),
            request_seeds: Seeds::counted(self.starts * 2 + 1),
            vault: Vault::new([7; 32]),
            environment: Environment::Sandbox,
            live: self.live,
            public_url: PUBLIC_URL.to_owned(),
            providers: (self.providers)(),
            transports: self.transports.clone(),
            call_deadline: self.call_deadline,
            watchlist: Watchlist::of_sandbox(),
        };
        let (bursar, guards) = opened.start(dependencies).unwrap();
        bootstrap(&bursar, self.folder.path(), PUBLIC_URL).await.expect("an empty sandbox gets its demonstration");
        let metrics = PrometheusBuilder::new().build_recorder().handle();
        let health = Health::new(bursar.engine.clone(), bursar.reads.clone(), metrics);
        let routes = [bursar::routes::table(), health::routes(&health), self.extra.clone()].concat();
        let router = router(bursar.clone(), routes, self.limits);
        self.running = Some(Running { router, bursar, health, guards });
    }

    /// Ends the program, moves its store to a database by `moving`, and starts it there.
    pub async fn move_to(&mut self, settings: Settings, moving: impl FnOnce(&std::path::Path) + Send) {
        self.end().await;
        let folder = self.folder.path().to_owned();
        postgres::aside(|| moving(&folder));
        self.place = Backend::postgres(settings);
        self.open().await;
    }

    /// Starts the program again with ways to banks, as the tables of a configuration file.
    pub async fn restart_with_transports(&mut self, tables: &str) {
        let tables = toml::from_str(tables).expect("the tables of a test are TOML");
        self.transports = Transports::read(tables).expect("the ways of a test are usable");
        self.restart().await;
    }

    /// Ends the program and starts it again over the same data.
    pub async fn restart(&mut self) {
        self.end().await;
        self.open().await;
    }

    async fn end(&mut self) {
        let Running { router, bursar, health, guards } = self.running.take().expect("it runs between two calls");
        let mut stopped = bursar.engine.stopped();
        drop((router, bursar, health));
        let ended = tokio::time::timeout(Duration::from_secs(10), stopped.wait_for(Option::is_some)).await;
        assert!(ended.is_ok(), "somebody still holds the engine");
        drop(ended);
        drop(guards);
    }

    fn running(&self) -> &Running {
        self.running.as_ref().expect("it runs between two calls")
    }

    pub fn bursar(&self) -> &Arc<Bursar> {
        &self.running().bursar
    }

    pub fn health(&self) -> &Arc<Health> {
        &self.running().health
    }

    /// Returns every row of a table, ordered by key. The events of segments are a text, in which tests can search.
    pub fn rows(&self, table: &'static Table) -> Vec<Row> {
        let order = table.key().columns[0];
        let direction = Direction::Ascending;
        let all =
            Query { table, conditions: Vec::new(), through: None, order, direction, after: None, limit: 10_000_000 };
        let wants = [Want::Page(all)];
        let mut rows = postgres::aside(|| self.bursar().reads.load(&wants)).unwrap().pop().unwrap();
        rows.sort_by_key(|row| Table::index_values(table.key(), row));
        if table == EventSegment::TABLE {
            let body = table.position("body").unwrap();
            rows.iter_mut().for_each(|row| {
                row[body] =
                    Cell::Text(format!("{:?}", EventSegment::decoded(row).unwrap().events().collect::<Vec<_>>()))
            });
        }
        rows
    }

    /// Writes or removes a row, bypassing every rule; not over SQLite.
    pub fn tamper(&self, table: &'static Table, key: Key, row: Option<Row>) {
        match &self.place {
            Backend::Memory(memory) => memory.tamper(table, key, row),
            Backend::Postgres(settings) => postgres::aside(|| {
                let Some(ValueRef::Id(organization)) = key.first() else {
                    panic!("every key begins with the organization")
                };
                let writer =
                    Postgres::open((**settings).clone(), false, NonZeroU8::new(1)).unwrap().writers.pop().unwrap();
                let mut store = Store::Postgres(Box::new(writer));
                store.begin(&[OrgId(organization)], &[]).unwrap();
                let inserts = row.into_iter().collect();
                let changes =
                    TableChanges { table, inserts, updates: Vec::new(), changed: Vec::new(), deletes: vec![key] };
                store.commit(&[changes], self.now()).unwrap();
            }),
            Backend::Sqlite => panic!("nobody gets behind the back of SQLite"),
        }
    }

    /// Returns the store, to make it fail; only of [`Server::failing`].
    pub fn store(&self) -> &Memory {
        match &self.place {
            Backend::Memory(memory) => memory,
            Backend::Sqlite | Backend::Postgres(_) => panic!("only a store in memory fails on demand"),
        }
    }

    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    pub fn now(&self) -> Time {
        self.clock.now()
    }

    pub fn advance(&self, seconds: i64) {
        self.clock.advance(seconds);
    }

    /// Runs all due work, like the worker.
    pub async fn work_off(&self) {
        bursar::worker::work_off(self.bursar()).await.expect("every job that is due can be done");
    }

    /// Moves the clock and runs all due work.
    pub async fn pass(&self, seconds: i64) {
        self.advance(seconds);
        self.work_off().await;
    }

    /// Listens on a free port, like the program; returns the address.
    pub async fn listen(&self) -> String {
        self.listen_within(connections::Limits::default()).await
    }

    /// Listens with other limits on connections.
    pub async fn listen_within(&self, limits: connections::Limits) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
        let address = listener.local_addr().expect("it listens").to_string();
        let (router, (stop, stopping)) = (self.running().router.clone(), tokio::sync::watch::channel(false));
        tokio::spawn(async move {
            bursar::serve::accept(listener, router, limits, Arc::from([]), stopping).await;
            drop(stop);
        });
        address
    }

    /// Returns the findings of `bursar verify` while a stored row is changed; restores the row afterwards. Not over
    /// SQLite.
    pub fn tampered<R: Record>(&self, choose: impl Fn(&R) -> bool, edit: impl Fn(&mut R)) -> Vec<Finding> {
        let reads = &self.bursar().reads;
        let mut chosen = None;
        let fetch = |record: &R| {
            if choose(record) {
                chosen = Some(record.clone());
            }
            Ok(())
        };
        reads.snapshot(|snapshot| snapshot.each::<R>(fetch)).expect("the store can be read");
        let honest = chosen.expect("there is such a row");
        let mut tampered = honest.clone();
        edit(&mut tampered);
        let put = |record: &R| {
            let row = record.values();
            self.tamper(R::TABLE, Table::index_values(R::TABLE.key(), &row), Some(row));
        };
        put(&tampered);
        let chain = &self.bursar().history.chain;
        let report = bursar::verify::verify_history(reads, chain, &[]).expect("the store can be read");
        put(&honest);
        report.findings
    }

    /// Returns the newest message to a phone or an address.
    pub async fn newest_message(&self, to: &str) -> Value {
        self.work_off().await;
        let path = format!("/v2/sandbox/messages?limit=1&to={}", to.replace('+', "%2B"));
        let inbox = self.get(&path).app_key().send().await.expect(200);
        inbox.body["data"][0].clone()
    }

    /// Returns the newest code for a person, ignoring later messages.
    pub async fn newest_code(&self, to: &str) -> Value {
        self.work_off().await;
        let path = format!("/v2/sandbox/messages?limit=20&to={}", to.replace('+', "%2B"));
        let inbox = self.get(&path).as_org().send().await.expect(200);
        let codes = inbox.body["data"].as_array().unwrap().iter().map(|message| message["code"].clone());
        codes.into_iter().find(|code| code.is_string()).expect("a message has a code")
    }

    /// Returns the credentials file of the first start.
    pub fn credentials(&self) -> Value {
        let file = self.folder.path().join("sandbox-credentials.json");
        let text = std::fs::read_to_string(file).expect("the first start of a sandbox writes its credentials");
        serde_json::from_str(&text).unwrap()
    }

    /// Serves the pages for the developer's own machine, as a sandbox on a loopback address does.
    pub fn serve_own_machine(&self) {
        let file = self.folder.path().join("sandbox-credentials.json");
        self.bursar().local_credentials.get_or_init(|| file);
    }

    pub fn app_id(&self) -> String {
        self.credentials()["app"]["id"].as_str().unwrap().to_owned()
    }

    pub fn get(&self, path: &str) -> Asking<'_> {
        Asking::new(self, Method::Get.as_str(), path)
    }

    pub fn post(&self, path: &str) -> Asking<'_> {
        Asking::new(self, Method::Post.as_str(), path)
    }

    pub fn put(&self, path: &str) -> Asking<'_> {
        Asking::new(self, Method::Put.as_str(), path)
    }

    pub fn patch(&self, path: &str) -> Asking<'_> {
        Asking::new(self, Method::Patch.as_str(), path)
    }

    pub fn delete(&self, path: &str) -> Asking<'_> {
        Asking::new(self, Method::Delete.as_str(), path)
    }

    pub fn ask(&self, method: &str, path: &str) -> Asking<'_> {
        Asking::new(self, method, path)
    }

    async fn send(&self, mut request: axum::extract::Request) -> axum::response::Response {
        use tower::ServiceExt as _;
        request.extensions_mut().insert(Peer(std::net::Ipv4Addr::LOCALHOST.into()));
        let router = self.running().router.clone();
        router.oneshot(request).await.expect("a router never fails")
    }
}
