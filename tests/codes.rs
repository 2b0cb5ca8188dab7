//! Six-digit codes: their purpose, the limits on wrong codes and on sends (docs/decisions.md 17).

use bursar::verification::VerificationRecipient;
use bursar::world::Record;
use serde_json::{Value, json};

use crate::harness::{Reply, Server};

const PHONE: &str = "2127361234";
const DAY: i64 = 86_400;

fn phone() -> Value {
    json!({"country_code": "1", "phone_number": PHONE})
}

/// Creates a link of the demonstration app; returns its path in the API.
async fn link(server: &Server, further: Value) -> String {
    let mut body = json!({"amount": 100, "delivery": {"method": "link"}, "expires_at": "2027-03-01T00:00:00Z"});
    body.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
    let made = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body;
    let link = made["link"].as_str().unwrap();
    format!("/v2/claims/{}", link.rsplit('/').next().unwrap())
}

pub async fn named(server: &Server) -> String {
    link(server, json!({"payee": phone()})).await
}

async fn post(server: &Server, path: &str, body: Value) -> Reply {
    server.post(path).json(body).send().await
}

async fn newest_code(server: &Server) -> String {
    server.newest_code(&format!("+1{PHONE}")).await.as_str().expect("a code").to_owned()
}

fn another(code: &str) -> String {
    format!("{:06}", (code.parse::<u32>().unwrap() + 1) % 1_000_000)
}

fn all<R: Record>(server: &Server) -> Vec<R> {
    let mut all = Vec::new();
    let keep = |record: &R| {
        all.push(record.clone());
        Ok(())
    };
    server.bursar().reads.snapshot(|snapshot| snapshot.each::<R>(keep)).expect("the store can be read");
    all
}

/// Returns the number of compared wrong codes of the phone in the store.
fn compared(server: &Server) -> i64 {
    let rows = all::<VerificationRecipient>(server).into_iter();
    rows.filter(|row| row.recipient == format!("+1{PHONE}")).map(|row| row.named_wrong + row.unnamed_wrong).sum()
}

/// Sends codes at a claim until the phone has had `wrong` wrong ones compared, waiting as required.
pub async fn guess(server: &Server, link: &str, wrong: i64) {
    while compared(server) < wrong {
        let tried = post(server, &format!("{link}/code"), json!({"token": "000000"})).await;
        if tried.text.contains("The code is wrong.") {
            continue;
        }
        let sent = post(server, &format!("{link}/contact"), phone()).await;
        let waits = [&tried, &sent].map(|reply| reply.header("retry-after").and_then(|wait| wait.parse().ok()));
        server.advance(waits.into_iter().flatten().max().unwrap_or(0));
        assert!(sent.status == 200 || sent.status == 429 || compared(server) >= wrong, "{}", sent.text);
    }
}

/// H3: one attacker, every purpose, two apps, sixty days.
#[tokio::test]
async fn of_ten_thousand_guesses_in_sixty_days_a_hundred_are_compared_at_most() {
    let server = Server::memory().await;
    let user = server.user(1234).await;
    let (own, nameless) = (named(&server).await, link(&server, json!({})).await);
    let other = server.post("/v2/apps").as_org().json(json!({"name": "App B"})).send().await.expect(201).id();
    let connect = json!({"user_id": user, "app_id": other});
    server.post("/v2/users/connect").as_org().json(connect).send().await.expect(200);
    let verify = format!("/v2/users/{user}/verify");
    let send = format!("/v2/users/{user}/send-verification-token");
    let (mut all, mut before) = (0, 0);
    for round in 0..5_000 {
        // A code is sent if the limit permits, and two are guessed.
        match round % 4 {
            0 => post(&server, &format!("{own}/contact"), phone()).await,
            1 => post(&server, &format!("{nameless}/contact"), phone()).await,
            2 => server.post(&send).app_key().send().await,
            _ => server.post(&send).as_org().for_app(&other).send().await,
        };
        for _ in 0..2 {
            let token = json!({"token": "000000"});
            match round % 4 {
                0 => post(&server, &format!("{own}/code"), token).await,
                1 => post(&server, &format!("{nameless}/code"), token).await,
                2 => server.post(&verify).app_key().json(token).send().await,
                _ => server.post(&verify).as_org().for_app(&other).json(token).send().await,
            };
            // A dropped count begins again with the compared guess.
            let now = compared(&server);
            all += i64::from(now != before);
            before = now;
        }
        server.advance(60 * DAY / 5_000);
    }
    assert!((30..=100).contains(&all), "{all} guesses were compared");
}

