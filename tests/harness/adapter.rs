//! The reference adapter in a separate process: a provider with its own records, which tests make fail on purpose.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The bearer token of every adapter.
pub const ADAPTER_TOKEN: &str = "adapter-token-0123456789";

/// A running adapter on a free port. Killed when dropped.
pub struct Adapter {
    child: Child,
    url: String,
    _folder: TempDir,
}

impl Adapter {
    /// Starts an adapter whose payments settle when a test says so.
    pub fn start() -> Self {
        Self::with(&["--settle-seconds", "1000000"])
    }

    pub fn with(flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/adapter/adapter.py");
        let mut command = Command::new("python3");
        command.args([program, "--port", "0", "--token", ADAPTER_TOKEN, "--control", "--file"]);
        command.arg(folder.path().join("adapter.db")).args(flags).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("there is Python");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").expect("it listens").to_owned();
        Self { child, url, _folder: folder }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Changes what it does next, and returns what it received: `puts` by transfer, `transfers`, `payouts`, `faults`.
    pub async fn control(&self, asked: Value) -> Value {
        let posted = reqwest::Client::new().post(format!("{}/control", self.url)).body(asked.to_string()).send();
        posted.await.unwrap().json().await.unwrap()
    }

    pub async fn received(&self) -> Value {
        self.control(json!({})).await
    }

    /// Adds faults for the next requests, such as `PUT:lose-answer`.
    pub async fn fail(&self, faults: &[&str]) {
        self.control(json!({"faults": faults})).await;
    }

    /// Returns how often it was asked to take a payment.
    pub async fn puts(&self, transfer: &str) -> i64 {
        self.received().await["puts"][transfer].as_i64().unwrap_or_default()
    }

    /// Returns how many payments its records have for a transfer.
    pub async fn payouts(&self, transfer: &str) -> usize {
        let received = self.received().await;
        received["payouts"].as_array().unwrap().iter().filter(|payout| **payout == transfer).count()
    }

    /// Gives a payment its outcome: `complete`, `fail CODE`, `return CODE`.
    pub async fn settle(&self, transfer: &str, outcome: &str) {
        self.control(json!({"settle": transfer, "outcome": outcome})).await;
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
