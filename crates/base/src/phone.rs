//! Phone numbers, which identify a person inside an organization (docs/decisions.md 6).
//!
//! Invariant: a [`PhoneNumber`] is one that a numbering plan assigns, in its canonical form, so that the same person
//! always has the same text. 555-0100 to 555-0199 are valid in every area, also in those that are not assigned, because
//! they are reserved for fiction and tests ([`PhoneNumber::is_reserved`]); only a sandbox lets them in.
//!
//! A number from a request is refused if texts to it are expensive ([`PhoneNumber::accepted`]) or its country is under
//! embargo. Deliberately absent: the countries that an app may write to, which is a setting; extensions, letters for
//! digits, a default country; and whether the number exists, which only a verification code proves.

use std::fmt;

use rlibphonenumber as plan;

use crate::reason::Reason;

/// A valid number in its canonical form. Its `Debug` shows the last four digits only.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PhoneNumber {
    country_code: String,
    national: String,
}

/// Why two texts are not a phone number, in order of precedence. Public code `invalid-phone-number`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum InvalidPhoneNumber {
    /// The country code is missing, or not one to three digits with an optional plus.
    #[error("the country code must be one to three digits, such as \"1\"")]
    CountryCode,
    /// A country code without a number.
    #[error("the phone number is missing")]
    Missing,
    /// Something other than digits, spaces, dashes, dots and brackets.
    #[error("the phone number must contain only digits, spaces, dashes, dots and brackets")]
    Characters,
    /// The number contains a country code that differs from the given one.
    #[error("the phone number begins with a country code other than country_code")]
    OtherCountry,
    /// No numbering plan assigns this number.
    #[error("is not a valid phone number in its country")]
    NotInUse,
    /// A text to it costs more than to an ordinary phone, or the caller pays its owner.
    #[error("is a premium-rate, shared-cost, satellite or personal number; use a mobile or landline number")]
    Costly,
    #[error("{}", crate::embargo::REFUSED)]
    Embargoed,
}

impl InvalidPhoneNumber {
    /// Returns the public reason.
    #[must_use]
    pub const fn reason(self) -> Reason {
        match self {
            Self::CountryCode => Reason::CountryCodeInvalid,
            Self::Missing => Reason::PhoneNumberMissing,
            Self::Characters => Reason::PhoneNumberMalformed,
            Self::OtherCountry => Reason::CountryCodeContradicts,
            Self::NotInUse => Reason::PhoneNumberNotAssigned,
            Self::Costly => Reason::PhoneNumberCostly,
            Self::Embargoed => Reason::PhoneNumberEmbargoed,
        }
    }
}

/// The message for a reserved number in production.
pub const RESERVED: &str = "is reserved for fiction and tests (555-0100 to 555-0199); only a sandbox accepts it";

/// Calling codes of no country: satellites (870, 881, 882, 883), premium rates (979), shared costs (808), personal
/// numbers (878), free calls (800), and the code for disasters (888). ITU-T E.164, list of assigned codes.
const OF_NO_COUNTRY: [i32; 9] = [800, 808, 870, 878, 881, 882, 883, 888, 979];

impl PhoneNumber {
    /// Parses `country_code` (`1` or `+1`) and `phone_number` (`2127361234`, `(212) 736-1234`) of a request. A national
    /// prefix is dropped; the code of a full `+1…` number must match `country_code`.
    pub fn parse(country_code: &str, phone_number: &str) -> Result<Self, InvalidPhoneNumber> {
        let code = country_code.trim();
        let code = code.strip_prefix('+').unwrap_or(code);
        if !(1..=3).contains(&code.len()) || !is_digits(code) || code.starts_with('0') {
            return Err(InvalidPhoneNumber::CountryCode);
        }
        let number = phone_number.trim();
        if number.is_empty() {
            return Err(InvalidPhoneNumber::Missing);
        }
        let assigned = if number.starts_with('+') {
            Assigned::find(number)?
        } else {
            Assigned::find(&format!("+{code}{number}"))?
        };
        let parsed = assigned.canonical();
        if parsed.country_code != code {
            return Err(InvalidPhoneNumber::OtherCountry);
        }
        assigned.country(&parsed.e164())?;
        Ok(parsed)
    }

