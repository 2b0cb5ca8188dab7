//! The claim's pages that once misled a payee: amounts, tax forms, signing out.

use serde_json::{Value, json};

use crate::harness::{Reply, Server};

const PHONE: &str = "2127361234";

async fn link(server: &Server, further: Value) -> String {
    let mut body = json!({"amount": 20_000, "payee": {"country_code": "1", "phone_number": PHONE}});
    body.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
    let made = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    made.body["link"].as_str().unwrap().strip_prefix(crate::harness::PUBLIC_URL).unwrap().to_owned()
}

async fn post(server: &Server, path: &str, cookie: &str, fields: &[(&str, &str)]) -> Reply {
    server.post(path).header("cookie", cookie).form(fields).send().await
}

async fn get(server: &Server, path: &str, cookie: &str) -> Reply {
    server.get(path).header("cookie", cookie).send().await
}

/// Proves the phone and enters a name; returns the cookie.
async fn cookie(server: &Server, link: &str) -> String {
    let fields = [("country_code", "1"), ("phone_number", PHONE)];
    post(server, &format!("{link}/contact"), "", &fields).await.expect(303);
    let message = server.newest_message(&format!("+1{PHONE}")).await;
    let code = [("token", message["code"].as_str().unwrap())];
    let proven = post(server, &format!("{link}/code"), "", &code).await.expect(303);
    let cookie = proven.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let name = [("first_name", "Ada"), ("last_name", "Lovelace")];
    post(server, &format!("{link}/profile"), &cookie, &name).await.expect(303);
    cookie
}

/// D1: `1,50` was read as $150.00.
#[tokio::test]
async fn an_amount_that_may_be_another_is_a_question_and_moves_nothing() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let cookie = cookie(&server, &link).await;
    let account = [("platform", "ach"), ("routing_number", "110000000"), ("account_number", "5550001")];
    post(&server, &format!("{link}/method"), &cookie, &account).await.expect(303);
    for (typed, question) in [
        ("1,50", "Did you mean 1.50 or 150.00?"),
        ("1.500", "Did you mean 1.50 or 1500.00?"),
        ("1,500", "Did you mean 1.50 or 1500.00?"),
        ("1 50", "Did you mean 150.00?"),
    ] {
        let encoded = typed.replace(' ', "+").replace(',', "%2C");
        let asked = get(&server, &format!("{link}/payout?amount={encoded}"), &cookie).await;
        assert_eq!(asked.status, 400, "{typed}");
        assert!(asked.text.contains(question), "{typed}: {}", asked.text);
        // The form with the amount as typed is not consent to another amount either.
        let fields = [("amount", typed), ("available", "200.00"), ("shown_amount", typed)];
        let sent = post(&server, &format!("{link}/payout"), &cookie, &fields).await;
        assert_eq!(sent.status, 400, "{typed}");
        assert!(sent.text.contains(question) && sent.text.contains("Get $199.75"), "{typed}: {}", sent.text);
    }
    // The negative control: a clear amount is accepted, and shown as it was read.
    let clear = get(&server, &format!("{link}/payout?amount=%241.5"), &cookie).await.expect(200);
    assert!(clear.text.contains("value=\"1.50\"") && clear.text.contains("Get $1.25"), "{}", clear.text);
    let fields = [("amount", "1.50"), ("available", "200.00"), ("shown_amount", "1.50")];
    post(&server, &format!("{link}/payout"), &cookie, &fields).await.expect(303);
    let claim = server.get(&link.replace("/claim/", "/v2/claims/")).send().await.expect(200).body;
    assert_eq!(claim["remaining_amount"], 19_850);
}

/// D3: a W-9 with neither choice made was filed as an individual's.
#[tokio::test]
async fn a_tax_form_says_only_what_its_payee_said() {
    let server = Server::memory().await;
    let link = link(&server, json!({"force_collect_compliance_information": true})).await;
    let cookie = cookie(&server, &link).await;
    let form = [
        ("form", "w9"),
        ("name", "Ada Lovelace"),
        ("tax_id", "123-45-6789"),
        ("line_1", "350 Fifth Avenue"),
        ("city", "New York"),
        ("state", "NY"),
        ("postcode", "10118"),
        ("certified", "true"),
    ];
    let path = format!("{link}/compliance");
    let unsaid = post(&server, &path, &cookie, &form).await;
    assert_eq!(unsaid.status, 400);
    for said in ["Choose whether you are paid as an individual or a business.", "Choose the kind of number."] {
        assert!(unsaid.text.contains(said), "{said}");
    }
    let half = [&form[..], &[("entity_type", "individual")]].concat();
    assert_eq!(post(&server, &path, &cookie, &half).await.status, 400);
    let said = [&half[..], &[("tax_id_type", "ssn")]].concat();
    post(&server, &path, &cookie, &said).await.expect(303);
}

/// M9: a later user of the same browser finds nothing.
#[tokio::test]
async fn a_payee_signs_out_on_every_page() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let before = server.get(&link).send().await.expect(200);
    assert!(!before.text.contains("Sign out"));
    let cookie = cookie(&server, &link).await;
    let page = get(&server, &format!("{link}/method"), &cookie).await.expect(200);
    assert!(page.text.contains(&format!("action=\"{link}/end\"")) && page.text.contains("Sign out"));
    let foreign = server.post(&format!("{link}/end")).header("cookie", &cookie).header("sec-fetch-site", "cross-site");
    assert_eq!(foreign.form(&[]).send().await.status, 403, "another site ends nothing");
    let out = post(&server, &format!("{link}/end"), &cookie, &[]).await.expect(303);
    assert_eq!(out.header("location"), Some(link.as_str()));
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    let after = get(&server, &format!("{link}/method"), &cookie).await.expect(303);
    assert_eq!(after.header("location"), Some(link.as_str()));
}
