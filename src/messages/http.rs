//! The sandbox's inbox over HTTP.

use serde::Serialize;
use serde_json::{Value as Schema, json};

use super::model::{Channel, InboxMessage};
use crate::clock::Time;
use crate::email::Email;
use crate::http::lists::{ListEnvelope, list_query, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::MessageId;
use crate::input::{Input, Problems, text, wrong};
use crate::program::Environment;
use crate::refusal::Refusal;
use crate::strict_json::Json;
use crate::world::Query;
use crate::world::query::Compare;
use crate::world::record::Cell;

/// A recipient: E.164, its digits, or an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient(pub String);

impl Input for Recipient {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        // An unescaped plus in a query string arrives as a space, which neither form contains.
        let given = text(json, at)?.trim().replace(' ', "+");
        if let Ok(address) = Email::parse(&given) {
            return Ok(Self(address.as_str().to_owned()));
        }
        let digits = given.trim_start_matches('+');
        if (1..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Self(format!("+{digits}")));
        }
        Err(wrong(at, "must be a phone number such as +12127361234, or an e-mail address"))
    }
    fn schema() -> Schema {
        json!({"type": "string", "maxLength": 254})
    }
}

list_query! {
    /// The filters of the inbox.
    pub struct InboxQuery {
        /// Return only messages to this phone (E.164 or its digits) or address.
        pub to: Option<Recipient>,
    }
}

/// A message in the sandbox's inbox.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct InboxMessageJson {
    /// The message's id.
    pub id: MessageId,
    /// When it arrived.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The channel: sms, email or voice.
    pub channel: Channel,
    /// The recipient's phone or address.
    pub to: String,
    /// The subject, one line.
    pub subject: String,
    /// The whole text.
    pub text: String,
    /// The claim link in the text.
    #[schema(required)]
    pub link: Option<String>,
    /// The six digits in the text.
    #[schema(required)]
    pub code: Option<String>,
}

fn shown(message: &InboxMessage) -> InboxMessageJson {
    InboxMessageJson {
        id: message.id,
        created: message.created_at,
        channel: message.channel,
        to: message.recipient.clone(),
        subject: message.subject.clone(),
        text: message.text.clone(),
        link: message.link.clone(),
        code: message.code.clone(),
    }
}

/// GET /v2/sandbox/messages
pub async fn list(call: Call) -> Outcome {
    if call.bursar.environment == Environment::Production {
        return Err(Refusal::not_found("page"));
    }
    let query: InboxQuery = call.query()?;
    let caller = call.caller.clone();
    let list = call
        .read(move |world| {
            let all = Query::of::<InboxMessage>(caller.org.to_value(), "id", 1);
            let mine = match caller.app {
                Some(app) => all.filter("app", Compare::Equal, app.to_value()),
                None => all,
            };
            let found = page::<InboxMessage>(world, mine, &query.asked(), |listed| match &query.to {
                Some(to) => listed.filter("recipient", Compare::Equal, to.0.to_value()),
                None => listed,
            })?;
            Ok(found.envelope(shown))
        })
        .await?;
    Ok(Answer::ok(&list))
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/sandbox/messages" AppOrOrganization "list_sandbox_messages" list)
            .about("Sandbox", "List simulated messages")
            .describe(
                "Lists the messages that the sandbox did not send, newest first. If a provider is configured for a \
                 channel, its messages are sent and not listed here. Returns 404 in production.",
            )
            .asks::<InboxQuery>()
            .gives::<ListEnvelope<InboxMessageJson>>(200, "One page of the list."),
    ]
}
