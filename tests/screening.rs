//! Sanctions screening: names that resemble one on the list, the review that follows, and its end.

use std::sync::Arc;

use bursar::clock::Time;
use bursar::engine::Command;
use bursar::jobs::{self, Job, Work};
use bursar::sanctions;
use bursar::screening::{Files, SCORE_MIN, Watchlist};
use bursar::world::{Halt, Record as _, World};
use futures::future::join_all;
use serde_json::{Value, json};

use crate::harness::{Reply, Server};

/// Returns a member of the demonstration organization.
pub fn member(server: &Server, role: &str) -> String {
    let credentials = server.credentials();
    let members = credentials["members"].as_array().unwrap();
    let found = members.iter().find(|member| member["role"] == role).expect("the sandbox has a member of each role");
    found["id"].as_str().unwrap().to_owned()
}

async fn create(server: &Server, first_name: &str, last_name: &str, phone: &str) -> Reply {
    let body = json!({
        "first_name": first_name, "last_name": last_name, "email": "somebody@example.com",
        "country_code": "1", "phone_number": phone
    });
    server.post("/v2/users").app_key().json(body).send().await.expect(201)
}

async fn verify(server: &Server, id: &str, phone: &str) {
    let path = format!("/v2/users/{id}");
    server.post(&format!("{path}/send-verification-token")).app_key().json(json!({})).send().await.expect(202);
    let code = server.newest_code(&format!("+1{phone}")).await;
    server.post(&format!("{path}/verify")).app_key().json(json!({ "token": code })).send().await.expect(200);
}

async fn user(server: &Server, id: &str) -> Value {
    server.get(&format!("/v2/users/{id}")).app_key().send().await.expect(200).body
}

async fn screening(server: &Server, id: &str) -> Value {
    server.get(&format!("/v2/users/{id}/screening")).app_key().send().await.expect(200).body
}

pub async fn decide(server: &Server, id: &str, decision: &str) -> Reply {
    let body = json!({"acting_user_id": member(server, "admin"), "comment": "Passport seen."});
    server.post(&format!("/v2/users/{id}/screening/{decision}")).as_org().json(body).send().await
}

/// Returns a list with these people, each `number,"NAME"`.
fn list(people: &[(i64, &str)]) -> Arc<Watchlist> {
    let row = |(number, name): &(i64, &str)| {
        format!("{number},\"{name}\",individual,SYNTHETIC,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \n")
    };
    let files = Files { sdn: people.iter().map(row).collect::<String>().into_bytes(), ..Files::default() };
    Arc::new(Watchlist::read(&files, Time::from_micros(0), SCORE_MIN).unwrap())
}

async fn user_events(server: &Server, id: &str) -> Vec<Value> {
    let events = server.get("/v2/events?limit=100").app_key().send().await.expect(200).body;
    let all = events["data"].as_array().unwrap().clone();
    all.into_iter().filter(|event| event["object_id"] == *id && event["name"] == "user.updated").collect()
}

#[tokio::test]
async fn get_screening_list() {
    let server = Server::start().await;
    let shown = server.get("/v2/screening/list").app_key().send().await.expect(200).body;
    assert_eq!((&shown["list"]["entries"], &shown["list"]["names"]), (&json!(7), &json!(11)));
    assert_eq!((&shown["list"]["score_min"], &shown["run"]), (&json!(85), &Value::Null));
    assert_eq!(shown["list"]["hash"].as_str().unwrap().len(), 64);
    server.get("/v2/screening/list").send().await.refused(401, "unauthorized");
}

