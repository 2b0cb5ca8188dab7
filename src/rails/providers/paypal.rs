//! The requests and answers of PayPal Payouts, for PayPal and Venmo: one batch for each transfer, because only the id of
//! a batch is deduplicated. Pure.

use serde_json::{Value, json};

use super::order::Order;
use super::port::{Reply, Report, ReportedState};
use crate::ids::TransferId;
use crate::money::Cents;
use crate::outbound::Answered;
use crate::platform::Platform;
use crate::rails::failures::FailureCode;

const SUBJECT: &str = "You have a payout";

/// What a hand-over was answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Posted {
    Said(Reply),
    /// The id is known: this is PayPal's own id of the first batch.
    First(String),
}

/// Returns the meaning of an answer to a hand-over.
pub fn posted(answered: &Answered) -> Posted {
    let answer: Value = serde_json::from_slice(&answered.body).unwrap_or_default();
    Posted::Said(match (answered.status, answer["name"].as_str()) {
        (201, _) => created(&answer),
        (400, Some("USER_BUSINESS_ERROR")) => match first_batch(&answer) {
            Some(reference) => return Posted::First(reference),
            None => Reply::Unclear("it answered USER_BUSINESS_ERROR without a link to the first batch".to_owned()),
        },
        (422, Some("INSUFFICIENT_FUNDS")) => Reply::ShortOfFunds,
        (422, Some(name)) => Reply::Refused(failure(name)),
        (status, _) => Reply::Unclear(format!("it answered {status}")),
    })
}

/// Returns the meaning of an answer to a repeated hand-over. A refusal concerns the repetition: the first batch may have
/// been paid, and PayPal may check the account before it looks for the first batch.
pub fn repeated(reply: Reply) -> Reply {
    match reply {
        Reply::Refused(_) => Reply::Unclear(
            "it refused the repetition of a batch that it may have paid; clear it up with PayPal".to_owned(),
        ),
        known @ (Reply::Has(_) | Reply::HasNot | Reply::Different | Reply::ShortOfFunds | Reply::Unclear(_)) => known,
    }
}

/// Returns the body of a hand-over; `None` if the payment names no account at PayPal or Venmo.
pub fn batch(transfer: TransferId, order: &Order) -> Option<Value> {
    let text = |name: &str| order.far_end[name].as_str();
    let (recipient_type, receiver) = match order.far_end["type"].as_str()? {
        "email" => ("EMAIL", text("email")?),
        "phone" => ("PHONE", text("phone_number")?),
        "handle" => ("USER_HANDLE", text("handle")?.trim_start_matches('@')),
        _ => return None,
    };
    let wallets = [(Platform::WalletA, "PAYPAL"), (Platform::WalletB, "VENMO")];
    let (_, wallet) = wallets.into_iter().find(|(platform, _)| *platform == order.platform)?;
    let id = transfer.to_string();
    let amount = json!({"value": decimal(order.amount), "currency": order.currency});
    Some(json!({
        "sender_batch_header": {"sender_batch_id": id, "email_subject": SUBJECT},
        "items": [{
            "recipient_type": recipient_type, "amount": amount, "receiver": receiver, "sender_item_id": id,
            "recipient_wallet": wallet, "note": order.memo.as_deref().unwrap_or(SUBJECT),
        }],
    }))
}

/// Returns cents as a decimal of two places.
fn decimal(cents: Cents) -> String {
    format!("{}.{:02}", cents.get() / 100, cents.get() % 100)
}

