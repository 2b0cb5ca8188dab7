//! The bytes of a file in the format pain.001, from its records. Pure: the same records give the same bytes.

use bursar_formats::iso20022::pain001::{self, CreditTransfers, Payment};
use bursar_formats::iso20022::{self, AccountId, Address, Agent, Amount, Party};
use bursar_formats::{Profile, text};
use jiff::civil::Date;
use uuid::Uuid;

use super::build::{class_of, unwritable};
use super::model::{BankFile, Header};
use super::references::{end_to_end_id, uetr};
use crate::banking::Pain001Identity;
use crate::banking::originators::Originator;
use crate::banking::settlement_accounts::{BookingGrain, SettlementAccount};
use crate::fees::BOOK_CURRENCY;
use crate::ids::TransferId;
use crate::money::Cents;
use crate::payout_methods::{Details, Residence, Target, clearing_system};
use crate::platform::Platform;
use crate::refusal::Refusal;

/// The clearing system of routing numbers.
const US_ROUTING: &str = "USABA";
/// An address has two lines at most.
const ADDRESS_LINES: usize = 2;
const ADDRESS_LINE_MAX: usize = 70;
const TEXT_MAX: usize = 140;

/// A payment in clear text, only while a file is built.
pub(super) struct Line {
    pub transfer: TransferId,
    pub name: String,
    pub amount: Cents,
    pub details: Details,
}

/// The codes by which a bank knows the rail of a payment.
struct Service {
    level: &'static str,
    instrument: Option<&'static str>,
    /// Who pays the charges of the banks.
    charges: &'static str,
}

fn service(platform: Platform, originator: &Originator) -> Result<Service, Refusal> {
    let of = |level, instrument, charges| Ok(Service { level, instrument, charges });
    match platform {
        Platform::BankTransfer => of("NURG", Some(class_of(originator)?.as_str()), "SHAR"),
        Platform::Wire => of("URGP", None, "DEBT"),
        Platform::Rtp => of("URNS", Some("INST"), "SLEV"),
        // A payment abroad is a wire through correspondents.
        Platform::IntlBank => of("URGP", None, "SHAR"),
        Platform::Ach
        | Platform::WalletA
        | Platform::WalletB
        | Platform::WalletC
        | Platform::WalletD
        | Platform::WalletE
        | Platform::PrepaidCardA
        | Platform::GiftCardA
        | Platform::IntlTransfer
        | Platform::Crypto
        | Platform::PushToCard => Err(unwritable("a message does not carry its rail")),
    }
}

/// Builds a file. `lines` are in the order of their numbers; `number` is that of the settlement account.
///
/// # Errors
/// `internal-error` if a value has no place in the message, or if our own checker refuses it.
pub(super) fn build(
    file: &BankFile,
    (header, identity): (&Header, &Pain001Identity),
    originator: &Originator,
    (account, number): (&SettlementAccount, String),
    lines: Vec<Line>,
) -> Result<Vec<u8>, Refusal> {
    let message_id = header.message_id.clone().ok_or_else(|| unwritable("it has no message id"))?;
    let service = service(file.platform, originator)?;
    let remittance = text::iso_text(&format!("{} {}", originator.company_name, originator.description));
    let remittance = Some(text::shortened(&remittance, TEXT_MAX).to_owned()).filter(|text| !text.is_empty());
    let mut transfers = Vec::with_capacity(lines.len());
    for line in lines {
        transfers.push(transfer(&message_id, &account.currency, remittance.clone(), line)?);
    }
    let payment = Payment {
        id: message_id.clone(),
        batch_booking: Some(account.booking_grain != BookingGrain::Entry),
        service_level: Some(service.level.to_owned()),
        local_instrument: service.instrument.map(str::to_owned),
        category_purpose: None,
        execute_on: file.effective_on.parse().map_err(|_| unwritable("a date of the file is no date"))?,
        debtor: Party { name: identity.name.clone(), address: Some(own_address(identity)) },
        debtor_account: AccountId::Other(number),
        debtor_currency: Some(account.currency.clone()),
        debtor_agent: us_bank(&account.routing_number),
        charge_bearer: Some(service.charges.to_owned()),
        transfers,
    };
    let message = CreditTransfers {
        message_id,
        created_at: format!("{}T{}:00", header.created_on, header.created_at),
        initiator: identity.name.clone(),
        payments: vec![payment],
    };
    let bytes = pain001::write(&message).map_err(|error| unwritable(&format!("no place for {error}")))?;
    match iso20022::check(&bytes, Profile::Strict).first_error() {
        None => Ok(bytes),
        Some(finding) => Err(unwritable(&format!("our own check refuses it: {finding}"))),
    }
}

/// Returns whether a message can pay to the details. What cannot be written must fail its payment, not the file.
pub(super) fn is_writable(details: &Details) -> bool {
    let line = Line {
        transfer: TransferId(Uuid::nil()),
        name: "X".to_owned(),
        amount: Cents::new(1),
        details: details.clone(),
    };
    let Ok(transfer) = transfer("X", BOOK_CURRENCY, None, line) else { return false };
    let payment = Payment {
        id: "X".to_owned(),
        batch_booking: None,
        service_level: Some("NURG".to_owned()),
        local_instrument: None,
        category_purpose: None,
        execute_on: Date::constant(2026, 1, 2),
        debtor: Party { name: "X".to_owned(), address: None },
        debtor_account: AccountId::Other("1".to_owned()),
        debtor_currency: None,
        debtor_agent: us_bank("110000000"),
        charge_bearer: None,
        transfers: vec![transfer],
    };
    let message = CreditTransfers {
        message_id: "X".to_owned(),
        created_at: "2026-01-02T00:00:00".to_owned(),
        initiator: "X".to_owned(),
        payments: vec![payment],
    };
    pain001::write(&message).is_ok_and(|bytes| iso20022::check(&bytes, Profile::Strict).first_error().is_none())
}

