//! Inputs of many requests: amounts, texts, ids, phones, times.

use serde_json::{Value as Schema, json};
use uuid::Uuid;

use super::{Input, Problems, because, broken, input, missing, problem, text};
use crate::bank::{AccountNumber, RoutingNumber};
use crate::clock::Time;
use crate::email::Email;
use crate::fees::Party;
use crate::ids;
use crate::language::Language;
use crate::money::Cents;
use crate::phone::{InvalidPhoneNumber, PhoneNumber};
use crate::platform::Platform;
use crate::reason::Reason;
use crate::refusal::Code;
use crate::strict_json::Json;

/// The longest memo, message, description or comment, in characters (docs/decisions.md 16).
pub const LONG_TEXT_MAX: usize = 500;
/// The longest name of a person or an object, in characters.
pub const NAME_MAX: usize = 50;
/// The largest metadata, in bytes as JSON.
pub const METADATA_MAX: usize = 16 * 1024;

/// The longest number that an error message repeats, in characters.
const REPEATED_MAX: usize = 24;

/// Reads a whole number; `wanted` describes it in the error message.
fn integer(json: &Json, at: &str, wanted: &str) -> Result<i64, Problems> {
    match json {
        Json::Int(number) => Ok(*number),
        Json::Decimal(number) if number.len() <= REPEATED_MAX => {
            Err(broken(Reason::WrongType, at, format!("must be {wanted}, not {number}")))
        }
        Json::Decimal(_) => Err(broken(Reason::WrongType, at, format!("must be {wanted}, not a longer number"))),
        Json::Null | Json::Bool(_) | Json::Text(_) | Json::List(_) | Json::Object(_) => {
            Err(broken(Reason::WrongType, at, format!("must be {wanted}, not {}", json.kind())))
        }
    }
}

/// Reads a whole number from a query parameter.
fn integer_text(text: &str, at: &str, wanted: &str) -> Result<i64, Problems> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    let number = if plain { text.parse().ok() } else { None };
    number.ok_or_else(|| broken(Reason::WrongType, at, format!("must be {wanted}")))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer<const MIN: i64, const MAX: i64>(pub i64);

impl<const MIN: i64, const MAX: i64> Integer<MIN, MAX> {
    fn wanted() -> String {
        format!("a whole number from {MIN} to {MAX}")
    }
    fn within(number: i64, at: &str) -> Result<Self, Problems> {
        if (MIN..=MAX).contains(&number) {
            Ok(Self(number))
        } else {
            Err(broken(Reason::OutOfRange, at, format!("must be from {MIN} to {MAX}")))
        }
    }
}

/// Any whole number, for example the cursor of a list ordered by a number.
impl Input for i64 {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        integer(json, at, "a whole number")
    }
    fn read_text(text: &str, at: &str) -> Result<Self, Problems> {
        integer_text(text, at, "a whole number")
    }
    fn schema() -> Schema {
        json!({"type": "integer", "format": "int64"})
    }
}

impl<const MIN: i64, const MAX: i64> Input for Integer<MIN, MAX> {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        Self::within(integer(json, at, &Self::wanted())?, at)
    }
    fn read_text(text: &str, at: &str) -> Result<Self, Problems> {
        Self::within(integer_text(text, at, &Self::wanted())?, at)
    }
    fn schema() -> Schema {
        json!({"type": "integer", "minimum": MIN, "maximum": MAX})
    }
}

/// An amount of money in cents, from 1 to 9,999,999,999 (docs/decisions.md 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount(pub Cents);

impl Amount {
    fn wanted() -> String {
        format!("a whole number of cents from 1 to {}", Cents::AMOUNT_MAX.get())
    }
    fn within(cents: i64, at: &str) -> Result<Self, Problems> {
        let amount = Cents::new(cents);
        if amount.is_positive() && amount <= Cents::AMOUNT_MAX {
            Ok(Self(amount))
        } else {
            Err(broken(Reason::OutOfRange, at, format!("must be from 1 to {} cents", Cents::AMOUNT_MAX.get())))
        }
    }
}

impl Input for Amount {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        Self::within(integer(json, at, &Self::wanted())?, at)
    }
    fn read_text(text: &str, at: &str) -> Result<Self, Problems> {
        Self::within(integer_text(text, at, &Self::wanted())?, at)
    }
    fn schema() -> Schema {
        json!({"type": "integer", "minimum": 1, "maximum": Cents::AMOUNT_MAX.get()})
    }
}

