//! Payouts by a rail that the app names (docs/decisions.md 8).

use serde_json::{Value, json};

use crate::harness::{Reply, Server};

const DAY: i64 = 86_400;

async fn pay(server: &Server, body: Value) -> Reply {
    server.post("/v2/payouts").app_key().json(body).send().await
}

async fn transfer(server: &Server, id: &str) -> Value {
    server.get(&format!("/v2/transfers/{id}")).app_key().send().await.expect(200).body
}

async fn wallet(server: &Server, user: &str) -> i64 {
    let user = server.get(&format!("/v2/users/{user}")).app_key().send().await.expect(200);
    user.body["wallet"]["amount"].as_i64().unwrap()
}

/// Moves money to a user's wallet.
async fn give(server: &Server, user: &str, amount: i64) {
    let body = json!({"user_id": user, "amount": -amount});
    server.post("/v2/transfers").app_key().json(body).send().await.expect(200);
}

/// Returns the ledger movements with their type: `User wallet -> Clearing: … 975 payout`.
fn movements(transfer: &Value) -> Vec<String> {
    let reported = |one: &Value| {
        let text = |name: &str| one[name].as_str().unwrap().to_owned();
        format!("{} -> {} {} {}", text("source_name"), text("destination_name"), text("amount"), text("type"))
    };
    transfer["transactions"].as_array().unwrap().iter().map(reported).collect()
}

#[tokio::test]
async fn create_payout_pays_from_the_users_wallet() {
    let server = Server::start().await;
    let user = server.banked_user(1234).await;
    let order = json!({"user_id": user, "amount": 1000, "platform": "ach", "metadata": {"job": 7}, "tax_exempt": true});
    pay(&server, order.clone()).await.refused(402, "transaction-insufficient-funds");
    give(&server, &user, 1_500).await;
    let paid = pay(&server, order).await.expect(201).body;
    assert_eq!([&paid["type"], &paid["status"], &paid["amount"]], ["payout", "created", "1000"]);
    assert_eq!([&paid["fee_amount"], &paid["payout_amount"], &paid["payout_fee_party"]], ["25", "975", "user"]);
    assert_eq!([&paid["user_id"], &paid["metadata"]], [&json!(user), &json!("{\"job\":7}")]);
    let clearing = "User wallet -> Clearing: Bank account (ACH)";
    assert_eq!(movements(&paid), [format!("{clearing} 975 payout"), format!("{clearing} 25 fee")]);
    assert_eq!(wallet(&server, &user).await, 500);
    server.work_off().await;
    server.pass(DAY).await;
    let id = paid["id"].as_str().unwrap();
    assert_eq!(transfer(&server, id).await["status"], "completed");
    assert_eq!((server.balance("clearing").await, server.balance("service_fees").await), (0, 25));
    server.verify();
}

#[tokio::test]
async fn fund_fills_the_wallet_first_and_gives_back_what_fails() {
    let server = Server::start().await;
    let user = server.verified_user(1234).await;
    let closed = json!({"platform": "ach", "account_number": "10000002", "routing_number": "110000000"});
    server.payout_method(&user, closed).await;
    let before = server.balance("app_wallet").await;
    for party in ["user", "platform"] {
        let order =
            json!({"user_id": user, "amount": 1000, "platform": "ach", "fund": true, "payout_fee_party": party});
        let paid = pay(&server, order).await;
        if party == "platform" {
            // The closed account is out of use since the first payout failed.
            paid.refused(409, "user-info-missing");
            continue;
        }
        let paid = paid.expect(201).body;
        assert_eq!(movements(&paid)[0], "App wallet -> User wallet 1000 balance");
        assert_eq!((server.balance("app_wallet").await, wallet(&server, &user).await), (before - 1_000, 0));
        server.work_off().await;
        server.pass(DAY).await;
        let failed = transfer(&server, paid["id"].as_str().unwrap()).await;
        assert_eq!([&failed["status"], &failed["error"]], ["failed", "account_closed"]);
        assert_eq!(
            (server.balance("app_wallet").await, wallet(&server, &user).await),
            (before, 0),
            "all of it is back"
        );
        let reported = server.newest_message("+12127361234").await["text"].as_str().unwrap().to_owned();
        assert!(reported.contains("The money is back with the sender"), "{reported}");
    }
    server.verify();
}

#[tokio::test]
async fn without_fund_the_money_of_a_failed_payout_stays_the_users() {
    let server = Server::start().await;
    let user = server.verified_user(1234).await;
    let closed = json!({"platform": "ach", "account_number": "10000002", "routing_number": "110000000"});
    server.payout_method(&user, closed).await;
    give(&server, &user, 1_000).await;
    pay(&server, json!({"user_id": user, "amount": 1000, "platform": "ach"})).await.expect(201);
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(wallet(&server, &user).await, 1_000);
    server.verify();
}

