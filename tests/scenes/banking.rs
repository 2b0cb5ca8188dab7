//! The set-up of banks, which no app's log has: every change is an administrative act.

use bursar::bank_files::FileStatus;
use bursar::bank_intake::InboundStatus;
use bursar::bank_statements::StatementStatus;
use bursar::ids::{AppId, BankConnectionId, OrgId, OriginatorId, RailProviderId, SettlementAccountId, TransferId};
use bursar::money::Cents;
use bursar::vault::Unsealed;
use serde_json::json;
use uuid::Uuid;

use super::watch::{Covered, Scene};
use crate::harness::{Desk, Server};
use crate::samples::{
    NewBankStatement, NewFile, NewInboundFile, PaymentInDoubt, new_account, new_connection, new_originator,
};

/// A connection with all of its parts, from the draft to the stop button.
pub async fn set_up(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let desk = Desk::of(&scene.server);
    let (admin, payer) = (desk.member("admin"), desk.member("payer"));
    let (by_admin, by_payer) = (json!({"acting_user_id": admin}), json!({"acting_user_id": payer}));
    let stop = json!({"acting_user_id": payer, "reason": "The bank called."});
    let connection = scene.ask("POST /v2/bank/connections", new_connection(&admin), 201, &[]).await.id();
    let path = format!("/v2/bank/connections/{connection}");
    scene.ask(&format!("PATCH {path}"), json!({"acting_user_id": admin, "name": "Second Bank"}), 200, &[]).await;
    let result = json!({"acting_user_id": admin, "evidence": "Accepted."});
    scene.ask(&format!("POST {path}/test"), result, 200, &[]).await;
    scene.ask(&format!("POST {path}/approve"), by_payer.clone(), 200, &[]).await;
    scene.ask(&format!("POST {path}/pause"), stop.clone(), 200, &[]).await;
    scene.ask(&format!("POST {path}/resume"), by_admin.clone(), 200, &[]).await;
    let originator = new_originator(&admin, &connection);
    let originator = scene.ask("POST /v2/bank/originators", originator, 201, &[]).await.id();
    let account = new_account(&admin, &connection, "000123456789");
    let account = scene.ask("POST /v2/bank/settlement-accounts", account, 201, &[]).await.id();
    let parts = [format!("originators/{originator}"), format!("settlement-accounts/{account}")];
    for part in &parts {
        scene.ask(&format!("POST /v2/bank/{part}/approve"), by_payer.clone(), 200, &[]).await;
    }
    let route = json!({
        "acting_user_id": admin, "platform": "ach", "currency": "USD", "from_on": "2030-01-02",
        "bank_connection_id": connection, "originator_id": originator, "settlement_account_id": account,
    });
    let route = scene.ask("POST /v2/bank/routes", route, 201, &[]).await.id();
    scene.ask(&format!("POST /v2/bank/routes/{route}/approve"), by_payer, 200, &[]).await;
    scene.ask(&format!("POST /v2/bank/routes/{route}/end"), by_admin.clone(), 200, &[]).await;
    for part in &parts {
        scene.ask(&format!("POST /v2/bank/{part}/end"), by_admin.clone(), 200, &[]).await;
    }
    scene.ask("POST /v2/bank/pause", stop, 200, &[]).await;
    let provider = json!({
        "acting_user_id": admin, "name": "PayPal", "kind": "paypal", "url": "https://paypal.example",
        "client_id": "client", "secret": "secret",
    });
    let provider = scene.ask("POST /v2/bank/providers", provider, 201, &[]).await.id();
    let path = format!("/v2/bank/providers/{provider}");
    scene.ask(&format!("POST {path}/approve"), json!({"acting_user_id": payer}), 200, &[]).await;
    let secret = json!({"acting_user_id": admin, "secret": "another"});
    scene.ask(&format!("POST {path}/rotate-secret"), secret, 200, &[]).await;
    scene.ask(&format!("POST {path}/end"), by_admin, 200, &[]).await;
    let credentials = scene.server.credentials();
    let org = OrgId(credentials["organization"]["id"].as_str().unwrap().parse().unwrap());
    let app = AppId(credentials["app"]["id"].as_str().unwrap().parse().unwrap());
    let bursar = scene.server.bursar();
    let (provider, payout) = (RailProviderId(provider.parse().unwrap()), (TransferId(Uuid::now_v7()), Cents::new(100)));
    let order = Unsealed::new(&bursar.vault, b"{}".to_vec(), bursar.entropy().bytes());
    let doubted = PaymentInDoubt { org, app, provider, payout, order };
    let doubted = bursar.engine.run(org, doubted).await.unwrap();
    let decision = json!({"acting_user_id": payer, "outcome": "failed", "evidence": "Support, case 4711."});
    scene.ask(&format!("POST /v2/bank/provider-payments/{doubted}/decide"), decision, 200, &[]).await;
}

