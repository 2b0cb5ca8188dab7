//! The sandbox inbox at `/inbox`: everything that would have gone to a phone or an address (docs/decisions.md 13).

use askama::Template;

/// The messages, newest first, of one recipient or of all.
#[derive(Debug, Clone, Template)]
#[template(path = "inbox.html")]
pub struct InboxPage {
    /// The filter as typed (query parameter `to`); empty shows all.
    pub to: String,
    /// Newest first.
    pub messages: Vec<InboxMessage>,
    /// More messages exist than are shown.
    pub has_more: bool,
    /// Whether the pages of the sandbox are served too.
    pub is_sandbox: bool,
}

/// One message that was caught.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxMessage {
    /// The message's id, an anchor on the page.
    pub id: String,
    /// How it would have travelled.
    pub channel: MessageChannel,
    /// The phone number or address.
    pub to: String,
    /// When, to be read: "March 1, 09:30:05 UTC".
    pub created: String,
    /// When, RFC 3339.
    pub created_at: String,
    /// The subject of an e-mail.
    pub subject: Option<String>,
    /// The whole text, the link included.
    pub text: String,
    /// The link inside the text, made clickable there.
    pub link: Option<String>,
    /// The six digits, shown large.
    pub code: Option<String>,
}

/// How a message would have travelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageChannel {
    /// A text message.
    Sms,
    /// An e-mail.
    Email,
    /// A call that reads the text aloud.
    Voice,
}

/// A piece of a message's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextPart<'text> {
    /// To be read.
    Words(&'text str),
    /// To be clicked.
    Link(&'text str),
}

impl InboxMessage {
    /// The text cut at its link. Text without the link stays whole, so nothing else ever becomes clickable.
    #[must_use]
    pub fn parts(&self) -> Vec<TextPart<'_>> {
        let link = self.link.as_deref().filter(|link| link.starts_with("http://") || link.starts_with("https://"));
        let Some((before, link, after)) = link.and_then(|link| {
            let (before, after) = self.text.split_once(link)?;
            Some((before, link, after))
        }) else {
            return vec![TextPart::Words(&self.text)];
        };
        vec![TextPart::Words(before), TextPart::Link(link), TextPart::Words(after)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str, link: Option<&str>) -> InboxMessage {
        InboxMessage {
            id: "m".into(),
            channel: MessageChannel::Sms,
            to: "+12127361234".into(),
            created: "now".into(),
            created_at: "2026-03-01T09:30:05.000000Z".into(),
            subject: None,
            text: text.into(),
            link: link.map(String::from),
            code: None,
        }
    }

    #[test]
    fn only_the_link_of_the_message_becomes_clickable() {
        let sent = message("Hi, http://a.test/claim/x bye", Some("http://a.test/claim/x"));
        let parts = [TextPart::Words("Hi, "), TextPart::Link("http://a.test/claim/x"), TextPart::Words(" bye")];
        assert_eq!(sent.parts(), parts);

        let other = message("see http://evil.test", None);
        assert_eq!(other.parts(), [TextPart::Words("see http://evil.test")]);

        let script = message("javascript:alert(1)", Some("javascript:alert(1)"));
        assert_eq!(script.parts(), [TextPart::Words("javascript:alert(1)")]);
    }
}
