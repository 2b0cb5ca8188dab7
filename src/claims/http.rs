//! The JSON routes of claims. The token in the path is the credential; after the code, also the header `Claim-Session`.

use serde_json::json;
use uuid::Uuid;

use super::acts::Payee;
use super::contact_change::{ConfirmContactChange, wrong_codes};
use super::inputs::{CodeStep, ContactCodesStep, ContactStep, NewMethodStep, PayoutStep, ProfileStep, SavedMethodStep};
use super::{ClaimDocument, ClaimPayout};
use crate::engine::Command;
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::payout_links::{self, ClaimToken};
use crate::refusal::{Code, Refusal};
use crate::taxes::TaxFormInput;
use crate::verification::Checked;

fn payee(call: &Call) -> Result<Payee, Refusal> {
    Payee::new(&call.bursar, call.parameter("token"), call.header("claim-session"))
}

pub async fn show(call: Call) -> Outcome {
    payee(&call)?.fetch().await.map(|claim| Answer::ok(&claim))
}

/// Replaces the refusal of a step's input by that of the session if there is none: without one, nothing is said about the
/// body.
async fn in_session<C>(payee: &Payee, command: Result<C, Refusal>) -> Result<C, Refusal> {
    match command {
        Ok(command) => Ok(command),
        Err(refusal) => Err(payee.must_have_session().await.err().unwrap_or(refusal)),
    }
}

/// Runs a step once for its idempotency key. The stored response has an empty body, because a replay returns the
/// current state of the claim.
async fn step<C: Command>(
    call: &Call,
    payee: &Payee,
    command: Result<C, Refusal>,
    answer: impl Fn(&C::Reply) -> Answer + Send + 'static,
) -> Outcome {
    // The keys of one link are its own: another link's payee may use the same.
    call.once_in(payee.token().org, key_scope(payee.token()), command, answer).await
}

/// Runs a step and returns the state of the claim.
async fn take<C: Command>(call: &Call, payee: &Payee, command: Result<C, Refusal>) -> Outcome {
    show_then(step(call, payee, command, |_| Answer::empty(200)).await?, payee).await
}

/// Replaces a successful response by the state of the claim.
async fn show_then(taken: Answer, payee: &Payee) -> Outcome {
    if taken.status != 200 {
        return Ok(taken);
    }
    let claim = Answer::ok(&payee.fetch().await?);
    Ok(Answer { replayed: taken.replayed, ..claim })
}

pub async fn contact(call: Call) -> Outcome {
    let payee = payee(&call)?;
    let contact = call.body::<ContactStep>().and_then(ContactStep::contact);
    take(&call, &payee, contact.map(|contact| payee.contact_command(contact))).await
}

pub async fn code(call: Call) -> Outcome {
    let payee = payee(&call)?;
    let command = match call.body::<CodeStep>() {
        Ok(step) => payee.code_command(&step.token.0).await,
        Err(refusal) => Err(refusal),
    };
    let new_session = command.as_ref().ok().map(|command| command.new_session.clone());
    let org = payee.token().org;
    let tried = step(&call, &payee, command, move |checked: &Checked| checked.answer(org)).await?;
    if tried.status != 200 {
        return Ok(tried);
    }
    // A replay does not return the secret again: a caller with the link and the key could try all six-digit codes here
    // without being counted.
    let claim = match new_session.filter(|_| !tried.replayed) {
        Some(new_session) => payee.opened(&new_session).await?,
        None => payee.fetch().await?,
    };
    Ok(Answer { replayed: tried.replayed, ..Answer::ok(&claim) })
}

pub async fn profile(call: Call) -> Outcome {
    let payee = payee(&call)?;
    let command = match call.body::<ProfileStep>() {
        Ok(step) => payee.profile_command(step.first_name.0, step.last_name.0, step.email).await,
        Err(refusal) => Err(refusal),
    };
    take(&call, &payee, in_session(&payee, command).await).await
}

pub async fn compliance(call: Call) -> Outcome {
    let payee = payee(&call)?;
    let command = match TaxFormInput::of_body(&call.body, call.bursar.clock.now().date()) {
        Ok(form) => payee.compliance_command(form).await,
        Err(refusal) => Err(refusal),
    };
    take(&call, &payee, in_session(&payee, command).await).await
}

