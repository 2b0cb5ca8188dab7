//! The words of the claim page: amounts, days, steps and errors of fields.

use jiff::civil::Date;

use crate::claims::StepName;
use crate::clock::{DAY_SECONDS, Time};
use crate::fees;
use crate::money::Cents;
use crate::platform::Platform;
use crate::rails::failures::FailureCode;
use crate::refusal::{Code, Refusal};

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

/// Returns when money that is sent today arrives: `in minutes` by a fast way, `on Tuesday, March 3` if the day is
/// known, `by Thursday, March 5` if it may be earlier, else `in 1 business day`.
pub(super) fn arrives(platform: Platform, today: Date, at: Option<Time>) -> String {
    let arrival = fees::schedule(platform, today).arrival;
    match at {
        Some(at) if arrival.seconds >= DAY_SECONDS => {
            let preposition = if arrival.text.contains('–') { "by" } else { "on" };
            format!("{preposition} {}", day(at.date()))
        }
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
        StepName::Method => "Where",
        StepName::Payout => "Confirm",
    }
}

/// Returns a masked phone or address as pages show it: `••• 1234` for `***1234`, `j•••@example.com`.
pub(super) fn mask(masked: &str) -> String {
    let is_number = masked.starts_with('*');
    masked.replace("***", if is_number { "••• " } else { "•••" })
}

/// Returns why a payout did not arrive, in words for its payee.
pub(super) const fn failure(code: FailureCode) -> &'static str {
    match code {
        FailureCode::AccountClosed => "The account is closed.",
        FailureCode::NoAccount => "The bank found no account with this number and name.",
        FailureCode::InvalidAccountNumber => "The account or routing number is not right for this bank.",
        FailureCode::HolderDeceased | FailureCode::FileDataInvalid => "The bank could not process the payment.",
        FailureCode::AccountFrozen => "The account is frozen.",
        FailureCode::AccountNotEligible => "The account does not accept this kind of payment.",
        FailureCode::NameMismatch => "The name on the account is not the name that you gave us.",
        FailureCode::RecipientNotFound => "No account was found under what you entered.",
        FailureCode::LimitExceeded => "The amount is more than this account can take at once.",
        // Reasons of a debit, which say nothing to a person who is paid.
        FailureCode::InsufficientFunds
        | FailureCode::Unauthorized
        | FailureCode::PaymentStopped
        | FailureCode::RefusedByReceiver
        | FailureCode::RejectedByRail => "The payment was not accepted.",
    }
}

/// A field in words for payees.
struct Field {
    id: &'static str,
    /// "Enter your {name}."
    name: &'static str,
    /// The sentence for an empty field; empty for "Enter your {name}."
    missing: &'static str,
    /// The sentence for a wrong value; empty for "Check your {name}."
    wrong: &'static str,
}

const fn field(id: &'static str, name: &'static str, missing: &'static str, wrong: &'static str) -> Field {
    Field { id, name, missing, wrong }
}

/// Every field of every form of a claim. The messages of the API name fields and formats, so no page repeats them.
const FIELDS: [Field; 45] = [
    field("phone_number", "phone number", "", "Enter a complete phone number, like 212 736 1234."),
    field("country_code", "country", "Choose the country of your number.", "Choose the country of your number."),
    field("email", "email address", "", "Enter a complete email address, like ada@example.com."),
    field("token", "code", "Enter the six digits we sent you.", "Enter the six digits we sent you."),
    field(
        "present_token",
        "code",
        "Enter the six digits we sent to your current email or phone number.",
        "Enter the six digits we sent to your current email or phone number.",
    ),
    field(
        "new_token",
        "code",
        "Enter the six digits we sent to the new email or phone number.",
        "Enter the six digits we sent to the new email or phone number.",
    ),
    field("first_name", "first name", "", "Check your first name: at most 50 letters."),
    field("last_name", "last name", "", "Check your last name: at most 50 letters."),
    field("name", "name", "", ""),
    field("business_name", "business name", "", ""),
    field("tax_id", "tax number", "", "Enter the nine digits of your tax number."),
    field("foreign_tax_id", "tax number", "", ""),
    field("line_1", "street address", "", ""),
    field("line_2", "apartment or suite", "", ""),
    field("city", "city", "", ""),
    field("state", "state", "Choose a state.", "Choose a state."),
    field("postcode", "postal code", "", ""),
    field("citizenship", "country", "Choose your country of citizenship.", "Choose your country of citizenship."),
    field("country", "country", "Choose a country.", "We cannot send money to this country. Choose another way."),
    field("date_of_birth", "date of birth", "", "Enter your date of birth as year, month and day: 1990-12-31."),
    field("certified", "certificate", "Certify the form to continue.", "Certify the form to continue."),
    field(
        "entity_type",
        "kind of payee",
        "Choose whether you are paid as an individual or a business.",
        "Choose whether you are paid as an individual or a business.",
    ),
    field("tax_id_type", "kind of number", "Choose the kind of number.", "Choose the kind of number."),
    field("w9", "tax form", "Fill in one of the two forms.", "Check your tax form."),
    field("w8ben", "tax form", "Fill in one of the two forms.", "Check your tax form."),
    field("routing_number", "routing number", "", "That routing number does not exist. Check the nine digits."),
    field("account_number", "account number", "", "Check your account number."),
    field("confirm_account_number", "account number again", "", "The two account numbers are different. Check both."),
    field("account_type", "account type", "Choose checking or savings.", "Choose checking or savings."),
    field("platform", "choice", "Choose where to send the money.", "Choose where to send the money."),
    field("payout_method_id", "choice", "Choose where to send the money.", "Choose another account."),
    field("network", "network", "Choose a network.", "Choose a network."),
    field("handle", "handle", "", "Check your handle: letters, digits and . _ - + @ $ only."),
    field("cash_tag", "cash tag", "", "Check your cash tag: letters and digits after the dollar sign."),
    field("iban", "IBAN", "", "That IBAN does not exist. Check it for typing mistakes."),
    field("bic", "BIC", "", "Check your BIC: it has eight or eleven letters and digits."),
    field("bank_code", "bank code", "", ""),
    field("account_holder_name", "name on the account", "", "Check the name on the account."),
    field("currency", "currency", "Choose a currency.", "We cannot send this currency."),
    field("address", "wallet address", "", "That address does not exist on this network. Check it."),
    field("town", "town", "", "Check the name of your town."),
    field(
        "address_country",
        "country",
        "Choose the country of your address.",
        "We cannot send money to this country. Choose another way.",
    ),
    field("card_token", "card", "Choose another way to get paid.", "Choose another way to get paid."),
    field("is_default", "choice", UNCHANGEABLE, UNCHANGEABLE),
    field("auto_payout_enabled", "choice", UNCHANGEABLE, UNCHANGEABLE),
];

