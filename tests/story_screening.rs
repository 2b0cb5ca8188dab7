//! The story of a name on a list: two people have a name like one on the sanctions list. One is a namesake, and is
//! never reviewed again. The other is the listed person.

use serde_json::{Value, json};

use crate::harness::{Desk, Server};
use crate::story_payout::Payee;

const DAY: i64 = 86_400;
const PHONE: &str = "+12127361234";

/// Returns the users under review.
async fn waiting(server: &Server) -> Vec<Value> {
    let list = server.get("/v2/users?status=in_review").app_key().send().await.expect(200).body;
    list["data"].as_array().unwrap().clone()
}

async fn decide(server: &Server, user: &Value, decision: &str, why: &str) -> Value {
    let path = format!("/v2/users/{}/screening/{decision}", user["id"].as_str().unwrap());
    let body = json!({"acting_user_id": Desk::of(server).member("admin"), "comment": why});
    server.post(&path).as_org().json(body).send().await.expect(200).body
}

#[tokio::test]
async fn a_namesake_is_cleared_and_remembered_and_the_person_on_the_list_is_shut_out() {
    let server = Server::start().await;

    // Money for an unknown phone number. The payee enters a name like one on the list.
    let link = json!({"amount": 20_000, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    server.post("/v2/payouts/send-payout").app_key().json(link.clone()).send().await.expect(201);
    let payee = Payee::arrive(&server, PHONE).await;
    payee.step("profile", json!({"first_name": "Andrej", "last_name": "Wexler"})).await;
    payee.bank("000123456789").await;

    // The payee is asked for patience, without the reason. The money remains on hold.
    let claim = payee.fetch().await;
    assert_eq!(claim["next_step"], Value::Null);
    assert!(claim["on_hold"].as_str().unwrap().contains("Your money is safe"));
    payee.try_step("payout", json!({})).await.refused(409, "invalid-state");
    assert_eq!(server.balance("app_held").await, 20_000);

    // A reviewer finds them, with the reason: the matching words, and the details that distinguish the two people.
    let [namesake] = waiting(&server).await.try_into().expect("one person waits");
    let path = format!("/v2/users/{}/screening", namesake["id"].as_str().unwrap());
    let seen = server.get(&path).app_key().send().await.expect(200).body;
    let hit = &seen["hits"][0];
    assert_eq!([&hit["screened_name"], &hit["status"]], ["Andrej Wexler", "open"]);
    assert!(
        hit["score"].as_i64().unwrap() >= 85 && hit["comparison"]["pairs"].is_array() && hit["remarks"].is_string()
    );

    // It is a namesake, thirty years younger. The claim continues at its last step.
    decide(&server, &namesake, "clear", "Born thirty years later; passport seen.").await;
    assert!(waiting(&server).await.is_empty());
    assert_eq!(payee.step("payout", json!({})).await["status"], "claimed");
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(payee.fetch().await["transfer"]["status"], "completed");

    // The next payout is claimed without another review.
    server.post("/v2/payouts/send-payout").app_key().json(link).send().await.expect(201);
    let again = Payee::arrive(&server, PHONE).await;
    assert_eq!(again.fetch().await["on_hold"], Value::Null);
    assert!(waiting(&server).await.is_empty());
    let remembered = server.get(&path).app_key().send().await.expect(200).body;
    assert_eq!(remembered["hits"].as_array().unwrap().len(), 1);
    assert_eq!(remembered["hits"][0]["comment"], "Born thirty years later; passport seen.");

    // Another user has a name of the list, and is that person. No money comes in or goes out any more, and their data
    // is not erased.
    let person = json!({
        "first_name": "Test", "last_name": "Sanctioned", "email": "test@example.com",
        "country_code": "1", "phone_number": "2127361299",
    });
    server.post("/v2/users").app_key().json(person).send().await.expect(201);
    let [listed] = waiting(&server).await.try_into().expect("one person waits");
    assert_eq!(decide(&server, &listed, "confirm", "Same birthday, same passport.").await["status"], "disabled");
    let id = listed["id"].as_str().unwrap();
    let money = json!({"user_id": id, "amount": -1_000});
    server.post("/v2/transfers").app_key().json(money).send().await.refused(409, "user-inactive");
    server.delete(&format!("/v2/users/{id}")).app_key().send().await.refused(409, "invalid-state");
    let shown = server.get(&format!("/v2/users/{id}")).app_key().send().await.expect(200).body;
    assert_eq!(shown["compliance"]["flags"]["ofac_status"], "flagged");
    server.verify();
}
