//! Sends text messages and calls through a gateway with the widespread HTTP interface of 2010-04-01.
//!
//! The gateway has no idempotency key. After an attempt in doubt, [`Gateway::look_up`] searches the gateway's list for
//! a text to the same phone that holds the same token or code and belongs to no other message.

use std::fmt;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use tokio::time::timeout;

use super::report::{can_be_reached, fate_of, is_signed, is_word, report_url};
use super::{DeliveryOutcome, Found, SendOutcome, in_short, is_this_machine};
use crate::ids::{MessageId, OrgId};
use crate::outbound::{Answered, Outbound, Post, Reach, Target, Unanswered};

/// Texts on a page of the gateway's list. A page must stay below the size limit of a response.
const PAGE: &str = "20";
/// Pages read at most.
const PAGES_MAX: usize = 10;

/// The validated settings of the gateway, without the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatewaySettings {
    base: String,
    account: String,
    from: String,
}

impl GatewaySettings {
    /// Parses the settings. `url` is `https://host`, or plain http on this machine only; `from` is the number that
    /// texts and calls come from, such as `+12125550100`. An error names the setting and the expected value.
    pub fn parse(url: &str, account: &str, from: &str) -> Result<Self, String> {
        let wrong = || "sms-url must be https://host, without a path, a user or a password".to_owned();
        Target::parse(url, Reach::Anywhere).map_err(|_| wrong())?;
        let parsed = Url::parse(url).map_err(|_| wrong())?;
        let host = parsed.host_str().unwrap_or_default();
        if parsed.scheme() != "https" && !is_this_machine(host) {
            return Err("sms-url must begin with https://, because it receives links and codes".to_owned());
        }
        if parsed.path() != "/" || parsed.query().is_some() {
            return Err(wrong());
        }
        if !is_word(account) {
            return Err("sms-account must be the account's id, of letters and digits".to_owned());
        }
        let digits = from.strip_prefix('+').unwrap_or_default();
        if !(7..=15).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("sms-from must be a phone number such as +12125550100".to_owned());
        }
        let base = url.trim_end_matches('/').to_owned();
        Ok(Self { base, account: account.to_owned(), from: from.to_owned() })
    }

    /// Returns the host and port of the gateway.
    #[must_use]
    pub fn address(&self) -> (String, u16) {
        let url = Url::parse(&self.base).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default().to_owned();
        (host, url.and_then(|url| url.port_or_known_default()).unwrap_or(443))
    }
}

pub struct Gateway {
    settings: GatewaySettings,
    authorization: SecretString,
    token: SecretString,
    outbound: Outbound,
    deadline: Duration,
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gateway({}, {})", self.settings.base, self.settings.account)
    }
}

/// A text in the gateway's list.
#[derive(Deserialize)]
struct Text {
    sid: String,
    #[serde(default)]
    body: String,
    #[serde(default)]
    status: String,
    error_code: Option<i64>,
    error_message: Option<String>,
}

#[derive(Deserialize)]
struct Page {
    messages: Vec<Text>,
    next_page_uri: Option<String>,
}

/// The body of a gateway's refusal.
#[derive(Deserialize)]
struct No {
    code: Option<i64>,
    message: Option<String>,
}

impl Gateway {
    /// Creates a gateway client without connecting. No call takes longer than `deadline`.
    pub fn new(settings: GatewaySettings, token: &SecretString, deadline: Duration) -> Self {
        let basic = BASE64_STANDARD.encode(format!("{}:{}", settings.account, token.expose_secret()));
        // The operator configures this address, so it may be inside the network.
        let outbound = Outbound::new(Reach::Anywhere, deadline);
        let authorization = SecretString::from(format!("Basic {basic}"));
        Self { settings, authorization, token: token.clone(), outbound, deadline }
    }

    /// Hands a text over. The gateway reports its delivery to `report_to`, if given.
    pub async fn text(&self, to: &str, text: &str, report_to: Option<&str>) -> SendOutcome {
        let mut fields = vec![("To", to), ("From", self.settings.from.as_str()), ("Body", text)];
        fields.extend(report_to.map(|url| ("StatusCallback", url)));
        self.hand_over("Messages.json", &fields).await
    }

    /// Returns the address for delivery reports, or `None` if the gateway cannot reach it and must be queried instead.
    pub fn reports_to(&self, public_url: &str, org: OrgId, message: MessageId) -> Option<String> {
        can_be_reached(public_url, &self.settings.base).then(|| report_url(public_url, org, message))
    }

    /// Returns whether the gateway signed a form that was posted to `url`.
    pub fn has_signed(&self, url: &str, fields: &[(String, String)], signature: &str) -> bool {
        is_signed(&self.token, url, fields, signature)
    }

    /// Calls a phone and reads a text out twice. `spelled` is a part of the text that is read letter by letter.
    pub async fn call(&self, to: &str, text: &str, spelled: Option<&str>) -> SendOutcome {
        let spoken = spoken(text, spelled);
        let script = format!("<Response><Say>{spoken}</Say><Pause/><Say>{spoken}</Say></Response>");
        self.hand_over("Calls.json", &[("To", to), ("From", &self.settings.from), ("Twiml", &script)]).await
    }

