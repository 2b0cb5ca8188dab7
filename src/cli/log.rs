//! The event log of a running server, followed as it grows.

use std::time::Duration;

use reqwest::Method;
use serde_json::Value;

use super::api::{Api, ApiError};
use super::terminal::Failed;
use crate::events::EventName;

/// How long to wait when there was nothing new.
const PAUSE: Duration = Duration::from_millis(300);
/// How long to wait for a server that is away.
const AWAY_PAUSE: Duration = Duration::from_secs(1);

/// Reads a log forward.
pub(super) struct Log {
    api: Api,
    after: i64,
    name: Option<EventName>,
    away: bool,
}

impl Log {
    /// From behind this event on.
    pub fn new(api: Api, after: i64, name: Option<EventName>) -> Self {
        Self { api, after, name, away: false }
    }

    /// From the present end on. It is found by doubling and halving, because a log only reads forward.
    pub async fn from_end(api: Api, name: Option<EventName>) -> Result<Self, Failed> {
        let has_more = async |after: i64| -> Result<bool, ApiError> {
            let page = api.ask(Method::GET, &format!("/v2/events?limit=1&after={after}")).await?;
            Ok(page["data"].as_array().is_some_and(|data| !data.is_empty()))
        };
        let (mut before, mut end) = (0, 1);
        while has_more(end).await? {
            (before, end) = (end, end.saturating_mul(2));
        }
        // Behind `end` there is nothing; behind what is below `before`, something.
        while before < end {
            let middle = before + (end - before) / 2;
            if has_more(middle).await? {
                before = middle + 1;
            } else {
                end = middle;
            }
        }
        Ok(Self::new(api, end, name))
    }

    /// The next events; none at the end of the log.
    async fn page(&mut self) -> Result<Vec<Value>, ApiError> {
        let name = self.name.map(|name| format!("&name={name}")).unwrap_or_default();
        let page = self.api.ask(Method::GET, &format!("/v2/events?after={}{name}", self.after)).await?;
        let events = page["data"].as_array().cloned().unwrap_or_default();
        self.after = events.last().and_then(|event| event["sequence"].as_i64()).unwrap_or(self.after);
        Ok(events)
    }

    /// The next events there are.
    pub async fn stored(&mut self) -> Result<Vec<Value>, Failed> {
        Ok(self.page().await?)
    }

    /// Returns the next events as soon as there are some. Waits for an unreachable server, and calls `away` once.
    pub async fn next(&mut self, away: impl Fn(&str)) -> Result<Vec<Value>, Failed> {
        loop {
            match self.page().await {
                Ok(events) if events.is_empty() => tokio::time::sleep(PAUSE).await,
                Ok(events) => {
                    self.away = false;
                    return Ok(events);
                }
                Err(ApiError::Away(reason)) => {
                    if !std::mem::replace(&mut self.away, true) {
                        away(&reason);
                    }
                    tokio::time::sleep(AWAY_PAUSE).await;
                }
                Err(refused @ ApiError::Refused { .. }) => return Err(refused.into()),
            }
        }
    }
}