#[tokio::test]
async fn fund_gives_back_to_the_app_what_had_arrived_and_came_back() {
    let server = Server::start().await;
    let user = server.verified_user(1234).await;
    let late = json!({"platform": "ach", "account_number": "20000001", "routing_number": "110000000"});
    server.payout_method(&user, late).await;
    let before = server.balance("app_wallet").await;
    let order = json!({"user_id": user, "amount": 1000, "platform": "ach", "fund": true});
    let id = pay(&server, order).await.expect(201).id();
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(transfer(&server, &id).await["status"], "completed");
    server.pass(2 * DAY).await;
    assert_eq!(transfer(&server, &id).await["status"], "reversed");
    assert_eq!(
        (server.balance("app_wallet").await, wallet(&server, &user).await),
        (before - 25, 0),
        "the fee is earned"
    );
    server.verify();
}

#[tokio::test]
async fn default_is_the_rail_of_the_default_method() {
    let server = Server::memory().await;
    let user = server.verified_user(1234).await;
    let order = json!({"user_id": user, "amount": 1000, "platform": "default", "fund": true});
    pay(&server, order.clone()).await.refused(409, "user-info-missing");
    server.payout_method(&user, json!({"platform": "wallet_b", "handle": "jane"})).await;
    let instant = json!({"platform": "ach", "account_number": "123456789", "routing_number": "011000015"});
    let instant = server.payout_method(&user, instant).await;
    let paid = pay(&server, order).await.expect(201).body;
    assert_eq!([&paid["external_data"]["platform"], &paid["fee_amount"]], ["wallet_b", "50"]);
    let order = json!({"user_id": user, "amount": 1000, "platform": "ach", "account_id": instant, "fund": true});
    let paid = pay(&server, order).await.expect(201).body;
    assert_eq!(
        [&paid["external_data"]["platform"], &paid["external_data"]["account_id"]],
        [&json!("rtp"), &json!(instant)]
    );
    let other = json!({"user_id": user, "amount": 1000, "platform": "wallet_b", "account_id": instant, "fund": true});
    assert_eq!(pay(&server, other).await.refused(400, "invalid-input").fields(), ["/account_id"]);
}

#[tokio::test]
async fn a_card_needs_no_details() {
    let server = Server::start().await;
    let (jane, john) = (server.verified_user(1234).await, server.verified_user(1235).await);
    for user in [&jane, &john] {
        let order = json!({"user_id": user, "amount": 1050, "platform": "prepaid_card_a", "fund": true});
        let id = pay(&server, order).await.expect(201).id();
        server.work_off().await;
        server.pass(300).await;
        assert_eq!(transfer(&server, &id).await["status"], "completed");
        let shown = server.get(&format!("/v2/users/{user}")).app_key().send().await.expect(200).body;
        assert_eq!(shown["default_payout_method"], Value::Null, "a card is not where payouts go from now on");
        assert_eq!(shown["compliance"]["flags"]["payout_method"], false, "two people's cards are not one account");
    }
    server.verify();
}

#[tokio::test]
async fn only_who_may_be_paid_is_paid() {
    let server = Server::memory().await;
    let (new, jane) = (server.user(1233).await, server.banked_user(1234).await);
    let order =
        |user: &str, platform: &str| json!({"user_id": user, "amount": 1000, "platform": platform, "fund": true});
    pay(&server, order(&new, "prepaid_card_a")).await.refused(409, "invalid-state");
    pay(&server, order(&new, "ach")).await.refused(409, "user-info-missing");
    pay(&server, order("019a0000-0000-7000-8000-000000000000", "ach")).await.refused(404, "not-found");
    server.set(json!({"payout_options_exclude_list": ["ach"]})).await;
    pay(&server, order(&jane, "ach")).await.refused(409, "invalid-state");
    let estimate = format!("/v2/payouts/fee-estimate?user_id={jane}&platform=ach");
    server.get(&format!("{estimate}&amount=1000")).app_key().send().await.refused(409, "invalid-state");
    server.get(&estimate).app_key().send().await.expect(200);
    server.set(json!({"payout_options_exclude_list": null})).await;
    pay(&server, order(&jane, "ach")).await.expect(201);
    let over =
        json!({"user_id": jane, "amount": 9_999_999_999_i64, "platform": "ach", "fund": true, "tax_exempt": true});
    pay(&server, over).await.refused(402, "transaction-insufficient-funds");
}

