//! Sends the requests of a measurement.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::client::Client;
use super::figures::{Figures, Tally};
use super::model::{Load, Sent};
use super::scenario::{Stage, link_id};

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
