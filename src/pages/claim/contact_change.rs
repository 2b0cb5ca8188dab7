//! The pages on which a payee changes an e-mail address or a phone number: first the new contact, then both codes.

use super::visit::Visit;
use super::{draw, form, wording};
use crate::claims::{ContactCodesStep, ContactStep, wrong_codes};
use crate::http::Outcome;
use crate::language::Text;
use crate::pages::refused::Refused;
use crate::pages::tried;
use crate::pages::views::{FieldError, Form};
use crate::refusal::{Code, Refusal};
use crate::verification::Checked;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Page {
    New,
    Codes,
}

impl Page {
    /// Returns the page with this name in the address.
    pub fn named(name: &str) -> Option<Self> {
        [Self::New, Self::Codes].into_iter().find(|page| page.name() == name)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::New => "change-contact",
            Self::Codes => "confirm-contact",
        }
    }
}

/// Draws a page of the change. A session that may not change its contact is redirected to its next step.
pub(super) async fn show(visit: &Visit, page: Page) -> Outcome {
    let claim = visit.payee.fetch().await?;
    let refused = visit.refused(page.name());
    let (status, form) = refused.map_or((200, Form::default()), |refused| (refused.status(), refused.form));
    match (page, &claim.contact_change) {
        _ if !claim.may_change_contact => Ok(visit.onward()),
        (Page::New, _) => draw::contact_change(visit, &claim, status, form),
        (Page::Codes, Some(pending)) => draw::contact_codes(visit, &claim, status, pending, form),
        (Page::Codes, None) => Ok(visit.to("change-contact")),
    }
}

fn refuse(visit: &Visit, page: Page, refusal: &Refusal, form: Form) -> Outcome {
    Ok(visit.refuse(page.name(), "", Refused::new(refusal, form)))
}

pub(super) async fn take(visit: &Visit, page: Page) -> Outcome {
    visit.payee.must_have_session().await?;
    match page {
        Page::New => take_new(visit).await,
        Page::Codes => take_codes(visit).await,
    }
}

async fn take_new(visit: &Visit) -> Outcome {
    let body = form::body(&visit.call, &[]);
    // Only the form for an address posts `email`; if it is empty, the address is missing, not the phone number.
    let is_without_email = visit.call.body.get("email").is_some() && body.get("email").is_none();
    let new = if is_without_email {
        Err(Refusal::field(Code::InvalidInput, "/email", "is required"))
    } else {
        form::read::<ContactStep>(&body).and_then(ContactStep::contact)
    };
    let begun = match new {
        Ok(new) => visit.payee.change_contact(new).await,
        Err(refusal) => Err(refusal),
    };
    match begun {
        Ok(()) => Ok(visit.to("confirm-contact")),
        Err(refusal) if form::can_be_mended(&refusal) => {
            let form = form::again(&visit.call, visit.language, &refusal);
            refuse(visit, Page::New, &refusal, form)
        }
        Err(refusal) => Err(refusal),
    }
}

async fn take_codes(visit: &Visit) -> Outcome {
    let (refusal, errors) = match form::read::<ContactCodesStep>(&form::body(&visit.call, &[])) {
        Ok(codes) => match visit.payee.confirm_contact(&codes).await {
            Ok(Ok(())) => return Ok(visit.to("change-contact?changed=1")),
            Ok(Err(checked)) => match wrong_codes(checked) {
                refusal if refusal.code == Code::WrongToken => (refusal, named(visit, checked)),
                refusal => return Err(refusal),
            },
            Err(refusal) if form::can_be_mended(&refusal) => {
                let form = form::says(wording::refused(visit.language, &refusal));
                return refuse(visit, Page::New, &refusal, form);
            }
            Err(refusal) => return Err(refusal),
        },
        Err(refusal) => (refusal.clone(), form::errors(visit.language, &refusal)),
    };
    if visit.payee.fetch().await?.contact_change.is_none() {
        let form = form::says(visit.language.text(Text::ContactCodesOver));
        return refuse(visit, Page::New, &refusal, form);
    }
    let form = Form { errors, ..form::again(&visit.call, visit.language, &refusal) };
    refuse(visit, Page::Codes, &refusal, form)
}

/// Returns the error of each wrong code, in words for that code.
fn named(visit: &Visit, checked: [Checked; 2]) -> Vec<FieldError> {
    let fields = ["present_token", "new_token"].into_iter().zip(checked);
    fields
        .filter_map(|(field, checked)| {
            let message = tried(visit.language, checked)?;
            Some(FieldError { field: field.to_owned(), message })
        })
        .collect()
}
