use serde_json::json;

use super::change::ChangeConnection;
use super::create::CreateConnection;
use super::inputs::{
    ActingMember, BankConnectionChanges, BankConnectionsQuery, CalendarQuery, NewBankConnection, Stop, TestFileQuery,
    TestResult,
};
use super::json::{BankCalendarJson, BankConnectionJson, BankCutoffJson, BankDayJson, PausedConnectionsJson};
use super::model::BankConnection;
use super::pause::{PauseAllConnections, PauseConnection, ResumeConnection};
use super::review::{ApproveConnection, TestConnection};
use super::rows;
use super::test_file;
use crate::banking::person::Person;
use crate::banking::{originators, settlement_accounts};
use crate::http::lists::{ListEnvelope, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::BankConnectionId;
use crate::input::wrong;
use crate::permission::Permission;
use crate::refusal::{Code, Refusal};
use crate::security_log::SecurityEvent;
use crate::world::Query;
use crate::world::record::Cell as _;

const TAG: &str = "Banks";
/// The longest part of a calendar that one request returns, in days after the first.
const DAYS_MAX: i64 = 366;

fn answer(connection: &BankConnection) -> Answer {
    Answer::ok(&BankConnectionJson::from(connection))
}

fn connection_of(call: &Call) -> Result<BankConnectionId, Refusal> {
    call.id("bank_connection_id", "bank connection")
}

/// POST /v2/bank/connections
pub async fn create(call: Call) -> Outcome {
    let org = call.caller.org;
    let command = call.body::<NewBankConnection>().and_then(|new| {
        Ok(CreateConnection {
            org,
            person: Person::by(&call.caller, call.bursar.environment, new.acting_user_id),
            name: new.name.0.clone(),
            transport: new.transport.clone().known(&call.bursar.transports, org)?.0,
            settings: new.settings()?,
        })
    });
    let created = call.once(command, |made| Answer::created(&BankConnectionJson::from(&**made))).await?;
    if created.is_new() {
        call.log_security(SecurityEvent::BankSetUpChanged, "connection_created", None);
    }
    Ok(created)
}

/// GET /v2/bank/connections
pub async fn list(call: Call) -> Outcome {
    let (asked, org) = (call.query::<BankConnectionsQuery>()?, call.caller.org);
    let found = call
        .read(move |world| {
            let mine = Query::of::<BankConnection>(org.to_value(), "id", 1);
            page::<BankConnection>(world, mine, &asked.asked(), |query| query.matching("status", asked.status))
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|connection| BankConnectionJson::from(connection))))
}

/// GET /v2/bank/connections/{bank_connection_id}
pub async fn show(call: Call) -> Outcome {
    let (org, id) = (call.caller.org, connection_of(&call)?);
    let connection = call.read(move |world| rows::find(world, org, id)).await?;
    Ok(answer(&connection))
}

/// PATCH /v2/bank/connections/{bank_connection_id}
pub async fn update(call: Call) -> Outcome {
    let (org, connection) = (call.caller.org, connection_of(&call)?);
    let changes: BankConnectionChanges = call.body()?;
    if let Some(transport) = changes.transport.0.clone() {
        transport.known(&call.bursar.transports, org)?;
    }
    let person = Person::by(&call.caller, call.bursar.environment, changes.acting_user_id);
    let changed = call.run(ChangeConnection { org, person, connection, patch: changes.into() }).await?;
    call.log_security(SecurityEvent::BankSetUpChanged, "connection_changed", Some(&connection.to_string()));
    Ok(answer(&changed))
}

/// GET /v2/bank/connections/{bank_connection_id}/test-file
pub async fn download_test_file(call: Call) -> Outcome {
    let (org, id) = (call.caller.org, connection_of(&call)?);
    let asked: TestFileQuery = call.query()?;
    let (vault, now) = (call.bursar.vault.clone(), call.bursar.clock.now());
    let file = call
        .read(move |world| {
            let connection = rows::find(world, org, id)?;
            let originator = originators::find_of(world, &connection, asked.originator_id)?;
            let account = settlement_accounts::find_of(world, &connection, asked.settlement_account_id)?;
            let damaged = |_| Refusal::new(Code::InternalError, "The sealed account number cannot be decrypted.");
            let number = settlement_accounts::open(&account, &vault).map_err(damaged)?;
            Ok(test_file::build(&connection, &originator, &account, &number, now)?)
        })
        .await?;
    call.log_security(SecurityEvent::BankFileRead, "test_file", Some(&id.to_string()));
    let disposition = format!("attachment; filename=\"{}\"", file.name);
    Ok(Answer::file("text/plain; charset=us-ascii", file.bytes).header("content-disposition", disposition))
}

