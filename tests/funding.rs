//! Money into an app's wallet and out of it.

use bursar::ledger::wallet_funding::WalletFunding;
use bursar::money::Cents;
use bursar::store::memory::Fault;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::harness::{Desk, Reply, Server};

const DAY: i64 = 86_400;
const FULL: i64 = 100_000_000;

fn path(server: &Server, rest: &str) -> String {
    format!("/v2/apps/{}/{rest}", server.app_id())
}

async fn post(server: &Server, verb: &str, amount: i64) -> Reply {
    server.post(&path(server, verb)).app_key().json(json!({"amount": amount})).send().await
}

async fn set_account(server: &Server, number: &str) -> Reply {
    let account = json!({"account_number": number, "routing_number": "110000000"});
    server.put(&path(server, "ach-account")).app_key().json(account).send().await.expect(200)
}

async fn settings(server: &Server, auto_refill: Value) {
    let body = json!({"auto_refill": auto_refill});
    server.put(&path(server, "settings")).as_org().json(body).send().await.expect(200);
}

async fn transfer(server: &Server, id: &str) -> Value {
    server.get(&format!("/v2/transfers/{id}")).app_key().send().await.expect(200).body
}

async fn refills(server: &Server) -> Vec<Value> {
    let list = server.get("/v2/transfers?type=refill&limit=100").app_key().send().await.expect(200).body;
    list["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn deposit_to_app_counts_when_the_bank_has_paid() {
    let server = Server::memory().await;
    let made = post(&server, "deposit", 5_000).await.expect(200);
    assert_eq!(
        (&made.body["type"], &made.body["amount"], &made.body["status"]),
        (&json!("refill"), &json!("5000"), &json!("created"))
    );
    assert_eq!(made.body["external_data"]["platform"], "ach");
    server.work_off().await;
    assert_eq!(transfer(&server, &made.id()).await["status"], "pending");
    assert_eq!(server.balance("app_wallet").await, FULL, "nothing is there before the bank has paid");
    server.pass(DAY).await;
    let done = transfer(&server, &made.id()).await;
    assert_eq!(done["status"], "completed");
    assert_eq!(done["transactions"].as_array().unwrap().len(), 1);
    assert_eq!(server.balance("app_wallet").await, FULL + 5_000);
    server.verify();
}

#[tokio::test]
async fn a_deposit_that_fails_leaves_nothing_and_a_dead_account_out_of_use() {
    let server = Server::memory().await;
    set_account(&server, "10000002").await;
    let made = post(&server, "deposit", 5_000).await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    let failed = transfer(&server, &made.id()).await;
    assert_eq!((&failed["status"], &failed["error"]), (&json!("failed"), &json!("account_closed")));
    assert_eq!(failed["transactions"], json!([]));
    assert_eq!(server.balance("app_wallet").await, FULL);
    post(&server, "deposit", 1).await.refused(409, "user-info-missing");
    server.get(&path(&server, "ach-account")).app_key().send().await.refused(404, "not-found");
    server.verify();
}

#[tokio::test]
async fn a_deposit_that_comes_back_is_made_up_for_from_the_wallet() {
    let server = Server::memory().await;
    set_account(&server, "20000001").await;
    let made = post(&server, "deposit", 5_000).await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(server.balance("app_wallet").await, FULL + 5_000);
    server.pass(2 * DAY).await;
    let back = transfer(&server, &made.id()).await;
    assert_eq!((&back["status"], &back["error"]), (&json!("reversed"), &json!("insufficient_funds")));
    assert_eq!(server.balance("app_wallet").await, FULL);
    server.verify();
}

#[tokio::test]
async fn what_the_wallet_does_not_cover_stays_owed_until_money_comes_in() {
    let server = Server::memory().await;
    set_account(&server, "20000001").await;
    post(&server, "deposit", 5_000).await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    set_account(&server, "000123456789").await;
    post(&server, "withdraw", FULL + 4_000).await.expect(200);
    server.work_off().await;
    server.pass(2 * DAY).await;
    assert_eq!(
        (server.balance("app_wallet").await, server.balance("clearing").await),
        (0, -4_000),
        "a part was there, the rest is owed"
    );
    let app = format!("/v2/apps/{}", server.app_id());
    server.delete(&app).as_org().send().await.refused(409, "invalid-state");

    let part = post(&server, "deposit", 3_000).await.expect(200);
    server.work_off().await;
    server.delete(&app).as_org().send().await.refused(409, "invalid-state");
    server.pass(DAY).await;
    assert_eq!(transfer(&server, &part.id()).await["status"], "completed");
    assert_eq!((server.balance("app_wallet").await, server.balance("clearing").await), (0, -1_000));
    post(&server, "deposit", 3_000).await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!((server.balance("app_wallet").await, server.balance("clearing").await), (2_000, 0));
    server.verify();
}

/// A thief with an app's key could withdraw to another account the money that the limits keep from being paid out.
#[tokio::test]
async fn an_app_whose_payouts_are_limited_does_not_set_its_bank_account() {
    let server = Server::memory().await;
    set_account(&server, "000123456789").await;
    let another = json!({"account_number": "000987654321", "routing_number": "110000000"});
    for limit in [
        json!({"payout_limits": {"per_payout": 500}}),
        json!({"payout_limits": {"per_day": 500}}),
        json!({"payout_approval_limit": 500}),
        json!({"payable_limits": {"per_day": 500}}),
        json!({"payable_approval_limit": 500}),
        json!({"transfer_limits": {"per_transfer": 500}}),
        json!({"payment_limits": {"per_payer_per_day": 500}}),
    ] {
        server.set(limit).await;
        let by_app = server.put(&path(&server, "ach-account")).app_key().json(another.clone()).send().await;
        by_app.refused(403, "organization-key-required");
        let by_org = server.put(&path(&server, "ach-account")).as_org().json(another.clone()).send().await;
        assert_eq!(by_org.expect(200).body["mask"], "4321");
        let none = json!({
            "payout_limits": null, "payout_approval_limit": null, "payable_limits": null, "payable_approval_limit": null,
            "transfer_limits": null, "payment_limits": null,
        });
        server.set(none).await;
        set_account(&server, "000123456789").await;
    }
}

/// The wallet job has not run when the money is requested.
#[tokio::test]
async fn what_an_app_owes_is_never_withdrawn_in_a_race() {
    let server = Server::memory().await;
    let user = server.verified_user(1234).await;
    let moved = async |amount: i64| {
        let body = json!({"user_id": user, "amount": amount});
        server.post("/v2/transfers").app_key().json(body).send().await.expect(200);
    };
    moved(-6_000).await;
    set_account(&server, "20000001").await;
    post(&server, "deposit", 5_000).await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    set_account(&server, "000123456789").await;
    post(&server, "withdraw", FULL - 1_000).await.expect(200);
    server.work_off().await;
    server.pass(2 * DAY).await;
    assert_eq!(
        (server.balance("app_wallet").await, server.balance("clearing").await),
        (0, -5_000),
        "all of it is owed"
    );

    let to_organization = async |amount: i64| {
        let body = json!({"app_id": server.app_id(), "amount": amount});
        server.post("/v2/organization-transfers").as_org().json(body).send().await
    };
    moved(6_000).await;
    post(&server, "withdraw", 1_001).await.refused(402, "transaction-insufficient-funds");
    to_organization(1_001).await.refused(402, "transaction-insufficient-funds");
    to_organization(400).await.expect(200);
    server.work_off().await;
    assert_eq!((server.balance("app_wallet").await, server.balance("clearing").await), (600, 0), "the debt first");
    post(&server, "withdraw", 600).await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!((server.balance("app_wallet").await, server.balance("clearing").await), (0, 0));
    server.verify();
}

async fn moved(server: &Server, user: &str, amount: i64) {
    let body = json!({"user_id": user, "amount": amount});
    server.post("/v2/transfers").app_key().json(body).send().await.expect(200);
}

/// Creates an app that owes 50 dollars and has only the 60 dollars that it gave to a user.
async fn in_debt(server: &Server, user: &str) {
    moved(server, user, -6_000).await;
    set_account(server, "20000001").await;
    post(server, "deposit", 5_000).await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    set_account(server, "000123456789").await;
    post(server, "withdraw", FULL - 1_000).await.expect(200);
    server.work_off().await;
    server.pass(2 * DAY).await;
    assert_eq!((server.balance("app_wallet").await, server.balance("clearing").await), (0, -5_000));
}

/// Money that was pulled for a link belongs to the link, even if the app has debt.
#[tokio::test]
async fn what_is_pulled_for_a_link_pays_no_debt() {
    let server = Server::memory().await;
    let user = server.verified_user(1234).await;
    in_debt(&server, &user).await;
    let body = json!({"amount": 800, "funding_source": "ach", "delivery": {"method": "link"}});
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(202).id();
    server.work_off().await;
    server.pass(DAY).await;
    let link = server.get(&format!("/v2/payout-links/{link}")).app_key().send().await.expect(200).body;
    assert_eq!(link["status"], "delivered");
    let places = ["app_wallet", "app_held", "clearing"].map(|kind| server.balance(kind));
    assert_eq!(join_all(places).await, [0, 800, -5_000]);
    server.verify();
}

/// Links, payouts, transfers and bills never spend money that the app owes, at any speed.
#[tokio::test]
async fn what_an_app_owes_is_no_money_to_spend() {
    let server = Server::failing().await;
    let user = server.banked_user(1234).await;
    let desk = Desk::of(&server);
    let bill = desk.good_bill(1_001).await;
    desk.approve(&bill).await;
    in_debt(&server, &user).await;
    // The store refuses the batch that would cover the debt too, so the wallet's job is left to the worker, which has not
    // run it yet.
    server.store().fail_next(Fault::Refused);
    moved(&server, &user, 6_000).await;

    let link = |amount: i64| json!({"amount": amount, "delivery": {"method": "link"}});
    let payout = |amount: i64| json!({"amount": amount, "user_id": user, "platform": "ach", "fund": true});
    let transfer = |amount: i64| json!({"amount": -amount, "user_id": user});
    let request = json!({"amount": 1_001, "user_id": user});
    let request = server.post("/v2/payout-requests").app_key().json(request).send().await.expect(201).id();
    let refusals = [
        server.post("/v2/payout-links").app_key().json(link(1_001)).send().await,
        server.post("/v2/payouts/send-payout").app_key().json(json!({"amount": 1_001, "user_id": user})).send().await,
        server.post("/v2/payouts").app_key().json(payout(1_001)).send().await,
        server.post("/v2/transfers").app_key().json(transfer(1_001)).send().await,
        server.post(&format!("/v2/payout-requests/{request}/approve")).app_key().send().await,
        desk.act(&bill, "pay", "payer").await,
    ];
    for refusal in refusals {
        refusal.refused(402, "transaction-insufficient-funds");
        let owed = "App wallet holds $60.00, of which $50.00 is owed for returned money; $0.01 more";
        assert!(refusal.text.contains(owed), "{}", refusal.text);
    }
    let spends = |number: i64| match number % 3 {
        0 => server.post("/v2/payout-links").app_key().json(link(100)).send(),
        1 => server.post("/v2/payouts").app_key().json(payout(100)).send(),
        _ => server.post("/v2/transfers").app_key().json(transfer(100)).send(),
    };
    let replies = join_all((0..30).map(spends)).await;
    assert_eq!(replies.iter().filter(|reply| reply.status < 300).count(), 10, "ten dollars are the app's own");
    assert_eq!(server.balance("app_wallet").await, 5_000);
    server.verify();
    server.work_off().await;
    assert_eq!(server.balance("app_wallet").await, 0, "the debt is covered");
    server.verify();
}

/// The negative control: a funding row that differs from the transfers is found, and a correct one is not.
#[tokio::test]
async fn verify_finds_a_watch_that_was_tampered_with() {
    let server = Server::memory().await;
    set_account(&server, "20000001").await;
    post(&server, "deposit", 5_000).await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    set_account(&server, "000123456789").await;
    post(&server, "withdraw", FULL + 4_000).await.expect(200);
    server.work_off().await;
    server.pass(2 * DAY).await;
    post(&server, "deposit", 10).await.expect(200);
    server.verify();
    let found = |edit: fn(&mut WalletFunding)| {
        let findings = server.tampered(|_| true, edit);
        findings.into_iter().map(|finding| (finding.invariant, finding.what)).collect::<Vec<_>>()
    };
    let owed = "records 0 cents owed; its debts sum to 4000".to_owned();
    assert_eq!(found(|watch| watch.owed = Cents::ZERO), [(3, owed)]);
    let pulls = "records 2 debits in progress; its transfers show 1".to_owned();
    assert_eq!(found(|watch| watch.pulls += 1), [(3, pulls)]);
    server.verify();
}

#[tokio::test]
async fn withdraw_from_app_leaves_at_once_and_arrives() {
    let server = Server::memory().await;
    let made = post(&server, "withdraw", 5_000).await.expect(200);
    assert_eq!((&made.body["amount"], &made.body["payout_amount"]), (&json!("-5000"), &json!("5000")));
    assert_eq!((server.balance("app_wallet").await, server.balance("clearing").await), (FULL - 5_000, 5_000));
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(transfer(&server, &made.id()).await["status"], "completed");
    assert_eq!((server.balance("app_wallet").await, server.balance("clearing").await), (FULL - 5_000, 0));
    post(&server, "withdraw", FULL).await.refused(402, "transaction-insufficient-funds");
    server.verify();
}

#[tokio::test]
async fn a_withdrawal_that_fails_or_comes_back_is_in_the_wallet_again() {
    for (number, status) in [("10000003", "failed"), ("20000003", "reversed")] {
        let server = Server::memory().await;
        set_account(&server, number).await;
        let made = post(&server, "withdraw", 5_000).await.expect(200);
        server.work_off().await;
        server.pass(3 * DAY).await;
        server.pass(DAY).await;
        assert_eq!(transfer(&server, &made.id()).await["status"], status);
        assert_eq!((server.balance("app_wallet").await, server.balance("clearing").await), (FULL, 0), "{number}");
        server.verify();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_twenty_withdrawals_of_everything_one_succeeds() {
    let server = Server::start().await;
    let replies = join_all((0..20).map(|_| post(&server, "withdraw", FULL))).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 1);
    for reply in replies.iter().filter(|reply| reply.status != 200) {
        reply.refused(402, "transaction-insufficient-funds");
    }
    assert_eq!(server.balance("app_wallet").await, 0);
    server.verify();
}

#[tokio::test]
async fn refills_need_an_amount_an_account_and_the_right_key() {
    let server = Server::memory().await;
    let deposit = path(&server, "deposit");
    for (body, field) in [
        (json!({}), "/amount"),
        (json!({"amount": 0}), "/amount"),
        (json!({"amount": -1}), "/amount"),
        (json!({"amount": 10_000_000_000_i64}), "/amount"),
        (json!({"amount": 1, "ammount": 1}), "/ammount"),
    ] {
        let reply = server.post(&deposit).app_key().json(body).send().await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), [field]);
    }
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Other"})).send().await.expect(201).id();
    for verb in ["deposit", "withdraw"] {
        let path = format!("/v2/apps/{other}/{verb}");
        let foreign = server.post(&path).app_key().json(json!({"amount": 1})).send().await;
        foreign.refused(404, "not-found");
        server.post(&path).as_org().json(json!({"amount": 1})).send().await.refused(409, "user-info-missing");
        server.post(&path).client_side().json(json!({"amount": 1})).send().await.refused(403, "secret-key-required");
    }
    server.post(&deposit).as_org().json(json!({"amount": 1})).send().await.expect(200);
}

