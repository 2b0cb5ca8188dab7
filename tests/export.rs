//! The export of a payee: all stored data, nothing of another app, no secret, and after the erasure nothing personal.

use std::collections::BTreeSet;

use bursar::tables;
use serde_json::{Value, json};

use crate::harness::{Asking, Server};

const PHONE: &str = "2127369876";
const EMAIL: &str = "zebulona@quagmire.example";
const FIRST: &str = "Zebulona";
const MEMO: &str = "violet umbrella";
const ACCOUNT: &str = "55509876";
const TAX_ID: &str = "123456789";

/// The lists of an export that a payee of [`known`] has.
const LISTS: [&str; 15] = [
    "profiles",
    "payout_methods",
    "compliance_decisions",
    "payout_links",
    "payout_links_by_phone",
    "payout_links_by_email",
    "transfers",
    "payout_requests",
    "payout_requests_by_phone",
    "notices",
    "messages_by_phone",
    "messages_by_email",
    "events",
    "phone_verification_events",
    "email_verification_events",
];

fn phone() -> Value {
    json!({"country_code": "1", "phone_number": PHONE})
}

async fn post(server: &Server, path: &str, body: Value) -> Value {
    let sent = server.post(path).app_key().json(body).send().await;
    assert!((200..300).contains(&sent.status), "{path}: {}", sent.text);
    sent.body
}

/// Creates a payee with all kinds of data; returns the id.
async fn known(server: &Server) -> String {
    let mut person = phone();
    person
        .as_object_mut()
        .unwrap()
        .extend(json!({"first_name": FIRST, "last_name": "Quagmirez", "email": EMAIL}).as_object().unwrap().clone());
    let user = post(server, "/v2/users", person).await["id"].as_str().unwrap().to_owned();
    let path = format!("/v2/users/{user}");
    server.post(&format!("{path}/send-verification-token")).app_key().send().await.expect(202);
    let code = server.newest_code(&format!("+1{PHONE}")).await;
    post(server, &format!("{path}/verify"), json!({"token": code})).await;
    let form = json!({"w9": {
        "entity_type": "individual", "tax_id_type": "ssn", "name": "Zebulona Quagmirez", "tax_id": TAX_ID,
        "line_1": "7 Quagmire Lane", "city": "New York", "state": "NY", "postcode": "10001", "certified": true,
    }});
    server.put(&format!("{path}/compliance")).app_key().json(form).send().await.expect(200);
    let account = |number: &str| json!({"platform": "ach", "routing_number": "110000000", "account_number": number});
    server.payout_method(&user, account(ACCOUNT)).await;
    let mut second = account("55509877");
    second["is_default"] = json!(true);
    server.payout_method(&user, second).await;
    let members = server.credentials()["members"].clone();
    let admin = members.as_array().unwrap().iter().find(|member| member["role"] == "admin").unwrap()["id"].clone();
    let seen = json!({"acting_user_id": admin, "comment": MEMO, "id_verified": true});
    let seen = server.patch(&format!("{path}/compliance")).as_org().for_app(&server.app_id()).json(seen);
    seen.send().await.expect(200);

    post(server, "/v2/payouts", json!({"user_id": user, "amount": 900, "platform": "ach", "fund": true})).await;
    let by_id = json!({"amount": 200, "user_id": user, "memo": MEMO, "delivery": {"method": "link"}});
    post(server, "/v2/payout-links", by_id).await;
    post(server, "/v2/payout-links", json!({"amount": 300, "payee": phone(), "memo": MEMO})).await;
    let by_mail = json!({"amount": 300, "payee": {"email": EMAIL}, "delivery": {"method": "email"}});
    let by_mail = post(server, "/v2/payout-links", by_mail).await;
    let claim = format!("/v2/claims/{}", by_mail["link"].as_str().unwrap().rsplit('/').next().unwrap());
    server.post(&format!("{claim}/contact")).json(json!({"email": EMAIL})).send().await.expect(200);
    post(server, "/v2/payout-requests", json!({"amount": 500, "payee": phone(), "memo": MEMO})).await;
    server.work_off().await;
    user
}

fn export<'a>(server: &'a Server, path: &str) -> Asking<'a> {
    server.get(path).as_org()
}

