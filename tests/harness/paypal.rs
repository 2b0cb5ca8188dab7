//! A fake PayPal with its own records. Like the real one it deduplicates the ids of batches, and nothing else.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// The credentials of the account.
pub const PAYPAL_CLIENT: &str = "client-1";
pub const PAYPAL_SECRET: &str = "secret-1";

/// What happens to the next hand-over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayPalFault {
    /// Hangs up without effect.
    LoseRequest,
    /// Takes the batch, and hangs up.
    LoseAnswer,
    /// 503, without effect.
    Busy,
    /// 500, after it took the batch.
    BrokenAfter,
    /// 401: the token is not valid any more.
    TokenEnded,
    /// 422, without a look at the id of the batch.
    Restricted,
}

#[derive(Clone, Debug)]
struct Batch {
    id: String,
    sender_batch_id: String,
    item: Value,
    status: &'static str,
    transaction_status: Option<String>,
    error: Option<String>,
}

struct Book {
    /// Cents.
    balance: i64,
    batches: Vec<Batch>,
    faults: VecDeque<PayPalFault>,
    tokens: usize,
    posts: Vec<Value>,
}

#[derive(Clone)]
pub struct FakePayPal {
    address: SocketAddr,
    book: Arc<Mutex<Book>>,
}

impl FakePayPal {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (batches, faults, posts) = (Vec::new(), VecDeque::new(), Vec::new());
        let book = Arc::new(Mutex::new(Book { balance: 10_000_000, batches, faults, tokens: 0, posts }));
        let served = book.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let book = served.clone();
                let service = hyper::service::service_fn(move |request| answer(book.clone(), address, request));
                tokio::spawn(
                    hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service),
                );
            }
        });
        Self { address, book }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap()
    }

    pub fn fail(&self, faults: &[PayPalFault]) {
        self.book().faults.extend(faults);
    }

    pub fn set_balance(&self, cents: i64) {
        self.book().balance = cents;
    }

    /// Returns the items that it would pay for a transfer: one for each batch, also if ids are equal.
    pub fn items(&self, transfer: &str) -> Vec<Value> {
        let book = self.book();
        let items = book.batches.iter().filter(|batch| batch.item["sender_item_id"] == transfer);
        items.map(|batch| batch.item.clone()).collect()
    }

    /// Returns how often a batch was posted for a transfer, taken or not.
    pub fn posts(&self, transfer: &str) -> usize {
        let book = self.book();
        book.posts.iter().filter(|post| post["sender_batch_header"]["sender_batch_id"] == transfer).count()
    }

    pub fn tokens(&self) -> usize {
        self.book().tokens
    }

    /// Sets the state of a transfer's item.
    pub fn say(&self, transfer: &str, status: &str, error: Option<&str>) {
        let mut book = self.book();
        let batch = book.batches.iter_mut().find(|batch| batch.sender_batch_id == transfer).expect("it has the batch");
        batch.status = if status == "PENDING" { "PROCESSING" } else { "SUCCESS" };
        batch.transaction_status = Some(status.to_owned());
        batch.error = error.map(str::to_owned);
    }

    /// Refuses a whole batch after it was accepted.
    pub fn deny(&self, transfer: &str) {
        let mut book = self.book();
        let batch = book.batches.iter_mut().find(|batch| batch.sender_batch_id == transfer).expect("it has the batch");
        (batch.status, batch.transaction_status) = ("DENIED", None);
    }

    /// Returns an event as PayPal posts it.
    pub fn event(&self, transfer: &str) -> Value {
        json!({
            "id": "WH-1", "event_type": "PAYMENT.PAYOUTS-ITEM.SUCCEEDED", "resource_type": "payouts_item",
            "resource": {"transaction_status": "SUCCESS", "payout_item": {"sender_item_id": transfer}},
        })
    }
}

#[derive(Debug)]
struct HungUp;

impl std::fmt::Display for HungUp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("hung up")
    }
}

impl std::error::Error for HungUp {}

type Answer = Result<Response<Full<Bytes>>, HungUp>;

fn reply(status: u16, body: &Value) -> Answer {
    Ok(Response::builder().status(status).body(Full::from(body.to_string())).unwrap())
}

