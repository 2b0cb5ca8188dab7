use std::sync::Arc;

use serde_json::json;

use super::contents::{Contents, contents};
use super::inputs::{BankEntriesQuery, BankFileAct, BankFileCancellation, BankFileKnown, BankFileMark, BankFilesQuery};
use super::json::{BankEntryJson, BankFileJson};
use super::model::{BankEntry, BankFile, FileOutcome, FileStatus};
use super::operator::{ActOnFile, Deed, is_in_time};
use super::rates::{ReturnRatesJson, return_rates};
use super::rows;
use crate::banking::connections::{self, ConnectionStatus};
use crate::banking::{Person, TRANSPORT_MANUAL};
use crate::http::lists::{ListEnvelope, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::{BankFileId, MemberId};
use crate::input::Input;
use crate::permission::Permission;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::security_log::SecurityEvent;
use crate::world::record::Cell as _;
use crate::world::{Halt, Query, World};

const TAG: &str = "Banks";

fn file_of(call: &Call) -> Result<BankFileId, Refusal> {
    call.id("bank_file_id", "bank file")
}

/// GET /v2/bank/files
pub async fn list(call: Call) -> Outcome {
    let (asked, org) = (call.query::<BankFilesQuery>()?, call.caller.org);
    let found = call
        .read(move |world| {
            let mine = Query::of::<BankFile>(org.to_value(), "id", 1);
            page::<BankFile>(world, mine, &asked.asked(), |query| {
                query.matching("connection", asked.bank_connection_id).matching("status", asked.status)
            })
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|file| BankFileJson::from(file))))
}

/// GET /v2/bank/files/{bank_file_id}
pub async fn show(call: Call) -> Outcome {
    let (org, id) = (call.caller.org, file_of(&call)?);
    let file = call.read(move |world| rows::find(world, org, id)).await?;
    Ok(Answer::ok(&BankFileJson::from(&*file)))
}

/// GET /v2/bank/return-rates
pub async fn rates(call: Call) -> Outcome {
    let org = call.caller.org;
    Ok(Answer::ok(&call.read(move |world| return_rates(world, org)).await?))
}

/// GET /v2/bank/entries
pub async fn entries(call: Call) -> Outcome {
    let (asked, org) = (call.query::<BankEntriesQuery>()?, call.caller.org);
    let found = call
        .read(move |world| {
            let mine = Query::of::<BankEntry>(org.to_value(), "transfer", 1);
            page::<BankEntry>(world, mine, &asked.asked(), |query| query.matching("file", asked.bank_file_id))
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|entry| BankEntryJson::from(entry))))
}

/// GET /v2/bank/files/{bank_file_id}/content
pub async fn download(call: Call) -> Outcome {
    let (org, id) = (call.caller.org, file_of(&call)?);
    let vault = call.bursar.vault.clone();
    let (name, bytes) = call
        .read(move |world| {
            let file = rows::find(world, org, id)?;
            may_be_taken(world, &file)?;
            let name = file.name.clone().unwrap_or_default();
            match contents(world, &vault, &file)? {
                Contents::Bytes(bytes) => Ok((name, bytes)),
                Contents::Nothing => Err(refused(Reason::WrongKind, "The file has no payments, and so no bytes.")),
                Contents::Erased => Err(refused(
                    Reason::ObjectDeleted,
                    "A payee of the file was erased, and its bytes cannot be built again.",
                )),
                Contents::Unusable(_) => Err(refused(
                    Reason::BankExcludes,
                    "The account of a payee was changed in the store. Run bursar verify.",
                )),
            }
        })
        .await?;
    call.log_security(SecurityEvent::BankFileRead, "bank_file", Some(&id.to_string()));
    let disposition = format!("attachment; filename=\"{name}\"");
    Ok(Answer::file("text/plain; charset=us-ascii", bytes).header("content-disposition", disposition))
}

fn refused(reason: Reason, message: &str) -> Halt {
    Refusal::new(Code::InvalidState, message).because(reason).into()
}

