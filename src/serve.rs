//! Runs one server process: the API, the pages, the worker.
//!
//! On SIGTERM or SIGINT the process is no longer ready and accepts no connections; requests in progress have at most
//! [`DRAIN`], then it ends with code 0. A second signal ends it at once. If the outcome of a commit is unknown, the
//! engine stops and the process ends with code 1; the next start reads the outcome from the store.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tower::ServiceExt as _;

use crate::apps::acts;
use crate::apps::bootstrap::{Bootstrapped, bootstrap};
use crate::bank_transports::Transports;
use crate::clock::Clock;
use crate::config::{BadConfig, Config, Role};
use crate::connections::{self, Gate};
use crate::dispatch::{self, Limits, Network, Peer, origin};
use crate::health::{self, Health};
use crate::ids::Seeds;
use crate::instance::{self, Dependencies, Instance, StartError};
use crate::key_file::KeySource;
use crate::log_output;
use crate::metrics_list;
use crate::outbound;
use crate::program::{Bursar, Environment};
use crate::refusal::Refusal;
use crate::routes;
use crate::sanctions;
use crate::sandbox::clock::keep_up;
use crate::saturation;
use crate::seals;
use crate::security_log::{self, Origin, SecurityEvent};
use crate::vault::Vault;
use crate::worker;

/// The time limit for a caller to send a request's headers.
const HEADER_DEADLINE: Duration = Duration::from_secs(10);
/// Bytes that are read ahead on a connection at most: more than any accepted request head, and little enough for
/// thousands of connections.
const BUFFER_MAX: usize = 48 * 1024;
/// The time limit for requests in progress after shutdown has begun.
const DRAIN: Duration = Duration::from_secs(25);
/// The time limit for workers to finish their running jobs.
const WORKERS_END: Duration = Duration::from_secs(10);
/// The time limit for the engine to finish its queue when no more commands arrive.
const LAST_BATCH: Duration = Duration::from_secs(5);
/// The folder of the simulated banks, in the data folder.
pub const SANDBOX_BANK: &str = "sandbox-bank";
/// The interval of checks for a sandbox clock that another process has moved.
const CLOCK_EVERY: Duration = Duration::from_secs(1);
/// The interval of checks for a changed key file.
const KEY_FILE_EVERY: Duration = Duration::from_secs(1);
/// The use of keys is recorded after this many checks.
const KEY_USES_EVERY: u64 = 60;
/// Buckets of the histograms whose name ends in `_seconds`.
const SECONDS: [f64; 12] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];
/// Buckets of the histogram of commands in a batch.
const COMMANDS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// After a signal.
    Requested,
    /// The engine stopped for this reason.
    EngineStopped(String),
}

/// Lets the pages show the sandbox's credentials if only this machine reaches them.
fn let_pages_show(bursar: &Bursar, config: &Config, credentials: &Path) {
    let is_local = config.listen.ip().is_loopback() && config.public_url.is_none();
    if config.environment == Environment::Sandbox && is_local {
        bursar.local_credentials.get_or_init(|| credentials.to_owned());
    }
}

/// Returns the ways to banks. In a sandbox simulated banks are among them.
fn transports(config: &Config) -> Result<Transports, StartError> {
    let transports = config.transports.clone();
    match config.environment {
        Environment::Production => Ok(transports),
        Environment::Sandbox => {
            let folder = std::path::absolute(config.data_dir.join(SANDBOX_BANK));
            let folder = folder.map_err(|error| StartError::Sandbox(error.to_string()))?;
            Ok(transports.with_sandbox(folder))
        }
    }
}

