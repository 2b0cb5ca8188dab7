//! The result of a handler.

use bytes::Bytes;
use serde::Serialize;

use crate::refusal::{ErrorContext, Refusal};
use crate::security_log::Noted;

/// The memory for a body at first: enough for one object, so that it seldom grows.
const BODY_BYTES: usize = 1024;

pub type Outcome = Result<Answer, Refusal>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Empty,
    /// A serialized JSON document.
    Json(String),
    /// A refusal, which becomes JSON when its request is known: see [`Answer::in_context`].
    Refusal(Box<Refusal>),
    Csv(String),
    Html(String),
    File {
        content_type: &'static str,
        bytes: Bytes,
    },
}

/// A status, a body and the headers of this response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub content: Content,
    /// The headers, except those that every response has.
    pub headers: Vec<(&'static str, String)>,
    /// Whether it is a stored response, replayed for its idempotency key.
    pub replayed: bool,
    /// Whether the body contains a secret, so that its stored copy is sealed.
    pub secret: bool,
    /// The entries for the security log; empty for a replay.
    pub noted: Vec<Noted>,
}

impl Answer {
    const fn of(status: u16, content: Content) -> Self {
        Self { status, content, headers: Vec::new(), replayed: false, secret: false, noted: Vec::new() }
    }

    pub fn json(status: u16, body: &impl Serialize) -> Self {
        let mut bytes = Vec::with_capacity(BODY_BYTES);
        serde_json::to_writer(&mut bytes, body).expect("response bodies are plain data, which always serialize");
        Self::of(status, Content::Json(String::from_utf8(bytes).expect("JSON is UTF-8")))
    }

    pub fn ok(body: &impl Serialize) -> Self {
        Self::json(200, body)
    }

    pub fn created(body: &impl Serialize) -> Self {
        Self::json(201, body)
    }

    pub fn html(status: u16, page: String) -> Self {
        Self::of(status, Content::Html(page))
    }

    pub fn file(content_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        Self::of(200, Content::File { content_type, bytes: bytes.into() })
    }

    pub fn empty(status: u16) -> Self {
        Self::of(status, Content::Empty)
    }

    /// Returns whether the command ran and succeeded in this request: neither a refusal nor a replay.
    pub const fn is_new(&self) -> bool {
        self.status < 400 && !self.replayed
    }

    /// Marks the body as containing a secret.
    #[must_use]
    pub fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// Turns a refusal into the error body of a request.
    #[must_use]
    pub fn in_context(mut self, context: &ErrorContext) -> Self {
        if let Content::Refusal(refusal) = &self.content {
            let body = serde_json::to_string(&refusal.body(context));
            self.content = Content::Json(body.expect("error bodies are plain data, which always serialize"));
        }
        self
    }

    #[must_use]
    pub fn noting(mut self, noted: Vec<Noted>) -> Self {
        self.noted = noted;
        self
    }

    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

impl From<&Refusal> for Answer {
    fn from(refusal: &Refusal) -> Self {
        let answer = Self::of(refusal.code.status(), Content::Refusal(Box::new(refusal.clone())));
        match refusal.retry_after_seconds {
            Some(seconds) => answer.header("retry-after", seconds.to_string()),
            None => answer,
        }
    }
}
