//! A repeated request returns the first response byte for byte, whether its body is stored with its key or read from an
//! event.

use bursar::events::EventSegment;
use bursar::http::{Method, Route, Who};
use bursar::idempotency::StoredAnswer;
use bursar::payout_links::PayoutLink;
use bursar::world::{Record, Table};
use serde_json::{Value, json};

use crate::harness::{Asking, Reply, Server};
use crate::samples::{Sample, Stage, sample};

const PHONE: &str = "2127369876";

fn stored(server: &Server) -> Vec<StoredAnswer> {
    let mut stored = Vec::new();
    let keep = |answer: &StoredAnswer| {
        stored.push(answer.clone());
        Ok(())
    };
    server.bursar().reads.snapshot(|snapshot| snapshot.each::<StoredAnswer>(keep)).unwrap();
    stored
}

fn replace(server: &Server, answer: &StoredAnswer) {
    server.tamper(StoredAnswer::TABLE, answer.key(), Some(answer.values()));
}

/// Sends a payout under a key.
async fn pay(server: &Server, key: &str) -> Reply {
    let body = json!({"amount": 500, "payee": {"country_code": "1", "phone_number": PHONE}, "memo": "for May"});
    server.post("/v2/payouts/send-payout").app_key().idempotency_key(key).json(body).send().await
}

/// Sends the sample of an operation with the credential that it needs.
async fn send(stage: &Stage, route: &Route, sample: &Sample, key: &str) -> Reply {
    let asking = stage.server.ask(route.method.as_str(), &sample.target(route.path)).idempotency_key(key);
    let mut asking: Asking<'_> = match route.who {
        Who::App | Who::AppOrItsClient => asking.app_key(),
        Who::AppOrOrganization | Who::Organization => asking.as_org(),
        Who::OrganizationForApp | Who::Member => asking.as_org().for_app(&stage.app.id),
        Who::Anyone | Who::Provider => asking,
    };
    for (name, value) in &sample.headers {
        asking = asking.header(name, value);
    }
    match &sample.body {
        Some(body) => asking.json(body.clone()).send().await,
        None => asking.send().await,
    }
}

/// Returns how a repetition differs from the first response.
fn difference(first: &Reply, again: &Reply) -> Option<String> {
    let same = (first.status, &first.text) == (again.status, &again.text);
    let replayed = first.header("idempotent-replayed").is_none() && again.header("idempotent-replayed").is_some();
    (!same || !replayed).then(|| format!("{} {} and then {} {}", first.status, first.text, again.status, again.text))
}

/// Operations that add to the stored response: the session of a claim is shown once, and the clock reports its own wait.
const PARTLY_REPEATED: [&str; 2] = ["prove_claim_contact", "advance_sandbox_clock"];

