use std::sync::Arc;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::inputs::{
    BankItemApproval, BankItemAssignment, BankItemMatch, BankItemsQuery, InboundDismissal, InboundFileReplay,
    InboundFilesQuery, NewInboundFile,
};
use super::json::{BankItemJson, InboundFileJson};
use super::keep::{PART_BYTES, UploadInbound};
use super::model::{BankItem, InboundFile, Proposal};
use super::operator::{ActOnInbound, ActOnItem, FileDeed, ItemDeed};
use super::rows;
use crate::banking::Person;
use crate::http::lists::{ListEnvelope, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::{BankItemId, InboundFileId, MemberId};
use crate::input::Input;
use crate::permission::Permission;
use crate::refusal::{Code, Refusal};
use crate::security_log::SecurityEvent;
use crate::vault::Unsealed;
use crate::world::Query;
use crate::world::record::Cell as _;

const TAG: &str = "Banks";

/// GET /v2/bank/inbound-files
pub async fn list(call: Call) -> Outcome {
    let (asked, org) = (call.query::<InboundFilesQuery>()?, call.caller.org);
    let found = call
        .read(move |world| {
            let mine = Query::of::<InboundFile>(org.to_value(), "id", 1);
            page::<InboundFile>(world, mine, &asked.asked(), |query| {
                query.matching("connection", asked.bank_connection_id).matching("status", asked.status)
            })
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|file| InboundFileJson::from(file))))
}

/// POST /v2/bank/inbound-files
pub async fn upload(call: Call) -> Outcome {
    let org = call.caller.org;
    let command = call.body::<NewInboundFile>().map(|new| {
        let (bytes, mut entropy) = (new.content.0, call.bursar.entropy());
        let part = |part: &[u8]| Unsealed::new(&call.bursar.vault, part, entropy.bytes());
        UploadInbound {
            org,
            person: Person::by(&call.caller, call.bursar.environment, new.acting_user_id),
            connection: new.bank_connection_id,
            name: new.name.0,
            size: i64::try_from(bytes.len()).unwrap_or(i64::MAX),
            sha256: Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
            parts: bytes.chunks(PART_BYTES).map(part).collect(),
        }
    });
    let added = call.once(command, |file: &Arc<InboundFile>| Answer::created(&InboundFileJson::from(&**file))).await?;
    if added.is_new() {
        call.log_security(SecurityEvent::BankFileChanged, "uploaded", None);
    }
    Ok(added)
}

/// GET /v2/bank/inbound-files/{inbound_file_id}
pub async fn show(call: Call) -> Outcome {
    let (org, id) = (call.caller.org, call.id::<InboundFileId>("inbound_file_id", "inbound file")?);
    let file = call.read(move |world| rows::find(world, org, id)).await?;
    Ok(Answer::ok(&InboundFileJson::from(&*file)))
}

/// GET /v2/bank/items
pub async fn items(call: Call) -> Outcome {
    let (asked, org) = (call.query::<BankItemsQuery>()?, call.caller.org);
    let found = call
        .read(move |world| {
            let mine = Query::of::<BankItem>(org.to_value(), "id", 1);
            page::<BankItem>(world, mine, &asked.asked(), |query| {
                let query = query.matching("inbound_file", asked.inbound_file_id);
                let query = query.matching("status", asked.status).matching("kind", asked.kind);
                query.matching("settlement_account", asked.settlement_account_id)
            })
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|item| BankItemJson::from(item))))
}

async fn act_on_file<B: Input>(
    call: Call,
    reason: &'static str,
    read: impl FnOnce(B) -> (MemberId, FileDeed),
) -> Outcome {
    let (org, file) = (call.caller.org, call.id::<InboundFileId>("inbound_file_id", "inbound file")?);
    let command = call.body::<B>().map(|body| {
        let (member, deed) = read(body);
        ActOnInbound { org, person: Person::by(&call.caller, call.bursar.environment, member), file, deed }
    });
    let done = call.once(command, |file: &Arc<InboundFile>| Answer::ok(&InboundFileJson::from(&**file))).await?;
    if done.is_new() {
        call.log_security(SecurityEvent::BankFileChanged, reason, Some(&file.to_string()));
    }
    Ok(done)
}

/// POST /v2/bank/inbound-files/{inbound_file_id}/replay
pub async fn replay(call: Call) -> Outcome {
    let read = |body: InboundFileReplay| {
        let sha256 = body.sha256.map(|hash| hash.0.to_ascii_lowercase());
        (body.acting_user_id, FileDeed::Replay { sha256 })
    };
    act_on_file(call, "replayed", read).await
}

/// POST /v2/bank/inbound-files/{inbound_file_id}/discard
pub async fn discard(call: Call) -> Outcome {
    let read = |body: InboundDismissal| (body.acting_user_id, FileDeed::Discard { reason: body.reason.0 });
    act_on_file(call, "discarded", read).await
}

