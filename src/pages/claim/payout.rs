//! The last step. A payee sees the fee before withdrawing, and a form that is sent twice pays once.

use super::form;
use super::visit::Visit;
use super::{draw, method, wording};
use crate::claims::{ClaimDocument, StepName};
use crate::http::{Answer, Outcome};
use crate::language::{Language, Text};
use crate::money::Cents;
use crate::money::typed;
use crate::pages::refused::Refused;
use crate::pages::views::{FieldError, Form};
use crate::refusal::{Code, Refusal};

/// Draws the last step. The query may ask for the fee of an amount other than the remaining one.
pub(super) async fn show(visit: &Visit, claim: &ClaimDocument, status: u16, refused: Option<Form>) -> Outcome {
    if let Some(form) = refused {
        return show_all_that_is_left(visit, claim, status, form).await;
    }
    let asked = visit.call.query.iter().find(|(name, _)| name == "amount").map_or("", |(_, text)| text.trim());
    if asked.is_empty() {
        return show_all_that_is_left(visit, claim, 200, Form::default()).await;
    }
    let read = typed::read_in(asked, visit.language.decimal());
    let Some(amount) = read.amount() else {
        return show_all_that_is_left(
            visit,
            claim,
            400,
            wrong(asked, &wording::question(visit.language, &read, claim.remaining_amount)),
        )
        .await;
    };
    match visit.payee.quote(Some(amount)).await {
        // The field shows the amount as it was parsed, next to the button that withdraws it.
        Ok(quote) => draw::payout(visit, claim, 200, &quote, kept(&visit.language.plain_amount(amount))),
        Err(refusal) if is_about_amount(&refusal) => {
            let message = of_amount(visit.language, amount, claim.remaining_amount, &refusal);
            show_all_that_is_left(visit, claim, 400, wrong(asked, &message)).await
        }
        Err(refusal) => Err(refusal),
    }
}

fn kept(amount: &str) -> Form {
    // An address may have any text; the page repeats only what can be an amount.
    let is_plain = amount.chars().all(|letter| letter.is_ascii_digit() || " .,'$-\u{a0}\u{202f}".contains(letter));
    let value = if is_plain { amount } else { "" };
    Form { values: vec![("amount".to_owned(), value.to_owned())], ..Form::default() }
}

fn wrong(amount: &str, message: &str) -> Form {
    let error = FieldError { field: "amount".to_owned(), message: message.to_owned() };
    Form { errors: vec![error], ..kept(amount) }
}

fn is_about_amount(refusal: &Refusal) -> bool {
    refusal.errors.iter().any(|error| error.field == "/amount")
}

fn of_amount(language: Language, amount: Cents, left: Cents, refusal: &Refusal) -> String {
    if amount > left {
        return language.say(Text::AmountMost).with("amount", language.money(left)).plain();
    }
    language.text(refusal.said.unwrap_or(Text::AmountOther)).to_owned()
}

/// Draws the page with the fee of the remaining amount. If the fee consumes all of it, the payee must choose another
/// way.
async fn show_all_that_is_left(visit: &Visit, claim: &ClaimDocument, status: u16, form: Form) -> Outcome {
    match visit.payee.quote(None).await {
        Ok(quote) => draw::payout(visit, claim, status, &quote, form),
        Err(refusal) if is_about_amount(&refusal) => {
            let message = visit.language.text(Text::AmountFeeHigher);
            method::all(visit, claim, 400, form::says(message)).await
        }
        Err(refusal) => Err(refusal),
    }
}

pub(super) async fn take(visit: &Visit) -> Outcome {
    let field = |name| form::typed(&visit.call, name);
    let read = typed::read_in(field("amount"), visit.language.decimal());
    let (Some(amount), Some(seen_left)) = (read.amount(), typed::read(field("available")).amount()) else {
        let claim = visit.payee.fetch().await?;
        let question = wording::question(visit.language, &read, claim.remaining_amount);
        let form = wrong(field("amount"), &question);
        let refused = Refused { code: Code::InvalidInput, retry_after_seconds: None, form };
        return Ok(visit.refuse(StepName::Payout.as_str(), "", refused));
    };
    if typed::read(field("shown_amount")).amount() != Some(amount) {
        return Ok(to_fee_of(visit, amount));
    }
    match visit.payee.payout(amount, seen_left).await {
        Ok(()) => Ok(visit.onward()),
        Err(refusal) => {
            let claim = visit.payee.fetch().await?;
            if draw::is_proven(&claim) && claim.remaining_amount != seen_left {
                // The form was sent before: the next page shows its result.
                return Ok(visit.onward());
            }
            Err(refusal)
        }
    }
}

fn to_fee_of(visit: &Visit, amount: Cents) -> Answer {
    visit.to_step(StepName::Payout, &format!("?amount={}", amount.plain()))
}

/// Returns the form of the last step after it was refused.
pub(super) fn refused(visit: &Visit, claim: &ClaimDocument, refusal: &Refusal) -> Form {
    let amount = form::typed(&visit.call, "amount");
    match typed::read_in(amount, visit.language.decimal()).amount() {
        Some(cents) if is_about_amount(refusal) => {
            wrong(amount, &of_amount(visit.language, cents, claim.remaining_amount, refusal))
        }
        Some(_) | None => Form { errors: form::errors(visit.language, refusal), ..kept(amount) },
    }
}
