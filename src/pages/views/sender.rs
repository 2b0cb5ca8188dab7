//! The sender on the pages for payees, and the page "Why am I getting this?".

use askama::Template;

use super::{Spoken, spoken};
use crate::language::{Language, Said, Text};

spoken! {
    WhyPage language;
}

/// The app that pays, as a page shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sender {
    pub name: String,
    /// The path of the logo.
    pub logo: Option<String>,
    /// The path of the style sheet with the sender's color.
    pub stylesheet: Option<String>,
    pub website: Option<Website>,
    pub support_email: Option<String>,
    /// E.164
    pub support_phone: Option<String>,
    /// Links begin with `https://`.
    pub terms: Option<String>,
    pub privacy: Option<String>,
    /// Above the sender's name.
    pub greeting: Option<String>,
    /// Below the amount.
    pub note: Option<String>,
    pub footer: Option<String>,
    /// The path of the page "Why am I getting this?".
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Website {
    pub href: String,
    /// What a person reads: "example.com".
    pub host: String,
}

impl Sender {
    /// Returns the first letter of the name, for a sender without a logo.
    #[must_use]
    pub fn initial(&self) -> String {
        let first = self.name.chars().find(|letter| letter.is_alphanumeric());
        first.map_or_else(String::new, |letter| letter.to_uppercase().collect())
    }

    /// Returns the line with the sender's contacts, or `None` without any.
    #[must_use]
    pub fn questions(&self, language: Language) -> Option<Said> {
        self.contacts(language, [Text::QuestionsEmail, Text::QuestionsPhone, Text::QuestionsBoth])
    }

    /// Returns the same line for a payee who reports a message.
    #[must_use]
    pub fn to_report(&self, language: Language) -> Option<Said> {
        self.contacts(language, [Text::WhyReportEmail, Text::WhyReportPhone, Text::WhyReportBoth])
    }

    /// `texts` are for an address, for a phone number, and for both.
    fn contacts(&self, language: Language, [by_email, by_phone, by_both]: [Text; 3]) -> Option<Said> {
        let text = match (&self.support_email, &self.support_phone) {
            (Some(_), None) => by_email,
            (None, Some(_)) => by_phone,
            (Some(_), Some(_)) => by_both,
            (None, None) => return None,
        };
        let mut line = language.say(text).with("sender", &self.name);
        if let Some(email) = &self.support_email {
            line = line.link_to("email", format!("mailto:{email}"), email);
        }
        if let Some(phone) = &self.support_phone {
            line = line.nowrap_link("phone", format!("tel:{phone}"), phone);
        }
        Some(line)
    }
}

/// The payment that a link is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhyPayment {
    /// "$125.00"
    pub amount: String,
    pub memo: Option<String>,
    /// The contact that the link names, masked: "••• 1234".
    pub sent_to: Option<String>,
}

/// `/claim/<token>/why` with the payment, and `/senders/<organization>/<app>` without.
#[derive(Debug, Clone, Template)]
#[template(path = "why.html")]
pub struct WhyPage {
    pub language: Language,
    /// Where the menu of languages posts to, for a link.
    pub languages: Option<String>,
    pub sender: Sender,
    pub payment: Option<WhyPayment>,
    /// The start of the address of every page: "https://pay.example.com".
    pub address: String,
    /// Where "Back" leads.
    pub back: Option<String>,
    pub sandbox: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_initial_is_the_first_letter_or_digit_of_the_name() {
        let initial = |name: &str| Sender { name: name.into(), ..Sender::default() }.initial();
        assert_eq!(initial("élan"), "É");
        assert_eq!(initial("(3 Oaks)"), "3");
        assert_eq!(initial("—"), "");
    }
}
