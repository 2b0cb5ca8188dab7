//! A load generator: connections that call a running service as fast as it responds, or at a fixed rate.
//!
//! It is an ordinary HTTP client with an idempotency key for each write, so that acknowledged writes can be verified
//! later. At a fixed rate (open loop), times count from the scheduled moment, so a stall shows in all responses delayed
//! by it. Deliberately absent: any access other than the API. Start at [`run`]; `scenario.rs` has the requests.

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

#[derive(Clone, Debug)]
pub struct AppKey {
    pub client_id: String,
    pub api_key: String,
}

impl AppKey {
    pub fn of(credentials: &Credentials) -> Self {
        Self { client_id: credentials.app.client_id.clone(), api_key: credentials.app.api_key.clone() }
    }
}

#[derive(Clone, Debug)]
pub struct Load {
    /// `127.0.0.1:8080`
    pub address: String,
    /// Not empty, of any organizations; the connections are distributed among them.
    pub apps: Vec<AppKey>,
    pub scenario: Scenario,
    pub connections: usize,
    pub duration: Duration,
    /// Requests per second, independent of responses. Without a rate, each connection sends its next request after a
    /// response.
    pub rate: Option<u64>,
    /// The page to read, from 1, for lists.
    pub page: usize,
    /// Makes the keys and phone numbers of this run unique.
    pub run: u64,
    /// Whether to keep the requests for later verification.
    pub keep: bool,
    /// Incremented by each successful response.
    pub acknowledged: Arc<AtomicU64>,
}

#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// All requests in any order, if `keep` is set.
    pub sent: Vec<Sent>,
    tally: Tally,
    elapsed: Duration,
}

impl Outcome {
    pub fn figures(&self, load: &Load) -> Figures {
        self.tally.figures(load, self.elapsed)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the service at {address} cannot be measured: {reason}")]
pub struct NotReady {
    pub address: String,
    pub reason: String,
}

/// Sends requests until the time is over or the server is gone.
///
/// # Errors
/// [`NotReady`] if the service does not respond or lacks the scenario's data, or for several apps in a scenario for
/// one.
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

/// Resends a request of the first app with its key; returns the status and body of the response.
pub async fn again(load: &Load, sent: &Sent) -> Option<(u16, String)> {
    Client::connect(load, 0).await?.call(sent).await
}

struct Course {
    started: Instant,
    next: AtomicU64,
}

impl Course {
    /// Waits for the next scheduled moment and returns it; `None` after the end. Without a rate, returns at once.
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
        // After a stall, sends nothing past the end.
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
