//! The compression of answers that are the same for everyone: documents, pages of the reference and the guide, assets.
//!
//! Invariant: only an answer with `cache-control: public` is compressed. The length of a compressed answer that
//! contains a secret and a text of an attacker reveals the secret (BREACH).

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::{LazyLock, Mutex, PoisonError};

use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Smaller bodies fit into one packet anyway.
const BYTES_MIN: usize = 1_024;
/// Compressed bodies that are kept. The documents and pages of a program are fewer.
const KEPT_MAX: usize = 256;

/// Compressed bodies by the ETag of the body.
static KEPT: LazyLock<Mutex<HashMap<String, Bytes>>> = LazyLock::new(Mutex::default);

/// Returns whether an answer with these headers may be compressed, and is a text.
pub(super) fn is_for(headers: &HeaderMap) -> bool {
    let starts = |name, start: &str| {
        headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|value| value.starts_with(start))
    };
    let is_text = ["text/", "application/json", "image/svg+xml"].iter().any(|kind| starts(header::CONTENT_TYPE, kind));
    is_text && starts(header::CACHE_CONTROL, "public")
}

/// Returns the body compressed, if the client accepts that and it is worth it.
pub(super) fn gzip(parts: &Parts, etag: &str, body: &Bytes) -> Option<Bytes> {
    if body.len() < BYTES_MIN || !accepts(parts) {
        return None;
    }
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = kept().get(etag) {
        return Some(found.clone());
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).ok()?;
    let compressed = Bytes::from(encoder.finish().ok()?);
    let mut kept = kept();
    if kept.len() < KEPT_MAX {
        kept.insert(etag.to_owned(), compressed.clone());
    }
    Some(compressed)
}

/// Returns whether `Accept-Encoding` names gzip, or everything, with a weight above zero.
fn accepts(parts: &Parts) -> bool {
    let given = parts.headers.get_all(header::ACCEPT_ENCODING);
    let weight = |name: &str| {
        let mut found = None;
        for coding in given.iter().filter_map(|value| value.to_str().ok()).flat_map(|line| line.split(',')) {
            let mut parts = coding.split(';').map(str::trim);
            if parts.next().is_some_and(|coding| coding.eq_ignore_ascii_case(name)) {
                let is_zero = parts.any(|part| {
                    part.strip_prefix("q=").is_some_and(|weight| weight.bytes().all(|byte| b"0.".contains(&byte)))
                });
                found = Some(!is_zero);
            }
        }
        found
    };
    weight("gzip").or_else(|| weight("*")).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    #[test]
    fn only_a_client_that_accepts_gzip_gets_it() {
        for (given, accepted) in [
            (None, false),
            (Some("gzip"), true),
            (Some("br, GZIP;q=0.5"), true),
            (Some("gzip;q=0"), false),
            (Some("gzip;q=0.000, *"), false),
            (Some("*"), true),
            (Some("identity"), false),
        ] {
            let request = Request::builder();
            let request = given.map_or_else(Request::builder, |given| request.header("accept-encoding", given));
            let (parts, ()) = request.body(()).unwrap().into_parts();
            assert_eq!(accepts(&parts), accepted, "{given:?}");
        }
    }

    #[test]
    fn an_answer_for_one_caller_is_not_compressed() {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, "application/json".parse().unwrap());
        for (kept, is_compressed) in [("no-store", false), ("private, max-age=60", false), ("public, max-age=60", true)]
        {
            headers.insert(header::CACHE_CONTROL, kept.parse().unwrap());
            assert_eq!(is_for(&headers), is_compressed, "{kept}");
        }
    }
}
