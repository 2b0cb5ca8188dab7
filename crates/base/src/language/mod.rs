//! The languages of payees, and every text that they read (docs/internals/adr/0060-the-languages-of-payees.md).
//!
//! `languages/*.toml` has the texts: one catalogue for each language, compiled in and parsed once. A [`Text`] is the key
//! of a text. A [`Said`] fills its placeholders, for a page or for a message. `formats.rs` writes amounts and days.
//!
//! Invariant: each catalogue has the same keys and placeholders as the English one, and every plural form of its
//! language. A text is never joined to another one within a sentence.
//!
//! Deliberately absent: regions (`es-MX` is `es`), currencies other than the US dollar, and times of day.

mod catalogue;
mod choice;
mod countries;
mod formats;
mod said;
mod texts;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use choice::LANGUAGE_COOKIE;
pub use said::Said;
pub use texts::Text;

/// A language of payees.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Spanish.
    Es,
    /// French.
    Fr,
    /// German.
    De,
    /// Portuguese.
    Pt,
    /// Arabic.
    Ar,
}

impl Language {
    /// All languages, in the order of the menu.
    pub const ALL: [Self; 6] = [Self::En, Self::Es, Self::Fr, Self::De, Self::Pt, Self::Ar];

    /// Returns the code of ISO 639-1.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Es => "es",
            Self::Fr => "fr",
            Self::De => "de",
            Self::Pt => "pt",
            Self::Ar => "ar",
        }
    }

    /// Returns the language with this code, such as `es`.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == code)
    }

    /// Returns the direction of the script, for the attribute `dir`.
    #[must_use]
    pub const fn direction(self) -> &'static str {
        if self.is_right_to_left() { "rtl" } else { "ltr" }
    }

    #[must_use]
    pub const fn is_right_to_left(self) -> bool {
        matches!(self, Self::Ar)
    }

    /// Returns the language's name for its speakers: `Español`.
    #[must_use]
    pub fn name(self) -> &'static str {
        &catalogue::of(self).formats.name
    }

    /// Returns a text without placeholders.
    #[must_use]
    pub fn text(self, text: Text) -> &'static str {
        catalogue::of(self).words(text)
    }

    /// Returns a text whose placeholders are filled next.
    #[must_use]
    pub const fn say(self, text: Text) -> Said {
        Said::new(self, text)
    }
}

/// Not the code of a language that has a catalogue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("is not a supported language")]
pub struct UnknownLanguage;

impl std::str::FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(code: &str) -> Result<Self, UnknownLanguage> {
        Self::from_code(code).ok_or(UnknownLanguage)
    }
}

impl std::fmt::Display for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
