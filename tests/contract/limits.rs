//! "Limits": a test for each row of the table.

use serde_json::json;

use crate::payout_link_batches::{BATCHES, rows};
use crate::samples::Stage;

/// Every list endpoint of the interface.
const LISTS: &[&str] = &["/v2/accounts-payable/payables", "/v2/payout-requests", "/v2/transfers"];

#[tokio::test]
async fn limit_query_parameter_on_list_endpoints_is_from_1_to_100() {
    let stage = Stage::set().await;
    for list in LISTS {
        for limit in ["1", "100"] {
            stage.read(&format!("{list}?limit={limit}")).await;
        }
        for limit in ["0", "101", "-1", "1.5", "ten", ""] {
            let refused = stage.ask("GET", &format!("{list}?limit={limit}")).send().await;
            assert_eq!(refused.refused(400, "invalid-input").fields(), ["limit"], "{list} {limit}");
        }
    }
}

#[tokio::test]
async fn links_per_batch_are_from_1_to_500() {
    let stage = Stage::set().await;
    for links in [rows(0..1), rows(1..501)] {
        let count = links.len();
        let batch = stage.made("POST", BATCHES, json!({ "links": links }), 201).await;
        assert_eq!(batch["validated_rows"].as_array().map(Vec::len), Some(count));
    }
    for links in [rows(0..0), rows(1000..1501)] {
        let refused = stage.ask("POST", BATCHES).json(json!({ "links": links })).send().await;
        assert_eq!(refused.refused(400, "invalid-input").fields(), ["/links"], "{}", links.len());
    }
}

#[tokio::test]
async fn deliveries_of_a_payout_link_are_up_to_5() {
    let stage = Stage::set().await;
    let redeliver = format!("/v2/payout-links/{}/redeliver", stage.link().await);
    for _ in 2..=5 {
        stage.made("POST", &redeliver, json!({}), 200).await;
    }
    stage.ask("POST", &redeliver).send().await.refused(409, "delivery-limit-reached");
}

/// Requests an estimate with further parameters; returns the refused fields.
async fn estimate(stage: &Stage, further: &str) -> Vec<String> {
    let (user, _) = stage.banked().await;
    let path = format!("/v2/payouts/fee-estimate?user_id={user}&platform=ach{further}");
    let reply = stage.ask("GET", &path).send().await;
    if reply.status == 200 { Vec::new() } else { reply.refused(400, "invalid-input").fields() }
}

#[tokio::test]
async fn amount_of_a_fee_estimate_is_greater_than_0() {
    let stage = Stage::set().await;
    assert!(estimate(&stage, "&amount=100").await.is_empty());
    for amount in ["0", "-1", "1.5", "ten"] {
        assert_eq!(estimate(&stage, &format!("&amount={amount}")).await, ["amount"], "{amount}");
    }
}

#[tokio::test]
async fn payout_fee_fixed_is_at_least_0_and_goes_with_payout_fee_percent() {
    let stage = Stage::set().await;
    assert!(estimate(&stage, "&payout_fee_fixed=0&payout_fee_percent=0").await.is_empty());
    assert!(estimate(&stage, "&payout_fee_fixed=25&payout_fee_percent=0.05").await.is_empty());
    assert_eq!(estimate(&stage, "&payout_fee_fixed=-1&payout_fee_percent=0").await, ["payout_fee_fixed"]);
    assert!(!estimate(&stage, "&payout_fee_fixed=25").await.is_empty(), "one without the other");
    assert!(!estimate(&stage, "&payout_fee_percent=0.05").await.is_empty(), "the other without the one");
}

#[tokio::test]
async fn payout_fee_percent_is_a_decimal_string_below_1() {
    let stage = Stage::set().await;
    for percent in ["0", "0.05", ".05", "0.999"] {
        let refused = estimate(&stage, &format!("&payout_fee_fixed=0&payout_fee_percent={percent}")).await;
        assert!(refused.is_empty(), "{percent}: {refused:?}");
    }
    for percent in ["1", "1.0", "-0.1", "5e-2", "0,05", "00.5", "."] {
        let refused = estimate(&stage, &format!("&payout_fee_fixed=0&payout_fee_percent={percent}")).await;
        assert_eq!(refused, ["payout_fee_percent"], "{percent}");
    }
}
