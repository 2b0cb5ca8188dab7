//! The story of an app: an organization opens one, describes its company, gives it money and keys, and closes it.

use serde_json::{Value, json};

use crate::app_compliance::everything;
use crate::harness::Server;

const DAY: i64 = 86_400;

#[tokio::test]
async fn an_app_is_opened_filled_used_and_closed() {
    let server = Server::start().await;
    let wallet = async |app: &str| {
        let shown = server.get(&format!("/v2/apps/{app}")).as_org().send().await.expect(200).body;
        shown["metrics"]["wallet_balance"].as_i64().unwrap()
    };

    // The organization opens an app. Its key is shown this once.
    let opened = server.post("/v2/apps").as_org().json(json!({"name": "Harvest Help"})).send().await.expect(201);
    assert_eq!([&opened.body["status"], &opened.body["name"]], ["approved", "Harvest Help"]);
    let (app, keys) = (opened.id(), opened.body["keys"].clone());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (client, key) = (text(&keys["client_id"]), text(&keys["api_key"]));
    let path = format!("/v2/apps/{app}");
    assert_eq!(server.get(&path).as_org().send().await.expect(200).body.get("keys"), None);

    // It describes its company, its owners and its use of money. Numbers are returned with their last digits only.
    let compliance = format!("{path}/compliance");
    let reported = server.put(&compliance).as_org().json(everything()).send().await.expect(201).body;
    assert_eq!([&reported["company_info"]["ein"], &reported["directors"][0]["ssn"]], ["***6789", "***6789"]);
    let moved = json!({"contact_info": {"line1": "2 Side St"}});
    let reported = server.put(&compliance).basic(&client, &key).json(moved).send().await.expect(200).body;
    assert_eq!(
        [&reported["contact_info"]["line1"], &reported["company_info"]["name"]],
        ["2 Side St", "Corner Shop LLC"]
    );

    // Its bank account fills its wallet: a day later, when the bank has paid.
    let account = json!({"account_number": "000123456789", "routing_number": "110000000"});
    server.put(&format!("{path}/ach-account")).basic(&client, &key).json(account).send().await.expect(200);
    let deposit = json!({"amount": 100_000});
    server.post(&format!("{path}/deposit")).basic(&client, &key).json(deposit).send().await.expect(200);
    assert_eq!(wallet(&app).await, 0);
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(wallet(&app).await, 100_000);

    // It pays a person. Until that money is claimed, the app cannot be closed.
    let link = json!({"amount": 30_000, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let link = server.post("/v2/payout-links").basic(&client, &key).json(link).send().await.expect(201);
    assert_eq!(wallet(&app).await, 70_000);
    server.delete(&path).as_org().send().await.refused(409, "invalid-state");

    // A key was stolen: a second one is created, the first one revoked.
    let new = server.post(&format!("{path}/keys")).as_org().send().await.expect(201).body;
    server.delete(&format!("{path}/keys/{client}")).as_org().send().await.expect(200);
    server.get(&path).basic(&client, &key).send().await.refused(401, "unauthorized");
    let (client, key) = (text(&new["client_id"]), text(&new["api_key"]));

    // The season is over: the link is canceled, the wallet emptied, the app closed. Its key opens nothing any more.
    let canceled = format!("/v2/payout-links/{}", link.id());
    server.delete(&canceled).basic(&client, &key).send().await.expect(200);
    let all = json!({"amount": 100_000});
    server.post(&format!("{path}/withdraw")).basic(&client, &key).json(all).send().await.expect(200);
    server.work_off().await;
    server.pass(3 * DAY).await;
    server.delete(&path).as_org().send().await.expect(200);
    server.get(&path).basic(&client, &key).send().await.refused(401, "unauthorized");
    server.verify();
}