/// POST /v2/bank/connections/{bank_connection_id}/test
pub async fn test(call: Call) -> Outcome {
    let (org, connection) = (call.caller.org, connection_of(&call)?);
    let command = call.body::<TestResult>().map(|result| TestConnection {
        org,
        person: Person::by(&call.caller, call.bursar.environment, result.acting_user_id),
        connection,
        evidence: result.evidence.0,
    });
    let tested = call.once(command, |connection| answer(connection)).await?;
    log(&call, &tested, "connection_tested", connection);
    Ok(tested)
}

/// POST /v2/bank/connections/{bank_connection_id}/approve
pub async fn approve(call: Call) -> Outcome {
    let (org, connection) = (call.caller.org, connection_of(&call)?);
    let command = call.body::<ActingMember>().map(|body| ApproveConnection {
        org,
        person: Person::by(&call.caller, call.bursar.environment, body.acting_user_id),
        connection,
    });
    let approved = call.once(command, |connection| answer(connection)).await?;
    log(&call, &approved, "connection_approved", connection);
    Ok(approved)
}

/// POST /v2/bank/connections/{bank_connection_id}/pause
pub async fn pause(call: Call) -> Outcome {
    let (org, connection) = (call.caller.org, connection_of(&call)?);
    let command = call.body::<Stop>().map(|stop| PauseConnection {
        org,
        person: Person::by(&call.caller, call.bursar.environment, stop.acting_user_id),
        connection,
        reason: stop.reason.0,
    });
    let paused = call.once(command, |connection| answer(connection)).await?;
    log(&call, &paused, "connection_paused", connection);
    Ok(paused)
}

/// POST /v2/bank/connections/{bank_connection_id}/resume
pub async fn resume(call: Call) -> Outcome {
    let (org, connection) = (call.caller.org, connection_of(&call)?);
    let command = call.body::<ActingMember>().map(|body| ResumeConnection {
        org,
        person: Person::by(&call.caller, call.bursar.environment, body.acting_user_id),
        connection,
    });
    let resumed = call.once(command, |connection| answer(connection)).await?;
    log(&call, &resumed, "connection_resumed", connection);
    Ok(resumed)
}

/// POST /v2/bank/pause
pub async fn pause_all(call: Call) -> Outcome {
    let org = call.caller.org;
    let command = call.body::<Stop>().map(|stop| PauseAllConnections {
        org,
        person: Person::by(&call.caller, call.bursar.environment, stop.acting_user_id),
        reason: stop.reason.0,
    });
    let render = |paused: &Vec<std::sync::Arc<BankConnection>>| {
        let data = paused.iter().map(|connection| BankConnectionJson::from(&**connection)).collect();
        Answer::ok(&PausedConnectionsJson { data })
    };
    let paused = call.once(command, render).await?;
    if paused.is_new() {
        call.log_security(SecurityEvent::BankSetUpChanged, "all_connections_paused", None);
    }
    Ok(paused)
}

/// GET /v2/bank/calendar
pub async fn calendar(call: Call) -> Outcome {
    let (asked, org) = (call.query::<CalendarQuery>()?, call.caller.org);
    let (from, to) = (asked.from.0, asked.to.0);
    let last = from.checked_add(jiff::Span::new().days(DAYS_MAX)).unwrap_or(from);
    if !(from..=last).contains(&to) {
        let message = format!("must be {from} or later, and at most {DAYS_MAX} days after it");
        return Err(Refusal::fields(wrong("to", message)));
    }
    let connection = call.read(move |world| rows::find(world, org, asked.bank_connection_id)).await?;
    let settings = &connection.settings.0;
    let day = |date: jiff::civil::Date| BankDayJson {
        date: date.to_string(),
        open: settings.calendar.is_open(date),
        windows: settings.schedule().of_day(date).into_iter().map(BankCutoffJson::from).collect(),
    };
    let days = std::iter::successors(Some(from), |date| date.tomorrow().ok()).take_while(|date| *date <= to);
    Ok(Answer::ok(&BankCalendarJson {
        bank_connection_id: connection.id,
        calendar: settings.calendar,
        time_zone: settings.time_zone.clone(),
        data: days.map(day).collect(),
    }))
}

fn log(call: &Call, answer: &Answer, reason: &'static str, connection: BankConnectionId) {
    if answer.is_new() {
        call.log_security(SecurityEvent::BankSetUpChanged, reason, Some(&connection.to_string()));
    }
}

pub fn routes() -> Vec<Route> {
    [set_up_routes(), review_routes(), stop_routes()].concat()
}

fn example() -> serde_json::Value {
    json!({
        "acting_user_id": "019a0000-0000-7000-8000-000000000000", "name": "First Bank", "transport": "manual",
        "format": "nacha",
        "nacha": {
            "odfi_routing_number": "011000015", "destination": "011000015", "destination_name": "SAMPLE BANK",
            "origin": "1234567890", "origin_name": "ACME INC", "line_ending": "lf", "balanced": false,
        },
        "calendar": "fed", "time_zone": "America/New_York",
        "windows": [{
            "name": "evening", "days": ["mon", "tue", "wed", "thu", "fri"], "submit_by": "18:00", "lead_minutes": 30,
            "same_day": false,
        }],
        "limits": {"credit": {"per_entry": 1_000_000, "per_file": 50_000_000, "per_day": 100_000_000}},
        "file_name": "ACME_{date}_{modifier}.ach",
    })
}