fn count(export: &Value, list: &str) -> usize {
    export[list]["data"].as_array().map_or(0, Vec::len)
}

#[tokio::test]
async fn export_user_shows_everything_that_is_kept_and_no_secret() {
    let server = Server::memory().await;
    let user = known(&server).await;
    let code = server.newest_code(EMAIL).await.as_str().unwrap().to_owned();
    let rows = || tables::ALL.iter().map(|table| server.rows(table)).collect::<Vec<_>>();
    let before = rows();
    let reply = export(&server, &format!("/v2/users/{user}/export")).send().await.expect(200);
    assert!(rows() == before, "an export writes nothing");

    let shown = reply.body;
    for list in LISTS {
        assert!(count(&shown, list) > 0, "{list} is empty: {}", shown[list]);
    }
    let identity = &shown["identity"];
    assert_eq!((&identity["first_name"], &identity["email"]), (&json!(FIRST), &json!(EMAIL)));
    assert_eq!(identity["phone_number"], phone());
    assert_eq!(identity["address"]["line_1"], "7 Quagmire Lane");
    assert_eq!((&identity["tax_form"]["tax_id"], &identity["tax_form"]["form"]), (&json!("***6789"), &json!("w9")));
    assert_eq!(shown["profiles"]["data"][0]["user"]["id"], json!(user));
    assert_eq!(shown["payout_methods"]["data"][0]["details"]["mask"], "9877");
    assert!(shown["transfers"]["data"].as_array().unwrap().iter().any(|transfer| transfer["type"] == "payout"));
    assert_eq!(shown["verifications"].as_array().unwrap().len(), 2);
    for secret in [ACCOUNT, TAX_ID, "123-45-6789", "/claim/", "/notice/", "sealed", code.as_str()] {
        assert!(!reply.text.contains(secret), "{secret} is in the export: {}", reply.text);
    }
}

/// Follows `next` of one list to its end.
async fn all(server: &Server, user: &str, list: &str, limit: usize) -> Vec<Value> {
    let mut path = format!("/v2/users/{user}/export?section={list}&limit={limit}");
    let mut found = Vec::new();
    loop {
        let shown = export(server, &path).send().await.expect(200).body;
        let others = LISTS.iter().filter(|other| **other != list);
        assert!(others.into_iter().all(|other| shown[*other].is_null()), "only {list} is asked for");
        let data = shown[list]["data"].as_array().unwrap();
        assert!(data.len() <= limit, "{list}: a page has {} objects", data.len());
        found.extend(data.iter().cloned());
        match shown[list]["next"].as_str() {
            Some(next) => next.clone_into(&mut path),
            None => return found,
        }
    }
}

#[tokio::test]
async fn export_user_pages_each_list_to_its_end() {
    let server = Server::memory().await;
    let user = known(&server).await;
    // A second app, so that lists by app have two.
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Other"})).send().await.expect(201).body;
    let app = other["id"].as_str().unwrap();
    let connect = json!({"user_id": user, "app_id": app});
    server.post("/v2/users/connect").as_org().json(connect).send().await.expect(200);
    for (app, amount) in [(server.app_id(), 100_000), (app.to_owned(), -100_000)] {
        let moved = json!({"app_id": app, "amount": amount});
        server.post("/v2/organization-transfers").as_org().json(moved).send().await.expect(200);
    }
    for _ in 0..3 {
        let moved = json!({"user_id": user, "amount": -100});
        server.post("/v2/transfers").as_org().for_app(app).json(moved).send().await.expect(200);
    }
    let whole = export(&server, &format!("/v2/users/{user}/export?limit=100")).send().await.expect(200).body;
    for list in LISTS {
        let whole = whole[list]["data"].as_array().unwrap();
        assert!(!whole.is_empty(), "{list}");
        for limit in [1, 2] {
            assert_eq!(&all(&server, &user, list, limit).await, whole, "{list} by {limit}");
        }
    }
    let apps: BTreeSet<&str> =
        whole["events"]["data"].as_array().unwrap().iter().filter_map(|event| event["id"].as_str()).collect();
    assert_eq!(apps.len(), count(&whole, "events"), "no event twice");
    for wrong in
        ["after=x", "section=transfers&after=x", "section=nonsense", "limit=0", "limit=101", "section=events&after=1"]
    {
        export(&server, &format!("/v2/users/{user}/export?{wrong}")).send().await.refused(400, "invalid-input");
    }
}

