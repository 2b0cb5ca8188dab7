//! Apps, members, users, reviews.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bursar::members::sign_in::totp;
use serde_json::{Value, json};

use super::watch::{Covered, Scene};
use crate::harness::Server;
use crate::samples::base32;

const DAY: i64 = 86_400;

/// Creates another app of the organization, whose log is watched too; returns its id.
async fn second_app(scene: &mut Scene<'_>) -> String {
    let made = scene.ask("POST /v2/apps", json!({"name": "Corner Shop"}), 201, &[]).await.id();
    scene.also(&made, &["B: app.updated #1 approved"]).await;
    made
}

/// Requests without a change are sent twice: they have no second event.
pub async fn apps(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let app = format!("/v2/apps/{}", second_app(&mut scene).await);
    let reported: &[&str] = &["B: app.updated #1 approved"];
    let logo = STANDARD.encode(crate::brands::png(64, 64));
    for (path, change) in [
        (format!("PATCH {app}"), json!({"name": "Another"})),
        (format!("PATCH {app}"), json!({"metadata": "gold"})),
        (format!("PUT {app}/settings"), json!({"payout_fee_party": "platform"})),
        (format!("PUT {app}/settings"), json!({"fees": {"ach": {"fixed": 7}}})),
        (format!("PUT {app}/brand"), json!({"color": "#1f4e9e"})),
        (format!("PUT {app}/logo"), json!({"image": logo})),
        (format!("DELETE {app}/logo"), Value::Null),
    ] {
        scene.ask(&path, change.clone(), 200, reported).await;
        scene.ask(&path, change, 200, &[]).await;
    }
    let compliance = json!({"flow_of_funds": {"usage": "Payouts"}});
    scene.ask(&format!("PUT {app}/compliance"), compliance.clone(), 201, reported).await;
    scene.ask(&format!("PUT {app}/compliance"), compliance, 200, &[]).await;
    let account = json!({"account_number": "000111222333", "routing_number": "110000000"});
    scene.ask(&format!("PUT {app}/ach-account"), account, 200, reported).await;

    let key = scene.ask(&format!("POST {app}/keys"), Value::Null, 201, reported).await;
    let key = format!("DELETE {app}/keys/{}", key.body["client_id"].as_str().unwrap());
    scene.ask(&key, Value::Null, 200, reported).await;
    scene.ask(&key, Value::Null, 200, &[]).await;

    // The log of a deleted app cannot be read: its keys are dead, and it is not found.
    scene.without(app.rsplit('/').next().unwrap());
    scene.ask(&format!("DELETE {app}"), Value::Null, 200, &[]).await;
}

/// The members are in the log of every app.
pub async fn members(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    second_app(&mut scene).await;
    let member = json!({"name": "Mary Member", "email": "mary@example.com", "role": "viewer"});
    let active: &[&str] = &["member.updated #1 active", "B: member.updated #1 active"];
    let made = scene.ask("POST /v2/members", member, 201, active).await.id();
    let path = format!("/v2/members/{made}");
    for change in
        [json!({"role": "payer"}), json!({"name": "Mary Major"}), json!({"password": "correct horse battery"})]
    {
        scene.ask(&format!("PATCH {path}"), change, 200, active).await;
    }
    scene.ask(&format!("PATCH {path}"), json!({"role": "payer", "name": "Mary Major"}), 200, &[]).await;
    let removed: &[&str] = &["member.updated #1 removed", "B: member.updated #1 removed"];
    scene.ask(&format!("DELETE {path}"), Value::Null, 200, removed).await;
    scene.ask(&format!("DELETE {path}"), Value::Null, 200, &[]).await;
}

/// A sign-in concerns only the member; a changed password is a change of the member.
pub async fn sign_ins(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let active: &[&str] = &["member.updated #1 active"];
    let member = json!({"name": "Mary Member", "email": "mary@example.com", "role": "viewer"});
    let member = format!("/v2/members/{}", scene.ask("POST /v2/members", member, 201, active).await.id());
    let invited = scene.ask(&format!("POST {member}/set-up-token"), json!({}), 201, &[]).await.body;
    let password = "correct horse battery";
    let set_up = json!({"token": invited["token"], "password": password});
    scene.ask("POST /v2/member-set-ups", set_up, 200, active).await;
    let organization = scene.server.credentials()["organization"]["id"].clone();
    let sign_in = json!({"organization_id": organization, "email": "mary@example.com", "password": password});
    let opened = scene.ask("POST /v2/member-sessions", sign_in.clone(), 201, &[]).await;
    let session = opened.body["token"].as_str().unwrap().to_owned();

    let own = "/v2/member-sessions/current";
    let proof = json!({"current_password": password});
    let begun = scene.ask_session(&format!("POST {own}/totp"), Some(&session), proof.clone(), 200, &[]).await.body;
    let secret = base32(begun["secret"].as_str().unwrap());
    let code = json!({"code": totp::code_now(&secret, scene.server.now())});
    scene.ask_session(&format!("POST {own}/totp/confirm"), Some(&session), code, 200, &[]).await;
    scene.ask_session(&format!("DELETE {own}/totp"), Some(&session), proof, 204, &[]).await;
    scene.ask(&format!("DELETE {member}/totp"), Value::Null, 204, &[]).await;
    let change = json!({"current_password": password, "password": "another horse battery"});
    scene.ask_session(&format!("POST {own}/password"), Some(&session), change, 200, active).await;
    scene.ask(&format!("DELETE /v2/member-sessions/{}", opened.id()), Value::Null, 200, &[]).await;
}

