//! Links through a gateway and a mail server, which report the delivery later.

use bursar::providers::Providers;
use serde_json::{Value, json};

use super::links::{all, ended, made};
use super::watch::{Covered, Scene};
use crate::harness::{FakeGateway, FakeMail, GatewayMode, Server};

const DAY: i64 = 86_400;
const LINKS: &str = "POST /v2/payout-links";

fn link() -> Value {
    json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": "2127362001"}})
}

/// The gateway's reports change the link, until it ends.
pub async fn unclaimed(covered: &mut Covered) {
    let gateway = FakeGateway::start().await;
    let provider = gateway.clone();
    let server = Server::with_providers(move || Providers { mail: None, phone: Some(provider.provider()) }).await;
    let mut scene = Scene::on(server, covered).await;
    let made_link = scene.ask(LINKS, link(), 201, &all(&made(1))).await.id();
    scene.work(&["payout_link.sent #1 sent"]).await;
    let redeliver = format!("POST /v2/payout-links/{made_link}/redeliver");
    for _ in 0..2 {
        scene.ask(&redeliver, Value::Null, 200, &["payout_link.updated #1 delivery_pending"]).await;
    }
    scene.work(&["payout_link.sent #1 sent"]).await;
    gateway.say_of_all("delivered");
    scene.pass(100, &["payout_link.sent #1 delivered"]).await;

    gateway.say_of_all("queued");
    scene.ask(LINKS, link(), 201, &all(&made(2))).await;
    scene.work(&["payout_link.sent #2 sent"]).await;
    gateway.say_of_all("undelivered");
    scene.pass(100, &["payout_link.failed #2 delivery_failed"]).await;

    gateway.say_of_all("queued");
    let canceled = scene.ask(LINKS, link(), 201, &all(&made(3))).await.id();
    scene.work(&["payout_link.sent #3 sent"]).await;
    scene.ask(&format!("DELETE /v2/payout-links/{canceled}"), Value::Null, 200, &all(&ended(3, "canceled"))).await;
    scene.ask(LINKS, link(), 201, &all(&made(4))).await;
    scene.work(&["payout_link.sent #4 sent"]).await;

    // A link that is not handed over before it expires.
    gateway.set(GatewayMode::Busy);
    let mut soon = link();
    soon["expires_at"] = json!("2026-03-02T15:10:00Z");
    scene.ask(LINKS, soon, 201, &all(&made(5))).await;
    // The reason is an event once, not for each attempt.
    scene.work(&["payout_link.updated #5 delivery_pending"]).await;
    scene.pass(600, &all(&ended(5, "expired"))).await;
    // A link that is canceled before it is handed over.
    let early = scene.ask(LINKS, link(), 201, &all(&made(6))).await.id();
    scene.ask(&format!("DELETE /v2/payout-links/{early}"), Value::Null, 200, &all(&ended(6, "canceled"))).await;
    scene.work(&[]).await;
    let expired = [ended(1, "expired"), ended(2, "expired"), ended(4, "expired")].concat();
    let mut reported = scene.skip(30 * DAY + 1).await;
    let mut expected = expired;
    reported.sort();
    expected.sort();
    assert_eq!(reported, expected);
}

/// Claims of links that were delivered, are on their way, or could not be delivered.
pub async fn claimed(covered: &mut Covered) {
    let gateway = FakeGateway::start().await;
    let provider = gateway.clone();
    let server = Server::with_providers(move || Providers { mail: None, phone: Some(provider.provider()) }).await;
    let mut scene = Scene::on(server, covered).await;
    for (number, mode, expected, status) in [
        (1, GatewayMode::Accept, "payout_link.sent", "sent"),
        (2, GatewayMode::Invalid, "payout_link.failed", "delivery_failed"),
        (3, GatewayMode::Busy, "payout_link.updated", "delivery_pending"),
    ] {
        gateway.set(GatewayMode::Accept);
        // The holds and the payouts count together: two transfers for each link.
        let (hold, payout) = (number * 2 - 1, number * 2);
        let mut lines = made(number);
        lines[0] = format!("transfer.updated #{hold} created");
        lines[1] = format!("transfer.updated #{hold} pending");
        let link = scene.ask(LINKS, link(), 201, &all(&lines)).await;
        scene.work(&[&format!("payout_link.sent #{number} sent")]).await;
        let token = link.body["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let session = open_session(&mut scene, &gateway, &token, number == 1).await;

        gateway.set(mode);
        let redeliver = format!("POST /v2/payout-links/{}/redeliver", link.id());
        let pending = format!("payout_link.updated #{number} delivery_pending");
        scene.ask(&redeliver, Value::Null, 200, &[&pending]).await;
        scene.work(&[&format!("{expected} #{number} {status}")]).await;
        let claimed = [
            format!("transfer.completed #{hold} completed"),
            format!("payout_link.claimed #{number} claimed"),
            format!("transfer.updated #{payout} created"),
        ];
        scene
            .ask_session(&format!("POST /v2/claims/{token}/payout"), Some(&session), json!({}), 200, &all(&claimed))
            .await;
        scene.work(&[&format!("transfer.updated #{payout} pending")]).await;
    }
}

/// Opens a claim session; the first time, with name and account.
async fn open_session(scene: &mut Scene<'_>, gateway: &FakeGateway, token: &str, first: bool) -> String {
    let step = |name: &str| format!("POST /v2/claims/{token}/{name}");
    let contact = json!({"country_code": "1", "phone_number": "2127362001"});
    scene.ask(&step("contact"), contact, 200, &["verification.sent #1"]).await;
    scene.work(&[]).await;
    let texts = gateway.texts();
    let text = texts.last().unwrap()["body"].as_str().unwrap();
    let code = text.split(|letter: char| !letter.is_ascii_digit()).find(|run| run.len() == 6).unwrap();
    let new: &[&str] = if first { &["user.updated #1 verified"] } else { &[] };
    let opened = scene.ask(&step("code"), json!({"token": code}), 200, new).await;
    let session = opened.body["session"].as_str().unwrap().to_owned();
    if first {
        let (opens_session, name) = (Some(session.as_str()), json!({"first_name": "Jane", "last_name": "Doe"}));
        scene.ask_session(&step("profile"), opens_session, name, 200, new).await;
        let account = json!({
            "platform": "ach", "routing_number": "110000000", "account_number": "000123456789", "is_default": true,
        });
        let set: &[&str] = &["user.updated.payout_method #1 verified"];
        scene.ask_session(&step("method"), opens_session, account, 200, set).await;
    }
    session
}

/// One delivery fails, the other is with its provider.
pub async fn by_all_ways(covered: &mut Covered) {
    let (gateway, mail) = (FakeGateway::start().await, FakeMail::start());
    gateway.set(GatewayMode::Invalid);
    let (provider, url) = (gateway.clone(), mail.url());
    let providers = move || Providers { mail: Some(FakeMail::provider(&url)), phone: Some(provider.provider()) };
    let mut scene = Scene::on(Server::with_providers(providers).await, covered).await;
    let payee = json!({"country_code": "1", "phone_number": "2127362001", "email": "jane@example.com"});
    let body = json!({"amount": 1_000, "payee": payee, "delivery": {"method": "all"}});
    scene.ask(LINKS, body, 201, &all(&made(1))).await;
    scene.work(&["payout_link.failed #1 delivery_failed", "payout_link.sent #1 sent"]).await;
}
