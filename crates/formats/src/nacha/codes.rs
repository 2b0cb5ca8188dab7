//! The codes of the network: transaction codes, SEC codes, return reasons and change codes.

/// The direction of money, seen from the receiver's account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    Credit,
    Debit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccountKind {
    Checking,
    Savings,
    Ledger,
    Loan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    Payment,
    Prenote,
    ZeroDollar,
    /// A return, or a notification of change.
    Return,
}

/// A transaction code: two digits for account, side and purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TransactionCode {
    pub account: AccountKind,
    pub side: Side,
    pub purpose: Purpose,
}

impl TransactionCode {
    /// Reads the two digits; `None` if the network does not assign them.
    #[must_use]
    pub const fn parse(digits: [u8; 2]) -> Option<Self> {
        use AccountKind::{Checking, Ledger, Loan, Savings};
        let account = match digits[0] {
            b'2' => Checking,
            b'3' => Savings,
            b'4' => Ledger,
            b'5' => Loan,
            _ => return None,
        };
        let (side, purpose) = match (account, digits[1]) {
            (_, b'1') => (Side::Credit, Purpose::Return),
            (_, b'2') => (Side::Credit, Purpose::Payment),
            (_, b'3') => (Side::Credit, Purpose::Prenote),
            (_, b'4') => (Side::Credit, Purpose::ZeroDollar),
            (_, b'6') => (Side::Debit, Purpose::Return),
            // A loan account is debited only to reverse a credit.
            (Loan, b'5') | (Checking | Savings | Ledger, b'7') => (Side::Debit, Purpose::Payment),
            (Checking | Savings | Ledger, b'8') => (Side::Debit, Purpose::Prenote),
            (Checking | Savings | Ledger, b'9') => (Side::Debit, Purpose::ZeroDollar),
            _ => return None,
        };
        Some(Self { account, side, purpose })
    }

    /// The two digits; `None` for a combination that the network does not assign.
    #[must_use]
    pub const fn digits(self) -> Option<[u8; 2]> {
        let first = match self.account {
            AccountKind::Checking => b'2',
            AccountKind::Savings => b'3',
            AccountKind::Ledger => b'4',
            AccountKind::Loan => b'5',
        };
        let second = match (self.account, self.side, self.purpose) {
            (_, Side::Credit, Purpose::Return) => b'1',
            (_, Side::Credit, Purpose::Payment) => b'2',
            (_, Side::Credit, Purpose::Prenote) => b'3',
            (_, Side::Credit, Purpose::ZeroDollar) => b'4',
            (_, Side::Debit, Purpose::Return) => b'6',
            (AccountKind::Loan, Side::Debit, Purpose::Payment) => b'5',
            (AccountKind::Loan, Side::Debit, Purpose::Prenote | Purpose::ZeroDollar) => return None,
            (_, Side::Debit, Purpose::Payment) => b'7',
            (_, Side::Debit, Purpose::Prenote) => b'8',
            (_, Side::Debit, Purpose::ZeroDollar) => b'9',
        };
        Some([first, second])
    }
}

/// A standard entry class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecCode {
    pub code: &'static str,
    /// Most addenda of an entry that is no return and no change.
    pub addenda_max: u32,
    /// The entry must have the name of the receiver.
    pub needs_name: bool,
}

const fn sec(code: &'static str, addenda_max: u32, needs_name: bool) -> SecCode {
    SecCode { code, addenda_max, needs_name }
}

/// The standard entry classes of the network.
pub const SEC_CODES: [SecCode; 23] = [
    sec("ACK", 1, true),
    sec("ADV", 1, true),
    sec("ARC", 0, false),
    sec("ATX", 9999, true),
    sec("BOC", 0, false),
    sec("CCD", 1, true),
    sec("CIE", 1, true),
    sec("COR", 1, true),
    sec("CTX", 9999, true),
    sec("DNE", 1, true),
    sec("ENR", 9999, true),
    sec("IAT", 12, false),
    sec("MTE", 1, true),
    sec("POP", 0, false),
    sec("POS", 1, true),
    sec("PPD", 1, true),
    sec("RCK", 0, true),
    sec("SHR", 1, true),
    sec("TEL", 0, true),
    sec("TRC", 0, false),
    sec("TRX", 9999, false),
    sec("WEB", 1, true),
    sec("XCK", 0, false),
];

#[must_use]
pub fn sec_code(code: &str) -> Option<SecCode> {
    SEC_CODES.into_iter().find(|known| known.code == code)
}

