//! The words with which a person stops, resumes or asks about text messages, and the answers. Pure.
//!
//! A word counts only if it is the whole text, as phone networks require: "please stop by" stops nothing.

use super::compose::Composed;
use super::model::Keyword;

/// The words in upper case, what each asks for, and whether it is Spanish.
const WORDS: [(&str, Keyword, bool); 16] = [
    ("STOP", Keyword::Stop, false),
    ("STOPALL", Keyword::Stop, false),
    ("STOP ALL", Keyword::Stop, false),
    ("UNSUBSCRIBE", Keyword::Stop, false),
    ("CANCEL", Keyword::Stop, false),
    ("END", Keyword::Stop, false),
    ("QUIT", Keyword::Stop, false),
    ("ALTO", Keyword::Stop, true),
    ("PARAR", Keyword::Stop, true),
    ("HELP", Keyword::Help, false),
    ("INFO", Keyword::Help, false),
    ("AYUDA", Keyword::Help, true),
    ("START", Keyword::Start, false),
    ("UNSTOP", Keyword::Start, false),
    ("RESUME", Keyword::Start, false),
    ("REANUDAR", Keyword::Start, true),
];

/// Returns what a reply asks for, and whether in Spanish; `None` for any other text.
pub fn keyword(text: &str) -> Option<(Keyword, bool)> {
    let is_around = |letter: char| letter.is_whitespace() || letter.is_ascii_punctuation();
    let upper = text.trim_matches(is_around).to_uppercase();
    let found = WORDS.iter().find(|(word, ..)| *word == upper);
    found.map(|(_, keyword, is_spanish)| (*keyword, *is_spanish))
}

/// Composes the answer to a reply.
pub fn answer(keyword: Keyword, is_spanish: bool, app_name: &str, support: Option<&str>) -> Composed {
    let text = match (keyword, is_spanish) {
        (Keyword::Stop, false) => "You get no more text messages from us. Reply START to get them again.",
        (Keyword::Stop, true) => "Ya no te enviaremos mensajes. Responde REANUDAR para recibirlos de nuevo.",
        (Keyword::Help, false) => {
            "We text you about payments to you, and codes that you ask for. Reply STOP to end text messages."
        }
        (Keyword::Help, true) => {
            "Te enviamos mensajes sobre tus pagos y los códigos que pides. Responde ALTO para no recibirlos."
        }
        (Keyword::Start, false) => "You get text messages from us again. Reply STOP to end them.",
        (Keyword::Start, true) => "Te enviaremos mensajes de nuevo. Responde ALTO para dejar de recibirlos.",
    };
    let question = if is_spanish { "¿Dudas?" } else { "Questions?" };
    let contact = support.map(|support| format!(" {question} {support}")).unwrap_or_default();
    Composed { subject: app_name.to_owned(), text: format!("{app_name}: {text}{contact}"), ..Composed::default() }
}

#[cfg(test)]
mod tests {
    use super::super::compose::{Letter, compose};
    use super::*;
    use crate::language::Language;
    use crate::money::Cents;

    #[test]
    fn a_word_counts_alone_in_any_case_and_never_within_a_sentence() {
        for (text, asked) in [
            ("STOP", Some((Keyword::Stop, false))),
            (" stop.\n", Some((Keyword::Stop, false))),
            ("\"Stop\"", Some((Keyword::Stop, false))),
            ("StopAll", Some((Keyword::Stop, false))),
            ("alto", Some((Keyword::Stop, true))),
            ("Parar!", Some((Keyword::Stop, true))),
            ("help?", Some((Keyword::Help, false))),
            ("Ayuda", Some((Keyword::Help, true))),
            ("start", Some((Keyword::Start, false))),
            ("please stop", None),
            ("stop by later", None),
            ("stopp", None),
            ("", None),
            ("...", None),
        ] {
            assert_eq!(keyword(text), asked, "{text:?}");
        }
        for word in ["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "ALTO", "PARAR"] {
            assert!(matches!(keyword(word), Some((Keyword::Stop, _))), "{word}");
        }
    }

    #[test]
    fn the_first_text_with_a_link_names_a_word_that_stops_texts() {
        let text = |language, reminds_until, is_text| {
            let (amount, link) = (Cents::new(100), "http://x/claim/abc");
            let letter = Letter::ClaimLink {
                app_name: "Acme",
                amount,
                message: None,
                link,
                reminds_until,
                support: None,
                is_text,
            };
            compose(&letter, language).text
        };
        let names_one = |text: &str| {
            let last = text.lines().last().unwrap_or_default();
            last.split([' ', ',', '.'])
                .any(|word| matches!(keyword(word), Some((Keyword::Stop, _))) && word == word.to_uppercase())
        };
        let day = Some(jiff::civil::date(2026, 12, 21));
        for language in Language::ALL {
            assert!(names_one(&text(language, None, true)), "{language}");
            // The counterparts: a reminder and a mail.
            assert!(!names_one(&text(language, day, true)) && !names_one(&text(language, None, false)), "{language}");
        }
    }

    #[test]
    fn an_answer_names_the_sender_its_contact_and_the_way_back() {
        for is_spanish in [false, true] {
            for (asked, back) in
                [(Keyword::Stop, Keyword::Start), (Keyword::Help, Keyword::Stop), (Keyword::Start, Keyword::Stop)]
            {
                let text = answer(asked, is_spanish, "Acme", Some("help@acme.example")).text;
                assert!(text.starts_with("Acme: ") && text.ends_with("? help@acme.example"), "{text}");
                let mut words = text.split(|letter: char| !letter.is_alphabetic());
                // The word in the answer is one that a reply is understood by, in the same language.
                let named =
                    words.find_map(|word| Some(word).filter(|word| word.len() > 2 && *word == word.to_uppercase()));
                let expected =
                    if is_spanish || back == Keyword::Stop || back == Keyword::Start { Some(back) } else { None };
                assert_eq!(named.and_then(keyword).map(|(keyword, _)| keyword), expected, "{text}");
            }
        }
        assert!(!answer(Keyword::Help, false, "Acme", None).text.contains("Questions"));
    }
}
