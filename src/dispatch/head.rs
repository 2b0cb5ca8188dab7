//! The request's head: how long its first line and its headers may be.
//!
//! The bounds are well below those at which the HTTP library gives up by itself (64 KiB, or 100 lines
//! of headers): it answers such a caller without a body, and closes the connection.

use axum::http::request::Parts;

use super::host;
use crate::refusal::{Code, Refusal};

/// Longest path with its query, in bytes.
const ADDRESS_MAX: usize = 8 * 1024;
/// Longest headers, in bytes: their names and values together.
const HEADERS_MAX: usize = 32 * 1024;

/// Refuses a head that is longer than any honest one, or does not name its host once.
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
