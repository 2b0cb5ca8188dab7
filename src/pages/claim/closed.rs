//! The page that says why a claim cannot continue, for the steps and for the guards before them.

use super::wording;
use crate::http::{Answer, Outcome};
use crate::language::Language;
use crate::pages::draw::page as draw;
use crate::pages::views::{Closed, ClosedPage, Sender};
use crate::refusal::{Code, Refusal};

/// Draws a refusal as a page, with the refusal's status.
pub(super) fn page(
    language: Language,
    refusal: &Refusal,
    sender: Option<Sender>,
    again: Option<String>,
    request_id: Option<String>,
) -> Outcome {
    let why = why(language, refusal);
    let may_help = matches!(why, Closed::TooManyTries { .. } | Closed::Problem { .. });
    let is_bug = refusal.code == Code::InternalError;
    let languages = again.as_ref().map(|link| format!("{link}/language"));
    let (again, request_id) = (again.filter(|_| may_help), request_id.filter(|_| is_bug));
    let view = ClosedPage { language, languages, why, sender, again, request_id };
    let answer = draw(refusal.code.status(), &view)?;
    Ok(match refusal.retry_after_seconds {
        Some(seconds) => answer.header("retry-after", seconds.to_string()),
        None => answer,
    })
}

/// Draws a refusal that was returned before the claim's handler ran, or instead of it.
pub(in crate::pages) fn render_error(refusal: &Refusal, request_id: &str, language: Option<Language>) -> Answer {
    page(language.unwrap_or_default(), refusal, None, None, Some(request_id.to_owned()))
        .unwrap_or_else(|refusal| Answer::from(&refusal))
}

/// Returns the wait of a refusal, rounded up to minutes.
fn minutes(refusal: &Refusal) -> Option<u64> {
    refusal.retry_after_seconds.map(|seconds| u64::from(seconds).div_ceil(60).max(1))
}

fn why(language: Language, refusal: &Refusal) -> Closed {
    let known = [
        (Code::LinkExpired, Closed::Expired),
        (Code::LinkCanceled, Closed::Canceled),
        (Code::NotFound, Closed::Unknown),
        (Code::AlreadyClaimed, Closed::ClaimedElsewhere),
        (Code::RateLimited, Closed::TooManyTries { minutes: minutes(refusal) }),
    ];
    let found = known.into_iter().find(|(code, _)| *code == refusal.code);
    found.map_or_else(|| Closed::Problem { message: wording::refused(language, refusal) }, |(_, why)| why)
}
