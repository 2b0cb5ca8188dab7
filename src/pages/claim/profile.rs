//! The step that asks for the name. A new payee whose account is usually in the United States enters it on the same page,
//! so that the claim needs one page less.

use super::visit::Visit;
use super::{draw, form, method};
use crate::claims::{ClaimDocument, ProfileStep, StepName};
use crate::http::Outcome;
use crate::input::{Input as _, Problems, gather};
use crate::pages::draw::page;
use crate::pages::views::{BankForm, Form, ProfilePage};
use crate::refusal::Refusal;

/// The fields of the name; all others of the page are those of the account.
const NAME: [&str; 3] = ["first_name", "last_name", "email"];
/// Every form of an account has this field.
const OF_ACCOUNT: &str = "account_number";

/// Draws the page, with the account if that is the next step; a refused form again as it was.
pub(super) async fn show(visit: &Visit, claim: &ClaimDocument, status: u16, refused: Option<Form>) -> Outcome {
    let has_account = refused.as_ref().is_none_or(|form| form.has_field("routing_number"));
    let account = if is_alone(visit) || !has_account { None } else { bank_form(visit, claim).await? };
    if let Some(form) = refused {
        return draw_page(visit, claim, status, account, form);
    }
    let mut form = Form::default();
    for (name, value) in NAME.into_iter().zip(visit.payee.named().await?) {
        form.values.push((name.to_owned(), value.unwrap_or_default()));
    }
    draw_page(visit, claim, status, account, form)
}

/// Returns the query of the page that shows a refused form.
pub(super) fn query(visit: &Visit) -> &'static str {
    if is_alone(visit) { "?account=later" } else { "" }
}

fn draw_page(visit: &Visit, claim: &ClaimDocument, status: u16, account: Option<BankForm>, mut form: Form) -> Outcome {
    method::choose_checking(&mut form);
    let claim = draw::head(visit, claim, Some(StepName::Profile));
    page(status, &ProfilePage { claim, account, form })
}

/// Returns the bank form, if the account is the next step after the name and the form is the payee's first choice.
async fn bank_form(visit: &Visit, claim: &ClaimDocument) -> Result<Option<BankForm>, Refusal> {
    let mut open = claim.steps.iter().filter(|step| !claim.completed_steps.contains(step));
    if open.next() != Some(&StepName::Profile) || open.next() != Some(&StepName::Method) {
        return Ok(None);
    }
    method::first_account(visit, claim).await
}

/// Returns whether the payee chooses another way than the form of an account.
fn is_alone(visit: &Visit) -> bool {
    visit.call.query.iter().any(|(name, value)| name == "account" && value == "later")
}

fn asks_account(visit: &Visit) -> bool {
    !is_alone(visit) && visit.call.body.get(OF_ACCOUNT).is_some()
}

pub(super) async fn take(visit: &Visit) -> Outcome {
    if is_alone(visit) && NAME.iter().all(|name| form::typed(&visit.call, name).is_empty()) {
        // The payee has not come to the name yet, so nothing in it is wrong.
        return Ok(visit.to_step(StepName::Profile, "?account=later"));
    }
    if !asks_account(visit) {
        // Next to another way, the fields of the account may be filled in part.
        let body = if is_alone(visit) { form::only(&visit.call, &NAME) } else { form::body(&visit.call, &[]) };
        let given: ProfileStep = form::read(&body)?;
        visit.payee.profile(given.first_name.0, given.last_name.0, given.email).await?;
        return Ok(visit.onward());
    }
    let mut problems = Problems::new();
    let name = gather(ProfileStep::read(&form::only(&visit.call, &NAME), ""), &mut problems);
    let account = gather(method::read_new(visit, &form::body(&visit.call, &NAME)), &mut problems);
    let (Some(name), Some(account)) = (name, account) else { return Err(Refusal::fields(problems)) };
    visit.payee.profile(name.first_name.0, name.last_name.0, name.email).await?;
    visit.payee.new_method(account).await?;
    Ok(visit.onward())
}
