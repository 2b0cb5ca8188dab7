//! The words of the claim page: fees, arrivals, steps and errors of fields, in the language of the payee.

use crate::claims::StepName;
use crate::embargo;
use crate::language::{Language, Text};
use crate::money::Cents;
use crate::money::typed::Typed;
use crate::platform::Platform;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};

/// `$0.25`, `No fee`.
pub(super) fn fee(language: Language, amount: Cents) -> String {
    if amount.is_zero() { language.text(Text::NoFee).to_owned() } else { language.money(amount) }
}

/// `$0.25 fee`, `No fee`.
pub(super) fn fee_of_choice(language: Language, amount: Cents) -> String {
    if amount.is_zero() {
        return language.text(Text::NoFee).to_owned();
    }
    language.say(Text::FeeOf).with("amount", language.money(amount)).plain()
}

/// Returns the label of a step in the progress indicator.
pub(super) const fn step(step: StepName) -> Text {
    match step {
        StepName::Contact => Text::StepContact,
        StepName::Code => Text::StepCode,
        StepName::Profile => Text::StepName,
        StepName::Compliance => Text::StepTaxForm,
        StepName::Method => Text::StepWhere,
        StepName::Payout => Text::StepConfirm,
    }
}

/// Returns a masked phone or address as pages show it: `••• 1234` for `***1234`, `j•••@example.com`.
pub(in crate::pages) fn mask(masked: &str) -> String {
    let is_number = masked.starts_with('*');
    masked.replace("***", if is_number { "••• " } else { "•••" })
}

/// Returns the heading of a returned payout.
pub(super) const fn returned(platform: Platform) -> Text {
    match platform {
        Platform::Ach
        | Platform::Rtp
        | Platform::Wire
        | Platform::BankTransfer
        | Platform::IntlBank
        | Platform::IntlTransfer => Text::ReturnedBankTitle,
        Platform::PushToCard => Text::ReturnedCardBankTitle,
        Platform::PrepaidCardA | Platform::GiftCardA => Text::ReturnedIssuerTitle,
        Platform::WalletA
        | Platform::WalletB
        | Platform::WalletC
        | Platform::WalletD
        | Platform::WalletE
        | Platform::Crypto => Text::ReturnedWalletTitle,
    }
}

/// Returns the question about an amount that can be read in two ways, or the error of one that cannot be read. `left` is
/// the largest amount that the payee can mean.
pub(super) fn question(language: Language, read: &Typed, left: Cents) -> String {
    let plain = |amount: &Cents| language.plain_amount(*amount);
    match read {
        Typed::Amount(_) => String::new(),
        Typed::Unclear(meant) if !meant.is_empty() && meant.iter().all(|amount| *amount > left) => {
            language.say(Text::AmountMost).with("amount", language.money(left)).plain()
        }
        Typed::Unclear(meant) => match meant.iter().filter(|amount| **amount <= left).collect::<Vec<_>>().as_slice() {
            [first, second, ..] => {
                language.say(Text::AmountUnclear).with("first", plain(first)).with("second", plain(second)).plain()
            }
            [first] => language.say(Text::AmountUnclearOne).with("first", plain(first)).plain(),
            [] => language.text(Text::AmountOther).to_owned(),
        },
        Typed::Nothing => language.say(Text::AmountMissing).with("example", plain(&Cents::new(2_500))).plain(),
    }
}

/// A field in words for payees.
struct Field {
    id: &'static str,
    missing: Text,
    wrong: Text,
}

const fn field(id: &'static str, missing: Text, wrong: Text) -> Field {
    Field { id, missing, wrong }
}

