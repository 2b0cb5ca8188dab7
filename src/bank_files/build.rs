//! The bytes of a file, from its records. Pure: the same records give the same bytes.

use bursar_formats::nacha::{self as format, Batch, BatchHeader, Entry, File, FileHeader, LineEnd, Trace};
use bursar_formats::{Profile, text};

use super::carrier::credit_class;
use super::model::{BankFile, FilePurpose, Header};
use crate::bank_accounts::HolderType;
use crate::banking::originators::{EntryClass, Originator};
use crate::banking::{LineEnding, NachaIdentity};
use crate::ids::TransferId;
use crate::money::Cents;
use crate::payout_methods::AccountType;
use crate::rails::Direction;
use crate::refusal::{Code, Refusal};

/// The name of the entry that balances a file.
const OFFSET: &str = "OFFSET";
/// The entry description of files that collect.
const COLLECTED: &str = "PAYMENT";
/// The entry descriptions that the ACH rules require of reversals, and of debits that are presented again.
const REVERSED: &str = "REVERSAL";
const PRESENTED_AGAIN: &str = "RETRY PYMT";
/// The entry description of prenotes.
const VALIDATED: &str = "PRENOTE";
/// The characters of an individual id: base 32 without I, L, O and U.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ID_LENGTH: usize = 15;
const NAME_MAX: usize = 22;

/// An account in clear text, only while a file is built.
pub(super) struct Account {
    pub routing: String,
    pub number: String,
    pub account_type: AccountType,
}

/// A payment in clear text, only while a file is built.
pub(super) struct Line {
    pub number: i64,
    pub transfer: TransferId,
    pub name: String,
    pub amount: Cents,
    pub account: Account,
}

/// Returns the id of an entry, by which a return names it: the last 75 bits of the transfer's id.
pub fn individual_id(transfer: TransferId) -> String {
    let bits = transfer.0.as_u128();
    let digit = |place: usize| char::from(DIGITS[usize::try_from(bits >> (5 * place) & 31).unwrap_or(0)]);
    (0..ID_LENGTH).rev().map(digit).collect()
}

/// Returns whether a word can be the id of a payment: of its length, in its digits, with the variant of a UUID in its
/// place, and not only decimal digits, as the numbers of banks are.
#[must_use]
pub fn is_individual_id(word: &str) -> bool {
    let value = |letter: u8| DIGITS.iter().position(|digit| *digit == letter);
    let letters = word.as_bytes();
    letters.len() == ID_LENGTH
        && letters.iter().all(|letter| value(*letter).is_some())
        && letters.iter().any(u8::is_ascii_alphabetic)
        // Bits 62 and 63 are the variant, 0 and 1; this digit has the bits 60 to 64.
        && letters.get(ID_LENGTH - 13).and_then(|letter| value(*letter)).is_some_and(|bits| bits >> 2 & 3 == 0b10)
}

/// Builds a file of the format NACHA. `lines` are in the order of their numbers; `own` is the settlement account, for a balanced file.
///
/// # Errors
/// `internal-error` if a value has no place in the file, or if our own checker refuses it.
pub(super) fn build(
    file: &BankFile,
    (header, nacha): (&Header, &NachaIdentity),
    originator: &Originator,
    lines: Vec<Line>,
    own: Option<Account>,
) -> Result<Vec<u8>, Refusal> {
    let odfi: String = nacha.odfi_routing_number.chars().take(8).collect();
    let trace = |number: i64| -> Result<Trace, Refusal> {
        let digits = format!("{odfi}{:07}", header.first_trace + number);
        digits.parse().map(Trace).map_err(|_| unwritable("the routing number of the connection is not a number"))
    };
    let class = file.entry_class.map_or_else(|| class_of(originator), Ok)?;
    let mut entries = Vec::with_capacity(lines.len() + 1);
    for line in lines {
        let (id, trace) = (individual_id(line.transfer), trace(line.number)?);
        let code = match file.purpose {
            FilePurpose::Prenotes => prenote_code(file.direction, line.account.account_type),
            FilePurpose::Payments | FilePurpose::Reversals | FilePurpose::Retries => {
                code(file.direction, line.account.account_type)
            }
        };
        let made = entry(code, line.account, line.amount, id, line.name, trace)?;
        entries.push(Entry { discretionary: payment_type(file.direction, class).to_owned(), ..made });
    }
    // Prenotes move no money that another entry could balance.
    if let Some(own) = own.filter(|_| file.moves_money()) {
        let trace = trace(file.entries_ever)?;
        let opposite = match file.direction {
            Direction::Credit => Direction::Debit,
            Direction::Debit => Direction::Credit,
        };
        let code = code(opposite, own.account_type);
        entries.push(entry(code, own, file.credit, OFFSET.to_owned(), OFFSET.to_owned(), trace)?);
    }
    let date = |day: &str| day.parse().map_err(|_| unwritable("a date of the file is no date"));
    let batch = BatchHeader {
        service_class: String::new(),
        company_name: originator.company_name.clone(),
        discretionary: originator.discretionary.clone().unwrap_or_default(),
        company_id: originator.company_id.clone(),
        sec: class.as_str().to_owned(),
        description: match (file.purpose, file.direction) {
            (FilePurpose::Payments, Direction::Credit) => originator.description.clone(),
            (FilePurpose::Payments, Direction::Debit) => COLLECTED.to_owned(),
            (FilePurpose::Reversals, _) => REVERSED.to_owned(),
            (FilePurpose::Retries, _) => PRESENTED_AGAIN.to_owned(),
            (FilePurpose::Prenotes, _) => VALIDATED.to_owned(),
        },
        descriptive_date: String::new(),
        effective_on: Some(date(&file.effective_on)?),
        settlement_day: None,
        odfi: odfi.clone(),
        number: 1,
    };
    let written = File { header: Some(file_header(header, nacha)?), batches: vec![Batch { header: batch, entries }] };
    let end = match nacha.line_ending {
        LineEnding::Lf => LineEnd::Lf,
        LineEnding::Crlf => LineEnd::Crlf,
    };
    let bytes = format::write(&written, end).map_err(|error| unwritable(&format!("no place for {error}")))?;
    match format::check(&bytes, Profile::Strict).findings.first_error() {
        None => Ok(bytes),
        Some(finding) => Err(unwritable(&format!("our own check refuses it: {finding}"))),
    }
}