fn person(line: u32, last_name: &str) -> Value {
    json!({
        "first_name": "Test", "last_name": last_name, "email": format!("test{line}@example.com"),
        "country_code": "1", "phone_number": format!("212736{line}"),
    })
}

/// Proves a phone: the events are the code and the proof. The user is `verified` now.
async fn verify(scene: &mut Scene<'_>, user: &str, line: u32, expected: &[&str]) {
    scene.ask(&format!("POST {user}/send-verification-token"), json!({}), 202, &["verification.sent #1"]).await;
    scene.work(&[]).await;
    let code = scene.server.newest_code(&format!("+1212736{line}")).await;
    scene.ask(&format!("POST {user}/verify"), json!({"token": code}), 200, expected).await;
}

/// The states of a user, in two apps.
pub async fn users(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let app = second_app(&mut scene).await;
    let made = scene.ask("POST /v2/users", person(2001, "Doe"), 201, &["user.updated #1 unverified"]).await.id();
    scene.ask("POST /v2/users", person(2001, "Doe"), 201, &[]).await;
    let user = format!("/v2/users/{made}");
    verify(&mut scene, &user, 2001, &["user.updated #1 verified"]).await;

    let connect = json!({"user_id": made, "app_id": app});
    scene.ask("POST /v2/users/connect", connect.clone(), 200, &["B: user.updated #1 verified"]).await;
    scene.ask("POST /v2/users/connect", connect, 200, &[]).await;
    // From here on both apps have the user: each gets events about the payee, and about its own profile.
    let own: &[&str] = &["user.updated #1 verified"];
    let both: &[&str] = &["user.updated #1 verified", "B: user.updated #1 verified"];
    let address =
        json!({"postcode": "10001", "city": "New York", "state": "NY", "country": "US", "line_1": "1 Main St"});
    let form = json!({"w9": {
        "entity_type": "individual", "tax_id_type": "ssn",
        "name": "Test Doe", "tax_id": "123-45-6789", "line_1": "1 Main St", "city": "New York", "state": "NY",
        "postcode": "10001", "certified": true,
    }});
    scene.ask(&format!("PATCH {user}"), json!({"metadata": "gold"}), 200, own).await;
    scene.ask(&format!("PATCH {user}"), json!({"metadata": "gold"}), 200, &[]).await;
    scene.ask(&format!("PUT {user}/addresses"), address, 201, both).await;
    scene.ask(&format!("PUT {user}/compliance"), form, 200, both).await;

    let method: &[&str] = &["user.updated.payout_method #1 verified"];
    let account = json!({"platform": "ach", "routing_number": "110000000", "account_number": "000123456789"});
    let set = scene.ask(&format!("PUT {user}/payout-methods"), account, 200, method).await.id();
    scene.ask(&format!("PATCH {user}"), json!({"auto_payout_enabled": true}), 200, own).await;
    let set = format!("DELETE {user}/payout-methods/{set}");
    scene.ask(&set, Value::Null, 200, method).await;
    scene.ask(&set, Value::Null, 200, &[]).await;

    // The app ends its own connection; for the other one nothing changes.
    let disabled: &[&str] = &["user.updated #1 disabled"];
    scene.ask(&format!("DELETE {user}"), Value::Null, 200, disabled).await;
    scene.ask(&format!("DELETE {user}"), Value::Null, 200, &[]).await;
    let other = scene.ask("POST /v2/users", person(2002, "Doe"), 201, &["user.updated #2 unverified"]).await.id();
    let gone: &[&str] = &["user.updated #2 disabled"];
    scene.ask(&format!("DELETE /v2/users/{other}"), Value::Null, 200, gone).await;
}