pub async fn method(call: Call) -> Outcome {
    let payee = payee(&call)?;
    let command = if call.body.get("payout_method_id").is_some() {
        match call.body::<SavedMethodStep>() {
            Ok(step) => payee.saved_method_command(&step).await,
            Err(refusal) => Err(refusal),
        }
    } else {
        match call.body::<NewMethodStep>() {
            Ok(step) => payee.new_method_command(step).await,
            Err(refusal) => Err(refusal),
        }
    };
    take(&call, &payee, in_session(&payee, command).await).await
}

pub async fn payout(call: Call) -> Outcome {
    let payee = payee(&call)?;
    let command = call.body::<PayoutStep>().map(|step| payee.payout_command(step.amount.map(|amount| amount.0)));
    let paid = |paid: &<ClaimPayout as Command>::Reply| paid.as_ref().map_or_else(Answer::from, |_| Answer::empty(200));
    let command = in_session(&payee, command).await;
    show_then(step(&call, &payee, command, paid).await?, &payee).await
}

pub async fn change_contact(call: Call) -> Outcome {
    let payee = payee(&call)?;
    let new = call.body::<ContactStep>().and_then(ContactStep::contact);
    let command = new.map(|new| payee.contact_change_command(new));
    take(&call, &payee, in_session(&payee, command).await).await
}

pub async fn confirm_contact(call: Call) -> Outcome {
    let payee = payee(&call)?;
    let command = call.body::<ContactCodesStep>().map(|codes| payee.confirm_contact_command(&codes));
    let answer = |changed: &<ConfirmContactChange as Command>::Reply| match changed {
        Ok(()) => Answer::empty(200),
        Err(checked) => Answer::from(&wrong_codes(*checked)),
    };
    let command = in_session(&payee, command).await;
    show_then(step(&call, &payee, command, answer).await?, &payee).await
}

pub async fn end(call: Call) -> Outcome {
    let payee = payee(&call)?;
    take(&call, &payee, Ok(payee.end_command())).await
}

pub async fn request_new_link(call: Call) -> Outcome {
    let payee = payee(&call)?;
    step(&call, &payee, Ok(payee.new_link_command()), |()| Answer::empty(204)).await
}

fn key_scope(token: &ClaimToken) -> Uuid {
    let bytes = token.hash.first_chunk::<16>().copied().unwrap_or_default();
    Uuid::new_v8(bytes)
}

fn about(route: Route, summary: &'static str) -> Route {
    let refusals = [Code::NotFound, Code::LinkExpired, Code::LinkCanceled, Code::AlreadyClaimed, Code::NotPermitted];
    let route = route.about("Claims", summary).opened_by_token(payout_links::check_token);
    route.gives::<ClaimDocument>(200, "The state of the claim.").refuses(&refusals)
}

fn new_link() -> Route {
    route!(Post "/v2/claims/{token}/new-link" Anyone "request_new_link" request_new_link)
        .about("Claims", "Ask the sender for a new link")
        .opened_by_token(payout_links::check_token)
        .describe(
            "For an expired link: sets `new_link_requested_at` of the payout link, and its event informs the sender, \
             who may send the money again. No message is sent and no money moves. A repeated call changes nothing.",
        )
        .keyed()
        .gives_empty(204, "The sender is informed.")
        .refuses(&[Code::NotFound, Code::LinkCanceled, Code::AlreadyClaimed, Code::InvalidState])
}