#[tokio::test]
async fn every_operation_repeats_its_first_answer_byte_for_byte() {
    let stage = Stage::set().await;
    let (mut with_body, mut of_events, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for route in bursar::routes::table().iter().filter(|route| route.method != Method::Get) {
        let operation = route.documented.operation_id;
        let Some(sample) = sample(&stage, operation).await else { continue };
        let known = stored(&stage.server).len();
        let first = send(&stage, route, &sample, operation).await;
        let all = stored(&stage.server);
        let Some(answer) = all.iter().find(|answer| answer.idempotency_key == operation) else { continue };
        assert!(all.len() > known, "{operation}");
        if answer.event.is_some() {
            assert_eq!((&answer.body, &answer.object_id), (&None, &None), "{operation}: nothing is stored twice");
            of_events.push(operation);
        } else {
            with_body.push(operation);
        }
        let again = send(&stage, route, &sample, operation).await;
        if !PARTLY_REPEATED.contains(&operation) {
            wrong.extend(difference(&first, &again));
        }
        // Negative control: without the stored answer the operation runs again.
        let key = Table::index_values(StoredAnswer::TABLE.key(), &answer.values());
        stage.server.tamper(StoredAnswer::TABLE, key, None);
        assert!(difference(&first, &send(&stage, route, &sample, operation).await).is_some(), "{operation}");
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(with_body.len() > 30, "{with_body:?}");
    for operation in ["send_payout", "create_payout_link", "redeliver_payout_link", "create_payment", "create_payable"]
    {
        assert!(of_events.contains(&operation), "{operation} is not among {of_events:?}");
    }
    stage.server.verify();
}

#[tokio::test]
async fn an_answer_is_replayed_as_it_was_after_its_object_changed() {
    let mut server = Server::start().await;
    let first = pay(&server, "once").await.expect(201);
    server.delete(&format!("/v2/payout-links/{}", first.id())).app_key().send().await.expect(200);
    assert_eq!(difference(&first, &pay(&server, "once").await), None);
    server.restart().await;
    assert_eq!(difference(&first, &pay(&server, "once").await), None);

    let shown = server.get(&format!("/v2/payout-links/{}", first.id())).app_key().send().await.expect(200);
    assert_eq!(shown.body["link"], first.body["link"]);
    assert_ne!(shown.text, first.text, "negative control: the link itself has changed");
}

/// The address in a replay is the one that the first caller received, even if links have another start today.
#[tokio::test]
async fn a_replay_keeps_the_start_of_the_address() {
    let server = Server::failing().await;
    let first = pay(&server, "once").await.expect(201);
    let mut answer = stored(&server).remove(0);
    assert_eq!(answer.address_start.as_deref(), Some(&*format!("{}/claim/", crate::harness::PUBLIC_URL)));
    answer.address_start = Some("https://old.example/claim/".to_owned());
    replace(&server, &answer);
    let again = pay(&server, "once").await.expect(201);
    assert_eq!(again.text, first.text.replace(crate::harness::PUBLIC_URL, "https://old.example"));
}

/// Versions before V56 stored every body with its key.
#[tokio::test]
async fn an_answer_of_an_older_version_is_replayed() {
    let server = Server::failing().await;
    let first = pay(&server, "once").await.expect(201);
    let mut answer = stored(&server).remove(0);
    assert!(answer.event.is_some());
    (answer.event, answer.address_start) = (None, None);
    answer.body = Some(first.text.clone());
    answer.object_id = Some(first.id());
    replace(&server, &answer);
    assert_eq!(difference(&first, &pay(&server, "once").await), None);
    server.verify();
}

#[tokio::test]
async fn another_request_under_the_key_learns_what_the_first_one_created() {
    let server = Server::memory().await;
    let first = pay(&server, "once").await.expect(201);
    let other = json!({"amount": 501, "payee": {"country_code": "1", "phone_number": PHONE}, "memo": "for May"});
    let other = server.post("/v2/payouts/send-payout").app_key().idempotency_key("once").json(other).send().await;
    other.refused(409, "idempotency-key-reused");
    assert_eq!(other.fields(), ["/amount"]);
    assert!(other.text.contains(&first.id()), "{}", other.text);

    server.advance(bursar::idempotency::ANSWER_KEPT_SECONDS - 1);
    assert_eq!(difference(&first, &pay(&server, "once").await), None);
    server.advance(2);
    let late = pay(&server, "once").await;
    late.refused(409, "idempotency-key-reused");
    assert!(late.text.contains(&first.id()) && late.text.contains("30 days"), "{}", late.text);
}

#[tokio::test]
async fn an_answer_of_an_erased_payee_is_refused_with_what_to_do() {
    let server = Server::start().await;
    let person = json!({
        "first_name": "Jane", "last_name": "Roe", "email": "jane@example.com", "country_code": "1", "phone_number": PHONE,
    });
    let user = server.post("/v2/users").app_key().json(person).send().await.expect(201).id();
    let (erased, other) = (pay(&server, "once").await.expect(201), async |server: &Server| {
        let body = json!({"amount": 500, "delivery": {"method": "link"}});
        server.post("/v2/payout-links").app_key().idempotency_key("other").json(body).send().await
    });
    let first = other(&server).await.expect(201);
    server.delete(&format!("/v2/payout-links/{}", erased.id())).app_key().send().await.expect(200);
    server.work_off().await;
    assert_eq!(difference(&erased, &pay(&server, "once").await), None, "negative control: before the erasure");

    server.delete(&format!("/v2/users/{user}")).as_org().for_app(&server.app_id()).send().await.expect(200);
    pay(&server, "once").await.refused(409, "idempotency-key-reused");
    server.work_off().await;
    let again = pay(&server, "once").await;
    again.refused(409, "idempotency-key-reused");
    assert!(again.text.contains(&format!("fetch {} for its result", erased.id())), "{}", again.text);
    assert_eq!(difference(&first, &other(&server).await), None, "other answers stay");
    server.verify();
}

/// Removes the rows of a table, and returns the invariants that `bursar verify` finds broken.
fn verify_without(server: &Server, table: &'static Table) -> Vec<u8> {
    for row in server.rows(table) {
        server.tamper(table, Table::index_values(table.key(), &row), None);
    }
    let report = bursar::verify::verify(&server.bursar().reads).unwrap();
    report.findings.iter().map(|finding| finding.invariant).collect()
}

#[tokio::test]
async fn an_answer_whose_event_or_link_is_missing_is_a_damaged_store() {
    for table in [EventSegment::TABLE, PayoutLink::TABLE] {
        let server = Server::failing().await;
        let first = pay(&server, "once").await.expect(201);
        assert_eq!(difference(&first, &pay(&server, "once").await), None);
        server.verify();
        assert!(verify_without(&server, table).contains(&33), "{}", table.name);
        let again = pay(&server, "once").await;
        again.refused(500, "internal-error");
        let without: Value = json!({"x": 1});
        let other = server.post("/v2/payouts/send-payout").app_key().idempotency_key("once").json(without).send().await;
        other.refused(409, "idempotency-key-reused");
    }
}