async fn answer(book: Arc<Mutex<Book>>, address: SocketAddr, request: Request<Incoming>) -> Answer {
    let (parts, body) = request.into_parts();
    let bytes = body.collect().await.map_or_else(|_| Bytes::new(), http_body_util::Collected::to_bytes);
    let authorization = parts.headers.get("authorization").map_or("", |value| value.to_str().unwrap());
    let mut book = book.lock().unwrap();
    let path = parts.uri.path();
    if path == "/v1/oauth2/token" {
        let expected = format!("Basic {}", BASE64_STANDARD.encode(format!("{PAYPAL_CLIENT}:{PAYPAL_SECRET}")));
        if authorization != expected || bytes != "grant_type=client_credentials" {
            return reply(401, &json!({"error": "invalid_client"}));
        }
        book.tokens += 1;
        return reply(200, &json!({"access_token": format!("A21-{}", book.tokens), "expires_in": 32_400}));
    }
    if authorization != format!("Bearer A21-{}", book.tokens) {
        return reply(401, &json!({"name": "AUTHENTICATION_FAILURE"}));
    }
    match (parts.method.as_str(), path.strip_prefix("/v1/payments/payouts")) {
        ("POST", Some("")) => take(&mut book, address, &serde_json::from_slice(&bytes).unwrap_or_default()),
        ("GET", Some(id)) => {
            let found = book.batches.iter().find(|batch| format!("/{}", batch.id) == id);
            found.map_or_else(|| reply(404, &json!({"name": "RESOURCE_NOT_FOUND"})), |batch| reply(200, &shown(batch)))
        }
        (_, _) => reply(404, &json!({"name": "RESOURCE_NOT_FOUND"})),
    }
}

fn take(book: &mut Book, address: SocketAddr, post: &Value) -> Answer {
    book.posts.push(post.clone());
    let fault = book.faults.pop_front();
    match fault {
        Some(PayPalFault::LoseRequest) => return Err(HungUp),
        Some(PayPalFault::Busy) => return reply(503, &json!({"name": "SERVICE_UNAVAILABLE"})),
        Some(PayPalFault::TokenEnded) => {
            book.tokens += 1;
            return reply(401, &json!({"name": "AUTHENTICATION_FAILURE"}));
        }
        Some(PayPalFault::Restricted) => return reply(422, &json!({"name": "SENDER_RESTRICTED"})),
        Some(PayPalFault::LoseAnswer | PayPalFault::BrokenAfter) | None => {}
    }
    let answer = enter(book, address, post);
    match fault {
        Some(PayPalFault::LoseAnswer) => Err(HungUp),
        Some(PayPalFault::BrokenAfter) => reply(500, &json!({"name": "INTERNAL_SERVER_ERROR"})),
        _ => answer,
    }
}

fn enter(book: &mut Book, address: SocketAddr, post: &Value) -> Answer {
    let sender_batch_id = post["sender_batch_header"]["sender_batch_id"].as_str().unwrap_or_default().to_owned();
    let Some([item]) = post["items"].as_array().map(Vec::as_slice) else {
        return reply(400, &json!({"name": "VALIDATION_ERROR"}));
    };
    if let Some(first) = book.batches.iter().find(|batch| batch.sender_batch_id == sender_batch_id) {
        let href = format!("http://{address}/v1/payments/payouts/{}", first.id);
        let link = json!({"href": href, "rel": "self", "method": "GET"});
        return reply(400, &json!({"name": "USER_BUSINESS_ERROR", "message": "User business error.", "links": [link]}));
    }
    let amount = item["amount"]["value"].as_str().and_then(|value| value.split_once('.'));
    let Some(cents) = amount
        .filter(|(_, part)| part.len() == 2)
        .and_then(|(whole, part)| Some(whole.parse::<i64>().ok()? * 100 + part.parse::<i64>().ok()?))
    else {
        return reply(400, &json!({"name": "VALIDATION_ERROR"}));
    };
    if item["receiver"].as_str().is_some_and(|receiver| receiver.starts_with("locked")) {
        return reply(422, &json!({"name": "RECEIVER_ACCOUNT_LOCKED"}));
    }
    if cents > book.balance {
        return reply(422, &json!({"name": "INSUFFICIENT_FUNDS"}));
    }
    book.balance -= cents;
    let batch = Batch {
        id: format!("BATCH{}", book.batches.len() + 1),
        sender_batch_id,
        item: item.clone(),
        status: "PENDING",
        transaction_status: None,
        error: None,
    };
    let header = json!({"payout_batch_id": batch.id, "batch_status": "PENDING"});
    book.batches.push(batch);
    reply(201, &json!({"batch_header": header, "links": []}))
}

fn shown(batch: &Batch) -> Value {
    let header = json!({
        "payout_batch_id": batch.id, "batch_status": batch.status,
        "sender_batch_header": {"sender_batch_id": batch.sender_batch_id},
    });
    let item = batch.transaction_status.as_ref().map(|status| {
        json!({
            "payout_item_id": format!("{}-1", batch.id), "transaction_status": status,
            "payout_item_fee": {"currency": "USD", "value": "0.25"}, "payout_item": batch.item,
            "errors": batch.error.as_ref().map(|name| json!({"name": name})),
        })
    });
    json!({"batch_header": header, "items": item.into_iter().collect::<Vec<_>>()})
}