/// Reviews: every start, every end, and back.
pub async fn reviews(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let members = scene.server.credentials()["members"].clone();
    let admin = members.as_array().unwrap().iter().find(|member| member["role"] == "admin").unwrap()["id"].clone();
    let decision = json!({"acting_user_id": admin, "comment": "Passport seen."});
    let decide = |user: &str, word: &str| format!("POST {user}/screening/{word}");
    let found = |findings: Value| {
        let mut body = decision.clone();
        body.as_object_mut().unwrap().extend(findings.as_object().unwrap().clone());
        body
    };

    let made = scene.ask("POST /v2/users", person(2001, "Sanctioned"), 201, &["user.updated #1 in_review"]).await;
    let user = format!("/v2/users/{}", made.id());
    scene.ask(&decide(&user, "confirm"), decision.clone(), 200, &["user.updated #1 disabled"]).await;
    scene.ask(&decide(&user, "clear"), decision.clone(), 200, &["user.updated #1 unverified"]).await;
    verify(&mut scene, &user, 2001, &["user.updated #1 verified"]).await;
    // The findings of members are part of the user.
    let checked = found(json!({"id_verified": true, "background_check": {"status": "started"}}));
    scene.ask(&format!("PATCH {user}/compliance"), checked.clone(), 200, &["user.updated #1 verified"]).await;
    scene.ask(&format!("PATCH {user}/compliance"), checked, 200, &[]).await;

    let named = |name: &str| json!({ "last_name": name });
    let made = scene.ask("POST /v2/users", person(2002, "Doe"), 201, &["user.updated #2 unverified"]).await;
    let user = format!("/v2/users/{}", made.id());
    let review: &[&str] = &["user.updated #2 in_review"];
    scene.ask(&format!("PATCH {user}"), named("Sanctioned"), 200, review).await;
    scene.ask(&decide(&user, "clear"), decision.clone(), 200, &["user.updated #2 unverified"]).await;
    scene.pass(DAY, &[]).await;

    let made = scene.ask("POST /v2/users", person(2003, "Doe"), 201, &["user.updated #3 unverified"]).await;
    let user = format!("/v2/users/{}", made.id());
    scene.ask(&format!("POST {user}/send-verification-token"), json!({}), 202, &["verification.sent #2"]).await;
    scene.work(&[]).await;
    let code = scene.server.newest_code("+12127362003").await;
    scene.ask(&format!("POST {user}/verify"), json!({"token": code}), 200, &["user.updated #3 verified"]).await;
    let review: &[&str] = &["user.updated #3 in_review"];
    scene.ask(&format!("PATCH {user}"), named("Sanctioned"), 200, review).await;
    scene.ask(&decide(&user, "clear"), decision.clone(), 200, &["user.updated #3 verified"]).await;
    // Another name on the list needs another decision; a wrong confirmation is revoked.
    let listed = json!({"first_name": "Bogumila", "last_name": "Krzewinski-Talvo"});
    scene.ask(&format!("PATCH {user}"), listed, 200, review).await;
    scene.ask(&decide(&user, "confirm"), decision.clone(), 200, &["user.updated #3 disabled"]).await;
    scene.ask(&decide(&user, "clear"), decision.clone(), 200, &["user.updated #3 verified"]).await;
}

/// A hundred wrong codes lock a phone, and the organization unlocks it. A request without a matching row is refused and
/// emits nothing.
pub async fn locks(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let claim = crate::codes::named(&scene.server).await;
    crate::codes::guess(&scene.server, &claim, 100).await;
    let emitted = scene.skip(0).await;
    assert_eq!(emitted.iter().filter(|line| line.starts_with("verification.locked")).count(), 1, "{emitted:?}");
    let phone = json!({"country_code": "1", "phone_number": "2127361234"});
    scene.ask("POST /v2/verifications/unlock", phone.clone(), 200, &["verification.unlocked #1"]).await;
    scene.ask("POST /v2/verifications/unlock", phone, 200, &[]).await;

    scene.ask("POST /v2/claims/x/end", json!({}), 404, &[]).await;
    scene.ask("POST /v2/claims/x/contact-change", json!({"email": "ada@example.com"}), 404, &[]).await;
    let codes = json!({"present_token": "123456", "new_token": "123456"});
    scene.ask("POST /v2/claims/x/contact-change/confirm", codes, 404, &[]).await;
    for step in ["freeze", "code"] {
        scene.ask(&format!("POST /v2/notices/x/{step}"), json!({}), 404, &[]).await;
    }
    scene.ask("POST /v2/notices/x/unfreeze", json!({"token": "123456"}), 404, &[]).await;
    // A phone number that the organization replaces is no longer verified.
    let user = scene.server.verified_user(2044).await;
    scene.skip(0).await;
    let replaced = json!({"phone_number": {"country_code": "1", "phone_number": "2127362045"}});
    let patch = scene.server.patch(&format!("/v2/users/{user}")).as_org().for_app(&scene.server.app_id());
    patch.json(replaced).send().await.expect(200);
    let emitted = scene.skip(0).await;
    assert!(emitted.iter().any(|line| line.ends_with(" unverified")), "{emitted:?}");

    let first = json!({"token": "x", "name": "Acme", "admin_email": "ada@example.com"});
    scene.ask("POST /v2/setup", first, 404, &[]).await;
}