/// What members do with files, which are in the organization's log too.
pub async fn files(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let desk = Desk::of(&scene.server);
    let (admin, payer) = (desk.member("admin"), desk.member("payer"));
    let connection = scene.ask("POST /v2/bank/connections", new_connection(&admin), 201, &[]).await.id();
    let originator = scene.ask("POST /v2/bank/originators", new_originator(&admin, &connection), 201, &[]).await.id();
    let account = new_account(&admin, &connection, "000123456789");
    let account = scene.ask("POST /v2/bank/settlement-accounts", account, 201, &[]).await.id();
    let org = OrgId(scene.server.credentials()["organization"]["id"].as_str().unwrap().parse().unwrap());
    let new = |status, must_release| NewFile {
        org,
        connection: BankConnectionId(connection.parse().unwrap()),
        originator: OriginatorId(originator.parse().unwrap()),
        settlement_account: SettlementAccountId(account.parse().unwrap()),
        status,
        must_release,
        transfer: None,
    };
    let by = json!({"acting_user_id": payer});
    let known = json!({"acting_user_id": payer, "evidence": "By phone."});
    let why = json!({"acting_user_id": payer, "reason": "A mistyped company id."});
    let said = json!({"acting_user_id": payer, "outcome": "accepted", "evidence": "By phone."});
    for (verb, status, must_release, body) in [
        ("release", FileStatus::Sealed, true, by.clone()),
        ("mark-sent", FileStatus::Sealed, false, known.clone()),
        ("mark-unsent", FileStatus::InDoubt, false, known),
        ("decide", FileStatus::Sent, false, said),
        ("redate", FileStatus::Sealed, false, by),
        ("cancel", FileStatus::Sealed, false, why),
    ] {
        let file = scene.server.bursar().engine.run(org, new(status, must_release)).await.unwrap();
        scene.ask(&format!("POST /v2/bank/files/{file}/{verb}"), body, 200, &[]).await;
    }
    let path = format!("/v2/bank/connections/{connection}");
    let tested = json!({"acting_user_id": admin, "evidence": "By phone."});
    scene.ask(&format!("POST {path}/test"), tested, 200, &[]).await;
    scene.ask(&format!("POST {path}/approve"), json!({"acting_user_id": payer}), 200, &[]).await;
    for (verb, body) in [
        ("approve", json!({"acting_user_id": admin, "version": 1})),
        ("dismiss", json!({"acting_user_id": payer, "reason": "The file was right."})),
    ] {
        let file = scene.server.bursar().engine.run(org, new(FileStatus::Sent, false)).await.unwrap();
        let proposal = json!({
            "acting_user_id": payer, "reason": "duplicate", "found_at": scene.server.now().to_string(),
            "evidence": "The file was sent twice.",
        });
        let reversal = scene.ask(&format!("POST /v2/bank/files/{file}/reverse"), proposal, 201, &[]).await.id();
        scene.ask(&format!("POST /v2/bank/reversals/{reversal}/{verb}"), body, 200, &[]).await;
    }
}

