//! A fake gateway to phones with its own records: an accepted text counts, with any response.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use bursar::providers::{Gateway, GatewaySettings};
use hmac::{Hmac, KeyInit as _, Mac as _};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use secrecy::SecretString;
use serde_json::{Value, json};
use sha1::Sha1;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::CALL_DEADLINE;

/// The token of the account `ACtest`.
pub const TOKEN: &str = "gateway-token-0123456789";
/// The number that texts come from.
const FROM: &str = "+12125550100";

/// The response to a hand-over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatewayMode {
    /// Accepts.
    Accept,
    /// 400, error 21211: no such number.
    Invalid,
    /// 429: too many.
    Busy,
    /// 502, and accepts nothing.
    Broken,
    /// Accepts and hangs up without a response.
    Drop,
    /// Accepts and does not respond; hangs up when the mode changes.
    Hang,
    /// Delays the decision, and accepts nothing until then: see [`FakeGateway::answer_waiting`].
    Wait,
    Redirect,
}

struct Book {
    lists: bool,
    status: &'static str,
    texts: Vec<Value>,
    calls: Vec<Value>,
    asked: usize,
}

struct Inside {
    book: Mutex<Book>,
    mode: watch::Sender<GatewayMode>,
    /// The response for requests that wait for a decision.
    decided: watch::Sender<Option<GatewayMode>>,
    taken: watch::Sender<usize>,
}

impl Inside {
    fn book(&self) -> std::sync::MutexGuard<'_, Book> {
        self.book.lock().unwrap()
    }
}

#[derive(Clone)]
pub struct FakeGateway {
    address: SocketAddr,
    inside: Arc<Inside>,
}

impl FakeGateway {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (texts, calls) = (Vec::new(), Vec::new());
        let book = Mutex::new(Book { lists: true, status: "queued", texts, calls, asked: 0 });
        let (mode, decided) = (watch::Sender::new(GatewayMode::Accept), watch::Sender::new(None));
        let inside = Arc::new(Inside { book, mode, decided, taken: watch::Sender::new(0) });
        let served = inside.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let inside = served.clone();
                let service = hyper::service::service_fn(move |request| answer(inside.clone(), request));
                tokio::spawn(
                    hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service),
                );
            }
        });
        Self { address, inside }
    }

    /// Returns the value of `sms-url`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns a provider that uses it.
    pub fn provider(&self) -> Gateway {
        let settings = GatewaySettings::parse(&self.url(), "ACtest", FROM).unwrap();
        Gateway::new(settings, &SecretString::from(TOKEN), CALL_DEADLINE)
    }

    fn book(&self) -> std::sync::MutexGuard<'_, Book> {
        self.inside.book()
    }

    /// Changes its responses.
    pub fn set(&self, mode: GatewayMode) {
        self.inside.mode.send_replace(mode);
    }

    /// Responds to all requests that wait in [`GatewayMode::Wait`].
    pub fn answer_waiting(&self, mode: GatewayMode) {
        self.inside.decided.send_replace(Some(mode));
    }

    /// Disables the list: accepted texts cannot be found.
    pub fn hide_list(&self) {
        self.book().lists = false;
    }

    /// Sets the status of every text from now on.
    pub fn say_of_all(&self, status: &'static str) {
        self.book().status = status;
    }

    pub fn texts(&self) -> Vec<Value> {
        self.book().texts.clone()
    }

    pub fn calls(&self) -> Vec<Value> {
        self.book().calls.clone()
    }

    /// Returns the number of hand-overs, accepted or not.
    pub fn asked(&self) -> usize {
        self.book().asked
    }

    /// Returns the report on its newest text: address, fields, signature.
    pub fn report(&self, status: &str) -> Reported {
        let text = self.texts().last().expect("it took a text").clone();
        self.report_on(&text, status)
    }

    pub fn report_on(&self, text: &Value, status: &str) -> Reported {
        let word = |name: &str| text[name].as_str().unwrap_or_default().to_owned();
        let mut fields = vec![
            ("MessageSid", word("sid")),
            ("MessageStatus", status.to_owned()),
            ("AccountSid", "ACtest".to_owned()),
            ("To", word("to")),
            ("From", FROM.to_owned()),
        ];
        if status == "undelivered" {
            fields.push(("ErrorCode", "30003".to_owned()));
        }
        Reported::signed(word("report_to"), fields)
    }

    /// Waits until it has accepted this number of texts and calls.
    pub async fn has_taken(&self, count: usize) {
        self.inside.taken.subscribe().wait_for(|taken| *taken >= count).await.unwrap();
    }
}

/// A delivery report.
#[derive(Clone, Debug)]
pub struct Reported {
    /// The whole address.
    pub url: String,
    pub fields: Vec<(&'static str, String)>,
    /// The header `X-Twilio-Signature`.
    pub signature: String,
}

impl Reported {
    /// Signs a form by the gateway's documentation: HMAC-SHA1, under the token, of the address and the fields sorted by
    /// name.
    pub fn signed(url: String, fields: Vec<(&'static str, String)>) -> Self {
        let mut sorted = fields.clone();
        sorted.sort();
        let joined: String = sorted.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect();
        let mut mac = <Hmac<Sha1>>::new_from_slice(TOKEN.as_bytes()).unwrap();
        mac.update(format!("{url}{joined}").as_bytes());
        Self { url, fields, signature: BASE64_STANDARD.encode(mac.finalize().into_bytes()) }
    }

    /// Returns the address without the base URL.
    pub fn path(&self) -> &str {
        self.url.strip_prefix(super::PUBLIC_URL).expect("the gateway was told where we are")
    }
}

/// Hangs up.
#[derive(Debug)]
struct HungUp;

impl std::fmt::Display for HungUp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("hung up")
    }
}

