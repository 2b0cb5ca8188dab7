//! The inputs of compliance information, which are merged into the stored data.

use std::fmt;

use jiff::civil::Date;
use serde_json::{Number, Value as Schema, json};

use super::model::{Compliance, Director, IncorporationType};
use crate::country::{is_us_state, is_us_zip};
use crate::email::Email;
use crate::embargo;
use crate::input::types::{Integer, Line, LongText, Name, word_input};
use crate::input::{Input, Problems, input, problem, text, wrong};
use crate::patch::Patch;
use crate::phone::PhoneNumber;
use crate::refusal::Code;
use crate::strict_json::Json;
use crate::taxes::{TaxIdType, tax_id};
use crate::text::mask_last4;
use crate::users::{BirthDate, CountryCode};

const DIRECTORS_MAX: usize = 50;
/// 100 percent, in hundredths of a percent.
const WHOLE: i64 = 10_000;

word_input!(IncorporationType);

/// Returns whether a tax number is in its masked form `***6789`, which changes nothing when it is sent back.
fn is_as_shown(text: &str) -> bool {
    text.strip_prefix("***").is_some_and(|last| last.len() == 4 && last.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Declares a tax number: nine digits, of which logs show the last four, or its masked form.
macro_rules! tax_number {
    ($(#[$meta:meta])* $name:ident $kind:ident) => {
        $(#[$meta])*
        #[derive(Clone)]
        pub struct $name(pub String);

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), mask_last4(&self.0))
            }
        }

        impl Input for $name {
            fn read(json: &Json, at: &str) -> Result<Self, Problems> {
                let given = text(json, at)?;
                if is_as_shown(given) { Ok(Self(given.to_owned())) } else { tax_id(given, TaxIdType::$kind, at).map(Self) }
            }
            fn schema() -> Schema {
                json!({"type": "string", "minLength": 7, "maxLength": 11})
            }
        }
    };
}
tax_number! {
    Ein Ein
}
tax_number! {
    Ssn Ssn
}

/// A web address: http or https, a host with a dot, no spaces.
#[derive(Clone, Debug)]
pub struct Website(pub String);

impl Input for Website {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = text(json, at)?.trim();
        let rest = given.strip_prefix("https://").or_else(|| given.strip_prefix("http://")).unwrap_or_default();
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let letters = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:".contains(&byte));
        let has_parts = host.split('.').count() > 1 && host.split('.').all(|part| !part.is_empty());
        if given.len() <= 200 && letters && has_parts && given.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(Self(given.to_owned()));
        }
        Err(wrong(at, "must be a web address such as https://example.com"))
    }
    fn schema() -> Schema {
        json!({"type": "string", "format": "uri", "maxLength": 200})
    }
}

#[derive(Clone, Debug)]
pub struct UsState(pub String);

impl Input for UsState {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let code = text(json, at)?.trim().to_ascii_uppercase();
        if is_us_state(&code) {
            return Ok(Self(code));
        }
        Err(wrong(at, "must be a two-letter US state code such as DE"))
    }
    fn schema() -> Schema {
        json!({"type": "string", "minLength": 2, "maxLength": 2})
    }
}

/// A phone number as one text: E.164, or ten US digits.
#[derive(Clone, Debug)]
pub struct PhoneText(pub PhoneNumber);

impl Input for PhoneText {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = text(json, at)?;
        let phone = match PhoneNumber::parse_e164(given) {
            Ok(phone) => phone.accepted(),
            Err(_) => PhoneNumber::parse("1", given),
        };
        phone.map(Self).map_err(|reason| problem(Code::InvalidPhoneNumber, at, reason.to_string()))
    }
    fn schema() -> Schema {
        json!({"type": "string", "maxLength": 30})
    }
}

/// A share in percent, 0 to 100, with at most two decimals.
#[derive(Clone, Debug)]
pub struct Share(pub Number);

