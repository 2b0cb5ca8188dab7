//! Counts responses and computes the figures.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

use super::model::{Load, Scenario};

/// Longer times count as ten minutes.
const MICROS_MAX: u64 = 600_000_000;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    pub scenario: Scenario,
    pub connections: usize,
    /// Requests per second at a fixed rate.
    pub rate: Option<u64>,
    /// Successful responses, or rows of batches.
    pub done: u64,
    /// Requests with another response, or none.
    pub others: u64,
    /// Status and body of one of the other responses.
    pub other_answer: Option<String>,
    pub per_second: f64,
    /// 50% of the responses took at most this long, in milliseconds.
    pub p50_millis: f64,
    pub p99_millis: f64,
    pub p999_millis: f64,
    pub max_millis: f64,
}

#[derive(Clone, Debug)]
pub(super) struct Tally {
    micros: Histogram<u64>,
    done: u64,
    others: u64,
    other_answer: Option<String>,
}

impl Default for Tally {
    fn default() -> Self {
        let micros =
            Histogram::new_with_bounds(1, MICROS_MAX, 3).expect("the bounds are in order, and three digits kept");
        Self { micros, done: 0, others: 0, other_answer: None }
    }
}

impl Tally {
    pub(super) fn count(&mut self, micros: u64, worth: u64) {
        self.micros.saturating_record(micros);
        self.done += worth;
    }

    pub(super) fn count_other(&mut self, answer: Option<(u16, String)>) {
        self.others += 1;
        if self.other_answer.is_none() {
            self.other_answer = answer.map(|(status, body)| format!("{status} {body}"));
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.micros.add(&other.micros).expect("histograms of one shape add up");
        self.done += other.done;
        self.others += other.others;
        if self.other_answer.is_none() {
            self.other_answer.clone_from(&other.other_answer);
        }
    }

    #[allow(clippy::float_arithmetic, clippy::cast_precision_loss, reason = "figures of a benchmark, not money")]
    pub(super) fn figures(&self, load: &Load, elapsed: Duration) -> Figures {
        // At a fixed rate, a run lasts its full duration even if the last request was earlier.
        let elapsed = load.rate.map_or(elapsed, |_| elapsed.max(load.duration));
        let millis = |micros: u64| micros as f64 / 1_000.0;
        let at = |quantile| millis(self.micros.value_at_quantile(quantile));
        Figures {
            scenario: load.scenario,
            connections: load.connections,
            rate: load.rate,
            done: self.done,
            others: self.others,
            other_answer: self.other_answer.clone(),
            per_second: self.done as f64 / elapsed.as_secs_f64().max(0.001),
            p50_millis: at(0.5),
            p99_millis: at(0.99),
            p999_millis: at(0.999),
            max_millis: millis(self.micros.max()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_counts_rows_and_answers_each_for_what_they_are() {
        let mut tally = Tally::default();
        for micros in 1..=1_000 {
            tally.count(micros * 1_000, 2);
        }
        tally.count_other(Some((503, "not now".to_owned())));
        tally.count_other(None);
        let mut all = Tally::default();
        all.add(&tally);
        let mut load = Load {
            address: String::new(),
            apps: Vec::new(),
            scenario: Scenario::Batches,
            connections: 3,
            duration: Duration::from_secs(1),
            rate: None,
            page: 1,
            run: 0,
            keep: false,
            acknowledged: std::sync::Arc::default(),
        };
        let figures = all.figures(&load, Duration::from_secs(4));
        assert_eq!((figures.done, figures.others, figures.other_answer.as_deref()), (2_000, 2, Some("503 not now")));
        assert!((figures.per_second - 500.0).abs() < 1e-9);
        // Three digits are kept: half of 1,000 responses took at most 500 ms, and none the nine seconds of the other.
        assert!((figures.p50_millis - 500.0).abs() < 1.0, "{figures:?}");
        assert!((figures.p999_millis - 999.0).abs() < 1.0, "{figures:?}");
        assert!(figures.max_millis < 1_001.0, "{figures:?}");

        (load.rate, load.duration) = (Some(500), Duration::from_secs(5));
        let paced = all.figures(&load, Duration::from_secs(4));
        assert!((paced.per_second - 400.0).abs() < 1e-9, "{paced:?}");
    }
}
