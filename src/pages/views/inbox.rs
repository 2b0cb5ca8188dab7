//! The sandbox inbox at `/inbox`: all messages that production would send to a phone or an address (docs/decisions.md
//! 13).

use askama::Template;

#[derive(Debug, Clone, Template)]
#[template(path = "inbox.html")]
pub struct InboxPage {
    /// The filter as typed (query parameter `to`); empty shows all.
    pub to: String,
    /// Newest first.
    pub messages: Vec<InboxMessage>,
    /// Whether a text has buttons that reply to it.
    pub may_reply: bool,
    /// Whether more messages exist than the page shows.
    pub has_more: bool,
    /// Whether the pages of the sandbox are served too.
    pub is_sandbox: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxMessage {
    /// The message's id, an anchor on the page.
    pub id: String,
    pub channel: MessageChannel,
    pub to: String,
    /// For people: "March 1, 09:30:05 UTC".
    pub created: String,
    /// RFC 3339.
    pub created_at: String,
    pub subject: Option<String>,
    pub text: String,
    /// The link inside the text, which becomes clickable.
    pub link: Option<String>,
    pub code: Option<String>,
    /// The address of a mail as its recipient sees it.
    pub mail: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageChannel {
    Sms,
    Email,
    /// A call that reads the text aloud.
    Voice,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextPart<'text> {
    Words(&'text str),
    Link(&'text str),
}

impl InboxMessage {
    /// Splits the text at its link. Text without the link stays whole, so nothing else becomes clickable.
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
            mail: None,
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
