//! Payout requests: their submission, visibility, and decision.

use futures::future::join_all;
use serde_json::{Value, json};

use bursar::payout_requests::{PayoutRequest, RequestStatus};
use bursar::world::{Record, Table};

use crate::harness::{Reply, Server};

const REQUESTS: &str = "/v2/payout-requests";
const PHONE: &str = "+12127361234";
const NO_ORGANIZATION: &str = "0195cf3a-0000-7000-8000-000000000000";

fn by_phone(amount: i64) -> Value {
    json!({"amount": amount, "payee": {"country_code": "1", "phone_number": "2127361234"}})
}

async fn submit(server: &Server, body: Value) -> Reply {
    server.post(REQUESTS).app_key().json(body).send().await
}

async fn decide(server: &Server, id: &str, decision: &str) -> Reply {
    server.post(&format!("{REQUESTS}/{id}/{decision}")).app_key().send().await
}

async fn get(server: &Server, id: &str) -> Value {
    server.get(&format!("{REQUESTS}/{id}")).app_key().send().await.expect(200).body
}

async fn links(server: &Server) -> Vec<Value> {
    let listed = server.get("/v2/payout-links?limit=100").app_key().send().await.expect(200).body;
    listed["data"].as_array().unwrap().clone()
}

async fn listed(server: &Server, query: &str) -> Vec<String> {
    let list = server.get(&format!("{REQUESTS}?{query}")).app_key().send().await.expect(200).body;
    list["data"].as_array().unwrap().iter().map(|request| request["id"].as_str().unwrap().to_owned()).collect()
}

async fn jane(server: &Server) -> String {
    let body = json!({
        "first_name": "Jane", "last_name": "Doe", "email": "Jane@example.com",
        "country_code": "1", "phone_number": "2127361234"
    });
    server.post("/v2/users").app_key().json(body).send().await.expect(201).id()
}

#[tokio::test]
async fn submit_payout_request_shows_every_field() {
    let server = Server::memory().await;
    let mut body = by_phone(195);
    body["memo"] = json!("Invoice 17");
    body["metadata"] = json!({"order": 17});
    let request = submit(&server, body).await.expect(201).body;
    let mut fields: Vec<&str> = request.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    // docs/specification.md, Payout request: all fields; comment is ours.
    let documented =
        ["amount", "comment", "created", "id", "memo", "metadata", "payee", "payout_link", "status", "user"];
    assert_eq!(fields, documented);
    let expected = [
        ("amount", json!(195)),
        ("status", json!("created")),
        ("payee", json!({"country_code": "1", "phone_number": "2127361234"})),
        ("payout_link", Value::Null),
        ("user", Value::Null),
        ("memo", json!("Invoice 17")),
        ("metadata", json!("{\"order\":17}")),
        ("comment", Value::Null),
    ];
    for (field, value) in expected {
        assert_eq!(request[field], value, "{field}");
    }
    assert!(links(&server).await.is_empty(), "a request moves nothing");
}

#[tokio::test]
async fn submit_payout_request_names_every_field_that_is_wrong() {
    let server = Server::memory().await;
    for amount in ["0", "-1", "195.5", "\"195\"", "10000000000", "null", "[]"] {
        let body = format!("{{\"amount\":{amount},\"user_id\":\"{NO_ORGANIZATION}\"}}");
        let reply = server.post(REQUESTS).app_key().raw("application/json", body).send().await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), ["/amount"], "{amount}");
    }
    let wrong = json!({"payee": 5, "memo": "x".repeat(501), "metadata": [], "user_id": "7", "amout": 5});
    let reply = submit(&server, wrong).await;
    let mut fields = reply.refused(400, "invalid-input").fields();
    fields.sort_unstable();
    assert_eq!(fields, ["/amount", "/amout", "/memo", "/metadata", "/payee", "/user_id"]);
    let unknown_id = submit(&server, json!({"amount": 5})).await;
    assert_eq!(unknown_id.refused(400, "invalid-input").fields(), ["/payee"]);
    let mut both = by_phone(5);
    both["user_id"] = json!(NO_ORGANIZATION);
    assert_eq!(submit(&server, both).await.refused(400, "invalid-input").fields(), ["/payee"]);
    for (payee, code, field) in [
        (json!({"country_code": "1", "phone_number": "123"}), "invalid-phone-number", "/payee/phone_number"),
        (json!({"country_code": "1"}), "invalid-input", "/payee/phone_number"),
        (json!({"phone_number": "2127361234"}), "invalid-input", "/payee/country_code"),
    ] {
        let reply = submit(&server, json!({"amount": 5, "payee": payee})).await;
        assert_eq!(reply.refused(400, code).fields(), [field]);
    }
    submit(&server, json!({"amount": 5, "user_id": NO_ORGANIZATION})).await.refused(404, "not-found");
    assert!(listed(&server, "").await.is_empty());
}