#[tokio::test]
async fn get_user_screening() {
    let server = Server::memory().await;
    let id = create(&server, "Sanctionned", "Test", "2025550123").await.id();
    let found = screening(&server, &id).await;
    assert_eq!((&found["status"], &found["ofac_status"]), (&json!("in_review"), &json!("in_review")));
    let hit = &found["hits"][0];
    assert_eq!((&hit["listed_name"], &hit["entry"]), (&json!("SANCTIONED, Test"), &json!(90_001)));
    assert_eq!((&hit["status"], &hit["screened_name"]), (&json!("open"), &json!("Sanctionned Test")));
    assert!(hit["score"].as_i64().unwrap() >= 85 && hit["remarks"].as_str().unwrap().contains("DOB"), "{hit}");
    let pairs = hit["comparison"]["pairs"].as_array().unwrap();
    assert_eq!(pairs[0], json!({"screened": "test", "listed": "test", "alike": "same", "similarity": 100}));
    assert_eq!(pairs[1]["alike"], "sounds_alike");

    let clean = create(&server, "Jane", "Doe", "2025550124").await.id();
    assert_eq!(screening(&server, &clean).await["hits"], json!([]));
    // An organization's key sees every user of the organization; another app's key does not.
    server.get(&format!("/v2/users/{id}/screening")).as_org().send().await.expect(200);
    server.get("/v2/users/nobody/screening").app_key().send().await.refused(404, "not-found");
}

