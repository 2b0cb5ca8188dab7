//! What a return does beyond its payment: to the connection, and to the person.

use serde_json::{Value, json};

use crate::bank_intake::Mailbox;
use crate::harness::Server;
use crate::screening::decide;

const DAY: i64 = 86_400;

/// Pays accounts, each returned with the code of its last two digits; returns the users and their transfers.
async fn returned(mailbox: &Mailbox, accounts: &[&str]) -> Vec<(String, Value)> {
    let mut paid = Vec::new();
    for (line, account) in (2_000..).zip(accounts) {
        paid.push(mailbox.pay(line, account, 1_000).await);
    }
    mailbox.send().await;
    paid
}

/// Replaces the text of the only return with a code in the bank's newest file.
fn with_text(mailbox: &Mailbox, name: &str, code: &str, text: &str) {
    let path = mailbox.answer(name);
    let bytes = std::fs::read_to_string(&path).unwrap();
    let start = format!("799{code}");
    let changed = |line: &str| {
        if line.starts_with(&start) { format!("{}{text:44}{}", &line[..35], &line[79..]) } else { line.to_owned() }
    };
    let lines: Vec<String> = bytes.lines().map(changed).collect();
    assert_eq!(lines.iter().filter(|line| line.contains(text)).count(), 1, "{bytes}");
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
}

async fn user(mailbox: &Mailbox, id: &str) -> Value {
    mailbox.server().get(&format!("/v2/users/{id}")).app_key().send().await.expect(200).body
}

fn state(user: &Value) -> (&str, &str) {
    let flags = &user["compliance"]["flags"];
    (user["status"].as_str().unwrap(), flags["ofac_status"].as_str().unwrap())
}

#[tokio::test]
async fn each_return_code_has_its_error() {
    let mailbox = Mailbox::open(Server::memory().await).await;
    let expected = [
        ("10000012", "invalid_account_number", false),
        ("10000018", "file_data_invalid", true),
        ("10000027", "file_data_invalid", true),
        ("10000031", "refused_by_receiver", true),
        ("10000035", "account_not_eligible", false),
        ("10000037", "rejected_by_rail", true),
    ];
    let paid = returned(&mailbox, &expected.map(|(account, ..)| account)).await;
    mailbox.bank_answers();
    mailbox.fetch().await;
    for ((account, error, stays), (id, transfer)) in expected.into_iter().zip(&paid) {
        assert_eq!(mailbox.status(transfer).await, ("failed".to_owned(), Some(error.to_owned())), "{account}");
        let methods = format!("/v2/users/{id}/payout-methods");
        let methods = mailbox.server().get(&methods).app_key().send().await.expect(200).body;
        // A method that cannot be used is not listed.
        let has = !methods["data"].as_array().unwrap().is_empty();
        assert_eq!(has, stays, "{account}: {methods}");
    }
    mailbox.bank.verify();
}

/// More than two pages of reports.
const MANY: usize = 1_203;

#[tokio::test]
async fn a_file_with_many_returns_is_applied_page_by_page() {
    let mailbox = Mailbox::open(Server::memory().await).await;
    let (user, first) = mailbox.pay(2_000, "10000002", 10).await;
    let mut paid = vec![first];
    while paid.len() < MANY {
        let orders = (paid.len()..MANY.min(paid.len() + 50)).map(|_| mailbox.order(&user, 10));
        paid.extend(futures::future::join_all(orders).await);
    }
    mailbox.send().await;
    assert_eq!(mailbox.bank_answers().len(), 1);
    mailbox.fetch().await;
    let file = mailbox.inbound().await.remove(0);
    let expected = (&json!("applied"), &json!(MANY), &json!(0));
    assert_eq!((&file["status"], &file["items"], &file["unmatched"]), expected, "{file}");
    for transfer in &paid {
        assert_eq!(mailbox.status(transfer).await, ("failed".to_owned(), Some("account_closed".to_owned())));
    }
    mailbox.bank.verify();
}

