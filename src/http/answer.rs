//! What a handler gives back.

use bytes::Bytes;
use serde::Serialize;

use crate::refusal::{ErrorBody, Refusal};

/// A handler's result.
pub type Outcome = Result<Answer, Refusal>;

/// The body of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// No body.
    Empty,
    /// A JSON document, as it is sent.
    Json(String),
    /// A CSV file.
    Csv(String),
    /// A page.
    Html(String),
    /// Any other file.
    File {
        /// The header `Content-Type`.
        content_type: &'static str,
        /// What it holds.
        bytes: Bytes,
    },
}

/// A status, a body and the few headers that an answer has of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub content: Content,
    /// Headers besides those that every answer has.
    pub headers: Vec<(&'static str, String)>,
    /// Whether it was given before, under the same idempotency key.
    pub replayed: bool,
    /// Whether the body shows a secret; then what is kept of it for repeats is sealed.
    pub secret: bool,
}

impl Answer {
    /// A JSON answer.
    pub fn json(status: u16, body: &impl Serialize) -> Self {
        let body = serde_json::to_string(body).expect("response bodies are plain data, which always serialize");
        Self { status, content: Content::Json(body), headers: Vec::new(), replayed: false, secret: false }
    }

    /// 200 with a JSON body.
    pub fn ok(body: &impl Serialize) -> Self {
        Self::json(200, body)
    }

    /// 201 with a JSON body.
    pub fn created(body: &impl Serialize) -> Self {
        Self::json(201, body)
    }

    /// A page.
    pub fn html(status: u16, page: String) -> Self {
        Self { status, content: Content::Html(page), headers: Vec::new(), replayed: false, secret: false }
    }

    /// 200 with a file.
    pub fn file(content_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        let content = Content::File { content_type, bytes: bytes.into() };
        Self { status: 200, content, headers: Vec::new(), replayed: false, secret: false }
    }

    /// A status alone.
    pub fn empty(status: u16) -> Self {
        Self { status, content: Content::Empty, headers: Vec::new(), replayed: false, secret: false }
    }

    /// Says that the body shows a secret.
    #[must_use]
    pub fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

impl From<&Refusal> for Answer {
    fn from(refusal: &Refusal) -> Self {
        let answer = Self::json(refusal.code.status(), &ErrorBody::from(refusal));
        match refusal.retry_after_seconds {
            Some(seconds) => answer.header("retry-after", seconds.to_string()),
            None => answer,
        }
    }
}
