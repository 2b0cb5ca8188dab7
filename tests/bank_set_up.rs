//! The set-up of banks: connections, originators, settlement accounts, routes; two persons, and an act for each change.

use bursar::banking::connections::BankConnection;
use bursar::banking::originators::Originator;
use bursar::banking::routes::RailRoute;
use bursar::banking::settlement_accounts::SettlementAccount;
use bursar::world::{Record as _, Table};
use bursar_formats::{Profile, inspect};
use serde_json::{Value, json};

use crate::harness::{Desk, Reply, Server};
use crate::samples::{new_account, new_connection, new_originator};

const CONNECTIONS: &str = "/v2/bank/connections";

/// The set-up of banks from the members' view.
struct Bank<'a> {
    server: &'a Server,
    desk: Desk<'a>,
}

impl<'a> Bank<'a> {
    fn of(server: &'a Server) -> Self {
        Self { server, desk: Desk::of(server) }
    }

    async fn get(&self, path: &str) -> Value {
        self.server.get(path).as_org().send().await.expect(200).body
    }

    /// Sends a body as the member of a role, named by the organization's key.
    async fn post(&self, path: &str, role: &str, mut body: Value) -> Reply {
        body["acting_user_id"] = json!(self.desk.member(role));
        self.server.post(path).as_org().json(body).send().await
    }

    async fn patch(&self, path: &str, role: &str, mut body: Value) -> Reply {
        body["acting_user_id"] = json!(self.desk.member(role));
        self.server.patch(path).as_org().json(body).send().await
    }

    async fn act(&self, path: &str, role: &str) -> Reply {
        self.post(path, role, json!({})).await
    }

    /// Each has an origin of its own.
    async fn draft(&self) -> String {
        let count = self.get(&format!("{CONNECTIONS}?limit=100")).await["data"].as_array().unwrap().len();
        let mut connection = new_connection("");
        connection["nacha"]["origin"] = json!(format!("123456789{count}"));
        self.post(CONNECTIONS, "admin", connection).await.expect(201).id()
    }

    async fn tested(&self) -> String {
        let id = self.draft().await;
        self.post(&at(&id, "test"), "admin", json!({"evidence": "Accepted."})).await.expect(200);
        id
    }

    async fn approved(&self) -> String {
        let id = self.tested().await;
        self.act(&at(&id, "approve"), "payer").await.expect(200);
        id
    }

    /// Adds an approved originator and an approved account; returns their ids.
    async fn parts(&self, connection: &str) -> (String, String) {
        self.parts_with(connection, "000123456789").await
    }

    async fn parts_with(&self, connection: &str, number: &str) -> (String, String) {
        let originator =
            self.post("/v2/bank/originators", "admin", new_originator("", connection)).await.expect(201).id();
        let account = new_account("", connection, number);
        let account = self.post("/v2/bank/settlement-accounts", "admin", account).await.expect(201).id();
        self.act(&format!("/v2/bank/originators/{originator}/approve"), "payer").await.expect(200);
        self.act(&format!("/v2/bank/settlement-accounts/{account}/approve"), "payer").await.expect(200);
        (originator, account)
    }

    /// Adds a route of ach from this day on.
    async fn route(&self, connection: &str, (originator, account): &(String, String), from_on: &str) -> Reply {
        let body = json!({
            "platform": "ach", "currency": "USD", "from_on": from_on, "bank_connection_id": connection,
            "originator_id": originator, "settlement_account_id": account,
        });
        self.post("/v2/bank/routes", "admin", body).await
    }

    /// Returns the acts on an object: kind, and the state after it.
    async fn acts(&self, subject: &str) -> Vec<String> {
        let acts = self.get("/v2/administrative-acts").await;
        let acts = acts["data"].as_array().unwrap().iter().filter(|act| act["subject"] == subject).cloned();
        acts.map(|act| {
            assert!(act["member_id"].is_string(), "{act}");
            let status = act["after"]["status"].as_str().unwrap_or("-");
            format!("{} {status}", act["act"].as_str().unwrap())
        })
        .collect()
    }
}