fn contact_changes() -> Vec<Route> {
    vec![
        about(
            route!(Post "/v2/claims/{token}/contact-change" Anyone "change_claim_contact" change_contact),
            "Change the payee's phone number or e-mail address",
        )
        .describe(
            "Sends one code to the current contact and one to the new contact. The current contact is the verified \
             contact of the same kind, or else the other verified contact. The change takes effect when both codes \
             are confirmed, within ten minutes. Requires a session of a known payee at a link that names its payee \
             (`may_change_contact`). Both codes count toward the limits on codes.",
        )
        .keyed()
        .takes::<ContactStep>()
        .example(json!({"email": "ada@example.com"}))
        .refuses(&[
            Code::Unauthorized,
            Code::InvalidState,
            Code::InvalidPhoneNumber,
            Code::InvalidEmail,
            Code::UserInactive,
            Code::VerificationLocked,
        ]),
        about(
            route!(Post "/v2/claims/{token}/contact-change/confirm" Anyone "confirm_claim_contact" confirm_contact),
            "Confirm the change with both codes",
        )
        .describe(
            "Counts wrong codes per contact; a correct code stays valid while the other is wrong. The previous \
             contact receives a notice with a link that freezes automatic payouts. Refused if the new contact belongs \
             to another user; this check runs only after both codes are correct.",
        )
        .keyed()
        .takes::<ContactCodesStep>()
        .example(json!({"present_token": "123456", "new_token": "654321"}))
        .refuses(&[
            Code::Unauthorized,
            Code::WrongToken,
            Code::InvalidState,
            Code::InvalidPhoneNumber,
            Code::UserInactive,
            Code::VerificationLocked,
        ]),
    ]
}

pub fn routes() -> Vec<Route> {
    let steps = vec![
        about(route!(Get "/v2/claims/{token}" Anyone "get_claim" show), "Get a claim")
            .describe("The token of the link is the credential. This call changes nothing."),
        about(
            route!(Post "/v2/claims/{token}/contact" Anyone "give_claim_contact" contact),
            "Send a verification code",
        )
        .describe("Sends a six-digit code to the contact. If the link names its payee, only that contact is accepted.")
        .keyed()
        .takes::<ContactStep>()
        .refuses(&[Code::UserInactive, Code::VerificationLocked]),
        about(route!(Post "/v2/claims/{token}/code" Anyone "prove_claim_contact" code), "Verify the code")
            .describe(
                "The response contains `session`; send it in the header Claim-Session of later calls. A replay with \
                 the same idempotency key does not return it again; request a new code instead.",
            )
            .keyed()
            .takes::<CodeStep>()
            .refuses(&[Code::WrongToken, Code::InvalidState, Code::UserInactive, Code::VerificationLocked]),
        about(route!(Post "/v2/claims/{token}/profile" Anyone "fill_claim_profile" profile), "Set the payee's name")
            .describe("Sets the payee's name, and the e-mail address if it is sent.")
            .keyed()
            .takes::<ProfileStep>()
            .refuses(&[Code::Unauthorized, Code::InvalidState]),
        about(
            route!(Post "/v2/claims/{token}/compliance" Anyone "give_claim_tax_form" compliance),
            "Submit the tax form",
        )
        .describe("Required when next_step is `compliance`. Send either w9 or w8ben.")
        .keyed()
        .takes::<TaxFormInput>()
        .refuses(&[Code::Unauthorized, Code::InvalidSsn, Code::InvalidState, Code::UserInactive]),
        about(route!(Post "/v2/claims/{token}/method" Anyone "choose_claim_method" method), "Choose the payout method")
            .describe(
                "Send payout_method_id for a saved payout method, or platform with the fields that it requires. A later \
                 call replaces the choice.",
            )
            .keyed()
            .takes::<NewMethodStep>()
            .example(json!({"platform": "ach", "routing_number": "110000000", "account_number": "5550001"}))
            .refuses(&[Code::Unauthorized, Code::UserInfoMissing, Code::LimitExceeded]),
        about(route!(Post "/v2/claims/{token}/payout" Anyone "pay_claim_out" payout), "Pay out the claim")
            .describe("Pays out the remaining amount or a part of it. The link is claimed once; the rest can be paid out later.")
            .keyed()
            .takes::<PayoutStep>()
            .refuses(&[
                Code::Unauthorized,
                Code::UserInfoMissing,
                Code::InsufficientFunds,
                Code::InvalidState,
                Code::LimitExceeded,
            ]),
        about(route!(Post "/v2/claims/{token}/end" Anyone "end_claim_session" end), "End the claim session")
            .describe(
                "Signs the payee out. A session also ends one hour after its last change, and when another code \
                 starts a newer session of the link. When the link is fully paid out, its session can only replace a \
                 failed payout method of this link, for 14 days. A repeated call changes nothing.",
            )
            .keyed(),
    ];
    [steps, contact_changes(), vec![new_link()]].concat()
}
