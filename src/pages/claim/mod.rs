//! The claim of a payout link as pages at `/claim/<token>`: the steps of `claims` as HTML forms (docs/decisions.md 9
//! and 16).
//!
//! Invariants: a GET changes nothing, because link previews and mail scanners open pages. A POST answers with a
//! redirect, also if its form is refused (`pages/refused.rs`). After the code, only the
//! browser with the cookie can continue. Codes and tax numbers are never written into a page. A payee sees the fee
//! before withdrawing. The pages hold no rules: the claim document has the permitted and next steps, and every post
//! calls `claims::acts::Payee`.
//!
//! Start at [`show_claim_page`] and [`take_claim_step`].

mod closed;
mod code;
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

use crate::claims::{ContactStep, StepName};
use crate::http::route::route;
use crate::http::{Call, Outcome, Route};
use crate::language::Text;
use crate::messages::Channel;
use crate::pages::refused::Refused;
use crate::pages::views::Form;
use crate::payout_links::check_token;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::strict_json::Json;
use crate::taxes::TaxFormInput;
pub use closed::link_not_found;
pub(super) use closed::render_error;
use visit::Visit;

/// GET /claim/{token}
pub async fn show_claim_page(call: Call) -> Outcome {
    let visit = Visit::new(call).await?;
    if let Some(refused) = visit.refused("") {
        return visit.closed(&refused).await;
    }
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
        Some(step) => show_step(visit, step.name, None).await,
        None => match claim.on_hold {
            Some(message) => draw::on_hold(visit, &claim, message),
            None => Err(Refusal::to_payee(Code::InvalidState, Text::RefusedPaidOut).because(Reason::AlreadyDone)),
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
    let outcome = show_step(&visit, step, visit.refused(step.as_str())).await;
    visit.or_closed(outcome).await
}

/// Draws a step, with the errors of its refused form.
async fn show_step(visit: &Visit, step: StepName, refused: Option<Refused>) -> Outcome {
    let claim = visit.payee.fetch().await?;
    if step == StepName::Code && !draw::is_proven(&claim) {
        return code::show(visit, &claim, refused);
    }
    if !draw::is_open(&claim, step) {
        return Ok(visit.onward());
    }
    let asks_details = matches!(step, StepName::Profile | StepName::Compliance);
    if asks_details && visit.payee.ways().await?.under_fees.is_some() {
        // Nothing that the payee enters can help.
        return method::all(visit, &claim, 200, Form::default()).await;
    }
    let (status, form) = refused.map_or((200, None), |refused| (refused.status(), Some(refused.form)));
    match step {
        StepName::Contact | StepName::Code => draw::contact(visit, &claim, status, form.unwrap_or_default()),
        StepName::Profile => profile::show(visit, &claim, status, form).await,
        StepName::Compliance => draw::compliance(visit, &claim, status, form.unwrap_or_default()),
        StepName::Method => method::show(visit, &claim, status, form).await,
        StepName::Payout => payout::show(visit, &claim, status, form).await,
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
        return visit.or_refused(requested).await;
    }
    if call.parameter("step") == "end" {
        return sign_out(Visit::new(call).await?).await;
    }
    if let Some(page) = contact_change::Page::named(call.parameter("step")) {
        let visit = Visit::new(call).await?;
        visit.must_be_ours()?;
        let outcome = contact_change::take(&visit, page).await;
        return visit.or_refused(outcome).await;
    }
    let step = step_of(&call)?;
    let visit = Visit::new(call).await?;
    visit.must_be_ours()?;
    let taken = take(&visit, step).await;
    let outcome = match taken {
        Err(refusal) if form::can_be_mended(&refusal) => refuse(&visit, step, &refusal).await,
        // The codes that were sent still work.
        Err(refusal) if code::is_resend(&visit, step) && refusal.code == Code::RateLimited => {
            code::refuse_resend(&visit, refusal).await
        }
        Ok(_) | Err(_) => taken,
    };
    visit.or_refused(outcome).await
}

/// Redirects to the page of a refused form. If the name of a page of name and account was accepted, only the account is
/// missing.
async fn refuse(visit: &Visit, step: StepName, refusal: &Refusal) -> Outcome {
    let claim = visit.payee.fetch().await?;
    let form = match step {
        StepName::Payout => payout::refused(visit, &claim, refusal),
        StepName::Contact | StepName::Code | StepName::Profile | StepName::Compliance | StepName::Method => {
            form::again(&visit.call, visit.language, refusal)
        }
    };
    let (page, query) = match step {
        StepName::Code => (StepName::Contact, ""),
        StepName::Profile if !draw::is_open(&claim, StepName::Profile) => (StepName::Method, ""),
        StepName::Profile => (StepName::Profile, profile::query(visit)),
        StepName::Contact | StepName::Compliance | StepName::Method | StepName::Payout => (step, ""),
    };
    Ok(visit.refuse(page.as_str(), query, Refused::new(refusal, form)))
}

/// Ends the session and removes the cookie.
async fn sign_out(visit: Visit) -> Outcome {
    visit.must_be_ours()?;
    let ended = visit.payee.end().await.map(|()| visit.onward().header("set-cookie", visit.no_cookie()));
    visit.or_refused(ended).await
}

fn step_of(call: &Call) -> Result<StepName, Refusal> {
    StepName::from_word(call.parameter("step")).ok_or_else(|| Refusal::not_found("page"))
}

async fn take(visit: &Visit, step: StepName) -> Outcome {
    if !matches!(step, StepName::Contact | StepName::Code) {
        visit.payee.must_have_session().await?;
    }
    match step {
        StepName::Contact => take_contact(visit).await,
        StepName::Code if code::is_resend(visit, step) => {
            visit.payee.send_code_again().await?;
            Ok(visit.to_step(StepName::Code, "?resent=1"))
        }
        StepName::Code => code::take(visit).await,
        StepName::Profile => profile::take(visit).await,
        StepName::Compliance => take_compliance(visit).await,
        StepName::Method => method::take(visit).await,
        StepName::Payout => payout::take(visit).await,
    }
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

async fn take_compliance(visit: &Visit) -> Outcome {
    let form = form::typed(&visit.call, "form");
    let name = if form == "w8ben" { "w8ben" } else { "w9" };
    let body = Json::Object(vec![(name.to_owned(), form::body(&visit.call, &["form"]))]);
    let today = visit.call.bursar.clock.now().date();
    visit.payee.compliance(TaxFormInput::of_body(&body, today)?).await?;
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
        .gives_empty(303, "The step is complete, or the form is refused; Location is the page that says so.")
        .refuses(&[Code::WrongToken, Code::InvalidInput, Code::PayloadTooLarge, Code::UnsupportedMediaType]),
    ]
}
