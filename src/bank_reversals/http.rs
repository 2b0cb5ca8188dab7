use std::sync::Arc;

use serde_json::json;

use super::approve::{ActOnReversal, ReversalDeed};
use super::inputs::{BankReversalApproval, BankReversalDismissal, BankReversalProposal, BankReversalsQuery};
use super::json::BankReversalJson;
use super::model::BankReversal;
use super::propose::ProposeReversal;
use super::rows;
use crate::banking::Person;
use crate::http::lists::{ListEnvelope, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::{BankFileId, BankReversalId, MemberId};
use crate::input::Input;
use crate::permission::Permission;
use crate::refusal::{Code, Refusal};
use crate::security_log::SecurityEvent;
use crate::world::Query;
use crate::world::record::Cell as _;

const TAG: &str = "Banks";

fn reversal_of(call: &Call) -> Result<BankReversalId, Refusal> {
    call.id("bank_reversal_id", "bank reversal")
}

/// POST /v2/bank/files/{bank_file_id}/reverse
pub async fn propose(call: Call) -> Outcome {
    let (org, file) = (call.caller.org, call.id::<BankFileId>("bank_file_id", "bank file")?);
    let command = call.body::<BankReversalProposal>().map(|body| ProposeReversal {
        org,
        person: Person::by(&call.caller, call.bursar.environment, body.acting_user_id),
        file,
        entry: body.entry_id,
        reason: body.reason,
        evidence: body.evidence.0,
        found_at: body.found_at,
    });
    let reply = |reversal: &Arc<BankReversal>| Answer::created(&BankReversalJson::from(&**reversal));
    let done = call.once(command, reply).await?;
    if done.is_new() {
        call.log_security(SecurityEvent::BankFileChanged, "reversal_proposed", Some(&file.to_string()));
    }
    Ok(done)
}

/// GET /v2/bank/reversals
pub async fn list(call: Call) -> Outcome {
    let (asked, org) = (call.query::<BankReversalsQuery>()?, call.caller.org);
    let found = call
        .read(move |world| {
            let mine = Query::of::<BankReversal>(org.to_value(), "id", 1);
            page::<BankReversal>(world, mine, &asked.asked(), |query| {
                query.matching("file", asked.bank_file_id).matching("status", asked.status)
            })
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|reversal| BankReversalJson::from(reversal))))
}

/// GET /v2/bank/reversals/{bank_reversal_id}
pub async fn show(call: Call) -> Outcome {
    let (org, id) = (call.caller.org, reversal_of(&call)?);
    let reversal = call.read(move |world| rows::find(world, org, id)).await?;
    Ok(Answer::ok(&BankReversalJson::from(&*reversal)))
}

/// Runs a deed of the member in the body.
async fn act<B: Input>(call: Call, reason: &'static str, read: impl FnOnce(B) -> (MemberId, ReversalDeed)) -> Outcome {
    let (org, reversal) = (call.caller.org, reversal_of(&call)?);
    let command = call.body::<B>().map(|body| {
        let (member, deed) = read(body);
        let person = Person::by(&call.caller, call.bursar.environment, member);
        ActOnReversal { org, person, reversal, deed }
    });
    let reply = |reversal: &Arc<BankReversal>| Answer::ok(&BankReversalJson::from(&**reversal));
    let done = call.once(command, reply).await?;
    if done.is_new() {
        call.log_security(SecurityEvent::BankFileChanged, reason, Some(&reversal.to_string()));
    }
    Ok(done)
}

/// POST /v2/bank/reversals/{bank_reversal_id}/approve
pub async fn approve(call: Call) -> Outcome {
    let read = |body: BankReversalApproval| (body.acting_user_id, ReversalDeed::Approve { version: body.version });
    act(call, "reversal_approved", read).await
}

/// POST /v2/bank/reversals/{bank_reversal_id}/dismiss
pub async fn dismiss(call: Call) -> Outcome {
    let read = |body: BankReversalDismissal| (body.acting_user_id, ReversalDeed::Dismiss { reason: body.reason.0 });
    act(call, "reversal_dismissed", read).await
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/bank/files/{bank_file_id}/reverse" Organization "propose_bank_reversal" propose)
            .members(Permission::Pay)
            .about(TAG, "Propose to reverse an entry or a file")
            .describe(
                "For entries that are at the bank. The reversal debits what was paid, or pays back what was collected; \
                 another member approves it. It reaches the bank within five banking days after the settlement.",
            )
            .takes::<BankReversalProposal>()
            .example(json!({
                "acting_user_id": "019a0000-0000-7000-8000-000000000000",
                "entry_id": "019a0000-0000-7000-8000-000000000001",
                "reason": "duplicate",
                "found_at": "2026-11-24T15:00:00Z",
                "evidence": "Order 4711 was paid out twice; see ticket 815.",
            }))
            .gives::<BankReversalJson>(201, "The reversal.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
        route!(Get "/v2/bank/reversals" Organization "list_bank_reversals" list)
            .members(Permission::View)
            .about(TAG, "List reversals")
            .describe("Lists the orders to take payments back at the bank, newest first.")
            .asks::<BankReversalsQuery>()
            .gives::<ListEnvelope<BankReversalJson>>(200, "One page of the list."),
        route!(Get "/v2/bank/reversals/{bank_reversal_id}" Organization "get_bank_reversal" show)
            .members(Permission::View)
            .about(TAG, "Get a reversal")
            .describe("Returns a reversal with its counts of settled and returned entries.")
            .gives::<BankReversalJson>(200, "The reversal.")
            .refuses(&[Code::NotFound]),
        route!(Post "/v2/bank/reversals/{bank_reversal_id}/approve" Organization "approve_bank_reversal" approve)
            .members(Permission::Pay)
            .about(TAG, "Approve a reversal")
            .describe(
                "Requires another member than the one who proposed it, the version that the member saw, and an error \
                 that was found at most 24 hours ago. The entries join the next file of reversals.",
            )
            .takes::<BankReversalApproval>()
            .gives::<BankReversalJson>(200, "The reversal.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::SelfApproval, Code::InvalidState]),
        route!(Post "/v2/bank/reversals/{bank_reversal_id}/dismiss" Organization "dismiss_bank_reversal" dismiss)
            .members(Permission::Pay)
            .about(TAG, "Dismiss a proposed reversal")
            .describe("Ends a proposed reversal. Nothing is taken back.")
            .takes::<BankReversalDismissal>()
            .gives::<BankReversalJson>(200, "The reversal.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
    ]
}
