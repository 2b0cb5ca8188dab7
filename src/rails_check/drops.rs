//! The checks with connections that are dropped.

use futures::stream::{self, StreamExt as _};
use serde_json::Value;

use super::client::{Client, cut};
use super::model::{Checked, Made};
use super::steps::new_id;

/// Connections at once.
const AT_ONCE: usize = 16;

const NOT_PLAIN: &str = "the address has TLS; check the adapter at its plain address, behind its TLS proxy";

/// Drops the connection after each byte of a request. Then the payment must be unknown, and can be sent.
pub(super) async fn requests(client: &Client, order: &Value, every: usize, made: &mut Made) -> Checked {
    let mut checked = Checked::of("dropped-requests", "a request that is cut after any byte makes no payment");
    let Some(host) = client.plain_host() else {
        checked.skipped = Some(NOT_PLAIN.to_owned());
        return checked;
    };
    let length = client.raw_put(&host, &new_id(), order).len();
    let dropped = stream::iter((0..length).step_by(every.max(1))).map(|bytes| {
        let (id, host) = (new_id(), host.clone());
        async move {
            let request = client.raw_put(&host, &id, order);
            let sent = cut(&host, &request[..bytes], 0).await;
            let looked_up = client.get(&format!("/transfers/{id}")).await;
            (id.clone(), bytes, sent, looked_up, client.put(&id, order).await)
        }
    });
    for (id, bytes, sent, looked_up, put) in dropped.buffer_unordered(AT_ONCE).collect::<Vec<_>>().await {
        if let Err(error) = sent {
            checked.find(format!("no connection for the request that is cut after {bytes} bytes: {error}"));
        }
        match looked_up {
            Ok(said) if said.status == 404 => {}
            Ok(said) => {
                checked.find(format!("a request cut after {bytes} of {length} bytes: GET answered {}", said.shown()))
            }
            Err(error) => checked.find(format!("a request cut after {bytes} bytes: GET: {error}")),
        }
        match put {
            Ok(said) if said.status == 201 => made.taken.push(id),
            Ok(said) => checked.find(format!("a request cut after {bytes} bytes: PUT answered {}", said.shown())),
            Err(error) => checked.find(format!("a request cut after {bytes} bytes: PUT: {error}")),
        }
    }
    checked
}

/// Drops the connection after each byte of an answer. Then the same PUT must find the payment.
pub(super) async fn answers(client: &Client, order: &Value, every: usize, made: &mut Made) -> Checked {
    let mut checked = Checked::of("dropped-answers", "after an answer that is cut, the same PUT pays no second time");
    let Some(host) = client.plain_host() else {
        checked.skipped = Some(NOT_PLAIN.to_owned());
        return checked;
    };
    let first = new_id();
    let length = match cut(&host, &client.raw_put(&host, &first, order), usize::MAX).await {
        Ok(length) => length,
        Err(error) => {
            checked.find(format!("PUT: {error}"));
            return checked;
        }
    };
    made.taken.push(first);
    let dropped = stream::iter((0..length).step_by(every.max(1))).map(|bytes| {
        let (id, host) = (new_id(), host.clone());
        async move {
            let request = client.raw_put(&host, &id, order);
            let sent = cut(&host, &request, bytes).await;
            (id.clone(), bytes, sent, client.put(&id, order).await)
        }
    });
    for (id, bytes, sent, put) in dropped.buffer_unordered(AT_ONCE).collect::<Vec<_>>().await {
        if let Err(error) = sent {
            checked.find(format!("no answer that could be cut after {bytes} bytes: {error}"));
        }
        match put {
            Ok(said) if matches!(said.status, 200 | 201) => made.taken.push(id),
            Ok(said) => checked.find(format!("an answer cut after {bytes} bytes: PUT answered {}", said.shown())),
            Err(error) => checked.find(format!("an answer cut after {bytes} bytes: PUT: {error}")),
        }
    }
    checked
}