impl std::error::Error for HungUp {}

async fn answer(inside: Arc<Inside>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, HungUp> {
    let (parts, body) = request.into_parts();
    let bytes = body.collect().await.map_or_else(|_| Bytes::new(), http_body_util::Collected::to_bytes);
    let right = parts.headers.get("authorization").is_some_and(|given| *given == *expected());
    let (path, query) = (parts.uri.path(), parts.uri.query().unwrap_or_default());
    if !right {
        return Ok(reply(401, &json!({"code": 20003, "message": "Authenticate", "status": 401})));
    }
    match (parts.method.as_str(), path.strip_prefix("/2010-04-01/Accounts/ACtest/")) {
        ("POST", Some(what @ ("Messages.json" | "Calls.json"))) => take(&inside, what, &fields(&bytes)).await,
        ("GET", Some("Messages.json")) => Ok(list(&inside.book(), &fields(query.as_bytes()))),
        ("GET", Some(path)) => {
            let book = inside.book();
            let sid = path.trim_start_matches("Messages/").trim_end_matches(".json");
            let text = book.texts.iter().find(|text| text["sid"] == sid);
            Ok(text.map_or_else(|| reply(404, &json!({"code": 20404})), |text| reply(200, &with_status(&book, text))))
        }
        (_, _) => Ok(reply(404, &json!({"code": 20404, "message": "The requested resource was not found"}))),
    }
}

fn expected() -> String {
    use base64::Engine as _;
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(format!("ACtest:{TOKEN}")))
}

async fn take(inside: &Inside, what: &str, fields: &HashMap<String, String>) -> Result<Response<Full<Bytes>>, HungUp> {
    inside.book().asked += 1;
    let mut mode = *inside.mode.borrow();
    if mode == GatewayMode::Wait {
        let decided = *inside.decided.subscribe().wait_for(Option::is_some).await.unwrap();
        mode = decided.unwrap();
    }
    let took = matches!(mode, GatewayMode::Accept | GatewayMode::Drop | GatewayMode::Hang);
    let entry = took.then(|| enter(&mut inside.book(), what, fields));
    inside.taken.send_modify(|taken| *taken += usize::from(took));
    match mode {
        GatewayMode::Accept => Ok(reply(201, &entry.unwrap())),
        GatewayMode::Invalid => {
            Ok(reply(400, &json!({"code": 21211, "message": "Invalid 'To' Phone Number", "status": 400})))
        }
        GatewayMode::Busy => Ok(reply(429, &json!({"code": 20429, "message": "Too Many Requests", "status": 429}))),
        GatewayMode::Broken => Ok(reply(502, &json!("bad gateway"))),
        GatewayMode::Drop => Err(HungUp),
        GatewayMode::Hang => {
            drop(inside.mode.subscribe().wait_for(|mode| *mode != GatewayMode::Hang).await);
            Err(HungUp)
        }
        GatewayMode::Wait => panic!("it was to make up its mind"),
        GatewayMode::Redirect => {
            Ok(Response::builder().status(307).header("location", "http://127.0.0.1:9/").body(Full::default()).unwrap())
        }
    }
}

fn enter(book: &mut Book, what: &str, fields: &HashMap<String, String>) -> Value {
    let field = |name: &str| fields.get(name).cloned();
    let entries = if what == "Calls.json" { &mut book.calls } else { &mut book.texts };
    let sid = format!("{}{:032}", if what == "Calls.json" { "CA" } else { "SM" }, entries.len());
    let entry = json!({
        "sid": sid, "to": field("To"), "from": field("From"), "body": field("Body"), "twiml": field("Twiml"),
        "status": "queued", "report_to": field("StatusCallback"),
    });
    entries.push(entry.clone());
    entry
}

fn with_status(book: &Book, text: &Value) -> Value {
    let mut text = text.clone();
    text["status"] = json!(book.status);
    if book.status == "undelivered" {
        text["error_code"] = json!(30003);
        text["error_message"] = json!("Unreachable destination handset");
    }
    text
}

/// Newest first, two on a page, so that pages are really followed.
fn list(book: &Book, fields: &HashMap<String, String>) -> Response<Full<Bytes>> {
    if !book.lists {
        return reply(404, &json!({"code": 20404}));
    }
    let page: usize = fields.get("Page").map_or(0, |page| page.parse().unwrap());
    let mine: Vec<Value> = book
        .texts
        .iter()
        .rev()
        .filter(|text| fields.get("To").is_none_or(|to| text["to"] == **to))
        .map(|text| with_status(book, text))
        .collect();
    let shown: Vec<&Value> = mine.iter().skip(page * 2).take(2).collect();
    let to = fields.get("To").map(|to| to.replace('+', "%2B")).unwrap_or_default();
    let next = format!("/2010-04-01/Accounts/ACtest/Messages.json?To={to}&Page={}", page + 1);
    let more = mine.len() > (page + 1) * 2;
    reply(200, &json!({"messages": shown, "next_page_uri": more.then_some(next)}))
}

fn reply(status: u16, body: &Value) -> Response<Full<Bytes>> {
    Response::builder().status(status).body(Full::from(body.to_string())).unwrap()
}

fn fields(form: &[u8]) -> HashMap<String, String> {
    let form = String::from_utf8_lossy(form).into_owned();
    let uri: axum::http::Uri = format!("/?{form}").parse().unwrap();
    let axum::extract::Query(fields) = axum::extract::Query::<HashMap<String, String>>::try_from_uri(&uri).unwrap();
    fields
}