    /// Refuses a number that is never used in any country, as `Costly` or `Embargoed`.
    pub fn accepted(self) -> Result<Self, InvalidPhoneNumber> {
        country_of(&self.e164())?;
        Ok(self)
    }

    /// Parses E.164 (`+12127361234`) or its digits alone, from filters and stored rows. A number for storing must be
    /// [`accepted`](Self::accepted) too.
    pub fn parse_e164(text: &str) -> Result<Self, InvalidPhoneNumber> {
        let text = text.trim();
        let digits = text.strip_prefix('+').unwrap_or(text);
        if digits.is_empty() {
            return Err(InvalidPhoneNumber::Missing);
        }
        Ok(Assigned::find(&format!("+{digits}"))?.canonical())
    }

    /// Returns `+12127361234`.
    #[must_use]
    pub fn e164(&self) -> String {
        format!("+{}{}", self.country_code, self.national)
    }

    /// Returns the digits of the country code: `1`.
    #[must_use]
    pub fn country_code(&self) -> &str {
        &self.country_code
    }

    /// Returns the digits after the country code: `2127361234`.
    #[must_use]
    pub fn national(&self) -> &str {
        &self.national
    }

    /// Returns the country that assigns the number, as two letters: `US`, `CA`. `None` for a numbering plan without a
    /// country.
    #[must_use]
    pub fn country(&self) -> Option<String> {
        if self.is_reserved() {
            return Some(COUNTRY_OF_RESERVED.to_owned());
        }
        let region = plan::PhoneNumber::parse(self.e164(), None).ok()?.get_region_code()?;
        country_in(&region.to_string())
    }

    /// Returns whether the number is one of 555-0100 to 555-0199 of an area of North America, which are reserved for
    /// fiction and tests.
    #[must_use]
    pub fn is_reserved(&self) -> bool {
        self.country_code == "1" && is_reserved(&self.national)
    }

    /// Masks the number for people who must not learn it: `***1234`.
    #[must_use]
    pub fn masked(&self) -> String {
        // National numbers are ASCII digits; the shortest plans have fewer than four of them.
        let start = self.national.len().saturating_sub(4);
        format!("***{}", &self.national[start..])
    }
}

impl fmt::Debug for PhoneNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PhoneNumber({})", self.masked())
    }
}

/// A number that a numbering plan assigns. The plans are asked once for the number and its kind, because that is most of
/// the cost of reading a number.
struct Assigned {
    number: plan::PhoneNumber,
    kind: plan::PhoneNumberType,
}

impl Assigned {
    /// Parses a text that begins with a plus. The characters are checked here because the library would convert letters
    /// to digits and accept `;ext=` as an extension.
    fn find(full: &str) -> Result<Self, InvalidPhoneNumber> {
        let rest = full.strip_prefix('+').unwrap_or(full);
        if !rest.bytes().all(|byte| byte.is_ascii_digit() || b" -.()".contains(&byte)) {
            return Err(InvalidPhoneNumber::Characters);
        }
        let number = plan::PhoneNumber::parse(full, None).map_err(|_| InvalidPhoneNumber::NotInUse)?;
        let mut kind = number.get_type();
        if kind == plan::PhoneNumberType::Unknown {
            let is_fictional = number.country_code == 1 && is_reserved(&number.get_national_significant_number());
            if !is_fictional {
                return Err(InvalidPhoneNumber::NotInUse);
            }
            kind = plan::PhoneNumberType::FixedLineOrMobile;
        }
        Ok(Self { number, kind })
    }

    fn canonical(&self) -> PhoneNumber {
        let national = self.number.get_national_significant_number();
        PhoneNumber { country_code: self.number.country_code.to_string(), national }
    }