/// Reads a decimal of at most two places, exactly.
fn cents(decimal: &str) -> Option<Cents> {
    let (whole, part) = decimal.split_once('.').unwrap_or((decimal, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > 2 {
        return None;
    }
    let whole: i64 = whole.parse().ok()?;
    let part: i64 = format!("{part:0<2}").parse().ok()?;
    whole.checked_mul(100)?.checked_add(part).map(Cents::new)
}

fn created(answer: &Value) -> Reply {
    match answer["batch_header"]["payout_batch_id"].as_str().filter(|reference| is_word(reference)) {
        Some(reference) => {
            let reference = Some(reference.to_owned());
            Reply::Has(Report { state: ReportedState::Accepted, settles_at: None, reference, fee: None })
        }
        None => Reply::Unclear("it accepted a batch without a usable id".to_owned()),
    }
}

/// Returns the id of the batch to which an error links.
fn first_batch(answer: &Value) -> Option<String> {
    let links = answer["links"].as_array()?;
    let id = links.iter().filter_map(|link| link["href"].as_str()?.rsplit_once("/payouts/")).map(|(_, id)| id);
    id.filter(|id| is_word(id)).map(str::to_owned).next()
}

/// Returns whether an id has only characters that are safe in a path.
pub fn is_word(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Returns what a batch says about our payment.
pub fn shown(transfer: TransferId, reference: &str, answered: &Answered) -> Reply {
    if answered.status != 200 {
        return Reply::Unclear(format!("it answered {}", answered.status));
    }
    let batch: Value = serde_json::from_slice(&answered.body).unwrap_or_default();
    let id = transfer.to_string();
    // The batch must be ours: a wrong link would report the fate of another payment.
    if batch["batch_header"]["sender_batch_header"]["sender_batch_id"].as_str().is_some_and(|given| given != id) {
        return Reply::Different;
    }
    if batch["batch_header"]["batch_status"].as_str().is_none() {
        return Reply::Unclear("its batch has no status".to_owned());
    }
    let items = batch["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let item = items.iter().find(|item| item["payout_item"]["sender_item_id"] == id.as_str());
    let state = state(batch["batch_header"]["batch_status"].as_str(), item);
    let fee = item.and_then(|item| cents(item["payout_item_fee"]["value"].as_str()?));
    Reply::Has(Report { state, settles_at: None, reference: Some(reference.to_owned()), fee })
}

fn state(batch_status: Option<&str>, item: Option<&Value>) -> ReportedState {
    let code = || failure(item.and_then(|item| item["errors"]["name"].as_str()).unwrap_or_default());
    match (batch_status, item.and_then(|item| item["transaction_status"].as_str())) {
        (_, Some("SUCCESS")) => ReportedState::Completed,
        (_, Some("FAILED" | "BLOCKED" | "DENIED")) | (Some("DENIED"), None) => ReportedState::Failed(code()),
        // Unclaimed for 30 days, or sent back by the receiver.
        (_, Some("RETURNED")) => ReportedState::CameBack(code()),
        (_, Some("REFUNDED" | "REVERSED")) => ReportedState::Returned(code()),
        // PENDING, ONHOLD, UNCLAIMED, and any later addition: not final.
        (_, _) => ReportedState::Accepted,
    }
}

fn failure(name: &str) -> FailureCode {
    match name {
        "RECEIVER_UNREGISTERED" | "RECEIVER_UNCONFIRMED" | "RECEIVER_ACCOUNT_INVALID" => FailureCode::RecipientNotFound,
        "RECEIVER_ACCOUNT_LOCKED" => FailureCode::AccountFrozen,
        "RECEIVER_COUNTRY_NOT_ALLOWED" | "REGULATORY_PENDING" | "REGULATORY_BLOCKED" => FailureCode::AccountNotEligible,
        "RECEIVER_REFUSED" => FailureCode::RefusedByReceiver,
        "TRANSACTION_LIMIT_EXCEEDED" | "RECEIVING_LIMIT_EXCEEDED" => FailureCode::LimitExceeded,
        _ => FailureCode::RejectedByRail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact_decimals() {
        for (minor, text) in [(1, "0.01"), (987, "9.87"), (100, "1.00"), (9_999_999_999, "99999999.99")] {
            assert_eq!(decimal(Cents::new(minor)), text);
            assert_eq!(cents(text), Some(Cents::new(minor)));
        }
        assert_eq!(cents("0.5"), Some(Cents::new(50)));
        for text in ["", ".", "-1.00", "1.001", "1e2", "1,00", "99999999999999999999"] {
            assert_eq!(cents(text), None, "{text}");
        }
    }

    #[test]
    fn every_status_of_an_item() {
        let rejected = FailureCode::RejectedByRail;
        let found = |status: &str| state(Some("SUCCESS"), Some(&json!({"transaction_status": status})));
        for (status, expected) in [
            ("SUCCESS", ReportedState::Completed),
            ("FAILED", ReportedState::Failed(rejected)),
            ("BLOCKED", ReportedState::Failed(rejected)),
            ("DENIED", ReportedState::Failed(rejected)),
            ("RETURNED", ReportedState::CameBack(rejected)),
            ("REFUNDED", ReportedState::Returned(rejected)),
            ("REVERSED", ReportedState::Returned(rejected)),
            ("PENDING", ReportedState::Accepted),
            ("ONHOLD", ReportedState::Accepted),
            ("UNCLAIMED", ReportedState::Accepted),
            ("NEW", ReportedState::Accepted),
        ] {
            assert_eq!(found(status), expected, "{status}");
        }
        assert_eq!(state(Some("DENIED"), None), ReportedState::Failed(rejected));
        for batch in [Some("PENDING"), Some("PROCESSING"), Some("CANCELED"), None] {
            assert_eq!(state(batch, None), ReportedState::Accepted, "{batch:?}");
        }
        let locked = json!({"transaction_status": "FAILED", "errors": {"name": "RECEIVER_ACCOUNT_LOCKED"}});
        assert_eq!(state(None, Some(&locked)), ReportedState::Failed(FailureCode::AccountFrozen));
    }

    #[test]
    fn the_first_batch_is_found_by_its_link_and_is_no_path() {
        let linked = |href: &str| first_batch(&json!({"links": [{"href": href}]}));
        assert_eq!(linked("https://api.paypal.example/v1/payments/payouts/5UXD-1").as_deref(), Some("5UXD-1"));
        for href in ["https://x.example/v1/payments/payouts/", "https://x.example/payouts/../oauth2", "payouts"] {
            assert_eq!(linked(href), None, "{href}");
        }
    }
}
