//! pain.001: credit transfers, from the customer to the bank. Written as pain.001.001.09.

use std::collections::HashSet;

use jiff::civil::Date;

use super::amount::{Amount, decimals};
use super::fields::{Fields, ID_MAX, NAME_MAX};
use super::party::{AccountId, Agent, Party};
use super::rules;
use super::writer::{Unwritable, Writer};
use super::xml::Element;
use crate::finding::quoted;
use crate::text::decimal;

const MESSAGE: &str = "pain.001.001.09";
/// Longest unstructured remittance information.
const REMITTANCE_MAX: usize = 140;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditTransfers {
    pub message_id: String,
    /// YYYY-MM-DDThh:mm:ss, with a zone or without.
    pub created_at: String,
    pub initiator: String,
    pub payments: Vec<Payment>,
}

/// Transfers from one account on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    pub id: String,
    pub batch_booking: Option<bool>,
    /// `SEPA`, `URGP` wire, `NURG` ACH, `URNS` instant.
    pub service_level: Option<String>,
    /// `INST`, `PPD`, `CCD`.
    pub local_instrument: Option<String>,
    pub category_purpose: Option<String>,
    pub execute_on: Date,
    pub debtor: Party,
    pub debtor_account: AccountId,
    pub debtor_currency: Option<String>,
    pub debtor_agent: Agent,
    /// `SLEV`, `SHAR`, `DEBT`.
    pub charge_bearer: Option<String>,
    pub transfers: Vec<Transfer>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    pub instruction_id: Option<String>,
    pub end_to_end_id: String,
    pub uetr: Option<String>,
    /// The amount in the currency of the account, if `converted_to` names another one.
    pub amount: Amount,
    /// The currency that arrives, if the bank converts the amount.
    pub converted_to: Option<String>,
    pub creditor_agent: Option<Agent>,
    pub creditor: Party,
    pub creditor_account: AccountId,
    pub remittance: Option<String>,
}

/// Returns the sum of amounts, which may have several currencies: the standard adds the numbers.
fn control_sum<'a>(amounts: impl Iterator<Item = &'a Amount>) -> String {
    let mut most = 0;
    let mut thousandths: i128 = 0;
    for amount in amounts {
        let digits = decimals(&amount.currency);
        most = most.max(digits);
        thousandths += i128::from(amount.minor) * 10i128.pow(3 - digits.min(3));
    }
    decimal(thousandths / 10i128.pow(3 - most.min(3)), most)
}

/// Writes a message.
pub fn write(message: &CreditTransfers) -> Result<Vec<u8>, Unwritable> {
    let mut writer = Writer::new(MESSAGE);
    writer.element("CstmrCdtTrfInitn", |writer| {
        let all = || message.payments.iter().flat_map(|payment| &payment.transfers);
        writer.element("GrpHdr", |writer| {
            writer.bank_text("MsgId", &message.message_id, ID_MAX);
            writer.date_time("CreDtTm", &message.created_at);
            writer.text("NbOfTxs", &all().count().to_string(), 15);
            writer.text("CtrlSum", &control_sum(all().map(|transfer| &transfer.amount)), 19);
            writer.element("InitgPty", |writer| writer.bank_text("Nm", &message.initiator, NAME_MAX));
        });
        message.payments.iter().for_each(|payment| writer.element("PmtInf", |writer| write_payment(writer, payment)));
    });
    writer.finish()
}

fn write_payment(writer: &mut Writer, payment: &Payment) {
    writer.bank_text("PmtInfId", &payment.id, ID_MAX);
    writer.text("PmtMtd", "TRF", 3);
    writer.optional("BtchBookg", payment.batch_booking.map(|batch| if batch { "true" } else { "false" }), 5);
    writer.text("NbOfTxs", &payment.transfers.len().to_string(), 15);
    writer.text("CtrlSum", &control_sum(payment.transfers.iter().map(|transfer| &transfer.amount)), 19);
    let kinds = [
        ("SvcLvl", &payment.service_level),
        ("LclInstrm", &payment.local_instrument),
        ("CtgyPurp", &payment.category_purpose),
    ];
    if kinds.iter().any(|(_, code)| code.is_some()) {
        writer.element("PmtTpInf", |writer| {
            for (name, code) in kinds {
                if let Some(code) = code {
                    writer.element(name, |writer| writer.text("Cd", code, 35));
                }
            }
        });
    }
    writer.date("ReqdExctnDt", payment.execute_on);
    writer.party("Dbtr", &payment.debtor);
    writer.account("DbtrAcct", &payment.debtor_account, payment.debtor_currency.as_deref());
    writer.agent("DbtrAgt", &payment.debtor_agent);
    writer.optional("ChrgBr", payment.charge_bearer.as_deref(), 4);
    for transfer in &payment.transfers {
        writer.element("CdtTrfTxInf", |writer| write_transfer(writer, transfer));
    }
}