    /// Returns the country, and refuses a number that is not [`accepted`](PhoneNumber::accepted).
    fn country(&self, e164: &str) -> Result<Option<String>, InvalidPhoneNumber> {
        use plan::PhoneNumberType::{
            FixedLine, FixedLineOrMobile, Mobile, Pager, PersonalNumber, PremiumRate, SharedCost, TollFree, UAN,
            Unknown, VoIP, VoiceMail,
        };
        if OF_NO_COUNTRY.contains(&self.number.country_code) {
            return Err(InvalidPhoneNumber::Costly);
        }
        match self.kind {
            PremiumRate | SharedCost | PersonalNumber | Pager | VoiceMail => return Err(InvalidPhoneNumber::Costly),
            FixedLine | Mobile | FixedLineOrMobile | TollFree | VoIP | UAN | Unknown => {}
        }
        if self.canonical().is_reserved() {
            return Ok(Some(COUNTRY_OF_RESERVED.to_owned()));
        }
        let region = self.number.get_region_code().map(|region| region.to_string());
        let digits = e164.trim_start_matches('+');
        if crate::embargo::is_number(digits) || region.as_deref().is_some_and(crate::embargo::is_country) {
            return Err(InvalidPhoneNumber::Embargoed);
        }
        Ok(region.and_then(|region| country_in(&region)))
    }
}

/// Returns the country of a stored number, E.164, and refuses one that is not [`accepted`](PhoneNumber::accepted).
///
/// # Errors
/// `NotInUse`, `Costly` or `Embargoed`.
pub fn country_of(e164: &str) -> Result<Option<String>, InvalidPhoneNumber> {
    Assigned::find(&format!("+{}", e164.trim_start_matches('+')))?.country(e164)
}

/// Returns a region as a country; the plans of no country have numbers in place of letters.
fn country_in(region: &str) -> Option<String> {
    (region.len() == 2 && region.bytes().all(|letter| letter.is_ascii_uppercase())).then(|| region.to_owned())
}

/// Returns every country that has a calling code.
#[must_use]
pub fn calling_codes() -> Vec<CallingCode> {
    let plans = &plan::PHONE_NUMBER_UTIL;
    let code_of = |region: plan::Region| {
        let code = plans.get_country_code_for_region(region)?;
        let is_main = plans.get_region_for_country_code(code) == Some(region);
        Some(CallingCode { code: code.to_string(), country: region.to_string(), is_main })
    };
    plans.get_supported_regions().filter_map(code_of).collect()
}

/// A country and its calling code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallingCode {
    /// Digits.
    pub code: String,
    /// Two letters.
    pub country: String,
    /// Whether it is the country that gives the code its name: the United States for 1.
    pub is_main: bool,
}

/// A reserved number belongs to no subscriber, so its area does not matter.
const COUNTRY_OF_RESERVED: &str = "US";