fn at(connection: &str, verb: &str) -> String {
    format!("{CONNECTIONS}/{connection}/{verb}")
}

#[tokio::test]
async fn create_bank_connection_get_bank_connection_list_bank_connections_test_bank_connection_approve_bank_connection()
{
    let server = Server::memory().await;
    let bank = Bank::of(&server);
    let new = new_connection("");
    let made = bank.post(CONNECTIONS, "admin", new.clone()).await.expect(201);
    for field in ["name", "transport", "format", "nacha", "calendar", "time_zone", "windows", "limits", "file_name"] {
        assert_eq!(made.body[field], new[field], "{field}");
    }
    let id = made.id();
    assert_eq!((&made.body["status"], &made.body["made_by"]), (&json!("draft"), &json!(bank.desk.member("admin"))));
    assert_eq!(bank.get(&format!("{CONNECTIONS}/{id}")).await, made.body);

    bank.act(&at(&id, "approve"), "payer").await.refused(409, "invalid-state");
    let tested =
        bank.post(&at(&id, "test"), "admin", json!({"evidence": "Accepted by J. Doe."})).await.expect(200).body;
    assert_eq!((&tested["status"], &tested["evidence"]), (&json!("tested"), &json!("Accepted by J. Doe.")));
    let approved = bank.act(&at(&id, "approve"), "payer").await.expect(200).body;
    assert_eq!(
        (&approved["status"], &approved["approved_by"]),
        (&json!("approved"), &json!(bank.desk.member("payer")))
    );
    bank.act(&at(&id, "approve"), "payer").await.refused(409, "invalid-state");
    bank.post(&at(&id, "test"), "admin", json!({"evidence": "Again."})).await.refused(409, "invalid-state");

    let other = bank.draft().await;
    let listed = |query: &str| format!("{CONNECTIONS}?{query}");
    let ids = |page: Value| -> Vec<String> {
        page["data"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(bank.get(&listed("limit=10")).await), [other.clone(), id.clone()]);
    assert_eq!(ids(bank.get(&listed("status=approved")).await), [id.as_str()]);
    assert_eq!(ids(bank.get(&listed("status=draft")).await), [other]);
    let acts = ["bank_connection.created draft", "bank_connection.tested tested", "bank_connection.approved approved"];
    assert_eq!(bank.acts(&id).await, acts);
    server.verify();
}

#[tokio::test]
async fn a_connection_needs_two_persons() {
    let server = Server::memory().await;
    let bank = Bank::of(&server);
    for role in ["payer", "ap_approver", "ap_creator", "viewer"] {
        bank.post(CONNECTIONS, role, new_connection("")).await.refused(403, "not-permitted");
    }
    let id = bank.tested().await;
    let refused = bank.act(&at(&id, "approve"), "admin").await;
    assert_eq!(refused.refused(403, "self-approval").fields(), ["/acting_user_id"]);
    bank.act(&at(&id, "approve"), "ap_approver").await.refused(403, "not-permitted");
    // With their own sessions.
    let (admin, payer) = (server.sign_in("admin").await, server.sign_in("payer").await);
    let by = |session: &str| server.post(&at(&id, "approve")).by(session).json(json!({})).send();
    by(&admin).await.refused(403, "self-approval");
    by(&payer).await.expect(200);
    // No app's key changes the set-up, also with a member's name.
    let named = new_connection(&bank.desk.member("admin"));
    server.post(CONNECTIONS).app_key().json(named).send().await.refused(403, "organization-key-required");
    // Another admin who changes a connection cannot approve it either; the first one can.
    let second = bank.desk.hire("Olga", "admin").await;
    bank.patch(&format!("{CONNECTIONS}/{id}"), &second, json!({"name": "Olga's Bank"})).await.expect(200);
    bank.post(&at(&id, "test"), &second, json!({"evidence": "Accepted."})).await.expect(200);
    bank.act(&at(&id, "approve"), &second).await.refused(403, "self-approval");
    bank.act(&at(&id, "approve"), "admin").await.expect(200);
}

/// Both would begin with the same modifier and the same trace number.
#[tokio::test]
async fn approve_bank_connection_refuses_one_whose_files_the_bank_cannot_distinguish() {
    let server = Server::memory().await;
    let bank = Bank::of(&server);
    let first = bank.approved().await;
    let second = bank.tested().await;
    let mut nacha = new_connection("")["nacha"].clone();
    nacha["origin"] = bank.get(&format!("{CONNECTIONS}/{first}")).await["nacha"]["origin"].clone();
    bank.patch(&format!("{CONNECTIONS}/{second}"), "admin", json!({"nacha": nacha.clone()})).await.expect(200);
    bank.post(&at(&second, "test"), "admin", json!({"evidence": "Accepted."})).await.expect(200);
    let refused = bank.act(&at(&second, "approve"), "payer").await;
    let message = refused.refused(409, "invalid-state").body["message"].as_str().unwrap().to_owned();
    assert!(message.contains(&first) && message.contains("destination and origin"), "{message}");
    // Another origin, as the bank assigned it.
    nacha["origin"] = json!("9876543210");
    bank.patch(&format!("{CONNECTIONS}/{second}"), "admin", json!({"nacha": nacha})).await.expect(200);
    bank.post(&at(&second, "test"), "admin", json!({"evidence": "Accepted."})).await.expect(200);
    bank.act(&at(&second, "approve"), "payer").await.expect(200);
}

#[tokio::test]
async fn update_bank_connection_ends_its_test_and_its_approval() {
    let server = Server::memory().await;
    let bank = Bank::of(&server);
    let id = bank.approved().await;
    let path = format!("{CONNECTIONS}/{id}");
    let before = bank.get(&path).await;
    let same = bank.patch(&path, "admin", json!({"name": "First Bank", "limits": before["limits"]})).await.expect(200);
    assert_eq!(same.body, before, "equal values change nothing");

    let limits = json!({"credit": {"per_entry": 1, "per_file": 2, "per_day": 3}});
    let changed = bank.patch(&path, "admin", json!({"limits": limits})).await.expect(200).body;
    assert_eq!((&changed["status"], &changed["settings_version"]), (&json!("draft"), &json!(2)));
    assert_eq!(changed["limits"]["credit"], limits["credit"]);
    for field in ["tested", "tested_by", "evidence", "approved", "approved_by", "paused"] {
        assert_eq!(changed[field], Value::Null, "{field}");
    }
    bank.act(&at(&id, "approve"), "payer").await.refused(409, "invalid-state");
    bank.act(&at(&id, "pause"), "payer").await.refused(400, "invalid-input");
    let stop = json!({"reason": "The bank called."});
    bank.post(&at(&id, "pause"), "payer", stop).await.refused(409, "invalid-state");
    // A window that is too late for the new time zone.
    let zone = json!({"time_zone": "America/Los_Angeles", "windows": [
        {"name": "a", "days": ["mon"], "submit_by": "13:46", "lead_minutes": 0, "same_day": true},
    ]});
    let refused = bank.patch(&path, "admin", zone).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/windows/0"]);
    assert_eq!(bank.get(&path).await, changed);
}

#[tokio::test]
async fn wrong_settings_name_their_fields() {
    let server = Server::memory().await;
    let bank = Bank::of(&server);
    let (small, large) = (json!({"per_entry": 5, "per_file": 4, "per_day": 3}), json!({"per_entry": 0}));
    let saturday = json!([{"name": "a", "days": ["sat"], "submit_by": "10:00", "lead_minutes": 0, "same_day": false}]);
    let window = &new_connection("")["windows"][0];
    let cases: [(&str, Value, &[&str]); 15] = [
        ("/transport", json!("sftp://bank.example.com"), &["/transport"]),
        ("/format", json!("csv"), &["/format"]),
        ("/nacha/odfi_routing_number", json!("011000016"), &["/nacha/odfi_routing_number"]),
        ("/nacha/destination_name", json!("Sample Bank"), &["/nacha/destination_name"]),
        ("/nacha/origin", json!("12-4567890"), &["/nacha/origin"]),
        ("/nacha/folder", json!("/etc"), &["/nacha/folder"]),
        ("/calendar", json!("federal"), &["/calendar"]),
        ("/time_zone", json!("New York"), &["/time_zone"]),
        ("/windows", json!([]), &["/windows"]),
        ("/windows", json!([window, window]), &["/windows/1/name"]),
        ("/windows", saturday, &["/windows/0"]),
        ("/windows/0/submit_by", json!("16:46"), &["/windows/0"]),
        ("/limits", json!({"credit": null, "debit": null}), &["/limits"]),
        ("/limits/credit", small, &["/limits/credit/per_file", "/limits/credit/per_day"]),
        ("/file_name", json!("../{date}_{modifier}"), &["/file_name"]),
    ];
    for (place, value, fields) in cases {
        let mut body = new_connection("");
        match body.pointer_mut(place) {
            Some(field) => *field = value,
            None => {
                let (parent, name) = place.rsplit_once('/').unwrap();
                body.pointer_mut(parent).unwrap()[name] = value;
            }
        }
        let refused = bank.post(CONNECTIONS, "admin", body).await;
        assert_eq!(refused.refused(400, "invalid-input").fields(), fields, "{place}");
    }
    let mut body = new_connection("");
    body["limits"]["credit"] = large;
    let refused = bank.post(CONNECTIONS, "admin", body).await;
    let fields = ["/limits/credit/per_entry", "/limits/credit/per_file", "/limits/credit/per_day"];
    assert_eq!(refused.refused(400, "invalid-input").fields(), fields);
    assert_eq!(bank.get(CONNECTIONS).await["data"], json!([]));
}

#[tokio::test]
async fn pause_bank_connection_resume_bank_connection_pause_bank_connections() {
    let server = Server::memory().await;
    let bank = Bank::of(&server);
    let (first, second, draft) = (bank.approved().await, bank.approved().await, bank.draft().await);
    let stop = || json!({"reason": "The bank called."});
    let path = at(&first, "pause");
    bank.post(&path, "ap_creator", stop()).await.refused(403, "not-permitted");
    let paused = bank.post(&path, "payer", stop()).await.expect(200).body;
    assert_eq!((&paused["status"], &paused["pause_reason"]), (&json!("paused"), &json!("The bank called.")));
    let again = bank.post(&path, "payer", json!({"reason": "Another one."})).await.expect(200).body;
    assert_eq!(again, paused, "a repetition changes nothing");

    let all = bank.post("/v2/bank/pause", "payer", stop()).await.expect(200).body;
    let stopped: Vec<&Value> = all["data"].as_array().unwrap().iter().map(|connection| &connection["id"]).collect();
    assert_eq!(stopped, [&json!(second)], "one is paused already, and a draft sends nothing");
    assert_eq!(bank.post("/v2/bank/pause", "payer", stop()).await.expect(200).body["data"], json!([]));
    assert_eq!(bank.get(&format!("{CONNECTIONS}/{draft}")).await["status"], "draft");

    bank.act(&at(&first, "resume"), "payer").await.refused(403, "not-permitted");
    let resumed = bank.act(&at(&first, "resume"), "admin").await.expect(200).body;
    assert_eq!((&resumed["status"], &resumed["pause_reason"]), (&json!("approved"), &Value::Null));
    assert_eq!(bank.act(&at(&first, "resume"), "admin").await.expect(200).body, resumed);
    bank.act(&at(&draft, "resume"), "admin").await.refused(409, "invalid-state");
    let acts = bank.acts(&first).await;
    assert_eq!(acts[3..], ["bank_connection.paused paused", "bank_connection.resumed approved"]);
    assert_eq!(bank.acts(&second).await.last().unwrap(), "bank_connection.paused paused");
}

#[tokio::test]
async fn add_originator_list_originators_approve_originator_end_originator() {
    let server = Server::memory().await;
    let bank = Bank::of(&server);
    let connection = bank.draft().await;
    let mut new = new_originator("", &connection);
    new["app_id"] = json!(server.app_id());
    new["discretionary"] = json!("PAYOUTS OF ACME");
    let made = bank.post("/v2/bank/originators", "admin", new.clone()).await.expect(201);
    for field in ["bank_connection_id", "app_id", "company_name", "company_id", "description", "discretionary"] {
        assert_eq!(made.body[field], new[field], "{field}");
    }
    assert_eq!(made.body["entry_classes"], json!(["PPD", "CCD", "WEB", "TEL"]));
    let path = |verb: &str| format!("/v2/bank/originators/{}/{verb}", made.id());
    bank.act(&path("approve"), "admin").await.refused(403, "self-approval");
    bank.act(&path("approve"), "ap_creator").await.refused(403, "not-permitted");
    assert_eq!(bank.act(&path("approve"), "payer").await.expect(200).body["status"], "approved");
    bank.act(&path("approve"), "payer").await.refused(409, "invalid-state");
    let ended = bank.act(&path("end"), "admin").await.expect(200).body;
    assert_eq!(ended["status"], "ended");
    assert_eq!(bank.act(&path("end"), "admin").await.expect(200).body, ended);
    bank.act(&path("approve"), "payer").await.refused(409, "invalid-state");
    assert_eq!(
        bank.acts(&made.id()).await,
        ["originator.added draft", "originator.approved approved", "originator.ended ended"]
    );

    let other = bank.draft().await;
    let second = bank.post("/v2/bank/originators", "admin", new_originator("", &other)).await.expect(201).id();
    let listed = async |query: &str| bank.get(&format!("/v2/bank/originators?{query}")).await["data"].clone();
    assert_eq!(listed(&format!("bank_connection_id={connection}")).await[0]["id"], json!(made.id()));
    assert_eq!(listed("status=draft").await[0]["id"], json!(second));
    for (field, value) in [
        ("company_name", json!("Acme")),
        ("company_name", json!("SEVENTEEN LETTERS")),
        ("company_id", json!("123")),
        ("description", json!("ELEVEN LONG")),
        ("entry_classes", json!([])),
        ("entry_classes", json!(["PPD", "PPD"])),
        ("entry_classes", json!(["IAT"])),
    ] {
        let mut wrong = new_originator("", &connection);
        wrong[field] = value;
        let refused = bank.post("/v2/bank/originators", "admin", wrong).await;
        assert!(refused.refused(400, "invalid-input").fields()[0].starts_with(&format!("/{field}")), "{field}");
    }
    let mut foreign = new_originator("", &connection);
    foreign["app_id"] = json!(connection);
    bank.post("/v2/bank/originators", "admin", foreign).await.refused(404, "not-found");
}

#[tokio::test]
async fn add_settlement_account_list_settlement_accounts_approve_settlement_account_end_settlement_account() {
    let server = Server::memory().await;
    let bank = Bank::of(&server);
    let connection = bank.draft().await;
    let add = |number: &str| bank.post("/v2/bank/settlement-accounts", "admin", new_account("", &connection, number));
    let made = add("000987654321").await.expect(201);
    assert_eq!((&made.body["mask"], &made.body["routing_number"]), (&json!("4321"), &json!("011000015")));
    assert!(!made.text.contains("987654321"), "{}", made.text);
    let acts = server.get("/v2/administrative-acts").as_org().send().await.expect(200);
    assert!(!acts.text.contains("987654321"), "the history has no account number");
    assert_eq!(add("000987654321").await.refused(409, "invalid-state").fields(), ["/account_number"]);
    // Neither is it added to another connection: each of its lines would be booked twice.
    let elsewhere = new_account("", &bank.draft().await, "000987654321");
    let refused = bank.post("/v2/bank/settlement-accounts", "admin", elsewhere).await;
    assert_eq!(refused.refused(409, "invalid-state").fields(), ["/account_number"]);

    let path = |verb: &str| format!("/v2/bank/settlement-accounts/{}/{verb}", made.id());
    bank.act(&path("approve"), "admin").await.refused(403, "self-approval");
    assert_eq!(bank.act(&path("approve"), "payer").await.expect(200).body["status"], "approved");
    assert_eq!(bank.act(&path("end"), "admin").await.expect(200).body["status"], "ended");
    add("000987654321").await.expect(201);
    let listed = bank.get("/v2/bank/settlement-accounts?status=ended").await;
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    for (field, value) in
        [("currency", json!("EUR")), ("routing_number", json!("011000016")), ("booking_grain", json!("week"))]
    {
        let mut wrong = new_account("", &connection, "000111222333");
        wrong[field] = value;
        let refused = bank.post("/v2/bank/settlement-accounts", "admin", wrong).await;
        assert_eq!(refused.refused(400, "invalid-input").fields(), [format!("/{field}")]);
    }
    server.verify();
}

#[tokio::test]
async fn add_rail_route_list_rail_routes_approve_rail_route_end_rail_route() {
    let server = Server::memory().await;
    let bank = Bank::of(&server);
    let connection = bank.approved().await;
    let parts = bank.parts(&connection).await;
    // The clock shows Monday, 2 March 2026, 10:00 in New York.
    let refused = bank.route(&connection, &parts, "2026-03-02").await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/from_on"]);
    let first = bank.route(&connection, &parts, "2026-03-03").await.expect(201).id();
    let refused = bank.route(&connection, &parts, "2026-03-03").await;
    assert_eq!(refused.refused(409, "invalid-state").fields(), ["/from_on"]);
    let path = |id: &str, verb: &str| format!("/v2/bank/routes/{id}/{verb}");
    bank.act(&path(&first, "approve"), "admin").await.refused(403, "self-approval");
    let in_force = async |day: &str| -> Vec<String> {
        let page = bank.get(&format!("/v2/bank/routes?in_force_on={day}")).await;
        page["data"].as_array().unwrap().iter().map(|route| route["id"].as_str().unwrap().to_owned()).collect()
    };
    assert!(in_force("2026-03-03").await.is_empty(), "a draft is not in force");
    assert_eq!(bank.act(&path(&first, "approve"), "payer").await.expect(200).body["status"], "approved");
    assert_eq!((in_force("2026-03-02").await, in_force("2026-03-03").await), (vec![], vec![first.clone()]));

    let later = bank.route(&connection, &parts, "2026-03-09").await.expect(201).id();
    // A route that was not approved in time does not begin.
    server.advance(7 * 86_400);
    bank.act(&path(&later, "approve"), "payer").await.refused(400, "invalid-input");
    bank.act(&path(&later, "end"), "admin").await.expect(200);
    let next = bank.route(&connection, &parts, "2026-03-10").await.expect(201).id();
    bank.act(&path(&next, "approve"), "payer").await.expect(200);
    assert_eq!((in_force("2026-03-09").await, in_force("2026-03-10").await), (vec![first.clone()], vec![next.clone()]));
    let ended = bank.act(&path(&next, "end"), "admin").await.expect(200).body;
    assert_eq!(bank.act(&path(&next, "end"), "admin").await.expect(200).body, ended);
    assert!(in_force("2026-03-10").await.is_empty(), "the route before it does not come back");
    assert_eq!(
        bank.acts(&next).await,
        ["rail_route.added draft", "rail_route.approved approved", "rail_route.ended ended"]
    );
}

#[tokio::test]
async fn a_route_has_approved_parts_of_one_connection() {
    let server = Server::memory().await;
    let bank = Bank::of(&server);
    let (connection, other) = (bank.approved().await, bank.approved().await);
    let (parts, foreign) = (bank.parts(&connection).await, bank.parts_with(&other, "000987654321").await);
    let mixed = (parts.0.clone(), foreign.1.clone());
    bank.route(&connection, &mixed, "2026-03-03").await.refused(404, "not-found");
    bank.route(&connection, &(foreign.0, parts.1.clone()), "2026-03-03").await.refused(404, "not-found");
    let mut wire = json!({
        "platform": "wire", "currency": "USD", "from_on": "2026-03-03", "bank_connection_id": connection,
        "originator_id": parts.0, "settlement_account_id": parts.1,
    });
    let refused = bank.post("/v2/bank/routes", "admin", wire.clone()).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/platform"]);
    wire["currency"] = json!("EUR");
    let refused = bank.post("/v2/bank/routes", "admin", wire).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/currency"]);

    let route = bank.route(&connection, &parts, "2026-03-03").await.expect(201).id();
    let approve = format!("/v2/bank/routes/{route}/approve");
    bank.patch(&format!("{CONNECTIONS}/{connection}"), "admin", json!({"name": "Changed"})).await.expect(200);
    let refused = bank.act(&approve, "payer").await;
    let message = refused.refused(409, "invalid-state").body["message"].as_str().unwrap().to_owned();
    assert!(message.contains("bank connection is draft"), "{message}");
    bank.post(&at(&connection, "test"), "admin", json!({"evidence": "Accepted."})).await.expect(200);
    bank.act(&at(&connection, "approve"), "payer").await.expect(200);
    bank.act(&format!("/v2/bank/settlement-accounts/{}/end", parts.1), "admin").await.expect(200);
    let refused = bank.act(&approve, "payer").await;
    let message = refused.refused(409, "invalid-state").body["message"].as_str().unwrap().to_owned();
    assert!(message.contains("settlement account is ended"), "{message}");
}

#[tokio::test]
async fn get_bank_calendar_shows_the_days_with_their_windows() {
    let server = Server::memory().await;
    let bank = Bank::of(&server);
    let connection = bank.draft().await;
    let calendar =
        |from: &str, to: &str| format!("/v2/bank/calendar?bank_connection_id={connection}&from={from}&to={to}");
    let shown = bank.get(&calendar("2026-11-25", "2026-11-27")).await;
    assert_eq!((&shown["calendar"], &shown["time_zone"]), (&json!("fed"), &json!("America/New_York")));
    let days = shown["data"].as_array().unwrap();
    let open: Vec<(&Value, &Value)> = days.iter().map(|day| (&day["date"], &day["open"])).collect();
    let (yes, no) = (json!(true), json!(false));
    assert_eq!(open, [(&json!("2026-11-25"), &yes), (&json!("2026-11-26"), &no), (&json!("2026-11-27"), &yes)]);
    assert_eq!(days[1]["windows"], json!([]), "Thanksgiving");
    let evening = json!({
        "window": "evening", "cutoff": "2026-11-25T22:30:00.000000Z", "submit_by": "2026-11-25T23:00:00.000000Z",
        "effective": "2026-11-27", "settles": "2026-11-27T13:30:00.000000Z", "same_day": false,
    });
    assert_eq!(days[0]["windows"][1], evening);
    assert_eq!(days[0]["windows"][0]["same_day"], true);
    let year = bank.get(&calendar("2026-01-01", "2026-12-31")).await;
    let closed = year["data"].as_array().unwrap().iter().filter(|day| day["open"] == false).count();
    assert_eq!(closed, 104 + 10, "the weekends, and ten holidays on a weekday");
    for (from, to) in [("2026-11-25", "2026-11-24"), ("2026-01-01", "2027-01-03")] {
        let refused = server.get(&calendar(from, to)).as_org().send().await;
        assert_eq!(refused.refused(400, "invalid-input").fields(), ["to"]);
    }
    let wrong = server.get(&calendar("tomorrow", "2026-13-01")).as_org().send().await;
    assert_eq!(wrong.refused(400, "invalid-input").fields(), ["from", "to"]);
}

#[tokio::test]
async fn download_bank_test_file_is_a_file_that_our_check_accepts() {
    let server = Server::memory().await;
    let bank = Bank::of(&server);
    let connection = bank.draft().await;
    let (originator, account) = bank.parts(&connection).await;
    let download = |originator: &str, account: &str| {
        let query = format!("originator_id={originator}&settlement_account_id={account}");
        server.get(&format!("{}?{query}", at(&connection, "test-file")))
    };
    let file = download(&originator, &account).as_org().send().await.expect(200);
    assert_eq!(file.header("content-disposition"), Some("attachment; filename=\"ACME_20260302_A.ach\""));
    let found = inspect(file.text.as_bytes(), Profile::Strict).expect("it is a known format");
    assert!(found.findings.is_empty(), "{:?}", found.findings.in_order());
    let lines: Vec<&str> = file.text.lines().collect();
    // The file header, the batch header with tomorrow's date, and a prenote to the account.
    assert_eq!(&lines[0][..40], "101 01100001512345678902603021000A094101");
    assert_eq!((&lines[1][50..53], &lines[1][69..75]), ("PPD", "260303"));
    assert_eq!(&lines[2][..39], "623011000015000123456789     0000000000");
    let payer = server.sign_in("payer").await;
    download(&originator, &account).by(&payer).send().await.refused(403, "not-permitted");
    download(&originator, &connection).as_org().send().await.refused(404, "not-found");

    // Lines that end as the bank wants them, and debits on request.
    let path = format!("{CONNECTIONS}/{connection}");
    let mut nacha = new_connection("")["nacha"].clone();
    nacha["line_ending"] = json!("crlf");
    bank.patch(&path, "admin", json!({"nacha": nacha})).await.expect(200);
    let mut web = new_originator("", &connection);
    web["entry_classes"] = json!(["WEB"]);
    let web = bank.post("/v2/bank/originators", "admin", web).await.expect(201).id();
    let file = download(&web, &account).as_org().send().await.expect(200);
    assert!(file.text.lines().all(|line| line.len() == 94) && file.text.matches("\r\n").count() == 10);
    let found = inspect(file.text.as_bytes(), Profile::Strict).unwrap();
    assert!(found.findings.is_empty(), "{:?}", found.findings.in_order());
    assert_eq!(file.text.lines().nth(2).map(|line| (&line[1..3], &line[76..78])), Some(("28", "S ")));
}

/// Payouts over a route in force are in `bank_files_sent.rs`.
#[tokio::test]
async fn payouts_stay_simulated_until_a_route_begins() {
    let server = Server::memory().await;
    let bank = Bank::of(&server);
    let user = server.banked_user(4101).await;
    let connection = bank.approved().await;
    let parts = bank.parts(&connection).await;
    let route = bank.route(&connection, &parts, "2026-06-01").await.expect(201).id();
    bank.act(&format!("/v2/bank/routes/{route}/approve"), "payer").await.expect(200);
    server.pass(86_400).await;
    let body = json!({"user_id": user, "amount": 500, "platform": "ach", "fund": true});
    let payout = server.post("/v2/payouts").app_key().json(body).send().await.expect(201).id();
    server.work_off().await;
    server.pass(5 * 86_400).await;
    let transfer = server.get(&format!("/v2/transfers/{payout}")).app_key().send().await.expect(200).body;
    assert_eq!(transfer["status"], "completed");
    server.verify();
}

#[tokio::test]
async fn an_approval_by_the_maker_is_found() {
    let server = Server::failing().await;
    let bank = Bank::of(&server);
    let connection = bank.approved().await;
    let parts = bank.parts(&connection).await;
    let route = bank.route(&connection, &parts, "2026-03-03").await.expect(201).id();
    bank.act(&format!("/v2/bank/routes/{route}/approve"), "payer").await.expect(200);
    server.verify();
    let found = || {
        let bursar = server.bursar();
        let report = bursar::verify::verify(&bursar.reads).expect("the store can be read");
        report.findings.into_iter().map(|finding| (finding.invariant, finding.place)).collect::<Vec<_>>()
    };
    for table in [BankConnection::TABLE, Originator::TABLE, SettlementAccount::TABLE, RailRoute::TABLE] {
        let row = server.rows(table).pop().unwrap();
        let place = |name: &str| table.position(name).unwrap();
        let mut forged = row.clone();
        forged[place("approved_by")] = row[place("made_by")].clone();
        server.tamper(table, Table::index_values(table.key(), &row), Some(forged));
        assert!(matches!(found().as_slice(), [(35, _)]), "{}: {:?}", table.name, found());
        server.tamper(table, Table::index_values(table.key(), &row), Some(row));
    }
    server.verify();
}