fn write_transfer(writer: &mut Writer, transfer: &Transfer) {
    writer.element("PmtId", |writer| {
        if let Some(id) = &transfer.instruction_id {
            writer.bank_text("InstrId", id, ID_MAX);
        }
        writer.bank_text("EndToEndId", &transfer.end_to_end_id, ID_MAX);
        writer.optional("UETR", transfer.uetr.as_deref(), 36);
    });
    writer.element("Amt", |writer| match &transfer.converted_to {
        None => writer.amount("InstdAmt", &transfer.amount),
        Some(currency) => writer.element("EqvtAmt", |writer| {
            writer.amount("Amt", &transfer.amount);
            writer.text("CcyOfTrf", currency, 3);
        }),
    });
    if let Some(agent) = &transfer.creditor_agent {
        writer.agent("CdtrAgt", agent);
    }
    writer.party("Cdtr", &transfer.creditor);
    writer.account("CdtrAcct", &transfer.creditor_account, None);
    if let Some(text) = &transfer.remittance {
        writer.element("RmtInf", |writer| writer.bank_text("Ustrd", text, REMITTANCE_MAX));
    }
}

/// Reads the content of `CstmrCdtTrfInitn`.
pub(super) fn of(body: &Element, fields: &mut Fields<'_>) -> Option<CreditTransfers> {
    let header = fields.child(body, "GrpHdr")?;
    let message_id = fields.text(header, "MsgId", ID_MAX);
    let created_at = fields.date_time(header, "CreDtTm");
    let initiator = fields.bank_text(header, "InitgPty/Nm", NAME_MAX).unwrap_or_default();
    fields.some(body, "PmtInf");
    let payments: Vec<Option<Payment>> = body.all("PmtInf").map(|payment| of_payment(payment, fields)).collect();
    let payments = payments.into_iter().collect::<Option<Vec<Payment>>>()?;
    let amounts: Vec<&Amount> =
        payments.iter().flat_map(|payment| &payment.transfers).map(|transfer| &transfer.amount).collect();
    check_counts(header, &amounts, true, fields);
    check_ids(body, &payments, fields);
    Some(CreditTransfers { message_id: message_id?, created_at: created_at?, initiator, payments })
}

fn of_payment(of: &Element, fields: &mut Fields<'_>) -> Option<Payment> {
    let id = fields.text(of, "PmtInfId", ID_MAX);
    if fields.text(of, "PmtMtd", 3).is_some_and(|method| method != "TRF") {
        fields.add(&rules::CODE, of, "PmtMtd", "The payment method is not TRF.".to_owned());
    }
    let batch_booking = match of.text_at("BtchBookg").as_deref() {
        Some("true" | "1") => Some(true),
        Some("false" | "0") => Some(false),
        _ => None,
    };
    let execute_on = fields.date(of, "ReqdExctnDt");
    if of.child("ReqdExctnDt").is_none() {
        fields.child(of, "ReqdExctnDt");
    }
    let debtor = fields.child(of, "Dbtr").and_then(|_| fields.party(of, "Dbtr"));
    let debtor_account = account(of, "DbtrAcct", fields);
    let debtor_agent = fields.agent(of, "DbtrAgt");
    if debtor_agent.is_none() {
        fields.add(&rules::MISSING, of, "DbtrAgt", "The bank of the debtor has no BIC and no member id.".to_owned());
    }
    fields.some(of, "CdtTrfTxInf");
    let transfers: Vec<Option<Transfer>> = of.all("CdtTrfTxInf").map(|of| of_transfer(of, fields)).collect();
    let transfers = transfers.into_iter().collect::<Option<Vec<Transfer>>>()?;
    let amounts: Vec<&Amount> = transfers.iter().map(|transfer| &transfer.amount).collect();
    check_counts(of, &amounts, false, fields);
    Some(Payment {
        id: id?,
        batch_booking,
        service_level: fields.optional(of, "PmtTpInf/SvcLvl/Cd", 4),
        local_instrument: fields.optional(of, "PmtTpInf/LclInstrm/Cd", 35),
        category_purpose: fields.optional(of, "PmtTpInf/CtgyPurp/Cd", 4),
        execute_on: execute_on?,
        debtor: debtor?,
        debtor_account: debtor_account?,
        debtor_currency: of.text_at("DbtrAcct/Ccy"),
        debtor_agent: debtor_agent?,
        charge_bearer: charge_bearer(of, fields),
        transfers,
    })
}

