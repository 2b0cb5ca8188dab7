//! The durations of requests, as a metric.

use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use axum::http::Method;
use metrics::Histogram;

/// The histograms of one path by method and status. Kept, because finding one by its labels takes longer than recording.
pub(super) struct Timings {
    pub(super) route: &'static str,
    known: RwLock<Vec<(&'static str, u16, Histogram)>>,
}

impl Timings {
    pub(super) const fn of(route: &'static str) -> Self {
        Self { route, known: RwLock::new(Vec::new()) }
    }

    pub(super) fn record(&self, method: &Method, status: u16, took: Duration) {
        // Callers choose the method freely, so only known methods become labels.
        let mut known = ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"].into_iter();
        let method = known.find(|known| *known == method.as_str()).unwrap_or("other");
        let is_same = |entry: &&(&'static str, u16, Histogram)| (entry.0, entry.1) == (method, status);
        if let Some((.., histogram)) = self.known.read().unwrap_or_else(PoisonError::into_inner).iter().find(is_same) {
            return histogram.record(took);
        }
        let labels = [("method", method.to_owned()), ("route", self.route.to_owned()), ("status", status.to_string())];
        let histogram = metrics::histogram!("bursar_request_seconds", &labels);
        histogram.record(took);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if !known.iter().any(|entry| is_same(&entry)) {
            known.push((method, status, histogram));
        }
    }
}
