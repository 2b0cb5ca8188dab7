//! Every metric of the program: name, kind, unit, text and label values.
//!
//! Invariant: the list and the code have the same names. A metric whose label values are known is exported with 0 from
//! the start, because an alert on an increase needs the value before it.

use Kind::{Counter, Gauge, Histogram};
use metrics::{Label, Unit};

use crate::bank_alarms::AlarmKind;
use crate::jobs::Lane;
use crate::messages::Channel;
use crate::security_log::SecurityEvent;
use crate::webhooks::DeliveryError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// The values of a label; empty if only requests or the store determine them.
type Values = fn() -> Vec<&'static str>;

struct Metric {
    name: &'static str,
    kind: Kind,
    unit: Unit,
    help: &'static str,
    labels: &'static [(&'static str, Values)],
    /// Not exported before it has a value.
    is_late: bool,
}

const fn metric(kind: Kind, name: &'static str, unit: Unit, help: &'static str) -> Metric {
    Metric { name, kind, unit, help, labels: &[], is_late: false }
}

impl Metric {
    const fn by(self, labels: &'static [(&'static str, Values)]) -> Self {
        Self { labels, ..self }
    }

    const fn late(self) -> Self {
        Self { is_late: true, ..self }
    }

    /// Returns every combination of label values.
    fn series(&self) -> Vec<Vec<Label>> {
        self.labels.iter().fold(vec![Vec::new()], |series, (label, values)| {
            let with = |labels: &Vec<Label>, value| [labels.clone(), vec![Label::new(*label, value)]].concat();
            series.iter().flat_map(|labels| values().into_iter().map(move |value| with(labels, value))).collect()
        })
    }

    fn describe(&self) {
        match self.kind {
            Kind::Counter => metrics::describe_counter!(self.name, self.unit, self.help),
            Kind::Gauge => metrics::describe_gauge!(self.name, self.unit, self.help),
            Kind::Histogram => metrics::describe_histogram!(self.name, self.unit, self.help),
        }
    }

    fn register(&self) {
        for labels in self.series() {
            match self.kind {
                Kind::Counter => metrics::counter!(self.name, labels).absolute(0),
                Kind::Gauge => metrics::gauge!(self.name, labels).set(0.0),
                Kind::Histogram => drop(metrics::histogram!(self.name, labels)),
            }
        }
    }
}

const JOBS: &[(&str, Values)] = &[("kind", || JOB_KINDS.to_vec())];

/// The kinds of jobs, as the worker names them.
const JOB_KINDS: [&str; 21] = [
    "send_message",
    "follow_message",
    "submit_transfer",
    "follow_transfer",
    "top_up_wallet",
    "release_payment",
    "expire_link",
    "remind_link",
    "sweep_links",
    "reverse_bank_file",
    "screen_users",
    "erase_user",
    "process_payout_link_batch",
    "cut_bank_file",
    "send_bank_file",
    "end_bank_file",
    "poll_bank",
    "read_inbound_file",
    "apply_statements",
    "feed_webhooks",
    "call_webhook",
];

fn messages() -> Vec<&'static str> {
    vec!["delivered", "taken", "put_off", "in_doubt", "failed", "overtaken"]
}

fn inbound() -> Vec<&'static str> {
    vec!["stored", "duplicate", "applied", "quarantined", "unmatched", "too_large", "failed"]
}

fn attempts() -> Vec<&'static str> {
    std::iter::once("accepted").chain(DeliveryError::ALL.iter().map(|error| error.as_str())).collect()
}

