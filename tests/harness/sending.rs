//! A load that goes on for as long as something takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bursar::load::{Load, Sent, run};

/// Payouts that are sent until they are told to end, piece by piece.
pub struct Sending {
    acknowledged: Arc<AtomicU64>,
    ended: Arc<AtomicBool>,
    running: Vec<tokio::task::JoinHandle<Vec<Sent>>>,
    beats: tokio::task::JoinHandle<Vec<Instant>>,
}

impl Sending {
    /// To each of these, in pieces as long as each says. A piece adds one to its run.
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

    /// Waits for acknowledged payouts.
    pub async fn more(&self, payouts: u64) {
        let enough = self.acknowledged.load(Ordering::SeqCst) + payouts;
        let begun = Instant::now();
        while self.acknowledged.load(Ordering::SeqCst) < enough {
            assert!(begun.elapsed() < Duration::from_secs(120), "writes do not come back");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Everything that was sent, and the moments at which something was acknowledged.
    pub async fn end(self) -> (Vec<Sent>, Vec<Instant>) {
        self.ended.store(true, Ordering::SeqCst);
        let sent = futures::future::join_all(self.running).await;
        (sent.into_iter().flat_map(Result::unwrap).collect(), self.beats.await.unwrap())
    }
}

/// The moments at which something was acknowledged, as seen every ten milliseconds.
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