const UNCHANGEABLE: &str = "You cannot change this here. Use a link that was sent to your own phone or email.";

/// Returns whether a form has the field.
pub(super) fn is_known(field: &str) -> bool {
    field == "amount" || FIELDS.iter().any(|known| known.id == field)
}

/// Returns an error as a sentence that says what to do. `rule` is the message of the field's input.
pub(in crate::pages) fn sentence(field: &str, rule: &str) -> String {
    let is_missing = rule.starts_with("is required") || rule == "must not be blank";
    if field == "amount" {
        let said = ended(&format!("The amount {rule}"));
        return if is_plain(&said) { said } else { "Enter another amount.".to_owned() };
    }
    let Some(known) = FIELDS.iter().find(|known| known.id == field) else {
        return "Check what you entered.".to_owned();
    };
    match (is_missing, known.missing, known.wrong) {
        (true, "", _) => format!("Enter your {}.", known.name),
        (true, missing, _) => missing.to_owned(),
        (false, _, "") => format!("Check your {}.", known.name),
        (false, _, wrong) => wrong.to_owned(),
    }
}

/// Returns a refusal without a field in words for payees. Refusals of the steps are written for them; others are for
/// developers and are replaced.
pub(super) fn refused(refusal: &Refusal) -> String {
    if refusal.errors.is_empty() && is_plain(&refusal.message) {
        return refusal.message.clone();
    }
    let said = REFUSALS.iter().find(|(code, _)| *code == refusal.code).map(|(_, said)| *said);
    said.unwrap_or("That did not work. Your money is safe. Open your link again, or ask the sender for help.")
        .to_owned()
}

const REFUSALS: [(Code, &str); 10] = [
    (Code::NotPermitted, "This link is for another phone number or email address. Use the one that got the message."),
    (Code::LimitExceeded, "This is more than can be paid out now. Choose less, or come back tomorrow."),
    (Code::InvalidState, CHANGED),
    (Code::UserInfoMissing, CHANGED),
    (Code::VerificationLocked, "There were too many wrong codes. Ask the sender for help."),
    (Code::UserInactive, "We cannot pay you through this link. Ask the sender for help."),
    (Code::ServiceUnavailable, UNAVAILABLE),
    (Code::StorageFull, UNAVAILABLE),
    (Code::OutcomeUnknown, UNAVAILABLE),
    (Code::ResourceBusy, UNAVAILABLE),
];
const CHANGED: &str = "This has changed since you opened it. Open your link again.";
const UNAVAILABLE: &str = "We are not available right now. Your money is safe. Try again in a minute.";

/// Words of the API that say nothing to a payee.
const TERMS: [&str; 22] = [
    "api",
    "app",
    "cents",
    "credentials",
    "field",
    "header",
    "iso",
    "json",
    "key",
    "method",
    "null",
    "org",
    "organization",
    "payee",
    "platform",
    "rail",
    "request",
    "session",
    "step",
    "token",
    "user",
    "webhook",
];

