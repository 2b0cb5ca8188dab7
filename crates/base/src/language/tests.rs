//! Each catalogue is complete and fits the English one.

use std::collections::BTreeSet;

use super::catalogue::{self, Piece, plural};
use super::formats::Plural;
use super::{Language, Text};
use crate::money::Cents;

fn names(pieces: &[Piece]) -> BTreeSet<(&str, bool)> {
    pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Words(_) => None,
            Piece::Placeholder { name, words } => Some((name.as_str(), words.is_some())),
        })
        .collect()
}

#[test]
fn every_catalogue_has_every_text() {
    for language in Language::ALL {
        let parsed = catalogue::parse(catalogue::source(language));
        assert!(parsed.is_ok(), "{language}: {}", parsed.err().unwrap_or_default());
    }
    // The negative controls.
    let english = catalogue::source(Language::En);
    let missing = english.replace("code_title = ", "code_titel = ");
    assert_eq!(catalogue::parse(&missing).unwrap_err(), "code_title is missing, code_titel is unknown");
    assert!(catalogue::parse(&english.replace("\"January\", ", "")).is_err(), "eleven months");
}

/// Placeholders of a text in another language that English has not, and those that it misses.
fn differing(language: Language, text: Text) -> Vec<String> {
    let (english, other) = (catalogue::of(Language::En).entry(text), catalogue::of(language).entry(text));
    let all = |entry: &'static catalogue::Entry| entry.forms.values().flat_map(|form| names(form)).collect();
    let (english, other): (BTreeSet<_>, BTreeSet<_>) = (all(english), all(other));
    english.symmetric_difference(&other).map(|(name, _)| format!("{language} {text:?}: {name}")).collect()
}

#[test]
fn every_text_has_the_placeholders_of_the_english_one() {
    for language in Language::ALL {
        let differing: Vec<String> = Text::ALL.iter().flat_map(|text| differing(language, *text)).collect();
        assert!(differing.is_empty(), "{}", differing.join("\n"));
        for text in Text::ALL {
            let forms = &catalogue::of(language).entry(*text).forms;
            // A form for one thing may write the number in words; each other text has all placeholders.
            let most = forms.values().map(|form| names(form).len()).max();
            assert_eq!(names(&forms[&Plural::Other]).len(), most.unwrap_or_default(), "{language} {text:?}");
        }
    }
}

#[test]
fn every_number_has_the_plural_forms_of_its_language() {
    for language in Language::ALL {
        let catalogue = catalogue::of(language);
        let wanted: BTreeSet<Plural> = catalogue.formats.plurals.iter().copied().collect();
        let used: BTreeSet<Plural> = (0..=200).map(|count| plural(language, count)).collect();
        assert_eq!(used, wanted, "{language}");
        for text in Text::ALL {
            let (english, forms) = (catalogue::of(Language::En).entry(*text), &catalogue.entry(*text).forms);
            if english.forms.len() > 1 {
                assert_eq!(forms.keys().copied().collect::<BTreeSet<_>>(), wanted, "{language} {text:?}");
            } else {
                assert_eq!(forms.len(), 1, "{language} {text:?}");
            }
        }
    }
}

/// Names and signs that are the same in several languages.
const SAME: [&str; 14] = [
    "Code", "Contact", "Error:", "IBAN", "BIC", "Name", "Status", "Website", "optional", "Wallet A", "Wallet B",
    "Wallet C", "Wallet D", "Wallet E",
];

#[test]
fn no_text_is_left_in_english() {
    let english = |text: &Text| catalogue::of(Language::En).entry(*text).forms[&Plural::Other].clone();
    for language in Language::ALL.into_iter().filter(|language| *language != Language::En) {
        for text in Text::ALL {
            let other = &catalogue::of(language).entry(*text).forms[&Plural::Other];
            let words: String = other
                .iter()
                .map(|piece| match piece {
                    Piece::Words(words) => words.clone(),
                    Piece::Placeholder { name, .. } => format!("{{{name}}}"),
                })
                .collect();
            let has_words = words.split(['{', '}']).step_by(2).any(|words| words.contains(char::is_alphabetic));
            let is_same = *other == english(text) && has_words && !SAME.contains(&words.as_str());
            assert!(!is_same, "{language} {text:?}: {words}");
        }
    }
}

#[test]
fn amounts_and_days_are_written_by_language() {
    let day = jiff::civil::date(2026, 3, 3);
    let said: Vec<String> = Language::ALL
        .into_iter()
        .map(|language| {
            let [small, large] = [5, 123_456].map(|cents| language.money(Cents::new(cents)));
            let plain = language.plain_amount(Cents::new(123_456));
            let days = [language.weekday_day(day), language.month_day(day), language.day_of_year(day)].join(" | ");
            format!("{language}: {small} | {large} | {plain} | {days}")
        })
        .map(|line| line.replace('\u{a0}', "~").replace('\u{202f}', "_"))
        .map(|line| line.replace('\u{200f}', ">").replace('\u{200e}', "<"))
        .collect();
    assert_eq!(
        said,
        [
            "en: $0.05 | $1,234.56 | 1234.56 | Tuesday, March 3 | March 3 | March 3, 2026",
            "es: 0,05~US$ | 1234,56~US$ | 1234,56 | martes, 3 de marzo | 3 de marzo | 3 de marzo de 2026",
            "fr: 0,05~$US | 1_234,56~$US | 1234,56 | mardi 3 mars | 3 mars | 3 mars 2026",
            "de: 0,05~$ | 1.234,56~$ | 1234,56 | Dienstag, 3. März | 3. März | 3. März 2026",
            "pt: US$~0,05 | US$~1.234,56 | 1234,56 | terça-feira, 3 de março | 3 de março | 3 de março de 2026",
            "ar: >0.05~US$< | >1,234.56~US$< | 1234.56 | الثلاثاء، 3 مارس | 3 مارس | 3 مارس 2026",
        ]
    );
    let at = crate::clock::Time::parse("2026-03-03T09:30:00Z").unwrap();
    let moments = Language::ALL.map(|language| language.moment(at));
    assert_eq!(
        moments,
        [
            "March 3, 2026, 09:30 UTC",
            "3 de marzo de 2026, a las 09:30 UTC",
            "3 mars 2026 à 09:30 UTC",
            "3. März 2026, 09:30 Uhr UTC",
            "3 de março de 2026, às 09:30 UTC",
            "3 مارس 2026، الساعة 09:30 بالتوقيت العالمي (UTC)",
        ]
    );
    for cents in [0, 5, -5, 99_999, 123_456, 9_999_999_999, i64::MIN] {
        assert_eq!(Language::En.money(Cents::new(cents)), Cents::new(cents).dollars());
    }
}

#[test]
fn every_country_has_a_name_in_every_language() {
    let codes = |language: Language| language.countries().into_iter().map(|(code, _)| code).collect::<BTreeSet<_>>();
    let english = codes(Language::En);
    for language in Language::ALL {
        assert_eq!(codes(language), english, "{language}");
    }
}

#[test]
fn no_text_names_a_field() {
    for language in Language::ALL {
        for text in Text::ALL.iter().filter(|text| **text != Text::FieldHandle) {
            for form in catalogue::of(language).entry(*text).forms.values() {
                let words = form.iter().filter_map(|piece| match piece {
                    Piece::Words(words) => Some(words.as_str()),
                    Piece::Placeholder { words, .. } => words.as_deref(),
                });
                let words: String = words.collect();
                assert!(!words.contains(['_', '`', '/', '<']), "{language} {text:?}: {words}");
            }
        }
    }
}
