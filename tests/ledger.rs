//! The ledger in the API.

use bursar::engine::Command;
use bursar::ids::{AppId, OrgId, TransferId, UserId};
use bursar::ledger::{self, Posting, postings};
use bursar::money::Cents;
use bursar::scope::Scope;
use bursar::verify::verify;
use bursar::world::{Halt, World};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::Server;

struct Post(Posting);

impl Command for Post {
    type Reply = ();
    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        ledger::post(world, &self.0)
    }
}

const JANE: UserId = UserId(Uuid::from_u128(7));
const TRANSFER: TransferId = TransferId(Uuid::from_u128(8));

fn scope(server: &Server) -> Scope {
    let id = |text: &Value| Uuid::parse_str(text.as_str().unwrap()).unwrap();
    let credentials = server.credentials();
    Scope { org: OrgId(id(&credentials["organization"]["id"])), app: AppId(id(&credentials["app"]["id"])) }
}

async fn post(server: &Server, posting: Posting) {
    server.bursar().engine.run(scope(server).org, Post(posting)).await.unwrap();
}

/// Creates a server whose app received 50.00, then paid 20.00 of it to Jane.
async fn with_two_transactions() -> Server {
    let server = Server::start().await;
    let scope = scope(&server);
    post(&server, postings::deposit(scope, TRANSFER, Cents::new(5_000))).await;
    server.advance(60);
    post(&server, postings::app_to_user(scope, TRANSFER, JANE, Cents::new(2_000))).await;
    server.advance(60);
    server
}

async fn get(server: &Server, path: &str) -> Value {
    server.get(path).app_key().send().await.expect(200).body
}

fn names(list: &Value) -> Vec<&str> {
    list["data"].as_array().unwrap().iter().map(|account| account["type"].as_str().unwrap()).collect()
}

fn ids(list: &Value) -> Vec<i64> {
    list["data"].as_array().unwrap().iter().map(|object| object["id"].as_i64().unwrap()).collect()
}

fn balance_of<'a>(trial: &'a Value, kind: &str) -> Option<&'a Value> {
    trial["accounts"].as_array().unwrap().iter().find(|account| account["type"] == kind).map(|found| &found["balance"])
}

#[tokio::test]
async fn show_trial_balance() {
    let server = with_two_transactions().await;
    let trial = get(&server, "/v2/ledger/trial-balance").await;
    assert_eq!((&trial["total"], &trial["balanced"], &trial["currency"]), (&json!(0), &json!(true), &json!("USD")));
    assert_eq!(balance_of(&trial, "user_wallet"), Some(&json!(2_000)));

    let before = bursar::clock::Time::from_micros(server.now().micros() - 90_000_000);
    let trial = get(&server, &format!("/v2/ledger/trial-balance?as_of={before}")).await;
    assert_eq!((&trial["as_of"], &trial["balanced"]), (&json!(before.to_string()), &json!(true)));
    assert_eq!(balance_of(&trial, "user_wallet"), None, "not open yet");
    let wallet = balance_of(&trial, "app_wallet").and_then(Value::as_i64).unwrap();

    let whole = server.get("/v2/ledger/trial-balance").as_org().send().await.expect(200).body;
    assert_eq!(whole["balanced"], true);
    assert_eq!(balance_of(&whole, "app_wallet").and_then(Value::as_i64), Some(wallet - 2_000));

    let ancient = get(&server, "/v2/ledger/trial-balance?as_of=2001-01-01T00:00:00Z").await;
    assert_eq!((&ancient["accounts"], &ancient["balanced"]), (&json!([]), &json!(true)));
    server.get("/v2/ledger/trial-balance?asof=now").app_key().send().await.refused(400, "invalid-input");
}

#[tokio::test]
async fn list_ledger_accounts_and_show_ledger_account() {
    let server = with_two_transactions().await;
    let all = get(&server, "/v2/ledger/accounts").await;
    assert_eq!(names(&all)[0], "user_wallet", "the last one opened is first");
    let (newest, oldest) = (&all["data"][0], all["data"].as_array().unwrap().last().unwrap());
    let id = |account: &Value| account["id"].as_str().unwrap().to_owned();
    let next = get(&server, &format!("/v2/ledger/accounts?limit=1&starting_after={}", id(newest))).await;
    assert_eq!(next["data"][0], all["data"][1]);
    let back = get(&server, &format!("/v2/ledger/accounts?ending_before={}", id(oldest))).await;
    assert_eq!(back["data"][0], *newest);

    let one = get(&server, &format!("/v2/ledger/accounts/{}", id(newest))).await;
    assert_eq!(one, *newest);
    assert_eq!((&one["balance"], &one["entry_count"], &one["user_id"]), (&json!(2_000), &json!(1), &json!(JANE.0)));
    assert_eq!(names(&get(&server, "/v2/ledger/accounts?type=external").await), ["external"]);

    let unknown = Uuid::from_u128(5);
    server.get(&format!("/v2/ledger/accounts/{unknown}")).app_key().send().await.refused(404, "not-found");
    server
        .get(&format!("/v2/ledger/accounts?starting_after={unknown}"))
        .app_key()
        .send()
        .await
        .refused(400, "invalid-input");
}