async fn act_on_item<B: Input>(
    call: Call,
    reason: &'static str,
    read: impl FnOnce(B) -> (MemberId, ItemDeed),
) -> Outcome {
    try_on_item(call, reason, |body| Ok(read(body))).await
}

async fn try_on_item<B: Input>(
    call: Call,
    reason: &'static str,
    read: impl FnOnce(B) -> Result<(MemberId, ItemDeed), Refusal>,
) -> Outcome {
    let (org, item) = (call.caller.org, call.id::<BankItemId>("bank_item_id", "bank item")?);
    let command = call.body::<B>().and_then(read).map(|(member, deed)| ActOnItem {
        org,
        person: Person::by(&call.caller, call.bursar.environment, member),
        item,
        deed,
    });
    let done = call.once(command, |item: &Arc<BankItem>| Answer::ok(&BankItemJson::from(&**item))).await?;
    if done.is_new() {
        call.log_security(SecurityEvent::BankFileChanged, reason, Some(&item.to_string()));
    }
    Ok(done)
}

/// POST /v2/bank/items/{bank_item_id}/match
pub async fn match_item(call: Call) -> Outcome {
    let read = |body: BankItemMatch| {
        (body.acting_user_id, ItemDeed::Match { transfer: body.transfer_id, evidence: body.evidence.0 })
    };
    act_on_item(call, "matched", read).await
}

/// POST /v2/bank/items/{bank_item_id}/approve
pub async fn approve_item(call: Call) -> Outcome {
    let read = |body: BankItemApproval| (body.acting_user_id, ItemDeed::Approve { version: body.version });
    act_on_item(call, "approved", read).await
}

/// POST /v2/bank/items/{bank_item_id}/ignore
pub async fn ignore_item(call: Call) -> Outcome {
    let read = |body: InboundDismissal| (body.acting_user_id, ItemDeed::Ignore { reason: body.reason.0 });
    act_on_item(call, "ignored", read).await
}

/// POST /v2/bank/items/{bank_item_id}/assign
pub async fn assign_item(call: Call) -> Outcome {
    let read = |body: BankItemAssignment| {
        let proposal = Proposal {
            booked_as: body.booked_as,
            app_id: body.app_id,
            bank_file_ids: body.bank_file_ids.unwrap_or_default(),
            transfer_ids: body.transfer_ids.unwrap_or_default(),
        };
        Ok((body.acting_user_id, ItemDeed::Assign { proposal: proposal.checked()?, evidence: body.evidence.0 }))
    };
    try_on_item(call, "assigned", read).await
}

/// POST /v2/bank/items/{bank_item_id}/write-off
pub async fn write_off_item(call: Call) -> Outcome {
    let read = |body: InboundDismissal| (body.acting_user_id, ItemDeed::WriteOff { reason: body.reason.0 });
    act_on_item(call, "written_off", read).await
}

/// POST /v2/bank/items/{bank_item_id}/explain
pub async fn explain_item(call: Call) -> Outcome {
    let read = |body: InboundDismissal| (body.acting_user_id, ItemDeed::Explain { reason: body.reason.0 });
    act_on_item(call, "explained", read).await
}

pub fn routes() -> Vec<Route> {
    [read_routes(), change_routes(), line_routes()].concat()
}

fn line_routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/bank/items/{bank_item_id}/assign" Organization "assign_bank_item" assign_item)
            .members(Permission::Pay)
            .about(TAG, "Say what a line of a statement is")
            .describe(
                "For a line in suspense. Another member approves it, which books the money. What is named adds up to \
                 the line; of the money before the first statement, the rest stays in suspense.",
            )
            .takes::<BankItemAssignment>()
            .example(json!({
                "acting_user_id": "019a0000-0000-7000-8000-000000000000",
                "booked_as": "deposit",
                "app_id": "019a0000-0000-7000-8000-000000000001",
                "evidence": "By phone with J. Doe: the wire of 3 March, without a reference.",
            }))
            .gives::<BankItemJson>(200, "The line.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
        route!(Post "/v2/bank/items/{bank_item_id}/write-off" Organization "write_off_bank_item" write_off_item)
            .members(Permission::Pay)
            .about(TAG, "Book a line of a statement as costs")
            .describe(
                "For a line in suspense, such as a fee with an unknown code. At most $100.00 is booked at once; another \
                 member approves more.",
            )
            .takes::<InboundDismissal>()
            .gives::<BankItemJson>(200, "The line.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
        route!(Post "/v2/bank/items/{bank_item_id}/explain" Organization "explain_bank_item" explain_item)
            .members(Permission::Pay)
            .about(TAG, "Explain a line of a statement")
            .describe("The line stays in suspense, and the reconciliation shows the reason.")
            .takes::<InboundDismissal>()
            .gives::<BankItemJson>(200, "The line.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
    ]
}

fn read_routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/bank/inbound-files" Organization "list_inbound_files" list)
            .members(Permission::View)
            .about(TAG, "List files that banks sent")
            .describe("Lists the files that banks sent, newest first, with their findings if they are not applied.")
            .asks::<InboundFilesQuery>()
            .gives::<ListEnvelope<InboundFileJson>>(200, "One page of the list."),
        route!(Get "/v2/bank/inbound-files/{inbound_file_id}" Organization "get_inbound_file" show)
            .members(Permission::View)
            .about(TAG, "Get a file that a bank sent")
            .describe("A file that cannot be read is in quarantine: nothing of it is applied, and findings says why.")
            .gives::<InboundFileJson>(200, "The file.")
            .refuses(&[Code::NotFound]),
        route!(Get "/v2/bank/items" Organization "list_bank_items" items)
            .members(Permission::View)
            .about(TAG, "List reports of banks")
            .describe(
                "Returns, changes and rejections in the files that banks sent, and lines of statements. Clarify those \
                 with the status unmatched with the bank.",
            )
            .asks::<BankItemsQuery>()
            .gives::<ListEnvelope<BankItemJson>>(200, "One page of the list."),
    ]
}

