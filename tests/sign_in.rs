//! Sign-in of members: passwords, second factors, sessions, and their end.

use bursar::members::sign_in::totp;
use serde_json::{Value, json};

use crate::harness::{Reply, Server};
use crate::samples::base32;

const PASSWORD: &str = "correct horse battery";
const CURRENT: &str = "/v2/member-sessions/current";
const MINUTE: i64 = 60;

fn member(server: &Server, role: &str) -> Value {
    let credentials = server.credentials();
    credentials["members"].as_array().unwrap().iter().find(|member| member["role"] == role).unwrap().clone()
}

async fn sign_in(server: &Server, role: &str, with: Value) -> Reply {
    let credentials = server.credentials();
    let member = member(server, role);
    let mut body = json!({
        "organization_id": credentials["organization"]["id"], "email": member["email"], "password": member["password"],
    });
    for (name, value) in with.as_object().unwrap() {
        body[name] = value.clone();
    }
    server.post("/v2/member-sessions").json(body).send().await
}

/// Returns whether a session is valid.
async fn is_live(server: &Server, session: &str) -> bool {
    let reply = server.get("/v2/member-sessions").by(session).send().await;
    assert!(matches!(reply.status, 200 | 401), "{}", reply.text);
    reply.status == 200
}

/// Sets up a second factor of the demonstration member of a role; returns the secret and the recovery codes.
async fn second_factor(server: &Server, role: &str) -> (Vec<u8>, Vec<String>) {
    let session = server.sign_in(role).await;
    let password = json!({"current_password": member(server, role)["password"]});
    let begun = server.post(&format!("{CURRENT}/totp")).by(&session).json(password).send().await.expect(200).body;
    let secret = base32(begun["secret"].as_str().unwrap());
    assert!(begun["uri"].as_str().unwrap().starts_with("otpauth://totp/bursar:"));
    let code = totp::code_now(&secret, server.now());
    let path = format!("{CURRENT}/totp/confirm");
    let confirmed = server.post(&path).by(&session).json(json!({"code": code})).send().await.expect(200).body;
    let codes: Vec<String> =
        confirmed["recovery_codes"].as_array().unwrap().iter().map(|code| code.as_str().unwrap().to_owned()).collect();
    (secret, codes)
}

#[tokio::test]
async fn open_member_session_takes_the_password_of_the_credentials_file() {
    let server = Server::memory().await;
    for role in ["admin", "viewer", "payer", "ap_approver", "ap_creator"] {
        let opened = sign_in(&server, role, json!({})).await.expect(201);
        assert_eq!(opened.header("cache-control"), Some("no-store"));
        assert_eq!(opened.body["member"]["role"], role);
        assert_eq!(opened.body["member_id"], member(&server, role)["id"]);
        assert_eq!((&opened.body["second_factor"], &opened.body["recovery_codes_left"]), (&json!(false), &Value::Null));
        assert!(is_live(&server, opened.body["token"].as_str().unwrap()).await);
    }
}

#[tokio::test]
async fn every_wrong_sign_in_has_one_answer() {
    let server = Server::memory().await;
    let mut texts = Vec::new();
    for with in [
        json!({"password": "something else entirely"}),
        json!({"email": "nobody@example.com"}),
        json!({"organization_id": "0198c0de-0000-7000-8000-000000000001"}),
    ] {
        let mut body = sign_in(&server, "admin", with).await.refused(401, "unauthorized").body.clone();
        assert!(body["request_id"].take().is_string());
        texts.push(body);
    }
    texts.dedup();
    assert_eq!(texts.len(), 1, "{texts:?}");
    for field in ["organization_id", "email", "password"] {
        let reply = sign_in(&server, "admin", json!({ field: null })).await;
        assert_eq!(reply.fields(), [format!("/{field}")]);
    }
    let both = sign_in(&server, "admin", json!({"code": "123456", "recovery_code": "AAAAA-AAAAA"})).await;
    both.refused(400, "invalid-input");
}

