//! The claim's pages that once misled a payee: amounts, tax forms, countries, fees, the end of a session.

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
    server.post(path).header("cookie", cookie).form(fields).browse().await
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
        assert!(sent.text.contains(question), "{typed}: {}", sent.text);
        for page in [&asked, &sent] {
            assert!(!page.text.contains("Get $"), "a button for another amount: {}", page.text);
            assert!(page.text.contains(&format!("value=\"{typed}\"")), "{typed}: {}", page.text);
        }
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
    // An account number is not shown again, and the page says so.
    assert!(!wrong.text.contains("5550001") && wrong.text.contains("value=\"110000000\""), "{}", wrong.text);
    assert!(wrong.text.contains("value=\"Ada\"") && wrong.text.contains("enter it once more"), "{}", wrong.text);
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

/// A part that the fee takes was answered with "Enter another amount."
#[tokio::test]
async fn a_part_that_its_fee_takes_is_refused_with_that_reason() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let cookie = cookie(&server, &link).await;
    let account = [("platform", "ach"), ("routing_number", "110000000"), ("account_number", "5550001")];
    post(&server, &format!("{link}/method"), &cookie, &account).await.expect(303);
    let reason = "Nothing would be left of this amount after the fee. Enter a larger amount.";
    for amount in ["0.10", "0.25"] {
        let asked = get(&server, &format!("{link}/payout?amount={amount}"), &cookie).await.expect(400);
        // Also without the step that shows the fee.
        let form = [("amount", amount), ("shown_amount", amount), ("available", "200.00")];
        let sent = post(&server, &format!("{link}/payout"), &cookie, &form).await.expect(400);
        for page in [asked, sent] {
            assert!(page.text.contains(reason) && !page.text.contains("Get $"), "{amount}: {}", page.text);
        }
    }
    let least = get(&server, &format!("{link}/payout?amount=0.26"), &cookie).await.expect(200);
    assert!(least.text.contains("Get $0.01"), "{}", least.text);
    let most = get(&server, &format!("{link}/payout?amount=200.01"), &cookie).await.expect(400);
    assert!(most.text.contains("Enter at most $200.00.") && !most.text.contains("Get $"), "{}", most.text);
}

/// A page without a way to be paid says why, before the payee enters anything in vain.
#[tokio::test]
async fn a_link_below_every_fee_says_so_and_names_a_contact() {
    let server = Server::memory().await;
    let free = ["prepaid_card_a", "gift_card_a", "wallet_a", "wallet_b", "wallet_c", "wallet_d", "wallet_e", "crypto"];
    server.set(json!({"payout_options_exclude_list": free})).await;
    let brand = json!({"support_email": "help@example.com"});
    server.put(&format!("/v2/apps/{}/brand", server.app_id())).as_org().json(brand).send().await.expect(200);
    let small = link(&server, json!({"amount": 20, "force_collect_compliance_information": true})).await;
    let proved = proven(&server, &small).await;
    for page in ["", "/profile", "/method"] {
        let page = get(&server, &format!("{small}{page}"), &proved).await;
        let page = if page.status == 303 { get(&server, &small, &proved).await } else { page };
        let text = page.expect(200).text;
        assert!(text.contains("We cannot pay you yet") && text.contains("a fee that is higher than your"), "{text}");
        assert!(text.contains("$0.20") && text.contains("help@example.com"), "{text}");
        assert!(!text.contains("name=\"first_name\"") && !text.contains("name=\"routing_number\""), "{text}");
    }
    // The sender can pay the fee.
    let paid_by_sender = link(&server, json!({"amount": 20, "payout_fee_party": "platform"})).await;
    let cookie = cookie(&server, &paid_by_sender).await;
    let text = get(&server, &format!("{paid_by_sender}/method"), &cookie).await.expect(200).text;
    assert!(text.contains("name=\"routing_number\""), "{text}");
}

