//! The catalogues, parsed once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::codes::Language;
use super::formats::{Formats, Plural};
use super::texts::Text;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Words(String),
    Placeholder {
        name: String,
        /// Of a link or a button: `{send|Send a new code}`.
        words: Option<String>,
    },
}

#[derive(Debug)]
pub(super) struct Entry {
    /// The text of a number of things, by category; a text without a number has [`Plural::Other`] only.
    pub forms: BTreeMap<Plural, Vec<Piece>>,
    /// A text without placeholders and plural forms.
    words: Option<String>,
}

#[derive(Debug)]
pub(super) struct Catalogue {
    entries: Vec<Entry>,
    pub formats: Formats,
}

/// A text of a catalogue as it is written.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Written {
    One(String),
    Plural(BTreeMap<Plural, String>),
}

#[derive(Debug, Deserialize)]
struct File {
    formats: Formats,
    #[serde(flatten)]
    texts: BTreeMap<String, Written>,
}

/// Returns the catalogue of a language.
pub(super) fn of(language: Language) -> &'static Catalogue {
    static ALL: LazyLock<[Catalogue; Language::ALL.len()]> = LazyLock::new(|| {
        Language::ALL.map(|language| parse(source(language)).expect("a test parses each compiled catalogue"))
    });
    &ALL[language as usize]
}

pub(super) const fn source(language: Language) -> &'static str {
    match language {
        Language::En => include_str!("../../languages/en.toml"),
        Language::Es => include_str!("../../languages/es.toml"),
        Language::Fr => include_str!("../../languages/fr.toml"),
        Language::De => include_str!("../../languages/de.toml"),
        Language::Pt => include_str!("../../languages/pt.toml"),
        Language::Ar => include_str!("../../languages/ar.toml"),
    }
}

/// Parses a catalogue. The error names each missing or unknown key.
pub(super) fn parse(source: &str) -> Result<Catalogue, String> {
    let File { formats, mut texts } = toml::from_str(source).map_err(|error| error.to_string())?;
    let mut problems = Vec::new();
    let mut entries = Vec::new();
    for key in Text::ALL.iter().map(|text| text.key()) {
        match texts.remove(&key) {
            Some(written) => {
                let entry = entry(written);
                let has_forms = entry.forms.len() == 1 || formats.plurals.iter().eq(entry.forms.keys());
                if !has_forms {
                    problems.push(format!("{key} has other plural forms than its language"));
                }
                entries.push(entry);
            }
            None => problems.push(format!("{key} is missing")),
        }
    }
    problems.extend(texts.keys().map(|key| format!("{key} is unknown")));
    if problems.is_empty() { Ok(Catalogue { entries, formats }) } else { Err(problems.join(", ")) }
}

fn entry(written: Written) -> Entry {
    match written {
        Written::One(text) => {
            let forms = BTreeMap::from([(Plural::Other, pieces(&text))]);
            Entry { words: (!text.contains('{')).then_some(text), forms }
        }
        Written::Plural(forms) => {
            Entry { words: None, forms: forms.into_iter().map(|(plural, text)| (plural, pieces(&text))).collect() }
        }
    }
}

/// Splits a text at its placeholders.
fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (inner, after) = after.split_once('}').unwrap_or((after, ""));
        let (name, words) = inner.split_once('|').map_or((inner, None), |(name, words)| (name, Some(words)));
        if !before.is_empty() {
            pieces.push(Piece::Words(before.to_owned()));
        }
        pieces.push(Piece::Placeholder { name: name.to_owned(), words: words.map(str::to_owned) });
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Words(rest.to_owned()));
    }
    pieces
}

impl Catalogue {
    pub fn entry(&self, text: Text) -> &Entry {
        &self.entries[text as usize]
    }

    pub fn words(&self, text: Text) -> &str {
        let words = self.entry(text).words.as_deref();
        debug_assert!(words.is_some(), "{text:?} has placeholders");
        words.unwrap_or_default()
    }
}

impl Entry {
    /// Returns the form for a number, or the only one.
    pub fn form(&self, plural: Plural) -> &[Piece] {
        self.forms.get(&plural).or_else(|| self.forms.get(&Plural::Other)).map_or(&[], Vec::as_slice)
    }
}

/// Returns the plural category of a number of things.
pub(super) const fn plural(language: Language, count: u64) -> Plural {
    match language {
        Language::En | Language::De | Language::Es => {
            if count == 1 {
                Plural::One
            } else {
                Plural::Other
            }
        }
        Language::Fr | Language::Pt => {
            if count <= 1 {
                Plural::One
            } else {
                Plural::Other
            }
        }
        Language::Ar => match (count, count % 100) {
            (0, _) => Plural::Zero,
            (1, _) => Plural::One,
            (2, _) => Plural::Two,
            (_, 3..=10) => Plural::Few,
            (_, 11..=99) => Plural::Many,
            _ => Plural::Other,
        },
    }
}

impl Language {
    /// Returns the language's name for its speakers: `Español`.
    #[must_use]
    pub fn name(self) -> &'static str {
        &of(self).formats.name
    }

    /// Returns a text without placeholders.
    #[must_use]
    pub fn text(self, text: Text) -> &'static str {
        of(self).words(text)
    }
}