impl Input for Share {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let message = "must be a number from 0 to 100 with at most two decimals";
        let number = match json {
            Json::Int(whole) => Some(Number::from(*whole)),
            // Stored as parsed; sums use hundredths.
            Json::Decimal(text) => text.parse().ok().and_then(Number::from_f64),
            Json::Null | Json::Bool(_) | Json::Text(_) | Json::List(_) | Json::Object(_) => None,
        };
        let fits = |number: &Number| hundredths(number).is_some_and(|share| (0..=WHOLE).contains(&share));
        number.filter(fits).map(Self).ok_or_else(|| wrong(at, message))
    }
    fn schema() -> Schema {
        json!({"type": "number", "minimum": 0, "maximum": 100})
    }
}

/// Returns hundredths of a percent; `None` for more than two decimals.
fn hundredths(number: &Number) -> Option<i64> {
    let text = number.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    if decimals.len() > 2 || !decimals.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    format!("{whole}{decimals:0<2}").parse().ok()
}

input! {
    /// An app's compliance information or a part of it. Fields that are not sent are unchanged; null removes a value.
    pub struct ComplianceInput {
        /// The company.
        pub company_info: Option<CompanyInput>,
        /// The company's contact data.
        pub contact_info: Option<ContactInput>,
        /// The directors: each entry changes the director at the same position or adds one. null removes all.
        pub directors: Patch<Vec<DirectorInput>>,
        /// The purpose of the payments.
        pub flow_of_funds: Option<FlowInput>,
    }
}

input! {
    /// The company.
    pub struct CompanyInput {
        /// The name under which it does business.
        pub dba: Patch<Line<100>>,
        /// Employer identification number: nine digits, dashes allowed.
        pub ein: Patch<Ein>,
        /// The date of incorporation.
        pub incorporation_date: Patch<BirthDate>,
        /// The US state of incorporation, two letters.
        pub incorporation_state: Patch<UsState>,
        /// The legal form.
        pub incorporation_type: Patch<IncorporationType>,
        /// The legal name.
        pub name: Patch<Line<100>>,
        /// The website.
        pub website: Patch<Website>,
        /// The number of people who own at least a quarter of the company or control it: at least one.
        pub ubo_count: Patch<Integer<1, 1_000>>,
    }
}

input! {
    /// The company's contact data.
    pub struct ContactInput {
        /// City.
        pub city: Patch<Line<100>>,
        /// Country, two letters; US if never sent.
        pub country: Patch<CountryCode>,
        /// E-mail address.
        pub email: Patch<Email>,
        /// Street and number.
        pub line1: Patch<Line<100>>,
        /// Second address line.
        pub line2: Patch<Line<100>>,
        /// Phone number: E.164, or ten US digits.
        pub phone_number: Patch<PhoneText>,
        /// State; two letters in the US.
        pub state: Patch<Line<50>>,
        /// Postal code; a ZIP code in the US.
        pub zip: Patch<Line<20>>,
    }
}

input! {
    /// A director or owner of the company.
    pub struct DirectorInput {
        /// Date of birth.
        pub dob: Patch<BirthDate>,
        /// Social security number: nine digits, dashes allowed.
        pub ssn: Patch<Ssn>,
        /// E-mail address.
        pub email: Patch<Email>,
        /// First name.
        pub first_name: Patch<Name>,
        /// Last name.
        pub last_name: Patch<Name>,
        /// The person's share of the company in percent, 0 to 100; at most 100 for all together.
        pub ownership_percentage: Patch<Share>,
        /// Phone number: E.164, or ten US digits.
        pub phone: Patch<PhoneText>,
        /// The person's position in the company.
        pub title: Patch<Line<100>>,
        /// The person's home address.
        pub address: Option<DirectorAddressInput>,
    }
}

input! {
    /// A director's home address.
    pub struct DirectorAddressInput {
        /// City.
        pub city: Patch<Line<100>>,
        /// Street and number.
        pub line1: Patch<Line<100>>,
        /// Second address line.
        pub line2: Patch<Line<100>>,
        /// State; two letters in the US.
        pub state: Patch<Line<50>>,
        /// Postal code; a ZIP code in the US.
        pub zip: Patch<Line<20>>,
        /// Country, two letters; US if never sent.
        pub country: Patch<CountryCode>,
    }
}

input! {
    /// The purpose of the company's payments.
    pub struct FlowInput {
        /// The reasons for the payments.
        pub reasons: Patch<LongText>,
        /// The use of the app.
        pub usage: Patch<LongText>,
    }
}

