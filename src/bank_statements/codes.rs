//! What the codes of banks mean. Pure.

use bursar_formats::bai2::codes::{Sense, sense};
use bursar_formats::iso20022::camt::Entry;

use crate::bank_intake::LineMeaning;

/// Returns the meaning of a BAI2 type code.
pub(super) const fn of_bai2(code: u16) -> LineMeaning {
    match code {
        447 | 458 | 466 | 469 | 495 | 508 => LineMeaning::Payments,
        166 => LineMeaning::Collections,
        168 | 257 | 258 => LineMeaning::Returns,
        468 | 555 | 557 | 558 | 561 => LineMeaning::ReturnedDebits,
        142 | 165 | 169 | 195 | 206 | 208 | 301 | 399 => LineMeaning::Deposit,
        661 | 698 => LineMeaning::Fee,
        354 => LineMeaning::Interest,
        451 | 452 | 455 => LineMeaning::DebitByOther,
        _ => LineMeaning::Other,
    }
}

/// Returns whether a BAI2 line moves money, and in which direction.
pub(super) const fn is_credit(code: u16) -> Option<bool> {
    match sense(code) {
        Sense::Credit => Some(true),
        Sense::Debit => Some(false),
        Sense::Status | Sense::Information => None,
    }
}

/// Returns the meaning of a camt entry: by family and sub-family of its code, its direction, and whether it reverses.
pub(super) fn of_camt(entry: &Entry) -> LineMeaning {
    let part = |part: &Option<String>| part.as_deref().unwrap_or_default().to_owned();
    let (family, sub) = (part(&entry.code.family), part(&entry.code.sub_family));
    let is_returned = entry.details.iter().any(|detail| detail.return_reason.is_some());
    match (family.as_str(), sub.as_str(), entry.is_credit) {
        (_, "CHRG" | "FEES" | "COMM" | "COME", false) => LineMeaning::Fee,
        (_, "INTR", true) => LineMeaning::Interest,
        ("IDDT", _, false) => LineMeaning::ReturnedDebits,
        ("IDDT", _, true) if !entry.is_reversal && !is_returned => LineMeaning::Collections,
        (_, "RRTN", true) => LineMeaning::Returns,
        ("ICDT" | "IRCT", _, true) if entry.is_reversal || is_returned => LineMeaning::Returns,
        (_, "RRTN", false) => LineMeaning::Other,
        (_, _, _) if entry.is_reversal || is_returned => LineMeaning::Other,
        ("ICDT" | "IRCT", _, false) => LineMeaning::Payments,
        ("RCDT" | "RRCT", _, true) => LineMeaning::Deposit,
        ("RDDT", _, false) => LineMeaning::DebitByOther,
        _ => LineMeaning::Other,
    }
}

/// Returns the code of a camt entry as text: `PMNT-RCDT-ESCT`, or the bank's own.
pub(super) fn camt_text(entry: &Entry) -> String {
    let code = &entry.code;
    let parts: Vec<&str> =
        [&code.domain, &code.family, &code.sub_family].into_iter().filter_map(Option::as_deref).collect();
    if parts.is_empty() { code.proprietary.clone().unwrap_or_default() } else { parts.join("-") }
}
