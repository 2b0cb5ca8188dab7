//! The body of a mail, as HTML and as plain text: the text of the message in a frame that names its sender.

use askama::Template;
use uuid::Uuid;

use crate::clock::Time;
use crate::language::{Language, Said, Text};

/// The color of a button without a brand.
const COLOR: &str = "#14634a";

#[derive(Clone, Copy, Debug)]
pub struct Mail<'a> {
    /// Becomes the Message-ID, so that a mail sent twice can be recognized.
    pub id: Uuid,
    pub written: Time,
    pub to: &'a str,
    /// One line.
    pub subject: &'a str,
    pub text: &'a str,
    /// The link in the text, which becomes a button.
    pub link: Option<&'a str>,
    pub frame: &'a Frame,
}

/// The parts of a mail around its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    pub language: Language,
    pub sender: String,
    /// The address of the logo.
    pub logo: Option<String>,
    /// Of the button: `#1f4e9e`.
    pub color: Option<String>,
    /// The amount or the code, in large letters.
    pub headline: Option<String>,
    /// The end of the link: "December 21, 2026, 09:30 UTC".
    pub until: Option<String>,
    /// "You get this email because …"
    pub because: String,
    /// The address of the page that explains the mail.
    pub why: String,
    /// Replies go there.
    pub support_email: Option<String>,
    /// Whether the mail repeats an earlier one, so that its reader may ask for no more of them.
    pub is_reminder: bool,
    pub support_phone: Option<String>,
    /// Labels and addresses: website, terms, privacy.
    pub links: Vec<(&'static str, String)>,
    pub footer: Option<String>,
}

struct Button<'a> {
    label: &'a str,
    link: &'a str,
}

#[derive(Template)]
#[template(path = "mail.html")]
struct Html<'a> {
    subject: &'a str,
    frame: &'a Frame,
    color: &'a str,
    /// Before the button.
    paragraphs: Vec<&'a str>,
    button: Option<Button<'a>>,
    /// After the button.
    after: Vec<&'a str>,
}

impl Html<'_> {
    fn text(&self, text: Text) -> &'static str {
        self.frame.language.text(text)
    }

    /// Returns the line with the sender's contacts, if there is one.
    fn contacts(&self) -> Option<Said> {
        let Frame { language, support_email, support_phone, .. } = self.frame;
        let text = match (support_email, support_phone) {
            (Some(_), None) => Text::MailWrite,
            (None, Some(_)) => Text::MailCall,
            (Some(_), Some(_)) => Text::MailWriteOrCall,
            (None, None) => return None,
        };
        let mut line = language.say(text);
        if let Some(email) = support_email {
            line = line.link_to("email", format!("mailto:{email}"), email);
        }
        if let Some(phone) = support_phone {
            line = line.exact("phone", phone);
        }
        Some(line)
    }
}

/// Returns the mail as HTML. The sentence that ends in the link becomes the button.
///
/// # Errors
/// If the template fails, which is a bug.
pub fn html(mail: &Mail<'_>) -> Result<String, askama::Error> {
    let (mut paragraphs, mut after, mut button) = (Vec::new(), Vec::new(), None);
    for line in mail.text.lines().filter(|line| !line.is_empty()) {
        match mail.link.and_then(|link| Some((link, line.split_once(link)?))) {
            Some((link, (before, rest))) => {
                let before = before.trim_end_matches([' ', ':']);
                let (lead, label) = before.rsplit_once(". ").map_or(("", before), |(lead, label)| (lead, label));
                // The full stop belongs to the sentence before the label.
                let lead_end = if lead.is_empty() { 0 } else { lead.len() + 1 };
                paragraphs.extend(before.get(..lead_end).filter(|lead| !lead.is_empty()));
                button = Some(Button { label, link });
                after.extend(Some(rest.trim()).filter(|rest| !rest.is_empty()));
            }
            None if button.is_some() => after.push(line),
            None => paragraphs.push(line),
        }
    }
    let color = mail.frame.color.as_deref().unwrap_or(COLOR);
    Html { subject: mail.subject, frame: mail.frame, color, paragraphs, button, after }.render()
}

