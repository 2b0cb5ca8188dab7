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
    let cookie = proven(server, link).await;
    let name = [("first_name", "Ada"), ("last_name", "Lovelace")];
    post(server, &format!("{link}/profile"), &cookie, &name).await.expect(303);
    cookie
}

/// Proves the phone; returns the cookie.
async fn proven(server: &Server, link: &str) -> String {
    let fields = [("country_code", "1"), ("phone_number", PHONE)];
    post(server, &format!("{link}/contact"), "", &fields).await.expect(303);
    let message = server.newest_message(&format!("+1{PHONE}")).await;
    let code = [("token", message["code"].as_str().unwrap())];
    let proven = post(server, &format!("{link}/code"), "", &code).await.expect(303);
    proven.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
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
        ("1.500", "Did you mean 1.50? Write"),
        ("1,500", "Did you mean 1.50? Write"),
        ("1 50", "Did you mean 150.00?"),
        // There are not that many dollars.
        ("15,00", "Did you mean 15.00? Write"),
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

/// A card is delivered by e-mail: without an address of the request or the payee it would reach no one.
#[tokio::test]
async fn choose_claim_method_set_payout_method_and_create_payout_of_a_card_need_an_address() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let cookie = cookie(&server, &link).await;
    let user = server.get("/v2/users").app_key().send().await.expect(200).body["data"][0].clone();
    assert_eq!(user["email"], Value::Null);
    let (path, id) = (format!("{link}/method"), user["id"].as_str().unwrap());
    let user = format!("/v2/users/{id}");
    let set = |body: Value| server.put(&format!("{user}/payout-methods")).app_key().json(body).send();
    let pay = |platform: &str| {
        let order = json!({"user_id": id, "amount": 1000, "platform": platform, "fund": true});
        server.post("/v2/payouts").app_key().json(order).send()
    };
    let options = || server.get(&format!("{user}/payout-options")).app_key().send();
    let is_set_up = |options: &Value| {
        let listed = options["data"].as_array().unwrap();
        listed.iter().find(|option| option["platform"] == "gift_card_a").unwrap()["set_up"].clone()
    };
    assert_eq!(is_set_up(&options().await.expect(200).body), false);
    for platform in ["prepaid_card_a", "gift_card_a"] {
        let refused = post(&server, &path, &cookie, &[("platform", platform), ("email", "")]).await;
        assert_eq!(refused.status, 400, "{platform}");
        assert!(refused.text.contains("Enter your email address."), "{}", refused.text);
        assert!(refused.text.contains("id=\"email-error\""), "the error is at the field: {}", refused.text);
        let refused = set(json!({"platform": platform})).await;
        assert_eq!(refused.refused(400, "invalid-input").fields(), ["/email"]);
        assert_eq!(refused.body["errors"][0]["message"], "is required");
        let refused = pay(platform).await;
        assert!(refused.refused(409, "user-info-missing").text.contains("no e-mail address"), "{}", refused.text);
    }
    post(&server, &path, &cookie, &[("platform", "gift_card_a"), ("email", "ada@example.com")]).await.expect(303);
    let check = get(&server, &format!("{link}/payout"), &cookie).await.expect(200);
    assert!(check.text.contains("Gift card ada@example.com"), "{}", check.text);
    set(json!({"platform": "prepaid_card_a", "email": "ada@example.com"})).await.expect(200);
    pay("prepaid_card_a").await.expect(201);

    // A payee with an address need not repeat it, and sees it before the payout.
    server.patch(&user).app_key().json(json!({"email": "lovelace@example.com"})).send().await.expect(200);
    post(&server, &path, &cookie, &[("platform", "gift_card_a"), ("email", "")]).await.expect(303);
    let check = get(&server, &format!("{link}/payout"), &cookie).await.expect(200);
    assert!(check.text.contains("Gift card lovelace@example.com"), "{}", check.text);
    set(json!({"platform": "prepaid_card_a"})).await.expect(200);
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
    assert!(unsaid.text.contains("may have to report this payment"), "{}", unsaid.text);
    // The error has the label of the field.
    let no_zip: Vec<_> = form.into_iter().filter(|(name, _)| *name != "postcode").collect();
    let no_zip = post(&server, &path, &cookie, &no_zip).await;
    assert!(no_zip.text.contains("Enter your ZIP code.") && !no_zip.text.contains("postal code"), "{}", no_zip.text);
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

/// A payee without a name enters it on the page of the bank account; both are checked together.
#[tokio::test]
async fn a_new_payee_gives_the_name_and_the_account_on_one_page() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let cookie = proven(&server, &link).await;
    let page = get(&server, &link, &cookie).await;
    for field in ["first_name", "last_name", "routing_number", "confirm_account_number"] {
        assert!(page.text.contains(&format!("name=\"{field}\"")), "{field}: {}", page.text);
    }
    let account = [("platform", "ach"), ("routing_number", "110000000"), ("account_type", "checking")];
    let numbers = |again| [("account_number", "5550001"), ("confirm_account_number", again)];
    let name = |last| [("first_name", "Ada"), ("last_name", last), ("email", "")];

    // An error of one part keeps the other, and stores neither.
    let fields = [&name("")[..], &account, &numbers("5550002")].concat();
    let wrong = post(&server, &format!("{link}/profile"), &cookie, &fields).await.expect(400);
    for field in ["last_name-error", "confirm_account_number-error"] {
        assert!(wrong.text.contains(field), "{field}: {}", wrong.text);
    }
    assert!(wrong.text.contains("value=\"5550001\"") && wrong.text.contains("value=\"Ada\""), "{}", wrong.text);
    assert!(get(&server, &link, &cookie).await.text.contains("name=\"first_name\""));

    let fields = [&name("Lovelace")[..], &account, &numbers("555 0001")].concat();
    post(&server, &format!("{link}/profile"), &cookie, &fields).await.expect(303);
    let last = get(&server, &link, &cookie).await;
    assert!(last.text.contains("Get $199.75") && last.text.contains("0001"), "{}", last.text);
}

/// A second press sends the form again, when its first part is done.
#[tokio::test]
async fn a_page_of_name_and_account_that_is_sent_twice_adds_one_account() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let cookie = proven(&server, &link).await;
    let fields = [
        ("first_name", "Ada"),
        ("last_name", "Lovelace"),
        ("platform", "ach"),
        ("routing_number", "110000000"),
        ("account_number", "5550001"),
        ("confirm_account_number", "5550001"),
    ];
    for _ in 0..2 {
        post(&server, &format!("{link}/profile"), &cookie, &fields).await.expect(303);
    }
    let last = get(&server, &link, &cookie).await;
    assert!(last.text.contains("Get $199.75"), "{}", last.text);
    let users = server.get("/v2/users").app_key().send().await.expect(200).body;
    let path = format!("/v2/users/{}/payout-methods", users["data"][0]["id"].as_str().unwrap());
    let methods = server.get(&path).app_key().send().await.expect(200).body;
    assert_eq!(methods["data"].as_array().map(Vec::len), Some(1), "{methods}");
}
