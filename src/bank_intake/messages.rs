//! The reports in messages of a bank: statuses (pain.002) and returns (camt.054). Pure.

use bursar_formats::iso20022::camt::{Detail, Entry, Report};
use bursar_formats::iso20022::pain002::{Meaning, PaymentStatus, Reason, StatusReport, meaning};

use super::model::ItemKind;
use super::reported::{Named, Reported, is_duplicate};
use crate::bank_files::BankAnswer;
use crate::fees::BOOK_CURRENCY;

const CODE_MAX: usize = 9;
const REASON_MAX: usize = 35;

fn answer(status: Option<&str>) -> Option<BankAnswer> {
    Some(match meaning(status?)? {
        Meaning::Accepted => BankAnswer::Accepted,
        Meaning::Settled => BankAnswer::Settled,
        Meaning::Rejected => BankAnswer::Rejected,
    })
}

fn shortened(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// Returns all statuses: one of the file for each payment block, or for the group without one, and one of each payment
/// that the bank names. The lowest level that has a status decides, so those of payments come first.
pub(super) fn statuses(report: &StatusReport) -> Vec<Reported> {
    if report.payments.is_empty() {
        let status = report.group_status.as_deref();
        let message = report.original_message_id.as_str();
        let group = status.map(|status| of_status(message, None, Some(status), &report.reasons, (0, 0)));
        return group.into_iter().collect();
    }
    (report.payments.iter()).flat_map(|payment| of_payment(report, payment)).collect()
}

fn of_payment(report: &StatusReport, payment: &PaymentStatus) -> Vec<Reported> {
    let message = report.original_message_id.as_str();
    let (status, reasons) = match &payment.status {
        Some(status) => (Some(status.as_str()), &payment.reasons),
        None => (report.group_status.as_deref(), &report.reasons),
    };
    let transactions = payment.transactions.iter().map(|transaction| {
        let own = report.status(payment, transaction);
        let reasons = if transaction.reasons.is_empty() { reasons } else { &transaction.reasons };
        let id = transaction.end_to_end_id.as_deref().or(transaction.instruction_id.as_deref());
        of_status(message, Some(id.unwrap_or_default()), own, reasons, (0, 0))
    });
    let mut all: Vec<Reported> = transactions.collect();
    let is_refused = |one: &&Reported| one.named.as_ref().and_then(|named| named.answer) == Some(BankAnswer::Rejected);
    let others = (all.len(), all.iter().filter(is_refused).count());
    all.extend(status.map(|status| of_status(message, None, Some(status), reasons, others)));
    all
}

fn of_status(
    message: &str,
    payment: Option<&str>,
    status: Option<&str>,
    reasons: &[Reason],
    (others, refused): (usize, usize),
) -> Reported {
    let codes: Vec<&str> = reasons
        .iter()
        .flat_map(|reason| [&reason.code, &reason.proprietary])
        .filter_map(|code| code.as_deref())
        .collect();
    let code = codes.iter().find(|code| is_duplicate(code)).or(codes.first());
    let texts: Vec<&str> = reasons.iter().filter_map(|reason| reason.text.as_deref()).collect();
    Reported {
        kind: ItemKind::Status,
        line: 0,
        code: shortened(status.unwrap_or_default(), CODE_MAX),
        trace: None,
        amount: 0,
        credits: 0,
        debits: (0, 0),
        account: String::new(),
        individual_id: payment.unwrap_or(message).to_owned(),
        text: texts.join(" "),
        change: None,
        named: Some(Named {
            message: Some(message.to_owned()),
            payment: payment.map(str::to_owned),
            answer: answer(status),
            others,
            refused,
            reason: code.map(|code| shortened(code, REASON_MAX)),
            file: None,
        }),
    }
}

/// Returns the returns in a notification: booked credits with the reason of a return.
pub(super) fn returns(report: &Report) -> Vec<Reported> {
    let entries = report.accounts.iter().flat_map(|account| &account.entries);
    let booked = (1..).zip(entries).filter(|(_, entry)| entry.is_booked() && entry.is_credit);
    booked
        .flat_map(|(line, entry)| entry.details.iter().filter_map(move |detail| of_return(line, entry, detail)))
        .collect()
}

fn of_return(line: i64, entry: &Entry, detail: &Detail) -> Option<Reported> {
    let reason = detail.return_reason.as_deref()?;
    let only = (entry.details.len() == 1).then_some(&entry.amount);
    let amounts = detail.amount.as_ref().into_iter().chain(only);
    let amount = amounts.into_iter().find(|amount| amount.currency == BOOK_CURRENCY);
    let id = detail.end_to_end_id.as_deref().or(detail.instruction_id.as_deref()).unwrap_or_default();
    Some(Reported {
        kind: ItemKind::Return,
        line,
        code: shortened(reason, CODE_MAX),
        trace: None,
        amount: amount.and_then(|amount| u64::try_from(amount.minor).ok()).unwrap_or(0),
        credits: 0,
        debits: (0, 0),
        account: String::new(),
        individual_id: id.to_owned(),
        text: detail.remittance.clone().unwrap_or_default(),
        change: None,
        named: Some(Named {
            message: None,
            payment: Some(id.to_owned()),
            answer: None,
            others: 0,
            refused: 0,
            reason: Some(shortened(reason, REASON_MAX)),
            file: None,
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bursar_formats::iso20022::pain002::TransactionStatus;

    fn reason(code: &str) -> Vec<Reason> {
        vec![Reason { code: Some(code.to_owned()), ..Reason::default() }]
    }

    fn report(group: Option<&str>, payments: Vec<PaymentStatus>) -> StatusReport {
        StatusReport {
            message_id: "S1".to_owned(),
            created_at: "2026-11-24T10:00:00".to_owned(),
            original_message_id: "M1".to_owned(),
            original_name: "pain.001.001.09".to_owned(),
            group_status: group.map(str::to_owned),
            reasons: reason("FF01"),
            payments,
        }
    }

    fn payment(status: Option<&str>, transactions: &[(&str, Option<&str>)]) -> PaymentStatus {
        let transaction = |(id, status): &(&str, Option<&str>)| TransactionStatus {
            instruction_id: None,
            end_to_end_id: Some((*id).to_owned()),
            uetr: None,
            status: status.map(str::to_owned),
            reasons: if *status == Some("RJCT") { reason("AC04") } else { Vec::new() },
        };
        let transactions = transactions.iter().map(transaction).collect();
        PaymentStatus {
            original_id: "M1".to_owned(),
            status: status.map(str::to_owned),
            reasons: Vec::new(),
            transactions,
        }
    }

    fn read(report: &StatusReport) -> Vec<(Option<String>, Option<BankAnswer>, Option<String>)> {
        let named = statuses(report).into_iter().map(|one| one.named.unwrap());
        named.map(|named| (named.payment, named.answer, named.reason)).collect()
    }

    #[test]
    fn of_several_reasons_the_one_of_a_duplicate_counts() {
        let reasons = |codes: &[(Option<&str>, Option<&str>)]| -> Vec<Reason> {
            let reason = |(code, proprietary): &(Option<&str>, Option<&str>)| Reason {
                code: code.map(str::to_owned),
                proprietary: proprietary.map(str::to_owned),
                ..Reason::default()
            };
            codes.iter().map(reason).collect()
        };
        for (codes, expected) in [
            (vec![(Some("NARR"), None), (Some("AM05"), None)], "AM05"),
            (vec![(Some("DU04"), None)], "DU04"),
            (vec![(None, Some("XT99")), (None, Some("DUPL"))], "DUPL"),
            (vec![(Some("AC04"), None), (Some("NARR"), None)], "AC04"),
        ] {
            let read = of_status("M1", Some("A"), Some("RJCT"), &reasons(&codes), (0, 0)).named.unwrap();
            assert_eq!(read.reason.as_deref(), Some(expected), "{codes:?}");
            assert_eq!(is_duplicate(expected), expected != "AC04");
        }
    }

    #[test]
    fn the_lowest_level_with_a_status_decides() {
        use BankAnswer::{Accepted, Rejected, Settled};
        let of = |id: &str, answer, reason: &str| (Some(id.to_owned()), Some(answer), Some(reason.to_owned()));
        let whole = |answer, reason: &str| (None, Some(answer), Some(reason.to_owned()));
        assert_eq!(read(&report(Some("RJCT"), Vec::new())), [whole(Rejected, "FF01")]);
        let named = vec![payment(None, &[("A", Some("RJCT")), ("B", None)])];
        assert_eq!(
            read(&report(Some("ACSP"), named)),
            [of("A", Rejected, "AC04"), of("B", Accepted, "FF01"), whole(Accepted, "FF01")]
        );
        let settled = vec![payment(Some("ACSC"), &[("A", None)])];
        let found = read(&report(Some("ACTC"), settled));
        assert_eq!((found[0].1, found[1].1), (Some(Settled), Some(Settled)));
        let unknown = vec![payment(None, &[("A", Some("WAIT"))])];
        assert_eq!(read(&report(None, unknown)), [(Some("A".to_owned()), None, Some("FF01".to_owned()))]);
    }
}
