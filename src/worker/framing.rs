//! The frame of a mail: its sender, its large line, its reason and its links.

use super::writing::{Pen, Uncomposed};
use crate::apps::brand::{Brand, Sender};
use crate::messages::{Channel, Composed, Template};
use crate::providers::Frame;

impl Pen {
    /// Returns the frame of a message that is sent by mail; other channels have none.
    pub(super) fn frame(&self, letter: &Uncomposed, composed: &Composed) -> Frame {
        if letter.message.channel != Channel::Email {
            return Frame::default();
        }
        let sender = Sender::from(letter.app());
        let public = |path: String| format!("{}{path}", self.public_url());
        let logo = sender.brand.logo.map(|_| public(sender.logo_path()));
        let (template, about) = (&letter.message.template.0, public(sender.path()));
        let claim = composed.link.as_deref().filter(|_| letter.link().is_some());
        let until = letter.link().filter(|_| matches!(template, Template::ClaimLink { .. }));
        let Brand { color, website, support_email, support_phone, terms_url, privacy_url, footer, .. } = sender.brand;
        let links = [("Website", website), ("Terms", terms_url), ("Privacy", privacy_url)];
        Frame {
            logo,
            color,
            headline: headline(letter, composed),
            until: until.map(|link| link.expires_at.date().strftime("%B %-d, %Y").to_string()),
            reason: reason(template, &sender.name),
            why: claim.map_or(about, |claim| format!("{claim}/why")),
            support_email,
            support_phone,
            links: links.into_iter().filter_map(|(label, link)| Some((label, link?))).collect(),
            footer,
            sender: sender.name,
        }
    }
}

/// Returns the amount, or the code.
fn headline(letter: &Uncomposed, composed: &Composed) -> Option<String> {
    match &letter.message.template.0 {
        Template::ClaimLink { .. } => letter.link().map(|link| link.amount.dollars()),
        Template::Code { .. } => composed.code.clone(),
        Template::PayoutFailed { amount_cents, .. }
        | Template::PayoutCanceled { amount_cents, .. }
        | Template::PaidByPreference { amount_cents, .. }
        | Template::PaymentCollected { amount_cents, .. }
        | Template::PayoutCompleted { amount_cents, .. } => Some(amount_cents.dollars()),
        Template::PayeeChanged { .. } | Template::ReplyAnswer { .. } => None,
    }
}

/// Ends the sentence "You get this email because".
fn reason(template: &Template, sender: &str) -> String {
    match template {
        Template::ClaimLink { .. } => format!("{sender} gave us this address to pay you."),
        Template::Code { .. } => {
            format!("this address was entered on a payment page of {sender}. If that was not you, ignore this email.")
        }
        Template::PayoutFailed { .. }
        | Template::PayoutCanceled { .. }
        | Template::PaidByPreference { .. }
        | Template::PayoutCompleted { .. } => format!("{sender} pays you at this address."),
        Template::PaymentCollected { .. } => format!("{sender} collects a payment from you."),
        Template::PayeeChanged { .. } => format!("{sender} pays you, and how you are paid has changed."),
        Template::ReplyAnswer { .. } => format!("you replied to a message of {sender}."),
    }
}
