//! A refused form of a payee: the browser is redirected to a page that shows the errors, so that Back and a reload send
//! nothing again, and no text reaches that page by its address.

use serde_json::json;

use crate::harness::{Reply, Server};

const PHONE: &str = "2127361234";
const E164: &str = "+12127361234";

async fn link(server: &Server, further: serde_json::Value) -> String {
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

/// Posts a form that is refused; returns the address of the page that shows the errors.
async fn refused(server: &Server, path: &str, cookie: &str, fields: &[(&str, &str)]) -> String {
    let reply = post(server, path, cookie, fields).await.expect(303);
    assert!(reply.text.is_empty() && reply.header("referrer-policy") == Some("no-referrer"), "{}", reply.text);
    let page = reply.header("location").unwrap().to_owned();
    assert!(page.contains("?refused=") || page.contains("&refused="), "{page}");
    page
}

async fn ask_for_code(server: &Server, link: &str) -> (String, &'static str) {
    post(server, &format!("{link}/contact"), "", &[("send", "phone")]).await.expect(303);
    let right = server.newest_code(E164).await.as_str().unwrap().to_owned();
    let wrong = if right == "123123" { "321321" } else { "123123" };
    (right, wrong)
}

/// Proves the phone; returns the cookie.
async fn proven(server: &Server, link: &str) -> String {
    let (right, _) = ask_for_code(server, link).await;
    let opened = post(server, &format!("{link}/code"), "", &[("token", &right)]).await.expect(303);
    opened.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

const NAME: [(&str, &str); 2] = [("first_name", "Ada"), ("last_name", "Lovelace")];

#[tokio::test]
async fn back_and_reload_after_a_wrong_code_count_no_second_try() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let (right, wrong) = ask_for_code(&server, &link).await;
    let code = format!("{link}/code");
    let first = refused(&server, &code, "", &[("token", wrong)]).await;
    assert!(!first.contains(wrong) && first.len() < 1_000, "{first}");
    for _ in 0..3 {
        let page = get(&server, &first, "").await.expect(400);
        assert!(page.text.contains("You have 4 tries left."), "{}", page.text);
    }
    let second = refused(&server, &code, "", &[("token", wrong)]).await;
    // Also the older page says how many attempts are left now.
    for page in [&first, &second] {
        assert!(get(&server, page, "").await.expect(400).text.contains("You have 3 tries left."));
    }
    // A code that cannot be one is not counted.
    let short = refused(&server, &code, "", &[("token", "12")]).await;
    assert!(get(&server, &short, "").await.expect(400).text.contains("Enter the six digits we sent you."));
    post(&server, &code, "", &[("resend", "1")]).await.expect(303);
    post(&server, &code, "", &[("token", &right)]).await.expect(303);
    let newest = server.newest_code(E164).await.as_str().unwrap().to_owned();
    let opened = post(&server, &code, "", &[("token", &newest)]).await.expect(303);
    let cookie = opened.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let after = get(&server, &first, &cookie).await.expect(303);
    assert_eq!(after.header("location"), Some(link.as_str()), "nothing is left to enter");
}

#[tokio::test]
async fn back_after_the_last_wrong_code_offers_a_new_one_until_it_is_sent() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let (_, wrong) = ask_for_code(&server, &link).await;
    let code = format!("{link}/code");
    let mut page = String::new();
    for _ in 0..5 {
        page = refused(&server, &code, "", &[("token", wrong)]).await;
    }
    for _ in 0..2 {
        let dead = get(&server, &page, "").await.expect(400).text;
        assert!(dead.contains("Too many wrong tries") && dead.contains("••• 1234"), "{dead}");
    }
    post(&server, &code, "", &[("resend", "1")]).await.expect(303);
    let fresh = get(&server, &page, "").await.expect(200).text;
    assert!(fresh.contains("name=\"token\"") && !fresh.contains("tries left"), "{fresh}");
}