/// Returns the mail as plain text.
pub(super) fn plain(mail: &Mail<'_>) -> String {
    let frame = mail.frame;
    let until = frame.until.as_ref().filter(|_| mail.link.is_some());
    let language = frame.language;
    let until = until.map(|day| language.say(Text::LinkUntil).with("day", day).plain());
    let questions = match (&frame.support_email, &frame.support_phone) {
        (Some(email), Some(phone)) => {
            Some(language.say(Text::MailQuestionsBoth).exact("email", email).exact("phone", phone))
        }
        (Some(one), None) | (None, Some(one)) => Some(language.say(Text::LetterQuestions).exact("contact", one)),
        (None, None) => None,
    };
    let links = frame.links.iter().map(|(label, address)| format!("{label}: {address}"));
    let own = [
        Some(frame.because.clone()),
        Some(format!("{} {}", language.text(Text::WhyLink), frame.why)),
        questions.map(|line| line.plain()),
    ];
    let foot: Vec<String> = own.into_iter().flatten().chain(links).chain(frame.footer.clone()).collect();
    let until = until.map(|line| format!("\n\n{line}")).unwrap_or_default();
    format!("{}{until}\n\n{}\n\n{}\n", mail.text, frame.sender, foot.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: &str = "https://pay.example.com/claim/abc";

    fn frame() -> Frame {
        Frame {
            language: Language::En,
            sender: "Harbor & Pine".into(),
            logo: Some("https://pay.example.com/senders/o/a/logo".into()),
            color: Some("#1f4e9e".into()),
            headline: Some("$25.00".into()),
            until: Some("December 21, 2026".into()),
            because: "You get this email because Harbor & Pine gave us this address to pay you.".into(),
            why: format!("{LINK}/why"),
            is_reminder: false,
            support_email: Some("help@harborpine.example".into()),
            support_phone: Some("+12127361234".into()),
            links: vec![("Terms", "https://harborpine.example/terms".into())],
            footer: Some("Harbor & Pine, 1 Wharf Street".into()),
        }
    }

    fn mail<'a>(text: &'a str, link: Option<&'a str>, frame: &'a Frame) -> Mail<'a> {
        let written = Time::from_micros(0);
        Mail { id: Uuid::nil(), written, to: "ada@example.org", subject: "Subject", text, link, frame }
    }

    #[test]
    fn the_sentence_with_the_link_is_the_button() {
        let frame = frame();
        let text = format!("Harbor & Pine is sending you $25.00.\nChoose how to get paid: {LINK}\nAcme says: \"Hi\"");
        let drawn = html(&mail(&text, Some(LINK), &frame)).unwrap();
        for shown in [
            "<title>Subject</title>",
            "alt=\"Harbor &#38; Pine\"",
            ">$25.00</p>",
            &format!("href=\"{LINK}\" style=\"display:inline-block"),
            "background:#1f4e9e",
            ">Choose how to get paid</a>",
            "This link works until December 21, 2026. Do not pass it on.",
            ">Acme says: &#34;Hi&#34;</p>",
            "You get this email because Harbor &#38; Pine gave us this address to pay you.",
            &format!("href=\"{LINK}/why\""),
            "mailto:help@harborpine.example",
            "or call +12127361234.",
            "href=\"https://harborpine.example/terms\"",
            "Harbor &#38; Pine, 1 Wharf Street",
        ] {
            assert!(drawn.contains(shown), "{shown} in {drawn}");
        }
        let text = format!("$1.00 was returned: closed. The money is yours. Choose another way: {LINK}");
        let drawn = html(&mail(&text, Some(LINK), &frame)).unwrap();
        assert!(drawn.contains(">$1.00 was returned: closed. The money is yours.</p>"), "{drawn}");
        assert!(drawn.contains(">Choose another way</a>"), "{drawn}");
    }

    #[test]
    fn markup_in_a_text_is_shown_as_text() {
        let frame = Frame { sender: "<b>Acme</b>".into(), because: "<i>x</i>.".into(), ..Frame::default() };
        let drawn = html(&mail("<script>alert(1)</script>", None, &frame)).unwrap();
        assert!(!drawn.contains("<b>") && !drawn.contains("<i>") && !drawn.contains("<script>"), "{drawn}");
        assert!(!drawn.contains("display:inline-block"), "without a link there is no button");
        assert!(drawn.contains("&#60;b&#62;Acme"));
    }

    #[test]
    fn the_plain_text_says_the_same() {
        let frame = frame();
        let text = format!("Harbor & Pine is sending you $25.00.\nChoose how to get paid: {LINK}");
        let lines = [
            text.as_str(),
            "",
            "This link works until December 21, 2026. Do not pass it on.",
            "",
            "Harbor & Pine",
            "",
            "You get this email because Harbor & Pine gave us this address to pay you.",
            "Why am I getting this? https://pay.example.com/claim/abc/why",
            "Questions? help@harborpine.example or +12127361234",
            "Terms: https://harborpine.example/terms",
            "Harbor & Pine, 1 Wharf Street",
            "",
        ];
        assert_eq!(plain(&mail(&text, Some(LINK), &frame)), lines.join("\n"));
        // Without a link nothing expires.
        assert!(!plain(&mail("Hello", None, &frame)).contains("December 21"));
    }
}
