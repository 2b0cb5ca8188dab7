//! Reads the idempotency key (docs/decisions.md 4) from the header, the field, or both if they are equal.

use axum::http::request::Parts;
use uuid::Uuid;

use crate::http::Method;
use crate::input::wrong;
use crate::refusal::Refusal;
use crate::strict_json::Json;

const FIELD: &str = "idempotency_key";
const HEADER: &str = "Idempotency-Key";
/// Characters of a key in the header.
const KEY_MAX: usize = 255;

/// Returns the request's key and removes the field from the body, because it is not part of the command.
///
/// Only POST takes keys; the other methods are idempotent.
pub(super) fn take(method: Method, parts: &Parts, body: &mut Json) -> Result<Option<String>, Refusal> {
    if method != Method::Post {
        return Ok(None);
    }
    match (from_header(parts)?, from_body(body)?) {
        (Some(header), Some(field)) if header != field => {
            let message = format!("differs from the header {HEADER}; send only one of them, or the same value in both");
            Err(Refusal::fields(wrong(&format!("/{FIELD}"), message)))
        }
        (header, field) => Ok(header.or(field)),
    }
}

fn from_header(parts: &Parts) -> Result<Option<String>, Refusal> {
    let refuse = |message: &str| Err(Refusal::fields(wrong(HEADER, message)));
    let mut given = parts.headers.get_all(HEADER).iter();
    let Some(key) = given.next() else { return Ok(None) };
    if given.next().is_some() {
        return refuse("must be sent only once");
    }
    let printable = key.as_bytes().iter().all(|byte| (b' '..=b'~').contains(byte));
    match std::str::from_utf8(key.as_bytes()) {
        Ok(key) if printable && (1..=KEY_MAX).contains(&key.len()) => Ok(Some(normal(key))),
        Ok(_) | Err(_) => refuse("must be 1 to 255 printable ASCII characters"),
    }
}

fn from_body(body: &mut Json) -> Result<Option<String>, Refusal> {
    let Json::Object(fields) = body else { return Ok(None) };
    let Some(place) = fields.iter().position(|(name, _)| name == FIELD) else { return Ok(None) };
    match fields.remove(place).1 {
        Json::Null => Ok(None),
        Json::Text(key) if is_uuid(&key) => Ok(Some(normal(&key))),
        Json::Bool(_) | Json::Int(_) | Json::Decimal(_) | Json::Text(_) | Json::List(_) | Json::Object(_) => {
            Err(Refusal::fields(wrong(&format!("/{FIELD}"), "must be a UUID")))
        }
    }
}

fn is_uuid(key: &str) -> bool {
    key.len() == 36 && Uuid::try_parse(key).is_ok()
}

/// Lowercases a UUID; other keys are case-sensitive.
fn normal(key: &str) -> String {
    if is_uuid(key) { key.to_ascii_lowercase() } else { key.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    const KEY: &str = "0b7e3c0a-8f3a-4c1e-9d52-6a7e1f2b3c4d";

    fn taken(header: Option<&[u8]>, field: Option<Json>) -> Result<(Option<String>, Json), String> {
        let mut request = Request::builder();
        if let Some(header) = header {
            request = request.header(HEADER, header);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let mut body = Json::Object(vec![("amount".to_owned(), Json::Int(5))]);
        if let (Json::Object(fields), Some(field)) = (&mut body, field) {
            fields.push((FIELD.to_owned(), field));
        }
        let key = take(Method::Post, &parts, &mut body).map_err(|refusal| refusal.errors[0].field.clone())?;
        Ok((key, body))
    }

    fn text(text: &str) -> Option<Json> {
        Some(Json::Text(text.to_owned()))
    }

    #[test]
    fn header_or_field_will_do_and_the_field_leaves_the_body() {
        let rest = Json::Object(vec![("amount".to_owned(), Json::Int(5))]);
        let key = Some(KEY.to_owned());
        assert_eq!(taken(None, None), Ok((None, rest.clone())));
        assert_eq!(taken(None, text(KEY)), Ok((key.clone(), rest.clone())));
        assert_eq!(taken(Some(KEY.as_bytes()), None), Ok((key.clone(), rest.clone())));
        assert_eq!(taken(Some(KEY.to_uppercase().as_bytes()), text(KEY)), Ok((key.clone(), rest.clone())));
        assert_eq!(taken(Some(KEY.as_bytes()), Some(Json::Null)), Ok((key, rest.clone())));
        assert_eq!(taken(Some(b"order 17"), None), Ok((Some("order 17".to_owned()), rest)));
    }

    #[test]
    fn malformed_and_differing_keys_are_named() {
        let field = Err("/idempotency_key".to_owned());
        let header = Err(HEADER.to_owned());
        assert_eq!(taken(None, text("order 17")), field);
        assert_eq!(taken(None, Some(Json::Int(7))), field);
        assert_eq!(taken(Some(b"order 17"), text(KEY)), field);
        assert_eq!(taken(Some(b""), None), header);
        assert_eq!(taken(Some(&[b'k'; 256]), None), header);
        assert_eq!(taken(Some("clé".as_bytes()), None), header);
        assert_eq!(taken(Some(b"a\tb"), None), header);
    }
}
