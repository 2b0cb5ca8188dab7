//! Originators of one app: no payment of another app is in their files.

use bursar::banking::originators::Originator;
use bursar::ids::AppId;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::bank_debits::collecting;
use crate::bank_files_sent::Bank;
use crate::harness::{Reply, Server};
use crate::samples::new_originator;

const DAY: i64 = 86_400;

/// Adds an app with money.
async fn other_app(server: &Server) -> String {
    let app = server.post("/v2/apps").as_org().json(json!({"name": "Other"})).send().await.expect(201).id();
    for (app, amount) in [(server.app_id(), 100_000), (app.clone(), -100_000)] {
        let moved = json!({"app_id": app, "amount": amount});
        server.post("/v2/organization-transfers").as_org().json(moved).send().await.expect(200);
    }
    app
}

async fn with_account(server: &Server, app: &str) {
    let account = json!({"account_number": "000123450001", "routing_number": "110000000"});
    server.put(&format!("/v2/apps/{app}/ach-account")).as_org().json(account).send().await.expect(200);
}

async fn moves(server: &Server, app: &str, verb: &str) -> Reply {
    server.post(&format!("/v2/apps/{app}/{verb}")).as_org().json(json!({"amount": 1_000})).send().await
}

#[tokio::test]
async fn an_originator_of_one_app_sends_no_payment_of_another() {
    let server = Server::memory().await;
    let own = server.app_id();
    let bank = Bank::with_parts(server, collecting(), json!({}), json!({"app_id": own})).await;
    let other = other_app(&bank.server).await;
    for (app, status) in [(&other, "created"), (&own, "pending")] {
        with_account(&bank.server, app).await;
        for verb in ["withdraw", "deposit"] {
            assert_eq!(moves(&bank.server, app, verb).await.expect(200).body["status"], status, "{app} {verb}");
        }
    }
    let entries = bank.get("/v2/bank/entries?limit=100").await["data"].as_array().unwrap().clone();
    assert_eq!(entries.len(), 2);
    assert!(entries.iter().all(|entry| entry["app_id"] == own.as_str()), "{entries:?}");
    bank.verify();

    // The control: if the originator is another app's, the invariant names each entry.
    let found = bank.server.tampered::<Originator>(|_| true, |originator| originator.app = Some(AppId(Uuid::nil())));
    let invariants: Vec<u8> = found.iter().map(|finding| finding.invariant).collect();
    assert_eq!(invariants, [63, 63], "{found:?}");
}

/// A route to the originator of one app leaves the other apps their route.
#[tokio::test]
async fn another_app_keeps_the_route_that_all_apps_share() {
    let bank = Bank::with(Server::start().await, collecting()).await;
    let own = bank.server.app_id();
    let other = other_app(&bank.server).await;
    let mut originator = new_originator("", &bank.connection);
    originator["app_id"] = json!(own);
    originator["company_id"] = json!("9876543210");
    bank.reroute(originator).await;
    for app in [&own, &other] {
        with_account(&bank.server, app).await;
        assert_eq!(moves(&bank.server, app, "withdraw").await.expect(200).body["status"], "pending");
    }
    let files = bank.files().await;
    let originators: Vec<&Value> = files.iter().map(|file| &file["originator_id"]).collect();
    assert_eq!(files.len(), 2);
    assert_ne!(originators[0], originators[1]);
    bank.verify();
}

#[tokio::test]
async fn in_production_an_app_without_a_route_of_its_own_is_refused() {
    let server = Server::live().await;
    let own = server.app_id();
    let bank = Bank { server, connection: String::new(), settlement_account: String::new() };
    let tomorrow = bank.server.now().plus_seconds(DAY).date().to_string();
    bank.connect_parts(collecting(), json!({}), json!({"app_id": own}), &tomorrow).await;
    bank.server.pass(DAY).await;
    let other = other_app(&bank.server).await;
    for app in [&own, &other] {
        with_account(&bank.server, app).await;
    }
    moves(&bank.server, &other, "deposit").await.refused(409, "rail-not-connected");
    moves(&bank.server, &other, "withdraw").await.refused(409, "rail-not-connected");
    assert_eq!(moves(&bank.server, &own, "deposit").await.expect(200).body["status"], "pending");
}
