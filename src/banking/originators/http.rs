use serde_json::json;

use super::add::AddOriginator;
use super::inputs::{NewOriginator, OriginatorAct, OriginatorsQuery};
use super::json::OriginatorJson;
use super::model::Originator;
use super::review::{ApproveOriginator, EndOriginator};
use crate::banking::person::Person;
use crate::http::lists::{ListEnvelope, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::permission::Permission;
use crate::refusal::Code;
use crate::security_log::SecurityEvent;
use crate::world::Query;
use crate::world::record::Cell as _;

const TAG: &str = "Banks";

/// POST /v2/bank/originators
pub async fn create(call: Call) -> Outcome {
    let command = call.body::<NewOriginator>().map(|new| AddOriginator {
        org: call.caller.org,
        person: Person::by(&call.caller, call.bursar.environment, new.acting_user_id),
        connection: new.bank_connection_id,
        app: new.app_id,
        company_name: new.company_name.0,
        company_id: new.company_id.0,
        description: new.description.0,
        discretionary: new.discretionary.map(|text| text.0),
        entry_classes: new.entry_classes.0,
        prenotes: new.prenotes.unwrap_or(false),
    });
    let added = call.once(command, |originator| Answer::created(&OriginatorJson::from(&**originator))).await?;
    if added.is_new() {
        call.log_security(SecurityEvent::BankSetUpChanged, "originator_added", None);
    }
    Ok(added)
}

/// GET /v2/bank/originators
pub async fn list(call: Call) -> Outcome {
    let (asked, org) = (call.query::<OriginatorsQuery>()?, call.caller.org);
    let found = call
        .read(move |world| {
            let mine = Query::of::<Originator>(org.to_value(), "id", 1);
            page::<Originator>(world, mine, &asked.asked(), |query| {
                query.matching("connection", asked.bank_connection_id).matching("status", asked.status)
            })
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|originator| OriginatorJson::from(originator))))
}

/// POST /v2/bank/originators/{originator_id}/approve
pub async fn approve(call: Call) -> Outcome {
    let (org, originator) = (call.caller.org, call.id("originator_id", "originator")?);
    let command = call.body::<OriginatorAct>().map(|body| ApproveOriginator {
        org,
        person: Person::by(&call.caller, call.bursar.environment, body.acting_user_id),
        originator,
    });
    let approved = call.once(command, |originator| Answer::ok(&OriginatorJson::from(&**originator))).await?;
    if approved.is_new() {
        call.log_security(SecurityEvent::BankSetUpChanged, "originator_approved", Some(&originator.to_string()));
    }
    Ok(approved)
}

/// POST /v2/bank/originators/{originator_id}/end
pub async fn end(call: Call) -> Outcome {
    let (org, originator) = (call.caller.org, call.id("originator_id", "originator")?);
    let command = call.body::<OriginatorAct>().map(|body| EndOriginator {
        org,
        person: Person::by(&call.caller, call.bursar.environment, body.acting_user_id),
        originator,
    });
    let ended = call.once(command, |originator| Answer::ok(&OriginatorJson::from(&**originator))).await?;
    if ended.is_new() {
        call.log_security(SecurityEvent::BankSetUpChanged, "originator_ended", Some(&originator.to_string()));
    }
    Ok(ended)
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/bank/originators" Organization "add_originator" create)
            .members(Permission::Govern)
            .about(TAG, "Add an originator to a connection")
            .describe("An originator never changes. To change one, add another, approve it, and route to it.")
            .takes::<NewOriginator>()
            .example(json!({
                "acting_user_id": "019a0000-0000-7000-8000-000000000000",
                "bank_connection_id": "019a0000-0000-7000-8000-000000000001", "company_name": "ACME INC",
                "company_id": "1234567890", "description": "PAYOUT", "entry_classes": ["PPD", "CCD"],
            }))
            .gives::<OriginatorJson>(201, "The originator.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::LimitExceeded]),
        route!(Get "/v2/bank/originators" Organization "list_originators" list)
            .members(Permission::View)
            .about(TAG, "List originators")
            .describe("Lists the names under which files are sent, newest first.")
            .asks::<OriginatorsQuery>()
            .gives::<ListEnvelope<OriginatorJson>>(200, "One page of the list."),
        route!(Post "/v2/bank/originators/{originator_id}/approve" Organization "approve_originator" approve)
            .members(Permission::Pay)
            .about(TAG, "Approve an originator")
            .describe("Requires another member than the one who added it: an admin or a payer.")
            .takes::<OriginatorAct>()
            .gives::<OriginatorJson>(200, "The originator.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::SelfApproval, Code::InvalidState]),
        route!(Post "/v2/bank/originators/{originator_id}/end" Organization "end_originator" end)
            .members(Permission::Govern)
            .about(TAG, "Take an originator out of use")
            .describe("A repeated call changes nothing.")
            .takes::<OriginatorAct>()
            .gives::<OriginatorJson>(200, "The originator.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound]),
    ]
}