fn merge<T, V>(field: &mut Option<V>, patch: &Patch<T>, value: impl FnOnce(&T) -> V) {
    match patch {
        Patch::Keep => {}
        Patch::Clear => *field = None,
        Patch::Set(sent) => *field = Some(value(sent)),
    }
}

fn merge_line<const MAX: usize>(field: &mut Option<String>, patch: &Patch<Line<MAX>>) {
    merge(field, patch, |line| line.0.trim().to_owned());
}

/// Merges a tax number; its masked form leaves it unchanged.
fn merge_number<T>(
    field: &mut Option<String>,
    patch: &Patch<T>,
    number: impl Fn(&T) -> &String,
    at: &str,
    problems: &mut Problems,
) {
    match patch {
        Patch::Set(sent) if is_as_shown(number(sent)) => {
            if field.as_deref().map(mask_last4).as_ref() != Some(number(sent)) {
                problems.extend(wrong(
                    at,
                    "does not match the masked number on file; send all nine digits, or omit the field",
                ));
            }
        }
        Patch::Keep | Patch::Clear | Patch::Set(_) => merge(field, patch, |sent| number(sent).clone()),
    }
}

impl ComplianceInput {
    /// Returns the merged data after all rules that span several fields. `today` bounds dates.
    ///
    /// # Errors
    /// All problems, by field.
    pub fn merged_into(&self, before: &Compliance, today: Date) -> Result<Compliance, Problems> {
        let mut after = before.clone();
        let mut problems = Problems::new();
        if let Some(sent) = &self.company_info {
            sent.merge_into(&mut after, today, &mut problems);
        }
        if let Some(sent) = &self.contact_info {
            sent.merge_into(&mut after);
        }
        match &self.directors {
            Patch::Keep => {}
            Patch::Clear => after.directors.clear(),
            Patch::Set(sent) if sent.is_empty() => after.directors.clear(),
            Patch::Set(sent) => merge_directors(sent, &mut after.directors, today, &mut problems),
        }
        if let Some(sent) = &self.flow_of_funds {
            merge(&mut after.flow_of_funds.reasons, &sent.reasons, |text| text.0.trim().to_owned());
            merge(&mut after.flow_of_funds.usage, &sent.usage, |text| text.0.trim().to_owned());
        }
        problems.extend(in_the_us(
            &after.contact_info.country,
            &after.contact_info.state,
            &after.contact_info.zip,
            "/contact_info",
        ));
        for (seal_context, director) in after.directors.iter().enumerate() {
            let address = &director.address;
            let at = format!("/directors/{seal_context}/address");
            problems.extend(in_the_us(&address.country, &address.state, &address.zip, &at));
        }
        problems.extend(too_much_owned(&after.directors));
        if problems.is_empty() { Ok(after) } else { Err(problems) }
    }
}

impl CompanyInput {
    fn merge_into(&self, after: &mut Compliance, today: Date, problems: &mut Problems) {
        let company = &mut after.company_info;
        merge_line(&mut company.dba, &self.dba);
        merge_number(&mut company.ein, &self.ein, |ein| &ein.0, "/company_info/ein", problems);
        merge_date(
            &mut company.incorporation_date,
            &self.incorporation_date,
            today,
            "/company_info/incorporation_date",
            problems,
        );
        merge(&mut company.incorporation_state, &self.incorporation_state, |state| state.0.clone());
        merge(&mut company.incorporation_type, &self.incorporation_type, |kind| *kind);
        merge_line(&mut company.name, &self.name);
        merge(&mut company.website, &self.website, |website| website.0.clone());
        merge(&mut company.ubo_count, &self.ubo_count, |count| count.0);
    }
}

impl ContactInput {
    fn merge_into(&self, after: &mut Compliance) {
        let contact = &mut after.contact_info;
        merge_line(&mut contact.city, &self.city);
        merge(&mut contact.country, &self.country, |country| country.0.clone());
        merge(&mut contact.email, &self.email, |email| email.as_str().to_owned());
        merge_line(&mut contact.line1, &self.line1);
        merge_line(&mut contact.line2, &self.line2);
        merge(&mut contact.phone_number, &self.phone_number, |phone| phone.0.e164());
        merge_line(&mut contact.state, &self.state);
        merge_line(&mut contact.zip, &self.zip);
    }
}