/// Serves until a signal or the engine's end. Calls `announce` once connections are accepted, with the base URL and the
/// result of the start.
pub async fn serve(config: Config, announce: impl FnOnce(&str, &Bootstrapped)) -> Result<Ended, StartError> {
    let providers = instance::providers(&config)?;
    let (opened, vault) = open(config.clone()).await?;
    let listener = listen(config.listen).await?;
    let base_url = format!("http://{}", reachable(&listener, config.listen));
    let watchlist = sanctions::first(&config)?;
    let dependencies = Dependencies {
        clock: Clock::wall(),
        command_seeds: Seeds::System,
        request_seeds: Seeds::System,
        vault,
        environment: config.environment,
        live: config.environment.is_live(),
        public_url: config.public_url.clone().unwrap_or_else(|| base_url.clone()),
        providers,
        transports: transports(&config)?,
        call_deadline: outbound::DEADLINE,
        watchlist,
    };
    let (bursar, guards) = opened.start(dependencies)?;
    instance::must_belong(&bursar, &config).await?;
    let unopened = |refusal: Refusal| StartError::Sandbox(refusal.message);
    keep_up(&bursar).await.map_err(unopened)?;
    let bootstrapped = bootstrap(&bursar, &config.data_dir, &bursar.public_url).await.map_err(unopened)?;
    let_pages_show(&bursar, &config, &bootstrapped.path);
    let health = Health::new(bursar.engine.clone(), bursar.reads.clone(), install_metrics()?);
    metrics_list::register();
    let (stop_workers, reported) = watch::channel(false);
    sanctions::screen_all_users(&bursar).await.map_err(unopened)?;
    start_workers(&bursar, &health, config.role, reported).await?;

    let (stop, stopping) = watch::channel(false);
    let open_files = connections::raise_open_files();
    let connections = connections::Limits::within(config.connections.total, config.connections.per_address, open_files);
    let limits = Limits { requests_per_second: config.requests_per_second, ..Limits::default() };
    let mut table = if config.role == Role::Worker { Vec::new() } else { routes::table() };
    let admin = match config.admin_listen {
        Some(address) => {
            let router = dispatch::router(bursar.clone(), health::routes(&health), Limits::default());
            // Probes have a separate listener, so that API callers cannot use up its connections.
            Some(tokio::spawn(accept(
                listen(address).await?,
                router,
                connections::Limits::default(),
                Arc::from([]),
                stopping.clone(),
            )))
        }
        None => {
            table.extend(health::routes(&health));
            None
        }
    };
    let router = dispatch::router(bursar.clone(), table, limits);
    let watching = tokio::spawn(sanctions::keep_up(bursar.clone(), config.clone(), stopping.clone()));
    let sealing = tokio::spawn(keep_keys(bursar.clone(), config.key.clone(), stopping.clone()));
    let following = tokio::spawn(follow_the_clock(bursar.clone(), stopping.clone()));
    let folding = tokio::spawn(health.clone().fold_samples(stopping.clone()));
    let measuring = tokio::spawn(saturation::measure(bursar.clone(), health.clone(), stopping.clone()));
    let serving = tokio::spawn(accept(listener, router, connections, config.trusted_proxies.into(), stopping));
    // A reader of the line may send a signal at once, so the handlers are installed before it is printed.
    let signals = Signals::listen()?;
    announce(&base_url, &bootstrapped);

    let ended = until_signaled(&bursar, signals).await;
    health.stop();
    stop.send_replace(true);
    drain([Some(serving), admin, Some(watching), Some(sealing), Some(following), Some(folding), Some(measuring)]).await;
    stop_workers.send_replace(true);
    health.workers_ended(WORKERS_END).await;
    finish(bursar, health).await;
    // Checkpoints end and the lock is released only now, when nothing writes any more.
    drop(guards);
    Ok(ended)
}

/// Opens the store on a separate thread, because a file or a server may block.
async fn open(config: Config) -> Result<(Instance, Vault), StartError> {
    let opened = tokio::task::spawn_blocking(move || instance::with_vault(&config)).await;
    opened.unwrap_or_else(|error| {
        Err(StartError::System { what: "cannot open the store".to_owned(), source: error.into() })
    })
}

/// Starts the workers. The process is not ready without all of them.
async fn start_workers(
    bursar: &Arc<Bursar>,
    health: &Arc<Health>,
    role: Role,
    stop: watch::Receiver<bool>,
) -> Result<(), StartError> {
    match role {
        Role::Api => return Ok(()),
        Role::All | Role::Worker => {}
    }
    // An embedded store is locked, so every lease in it belongs to a dead process. In a shared store other processes
    // may be running, and the leases of dead ones expire.
    if !bursar.reads.is_shared() {
        let abandoned = worker::abandon_leases(bursar).await;
        let abandoned = abandoned.map_err(|refusal| StartError::Sandbox(refusal.message))?;
        if abandoned > 0 {
            tracing::info!(abandoned, "released the jobs of a process that ended");
        }
    }
    health.watch(worker::start(bursar.clone(), stop));
    Ok(())
}