/// Another connected app sees the payee's identity and its own data, and nothing of the first app.
#[tokio::test]
async fn export_user_of_an_app_has_nothing_of_another() {
    let server = Server::memory().await;
    let user = known(&server).await;
    let path = format!("/v2/users/{user}/export");
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Other"})).send().await.expect(201).body;
    let (id, keys) = (other["id"].as_str().unwrap(), other["keys"].clone());
    let ask = || server.get(&path).basic(keys["client_id"].as_str().unwrap(), keys["api_key"].as_str().unwrap());
    ask().send().await.refused(404, "not-found");

    server.patch(&format!("/v2/users/{user}")).app_key().json(json!({"metadata": MEMO})).send().await.expect(200);
    let connect = json!({"user_id": user, "app_id": id});
    server.post("/v2/users/connect").as_org().json(connect).send().await.expect(200);
    let reply = ask().send().await.expect(200);
    let shown = &reply.body;
    assert_eq!((&shown["app_id"], &shown["identity"]["email"]), (&json!(id), &json!(EMAIL)));
    assert_eq!((count(shown, "profiles"), count(shown, "events")), (1, 1));
    assert_eq!(shown["profiles"]["data"][0]["app_id"], json!(id));
    assert!(shown["identity"]["address"].is_null() && shown["identity"]["tax_form"].is_null());
    assert_eq!(shown["verifications"], json!([]));
    for list in LISTS.iter().filter(|list| !["profiles", "events", "compliance_decisions"].contains(list)) {
        assert_eq!(count(shown, list), 0, "{list}: {}", shown[*list]);
    }
    // The negative control: the first app's own export has them.
    let own = server.get(&path).app_key().send().await.expect(200).body;
    for list in ["profiles", "payout_methods", "payout_links", "transfers", "payout_requests", "events"] {
        assert!(count(&own, list) > 0, "{list}");
    }
    assert_eq!((count(&own, "notices"), count(&own, "phone_verification_events")), (0, 0));
    assert_eq!(server.get(&path).as_org().for_app(id).send().await.expect(200).body["app_id"], json!(id));
}

/// Until the erasure job ends, and after it.
#[tokio::test]
async fn export_user_shows_nothing_personal_after_the_erasure() {
    let server = Server::memory().await;
    let user = server.post("/v2/users").app_key().json({
        let mut person = phone();
        person["first_name"] = json!(FIRST);
        person["last_name"] = json!("Quagmirez");
        person["email"] = json!(EMAIL);
        person
    });
    let user = user.send().await.expect(201).id();
    let link = json!({"amount": 200, "user_id": user, "memo": MEMO, "delivery": {"method": "link"}});
    let link = post(&server, "/v2/payout-links", link).await["id"].as_str().unwrap().to_owned();
    server.delete(&format!("/v2/payout-links/{link}")).app_key().send().await.expect(200);
    let path = format!("/v2/users/{user}/export");
    let before = export(&server, &path).send().await.expect(200).text;
    let needles = [PHONE, EMAIL, FIRST, "Quagmirez", MEMO];
    assert!(needles.iter().all(|needle| before.contains(needle)), "negative control: {before}");

    server.delete(&format!("/v2/users/{user}")).as_org().for_app(&server.app_id()).send().await.expect(200);
    // Until the job ends, nothing is shown.
    let early = export(&server, &path).send().await;
    early.refused(503, "service-unavailable");
    assert_eq!(early.header("retry-after"), Some("5"));
    server.work_off().await;
    let reply = export(&server, &path).send().await.expect(200);
    for needle in needles {
        assert!(!reply.text.contains(needle), "{needle}: {}", reply.text);
    }
    assert_eq!(reply.body["identity"]["status"], "disabled");
    assert!(!reply.body["identity"]["deleted_at"].is_null());
    assert_eq!(reply.body["payout_links"]["data"][0]["amount"], 200, "amounts, states and ids stay");
    assert!(count(&reply.body, "events") > 0);
}