#[tokio::test]
async fn wrong_passwords_slow_down_the_guesser_and_never_lock_the_owner_out() {
    let server = Server::memory().await;
    let guess = || sign_in(&server, "admin", json!({"password": "something else entirely"}));
    for _ in 0..5 {
        guess().await.refused(401, "unauthorized");
    }
    let slowed = guess().await;
    slowed.refused(429, "rate-limited");
    assert_eq!(slowed.header("retry-after"), Some("1"));
    // The correct password must wait too from there, or the wait would reveal it.
    sign_in(&server, "admin", json!({})).await.refused(429, "rate-limited");
    server.advance(1);
    guess().await.refused(401, "unauthorized");
    let slowed = guess().await;
    assert_eq!(slowed.refused(429, "rate-limited").header("retry-after"), Some("2"), "each wrong one doubles the wait");
    // Colleagues behind the same address can sign in, and so can the owner after the wait.
    sign_in(&server, "payer", json!({})).await.expect(201);
    server.advance(2);
    sign_in(&server, "admin", json!({})).await.expect(201);
    guess().await.refused(401, "unauthorized");
}

#[tokio::test]
async fn a_session_ends_an_hour_after_its_last_use_and_twelve_hours_after_its_start() {
    let server = Server::memory().await;
    let session = server.sign_in("viewer").await;
    server.advance(59 * MINUTE);
    assert!(is_live(&server, &session).await, "a use puts the end off");
    server.advance(59 * MINUTE);
    assert!(is_live(&server, &session).await);
    server.advance(60 * MINUTE);
    assert!(!is_live(&server, &session).await);

    let session = server.sign_in("viewer").await;
    for _ in 0..23 {
        server.advance(30 * MINUTE);
        assert!(is_live(&server, &session).await);
    }
    server.advance(30 * MINUTE);
    assert!(!is_live(&server, &session).await, "twelve hours are over");
}

#[tokio::test]
async fn list_member_sessions_and_end_member_session_are_for_their_owner_and_for_admins() {
    let server = Server::memory().await;
    let opened = sign_in(&server, "payer", json!({})).await.expect(201);
    let (payer, id) = (opened.body["token"].as_str().unwrap().to_owned(), opened.id());
    let (viewer, admin) = (server.sign_in("viewer").await, server.sign_in("admin").await);
    let count = async |session: &str| {
        let list = server.get("/v2/member-sessions").by(session).send().await.expect(200).body;
        assert!(!list.to_string().contains("token"), "{list}");
        list["data"].as_array().unwrap().len()
    };
    assert_eq!((count(&payer).await, count(&viewer).await, count(&admin).await), (1, 1, 3));
    let mine = server.get("/v2/member-sessions").as_org().send().await.expect(200).body;
    assert_eq!(mine["data"].as_array().unwrap().len(), 3);
    let others = format!("/v2/member-sessions?member_id={}", member(&server, "payer")["id"].as_str().unwrap());
    let shown = server.get(&others).by(&viewer).send().await.expect(200).body;
    assert_eq!(shown["data"][0]["member_id"], member(&server, "viewer")["id"], "a viewer sees their own in any case");

    let path = format!("/v2/member-sessions/{id}");
    server.delete(&path).by(&viewer).send().await.refused(403, "not-permitted");
    assert!(is_live(&server, &payer).await);
    let ended = server.delete(&path).by(&admin).send().await.expect(200).body;
    assert!(ended["ended"].is_string());
    assert!(!is_live(&server, &payer).await);
    assert_eq!(server.delete(&path).as_org().send().await.expect(200).body, ended, "once more changes nothing");
    let own = sign_in(&server, "viewer", json!({})).await.expect(201).id();
    server.delete(&format!("/v2/member-sessions/{own}")).by(&viewer).send().await.expect(200);
    server.delete(&format!("/v2/member-sessions/{}", server.app_id())).as_org().send().await.refused(404, "not-found");
}

#[tokio::test]
async fn a_role_that_changes_and_a_removal_end_every_session() {
    let server = Server::memory().await;
    let payer = member(&server, "payer")["id"].as_str().unwrap().to_owned();
    let path = format!("/v2/members/{payer}");
    let session = server.sign_in("payer").await;
    server.patch(&path).as_org().json(json!({"name": "Another Name"})).send().await.expect(200);
    assert!(is_live(&server, &session).await, "a name is no authority");
    server.patch(&path).as_org().json(json!({"role": "viewer"})).send().await.expect(200);
    assert!(!is_live(&server, &session).await);
    let session = server.sign_in("payer").await;
    server.delete(&path).as_org().send().await.expect(200);
    assert!(!is_live(&server, &session).await);
    sign_in(&server, "payer", json!({})).await.refused(401, "unauthorized");
}