#[tokio::test]
async fn submit_payout_request_under_a_key_submits_once() {
    let server = Server::memory().await;
    let send = |amount| server.post(REQUESTS).app_key().idempotency_key("one").json(by_phone(amount)).send();
    let first = send(5).await.expect(201);
    let again = send(5).await.expect(201);
    assert_eq!((again.text, again.headers.iter().any(|(name, _)| name == "idempotent-replayed")), (first.text, true));
    send(6).await.refused(409, "idempotency-key-reused");
    assert_eq!(listed(&server, "").await.len(), 1);
}

#[tokio::test]
async fn a_client_id_alone_submits_and_is_shown_nothing_of_a_user() {
    let server = Server::memory().await;
    let user = jane(&server).await;
    let unknown = json!({"amount": 5, "payee": {"country_code": "1", "phone_number": "2025550123"}});
    let to_unknown = server.post(REQUESTS).client_side().json(unknown).send().await.expect(201).body;
    let to_jane = server.post(REQUESTS).client_side().json(by_phone(5)).send().await.expect(201).body;
    for field in ["user", "payout_link", "status", "comment"] {
        assert_eq!(to_unknown[field], to_jane[field], "{field} tells whether the phone is a user's");
    }
    assert_eq!(to_jane["payee"]["phone_number"], "2127361234", "what was sent");

    let by_id =
        server.post(REQUESTS).client_side().json(json!({"amount": 5, "user_id": user})).send().await.expect(201);
    assert_eq!(by_id.body["payee"], json!({"country_code": null, "phone_number": null}), "that phone is not theirs");
    for known in ["Jane", "Doe", "example.com", "2127361234"] {
        assert!(!by_id.text.contains(known), "{known} in {}", by_id.text);
    }
    // The server side sees all fields.
    let shown = get(&server, by_id.body["id"].as_str().unwrap()).await;
    assert_eq!((&shown["user"]["id"], &shown["payee"]["phone_number"]), (&json!(user), &json!("2127361234")));

    // The response does not show the user's status: a deleted user can still be named.
    server.delete(&format!("/v2/users/{user}")).app_key().send().await.expect(200);
    server.post(REQUESTS).client_side().json(json!({"amount": 5, "user_id": user})).send().await.expect(201);
    for (method, path) in [
        ("GET", REQUESTS.to_owned()),
        ("GET", format!("{REQUESTS}/{}", by_id.id())),
        ("POST", format!("{REQUESTS}/{}/approve", by_id.id())),
        ("POST", format!("{REQUESTS}/{}/reject", by_id.id())),
    ] {
        server.ask(method, &path).client_side().send().await.refused(403, "secret-key-required");
    }
}

