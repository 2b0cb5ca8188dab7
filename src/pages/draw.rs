//! Draws a page.

use super::assets::CONTENT_SECURITY_POLICY;
use super::views::Moment;
use crate::clock::Time;
use crate::http::{Answer, Outcome};
use crate::language::Language;
use crate::refusal::{Code, Refusal};

/// Returns a drawn page with the headers of all pages.
///
/// # Errors
/// `internal-error` when the template fails, which is a bug.
pub fn page(status: u16, view: &impl askama::Template) -> Outcome {
    let html = view.render().map_err(|error| {
        tracing::error!(%error, "a page cannot be rendered");
        Refusal::new(Code::InternalError, "A bug stopped this request.")
    })?;
    let answer = Answer::html(status, html)
        .header("content-security-policy", CONTENT_SECURITY_POLICY)
        // The policy says the same; this is for browsers that do not support it.
        .header("x-frame-options", "DENY")
        // A claim link is a credential: the pages that it links to must not receive it.
        .header("referrer-policy", "no-referrer");
    Ok(answer)
}

/// Returns a moment as pages show it.
pub(super) fn moment(language: Language, at: Time) -> Moment {
    Moment { shown: language.moment(at), datetime: at.strftime("%Y-%m-%dT%H:%M:%SZ") }
}
