//! The meaning of BAI2 type codes.

/// What a type code says about an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// A balance or another fact about the account.
    Status,
    Credit,
    Debit,
    Information,
}

/// Opening and closing ledger balance, and the totals of credits and debits.
pub const OPENING: u16 = 10;
pub const CLOSING: u16 = 15;
pub const TOTAL_CREDITS: u16 = 100;
pub const TOTAL_DEBITS: u16 = 400;

/// Returns what a type code says.
#[must_use]
pub const fn sense(code: u16) -> Sense {
    match code {
        1..=99 | 900..=919 => Sense::Status,
        100..=399 | 920..=959 => Sense::Credit,
        400..=699 | 960..=999 => Sense::Debit,
        _ => Sense::Information,
    }
}

const NAMES: &[(u16, &str)] = &[
    (10, "opening ledger"),
    (15, "closing ledger"),
    (40, "opening available"),
    (45, "closing available"),
    (100, "total credits"),
    (142, "ACH credit received"),
    (165, "preauthorized ACH credit"),
    (166, "ACH settlement"),
    (168, "ACH return settlement"),
    (169, "miscellaneous ACH credit"),
    (195, "incoming wire"),
    (206, "book transfer credit"),
    (208, "international credit"),
    (257, "individual ACH return"),
    (258, "ACH reversal credit"),
    (301, "commercial deposit"),
    (354, "interest credit"),
    (399, "miscellaneous credit"),
    (400, "total debits"),
    (447, "ACH disbursement"),
    (451, "ACH debit received"),
    (452, "corporate trade payment debit"),
    (455, "preauthorized ACH debit"),
    (458, "instant payment"),
    (466, "ACH settlement"),
    (468, "ACH return settlement"),
    (469, "miscellaneous ACH debit"),
    (475, "check paid"),
    (495, "outgoing wire"),
    (508, "international debit"),
    (555, "deposited item returned"),
    (557, "individual ACH return"),
    (558, "ACH reversal debit"),
    (561, "individual rejected debit"),
    (661, "account analysis fee"),
    (698, "miscellaneous fees"),
    (699, "miscellaneous debit"),
    (890, "information"),
];

/// Returns the name of the codes that bursar knows.
#[must_use]
pub fn name(code: u16) -> Option<&'static str> {
    NAMES.iter().find(|(known, _)| *known == code).map(|(_, name)| *name)
}