/// A caller with only a client id, which is public, cannot find out which ids are users.
#[tokio::test]
async fn a_client_id_alone_does_not_learn_whether_an_id_is_a_users() {
    let server = Server::memory().await;
    let user = jane(&server).await;
    let unknown_id = "019a0000-0000-7000-8000-000000000000";
    let asked = async |id: &str| {
        let body = json!({"amount": 5, "user_id": id});
        server.post(REQUESTS).client_side().json(body).send().await.expect(201)
    };
    let (of_jane, of_nobody) = (asked(&user).await, asked(unknown_id).await);
    for (field, value) in of_jane.body.as_object().unwrap() {
        if field != "id" && field != "created" {
            assert_eq!(of_nobody.body[field], *value, "{field}");
        }
    }
    // The server side sees the true state, and can never approve it.
    let shown = get(&server, &of_nobody.id()).await;
    assert_eq!((&shown["user"], &shown["status"]), (&Value::Null, &json!("created")));
    let approve = server.post(&format!("{REQUESTS}/{}/approve", of_nobody.id())).app_key();
    approve.send().await.refused(404, "not-found");
    let own = json!({"amount": 5, "user_id": unknown_id});
    server.post(REQUESTS).app_key().json(own).send().await.refused(404, "not-found");
    let reject = server.post(&format!("{REQUESTS}/{}/reject", of_nobody.id())).app_key();
    assert_eq!(reject.send().await.expect(200).body["status"], "rejected");
}

#[tokio::test]
async fn a_client_id_alone_has_idempotency_keys_of_its_own() {
    let server = Server::memory().await;
    jane(&server).await;
    let shown = server.post(REQUESTS).app_key().idempotency_key("one").json(by_phone(5)).send().await.expect(201);
    assert_eq!(shown.body["user"]["first_name"], "Jane");
    // The same request with the same key, by a caller who must not see that response.
    let public = server.post(REQUESTS).client_side().idempotency_key("one").json(by_phone(5)).send().await.expect(201);
    assert_eq!(public.body["user"], Value::Null);
    assert_ne!(public.id(), shown.id());
    let again = server.post(REQUESTS).client_side().idempotency_key("one").json(by_phone(5)).send().await.expect(201);
    assert_eq!(again.text, public.text);
}

#[tokio::test]
async fn list_payout_requests_filters_and_pages() {
    let server = Server::memory().await;
    let user = jane(&server).await;
    let by_user = submit(&server, json!({"amount": 1, "user_id": user})).await.expect(201).id();
    let by_phone = submit(&server, by_phone(2)).await.expect(201).id();
    let payee = json!({"country_code": "1", "phone_number": "2025550123"});
    let other = submit(&server, json!({"amount": 3, "payee": payee})).await.expect(201).id();
    decide(&server, &other, "reject").await.expect(200);
    let all = [other.as_str(), by_phone.as_str(), by_user.as_str()];
    for (query, expected) in [
        ("", all.as_slice()),
        ("phone_number=%2B12127361234", &all[1..]),
        ("phone_number=12025550123", &all[..1]),
        ("email=jane@EXAMPLE.com", &all[1..]),
        (&format!("user_id={user}"), &all[1..]),
        ("status=rejected", &all[..1]),
        ("status=approved", &[]),
        ("limit=1", &all[..1]),
        (&format!("limit=1&starting_after={other}"), &all[1..2]),
        (&format!("limit=1&ending_before={by_user}"), &all[1..2]),
        ("created_after=2026-03-02T15:00:00Z", &all),
        ("created_before=2026-03-02T15:00:00Z", &[]),
    ] {
        assert_eq!(listed(&server, query).await, expected, "{query}");
    }
    for query in ["status=paid", "user_id=7", "phone_number=7", "email=nobody", "limit=0", "limit=101", "colour=red"] {
        let reply = server.get(&format!("{REQUESTS}?{query}")).app_key().send().await;
        assert_eq!(reply.status, 400, "{query}");
    }
}

#[tokio::test]
async fn list_payout_requests_shows_a_hundred_users_and_links() {
    let server = Server::memory().await;
    server.set(json!({"delivery_limits": {"per_recipient_per_day": 100}})).await;
    let user = jane(&server).await;
    for _ in 0..100 {
        let id = submit(&server, json!({"amount": 1, "user_id": user})).await.expect(201).id();
        decide(&server, &id, "approve").await.expect(200);
    }
    let list = server.get(&format!("{REQUESTS}?limit=100")).app_key().send().await.expect(200).body;
    let data = list["data"].as_array().unwrap();
    assert_eq!(data.len(), 100);
    assert!(data.iter().all(|request| request["payout_link"]["amount"] == 1 && request["user"]["id"] == user));
}

