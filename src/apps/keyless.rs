//! Apps that require an idempotency key on every POST (docs/decisions.md 2, `require_idempotency_key`).

use super::rows::find;
use crate::caller::Caller;
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;

/// Checks that this caller may send a POST without an idempotency key. Only requests without a key pay for this read.
///
/// # Errors
///
/// 400 `invalid-input` if the app's settings require a key.
pub async fn may_post_without_key(bursar: &Bursar, caller: &Caller) -> Result<(), Refusal> {
    let Some(app) = caller.app else { return Ok(()) };
    let scope = Scope { org: caller.org, app };
    if bursar.read(move |world| Ok(find(world, scope)?.settings.0.require_idempotency_key)).await? {
        let message = "is required by the app's settings; send it here or as idempotency_key in the body";
        return Err(Refusal::field(Code::InvalidInput, "Idempotency-Key", message));
    }
    Ok(())
}
