//! One key, one effect, permanently: through a real route, and after every failure of a commit.

use bursar::idempotency::StoredAnswer;
use bursar::store::memory::Fault;
use bursar::world::Record as _;
use futures::future::join_all;
use serde_json::json;

use crate::harness::{Asking, Server};

const KEY: &str = "0b7e3c0a-8f3a-4c1e-9d52-6a7e1f2b3c4d";

/// Creates an app, an effect that the test can count.
fn make<'a>(server: &'a Server, name: &str) -> Asking<'a> {
    server.post("/v2/apps").as_org().idempotency_key(KEY).json(json!({"name": name}))
}

async fn apps(server: &Server) -> usize {
    let listed = server.get("/v2/apps").as_org().send().await.expect(200);
    // The demonstration app existed before.
    listed.body.as_array().unwrap().len() - 1
}

#[tokio::test]
async fn the_same_key_gives_the_same_bytes() {
    let mut server = Server::start().await;
    let first = make(&server, "Corner Shop").send().await.expect(201);
    assert_eq!(first.header("idempotent-replayed"), None);
    let in_body = json!({"idempotency_key": KEY, "name": "Corner Shop"});
    let again = server.post("/v2/apps").as_org().json(in_body).send().await.expect(201);
    assert_eq!((again.header("idempotent-replayed"), &again.text), (Some("true"), &first.text));
    server.restart().await;
    let later = make(&server, "Corner Shop").send().await.expect(201);
    assert_eq!((later.header("idempotent-replayed"), &later.text), (Some("true"), &first.text));
    assert_eq!(apps(&server).await, 1);
}

#[tokio::test]
async fn another_request_under_the_key_learns_what_differs() {
    let server = Server::memory().await;
    let first = make(&server, "Corner Shop").send().await.expect(201);
    let other = make(&server, "Corner Store").send().await;
    other.refused(409, "idempotency-key-reused");
    assert_eq!((other.fields(), &other.body["reason"]), (vec!["/name".to_owned()], &"request-differs".into()));
    assert!(other.text.contains(&first.id()), "{}", other.text);
    assert_eq!(apps(&server).await, 1);
}

/// In a request that creates an object, null equals an absent field, so both are the same request.
#[tokio::test]
async fn null_and_absent_are_one_request() {
    let server = Server::memory().await;
    let make =
        |body: serde_json::Value| server.post("/v2/payout-links").app_key().idempotency_key(KEY).json(body).send();
    let first = make(json!({"amount": 500, "memo": null, "delivery": {"method": "link"}})).await.expect(201);
    let again = make(json!({"amount": 500, "description": null, "delivery": {"method": "link"}})).await.expect(201);
    assert_eq!((again.header("idempotent-replayed"), &again.text), (Some("true"), &first.text));
    let other = make(json!({"amount": 500, "memo": "x", "delivery": {"method": "link"}})).await;
    other.refused(409, "idempotency-key-reused");
    assert_eq!(other.fields(), ["/memo"]);
}

#[tokio::test]
async fn of_many_copies_at_once_one_is_executed() {
    let server = Server::memory().await;
    let copies = join_all((0..50).map(|_| make(&server, "Corner Shop").send())).await;
    let fresh = copies.iter().filter(|reply| reply.header("idempotent-replayed").is_none()).count();
    assert_eq!((fresh, apps(&server).await), (1, 1));
    assert!(copies.iter().all(|reply| reply.status == 201 && reply.text == copies[0].text));
}

#[tokio::test]
async fn a_key_with_a_wrong_field_may_be_used_again() {
    let server = Server::memory().await;
    make(&server, "").send().await.refused(400, "invalid-input");
    make(&server, "Corner Shop").send().await.expect(201);
}

/// The outcome of the commit is unknown: the program stops instead of guessing, and the key decides afterwards.
async fn the_key_decides_after(fault: Fault, replayed: Option<&str>) {
    let mut server = Server::failing().await;
    server.store().fail_next(fault);
    let unknown = make(&server, "Corner Shop").send().await;
    assert!(unknown.refused(503, "outcome-unknown").header("retry-after").is_some());
    // The response is sent before the engine ends.
    server.bursar().engine.stopped().wait_for(Option::is_some).await.unwrap();
    server.get("/readyz").send().await.refused(503, "service-unavailable");
    make(&server, "Corner Shop").send().await.refused(503, "service-unavailable");
    server.restart().await;
    let again = make(&server, "Corner Shop").send().await.expect(201);
    assert_eq!(again.header("idempotent-replayed"), replayed);
    assert_eq!(apps(&server).await, 1);
}

#[tokio::test]
async fn a_commit_that_was_written_is_replayed() {
    the_key_decides_after(Fault::WrittenButUnknown, Some("true")).await;
}

#[tokio::test]
async fn a_commit_that_was_lost_is_made_again() {
    the_key_decides_after(Fault::LostAndUnknown, None).await;
}

/// The token of a link is enough to begin a claim, so a stored response contains neither the link's address nor its
/// path in clear text.
#[tokio::test]
async fn what_a_key_keeps_shows_no_claim_token() {
    let server = Server::memory().await;
    let body = json!({"amount": 500, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let send = || server.post("/v2/payouts/send-payout").app_key().idempotency_key(KEY).json(body.clone()).send();
    let (first, again) = (send().await.expect(201), send().await.expect(201));
    assert_eq!((again.header("idempotent-replayed"), &again.text), (Some("true"), &first.text));
    let token = first.body["link"].as_str().unwrap().rsplit('/').next().unwrap();

    server.delete(&format!("/v2/payout-links/{}", first.id())).app_key().send().await.expect(200);
    let claim = || server.post(&format!("/v2/claims/{token}/payout")).idempotency_key(KEY).json(json!({})).send();
    claim().await.refused(410, "link-canceled");
    assert_eq!(claim().await.header("idempotent-replayed"), Some("true"));

    let kept = server.rows(StoredAnswer::TABLE);
    assert_eq!(kept.len(), 2);
    assert!(!format!("{kept:?}").contains(token));
}
