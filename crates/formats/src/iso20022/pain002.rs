//! pain.002: the status of credit transfers, from the bank to the customer. Written as pain.002.001.10.

use super::fields::{Fields, ID_MAX};
use super::rules;
use super::writer::{Unwritable, Writer};
use super::xml::Element;
use crate::finding::quoted;

const MESSAGE: &str = "pain.002.001.10";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusReport {
    pub message_id: String,
    pub created_at: String,
    pub original_message_id: String,
    /// For example `pain.001.001.09`.
    pub original_name: String,
    pub group_status: Option<String>,
    pub reasons: Vec<Reason>,
    pub payments: Vec<PaymentStatus>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentStatus {
    pub original_id: String,
    pub status: Option<String>,
    pub reasons: Vec<Reason>,
    pub transactions: Vec<TransactionStatus>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionStatus {
    pub instruction_id: Option<String>,
    pub end_to_end_id: Option<String>,
    pub uetr: Option<String>,
    /// Without a status the transaction has the status of its payment or group.
    pub status: Option<String>,
    pub reasons: Vec<Reason>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reason {
    /// A code of the external list, for example `AC04`.
    pub code: Option<String>,
    /// A code of the bank.
    pub proprietary: Option<String>,
    pub text: Option<String>,
}

/// What a status code means for the payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meaning {
    /// Received or in progress.
    Accepted,
    /// The money has moved.
    Settled,
    Rejected,
}

/// Returns the meaning of a status code; `None` if it is unknown, which never means rejected.
#[must_use]
pub fn meaning(code: &str) -> Option<Meaning> {
    match code {
        "RCVD" | "ACTC" | "ACCP" | "ACWC" | "PDNG" | "PART" | "ACWP" | "ACSP" => Some(Meaning::Accepted),
        "ACSC" | "ACCC" => Some(Meaning::Settled),
        "RJCT" | "CANC" => Some(Meaning::Rejected),
        _ => None,
    }
}

impl StatusReport {
    /// Returns the status of a transaction: the lowest level that has one.
    #[must_use]
    pub fn status<'a>(&'a self, payment: &'a PaymentStatus, transaction: &'a TransactionStatus) -> Option<&'a str> {
        let levels = [&transaction.status, &payment.status, &self.group_status];
        levels.into_iter().flatten().next().map(String::as_str)
    }
}

/// Writes a message.
pub fn write(report: &StatusReport) -> Result<Vec<u8>, Unwritable> {
    let mut writer = Writer::new(MESSAGE);
    writer.element("CstmrPmtStsRpt", |writer| {
        writer.element("GrpHdr", |writer| {
            writer.text("MsgId", &report.message_id, ID_MAX);
            writer.date_time("CreDtTm", &report.created_at);
        });
        writer.element("OrgnlGrpInfAndSts", |writer| {
            writer.text("OrgnlMsgId", &report.original_message_id, ID_MAX);
            writer.text("OrgnlMsgNmId", &report.original_name, ID_MAX);
            writer.optional("GrpSts", report.group_status.as_deref(), 4);
            write_reasons(writer, &report.reasons);
        });
        for payment in &report.payments {
            writer.element("OrgnlPmtInfAndSts", |writer| write_payment(writer, payment));
        }
    });
    writer.finish()
}

fn write_payment(writer: &mut Writer, payment: &PaymentStatus) {
    writer.text("OrgnlPmtInfId", &payment.original_id, ID_MAX);
    writer.optional("PmtInfSts", payment.status.as_deref(), 4);
    write_reasons(writer, &payment.reasons);
    for transaction in &payment.transactions {
        writer.element("TxInfAndSts", |writer| {
            writer.optional("OrgnlInstrId", transaction.instruction_id.as_deref(), ID_MAX);
            writer.optional("OrgnlEndToEndId", transaction.end_to_end_id.as_deref(), ID_MAX);
            writer.optional("OrgnlUETR", transaction.uetr.as_deref(), 36);
            writer.optional("TxSts", transaction.status.as_deref(), 4);
            write_reasons(writer, &transaction.reasons);
        });
    }
}