/// An amount in cents whose sign gives the direction; never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedAmount(pub Cents);

impl Input for SignedAmount {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let largest = Cents::AMOUNT_MAX.get();
        let wanted = format!("a whole number of cents from -{largest} to {largest}, and not 0");
        let amount = integer(json, at, &wanted)?;
        if amount != 0 && (-largest..=largest).contains(&amount) {
            Ok(Self(Cents::new(amount)))
        } else {
            Err(broken(Reason::OutOfRange, at, format!("must be from -{largest} to {largest} cents, and not 0")))
        }
    }
    fn schema() -> Schema {
        let largest = Cents::AMOUNT_MAX.get();
        json!({"type": "integer", "minimum": -largest, "maximum": largest, "not": {"const": 0}})
    }
}

impl Input for bool {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        if let Json::Bool(yes) = json {
            Ok(*yes)
        } else {
            Err(broken(Reason::WrongType, at, format!("must be true or false, not {}", json.kind())))
        }
    }
    fn read_text(text: &str, at: &str) -> Result<Self, Problems> {
        match text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(broken(Reason::WrongType, at, "must be true or false")),
        }
    }
    fn schema() -> Schema {
        json!({"type": "boolean"})
    }
}

/// Text of 1 to `MAX` characters, without control characters except line breaks and tabs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<const MAX: usize>(pub String);

/// A name: one line of at most [`NAME_MAX`] characters.
pub type Name = Line<NAME_MAX>;
/// A memo, message, description or comment: at most [`LONG_TEXT_MAX`] characters.
pub type LongText = Text<LONG_TEXT_MAX>;

impl<const MAX: usize> Input for Text<MAX> {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = text(json, at)?;
        crate::text::check_text(given, MAX).map_err(|reason| broken(Reason::BadText, at, reason.to_string()))?;
        Ok(Self(given.to_owned()))
    }
    fn schema() -> Schema {
        json!({"type": "string", "minLength": 1, "maxLength": MAX, "pattern": visible(&refused())})
    }
}

/// One line of 1 to `MAX` characters, without control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<const MAX: usize>(pub String);

impl<const MAX: usize> Input for Line<MAX> {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = text(json, at)?;
        crate::text::check_line(given, MAX).map_err(|reason| broken(Reason::BadText, at, reason.to_string()))?;
        Ok(Self(given.to_owned()))
    }
    fn schema() -> Schema {
        json!({"type": "string", "minLength": 1, "maxLength": MAX, "pattern": visible(&refused_in_a_line())})
    }
}

/// Returns the rules of [`crate::text::check_text`], except the length, as a regular expression: no refused character,
/// and at least one visible one.
fn visible(refused: &str) -> String {
    let unseen = in_brackets(&crate::text::UNSEEN);
    format!(r"^[^{refused}]*[^\s{unseen}{refused}][^{refused}]*$")
}

/// Returns the characters of [`crate::text::REFUSED`] for the brackets of a regular expression.
fn refused() -> String {
    in_brackets(&crate::text::REFUSED)
}

/// Returns ranges for the brackets of a regular expression, up to U+FFFF: above, dialects agree neither on escapes nor on
/// literal characters.
fn in_brackets(ranges: &[(char, char)]) -> String {
    let escaped = |character: char| format!(r"\u{:04x}", u32::from(character));
    let range = |(first, last): &(char, char)| {
        if first == last { escaped(*first) } else { escaped(*first) + "-" + &escaped(*last) }
    };
    ranges.iter().filter(|(_, last)| u32::from(*last) <= 0xffff).map(range).collect()
}

/// Returns [`refused`] with line breaks and tabs.
fn refused_in_a_line() -> String {
    refused() + r"\n\t"
}

/// Returns the pattern of a line of at least this many characters, two or more, not counting blanks around it.
pub fn line_of_at_least(characters: usize) -> String {
    let (refused, between) = (refused_in_a_line(), characters.saturating_sub(2));
    let blank = refused.clone() + &in_brackets(&crate::text::UNSEEN);
    format!(r"^[^{refused}]*[^\s{blank}][^{refused}]{{{between},}}[^\s{blank}][^{refused}]*$")
}

