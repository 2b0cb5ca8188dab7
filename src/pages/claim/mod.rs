//! The claim of a payout link as pages at `/claim/<token>`: the steps of `claims` as HTML forms (docs/decisions.md 9
//! and 16).
//!
//! Invariants: a GET changes nothing, because link previews and mail scanners open pages. After the code, only the
//! browser with the cookie can continue. Codes and tax numbers are never written into a page. A payee sees the fee
//! before withdrawing. The pages hold no rules: the claim document has the permitted and next steps, and every post
//! calls `claims::acts::Payee`.
//!
//! Start at [`show_claim_page`] and [`take_claim_step`].

mod closed;
mod contact_change;
mod done;
mod draw;
mod form;
mod method;
mod payout;
mod profile;
mod visit;
mod why;
mod ways;
pub(super) mod wording;

use crate::claims::{CodeStep, ContactStep, StepName};
use crate::http::route::route;
use crate::http::{Call, Outcome, Route};
use crate::language::Text;
use crate::messages::Channel;
use crate::pages::views::{FieldError, Form};
use crate::payout_links::check_token;
use crate::refusal::{Code, Refusal};
use crate::strict_json::Json;
use crate::taxes::TaxFormInput;
use crate::verification::Checked;
pub use closed::link_not_found;
pub(super) use closed::render_error;
use visit::Visit;

/// GET /claim/{token}
pub async fn show_claim_page(call: Call) -> Outcome {
    let visit = Visit::new(call).await?;
    let outcome = show(&visit).await;
    visit.or_closed(outcome).await
}

/// Draws the next step or, after a payout, its outcome.
async fn show(visit: &Visit) -> Outcome {
    let claim = visit.payee.fetch().await?;
    if let Some(transfer) = claim.transfer.as_ref().filter(|_| draw::is_proven(&claim)) {
        return done::done(visit, &claim, transfer);
    }
    match &claim.next_step {
        Some(step) => show_step(visit, step.name).await,
        None => match claim.on_hold {
            Some(message) => draw::on_hold(visit, &claim, message),
            None => Err(Refusal::to_payee(Code::InvalidState, Text::RefusedPaidOut)),
        },
    }
}

/// GET /claim/{token}/{step}
pub async fn show_claim_step(call: Call) -> Outcome {
    if let Some(page) = contact_change::Page::named(call.parameter("step")) {
        let visit = Visit::new(call).await?;
        let outcome = contact_change::show(&visit, page).await;
        return visit.or_closed(outcome).await;
    }
    if call.parameter("step") == "receipt" {
        let visit = Visit::new(call).await?;
        let outcome = done::receipt(&visit).await;
        return visit.or_closed(outcome).await;
    }
    if call.parameter("step") == "why" {
        let visit = Visit::new(call).await?;
        let outcome = why::show(&visit).await;
        return visit.or_closed(outcome).await;
    }
    let step = step_of(&call)?;
    let visit = Visit::new(call).await?;
    let outcome = show_step(&visit, step).await;
    visit.or_closed(outcome).await
}

async fn show_step(visit: &Visit, step: StepName) -> Outcome {
    let claim = visit.payee.fetch().await?;
    if !draw::is_open(&claim, step) {
        return Ok(visit.onward());
    }
    match step {
        StepName::Contact => draw::contact(visit, &claim, 200, Form::default()),
        StepName::Code => {
            let sent_to = claim.code_sent_to.clone().unwrap_or_default();
            draw::code(visit, &claim, 200, (sent_to, false), Form::default())
        }
        StepName::Profile => profile::show(visit, &claim).await,
        StepName::Compliance => draw::compliance(visit, &claim, 200, Form::default()),
        StepName::Method => method::show(visit, &claim).await,
        StepName::Payout => payout::show(visit, &claim).await,
    }
}

