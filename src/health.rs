//! Whether the program lives, whether it is ready, and what it measures (docs/decisions.md 15).
//!
//! Ready means: it takes commands and works off what they leave behind. It is not, once the engine or a
//! worker has ended or shutdown has begun, nor while a shared store has no server that takes writes, or any store has just
//! not taken a commit; then whoever spreads requests sends them elsewhere.

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

/// How long a commit that the store did not take makes us unready, unless it takes another. Then requests are let in
/// again: only they can tell whether it does.
const ERROR_SHOWN: Duration = Duration::from_secs(15);
const NO_ROOM: &str = "The storage is full. Reads work; changes are refused until space is free.";
/// How often samples are folded.
const FOLD_EVERY: Duration = Duration::from_secs(5);

/// See the module's comment.
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

    /// From now on not ready: shutdown has begun.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    /// Waits until the workers, which were told to stop, have done what they have in hand. One that takes too
    /// long is left: its jobs are leased to others when the leases run out.
    pub async fn workers_ended(&self, patience: Duration) {
        let workers = std::mem::take(&mut *self.workers.lock().unwrap_or_else(PoisonError::into_inner));
        for mut worker in workers {
            if tokio::time::timeout(patience, &mut worker).await.is_err() {
                worker.abort();
            }
        }
    }

    /// Why it is not ready; `None` when it is.
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

    /// Folds what was measured, until it is told to stop: histograms keep every sample until then, whether anybody asks
    /// for them or not.
    pub async fn fold_samples(self: Arc<Self>, mut stopping: watch::Receiver<bool>) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(FOLD_EVERY) => self.metrics.run_upkeep(),
                // It fails when nobody is left to tell it, which means the same.
                _ = stopping.wait_for(|stop| *stop) => return,
            }
        }
    }
}

/// GET /livez
async fn livez(_: Call) -> Outcome {
    Ok(Answer::file("text/plain; charset=utf-8", "alive\n"))
}

async fn readyz(health: Arc<Health>) -> Outcome {
    let unready = |reason: &str| Err(Refusal::new(Code::ServiceUnavailable, reason).retry_after(1));
    if let Some(reason) = health.error() {
        return unready(reason);
    }
    let reads = health.reads.clone();
    match tokio::task::spawn_blocking(move || reads.reachable()).await {
        Ok(Ok(())) => Ok(Answer::file("text/plain; charset=utf-8", "ready\n")),
        Ok(Err(error)) => {
            tracing::debug!(%error, "not ready");
            unready("The database cannot be reached.")
        }
        Err(_) => unready("The database did not respond."),
    }
}

fn metrics(health: &Health) -> Answer {
    // What came since the last time counts too.
    health.metrics.run_upkeep();
    Answer::file("text/plain; version=0.0.4; charset=utf-8", health.metrics.render())
}

/// The probes. In production they stand on a listener of their own.
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
