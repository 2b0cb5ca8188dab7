//! Apps, members, users, reviews.

use serde_json::{Value, json};

use super::watch::{Covered, Scene};
use crate::harness::Server;

const DAY: i64 = 86_400;

/// Another app of the organization, whose log is watched too; gives its id.
async fn second_app(scene: &mut Scene<'_>) -> String {
    let made = scene.ask("POST /v2/apps", json!({"name": "Corner Shop"}), 201, &[]).await.id();
    scene.also(&made, &["B: app.updated #1 approved"]).await;
    made
}

/// What changes nothing is asked for twice: it has no second event.
pub async fn apps(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let app = format!("/v2/apps/{}", second_app(&mut scene).await);
    let told: &[&str] = &["B: app.updated #1 approved"];
    for (path, change) in [
        (format!("PATCH {app}"), json!({"name": "Another"})),
        (format!("PATCH {app}"), json!({"metadata": "gold"})),
        (format!("PUT {app}/settings"), json!({"payout_fee_party": "platform"})),
        (format!("PUT {app}/settings"), json!({"fees": {"ach": {"fixed": 7}}})),
    ] {
        scene.ask(&path, change.clone(), 200, told).await;
        scene.ask(&path, change, 200, &[]).await;
    }
    let compliance = json!({"flow_of_funds": {"usage": "Payouts"}});
    scene.ask(&format!("PUT {app}/compliance"), compliance.clone(), 201, told).await;
    scene.ask(&format!("PUT {app}/compliance"), compliance, 200, &[]).await;
    let account = json!({"account_number": "000111222333", "routing_number": "110000000"});
    scene.ask(&format!("PUT {app}/ach-account"), account, 200, told).await;

    let key = scene.ask(&format!("POST {app}/keys"), Value::Null, 201, told).await;
    let key = format!("DELETE {app}/keys/{}", key.body["client_id"].as_str().unwrap());
    scene.ask(&key, Value::Null, 200, told).await;
    scene.ask(&key, Value::Null, 200, &[]).await;

    // Nobody can read the log of an app that is gone: its keys are dead, and it is found no more.
    scene.without(app.rsplit('/').next().unwrap());
    scene.ask(&format!("DELETE {app}"), Value::Null, 200, &[]).await;
}

/// Who may act is told to every app.
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

fn person(line: u32, last_name: &str) -> Value {
    json!({
        "first_name": "Test", "last_name": last_name, "email": format!("test{line}@example.com"),
        "country_code": "1", "phone_number": format!("212736{line}"),
    })
}

/// Proves a phone: the code is told of, and what it proves. Gives nothing: the user is `verified` now.
async fn verify(scene: &mut Scene<'_>, user: &str, line: u32, expected: &[&str]) {
    scene.ask(&format!("POST {user}/send-verification-token"), json!({}), 202, &["verification.sent #1"]).await;
    scene.work(&[]).await;
    let code = scene.server.newest_message(&format!("+1212736{line}")).await["code"].clone();
    scene.ask(&format!("POST {user}/verify"), json!({"token": code}), 200, expected).await;
}

/// The life of a user, in two apps.
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
    // From here on both apps know the user, so each of them is told.
    let both: &[&str] = &["user.updated #1 verified", "B: user.updated #1 verified"];
    let address =
        json!({"postcode": "10001", "city": "New York", "state": "NY", "country": "US", "line_1": "1 Main St"});
    let form = json!({"w9": {
        "name": "Test Doe", "tax_id": "123-45-6789", "line_1": "1 Main St", "city": "New York", "state": "NY",
        "postcode": "10001", "certified": true,
    }});
    scene.ask(&format!("PATCH {user}"), json!({"metadata": "gold"}), 200, both).await;
    scene.ask(&format!("PATCH {user}"), json!({"metadata": "gold"}), 200, &[]).await;
    scene.ask(&format!("PUT {user}/addresses"), address, 201, both).await;
    scene.ask(&format!("PUT {user}/compliance"), form, 200, both).await;

    let method: &[&str] = &["user.updated.payout_method #1 verified", "B: user.updated.payout_method #1 verified"];
    let account = json!({"platform": "ach", "routing_number": "110000000", "account_number": "000123456789"});
    let set = scene.ask(&format!("PUT {user}/payout-methods"), account, 200, method).await.id();
    scene.ask(&format!("PATCH {user}"), json!({"auto_payout_enabled": true}), 200, both).await;
    let set = format!("DELETE {user}/payout-methods/{set}");
    scene.ask(&set, Value::Null, 200, method).await;
    scene.ask(&set, Value::Null, 200, &[]).await;

    let disabled: &[&str] = &["user.updated #1 disabled", "B: user.updated #1 disabled"];
    scene.ask(&format!("DELETE {user}"), Value::Null, 200, disabled).await;
    scene.ask(&format!("DELETE {user}"), Value::Null, 200, &[]).await;
    let other = scene.ask("POST /v2/users", person(2002, "Doe"), 201, &["user.updated #2 unverified"]).await.id();
    let gone: &[&str] = &["user.updated #2 disabled"];
    scene.ask(&format!("DELETE /v2/users/{other}"), Value::Null, 200, gone).await;
}

/// Reviews: each way in, each way out, and back.
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
    // What members find out about a user is told with the user.
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
    let code = scene.server.newest_message("+12127362003").await["code"].clone();
    scene.ask(&format!("POST {user}/verify"), json!({"token": code}), 200, &["user.updated #3 verified"]).await;
    let review: &[&str] = &["user.updated #3 in_review"];
    scene.ask(&format!("PATCH {user}"), named("Sanctioned"), 200, review).await;
    scene.ask(&decide(&user, "clear"), decision.clone(), 200, &["user.updated #3 verified"]).await;
    // Another name on the list is another question; what was confirmed by mistake is taken back.
    let listed = json!({"first_name": "Bogumila", "last_name": "Krzewinski-Talvo"});
    scene.ask(&format!("PATCH {user}"), listed, 200, review).await;
    scene.ask(&decide(&user, "confirm"), decision.clone(), 200, &["user.updated #3 disabled"]).await;
    scene.ask(&decide(&user, "clear"), decision.clone(), 200, &["user.updated #3 verified"]).await;
}