/// A share as a decimal fraction below 1.
impl Input for crate::money::Percent {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        text(json, at)?
            .parse()
            .map_err(|reason: crate::money::InvalidPercent| broken(Reason::BadFormat, at, reason.to_string()))
    }
    fn schema() -> Schema {
        json!({"type": "string", "pattern": r"^(0(\.[0-9]{1,18})?|\.[0-9]{1,18})$"})
    }
}

impl Input for Uuid {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = text(json, at)?;
        // Only the hyphenated form, which is the form of responses.
        let id = if given.len() == 36 { Uuid::try_parse(given).ok() } else { None };
        id.ok_or_else(|| broken(Reason::BadFormat, at, "must be a UUID"))
    }
    fn schema() -> Schema {
        json!({"type": "string", "format": "uuid"})
    }
}

/// Implements [`Input`] for ids, which are UUIDs.
macro_rules! id_inputs {
    ($($id:ident),+ $(,)?) => {$(
        impl Input for ids::$id {
            fn read(json: &Json, at: &str) -> Result<Self, Problems> {
                Uuid::read(json, at).map(ids::$id)
            }
            fn schema() -> Schema {
                Uuid::schema()
            }
        }
    )+};
}
id_inputs!(
    AppId,
    UserId,
    MemberId,
    OrgId,
    TransferId,
    PayoutLinkId,
    PayoutMethodId,
    BankAccountId,
    PaymentCustomerId,
    VendorId,
    VendorPaymentMethodId,
    ApprovalPolicyId,
    PayableId,
    LedgerAccountId,
    EventId,
    BankConnectionId,
    RailProviderId,
    OriginatorId,
    SettlementAccountId,
    BankFileId,
    InboundFileId,
    BankItemId,
    BankStatementId,
    BankReversalId
);

impl Input for RoutingNumber {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        text(json, at)?
            .parse()
            .map_err(|reason: crate::bank::InvalidRoutingNumber| broken(Reason::BadFormat, at, reason.to_string()))
    }
    fn schema() -> Schema {
        json!({"type": "string", "pattern": "^[0-9]{9}$"})
    }
}

impl Input for AccountNumber {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        text(json, at)?
            .parse()
            .map_err(|reason: crate::bank::InvalidAccountNumber| broken(Reason::BadFormat, at, reason.to_string()))
    }
    fn schema() -> Schema {
        json!({"type": "string", "pattern": "^[0-9]{4,17}$"})
    }
}

impl Input for Email {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        Email::parse(text(json, at)?).map_err(|reason| problem(Code::InvalidEmail, at, reason.to_string()))
    }
    fn schema() -> Schema {
        json!({"type": "string", "format": EMAIL_FORMAT, "maxLength": 254, "pattern": crate::email::PATTERN})
    }
}

impl Input for Time {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        Time::parse(text(json, at)?)
            .ok_or_else(|| broken(Reason::BadFormat, at, "must be a date-time such as 2026-01-31T12:00:00Z"))
    }
    fn schema() -> Schema {
        json!({"type": "string", "format": "date-time"})
    }
}

impl Input for Platform {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let word = text(json, at)?;
        let known = Platform::ALL.map(Platform::as_str);
        Platform::parse_requested(word)
            .map_err(|_| broken(Reason::NotAChoice, at, format!("must be one of: {}", known.join(", "))))
    }
    fn schema() -> Schema {
        json!({"title": "RequestedPlatform", "type": "string", "enum": Platform::ALL.map(Platform::as_str)})
    }
}

impl Input for Language {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let known = Self::ALL.map(Self::as_str).join(", ");
        text(json, at)?.parse().map_err(|_| broken(Reason::NotAChoice, at, format!("must be one of: {known}")))
    }
    fn schema() -> Schema {
        json!({"title": "Language", "type": "string", "enum": Self::ALL.map(Self::as_str)})
    }
}

impl Input for Party {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        text(json, at)?.parse().map_err(|_| broken(Reason::NotAChoice, at, "must be user or platform"))
    }
    fn schema() -> Schema {
        json!({"title": "Party", "type": "string", "enum": Party::ALL.map(Party::as_str)})
    }
}