async fn listen(address: SocketAddr) -> Result<TcpListener, StartError> {
    let failed = |mut source: io::Error| {
        if source.kind() == io::ErrorKind::AddrInUse {
            let advice = "Stop the program that uses the port, or choose a free port: --listen 127.0.0.1:0";
            source = io::Error::new(source.kind(), format!("{source}. {advice}"));
        }
        StartError::System { what: format!("cannot listen on {address}"), source }
    };
    TcpListener::bind(address).await.map_err(failed)
}

/// Returns the address for calls from this machine: with the assigned port, and without a wildcard.
fn reachable(listener: &TcpListener, asked: SocketAddr) -> SocketAddr {
    let mut address = listener.local_addr().unwrap_or(asked);
    if address.ip().is_unspecified() {
        address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    address
}

fn install_metrics() -> Result<PrometheusHandle, StartError> {
    let failed = |error: &dyn std::fmt::Display| BadConfig::one(format!("cannot start the metrics: {error}"));
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), &SECONDS)
        .and_then(|builder| builder.set_buckets_for_metric(Matcher::Suffix("_commands".into()), &COMMANDS))
        .map_err(|error| failed(&error))?
        .build_recorder();
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).map_err(|error| failed(&error))?;
    Ok(handle)
}

/// Accepts connections until `stopping`, then waits for the open ones.
pub async fn accept(
    listener: TcpListener,
    router: Router,
    limits: connections::Limits,
    trusted: Arc<[Network]>,
    mut stopping: watch::Receiver<bool>,
) {
    let mut server = hyper::server::conn::http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEADER_DEADLINE).max_buf_size(BUFFER_MAX);
    let gate = Gate::new(limits, trusted.clone());
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            // An error means that the sender is gone, which is also a stop.
            _ = stopping.wait_for(|stop| *stop) => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                let Some(permit) = gate.enter(peer.ip()) else {
                    turn_away(&stream);
                    continue;
                };
                let stream = gate.guard(at_once(stream), permit);
                let service = service(router.clone(), peer, trusted.clone());
                let connection = server.serve_connection(TokioIo::new(stream), service);
                let watched = graceful.watch(connection);
                tokio::spawn(async move {
                    if let Err(error) = watched.await {
                        tracing::debug!(%error, "a connection closed unexpectedly");
                    }
                });
            }
            Err(error) => {
                // Mostly too many open files: waiting callers are served when some are closed.
                tracing::warn!(%error, "a connection cannot be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    graceful.shutdown().await;
}

/// Sends the reason if that needs no waiting, and closes the connection.
fn turn_away(stream: &TcpStream) {
    security_log::count(SecurityEvent::ConnectionRefused);
    let busy = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    if let Err(error) = stream.try_write(busy) {
        tracing::debug!(%error, "a connection was closed without a response");
    }
}

/// Sends responses immediately: they are small and complete, so filling a packet only delays them.
fn at_once(stream: TcpStream) -> TcpStream {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "responses may be delayed");
    }
    stream
}

fn service(
    router: Router,
    peer: SocketAddr,
    trusted: Arc<[Network]>,
) -> impl hyper::service::Service<
    Request<Incoming>,
    Response = axum::response::Response,
    Error = Infallible,
    Future = impl Future<Output = Result<axum::response::Response, Infallible>>,
> {
    hyper::service::service_fn(move |mut request: Request<Incoming>| {
        let caller = origin(peer.ip(), request.headers(), &trusted);
        request.extensions_mut().insert(Peer(caller));
        router.clone().oneshot(request.map(Body::new))
    })
}

/// The signals that end the process.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> Result<Self, StartError> {
        let failed = |source| StartError::System { what: "cannot wait for signals".to_owned(), source };
        let terminate = signal(SignalKind::terminate()).map_err(failed)?;
        let interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        Ok(Self { terminate, interrupt })
    }
}