/// POST /claim/{token}/{step}
pub async fn take_claim_step(call: Call) -> Outcome {
    if call.parameter("step") == "language" {
        let visit = Visit::new(call).await?;
        visit.payee.speak(crate::pages::language::posted(&visit.call)).await;
        return crate::pages::language::keep(&visit.call, &format!("/claim/{}", visit.token));
    }
    if call.parameter("step") == closed::NEW_LINK {
        let visit = Visit::new(call).await?;
        visit.must_be_ours()?;
        let requested = visit.payee.request_new_link().await.map(|()| visit.onward());
        return visit.or_closed(requested).await;
    }
    if call.parameter("step") == "end" {
        return sign_out(Visit::new(call).await?).await;
    }
    if let Some(page) = contact_change::Page::named(call.parameter("step")) {
        let visit = Visit::new(call).await?;
        visit.must_be_ours()?;
        let outcome = contact_change::take(&visit, page).await;
        return visit.or_closed(outcome).await;
    }
    let step = step_of(&call)?;
    let visit = Visit::new(call).await?;
    visit.must_be_ours()?;
    let taken = take(&visit, step).await;
    let outcome = match taken {
        Err(refusal) if form::can_be_mended(&refusal) => again(&visit, step, &refusal).await,
        // The codes that were sent still work.
        Err(refusal) if is_resend(&visit, step) && refusal.code == Code::RateLimited => {
            too_many_codes(&visit, refusal).await
        }
        Ok(_) | Err(_) => taken,
    };
    visit.or_closed(outcome).await
}

/// Draws the page of a step again, with its errors.
async fn again(visit: &Visit, step: StepName, refusal: &Refusal) -> Outcome {
    let claim = visit.payee.fetch().await?;
    let (status, form) = (refusal.code.status(), form::again(visit, refusal));
    match step {
        StepName::Contact | StepName::Code => draw::contact(visit, &claim, status, form),
        StepName::Profile => profile::again(visit, &claim, refusal).await,
        StepName::Compliance => draw::compliance(visit, &claim, status, form),
        StepName::Method => method::again(visit, &claim, refusal).await,
        StepName::Payout => payout::again(visit, &claim, refusal).await,
    }
}

/// Ends the session and removes the cookie.
async fn sign_out(visit: Visit) -> Outcome {
    visit.must_be_ours()?;
    let ended = visit.payee.end().await.map(|()| visit.onward().header("set-cookie", visit.no_cookie()));
    visit.or_closed(ended).await
}

fn step_of(call: &Call) -> Result<StepName, Refusal> {
    StepName::from_word(call.parameter("step")).ok_or_else(|| Refusal::not_found("page"))
}

async fn take(visit: &Visit, step: StepName) -> Outcome {
    match step {
        StepName::Contact => take_contact(visit).await,
        StepName::Code if is_resend(visit, step) => {
            visit.payee.send_code_again().await?;
            Ok(visit.to_step(StepName::Code, "?resent=1"))
        }
        StepName::Code => take_code(visit).await,
        StepName::Profile => profile::take(visit).await,
        StepName::Compliance => take_compliance(visit).await,
        StepName::Method => method::take(visit).await,
        StepName::Payout => payout::take(visit).await,
    }
}

/// Draws the page of the code, if one that was sent still works.
async fn too_many_codes(visit: &Visit, refusal: Refusal) -> Outcome {
    let claim = visit.payee.fetch().await?;
    let Some(sent_to) = claim.code_sent_to.clone() else { return Err(refusal) };
    let form = form::says(visit.language.text(Text::RefusedSends));
    draw::code(visit, &claim, refusal.code.status(), (sent_to, false), form)
}

fn is_resend(visit: &Visit, step: StepName) -> bool {
    step == StepName::Code && form::typed(&visit.call, "resend") == "1"
}

