//! A writer of elements in a fixed order. Equal values give equal bytes.

use std::fmt;

use crate::text::is_iso_text;

/// A value that the message cannot have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritable {
    pub element: &'static str,
    pub reason: String,
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.element, self.reason)
    }
}

impl std::error::Error for Unwritable {}

pub struct Writer {
    out: String,
    refused: Option<Unwritable>,
}

impl Writer {
    pub fn new(message: &str) -> Self {
        let out =
            format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Document xmlns=\"{}{message}\">", super::NAMESPACE);
        Self { out, refused: None }
    }

    pub fn finish(mut self) -> Result<Vec<u8>, Unwritable> {
        self.out.push_str("</Document>\n");
        self.refused.map_or(Ok(self.out.into_bytes()), Err)
    }

    fn refuse(&mut self, element: &'static str, reason: String) {
        self.refused.get_or_insert(Unwritable { element, reason });
    }

    /// Writes an element with the content that the closure writes.
    pub fn element(&mut self, name: &'static str, content: impl FnOnce(&mut Self)) {
        self.out.push('<');
        self.out.push_str(name);
        self.out.push('>');
        content(self);
        self.close(name);
    }

    fn close(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }

    /// Writes text of at most so many characters. Line breaks and other control characters are refused.
    pub fn text(&mut self, name: &'static str, value: &str, most: usize) {
        if value.is_empty() || value.chars().count() > most {
            self.refuse(name, format!("must have 1 to {most} characters"));
        }
        if value.chars().any(char::is_control) {
            self.refuse(name, "must not contain control characters".to_owned());
        }
        self.element(name, |writer| writer.out.push_str(&quick_xml::escape::escape(value)));
    }

    /// Writes text in the characters that banks accept.
    pub fn bank_text(&mut self, name: &'static str, value: &str, most: usize) {
        if !is_iso_text(value) {
            self.refuse(name, "must have letters, digits, blanks and / - ? : ( ) . , ' + only".to_owned());
        }
        self.text(name, value, most);
    }

    pub fn optional(&mut self, name: &'static str, value: Option<&str>, most: usize) {
        if let Some(value) = value {
            self.text(name, value, most);
        }
    }

    pub fn amount(&mut self, name: &'static str, amount: &super::Amount) {
        let currency = &amount.currency;
        if amount.minor < 0 || currency.len() != 3 || !currency.bytes().all(|byte| byte.is_ascii_uppercase()) {
            self.refuse(name, "must be positive and have a currency of three letters".to_owned());
        }
        self.out.push_str(&format!("<{name} Ccy=\"{}\">{}", quick_xml::escape::escape(currency), amount.text()));
        self.close(name);
    }

    pub fn indicator(&mut self, is_credit: bool) {
        self.text("CdtDbtInd", if is_credit { "CRDT" } else { "DBIT" }, 4);
    }

    /// Writes a date as the choice `Dt`.
    pub fn date(&mut self, name: &'static str, date: jiff::civil::Date) {
        self.element(name, |writer| writer.text("Dt", &date.to_string(), 10));
    }

    pub fn date_time(&mut self, name: &'static str, value: &str) {
        if !super::fields::is_date_time(value) {
            self.refuse(name, "must be YYYY-MM-DDThh:mm:ss".to_owned());
        }
        self.text(name, value, 64);
    }
}