fn upload_route() -> Route {
    route!(Post "/v2/bank/inbound-files" Organization "upload_inbound_file" upload)
        .members(Permission::Pay)
        .about(TAG, "Upload a file of a bank")
        .describe(
            "For a bank whose files a member downloads from a portal, or whose server is down. Another member lets it \
             be read (replay); then it is like a file in the inbound folder: the same bytes are applied once.",
        )
        .takes::<NewInboundFile>()
        .uploads()
        .example(json!({
            "acting_user_id": "019a0000-0000-7000-8000-000000000000",
            "bank_connection_id": "019a0000-0000-7000-8000-000000000001",
            "name": "STATEMENT_20261123.bai",
            "content": "MDEsQkFOSyxBQ01FLDI2MTEyNCwwNjAwLDEsLCwyLw==",
        }))
        .gives::<InboundFileJson>(201, "The file.")
        .refuses(&[Code::MemberProofRequired, Code::NotFound])
}

fn change_routes() -> Vec<Route> {
    vec![
        upload_route(),
        route!(Post "/v2/bank/inbound-files/{inbound_file_id}/replay" Organization "replay_inbound_file" replay)
            .members(Permission::Pay)
            .about(TAG, "Read an uploaded file, or one in quarantine again")
            .describe(
                "For a file that another member uploaded, or one in quarantine that can be read now. It is applied \
                 whole, or quarantined again. Of an uploaded file, sha256 shows that the member has the same file from \
                 the bank.",
            )
            .takes::<InboundFileReplay>()
            .gives::<InboundFileJson>(200, "The file.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::SelfApproval, Code::InvalidState]),
        route!(Post "/v2/bank/inbound-files/{inbound_file_id}/discard" Organization "discard_inbound_file" discard)
            .members(Permission::Pay)
            .about(TAG, "Discard an uploaded file, or one in quarantine")
            .describe("For a file that the bank replaced. Nothing of it is ever applied; it stays stored.")
            .takes::<InboundDismissal>()
            .gives::<InboundFileJson>(200, "The file.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
        route!(Post "/v2/bank/items/{bank_item_id}/match" Organization "match_bank_item" match_item)
            .members(Permission::Pay)
            .about(TAG, "Match a return with its payment")
            .describe("For a return that matched nothing. Another member approves it, which books the return.")
            .takes::<BankItemMatch>()
            .example(json!({
                "acting_user_id": "019a0000-0000-7000-8000-000000000000",
                "transfer_id": "019a0000-0000-7000-8000-000000000001",
                "evidence": "By phone with J. Doe: it is the payment of 3 March.",
            }))
            .gives::<BankItemJson>(200, "The report.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
        route!(Post "/v2/bank/items/{bank_item_id}/approve" Organization "approve_bank_item" approve_item)
            .members(Permission::Pay)
            .about(TAG, "Approve what a member matched or assigned")
            .describe(
                "Requires another member than the one who matched or assigned it, and the version of the item that the \
                 member saw. The payment of a return fails, or its money goes back; a line is booked as its proposal \
                 says.",
            )
            .takes::<BankItemApproval>()
            .example(json!({"acting_user_id": "019a0000-0000-7000-8000-000000000000", "version": 2}))
            .gives::<BankItemJson>(200, "The report.")
            .refuses(&[
                Code::MemberProofRequired,
                Code::NotFound,
                Code::SelfApproval,
                Code::InvalidState,
                Code::InsufficientFunds,
            ]),
        route!(Post "/v2/bank/items/{bank_item_id}/ignore" Organization "ignore_bank_item" ignore_item)
            .members(Permission::Pay)
            .about(TAG, "Ignore a report")
            .describe("For a report that was clarified with the bank and moves no money here.")
            .takes::<InboundDismissal>()
            .gives::<BankItemJson>(200, "The report.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
    ]
}