/// Returns whether a national number of North America is `NXX 555 01XX`.
fn is_reserved(national: &str) -> bool {
    let digits = national.as_bytes();
    digits.len() == 10 && matches!(digits[0], b'2'..=b'9') && digits[3..8] == *b"55501"
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_person_has_one_text() {
        for (code, number, e164) in [
            ("1", "2025550123", "+12025550123"),
            ("1", "2025550199", "+12025550199"),
            ("1", "(555) 555-0100", "+15555550100"),
            ("1", "+1 999 555 0199", "+19995550199"),
            ("+1", "(212) 736-1234", "+12127361234"),
            ("1", "1 212 736 1234", "+12127361234"),
            ("1", "+1 212.736.1234", "+12127361234"),
            (" 1 ", " 2127361234 ", "+12127361234"),
            ("44", "07911 123456", "+447911123456"),
            ("44", "7911123456", "+447911123456"),
            ("39", "06 698 12345", "+390669812345"),
            ("49", "030 901820", "+4930901820"),
        ] {
            let phone = PhoneNumber::parse(code, number).unwrap();
            assert_eq!(phone.e164(), e164, "{code} {number}");
            assert_eq!(PhoneNumber::parse_e164(e164), Ok(phone.clone()));
            assert_eq!(PhoneNumber::parse_e164(&e164[1..]), Ok(phone));
        }
    }

    #[test]
    fn what_is_refused_and_why() {
        use InvalidPhoneNumber::*;
        for (code, number, why) in [
            ("", "2127361234", CountryCode),
            ("+", "2127361234", CountryCode),
            ("US", "2127361234", CountryCode),
            ("01", "2127361234", CountryCode),
            ("1234", "2127361234", CountryCode),
            ("++1", "2127361234", CountryCode),
            ("1", "", Missing),
            ("1", "  ", Missing),
            ("1", "212736CALL", Characters),
            ("1", "2127361234 x5", Characters),
            ("1", "2127361234;ext=5", Characters),
            ("1", "٢١٢٧٣٦١٢٣٤", Characters),
            ("1", "++12127361234", Characters),
            ("1", "+447911123456", OtherCountry),
            ("1", "5551234567", NotInUse),
            ("1", "5555550200", NotInUse),
            ("1", "1555550100", NotInUse),
            ("1", "12", NotInUse),
            ("1", "21273612345678901234", NotInUse),
            ("999", "2127361234", NotInUse),
        ] {
            assert_eq!(PhoneNumber::parse(code, number), Err(why), "{code} {number}");
        }
        for (code, number, why) in [
            ("1", "9002345678", Costly),
            ("44", "9091234567", Costly),
            ("44", "8431234567", Costly),
            ("44", "7012345678", Costly),
            ("979", "123456789", Costly),
            ("881", "612345678", Costly),
            ("882", "1612345678", Costly),
            ("883", "510012345", Costly),
            ("870", "773111632", Costly),
            ("98", "9123456789", Embargoed),
            ("850", "1921234567", Embargoed),
            ("53", "51234567", Embargoed),
            ("963", "944567890", Embargoed),
            ("7", "9781234567", Embargoed),
            ("380", "692123456", Embargoed),
        ] {
            assert_eq!(PhoneNumber::parse(code, number), Err(why), "{code} {number}");
            assert!(PhoneNumber::parse_e164(&format!("+{code}{number}")).is_ok(), "a number that is in use: {code}");
        }
        for (code, number) in [("1", "8002345678"), ("7", "9161234567"), ("380", "441234567"), ("44", "7911123456")] {
            assert!(PhoneNumber::parse(code, number).is_ok(), "{code} {number}");
        }
        assert_eq!(PhoneNumber::parse_e164("+"), Err(Missing));
        assert_eq!(PhoneNumber::parse_e164("+15551234567"), Err(NotInUse));
        assert_eq!(PhoneNumber::parse_e164("not a phone"), Err(Characters));
    }

    #[test]
    fn a_reserved_number_is_known_and_no_other_is() {
        let reserved = |e164: &str| PhoneNumber::parse_e164(e164).unwrap().is_reserved();
        assert!(reserved("+12125550100") && reserved("+15555550199") && reserved("+14165550123"));
        assert!(!reserved("+12125550200") && !reserved("+12127361234") && !reserved("+447911123456"));
        for e164 in ["+15555550100", "+14165550123"] {
            assert_eq!(country_of(e164).unwrap().as_deref(), Some("US"), "{e164}");
            assert_eq!(PhoneNumber::parse_e164(e164).unwrap().country().as_deref(), Some("US"), "{e164}");
        }
    }

    #[test]
    fn debug_and_mask_keep_the_number() {
        let phone = PhoneNumber::parse_e164("+12127361234").unwrap();
        assert_eq!(format!("{phone:?}"), "PhoneNumber(***1234)");
        assert_eq!(phone.masked(), "***1234");
        assert_eq!((phone.country_code(), phone.national()), ("1", "2127361234"));
    }

    proptest! {
        /// `Assigned` asks for the kind of a number alone.
        #[test]
        fn a_number_has_a_kind_if_a_plan_assigns_it(digits in "[1-9][0-9]{6,13}") {
            if let Ok(number) = plan::PhoneNumber::parse(format!("+{digits}"), None) {
                prop_assert_eq!(number.get_type() != plan::PhoneNumberType::Unknown, number.is_valid());
            }
        }

        #[test]
        fn canonical_text_reads_back(number in "212[2-9][0-9]{6}") {
            if let Ok(phone) = PhoneNumber::parse("1", &number) {
                prop_assert_eq!(PhoneNumber::parse_e164(&phone.e164()), Ok(phone.clone()));
                prop_assert_eq!(PhoneNumber::parse(phone.country_code(), phone.national()), Ok(phone));
            }
        }

        #[test]
        fn any_text_is_answered(code in "\\PC{0,4}", number in "\\PC{0,20}") {
            let _ = PhoneNumber::parse(&code, &number);
        }
    }
}