fn own_address(identity: &Pain001Identity) -> Address {
    Address {
        street: Some(identity.street.clone()),
        post_code: Some(identity.post_code.clone()),
        town: Some(identity.town.clone()),
        country: Some(identity.country.clone()),
        ..Address::default()
    }
}

fn us_bank(routing_number: &str) -> Agent {
    Agent::Clearing { system: US_ROUTING.to_owned(), member: routing_number.to_owned() }
}

fn transfer(
    message_id: &str,
    currency: &str,
    remittance: Option<String>,
    line: Line,
) -> Result<pain001::Transfer, Refusal> {
    let id = end_to_end_id(line.transfer);
    let (agent, account) = destination(&line.details)?;
    Ok(pain001::Transfer {
        instruction_id: Some(id.clone()),
        end_to_end_id: id,
        uetr: Some(uetr(line.transfer, message_id)),
        amount: Amount { minor: line.amount.get(), currency: currency.to_owned() },
        // The bank debits the amount of our ledger, and converts it.
        converted_to: Some(line.details.currency.clone()).filter(|arrives| arrives != currency),
        creditor_agent: Some(agent),
        creditor: Party { name: line.name, address: address(&line.details) },
        creditor_account: account,
        remittance,
    })
}

/// Returns the bank and the account of a payee.
fn destination(details: &Details) -> Result<(Agent, AccountId), Refusal> {
    match &details.target {
        Target::UsBank { bank, .. } => {
            Ok((us_bank(&bank.routing_number), AccountId::Other(bank.account_number.clone())))
        }
        Target::Iban { iban, bic: Some(bic), .. } => Ok((Agent::Bic(bic.clone()), AccountId::Iban(iban.clone()))),
        Target::LocalAccount { country, account_number, bank_code, .. } => {
            let is_bic = iso20022::is_bic(bank_code);
            let agent = match clearing_system(country) {
                _ if is_bic => Agent::Bic(bank_code.clone()),
                Some(system) => Agent::Clearing { system: system.to_owned(), member: bank_code.clone() },
                None => return Err(unwritable("a payee's bank has no BIC")),
            };
            Ok((agent, AccountId::Other(account_number.clone())))
        }
        Target::Iban { bic: None, .. } => Err(unwritable("a payee's bank has no BIC")),
        Target::CashTag { .. }
        | Target::Email { .. }
        | Target::Handle { .. }
        | Target::Phone { .. }
        | Target::Recipient { .. }
        | Target::Card { .. }
        | Target::Chain { .. }
        | Target::Nothing => Err(unwritable("a payee has no bank account")),
    }
}

/// Returns the payee's address: town and country, with the street in lines.
fn address(details: &Details) -> Option<Address> {
    let (Residence { street, town, country }, wire) = match &details.target {
        Target::UsBank { address, residence, .. } => (residence.as_ref()?, address.as_ref()),
        Target::Iban { residence, .. } | Target::LocalAccount { residence, .. } => (residence.as_ref()?, None),
        Target::CashTag { .. }
        | Target::Email { .. }
        | Target::Handle { .. }
        | Target::Phone { .. }
        | Target::Recipient { .. }
        | Target::Card { .. }
        | Target::Chain { .. }
        | Target::Nothing => return None,
    };
    let lines = wire.or(street.as_ref()).map(|street| lines_of(&text::iso_text(street))).unwrap_or_default();
    Some(Address { town: Some(text::iso_text(town)), country: Some(country.clone()), lines, ..Address::default() })
}

/// Divides a text between words into the lines that an address may have. What has no place is cut off.
fn lines_of(street: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in street.split_whitespace() {
        let word = text::shortened(word, ADDRESS_LINE_MAX).trim_matches('/');
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= ADDRESS_LINE_MAX => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_owned()),
        }
    }
    lines.retain(|line| !line.is_empty());
    lines.truncate(ADDRESS_LINES);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_that_has_no_place_in_a_message_is_known_before_the_file_is_built() {
        let residence = Some(Residence { street: None, town: "Rio".to_owned(), country: "BR".to_owned() });
        let local = |country: &str, bank_code: &str, account_number: &str| Details {
            platform: Platform::IntlBank,
            target: Target::LocalAccount {
                country: country.to_owned(),
                account_number: account_number.to_owned(),
                bank_code: bank_code.to_owned(),
                account_holder_name: None,
                residence: residence.clone(),
            },
            currency: "USD".to_owned(),
        };
        assert!(is_writable(&local("BR", "BRASBRRJ", "123456")));
        assert!(is_writable(&local("IN", "SBIN0000300", "30012345678")));
        for (country, bank_code, account_number) in [
            ("BR", "brasbrrj", "123456"),
            ("BR", "00000000", "123456"),
            ("BR", "BRASBRRJ", ""),
            ("BR", "BRASBRRJ", "12\u{7}4"),
        ] {
            assert!(!is_writable(&local(country, bank_code, account_number)), "{country} {bank_code} {account_number}");
        }
    }

    #[test]
    fn an_address_has_two_lines_between_words() {
        assert_eq!(lines_of("1 Main Street"), ["1 Main Street"]);
        let long = format!("{} {} {}", "a".repeat(60), "b".repeat(30), "c".repeat(60));
        assert_eq!(lines_of(&long), [format!("{} ", "a".repeat(60)).trim(), &"b".repeat(30)]);
        assert_eq!(lines_of(&"x".repeat(200)), ["x".repeat(70)]);
        assert!(lines_of("").is_empty());
    }
}
