//! One request and its reply.

use axum::body::Body;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use http_body_util::BodyExt as _;
use serde_json::Value;

use super::Server;

/// A request under construction; [`Asking::send`] sends it.
#[must_use]
pub struct Asking<'a> {
    server: &'a Server,
    method: String,
    path: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
}

impl<'a> Asking<'a> {
    pub(super) fn new(server: &'a Server, method: &str, path: &str) -> Self {
        let (method, path) = (method.to_owned(), path.to_owned());
        Self { server, method, path, headers: Vec::new(), body: Vec::new() }
    }

    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    /// Adds a credential: the client id, and the key unless it is empty.
    pub fn basic(self, client_id: &str, key: &str) -> Self {
        let token = BASE64_STANDARD.encode(format!("{client_id}:{key}"));
        self.header("authorization", format!("Basic {token}"))
    }

    fn credential(self, of: &str) -> Self {
        let credentials = self.server.credentials();
        let text = |name: &str| credentials[of][name].as_str().expect("a credential is text").to_owned();
        self.basic(&text("client_id"), &text("api_key"))
    }

    /// Sends as the demonstration app, server side.
    pub fn app_key(self) -> Self {
        self.credential("app")
    }

    /// Sends as the demonstration organization.
    #[allow(clippy::wrong_self_convention, reason = "it reads as a sentence: ask as the organization")]
    pub fn as_org(self) -> Self {
        self.credential("organization")
    }

    /// Adds a member's session.
    pub fn by(self, session: &str) -> Self {
        self.header("member-session", session)
    }

    /// Names the app that an organization key acts on.
    pub fn for_app(self, id: &str) -> Self {
        self.header("api-app-id", id)
    }

    /// Sends as the demonstration app, client side: its client id only.
    pub fn client_side(self) -> Self {
        let client_id = self.server.credentials()["app"]["client_id"].as_str().unwrap().to_owned();
        self.basic(&client_id, "")
    }

    pub fn idempotency_key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    pub fn json(self, body: Value) -> Self {
        self.raw("application/json", body.to_string())
    }

    /// Adds a form, as a page posts it.
    pub fn form(self, fields: &[(&str, &str)]) -> Self {
        let plain =
            |text: &str| -> String {
                text.bytes()
                    .map(|byte| {
                        if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") }
                    })
                    .collect()
            };
        let pairs: Vec<String> =
            fields.iter().map(|(name, value)| format!("{}={}", plain(name), plain(value))).collect();
        self.raw("application/x-www-form-urlencoded", pairs.join("&"))
    }

    /// Adds any body with any content type.
    pub fn raw(mut self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self.header("content-type", content_type)
    }

    /// Adds a body without a content type.
    pub fn untyped(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sends a form and, if it is refused, fetches the page that shows the errors, as a browser does.
    pub async fn browse(self) -> Reply {
        let (server, headers) = (self.server, self.headers.clone());
        let reply = self.send().await;
        let Some(page) = reply.header("location").filter(|page| page.contains("refused=")) else { return reply };
        assert_eq!(reply.status, 303, "{}", reply.text);
        let kept = headers.into_iter().filter(|(name, _)| name != "content-type").collect();
        Self { headers: kept, ..Self::new(server, "GET", page) }.send().await
    }

    pub async fn send(self) -> Reply {
        let mut request = axum::http::Request::builder().method(self.method.as_str()).uri(&self.path);
        if !self.headers.iter().any(|(name, _)| name == "host") {
            request = request.header("host", "127.0.0.1:8080");
        }
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        let response = self.server.send(request.body(Body::from(self.body)).expect("a test asks sensibly")).await;
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body in memory").to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let headers = parts
            .headers
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
        Reply {
            status: parts.status.as_u16(),
            headers: headers.collect(),
            body: serde_json::from_str(&text).unwrap_or(Value::Null),
            text,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    /// Names in lower case, values.
    pub headers: Vec<(String, String)>,
    /// The JSON body; null without one.
    pub body: Value,
    /// The body as it was received.
    pub text: String,
}

impl Reply {
    /// Returns a header by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// Returns the `id` in the body.
    pub fn id(&self) -> String {
        self.body["id"].as_str().unwrap_or_else(|| panic!("no id in {self:?}")).to_owned()
    }

    /// Returns the reply if it has this status; else the test fails and shows the reply.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    /// Checks status and code of an error, and that its body has the form of docs/specification.md.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> &Self {
        assert_eq!((self.status, self.body["error_code"].as_str()), (status, Some(code)), "{}", self.text);
        let body = self.body.as_object().expect("an object");
        let names: Vec<&str> = body.keys().map(String::as_str).collect();
        let (given, added) = names.split_at(4);
        assert_eq!(given, ["success", "message", "error_code", "errors"]);
        assert!(added.iter().all(|name| ["reason", "details", "request_id", "doc_url"].contains(name)), "{added:?}");
        assert!(body["request_id"].is_string(), "{}", self.text);
        assert!(body["doc_url"].as_str().is_some_and(|url| url.ends_with(&format!("#{code}"))), "{}", self.text);
        assert_eq!(body["success"], false);
        assert!(body["message"].as_str().is_some_and(|message| !message.is_empty()));
        for error in body["errors"].as_array().expect("a list") {
            for name in ["field", "code", "message"] {
                assert!(error[name].is_string(), "{error}");
            }
        }
        self
    }

    /// Returns the fields that an error names, in order.
    pub fn fields(&self) -> Vec<String> {
        let errors = self.body["errors"].as_array().expect("an error body");
        errors.iter().map(|error| error["field"].as_str().expect("a name").to_owned()).collect()
    }
}
