//! The file with which a bank certifies a connection. A NACHA file has one prenote to the settlement account, without money;
//! a pain.001 message has no prenote, and moves one cent from the account to itself. Pure.

use bursar_formats::iso20022::pain001::{self, CreditTransfers, Payment, Transfer};
use bursar_formats::iso20022::{self, AccountId, Address, Agent, Amount, Party};
use bursar_formats::nacha::{self as format, Batch, BatchHeader, Entry, File, FileHeader, LineEnd, Trace};
use bursar_formats::{Profile, text};

use super::model::BankConnection;
use crate::banking::originators::Originator;
use crate::banking::settings::{Identity, LineEnding, Pain001Identity};
use crate::banking::settlement_accounts::SettlementAccount;
use crate::clock::Time;
use crate::payout_methods::AccountType;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};

/// The modifier of a day's first file.
const MODIFIER: char = 'A';
const INDIVIDUAL_ID: &str = "TEST";
const NAME_MAX: usize = 22;

pub(super) struct TestFile {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Builds the file. `number` is the account number in clear text; the caller must not store it.
///
/// # Errors
/// `invalid-state` if no window takes the file, or if our own checker refuses it.
pub(super) fn build(
    connection: &BankConnection,
    originator: &Originator,
    account: &SettlementAccount,
    number: &str,
    now: Time,
) -> Result<TestFile, Refusal> {
    let nacha = match &connection.settings.0.identity {
        Identity::Nacha(nacha) => nacha,
        Identity::Pain001(identity) => return message(connection, identity, account, number, now),
    };
    let settings = &connection.settings.0;
    let cutoff = settings.schedule().next(now, |window| !window.same_day);
    let cutoff = cutoff.or_else(|| settings.schedule().next(now, |_| true)).ok_or_else(no_window)?;
    let local = settings.time_zone.local(now);
    let header = FileHeader {
        destination: nacha.destination.clone(),
        origin: nacha.origin.clone(),
        created_on: Some(local.date()),
        created_at: Some(local.time()),
        modifier: MODIFIER,
        destination_name: nacha.destination_name.clone(),
        origin_name: nacha.origin_name.clone(),
        reference: String::new(),
    };
    let batch = BatchHeader {
        service_class: String::new(),
        company_name: originator.company_name.clone(),
        discretionary: originator.discretionary.clone().unwrap_or_default(),
        company_id: originator.company_id.clone(),
        sec: originator.entry_classes.0.first().map_or("PPD", |class| class.as_str()).to_owned(),
        description: originator.description.clone(),
        descriptive_date: String::new(),
        effective_on: Some(cutoff.effective_on),
        settlement_day: None,
        odfi: nacha.odfi_routing_number.chars().take(8).collect(),
        number: 1,
    };
    let entry = prenote(originator, account, number, &batch.odfi)?;
    let file = File { header: Some(header), batches: vec![Batch { header: batch, entries: vec![entry] }] };
    let line_end = match nacha.line_ending {
        LineEnding::Lf => LineEnd::Lf,
        LineEnding::Crlf => LineEnd::Crlf,
    };
    let bytes = format::write(&file, line_end)
        .map_err(|error| refused(format!("The test file has no place for {error}. Shorten it in the connection.")))?;
    let checked = format::check(&bytes, Profile::Strict);
    if let Some(finding) = checked.findings.first_error() {
        return Err(refused(format!("Our own check refuses the test file: {finding}. Change the connection.")));
    }
    Ok(TestFile { name: name(connection, now, &MODIFIER.to_string()), bytes })
}

fn refused(message: String) -> Refusal {
    Refusal::new(Code::InvalidState, message).because(Reason::SetUpIncomplete)
}

fn no_window() -> Refusal {
    refused("No window of the connection takes a file within three weeks. Change its windows.".to_owned())
}

fn name(connection: &BankConnection, now: Time, modifier: &str) -> String {
    let settings = &connection.settings.0;
    let local = settings.time_zone.local(now);
    let date = local.date().to_string().replace('-', "");
    let name = settings.file_name.replace("{date}", &date);
    name.replace("{time}", &local.strftime("%H%M").to_string()).replace("{modifier}", modifier)
}

/// One cent from the settlement account to itself.
fn message(
    connection: &BankConnection,
    identity: &Pain001Identity,
    account: &SettlementAccount,
    number: &str,
    now: Time,
) -> Result<TestFile, Refusal> {
    let settings = &connection.settings.0;
    let cutoff = settings.schedule().next(now, |_| true).ok_or_else(no_window)?;
    let created_at = settings.time_zone.local(now).strftime("%Y-%m-%dT%H:%M:%S").to_string();
    let address = Address {
        street: Some(identity.street.clone()),
        post_code: Some(identity.post_code.clone()),
        town: Some(identity.town.clone()),
        country: Some(identity.country.clone()),
        ..Address::default()
    };
    let party = Party { name: identity.name.clone(), address: Some(address) };
    let agent = Agent::Clearing { system: "USABA".to_owned(), member: account.routing_number.clone() };
    let id = format!("{INDIVIDUAL_ID}-{}", created_at.replace(['-', ':', 'T'], ""));
    let transfer = Transfer {
        instruction_id: Some(id.clone()),
        end_to_end_id: id.clone(),
        uetr: None,
        amount: Amount { minor: 1, currency: account.currency.clone() },
        converted_to: None,
        creditor_agent: Some(agent.clone()),
        creditor: party.clone(),
        creditor_account: AccountId::Other(number.to_owned()),
        remittance: None,
    };
    let payment = Payment {
        id: id.clone(),
        batch_booking: Some(false),
        service_level: Some("NURG".to_owned()),
        local_instrument: None,
        category_purpose: None,
        execute_on: cutoff.effective_on,
        debtor: party,
        debtor_account: AccountId::Other(number.to_owned()),
        debtor_currency: Some(account.currency.clone()),
        debtor_agent: agent,
        charge_bearer: Some("SHAR".to_owned()),
        transfers: vec![transfer],
    };
    let (initiator, payments) = (identity.name.clone(), vec![payment]);
    let message = CreditTransfers { message_id: id, created_at, initiator, payments };
    let bytes = pain001::write(&message)
        .map_err(|error| refused(format!("The test file has no place for {error}. Shorten it in the connection.")))?;
    if let Some(finding) = iso20022::check(&bytes, Profile::Strict).first_error() {
        return Err(refused(format!("Our own check refuses the test file: {finding}. Change the connection.")));
    }
    Ok(TestFile { name: name(connection, now, "TEST"), bytes })
}

/// An entry without money, in the direction of the originator's first class.
fn prenote(originator: &Originator, account: &SettlementAccount, number: &str, odfi: &str) -> Result<Entry, Refusal> {
    let is_debit = originator.entry_classes.0.first().is_some_and(|class| class.is_debit());
    let code = match (account.account_type, is_debit) {
        (AccountType::Checking, false) => "23",
        (AccountType::Checking, true) => "28",
        (AccountType::Savings, false) => "33",
        (AccountType::Savings, true) => "38",
    };
    let trace: Result<u64, _> = format!("{odfi}0000001").parse();
    let unreadable = |_| Refusal::new(Code::InternalError, "The routing number of the connection is not a number.");
    let name = text::upper_ascii(&originator.company_name);
    Ok(Entry {
        line: 0,
        code: code.to_owned(),
        routing: account.routing_number.clone(),
        account: number.to_owned(),
        amount: 0,
        individual_id: INDIVIDUAL_ID.to_owned(),
        name: text::shortened(&name, NAME_MAX).to_owned(),
        // WEB and TEL mark single entries, and these are the classes of debits only.
        discretionary: if is_debit { "S " } else { "" }.to_owned(),
        trace: Trace(trace.map_err(unreadable)?),
        addenda: Vec::new(),
    })
}
