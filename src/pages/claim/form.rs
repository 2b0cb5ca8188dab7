//! A posted form, as the JSON body of the same step and as the form that is shown again.

use crate::http::Call;
use crate::input::Input;
use crate::language::Language;
use crate::pages::views::{FieldError, Form};
use crate::refusal::{Code, Refusal};
use crate::strict_json::Json;

use super::wording;

/// Checkboxes: posted as `true`, or absent.
const FLAGS: [&str; 3] = ["is_default", "auto_payout_enabled", "certified"];
/// Fields that are never written into a page again: codes, and the numbers of accounts, taxes and possibly cards.
const NEVER_KEPT: [&str; 9] = [
    "token",
    "present_token",
    "new_token",
    "tax_id",
    "foreign_tax_id",
    "account_number",
    "confirm_account_number",
    "iban",
    "card_token",
];

/// Returns the text typed into a field; empty if the field is absent.
pub(super) fn typed<'a>(call: &'a Call, name: &str) -> &'a str {
    match call.body.get(name) {
        Some(Json::Text(text)) => text.trim(),
        Some(Json::Null | Json::Bool(_) | Json::Int(_) | Json::Decimal(_) | Json::List(_) | Json::Object(_)) | None => {
            ""
        }
    }
}

/// Returns the form as a JSON body. Blank fields are absent, because browsers post every field, and checkboxes are
/// true. Fields of the page itself, `own`, are left out.
pub(super) fn body(call: &Call, own: &[&str]) -> Json {
    let Json::Object(fields) = &call.body else { return Json::Object(Vec::new()) };
    let given = fields.iter().filter(|(name, _)| !own.contains(&name.as_str()) && !typed(call, name).is_empty());
    let fields = given.map(|(name, _)| {
        // A country with another's calling code has a value of its own in the list: `1-JM`.
        let text = match typed(call, name) {
            text if name == "country_code" => text.split_once('-').map_or(text, |(code, _)| code),
            text => text,
        };
        let is_checked = FLAGS.contains(&name.as_str()) && text == "true";
        (name.clone(), if is_checked { Json::Bool(true) } else { Json::Text(text.to_owned()) })
    });
    Json::Object(fields.collect())
}

/// Returns these fields of the form as a JSON body.
pub(super) fn only(call: &Call, names: &[&str]) -> Json {
    let Json::Object(fields) = body(call, &[]) else { return Json::Object(Vec::new()) };
    Json::Object(fields.into_iter().filter(|(name, _)| names.contains(&name.as_str())).collect())
}

pub(super) fn read<T: Input>(body: &Json) -> Result<T, Refusal> {
    T::read(body, "").map_err(Refusal::fields)
}

/// Returns the form to show again: the typed values, and the errors in words for payees.
pub(super) fn again(call: &Call, language: Language, refusal: &Refusal) -> Form {
    let Json::Object(fields) = &call.body else { return Form::default() };
    let is_kept = |name: &str| wording::is_known(name) && !NEVER_KEPT.contains(&name) || name == "form";
    let kept = fields.iter().filter(|(name, _)| is_kept(name));
    let withheld = NEVER_KEPT.iter().filter(|name| !typed(call, name).is_empty());
    Form {
        values: kept.map(|(name, _)| (name.clone(), typed(call, name).to_owned())).collect(),
        errors: errors(language, refusal),
        withheld: withheld.map(|name| (*name).to_owned()).collect(),
    }
}

/// Returns the errors by field. A refusal without a field applies to the whole form.
pub(super) fn errors(language: Language, refusal: &Refusal) -> Vec<FieldError> {
    if refusal.errors.is_empty() {
        return vec![FieldError { field: String::new(), message: wording::refused(language, refusal) }];
    }
    let mut reported: Vec<FieldError> = Vec::new();
    for error in &refusal.errors {
        let field = error.field.rsplit('/').next().unwrap_or_default();
        // The postal code of an American address has another name.
        let named = if error.field.ends_with("/w9/postcode") { "zip" } else { field };
        let message = match wording::of_phone(error.reason) {
            Some(text) => language.text(text).to_owned(),
            None => wording::sentence(language, named, &error.message),
        };
        let field = if wording::is_known(field) { field.to_owned() } else { String::new() };
        // Fields that no form has share one sentence.
        if !(field.is_empty() && reported.iter().any(|other| other.message == message)) {
            reported.push(FieldError { field, message });
        }
    }
    reported
}

/// Returns a form without values, with one error.
pub(super) fn says(message: impl Into<String>) -> Form {
    Form { errors: vec![FieldError { field: String::new(), message: message.into() }], ..Form::default() }
}

/// Returns whether the payee can correct the error on the same page. If not, the claim is closed or starts again.
pub(super) fn can_be_mended(refusal: &Refusal) -> bool {
    let code = refusal.code;
    let by_choosing_otherwise =
        [Code::NotPermitted, Code::InvalidState, Code::LimitExceeded, Code::InsufficientFunds, Code::UserInfoMissing];
    code.status() == Code::InvalidInput.status() || by_choosing_otherwise.contains(&code)
}
