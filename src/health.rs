//! The probes for liveness and readiness, and the metrics (docs/decisions.md 15).
//!
//! Ready means that the program accepts commands and runs their jobs. It is not ready after the engine or a worker has
//! ended or shutdown has begun, while a shared store has no server that accepts writes, or shortly after a failed
//! commit; a load balancer then sends requests elsewhere.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::engine::{Engine, NotTaken};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::refusal::{Code, Refusal};
use crate::store::Reads;

/// The time for which a failed commit makes the program unready, unless another commit succeeds. Afterwards requests
/// are accepted again, because only a request can show whether the store works.
const ERROR_SHOWN: Duration = Duration::from_secs(15);
const NO_ROOM: &str = "The storage is full. Reads work; changes are refused until space is free.";
/// The interval for folding samples.
const FOLD_EVERY: Duration = Duration::from_secs(5);

pub struct Health {
    engine: Engine,
    reads: Reads,
    metrics: PrometheusHandle,
    stopping: AtomicBool,
    workers: Mutex<Vec<JoinHandle<()>>>,
}

impl Health {
    /// Watches the engine and its store; workers are added as they start.
    pub fn new(engine: Engine, reads: Reads, metrics: PrometheusHandle) -> Arc<Self> {
        Arc::new(Self { engine, reads, metrics, stopping: AtomicBool::new(false), workers: Mutex::default() })
    }

    /// Watches a worker: when it ends, the program is no longer ready.
    pub fn watch(&self, worker: JoinHandle<()>) {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
    }

    /// Makes the program unready, because shutdown has begun.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    /// Waits until the stopping workers have finished their jobs. A worker that takes too long is aborted; its jobs are
    /// leased again when their leases expire.
    pub async fn workers_ended(&self, patience: Duration) {
        let workers = std::mem::take(&mut *self.workers.lock().unwrap_or_else(PoisonError::into_inner));
        for mut worker in workers {
            if tokio::time::timeout(patience, &mut worker).await.is_err() {
                worker.abort();
            }
        }
    }

    /// Returns why the program is not ready; `None` if it is.
    pub fn error(&self) -> Option<&'static str> {
        if self.stopping.load(Ordering::SeqCst) {
            return Some("The server is shutting down.");
        }
        if !self.engine.is_alive() {
            return Some("The engine has stopped.");
        }
        if self.reads.is_full() {
            return Some(NO_ROOM);
        }
        match self.engine.commits_failed_within(ERROR_SHOWN) {
            Some(NotTaken::NoRoom) => return Some(NO_ROOM),
            Some(NotTaken::Outage) => return Some("The store rejected the last commit."),
            None => {}
        }
        let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        workers.iter().any(JoinHandle::is_finished).then_some("A worker has stopped.")
    }

    /// Returns why the program cannot serve requests now, with a query to the server of a shared store; `None` if it can.
    pub async fn unready(&self) -> Option<&'static str> {
        if let Some(reason) = self.error() {
            return Some(reason);
        }
        let reads = self.reads.clone();
        match tokio::task::spawn_blocking(move || reads.reachable()).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => {
                tracing::debug!(%error, "not ready");
                Some("The database cannot be reached.")
            }
            Err(_) => Some("The database did not respond."),
        }
    }

    /// Folds the samples of histograms until `stopping`. They would otherwise accumulate until the metrics are fetched.
    pub async fn fold_samples(self: Arc<Self>, mut stopping: watch::Receiver<bool>) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(FOLD_EVERY) => self.metrics.run_upkeep(),
                // An error means that the sender is gone, which is also a stop.
                _ = stopping.wait_for(|stop| *stop) => return,
            }
        }
    }
}

async fn livez(_: Call) -> Outcome {
    Ok(Answer::file("text/plain; charset=utf-8", "alive\n"))
}

async fn readyz(health: Arc<Health>) -> Outcome {
    match health.unready().await {
        None => Ok(Answer::file("text/plain; charset=utf-8", "ready\n")),
        Some(reason) => Err(Refusal::new(Code::ServiceUnavailable, reason).retry_after(1)),
    }
}

fn metrics(health: &Health) -> Answer {
    // Includes the samples since the last fold.
    health.metrics.run_upkeep();
    Answer::file("text/plain; version=0.0.4; charset=utf-8", health.metrics.render())
}

/// The probes. In production they have a separate listener.
pub fn routes(health: &Arc<Health>) -> Vec<Route> {
    let (ready, measured) = (health.clone(), health.clone());
    let is_ready = move |_: Call| readyz(ready.clone());
    let measures = move |_: Call| std::future::ready(Ok(metrics(&measured)));
    vec![
        route!(Get "/livez" Anyone "livez" livez)
            .about("Operations", "Check that the process runs")
            .gives_empty(200, "The process runs."),
        Route::new(crate::http::Method::Get, "/readyz", crate::http::Who::Anyone, "readyz", is_ready)
            .about("Operations", "Check that the server can handle requests")
            .gives_empty(200, "The server can handle requests.")
            .refuses(&[Code::ServiceUnavailable]),
        Route::new(crate::http::Method::Get, "/metrics", crate::http::Who::Anyone, "metrics", measures)
            .about("Operations", "Get metrics in the Prometheus text format")
            .gives_empty(200, "The metrics."),
    ]
}
