//! Fee estimates: the price of a payout (docs/specification.md 9).

use serde_json::{Value, json};

use crate::harness::{Reply, Server};

async fn ask(server: &Server, query: &str) -> Reply {
    server.get(&format!("/v2/payouts/fee-estimate?{query}")).app_key().send().await
}

async fn estimate(server: &Server, query: &str) -> Value {
    ask(server, query).await.expect(200).body
}

const INSTANT: &str = "011000015";

fn bank(account_number: &str, routing_number: &str) -> Value {
    json!({"platform": "ach", "account_number": account_number, "routing_number": routing_number})
}

#[tokio::test]
async fn estimate_payout_fees_shows_every_field_of_the_specification() {
    let server = Server::memory().await;
    let user = server.banked_user(1234).await;
    let shown = ask(&server, &format!("user_id={user}&amount=10000&platform=ach")).await.expect(200);
    let settings = |fixed| json!({"fixed": fixed, "percent": "0", "min": 0, "max": null});
    let expected = json!({
        "user_id": user, "platform": "ach", "payout_fee_party": "user", "fee_settings": settings(25),
        "platform_fee_settings": settings(0), "amount": 10_000, "fee_amount": 25, "platform_fee_amount": 0,
        "fx_upcharge_amount": 0, "total_fee_amount": 25, "user_fee_amount": 25, "payout_amount": 9_975,
    });
    assert_eq!(shown.body, expected);
    let by_platform =
        estimate(&server, &format!("user_id={user}&amount=10000&platform=ach&payout_fee_party=platform")).await;
    assert_eq!(
        [&by_platform["total_fee_amount"], &by_platform["user_fee_amount"], &by_platform["payout_amount"]],
        [25, 0, 10_000]
    );
    assert_eq!(
        server.get("/v2/transfers").app_key().send().await.expect(200).body["data"],
        json!([]),
        "nothing was made"
    );
}

/// Finding L5: wallet_a takes two percent, and a thousand small payouts cost no less than a large one.
#[tokio::test]
async fn a_percentage_that_rounds_to_nothing_costs_a_cent() {
    let server = Server::start().await;
    let user = server.verified_user(1234).await;
    server.payout_method(&user, json!({"platform": "wallet_a", "email": "jane@example.com"})).await;
    let shown = estimate(&server, &format!("user_id={user}&amount=25&platform=wallet_a&explain=true")).await;
    assert_eq!((&shown["fee_amount"], &shown["payout_amount"]), (&json!(1), &json!(24)));
    let worked = &shown["explain"]["fees"][0];
    assert_eq!((&worked["unrounded"], &worked["held_to"]), (&json!("0.5"), &json!("one_cent")));
    let order = json!({"user_id": user, "amount": 25, "platform": "wallet_a", "fund": true});
    let paid = server.post("/v2/payouts").app_key().json(order).send().await.expect(201).body;
    assert_eq!((&paid["fee_amount"], &paid["payout_amount"]), (&json!("1"), &json!("24")));
    // A payout of one cent leaves nothing to arrive.
    let order = json!({"user_id": user, "amount": 1, "platform": "wallet_a", "fund": true});
    let refused = server.post("/v2/payouts").app_key().json(order).send().await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/amount"]);
    server.verify();
}