async fn until_signaled(bursar: &Arc<Bursar>, signals: Signals) -> Ended {
    let Signals { mut terminate, mut interrupt } = signals;
    let mut stopped = bursar.engine.stopped();
    let ended = tokio::select! {
        _ = terminate.recv() => Ended::Requested,
        _ = interrupt.recv() => Ended::Requested,
        reason = stopped.wait_for(Option::is_some) => {
            Ended::EngineStopped(reason.ok().and_then(|reason| reason.clone()).unwrap_or_default())
        }
    };
    tracing::info!(?ended, "shutting down");
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        // Not a warning, which would wait for the reader of the log.
        tracing::info!("second signal: stopping immediately");
        log_output::flush();
        std::process::exit(1);
    });
    ended
}

/// Follows the sandbox's clock if other processes may move it.
async fn follow_the_clock(bursar: Arc<Bursar>, mut stopping: watch::Receiver<bool>) {
    if !bursar.reads.is_shared() || bursar.environment != Environment::Sandbox {
        return;
    }
    while tokio::time::timeout(CLOCK_EVERY, stopping.wait_for(|stop| *stop)).await.is_err() {
        if let Err(refusal) = keep_up(&bursar).await {
            tracing::debug!(refusal.message, "the sandbox clock cannot be read");
        }
    }
}

/// Rewrites old seals, loads a changed key file, and records the use of keys at intervals.
async fn keep_keys(bursar: Arc<Bursar>, key: KeySource, mut stopping: watch::Receiver<bool>) {
    let (mut is_done, mut queries, mut seen) = (false, 0_u64, stamp(&key.file));
    loop {
        let now = stamp(&key.file);
        if now != seen {
            seen = now;
            is_done &= !take_up_keys(&bursar, &key).await;
        }
        if !is_done {
            let done = seals::rewrite(&bursar).await;
            is_done = done.is_ok();
            if done.as_ref().is_ok_and(|done| done.records > 0) {
                security_log::record(SecurityEvent::SealsRewritten, "under-the-active-key", Origin::default());
            }
            if let Err(refusal) = done {
                tracing::error!(refusal.message, "old seals cannot be rewritten; the rewrite is retried");
            }
        }
        let is_over = tokio::time::timeout(KEY_FILE_EVERY, stopping.wait_for(|stop| *stop)).await.is_ok();
        queries += 1;
        if (is_over || queries.is_multiple_of(KEY_USES_EVERY))
            && let Err(refusal) = acts::write_down_uses(&bursar).await
        {
            tracing::warn!(refusal.message, "the last use of some keys cannot be stored");
        }
        if is_over {
            return;
        }
    }
}

/// Returns size and time of a file. A change suggests new content.
fn stamp(file: &Path) -> Option<(u64, SystemTime)> {
    let about = std::fs::metadata(file).ok()?;
    Some((about.len(), about.modified().ok()?))
}

/// Loads the key file again. Returns whether other keys are in use now.
async fn take_up_keys(bursar: &Bursar, key: &KeySource) -> bool {
    let source = key.clone();
    let read = tokio::task::spawn_blocking(move || source.read()).await;
    let taken = match read.unwrap_or_else(|error| Err(error.to_string())) {
        Ok(keys) => seals::take_up(bursar, keys.ring()).await.map_err(|refusal| refusal.message),
        Err(reason) => Err(reason),
    };
    let reason = if taken.is_ok() { "in-use" } else { "refused" };
    security_log::record(SecurityEvent::MasterKeysChanged, reason, Origin::default());
    match taken {
        Ok(active) => tracing::info!(active, "the master keys of the changed key file are in use"),
        Err(ref reason) => tracing::error!(reason, "the changed key file is not used; the previous keys stay in use"),
    }
    taken.is_ok()
}

async fn drain(tasks: [Option<tokio::task::JoinHandle<()>>; 7]) {
    let all = futures::future::join_all(tasks.into_iter().flatten());
    if tokio::time::timeout(DRAIN, all).await.is_err() {
        tracing::warn!("some requests were still in progress after {} seconds", DRAIN.as_secs());
    }
}

/// Lets the engine finish its queue: its thread ends when the last handle is dropped.
async fn finish(bursar: Arc<Bursar>, health: Arc<Health>) {
    let mut stopped = bursar.engine.stopped();
    drop(bursar);
    drop(health);
    if tokio::time::timeout(LAST_BATCH, stopped.wait_for(Option::is_some)).await.is_err() {
        // A connection that did not drain has a handle. All acknowledged changes are on the disk nevertheless.
        tracing::warn!("the engine is still in use");
    }
}
