//! The step of the code. A wrong code is counted, and its page says how many attempts are left now.

use super::visit::Visit;
use super::{draw, form};
use crate::claims::{ClaimDocument, CodeStep, StepName};
use crate::http::{Answer, Outcome};
use crate::language::Text;
use crate::pages::refused::Refused;
use crate::pages::views::{FieldError, Form};
use crate::refusal::{Code, Refusal};
use crate::verification::{Checked, TRIES_MAX};

/// The value of a refused form that has the masked recipient of an invalidated code. It has no error.
const SENT_TO: &str = "sent_to";

/// Draws the page of the code, also of one that five wrong attempts have invalidated. Without a code, the payee gives the
/// contact first.
pub(super) fn show(visit: &Visit, claim: &ClaimDocument, refused: Option<Refused>) -> Outcome {
    let form = refused.as_ref().map(|refused| refused.form.clone()).unwrap_or_default();
    let Some(sent_to) = claim.code_sent_to.clone() else {
        return match refused {
            Some(refused) if form.has_field(SENT_TO) => {
                draw::code(visit, claim, refused.status(), (form.value(SENT_TO).to_owned(), true), Form::default())
            }
            Some(_) | None => Ok(visit.onward()),
        };
    };
    let (status, form) = match refused {
        Some(refused) if refused.code == Code::WrongToken => counted(visit, claim),
        Some(refused) => (refused.status(), form),
        None => (200, form),
    };
    draw::code(visit, claim, status, (sent_to, false), form)
}

/// Returns the status and the error of a wrong code. The page may be shown again after more attempts, or a new code.
fn counted(visit: &Visit, claim: &ClaimDocument) -> (u16, Form) {
    match claim.code_tries_left.and_then(|left| u64::try_from(left).ok()) {
        Some(left) if claim.code_tries_left != Some(TRIES_MAX) => {
            let message = visit.language.say(Text::CodeWrong).count(left).plain();
            let error = FieldError { field: "token".to_owned(), message };
            (Code::WrongToken.status(), Form { errors: vec![error], ..Form::default() })
        }
        Some(_) | None => (200, Form::default()),
    }
}

pub(super) async fn take(visit: &Visit) -> Outcome {
    let claim = visit.payee.fetch().await?;
    // The code has expired, was used or was tried too often: the payee needs a new one.
    let Some(sent_to) = claim.code_sent_to else { return Ok(over(visit)) };
    let given = match form::read::<CodeStep>(&form::body(&visit.call, &[])) {
        Ok(given) => given,
        Err(refusal) => {
            let form = form::again(&visit.call, visit.language, &refusal);
            return Ok(refuse(visit, Code::InvalidInput, form));
        }
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
        Err(Checked::Dead | Checked::Wrong { tries_left: 0, .. }) => {
            let values = vec![(SENT_TO.to_owned(), sent_to)];
            Ok(refuse(visit, Code::WrongToken, Form { values, ..Form::default() }))
        }
        Err(Checked::Wrong { .. }) => Ok(refuse(visit, Code::WrongToken, Form::default())),
        Err(Checked::NoCode | Checked::Expired | Checked::Right) => Ok(over(visit)),
        Err(waiting @ (Checked::Waiting(_) | Checked::Locked)) => {
            Err(waiting.refusal().unwrap_or_else(|| Refusal::not_found("code")))
        }
    }
}

fn refuse(visit: &Visit, code: Code, form: Form) -> Answer {
    visit.refuse(StepName::Code.as_str(), "", Refused { code, retry_after_seconds: None, form })
}

/// Redirects a payee who needs a new code to the page that sends one.
fn over(visit: &Visit) -> Answer {
    let form = form::says(visit.language.text(Text::CodeOver));
    visit.refuse(StepName::Contact.as_str(), "", Refused { code: Code::WrongToken, retry_after_seconds: None, form })
}

pub(super) fn is_resend(visit: &Visit, step: StepName) -> bool {
    step == StepName::Code && form::typed(&visit.call, "resend") == "1"
}

/// Redirects to the page of the code, if one that was sent still works.
pub(super) async fn refuse_resend(visit: &Visit, refusal: Refusal) -> Outcome {
    if visit.payee.fetch().await?.code_sent_to.is_none() {
        return Err(refusal);
    }
    let form = form::says(visit.language.text(Text::RefusedSends));
    Ok(visit.refuse(StepName::Code.as_str(), "", Refused::new(&refusal, form)))
}
