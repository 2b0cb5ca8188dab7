//! The last step: nobody withdraws at a fee they have not seen, and a form that is sent twice pays once.

use super::form;
use super::visit::Visit;
use super::{draw, wording};
use crate::claims::{ClaimDocument, StepName};
use crate::http::{Answer, Outcome};
use crate::money::Cents;
use crate::pages::views::{FieldError, Form};
use crate::refusal::Refusal;

/// The page of the last step; the query may ask for the fee of another amount than all that is left.
pub(super) async fn show(visit: &Visit, claim: &ClaimDocument) -> Outcome {
    let asked = visit.call.query.iter().find(|(name, _)| name == "amount").map_or("", |(_, text)| text.trim());
    if asked.is_empty() {
        return show_all_that_is_left(visit, claim, 200, Form::default()).await;
    }
    let Some(amount) = wording::dollars(asked) else {
        return show_all_that_is_left(visit, claim, 400, wrong(asked, NO_AMOUNT)).await;
    };
    match visit.payee.quote(Some(amount)).await {
        Ok(quote) => draw::payout(visit, claim, 200, &quote, typed(asked)),
        Err(refusal) if is_about_amount(&refusal) => {
            let message = of_amount(amount, claim.remaining_amount, &refusal);
            show_all_that_is_left(visit, claim, 400, wrong(asked, &message)).await
        }
        Err(refusal) => Err(refusal),
    }
}

const NO_AMOUNT: &str = "Enter an amount in dollars, like 25.00.";

fn typed(amount: &str) -> Form {
    Form { values: vec![("amount".to_owned(), amount.to_owned())], errors: Vec::new() }
}

fn wrong(amount: &str, message: &str) -> Form {
    let error = FieldError { field: "amount".to_owned(), message: message.to_owned() };
    Form { errors: vec![error], ..typed(amount) }
}

fn is_about_amount(refusal: &Refusal) -> bool {
    refusal.errors.iter().any(|error| error.field == "/amount")
}

fn of_amount(amount: Cents, left: Cents, refusal: &Refusal) -> String {
    if amount > left {
        return format!("Enter at most {}.", left.dollars());
    }
    wording::sentence("amount", &refusal.errors.first().map_or_else(String::new, |error| error.message.clone()))
}

/// The page with the fee of all that is left. Where that fee eats it all up, another way must be chosen.
async fn show_all_that_is_left(visit: &Visit, claim: &ClaimDocument, status: u16, form: Form) -> Outcome {
    match visit.payee.quote(None).await {
        Ok(quote) => draw::payout(visit, claim, status, &quote, form),
        Err(refusal) if is_about_amount(&refusal) => {
            let message = "The fee of this way is more than the payout. Choose another.";
            draw::method(visit, claim, 400, form::says(message)).await
        }
        Err(refusal) => Err(refusal),
    }
}

/// POST of the last step.
pub(super) async fn take(visit: &Visit) -> Outcome {
    let field = |name| form::typed(&visit.call, name);
    let (Some(amount), Some(seen_left)) = (wording::dollars(field("amount")), wording::dollars(field("available")))
    else {
        let claim = visit.payee.look().await?;
        return show_all_that_is_left(visit, &claim, 400, wrong(field("amount"), NO_AMOUNT)).await;
    };
    if wording::dollars(field("shown_amount")) != Some(amount) {
        return Ok(to_fee_of(visit, amount));
    }
    match visit.payee.payout(amount, seen_left).await {
        Ok(()) => Ok(visit.onward()),
        Err(refusal) => {
            let claim = visit.payee.look().await?;
            if draw::is_proven(&claim) && claim.remaining_amount != seen_left {
                // The form was sent before: what it did is on the page that comes next.
                return Ok(visit.onward());
            }
            Err(refusal)
        }
    }
}

fn to_fee_of(visit: &Visit, amount: Cents) -> Answer {
    visit.to_step(StepName::Payout, &format!("?amount={}", wording::amount_field(amount)))
}

/// The page after the last step was refused.
pub(super) async fn again(visit: &Visit, claim: &ClaimDocument, refusal: &Refusal) -> Outcome {
    let amount = form::typed(&visit.call, "amount");
    let form = match wording::dollars(amount) {
        Some(cents) if is_about_amount(refusal) => wrong(amount, &of_amount(cents, claim.remaining_amount, refusal)),
        Some(_) | None => Form { errors: form::errors(refusal), ..typed(amount) },
    };
    show_all_that_is_left(visit, claim, refusal.code.status(), form).await
}
