use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Schema, json};

use crate::country::{is_country, is_us_state, is_us_zip};
use crate::embargo;
use crate::input::types::Line;
use crate::input::types::word_input;
use crate::input::{Input, Problems, gather, input, text, wrong};
use crate::refusal::Refusal;
use crate::strict_json::Json;

word_input!(super::model::UserStatus);
word_input!(super::model::BackgroundCheckStatus);
word_input!(super::model::EntityType);
word_input!(super::model::Form1099);

/// A date of birth: `YYYY-MM-DD`, 1900 or later. [`BirthDate::checked`] rejects future dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BirthDate(pub Date);

const BIRTH_YEAR_MIN: i16 = 1900;

impl Input for BirthDate {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let given = text(json, at)?;
        // The date parser also accepts other ISO 8601 forms; the API accepts this one only.
        let day = if given.len() == 10 { given.parse::<Date>().ok() } else { None };
        let day = day.ok_or_else(|| wrong(at, "must be a date such as 1990-01-31"))?;
        if day.year() < BIRTH_YEAR_MIN {
            return Err(wrong(at, format!("must not be before {BIRTH_YEAR_MIN}")));
        }
        Ok(Self(day))
    }
    fn schema() -> Schema {
        json!({"type": "string", "format": "date"})
    }
}

impl BirthDate {
    /// Rejects a date after `today`.
    pub fn checked(self, today: Date, at: &str) -> Result<Self, Problems> {
        if self.0 <= today { Ok(self) } else { Err(wrong(at, "must not be in the future")) }
    }
}

/// Reads a body. If it has errors, they include those of days in the future, which are otherwise checked later: all errors
/// are reported at once. `days` are JSON pointers, in which `*` is each entry of a list.
pub fn read_with_days<T: Input>(body: &Json, today: Date, days: &[&str]) -> Result<T, Refusal> {
    T::read(body, "").map_err(|mut problems| {
        for (at, json) in days.iter().flat_map(|day| places(body, "", day)) {
            if let Ok(day) = BirthDate::read(json, &at) {
                gather(day.checked(today, &at), &mut problems);
            }
        }
        Refusal::fields(problems)
    })
}

/// Returns the values that a pointer leads to, with their places.
fn places<'a>(json: &'a Json, at: &str, pointer: &str) -> Vec<(String, &'a Json)> {
    let Some(rest) = pointer.strip_prefix('/') else { return vec![(at.to_owned(), json)] };
    let (step, below) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if let (Json::List(items), "*") = (json, step) {
        let of_item = |(place, item): (usize, &'a Json)| places(item, &format!("{at}/{place}"), below);
        return items.iter().enumerate().flat_map(of_item).collect();
    }
    json.get(step).map_or_else(Vec::new, |value| places(value, &format!("{at}/{step}"), below))
}

/// An ISO 3166-1 alpha-2 code in upper case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountryCode(pub String);

impl Input for CountryCode {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let code = text(json, at)?.trim().to_ascii_uppercase();
        if is_country(&code) {
            return Ok(Self(code));
        }
        Err(wrong(at, "must be a two-letter country code such as US (ISO 3166-1)"))
    }
    fn schema() -> Schema {
        json!({"type": "string", "pattern": r"^\s*[A-Za-z]{2}\s*$", "examples": ["US"]})
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsState(pub String);

impl Input for UsState {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let state = text(json, at)?.trim().to_ascii_uppercase();
        if is_us_state(&state) {
            return Ok(Self(state));
        }
        Err(wrong(at, "must be a two-letter US state code such as NY"))
    }
    fn schema() -> Schema {
        json!({"type": "string", "pattern": r"^\s*[A-Za-z]{2}\s*$", "examples": ["NY"]})
    }
}

/// A US postal code: `12345` or `12345-6789`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsZip(pub String);

impl Input for UsZip {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let code = text(json, at)?.trim();
        if is_us_zip(code) {
            return Ok(Self(code.to_owned()));
        }
        Err(wrong(at, "must be a ZIP code such as 10001 or 10001-1234"))
    }
    fn schema() -> Schema {
        json!({"type": "string", "pattern": r"^\s*\d{5}(-\d{4})?\s*$", "examples": ["10001"]})
    }
}

input! {
    /// The parts of an address in a request.
    pub struct AddressParts {
        /// Postal code; in the US 12345 or 12345-6789.
        pub postcode: Line<20>,
        /// City.
        pub city: Line<100>,
        /// State or region; two letters in the US.
        pub state: Line<50>,
        /// Country, two letters.
        pub country: CountryCode,
        /// Street and number.
        pub line_1: Line<100>,
        /// Second line.
        pub line_2: Option<Line<100>>,
        /// Third line.
        pub line_3: Option<Line<100>>,
    }
}

/// A postal address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = PostalAddress)]
pub struct Address {
    pub postcode: String,
    pub city: String,
    pub state: String,
    pub country: String,
    pub line_1: String,
    #[schema(required)]
    pub line_2: Option<String>,
    #[schema(required)]
    pub line_3: Option<String>,
}

impl Input for Address {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        AddressParts::read(json, at)?.checked(at)
    }
    fn schema() -> Schema {
        AddressParts::schema()
    }
}

impl AddressParts {
    /// Returns the address after checking the state and the postal code of a US address.
    pub fn checked(self, at: &str) -> Result<Address, Problems> {
        let mut address = Address {
            postcode: self.postcode.0.trim().to_owned(),
            city: self.city.0,
            state: self.state.0,
            country: self.country.0,
            line_1: self.line_1.0,
            line_2: self.line_2.map(|line| line.0),
            line_3: self.line_3.map(|line| line.0),
        }
        .permitted(at)?;
        if address.country == "US" {
            let mut problems = Problems::new();
            let read = UsState::read(&Json::Text(address.state.clone()), &format!("{at}/state"));
            address.state = gather(read, &mut problems).map_or(address.state, |state| state.0);
            let read = UsZip::read(&Json::Text(address.postcode.clone()), &format!("{at}/postcode"));
            address.postcode = gather(read, &mut problems).map_or(address.postcode, |code| code.0);
            if !problems.is_empty() {
                return Err(problems);
            }
        }
        Ok(address)
    }
}

impl Address {
    /// Rejects an address in a country or region under embargo. Every address of a payee must pass this check.
    pub fn permitted(self, at: &str) -> Result<Self, Problems> {
        let lines = [Some(&self.line_1), self.line_2.as_ref(), self.line_3.as_ref(), Some(&self.city)];
        let parts = lines.into_iter().flatten().chain([&self.state]).map(String::as_str);
        if embargo::is_address(&self.country, parts) {
            return Err(wrong(&format!("{at}/country"), embargo::REFUSED));
        }
        Ok(self)
    }
}
