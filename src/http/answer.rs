//! What a handler gives back.

use bytes::Bytes;
use serde::Serialize;

use crate::refusal::{ErrorBody, Refusal};
use crate::security_log::Noted;

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
    /// What the security log records of it; a repeat has nothing to record.
    pub noted: Vec<Noted>,
}

impl Answer {
    const fn of(status: u16, content: Content) -> Self {
        Self { status, content, headers: Vec::new(), replayed: false, secret: false, noted: Vec::new() }
    }

    /// A JSON answer.
    pub fn json(status: u16, body: &impl Serialize) -> Self {
        let body = serde_json::to_string(body).expect("response bodies are plain data, which always serialize");
        Self::of(status, Content::Json(body))
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
        Self::of(status, Content::Html(page))
    }

    /// 200 with a file.
    pub fn file(content_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        Self::of(200, Content::File { content_type, bytes: bytes.into() })
    }

    /// A status alone.
    pub fn empty(status: u16) -> Self {
        Self::of(status, Content::Empty)
    }

    /// Whether the command ran and succeeded now: no refusal, and no repeat under an idempotency key.
    pub const fn is_new(&self) -> bool {
        self.status < 400 && !self.replayed
    }

    /// Says that the body shows a secret.
    #[must_use]
    pub fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// Says what the security log records.
    #[must_use]
    pub fn noting(mut self, noted: Vec<Noted>) -> Self {
        self.noted = noted;
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
