//! A request with a member session acts as that member only.
//!
//! Invariant: if a route takes `acting_user_id` and the request has a member session, the handler receives the id of
//! the session's member.

use crate::http::{Caller, Route};
use crate::refusal::{Code, Refusal};
use crate::strict_json::Json;

const FIELD: &str = "acting_user_id";

/// Sets `acting_user_id` to the member of the session.
///
/// # Errors
/// `member-proof-required` for the id of another member, which the session does not prove.
pub(super) fn name_member(route: &Route, caller: &Caller, body: &mut Json) -> Result<(), Refusal> {
    let takes_it = route.documented.body.as_ref().is_some_and(|schema| !schema["properties"][FIELD].is_null());
    let (true, Some(signed_in), Json::Object(fields)) = (takes_it, caller.member, body) else { return Ok(()) };
    let own = Json::Text(signed_in.member.to_string());
    match fields.iter_mut().find(|(name, _)| name == FIELD) {
        None => fields.push((FIELD.to_owned(), own)),
        Some((_, given @ Json::Null)) => *given = own,
        // A value that is not an id is rejected later as an invalid field.
        Some((_, Json::Text(given))) if given.parse::<uuid::Uuid>().is_ok_and(|id| id != signed_in.member.0) => {
            let message = "must be the member of the session; omit the field";
            return Err(Refusal::field(Code::MemberProofRequired, "/acting_user_id", message));
        }
        Some(_) => {}
    }
    Ok(())
}