/// Return reasons with their meaning.
pub const RETURN_REASONS: &[(&str, &str)] = &[
    ("R01", "insufficient funds"),
    ("R02", "account closed"),
    ("R03", "no account or unable to locate it"),
    ("R04", "invalid account number"),
    ("R05", "unauthorized debit to a consumer account"),
    ("R06", "returned at the request of the ODFI"),
    ("R07", "authorization revoked"),
    ("R08", "payment stopped"),
    ("R09", "uncollected funds"),
    ("R10", "originator unknown or not authorized"),
    ("R11", "not in accordance with the authorization"),
    ("R12", "branch sold to another bank"),
    ("R13", "RDFI is not a participant"),
    ("R14", "representative payee deceased"),
    ("R15", "beneficiary or account holder deceased"),
    ("R16", "account frozen"),
    ("R17", "file record edit criteria, or questionable"),
    ("R18", "improper effective date"),
    ("R19", "amount field error"),
    ("R20", "not a transaction account"),
    ("R21", "invalid company id"),
    ("R22", "invalid individual id"),
    ("R23", "refused by the receiver"),
    ("R24", "duplicate entry"),
    ("R25", "addenda error"),
    ("R26", "mandatory field error"),
    ("R27", "trace number error"),
    ("R28", "routing number check digit error"),
    ("R29", "corporate customer says not authorized"),
    ("R30", "RDFI does not truncate checks"),
    ("R31", "permissible return (CCD and CTX)"),
    ("R32", "RDFI non-settlement"),
    ("R33", "return of XCK entry"),
    ("R34", "limited participation"),
    ("R35", "improper debit entry"),
    ("R36", "improper credit entry"),
    ("R37", "source document presented for payment"),
    ("R38", "stop payment on source document"),
    ("R39", "improper source document"),
    ("R40", "return of ENR entry by federal agency"),
    ("R41", "invalid transaction code (ENR)"),
    ("R42", "routing number check digit error (ENR)"),
    ("R43", "invalid account number (ENR)"),
    ("R44", "invalid individual id (ENR)"),
    ("R45", "invalid individual name (ENR)"),
    ("R46", "invalid representative payee indicator (ENR)"),
    ("R47", "duplicate enrollment"),
    ("R50", "state law affecting RCK acceptance"),
    ("R51", "item related to RCK entry is ineligible"),
    ("R52", "stop payment on item related to RCK entry"),
    ("R53", "item and RCK entry presented for payment"),
    ("R61", "misrouted return"),
    ("R62", "return of erroneous or reversing debit"),
    ("R67", "duplicate return"),
    ("R68", "untimely return"),
    ("R69", "field errors"),
    ("R70", "permissible return not accepted"),
    ("R71", "misrouted dishonored return"),
    ("R72", "untimely dishonored return"),
    ("R73", "timely original return"),
    ("R74", "corrected return"),
    ("R75", "return not a duplicate"),
    ("R76", "no errors found"),
    ("R77", "non-acceptance of R62 dishonored return"),
    ("R80", "IAT coding error"),
    ("R81", "non-participant in IAT program"),
    ("R82", "invalid foreign RDFI"),
    ("R83", "foreign RDFI unable to settle"),
    ("R84", "entry not processed by gateway"),
    ("R85", "incorrectly coded outbound international payment"),
    ("R90", "sanctions"),
];

/// Reasons to refuse a notification of change.
pub const REFUSED_CHANGES: &[(&str, &str)] = &[
    ("C61", "misrouted notification of change"),
    ("C62", "incorrect trace number"),
    ("C63", "incorrect company id"),
    ("C64", "incorrect individual id"),
    ("C65", "incorrectly formatted corrected data"),
    ("C66", "incorrect discretionary data"),
    ("C67", "routing number not from the original entry"),
    ("C68", "account number not from the original entry"),
    ("C69", "transaction code not from the original entry"),
];

/// Notifications of change with the corrected data.
pub const CHANGES: &[(&str, &str)] = &[
    ("C01", "account number"),
    ("C02", "routing number"),
    ("C03", "routing number and account number"),
    ("C04", "name"),
    ("C05", "transaction code"),
    ("C06", "account number and transaction code"),
    ("C07", "routing number, account number and transaction code"),
    ("C08", "foreign RDFI"),
    ("C09", "individual id"),
    ("C13", "addenda format"),
    ("C14", "SEC code of an outbound international payment"),
];

/// Returns the meaning of a return reason, a change or a refused change.
#[must_use]
pub fn meaning(code: &str) -> Option<&'static str> {
    let lists = [RETURN_REASONS, CHANGES, REFUSED_CHANGES];
    lists.into_iter().flatten().find(|(known, _)| *known == code).map(|(_, meaning)| *meaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_code_reads_back_and_the_others_are_unknown() {
        let mut known = Vec::new();
        for number in 0..100u8 {
            let digits = [b'0' + number / 10, b'0' + number % 10];
            if let Some(code) = TransactionCode::parse(digits) {
                assert_eq!(code.digits(), Some(digits));
                known.push(number);
            }
        }
        let expected: Vec<u8> = (21..=24)
            .chain(26..=29)
            .chain(31..=34)
            .chain(36..=39)
            .chain(41..=44)
            .chain(46..=49)
            .chain(51..=56)
            .collect();
        assert_eq!(known, expected);
    }

    #[test]
    fn codes_have_a_meaning_and_occur_once() {
        let all: Vec<&str> =
            [RETURN_REASONS, CHANGES, REFUSED_CHANGES].into_iter().flatten().map(|(code, _)| *code).collect();
        let distinct: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(distinct.len(), all.len());
        assert_eq!((meaning("R02"), meaning("C69").is_some(), meaning("R96")), (Some("account closed"), true, None));
        assert_eq!((sec_code("PPD").unwrap().addenda_max, sec_code("ZZZ")), (1, None));
    }
}
