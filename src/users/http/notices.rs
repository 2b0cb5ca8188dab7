//! Serves the link of a notice as JSON. The token in the path is the credential.

use std::pin::Pin;
use std::sync::Arc;

use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::input::input;
use crate::input::types::Text;
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::users::notices::{self, Freeze, NoticeJson, NoticeToken, SendNoticeCode, Unfreeze};
use crate::verification::{NewCode, hash_code};

fn token(call: &Call) -> Result<NoticeToken, Refusal> {
    let token = NoticeToken::parse(&call.bursar.vault, call.parameter("token"));
    token.ok_or_else(|| Refusal::not_found("notice"))
}

/// Rejects, with `not-found`, a token that is not genuine.
pub fn check_token(bursar: Arc<Bursar>, token: String) -> Pin<Box<dyn Future<Output = Result<(), Refusal>> + Send>> {
    let genuine = NoticeToken::parse(&bursar.vault, &token).map(|_| ());
    Box::pin(std::future::ready(genuine.ok_or_else(|| Refusal::not_found("notice"))))
}

async fn shown(call: &Call, token: NoticeToken) -> Outcome {
    call.read(move |world| notices::show(world, token)).await.map(|notice| Answer::ok(&notice))
}

pub async fn get_notice(call: Call) -> Outcome {
    let token = token(&call)?;
    shown(&call, token).await
}

pub async fn freeze(call: Call) -> Outcome {
    let token = token(&call)?;
    call.run_for(token.org, Freeze { token }).await?;
    shown(&call, token).await
}

pub async fn send_code(call: Call) -> Outcome {
    let token = token(&call)?;
    call.run_for(token.org, SendNoticeCode { token, code: NewCode::draw(&call.bursar, token.org) }).await?;
    shown(&call, token).await
}

input! {
    /// The code that was sent to the contact from before the change.
    pub struct UnfreezeInput {
        /// Six digits.
        pub token: Text<20>,
    }
}

pub async fn unfreeze(call: Call) -> Outcome {
    let token = token(&call)?;
    let offered_hash = hash_code(&call.bursar.vault, token.org, &call.body::<UnfreezeInput>()?.token.0);
    let checked = call.run_for(token.org, Unfreeze { token, offered_hash }).await?;
    call.log_noted(&checked.noted(token.org));
    match checked.refusal() {
        Some(refusal) => Err(refusal),
        None => shown(&call, token).await,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let about = |route: Route, summary: &'static str| {
        let route = route.about("Notices", summary).opened_by_token(check_token);
        route.gives::<NoticeJson>(200, "The notice.").refuses(&[Code::NotFound, Code::LinkExpired])
    };
    vec![
        about(route!(Get "/v2/notices/{token}" Anyone "get_notice" get_notice), "Get a notice")
            .describe(
                "A payee receives a notice when a payout method is added, the default payout method changes, \
                 automatic payouts are switched on, or the e-mail address or phone number changes. The token of its \
                 link is the credential and works for 90 days. This call changes nothing.",
            ),
        about(
            route!(Post "/v2/notices/{token}/freeze" Anyone "freeze_automatic_payouts" freeze),
            "Freeze automatic payouts to the payee",
        )
        .describe("Payouts to the payee from every app of the organization become links until the payee verifies a code: one that POST /v2/notices/{token}/code sends, or one to a contact that the organization wrote later. No key can end the freeze. A repeated call changes nothing.")
        .refuses(&[Code::UserInactive]),
        about(
            route!(Post "/v2/notices/{token}/code" Anyone "send_unfreeze_code" send_code),
            "Send a code to the payee's contact from before the change",
        )
        .describe("The code proves that the payee still has the earlier contact, and ends the freeze.")
        .refuses(&[Code::InvalidState, Code::VerificationLocked]),
        about(
            route!(Post "/v2/notices/{token}/unfreeze" Anyone "unfreeze_automatic_payouts" unfreeze),
            "Unfreeze automatic payouts with the code",
        )
        .describe("Ends the freeze if the code is the one that POST /v2/notices/{token}/code sent.")
        .takes::<UnfreezeInput>()
        .refuses(&[Code::InvalidState, Code::UserInactive, Code::WrongToken, Code::VerificationLocked]),
    ]
}