/// Every field of every form of a claim. The messages of the API name fields and formats, so no page repeats them.
const FIELDS: [Field; 46] = [
    field("phone_number", Text::FieldPhoneMissing, Text::FieldPhone),
    field("country_code", Text::FieldPhoneCountry, Text::FieldPhoneCountry),
    field("email", Text::FieldEmailMissing, Text::FieldEmail),
    field("token", Text::FieldCode, Text::FieldCode),
    field("present_token", Text::FieldCodePresent, Text::FieldCodePresent),
    field("new_token", Text::FieldCodeNew, Text::FieldCodeNew),
    field("first_name", Text::FieldFirstNameMissing, Text::FieldFirstName),
    field("last_name", Text::FieldLastNameMissing, Text::FieldLastName),
    field("name", Text::FieldNameMissing, Text::FieldName),
    field("business_name", Text::FieldBusinessNameMissing, Text::FieldBusinessName),
    field("tax_id", Text::FieldTaxNumberMissing, Text::FieldTaxNumber),
    field("foreign_tax_id", Text::FieldTaxNumberMissing, Text::FieldForeignNumber),
    field("line_1", Text::FieldStreetMissing, Text::FieldStreet),
    field("line_2", Text::FieldApartmentMissing, Text::FieldApartment),
    field("city", Text::FieldCityMissing, Text::FieldCity),
    field("state", Text::FieldState, Text::FieldState),
    field("postcode", Text::FieldPostalCodeMissing, Text::FieldPostalCode),
    field("zip", Text::FieldZipMissing, Text::FieldZip),
    field("citizenship", Text::FieldCitizenship, Text::FieldCitizenship),
    field("country", Text::FieldCountryMissing, Text::FieldCountry),
    field("date_of_birth", Text::FieldBirthMissing, Text::FieldBirth),
    field("certified", Text::FieldCertified, Text::FieldCertified),
    field("entity_type", Text::FieldEntity, Text::FieldEntity),
    field("tax_id_type", Text::FieldNumberKind, Text::FieldNumberKind),
    field("w9", Text::FieldTaxFormMissing, Text::FieldTaxForm),
    field("w8ben", Text::FieldTaxFormMissing, Text::FieldTaxForm),
    field("routing_number", Text::FieldRoutingMissing, Text::FieldRouting),
    field("account_number", Text::FieldAccountMissing, Text::FieldAccount),
    field("confirm_account_number", Text::FieldAccountAgainMissing, Text::FieldAccountAgain),
    field("account_type", Text::FieldAccountType, Text::FieldAccountType),
    field("platform", Text::FieldWay, Text::FieldWay),
    field("payout_method_id", Text::FieldWay, Text::FieldSavedWay),
    field("network", Text::FieldNetwork, Text::FieldNetwork),
    field("handle", Text::FieldHandleMissing, Text::FieldHandle),
    field("cash_tag", Text::FieldCashTagMissing, Text::FieldCashTag),
    field("iban", Text::FieldIbanMissing, Text::FieldIban),
    field("bic", Text::FieldBicMissing, Text::FieldBic),
    field("bank_code", Text::FieldBankCodeMissing, Text::FieldBankCode),
    field("account_holder_name", Text::FieldHolderMissing, Text::FieldHolder),
    field("currency", Text::FieldCurrencyMissing, Text::FieldCurrency),
    field("address", Text::FieldAddressMissing, Text::FieldAddress),
    field("town", Text::FieldTownMissing, Text::FieldTown),
    field("address_country", Text::FieldAddressCountry, Text::FieldCountry),
    field("card_token", Text::FieldCard, Text::FieldCard),
    field("is_default", Text::FieldFixed, Text::FieldFixed),
    field("auto_payout_enabled", Text::FieldFixed, Text::FieldFixed),
];

/// Returns whether a form has the field.
pub(super) fn is_known(field: &str) -> bool {
    field == "amount" || FIELDS.iter().any(|known| known.id == field)
}

/// Returns the error of a phone number that exists and gets no text message. Which countries do is a setting of the
/// sender, so the number alone does not say it.
pub(super) fn of_phone(reason: Option<Reason>) -> Option<Text> {
    OF_PHONE.iter().find(|(known, _)| Some(*known) == reason).map(|(_, text)| *text)
}

const OF_PHONE: [(Reason, Text); 4] = [
    (Reason::CountryNotAllowed, Text::FieldPhoneCountryClosed),
    (Reason::PhoneNumberEmbargoed, Text::FieldPhoneCountryClosed),
    (Reason::PhoneNumberCostly, Text::FieldPhoneKind),
    (Reason::CountryCodeContradicts, Text::FieldPhoneOtherCountry),
];

/// Returns an error as a sentence that says what to do. `rule` is the message of the field's input.
pub(in crate::pages) fn sentence(language: Language, field: &str, rule: &str) -> String {
    let is_missing = rule.starts_with("is required") || rule == "must not be blank";
    if field == "amount" {
        return language.text(Text::AmountOther).to_owned();
    }
    if rule == embargo::REFUSED {
        return language.text(Text::FieldCountry).to_owned();
    }
    let known = FIELDS.iter().find(|known| known.id == field);
    let text = known.map_or(Text::FieldUnknown, |known| if is_missing { known.missing } else { known.wrong });
    language.text(text).to_owned()
}

