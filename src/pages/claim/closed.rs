//! The page that says why a claim cannot continue, for the steps and for the guards before them.

use super::{form, wording};
use crate::http::{Answer, Outcome};
use crate::language::Language;
use crate::pages::draw::page as draw;
use crate::pages::refused::Refused;
use crate::pages::views::{Closed, ClosedPage, NewLink, Sender};
use crate::refusal::{Code, Refusal};

/// The last part of the path to which a request for a new link is posted.
pub(super) const NEW_LINK: &str = "new-link";

/// What is known about a link that exists.
pub(super) struct Known {
    pub sender: Sender,
    pub amount: String,
    pub is_sandbox: bool,
    pub is_requested_again: bool,
}

/// Draws a refusal as a page, with the refusal's status. `again` is the path of the link.
pub(super) fn page(
    language: Language,
    refused: &Refused,
    known: Option<Known>,
    again: Option<String>,
    request_id: Option<String>,
) -> Outcome {
    let why = why(refused);
    let may_help = matches!(why, Closed::TooManyTries { .. } | Closed::Problem { .. });
    let is_bug = refused.code == Code::InternalError;
    let languages = again.as_ref().map(|link| format!("{link}/language"));
    let new_link = match (&why, &known, &again) {
        (Closed::Expired, Some(Known { is_requested_again: true, .. }), _) => NewLink::Requested,
        (Closed::Expired, Some(_), Some(link)) => NewLink::Offered { action: format!("{link}/{NEW_LINK}") },
        (_, _, _) => NewLink::Impossible,
    };
    let (again, request_id) = (again.filter(|_| may_help), request_id.filter(|_| is_bug));
    let sandbox = known.as_ref().is_some_and(|known| known.is_sandbox);
    let (sender, amount) = known.map(|known| (known.sender, known.amount)).unzip();
    let view = ClosedPage { language, languages, why, sender, amount, sandbox, new_link, again, request_id };
    let answer = draw(refused.status(), &view)?;
    Ok(match refused.retry_after_seconds {
        Some(seconds) => answer.header("retry-after", seconds.to_string()),
        None => answer,
    })
}

/// Draws a refusal that was returned before the claim's handler ran, or instead of it.
pub(in crate::pages) fn render_error(refusal: &Refusal, request_id: &str, language: Option<Language>) -> Answer {
    let language = language.unwrap_or_default();
    let refused = Refused::new(refusal, form::says(wording::refused(language, refusal)));
    page(language, &refused, None, None, Some(request_id.to_owned())).unwrap_or_else(|refusal| Answer::from(&refusal))
}

/// Returns the page for a payee whose link leads nowhere, such as one that was copied in part.
pub fn link_not_found(language: Option<Language>) -> Answer {
    render_error(&Refusal::not_found("link"), "", language)
}

/// Returns the wait of a refusal, rounded up to minutes.
fn minutes(refused: &Refused) -> Option<u64> {
    refused.retry_after_seconds.map(|seconds| u64::from(seconds).div_ceil(60).max(1))
}

fn why(refused: &Refused) -> Closed {
    let known = [
        (Code::LinkExpired, Closed::Expired),
        (Code::LinkCanceled, Closed::Canceled),
        (Code::NotFound, Closed::Unknown),
        (Code::AlreadyClaimed, Closed::ClaimedElsewhere),
        (Code::RateLimited, Closed::TooManyTries { minutes: minutes(refused) }),
    ];
    let found = known.into_iter().find(|(code, _)| *code == refused.code);
    let message = || refused.form.errors.first().map(|error| error.message.clone()).unwrap_or_default();
    found.map_or_else(|| Closed::Problem { message: message() }, |(_, why)| why)
}