#[tokio::test]
async fn without_an_amount_all_fourteen_rails_show_their_schedules_alone() {
    let server = Server::memory().await;
    // Not even verified: no check runs.
    let user = server.user(1234).await;
    let rails = [
        "ach",
        "wallet_a",
        "wallet_b",
        "prepaid_card_a",
        "gift_card_a",
        "wallet_c",
        "intl_bank",
        "intl_transfer",
        "bank_transfer",
        "wire",
        "wallet_d",
        "wallet_e",
        "crypto",
        "push_to_card",
    ];
    for rail in rails {
        let shown = estimate(&server, &format!("user_id={user}&platform={rail}")).await;
        assert_eq!(shown["platform"], rail);
        for amount in [
            "amount",
            "fee_amount",
            "platform_fee_amount",
            "fx_upcharge_amount",
            "total_fee_amount",
            "user_fee_amount",
            "payout_amount",
        ] {
            assert!(shown.as_object().unwrap().contains_key(amount) && shown[amount].is_null(), "{rail} {amount}");
        }
        assert!(shown["fee_settings"]["percent"].is_string() && shown["fee_settings"]["min"].is_i64(), "{shown}");
    }
    let wallet = estimate(&server, &format!("user_id={user}&platform=wallet_a")).await;
    assert_eq!(wallet["fee_settings"], json!({"fixed": 0, "percent": "0.02", "min": 0, "max": 2000}));
    // An account that takes instant payments changes nothing: the upgrade depends on the amount.
    let instant = server.verified_user(1235).await;
    server.payout_method(&instant, bank("123456789", INSTANT)).await;
    assert_eq!(estimate(&server, &format!("user_id={instant}&platform=ach")).await["platform"], "ach");
    // The schedules of a disabled user are returned too; the payout's checks require an amount.
    server.delete(&format!("/v2/users/{instant}")).app_key().send().await.expect(200);
    estimate(&server, &format!("user_id={instant}&platform=ach")).await;
    ask(&server, &format!("user_id={instant}&platform=ach&amount=1000")).await.refused(409, "user-inactive");
}

#[tokio::test]
async fn with_an_amount_a_rail_needs_its_method_but_the_cards() {
    let server = Server::memory().await;
    let user = server.user(1234).await;
    for rail in [
        "ach",
        "wallet_a",
        "wallet_b",
        "wallet_c",
        "intl_bank",
        "intl_transfer",
        "bank_transfer",
        "wire",
        "wallet_d",
        "wallet_e",
        "crypto",
        "push_to_card",
        "default",
    ] {
        let reply = ask(&server, &format!("user_id={user}&amount=10000&platform={rail}")).await;
        reply.refused(409, "user-info-missing");
    }
    for rail in ["prepaid_card_a", "gift_card_a"] {
        let shown = estimate(&server, &format!("user_id={user}&amount=10000&platform={rail}")).await;
        assert_eq!((&shown["fee_amount"], &shown["payout_amount"]), (&json!(0), &json!(10_000)));
    }
    ask(&server, &format!("user_id={user}&platform=default")).await.refused(409, "user-info-missing");
}

#[tokio::test]
async fn ach_becomes_rtp_where_account_and_amount_allow_it() {
    let server = Server::memory().await;
    let user = server.verified_user(1234).await;
    server.payout_method(&user, bank("123456789", INSTANT)).await;
    for (amount, platform, fee) in [(1_000, "rtp", 100), (10_000_000, "rtp", 100), (10_000_001, "ach", 25)] {
        let shown = estimate(&server, &format!("user_id={user}&amount={amount}&platform=ach")).await;
        assert_eq!((&shown["platform"], &shown["fee_amount"]), (&json!(platform), &json!(fee)), "{amount}");
    }
    let shown = estimate(&server, &format!("user_id={user}&amount=1000&platform=default&explain=true")).await;
    assert_eq!(shown["platform"], "rtp");
    assert_eq!(shown["explain"]["requested_platform"], "ach");
    assert!(shown["explain"]["rtp"].as_str().unwrap().starts_with("by rtp"));
    let wire = json!({"platform": "wire", "account_number": "123456789", "routing_number": INSTANT});
    server.payout_method(&user, wire).await;
    assert_eq!(estimate(&server, &format!("user_id={user}&amount=2000&platform=wire")).await["platform"], "wire");
}

