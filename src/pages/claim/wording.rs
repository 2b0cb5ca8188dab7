//! The words of the claim page: amounts, days, steps and errors of fields.

use jiff::civil::Date;

use crate::claims::StepName;
use crate::clock::{DAY_SECONDS, Time};
use crate::fees;
use crate::money::Cents;
use crate::platform::Platform;

/// `$0.25`, `No fee`.
pub(super) fn fee(amount: Cents) -> String {
    if amount.is_zero() { "No fee".to_owned() } else { amount.dollars() }
}

/// `$0.25 fee`, `No fee`.
pub(super) fn fee_of_choice(amount: Cents) -> String {
    if amount.is_zero() { "No fee".to_owned() } else { format!("{} fee", amount.dollars()) }
}

/// `Tuesday, March 3`
pub(super) fn day(day: Date) -> String {
    day.strftime("%A, %B %-d").to_string()
}

/// `December 21, 2026`
pub(super) fn day_of_year(day: Date) -> String {
    day.strftime("%B %-d, %Y").to_string()
}

/// Returns when money that is sent today arrives: `in minutes` on fast rails, `on Tuesday, March 3` if the day is
/// known, else `in 1 business day`.
pub(super) fn arrives(platform: Platform, today: Date, at: Option<Time>) -> String {
    let arrival = fees::schedule(platform, today).arrival;
    match at {
        Some(at) if arrival.seconds >= DAY_SECONDS => format!("on {}", day(at.date())),
        Some(_) | None if arrival.text == "same day" => "the same day".to_owned(),
        Some(_) | None => format!("in {}", arrival.text),
    }
}

/// Returns the label of a step in the progress indicator.
pub(super) const fn step(step: StepName) -> &'static str {
    match step {
        StepName::Contact => "Contact",
        StepName::Code => "Code",
        StepName::Profile => "Name",
        StepName::Compliance => "Tax form",
        StepName::Method => "Method",
        StepName::Payout => "Amount",
    }
}

/// The name of each field in words for payees, and advice for an empty or wrong value if the rule alone is not enough.
const FIELDS: [(&str, &str, &str); 28] = [
    ("phone_number", "phone number", "Enter a complete phone number, like 212 736 1234."),
    ("country_code", "country", "Choose the country of your number."),
    ("email", "email address", "Enter a complete email address, like ada@example.com."),
    ("token", "code", "Enter the six digits we sent you."),
    ("present_token", "code", "Enter the six digits we sent to your current email or phone number."),
    ("new_token", "code", "Enter the six digits we sent to the new email or phone number."),
    ("first_name", "first name", ""),
    ("last_name", "last name", ""),
    ("name", "name", ""),
    ("business_name", "business name", ""),
    ("tax_id", "tax number", "Enter the nine digits of your tax number."),
    ("foreign_tax_id", "tax number", ""),
    ("line_1", "street address", ""),
    ("line_2", "apartment or suite", ""),
    ("city", "city", ""),
    ("state", "state", "Choose a state."),
    ("postcode", "postal code", ""),
    ("citizenship", "country", "Choose your country of citizenship."),
    ("country", "country", "Choose a country."),
    ("date_of_birth", "date of birth", ""),
    ("certified", "certificate", "Certify the form to continue."),
    ("entity_type", "kind of payee", "Choose whether you are paid as an individual or a business."),
    ("tax_id_type", "kind of number", "Choose the kind of number."),
    ("routing_number", "routing number", "That routing number does not exist. Check the nine digits."),
    ("account_number", "account number", ""),
    ("account_type", "account type", "Choose checking or savings."),
    ("platform", "way to get paid", "Choose how to get paid."),
    ("network", "network", "Choose a network."),
];

/// Returns an error as a sentence that says what to do. `rule` is the message of the field's input.
pub(in crate::pages) fn sentence(field: &str, rule: &str) -> String {
    let known = FIELDS.iter().find(|(name, ..)| *name == field);
    let name = known.map_or_else(|| field.replace('_', " "), |(_, name, _)| (*name).to_owned());
    let missing = rule.starts_with("is required");
    // "That routing number does not exist" does not fit a field that was left empty.
    let has_advice = |advice: &str| !(advice.is_empty() || missing && field == "routing_number");
    match known {
        Some((.., advice)) if has_advice(advice) => (*advice).to_owned(),
        Some(_) | None if missing => format!("Enter your {name}."),
        Some(_) | None if rule.starts_with("must ") || rule.starts_with("is ") => ended(&format!("The {name} {rule}")),
        Some(_) | None => ended(&capitalized(rule)),
    }
}

fn ended(text: &str) -> String {
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_a_sentence() {
        for (field, rule, reported) in [
            ("first_name", "is required", "Enter your first name."),
            ("first_name", "must be at most 50 characters long", "The first name must be at most 50 characters long."),
            ("phone_number", "is not a valid phone number", "Enter a complete phone number, like 212 736 1234."),
            ("routing_number", "is required", "Enter your routing number."),
            ("iban", "has a wrong check digit", "Has a wrong check digit."),
            ("handle", "is required unless phone_number is sent", "Enter your handle."),
        ] {
            assert_eq!(sentence(field, rule), reported);
        }
    }

    #[test]
    fn days_are_named_and_fast_rails_show_their_time() {
        let now = Time::parse("2026-03-02T15:00:00Z").unwrap();
        let tomorrow = Some(now.plus_seconds(DAY_SECONDS));
        assert_eq!(arrives(Platform::Ach, now.date(), tomorrow), "on Tuesday, March 3");
        assert_eq!(arrives(Platform::Ach, now.date(), None), "in 1 business day");
        assert_eq!(arrives(Platform::Rtp, now.date(), tomorrow), "in seconds");
        assert_eq!(arrives(Platform::Wire, now.date(), None), "the same day");
        assert_eq!(day_of_year(now.date()), "March 2, 2026");
    }
}