#[tokio::test]
async fn every_form_of_a_claim_is_refused_by_a_redirect_that_keeps_no_account_number() {
    let server = Server::memory().await;
    let link = link(&server, json!({"force_collect_compliance_information": true})).await;
    let cookie = proven(&server, &link).await;
    let show = async |path: &str, fields: &[(&str, &str)], said: &str, kept: &str| {
        let page = refused(&server, &format!("{link}/{path}"), &cookie, fields).await;
        // A reload shows the same page, and sends nothing.
        for _ in 0..2 {
            let shown = get(&server, &page, &cookie).await.expect(400).text;
            assert!(shown.contains(said) && shown.contains(kept), "{path}: {shown}");
            assert!(!shown.contains("000123456789") && !shown.contains("DE89370400440532013001"), "{path}: {shown}");
            assert!(shown.contains("<title>Error: "), "{path}: {shown}");
        }
    };
    show("profile", &[("first_name", "Ada"), ("email", "ada@")], "Enter your last name.", "value=\"ada@\"").await;
    let later = [("first_name", "Ada"), ("routing_number", "12")];
    show("profile?account=later", &later, "Enter your last name.", "value=\"Ada\"").await;
    post(&server, &format!("{link}/profile"), &cookie, &NAME).await.expect(303);
    let tax = [("form", "w8ben"), ("name", "Ada Lovelace"), ("foreign_tax_id", "A1")];
    show("compliance", &tax, "Enter your date of birth.", "value=\"Ada Lovelace\"").await;
    let tax = [
        ("form", "w9"),
        ("entity_type", "individual"),
        ("name", "Ada Lovelace"),
        ("tax_id_type", "ssn"),
        ("tax_id", "123-45-6789"),
        ("line_1", "350 Fifth Avenue"),
        ("city", "New York"),
        ("state", "NY"),
        ("postcode", "10118"),
        ("certified", "true"),
    ];
    post(&server, &format!("{link}/compliance"), &cookie, &tax).await.expect(303);
    let account = [
        ("platform", "ach"),
        ("routing_number", "110000001"),
        ("account_number", "000123456789"),
        ("confirm_account_number", "000123456789"),
        ("account_type", "savings"),
    ];
    show("method", &account, "That routing number does not exist.", "value=\"110000001\"").await;
    show("method", &account, "Please enter it once more.", "value=\"savings\" checked").await;
    let iban = [("platform", "intl_bank"), ("iban", "DE89370400440532013001"), ("bic", "COBADEFFXXX")];
    show("method", &iban, "That IBAN does not exist.", "value=\"COBADEFFXXX\"").await;
    let embargoed = [("platform", "intl_bank"), ("iban", "DE89370400440532013000"), ("bic", "COMMKPPX")];
    show("method", &embargoed, "We cannot send money to this country.", "value=\"COMMKPPX\"").await;
    let right = account.map(|(name, value)| (name, if name == "routing_number" { "110000000" } else { value }));
    post(&server, &format!("{link}/method"), &cookie, &right).await.expect(303);
    let part = [("amount", "1,50"), ("available", "200.00"), ("shown_amount", "200.00")];
    show("payout", &part, "Did you mean 1.50 or 150.00?", "value=\"1,50\"").await;
    let typed = get(&server, &format!("{link}/payout?amount=Call+me"), &cookie).await.expect(400);
    assert!(typed.text.contains("Enter an amount in dollars") && !typed.text.contains("Call me"), "{}", typed.text);
    show("change-contact", &[("email", "ada@")], "Enter a complete email address", "value=\"ada@\"").await;
}

/// The address of the page decides nothing about its text.
#[tokio::test]
async fn no_text_reaches_a_page_by_its_address() {
    let server = Server::memory().await;
    let (mine, other) = (link(&server, json!({})).await, link(&server, json!({})).await);
    let cookie = proven(&server, &mine).await;
    let page = refused(&server, &format!("{mine}/profile"), &cookie, &[("first_name", "Ada")]).await;
    let says = "Enter your last name.";
    assert!(get(&server, &page, &cookie).await.expect(400).text.contains(says), "the negative control");
    let (path, sealed) = page.split_once("refused=").unwrap();
    for changed in ["", "Call +1 900 555 0100", &sealed[1..], &sealed[..sealed.len() - 1], &format!("{sealed}AA")] {
        let shown = get(&server, &format!("{path}refused={}", changed.replace(' ', "+")), &cookie).await.expect(200);
        assert!(!shown.text.contains(says) && !shown.text.contains("900 555"), "{changed}: {}", shown.text);
    }
    // Not on another page of the link, on another link, or in another browser.
    for elsewhere in [format!("{mine}?refused={sealed}"), format!("{mine}/contact?refused={sealed}")] {
        assert!(!get(&server, &elsewhere, &cookie).await.text.contains(says), "{elsewhere}");
    }
    let cookie_of_other = proven(&server, &other).await;
    let on_other = get(&server, &format!("{other}/profile?refused={sealed}"), &cookie_of_other).await.expect(200);
    assert!(!on_other.text.contains(says), "{}", on_other.text);
    assert_eq!(get(&server, &page, "").await.status, 303);
    server.advance(601);
    assert!(!get(&server, &page, &cookie).await.expect(200).text.contains(says), "after ten minutes");
}

/// A refusal that closes the claim has a page too; its address is not the link's.
#[tokio::test]
async fn a_closed_claim_is_shown_by_a_get_with_its_status() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let contact = format!("{link}/contact");
    for _ in 0..5 {
        post(&server, &contact, "", &[("send", "phone")]).await.expect(303);
    }
    let page = refused(&server, &contact, "", &[("send", "phone")]).await;
    let stopped = get(&server, &page, "").await.expect(429);
    assert!(stopped.text.contains("Too many tries") && stopped.header("retry-after").is_some(), "{}", stopped.text);
    get(&server, &link, "").await.expect(200);
    server.advance(31 * 86_400);
    let expired = refused(&server, &contact, "", &[("send", "phone")]).await;
    assert!(get(&server, &expired, "").await.expect(410).text.contains("This link has expired"));
}