fn merge_date(field: &mut Option<String>, patch: &Patch<BirthDate>, today: Date, at: &str, problems: &mut Problems) {
    if let Patch::Set(day) = patch
        && let Err(future) = day.checked(today, at)
    {
        problems.extend(future);
    }
    merge(field, patch, |day| day.0.to_string());
}

/// Changes the director at the position of each entry, or adds one. Other directors are unchanged.
fn merge_directors(sent: &[DirectorInput], directors: &mut Vec<Director>, today: Date, problems: &mut Problems) {
    if sent.len() > DIRECTORS_MAX {
        problems.extend(wrong("/directors", format!("must have at most {DIRECTORS_MAX} entries")));
        return;
    }
    for (seal_context, sent) in sent.iter().enumerate() {
        if seal_context == directors.len() {
            directors.push(Director::default());
        }
        if let Some(director) = directors.get_mut(seal_context) {
            sent.merge_into(director, today, &format!("/directors/{seal_context}"), problems);
        }
    }
}

impl DirectorInput {
    fn merge_into(&self, director: &mut Director, today: Date, at: &str, problems: &mut Problems) {
        merge_date(&mut director.dob, &self.dob, today, &format!("{at}/dob"), problems);
        merge_number(&mut director.ssn, &self.ssn, |ssn| &ssn.0, &format!("{at}/ssn"), problems);
        merge(&mut director.email, &self.email, |email| email.as_str().to_owned());
        merge(&mut director.first_name, &self.first_name, |name| name.0.trim().to_owned());
        merge(&mut director.last_name, &self.last_name, |name| name.0.trim().to_owned());
        merge(&mut director.ownership_percentage, &self.ownership_percentage, |share| share.0.clone());
        merge(&mut director.phone, &self.phone, |phone| phone.0.e164());
        merge_line(&mut director.title, &self.title);
        let Some(sent) = &self.address else { return };
        let address = &mut director.address;
        merge_line(&mut address.city, &sent.city);
        merge_line(&mut address.line1, &sent.line1);
        merge_line(&mut address.line2, &sent.line2);
        merge_line(&mut address.state, &sent.state);
        merge_line(&mut address.zip, &sent.zip);
        merge(&mut address.country, &sent.country, |country| country.0.clone());
    }
}

/// Checks state and ZIP code in the US, which is the default country, and embargoed addresses.
fn in_the_us(country: &Option<String>, state: &Option<String>, zip: &Option<String>, at: &str) -> Problems {
    if let Some(country) = country
        && embargo::is_address(country, state.iter().map(String::as_str))
    {
        return wrong(&format!("{at}/country"), embargo::REFUSED);
    }
    let mut problems = Problems::new();
    if country.as_deref().is_some_and(|country| country != "US") {
        return problems;
    }
    if state.as_deref().is_some_and(|state| !is_us_state(state)) {
        problems.extend(wrong(&format!("{at}/state"), "must be a two-letter US state code such as NY"));
    }
    if zip.as_deref().is_some_and(|zip| !is_us_zip(zip)) {
        problems.extend(wrong(&format!("{at}/zip"), "must be a ZIP code such as 10001 or 10001-1234"));
    }
    problems
}

