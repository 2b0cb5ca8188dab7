use serde_json::json;

use super::path::user_of;
use crate::email::Email;
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::input::types::{CallingCode, NationalNumber, Text, phone_of};
use crate::input::{broken, input};
use crate::permission::Permission;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::security_log::Noted;
use crate::security_log::SecurityEvent;
use crate::users::address::SetAddress;
use crate::users::inputs::{Address, AddressParts};
use crate::users::{SendVerificationToken, UserJson, Verify};
use crate::verification::{NewCode, Unlock, VerificationJson, hash_code};

input! {
    /// The channel for the code.
    pub struct SendVerificationTokenInput {
        /// Whether the code is read aloud in a call instead of sent as a text message.
        pub use_voice: Option<bool>,
    }
}

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

pub async fn verify(call: Call) -> Outcome {
    let (scope, user) = user_of(&call)?;
    let command = call.body::<VerifyInput>().map(|input| {
        let offered_hash = hash_code(&call.bursar.vault, scope.org, &input.token.0);
        Verify { scope, user, offered_hash }
    });
    call.once(command, move |verified| match verified {
        Ok(user) => Answer::ok(user),
        // The command commits the count of wrong codes, so the refusal is made here.
        Err(wrong) => wrong.answer(scope.org),
    })
    .await
}

input! {
    /// A phone number or an e-mail address that was locked after wrong codes.
    pub struct UnlockVerificationInput {
        /// Country calling code, digits only; required with a phone_number that does not begin with a plus.
        pub country_code: Option<CallingCode>,
        /// Phone number within its country, with country_code; or in the form +12127361234.
        pub phone_number: Option<NationalNumber>,
        /// E-mail address; cannot be combined with phone_number.
        pub email: Option<Email>,
    }
}

impl UnlockVerificationInput {
    fn recipient(self) -> Result<String, Refusal> {
        match (self.country_code, self.phone_number, self.email) {
            (None, None, Some(email)) => Ok(email.as_str().to_lowercase()),
            (_, _, Some(_)) => {
                let message = "cannot be combined with the phone number; send only one of them";
                Err(Refusal::fields(broken(Reason::FieldConflict, "/email", message)))
            }
            (country, number, None) => {
                let phone =
                    phone_of(country.as_ref(), number.as_ref(), "", Code::InvalidInput).map_err(Refusal::fields)?;
                let message = "is required unless email is sent";
                let needed = || Refusal::fields(broken(Reason::FieldRequired, "/phone_number", message));
                phone.map(|phone| phone.e164()).ok_or_else(needed)
            }
        }
    }
}

pub async fn unlock_verification(call: Call) -> Outcome {
    let (org, by) = (call.caller.org, call.caller.member.map(|signed_in| signed_in.member));
    let recipient = call.body::<UnlockVerificationInput>().and_then(UnlockVerificationInput::recipient);
    let unlocked = move |(json, unlocked): &(VerificationJson, bool)| {
        let (event, reason, subject) = (SecurityEvent::VerificationUnlocked, "unlocked", json.id.to_string());
        let noted = unlocked.then(|| Noted { event, reason, organization: org, subject });
        Answer::ok(json).noting(noted.into_iter().collect())
    };
    call.once(recipient.map(|recipient| Unlock { org, recipient, by }), unlocked).await
}

pub async fn set_address(call: Call) -> Outcome {
    let (scope, user) = user_of(&call)?;
    let command = call.body::<Address>().map(|address| {
        let nonce = call.bursar.entropy().bytes();
        SetAddress { scope, user, address: address.sealed(&call.bursar.vault, scope.org, user, nonce) }
    });
    call.once(command, |is_first| Answer::empty(if *is_first { 201 } else { 200 })).await
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/users/{user_id}/send-verification-token" App "send_verification_token" send_verification_token)
            .about("Users", "Send the user a verification code")
            .describe("Sends a six-digit code by text message, or by a call with use_voice. The code is valid once, for ten minutes and five attempts. Limits: five codes an hour per phone number, 200 a day per app. A new code replaces the previous one and does not reset the attempts while that code is valid. Wrong codes of a phone number count across all apps and links: after 10, each wrong code blocks it for an hour, after 30 for a day, and after 100 it is locked.")
            .takes::<SendVerificationTokenInput>()
            .gives_empty(202, "The code will be sent.")
            .refuses(&[Code::InvalidInput, Code::InvalidPhoneNumber, Code::NotFound, Code::UserInactive, Code::UserInfoMissing, Code::RateLimited, Code::VerificationLocked]),
        route!(Post "/v2/users/{user_id}/verify" App "verify_user" verify)
            .about("Users", "Verify a user with a code")
            .describe("Verifies the user if the code is the one that send-verification-token sent. A code accepts a limited number of tries.")
            .takes::<VerifyInput>()
            .gives::<UserJson>(200, "The verified user.")
            .refuses(&[Code::WrongToken, Code::NotFound, Code::UserInactive, Code::RateLimited, Code::VerificationLocked]),
        route!(Post "/v2/verifications/unlock" Organization "unlock_verification" unlock_verification)
            .members(Permission::Govern)
            .about("Users", "Unlock a phone number or an e-mail address")
            .describe("Clears the count of wrong codes, so that codes can be sent and verified again. Requires an organization key or an admin's session, and is recorded as an administrative act. The contact does not have to belong to a user. A repeated call changes nothing. Returns 404 if no code was ever sent to the contact.")
            .takes::<UnlockVerificationInput>()
            .example(json!({"country_code": "1", "phone_number": "2127361234"}))
            .gives::<VerificationJson>(200, "The counts of the phone number or e-mail address.")
            .refuses(&[Code::NotFound]),
        route!(Put "/v2/users/{user_id}/addresses" App "set_user_address" set_address)
            .about("Users", "Set a user's address")
            .describe("Replaces the whole address.")
            .takes::<AddressParts>()
            .gives_empty(201, "The user with the new address.")
            .gives_empty(200, "The user with the replaced address.")
            .refuses(&[Code::NotFound, Code::UserInactive]),
    ]
}