#[tokio::test]
async fn a_session_that_is_ended_in_one_process_is_ended_in_another() {
    let mut server = Server::start().await;
    let opened = sign_in(&server, "payer", json!({})).await.expect(201);
    let session = opened.body["token"].as_str().unwrap().to_owned();
    server.restart().await;
    assert!(is_live(&server, &session).await, "sessions are rows");
    server.delete(&format!("/v2/member-sessions/{}", opened.id())).as_org().send().await.expect(200);
    server.restart().await;
    assert!(!is_live(&server, &session).await);
}

#[tokio::test]
async fn change_member_password_takes_the_old_one_and_ends_every_session() {
    let server = Server::memory().await;
    let (session, other) = (server.sign_in("admin").await, server.sign_in("admin").await);
    let change = |current: Value, new: &str| {
        let body = json!({"current_password": current, "password": new});
        server.post(&format!("{CURRENT}/password")).by(&session).json(body).send()
    };
    let current = member(&server, "admin")["password"].clone();
    change(json!("something else entirely"), PASSWORD).await.refused(400, "wrong-token");
    assert_eq!(change(current.clone(), "short").await.fields(), ["/password"]);
    change(current.clone(), PASSWORD).await.expect(200);
    assert!(!is_live(&server, &session).await && !is_live(&server, &other).await);
    sign_in(&server, "admin", json!({})).await.refused(401, "unauthorized");
    sign_in(&server, "admin", json!({"password": PASSWORD})).await.expect(201);
}

#[tokio::test]
async fn start_member_totp_confirm_member_totp_ask_for_a_code_from_then_on() {
    let server = Server::memory().await;
    let (secret, recovery) = second_factor(&server, "admin").await;
    assert_eq!(recovery.len(), 10);
    sign_in(&server, "admin", json!({})).await.refused(403, "second-factor-required");
    let code = totp::code_now(&secret, server.now());
    let with = |code: &str| json!({"code": code});
    // The step of the confirmation counts as used, and so does every step that opened a session.
    sign_in(&server, "admin", with(&code)).await.refused(400, "wrong-token");
    server.advance(30);
    let code = totp::code_now(&secret, server.now());
    let opened = sign_in(&server, "admin", with(&code)).await.expect(201).body;
    assert_eq!((&opened["second_factor"], &opened["recovery_codes_left"]), (&json!(true), &json!(10)));
    sign_in(&server, "admin", with(&code)).await.refused(400, "wrong-token");
    sign_in(&server, "admin", with("000000")).await.refused(400, "wrong-token");
    // A code without the password opens nothing.
    server.advance(30);
    let body = json!({"code": totp::code_now(&secret, server.now()), "password": "something else entirely"});
    sign_in(&server, "admin", body).await.refused(401, "unauthorized");
}

#[tokio::test]
async fn one_code_opens_one_session_in_a_race() {
    let server = Server::memory().await;
    let (secret, _) = second_factor(&server, "admin").await;
    server.advance(30);
    let code = totp::code_now(&secret, server.now());
    let body = || json!({"code": code});
    let (one, two, three) = tokio::join!(
        sign_in(&server, "admin", body()),
        sign_in(&server, "admin", body()),
        sign_in(&server, "admin", body())
    );
    let mut statuses = [one.status, two.status, three.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 400, 400]);
}

#[tokio::test]
async fn a_recovery_code_is_used_once() {
    let server = Server::memory().await;
    let (_, recovery) = second_factor(&server, "admin").await;
    let with = |code: &str| json!({"recovery_code": code});
    let lower = recovery[0].to_lowercase().replace('-', " ");
    let opened = sign_in(&server, "admin", with(&lower)).await.expect(201).body;
    assert_eq!(opened["recovery_codes_left"], 9);
    sign_in(&server, "admin", with(&recovery[0])).await.refused(400, "wrong-token");
    sign_in(&server, "admin", with(&recovery[1])).await.expect(201);
    sign_in(&server, "payer", with(&recovery[2])).await.expect(201);
}

