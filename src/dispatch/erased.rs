//! The last guard of a response: it removes the data of a payee whose erasure is in progress.

use crate::closing::{Erasure, hidden, shows};
use crate::http::{Answer, Call, Content, CredentialKind, Method, Outcome};
use crate::ids::OrgId;
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::world::record::key;

/// Decides whether a response can contain data stored earlier. A request that creates an object returns only its own
/// data.
pub(super) struct Guard {
    org: Option<OrgId>,
    reads: bool,
}

impl Guard {
    /// Must be built before the handler takes the call.
    pub fn of(call: &Call, method: Method) -> Self {
        let org = (call.caller.kind != CredentialKind::None).then_some(call.caller.org);
        Self { org, reads: method == Method::Get || !call.path.is_empty() }
    }

    pub async fn pass(self, bursar: &Bursar, outcome: Outcome) -> Outcome {
        match (outcome, self.org) {
            (Ok(answer), Some(org)) if self.reads || answer.replayed => hide(bursar, org, answer).await,
            (outcome, _) => outcome,
        }
    }
}

/// Hides the data of payees whose erasure is in progress. A replayed response that shows them counts as a tombstone.
///
/// # Errors
/// `idempotency-key-reused` for such a replay; store errors.
async fn hide(bursar: &Bursar, org: OrgId, answer: Answer) -> Result<Answer, Refusal> {
    let (Content::Json(text) | Content::Csv(text)) = &answer.content else { return Ok(answer) };
    let erasures = bursar.read(move |world| world.all::<Erasure>(Erasure::OF_ORG, key![org])).await?;
    if !shows(&erasures, text) {
        return Ok(answer);
    }
    if answer.replayed {
        let message =
            "The stored response of this idempotency key was deleted, because it contained data of an erased payee.";
        return Err(Refusal::new(Code::IdempotencyKeyReused, message));
    }
    let Content::Json(text) = &answer.content else {
        let message = "A payee is being erased from this response. Try again later.";
        return Err(Refusal::new(Code::ServiceUnavailable, message).retry_after(5));
    };
    Ok(Answer { content: Content::Json(hidden(&erasures, text)), ..answer })
}
