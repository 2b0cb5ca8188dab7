//! A gateway's delivery reports, and the check of their signature.
//!
//! The gateway posts a form to the address that was given with the text, and signs it with the account's token:
//! HMAC-SHA1 over the whole address and the fields, sorted by name, each name followed by its value.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};
use sha1::Sha1;

use super::{DeliveryOutcome, in_short, is_this_machine};
use crate::ids::{MessageId, OrgId};

/// The header with the signature, in lower case.
pub const SIGNATURE: &str = "x-twilio-signature";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The gateway's id of the text.
    pub reference: String,
    pub delivery_outcome: DeliveryOutcome,
}

impl Report {
    /// Reads a report; `None` if it names no text or no status.
    pub fn of(fields: &[(String, String)]) -> Option<Self> {
        let field = |wanted: &str| fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
        let reference = field("MessageSid").filter(|sid| is_word(sid))?.to_owned();
        let code = field("ErrorCode").and_then(|code| code.parse().ok());
        let delivery_outcome = fate_of(field("MessageStatus")?, code, field("ErrorMessage"));
        Some(Self { reference, delivery_outcome })
    }
}

/// A text message that a person sent to our number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoming {
    /// The gateway's id of the text.
    pub reference: String,
    /// The sender's phone.
    pub from: String,
    pub text: String,
}

impl Incoming {
    /// Reads an incoming text; `None` if it names no text or no sender.
    pub fn of(fields: &[(String, String)]) -> Option<Self> {
        let field = |wanted: &str| fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
        let reference = field("MessageSid").filter(|sid| is_word(sid))?.to_owned();
        let from = field("From").filter(|from| !from.is_empty())?.to_owned();
        Some(Self { reference, from, text: field("Body").unwrap_or_default().to_owned() })
    }
}

/// Returns whether a form that was posted to `url` was signed with the token of the gateway's account.
pub(super) fn is_signed(token: &SecretString, url: &str, fields: &[(String, String)], signature: &str) -> bool {
    let Ok(signature) = BASE64_STANDARD.decode(signature.trim()) else { return false };
    let mut sorted: Vec<&(String, String)> = fields.iter().collect();
    sorted.sort_unstable();
    let mut mac = <Hmac<Sha1>>::new_from_slice(token.expose_secret().as_bytes()).expect("a key may have any length");
    mac.update(url.as_bytes());
    for (name, value) in sorted {
        mac.update(name.as_bytes());
        mac.update(value.as_bytes());
    }
    mac.verify_slice(&signature).is_ok()
}

/// Returns the address for the delivery reports of a message. It includes the organization, because every row is found
/// by its organization.
pub fn report_url(public_url: &str, org: OrgId, message: MessageId) -> String {
    format!("{public_url}/carriers/sms/{org}/{message}")
}

/// Returns the address for replies. It has no organization: the gateway has one number, and so one address for it.
#[must_use]
pub fn replies_url(public_url: &str) -> String {
    format!("{public_url}/carriers/sms/replies")
}

/// Returns whether a gateway can call us: yes, unless only this machine can reach `public_url` and the gateway is
/// elsewhere.
pub(super) fn can_be_reached(public_url: &str, gateway: &str) -> bool {
    let is_here = |url: &str| Url::parse(url).is_ok_and(|url| url.host_str().is_some_and(is_this_machine));
    !is_here(public_url) || is_here(gateway)
}

/// Returns whether an id has only characters that are safe in a path.
pub(super) fn is_word(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Maps the gateway's status of a text.
pub(super) fn fate_of(status: &str, error_code: Option<i64>, error_message: Option<&str>) -> DeliveryOutcome {
    match status {
        "delivered" | "read" => DeliveryOutcome::Arrived,
        "undelivered" | "failed" | "canceled" => {
            let code = error_code.map(|code| format!(", error {code}")).unwrap_or_default();
            let message = error_message.map(|message| format!(": {message}")).unwrap_or_default();
            DeliveryOutcome::Lost { reason: in_short(&format!("The gateway reports {status}{code}{message}")) }
        }
        // queued, accepted, scheduled, sending, sent, and any later addition: not final.
        _ => DeliveryOutcome::OnItsWay,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    /// The example in the gateway's documentation.
    #[test]
    fn a_signature_is_over_the_address_and_the_sorted_fields() {
        let url = "https://example.com/myapp.php?foo=1&bar=2";
        let posted = fields(&[
            ("To", "+18005551212"),
            ("CallSid", "CA1234567890ABCDE"),
            ("From", "+14158675310"),
            ("Digits", "1234"),
            ("Caller", "+14158675310"),
        ]);
        let (token, signature) = (SecretString::from("12345"), "L/OH5YylLD5NRKLltdqwSvS0BnU=");
        assert!(is_signed(&token, url, &posted, signature));
        assert!(!is_signed(&SecretString::from("12346"), url, &posted, signature));
        assert!(!is_signed(&token, "https://example.com/myapp.php", &posted, signature));
        assert!(!is_signed(&token, url, &posted[1..], signature));
        for wrong in ["", "L/OH5YylLD5NRKLltdqwSvS0BnU", "%%%", "AAAAAAAAAAAAAAAAAAAAAAAAAAA="] {
            assert!(!is_signed(&token, url, &posted, wrong), "{wrong}");
        }
    }

    #[test]
    fn a_report_names_a_text_and_its_status() {
        let report =
            Report::of(&fields(&[("MessageSid", "SM1"), ("MessageStatus", "undelivered"), ("ErrorCode", "30003")]));
        let reason = "The gateway reports undelivered, error 30003".to_owned();
        assert_eq!(
            report,
            Some(Report { reference: "SM1".to_owned(), delivery_outcome: DeliveryOutcome::Lost { reason } })
        );
        assert_eq!(Report::of(&fields(&[("MessageSid", "SM1")])), None);
        assert_eq!(Report::of(&fields(&[("MessageSid", "../1"), ("MessageStatus", "sent")])), None);
    }

    #[test]
    fn an_incoming_text_names_its_sender() {
        let incoming = Incoming::of(&fields(&[("MessageSid", "SM1"), ("From", "+12127361234"), ("Body", "Stop")]));
        let (reference, from, text) = ("SM1".to_owned(), "+12127361234".to_owned(), "Stop".to_owned());
        assert_eq!(incoming, Some(Incoming { reference, from, text }));
        assert_eq!(Incoming::of(&fields(&[("MessageSid", "SM1"), ("Body", "Stop")])), None);
        assert_eq!(Incoming::of(&fields(&[("MessageSid", "../1"), ("From", "+12127361234")])), None);
    }

    #[test]
    fn a_remote_gateway_gets_no_callback_to_this_machine() {
        for (public_url, gateway, can) in [
            ("https://pay.example", "https://api.example", true),
            ("https://pay.example", "http://127.0.0.1:4000", true),
            ("http://127.0.0.1:8080", "https://api.example", false),
            ("http://localhost:8080", "https://api.example", false),
            ("http://127.0.0.1:8080", "http://127.0.0.1:4000", true),
        ] {
            assert_eq!(can_be_reached(public_url, gateway), can, "{public_url} from {gateway}");
        }
    }
}
