//! The page of a notice's link: what changed about the payee's payouts, and the button that freezes automatic payouts.

use askama::Template;

use super::{Form, Moment, Sender, Spoken, spoken};
use crate::language::{Language, Text};

spoken! {
    NoticePage language;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeState {
    /// Automatic payouts are on and can be frozen.
    Running,
    /// They are frozen; a code can be sent.
    Stopped,
    /// They are frozen, and a code was sent.
    CodeSent,
}

/// Posts to `/notice/<token>/freeze`, `/code` and `/unfreeze`, the last with `token` (six digits).
#[derive(Debug, Clone, Template)]
#[template(path = "notice.html")]
pub struct NoticePage {
    pub language: Language,
    /// The secret part of the link.
    pub token: String,
    pub sender: Sender,
    pub changes: Vec<String>,
    pub changed: Moment,
    /// The recipient of codes, masked.
    pub sent_to: String,
    pub state: NoticeState,
    pub form: Form,
}
