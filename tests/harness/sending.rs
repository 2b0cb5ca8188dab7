//! A load that continues for the duration of a fault.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bursar::load::{Load, Sent, run};

/// Sends payouts in parts until the end of the test.
pub struct Sending {
    acknowledged: Arc<AtomicU64>,
    ended: Arc<AtomicBool>,
    running: Vec<tokio::task::JoinHandle<Vec<Sent>>>,
    beats: tokio::task::JoinHandle<Vec<Instant>>,
}

impl Sending {
    /// Sends to each of these in parts. Each part increments its run.
    pub fn begin(loads: Vec<Load>) -> Self {
        let (acknowledged, ended) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let running = loads.into_iter().map(|load| {
            let (ended, acknowledged) = (ended.clone(), acknowledged.clone());
            tokio::spawn(async move {
                let mut sent = Vec::new();
                for piece in 0.. {
                    if ended.load(Ordering::SeqCst) {
                        break;
                    }
                    let load = Load { run: load.run + piece, acknowledged: acknowledged.clone(), ..load.clone() };
                    sent.extend(run(&load).await.expect("the program itself does not break").sent);
                }
                sent
            })
        });
        let running = running.collect();
        let beats = tokio::spawn(beats(acknowledged.clone(), ended.clone()));
        Self { acknowledged, ended, running, beats }
    }

    /// Waits for this number of acknowledged payouts.
    pub async fn more(&self, payouts: u64) {
        let enough = self.acknowledged.load(Ordering::SeqCst) + payouts;
        let begun = Instant::now();
        while self.acknowledged.load(Ordering::SeqCst) < enough {
            assert!(begun.elapsed() < Duration::from_secs(120), "writes do not come back");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Returns all sent payouts, and the times of acknowledgments.
    pub async fn end(self) -> (Vec<Sent>, Vec<Instant>) {
        self.ended.store(true, Ordering::SeqCst);
        let sent = futures::future::join_all(self.running).await;
        (sent.into_iter().flat_map(Result::unwrap).collect(), self.beats.await.unwrap())
    }
}

/// Returns the times of acknowledgments, sampled every ten milliseconds.
async fn beats(acknowledged: Arc<AtomicU64>, ended: Arc<AtomicBool>) -> Vec<Instant> {
    let (mut beats, mut last) = (Vec::new(), 0);
    while !ended.load(Ordering::SeqCst) {
        let now = acknowledged.load(Ordering::SeqCst);
        if now != last {
            beats.push(Instant::now());
            last = now;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    beats
}
