//! The routes of payables.

use super::rows;
use serde_json::json;
use uuid::Uuid;

use super::inputs::{Acting, Judgement, NUMBER_MAX, NewFile, NewPayable, PayableChanges};
use super::json::PayableJson;
use super::model::{Payable, PayableStatus};
use super::{Approve, Cancel, Create, DeleteFile, Pay, PayablePatch, Reject, SetFile, Submit, Update};
use crate::acting::Named;
use crate::engine::Command;
use crate::http::lists::{ListEnvelope, list_query, of_app, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Caller, CredentialKind, Outcome, Route};
use crate::ids::{PayableId, VendorId};
use crate::input::Input;
use crate::input::types::Line;
use crate::permission::Permission;
use crate::refusal::Code;
use crate::scope::Scope;
use crate::vendors::{Deletion, EXTERNAL_ID_MAX};
use crate::world::Query;

list_query! {
    /// The filters of the list of payables.
    pub struct PayablesQuery {
        /// Return only payables in this status.
        pub status: Option<PayableStatus>,
        /// Return only payables of this vendor.
        pub ap_vendor_id: Option<VendorId>,
        /// Return only payables with your own id.
        pub external_id: Option<Line<EXTERNAL_ID_MAX>>,
        /// Return only payables with this number.
        pub number: Option<Line<NUMBER_MAX>>,
    }
}

impl PayablesQuery {
    fn narrow(&self, query: Query) -> Query {
        query
            .matching("status", self.status)
            .matching("vendor", self.ap_vendor_id)
            .matching("external_id", self.external_id.as_ref().map(|id| id.0.clone()))
            .matching("number", self.number.as_ref().map(|number| number.0.clone()))
    }
}

/// Returns the app and the payable that the path names.
fn named(call: &Call) -> Result<(Scope, PayableId), crate::refusal::Refusal> {
    Ok((call.scope()?, call.id("payable_id", "payable")?))
}

/// Runs the command of a POST on one payable, built from its body.
async fn act<T: Input, C>(call: Call, command: impl FnOnce(Scope, PayableId, &Caller, T) -> C) -> Outcome
where
    C: Command<Reply = std::sync::Arc<Payable>>,
{
    let (scope, payable) = named(&call)?;
    let command = call.body::<T>().map(|body| command(scope, payable, &call.caller, body));
    let bursar = call.bursar.clone();
    call.once(command, move |payable| Answer::ok(&super::json(&bursar, payable))).await
}

/// GET /v2/accounts-payable/payables
pub async fn list(call: Call) -> Outcome {
    let scope = call.scope()?;
    let asked: PayablesQuery = call.query()?;
    let found = call
        .read(move |world| {
            page::<Payable>(world, of_app::<Payable>(scope, "id"), &asked.asked(), |query| asked.narrow(query))
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|payable| super::json(&call.bursar, payable))))
}

/// POST /v2/accounts-payable/payables
pub async fn create(call: Call) -> Outcome {
    let scope = call.scope()?;
    let public_url = call.bursar.public_url.clone();
    let command = call.body::<NewPayable>().map(|new| Create {
        scope,
        acting: new.acting_user_id,
        number: new.number.0,
        currency: new.currency.unwrap_or_default(),
        says: PayablePatch {
            number: None,
            description: new.description.map(|description| description.0).into(),
            external_id: new.external_id.map(|id| id.0).into(),
            vendor: new.ap_vendor_id.into(),
            payment_method: new.ap_payment_method_id.into(),
            amount: new.amount,
            items: new.items.map(|items| items.0).into(),
            funding_source: new.funding_source,
        },
        file: new.file.map(|file| file.0),
        public_url,
    });
    let bursar = call.bursar.clone();
    call.once(command, move |payable| Answer::created(&super::json(&bursar, payable))).await
}

/// GET /v2/accounts-payable/payables/{payable_id}
pub async fn show(call: Call) -> Outcome {
    let (scope, id) = named(&call)?;
    let payable = call.read(move |world| rows::find(world, scope, id)).await?;
    Ok(Answer::ok(&super::json(&call.bursar, &payable)))
}

/// PATCH /v2/accounts-payable/payables/{payable_id}
pub async fn update(call: Call) -> Outcome {
    let (scope, payable) = named(&call)?;
    let changes: PayableChanges = call.body()?;
    let patch = PayablePatch {
        number: changes.number.0.map(|number| number.0),
        description: changes.description.map(|description| description.0),
        external_id: changes.external_id.map(|id| id.0),
        vendor: changes.ap_vendor_id,
        payment_method: changes.ap_payment_method_id,
        amount: changes.amount.0,
        items: changes.items.map(|items| items.0),
        funding_source: changes.funding_source.0,
    };
    let command = Update { scope, payable, acting: changes.acting_user_id, patch };
    let payable = call.run(command).await?;
    Ok(Answer::ok(&super::json(&call.bursar, &payable)))
}

