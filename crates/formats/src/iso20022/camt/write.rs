//! The writer of statements and notifications.

use super::super::fields::ID_MAX;
use super::super::writer::{Unwritable, Writer};
use super::{Account, Balance, BankCode, Detail, Entry, Report, ReportKind};

/// Writes a message.
pub fn write(report: &Report) -> Result<Vec<u8>, Unwritable> {
    let (message, body, name) = match report.kind {
        ReportKind::Statement => ("camt.053.001.08", "BkToCstmrStmt", "Stmt"),
        ReportKind::Notification => ("camt.054.001.08", "BkToCstmrDbtCdtNtfctn", "Ntfctn"),
    };
    let mut writer = Writer::new(message);
    writer.element(body, |writer| {
        writer.element("GrpHdr", |writer| {
            writer.text("MsgId", &report.message_id, ID_MAX);
            writer.date_time("CreDtTm", &report.created_at);
        });
        for account in &report.accounts {
            writer.element(name, |writer| write_account(writer, account));
        }
    });
    writer.finish()
}

fn write_account(writer: &mut Writer, account: &Account) {
    writer.text("Id", &account.id, ID_MAX);
    writer.optional("ElctrncSeqNb", account.sequence.map(|number| number.to_string()).as_deref(), 18);
    if let Some(created_at) = &account.created_at {
        writer.date_time("CreDtTm", created_at);
    }
    writer.account("Acct", &account.account, account.currency.as_deref());
    for balance in &account.balances {
        writer.element("Bal", |writer| write_balance(writer, balance));
    }
    for entry in &account.entries {
        writer.element("Ntry", |writer| write_entry(writer, entry));
    }
}

fn write_balance(writer: &mut Writer, balance: &Balance) {
    writer.element("Tp", |writer| {
        writer.element("CdOrPrtry", |writer| writer.text("Cd", &balance.code, 4));
    });
    writer.amount("Amt", &balance.amount);
    writer.indicator(balance.is_credit);
    if let Some(on) = balance.on {
        writer.date("Dt", on);
    }
}

fn write_entry(writer: &mut Writer, entry: &Entry) {
    writer.optional("NtryRef", entry.reference.as_deref(), ID_MAX);
    writer.amount("Amt", &entry.amount);
    writer.indicator(entry.is_credit);
    writer.optional("RvslInd", entry.is_reversal.then_some("true"), 4);
    writer.element("Sts", |writer| writer.text("Cd", &entry.status, 4));
    if let Some(on) = entry.booked_on {
        writer.date("BookgDt", on);
    }
    if let Some(on) = entry.value_on {
        writer.date("ValDt", on);
    }
    writer.optional("AcctSvcrRef", entry.bank_reference.as_deref(), ID_MAX);
    write_code(writer, &entry.code);
    if entry.batch.is_none() && entry.details.is_empty() {
        return;
    }
    writer.element("NtryDtls", |writer| {
        if let Some(batch) = &entry.batch {
            writer.element("Btch", |writer| {
                writer.optional("MsgId", batch.message_id.as_deref(), ID_MAX);
                writer.optional("PmtInfId", batch.payment_id.as_deref(), ID_MAX);
                writer.optional("NbOfTxs", batch.count.map(|count| count.to_string()).as_deref(), 15);
            });
        }
        for detail in &entry.details {
            writer.element("TxDtls", |writer| write_detail(writer, detail, entry.is_credit));
        }
    });
}

fn write_code(writer: &mut Writer, code: &BankCode) {
    writer.element("BkTxCd", |writer| {
        if let (Some(domain), Some(family), Some(sub_family)) = (&code.domain, &code.family, &code.sub_family) {
            writer.element("Domn", |writer| {
                writer.text("Cd", domain, 4);
                writer.element("Fmly", |writer| {
                    writer.text("Cd", family, 4);
                    writer.text("SubFmlyCd", sub_family, 4);
                });
            });
        }
        if let Some(proprietary) = &code.proprietary {
            writer.element("Prtry", |writer| writer.text("Cd", proprietary, ID_MAX));
        }
    });
}

fn write_detail(writer: &mut Writer, detail: &Detail, is_credit: bool) {
    let references = [
        ("AcctSvcrRef", &detail.bank_reference, ID_MAX),
        ("InstrId", &detail.instruction_id, ID_MAX),
        ("EndToEndId", &detail.end_to_end_id, ID_MAX),
        ("UETR", &detail.uetr, 36),
    ];
    if references.iter().any(|(_, value, _)| value.is_some()) {
        writer.element("Refs", |writer| {
            references.iter().for_each(|(name, value, most)| writer.optional(name, value.as_deref(), *most));
        });
    }
    if let Some(amount) = &detail.amount {
        writer.amount("Amt", amount);
        writer.indicator(is_credit);
    }
    let parties = [("Dbtr", &detail.debtor), ("Cdtr", &detail.creditor)];
    if parties.iter().any(|(_, name)| name.is_some()) {
        writer.element("RltdPties", |writer| {
            for (element, name) in parties {
                if let Some(name) = name {
                    writer.element(element, |writer| writer.element("Pty", |writer| writer.text("Nm", name, 140)));
                }
            }
        });
    }
    if let Some(text) = &detail.remittance {
        writer.element("RmtInf", |writer| writer.text("Ustrd", text, 140));
    }
    if let Some(reason) = &detail.return_reason {
        let name = if reason.len() == 4 { "Cd" } else { "Prtry" };
        writer.element("RtrInf", |writer| writer.element("Rsn", |writer| writer.text(name, reason, ID_MAX)));
    }
}