#[tokio::test]
async fn clear_user_screening() {
    let server = Server::memory().await;
    let id = create(&server, "Test", "Sanctioned", "2025550123").await.id();
    verify(&server, &id, "2025550123").await;
    assert_eq!(user(&server, &id).await["status"], "in_review", "a proven phone ends no review");
    let before = user_events(&server, &id).await.len();
    let cleared = decide(&server, &id, "clear").await.expect(200).body;
    assert_eq!((&cleared["status"], &cleared["ofac_status"]), (&json!("verified"), &json!("unflagged")));
    let hit = &cleared["hits"][0];
    assert_eq!((&hit["status"], &hit["comment"]), (&json!("cleared"), &json!("Passport seen.")));
    assert_eq!(hit["decided_by"], member(&server, "admin"));
    let shown = user(&server, &id).await;
    assert_eq!(
        (&shown["compliance"]["flags"]["ofac"], &shown["compliance"]["flagged"]),
        (&json!(false), &json!(false))
    );
    let events = user_events(&server, &id).await;
    assert_eq!(events.len(), before + 1);
    decide(&server, &id, "clear").await.refused(409, "invalid-state");

    // The decision is stored: the same name is not found again. Another one is.
    let path = format!("/v2/users/{id}");
    let rename = |first: &str| server.patch(&path).app_key().json(json!({ "first_name": first })).send();
    assert_eq!(rename("Jane").await.expect(200).body["status"], "verified");
    assert_eq!(rename("Test").await.expect(200).body["status"], "verified");
    assert_eq!(rename("Tést").await.expect(200).body["status"], "verified", "the same name, written otherwise");
    assert_eq!(rename("Teste").await.expect(200).body["status"], "in_review");
    assert_eq!(screening(&server, &id).await["hits"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn who_was_unverified_is_so_again_when_cleared() {
    let server = Server::memory().await;
    let id = create(&server, "Test", "Sanctioned", "2025550123").await.id();
    assert_eq!(decide(&server, &id, "clear").await.expect(200).body["status"], "unverified");
}

#[tokio::test]
async fn confirm_user_screening() {
    let server = Server::memory().await;
    let id = create(&server, "Test", "Sanctioned", "2025550123").await.id();
    verify(&server, &id, "2025550123").await;
    let money = json!({"user_id": id, "amount": -5_000});
    server.post("/v2/transfers").app_key().json(money.clone()).send().await.expect(200);
    let confirmed = decide(&server, &id, "confirm").await.expect(200).body;
    assert_eq!((&confirmed["status"], &confirmed["ofac_status"]), (&json!("disabled"), &json!("flagged")));
    let shown = user(&server, &id).await;
    assert_eq!((&shown["status"], &shown["wallet"]["amount"]), (&json!("disabled"), &json!(5_000)), "the money stays");
    assert_eq!(shown["compliance"]["flags"]["ofac"], true);
    // No money comes in or goes out, and the user cannot be erased.
    server.post("/v2/transfers").app_key().json(money).send().await.refused(409, "user-inactive");
    let back = json!({"user_id": id, "amount": 5_000});
    server.post("/v2/transfers").app_key().json(back).send().await.refused(409, "user-inactive");
    server.delete(&format!("/v2/users/{id}")).app_key().send().await.refused(409, "invalid-state");
    decide(&server, &id, "confirm").await.refused(409, "invalid-state");
    // A wrong decision can be revoked.
    assert_eq!(decide(&server, &id, "clear").await.expect(200).body["status"], "verified");
}

#[tokio::test]
async fn only_an_administrator_decides_with_the_organizations_key() {
    let server = Server::memory().await;
    let id = create(&server, "Test", "Sanctioned", "2025550123").await.id();
    let path = format!("/v2/users/{id}/screening/clear");
    let ask = |body: Value| server.post(&path).as_org().json(body).send();
    for role in ["viewer", "payer", "ap_approver", "ap_creator"] {
        let body = json!({"acting_user_id": member(&server, role), "comment": "x"});
        ask(body).await.refused(403, "not-permitted");
    }
    let admin = member(&server, "admin");
    let body = json!({"acting_user_id": admin, "comment": "x"});
    server.post(&path).app_key().json(body.clone()).send().await.refused(403, "organization-key-required");
    assert_eq!(ask(json!({})).await.fields(), ["/acting_user_id", "/comment"]);
    assert_eq!(ask(json!({"acting_user_id": admin, "comment": " "})).await.fields(), ["/comment"]);
    assert_eq!(ask(json!({"acting_user_id": "admin", "comment": "x"})).await.fields(), ["/acting_user_id"]);
    let stranger = json!({"acting_user_id": "00000000-0000-7000-8000-000000000000", "comment": "x"});
    ask(stranger).await.refused(404, "not-found");
    let clean = create(&server, "Jane", "Doe", "2025550124").await.id();
    decide(&server, &clean, "confirm").await.refused(409, "invalid-state");
    ask(body).await.expect(200);
}

#[tokio::test]
async fn of_many_decisions_at_once_one_counts() {
    let server = Server::memory().await;
    let id = create(&server, "Test", "Sanctioned", "2025550123").await.id();
    let answers = join_all((0..20).map(|number| {
        let decision = if number % 2 == 0 { "clear" } else { "confirm" };
        decide(&server, &id, decision)
    }))
    .await;
    let hits = screening(&server, &id).await["hits"].clone();
    let events = user_events(&server, &id).await.len();
    let done = answers.iter().filter(|answer| answer.status == 200).count();
    // Clearing a confirmed user revokes the confirmation; only a user under review can be confirmed.
    assert!((1..=2).contains(&done), "{done}");
    assert_eq!(events, 1 + done);
    assert_ne!(hits[0]["status"], "open");
}

#[tokio::test]
async fn who_is_under_review_is_not_erased() {
    let server = Server::memory().await;
    let id = create(&server, "Test", "Sanctioned", "2025550123").await.id();
    let path = format!("/v2/users/{id}");
    server.delete(&path).app_key().send().await.refused(409, "invalid-state");
    decide(&server, &id, "clear").await.expect(200);
    server.delete(&path).app_key().send().await.expect(200);
    let left = screening(&server, &id).await;
    assert_eq!((&left["name"], &left["hits"][0]["screened_name"]), (&Value::Null, &Value::Null));
    assert_eq!((&left["hits"][0]["comparison"], &left["hits"][0]["status"]), (&Value::Null, &json!("cleared")));
    decide(&server, &id, "clear").await.refused(409, "invalid-state");
}

#[tokio::test]
async fn another_list_screens_all_users_again_and_continues_after_a_restart() {
    let mut server = Server::start().await;
    let mut ids = Vec::new();
    for number in 0..45 {
        let last_name = if number % 20 == 7 { "Quellmann" } else { "Doe" };
        ids.push(create(&server, "Jane", last_name, &format!("20255501{number:02}")).await.id());
    }
    let cleared = create(&server, "Test", "Sanctioned", "2025550198").await.id();
    decide(&server, &cleared, "clear").await.expect(200);

    let newer = list(&[(90_001, "SANCTIONED, Test"), (7, "QUELLMANN, Jane")]);
    sanctions::take_up(server.bursar(), newer.clone()).await.unwrap();
    // The second switch to a list screens nothing.
    assert_eq!(sanctions::screen_all_users(server.bursar()).await.unwrap(), 0);
    server.restart().await;
    server.bursar().use_watchlist(newer);
    server.work_off().await;
    for (number, id) in ids.iter().enumerate() {
        let expected = if number % 20 == 7 { "in_review" } else { "unverified" };
        assert_eq!(user(&server, id).await["status"], expected, "{number}");
    }
    assert_eq!(user(&server, &cleared).await["status"], "unverified", "the same name beside the same entry");
    let run = server.get("/v2/screening/list").app_key().send().await.body["run"].clone();
    assert_eq!((&run["users_screened"], &run["users_flagged"]), (&json!(46), &json!(2)));
    assert_ne!(run["finished_at"], Value::Null);

    // The same person under another number of the list is a new finding.
    sanctions::take_up(server.bursar(), list(&[(8, "SANCTIONED, Test")])).await.unwrap();
    server.work_off().await;
    assert_eq!(user(&server, &cleared).await["status"], "in_review");
}

#[tokio::test]
async fn a_newer_list_ends_the_run_of_the_one_before() {
    let server = Server::memory().await;
    let id = create(&server, "Jane", "Quellmann", "2025550123").await.id();
    sanctions::take_up(server.bursar(), list(&[(1, "QUELLMANN, Jane")])).await.unwrap();
    sanctions::take_up(server.bursar(), list(&[(2, "NO_ORGANIZATION, At all")])).await.unwrap();
    server.work_off().await;
    assert_eq!(user(&server, &id).await["status"], "unverified");
    let shown = server.get("/v2/screening/list").app_key().send().await.body;
    assert_eq!(shown["run"]["list"], shown["list"]["hash"]);
    assert_ne!(shown["run"]["finished_at"], Value::Null);
}

/// Returns whether the screening run with the current list is finished.
async fn is_through(server: &Server) -> bool {
    let shown = server.get("/v2/screening/list").app_key().send().await.expect(200).body;
    shown["run"]["finished_at"] != Value::Null
}

/// Processes check for a list once a minute, each at its own time.
#[tokio::test]
async fn a_process_with_the_list_of_before_leaves_a_run_to_those_who_have_its_list() {
    let server = Server::memory().await;
    let id = create(&server, "Jane", "Quellmann", "2025550123").await.id();
    let (older, newer) = (list(&[(2, "NO_ORGANIZATION, At all")]), list(&[(1, "QUELLMANN, Jane")]));
    sanctions::take_up(server.bursar(), older.clone()).await.unwrap();
    server.work_off().await;
    sanctions::take_up(server.bursar(), newer.clone()).await.unwrap();
    server.bursar().use_watchlist(older);
    server.work_off().await;
    assert_eq!(user(&server, &id).await["status"], "unverified");
    assert!(!is_through(&server).await);
    server.bursar().use_watchlist(newer);
    assert_eq!(sanctions::screen_all_users(server.bursar()).await, Ok(0), "its job is there");
    server.pass(60).await;
    assert_eq!(user(&server, &id).await["status"], "in_review");
    assert!(is_through(&server).await);
    assert_eq!(sanctions::screen_all_users(server.bursar()).await, Ok(0), "it is through");
}

/// Ends a job without running it.
struct Lose(Arc<Job>);

impl Command for Lose {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let job = world.get::<Job>(self.0.key())?.expect("it is there");
        world.remove(&job);
        Ok(())
    }
}

#[tokio::test]
async fn a_run_whose_job_was_lost_resumes_at_the_next_check_of_the_list() {
    let server = Server::memory().await;
    let id = create(&server, "Jane", "Quellmann", "2025550123").await.id();
    sanctions::take_up(server.bursar(), list(&[(1, "QUELLMANN, Jane")])).await.unwrap();
    let job = server.bursar().read(jobs::earliest).await.unwrap().expect("it is there");
    assert!(matches!(job.work.0, Work::ScreenUsers { .. }));
    server.bursar().engine.run(job.org, Lose(job)).await.unwrap();
    server.work_off().await;
    assert!(!is_through(&server).await);
    assert_eq!(sanctions::screen_all_users(server.bursar()).await, Ok(1));
    server.work_off().await;
    assert_eq!(user(&server, &id).await["status"], "in_review");
    assert!(is_through(&server).await);
}

/// Opens a session of a link; returns the claim's address and the secret.
async fn open_session(server: &Server, link: &Value, phone: &str) -> (String, String) {
    let token = link["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let path = format!("/v2/claims/{token}");
    let contact = json!({"country_code": "1", "phone_number": phone});
    server.post(&format!("{path}/contact")).json(contact).send().await.expect(200);
    let code = server.newest_code(&format!("+1{phone}")).await;
    let opened = server.post(&format!("{path}/code")).json(json!({ "token": code })).send().await.expect(200).body;
    (path, opened["session"].as_str().unwrap().to_owned())
}

async fn step(server: &Server, (path, session): &(String, String), step: &str, body: Value) -> Reply {
    server.post(&format!("{path}/{step}")).header("claim-session", session).json(body).send().await
}

#[tokio::test]
async fn a_payee_under_review_is_asked_to_wait() {
    let server = Server::memory().await;
    let body = json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let link = server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201).body;
    let session = open_session(&server, &link, "2127361234").await;
    let name = json!({"first_name": "Test", "last_name": "Sanctioned"});
    let after = step(&server, &session, "profile", name).await.expect(200).body;
    assert_eq!(after["next_step"]["name"], "method", "the payee may go on and tell the rest");
    let bank = json!({"platform": "ach", "routing_number": "110000000", "account_number": "123456789"});
    let after = step(&server, &session, "method", bank).await.expect(200).body;
    assert_eq!(after["next_step"], Value::Null);
    assert!(after["on_hold"].as_str().unwrap().contains("Your money is safe"), "{after}");
    assert!(!after["on_hold"].as_str().unwrap().contains("anction"), "the payee learns nothing of the list");
    step(&server, &session, "payout", json!({})).await.refused(409, "invalid-state");
    let page = |below: &str| {
        let cookie = format!("bursar_claim={}", session.1);
        let token = session.0.strip_prefix("/v2/claims/").unwrap();
        server.get(&format!("/claim/{token}{below}")).header("cookie", cookie).send()
    };
    let shown = page("").await.expect(200);
    for part in ["This payout is on hold", "<p class=\"claim-amount\">$10.00</p>", "badge-sandbox"] {
        assert!(shown.text.contains(part), "{part}: {}", shown.text);
    }
    assert_eq!(page("/payout").await.status, 303, "the last step is not offered");

    let users = server.get("/v2/users?status=in_review").app_key().send().await.expect(200).body;
    let id = users["data"][0]["id"].as_str().unwrap().to_owned();
    decide(&server, &id, "clear").await.expect(200);
    let done = step(&server, &session, "payout", json!({})).await.expect(200).body;
    assert_eq!((&done["on_hold"], &done["status"]), (&Value::Null, &json!("claimed")));
}

#[tokio::test]
async fn the_name_on_a_link_is_screened_when_it_is_claimed() {
    let server = Server::memory().await;
    let payee =
        json!({"first_name": "Andrej", "last_name": "Wexler", "country_code": "1", "phone_number": "2127361234"});
    let body = json!({"amount": 1_000, "payee": payee});
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body;
    let session = open_session(&server, &link, "2127361234").await;
    let name = json!({"first_name": "Jane", "last_name": "Doe"});
    let after = step(&server, &session, "profile", name).await.expect(200).body;
    assert!(after["on_hold"].is_string(), "{after}");
    let users = server.get("/v2/users?status=in_review").app_key().send().await.expect(200).body;
    let found = screening(&server, users["data"][0]["id"].as_str().unwrap()).await;
    assert_eq!((&found["name"], &found["hits"][0]["screened_name"]), (&json!("Jane Doe"), &json!("Andrej Wexler")));
}

#[tokio::test]
async fn listed_names_in_disguise_go_under_review() {
    let server = Server::memory().await;
    let mut phone = 2_127_361_300_u64;
    for (first, last, found) in [
        ("T3st", "S4nct10ned", true),
        ("T e s t", "S a n c t i o n e d", true),
        ("Testsanc", "tioned", true),
        ("TestSanctioned", "X", true),
        ("Ondrejj Maria", "Vexler", true),
        ("Test", "Sanctioned-Smith-Johnson-Brown", true),
        ("Jane 7", "Doe", false),
        ("Tessa", "Anderson", false),
    ] {
        phone += 1;
        let id = create(&server, first, last, &phone.to_string()).await.id();
        let hits = screening(&server, &id).await["hits"].as_array().map_or(0, Vec::len);
        assert_eq!(hits > 0, found, "{first} {last}");
    }
}