#[tokio::test]
async fn every_wrong_field_of_a_payout_is_named() {
    let server = Server::memory().await;
    let user = server.banked_user(1234).await;
    let good = json!({"user_id": user, "amount": 1000, "platform": "ach", "fund": true});
    for (change, fields) in [
        (json!({"user_id": null}), vec!["/user_id"]),
        (json!({"amount": 0}), vec!["/amount"]),
        (json!({"amount": 1.5}), vec!["/amount"]),
        (json!({"amount": "1000"}), vec!["/amount"]),
        (json!({"amount": 10_000_000_000_i64}), vec!["/amount"]),
        (json!({"platform": "rtp"}), vec!["/platform"]),
        (json!({"platform": "bank"}), vec!["/platform"]),
        (json!({"account_id": "x"}), vec!["/account_id"]),
        (json!({"fund": "yes"}), vec!["/fund"]),
        (json!({"tax_exempt": 1}), vec!["/tax_exempt"]),
        (json!({"payout_fee_party": "app"}), vec!["/payout_fee_party"]),
        (json!({"payout_fee_fixed": -1, "payout_fee_percent": "1"}), vec!["/payout_fee_fixed", "/payout_fee_percent"]),
        (json!({"payout_fee_percent": 0.05, "payout_fee_fixed": 0}), vec!["/payout_fee_percent"]),
        (json!({"payout_fee_fixed": 5}), vec!["/payout_fee_percent"]),
        (json!({"payout_fee_percent": ".05"}), vec!["/payout_fee_fixed"]),
        (json!({"metadata": 7}), vec!["/metadata"]),
        (json!({"platfrom": "ach"}), vec!["/platfrom"]),
        (json!({"amount": 25}), vec!["/amount"]),
    ] {
        let mut body = good.clone();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let reply = pay(&server, body).await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), fields, "{change}");
    }
    let key = "0195cf3a-0000-7000-8000-000000000000";
    let mut keyed = good;
    keyed["idempotency_key"] = json!(key);
    let first = pay(&server, keyed.clone()).await.expect(201);
    let again = pay(&server, keyed.clone()).await.expect(201);
    assert_eq!((&again.text, again.header("idempotent-replayed")), (&first.text, Some("true")));
    keyed["amount"] = json!(2_000);
    pay(&server, keyed).await.refused(409, "idempotency-key-reused");
}

#[tokio::test]
async fn what_is_estimated_is_what_is_charged() {
    let server = Server::start().await;
    let user = server.verified_user(1234).await;
    for method in [
        json!({"platform": "ach", "account_number": "123456789", "routing_number": "011000015"}),
        json!({"platform": "intl_bank", "iban": "DE89370400440532013000"}),
        json!({"platform": "wallet_a", "email": "jane@example.com"}),
        json!({"platform": "push_to_card", "card_token": "tok_jane"}),
    ] {
        server.payout_method(&user, method).await;
    }
    server.set(json!({"fees": {"defaults": {"fixed": 3, "percent": ".0125", "min": 9, "max": 400}}})).await;
    let mut tried = 0;
    for platform in ["ach", "intl_bank", "wallet_a", "push_to_card", "prepaid_card_a", "gift_card_a", "default"] {
        for amount in [501, 1_099, 33_333, 100_050] {
            for party in ["user", "platform"] {
                for own in [None, Some((0, "0")), Some((7, ".0333"))] {
                    let mut query =
                        format!("user_id={user}&platform={platform}&amount={amount}&payout_fee_party={party}");
                    let mut order = json!({
                        "user_id": user, "platform": platform, "amount": amount, "payout_fee_party": party, "fund": true,
                        "tax_exempt": true
                    });
                    if let Some((fixed, percent)) = own {
                        query.push_str(&format!("&payout_fee_fixed={fixed}&payout_fee_percent={percent}"));
                        order["payout_fee_fixed"] = json!(fixed);
                        order["payout_fee_percent"] = json!(percent);
                    }
                    let estimate = format!("/v2/payouts/fee-estimate?{query}&explain=true");
                    let estimate = server.get(&estimate).app_key().send().await.expect(200).body;
                    let paid = pay(&server, order).await.expect(201).body;
                    charged_as_estimated(&estimate, &paid);
                    tried += 1;
                }
            }
        }
    }
    assert_eq!(tried, 168);
    server.work_off().await;
    server.pass(4 * DAY).await;
    assert_eq!(server.balance("clearing").await, 0);
    server.verify();
}

