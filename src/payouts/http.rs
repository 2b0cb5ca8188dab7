//! The routes of payouts.

use serde_json::json;

use super::send::SendPayout;
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::payout_links::{self, NewLink, NewPayoutLink, NewToken, PayoutLinkJson};
use crate::refusal::{Code, Refusal};

/// POST /v2/payouts/send-payout
pub async fn send(call: Call) -> Outcome {
    let scope = call.scope()?;
    let token = NewToken::draw(&call.bursar.vault, &mut call.bursar.entropy(), scope.org);
    let new = call.body::<NewPayoutLink>().and_then(NewPayoutLink::into_new_link).and_then(to_somebody);
    let command = new.map(|new| SendPayout { scope, new, token });
    let bursar = call.bursar.clone();
    call.once(command, move |link| Answer::created(&payout_links::json(&bursar, link)).secret()).await
}

/// A payout is sent to a phone number or a user (interface.md 8).
fn to_somebody(new: NewLink) -> Result<NewLink, Refusal> {
    if new.user.is_none() && new.payee.phone_number.is_none() {
        let message = "is required: say who is paid, by payee {country_code, phone_number} or by user_id";
        return Err(Refusal::field(Code::InvalidInput, "/payee", message));
    }
    Ok(new)
}

/// The routes of payouts.
pub fn routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/payouts/send-payout" App "send_payout" send)
            .about("Payouts", "Send a payout")
            .describe(
                "Sends money to a phone number or a user. A user with auto payout on is paid at once by the default \
                 payout method; everyone else is sent a payout link (interface.md 8, decisions.md 9).",
            )
            .takes::<NewPayoutLink>()
            .example(json!({
                "amount": 1000,
                "payee": {"country_code": "1", "phone_number": "2127361234"},
                "delivery": {"message": "Thank you for your work!"}
            }))
            .gives::<PayoutLinkJson>(201, "The payout link; already claimed when the user is paid at once.")
            .refuses(&[
                Code::InsufficientFunds,
                Code::NotFound,
                Code::UserInactive,
                Code::InvalidPhoneNumber,
                Code::LimitExceeded,
            ]),
    ]
}
