//! The languages of payees, and every text that they read (docs/internals/adr/0060-the-languages-of-payees.md).
//!
//! `languages/*.toml` has the texts: one catalogue for each language, compiled in and parsed once. A [`Text`] is the key
//! of a text. A [`Said`] fills its placeholders, for a page or for a message. `written.rs` writes amounts and days.
//!
//! Invariant: each catalogue has the same keys and placeholders as the English one, and every plural form of its
//! language. A text is never joined to another one within a sentence.
//!
//! Deliberately absent: regions (`es-MX` is `es`), currencies other than the US dollar, and time zones other than UTC: a
//! page's script shows a moment in the zone of its reader.

mod catalogue;
mod choice;
mod codes;
mod countries;
mod formats;
mod said;
mod texts;
mod written;

#[cfg(test)]
mod tests;

pub use choice::LANGUAGE_COOKIE;
pub use codes::{Language, UnknownLanguage};
pub use said::Said;
pub use texts::Text;
