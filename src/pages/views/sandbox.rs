//! The sandbox at a glance: its state on the start page, and the page that follows a test payout.

use askama::Template;

/// The state of a sandbox on the developer's own machine.
#[derive(Debug, Clone)]
pub struct Glance {
    /// The app's key.
    pub client_id: String,
    pub api_key: String,
    /// The sandbox's time, for people.
    pub now: String,
    /// How far the clock is ahead of the real time, as a sentence.
    pub ahead: String,
    /// What the app can spend: "$999,975.00".
    pub wallet: String,
    /// Newest first.
    pub events: Vec<GlanceEvent>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlanceEvent {
    pub sequence: i64,
    pub name: String,
    /// The object's status after it; may be empty.
    pub status: String,
    /// For people.
    pub created: String,
}

/// A payout with all that it caused.
#[derive(Debug, Clone, Template)]
#[template(path = "test_payout.html")]
pub struct TestPayoutPage {
    /// The payout link's id.
    pub id: String,
    pub amount: String,
    /// The phone number or e-mail address of the payee.
    pub to: String,
    pub status: String,
    /// The address of the claim page.
    pub claim: String,
    /// Whether the payee can claim it.
    pub is_open: bool,
    /// Whether something may change without the clock: the page then reloads itself.
    pub is_under_way: bool,
    /// Newest first.
    pub messages: Vec<GlanceMessage>,
    /// Oldest first.
    pub transfers: Vec<GlanceTransfer>,
    /// Oldest first.
    pub events: Vec<GlanceEvent>,
    /// The sandbox's time, for people.
    pub now: String,
    /// Whether the pages of the sandbox are served too.
    pub is_sandbox: bool,
}

/// Why a page of the sandbox did not do its work.
#[derive(Debug, Clone, Template)]
#[template(path = "sandbox_refused.html")]
pub struct SandboxRefusedPage {
    pub message: String,
    /// Whether the pages of the sandbox are served too.
    pub is_sandbox: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlanceMessage {
    pub text: String,
    pub code: Option<String>,
    /// For people.
    pub created: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlanceTransfer {
    /// Its type, in words.
    pub kind: String,
    pub status: String,
    pub amount: String,
    /// Why it failed.
    pub error: Option<String>,
    pub movements: Vec<Movement>,
}

/// A transaction of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Movement {
    pub from: String,
    pub to: String,
    pub amount: String,
}