fn write_reasons(writer: &mut Writer, reasons: &[Reason]) {
    for reason in reasons {
        writer.element("StsRsnInf", |writer| {
            if let Some((name, code, most)) = reason
                .code
                .as_deref()
                .map(|code| ("Cd", code, 4))
                .or(reason.proprietary.as_deref().map(|code| ("Prtry", code, 35)))
            {
                writer.element("Rsn", |writer| writer.text(name, code, most));
            }
            writer.optional("AddtlInf", reason.text.as_deref(), 105);
        });
    }
}

/// Reads the content of `CstmrPmtStsRpt`.
pub(super) fn of(body: &Element, fields: &mut Fields<'_>) -> Option<StatusReport> {
    let header = fields.child(body, "GrpHdr")?;
    let message_id = fields.text(header, "MsgId", ID_MAX);
    let created_at = fields.date_time(header, "CreDtTm");
    let group = fields.child(body, "OrgnlGrpInfAndSts")?;
    let original_message_id = fields.text(group, "OrgnlMsgId", ID_MAX);
    let original_name = fields.text(group, "OrgnlMsgNmId", ID_MAX);
    let group_status = status(group, "GrpSts", fields);
    let payments: Vec<Option<PaymentStatus>> =
        body.all("OrgnlPmtInfAndSts").map(|payment| of_payment(payment, fields)).collect();
    Some(StatusReport {
        message_id: message_id?,
        created_at: created_at?,
        original_message_id: original_message_id?,
        original_name: original_name?,
        group_status,
        reasons: reasons(group, fields),
        payments: payments.into_iter().collect::<Option<_>>()?,
    })
}

fn of_payment(of: &Element, fields: &mut Fields<'_>) -> Option<PaymentStatus> {
    let original_id = fields.text(of, "OrgnlPmtInfId", ID_MAX);
    let status_of_payment = status(of, "PmtInfSts", fields);
    let reasons_of_payment = reasons(of, fields);
    let mut transactions = Vec::new();
    for transaction in of.all("TxInfAndSts") {
        let end_to_end_id = fields.optional(transaction, "OrgnlEndToEndId", ID_MAX);
        let instruction_id = fields.optional(transaction, "OrgnlInstrId", ID_MAX);
        let uetr = fields.optional(transaction, "OrgnlUETR", 36);
        if end_to_end_id.is_none() && instruction_id.is_none() && uetr.is_none() {
            let message = "The transaction has no id of ours.".to_owned();
            fields.add(&rules::MISSING, transaction, "OrgnlEndToEndId", message);
        }
        let status = status(transaction, "TxSts", fields);
        let reasons = reasons(transaction, fields);
        transactions.push(TransactionStatus { instruction_id, end_to_end_id, uetr, status, reasons });
    }
    Some(PaymentStatus {
        original_id: original_id?,
        status: status_of_payment,
        reasons: reasons_of_payment,
        transactions,
    })
}

fn status(of: &Element, name: &'static str, fields: &mut Fields<'_>) -> Option<String> {
    let code = fields.optional(of, name, 4)?;
    if meaning(&code).is_none() {
        fields.add(&rules::CODE, of, name, format!("The status {} is unknown.", quoted(&code)));
    }
    Some(code)
}

fn reasons(of: &Element, fields: &mut Fields<'_>) -> Vec<Reason> {
    let mut found = Vec::new();
    for reason in of.all("StsRsnInf") {
        // A bank may write several lines.
        let lines: Vec<&str> = reason.all("AddtlInf").filter_map(Element::value).collect();
        found.push(Reason {
            code: fields.optional(reason, "Rsn/Cd", 4),
            proprietary: fields.optional(reason, "Rsn/Prtry", 35),
            text: (!lines.is_empty()).then(|| lines.join(" ")),
        });
    }
    found
}
