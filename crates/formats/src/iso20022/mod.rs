//! ISO 20022 messages: pain.001 and pain.002 for payments and their status, camt.053 and camt.054 for accounts.
//!
//! `xml.rs` reads a document within limits: 64 MiB, 32 levels, no DTD, no entities. `fields.rs` reads values and reports
//! findings. Each message has its own file with model, reader and writer. Messages are known by their local names; the
//! namespace must be one of [`MESSAGES`].
//!
//! *Deliberately absent*: camt.052 and pacs messages. Elements that a reader does not need are ignored.

pub mod rules;
mod amount;
mod xml;
mod fields;
mod writer;
mod party;
pub mod pain001;
pub mod pain002;
pub mod camt;
mod show;

pub use amount::{Amount, decimals};
pub use party::{AccountId, Address, Agent, Party, is_bic};
pub use show::show;
pub use writer::Unwritable;
pub use xml::BYTES_MAX;

use crate::finding::{Findings, Place, Profile, Refused};

/// A message that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Pain001,
    Pain002,
    Camt053,
    Camt054,
}

/// The messages that can be read: name, kind, element below `Document`.
pub const MESSAGES: &[(&str, Kind, &str)] = &[
    ("pain.001.001.03", Kind::Pain001, "CstmrCdtTrfInitn"),
    ("pain.001.001.09", Kind::Pain001, "CstmrCdtTrfInitn"),
    ("pain.002.001.03", Kind::Pain002, "CstmrPmtStsRpt"),
    ("pain.002.001.10", Kind::Pain002, "CstmrPmtStsRpt"),
    ("pain.002.001.12", Kind::Pain002, "CstmrPmtStsRpt"),
    ("camt.053.001.02", Kind::Camt053, "BkToCstmrStmt"),
    ("camt.053.001.04", Kind::Camt053, "BkToCstmrStmt"),
    ("camt.053.001.06", Kind::Camt053, "BkToCstmrStmt"),
    ("camt.053.001.08", Kind::Camt053, "BkToCstmrStmt"),
    ("camt.053.001.10", Kind::Camt053, "BkToCstmrStmt"),
    ("camt.054.001.02", Kind::Camt054, "BkToCstmrDbtCdtNtfctn"),
    ("camt.054.001.04", Kind::Camt054, "BkToCstmrDbtCdtNtfctn"),
    ("camt.054.001.06", Kind::Camt054, "BkToCstmrDbtCdtNtfctn"),
    ("camt.054.001.08", Kind::Camt054, "BkToCstmrDbtCdtNtfctn"),
    ("camt.054.001.10", Kind::Camt054, "BkToCstmrDbtCdtNtfctn"),
];

const NAMESPACE: &str = "urn:iso:std:iso:20022:tech:xsd:";

/// A message as values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    CreditTransfers(pain001::CreditTransfers),
    StatusReport(pain002::StatusReport),
    /// Statements (camt.053) or notifications (camt.054).
    Report(camt::Report),
}

/// Checks a message.
#[must_use]
pub fn check(bytes: &[u8], profile: Profile) -> Findings {
    parse(bytes, profile).1
}

/// Reads a message whole, or refuses it whole. Also returns its name, for example `camt.053.001.08`.
pub fn read(bytes: &[u8], profile: Profile) -> Result<(Message, Findings), Refused> {
    match parse(bytes, profile) {
        (Some(message), findings) => findings.into_result(message),
        (None, findings) => Err(Refused(findings)),
    }
}

/// Returns the name of the message, if the document names one.
#[must_use]
pub fn name(bytes: &[u8]) -> Option<String> {
    let mut findings = Findings::new(Profile::Incoming);
    let document = xml::read_root(bytes, &mut findings)?;
    document.namespace.strip_prefix(NAMESPACE).map(str::to_owned)
}

fn parse(bytes: &[u8], profile: Profile) -> (Option<Message>, Findings) {
    let mut findings = Findings::new(profile);
    let Some(document) = xml::read(bytes, &mut findings) else { return (None, findings) };
    let name = document.namespace.strip_prefix(NAMESPACE).unwrap_or_default();
    let Some((_, kind, body)) = MESSAGES.iter().copied().find(|(known, ..)| *known == name) else {
        let message = format!("The namespace is {}.", crate::finding::quoted(&document.namespace));
        let place = Place { record: "Document", field: "xmlns", ..document.root.place() };
        findings.add(&rules::VERSION, place, message);
        return (None, findings);
    };
    if document.root.name != "Document" {
        findings.add(&rules::ROOT, document.root.place(), "The outermost element is not Document.");
    }
    let mut fields = fields::Fields::new(&mut findings);
    let message = fields.child(&document.root, body).and_then(|body| match kind {
        Kind::Pain001 => pain001::of(body, &mut fields).map(Message::CreditTransfers),
        Kind::Pain002 => pain002::of(body, &mut fields).map(Message::StatusReport),
        Kind::Camt053 => camt::of(body, camt::ReportKind::Statement, &mut fields).map(Message::Report),
        Kind::Camt054 => camt::of(body, camt::ReportKind::Notification, &mut fields).map(Message::Report),
    });
    (message, findings)
}

#[cfg(test)]
mod tests;