    async fn hand_over(&self, what: &str, fields: &[(&str, &str)]) -> SendOutcome {
        let target = self.target(&format!("/2010-04-01/Accounts/{}/{what}", self.settings.account));
        let form = ("content-type", "application/x-www-form-urlencoded".to_owned());
        let headers = [self.authorization(), form];
        let post = Post { target: &target, headers: &headers, body: encoded(fields).into_bytes() };
        match self.outbound.post(post).await {
            Ok(answered) => after_hand_over(&answered),
            Err(unanswered) => {
                let reason = format!("The gateway: {unanswered}.");
                match unanswered {
                    Unanswered::NotPublic | Unanswered::NotResolved | Unanswered::NotConnected => {
                        SendOutcome::NotNow { reason }
                    }
                    Unanswered::TimedOut | Unanswered::Broken => SendOutcome::InDoubt { reason },
                }
            }
        }
    }

    /// Searches for a text to this phone that holds `mark` and is none of those `known`.
    pub async fn look_up(&self, to: &str, mark: &str, known: &[String]) -> Found {
        let late = || Found::Silence { reason: "The gateway did not confirm the message in time.".to_owned() };
        timeout(self.deadline, self.search(to, mark, known)).await.unwrap_or_else(|_| late())
    }

    async fn search(&self, to: &str, mark: &str, known: &[String]) -> Found {
        let asked = encoded(&[("To", to), ("From", &self.settings.from), ("PageSize", PAGE)]);
        let mut next = format!("/2010-04-01/Accounts/{}/Messages.json?{asked}", self.settings.account);
        for _ in 0..PAGES_MAX {
            let answered = match self.get(&next).await {
                Ok(answered) => answered,
                Err(reason) => return Found::Silence { reason },
            };
            let page: Page = match (answered.status, serde_json::from_slice(&answered.body)) {
                (200, Ok(page)) => page,
                (401 | 403 | 408 | 429 | 500.., _) => return Found::Silence { reason: silence(&answered) },
                // A gateway that accepts texts and has no list.
                (_, _) => return Found::Unsupported,
            };
            let ours = |text: &&Text| text.body.contains(mark) && !known.contains(&text.sid);
            if let Some(text) = page.messages.iter().find(ours) {
                return Found::Taken { reference: text.sid.clone() };
            }
            match page.next_page_uri {
                Some(uri) if uri.starts_with('/') => next = uri,
                Some(_) => return Found::Unsupported,
                None => return Found::NotTaken,
            }
        }
        Found::Unsupported
    }

    /// Fetches the delivery status of a text.
    pub async fn follow(&self, reference: &str) -> Result<DeliveryOutcome, String> {
        if !is_word(reference) {
            return Err("The gateway's id of the message is not valid in a path.".to_owned());
        }
        let path = format!("/2010-04-01/Accounts/{}/Messages/{reference}.json", self.settings.account);
        let answered = self.get(&path).await?;
        match (answered.status, serde_json::from_slice(&answered.body)) {
            (200, Ok(text)) => Ok(delivery_outcome(&text)),
            (_, _) => Err(silence(&answered)),
        }
    }

    async fn get(&self, path: &str) -> Result<Answered, String> {
        let target = self.target(path);
        let answered = self.outbound.get(&target, &[self.authorization()]).await;
        answered.map_err(|unanswered| format!("The gateway: {unanswered}."))
    }

    fn authorization(&self) -> (&'static str, String) {
        ("authorization", self.authorization.expose_secret().to_owned())
    }

    /// Returns an address at the gateway. A path begins with a slash, so it never leads to another host.
    fn target(&self, path: &str) -> Target {
        let url = format!("{}{path}", self.settings.base);
        // The address of the next page comes from the gateway and may be invalid.
        Target::parse(&url, Reach::Anywhere)
            .or_else(|_| Target::parse(&self.settings.base, Reach::Anywhere))
            .expect("the base was checked when it was read")
    }
}

fn encoded(fields: &[(&str, &str)]) -> String {
    let mut url = Url::parse("form:").expect("a scheme alone is a URL");
    url.query_pairs_mut().extend_pairs(fields);
    url.query().unwrap_or_default().to_owned()
}

