//! The reader of statements and notifications.

use super::super::fields::{Fields, ID_MAX};
use super::super::rules;
use super::super::xml::Element;
use super::{Account, Balance, BankCode, Batch, Detail, Entry, Report, ReportKind};
use crate::finding::quoted;

/// Reads the content of `BkToCstmrStmt` or `BkToCstmrDbtCdtNtfctn`.
pub(in super::super) fn of(body: &Element, kind: ReportKind, fields: &mut Fields<'_>) -> Option<Report> {
    let header = fields.child(body, "GrpHdr")?;
    let message_id = fields.text(header, "MsgId", ID_MAX);
    let created_at = fields.date_time(header, "CreDtTm");
    let name = match kind {
        ReportKind::Statement => "Stmt",
        ReportKind::Notification => "Ntfctn",
    };
    if body.child(name).is_none() {
        fields.child(body, name);
    }
    let accounts: Vec<Option<Account>> = body.all(name).map(|account| of_account(account, kind, fields)).collect();
    let accounts = accounts.into_iter().collect::<Option<Vec<Account>>>()?;
    Some(Report { kind, message_id: message_id?, created_at: created_at?, accounts })
}

fn of_account(of: &Element, kind: ReportKind, fields: &mut Fields<'_>) -> Option<Account> {
    let id = fields.text(of, "Id", ID_MAX);
    let number = fields.account(of, "Acct");
    if number.is_none() {
        fields.add(&rules::MISSING, of, "Acct", "The account has no IBAN and no number.".to_owned());
    }
    let balances: Vec<Option<Balance>> = of.all("Bal").map(|balance| of_balance(balance, fields)).collect();
    let entries: Vec<Option<Entry>> = of.all("Ntry").map(|entry| of_entry(entry, fields)).collect();
    let account = Account {
        id: id?,
        sequence: fields.number(of, "ElctrncSeqNb").or_else(|| fields.number(of, "LglSeqNb")),
        created_at: of.text_at("CreDtTm"),
        account: number?,
        currency: of.text_at("Acct/Ccy"),
        balances: balances.into_iter().collect::<Option<_>>()?,
        entries: entries.into_iter().collect::<Option<_>>()?,
    };
    check_currency(of, &account, fields);
    check_summary(of, &account, fields);
    if kind == ReportKind::Statement {
        check_balances(of, &account, fields);
    }
    Some(account)
}

fn of_balance(of: &Element, fields: &mut Fields<'_>) -> Option<Balance> {
    let code = fields.optional(of, "Tp/CdOrPrtry/Cd", 4).or_else(|| of.text_at("Tp/CdOrPrtry/Prtry"));
    if code.is_none() {
        fields.add(&rules::MISSING, of, "Tp", "The balance has no type.".to_owned());
    }
    let amount = fields.amount(of, "Amt");
    let is_credit = fields.is_credit(of);
    Some(Balance { code: code?, amount: amount?, is_credit: is_credit?, on: fields.date(of, "Dt") })
}

fn of_entry(of: &Element, fields: &mut Fields<'_>) -> Option<Entry> {
    let amount = fields.amount(of, "Amt");
    let is_credit = fields.is_credit(of);
    let status = fields.child(of, "Sts");
    // Version 02 has the code as text.
    let status = status.and_then(|status| status.text_at("Cd").or_else(|| status.value().map(str::to_owned)));
    if status.as_deref().is_none_or(|status| !matches!(status, "BOOK" | "PDNG" | "INFO" | "FUTR")) {
        fields.add(&rules::CODE, of, "Sts", format!("The status is {}.", quoted(status.as_deref().unwrap_or(""))));
    }
    let details: Vec<Detail> =
        of.all("NtryDtls").flat_map(|details| details.all("TxDtls")).map(|detail| of_detail(detail, fields)).collect();
    let entry = Entry {
        reference: fields.optional(of, "NtryRef", ID_MAX),
        amount: amount?,
        is_credit: is_credit?,
        is_reversal: matches!(of.text_at("RvslInd").as_deref(), Some("true" | "1")),
        status: status?,
        booked_on: fields.date(of, "BookgDt"),
        value_on: fields.date(of, "ValDt"),
        bank_reference: fields.optional(of, "AcctSvcrRef", ID_MAX),
        code: of.child("BkTxCd").map(code).unwrap_or_default(),
        batch: of.at("NtryDtls/Btch").map(|batch| Batch {
            message_id: fields.optional(batch, "MsgId", ID_MAX),
            payment_id: fields.optional(batch, "PmtInfId", ID_MAX),
            count: fields.number(batch, "NbOfTxs"),
        }),
        details,
    };
    check_details(of, &entry, fields);
    Some(entry)
}