#[tokio::test]
async fn set_app_ach_account_seals_what_get_app_ach_account_shows_the_end_of() {
    let server = Server::memory().await;
    let place = path(&server, "ach-account");
    let first = server.get(&place).app_key().send().await.expect(200).body;
    assert_eq!((&first["mask"], &first["name"]), (&json!("2333"), &json!("Demonstration")));
    let body = json!({"name": "Shop Ltd", "account_number": "123456789", "routing_number": "011000015", "account_type": "savings"});
    let set = server.put(&place).as_org().json(body.clone()).send().await.expect(200);
    assert_eq!(
        (&set.body["mask"], &set.body["account_type"], &set.body["rtp_enabled"]),
        (&json!("6789"), &json!("savings"), &json!(true))
    );
    assert!(!set.text.contains("123456789"));
    assert_eq!(server.get(&place).app_key().send().await.expect(200).text, set.text);
    let events = || server.get("/v2/events?limit=100").app_key().send();
    let before = events().await.expect(200).body["data"].as_array().unwrap().len();
    assert_eq!(server.put(&place).app_key().json(body).send().await.expect(200).text, set.text);
    assert_eq!(events().await.body["data"].as_array().unwrap().len(), before, "what changes nothing has no event");
    for (body, fields) in [
        (json!({}), vec!["/account_number", "/routing_number"]),
        (
            json!({"account_number": "1", "routing_number": "110000001", "account_type": "gold", "name": ""}),
            vec!["/name", "/account_number", "/routing_number", "/account_type"],
        ),
    ] {
        let reply = server.put(&place).app_key().json(body).send().await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), fields);
    }
}