/// H3: the hundredth wrong code locks the contact for every purpose, without a time limit; only the organization
/// unlocks it.
#[tokio::test]
async fn unlock_verification_opens_what_a_hundred_wrong_codes_locked() {
    let server = Server::memory().await;
    let own = named(&server).await;
    guess(&server, &own, 100).await;
    server.advance(365 * DAY / 24);
    let second = named(&server).await;
    post(&server, &format!("{second}/contact"), phone()).await.refused(403, "verification-locked");
    post(&server, &format!("{own}/code"), json!({"token": "000000"})).await.refused(403, "verification-locked");

    let unlock = "/v2/verifications/unlock";
    server.post(unlock).app_key().json(phone()).send().await.refused(403, "organization-key-required");
    server.post(unlock).as_org().json(json!({})).send().await.refused(400, "invalid-input");
    let both = json!({"country_code": "1", "phone_number": PHONE, "email": "a@example.com"});
    assert_eq!(server.post(unlock).as_org().json(both).send().await.fields(), ["/email"]);
    let unknown = json!({"email": "a@example.com"});
    server.post(unlock).as_org().json(unknown).send().await.refused(404, "not-found");
    // A signed-in administrator may unlock, like the organization's key; another role may not.
    let payer = server.sign_in("payer").await;
    server.post(unlock).by(&payer).json(phone()).send().await.refused(403, "not-permitted");
    let admin = server.sign_in("admin").await;
    let unlocked = server.post(unlock).by(&admin).json(phone()).send().await.expect(200).body;
    assert_eq!(
        [&unlocked["locked"], &unlocked["wrong_codes"], &unlocked["to"]],
        [&json!(false), &json!(0), &json!("***1234")]
    );
    server.post(unlock).as_org().json(phone()).send().await.expect(200);
    post(&server, &format!("{second}/contact"), phone()).await.expect(200);
    let code = newest_code(&server).await;
    post(&server, &format!("{second}/code"), json!({"token": code})).await.expect(200);

    let mut names: Vec<String> = Vec::new();
    loop {
        let path = format!("/v2/events?limit=100&after={}", names.len());
        let page = server.get(&path).app_key().send().await.expect(200).body;
        names.extend(page["data"].as_array().unwrap().iter().map(|event| event["name"].as_str().unwrap().to_owned()));
        if page["has_more"] == false {
            break;
        }
    }
    for name in ["verification.locked", "verification.unlocked"] {
        assert_eq!(names.iter().filter(|reported| *reported == name).count(), 1, "{name}: {names:?}");
    }
    let acts = server.get("/v2/administrative-acts").as_org().send().await.expect(200).body;
    let acts = acts["data"].as_array().unwrap().iter().filter(|act| act["act"] == "verification.unlocked");
    let acts: Vec<&Value> = acts.collect();
    assert_eq!(acts.len(), 1, "to unlock again is no act: {acts:?}");
    assert!(acts[0]["member_id"].is_string() && acts[0]["subject"] == unlocked["id"], "{}", acts[0]);
    server.verify();
}

/// M9: a code is valid for its own purpose only.
#[tokio::test]
async fn a_code_opens_only_the_door_that_it_was_sent_for() {
    let server = Server::memory().await;
    let user = server.user(1234).await;
    let (first, second) = (named(&server).await, named(&server).await);
    server.post(&format!("/v2/users/{user}/send-verification-token")).app_key().send().await.expect(202);
    let to_verify = newest_code(&server).await;
    post(&server, &format!("{first}/contact"), phone()).await.expect(200);
    let of_first = newest_code(&server).await;
    post(&server, &format!("{second}/contact"), phone()).await.expect(200);
    let of_second = newest_code(&server).await;
    assert!(to_verify != of_first && of_first != of_second);

    let verify = format!("/v2/users/{user}/verify");
    server.post(&verify).app_key().json(json!({"token": of_first})).send().await.refused(400, "wrong-token");
    for (link, foreign) in [(&first, &to_verify), (&first, &of_second), (&second, &of_first)] {
        post(&server, &format!("{link}/code"), json!({"token": foreign})).await.refused(400, "wrong-token");
    }
    // No code ended another: each is still valid for its own purpose.
    post(&server, &format!("{first}/code"), json!({"token": of_first})).await.expect(200);
    post(&server, &format!("{second}/code"), json!({"token": of_second})).await.expect(200);
}

