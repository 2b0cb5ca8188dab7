//! The measurement: the requests, their server, and how long they are sent.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

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

/// The request that a run repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scenario {
    /// POST /v2/payouts/send-payout, to an unknown phone number
    SendPayout,
    /// POST /v2/payout-links, without delivery by bursar
    Links,
    /// A batch of 500 payout links, from submission until its last row is done; each row counts as one
    Batches,
    /// POST /v2/transfers, one cent to a user
    Transfers,
    /// GET /v2/payout-links/{id}
    Reads,
    /// GET /v2/transfers, a page of 100
    Lists,
}

#[derive(Clone, Debug)]
pub struct Sent {
    pub path: String,
    pub key: String,
    /// Empty for a GET.
    pub body: String,
    /// The id of the created object, if requests are kept and it succeeded.
    pub link: Option<String>,
    /// From the scheduled moment to the complete response, in microseconds.
    pub micros: u64,
}