#[tokio::test]
async fn a_payment_that_the_bank_calls_a_duplicate_stops_the_connection_until_a_member_resumes_it() {
    let mailbox = Mailbox::open(Server::memory().await).await;
    let paid = returned(&mailbox, &["10000024"]).await;
    assert_eq!(mailbox.bank.get("/v2/bank/alarms").await, json!([]));
    mailbox.bank_answers();
    mailbox.fetch().await;
    assert_eq!(mailbox.status(&paid[0].1).await, ("failed".to_owned(), Some("duplicate".to_owned())));

    // The program stopped the connection, not a member; the alarm says what to do.
    let connection = mailbox.bank.get("/v2/bank/connections").await["data"][0].clone();
    assert_eq!((&connection["status"], &connection["paused_by"]), (&json!("paused"), &Value::Null));
    let alarm = mailbox.bank.get("/v2/bank/alarms").await[0].clone();
    let transfer = paid[0].1["id"].as_str().unwrap();
    let message = format!(
        "The bank says that the payment {transfer} was sent twice. No file is sent. Compare the file with the bank, \
         then resume the connection."
    );
    assert_eq!((&alarm["kind"], &alarm["message"]), (&json!("stopped"), &json!(message)));
    let (_, next) = mailbox.pay(2_100, "55501234", 700).await;
    mailbox.server().pass(DAY).await;
    assert_ne!(mailbox.bank.files().await[1]["status"], "sent");
    assert_eq!(mailbox.status(&next).await.0, "pending");

    let path = format!("/v2/bank/connections/{}/resume", connection["id"].as_str().unwrap());
    mailbox.bank.post(&path, "admin", json!({})).await.expect(200);
    let alarms = mailbox.bank.get("/v2/bank/alarms").await;
    assert!(alarms.as_array().unwrap().iter().all(|alarm| alarm["kind"] != "stopped"), "{alarms}");
    mailbox.bank.verify();
}

#[tokio::test]
async fn a_return_because_of_sanctions_or_fraud_puts_the_person_under_review() {
    let mailbox = Mailbox::open(Server::memory().await).await;
    let accounts = ["10000090", "10000016", "10000017", "20000016", "20000017"];
    let paid = returned(&mailbox, &accounts).await;
    assert_eq!(mailbox.bank_answers(), ["RETURNS_00001.ach"]);
    with_text(&mailbox, "RETURNS_00001.ach", "R16", "RETURNED PER OFAC INSTRUCTION");
    with_text(&mailbox, "RETURNS_00001.ach", "R17", "QUESTIONABLE");
    mailbox.fetch().await;
    for (place, error, expected) in [
        (0, "sanctions", ("in_review", "in_review")),
        (1, "sanctions", ("in_review", "in_review")),
        (2, "file_data_invalid", ("in_review", "unflagged")),
    ] {
        let (id, transfer) = &paid[place];
        assert_eq!(mailbox.status(transfer).await, ("failed".to_owned(), Some(error.to_owned())));
        assert_eq!(state(&user(&mailbox, id).await), expected, "{error}");
    }
    // Without these words the same codes are no suspicion.
    mailbox.server().pass(4 * DAY).await;
    assert_eq!(mailbox.bank_answers(), ["RETURNS_00002.ach"]);
    mailbox.fetch().await;
    for (place, error) in [(3, "account_frozen"), (4, "file_data_invalid")] {
        let (id, transfer) = &paid[place];
        assert_eq!(mailbox.status(transfer).await, ("reversed".to_owned(), Some(error.to_owned())));
        assert_eq!(state(&user(&mailbox, id).await), ("verified", "unflagged"), "{error}");
    }
    // An administrator ends each review.
    decide(mailbox.server(), &paid[1].0, "clear").await.expect(200);
    assert_eq!(state(&user(&mailbox, &paid[1].0).await), ("verified", "unflagged"));
    decide(mailbox.server(), &paid[0].0, "confirm").await.expect(200);
    assert_eq!(state(&user(&mailbox, &paid[0].0).await), ("disabled", "flagged"));
    decide(mailbox.server(), &paid[2].0, "confirm").await.expect(200);
    assert_eq!(state(&user(&mailbox, &paid[2].0).await), ("disabled", "unflagged"));
    mailbox.bank.verify();
}

/// A bank's word about an account counts for sixty days: each further return counts against the app.
#[tokio::test]
async fn an_account_that_is_closed_is_not_entered_again_within_sixty_days() {
    let server = Server::memory().await;
    let user = server.verified_user(2_000).await;
    let enter = |number: &str| {
        let method = json!({"platform": "ach", "routing_number": "110000000", "account_number": number});
        server.put(&format!("/v2/users/{user}/payout-methods")).app_key().json(method).send()
    };
    enter("10000002").await.expect(200);
    let order =
        json!({"user_id": user, "amount": 1_000, "platform": "ach", "fund": true, "payout_fee_party": "platform"});
    let paid = server.post("/v2/payouts").app_key().json(order).send().await.expect(201).id();
    server.work_off().await;
    server.pass(2 * DAY).await;
    let failed = server.get(&format!("/v2/transfers/{paid}")).app_key().send().await.expect(200).body;
    assert_eq!(failed["error"], "account_closed");
    let again = enter("10000002").await;
    again.refused(409, "invalid-state");
    assert_eq!(again.body["message"], "The bank account is closed. Use another account.");
    enter("55501234").await.expect(200);
    server.pass(60 * DAY).await;
    enter("10000002").await.expect(200);
    server.verify();
}
