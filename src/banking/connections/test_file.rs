//! The file with which a bank certifies a connection: one prenote to the settlement account, without money. Pure.

use bursar_formats::nacha::{self, Batch, BatchHeader, Entry, File, FileHeader, LineEnd, Trace};
use bursar_formats::{Profile, text};

use super::model::BankConnection;
use crate::banking::originators::Originator;
use crate::banking::settings::LineEnding;
use crate::banking::settlement_accounts::SettlementAccount;
use crate::clock::Time;
use crate::payout_methods::AccountType;
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
    let settings = &connection.settings.0;
    let refused = |message: String| Refusal::new(Code::InvalidState, message);
    let cutoff = settings.schedule().next(now, |window| !window.same_day);
    let cutoff = cutoff.or_else(|| settings.schedule().next(now, |_| true));
    let cutoff =
        cutoff.ok_or_else(|| refused("No window of the connection takes a file within three weeks.".to_owned()))?;
    let local = settings.time_zone.local(now);
    let header = FileHeader {
        destination: settings.nacha.destination.clone(),
        origin: settings.nacha.origin.clone(),
        created_on: Some(local.date()),
        created_at: Some(local.time()),
        modifier: MODIFIER,
        destination_name: settings.nacha.destination_name.clone(),
        origin_name: settings.nacha.origin_name.clone(),
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
        odfi: settings.nacha.odfi_routing_number.chars().take(8).collect(),
        number: 1,
    };
    let entry = prenote(originator, account, number, &batch.odfi)?;
    let file = File { header: Some(header), batches: vec![Batch { header: batch, entries: vec![entry] }] };
    let line_end = match settings.nacha.line_ending {
        LineEnding::Lf => LineEnd::Lf,
        LineEnding::Crlf => LineEnd::Crlf,
    };
    let bytes =
        nacha::write(&file, line_end).map_err(|error| refused(format!("The test file has no place for {error}.")))?;
    let checked = nacha::check(&bytes, Profile::Strict);
    if let Some(finding) = checked.findings.first_error() {
        return Err(refused(format!("Our own check refuses the test file: {finding}")));
    }
    let date = local.date().to_string().replace('-', "");
    let name = settings.file_name.replace("{date}", &date);
    let name = name.replace("{time}", &local.strftime("%H%M").to_string()).replace("{modifier}", &MODIFIER.to_string());
    Ok(TestFile { name, bytes })
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