#[tokio::test]
async fn an_app_is_refilled_when_its_wallet_runs_low_and_once_at_a_time() {
    let server = Server::memory().await;
    settings(&server, json!({"amount": 20_000, "threshold": 10_000})).await;
    server.work_off().await;
    assert!(refills(&server).await.is_empty(), "the wallet is full");
    let user = json!({"first_name": "Jane", "last_name": "Doe", "email": "jane@example.com", "country_code": "1", "phone_number": "2127361234"});
    let user = server.post("/v2/users").app_key().json(user).send().await.expect(201).id();
    let give =
        |amount: i64| server.post("/v2/transfers").app_key().json(json!({"user_id": user, "amount": -amount})).send();
    give(FULL - 10_000).await.expect(200);
    server.work_off().await;
    assert!(refills(&server).await.is_empty(), "the threshold itself is enough");
    for reply in join_all((0..20).map(|_| give(100))).await {
        reply.expect(200);
    }
    server.work_off().await;
    give(100).await.expect(200);
    server.work_off().await;
    let made = refills(&server).await;
    assert_eq!(made.len(), 1, "{made:?}");
    assert_eq!(
        (&made[0]["amount"], &made[0]["metadata"], &made[0]["status"]),
        (&json!("20000"), &json!("auto_refill"), &json!("pending"))
    );
    server.pass(DAY).await;
    assert_eq!(server.balance("app_wallet").await, 10_000 - 2_100 + 20_000);
    give(19_000).await.expect(200);
    server.work_off().await;
    assert_eq!(refills(&server).await.len(), 2, "low once more");
    server.verify();
}

