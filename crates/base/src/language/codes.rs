//! The languages, with their codes and directions.

use serde::{Deserialize, Serialize};

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
