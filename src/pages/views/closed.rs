//! The page of a claim that cannot continue.

use askama::Template;

use super::{Sender, Spoken, spoken};
use crate::language::{Language, Said, Text};

spoken! {
    ClosedPage language;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// 410 `link-expired`.
    Expired,
    /// 410 `link-canceled`.
    Canceled,
    /// 404: no link has this token.
    Unknown,
    /// 409: another browser claimed the link.
    ClaimedElsewhere,
    /// 429: too many tries from this address or to this phone.
    TooManyTries {
        /// The wait, if it is known.
        minutes: Option<u64>,
    },
    /// All steps are complete, and an admin must review the payee before the payout.
    OnHold { message: String },
    Problem {
        /// A sentence: "The service cannot answer now."
        message: String,
    },
}

/// The page of a claim that cannot continue: the reason, and the sender to ask.
#[derive(Debug, Clone, Template)]
#[template(path = "claim/closed.html")]
pub struct ClosedPage {
    pub language: Language,
    /// Where the menu of languages posts to, for a known link.
    pub languages: Option<String>,
    pub why: Closed,
    /// The app that sent the link, if known.
    pub sender: Option<Sender>,
    /// The amount of the link, if it is to be shown.
    pub amount: Option<String>,
    pub sandbox: bool,
    pub new_link: NewLink,
    /// The target of "Try again", if that can help: "/claim/<token>".
    pub again: Option<String>,
    /// The request's id, to quote in a support request.
    pub request_id: Option<String>,
}

/// Whether the payee can ask the sender for a new link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewLink {
    Impossible,
    Offered {
        /// Where the request posts to.
        action: String,
    },
    Requested,
}

impl ClosedPage {
    /// Returns for how long the link is locked.
    fn locked(&self) -> Said {
        match self.why {
            Closed::TooManyTries { minutes: Some(minutes) } => self.say(Text::ClosedTries).count(minutes),
            Closed::TooManyTries { minutes: None }
            | Closed::Expired
            | Closed::Canceled
            | Closed::Unknown
            | Closed::ClaimedElsewhere
            | Closed::OnHold { .. }
            | Closed::Problem { .. } => self.say(Text::ClosedTriesSome),
        }
    }

    /// Returns the amount that waits for a review. The other pages have it in their text, or nothing is left to show.
    fn held(&self) -> Option<&str> {
        self.amount.as_deref().filter(|_| matches!(self.why, Closed::OnHold { .. }))
    }

    /// Returns a text that names the sender, or the one that does not.
    fn named(&self, named: Text, unnamed: Text) -> Said {
        match &self.sender {
            Some(sender) => {
                let amount = self.amount.as_deref().unwrap_or_default();
                self.say(named).with("sender", &sender.name).strong_nowrap("amount", amount)
            }
            None => self.say(unnamed),
        }
    }
}