#[tokio::test]
async fn setting_a_threshold_above_the_balance_refills_at_once_and_a_restart_changes_nothing() {
    let mut server = Server::start().await;
    settings(&server, json!({"amount": 300, "threshold": FULL + 1})).await;
    server.restart().await;
    server.work_off().await;
    assert_eq!(refills(&server).await.len(), 1);
    server.pass(DAY).await;
    assert_eq!(server.balance("app_wallet").await, FULL + 300);
    settings(&server, Value::Null).await;
    post(&server, "withdraw", FULL).await.expect(200);
    server.work_off().await;
    assert_eq!(refills(&server).await.len(), 2, "the withdrawal, and no refill");
}

#[tokio::test]
async fn a_refill_that_failed_is_tried_again_a_day_later() {
    let server = Server::memory().await;
    set_account(&server, "10000001").await;
    settings(&server, json!({"amount": 300, "threshold": FULL + 1})).await;
    server.work_off().await;
    server.pass(DAY).await;
    let made = refills(&server).await;
    assert_eq!((made.len(), &made[0]["status"]), (1, &json!("failed")));
    post(&server, "withdraw", 1).await.expect(200);
    server.pass(DAY - 1).await;
    assert_eq!(refills(&server).await.len(), 2, "the withdrawal alone");
    server.pass(1).await;
    assert_eq!(refills(&server).await.len(), 3);
}