/// Refuses a file that the server may send at the same time as the person who downloads it.
fn may_be_taken(world: &World, file: &BankFile) -> Result<(), Halt> {
    let may_still_be_sent = match file.status {
        FileStatus::Sealed | FileStatus::Sending => true,
        FileStatus::Open
        | FileStatus::Renaming
        | FileStatus::InDoubt
        | FileStatus::Sent
        | FileStatus::Rejected
        | FileStatus::Canceled
        | FileStatus::Dropped => false,
    };
    if file.must_wait_for_release() {
        return Err(refused(
            Reason::MemberNeeded,
            "The file waits for its release. Another member must release it first.",
        ));
    }
    if may_still_be_sent {
        is_in_time(file, world.now())?;
    }
    let connection = connections::find(world, file.org, file.connection)?;
    let is_automatic = connection.transport != TRANSPORT_MANUAL && connection.status == ConnectionStatus::Approved;
    if may_still_be_sent && is_automatic {
        return Err(refused(
            Reason::InUse,
            "The server may send this file itself. Pause the connection first, take the file to the bank, mark it as \
             sent, and then resume the connection.",
        ));
    }
    Ok(())
}

/// Runs a deed of the member in the body.
async fn act<B: Input>(call: Call, reason: &'static str, read: impl FnOnce(B) -> (MemberId, Deed)) -> Outcome {
    let (org, file) = (call.caller.org, file_of(&call)?);
    let command = call.body::<B>().map(|body| {
        let (member, deed) = read(body);
        let person = Person::by(&call.caller, call.bursar.environment, member);
        ActOnFile { org, person, file, deed }
    });
    let done = call.once(command, |file: &Arc<BankFile>| Answer::ok(&BankFileJson::from(&**file))).await?;
    if done.is_new() {
        call.log_security(SecurityEvent::BankFileChanged, reason, Some(&file.to_string()));
    }
    Ok(done)
}

/// POST /v2/bank/files/{bank_file_id}/release
pub async fn release(call: Call) -> Outcome {
    act(call, "released", |body: BankFileAct| (body.acting_user_id, Deed::Release)).await
}

/// POST /v2/bank/files/{bank_file_id}/mark-sent
pub async fn mark_sent(call: Call) -> Outcome {
    let read = |body: BankFileMark| (body.acting_user_id, Deed::MarkSent { evidence: body.evidence.0 });
    act(call, "marked_sent", read).await
}

/// POST /v2/bank/files/{bank_file_id}/mark-unsent
pub async fn mark_unsent(call: Call) -> Outcome {
    let decide = |evidence| Deed::Decide { outcome: FileOutcome::NotReceived, evidence };
    act(call, "marked_unsent", move |body: BankFileMark| (body.acting_user_id, decide(body.evidence.0))).await
}

/// POST /v2/bank/files/{bank_file_id}/decide
pub async fn decide(call: Call) -> Outcome {
    let read =
        |body: BankFileKnown| (body.acting_user_id, Deed::Decide { outcome: body.outcome, evidence: body.evidence.0 });
    act(call, "decided", read).await
}

/// POST /v2/bank/files/{bank_file_id}/redate
pub async fn redate(call: Call) -> Outcome {
    act(call, "redated", |body: BankFileAct| (body.acting_user_id, Deed::Redate)).await
}

/// POST /v2/bank/files/{bank_file_id}/cancel
pub async fn cancel(call: Call) -> Outcome {
    let read = |body: BankFileCancellation| (body.acting_user_id, Deed::Cancel { reason: body.reason.0 });
    act(call, "canceled", read).await
}

pub fn routes() -> Vec<Route> {
    [read_routes(), change_routes()].concat()
}