/// Returns a refusal without a field in words for payees. Refusals of the steps have a text; others are for developers
/// and are replaced.
pub(in crate::pages) fn refused(language: Language, refusal: &Refusal) -> String {
    let by_reason = of_phone(refusal.reason).filter(|_| refusal.errors.is_empty());
    let by_code = REFUSALS.iter().find(|(code, _)| *code == refusal.code).map(|(_, said)| *said);
    let text =
        refusal.said.filter(|_| refusal.errors.is_empty()).or(by_reason).or(by_code).unwrap_or(Text::RefusedOther);
    language.text(text).to_owned()
}

const REFUSALS: [(Code, Text); 11] = [
    (Code::NotPermitted, Text::RefusedOtherContact),
    (Code::LimitExceeded, Text::RefusedLimit),
    (Code::InvalidState, Text::RefusedChanged),
    (Code::UserInfoMissing, Text::RefusedChanged),
    (Code::VerificationLocked, Text::RefusedLocked),
    (Code::UserInactive, Text::RefusedInactive),
    (Code::RateLimited, Text::RefusedTries),
    (Code::ServiceUnavailable, Text::RefusedUnavailable),
    (Code::StorageFull, Text::RefusedUnavailable),
    (Code::OutcomeUnknown, Text::RefusedUnavailable),
    (Code::ResourceBusy, Text::RefusedUnavailable),
];

pub(in crate::pages) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::typed;
    use crate::payout_methods::{fields_of, read_details};
    use crate::payouts::failure_text;
    use crate::rails::failures::FailureCode;
    use crate::strict_json::Json;

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
            let said = sentence(Language::En, field.trim_start_matches('/'), &rule);
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
            ("zip", "is required", "Enter your ZIP code."),
            ("postcode", "is required", "Enter your postal code."),
            ("iban", "has a wrong check digit", "That IBAN does not exist. Check it for typing mistakes."),
            ("handle", "is required unless phone_number is sent", "Enter your handle."),
            ("amount", "must be from 1 to 9999999999 cents", "Enter another amount."),
            ("swift_code", "unknown field", "Check what you entered."),
        ] {
            assert_eq!(sentence(Language::En, field, rule), reported);
        }
    }

    #[test]
    fn a_refusal_for_developers_is_replaced() {
        let for_payee = Refusal::to_payee(Code::InvalidState, Text::HoldReview);
        assert_eq!(refused(Language::En, &for_payee), for_payee.message);
        let refused = |code, message: &str| refused(Language::En, &Refusal::new(code, message));
        let replaced = refused(Code::InvalidState, "No code was sent yet. Complete the step contact first.");
        assert_eq!(replaced, "This has changed since you opened it. Open your link again.");
        for code in Code::ALL {
            assert!(is_plain(&refused(*code, "The field `x_y` is wrong.")), "{code:?}");
        }
        for code in FailureCode::ALL {
            assert!(is_plain(Language::En.text(failure_text(*code))), "{code}");
        }
    }

    #[test]
    fn masks_are_dots() {
        assert_eq!(mask("***1234"), "••• 1234");
        assert_eq!(mask("j***@example.com"), "j•••@example.com");
    }

    #[test]
    fn an_amount_that_may_be_another_is_a_question() {
        let left = |text, language: Language, left| {
            question(language, &typed::read_in(text, language.decimal()), Cents::new(left))
        };
        let asked = |text, language| left(text, language, 200_000);
        assert_eq!(asked("1,50", Language::En), "Did you mean 1.50 or 150.00? Write cents after a point.");
        let spanish = "¿Quieres decir 1,50 o 1500,00? Escribe los centavos después de una coma.";
        assert_eq!(asked("1.500", Language::Es), spanish);
        // More than there is cannot be meant.
        assert_eq!(left("1,50", Language::En, 2_500), "Did you mean 1.50? Write cents after a point.");
        assert_eq!(left("1,50", Language::En, 100), "Enter at most $1.00.");
        assert_eq!(asked("x", Language::De), "Geben Sie einen Betrag in Dollar ein, zum Beispiel 25,00.");
    }
}
