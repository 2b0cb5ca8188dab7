//! The web pages: their responses and headers, and that a GET changes nothing.

use bursar::worker;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::harness::{Reply, Server};

const PHONE: &str = "2127361234";

/// Creates a link of $25.00 to a phone in New York; returns its path: `/claim/<token>`.
async fn link(server: &Server) -> String {
    link_with(server, json!({})).await
}

async fn link_with(server: &Server, further: Value) -> String {
    let mut body = json!({
        "amount": 2500, "payee": {"country_code": "1", "phone_number": PHONE}, "delivery": {"method": "sms"},
    });
    for (name, value) in further.as_object().unwrap() {
        body[name.as_str()] = value.clone();
    }
    let made = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    made.body["link"].as_str().unwrap().strip_prefix(crate::harness::PUBLIC_URL).unwrap().to_owned()
}

async fn post(server: &Server, path: &str, cookie: &str, fields: &[(&str, &str)]) -> Reply {
    server.post(path).header("cookie", cookie).form(fields).browse().await
}

/// Proves the phone; returns the browser's cookie: `name=value`.
async fn cookie_of(server: &Server, link: &str) -> String {
    cookie_of_phone(server, link, PHONE).await
}

async fn cookie_of_phone(server: &Server, link: &str, phone: &str) -> String {
    let fields = [("country_code", "1"), ("phone_number", phone)];
    let asked = post(server, &format!("{link}/contact"), "", &fields).await;
    assert_eq!((asked.status, asked.header("location")), (303, Some(link)), "{}", asked.text);
    let message = server.newest_message(&format!("+1{phone}")).await;
    let code = message["code"].as_str().unwrap();
    let proven = post(server, &format!("{link}/code"), "", &[("token", code)]).await.expect(303);
    let cookie = proven.header("set-cookie").expect("the code opens a sitting");
    cookie.split(';').next().unwrap().to_owned()
}

/// Continues to the last step, with an account that accepts money.
async fn ready(server: &Server, link: &str) -> String {
    let cookie = cookie_of(server, link).await;
    finish_profile(server, link, &cookie).await;
    cookie
}

/// Continues to the last step after the code.
async fn finish_profile(server: &Server, link: &str, cookie: &str) {
    let name = [("first_name", "Ada"), ("last_name", "Lovelace"), ("email", "")];
    post(server, &format!("{link}/profile"), cookie, &name).await.expect(303);
    let account = [("platform", "ach"), ("routing_number", "110000000"), ("account_number", "000123456789")];
    post(server, &format!("{link}/method"), cookie, &account).await.expect(303);
}

async fn book(server: &Server) -> (Value, Value) {
    let balance = server.get("/v2/ledger/trial-balance").as_org().send().await.expect(200).body;
    let transfers = server.get("/v2/transfers?limit=100").app_key().send().await.expect(200).body;
    (balance["accounts"].clone(), transfers)
}

#[track_caller]
fn is_page(reply: &Reply, status: u16) {
    assert_eq!(reply.status, status, "{}", reply.text);
    assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(reply.header("x-frame-options"), Some("DENY"));
    let policy = reply.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    for forbidden in ["<style", " style=", " onclick=", "<script>", "javascript:"] {
        assert!(!reply.text.contains(forbidden), "{forbidden}");
    }
}

