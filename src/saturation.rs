//! How much of the process is in use, measured at intervals: the queue of the engine, the oldest due job, the embedded
//! store's space, memory and file descriptors.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::process::{Resource, getrlimit};
use tokio::sync::watch;

use crate::health::Health;
use crate::jobs::{self, Job, Lane};
use crate::program::Bursar;
use crate::refusal::Refusal;

const EVERY: Duration = Duration::from_secs(5);
/// Linux counts processor time in this part of a second, on every architecture that the program supports.
const TICKS_PER_SECOND: u64 = 100;

/// Sets the gauges until `stopping`.
pub async fn measure(bursar: Arc<Bursar>, health: Arc<Health>, mut stopping: watch::Receiver<bool>) {
    metrics::gauge!("process_start_time_seconds").set(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
    loop {
        measure_once(&bursar, &health).await;
        // An error means that the sender is gone, which is also a stop.
        if tokio::time::timeout(EVERY, stopping.wait_for(|stop| *stop)).await.is_ok() {
            return;
        }
    }
}

async fn measure_once(bursar: &Bursar, health: &Arc<Health>) {
    metrics::gauge!("bursar_commands_pending").set(float(bursar.engine.pending()));
    metrics::gauge!("bursar_commands_pending_max").set(float(bursar.engine.pending_max()));
    metrics::gauge!("bursar_storage_full").set(f64::from(u8::from(bursar.reads.is_full())));
    let reads = bursar.reads.clone();
    let storage = tokio::task::spawn_blocking(move || {
        measure_process();
        reads.storage()
    });
    if let Ok(Some(storage)) = storage.await {
        metrics::gauge!("bursar_storage_bytes").set(float(storage.used_bytes));
        metrics::gauge!("bursar_storage_free_bytes").set(float(storage.free_bytes));
    }
    if let Err(refusal) = measure_jobs(bursar).await {
        // The last values remain; `bursar_ready` shows the failure.
        tracing::debug!(refusal.message, "the oldest due jobs cannot be read");
    }
    let is_ready = health.unready().await.is_none();
    metrics::gauge!("bursar_ready").set(f64::from(u8::from(is_ready)));
}

/// Every process measures the jobs, so that a process without a worker shows that no other works on them.
async fn measure_jobs(bursar: &Bursar) -> Result<(), Refusal> {
    let now = bursar.clock.now();
    for lane in Lane::ALL {
        let due = bursar.read(move |world| world.page::<Job>(&jobs::due_in(*lane, now, 1))).await?;
        let late = due.first().map_or(0, |job| now.seconds_since(job.due_at).max(0));
        metrics::gauge!("bursar_jobs_oldest_due_seconds", "lane" => lane.as_str())
            .set(float(u64::try_from(late).unwrap_or(0)));
    }
    Ok(())
}

fn measure_process() {
    let limit = getrlimit(Resource::Nofile).current;
    metrics::gauge!("process_max_fds").set(limit.map_or(f64::INFINITY, float));
    if let Ok(open) = std::fs::read_dir("/proc/self/fd") {
        // One of them is the folder itself.
        metrics::gauge!("process_open_fds").set(float(open.count().saturating_sub(1)));
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(kibibytes) = field(&status, "VmRSS:") {
        metrics::gauge!("process_resident_memory_bytes").set(float(kibibytes.saturating_mul(1024)));
    }
    if let Some(threads) = field(&status, "Threads:") {
        metrics::gauge!("process_threads").set(float(threads));
    }
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    if let Some(ticks) = ticks(&stat) {
        metrics::counter!("process_cpu_seconds_total").absolute(ticks / TICKS_PER_SECOND);
    }
}

/// Returns the number after a name in `/proc/self/status`.
fn field(status: &str, name: &str) -> Option<u64> {
    status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

/// Returns the processor time of `/proc/self/stat`: the fields 14 and 15. The second is a name in parentheses, which may
/// contain spaces.
fn ticks(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ').skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(user.saturating_add(system))
}

#[expect(clippy::cast_precision_loss, reason = "the value of a gauge is an approximation")]
fn float(number: impl TryInto<u64>) -> f64 {
    number.try_into().unwrap_or(u64::MAX) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_process_are_read() {
        let status = "Name:\tbursar\nVmRSS:\t   2048 kB\nThreads:\t12\n";
        assert_eq!(
            (field(status, "VmRSS:"), field(status, "Threads:"), field(status, "VmSwap:")),
            (Some(2048), Some(12), None)
        );
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 1 0 0 0 250 50 0 0 20 0 12 0 1 1 1";
        assert_eq!(ticks(stat), Some(300));
        assert!(ticks(&std::fs::read_to_string("/proc/self/stat").unwrap()).is_some());
        assert_eq!(ticks(""), None);
    }
}
