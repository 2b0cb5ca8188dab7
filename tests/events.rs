//! The event log: gap-free, ordered, one event for each transition.

use serde_json::{Value, json};

use crate::harness::{Manner, Receiver, Server};

async fn names(server: &Server, after: i64) -> Vec<(i64, String)> {
    let events = server.get(&format!("/v2/events?after={after}")).app_key().send().await.expect(200).body;
    let pair = |event: &Value| (event["sequence"].as_i64().unwrap(), event["name"].as_str().unwrap().to_owned());
    events["data"].as_array().unwrap().iter().map(pair).collect()
}

#[tokio::test]
async fn list_events_shows_each_transition_once_and_in_order() {
    let server = Server::start().await;
    let before = names(&server, 0).await.last().map_or(0, |(sequence, _)| *sequence);
    let body = json!({"amount": 1000, "delivery": {"method": "link"}});
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    server.delete(&format!("/v2/payout-links/{}", link.id())).app_key().send().await.expect(200);

    let reported = names(&server, before).await;
    let numbers: Vec<i64> = reported.iter().map(|(sequence, _)| *sequence - before).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6], "no gap, no second");
    let reported: Vec<&str> = reported.iter().map(|(_, name)| name.as_str()).collect();
    let made = ["transfer.updated", "transfer.updated", "payout_link.updated", "payout_link.updated"];
    let canceled = ["transfer.updated", "payout_link.updated"];
    assert_eq!(
        reported,
        [made.as_slice(), canceled.as_slice()].concat(),
        "hold made and set aside, link made and delivered; both ended"
    );
}

/// One phone is one user, so users are never merged. The event's name comes from the specification and can be used as a
/// filter.
#[tokio::test]
async fn no_event_says_that_users_were_merged() {
    let server = Server::memory().await;
    let person = json!({
        "first_name": "Jane", "last_name": "Doe", "email": "jane@example.com", "country_code": "1",
        "phone_number": "2127361234",
    });
    let user = server.post("/v2/users").app_key().json(person.clone()).send().await.expect(201).id();
    let again = server.post("/v2/users").app_key().json(person).send().await;
    assert_eq!(again.id(), user);
    let merged = server.get("/v2/events?name=user.user_merged").app_key().send().await.expect(200).body;
    assert_eq!((&merged["has_more"], &merged["data"]), (&json!(false), &json!([])));
    let hook = json!({"url": "http://127.0.0.1:1/hooks", "events": ["user.user_merged"]});
    server.post("/v2/webhook-endpoints").app_key().json(hook).send().await.expect(201);
}

#[tokio::test]
async fn list_events_shows_no_secret() {
    let server = Server::memory().await;
    let body = json!({"amount": 1000, "delivery": {"method": "link"}});
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    let token = link.body["link"].as_str().unwrap().rsplit('/').next().unwrap();
    let events = server.get("/v2/events").app_key().send().await.expect(200);
    assert!(!events.text.contains(token), "a link's address is a secret");
    assert!(events.body["data"].as_array().unwrap().iter().any(|event| event["object"]["id"] == link.body["id"]));
}

#[tokio::test]
async fn list_events_after_the_greatest_number_is_empty() {
    let server = Server::memory().await;
    server
        .post("/v2/payout-links")
        .app_key()
        .json(json!({"amount": 100, "delivery": {"method": "link"}}))
        .send()
        .await
        .expect(201);
    for after in [i64::MAX, i64::MAX - 1] {
        let page = server.get(&format!("/v2/events?after={after}")).app_key().send().await.expect(200).body;
        assert_eq!((&page["data"], &page["has_more"]), (&json!([]), &json!(false)));
        let acts = server.get(&format!("/v2/administrative-acts?after={after}")).as_org().send().await.expect(200).body;
        assert_eq!(acts["data"], json!([]));
    }
}

#[tokio::test]
async fn list_events_pages_forward() {
    let server = Server::memory().await;
    for _ in 0..3 {
        let body = json!({"amount": 100, "delivery": {"method": "link"}});
        server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    }
    let (mut after, mut seen) = (0, Vec::new());
    loop {
        let page = server.get(&format!("/v2/events?after={after}&limit=5")).app_key().send().await.expect(200).body;
        let data = page["data"].as_array().unwrap();
        seen.extend(data.iter().map(|event| event["sequence"].as_i64().unwrap()));
        after = *seen.last().unwrap();
        if page["has_more"] == false {
            break;
        }
    }
    let expected: Vec<i64> = (1..=after).collect();
    assert_eq!(seen, expected);
    server.get("/v2/events?after=x").app_key().send().await.refused(400, "invalid-input");
}