const METRICS: [Metric; 32] = [
    metric(Gauge, "bursar_build_info", Unit::Count, "Always 1; the label has the version of the program.")
        .by(&[("version", || vec![env!("CARGO_PKG_VERSION")])]),
    metric(Gauge, "bursar_ready", Unit::Count, "1 if /readyz returns 200, else 0."),
    metric(Histogram, "bursar_request_seconds", Unit::Seconds, "Duration of requests, by method, route and status.")
        .late(),
    metric(Histogram, "bursar_batch_commands", Unit::Count, "Commands in a batch of the engine."),
    metric(
        Histogram,
        "bursar_batch_seconds",
        Unit::Seconds,
        "Duration of a batch, from its first command to its commit.",
    ),
    metric(Histogram, "bursar_commit_seconds", Unit::Seconds, "Duration of a commit in the store."),
    metric(Counter, "bursar_batch_retries_total", Unit::Count, "Batches that ran again because of other processes."),
    metric(Counter, "bursar_commits_unknown_total", Unit::Count, "Commits with an unknown outcome."),
    metric(Gauge, "bursar_commands_pending", Unit::Count, "Commands that were accepted and have no response yet."),
    metric(Gauge, "bursar_commands_pending_max", Unit::Count, "Commands that the queues of the engine can hold."),
    metric(
        Gauge,
        "bursar_jobs_oldest_due_seconds",
        Unit::Seconds,
        "Time since the oldest due job of a lane became due.",
    )
    .by(&[("lane", || Lane::ALL.iter().map(|lane| lane.as_str()).collect())]),
    metric(Counter, "bursar_jobs_done_total", Unit::Count, "Finished jobs.").by(JOBS),
    metric(Counter, "bursar_jobs_failed_total", Unit::Count, "Failed attempts of jobs, which are retried.").by(JOBS),
    metric(Counter, "bursar_messages_total", Unit::Count, "Attempts to send or follow messages to people.")
        .by(&[("channel", || Channel::ALL.iter().map(|channel| channel.as_str()).collect()), ("outcome", messages)]),
    metric(Counter, "bursar_webhook_attempts_total", Unit::Count, "Calls to webhook endpoints.")
        .by(&[("outcome", attempts)]),
    metric(Counter, "bursar_transfers_odd_total", Unit::Count, "Results of rails that a person must investigate.")
        .by(&[("kind", || vec!["late", "unknown", "contradicted"])]),
    metric(Counter, "bursar_bank_inbound_total", Unit::Count, "Files of banks, and those with unmatched reports.")
        .by(&[("outcome", inbound)]),
    metric(Counter, "bursar_bank_statements_total", Unit::Count, "Statements of bank accounts, and their odd lines.")
        .by(&[("outcome", || vec!["applied", "waiting", "quarantined", "unmatched", "debit_by_other"])]),
    metric(Counter, "bursar_bank_files_total", Unit::Count, "Outcomes of files to banks.").by(&[("outcome", || {
        vec![
            "sent",
            "failed",
            "in_doubt",
            "late",
            "unsent",
            "changed",
            "rejected",
            "unbooked",
            "contested",
            "unacknowledged",
        ]
    })]),
    metric(Counter, "bursar_bank_alarms_total", Unit::Count, "What a person must look at, with each poll of a bank.")
        .by(&[("kind", || AlarmKind::ALL.iter().map(|kind| kind.as_str()).collect())]),
    metric(Counter, "bursar_provider_calls_total", Unit::Count, "Answers of providers of rails behind HTTP.")
        .by(&[("outcome", || vec!["known", "refused", "short_of_funds", "different", "unknown", "unclear"])]),
    metric(Counter, "bursar_log_lines_dropped_total", Unit::Count, "Log lines dropped because the log was not read."),
    metric(Counter, "bursar_security_events_total", Unit::Count, "Events of the security log.")
        .by(&[("kind", || SecurityEvent::ALL.iter().map(|event| event.kind()).collect())]),
    metric(Gauge, "bursar_storage_full", Unit::Count, "1 while the embedded store refuses changes for lack of space."),
    metric(Gauge, "bursar_storage_bytes", Unit::Bytes, "Size of the embedded store.").late(),
    metric(Gauge, "bursar_storage_free_bytes", Unit::Bytes, "Bytes by which the embedded store can grow.").late(),
    metric(Counter, "process_cpu_seconds_total", Unit::Seconds, "Processor time of the process, user and system."),
    metric(Gauge, "process_resident_memory_bytes", Unit::Bytes, "Resident memory of the process."),
    metric(Gauge, "process_threads", Unit::Count, "Threads of the process."),
    metric(Gauge, "process_open_fds", Unit::Count, "Open file descriptors of the process."),
    metric(Gauge, "process_max_fds", Unit::Count, "Limit on open file descriptors."),
    metric(Gauge, "process_start_time_seconds", Unit::Seconds, "Start of the process, in seconds since 1970."),
];