/// The `format` of an address in schemas; a wrong one is `invalid-email`. Not `email`: spaces around an address are
/// accepted, and quotes and literals are not. The pattern is exact.
pub const EMAIL_FORMAT: &str = "email-address";
/// The `format` of a phone number, or of a part of one, in schemas; a wrong one is `invalid-phone-number`.
pub const PHONE_FORMAT: &str = "phone";

/// A country's calling code as sent: digits, with an optional plus. [`phone`] parses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallingCode(pub String);

impl Input for CallingCode {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        Text::<4>::read(json, at).map(|text| Self(text.0))
    }
    fn schema() -> Schema {
        json!({
            "type": "string", "format": PHONE_FORMAT, "minLength": 1, "maxLength": 4,
            "pattern": r"^\+?[1-9][0-9]{0,2}$", "examples": ["1"],
        })
    }
}

/// A number within its country as sent. [`phone`] parses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NationalNumber(pub String);

impl Input for NationalNumber {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        Text::<20>::read(json, at).map(|text| Self(text.0))
    }
    fn schema() -> Schema {
        json!({
            "type": "string", "format": PHONE_FORMAT, "minLength": 1, "maxLength": 20,
            "pattern": r"^\+?[-0-9 .()]{4,19}$", "examples": ["2127361234"],
        })
    }
}

/// A phone number as in docs/specification.md: `{country_code, phone_number}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phone(pub PhoneNumber);

input! {
    /// The two parts of a phone number.
    pub struct PhoneParts {
        /// The country calling code: digits, for example 1. Required unless phone_number begins with a plus.
        pub country_code: Option<CallingCode>,
        /// The number within its country, or the whole number, such as +12127361234.
        pub phone_number: NationalNumber,
    }
}

/// Parses a phone number from its two parts.
pub fn phone(country_code: &str, phone_number: &str, at: &str) -> Result<PhoneNumber, Problems> {
    PhoneNumber::parse(country_code, phone_number).map_err(|refused| invalid_phone(refused, at))
}

fn invalid_phone(refused: InvalidPhoneNumber, at: &str) -> Problems {
    let field = if refused == InvalidPhoneNumber::CountryCode { "country_code" } else { "phone_number" };
    because(refused.reason(), problem(Code::InvalidPhoneNumber, &format!("{at}/{field}"), refused.to_string()))
}

/// Parses the two parts of a phone number, of which the country code may be missing: the number is then E.164, such as
/// `+12127361234`. A country code that contradicts the number is refused. `None` if both are missing; `lacking` is the code
/// if one is.
pub fn phone_of(
    country_code: Option<&CallingCode>,
    phone_number: Option<&NationalNumber>,
    at: &str,
    lacking: Code,
) -> Result<Option<PhoneNumber>, Problems> {
    let lacks =
        |reason, field: &str, message: &str| because(reason, problem(lacking, &format!("{at}/{field}"), message));
    match (country_code, phone_number) {
        (Some(country), Some(number)) => phone(&country.0, &number.0, at).map(Some),
        (None, None) => Ok(None),
        (Some(_), None) => {
            Err(lacks(Reason::PhoneNumberMissing, "phone_number", "is required if country_code is sent"))
        }
        (None, Some(number)) if number.0.trim_start().starts_with('+') => {
            let parsed = PhoneNumber::parse_e164(&number.0).and_then(PhoneNumber::accepted);
            parsed.map(Some).map_err(|refused| invalid_phone(refused, at))
        }
        (None, Some(_)) => Err(lacks(Reason::CountryCodeMissing, "country_code", COUNTRY_CODE_MISSING)),
    }
}

/// The message for a national number without its country code.
const COUNTRY_CODE_MISSING: &str =
    "is required if phone_number is sent; or send phone_number with it, such as +12127361234";

impl Input for Phone {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let parts = PhoneParts::read(json, at)?;
        let phone = phone_of(parts.country_code.as_ref(), Some(&parts.phone_number), at, Code::InvalidInput)?;
        phone.map(Self).ok_or_else(|| missing(&format!("{at}/phone_number")))
    }
    fn schema() -> Schema {
        PhoneParts::schema()
    }
}

/// A phone number in a list's filter: E.164 (`+12127361234`) or its digits (docs/decisions.md 16).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhoneFilter(pub PhoneNumber);