#[tokio::test]
async fn an_account_is_the_one_that_is_named_or_the_most_recent() {
    let server = Server::memory().await;
    let user = server.verified_user(1234).await;
    let instant = server.payout_method(&user, bank("123456789", INSTANT)).await;
    let slow = server.payout_method(&user, bank("987654321", "110000000")).await;
    let wallet = server.payout_method(&user, json!({"platform": "wallet_a", "email": "jane@example.com"})).await;
    let ach = format!("user_id={user}&amount=1000&platform=ach");
    assert_eq!(estimate(&server, &ach).await["platform"], "ach", "the most recent one takes no instant payments");
    assert_eq!(estimate(&server, &format!("{ach}&account_id={instant}")).await["platform"], "rtp");
    // The default is the first one; another account of its rail may be named.
    let default = format!("user_id={user}&amount=1000&platform=default");
    assert_eq!(estimate(&server, &default).await["platform"], "rtp");
    assert_eq!(estimate(&server, &format!("{default}&account_id={slow}")).await["platform"], "ach");

    let nobodys = "019a0000-0000-7000-8000-000000000000";
    let others = server.banked_user(1235).await;
    let others = server.payout_method(&others, bank("123123123", INSTANT)).await;
    for unknown in [nobodys, &others] {
        for query in [ach.as_str(), &format!("user_id={user}&platform=ach")] {
            ask(&server, &format!("{query}&account_id={unknown}")).await.refused(404, "not-found");
        }
    }
    for (rail, account) in [("ach", &wallet), ("intl_bank", &slow), ("wallet_a", &wallet), ("wire", &slow)] {
        let reply = ask(&server, &format!("user_id={user}&platform={rail}&account_id={account}")).await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), ["account_id"], "{rail}");
    }
    ask(&server, &format!("{ach}&account_id=slow")).await.refused(400, "invalid-input");
    let removed = format!("/v2/users/{user}/payout-methods/{slow}");
    server.delete(&removed).app_key().send().await.expect(200);
    ask(&server, &format!("{ach}&account_id={slow}")).await.refused(409, "user-info-missing");
    assert_eq!(estimate(&server, &ach).await["platform"], "rtp", "the most recent one that is in use");
}

#[tokio::test]
async fn every_wrong_parameter_is_named() {
    let server = Server::memory().await;
    let user = server.banked_user(1234).await;
    let good = format!("user_id={user}&platform=ach");
    for (query, fields) in [
        (String::new(), vec!["user_id", "platform"]),
        ("user_id=jane&platform=ach".to_owned(), vec!["user_id"]),
        (format!("user_id={user}&platform=ACH"), vec!["platform"]),
        (format!("user_id={user}&platform=rtp"), vec!["platform"]),
        (format!("user_id={user}&platform=invoice"), vec!["platform"]),
        (format!("user_id={user}&platform="), vec!["platform"]),
        (format!("{good}&amount=0"), vec!["amount"]),
        (format!("{good}&amount=-1"), vec!["amount"]),
        (format!("{good}&amount=10000000000"), vec!["amount"]),
        (format!("{good}&amount=1.5"), vec!["amount"]),
        (format!("{good}&amount=1e3"), vec!["amount"]),
        (format!("{good}&amount="), vec!["amount"]),
        (format!("{good}&payout_fee_party=app"), vec!["payout_fee_party"]),
        (format!("{good}&explain=yes"), vec!["explain"]),
        (format!("{good}&ammount=5"), vec!["ammount"]),
        (format!("{good}&amount=5&amount=5"), vec!["amount"]),
        (format!("{good}&platform=ach"), vec!["platform"]),
        (format!("{good}&amount=0&payout_fee_party=x&colour=red"), vec!["colour", "amount", "payout_fee_party"]),
        (format!("{good}&amount=25"), vec!["amount"]),
        (format!("{good}&amount=24"), vec!["amount"]),
    ] {
        let reply = ask(&server, &query).await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), fields, "{query}");
    }
    for (rail, advice) in [("rtp", "send ach"), ("invoice", "send ach")] {
        let reply = ask(&server, &format!("user_id={user}&platform={rail}")).await;
        assert!(reply.text.contains(advice), "{}", reply.text);
    }
    let unknown_id = "019a0000-0000-7000-8000-000000000000";
    ask(&server, &format!("user_id={unknown_id}&platform=ach")).await.refused(404, "not-found");
}