fn read_routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/bank/files" Organization "list_bank_files" list)
            .members(Permission::View)
            .about(TAG, "List files with payments")
            .describe("Lists the files with payments, newest first.")
            .asks::<BankFilesQuery>()
            .gives::<ListEnvelope<BankFileJson>>(200, "One page of the list."),
        route!(Get "/v2/bank/files/{bank_file_id}" Organization "get_bank_file" show)
            .members(Permission::View)
            .about(TAG, "Get a file with payments")
            .describe("Returns a file with its state, its totals, and what the bank says about it.")
            .gives::<BankFileJson>(200, "The file.")
            .refuses(&[Code::NotFound]),
        route!(Get "/v2/bank/files/{bank_file_id}/content" Organization "download_bank_file" download)
            .members(Permission::Pay)
            .about(TAG, "Download a file with payments")
            .describe(
                "The bytes are those that the server sends; their hash is sha256 of the file. They contain account \
                 numbers; each download is in the security log. If the connection sends files itself, pause it first.",
            )
            .gives_empty(200, "The file, as text.")
            .refuses(&[Code::NotFound, Code::InvalidState]),
        route!(Get "/v2/bank/return-rates" Organization "list_return_rates" rates)
            .members(Permission::View)
            .about(TAG, "List the return rates of debits")
            .describe(
                "The share of the debits of each originator that came back in the last 60 days, with the limits of the \
                 ACH rules: 0.5 % not authorized, 3 % administrative, 15 % of all.",
            )
            .gives::<Vec<ReturnRatesJson>>(200, "The rates of all originators."),
        route!(Get "/v2/bank/entries" Organization "list_bank_entries" entries)
            .members(Permission::View)
            .about(TAG, "List payments in files")
            .describe("Lists the payments, reversals and prenotes in files, newest first.")
            .asks::<BankEntriesQuery>()
            .gives::<ListEnvelope<BankEntryJson>>(200, "One page of the list."),
    ]
}

fn change_routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/bank/files/{bank_file_id}/release" Organization "release_bank_file" release)
            .members(Permission::Pay)
            .about(TAG, "Release a file above a limit")
            .describe("Requires another member than the one who set the limits. A repeated call changes nothing.")
            .takes::<BankFileAct>()
            .gives::<BankFileJson>(200, "The file.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::SelfApproval, Code::InvalidState]),
        route!(Post "/v2/bank/files/{bank_file_id}/mark-sent" Organization "mark_bank_file_sent" mark_sent)
            .members(Permission::Pay)
            .about(TAG, "Record that the bank has a file")
            .describe("For a file that a member took to the bank, or that is in doubt.")
            .takes::<BankFileMark>()
            .example(json!({
                "acting_user_id": "019a0000-0000-7000-8000-000000000000",
                "evidence": "Uploaded in the bank's portal at 17:45, reference 4711.",
            }))
            .gives::<BankFileJson>(200, "The file.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
        route!(Post "/v2/bank/files/{bank_file_id}/mark-unsent" Organization "mark_bank_file_unsent" mark_unsent)
            .members(Permission::Pay)
            .about(TAG, "Record that the bank does not have a file in doubt")
            .describe(
                "The same as the outcome not_received of decide: the first call proposes it, and the call of another \
                 member confirms it. The server removes its temporary files and sends the same bytes again under the \
                 same name.",
            )
            .takes::<BankFileMark>()
            .gives::<BankFileJson>(200, "The file.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::SelfApproval, Code::InvalidState]),
        route!(Post "/v2/bank/files/{bank_file_id}/decide" Organization "decide_bank_file" decide)
            .members(Permission::Pay)
            .about(TAG, "Record what the bank says about a file")
            .describe(
                "For a file in doubt, a contested one, or an answer that came by phone or in a portal. The first call \
                 proposes an outcome, and the call of another member with the same outcome confirms it. accepted: its \
                 payments may be presumed settled. rejected: they do not reach their payees; the file waits for redate or \
                 cancel, or all payments go back if some were presumed settled. not_received: the server sends the \
                 file in doubt again.",
            )
            .takes::<BankFileKnown>()
            .example(json!({
                "acting_user_id": "019a0000-0000-7000-8000-000000000000",
                "outcome": "rejected",
                "evidence": "J. Doe of the bank's ACH desk, 10:15, reference 4711.",
            }))
            .gives::<BankFileJson>(200, "The file.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::SelfApproval, Code::InvalidState]),
        route!(Post "/v2/bank/files/{bank_file_id}/redate" Organization "redate_bank_file" redate)
            .members(Permission::Pay)
            .about(TAG, "Move a file into the next window")
            .describe("For a file that missed the bank's deadline and is not at the bank. It gets another name.")
            .takes::<BankFileAct>()
            .gives::<BankFileJson>(200, "The file.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
        route!(Post "/v2/bank/files/{bank_file_id}/cancel" Organization "cancel_bank_file" cancel)
            .members(Permission::Pay)
            .about(TAG, "Cancel a file")
            .describe("For a file that is not at the bank. Its payouts fail, and their money goes back.")
            .takes::<BankFileCancellation>()
            .gives::<BankFileJson>(200, "The file.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
    ]
}
