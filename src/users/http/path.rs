use crate::http::Call;
use crate::ids::UserId;
use crate::refusal::Refusal;
use crate::scope::Scope;

/// Returns the user in the path, and the app that asks.
pub(super) fn user_of(call: &Call) -> Result<(Scope, UserId), Refusal> {
    Ok((call.scope()?, call.id("user_id", "user")?))
}
