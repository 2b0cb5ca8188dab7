//! Keeps reserved phone numbers out of production: 555-0100 to 555-0199 belong to no subscriber.
//!
//! Invariant: in production no request of the API and no form brings in a reserved number. The guard looks at each text
//! whose field is named after a phone, so that it covers every input, present and future.

use crate::input::{because, problem};
use crate::phone::{PhoneNumber, RESERVED};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::strict_json::Json;

/// The caller's own text, which bursar does not read.
const NOT_READ: &str = "metadata";

/// Refuses a body with a reserved number.
///
/// # Errors
/// `invalid-phone-number`, naming the field.
pub(super) fn check(body: &Json) -> Result<(), Refusal> {
    let Some(at) = find(body, String::new()) else { return Ok(()) };
    let problems = problem(Code::InvalidPhoneNumber, &at, RESERVED);
    Err(Refusal::fields(because(Reason::PhoneNumberReserved, problems)))
}

/// Returns the pointer of the first reserved number.
fn find(json: &Json, at: String) -> Option<String> {
    match json {
        Json::Object(fields) => {
            let country_code = match json.get("country_code") {
                // Forms send the country, too: `1-US`.
                Some(Json::Text(code)) => Some(code.split('-').next().unwrap_or_default()),
                _ => None,
            };
            fields.iter().find_map(|(name, value)| match value {
                _ if name == NOT_READ => None,
                Json::Text(text) => {
                    (name.contains("phone") && is_reserved(text, country_code)).then(|| format!("{at}/{name}"))
                }
                Json::Null | Json::Bool(_) | Json::Int(_) | Json::Decimal(_) => None,
                Json::List(_) | Json::Object(_) => find(value, format!("{at}/{name}")),
            })
        }
        Json::List(items) => items.iter().enumerate().find_map(|(place, item)| find(item, format!("{at}/{place}"))),
        Json::Text(_) | Json::Null | Json::Bool(_) | Json::Int(_) | Json::Decimal(_) => None,
    }
}

/// Reads the number as every input may: with its country code, in E.164, or as a number of North America.
fn is_reserved(text: &str, country_code: Option<&str>) -> bool {
    let national = PhoneNumber::parse(country_code.unwrap_or("1"), text);
    let parsed = national.or_else(|_| PhoneNumber::parse_e164(text));
    parsed.is_ok_and(|number| number.is_reserved())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &str) -> Option<String> {
        let refusal = check(&Json::parse(body.as_bytes()).unwrap()).err()?;
        assert_eq!((refusal.code, refusal.reason), (Code::InvalidPhoneNumber, Some(Reason::PhoneNumberReserved)));
        Some(refusal.errors[0].field.clone())
    }

    #[test]
    fn a_reserved_number_is_found_wherever_a_phone_is_read() {
        for (body, at) in [
            (r#"{"payee": {"country_code": "1", "phone_number": "2125550123"}}"#, "/payee/phone_number"),
            (r#"{"payee": {"phone_number": "+1 (555) 555-0199"}}"#, "/payee/phone_number"),
            (r#"{"links": [{}, {"country_code": "+1", "phone_number": "212 555 0100"}]}"#, "/links/1/phone_number"),
            (r#"{"country_code": "1-US", "phone_number": "12125550123"}"#, "/phone_number"),
            (r#"{"directors": [{"phone": "2125550123"}]}"#, "/directors/0/phone"),
            (r#"{"brand": {"support_phone": "+12125550123"}}"#, "/brand/support_phone"),
        ] {
            assert_eq!(refused(body).as_deref(), Some(at), "{body}");
        }
        for body in [
            r#"{"payee": {"country_code": "1", "phone_number": "2127361234"}}"#,
            r#"{"payee": {"country_code": "44", "phone_number": "2125550123"}}"#,
            r#"{"metadata": {"phone_number": "+12125550123"}, "memo": "+12125550123"}"#,
            r#"{"phone_number": null, "phone_countries": ["US"]}"#,
        ] {
            assert_eq!(refused(body), None, "{body}");
        }
    }
}
