//! The names of countries.
//!
//! `languages/countries-*.txt` are names of Unicode's CLDR in the order of each language's alphabet;
//! tests/browser/formats.test.mjs compares them with the library ICU.

use super::codes::Language;
use crate::country;

impl Language {
    /// Returns the codes and names of all countries, sorted by name.
    #[must_use]
    pub fn countries(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::En => country::countries(),
            Self::Es => lines(include_str!("../../languages/countries-es.txt")),
            Self::Fr => lines(include_str!("../../languages/countries-fr.txt")),
            Self::De => lines(include_str!("../../languages/countries-de.txt")),
            Self::Pt => lines(include_str!("../../languages/countries-pt.txt")),
            Self::Ar => lines(include_str!("../../languages/countries-ar.txt")),
        }
    }
}

fn lines(list: &'static str) -> Vec<(&'static str, &'static str)> {
    list.lines().filter_map(|line| line.split_once(' ')).collect()
}