/// Writes a text for a call: digits are read one by one, and no character of a name is parsed as markup.
fn spoken(text: &str, spelled: Option<&str>) -> String {
    let letters = |word: &str| word.chars().map(String::from).collect::<Vec<_>>().join(", ");
    let text = spelled.map_or_else(|| text.to_owned(), |word| text.replace(word, &letters(word)));
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Maps the response to a hand-over.
fn after_hand_over(answered: &Answered) -> SendOutcome {
    match answered.status {
        200..=299 => {
            let taken = serde_json::from_slice::<Text>(&answered.body).ok();
            SendOutcome::Taken { reference: taken.map(|text| text.sid).filter(|sid| is_word(sid)) }
        }
        // A fault of our account or a rate limit: it can be fixed, or it passes.
        300..=399 | 401 | 403 | 429 => SendOutcome::NotNow { reason: no(answered) },
        // The connection or the gateway failed, before or after it accepted the text.
        408 | 500.. => SendOutcome::InDoubt { reason: no(answered) },
        _ => SendOutcome::Refused { reason: no(answered) },
    }
}

fn no(answered: &Answered) -> String {
    let said = serde_json::from_slice(&answered.body).unwrap_or(No { code: None, message: None });
    let code = said.code.map(|code| format!(", error {code}")).unwrap_or_default();
    let message = said.message.map(|message| format!(": {message}")).unwrap_or_default();
    in_short(&format!("The gateway responded with {}{code}{message}", answered.status))
}

fn silence(answered: &Answered) -> String {
    format!("The gateway responded with {} to a status query.", answered.status)
}

fn delivery_outcome(text: &Text) -> DeliveryOutcome {
    fate_of(&text.status, text.error_code, text.error_message.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_name_what_is_wrong() {
        let parse = |url: &str| GatewaySettings::parse(url, "AC12", "+12125550100");
        assert!(parse("https://api.example.com").is_ok() && parse("https://api.example.com/").is_ok());
        assert!(parse("http://127.0.0.1:4000").is_ok() && parse("http://localhost:4000").is_ok());
        assert!(parse("http://api.example.com").unwrap_err().contains("must begin with https://"));
        for url in ["", "api.example.com", "https://me:hunter2@api.example.com", "https://a/b", "https://a/?b=c"] {
            let reported = parse(url).unwrap_err();
            assert!(reported.starts_with("sms-url must be") && !reported.contains("hunter2"), "{url}: {reported}");
        }
        for (account, from, setting) in [
            ("", "+12125550100", "sms-account"),
            ("AC/../1", "+12125550100", "sms-account"),
            ("AC12", "12125550100", "sms-from"),
            ("AC12", "+1212555x100", "sms-from"),
            ("AC12", "", "sms-from"),
        ] {
            assert!(GatewaySettings::parse("https://a", account, from).unwrap_err().starts_with(setting), "{setting}");
        }
        let gateway =
            Gateway::new(parse("https://a.example").unwrap(), &SecretString::from("hunter2"), Duration::from_secs(1));
        assert_eq!(format!("{gateway:?}"), "Gateway(https://a.example, AC12)");
    }

    #[test]
    fn what_each_answer_means() {
        let reported = |status: u16, body: &str| {
            after_hand_over(&Answered { status, retry_after_seconds: None, body: body.as_bytes().to_vec() })
        };
        assert_eq!(reported(201, r#"{"sid": "SM1"}"#), SendOutcome::Taken { reference: Some("SM1".to_owned()) });
        assert_eq!(reported(200, "thanks"), SendOutcome::Taken { reference: None });
        assert_eq!(reported(201, r#"{"sid": "../x"}"#), SendOutcome::Taken { reference: None });
        let invalid = reported(400, r#"{"code": 21211, "message": "Invalid 'To' Phone Number", "status": 400}"#);
        let reason = "The gateway responded with 400, error 21211: Invalid 'To' Phone Number".to_owned();
        assert_eq!(invalid, SendOutcome::Refused { reason });
        for status in [404, 410, 422] {
            assert!(matches!(reported(status, ""), SendOutcome::Refused { .. }), "{status}");
        }
        for status in [301, 307, 401, 403, 429] {
            assert!(matches!(reported(status, "{}"), SendOutcome::NotNow { .. }), "{status}");
        }
        for status in [408, 500, 502, 503, 504] {
            assert!(matches!(reported(status, "<html>"), SendOutcome::InDoubt { .. }), "{status}");
        }
    }

    #[test]
    fn what_became_of_a_text() {
        let delivery_outcome = |status: &str| {
            let (sid, body) = ("SM1".to_owned(), String::new());
            delivery_outcome(&Text {
                sid,
                body,
                status: status.to_owned(),
                error_code: Some(30_003),
                error_message: None,
            })
        };
        assert_eq!(delivery_outcome("delivered"), DeliveryOutcome::Arrived);
        for status in ["queued", "accepted", "sending", "sent", "something_new", ""] {
            assert_eq!(delivery_outcome(status), DeliveryOutcome::OnItsWay, "{status}");
        }
        for status in ["undelivered", "failed"] {
            let reason = format!("The gateway reports {status}, error 30003");
            assert_eq!(delivery_outcome(status), DeliveryOutcome::Lost { reason }, "{status}");
        }
    }

    #[test]
    fn a_call_spells_the_code_and_says_names_as_they_are() {
        assert_eq!(spoken("012345 is for A&B <x>.", Some("012345")), "0, 1, 2, 3, 4, 5 is for A&amp;B &lt;x&gt;.");
    }

    #[test]
    fn fields_are_encoded_as_a_form() {
        assert_eq!(encoded(&[("To", "+1212"), ("Body", "ä & b=c")]), "To=%2B1212&Body=%C3%A4+%26+b%3Dc");
    }
}
