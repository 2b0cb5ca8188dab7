//! The answer for a path that no route has: a refusal that names the most similar path, or a page for browsers, which
//! they also get for an object that does not exist.

use axum::http::header;
use axum::http::request::Parts;

use super::head;
use crate::http::Answer;
use crate::pages;
use crate::reason::{Details, Reason};
use crate::refusal::{Code, Refusal};

/// Letters of a segment that are compared: the edit distance is quadratic, and the path comes from a caller.
const SEGMENT_MAX: usize = 64;

/// Returns the refusal, with the most similar of the known paths.
pub(super) fn refusal(path: &str, known: &[&'static str]) -> Refusal {
    let near = nearest(path, known).or_else(|| nearest(&format!("/v2{path}"), known));
    let message = match near {
        Some(near) => format!("The path does not exist; did you mean {near}? /docs lists all paths."),
        None => "The path does not exist; /docs lists all paths.".to_owned(),
    };
    let details = Details { nearest_path: near, ..Details::default() };
    let refusal = Refusal::new(Code::NotFound, message).because(Reason::PathUnknown);
    if near.is_some() { refusal.with(details) } else { refusal }
}

/// Returns the path with the fewest edits, at most one for every three letters. A placeholder equals any segment.
fn nearest(path: &str, known: &[&'static str]) -> Option<&'static str> {
    let given: Vec<&str> = path.trim_matches('/').split('/').collect();
    let edits = |template: &&'static str| {
        let segments: Vec<&str> = template.trim_matches('/').split('/').collect();
        if segments.len() != given.len() {
            return None;
        }
        let (mut edits, mut letters) = (0, 0);
        for (segment, part) in segments.iter().zip(&given).filter(|(segment, _)| !segment.starts_with('{')) {
            if part.len() > SEGMENT_MAX {
                return None;
            }
            edits += strsim::damerau_levenshtein(segment, part);
            letters += segment.len();
        }
        (edits * 3 <= letters).then_some((edits, *template))
    };
    known.iter().filter_map(edits).min_by_key(|(edits, _)| *edits).map(|(_, template)| template)
}

/// Below these paths, payees open links of messages.
const OF_PAYEES: [&str; 2] = ["claim", "senders"];

/// Returns a page instead of the error body, if the request comes from a browser: with the chapters of the guide, or for
/// a payee who opened a link in part.
pub(super) fn page(parts: &Parts, is_sandbox: bool) -> Option<Answer> {
    let accepted = parts.headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let is_browser = accepted.flat_map(|line| line.split(',')).any(|kind| kind.trim().starts_with("text/html"));
    // A program may accept HTML, too (HttpURLConnection of Java does), but it sends its key.
    let has_key = parts.headers.contains_key(header::AUTHORIZATION);
    if !is_browser || has_key {
        return None;
    }
    let first = parts.uri.path().trim_start_matches('/').split('/').next().unwrap_or_default();
    if OF_PAYEES.contains(&first) {
        return Some(pages::link_not_found(head::language(parts)));
    }
    pages::page_not_found(is_sandbox).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] =
        ["/v2/payout-links", "/v2/payout-links/{payout_link_id}", "/v2/payouts/send-payout", "/docs"];

    #[test]
    fn the_nearest_path_is_named_and_a_far_one_is_not() {
        for (path, near) in [
            ("/v2/payout-link", Some("/v2/payout-links")),
            ("/v1/payout-links", Some("/v2/payout-links")),
            ("/v2/payout-links/", Some("/v2/payout-links")),
            ("/v2/payout_links/0195d8a4-6f00-7c3e-8a51-0c6a2f3b9d10", Some("/v2/payout-links/{payout_link_id}")),
            ("/payouts/send-payout", Some("/v2/payouts/send-payout")),
            ("/doc", Some("/docs")),
            ("/robots.txt", None),
            ("/v2/a/b/c/d", None),
            ("/", None),
        ] {
            let message = refusal(path, &KNOWN).message;
            let expected = near.map(|near| format!("did you mean {near}?"));
            assert_eq!(message.contains("did you mean"), near.is_some(), "{path}: {message}");
            assert!(expected.is_none_or(|expected| message.contains(&expected)), "{path}: {message}");
        }
        assert!(!refusal(&format!("/{}", "d".repeat(5000)), &KNOWN).message.contains("did you mean"));
    }
}