#[tokio::test]
async fn an_override_has_both_parts_and_the_exact_grammar() {
    let server = Server::memory().await;
    let user = server.banked_user(1234).await;
    let good = format!("user_id={user}&amount=10000&platform=ach");
    for (percent, shown, fee) in
        [("0", "0", 7), (".05", "0.05", 507), ("0.05", "0.05", 507), ("0.0", "0", 7), ("0.9", "0.9", 9_007)]
    {
        let estimate = estimate(
            &server,
            &format!("{good}&payout_fee_fixed=7&payout_fee_percent={percent}&payout_fee_party=platform"),
        )
        .await;
        assert_eq!(estimate["platform_fee_settings"], json!({"fixed": 7, "percent": shown, "min": 0, "max": null}));
        assert_eq!(estimate["platform_fee_amount"], fee, "{percent}");
    }
    for percent in
        ["1", "1.0", "00.5", "-0", "5%25", "1e-1", "0.", ".", "", "+.5", "0,5", "%20.5", "0x1", ".0000000000000000001"]
    {
        let reply = ask(&server, &format!("{good}&payout_fee_fixed=7&payout_fee_percent={percent}")).await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), ["payout_fee_percent"], "{percent}");
    }
    for fixed in ["-1", "1.5", "x", "10000000000", ""] {
        let reply = ask(&server, &format!("{good}&payout_fee_fixed={fixed}&payout_fee_percent=0")).await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), ["payout_fee_fixed"], "{fixed}");
    }
    let alone = ask(&server, &format!("{good}&payout_fee_fixed=7")).await;
    assert_eq!(alone.refused(400, "invalid-input").fields(), ["payout_fee_percent"]);
    assert!(alone.body["message"].as_str().unwrap().starts_with("payout_fee_percent: "), "{}", alone.text);
    let alone = ask(&server, &format!("{good}&payout_fee_percent=.1")).await;
    assert_eq!(alone.refused(400, "invalid-input").fields(), ["payout_fee_fixed"]);

    // An override replaces the app's whole table.
    server.set(json!({"fees": {"ach": {"fixed": 500}}, "payout_fee_party": "platform"})).await;
    let estimated = estimate(&server, &good).await;
    assert_eq!((&estimated["platform_fee_amount"], &estimated["payout_fee_party"]), (&json!(500), &json!("platform")));
    let overridden = estimate(&server, &format!("{good}&payout_fee_fixed=0&payout_fee_percent=0")).await;
    assert_eq!(overridden["platform_fee_amount"], 0);
}

#[tokio::test]
async fn cards_take_base_fees_on_whole_dollars_and_overrides_on_the_request() {
    let server = Server::memory().await;
    let user = server.user(1234).await;
    server.set(json!({"fees": {"prepaid_card_a": {"percent": "0.1"}, "gift_card_a": {"percent": "0.1"}}})).await;
    for rail in ["prepaid_card_a", "gift_card_a"] {
        let query = format!("user_id={user}&amount=1099&platform={rail}&explain=true");
        let base = estimate(&server, &query).await;
        assert_eq!(base["platform_fee_amount"], 100, "a tenth of ten whole dollars");
        assert_eq!(base["explain"]["fees"][1]["on_amount"], 1_000);
        let overridden = estimate(&server, &format!("{query}&payout_fee_fixed=0&payout_fee_percent=.1")).await;
        assert_eq!(overridden["platform_fee_amount"], 110, "a tenth of $10.99, which is 109.9");
        assert_eq!(overridden["explain"]["fees"][1]["on_amount"], 1_099);
        assert_eq!(overridden["explain"]["fees"][1]["unrounded"], "109.9");
    }
}