/// GET /v2/accounts-payable/payables/{payable_id}/file
pub async fn show_file(call: Call) -> Outcome {
    let (scope, id) = named(&call)?;
    let file = call.read(move |world| super::file::of(world, scope, id)).await?;
    // A PDF can hold scripts. The policy lets a browser save and show it, and run nothing.
    Ok(Answer::file("application/pdf", file.bytes.clone())
        .header("content-disposition", format!("attachment; filename=\"payable-{id}.pdf\""))
        .header("content-security-policy", "default-src 'none'; sandbox"))
}

/// POST /v2/accounts-payable/payables/{payable_id}/file
pub async fn set_file(call: Call) -> Outcome {
    let public_url = call.bursar.public_url.clone();
    act(call, |scope, payable, _, new: NewFile| {
        let (acting, bytes) = (new.acting_user_id, new.file.0);
        SetFile { scope, payable, acting, bytes, public_url }
    })
    .await
}

/// DELETE /v2/accounts-payable/payables/{payable_id}/file
pub async fn delete_file(call: Call) -> Outcome {
    let (scope, payable) = named(&call)?;
    let acting = call.body::<Deletion>()?.acting_user_id;
    let payable = call.run(DeleteFile { scope, payable, acting }).await?;
    Ok(Answer::ok(&super::json(&call.bursar, &payable)))
}

/// POST /v2/accounts-payable/payables/{payable_id}/submit-for-approval
pub async fn submit(call: Call) -> Outcome {
    act(call, |scope, payable, caller, body: Acting| Submit {
        scope,
        payable,
        acting: Named::by(caller, body.acting_user_id),
    })
    .await
}

/// POST /v2/accounts-payable/payables/{payable_id}/approve
pub async fn approve(call: Call) -> Outcome {
    act(call, |scope, payable, caller, body: Judgement| {
        let comment = body.comment.map(|comment| comment.0);
        Approve { scope, payable, acting: Named::by(caller, body.acting_user_id), comment }
    })
    .await
}

/// POST /v2/accounts-payable/payables/{payable_id}/reject
pub async fn reject(call: Call) -> Outcome {
    act(call, |scope, payable, caller, body: Judgement| {
        let comment = body.comment.map(|comment| comment.0);
        Reject { scope, payable, acting: Named::by(caller, body.acting_user_id), comment }
    })
    .await
}

/// POST /v2/accounts-payable/payables/{payable_id}/cancel
pub async fn cancel(call: Call) -> Outcome {
    act(call, |scope, payable, _, body: Acting| Cancel { scope, payable, acting: body.acting_user_id }).await
}

/// POST /v2/accounts-payable/payables/{payable_id}/pay
pub async fn pay(call: Call) -> Outcome {
    let key = call.idempotency_key.as_deref().and_then(|key| Uuid::try_parse(key).ok());
    let by_app = call.caller.kind == CredentialKind::App && call.caller.member.is_none();
    act(call, |scope, payable, caller, body: Acting| Pay {
        scope,
        payable,
        acting: Named::by(caller, body.acting_user_id),
        by_app,
        key,
    })
    .await
}

const TAG: &str = "Accounts payable";

pub fn routes() -> Vec<Route> {
    [preparing(), files(), deciding()].concat()
}