/// Rejects shares of more than 100 percent in total.
fn too_much_owned(directors: &[Director]) -> Problems {
    let shares = directors.iter().filter_map(|director| director.ownership_percentage.as_ref().and_then(hundredths));
    if shares.sum::<i64>() <= WHOLE {
        return Problems::new();
    }
    wrong("/directors", "must have ownership percentages with a sum of at most 100")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<ComplianceInput, Vec<String>> {
        let read = ComplianceInput::read(&Json::parse(body.as_bytes()).unwrap(), "");
        read.map_err(|problems| problems.into_iter().map(|problem| problem.field).collect())
    }

    fn merged(before: &Compliance, body: &str) -> Result<Compliance, Vec<String>> {
        let today = jiff::civil::date(2026, 3, 2);
        let merged = read(body).unwrap().merged_into(before, today);
        merged.map_err(|problems| problems.into_iter().map(|problem| problem.field).collect())
    }

    #[test]
    fn numbers_are_checked_and_never_in_a_log() {
        let wrong = r#"{"company_info": {"ein": "12", "website": "example", "ubo_count": 0, "incorporation_type": "gang",
            "incorporation_state": "XX", "incorporation_date": "1.1.2020"}, "directors": [{"ssn": "000-12-3456", "ownership_percentage": 33.333}]}"#;
        let fields = [
            "/company_info/ein",
            "/company_info/incorporation_date",
            "/company_info/incorporation_state",
            "/company_info/incorporation_type",
            "/company_info/website",
            "/company_info/ubo_count",
            "/directors/0/ssn",
            "/directors/0/ownership_percentage",
        ];
        assert_eq!(read(wrong).unwrap_err(), fields);
        let input = read(r#"{"company_info": {"ein": "12-3456789"}, "directors": [{"ssn": "123-45-6789"}]}"#).unwrap();
        assert!(!format!("{input:?}").contains("3456789") && !format!("{input:?}").contains("12345"));
    }

    #[test]
    fn what_is_not_sent_stays_and_null_takes_away() {
        let first = merged(
            &Compliance::default(),
            r#"{"company_info": {"name": "Acme", "ein": "12-3456789"}, "directors": [{"ssn": "123-45-6789", "ownership_percentage": 60}, {"first_name": "B"}]}"#,
        );
        let first = first.unwrap();
        let second =
            merged(&first, r#"{"company_info": {"name": null, "dba": "Shop"}, "directors": [{"title": "CEO"}]}"#)
                .unwrap();
        assert_eq!(second.company_info.ein.as_deref(), Some("123456789"));
        assert_eq!((second.company_info.name, second.company_info.dba.as_deref()), (None, Some("Shop")));
        assert_eq!(second.directors.len(), 2, "who is not sent stays");
        assert_eq!(
            (second.directors[0].ssn.as_deref(), second.directors[0].title.as_deref()),
            (Some("123456789"), Some("CEO"))
        );
        for none in [r#"{"directors": null}"#, r#"{"directors": []}"#] {
            assert!(merged(&first, none).unwrap().directors.is_empty(), "{none}");
        }
        assert_eq!(first.masked().company_info.ein.as_deref(), Some("***6789"));
        assert_eq!(first.masked().directors[0].ssn.as_deref(), Some("***6789"));
        let sent_back = r#"{"company_info": {"ein": "***6789"}, "directors": [{"ssn": "***6789"}]}"#;
        let same = merged(&first, sent_back).unwrap();
        assert_eq!(
            (&same.company_info.ein, &same.directors[0].ssn),
            (&first.company_info.ein, &first.directors[0].ssn)
        );
        let other = r#"{"company_info": {"ein": "***6788"}, "directors": [{"ssn": "***6789"}, {"ssn": "***6789"}]}"#;
        assert_eq!(merged(&first, other).unwrap_err(), ["/company_info/ein", "/directors/1/ssn"]);
    }

    #[test]
    fn rules_between_fields_see_what_is_there_already() {
        let none = Compliance::default();
        let owns = r#"{"directors": [{"ownership_percentage": 66.67}, {"ownership_percentage": 33.33}]}"#;
        let owned = merged(&none, owns).unwrap();
        assert_eq!(merged(&owned, r#"{"directors": [{"ownership_percentage": 66.68}]}"#).unwrap_err(), ["/directors"]);
        assert_eq!(
            merged(&none, r#"{"contact_info": {"state": "XX", "zip": "1"}, "directors": [{"address": {"zip": "x"}}]}"#)
                .unwrap_err(),
            ["/contact_info/state", "/contact_info/zip", "/directors/0/address/zip"]
        );
        let abroad =
            merged(&none, r#"{"contact_info": {"country": "DE", "state": "Hessen", "zip": "60311"}}"#).unwrap();
        let fields = ["/contact_info/state"];
        assert_eq!(merged(&abroad, r#"{"contact_info": {"country": "US"}}"#).unwrap_err(), fields);
        let future = r#"{"company_info": {"incorporation_date": "2026-03-03"}, "directors": [{"dob": "2030-01-01"}]}"#;
        assert_eq!(merged(&none, future).unwrap_err(), ["/company_info/incorporation_date", "/directors/0/dob"]);
    }
}
