//! Links with delivery by the sandbox; their claims and payouts.

use serde_json::{Value, json};

use super::watch::{Covered, Scene};
use crate::harness::Server;

const DAY: i64 = 86_400;
const LINKS: &str = "POST /v2/payout-links";

/// Returns the lines of a new link: its hold, and the link until its provider has it.
pub fn made(number: u8) -> Vec<String> {
    vec![
        format!("transfer.updated #{number} created"),
        format!("transfer.updated #{number} pending"),
        format!("payout_link.updated #{number} created"),
        format!("payout_link.updated #{number} delivery_pending"),
    ]
}

/// Returns the lines of a new link whose message the sandbox's inbox has received.
fn delivered(number: u8) -> Vec<String> {
    [made(number), vec![format!("payout_link.sent #{number} delivered")]].concat()
}

/// Returns the lines of a new link whose phone receives nothing.
fn undelivered(number: u8) -> Vec<String> {
    [made(number), vec![format!("payout_link.failed #{number} delivery_failed")]].concat()
}

/// Returns the lines of a link that ends without a claim: its hold, and the link.
pub fn ended(number: u8, end: &str) -> Vec<String> {
    vec![format!("transfer.updated #{number} canceled"), format!("payout_link.updated #{number} {end}")]
}

/// Returns lines as `Scene` takes them.
pub fn all(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

fn by_text(line: u32) -> Value {
    json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": format!("212736{line}")}})
}

/// Each way of delivery, and each end without a claim.
pub async fn unclaimed(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let handed: &[&str] = &[
        "transfer.updated #1 created",
        "transfer.updated #1 pending",
        "payout_link.updated #1 created",
        "payout_link.updated #1 delivered",
    ];
    let body = json!({"amount": 1_000, "delivery": {"method": "link"}});
    let link = scene.ask(LINKS, body, 201, handed).await.id();
    let cancel = format!("DELETE /v2/payout-links/{link}");
    scene.ask(&cancel, Value::Null, 200, &all(&ended(1, "canceled"))).await;
    scene.ask(&cancel, Value::Null, 200, &[]).await;

    let sent = scene.ask(LINKS, by_text(2001), 201, &all(&delivered(2))).await;
    let link = sent.id();
    let redeliver = format!("POST /v2/payout-links/{link}/redeliver");
    let again: &[&str] = &["payout_link.updated #2 delivery_pending", "payout_link.sent #2 delivered"];
    for _ in 0..2 {
        scene.ask(&redeliver, Value::Null, 200, again).await;
    }
    scene.work(&[]).await;
    scene.pass(30 * DAY + 1, &all(&ended(2, "expired"))).await;
    let token = sent.body["link"].as_str().unwrap().rsplit('/').next().unwrap();
    let request_new = format!("POST /v2/claims/{token}/new-link");
    scene.ask(&request_new, json!({}), 204, &["payout_link.updated #2 expired"]).await;
    scene.ask(&request_new, json!({}), 204, &[]).await;

    // Phones that end in 0199 receive nothing.
    let body = json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": "2127360199"}});
    let link = scene.ask(LINKS, body.clone(), 201, &all(&undelivered(3))).await.id();
    let redeliver = format!("POST /v2/payout-links/{link}/redeliver");
    let again: &[&str] = &["payout_link.updated #3 delivery_pending", "payout_link.failed #3 delivery_failed"];
    scene.ask(&redeliver, Value::Null, 200, again).await;
    scene.ask(&format!("DELETE /v2/payout-links/{link}"), Value::Null, 200, &all(&ended(3, "canceled"))).await;
    scene.ask(LINKS, body, 201, &all(&undelivered(4))).await;
    scene.pass(30 * DAY + 1, &all(&ended(4, "expired"))).await;

    let link = scene.ask(LINKS, by_text(2005), 201, &all(&delivered(5))).await.id();
    scene.ask(&format!("DELETE /v2/payout-links/{link}"), Value::Null, 200, &all(&ended(5, "canceled"))).await;
    scene.work(&[]).await;

    // One delivery fails, the other arrives.
    let payee = json!({"country_code": "1", "phone_number": "2127360199", "email": "jane@example.com"});
    let body = json!({"amount": 1_000, "payee": payee, "delivery": {"method": "all"}});
    let one_of_two = [undelivered(6), vec!["payout_link.sent #6 delivered".to_owned()]].concat();
    scene.ask(LINKS, body, 201, &all(&one_of_two)).await;
    scene.work(&[]).await;
}

/// Links whose money is pulled first.
pub async fn pulled(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let body = |expires_at: Value| {
        let payee = json!({"country_code": "1", "phone_number": "2127362001"});
        json!({"amount": 1_000, "payee": payee, "funding_source": "ach", "expires_at": expires_at})
    };
    // The pull is the first transfer, the hold that waits for it the second.
    let waiting = |pull: u8, hold: u8, link: u8| {
        vec![
            format!("transfer.updated #{pull} created"),
            format!("transfer.updated #{hold} created"),
            format!("payout_link.updated #{link} funds_pending"),
        ]
    };
    scene.ask(LINKS, body(Value::Null), 202, &all(&waiting(1, 2, 1))).await;
    scene.work(&["transfer.updated #1 pending"]).await;
    let funded: &[&str] = &[
        "transfer.completed #1 completed",
        "transfer.updated #2 pending",
        "payout_link.updated #1 created",
        "payout_link.updated #1 delivery_pending",
        "payout_link.sent #1 delivered",
    ];
    scene.pass(DAY, funded).await;

    let link = scene.ask(LINKS, body(Value::Null), 202, &all(&waiting(3, 4, 2))).await.id();
    let canceled: &[&str] = &["transfer.updated #4 canceled", "payout_link.updated #2 canceled"];
    scene.ask(&format!("DELETE /v2/payout-links/{link}"), Value::Null, 200, canceled).await;
    scene.work(&["transfer.updated #3 pending"]).await;
    scene.pass(DAY, &["transfer.completed #3 completed"]).await;

    scene.ask(LINKS, body(json!("2026-03-04T16:00:00Z")), 202, &all(&waiting(5, 6, 3))).await;
    scene.work(&["transfer.updated #5 pending"]).await;
    scene.pass(3_600, &["transfer.updated #6 canceled", "payout_link.updated #3 expired"]).await;
    // The first link was created three days before, so its payee is reminded.
    let reminded = ["payout_link.updated #1 delivery_pending", "payout_link.sent #1 delivered"];
    scene.pass(DAY, &[reminded[0], reminded[1], "transfer.completed #5 completed"]).await;

    let account = json!({"account_number": "10000001", "routing_number": "110000000"});
    let set = format!("PUT /v2/apps/{}/ach-account", scene.server.app_id());
    scene.ask(&set, account, 200, &["app.updated #1 approved"]).await;
    scene.ask(LINKS, body(Value::Null), 202, &all(&waiting(7, 8, 4))).await;
    scene.work(&["transfer.updated #7 pending"]).await;
    let failed: &[&str] = &["transfer.failed #7 failed", "transfer.failed #8 failed", "payout_link.failed #4 failed"];
    scene.pass(DAY, failed).await;
}

/// A link is claimed step by step, and paid out in two parts.
pub async fn claimed(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let mut body = by_text(2001);
    body["force_collect_compliance_information"] = json!(true);
    let link = scene.ask(LINKS, body, 201, &all(&delivered(1))).await;
    let token = link.body["link"].as_str().unwrap().rsplit('/').next().unwrap();
    let step = |name: &str| format!("POST /v2/claims/{token}/{name}");

    let contact = json!({"country_code": "1", "phone_number": "2127362001"});
    scene.ask(&step("contact"), contact, 200, &["verification.sent #1"]).await;
    scene.work(&[]).await;
    let code = scene.server.newest_code("+12127362001").await;
    let wrong = if code == "111111" { "222222" } else { "111111" };
    scene.ask(&step("code"), json!({"token": wrong}), 400, &[]).await;
    let opened = scene.ask(&step("code"), json!({"token": code}), 200, &["user.updated #1 verified"]).await;
    let session = opened.body["session"].as_str().unwrap().to_owned();
    let opens_session = Some(session.as_str());

    let user: &[&str] = &["user.updated #1 verified"];
    let name = json!({"first_name": "Jane", "last_name": "Doe"});
    scene.ask_session(&step("profile"), opens_session, name.clone(), 200, user).await;
    scene.ask_session(&step("profile"), opens_session, name, 200, &[]).await;
    let form = json!({"w9": {
        "entity_type": "individual", "tax_id_type": "ssn",
        "name": "Jane Doe", "tax_id": "123-45-6789", "line_1": "1 Main St", "city": "New York", "state": "NY",
        "postcode": "10001", "certified": true,
    }});
    scene.ask_session(&step("compliance"), opens_session, form, 200, user).await;
    let account = json!({
        "platform": "ach", "routing_number": "110000000", "account_number": "000123456789", "is_default": true,
        "auto_payout_enabled": true,
    });
    let set: &[&str] = &["user.updated.payout_method #1 verified"];
    scene.ask_session(&step("method"), opens_session, account, 200, set).await;

    let claimed: &[&str] =
        &["transfer.completed #1 completed", "payout_link.claimed #1 claimed", "transfer.updated #2 created"];
    scene.ask_session(&step("payout"), opens_session, json!({"amount": 400}), 200, claimed).await;
    scene.work(&["transfer.updated #2 pending"]).await;
    scene.pass(1_800, &[]).await;
    scene.ask_session(&step("payout"), opens_session, json!({}), 200, &["transfer.updated #3 created"]).await;
    scene.work(&["transfer.updated #3 pending"]).await;
    // A part has arrived: the link is not paid out yet.
    scene.pass(DAY - 1_800, &["transfer.completed #2 completed"]).await;
    scene.pass(1_800, &["transfer.completed #3 completed", "payout_link.paid_out #1 claimed"]).await;
}

/// Money that comes back after the payout is paid out again, with another event.
pub async fn paid_out_again(covered: &mut Covered) {
    let server = Server::memory().await;
    let user = server.verified_user(2001).await;
    let account = json!({"platform": "ach", "routing_number": "110000000", "account_number": "20000001"});
    server.payout_method(&user, account).await;
    let mut scene = Scene::on(server, covered).await;
    let link = scene.ask(LINKS, by_text(2001), 201, &all(&delivered(1))).await;
    let token = link.body["link"].as_str().unwrap().rsplit('/').next().unwrap();
    let step = |name: &str| format!("POST /v2/claims/{token}/{name}");
    let contact = json!({"country_code": "1", "phone_number": "2127362001"});
    scene.ask(&step("contact"), contact.clone(), 200, &["verification.sent #1"]).await;
    scene.work(&[]).await;
    let code = scene.server.newest_code("+12127362001").await;
    let proven: &[&str] = &["user.updated #1 verified"];
    let session = scene.ask(&step("code"), json!({"token": code}), 200, proven).await.body["session"].clone();
    let opens_session = session.as_str();
    let claimed: &[&str] =
        &["transfer.completed #1 completed", "payout_link.claimed #1 claimed", "transfer.updated #2 created"];
    scene.ask_session(&step("payout"), opens_session, json!({}), 200, claimed).await;
    scene.work(&["transfer.updated #2 pending"]).await;
    scene.pass(DAY, &["transfer.completed #2 completed", "payout_link.paid_out #1 claimed"]).await;
    scene.pass(2 * DAY, &["transfer.updated #2 reversed"]).await;

    scene.ask(&step("contact"), contact, 200, &["verification.sent #1"]).await;
    scene.work(&[]).await;
    let code = scene.server.newest_code("+12127362001").await;
    let session = scene.ask(&step("code"), json!({"token": code}), 200, &[]).await.body["session"].clone();
    let opens_session = session.as_str();
    let handle = json!({"platform": "wallet_b", "handle": "jane-doe"});
    // Everything was paid, so it replaces the method of this link and changes nothing else of the payee.
    scene.ask_session(&step("method"), opens_session, handle, 200, &[]).await;
    scene.ask_session(&step("payout"), opens_session, json!({}), 200, &["transfer.updated #3 created"]).await;
    scene.work(&["transfer.updated #3 pending"]).await;
    scene.pass(DAY, &["transfer.completed #3 completed", "payout_link.paid_out #1 claimed"]).await;
}