#[tokio::test]
async fn remove_member_totp_takes_the_password_and_reset_member_totp_the_organizations_key() {
    let server = Server::memory().await;
    let (secret, _) = second_factor(&server, "admin").await;
    server.advance(30);
    let code = totp::code_now(&secret, server.now());
    let session = sign_in(&server, "admin", json!({"code": code})).await.expect(201).body["token"].clone();
    let session = session.as_str().unwrap();
    let remove = |password: Value| {
        let body = json!({"current_password": password});
        server.delete(&format!("{CURRENT}/totp")).by(session).json(body).send()
    };
    remove(json!("something else entirely")).await.refused(400, "wrong-token");
    remove(member(&server, "admin")["password"].clone()).await.expect(204);
    sign_in(&server, "admin", json!({})).await.expect(201);

    second_factor(&server, "payer").await;
    let path = format!("/v2/members/{}/totp", member(&server, "payer")["id"].as_str().unwrap());
    server.delete(&path).by(session).send().await.refused(403, "not-permitted");
    sign_in(&server, "payer", json!({})).await.refused(403, "second-factor-required");
    server.delete(&path).as_org().send().await.expect(204);
    sign_in(&server, "payer", json!({})).await.expect(201);
}

#[tokio::test]
async fn invite_member_and_set_up_member_give_a_password_once() {
    let server = Server::memory().await;
    let admin = server.sign_in("admin").await;
    let body = json!({"name": "Jane Doe", "email": "jane@example.com", "role": "payer"});
    let jane = server.post("/v2/members").by(&admin).json(body.clone()).send().await.expect(201).id();
    let path = format!("/v2/members/{jane}/set-up-token");
    let invited = async || {
        let reply = server.post(&path).by(&admin).send().await.expect(201);
        reply.body["token"].as_str().unwrap().to_owned()
    };
    let set_up = |token: &str, password: &str| {
        server.post("/v2/member-set-ups").json(json!({"token": token, "password": password})).send()
    };
    let first = invited().await;
    let token = invited().await;
    set_up(&first, PASSWORD).await.refused(400, "wrong-token");
    assert_eq!(set_up(&token, "short").await.fields(), ["/password"]);
    set_up(&token, PASSWORD).await.expect(200);
    set_up(&token, PASSWORD).await.refused(400, "wrong-token");
    let credentials = server.credentials();
    let jane_in = json!({
        "organization_id": credentials["organization"]["id"], "email": "JANE@example.com", "password": PASSWORD,
    });
    server.post("/v2/member-sessions").json(jane_in).send().await.expect(201);

    // An admin who could replace or choose a password would act as another member.
    server.post(&path).by(&admin).send().await.refused(403, "organization-key-required");
    let chosen = json!({"password": "another horse battery"});
    server
        .patch(&format!("/v2/members/{jane}"))
        .by(&admin)
        .json(chosen)
        .send()
        .await
        .refused(403, "organization-key-required");
    let mut with = body;
    with["email"] = json!("john@example.com");
    with["password"] = json!(PASSWORD);
    server.post("/v2/members").by(&admin).json(with).send().await.refused(403, "organization-key-required");
    let token = server.post(&path).as_org().send().await.expect(201).body["token"].as_str().unwrap().to_owned();
    server.advance(24 * 60 * MINUTE);
    set_up(&token, PASSWORD).await.refused(400, "wrong-token");
}

#[tokio::test]
async fn a_secret_of_signing_in_is_nowhere_in_the_store() {
    let server = Server::failing().await;
    server.store().watch();
    let (secret, recovery) = second_factor(&server, "admin").await;
    let session = server.sign_in("payer").await;
    let rows = format!("{:?}", server.store().take_changes().iter().map(|change| &change.after).collect::<Vec<_>>());
    assert!(rows.contains("$argon2id$") || rows.len() > 1_000, "there was something to look at");
    for kept in [session.as_str(), &recovery[0], &recovery[0].replace('-', ""), &totp::base32(&secret)] {
        assert!(!rows.contains(kept), "{kept} lies open");
    }
    let secret = format!("{secret:?}");
    assert!(!rows.contains(secret.trim_matches(['[', ']'])));
}