pub(super) fn unwritable(reason: &str) -> Refusal {
    Refusal::new(Code::InternalError, format!("The bank file cannot be written: {reason}."))
}

/// Returns the class of payments of an originator: to people if it may, else to companies.
pub(super) fn class_of(originator: &Originator) -> Result<EntryClass, Refusal> {
    credit_class(&originator.entry_classes.0, HolderType::Individual)
        .ok_or_else(|| unwritable("its originator has no class for payments; route the rail to another originator"))
}

fn file_header(header: &Header, nacha: &NachaIdentity) -> Result<FileHeader, Refusal> {
    let invalid = |_| unwritable("its date or time is not valid");
    let created_at: jiff::civil::Time = format!("{}:00", header.created_at).parse().map_err(invalid)?;
    Ok(FileHeader {
        destination: nacha.destination.clone(),
        origin: nacha.origin.clone(),
        created_on: Some(header.created_on.parse().map_err(invalid)?),
        created_at: Some(created_at),
        modifier: header.modifier.chars().next().ok_or_else(|| unwritable("it has no modifier"))?,
        destination_name: nacha.destination_name.clone(),
        origin_name: nacha.origin_name.clone(),
        reference: String::new(),
    })
}

const fn code(direction: Direction, account_type: AccountType) -> &'static str {
    match (direction, account_type) {
        (Direction::Credit, AccountType::Checking) => "22",
        (Direction::Credit, AccountType::Savings) => "32",
        (Direction::Debit, AccountType::Checking) => "27",
        (Direction::Debit, AccountType::Savings) => "37",
    }
}

const fn prenote_code(direction: Direction, account_type: AccountType) -> &'static str {
    match (direction, account_type) {
        (Direction::Credit, AccountType::Checking) => "23",
        (Direction::Credit, AccountType::Savings) => "33",
        (Direction::Debit, AccountType::Checking) => "28",
        (Direction::Debit, AccountType::Savings) => "38",
    }
}

/// Returns the payment type code: each debit on the internet or by phone is authorized alone.
const fn payment_type(direction: Direction, class: EntryClass) -> &'static str {
    match (direction, class) {
        (Direction::Debit, EntryClass::Web | EntryClass::Tel) => "S",
        (Direction::Debit, EntryClass::Ppd | EntryClass::Ccd) | (Direction::Credit, _) => "",
    }
}

fn entry(
    code: &str,
    account: Account,
    amount: Cents,
    individual_id: String,
    name: String,
    trace: Trace,
) -> Result<Entry, Refusal> {
    Ok(Entry {
        line: 0,
        code: code.to_owned(),
        routing: account.routing,
        account: account.number,
        amount: u64::try_from(amount.get()).map_err(|_| unwritable("an amount is negative"))?,
        individual_id,
        name: text::shortened(&name, NAME_MAX).to_owned(),
        discretionary: String::new(),
        trace,
        addenda: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn individual_ids_differ_and_are_text_of_a_bank_file() {
        let of = |number: u128| individual_id(TransferId(Uuid::from_u128(number)));
        assert_eq!((of(0).as_str(), of(33).as_str()), ("000000000000000", "000000000000011"));
        assert_eq!(of((1 << 75) - 1), "ZZZZZZZZZZZZZZZ");
        assert_eq!(of(1 << 75), of(0), "the first bits are the time, which the rest does not need");
        for id in [Uuid::now_v7(), Uuid::from_u128(0x019a_0000_0000_7000_8000_0000_0000_000a)] {
            assert!(is_individual_id(&individual_id(TransferId(id))), "{id}");
        }
        for word in ["", "000000000000011", "123456789012345", "ABCDEFGHJKMNPQI", "8TC43A0000000000"] {
            assert!(!is_individual_id(word), "{word}");
        }
    }
}
