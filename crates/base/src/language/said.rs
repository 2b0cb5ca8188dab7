//! A text with its values, written as HTML or as plain text.

use std::fmt::{self, Display, Write as _};

use super::catalogue::{self, Piece, plural};
use super::codes::Language;
use super::formats::Plural;
use super::texts::Text;

/// How a value is written.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mark {
    /// Isolated from the text around it only if their directions may differ.
    Plain,
    /// Not isolated: an address or a code, which programs read.
    Exact,
    /// In bold.
    Strong,
    /// In bold, on one line.
    StrongNowrap,
    Nowrap,
    Code,
    Link(String),
    /// A link on one line.
    NowrapLink(String),
    /// A button that looks like a link.
    Button,
    /// A moment, with its form for programs.
    Time(String),
}

/// A text and the values of its placeholders. `Display` writes HTML, which templates insert as it is: values are
/// escaped. [`Said::plain`] returns text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    language: Language,
    text: Text,
    count: Option<u64>,
    /// A value of `None` has its words in the catalogue.
    values: Vec<(&'static str, Mark, Option<String>)>,
}

impl askama::filters::HtmlSafe for Said {}

impl Said {
    pub(super) const fn new(language: Language, text: Text) -> Self {
        Self { language, text, count: None, values: Vec::new() }
    }

    fn and(mut self, name: &'static str, mark: Mark, value: Option<String>) -> Self {
        self.values.push((name, mark, value));
        self
    }

    /// Adds a value.
    #[must_use]
    pub fn with(self, name: &'static str, value: impl Display) -> Self {
        self.and(name, Mark::Plain, Some(value.to_string()))
    }

    /// Adds an address or a code.
    #[must_use]
    pub fn exact(self, name: &'static str, value: impl Display) -> Self {
        self.and(name, Mark::Exact, Some(value.to_string()))
    }

    /// Adds a value in bold.
    #[must_use]
    pub fn strong(self, name: &'static str, value: impl Display) -> Self {
        self.and(name, Mark::Strong, Some(value.to_string()))
    }

    /// Adds a value in bold that stays on one line.
    #[must_use]
    pub fn strong_nowrap(self, name: &'static str, value: impl Display) -> Self {
        self.and(name, Mark::StrongNowrap, Some(value.to_string()))
    }

    /// Adds a value in the font of code.
    #[must_use]
    pub fn code(self, name: &'static str, value: impl Display) -> Self {
        self.and(name, Mark::Code, Some(value.to_string()))
    }

    /// Adds a link with these words.
    #[must_use]
    pub fn link_to(self, name: &'static str, href: impl Display, words: impl Display) -> Self {
        self.and(name, Mark::Link(href.to_string()), Some(words.to_string()))
    }

    /// Adds a link on one line.
    #[must_use]
    pub fn nowrap_link(self, name: &'static str, href: impl Display, words: impl Display) -> Self {
        self.and(name, Mark::NowrapLink(href.to_string()), Some(words.to_string()))
    }

    /// Adds a link with the words of the catalogue.
    #[must_use]
    pub fn link(self, name: &'static str, href: impl Display) -> Self {
        self.and(name, Mark::Link(href.to_string()), None)
    }

    /// Adds a moment. `datetime` is its form for programs: `2026-03-03T09:30:00Z`.
    #[must_use]
    pub fn time(self, name: &'static str, datetime: impl Display, words: impl Display) -> Self {
        self.and(name, Mark::Time(datetime.to_string()), Some(words.to_string()))
    }

    /// Adds a button with the words of the catalogue.
    #[must_use]
    pub fn button(self, name: &'static str) -> Self {
        self.and(name, Mark::Button, None)
    }

    /// Keeps the words of the catalogue on one line.
    #[must_use]
    pub fn nowrap(self, name: &'static str) -> Self {
        self.and(name, Mark::Nowrap, None)
    }

    /// Adds the number that chooses the plural form.
    #[must_use]
    pub fn count(self, count: u64) -> Self {
        Self { count: Some(count), ..self.with("count", count) }
    }

    /// Returns the text with its open placeholders, for tests that search for it.
    #[must_use]
    pub fn pattern(&self) -> String {
        let pattern = self.pieces().iter().map(|piece| match piece {
            Piece::Words(words) => words.clone(),
            Piece::Placeholder { name, .. } => format!("{{{name}}}"),
        });
        pattern.collect()
    }