/// What members do with files of banks and with the reports in them.
pub async fn inbound(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let desk = Desk::of(&scene.server);
    let (admin, payer) = (desk.member("admin"), desk.member("payer"));
    let connection = scene.ask("POST /v2/bank/connections", new_connection(&admin), 201, &[]).await.id();
    let originator = scene.ask("POST /v2/bank/originators", new_originator(&admin, &connection), 201, &[]).await.id();
    let account = new_account(&admin, &connection, "000123456789");
    let account = scene.ask("POST /v2/bank/settlement-accounts", account, 201, &[]).await.id();
    let org = OrgId(scene.server.credentials()["organization"]["id"].as_str().unwrap().parse().unwrap());
    let connection = BankConnectionId(connection.parse().unwrap());
    let order =
        json!({"user_id": scene.server.banked_user(1234).await, "amount": 1_000, "platform": "ach", "fund": true});
    let payout = scene.server.post("/v2/payouts").app_key().json(order).send().await.expect(201).id();
    let file = NewFile {
        org,
        connection,
        originator: OriginatorId(originator.parse().unwrap()),
        settlement_account: SettlementAccountId(account.parse().unwrap()),
        status: FileStatus::Sent,
        must_release: false,
        transfer: Some(TransferId(payout.parse().unwrap())),
    };
    scene.server.bursar().engine.run(org, file).await.unwrap();
    scene.skip(0).await;
    let upload = json!({
        "acting_user_id": payer, "bank_connection_id": connection, "name": "FILE.bai", "content": "aGVsbG8=",
    });
    scene.ask("POST /v2/bank/inbound-files", upload, 201, &[]).await;
    // $10.00 less the fee.
    let amount = Cents::new(975);
    let known = json!({"acting_user_id": payer, "transfer_id": payout, "evidence": "By phone."});
    let why = json!({"acting_user_id": payer, "reason": "A readme."});
    let new = |status| NewInboundFile { org, connection, status, amount, matched: None };
    for (verb, body) in [("replay", json!({"acting_user_id": payer})), ("discard", why.clone())] {
        let (file, _) = scene.server.bursar().engine.run(org, new(InboundStatus::Quarantined)).await.unwrap();
        scene.ask(&format!("POST /v2/bank/inbound-files/{file}/{verb}"), body, 200, &[]).await;
    }
    let (_, item) = scene.server.bursar().engine.run(org, new(InboundStatus::Applied)).await.unwrap();
    let (_, other) = scene.server.bursar().engine.run(org, new(InboundStatus::Applied)).await.unwrap();
    scene.ask(&format!("POST /v2/bank/items/{item}/match"), known, 200, &[]).await;
    let by_admin = json!({"acting_user_id": admin, "version": 2});
    let expected = ["transfer.failed #1 failed", "user.updated.payout_method #1 verified"];
    scene.ask(&format!("POST /v2/bank/items/{item}/approve"), by_admin, 200, &expected).await;
    scene.ask(&format!("POST /v2/bank/items/{other}/ignore"), why, 200, &[]).await;
}

/// What members do with a statement, and with a line in suspense.
pub async fn statements(covered: &mut Covered) {
    let mut scene = Scene::on(Server::memory().await, covered).await;
    let desk = Desk::of(&scene.server);
    let (admin, payer) = (desk.member("admin"), desk.member("payer"));
    let connection = scene.ask("POST /v2/bank/connections", new_connection(&admin), 201, &[]).await.id();
    let account = new_account(&admin, &connection, "000123456789");
    let account = scene.ask("POST /v2/bank/settlement-accounts", account, 201, &[]).await.id();
    let org = OrgId(scene.server.credentials()["organization"]["id"].as_str().unwrap().parse().unwrap());
    let new = |status| NewBankStatement {
        org,
        connection: BankConnectionId(connection.parse().unwrap()),
        settlement_account: SettlementAccountId(account.parse().unwrap()),
        status,
    };
    let why = json!({"acting_user_id": payer, "reason": "By phone."});
    let engine = &scene.server.bursar().engine;
    let (waiting, _) = engine.run(org, new(StatementStatus::Waiting)).await.unwrap();
    for verb in ["discard", "restore"] {
        scene.ask(&format!("POST /v2/bank/statements/{waiting}/{verb}"), why.clone(), 200, &[]).await;
    }
    let engine = &scene.server.bursar().engine;
    let (confirmed, _) = engine.run(org, new(StatementStatus::Waiting)).await.unwrap();
    let known = json!({"acting_user_id": payer, "evidence": "By phone."});
    scene.ask(&format!("POST /v2/bank/statements/{confirmed}/confirm"), known, 200, &[]).await;
    let engine = &scene.server.bursar().engine;
    let (_, line) = engine.run(org, new(StatementStatus::Applied)).await.unwrap();
    let known = json!({"acting_user_id": payer, "booked_as": "deposit", "app_id": scene.server.app_id(),
        "evidence": "By phone."});
    scene.ask(&format!("POST /v2/bank/items/{line}/explain"), why.clone(), 200, &[]).await;
    scene.ask(&format!("POST /v2/bank/items/{line}/assign"), known, 200, &[]).await;
    scene.ask(&format!("POST /v2/bank/items/{line}/write-off"), why, 200, &[]).await;
}
