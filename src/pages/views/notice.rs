//! The page behind the link of a notice: what was changed about the payee's payouts, and the button that stops them.

use askama::Template;

use super::Form;

/// What the page offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeState {
    /// Automatic payouts run: they can be stopped.
    Running,
    /// They are stopped: a code can be sent.
    Stopped,
    /// They are stopped, and a code was sent that can be typed.
    CodeSent,
}

/// Posts to `/notice/<token>/freeze`, `/code` and `/unfreeze`, the last with `token` (six digits).
#[derive(Debug, Clone, Template)]
#[template(path = "notice.html")]
pub struct NoticePage {
    /// The secret part of the link.
    pub token: String,
    /// The app at which the change was made.
    pub app_name: String,
    /// What was changed, each as a sentence.
    pub changes: Vec<String>,
    /// When: "Monday, March 2".
    pub changed_on: String,
    /// Where codes go, masked.
    pub sent_to: String,
    /// What the page offers.
    pub state: NoticeState,
    /// What was typed.
    pub form: Form,
}
