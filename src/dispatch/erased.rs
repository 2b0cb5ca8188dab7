//! The last guard of an answer: it shows no payee who is being erased.

use crate::erasure::{Erasure, hidden, shows};
use crate::http::{Answer, Call, Content, CredentialKind, Method, Outcome};
use crate::ids::OrgId;
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::world::record::key;

/// What decides whether an answer may show what was stored before: what a request creates is its own.
pub(super) struct Guard {
    org: Option<OrgId>,
    reads: bool,
}

impl Guard {
    /// Before the handler takes the call.
    pub fn of(call: &Call, method: Method) -> Self {
        let org = (call.caller.kind != CredentialKind::None).then_some(call.caller.org);
        Self { org, reads: method == Method::Get || !call.path.is_empty() }
    }

    /// The outcome, which shows no payee who is being erased.
    pub async fn pass(self, bursar: &Bursar, outcome: Outcome) -> Outcome {
        match (outcome, self.org) {
            (Ok(answer), Some(org)) if self.reads || answer.replayed => hide(bursar, org, answer).await,
            (outcome, _) => outcome,
        }
    }
}

/// The answer without the data of those who are being erased. A repeated answer that shows them is a tombstone already.
///
/// # Errors
/// `idempotency-key-reused` for such a repeat; that of the store.
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