#[tokio::test]
async fn list_events_filters_by_name_and_object() {
    let server = Server::memory().await;
    let link = async || {
        let body = json!({"amount": 100, "delivery": {"method": "link"}});
        server.post("/v2/payout-links").app_key().json(body).send().await.expect(201)
    };
    let (one, other) = (link().await, link().await);
    let list = async |query: String| {
        let page = server.get(&format!("/v2/events?{query}")).app_key().send().await.expect(200).body;
        page["data"].as_array().unwrap().clone()
    };
    let about = list(format!("object_id={}", one.id())).await;
    assert_eq!(about.len(), 2);
    assert!(about.iter().all(|event| event["object_id"] == one.body["id"]));
    let both = list("name=payout_link.updated".to_owned()).await;
    assert_eq!(both.len(), 4);
    let rest = list(format!("name=payout_link.updated&after={}", about[1]["sequence"])).await;
    assert!(rest.len() == 2 && rest.iter().all(|event| event["object_id"] == other.body["id"]), "{rest:?}");
    assert!(list(format!("object_id={}&name=transfer.updated", one.id())).await.is_empty());
    let wrong = server.get("/v2/events?name=payout_link.update&object_id=x").app_key().send().await;
    assert_eq!(wrong.refused(400, "invalid-input").fields(), ["name", "object_id"]);
}

#[tokio::test]
async fn get_event() {
    let server = Server::memory().await;
    let events = server.get("/v2/events").app_key().send().await.expect(200).body;
    let first = &events["data"][0];
    let shown = server.get(&format!("/v2/events/{}", first["id"].as_str().unwrap())).app_key().send().await;
    assert_eq!(shown.expect(200).body, *first);
    let unknown = format!("/v2/events/{}", first["object_id"].as_str().unwrap());
    server.get(&unknown).app_key().send().await.refused(404, "not-found");
}

/// The log of a version that stored each event in a row continues in segments, for every reader.
#[tokio::test]
async fn list_events_continues_from_rows_of_an_older_version_to_segments() {
    let server = Server::memory().await;
    let receiver = Receiver::start(Manner::Status(200)).await;
    let body = json!({"amount": 100, "delivery": {"method": "link"}});
    let link = async || server.post("/v2/payout-links").app_key().json(body.clone()).send().await.expect(201).id();
    link().await;
    let since = names(&server, 0).await.len();
    server.post("/v2/webhook-endpoints").app_key().json(json!({"url": receiver.url})).send().await.expect(201);
    let first = link().await;
    link().await;
    server.forget_segments();
    let rows = names(&server, 0).await;
    server.delete(&format!("/v2/payout-links/{first}")).app_key().send().await.expect(200);
    link().await;

    let all = names(&server, 0).await;
    assert!(all.starts_with(&rows) && all.len() > rows.len(), "{rows:?}, then {all:?}");
    for limit in [1, 3, 100] {
        let (mut after, mut seen) = (0, Vec::new());
        while seen.len() < all.len() {
            let path = format!("/v2/events?after={after}&limit={limit}");
            let page = server.get(&path).app_key().send().await.expect(200).body;
            seen.extend(page["data"].as_array().unwrap().iter().map(|event| event["sequence"].as_i64().unwrap()));
            assert_eq!(page["has_more"], json!(seen.len() < all.len()));
            after = *seen.last().unwrap();
        }
        assert!(seen.into_iter().eq(all.iter().map(|(sequence, _)| *sequence)));
    }
    let about = server.get(&format!("/v2/events?object_id={first}")).app_key().send().await.expect(200).body;
    let versions: Vec<i64> =
        about["data"].as_array().unwrap().iter().map(|event| event["version"].as_i64().unwrap()).collect();
    assert_eq!(versions, [1, 2, 3], "two of them are rows");
    let list = server.get("/v2/events").app_key().send().await.expect(200).body;
    for event in list["data"].as_array().unwrap() {
        let path = format!("/v2/events/{}", event["id"].as_str().unwrap());
        assert_eq!(server.get(&path).app_key().send().await.expect(200).body, *event);
    }
    server.work_off().await;
    let heard: Vec<Value> = receiver.heard().iter().map(|heard| serde_json::from_str(&heard.text).unwrap()).collect();
    let mut sequences: Vec<i64> = heard.iter().map(|event| event["sequence"].as_i64().unwrap()).collect();
    sequences.sort_unstable();
    let expected: Vec<i64> = all.iter().map(|(sequence, _)| *sequence).skip(since).collect();
    assert!(sequences.starts_with(&expected), "{sequences:?}");
    // Each call is signed with the head of its event, also in the middle of a segment.
    let anchors: String = receiver.heard().iter().map(|heard| format!("{}\n", heard.header("bursar-anchor"))).collect();
    let (anchors, bursar) = (bursar::chain::read_anchors(&anchors).unwrap(), server.bursar());
    let report = bursar::verify::verify_history(&bursar.reads, &bursar.history.chain, &anchors).unwrap();
    assert_eq!((report.findings.len(), report.anchors), (0, u64::try_from(anchors.len()).unwrap()));
    assert!(anchors.iter().all(|anchor| bursar.history.signed(anchor)));
}
