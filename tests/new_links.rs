//! The payee of an expired link asks the sender for a new one, on the page and as JSON.

use serde_json::{Value, json};

use crate::harness::{PUBLIC_URL, Reply, Server};

const DAY: i64 = 86_400;

async fn link(server: &Server) -> Reply {
    let body = json!({"amount": 2_500, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let made = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    server.work_off().await;
    made
}

fn page(link: &Reply) -> String {
    link.body["link"].as_str().unwrap().strip_prefix(PUBLIC_URL).unwrap().to_owned()
}

async fn read(server: &Server, link: &Reply) -> Value {
    server.get(&format!("/v2/payout-links/{}", link.id())).app_key().send().await.expect(200).body
}

/// The link's events since this one: number and name, and when a new link was requested.
async fn events(server: &Server, after: i64) -> Vec<Value> {
    let list = server.get(&format!("/v2/events?limit=100&after={after}")).app_key().send().await.expect(200);
    list.body["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn the_page_of_an_expired_link_asks_its_sender_for_a_new_one_once() {
    let server = Server::start().await;
    let link = link(&server).await;
    let page = page(&link);
    assert_eq!(read(&server, &link).await["new_link_requested_at"], Value::Null);
    server.pass(31 * DAY).await;
    let expired = server.get(&page).send().await.expect(410).text;
    assert!(expired.contains("$25.00") && expired.contains("went back to Demonstration"), "{expired}");
    assert!(expired.contains("Ask Demonstration for a new link") && expired.contains("badge-sandbox"), "{expired}");
    assert!(!expired.contains("class=\"claim-amount\""), "the amount is in the text: {expired}");
    let seen = events(&server, 0).await.last().unwrap()["sequence"].as_i64().unwrap();

    // A GET changes nothing: previews of links open pages.
    server.get(&format!("{page}/new-link")).send().await.expect(404);
    assert_eq!(events(&server, seen).await, Vec::<Value>::new());
    let foreign = server.post(&format!("{page}/new-link")).header("origin", "https://evil.example").form(&[]);
    foreign.send().await.expect(403);
    assert_eq!(read(&server, &link).await["new_link_requested_at"], Value::Null);

    let asked = server.post(&format!("{page}/new-link")).form(&[]).send().await.expect(303);
    assert_eq!(asked.header("location"), Some(page.as_str()));
    let after = server.get(&page).send().await.expect(410).text;
    assert!(after.contains("We have let Demonstration know") && !after.contains("Ask Demonstration"), "{after}");
    let link = read(&server, &link).await;
    assert!(link["new_link_requested_at"].is_string() && link["status"] == "expired", "{link}");
    let emitted = events(&server, seen).await;
    assert_eq!(emitted.len(), 1, "{emitted:?}");
    assert_eq!((&emitted[0]["name"], &emitted[0]["object_id"]), (&json!("payout_link.updated"), &link["id"]));
    assert_eq!(emitted[0]["object"]["new_link_requested_at"], link["new_link_requested_at"]);

    // Once more: neither another event nor another time.
    server.pass(60).await;
    server.post(&format!("{page}/new-link")).form(&[]).send().await.expect(303);
    assert_eq!(events(&server, seen).await.len(), 1);
    assert!(bursar::verify::verify(&server.bursar().reads).unwrap().findings.is_empty());
}

#[tokio::test]
async fn request_new_link_takes_expired_links_only() {
    let server = Server::start().await;
    let path = |link: &Reply| format!("{}/new-link", page(link).replace("/claim/", "/v2/claims/"));
    let ask = async |link: &Reply| server.post(&path(link)).json(json!({})).send().await;

    let open = link(&server).await;
    ask(&open).await.refused(409, "invalid-state");
    server.delete(&format!("/v2/payout-links/{}", open.id())).app_key().send().await.expect(200);
    ask(&open).await.refused(410, "link-canceled");
    let claimed = link(&server).await;
    let (contact, steps) = (json!({"country_code": "1", "phone_number": "2127361234"}), path(&claimed));
    let step = |name: &str| steps.replace("new-link", name);
    server.post(&step("contact")).json(contact).send().await.expect(200);
    let code = server.newest_code("+12127361234").await;
    let session =
        server.post(&step("code")).json(json!({"token": code})).send().await.expect(200).body["session"].clone();
    let take = async |name: &str, body: Value| {
        let asking = server.post(&step(name)).header("claim-session", session.as_str().unwrap());
        asking.json(body).send().await.expect(200);
    };
    take("profile", json!({"first_name": "Ada", "last_name": "Lovelace"})).await;
    let account = json!({"platform": "ach", "routing_number": "110000000", "account_number": "5550001"});
    take("method", account).await;
    take("payout", json!({})).await;
    ask(&claimed).await.refused(409, "already-claimed");

    let expired = link(&server).await;
    // Its time is over, and the job that expires it has not run yet.
    server.advance(31 * DAY);
    ask(&expired).await.expect(204);
    let asked_at = read(&server, &expired).await["new_link_requested_at"].clone();
    assert!(asked_at.is_string());
    server.pass(60).await;
    ask(&expired).await.expect(204);
    let link = read(&server, &expired).await;
    assert_eq!((&link["new_link_requested_at"], &link["status"]), (&asked_at, &json!("expired")));
    server.post("/v2/claims/AAAA/new-link").json(json!({})).send().await.refused(404, "not-found");
}
