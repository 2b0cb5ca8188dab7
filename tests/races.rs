//! Many copies of one request at once, over real connections to the real router.

use futures::future::join_all;
use serde_json::json;

use crate::harness::Server;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_copies_of_one_request_make_one_payout_and_equal_answers() {
    let server = Server::start().await;
    let body = json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let copy = || server.post("/v2/payouts/send-payout").app_key().idempotency_key("once").json(body.clone()).send();
    let replies = join_all((0..50).map(|_| copy())).await;
    let first = &replies[0].text;
    for reply in &replies {
        assert_eq!((reply.status, &reply.text), (201, first));
    }
    let fresh = replies.iter().filter(|reply| reply.header("idempotent-replayed").is_none()).count();
    assert_eq!(fresh, 1, "one was done, the others were told what it did");
    let links = server.get("/v2/payout-links").app_key().send().await.expect(200).body;
    assert_eq!(links["data"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_redelivers_never_make_a_sixth_delivery() {
    let server = Server::start().await;
    let body = json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    let path = format!("/v2/payout-links/{}/redeliver", link.id());
    let replies = join_all((0..50).map(|_| server.post(&path).app_key().send())).await;
    let done = replies.iter().filter(|reply| reply.status == 200).count();
    assert_eq!(done, 4, "the first delivery counts");
    for reply in replies.iter().filter(|reply| reply.status != 200) {
        reply.refused(409, "delivery-limit-reached");
    }
    server.work_off().await;
    let inbox = server.get("/v2/sandbox/messages?limit=100").app_key().send().await.expect(200).body;
    assert_eq!(inbox["data"].as_array().unwrap().len(), 5, "as the phone counts");
}