/// Describes every metric to the installed recorder, and exports 0 for each series that is known.
pub fn register() {
    for metric in &METRICS {
        metric.describe();
        if !metric.is_late {
            metric.register();
        }
    }
    metrics::gauge!("bursar_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// Returns the code of all other files, without tests.
    fn sources(folder: &Path, found: &mut Vec<String>) {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("metrics_list.rs") {
                let text = std::fs::read_to_string(path).unwrap();
                found.push(text.split("\n#[cfg(test)]\nmod tests").next().unwrap().to_owned());
            }
        }
    }

    /// Returns the names and kinds of the metrics that a text changes. A name is a literal, or a constant of its file.
    fn changed(code: &str) -> Vec<(String, &'static str)> {
        let mut found = Vec::new();
        for kind in ["counter", "gauge", "histogram"] {
            for rest in code.split(&format!("metrics::{kind}!(")).skip(1) {
                let name = rest.trim_start().split([',', ')']).next().unwrap().trim();
                let constant = || code.split_once(&format!("const {name}: &str = ")).map(|(_, value)| value);
                let literal = if name.starts_with('"') { Some(name) } else { constant() };
                let literal = literal.unwrap_or_else(|| panic!("{name} is neither a literal nor a constant"));
                found.push((literal.split('"').nth(1).unwrap().to_owned(), kind));
            }
        }
        found
    }

    #[test]
    fn the_list_has_every_metric_and_no_other() {
        let mut code = Vec::new();
        for folder in ["src", "crates"] {
            sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut code);
        }
        let mut used: BTreeSet<(String, &str)> = code.iter().flat_map(|code| changed(code)).collect();
        used.insert(("bursar_build_info".to_owned(), "gauge"));
        let word = |kind| match kind {
            Counter => "counter",
            Gauge => "gauge",
            Histogram => "histogram",
        };
        let listed: BTreeSet<(String, &str)> =
            METRICS.iter().map(|metric| (metric.name.to_owned(), word(metric.kind))).collect();
        assert_eq!(used, listed);
        assert_eq!(listed.len(), METRICS.len());
        assert_eq!(changed("metrics::gauge!( \"a\").set(1)"), [("a".to_owned(), "gauge")]);
    }

    #[test]
    fn each_text_is_a_sentence_and_each_series_has_its_values() {
        for metric in &METRICS {
            assert!(metric.help.ends_with('.') && !metric.help.contains('\n'), "{}", metric.name);
            assert_eq!(metric.name.ends_with("_total"), metric.kind == Counter, "{}", metric.name);
            assert!(!metric.series().is_empty(), "{}", metric.name);
        }
        let of = |name: &str| METRICS.iter().find(|metric| metric.name == name).unwrap().series().len();
        assert_eq!(of("bursar_messages_total"), 18);
        assert_eq!(of("bursar_batch_seconds"), 1);
        assert_eq!(of("bursar_security_events_total"), SecurityEvent::ALL.len());
    }

    #[test]
    fn label_values_are_those_of_the_code() {
        let words = |file: &str, begin: &str| -> BTreeSet<String> {
            let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
            let code = text.split_once(begin).unwrap().1.split("\n}").next().unwrap().to_owned();
            code.split("=> \"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
        };
        let listed = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(words("src/worker/mod.rs", "fn kind(work: &Work)"), listed(&JOB_KINDS));
        assert_eq!(words("src/worker/writing.rs", "pub(super) fn count("), listed(&messages()));
    }
}