#[tokio::test]
async fn an_explanation_names_rule_row_rounding_and_rate() {
    let server = Server::memory().await;
    let user = server.verified_user(1234).await;
    server.payout_method(&user, json!({"platform": "intl_bank", "iban": "DE89370400440532013000"})).await;
    server
        .set(json!({"fees": {"intl_bank": {"fixed": 1}, "intl_bank/EUR": {"fixed": 30, "max": 20}, "defaults": {}}}))
        .await;
    let shown = estimate(&server, &format!("user_id={user}&amount=10050&platform=intl_bank&explain=true")).await;
    assert_eq!(
        [&shown["fee_amount"], &shown["platform_fee_amount"], &shown["fx_upcharge_amount"], &shown["payout_amount"]],
        [300, 20, 100, 9_630],
        "200 and 1 % of 100.50 dollars are 300.5 cents, and half a cent goes to the even neighbour"
    );
    let free = |more: Value| {
        let mut schedule = json!({"fixed": 0, "percent": "0", "min": 0, "max": null});
        schedule.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schedule
    };
    let worked = |part: &str, schedule: Value, unrounded: &str, held_to: Value, charged: i64| {
        json!({
            "part": part, "on_amount": 10_050, "schedule": schedule, "unrounded": unrounded, "rounding": "half-even",
            "held_to": held_to, "charged": charged,
        })
    };
    let own = free(json!({"fixed": 30, "max": 20}));
    assert_eq!(
        shown["explain"],
        json!({
            "basis": {
                "rule_id": "intl-bank-standard", "rule_version": 1, "rule_effective_from": "2025-01-01",
                "platform_fee_source": "fee_table", "fee_table_row": "intl_bank/EUR", "fee_table_version": 1,
                "platform_fee_settings": own,
                // 96.30 dollars at 0.852 are 82.0476 euro.
                "exchange": {
                    "currency": "EUR", "rate": "0.852", "rate_date": "2026-01-01", "converted_amount": 8_205,
                    "minor_digits": 2,
                },
            },
            "requested_platform": "intl_bank", "rtp": "not by rtp: only ach payouts can use rtp",
            "fees": [
                worked("fee", free(json!({"fixed": 200, "percent": "0.01"})), "300.5", Value::Null, 300),
                worked("platform_fee", own, "30", json!("max"), 20),
                worked("fx_upcharge", free(json!({"percent": "0.01"})), "100.5", Value::Null, 100),
            ],
        })
    );
    // Without an amount the response has a rate and no conversion.
    let schedules = estimate(&server, &format!("user_id={user}&platform=intl_bank&explain=true")).await;
    assert_eq!(schedules["explain"]["basis"]["exchange"]["converted_amount"], Value::Null);
    assert_eq!(schedules["explain"]["basis"]["exchange"]["currency"], "EUR");
    assert_eq!((&schedules["explain"]["fees"], &schedules["amount"]), (&json!([]), &Value::Null));
    assert!(estimate(&server, &format!("user_id={user}&platform=ach&explain=false")).await.get("explain").is_none());
}

#[tokio::test]
async fn money_is_changed_at_the_rate_of_the_day_into_the_units_of_the_currency() {
    let server = Server::memory().await;
    let user = server.verified_user(1234).await;
    let recipient = |country: &str, currency: Option<&str>| {
        json!({
            "platform": "intl_transfer", "name": "Jane Doe", "country": country, "phone_number": "2127361234",
            "country_code": "1", "currency": currency,
        })
    };
    // $10.00 less 500 and, for a conversion, 10 cents.
    for (country, currency, upcharge, converted, digits) in [
        ("JP", None, 10, json!(767), 0),        // 4.90 x 156.60 = 767.34
        ("KW", None, 10, json!(1_505), 3),      // 4.90 x 0.3072 = 1.50528
        ("MX", None, 10, json!(8_810), 2),      // 4.90 x 17.98 = 88.102
        ("MX", Some("USD"), 0, Value::Null, 0), // dollars stay dollars
        ("MX", Some("GBP"), 10, json!(364), 2), // 4.90 x 0.743 = 3.6407
    ] {
        server.payout_method(&user, recipient(country, currency)).await;
        // The newest account is used; the same details in another currency are another account only with another name.
        let query = format!("user_id={user}&amount=1000&platform=intl_transfer&explain=true");
        let shown = estimate(&server, &query).await;
        let exchange = &shown["explain"]["basis"]["exchange"];
        assert_eq!(
            (&shown["fx_upcharge_amount"], &exchange["converted_amount"]),
            (&json!(upcharge), &converted),
            "{country} {currency:?}"
        );
        assert!(exchange.is_null() || exchange["minor_digits"] == digits);
        let methods = server.get(&format!("/v2/users/{user}/payout-methods")).app_key().send().await.expect(200).body;
        let path = format!("/v2/users/{user}/payout-methods/{}", methods["data"][0]["id"].as_str().unwrap());
        server.delete(&path).app_key().send().await.expect(200);
    }
    let refused = server.put(&format!("/v2/users/{user}/payout-methods")).app_key();
    let refused = refused.json(recipient("MX", Some("XXX"))).send().await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/currency"]);

    // Another table applies from the first of July on.
    server.payout_method(&user, recipient("JP", None)).await;
    server.advance(130 * 86_400);
    let query = format!("user_id={user}&amount=1000&platform=intl_transfer&explain=true");
    let exchange = estimate(&server, &query).await["explain"]["basis"]["exchange"].clone();
    assert_eq!((&exchange["rate"], &exchange["rate_date"]), (&json!("154.8"), &json!("2026-07-01")));
}
