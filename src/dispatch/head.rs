//! Limits the request line and the headers, and reads the language of a page from them.
//!
//! The limits are well below those of the HTTP library (64 KiB, or 100 header lines), which answers without a body and
//! closes the connection.

use axum::http::request::Parts;

use super::host;
use crate::language::Language;
use crate::refusal::{Code, Refusal};

/// Path with query, in bytes.
const ADDRESS_MAX: usize = 8 * 1024;
/// Names and values of all headers, in bytes.
const HEADERS_MAX: usize = 32 * 1024;

/// Rejects an oversized head, and a head without exactly one `Host`.
pub(super) fn check(parts: &Parts) -> Result<(), Refusal> {
    host::check_header(parts)?;
    let address = parts.uri.path_and_query().map_or(0, |address| address.as_str().len());
    if address > ADDRESS_MAX {
        let message = format!("The path and the query string have {address} bytes; the limit is {ADDRESS_MAX}.");
        return Err(Refusal::new(Code::UriTooLong, message));
    }
    let headers: usize = parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if headers > HEADERS_MAX {
        let message = format!("The headers have {headers} bytes; the limit is {HEADERS_MAX}.");
        return Err(Refusal::new(Code::HeadersTooLarge, message));
    }
    Ok(())
}

/// Returns the language that the browser's cookie or its settings ask for.
pub(super) fn language(parts: &Parts) -> Option<Language> {
    let header = |name| parts.headers.get(name).and_then(|value| value.to_str().ok());
    let chosen = header("cookie").and_then(Language::chosen);
    chosen.or_else(|| header("accept-language").and_then(Language::accepted))
}