impl Input for PhoneFilter {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        PhoneNumber::parse_e164(text(json, at)?).map(Self).map_err(|refused| {
            because(
                refused.reason(),
                problem(Code::InvalidPhoneNumber, at, "must be a phone number such as +12127361234"),
            )
        })
    }
    fn schema() -> Schema {
        json!({
            "type": "string", "format": PHONE_FORMAT, "maxLength": 20, "pattern": r"^\+?[-0-9 .()]{6,19}$",
            "examples": ["+12127361234"],
        })
    }
}

/// Metadata: a string, or an object, which is kept as its JSON text. At most 16 KiB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata(pub String);

impl Input for Metadata {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let kept = match json {
            Json::Text(text) => text.clone(),
            Json::Object(_) => json.to_serde().to_string(),
            Json::Null | Json::Bool(_) | Json::Int(_) | Json::Decimal(_) | Json::List(_) => {
                return Err(broken(
                    Reason::WrongType,
                    at,
                    format!("must be a string or an object, not {}", json.kind()),
                ));
            }
        };
        if kept.len() > METADATA_MAX {
            return Err(broken(Reason::BadText, at, format!("must be at most {METADATA_MAX} bytes as JSON")));
        }
        if has_control_characters(json) {
            return Err(broken(Reason::BadText, at, "must not contain control characters"));
        }
        Ok(Self(kept))
    }
    fn schema() -> Schema {
        let text = json!({
            "type": "string", "maxLength": METADATA_MAX, "pattern": r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$",
        });
        json!({"anyOf": [text, {"type": "object"}]})
    }
}

/// Returns whether any text in the value, including field names, contains a control character other than line feed and
/// tab. The value's JSON would hide it, because JSON escapes it.
fn has_control_characters(json: &Json) -> bool {
    let refused = |text: &str| text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    match json {
        Json::Text(text) => refused(text),
        Json::List(items) => items.iter().any(has_control_characters),
        Json::Object(fields) => fields.iter().any(|(name, value)| refused(name) || has_control_characters(value)),
        Json::Null | Json::Bool(_) | Json::Int(_) | Json::Decimal(_) => false,
    }
}

/// Returns the name of a type without its path.
pub fn last_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path).trim()
}

/// Implements [`Input`] for an enumeration by its `from_word`.
#[macro_export]
macro_rules! word_input {
    ($type:ty) => {
        impl $crate::input::Input for $type {
            fn read(json: &$crate::strict_json::Json, at: &str) -> Result<Self, $crate::input::Problems> {
                let word = $crate::input::text(json, at)?;
                Self::from_word(word).ok_or_else(|| {
                    let known: Vec<&str> = Self::ALL.iter().map(|word| word.as_str()).collect();
                    $crate::input::not_a_choice(at, &known)
                })
            }
            fn schema() -> serde_json::Value {
                let known: Vec<&str> = Self::ALL.iter().map(|word| word.as_str()).collect();
                serde_json::json!({"title": $crate::input::types::last_segment(stringify!($type)), "type": "string", "enum": known})
            }
        }
    };
}
pub use word_input;

input! {
    /// A body without fields: `{}`, or none at all.
    pub struct NoFields {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documented patterns must accept exactly what the API accepts, and above U+FFFF at least that.
    #[test]
    fn the_patterns_take_what_the_texts_take() {
        fn agree<T: Input>(given: &str, pattern: &regex::Regex) -> bool {
            let is_accepted = T::read(&Json::Text(given.to_owned()), "").is_ok();
            pattern.is_match(given) == is_accepted || !is_accepted && given.chars().any(|c| c > '\u{ffff}')
        }
        let pattern_of = |schema: Schema| regex::Regex::new(schema["pattern"].as_str().unwrap()).unwrap();
        let (text, line) = (pattern_of(Text::<9>::schema()), pattern_of(Line::<9>::schema()));
        for character in '\0'..=char::MAX {
            for given in [format!("a{character}b"), format!(" {character}")] {
                assert!(agree::<Text<9>>(&given, &text), "text {given:?}");
                assert!(agree::<Line<9>>(&given, &line), "line {given:?}");
            }
        }
        for given in ["a", " a ", " ", "\t\n", "\u{3000}", "a\u{ad}b", "a\nb", "\na"] {
            assert!(agree::<Text<9>>(given, &text) && agree::<Line<9>>(given, &line), "{given:?}");
        }
    }
}