#[tokio::test]
async fn get_payout_request_of_no_other_app() {
    let server = Server::memory().await;
    let id = submit(&server, by_phone(5)).await.expect(201).id();
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Another"})).send().await.expect(201).id();
    for path in [format!("{REQUESTS}/{id}"), format!("{REQUESTS}/{NO_ORGANIZATION}"), format!("{REQUESTS}/7")] {
        server.get(&path).as_org().for_app(&other).send().await.refused(404, "not-found");
    }
    for decision in ["approve", "reject"] {
        let path = format!("{REQUESTS}/{id}/{decision}");
        server.post(&path).as_org().for_app(&other).send().await.refused(404, "not-found");
    }
    assert_eq!(get(&server, &id).await["status"], "created");
}

#[tokio::test]
async fn approve_payout_request_sends_the_person_a_link() {
    let server = Server::memory().await;
    let mut body = by_phone(2_500);
    body["memo"] = json!("Invoice 17");
    body["metadata"] = json!("m");
    let id = submit(&server, body).await.expect(201).id();
    let approved = decide(&server, &id, "approve").await.expect(200).body;
    let link = &approved["payout_link"];
    assert_eq!(approved["status"], "approved");
    assert_eq!((&link["amount"], &link["memo"], &link["metadata"]), (&json!(2_500), &json!("Invoice 17"), &json!("m")));
    assert_eq!(link["delivery"]["method"], "sms");
    let message = server.newest_message(PHONE).await;
    assert_eq!(message["link"], link["link"], "the person is sent the link");

    // Repeating the decision changes nothing; the opposite decision is too late.
    let again = decide(&server, &id, "approve").await.expect(200).body;
    assert_eq!(again["payout_link"]["id"], link["id"]);
    decide(&server, &id, "reject").await.refused(409, "invalid-state");
    assert_eq!(links(&server).await.len(), 1);
    // The link in the request shows the current state of the link.
    assert_eq!(get(&server, &id).await["payout_link"]["status"], "delivered");
}

#[tokio::test]
async fn approve_payout_request_without_funds_leaves_it_as_it_was() {
    let server = Server::memory().await;
    let all_of_it = 100_000_000;
    let id = submit(&server, by_phone(all_of_it)).await.expect(201).id();
    let cent = json!({"amount": 1, "delivery": {"method": "link"}});
    let cent = server.post("/v2/payout-links").app_key().json(cent).send().await.expect(201).id();
    decide(&server, &id, "approve").await.refused(402, "transaction-insufficient-funds");
    let request = get(&server, &id).await;
    assert_eq!((&request["status"], &request["payout_link"]), (&json!("created"), &Value::Null));
    let events = server.get("/v2/events?limit=100").app_key().send().await.expect(200).body;
    let names: Vec<&Value> = events["data"].as_array().unwrap().iter().map(|event| &event["name"]).collect();
    assert_eq!(names.iter().filter(|name| **name == "payout_request.updated").count(), 1, "{names:?}");

    // Once the last cent is back, the same request can be approved.
    server.delete(&format!("/v2/payout-links/{cent}")).app_key().send().await.expect(200);
    assert_eq!(decide(&server, &id, "approve").await.expect(200).body["payout_link"]["amount"], all_of_it);
}

#[tokio::test]
async fn approve_payout_request_of_a_deleted_user_is_refused() {
    let server = Server::memory().await;
    let user = jane(&server).await;
    let id = submit(&server, json!({"amount": 5, "user_id": user})).await.expect(201).id();
    server.delete(&format!("/v2/users/{user}")).app_key().send().await.expect(200);
    decide(&server, &id, "approve").await.refused(409, "user-inactive");
    assert_eq!(get(&server, &id).await["status"], "created");
    // A new one is refused at once, with the secret key: a client id alone must not reveal who was deleted.
    submit(&server, json!({"amount": 5, "user_id": user})).await.refused(409, "user-inactive");
}