#[tokio::test]
async fn show_landing_show_inbox_and_get_asset_answer() {
    let server = Server::memory().await;
    link(&server).await;
    server.work_off().await;
    is_page(&server.get("/").send().await, 200);
    let inbox = server.get(&format!("/inbox?to=%2B1{PHONE}")).send().await;
    is_page(&inbox, 200);
    assert_eq!(inbox.text.matches("<li class=\"message\"").count(), 1);
    let unknown_id = server.get("/inbox?to=%3Cscript%3E").send().await;
    is_page(&unknown_id, 200);
    assert!(inbox.text.contains("data-narrowed-none=\"No message to\""), "{}", inbox.text);
    assert!(unknown_id.text.contains("No message to &#60;script&#62;."), "{}", unknown_id.text);
    let style = server.get("/assets/bursar.css").send().await.expect(200);
    assert_eq!(style.header("content-type"), Some("text/css; charset=utf-8"));
    server.get("/assets/other.css").send().await.expect(404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn send_test_payout_show_test_payout_and_move_sandbox_clock_lead_from_the_start_page_to_the_bank() {
    let server = Server::memory().await;
    let secret = server.credentials()["app"]["api_key"].as_str().unwrap().to_owned();
    // A sandbox that serves other machines shows no key, and its pages do nothing.
    assert!(!server.get("/").send().await.expect(200).text.contains(&secret));
    server.post("/sandbox/payouts").form(&[]).send().await.expect(404);
    server.post("/sandbox/clock").form(&[("until", "day")]).send().await.expect(404);

    server.serve_own_machine();
    let start = server.get("/").send().await;
    is_page(&start, 200);
    assert!(start.text.contains(&secret) && start.text.contains("$1,000,000.00"), "{}", start.text);
    // The same commands as in the terminal.
    let credentials = serde_json::from_value(server.credentials().clone()).unwrap();
    let typed = start.text.replace("&#39;", "'").replace("&#34;", "\"").replace("&#60;", "<").replace(" \\\n  ", " ");
    for command in bursar::apps::bootstrap::curl_lines(&credentials) {
        assert!(typed.contains(&command), "{command}: {typed}");
    }
    assert!(start.text.contains("After you claim on the page: let a day pass"), "{}", start.text);
    assert!(start.text.contains("class=\"event-time-below\""), "on a phone the time is under the name");
    let behind_a_proxy = server.get("/").header("x-forwarded-for", "198.51.100.7").send().await.expect(200).text;
    assert!(!behind_a_proxy.contains(&secret));
    let elsewhere = server.post("/sandbox/payouts").header("sec-fetch-site", "cross-site").form(&[]).send().await;
    is_page(&elsewhere, 403);
    assert!(elsewhere.text.contains("This form was sent from another site."), "{}", elsewhere.text);
    assert!(server.get("/v2/payout-links").app_key().send().await.expect(200).body["data"] == json!([]));

    let sent = server.post("/sandbox/payouts").form(&[]).send().await.expect(303);
    let page = sent.header("location").unwrap().to_owned();
    server.work_off().await;
    let shown = server.get(&page).send().await;
    is_page(&shown, 200);
    for text in [
        "$25.00 to +1212736",
        "Demonstration is sending you $25.00",
        "App wallet → App held: $25.00",
        "payout_link.sent",
    ] {
        assert!(shown.text.contains(text), "{text}: {}", shown.text);
    }
    let links = server.get("/v2/payout-links").app_key().send().await.expect(200).body;
    let link = links["data"][0]["link"].as_str().unwrap().strip_prefix(crate::harness::PUBLIC_URL).unwrap().to_owned();
    let phone = links["data"][0]["payee"]["phone_number"].as_str().unwrap();
    let cookie = cookie_of_phone(&server, &link, phone).await;
    finish_profile(&server, &link, &cookie).await;
    let form = [("amount", "25.00"), ("shown_amount", "25.00"), ("available", "25.00")];
    post(&server, &format!("{link}/payout"), &cookie, &form).await.expect(303);
    server.work_off().await;
    let id = page.rsplit('/').next().unwrap();
    let (stop, reported) = watch::channel(false);
    let worker = worker::start(server.bursar().clone(), reported);
    let moved = server.post("/sandbox/clock").form(&[("until", "settled"), ("payout", id)]).send().await.expect(303);
    assert_eq!(moved.header("location"), Some(page.as_str()));
    let shown = server.get(&page).send().await.expect(200).text;
    assert!(shown.contains("Status: <strong>claimed</strong>") && shown.contains("payout_link.paid_out"), "{shown}");

    let before = server.now();
    is_page(&server.post("/sandbox/clock").form(&[("until", "week")]).send().await, 400);
    server.post("/sandbox/clock").form(&[("until", "hour")]).send().await.expect(303);
    assert_eq!(server.now().seconds_since(before), 3_600);
    stop.send_replace(true);
    worker.await.unwrap();
    let unknown = server.get("/sandbox/payouts/01a20aad-b83c-7c78-8001-6ef9bca25d7b").send().await;
    is_page(&unknown, 404);
}

#[tokio::test]
async fn show_claim_page_moves_nothing() {
    let server = Server::memory().await;
    let link = link(&server).await;
    let before = book(&server).await;
    for path in ["", "/contact", "/code", "/profile", "/compliance", "/method", "/payout", "/payout?amount=10"] {
        let reply = server.get(&format!("{link}{path}")).send().await;
        assert!([200, 303].contains(&reply.status), "{path}: {}", reply.text);
    }
    is_page(&server.get(&link).send().await, 200);
    let cookie = ready(&server, &link).await;
    for path in ["", "/method", "/method?platform=ach", "/payout", "/payout?amount=10"] {
        is_page(&server.get(&format!("{link}{path}")).header("cookie", &cookie).send().await, 200);
    }
    assert_eq!(book(&server).await, before);
}

#[tokio::test]
async fn take_claim_step_ends_with_the_money_on_its_way_once() {
    let server = Server::memory().await;
    let link = link(&server).await;
    let cookie = ready(&server, &link).await;
    let form = [("amount", "10.00"), ("shown_amount", "10.00"), ("available", "25.00")];
    let payout = format!("{link}/payout");
    // The same form twice, as in a double click.
    for _ in 0..2 {
        let taken = post(&server, &payout, &cookie, &form).await.expect(303);
        assert_eq!(taken.header("location"), Some(link.as_str()));
    }
    let transfers = server.get("/v2/transfers?type=payout").app_key().send().await.expect(200).body;
    assert_eq!(transfers["data"].as_array().unwrap().len(), 1);
    let done = server.get(&link).header("cookie", &cookie).send().await;
    is_page(&done, 200);
    assert!(done.text.contains("Your money is on its way") && done.text.contains("$15.00"), "{}", done.text);
    assert!(done.text.contains("••6789") && !done.text.contains("000123456789"));
    // An amount whose fee was not on the page shows its fee first.
    let unseen = post(&server, &payout, &cookie, &[("amount", "5"), ("shown_amount", "15.00"), ("available", "15.00")]);
    assert_eq!(unseen.await.expect(303).header("location"), Some(format!("{payout}?amount=5.00").as_str()));
    let whole = [("amount", "15.00"), ("shown_amount", "15.00"), ("available", "15.00")];
    post(&server, &payout, &cookie, &whole).await.expect(303);
    server.work_off().await;
    server.pass(2 * 86_400).await;
    let arrived = server.get(&link).header("cookie", &cookie).send().await;
    assert!(arrived.text.contains("Your money has arrived"), "{}", arrived.text);
}

#[tokio::test]
async fn show_claim_step_sends_who_has_no_cookie_back() {
    let server = Server::memory().await;
    let link = link(&server).await;
    ready(&server, &link).await;
    for step in ["profile", "compliance", "method", "payout"] {
        let path = format!("{link}/{step}");
        for cookie in ["", "bursar_claim=AAAA", "other=1; bursar_claim="] {
            let shown = server.get(&path).header("cookie", cookie).send().await.expect(303);
            assert_eq!(shown.header("location"), Some(link.as_str()));
            let fields = [("amount", "25"), ("shown_amount", "25"), ("available", "25"), ("first_name", "Eve")];
            let posted = post(&server, &path, cookie, &fields).await;
            assert_ne!(posted.status, 200);
            assert!(posted.header("www-authenticate").is_none());
        }
    }
    let transfers = server.get("/v2/transfers?type=payout").app_key().send().await.expect(200).body;
    assert_eq!(transfers["data"], json!([]));
    assert!(server.get(&link).send().await.text.contains("Confirm it is you"));
    server.get(&format!("{link}/other")).send().await.expect(404);
}

#[tokio::test]
async fn the_cookie_is_for_its_link_alone() {
    let server = Server::memory().await;
    let link = link(&server).await;
    let fields = [("country_code", "1"), ("phone_number", PHONE)];
    post(&server, &format!("{link}/contact"), "", &fields).await.expect(303);
    let message = server.newest_message(&format!("+1{PHONE}")).await;
    let code = message["code"].as_str().unwrap();
    let proven = post(&server, &format!("{link}/code"), "", &[("token", code)]).await;
    let cookie = proven.header("set-cookie").unwrap();
    let (_, flags) = cookie.split_once(';').unwrap();
    assert_eq!(flags, format!(" Path={link}; Max-Age=1209600; HttpOnly; SameSite=Lax"));
}

#[tokio::test]
async fn closed_links_say_why() {
    let server = Server::memory().await;
    let unknown = server.get("/claim/AAAA").send().await;
    is_page(&unknown, 404);
    assert!(unknown.text.contains("We do not recognize this link"));

    let made = link(&server).await;
    let listed = server.get("/v2/payout-links").app_key().send().await.expect(200).body;
    let id = listed["data"][0]["id"].as_str().unwrap().to_owned();
    server.delete(&format!("/v2/payout-links/{id}")).app_key().send().await.expect(200);
    let canceled = server.get(&made).send().await;
    is_page(&canceled, 410);
    assert!(canceled.text.contains("This link was canceled") && canceled.text.contains("Demonstration"));

    let made = link(&server).await;
    server.advance(31 * 86_400);
    let expired = server.get(&made).send().await;
    is_page(&expired, 410);
    assert!(expired.text.contains("This link has expired"));

    let wrong_method = server.delete(&made).send().await;
    is_page(&wrong_method, 405);
    assert_eq!(wrong_method.header("allow"), Some("GET, HEAD"));
    let too_large = post(&server, &format!("{made}/contact"), "", &[("email", &"x".repeat(70_000))]).await;
    is_page(&too_large, 413);
}

#[tokio::test]
async fn mistakes_keep_what_was_typed_but_no_secret() {
    let server = Server::memory().await;
    server.set(json!({"phone_countries": ["US", "DE"]})).await;
    let link = link_with(&server, json!({"force_collect_compliance_information": true})).await;
    let open = link_with(&server, json!({"payee": null, "delivery": {"method": "link"}})).await;
    let contact =
        post(&server, &format!("{open}/contact"), "", &[("country_code", "49"), ("phone_number", "12")]).await;
    is_page(&contact, 400);
    assert!(contact.text.contains("value=\"12\"") && contact.text.contains("<title>Error: "), "{}", contact.text);
    assert!(contact.text.contains("<option value=\"49\" selected>"));
    let other =
        post(&server, &format!("{link}/contact"), "", &[("country_code", "1"), ("phone_number", "2127361235")]).await;
    is_page(&other, 403);

    let fields = [("country_code", "1"), ("phone_number", PHONE)];
    post(&server, &format!("{link}/contact"), "", &fields).await.expect(303);
    let message = server.newest_message(&format!("+1{PHONE}")).await;
    let right = message["code"].as_str().unwrap();
    let wrong = if right == "123123" { "321321" } else { "123123" };
    let tried = post(&server, &format!("{link}/code"), "", &[("token", wrong)]).await;
    is_page(&tried, 400);
    assert!(tried.text.contains("You have 4 tries left") && !tried.text.contains(wrong), "{}", tried.text);
    let proven = post(&server, &format!("{link}/code"), "", &[("token", right)]).await.expect(303);
    let cookie = proven.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();

    let name = [("first_name", "Ada"), ("last_name", "Lovelace")];
    post(&server, &format!("{link}/profile"), &cookie, &name).await.expect(303);
    let tax = [("form", "w9"), ("name", "Ada Lovelace"), ("tax_id", "123-45-6789"), ("city", "New York")];
    let unfinished = post(&server, &format!("{link}/compliance"), &cookie, &tax).await;
    is_page(&unfinished, 400);
    assert!(unfinished.text.contains("value=\"Ada Lovelace\"") && unfinished.text.contains("Certify the form"));
    assert!(!unfinished.text.contains("6789"), "a tax number is never shown again");
    let rest = [("tax_id_type", "ssn"), ("line_1", "350 Fifth Avenue"), ("state", "NY"), ("postcode", "10118")];
    let finished = [&tax[..], &rest, &[("entity_type", "individual"), ("certified", "true")]].concat();
    post(&server, &format!("{link}/compliance"), &cookie, &finished).await.expect(303);

    let card = [("platform", "push_to_card"), ("card_token", "4111111111111111")];
    let card = post(&server, &format!("{link}/method"), &cookie, &card).await;
    is_page(&card, 400);
    assert!(!card.text.contains("4111111111111111"), "a card number is never shown again");
}

#[tokio::test]
async fn five_wrong_codes_ask_for_a_new_one() {
    let server = Server::memory().await;
    let link = link(&server).await;
    let fields = [("country_code", "1"), ("phone_number", PHONE)];
    post(&server, &format!("{link}/contact"), "", &fields).await.expect(303);
    let right = server.newest_code(&format!("+1{PHONE}")).await.as_str().unwrap().to_owned();
    let wrong = if right == "123123" { "321321" } else { "123123" };
    let mut last = String::new();
    for _ in 0..5 {
        last = post(&server, &format!("{link}/code"), "", &[("token", wrong)]).await.expect(400).text;
    }
    assert!(last.contains("Too many wrong tries"), "{last}");
    let late = post(&server, &format!("{link}/code"), "", &[("token", &right)]).await.expect(400);
    assert!(late.text.contains("no longer works") && late.header("set-cookie").is_none());
    let resent = post(&server, &format!("{link}/code"), "", &[("resend", "1")]).await.expect(303);
    let shown = server.get(resent.header("location").unwrap()).send().await;
    is_page(&shown, 200);
    assert!(shown.text.contains("A new code is on its way") && shown.text.contains("••• 1234"), "{}", shown.text);
}

/// The sixth code of an hour is refused, and the codes that were sent still work.
#[tokio::test]
async fn asking_for_a_sixth_code_keeps_the_page_of_the_code() {
    let server = Server::memory().await;
    let link = link(&server).await;
    let fields = [("country_code", "1"), ("phone_number", PHONE)];
    post(&server, &format!("{link}/contact"), "", &fields).await.expect(303);
    for _ in 0..4 {
        post(&server, &format!("{link}/code"), "", &[("resend", "1")]).await.expect(303);
    }
    let sixth = post(&server, &format!("{link}/code"), "", &[("resend", "1")]).await;
    is_page(&sixth, 429);
    assert!(sixth.text.contains("Enter the newest one") && sixth.text.contains("name=\"token\""), "{}", sixth.text);
    let newest = server.newest_code(&format!("+1{PHONE}")).await.as_str().unwrap().to_owned();
    post(&server, &format!("{link}/code"), "", &[("token", &newest)]).await.expect(303);
}

#[tokio::test]
async fn a_form_of_another_site_is_refused() {
    let server = Server::memory().await;
    let link = link(&server).await;
    let sent = async |name: &str, value: &str| {
        let fields = [("country_code", "1"), ("phone_number", PHONE)];
        let asking = server.post(&format!("{link}/contact")).header("host", "127.0.0.1:8080");
        asking.header(name, value).form(&fields).send().await.status
    };
    assert_eq!(sent("sec-fetch-site", "cross-site").await, 403);
    assert_eq!(sent("sec-fetch-site", "same-site").await, 403);
    assert_eq!(sent("origin", "https://evil.example").await, 403);
    assert_eq!(sent("origin", "null").await, 303);
    assert_eq!(sent("origin", "http://127.0.0.1:8080").await, 303);
    assert_eq!(sent("sec-fetch-site", "same-origin").await, 303);
}

#[tokio::test]
async fn hostile_words_are_only_words() {
    let server = Server::memory().await;
    let hostile = "</title><script>alert(1)</script>\"'&";
    let link = link_with(&server, json!({"memo": hostile, "delivery": {"method": "sms", "message": hostile}})).await;
    server.work_off().await;
    for path in [link.as_str(), "/inbox"] {
        let page = server.get(path).send().await;
        is_page(&page, 200);
        assert!(!page.text.contains("<script>alert") && !page.text.contains("</title><"), "{}", page.text);
    }
}

#[tokio::test]
async fn twenty_unknown_links_are_enough_for_pages_and_json_alike() {
    let server = Server::memory().await;
    let link = link(&server).await;
    for try_number in 0..20 {
        let path = if try_number % 2 == 0 { "/claim/AAAA" } else { "/v2/claims/AAAA" };
        server.get(path).send().await.expect(404);
    }
    let stopped = server.get("/claim/AAAA").send().await;
    is_page(&stopped, 429);
    assert!(stopped.text.contains("Too many tries"));
    assert_eq!(stopped.header("retry-after"), Some("60"));
    server.get("/v2/claims/AAAA").send().await.refused(429, "rate-limited");
    // Many payees share one address: a request with an existing link is served.
    is_page(&server.get(&link).send().await, 200);
    server.get(&link.replace("/claim/", "/v2/claims/")).send().await.expect(200);
    let contact = server.post(&format!("{}/contact", link.replace("/claim/", "/v2/claims/")));
    contact.json(json!({"country_code": "1", "phone_number": "2127361234"})).send().await.expect(200);
    server.get("/claim/AAAA").send().await.expect(429);
    server.advance(60);
    server.get("/claim/AAAA").send().await.expect(404);
}

#[tokio::test]
async fn give_claim_tax_form_as_json() {
    let server = Server::memory().await;
    let link = link_with(&server, json!({"force_collect_compliance_information": true})).await;
    let cookie = cookie_of(&server, &link).await;
    let session = cookie.split_once('=').unwrap().1;
    let claim = link.replace("/claim/", "/v2/claims/");
    let step = async |name: &str, body: Value| {
        server.post(&format!("{claim}/{name}")).header("claim-session", session).json(body).send().await
    };
    let form = json!({"w9": {
        "entity_type": "individual", "tax_id_type": "ssn",
        "name": "Ada Lovelace", "tax_id": "123456789", "line_1": "350 Fifth Avenue", "city": "New York",
        "state": "NY", "postcode": "10118", "certified": true,
    }});
    let without = server.post(&format!("{claim}/compliance")).json(form.clone()).send().await;
    without.refused(401, "unauthorized");
    step("profile", json!({"first_name": "Ada", "last_name": "Lovelace"})).await.expect(200);
    step("compliance", json!({"w9": {"name": "Ada"}})).await.refused(400, "invalid-input");
    let given = step("compliance", form).await.expect(200);
    assert_eq!(given.body["next_step"]["name"], "method", "{}", given.text);
}

#[tokio::test]
async fn a_payout_under_the_senders_review_says_so() {
    let server = Server::memory().await;
    let link = link(&server).await;
    let cookie = ready(&server, &link).await;
    let form = [("amount", "25.00"), ("shown_amount", "25.00"), ("available", "25.00")];
    server.set(json!({"payout_limits": {"per_day": 2_499}, "payout_approval_limit": 1_000})).await;
    let limited = post(&server, &format!("{link}/payout"), &cookie, &form).await;
    is_page(&limited, 409);
    assert!(limited.text.contains("more than the sender can pay out today") && !limited.text.contains("24.99"));
    server.set(json!({"payout_limits": null})).await;
    post(&server, &format!("{link}/payout"), &cookie, &form).await.expect(303);
    let done = server.get(&link).header("cookie", &cookie).send().await;
    is_page(&done, 200);
    assert!(done.text.contains("Your payout is being checked"), "{}", done.text);
}

#[tokio::test]
async fn a_payout_whose_fee_the_sender_cannot_pay_stays_on_its_page_and_the_payees() {
    let server = Server::memory().await;
    let link = link_with(&server, json!({"payout_fee_party": "platform"})).await;
    let cookie = ready(&server, &link).await;
    let page = server.get(&format!("{link}/payout")).header("cookie", &cookie).send().await;
    assert!(page.text.contains("works until"), "{}", page.text);
    let rest = json!({"amount": server.balance("app_wallet").await, "delivery": {"method": "link"}});
    server.post("/v2/payout-links").app_key().json(rest).send().await.expect(201);
    let form = [("amount", "25.00"), ("shown_amount", "25.00"), ("available", "25.00")];
    let refused = post(&server, &format!("{link}/payout"), &cookie, &form).await;
    is_page(&refused, 402);
    assert!(refused.text.contains("stays yours") && refused.text.contains("name=\"amount\""), "{}", refused.text);
    assert!(!refused.text.contains("works until"), "what is claimed does not expire: {}", refused.text);
}
