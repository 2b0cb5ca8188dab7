//! Where a form was sent from, and redirects after it.

use crate::http::{Answer, Call};
use crate::language::Text;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};

/// Rejects a form posted by another site's page. An origin of `null` proves nothing: our own pages send it, because they
/// send no referrer. Error: `not-permitted`.
pub(super) fn must_be_ours(call: &Call) -> Result<(), Refusal> {
    let foreign = match (call.header("sec-fetch-site"), call.header("origin")) {
        (Some(site), _) => !matches!(site, "same-origin" | "none"),
        (None, Some("null") | None) => false,
        (None, Some(origin)) => !is_own_origin(call, origin),
    };
    if foreign {
        return Err(Refusal::to_payee(Code::NotPermitted, Text::RefusedOtherSite).because(Reason::OtherSite));
    }
    Ok(())
}

fn is_own_origin(call: &Call, origin: &str) -> bool {
    let host = origin.split_once("://").map_or("", |(_, host)| host);
    call.header("host") == Some(host) || call.bursar.public_url == origin
}

/// Redirects the browser to another page.
pub(super) fn see_other(location: String) -> Answer {
    Answer::empty(303).header("location", location).header("referrer-policy", "no-referrer")
}