/// Sends a code to the contact that the link names (`send`), or to the one that was entered.
async fn take_contact(visit: &Visit) -> Outcome {
    match form::typed(&visit.call, "send") {
        "phone" => visit.payee.send_named_code(Channel::Sms).await?,
        "email" => visit.payee.send_named_code(Channel::Email).await?,
        _ => {
            let given: ContactStep = form::read(&form::body(&visit.call, &["send"]))?;
            visit.payee.contact(given.contact()?).await?;
        }
    }
    Ok(visit.onward())
}

async fn take_code(visit: &Visit) -> Outcome {
    let claim = visit.payee.fetch().await?;
    // The code has expired, was used or was tried too often: the payee needs a new one.
    let Some(sent_to) = claim.code_sent_to.clone() else {
        let message = visit.language.text(Text::CodeOver);
        return draw::contact(visit, &claim, Code::WrongToken.status(), form::says(message));
    };
    let language = visit.language;
    let wrong = |message: String, dead: bool| {
        let error = FieldError { field: "token".to_owned(), message };
        let errors = if dead { Vec::new() } else { vec![error] };
        let status = Code::WrongToken.status();
        draw::code(visit, &claim, status, (sent_to.clone(), dead), Form { values: Vec::new(), errors })
    };
    let Ok(given) = form::read::<CodeStep>(&form::body(&visit.call, &[])) else {
        return wrong(language.text(Text::FieldCode).to_owned(), false);
    };
    let tried = visit.payee.try_code(&given.token.0).await?;
    if let Err(wrong) = &tried {
        visit.call.log_noted(&wrong.noted(visit.payee.token().org));
    }
    match tried {
        Ok(opened) => {
            let secret = opened.session.unwrap_or_default();
            Ok(visit.onward().header("set-cookie", visit.cookie(&secret)))
        }
        Err(Checked::Dead | Checked::Wrong { tries_left: 0, .. }) => wrong(String::new(), true),
        Err(Checked::Wrong { tries_left, .. }) => {
            let tries_left = u64::try_from(tries_left).unwrap_or_default();
            wrong(language.say(Text::CodeWrong).count(tries_left).plain(), false)
        }
        Err(Checked::NoCode | Checked::Expired | Checked::Right) => {
            wrong(language.text(Text::CodeOverSend).to_owned(), false)
        }
        Err(waiting @ (Checked::Waiting(_) | Checked::Locked)) => {
            Err(waiting.refusal().unwrap_or_else(|| Refusal::not_found("code")))
        }
    }
}

async fn take_compliance(visit: &Visit) -> Outcome {
    let form = form::typed(&visit.call, "form");
    let name = if form == "w8ben" { "w8ben" } else { "w9" };
    let body = Json::Object(vec![(name.to_owned(), form::body(&visit.call, &["form"]))]);
    visit.payee.compliance(form::read::<TaxFormInput>(&body)?).await?;
    Ok(visit.onward())
}

pub fn routes() -> Vec<Route> {
    let refusals = [
        Code::NotFound,
        Code::LinkExpired,
        Code::LinkCanceled,
        Code::AlreadyClaimed,
        Code::NotPermitted,
        Code::RateLimited,
    ];
    let about = |route: Route, summary: &'static str| {
        let route =
            route.about("Pages", summary).opened_by_token(check_token).renders_errors_with(closed::render_error);
        route.gives_empty(200, "The page.").refuses(&refusals)
    };
    vec![
        about(
            route!(Get "/claim/{token}" Anyone "show_claim_page" show_claim_page),
            "Show the current step of a claim",
        ),
        about(route!(Get "/claim/{token}/{step}" Anyone "show_claim_step" show_claim_step), "Show a step of a claim"),
        about(
            route!(Post "/claim/{token}/{step}" Anyone "take_claim_step" take_claim_step),
            "Submit a step of a claim",
        )
        .gives_empty(303, "The step is complete; Location is the next page.")
        .refuses(&[Code::WrongToken, Code::InvalidInput, Code::PayloadTooLarge, Code::UnsupportedMediaType]),
    ]
}