fn set_up_routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/bank/connections" Organization "create_bank_connection" create)
            .members(Permission::Govern)
            .about(TAG, "Create a connection to a bank")
            .describe(
                "The bank's guide has the values. The connection is a draft until the bank has accepted a test file \
                 and another member has approved it. In production each change of the bank set-up requires the \
                 member's own session.",
            )
            .takes::<NewBankConnection>()
            .example(example())
            .gives::<BankConnectionJson>(201, "The connection.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::LimitExceeded]),
        route!(Get "/v2/bank/connections" Organization "list_bank_connections" list)
            .members(Permission::View)
            .about(TAG, "List the connections to banks")
            .describe("Lists the connections to banks, newest first, with their settings and states.")
            .asks::<BankConnectionsQuery>()
            .gives::<ListEnvelope<BankConnectionJson>>(200, "One page of the list."),
        route!(Get "/v2/bank/connections/{bank_connection_id}" Organization "get_bank_connection" show)
            .members(Permission::View)
            .about(TAG, "Get a connection to a bank")
            .describe("Returns a connection with its settings, and who made, tested and approved it.")
            .gives::<BankConnectionJson>(200, "The connection.")
            .refuses(&[Code::NotFound]),
        route!(Patch "/v2/bank/connections/{bank_connection_id}" Organization "update_bank_connection" update)
            .members(Permission::Govern)
            .about(TAG, "Update a connection to a bank")
            .describe("A change makes the connection a draft again: the bank tests it, and another member approves it.")
            .takes::<BankConnectionChanges>()
            .gives::<BankConnectionJson>(200, "The connection.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound]),
        route!(Get "/v2/bank/calendar" Organization "get_bank_calendar" calendar)
            .members(Permission::View)
            .about(TAG, "Get the banking days and windows of a connection")
            .describe("Lists the banking days of a range with the cut-offs of the connection, and the effective dates and settlement times of files that are cut then.")
            .asks::<CalendarQuery>()
            .gives::<BankCalendarJson>(200, "The days, with their windows.")
            .refuses(&[Code::NotFound]),
    ]
}

fn review_routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/bank/connections/{bank_connection_id}/test-file" Organization "download_bank_test_file" download_test_file)
            .members(Permission::Govern)
            .about(TAG, "Download a test file for the bank")
            .describe(
                "A NACHA file has one prenote to the settlement account and moves no money. A pain.001 message has no \
                 prenote: it moves one cent from the settlement account to itself, if the bank executes it. The file \
                 contains the account number; each download is in the security log.",
            )
            .asks::<TestFileQuery>()
            .gives_file(200, "The file.", "text/plain")
            .refuses(&[Code::NotFound, Code::InvalidState]),
        route!(Post "/v2/bank/connections/{bank_connection_id}/test" Organization "test_bank_connection" test)
            .members(Permission::Govern)
            .about(TAG, "Record that the bank has accepted a test file")
            .describe("Records that the bank has accepted a test file. Another member approves the connection afterwards.")
            .takes::<TestResult>()
            .gives::<BankConnectionJson>(200, "The connection.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
        route!(Post "/v2/bank/connections/{bank_connection_id}/approve" Organization "approve_bank_connection" approve)
            .members(Permission::Pay)
            .about(TAG, "Approve a connection to a bank")
            .describe("Requires another member than the one who created or changed it: an admin or a payer.")
            .takes::<ActingMember>()
            .gives::<BankConnectionJson>(200, "The connection.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::SelfApproval, Code::InvalidState]),
    ]
}

fn stop_routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/bank/connections/{bank_connection_id}/pause" Organization "pause_bank_connection" pause)
            .members(Permission::Pay)
            .about(TAG, "Stop a connection to a bank")
            .describe("No file is sent until an admin resumes the connection. A repeated call changes nothing.")
            .takes::<Stop>()
            .gives::<BankConnectionJson>(200, "The connection.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
        route!(Post "/v2/bank/connections/{bank_connection_id}/resume" Organization "resume_bank_connection" resume)
            .members(Permission::Govern)
            .about(TAG, "Resume a connection to a bank")
            .describe("Sends files again over a paused connection. A connection in use stays as it is.")
            .takes::<ActingMember>()
            .gives::<BankConnectionJson>(200, "The connection.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::InvalidState]),
        route!(Post "/v2/bank/pause" Organization "pause_bank_connections" pause_all)
            .members(Permission::Pay)
            .about(TAG, "Stop all connections to banks")
            .describe("Stops every approved connection of the organization, and returns those that it stopped.")
            .takes::<Stop>()
            .gives::<PausedConnectionsJson>(200, "The connections that were stopped.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound]),
    ]
}
