//! The sandbox's inbox. A text about a payout link is composed when it is read: its row has only what the link has not.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value as Schema, json};

use crate::apps;
use crate::clock::Time;
use crate::email::Email;
use crate::http::lists::{ListEnvelope, list_query, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::{MessageId, OrgId};
use crate::input::{Input, Problems, text, wrong};
use crate::messages::{self, Channel, Composed, InboxMessage, Letter, LinkText};
use crate::payout_links::{self, PayoutLink};
use crate::program::Environment;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::strict_json::Json;
use crate::vault::Vault;
use crate::world::query::Compare;
use crate::world::record::{Cell, Value, key};
use crate::world::{Halt, Query, World};

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

/// A message with its text.
pub struct Received {
    pub message: Arc<InboxMessage>,
    pub composed: Composed,
}

impl Received {
    fn of(world: &World, vault: &Vault, message: &Arc<InboxMessage>) -> Result<Self, Halt> {
        let composed = match &message.of_link {
            Some(text) => composed(world, vault, message, &text.0)?,
            None => Composed {
                subject: message.subject.clone(),
                text: message.text.clone(),
                link: message.link.clone(),
                code: message.code.clone(),
            },
        };
        Ok(Self { message: message.clone(), composed })
    }

    fn json(self) -> InboxMessageJson {
        let (message, Composed { subject, text, link, code }) = (self.message, self.composed);
        InboxMessageJson {
            id: message.id,
            created: message.created_at,
            channel: message.channel,
            to: message.recipient.clone(),
            subject,
            text,
            link,
            code,
        }
    }
}

/// Composes the text about a link as it was when the message arrived, with the support contact of today.
fn composed(world: &World, vault: &Vault, message: &InboxMessage, text: &LinkText) -> Result<Composed, Halt> {
    let link = world.get::<PayoutLink>(key![message.org, text.link])?;
    let address = link.as_ref().and_then(|link| payout_links::token(vault, link));
    let Some((link, address)) = link.zip(address.map(|token| format!("{}{token}", text.address_start))) else {
        let problem = format!("The message {} cannot be composed: its payout link is damaged.", message.id);
        return Err(Refusal::new(Code::InternalError, problem).into());
    };
    let app = apps::find_even_deleted(world, Scope { org: message.org, app: message.app })?;
    let brand = &app.settings.0.brand;
    let language = text.language.or(brand.language).unwrap_or_default();
    let letter = Letter::ClaimLink {
        app_name: &text.app_name,
        amount: link.amount,
        message: link.message.as_deref(),
        link: &address,
        reminds_until: messages::last_day(text.delivery, link.expires_at),
        support: brand.support().filter(|_| message.channel == Channel::Sms),
        is_text: message.channel == Channel::Sms,
    };
    Ok(messages::compose(&letter, language))
}

/// Returns the inbox of all organizations, newest first: of one phone or address, or of all.
pub fn received(world: &mut World, vault: &Vault, to: Option<&str>, limit: usize) -> Result<Vec<Received>, Halt> {
    let mut query = Query::of::<InboxMessage>(Value::Null, "id", limit);
    // The page has no tenant, because the sandbox has no login.
    query.conditions.clear();
    if let Some(to) = to {
        query = query.filter("recipient", Compare::Equal, to.to_owned().to_value());
    }
    let found = world.page::<InboxMessage>(&query)?;
    world.each(&found, |world, message| Received::of(world, vault, message))
}

/// Returns the organization of a message in the inbox.
pub fn organization_of(world: &mut World, id: MessageId) -> Result<Option<OrgId>, Halt> {
    let mut query = Query::of::<InboxMessage>(Value::Null, "id", 1);
    query.conditions.clear();
    let found = world.page::<InboxMessage>(&query.filter("id", Compare::Equal, id.to_value()))?;
    Ok(found.first().map(|message| message.org))
}

/// GET /v2/sandbox/messages
pub async fn list(call: Call) -> Outcome {
    if call.bursar.environment == Environment::Production {
        return Err(Refusal::not_found("page"));
    }
    let query: InboxQuery = call.query()?;
    let (caller, vault) = (call.caller.clone(), call.bursar.vault.clone());
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
            let received = world.each(&found.records, |world, message| Received::of(world, &vault, message))?;
            Ok(ListEnvelope { has_more: found.has_more, data: received.into_iter().map(Received::json).collect() })
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