#[tokio::test]
async fn create_organization_transfer_moves_both_ways_and_list_organization_transfers_shows_it() {
    let server = Server::memory().await;
    let app = server.app_id();
    let send = |amount: i64| {
        let body = json!({"app_id": app, "amount": amount, "metadata": "budget"});
        server.post("/v2/organization-transfers").as_org().json(body).send()
    };
    send(-1).await.refused(402, "transaction-insufficient-funds");
    let taken = send(700).await.expect(200);
    assert_eq!(
        (&taken.body["amount"], &taken.body["status"], &taken.body["app_id"]),
        (&json!("700"), &json!("completed"), &json!(app))
    );
    let seen = transfer(&server, &taken.id()).await;
    assert_eq!(seen["amount"], "-700", "the app sees it from its own side");
    assert_eq!(
        seen["transactions"].as_array().unwrap().len(),
        1,
        "the organization's own book is not the app's to see"
    );
    assert_eq!(taken.body["transactions"].as_array().unwrap().len(), 2);
    assert_eq!(server.balance("app_wallet").await, FULL - 700);
    let organization = server.get("/v2/organizations").as_org().send().await.expect(200).body["data"][0].clone();
    assert_eq!(organization["wallet"]["amount"], 700);
    let given = send(-200).await.expect(200);
    assert_eq!(transfer(&server, &given.id()).await["amount"], "200");
    send(-501).await.refused(402, "transaction-insufficient-funds");
    send(FULL).await.refused(402, "transaction-insufficient-funds");

    let list = |query: &str| server.get(&format!("/v2/organization-transfers{query}")).as_org().send();
    let all = list("").await.expect(200).body;
    let ids: Vec<&str> = all["data"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [given.id(), taken.id()]);
    assert_eq!(all["data"][1], taken.body);
    assert_eq!(list(&format!("?limit=1&starting_after={}", ids[0])).await.expect(200).body["data"][0]["id"], ids[1]);
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Other"})).send().await.expect(201).id();
    assert_eq!(list(&format!("?app_id={other}")).await.expect(200).body["data"], json!([]));

    let bare = server.post("/v2/organization-transfers").as_org().json(json!({"amount": 0})).send().await;
    assert_eq!(bare.refused(400, "invalid-input").fields(), ["/app_id", "/amount"]);
    let unknown_id = server.post("/v2/organization-transfers").as_org().json(json!({"amount": 1})).send().await;
    assert_eq!(unknown_id.refused(400, "invalid-input").fields(), ["/app_id"]);
    let unknown = json!({"amount": 1, "app_id": given.id()});
    server.post("/v2/organization-transfers").as_org().json(unknown).send().await.refused(404, "not-found");
    let own = json!({"amount": 1, "app_id": app});
    server
        .post("/v2/organization-transfers")
        .app_key()
        .json(own)
        .send()
        .await
        .refused(403, "organization-key-required");
    server.verify();
}

#[tokio::test]
async fn a_refill_under_way_is_the_only_one_also_when_another_pull_comes_back() {
    let server = Server::memory().await;
    set_account(&server, "20000001").await;
    post(&server, "deposit", 5_000).await.expect(200);
    server.work_off().await;
    server.pass(2 * DAY + DAY / 2).await;
    set_account(&server, "000123456789").await;
    settings(&server, json!({"amount": 20_000, "threshold": 2 * FULL})).await;
    server.work_off().await;
    server.pass(DAY / 2).await;
    let by_itself = |list: Vec<Value>| list.into_iter().filter(|one| one["metadata"] == "auto_refill").count();
    let made = refills(&server).await;
    assert!(made.iter().any(|one| one["status"] == "reversed"), "{made:?}");
    assert!(made.iter().any(|one| one["status"] == "pending"), "{made:?}");
    // Another account ends the waiting time after the first one's failure.
    set_account(&server, "000987654321").await;
    server.work_off().await;
    assert_eq!(by_itself(refills(&server).await), 1);
    server.pass(DAY).await;
    assert_eq!(by_itself(refills(&server).await), 2, "the first has arrived, and is too little");
    server.verify();
}
