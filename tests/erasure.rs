//! Erasing a payee: every column of every table is searched for the payee's data.

use bursar::tables;
use bursar::world::Value as Cell;
use serde_json::{Value, json};

use crate::harness::Server;

const PHONE: &str = "2127369876";
const EMAIL: &str = "zebulona@quagmire.example";
const FIRST: &str = "Zebulona";
const LAST: &str = "Quagmirez";
const MEMO: &str = "violet umbrella";

/// Texts that must not be found.
const NEEDLES: [&str; 5] = [PHONE, EMAIL, FIRST, LAST, MEMO];

/// Returns the places of these texts: table, column, text.
fn found(server: &Server) -> Vec<String> {
    let mut found = Vec::new();
    for table in tables::ALL {
        for row in server.rows(table) {
            for (column, cell) in table.columns.iter().zip(row) {
                let text = match cell {
                    Cell::Text(text) => text,
                    Cell::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                    Cell::Null | Cell::Id(_) | Cell::Int(_) | Cell::Bool(_) | Cell::Time(_) => continue,
                };
                let here = NEEDLES.iter().filter(|needle| text.contains(**needle));
                found.extend(here.map(|needle| format!("{}.{}: {needle}", table.name, column.name)));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn payee() -> Value {
    json!({"first_name": FIRST, "last_name": LAST, "email": EMAIL, "country_code": "1", "phone_number": PHONE})
}

/// Creates a payee with data in every noun; returns the id.
async fn known(server: &Server) -> String {
    let person = server.post("/v2/users").app_key().idempotency_key("made-once").json(payee()).send().await.expect(201);
    let user = person.id();
    let path = format!("/v2/users/{user}");
    server.post(&format!("{path}/send-verification-token")).app_key().send().await.expect(202);
    let code = server.newest_code(&format!("+1{PHONE}")).await;
    server.post(&format!("{path}/verify")).app_key().json(json!({"token": code})).send().await.expect(200);
    server.patch(&path).app_key().json(json!({"metadata": MEMO})).send().await.expect(200);
    let account = json!({"platform": "ach", "routing_number": "110000000", "account_number": "55509876"});
    server.payout_method(&user, account).await;

    // Links by phone, by e-mail and by id; one is delivered. All are closed, because an open payout prevents a
    // deletion.
    let phone = json!({"country_code": "1", "phone_number": PHONE});
    let sent = json!({"amount": 700, "payee": phone, "memo": MEMO});
    let sent = server.post("/v2/payouts/send-payout").app_key().json(sent).send().await.expect(201).id();
    let by_mail = json!({
        "amount": 300, "payee": {"email": EMAIL, "first_name": FIRST, "last_name": LAST}, "memo": MEMO,
        "delivery": {"method": "email", "message": MEMO},
    });
    let by_mail =
        server.post("/v2/payout-links").app_key().idempotency_key("linked").json(by_mail).send().await.expect(201).id();
    let by_id = json!({"amount": 200, "user_id": user, "memo": MEMO, "metadata": MEMO, "delivery": {"method": "link"}});
    let by_id = server.post("/v2/payout-links").app_key().json(by_id).send().await;
    let asked = json!({"amount": 500, "payee": phone, "memo": MEMO, "metadata": MEMO});
    let asked = server.post("/v2/payout-requests").app_key().json(asked).send().await.expect(201).id();
    // No event of the key's log has the response to a client id, so its body is stored with the key.
    let client_id = server.credentials()["app"]["client_id"].as_str().unwrap().to_owned();
    let body = json!({"amount": 400, "payee": phone, "memo": MEMO});
    let by_client = server.post("/v2/payout-requests").basic(&client_id, "").idempotency_key("asked").json(body);
    let by_client = by_client.send().await.expect(201).id();
    let comment = json!({"comment": MEMO});
    for asked in [asked, by_client] {
        let path = format!("/v2/payout-requests/{asked}/reject");
        server.post(&path).app_key().json(comment.clone()).send().await.expect(200);
    }
    let row = json!({
        "first_name": FIRST, "last_name": LAST, "email": EMAIL, "country_code": "1", "phone_number": PHONE,
        "amount_cents": 100, "delivery_method": "link", "memo": MEMO, "idempotency_key": uuid::Uuid::from_u128(7),
    });
    server.post("/v2/payout-link-batches").app_key().json(json!({"links": [row]})).send().await.expect(201);
    server.work_off().await;
    let links = server.get("/v2/payout-links?limit=100").app_key().send().await.expect(200).body;
    assert!(links["data"].as_array().unwrap().len() >= 3, "{sent} {by_mail} {}", by_id.text);
    for link in links["data"].as_array().unwrap() {
        let path = format!("/v2/payout-links/{}", link["id"].as_str().unwrap());
        let canceled = server.delete(&path).app_key().send().await;
        assert!(canceled.status == 200 || canceled.status == 409, "{}", canceled.text);
    }
    server.work_off().await;
    user
}

#[tokio::test]
async fn no_column_of_any_table_shows_a_payee_who_was_erased() {
    let server = Server::start().await;
    let user = known(&server).await;
    let before = found(&server);
    for table in [
        "users",
        "event_segments",
        "stored_answers",
        "payout_links",
        "payout_link_batch_rows",
        "payout_requests",
        "messages",
    ] {
        assert!(
            before.iter().any(|place| place.starts_with(table)),
            "negative control: {table} has the payee: {before:?}"
        );
    }
    for needle in NEEDLES {
        assert!(before.iter().any(|place| place.ends_with(needle)), "negative control: {needle}: {before:?}");
    }

    server.delete(&format!("/v2/users/{user}")).as_org().for_app(&server.app_id()).send().await.expect(200);
    // The job has not run yet, but no response shows the payee any more.
    for path in [
        "/v2/events?limit=100",
        "/v2/payout-links?limit=100",
        "/v2/payout-requests?limit=100",
        "/v2/transfers?limit=100",
    ] {
        let shown = server.get(path).app_key().send().await.expect(200).text;
        for needle in [PHONE, EMAIL, FIRST, LAST] {
            assert!(!shown.contains(needle), "{path} shows {needle}: {shown}");
        }
    }
    let again = server.post("/v2/users").app_key().idempotency_key("made-once").json(payee()).send().await;
    assert_eq!(again.status, 409, "a repeat is a tombstone at once: {}", again.text);

    server.work_off().await;
    assert_eq!(found(&server), Vec::<String>::new());
    for key in ["made-once", "linked"] {
        let again = server.post("/v2/users").app_key().idempotency_key(key).json(payee()).send().await;
        assert_eq!(again.status, 409, "{}", again.text);
    }
    assert!(
        server.rows(<bursar::closing::Erasure as bursar::world::Record>::TABLE).is_empty(),
        "the last copy goes, too"
    );
    // The chain is complete, and records that data was erased.
    server.verify();
    let bursar = server.bursar();
    let report = bursar::verify::verify_history(&bursar.reads, &bursar.history.chain, &[]).unwrap();
    assert!(report.erased_events > 5, "{}", report.erased_events);
}

/// The books stay complete: a reader of amounts notices nothing, neither before the job nor in the log after it.
#[tokio::test]
async fn an_erasure_hides_no_amount_fee_or_account() {
    let server = Server::memory().await;
    let user = known(&server).await;
    let order = json!({"user_id": user, "amount": 1_000, "platform": "ach", "fund": true});
    let paid = server.post("/v2/payouts").app_key().json(order).send().await.expect(201).id();
    server.work_off().await;
    server.pass(5 * 86_400).await;
    let transfer = format!("/v2/transfers/{paid}");
    let get = async |path: &str| server.get(path).app_key().send().await.expect(200).body;
    let (of_transfer, of_books) = (get(&transfer).await, get("/v2/transactions?limit=100").await);
    assert_eq!((&of_transfer["status"], &of_transfer["amount"]), (&json!("completed"), &json!("1000")));
    let names = ["amount", "fee_amount", "payout_amount", "status", "payout_fee_party"];
    let amounts = async || -> Vec<[Value; 5]> {
        let (mut found, mut after) = (Vec::new(), json!(0));
        loop {
            let page = get(&format!("/v2/events?after={after}&limit=100")).await["data"].as_array().unwrap().clone();
            let Some(last) = page.last() else { return found };
            after = last["sequence"].clone();
            let of_transfer = page.iter().map(|event| &event["object"]).filter(|object| object["id"] == json!(paid));
            found.extend(of_transfer.map(|object| names.map(|name| object[name].clone())));
        }
    };
    let before = amounts().await;
    assert!(before.len() > 1 && before.iter().all(|event| event[0] == "1000"), "{before:?}");

    server.delete(&format!("/v2/users/{user}")).as_org().for_app(&server.app_id()).send().await.expect(200);
    for _ in ["before the job", "after it"] {
        let now = get(&transfer).await;
        for name in ["amount", "fee_amount", "payout_amount", "payout_fee_party", "fee_basis", "status", "created"] {
            assert_eq!(now[name], of_transfer[name], "{name}: {now}");
        }
        assert_eq!(get("/v2/transactions?limit=100").await, of_books);
        assert_eq!(amounts().await, before);
        server.work_off().await;
    }
    server.verify();
}

/// More rows than a page of the job: each commit is bounded, and the job continues until the last.
#[tokio::test]
async fn a_payee_of_many_links_is_erased_page_by_page() {
    let server = Server::memory().await;
    let user = server.post("/v2/users").app_key().json(payee()).send().await.expect(201).id();
    for _ in 0..45 {
        let body = json!({"amount": 100, "payee": {"email": EMAIL}, "memo": MEMO, "delivery": {"method": "link"}});
        let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).id();
        server.delete(&format!("/v2/payout-links/{link}")).app_key().send().await.expect(200);
    }
    server.work_off().await;
    server.delete(&format!("/v2/users/{user}")).as_org().for_app(&server.app_id()).send().await.expect(200);
    let still = found(&server);
    assert!(
        still.iter().any(|place| place.starts_with("payout_links.memo")),
        "the job does it, not the request: {still:?}"
    );
    server.work_off().await;
    assert_eq!(found(&server), Vec::<String>::new());
    server.verify();
}

/// The rows of an older version and the segments after them lose the payee alike.
#[tokio::test]
async fn a_payee_in_events_of_an_older_version_is_erased() {
    let server = Server::memory().await;
    let user = server.post("/v2/users").app_key().json(payee()).send().await.expect(201).id();
    let link = async || {
        let body = json!({"amount": 100, "payee": {"email": EMAIL}, "memo": MEMO, "delivery": {"method": "link"}});
        server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).id()
    };
    let close = async |link: &str| {
        server.delete(&format!("/v2/payout-links/{link}")).app_key().send().await.expect(200);
    };
    let old = link().await;
    server.forget_segments();
    let new = link().await;
    close(&old).await;
    close(&new).await;
    let before = found(&server);
    for table in ["events", "event_segments"] {
        let has = |needle: &str| {
            before.iter().any(|place| place.starts_with(&format!("{table}.")) && place.ends_with(needle))
        };
        assert!(has(EMAIL) && has(MEMO), "negative control: {table}: {before:?}");
    }
    server.delete(&format!("/v2/users/{user}")).as_org().for_app(&server.app_id()).send().await.expect(200);
    server.work_off().await;
    assert_eq!(found(&server), Vec::<String>::new());
    server.verify();
}

/// An event with a changed object and a forged erasure is found: the proof requires the chain key.
#[tokio::test]
async fn an_event_with_a_forged_erasure_is_found() {
    use bursar::events::{Event, EventSegment};
    let server = Server::failing().await;
    let body = json!({"amount": 1000, "memo": MEMO, "delivery": {"method": "link"}});
    server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    let shows = |event: &std::sync::Arc<Event>| event.object.contains(MEMO);
    let findings = server.tampered::<EventSegment>(
        |segment| segment.events().any(shows),
        |segment| {
            segment.body.edit(|events| {
                for event in events.iter_mut().filter(|event| shows(event)) {
                    let object = event.object.replace(MEMO, "x");
                    *event = std::sync::Arc::new(Event { object, erased: Some(vec![0; 64]), ..Event::clone(event) });
                }
            });
        },
    );
    assert!(findings.iter().any(|finding| finding.invariant == 15), "{findings:?}");
}