fn preparing() -> Vec<Route> {
    let example = json!({
        "acting_user_id": "0198c0de-0000-7000-8000-000000000001",
        "number": "INV-1001",
        "ap_vendor_id": "0198c0de-0000-7000-8000-000000000002",
        "items": [{"name": "Chair", "quantity": 5, "unit_price": 500}]
    });
    vec![
        route!(Get "/v2/accounts-payable/payables" App "list_payables" list)
            .members(Permission::View)
            .about(TAG, "List payables")
            .describe("Lists the app's payables, newest first.")
            .asks::<PayablesQuery>()
            .gives::<ListEnvelope<PayableJson>>(200, "One page of the list."),
        route!(Post "/v2/accounts-payable/payables" App "create_payable" create)
            .members(Permission::Prepare)
            .about(TAG, "Create a payable")
            .describe(
                "Creates a vendor's bill. Requires a member with the role admin or ap_creator. The amount of each \
                 item is unit_price times quantity, and the amount of the payable is the sum of its items.",
            )
            .takes::<NewPayable>()
            .example(example)
            .gives::<PayableJson>(201, "The payable.")
            .refuses(&[Code::NotFound, Code::NotPermitted, Code::InvalidState]),
        route!(Get "/v2/accounts-payable/payables/{payable_id}" App "get_payable" show)
            .members(Permission::View)
            .about(TAG, "Get a payable")
            .describe("Returns one payable with its current status.")
            .gives::<PayableJson>(200, "The payable.")
            .refuses(&[Code::NotFound]),
        route!(Patch "/v2/accounts-payable/payables/{payable_id}" App "update_payable" update)
            .members(Permission::Prepare)
            .about(TAG, "Update a payable")
            .describe(
                "Allowed while the payable is created or rejected; a rejected payable becomes created. Requires a \
                 member with the role admin or ap_creator.",
            )
            .takes::<PayableChanges>()
            .gives::<PayableJson>(200, "The payable.")
            .refuses(&[Code::NotFound, Code::NotPermitted, Code::InvalidState]),
        route!(Post "/v2/accounts-payable/payables/{payable_id}/submit-for-approval" App "submit_payable" submit)
            .members(Permission::Prepare)
            .about(TAG, "Submit a payable for approval")
            .describe(
                "Requires a member with the role admin or ap_creator. A submitted payable cannot be changed. bursar \
                 chooses the approval policy now and refuses a policy whose steps could never be completed.",
            )
            .takes::<Acting>()
            .gives::<PayableJson>(200, "The payable.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::NotPermitted, Code::InvalidState]),
        route!(Post "/v2/accounts-payable/payables/{payable_id}/cancel" App "cancel_payable" cancel)
            .members(Permission::Prepare)
            .about(TAG, "Cancel a payable")
            .describe("Allowed while the payable is created. Requires a member with the role admin or ap_creator.")
            .takes::<Acting>()
            .gives::<PayableJson>(200, "The payable.")
            .refuses(&[Code::NotFound, Code::NotPermitted, Code::InvalidState]),
    ]
}

fn files() -> Vec<Route> {
    vec![
        route!(Get "/v2/accounts-payable/payables/{payable_id}/file" App "get_payable_file" show_file)
            .members(Permission::View)
            .about(TAG, "Get a payable's file")
            .describe("Returns the PDF as an attachment.")
            .gives_file(200, "The PDF.", "application/pdf")
            .refuses(&[Code::NotFound]),
        route!(Post "/v2/accounts-payable/payables/{payable_id}/file" App "set_payable_file" set_file)
            .members(Permission::Prepare)
            .about(TAG, "Add or replace a payable's file")
            .describe("Takes a PDF of at most 700 KiB, in Base64. Allowed while the payable can be changed.")
            .takes::<NewFile>()
            .gives::<PayableJson>(200, "The payable.")
            .refuses(&[Code::NotFound, Code::NotPermitted, Code::InvalidState]),
        route!(Delete "/v2/accounts-payable/payables/{payable_id}/file" App "delete_payable_file" delete_file)
            .members(Permission::Prepare)
            .about(TAG, "Remove a payable's file")
            .describe("Allowed while the payable can be changed. Changes nothing if the payable has no file.")
            .takes::<Deletion>()
            .gives::<PayableJson>(200, "The payable.")
            .refuses(&[Code::NotFound, Code::NotPermitted, Code::InvalidState]),
    ]
}

fn deciding() -> Vec<Route> {
    vec![
        route!(Post "/v2/accounts-payable/payables/{payable_id}/approve" App "approve_payable" approve)
            .members(Permission::Approve)
            .about(TAG, "Approve a payable")
            .describe(
                "Requires a member with the role admin or ap_approver who is named in the current step. Each member \
                 approves once per step. The submitter can never approve, administrators included.",
            )
            .takes::<Judgement>()
            .gives::<PayableJson>(200, "The payable.")
            .refuses(&[
                Code::MemberProofRequired,
                Code::NotFound,
                Code::NotPermitted,
                Code::SelfApproval,
                Code::InvalidState,
            ]),
        route!(Post "/v2/accounts-payable/payables/{payable_id}/reject" App "reject_payable" reject)
            .members(Permission::Approve)
            .about(TAG, "Reject a payable")
            .describe(
                "Allowed while the payable waits for approval or after its payment failed. Requires a member with the \
                 role admin or ap_approver. A rejected payable can be changed, which makes it created again.",
            )
            .takes::<Judgement>()
            .gives::<PayableJson>(200, "The payable.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::NotPermitted, Code::InvalidState]),
        route!(Post "/v2/accounts-payable/payables/{payable_id}/pay" App "pay_payable" pay)
            .members(Permission::Pay)
            .about(TAG, "Pay a payable")
            .describe(
                "Allowed when the payable is approved, or again after its payment failed. Requires a member with the \
                 role admin or payer. Pays the approved amount to the approved account by ach, without fees, at most \
                 once regardless of idempotency keys. The amount counts toward payable_limits of the app's settings; \
                 above payable_approval_limit the call requires the organization's key.",
            )
            .takes::<Acting>()
            .gives::<PayableJson>(200, "The payable.")
            .refuses(&[
                Code::MemberProofRequired,
                Code::NotFound,
                Code::NotPermitted,
                Code::InvalidState,
                Code::InsufficientFunds,
                Code::LimitExceeded,
                Code::OrganizationKeyRequired,
            ]),
    ]
}