/// The phone of the request was erased with the payee: a link without it could be claimed by any holder.
#[tokio::test]
async fn approve_payout_request_by_a_phone_whose_owner_was_deleted_is_refused() {
    let server = Server::memory().await;
    let user = jane(&server).await;
    let id = submit(&server, by_phone(1_000)).await.expect(201).id();
    server.delete(&format!("/v2/users/{user}")).app_key().send().await.expect(200);
    let refused = decide(&server, &id, "approve").await;
    assert!(refused.refused(409, "user-inactive").text.contains("Reject"), "{}", refused.text);
    assert_eq!((links(&server).await.len(), server.balance("app_held").await), (0, 0));
    assert_eq!(decide(&server, &id, "reject").await.expect(200).body["status"], "rejected");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_approvals_at_once_make_one_link() {
    let server = Server::start().await;
    let id = submit(&server, by_phone(1_000)).await.expect(201).id();
    let path = format!("{REQUESTS}/{id}/approve");
    let keys: Vec<String> = (0..25).map(|number| format!("key {number}")).collect();
    // Half of them with separate keys, half without: the request is approved once.
    let with_keys = keys.iter().map(|key| server.post(&path).app_key().idempotency_key(key).send());
    let without = (0..25).map(|_| server.post(&path).app_key().send());
    let replies = join_all(with_keys.chain(without)).await;
    let made: std::collections::HashSet<String> = replies
        .iter()
        .map(|reply| {
            assert_eq!(reply.status, 200, "{}", reply.text);
            reply.body["payout_link"]["id"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!((made.len(), links(&server).await.len()), (1, 1));
    server.work_off().await;
    let inbox = server.get("/v2/sandbox/messages?limit=100").app_key().send().await.expect(200).body;
    assert_eq!(inbox["data"].as_array().unwrap().len(), 1, "the person hears of it once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn approvals_and_rejections_at_once_leave_one_decision() {
    let server = Server::start().await;
    let id = submit(&server, by_phone(1_000)).await.expect(201).id();
    let decisions = ["approve", "reject"].repeat(20);
    let replies = join_all(decisions.iter().map(|decision| decide(&server, &id, decision))).await;
    let request = get(&server, &id).await;
    let winner = if request["status"] == "approved" { "approve" } else { "reject" };
    for (decision, reply) in decisions.iter().zip(&replies) {
        if *decision == winner {
            assert_eq!(reply.status, 200, "{}", reply.text);
        } else {
            reply.refused(409, "invalid-state");
        }
    }
    assert_eq!(links(&server).await.len(), usize::from(winner == "approve"));
}

#[tokio::test]
async fn reject_payout_request_is_final() {
    let server = Server::memory().await;
    let id = submit(&server, by_phone(5)).await.expect(201).id();
    let path = format!("{REQUESTS}/{id}/reject");
    let reject = |body: Value| server.post(&path).app_key().json(body).send();
    reject(json!({"comment": ""})).await.refused(400, "invalid-input");
    reject(json!({"coment": "no"})).await.refused(400, "invalid-input");
    let rejected = reject(json!({"comment": "paid before"})).await.expect(200).body;
    assert_eq!((&rejected["status"], &rejected["comment"]), (&json!("rejected"), &json!("paid before")));
    let again = reject(json!({"comment": "another reason"})).await.expect(200).body;
    assert_eq!(again["comment"], "paid before", "a decision is made once");
    decide(&server, &id, "approve").await.refused(409, "invalid-state");
    assert!(links(&server).await.is_empty());
}

#[tokio::test]
async fn each_move_of_a_payout_request_is_one_event_without_secrets() {
    let server = Server::memory().await;
    let (one, two) =
        (submit(&server, by_phone(5)).await.expect(201).id(), submit(&server, by_phone(6)).await.expect(201).id());
    for _ in 0..2 {
        decide(&server, &one, "approve").await.expect(200);
        decide(&server, &two, "reject").await.expect(200);
    }
    let events = server.get("/v2/events?limit=100").app_key().send().await.expect(200).body;
    let reported: Vec<(&str, &str, i64)> = events["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["name"] == "payout_request.updated")
        .map(|event| {
            assert_eq!(event["object"]["payout_link"]["link"], Value::Null, "a link's address is a secret");
            let object = &event["object"];
            (object["id"].as_str().unwrap(), object["status"].as_str().unwrap(), event["version"].as_i64().unwrap())
        })
        .collect();
    let expected = [
        (one.as_str(), "created", 1),
        (two.as_str(), "created", 1),
        (one.as_str(), "approved", 2),
        (two.as_str(), "rejected", 2),
    ];
    assert_eq!(reported, expected);
}

/// The negative control of invariant 13: each of these rows contradicts itself.
#[tokio::test]
async fn verify_finds_a_request_that_did_not_make_its_one_link() {
    // The schemas of the other stores refuse most of these rows.
    let server = Server::failing().await;
    let approved = submit(&server, by_phone(5)).await.expect(201).id();
    decide(&server, &approved, "approve").await.expect(200);
    submit(&server, by_phone(6)).await.expect(201);
    let broken = || -> Vec<u8> {
        let report = bursar::verify::verify(&server.bursar().reads).unwrap();
        assert_eq!(report.payout_requests, 2);
        report.findings.iter().map(|finding| finding.invariant).collect()
    };
    assert_eq!(broken(), [0; 0]);

    let rows = server.rows(PayoutRequest::TABLE);
    let requests: Vec<PayoutRequest> = rows
        .iter()
        .map(|row| PayoutRequest::clone(&(PayoutRequest::TABLE.decode)(row).unwrap().downcast().unwrap()))
        .collect();
    let [first, second] = requests.as_slice() else { panic!("two were submitted") };
    let link = first.payout_link;
    let tampered = [
        PayoutRequest { payout_link: None, ..first.clone() },
        PayoutRequest { payout_link: Some(uuid::Uuid::nil().into()), ..first.clone() },
        PayoutRequest { amount: second.amount, ..first.clone() },
        PayoutRequest { payout_link: link, ..second.clone() },
        PayoutRequest { payout_link: link, status: RequestStatus::Approved, amount: first.amount, ..second.clone() },
    ];
    for request in tampered {
        for sound in [first, second] {
            put(&server, sound);
        }
        put(&server, &request);
        assert_eq!(broken(), [13], "{request:?}");
    }
}

fn put(server: &Server, request: &PayoutRequest) {
    let row = request.values();
    let key = Table::index_values(PayoutRequest::TABLE.key(), &row);
    server.tamper(PayoutRequest::TABLE, key, Some(row));
}

fn by_number(number: u32) -> Value {
    json!({"amount": 5, "payee": {"country_code": "1", "phone_number": format!("212736{number:04}")}})
}

#[tokio::test]
async fn a_client_id_alone_stores_little_and_decided_requests_make_room() {
    let server = Server::memory().await;
    for (extra, field) in [(json!({"metadata": "m"}), "/metadata"), (json!({"memo": "m".repeat(201)}), "/memo")] {
        let mut body = by_phone(5);
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let refused = server.post(REQUESTS).client_side().json(body.clone()).send().await;
        assert_eq!(refused.refused(400, "invalid-input").fields(), [field]);
        submit(&server, body).await.expect(201);
    }
    let public = async |body: Value| server.post(REQUESTS).client_side().json(body).send().await;
    let mut ids = Vec::new();
    for _ in 0..10 {
        ids.push(public(by_phone(5)).await.expect(201).id());
    }
    public(by_phone(5)).await.refused(409, "limit-exceeded");
    submit(&server, by_phone(5)).await.expect(201);
    public(by_number(1000)).await.expect(201);
    decide(&server, &ids[0], "reject").await.expect(200);
    public(by_phone(5)).await.expect(201);
    public(by_phone(5)).await.refused(409, "limit-exceeded");
    // 11 of the app's 1,000 are undecided now.
    for place in 0..989 {
        public(by_number(2000 + place / 10)).await.expect(201);
    }
    public(by_number(3000)).await.refused(409, "limit-exceeded");
    submit(&server, by_number(3000)).await.expect(201);
    decide(&server, &ids[1], "approve").await.expect(200);
    decide(&server, &ids[1], "approve").await.expect(200);
    public(by_number(3000)).await.expect(201);
    public(by_number(3001)).await.refused(409, "limit-exceeded");
}
