//! Periodic background work of a store.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A background thread that ends when this is dropped.
pub struct BackgroundThread {
    name: &'static str,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl BackgroundThread {
    /// Runs `work` repeatedly, first after `every`. Fails if the system cannot start a thread.
    pub(super) fn start(
        name: &'static str,
        every: Duration,
        mut work: impl FnMut() + Send + 'static,
    ) -> std::io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let reported = stop.clone();
        let thread = std::thread::Builder::new().name(name.into()).spawn(move || {
            loop {
                std::thread::park_timeout(every);
                if reported.load(Ordering::Relaxed) {
                    return;
                }
                work();
            }
        });
        Ok(Self { name, stop, thread: Some(thread?) })
    }
}

impl Drop for BackgroundThread {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            if thread.join().is_err() {
                tracing::warn!(thread = self.name, "it had panicked");
            }
        }
    }
}