/// L7: a code of one app neither ends nor resets the code of another app's payee.
#[tokio::test]
async fn a_code_of_one_app_is_not_ended_by_another_app() {
    let server = Server::memory().await;
    let user = server.user(1234).await;
    let other = server.post("/v2/apps").as_org().json(json!({"name": "App B"})).send().await.expect(201).id();
    let connect = json!({"user_id": user, "app_id": other});
    server.post("/v2/users/connect").as_org().json(connect).send().await.expect(200);
    let (send, verify) = (format!("/v2/users/{user}/send-verification-token"), format!("/v2/users/{user}/verify"));
    server.post(&send).app_key().send().await.expect(202);
    let code = newest_code(&server).await;
    for _ in 0..4 {
        let wrong = json!({"token": another(&code)});
        server.post(&verify).app_key().json(wrong).send().await.refused(400, "wrong-token");
    }
    server.post(&send).as_org().for_app(&other).send().await.expect(202);
    server.post(&send).app_key().send().await.expect(202);
    // Each log numbers its own events: none shows the codes of the other app.
    for (log, expected) in [(server.app_id(), vec![1, 2]), (other.clone(), vec![1])] {
        let page = server.get("/v2/events?limit=100").as_org().for_app(&log).send().await.expect(200).body;
        let events = page["data"].as_array().unwrap().iter().filter(|event| event["name"] == "verification.sent");
        let versions: Vec<i64> = events.map(|event| event["version"].as_i64().unwrap()).collect();
        assert_eq!(versions, expected, "{log}");
    }
    let wrong = server.post(&verify).app_key().json(json!({"token": another(&code)})).send().await;
    assert!(wrong.text.contains("after too many wrong attempts"), "the fifth try is the last: {}", wrong.text);
    server.work_off().await;
    let inbox = server.get("/v2/sandbox/messages?limit=1").as_org().for_app(&other).send().await.expect(200).body;
    let theirs = inbox["data"][0]["code"].clone();
    server.post(&verify).as_org().for_app(&other).json(json!({"token": theirs})).send().await.expect(200);
}

/// M10: an attacker with another link uses up neither a payee's sends nor their tries.
#[tokio::test]
async fn a_stranger_locks_no_payee_out() {
    let server = Server::memory().await;
    let (own, stranger) = (named(&server).await, link(&server, json!({})).await);
    let mut sent = 0;
    for _ in 0..6 {
        sent += i32::from(post(&server, &format!("{stranger}/contact"), phone()).await.status == 200);
    }
    assert_eq!(sent, 3, "links that name no payee have a small budget for each phone");
    for _ in 0..5 {
        post(&server, &format!("{own}/contact"), phone()).await.expect(200);
    }
    post(&server, &format!("{own}/contact"), phone()).await.refused(429, "rate-limited");
    guess(&server, &stranger, 20).await;
    let refused = post(&server, &format!("{stranger}/contact"), phone()).await;
    refused.refused(429, "rate-limited");
    let wait: i64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((29 * DAY..=30 * DAY).contains(&wait), "{wait}");
    post(&server, &format!("{own}/contact"), phone()).await.expect(200);
    let code = newest_code(&server).await;
    post(&server, &format!("{own}/code"), json!({"token": code})).await.expect(200);
}

/// H3: the codes of claims have a limit per app and day, too.
#[tokio::test]
async fn codes_of_claims_have_a_cap_for_each_app_and_day() {
    use bursar::verification::{CLAIM_SENDS_PER_DAY_MAX, VerificationDay};
    let server = Server::memory().await;
    let own = named(&server).await;
    post(&server, &format!("{own}/contact"), phone()).await.expect(200);
    let day = all::<VerificationDay>(&server).pop().expect("the app sent a code today");
    assert_eq!((day.sends, day.claim_sends), (0, 1));
    let full = VerificationDay { claim_sends: CLAIM_SENDS_PER_DAY_MAX, ..day };
    let key = bursar::world::Table::index_values(VerificationDay::TABLE.key(), &full.values());
    server.tamper(VerificationDay::TABLE, key, Some(full.values()));
    post(&server, &format!("{own}/contact"), phone()).await.refused(429, "rate-limited");
    server.advance(DAY);
    post(&server, &format!("{own}/contact"), phone()).await.expect(200);
}
