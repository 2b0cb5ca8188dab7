//! Replies to text messages, as a payee's phone would send them.

use serde::Serialize;

use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::input::input;
use crate::input::types::{PhoneFilter, Text};
use crate::messages::{Keyword, Replied, ReplyRead};
use crate::program::Environment;
use crate::refusal::{Code, Refusal};

/// Characters of a text message that consists of several parts.
const TEXT_MAX: usize = 1_600;

input! {
    /// A reply to a text message.
    pub struct SandboxReplyInput {
        /// The phone that replies, such as +12127361234. It must have received a text message.
        pub from: PhoneFilter,
        /// The text, such as STOP.
        pub text: Text<TEXT_MAX>,
    }
}

/// The effect of a reply.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct SandboxReplyJson {
    /// The phone that replied.
    pub from: String,
    /// What the text asks for: stop, help or start. Null for any other text.
    #[schema(required)]
    pub keyword: Option<Keyword>,
    /// Whether text messages to this phone are stopped now.
    pub texts_stopped: bool,
}

/// POST /v2/sandbox/replies
pub async fn reply(call: Call) -> Outcome {
    if call.bursar.environment != Environment::Sandbox {
        return Err(Refusal::not_found("path outside the sandbox"));
    }
    let (org, given) = (call.caller.org, call.body::<SandboxReplyInput>());
    let phone = given.as_ref().map(|given| given.from.0.e164()).unwrap_or_default();
    let reference = call.bursar.entropy().id::<uuid::Uuid>(call.bursar.clock.now()).to_string();
    let replied = given.map(|given| Replied { org, phone: phone.clone(), text: given.text.0, reference });
    call.once(replied, move |read| match read {
        Some(ReplyRead { keyword, is_stopped }) => {
            Answer::ok(&SandboxReplyJson { from: phone.clone(), keyword: *keyword, texts_stopped: *is_stopped })
        }
        None => Answer::from(&Refusal::not_found("text message to this phone")),
    })
    .await
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/sandbox/replies" AppOrOrganization "send_sandbox_reply" reply)
            .about("Sandbox", "Reply to a text message")
            .describe(
                "Replies as the phone of a payee would. STOP stops all text messages of the organization to the phone, \
                 HELP gets the sender's support contact, START resumes; other texts have no effect. A repeated STOP \
                 changes nothing. Returns 404 in production.",
            )
            .takes::<SandboxReplyInput>()
            .example(serde_json::json!({"from": "+12127361234", "text": "STOP"}))
            .gives::<SandboxReplyJson>(200, "The effect of the reply.")
            .refuses(&[Code::NotFound, Code::InvalidPhoneNumber]),
    ]
}
