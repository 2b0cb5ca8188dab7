//! A load generator: connections that call a running service as fast as it answers, or at a fixed rate.
//!
//! It is a client like any other, over HTTP, with an idempotency key for each write, so that what it counts as
//! answered can be looked for afterwards. At a fixed rate (an open loop) a request counts from the moment at which
//! it was to be sent, so that a stall of the service shows in all the answers that waited behind it. Deliberately
//! absent: any way around the front door. Start at [`run`]; what is sent stands in `scenario.rs`.

mod client;
mod figures;
mod reference;
mod scenario;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use client::Client;
pub use figures::Figures;
use figures::Tally;
pub use reference::{NoReference, Recording, Written, echo, empty_store, organizations};
use scenario::Stage;
pub use scenario::{CENTS, Scenario, Sent, link_id};

use crate::apps::Credentials;

/// As which app a connection calls.
#[derive(Clone, Debug)]
pub struct AppKey {
    /// Its client id.
    pub client_id: String,
    /// Its key.
    pub api_key: String,
}

impl AppKey {
    /// The app of a sandbox's credentials.
    pub fn of(credentials: &Credentials) -> Self {
        Self { client_id: credentials.app.client_id.clone(), api_key: credentials.app.api_key.clone() }
    }
}

/// What is to be sent.
#[derive(Clone, Debug)]
pub struct Load {
    /// `127.0.0.1:8080`
    pub address: String,
    /// Apps, of as many organizations as they like, between which the connections are dealt out. Not empty.
    pub apps: Vec<AppKey>,
    /// What each request is.
    pub scenario: Scenario,
    /// How many connections send at once.
    pub connections: usize,
    /// For how long.
    pub duration: Duration,
    /// Requests a second, whether they are answered or not; where there is none, each connection sends the next one
    /// when the last was answered.
    pub rate: Option<u64>,
    /// The page that is read, from 1: for lists.
    pub page: usize,
    /// Makes the keys and phones of this run unlike those of another.
    pub run: u64,
    /// Whether to keep what was sent, to look for it afterwards.
    pub keep: bool,
    /// Goes up with each request that was answered with success.
    pub acknowledged: Arc<AtomicU64>,
}

/// What a run came to.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Every request, answered or not, in no particular order, where the load says to keep them.
    pub sent: Vec<Sent>,
    /// What was counted.
    tally: Tally,
    /// How long it took.
    elapsed: Duration,
}

impl Outcome {
    /// The figures of the run.
    pub fn figures(&self, load: &Load) -> Figures {
        self.tally.figures(load, self.elapsed)
    }
}

/// Why a run could not begin.
#[derive(Debug, thiserror::Error)]
#[error("the service at {address} cannot be measured: {reason}")]
pub struct NotReady {
    /// Where.
    pub address: String,
    /// Why.
    pub reason: String,
}

/// Sends until the time is over or the server is gone.
///
/// # Errors
/// [`NotReady`] when the service does not answer, or lacks what the scenario reads, or there are several apps and the
/// scenario is about one.
pub async fn run(load: &Load) -> Result<Outcome, NotReady> {
    let not_ready = |reason| NotReady { address: load.address.clone(), reason };
    if load.apps.len() > 1 && load.scenario.needs_one_app() {
        return Err(not_ready("this scenario reads the data of one app: name the credentials of one app".to_owned()));
    }
    let mut client =
        Client::connect(load, 0).await.ok_or_else(|| not_ready("the service is unreachable".to_owned()))?;
    let stage = Arc::new(load.scenario.prepare(&mut client, load).await.map_err(not_ready)?);
    let course = Arc::new(Course { started: Instant::now(), next: AtomicU64::new(0) });
    let connections: Vec<_> = (0..load.connections)
        .map(|number| tokio::spawn(connection(load.clone(), stage.clone(), course.clone(), number)))
        .collect();
    let mut outcome = Outcome::default();
    for connection in connections {
        let (sent, tally) = connection.await.unwrap_or_default();
        outcome.sent.extend(sent);
        outcome.tally.add(&tally);
    }
    outcome.elapsed = course.started.elapsed();
    Ok(outcome)
}

/// Sends one request of the first app again, under its key; the status and the body of the answer.
pub async fn again(load: &Load, sent: &Sent) -> Option<(u16, String)> {
    Client::connect(load, 0).await?.call(sent).await
}

/// What all connections share.
struct Course {
    started: Instant,
    /// The number of the next request at a fixed rate.
    next: AtomicU64,
}

impl Course {
    /// Waits for the next moment to send at, and gives it; `None` when there is none before the end. At once where there
    /// is no rate.
    async fn turn(&self, load: &Load) -> Option<Instant> {
        let Some(rate) = load.rate else {
            return (self.started.elapsed() < load.duration).then(Instant::now);
        };
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let after = Duration::from_micros(number.saturating_mul(1_000_000) / rate.max(1));
        if after >= load.duration {
            return None;
        }
        let due = self.started + after;
        tokio::time::sleep_until(due.into()).await;
        // Behind a stall nothing is sent any more when the time is over.
        (self.started.elapsed() < load.duration).then_some(due)
    }
}

async fn connection(load: Load, stage: Arc<Stage>, course: Arc<Course>, number: usize) -> (Vec<Sent>, Tally) {
    let (mut kept, mut tally) = (Vec::new(), Tally::default());
    let Some(mut client) = Client::connect(&load, number).await else { return (kept, tally) };
    for count in 0_u64.. {
        let Some(asked) = course.turn(&load).await else { break };
        let mut sent = stage.request(&load, number, count);
        let answer = stage.send(&mut client, &sent).await;
        sent.micros = u64::try_from(asked.elapsed().as_micros()).unwrap_or(u64::MAX);
        let answered = answer.is_some();
        match answer {
            Some((200..300, body)) => {
                tally.count(sent.micros, stage.worth());
                load.acknowledged.fetch_add(1, Ordering::Relaxed);
                sent.link = link_id(&body).filter(|_| load.keep);
            }
            other => tally.count_other(other),
        }
        if load.keep {
            kept.push(sent);
        }
        if !answered {
            break;
        }
    }
    (kept, tally)
}