fn code(of: &Element) -> BankCode {
    BankCode {
        domain: of.text_at("Domn/Cd"),
        family: of.text_at("Domn/Fmly/Cd"),
        sub_family: of.text_at("Domn/Fmly/SubFmlyCd"),
        proprietary: of.text_at("Prtry/Cd"),
    }
}

fn of_detail(of: &Element, fields: &mut Fields<'_>) -> Detail {
    let lines: Vec<&str> =
        of.child("RmtInf").into_iter().flat_map(|info| info.all("Ustrd")).filter_map(Element::value).collect();
    // Newer versions have a choice of party and bank.
    let name = |party: &str| of.text_at(&format!("{party}/Pty/Nm")).or_else(|| of.text_at(&format!("{party}/Nm")));
    // Versions before 04 have the amount in the details of the amount.
    let amount = match of.child("Amt") {
        Some(_) => fields.amount(of, "Amt"),
        None => of.at("AmtDtls/TxAmt").and_then(|amount| fields.amount(amount, "Amt")),
    };
    Detail {
        bank_reference: fields.optional(of, "Refs/AcctSvcrRef", ID_MAX),
        instruction_id: fields.optional(of, "Refs/InstrId", ID_MAX),
        end_to_end_id: fields.optional(of, "Refs/EndToEndId", ID_MAX),
        uetr: fields.optional(of, "Refs/UETR", 36),
        amount,
        debtor: name("RltdPties/Dbtr"),
        creditor: name("RltdPties/Cdtr"),
        remittance: (!lines.is_empty()).then(|| lines.concat()),
        return_reason: of.text_at("RtrInf/Rsn/Cd").or_else(|| of.text_at("RtrInf/Rsn/Prtry")),
    }
}

fn check_details(of: &Element, entry: &Entry, fields: &mut Fields<'_>) {
    let count = u64::try_from(entry.details.len()).unwrap_or(u64::MAX);
    if let Some(stated) = entry.batch.as_ref().and_then(|batch| batch.count)
        && count > 0
        && stated != count
    {
        let message = format!("The batch states {stated} transactions and lists {count}.");
        fields.add(&rules::DETAILS, of, "NtryDtls", message);
    }
    let amounts: Option<Vec<i128>> = entry
        .details
        .iter()
        .map(|detail| detail.amount.as_ref().filter(|amount| amount.currency == entry.amount.currency))
        .map(|amount| amount.map(|amount| i128::from(amount.minor)))
        .collect();
    let sum = amounts.filter(|amounts| !amounts.is_empty()).map(|amounts| amounts.iter().sum::<i128>());
    if let Some(sum) = sum.filter(|sum| *sum != i128::from(entry.amount.minor)) {
        let message = format!("The details add up to {sum} minor units instead of {}.", entry.amount.minor);
        fields.add(&rules::DETAILS, of, "NtryDtls", message);
    }
}

fn check_currency(of: &Element, account: &Account, fields: &mut Fields<'_>) {
    let amounts = account.balances.iter().map(|balance| &balance.amount);
    let mut amounts = amounts.chain(account.entries.iter().map(|entry| &entry.amount));
    let Some(expected) = account.currency.clone().or_else(|| amounts.clone().next().map(|a| a.currency.clone())) else {
        return;
    };
    if let Some(other) = amounts.find(|amount| amount.currency != expected) {
        let message = format!("The account is in {expected}, and an amount is in {}.", other.currency);
        fields.add(&rules::CURRENCY, of, "Amt", message);
    }
}

/// Compares the totals of the summary, if the bank writes one.
fn check_summary(of: &Element, account: &Account, fields: &mut Fields<'_>) {
    let Some(total) = of.at("TxsSummry/TtlNtries") else { return };
    let found = u64::try_from(account.entries.len()).unwrap_or(u64::MAX);
    if let Some(stated) = fields.number(total, "NbOfNtries").filter(|stated| *stated != found) {
        let message = format!("The summary states {stated} entries and the account has {found}.");
        fields.add(&rules::COUNT, total, "NbOfNtries", message);
    }
}

/// Checks that the booked entries lead from the opening to the closing balance.
fn check_balances(of: &Element, account: &Account, fields: &mut Fields<'_>) {
    let (Some(opening), Some(closing)) = (account.opening(), account.closing()) else {
        fields.add(&rules::NO_BALANCE, of, "Bal", "The statement lacks a booked balance.".to_owned());
        return;
    };
    let expected = opening.signed() + account.booked();
    if closing.signed() != expected {
        let message =
            format!("In minor units, the closing balance is {} and the entries give {expected}.", closing.signed());
        fields.add(&rules::BALANCE, of, "Bal", message);
    }
}