fn charge_bearer(of: &Element, fields: &mut Fields<'_>) -> Option<String> {
    let code = fields.optional(of, "ChrgBr", 4)?;
    if !matches!(code.as_str(), "SLEV" | "SHAR" | "DEBT" | "CRED") {
        fields.add(&rules::CODE, of, "ChrgBr", format!("The code is {}.", quoted(&code)));
    }
    Some(code)
}

fn account(of: &Element, name: &'static str, fields: &mut Fields<'_>) -> Option<AccountId> {
    let account = fields.account(of, name);
    if account.is_none() {
        fields.add(&rules::MISSING, of, name, "The account has no IBAN and no number.".to_owned());
    }
    account
}

fn of_transfer(of: &Element, fields: &mut Fields<'_>) -> Option<Transfer> {
    let ids = fields.child(of, "PmtId");
    let end_to_end_id = ids.and_then(|ids| fields.text(ids, "EndToEndId", ID_MAX));
    let amount = fields.child(of, "Amt");
    let equivalent = amount.and_then(|amount| amount.child("EqvtAmt"));
    let converted_to = equivalent.and_then(|equivalent| fields.text(equivalent, "CcyOfTrf", 3));
    let amount = match (equivalent, amount) {
        (Some(equivalent), _) => fields.amount(equivalent, "Amt"),
        (None, Some(amount)) => fields.amount(amount, "InstdAmt"),
        (None, None) => None,
    };
    if amount.as_ref().is_some_and(|amount| amount.minor == 0) {
        fields.add(&rules::AMOUNT, of, "InstdAmt", "The amount is zero.".to_owned());
    }
    let creditor = fields.child(of, "Cdtr").and_then(|_| fields.party(of, "Cdtr"));
    if creditor.as_ref().is_some_and(|creditor| creditor.name.is_empty()) {
        fields.add(&rules::MISSING, of, "Cdtr", "The creditor has no name.".to_owned());
    }
    let uetr = fields.optional(of, "PmtId/UETR", 36);
    if uetr.as_deref().is_some_and(|uetr| !is_uetr(uetr)) {
        fields.add(&rules::UETR, of, "UETR", "The UETR is no UUID of version 4.".to_owned());
    }
    let creditor_account = account(of, "CdtrAcct", fields);
    Some(Transfer {
        instruction_id: fields.bank_text(of, "PmtId/InstrId", ID_MAX),
        end_to_end_id: end_to_end_id?,
        uetr,
        amount: amount?,
        converted_to,
        creditor_agent: fields.agent(of, "CdtrAgt"),
        creditor: creditor?,
        creditor_account: creditor_account?,
        remittance: fields.bank_text(of, "RmtInf/Ustrd", REMITTANCE_MAX),
    })
}

/// Returns whether this is a UUID of version 4 in lower case.
fn is_uetr(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            14 => byte == b'4',
            19 => matches!(byte, b'8' | b'9' | b'a' | b'b'),
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        })
}

/// Compares number and sum with the transfers. The number is required in the group header.
fn check_counts(of: &Element, amounts: &[&Amount], required: bool, fields: &mut Fields<'_>) {
    if required {
        fields.child(of, "NbOfTxs");
    }
    let found = u64::try_from(amounts.len()).unwrap_or(u64::MAX);
    if let Some(stated) = fields.number(of, "NbOfTxs").filter(|stated| *stated != found) {
        let message = format!("The message states {stated} transactions and has {found}.");
        fields.add(&rules::COUNT, of, "NbOfTxs", message);
    }
    let Some(stated) = of.text_at("CtrlSum") else { return };
    let sum = control_sum(amounts.iter().copied());
    // The standard allows up to 17 decimals; zeros at the end say nothing.
    let plain = |text: &str| match text.split_once('.') {
        Some((whole, fraction)) => {
            let fraction = fraction.trim_end_matches('0');
            if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
        }
        None => text.to_owned(),
    };
    if plain(&stated) != plain(&sum) {
        let message = format!("The message states {} and the transactions add up to {sum}.", quoted(&stated));
        fields.add(&rules::SUM, of, "CtrlSum", message);
    }
}

fn check_ids(body: &Element, payments: &[Payment], fields: &mut Fields<'_>) {
    let mut seen = HashSet::new();
    for transfer in payments.iter().flat_map(|payment| &payment.transfers) {
        if transfer.end_to_end_id != "NOTPROVIDED" && !seen.insert(&transfer.end_to_end_id) {
            let message = format!("{} occurs a second time.", quoted(&transfer.end_to_end_id));
            fields.add(&rules::DUPLICATE, body, "EndToEndId", message);
        }
    }
}