/// Compares the transfer and its ledger movements with the estimate.
fn charged_as_estimated(estimate: &Value, paid: &Value) {
    let cents = |name: &str| estimate[name].as_i64().unwrap();
    assert_eq!(paid["external_data"]["platform"], estimate["platform"]);
    assert_eq!(paid["payout_fee_party"], estimate["payout_fee_party"]);
    assert_eq!(paid["fee_amount"], cents("total_fee_amount").to_string());
    assert_eq!(paid["payout_amount"], cents("payout_amount").to_string());
    assert_eq!(paid["fee_basis"], estimate["explain"]["basis"]);
    assert_eq!(cents("payout_amount") + cents("user_fee_amount"), cents("amount"));
    assert_eq!(
        cents("fee_amount") + cents("platform_fee_amount") + cents("fx_upcharge_amount"),
        cents("total_fee_amount")
    );
    let moved = |kind: &str| -> Vec<(String, i64)> {
        let all = paid["transactions"].as_array().unwrap().iter().filter(|one| one["type"] == kind);
        let reported = |one: &Value| {
            (one["source_name"].as_str().unwrap().to_owned(), one["amount"].as_str().unwrap().parse().unwrap())
        };
        all.map(reported).collect()
    };
    assert_eq!(moved("payout"), [("User wallet".to_owned(), cents("payout_amount"))]);
    let payer = if estimate["payout_fee_party"] == "user" { "User wallet" } else { "App wallet" };
    let fees = [cents("fee_amount"), cents("platform_fee_amount"), cents("fx_upcharge_amount")];
    let fees: Vec<(String, i64)> = fees.into_iter().filter(|fee| *fee > 0).map(|fee| (payer.to_owned(), fee)).collect();
    assert_eq!(moved("fee"), fees);
    assert_eq!(moved("balance"), [("App wallet".to_owned(), cents("amount"))]);
}

/// The money goes to the organization, the only one that can still reach it.
#[tokio::test]
async fn a_payout_comes_back_to_an_app_that_was_deleted_and_its_money_can_be_fetched() {
    let server = Server::start().await;
    let app = format!("/v2/apps/{}", server.app_id());
    let user = server.verified_user(1234).await;
    let late = json!({"platform": "ach", "account_number": "20000001", "routing_number": "110000000"});
    server.payout_method(&user, late).await;
    pay(&server, json!({"user_id": user, "amount": 1000, "platform": "ach", "fund": true})).await.expect(201);
    let own = json!({"account_number": "000123456789", "routing_number": "110000000"});
    server.put(&format!("{app}/ach-account")).app_key().json(own).send().await.expect(200);
    let rest = json!({"amount": server.balance("app_wallet").await});
    server.post(&format!("{app}/withdraw")).app_key().json(rest).send().await.expect(200);
    server.work_off().await;
    server.pass(DAY).await;
    server.delete(&app).as_org().send().await.expect(200);

    server.pass(2 * DAY).await;
    let fetch = |amount: i64| {
        let body = json!({"app_id": server.app_id(), "amount": amount});
        server.post("/v2/organization-transfers").as_org().json(body)
    };
    fetch(975).send().await.expect(200);
    fetch(1).send().await.refused(402, "transaction-insufficient-funds");
    fetch(-975).send().await.refused(404, "not-found");
    server.verify();
}

/// The user's wallet is out of reach then, so the money returns to the app's, within the organization's reach.
#[tokio::test]
async fn a_payout_that_comes_back_when_user_or_app_are_gone_goes_to_the_app() {
    for gone in ["user", "app"] {
        let server = Server::start().await;
        let app = format!("/v2/apps/{}", server.app_id());
        let user = server.verified_user(1234).await;
        let late = json!({"platform": "ach", "account_number": "20000001", "routing_number": "110000000"});
        server.payout_method(&user, late).await;
        let earned = json!({"user_id": user, "amount": -1000});
        server.post("/v2/transfers").app_key().json(earned).send().await.expect(200);
        pay(&server, json!({"user_id": user, "amount": 1000, "platform": "ach"})).await.expect(201);
        if gone == "app" {
            let own = json!({"account_number": "000123456789", "routing_number": "110000000"});
            server.put(&format!("{app}/ach-account")).app_key().json(own).send().await.expect(200);
            let rest = json!({"amount": server.balance("app_wallet").await});
            server.post(&format!("{app}/withdraw")).app_key().json(rest).send().await.expect(200);
        }
        server.work_off().await;
        server.pass(DAY).await;
        let path = if gone == "app" { app } else { format!("/v2/users/{user}") };
        server.delete(&path).as_org().for_app(&server.app_id()).send().await.expect(200);

        server.pass(2 * DAY).await;
        let fetch = json!({"app_id": server.app_id(), "amount": 975});
        server.post("/v2/organization-transfers").as_org().json(fetch).send().await.expect(200);
        let trial = server.get("/v2/ledger/trial-balance").as_org().send().await.expect(200).body;
        let wallets = trial["accounts"].as_array().unwrap().iter().filter(|account| account["type"] == "user_wallet");
        assert!(wallets.into_iter().all(|wallet| wallet["balance"] == 0), "{gone}: {trial}");
        server.verify();
    }
}