    fn pieces(&self) -> &'static [Piece] {
        let entry = catalogue::of(self.language).entry(self.text);
        entry.form(self.count.map_or(Plural::Other, |count| plural(self.language, count)))
    }

    /// Returns a placeholder's mark and words.
    fn value<'a>(&'a self, name: &str, words: Option<&'a str>) -> (&'a Mark, &'a str) {
        let found = self.values.iter().find(|(known, ..)| *known == name);
        debug_assert!(found.is_some(), "{:?} has no value for {name}", self.text);
        found.map_or((&Mark::Exact, ""), |(_, mark, value)| (mark, value.as_deref().or(words).unwrap_or_default()))
    }

    /// Returns the text without markup, for messages and titles.
    #[must_use]
    pub fn plain(&self) -> String {
        let mut plain = String::new();
        for piece in self.pieces() {
            match piece {
                Piece::Words(words) => plain.push_str(words),
                Piece::Placeholder { name, words } => {
                    let (mark, value) = self.value(name, words.as_deref());
                    if *mark != Mark::Exact && self.must_isolate(value) {
                        // First strong isolate and its end: the value keeps its own direction.
                        plain.extend(["\u{2068}", value, "\u{2069}"]);
                    } else {
                        plain.push_str(value);
                    }
                }
            }
        }
        plain
    }

    /// Whether the direction of a value may differ from that of the text.
    fn must_isolate(&self, value: &str) -> bool {
        self.language.is_right_to_left() || value.chars().any(is_right_to_left)
    }

    fn write_value(&self, html: &mut fmt::Formatter<'_>, mark: &Mark, value: &str) -> fmt::Result {
        let isolated = *mark != Mark::Exact && self.must_isolate(value);
        match mark {
            Mark::Plain | Mark::Exact => {}
            Mark::Strong => html.write_str("<strong>")?,
            Mark::StrongNowrap => html.write_str("<strong class=\"nowrap\">")?,
            Mark::Nowrap => html.write_str("<span class=\"nowrap\">")?,
            Mark::Code => html.write_str("<code>")?,
            Mark::Link(href) => write!(html, "<a href=\"{}\">", Escaped(href))?,
            Mark::NowrapLink(href) => write!(html, "<a class=\"nowrap\" href=\"{}\">", Escaped(href))?,
            Mark::Time(datetime) => write!(html, "<time datetime=\"{}\">", Escaped(datetime))?,
            Mark::Button => html.write_str("<button class=\"link-button\" type=\"submit\">")?,
        }
        if isolated {
            write!(html, "<bdi>{}</bdi>", Escaped(value))?;
        } else {
            write!(html, "{}", Escaped(value))?;
        }
        html.write_str(match mark {
            Mark::Plain | Mark::Exact => "",
            Mark::Strong | Mark::StrongNowrap => "</strong>",
            Mark::Nowrap => "</span>",
            Mark::Code => "</code>",
            Mark::Link(_) | Mark::NowrapLink(_) => "</a>",
            Mark::Time(_) => "</time>",
            Mark::Button => "</button>",
        })
    }
}

impl Display for Said {
    fn fmt(&self, html: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in self.pieces() {
            match piece {
                Piece::Words(words) => write!(html, "{}", Escaped(words))?,
                Piece::Placeholder { name, words } => {
                    let (mark, value) = self.value(name, words.as_deref());
                    self.write_value(html, mark, value)?;
                }
            }
        }
        Ok(())
    }
}

/// A text in HTML.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, html: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => html.write_str("&#38;")?,
                '<' => html.write_str("&#60;")?,
                '>' => html.write_str("&#62;")?,
                '"' => html.write_str("&#34;")?,
                '\'' => html.write_str("&#39;")?,
                letter => html.write_char(letter)?,
            }
        }
        Ok(())
    }
}

/// Whether a letter is of a script that is written from right to left.
const fn is_right_to_left(letter: char) -> bool {
    matches!(letter,
        '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

impl Language {
    /// Returns a text whose placeholders are filled next.
    #[must_use]
    pub const fn say(self, text: Text) -> Said {
        Said::new(self, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped_and_marked() {
        let said = Language::En.say(Text::WhyPaying).strong("amount", "$1.00").with("sender", "<Harbor> & \"Pine\"");
        assert_eq!(said.to_string(), "&#60;Harbor&#62; &#38; &#34;Pine&#34; is paying you <strong>$1.00</strong>.");
        assert_eq!(said.plain(), "<Harbor> & \"Pine\" is paying you $1.00.");
        let link = Language::En.say(Text::ContactCodesAgain).link("again", "/claim/\"x\"/change-contact");
        let html = "No codes, or a typing mistake? <a href=\"/claim/&#34;x&#34;/change-contact\">Start again</a>";
        assert_eq!(link.to_string(), html);
        assert_eq!(link.plain(), "No codes, or a typing mistake? Start again");
    }

    #[test]
    fn a_value_of_another_direction_is_isolated() {
        let said = |language: Language, sender| language.say(Text::SenderPaid).strong("sender", sender);
        assert_eq!(said(Language::En, "Acme").to_string(), "<strong>Acme</strong> paid you");
        assert_eq!(said(Language::En, "متجر").to_string(), "<strong><bdi>متجر</bdi></strong> paid you");
        assert!(said(Language::Ar, "Acme").to_string().contains("<strong><bdi>Acme</bdi></strong>"));
        assert!(said(Language::Ar, "Acme").plain().contains("\u{2068}Acme\u{2069}"));
        // Programs read addresses and codes.
        let code = Language::Ar.say(Text::LetterChooseWay).exact("link", "https://pay.example.com/claim/a");
        assert!(code.plain().ends_with(" https://pay.example.com/claim/a"), "{}", code.plain());
    }

    #[test]
    fn a_number_chooses_the_form() {
        let minutes = |count| Language::En.say(Text::ClosedTries).count(count).plain();
        assert!(minutes(1).contains("for 1 minute.") && minutes(12).contains("for 12 minutes."));
    }
}