#[tokio::test]
async fn list_ledger_entries() {
    let server = with_two_transactions().await;
    let wallet = get(&server, "/v2/ledger/accounts?type=app_wallet").await["data"][0].clone();
    let path = format!("/v2/ledger/accounts/{}/entries", wallet["id"].as_str().unwrap());
    let entries = get(&server, &path).await;
    let newest = &entries["data"][0];
    assert_eq!((&newest["amount"], &newest["balance_after"]), (&json!(-2_000), &wallet["balance"]));
    let ids = ids(&entries);
    assert!(ids.is_sorted_by(|newer, older| newer > older));
    let older = get(&server, &format!("{path}?starting_after={}", ids[0])).await;
    assert_eq!(older["data"][0], entries["data"][1]);
    // Entries of both directions are one list, page by page.
    assert_eq!(ids.len(), 3, "{entries}");
    for (at, cursor) in [None, Some(ids[0]), Some(ids[1])].into_iter().enumerate() {
        let after = cursor.map_or_else(String::new, |id| format!("&starting_after={id}"));
        let page = get(&server, &format!("{path}?limit=1{after}")).await;
        assert_eq!((&page["data"], &page["has_more"]), (&json!([entries["data"][at]]), &json!(at < 2)));
    }
    let before = get(&server, &format!("{path}?limit=1&ending_before={}", ids[1])).await;
    assert_eq!(before["data"], json!([entries["data"][0]]));
    // A number that only another ledger account has is no cursor.
    let outside = get(&server, "/v2/ledger/accounts?type=user_wallet").await["data"][0]["id"].clone();
    let other = format!("/v2/ledger/accounts/{}/entries", outside.as_str().unwrap());
    let foreign = format!("{other}?starting_after={}", ids[1]);
    server.get(&foreign).app_key().send().await.refused(400, "invalid-input");
    server.get(&format!("{path}?starting_after=99")).app_key().send().await.refused(400, "invalid-input");
    server.get(&format!("{path}?starting_after={JANE}")).app_key().send().await.refused(400, "invalid-input");
}

#[tokio::test]
async fn list_transactions() {
    let server = with_two_transactions().await;
    let list = get(&server, &format!("/v2/transactions?transfer_id={TRANSFER}")).await;
    let shown: Vec<(&Value, &Value, &Value, &Value)> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["type"], &one["amount"], &one["source_name"], &one["destination_name"]))
        .collect();
    assert_eq!(
        shown,
        [
            (&json!("balance"), &json!("2000"), &json!("App wallet"), &json!("User wallet")),
            (&json!("refill"), &json!("5000"), &json!("Outside world"), &json!("App wallet")),
        ]
    );
    // A transaction of a transfer shows it, without its transactions.
    let user = server.verified_user(1234).await;
    let body = json!({"user_id": user, "amount": -5});
    let mut made = server.post("/v2/transfers").app_key().json(body).send().await.expect(200).body;
    made["transactions"] = json!([]);
    let moved = get(&server, "/v2/transactions?limit=1").await;
    assert_eq!(moved["data"][0]["transfer"], made);

    let newest = ids(&list)[0];
    let one = get(&server, &format!("/v2/transactions?limit=1&starting_after={newest}")).await;
    assert_eq!(one["data"][0], list["data"][1]);
    let refills = get(&server, &format!("/v2/transactions?type=refill&transfer_id={TRANSFER}")).await;
    assert_eq!(ids(&refills), [newest - 1]);
    server.get("/v2/transactions").as_org().send().await.refused(400, "app-id-required");
}

#[tokio::test]
async fn a_running_server_can_be_verified() {
    let server = with_two_transactions().await;
    let report = verify(&server.bursar().reads).unwrap();
    assert!(report.findings.is_empty(), "{report:?}");
    assert!(report.transactions >= 2 && report.entries == 2 * report.transactions);
}
