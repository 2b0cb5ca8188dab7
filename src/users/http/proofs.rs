//! What a user proves or tells of the person: the phone, the address, the tax form.

use serde_json::json;

use super::user_of;
use crate::http::input::input;
use crate::http::inputs::Text;
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route, Scope};
use crate::ids::UserId;
use crate::refusal::{Code, Refusal};
use crate::users::address::SetAddress;
use crate::users::inputs::{Address, AddressParts};
use crate::users::tax_form::{SetCompliance, TaxFormInput, first_verification};
use crate::users::verification::{NewCode, hash_code};
use crate::users::{SendVerificationToken, UserJson, Verify};

input! {
    /// How the code is sent.
    pub struct SendVerificationTokenInput {
        /// In a call that reads it aloud, instead of a text message.
        pub use_voice: Option<bool>,
    }
}

/// POST /v2/users/{user_id}/send-verification-token
pub async fn send_verification_token(call: Call) -> Outcome {
    let (scope, user) = user_of(&call)?;
    let command = call.body::<SendVerificationTokenInput>().map(|input| SendVerificationToken {
        scope,
        user,
        use_voice: input.use_voice.unwrap_or(false),
        code: NewCode::draw(&call.bursar, scope.org),
    });
    call.once(command, |_| Answer::empty(202)).await
}

input! {
    /// The code that the user entered.
    pub struct VerifyInput {
        /// Six digits.
        pub token: Text<20>,
    }
}

/// POST /v2/users/{user_id}/verify
pub async fn verify(call: Call) -> Outcome {
    let (scope, user) = user_of(&call)?;
    let command = call.body::<VerifyInput>().map(|input| {
        let offered_hash = hash_code(&call.bursar.vault, scope.org, &input.token.0);
        Verify { scope, user, offered_hash }
    });
    call.once(command, |verified| match verified {
        Ok(user) => Answer::ok(user),
        // The wrong try was counted, so the command did not refuse; the caller is refused here.
        Err(wrong) => wrong.refusal().as_ref().map_or_else(|| Answer::empty(500), Answer::from),
    })
    .await
}

/// PUT /v2/users/{user_id}/addresses
pub async fn set_address(call: Call) -> Outcome {
    let (scope, user) = user_of(&call)?;
    let command = call.body::<Address>().map(|address| {
        let nonce = call.bursar.entropy().bytes();
        SetAddress { scope, user, address: address.sealed(&call.bursar.vault, user, nonce) }
    });
    call.once(command, |is_first| Answer::empty(if *is_first { 201 } else { 200 })).await
}

/// PUT /v2/users/{user_id}/compliance
pub async fn set_compliance(call: Call) -> Outcome {
    let (scope, user) = user_of(&call)?;
    let command = match call.body::<TaxFormInput>() {
        Ok(input) => compliance_of(&call, scope, user, input).await,
        Err(refusal) => Err(refusal),
    };
    call.once(command, Answer::ok).await
}

async fn compliance_of(call: &Call, scope: Scope, user: UserId, input: TaxFormInput) -> Result<SetCompliance, Refusal> {
    let form = input.checked(call.bursar.clock.now().date(), "").map_err(Refusal::fields)?;
    let names = call.bursar.look_up(form.names()).await?;
    let form = form.sealed(&call.bursar.vault, user, &mut call.bursar.entropy());
    Ok(SetCompliance { scope, user, form, verification: first_verification(call.bursar.environment), names })
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/users/{user_id}/send-verification-token" App "send_verification_token" send_verification_token)
            .about("Users", "Sends the user a six-digit code.")
            .describe("By text message, or by a call with use_voice. The code is good for ten minutes, once, and for five tries. At most five an hour go to one phone and two hundred a day out for one app. Sending again voids the older code and does not reset the tries of a code that is still alive.")
            .takes::<SendVerificationTokenInput>()
            .gives_empty(202, "The code is on its way.")
            .refuses(&[Code::InvalidInput, Code::NotFound, Code::UserInactive, Code::UserInfoMissing, Code::RateLimited]),
        route!(Post "/v2/users/{user_id}/verify" App "verify_user" verify)
            .about("Users", "Takes the code that the user entered.")
            .takes::<VerifyInput>()
            .gives::<UserJson>(200, "The user, verified.")
            .refuses(&[Code::WrongToken, Code::NotFound, Code::UserInactive]),
        route!(Put "/v2/users/{user_id}/addresses" App "set_user_address" set_address)
            .about("Users", "Adds an address to the user, or replaces it.")
            .takes::<AddressParts>()
            .gives_empty(201, "The first address was added.")
            .gives_empty(200, "The address was replaced.")
            .refuses(&[Code::NotFound, Code::UserInactive]),
        route!(Put "/v2/users/{user_id}/compliance" App "set_user_compliance" set_compliance)
            .about("Users", "Keeps the user's tax form: a W-9 or a W-8BEN.")
            .describe("Numbers are sealed and never shown whole. A newer form replaces an older one.")
            .takes::<TaxFormInput>()
            .example(json!({"w9": {
                "name": "Jane Doe", "tax_id": "123-45-6789", "line_1": "1 Main St", "city": "New York", "state": "NY",
                "postcode": "10001", "certified": true,
            }}))
            .gives::<UserJson>(200, "The user, whose compliance object tells what was collected.")
            .refuses(&[Code::InvalidSsn, Code::NotFound, Code::UserInactive]),
    ]
}
