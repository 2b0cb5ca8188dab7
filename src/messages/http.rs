//! The route to which the SMS gateway posts replies.

use super::stops::Replied;
use crate::apps::Organization;
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::phone::PhoneNumber;
use crate::providers::{Incoming, SIGNATURE, replies_url};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::Query;

/// The most organizations of one server that are searched for the sender of a reply.
const ORGANIZATIONS_MAX: usize = 100_000;
/// The answer to the gateway: no text of its own.
const NOTHING_TO_SAY: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Response/>";

/// POST /carriers/sms/replies
///
/// The gateway's number is that of the server, so a reply counts for each organization that wrote to the phone.
pub async fn receive(call: Call) -> Outcome {
    let Some(gateway) = &call.bursar.providers.phone else { return Err(Refusal::not_found("page")) };
    let (fields, signature) = (call.form_fields(), call.header(SIGNATURE).unwrap_or_default());
    if !gateway.has_signed(&replies_url(&call.bursar.public_url), &fields, signature) {
        return Err(Refusal::new(Code::NotPermitted, "The request is not signed by the configured SMS gateway.")
            .because(Reason::SignatureWrong));
    }
    let incoming = Incoming::of(&fields);
    let incoming = incoming.ok_or_else(|| Refusal::new(Code::InvalidInput, "A reply requires From and MessageSid."))?;
    // A number that no plan assigns, such as a short code, received no text of ours.
    if let Ok(phone) = PhoneNumber::parse_e164(&incoming.from) {
        let all = Query::across::<Organization>(ORGANIZATIONS_MAX);
        let organizations = call.bursar.read(move |world| world.page::<Organization>(&all)).await?;
        for organization in organizations {
            let (phone, text, reference) = (phone.e164(), incoming.text.clone(), incoming.reference.clone());
            let replied = Replied { org: organization.org, phone, text, reference };
            call.bursar.engine.run(organization.org, replied).await?;
        }
    }
    Ok(Answer::file("text/xml", NOTHING_TO_SAY))
}

/// Returns the routes that providers call; they are not part of the API.
pub fn routes() -> Vec<Route> {
    vec![
        route!(Post "/carriers/sms/replies" Provider "receive_text_reply" receive)
            .about("Providers", "Receive a reply to a text message")
            .describe("The SMS gateway calls this route and signs the request (docs/operating.md).")
            .gives_empty(200, "The reply was recorded, or was already known.")
            .refuses(&[Code::NotPermitted, Code::NotFound]),
    ]
}
