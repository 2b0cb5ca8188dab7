//! Values of elements, with a finding for each one that is missing or wrong.

use jiff::civil::{Date, DateTime};

use super::amount::{Amount, decimals, minor};
use super::rules;
use super::xml::Element;
use crate::finding::{Findings, Place, Rule, quoted};
use crate::text::is_iso_text;

/// Longest id in characters.
pub const ID_MAX: usize = 35;
/// Longest name in characters.
pub const NAME_MAX: usize = 140;

/// Reads values and collects findings.
pub struct Fields<'f> {
    findings: &'f mut Findings,
}

impl<'f> Fields<'f> {
    pub const fn new(findings: &'f mut Findings) -> Self {
        Self { findings }
    }

    pub fn add(&mut self, rule: &'static Rule, of: &Element, field: &'static str, message: String) {
        self.findings.add(rule, Place { field, ..of.place() }, message);
    }

    /// Returns a child that must be there.
    pub fn child<'e>(&mut self, of: &'e Element, name: &'static str) -> Option<&'e Element> {
        let child = of.child(name);
        if child.is_none() {
            self.add(&rules::MISSING, of, name, format!("{} has no {name}.", quoted(&of.name)));
        }
        if of.all(name).nth(1).is_some() {
            self.add(&rules::REPEATED, of, name, format!("{} has several {name}.", quoted(&of.name)));
        }
        child
    }

    /// Reports a child that must be there at least once.
    pub fn some(&mut self, of: &Element, name: &'static str) {
        if of.child(name).is_none() {
            self.add(&rules::MISSING, of, name, format!("{} has no {name}.", quoted(&of.name)));
        }
    }

    /// Returns the text of a child that must be there.
    pub fn text(&mut self, of: &Element, name: &'static str, most: usize) -> Option<String> {
        let child = self.child(of, name)?;
        self.value(child, name, most)
    }

    /// Returns the text of a child that may be absent.
    pub fn optional(&mut self, of: &Element, path: &'static str, most: usize) -> Option<String> {
        let child = of.at(path)?;
        self.value(child, path, most)
    }

    fn value(&mut self, child: &Element, name: &'static str, most: usize) -> Option<String> {
        let Some(text) = child.value() else {
            self.add(&rules::EMPTY, child, name, "The element is empty.".to_owned());
            return None;
        };
        let length = text.chars().count();
        if length > most {
            self.add(&rules::LENGTH, child, name, format!("The text has {length} characters; the most is {most}."));
        }
        Some(text.to_owned())
    }

    /// Returns the text of a child in the characters that banks accept.
    pub fn bank_text(&mut self, of: &Element, path: &'static str, most: usize) -> Option<String> {
        let text = self.optional(of, path, most)?;
        self.characters(of, path, &text);
        Some(text)
    }

    pub fn characters(&mut self, of: &Element, field: &'static str, text: &str) {
        if !is_iso_text(text) {
            self.add(&rules::CHARACTERS, of, field, format!("The text is {}.", quoted(text)));
        }
    }

    pub fn number(&mut self, of: &Element, name: &'static str) -> Option<u64> {
        let child = of.child(name)?;
        let number = child.value().and_then(crate::nacha::number);
        if number.is_none() {
            self.add(&rules::NUMBER, child, name, format!("The value is {}.", quoted(&child.text)));
        }
        number
    }

    /// Reads an amount with its currency.
    pub fn amount(&mut self, of: &Element, name: &'static str) -> Option<Amount> {
        let child = self.child(of, name)?;
        let currency = child.currency.clone().unwrap_or_default();
        if currency.len() != 3 || !currency.bytes().all(|byte| byte.is_ascii_uppercase()) {
            self.add(&rules::CURRENCY, child, name, format!("The currency is {}.", quoted(&currency)));
            return None;
        }
        let minor = minor(child.text.trim(), decimals(&currency));
        if minor.is_none() {
            self.add(&rules::AMOUNT, child, name, format!("The amount is {}.", quoted(&child.text)));
        }
        Some(Amount { minor: minor?, currency })
    }

    /// Reads `CdtDbtInd`: true for a credit.
    pub fn is_credit(&mut self, of: &Element) -> Option<bool> {
        let child = self.child(of, "CdtDbtInd")?;
        match child.text.trim() {
            "CRDT" => Some(true),
            "DBIT" => Some(false),
            other => {
                self.add(&rules::INDICATOR, child, "CdtDbtInd", format!("The value is {}.", quoted(other)));
                None
            }
        }
    }

    /// Reads a date in `Dt` or the date of a time in `DtTm`; older messages have the date itself.
    pub fn date(&mut self, of: &Element, name: &'static str) -> Option<Date> {
        let child = of.child(name)?;
        let value = child.child("Dt").or_else(|| child.child("DtTm")).unwrap_or(child);
        let text = value.text.trim();
        let date = text.get(..10).and_then(|date| date.parse::<Date>().ok()).filter(|_| {
            // A date may have a zone: 2026-11-24Z, 2026-11-24+01:00.
            text.get(10..).is_some_and(|rest| rest.is_empty() || rest.starts_with(['Z', '+', '-', 'T']))
        });
        if date.is_none() {
            self.add(&rules::DATE, value, name, format!("The value is {}.", quoted(text)));
        }
        date
    }

    pub fn date_time(&mut self, of: &Element, name: &'static str) -> Option<String> {
        let text = self.text(of, name, 64)?;
        if !is_date_time(&text) {
            self.add(&rules::DATE_TIME, of, name, format!("The value is {}.", quoted(&text)));
        }
        Some(text)
    }
}

/// Returns whether this is a date and time, with a zone or without.
pub fn is_date_time(text: &str) -> bool {
    let local = text.trim_end_matches('Z');
    let local = local.get(19..).and_then(|rest| rest.find(['+', '-'])).map_or(local, |at| &local[..19 + at]);
    local.contains('T') && local.parse::<DateTime>().is_ok()
}