/// The list had every country, and a number of most of them was called incomplete.
#[tokio::test]
async fn only_countries_are_offered_to_which_the_sender_texts() {
    let server = Server::memory().await;
    let open = link(&server, json!({"payee": null, "delivery": {"method": "link"}})).await;
    let page = server.get(&open).send().await.expect(200).text;
    let offered = |page: &str| -> Vec<String> {
        let list = page.split_once("name=\"country_code\"").unwrap().1.split_once("</select>").unwrap().0;
        list.split("<option value=\"").skip(1).map(|option| option.split_once('"').unwrap().0.to_owned()).collect()
    };
    assert_eq!(offered(&page), ["1", "1-CA"], "{page}");
    let contact = format!("{open}/contact");
    let reason = "We do not send text messages to the country of this number.";
    for (number, reason) in [
        // A number of Jamaica begins as one of the United States.
        ("8765551234", reason),
        ("12", "Enter a complete phone number"),
        ("+49 30 901820", "The number begins with the code of another country."),
        ("9005551234", "We cannot send text messages to this kind of number."),
    ] {
        let page = post(&server, &contact, "", &[("country_code", "1"), ("phone_number", number)]).await.expect(400);
        assert!(page.text.contains(reason), "{number}: {}", page.text);
        assert!(page.text.contains(&format!("value=\"{number}\"")), "{number}: {}", page.text);
    }

    let named = link(&server, json!({})).await;
    server.set(json!({"phone_countries": ["DE", "AT"]})).await;
    let page = server.get(&open).send().await.expect(200).text;
    assert_eq!(offered(&page), ["43", "49"], "{page}");
    assert!(page.contains("<option value=\"43\" selected>"), "{page}");
    let refused = post(&server, &format!("{named}/contact"), "", &[("send", "phone")]).await.expect(400);
    assert!(refused.text.contains(reason), "{}", refused.text);
    server.set(json!({"phone_countries": []})).await;
    let page = server.get(&open).send().await.expect(200).text;
    assert!(!page.contains("name=\"phone_number\"") && page.contains("name=\"email\""), "{page}");
}

/// The first browser was sent back to the start without a word.
#[tokio::test]
async fn a_session_that_ended_says_why() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let first = cookie(&server, &link).await;
    let second = proven(&server, &link).await;
    let method = format!("{link}/method");
    let account = [("platform", "ach"), ("routing_number", "110000000"), ("account_number", "5550001")];
    let back = post(&server, &method, &first, &account).await.expect(303);
    assert_eq!(back.header("location"), Some(link.as_str()));
    let replaced = "This payout was continued on another device or in another browser";
    let page = get(&server, &link, &first).await.expect(200).text;
    assert!(page.contains(replaced) && page.contains("Text a code to") && page.contains("Demonstration"), "{page}");
    assert!(!get(&server, &link, "").await.expect(200).text.contains(replaced));
    get(&server, &method, &second).await.expect(200);

    server.advance(3_600);
    let idle = "you were signed out after an hour";
    assert!(get(&server, &link, &second).await.expect(200).text.contains(idle));
    assert!(get(&server, &link, &first).await.expect(200).text.contains(replaced));
    // A payee who signed out needs no reason.
    let third = proven(&server, &link).await;
    post(&server, &format!("{link}/end"), &third, &[]).await.expect(303);
    let page = get(&server, &link, &third).await.expect(200).text;
    assert!(!page.contains(replaced) && !page.contains(idle), "{page}");
}

#[tokio::test]
async fn the_end_of_a_link_has_its_zone() {
    let server = Server::memory().await;
    let link = link(&server, json!({"expires_at": "2026-03-09T03:30:00Z"})).await;
    let page = server.get(&link).send().await.expect(200).text;
    let until = "This link works until <time datetime=\"2026-03-09T03:30:00Z\">March 9, 2026, 03:30 UTC</time>.";
    assert!(page.contains(until), "{page}");
}