/// Whether a text has none of the API's words and no name of a field.
fn is_plain(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric());
    !text.contains(['_', '`', '/', '{'])
        && !words.any(|word| TERMS.contains(&word.strip_suffix('s').unwrap_or(word)) || TERMS.contains(&word))
}

pub(super) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn ended(text: &str) -> String {
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payout_methods::{fields_of, read_details};
    use crate::strict_json::Json;

    /// Every error that a form of a way can return: each field missing, and with values that some rule refuses.
    fn errors_of_every_way() -> Vec<(String, String)> {
        let wrong = ["", "x", "\\u0000", "0", "4111111111111111", "IR580540105180021273113007", "+5351234567", "-"];
        let long = "x".repeat(400);
        let mut errors = Vec::new();
        for platform in Platform::ALL {
            for value in wrong.iter().copied().chain([long.as_str()]) {
                for all in [true, false] {
                    let fields = fields_of(platform).iter().filter(|field| all || !field.required);
                    let body: Vec<String> = fields.map(|field| format!("\"{}\": \"{value}\"", field.name)).collect();
                    let Ok(body) = Json::parse(format!("{{{}}}", body.join(", ")).as_bytes()) else { continue };
                    let problems = read_details(platform, &body, "", &["platform"]).err().unwrap_or_default();
                    errors.extend(problems.into_iter().map(|error| (error.field, error.message)));
                }
            }
        }
        errors
    }

    #[test]
    fn no_error_of_a_form_names_a_field_or_a_term() {
        let errors = errors_of_every_way();
        assert!(errors.len() > 100, "{}", errors.len());
        for (field, rule) in errors {
            let said = sentence(field.trim_start_matches('/'), &rule);
            // A handle may contain an underscore, and its advice says so.
            assert!(is_plain(&said.replace(". _ - + @ $", "")), "{field} {rule}: {said}");
            assert!(said.ends_with('.'), "{said}");
        }
        // The negative control: the rules themselves do.
        assert!(!is_plain("is required unless country, bank_code and account_number are sent"));
        assert!(!is_plain("Choose a payout method first, with the step method.") && is_plain("Choose your bank."));
    }

    #[test]
    fn every_field_of_a_way_has_its_words() {
        for field in Platform::ALL.into_iter().flat_map(fields_of) {
            assert!(FIELDS.iter().any(|known| known.id == field.name), "{}", field.name);
        }
    }

    #[test]
    fn what_is_wrong_is_a_sentence() {
        for (field, rule, reported) in [
            ("first_name", "is required", "Enter your first name."),
            ("first_name", "must have at most 50 characters", "Check your first name: at most 50 letters."),
            ("phone_number", "is not a valid phone number", "Enter a complete phone number, like 212 736 1234."),
            ("routing_number", "is required", "Enter your routing number."),
            ("iban", "has a wrong check digit", "That IBAN does not exist. Check it for typing mistakes."),
            ("handle", "is required unless phone_number is sent", "Enter your handle."),
            (
                "amount",
                "cannot be paid out now. The money stays yours",
                "The amount cannot be paid out now. The money stays yours.",
            ),
            ("amount", "must be from 1 to 9999999999 cents", "Enter another amount."),
            ("swift_code", "unknown field", "Check what you entered."),
        ] {
            assert_eq!(sentence(field, rule), reported);
        }
    }

    #[test]
    fn a_refusal_for_developers_is_replaced() {
        let refused = |code, message: &str| refused(&Refusal::new(code, message));
        assert_eq!(refused(Code::InvalidState, "Come back later."), "Come back later.");
        let replaced = refused(Code::InvalidState, "No code was sent yet. Complete the step contact first.");
        assert_eq!(replaced, "This has changed since you opened it. Open your link again.");
        for code in Code::ALL {
            assert!(is_plain(&refused(*code, "The field `x_y` is wrong.")), "{code:?}");
        }
        for code in FailureCode::ALL {
            assert!(is_plain(failure(*code)), "{code}");
        }
    }

    #[test]
    fn masks_are_dots() {
        assert_eq!(mask("***1234"), "••• 1234");
        assert_eq!(mask("j***@example.com"), "j•••@example.com");
    }

    #[test]
    fn days_are_named_and_fast_rails_show_their_time() {
        let now = Time::parse("2026-03-02T15:00:00Z").unwrap();
        let tomorrow = Some(now.plus_seconds(DAY_SECONDS));
        assert_eq!(arrives(Platform::Ach, now.date(), tomorrow), "on Tuesday, March 3");
        assert_eq!(arrives(Platform::BankTransfer, now.date(), tomorrow), "by Tuesday, March 3");
        assert_eq!(arrives(Platform::Ach, now.date(), None), "in 1 business day");
        assert_eq!(arrives(Platform::Rtp, now.date(), tomorrow), "in seconds");
        assert_eq!(arrives(Platform::Wire, now.date(), None), "the same day");
        assert_eq!(day_of_year(now.date()), "March 2, 2026");
    }
}
