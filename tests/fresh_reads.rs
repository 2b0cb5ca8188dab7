//! A read after the response to a change returns the changed row, although an embedded store keeps rows in memory. Each
//! row is read twice before its change, so that the second response comes from memory.

use serde_json::{Value, json};

use crate::harness::Server;

const PHONE: &str = "2127369876";
const FIRST: &str = "Zebulona";

async fn get_twice(server: &Server, path: &str) -> Value {
    let first = server.get(path).app_key().send().await.expect(200).body;
    assert_eq!(server.get(path).app_key().send().await.expect(200).body, first);
    first
}

#[tokio::test]
async fn get_payout_link_returns_the_link_after_each_change() {
    let server = Server::sqlite().await;
    let body = json!({"amount": 100, "payee": {"country_code": "1", "phone_number": PHONE}});
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).id();
    let path = format!("/v2/payout-links/{link}");
    for deliveries in 2..=4 {
        get_twice(&server, &path).await;
        server.post(&format!("{path}/redeliver")).app_key().json(json!({})).send().await.expect(200);
        assert_eq!(get_twice(&server, &path).await["deliveries"], deliveries);
    }
    server.work_off().await;
    assert_eq!(get_twice(&server, &path).await["status"], "delivered");
    server.delete(&path).app_key().send().await.expect(200);
    assert_eq!(get_twice(&server, &path).await["status"], "canceled");
}

#[tokio::test]
async fn get_payout_link_hides_a_payee_as_soon_as_the_erasure_is_answered() {
    let server = Server::sqlite().await;
    let payee = json!({
        "first_name": FIRST, "last_name": "Quagmirez", "email": "zebulona@quagmire.example", "country_code": "1",
        "phone_number": PHONE,
    });
    let user = server.post("/v2/users").app_key().json(payee).send().await.expect(201).id();
    let body = json!({"amount": 100, "payee": {"country_code": "1", "phone_number": PHONE}});
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).id();
    let (path, of_user) = (format!("/v2/payout-links/{link}"), format!("/v2/users/{user}"));
    server.work_off().await;
    server.delete(&path).app_key().send().await.expect(200);
    assert!(get_twice(&server, &path).await.to_string().contains(PHONE), "negative control");
    assert_eq!(get_twice(&server, &of_user).await["first_name"], FIRST);

    server.delete(&of_user).as_org().for_app(&server.app_id()).send().await.expect(200);
    assert!(!get_twice(&server, &path).await.to_string().contains(PHONE), "the job has not run");
    let gone = server.get(&of_user).app_key().send().await;
    assert!(!gone.text.contains(FIRST) && !gone.text.contains(PHONE), "{}", gone.text);
    server.work_off().await;
    assert!(!get_twice(&server, &path).await.to_string().contains(PHONE));
    server.verify();
}

#[tokio::test]
async fn get_payout_link_returns_stored_links_after_a_restart() {
    let mut server = Server::sqlite().await;
    let body = json!({"amount": 100, "delivery": {"method": "link"}});
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).id();
    let path = format!("/v2/payout-links/{link}");
    let before = get_twice(&server, &path).await;
    server.restart().await;
    assert_eq!(get_twice(&server, &path).await, before);
    server.delete(&path).app_key().send().await.expect(200);
    server.restart().await;
    assert_eq!(get_twice(&server, &path).await["status"], "canceled");
}
