//! Notices to a payee about changes of their payout methods, resting methods, and receipts (docs/decisions.md 17).

use serde_json::{Value, json};

use crate::harness::{Desk, PUBLIC_URL, Reply, Server};

const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;
const PHONE: &str = "+12127361234";

/// Creates a verified payee with an account and automatic payouts.
async fn payee(server: &Server) -> String {
    let user = server.banked_user(1234).await;
    server
        .patch(&format!("/v2/users/{user}"))
        .app_key()
        .json(json!({"auto_payout_enabled": true}))
        .send()
        .await
        .expect(200);
    user
}

/// Sets a thief's account as the default.
async fn redirect(server: &Server, user: &str) -> String {
    let thief =
        json!({"platform": "ach", "routing_number": "110000000", "account_number": "666000666", "is_default": true});
    server.payout_method(user, thief).await
}

/// Sends ten dollars; returns the link's status.
async fn pay(server: &Server, user: &str) -> String {
    let body = json!({"amount": 1_000, "user_id": user});
    let sent = server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201).body;
    sent["status"].as_str().unwrap().to_owned()
}

async fn messages(server: &Server, to: &str) -> Vec<Value> {
    server.work_off().await;
    let path = format!("/v2/sandbox/messages?limit=100&to={}", to.replace('+', "%2B").replace('@', "%40"));
    let all = server.get(&path).app_key().send().await.expect(200).body;
    all["data"].as_array().unwrap().clone()
}

/// Returns the paths of the notices that a phone or an address has received, newest first.
async fn notices(server: &Server, to: &str) -> Vec<String> {
    let all = messages(server, to).await;
    let links = all.iter().filter_map(|message| message["link"].as_str());
    links
        .filter_map(|link| link.strip_prefix(PUBLIC_URL))
        .filter(|path| path.starts_with("/notice/"))
        .map(str::to_owned)
        .collect()
}

async fn post(server: &Server, path: &str, body: Value) -> Reply {
    server.post(path).json(body).send().await
}

/// H4: a new default account took the next automatic payout, and the payee was not notified.
#[tokio::test]
async fn freeze_automatic_payouts_send_unfreeze_code_and_unfreeze_automatic_payouts() {
    let server = Server::memory().await;
    let user = payee(&server).await;
    assert_eq!(pay(&server, &user).await, "claimed", "the control: the payee is paid unasked");
    redirect(&server, &user).await;
    let message = messages(&server, PHONE).await[0].clone();
    let text = message["text"].as_str().unwrap();
    assert!(text.contains("••0666") && text.contains("Stop automatic payouts: "), "{text}");
    let page = notices(&server, PHONE).await[0].clone();
    let path = page.replace("/notice/", "/v2/notices/");

    let shown = server.get(&path).send().await.expect(200).body;
    assert_eq!((&shown["frozen"], &shown["changes"]), (&json!(false), &json!(["new_method", "new_default"])));
    post(&server, &format!("{path}/code"), json!({})).await.refused(409, "invalid-state");
    let frozen = post(&server, &format!("{path}/freeze"), json!({})).await.expect(200).body;
    assert_eq!(frozen["frozen"], true);
    post(&server, &format!("{path}/freeze"), json!({})).await.expect(200);
    assert_ne!(pay(&server, &user).await, "claimed");

    let sent = post(&server, &format!("{path}/code"), json!({})).await.expect(200).body;
    assert_eq!((&sent["code_sent"], &sent["sent_to"]), (&json!(true), &json!("***1234")));
    let code = server.newest_code(PHONE).await.as_str().unwrap().to_owned();
    let wrong = format!("{:06}", (code.parse::<u32>().unwrap() + 1) % 1_000_000);
    post(&server, &format!("{path}/unfreeze"), json!({"token": wrong})).await.refused(400, "wrong-token");
    assert_ne!(pay(&server, &user).await, "claimed");
    let free = post(&server, &format!("{path}/unfreeze"), json!({"token": code})).await.expect(200).body;
    assert_eq!(free["frozen"], false);
    assert_eq!(pay(&server, &user).await, "claimed");
    server.verify();
}

#[tokio::test]
async fn get_notice_needs_a_genuine_token_and_ends_after_ninety_days() {
    let server = Server::memory().await;
    let user = payee(&server).await;
    redirect(&server, &user).await;
    let path = notices(&server, PHONE).await[0].replace("/notice/", "/v2/notices/");
    let forged = format!("{}A", &path[..path.len() - 1]);
    for path in [forged.as_str(), "/v2/notices/x"] {
        server.get(path).send().await.refused(404, "not-found");
        post(&server, &format!("{path}/freeze"), json!({})).await.refused(404, "not-found");
    }
    server.advance(90 * DAY);
    server.get(&path).send().await.refused(410, "link-expired");
    post(&server, &format!("{path}/freeze"), json!({})).await.refused(410, "link-expired");
}

/// H4: the earlier contact gets a notice of each change, by every way.
#[tokio::test]
async fn each_change_to_where_a_payees_money_goes_sends_a_notice() {
    let server = Server::memory().await;
    let user = server.banked_user(1234).await;
    let path = format!("/v2/users/{user}");
    let mut before = notices(&server, PHONE).await.len();
    let changes = [json!({"auto_payout_enabled": true}), json!({"email": "thief@example.com"})];
    for change in changes {
        server.patch(&path).app_key().json(change.clone()).send().await.expect(200);
        let now = notices(&server, PHONE).await.len();
        assert_eq!(now, before + 1, "{change}");
        before = now;
        // The negative control: a request without a change sends nothing.
        server.patch(&path).app_key().json(change.clone()).send().await.expect(200);
        server.patch(&path).app_key().json(json!({"metadata": "gold"})).send().await.expect(200);
        assert_eq!(notices(&server, PHONE).await.len(), before, "{change}");
    }
    assert_eq!(notices(&server, "jane1234@example.com").await.len(), 1, "the address that was replaced");
    assert!(notices(&server, "thief@example.com").await.is_empty());
    // In a claim session of the payee, too.
    let body = json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let made = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body;
    let claim = format!("/v2/claims/{}", made["link"].as_str().unwrap().rsplit('/').next().unwrap());
    let contact = json!({"country_code": "1", "phone_number": "2127361234"});
    post(&server, &format!("{claim}/contact"), contact).await.expect(200);
    let code = server.newest_code(PHONE).await;
    let session =
        post(&server, &format!("{claim}/code"), json!({"token": code})).await.expect(200).body["session"].clone();
    let session = session.as_str().unwrap();
    let method =
        json!({"platform": "ach", "routing_number": "110000000", "account_number": "5559999", "is_default": true});
    let chosen = server.post(&format!("{claim}/method")).header("claim-session", session).json(method);
    chosen.send().await.expect(200);
    assert_eq!(notices(&server, PHONE).await.len(), before + 1);
}

/// A first method that an app adds redirects a payee's money like a later one. The control: a payee who adds their own
/// first method in a claim gets no notice.
#[tokio::test]
async fn a_first_method_that_an_app_adds_sends_a_notice() {
    let server = Server::memory().await;
    let user = server.verified_user(1234).await;
    assert_eq!(notices(&server, PHONE).await.len(), 0);
    let method = server
        .payout_method(&user, json!({"platform": "ach", "routing_number": "110000000", "account_number": "666000666"}))
        .await;
    let sent = notices(&server, PHONE).await;
    assert_eq!(sent.len(), 1, "{sent:?}");
    let shown = server.get(&sent[0].replace("/notice/", "/v2/notices/")).send().await.expect(200).body;
    assert_eq!(shown["changes"], json!(["new_method"]), "{shown}");
    // So does a first default.
    server.delete(&format!("/v2/users/{user}/payout-methods/{method}")).app_key().send().await.expect(200);
    let settled = notices(&server, PHONE).await.len();
    let second = json!({
        "platform": "ach", "routing_number": "110000000", "account_number": "666000777", "is_default": false,
    });
    server.payout_method(&user, second).await;
    assert_eq!(notices(&server, PHONE).await.len(), settled + 1, "not the default, and a way for the next change");

    let own = Server::memory().await;
    own.verified_user(1234).await;
    let body = json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let made = own.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body;
    let claim = format!("/v2/claims/{}", made["link"].as_str().unwrap().rsplit('/').next().unwrap());
    let contact = json!({"country_code": "1", "phone_number": "2127361234"});
    post(&own, &format!("{claim}/contact"), contact).await.expect(200);
    let code = own.newest_code(PHONE).await;
    let opened = post(&own, &format!("{claim}/code"), json!({"token": code})).await.expect(200).body;
    let method = json!({"platform": "ach", "routing_number": "110000000", "account_number": "5559999"});
    let chosen = own.post(&format!("{claim}/method")).header("claim-session", opened["session"].as_str().unwrap());
    chosen.json(method).send().await.expect(200);
    assert_eq!(notices(&own, PHONE).await.len(), 0);
}

/// A payee who froze automatic payouts and lost the phone: the organization sets another number, and the payee's code
/// from that number ends the freeze. A key alone does not, nor does a code from an earlier number.
#[tokio::test]
async fn a_code_to_a_contact_that_the_organization_wrote_ends_a_freeze() {
    let server = Server::memory().await;
    let user = payee(&server).await;
    redirect(&server, &user).await;
    let notice = notices(&server, PHONE).await[0].replace("/notice/", "/v2/notices/");
    post(&server, &format!("{notice}/freeze"), json!({})).await.expect(200);
    // The control: a code from the earlier phone, for another purpose.
    let body = json!({"amount": 100, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let made = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body;
    let claim = format!("/v2/claims/{}", made["link"].as_str().unwrap().rsplit('/').next().unwrap());
    let contact = json!({"country_code": "1", "phone_number": "2127361234"});
    post(&server, &format!("{claim}/contact"), contact).await.expect(200);
    let code = server.newest_code(PHONE).await;
    post(&server, &format!("{claim}/code"), json!({"token": code})).await.expect(200);
    assert_ne!(pay(&server, &user).await, "claimed");

    let path = format!("/v2/users/{user}");
    let replaced = json!({"phone_number": {"country_code": "1", "phone_number": "2127365678"}});
    server.patch(&path).app_key().json(replaced.clone()).send().await.refused(409, "invalid-state");
    let by_organization = server.patch(&path).as_org().for_app(&server.app_id());
    by_organization.json(replaced).send().await.expect(200);
    assert_eq!(server.get(&notice).send().await.expect(200).body["frozen"], true, "no key ends it");
    server.post(&format!("{path}/send-verification-token")).app_key().json(json!({})).send().await.expect(202);
    let code = server.newest_code("+12127365678").await;
    server.post(&format!("{path}/verify")).app_key().json(json!({"token": code})).send().await.expect(200);
    assert_eq!(server.get(&notice).send().await.expect(200).body["frozen"], false);
    assert_eq!(pay(&server, &user).await, "claimed");
    // After another freeze the number is an earlier one.
    post(&server, &format!("{notice}/freeze"), json!({})).await.expect(200);
    assert_ne!(pay(&server, &user).await, "claimed");
    server.verify();
}

/// H4: automatic payouts to a method younger than its rest become links.
#[tokio::test]
async fn a_new_method_rests_before_it_is_paid_unasked() {
    let server = Server::memory().await;
    let user = payee(&server).await;
    server.set(json!({"method_rest_hours": 24})).await;
    assert_ne!(pay(&server, &user).await, "claimed", "the account is minutes old");
    server.advance(24 * HOUR);
    assert_eq!(pay(&server, &user).await, "claimed");
    redirect(&server, &user).await;
    assert_ne!(pay(&server, &user).await, "claimed");
    server.advance(24 * HOUR);
    assert_eq!(pay(&server, &user).await, "claimed");
    server.set(json!({"method_rest_hours": null})).await;
    redirect(&server, &user).await;
    assert_eq!(pay(&server, &user).await, "claimed", "the sandbox's default is no rest");
    let settings = format!("/v2/apps/{}/settings", server.app_id());
    let wrong = server.put(&settings).as_org().json(json!({"method_rest_hours": -1})).send().await;
    assert_eq!(wrong.refused(400, "invalid-input").fields(), ["/method_rest_hours"]);
}

/// H4 by another way: an app's own payout goes neither to a resting account nor to a payee who froze payouts.
#[tokio::test]
async fn create_payout_waits_for_the_rest_of_an_account_and_for_the_end_of_a_freeze() {
    let server = Server::memory().await;
    let user = payee(&server).await;
    let send = |rail: &'static str| {
        let body = json!({"user_id": user, "amount": 1_000, "platform": rail, "fund": true});
        server.post("/v2/payouts").app_key().json(body).send()
    };
    send("ach").await.expect(201);
    server.set(json!({"method_rest_hours": 24})).await;
    redirect(&server, &user).await;
    for rail in ["ach", "default"] {
        let refused = send(rail).await;
        assert!(refused.refused(409, "invalid-state").text.contains("is new and usable from"), "{}", refused.text);
    }
    // A card is delivered to the payee: no account could be a thief's.
    send("gift_card_a").await.expect(201);
    server.advance(24 * HOUR);
    send("ach").await.expect(201);

    let page = notices(&server, PHONE).await[0].clone();
    post(&server, &format!("{}/freeze", page.replace("/notice/", "/v2/notices/")), json!({})).await.expect(200);
    let refused = send("ach").await;
    assert!(refused.refused(409, "invalid-state").text.contains("frozen"), "{}", refused.text);
    server.verify();
}

/// A payout that waits for a member's approval also waits for the end of a freeze.
#[tokio::test]
async fn approve_transfer_waits_for_the_end_of_a_freeze() {
    let server = Server::memory().await;
    let user = payee(&server).await;
    redirect(&server, &user).await;
    server.set(json!({"payout_approval_limit": 500})).await;
    let body = json!({"user_id": user, "amount": 1_000, "platform": "ach", "fund": true});
    let flagged = server.post("/v2/payouts").app_key().json(body).send().await.expect(201);
    assert_eq!(flagged.body["status"], "flagged");
    let path = notices(&server, PHONE).await[0].replace("/notice/", "/v2/notices/");
    post(&server, &format!("{path}/freeze"), json!({})).await.expect(200);
    let payer = json!({"acting_user_id": Desk::of(&server).member("payer")});
    let approve = || {
        let path = format!("/v2/transfers/{}/approve", flagged.id());
        server.post(&path).as_org().for_app(&server.app_id()).json(payer.clone()).send()
    };
    approve().await.refused(409, "invalid-state");
    post(&server, &format!("{path}/code"), json!({})).await.expect(200);
    let code = server.newest_code(PHONE).await;
    post(&server, &format!("{path}/unfreeze"), json!({"token": code})).await.expect(200);
    approve().await.expect(200);
}

#[tokio::test]
async fn show_notice_page_and_take_notice_step() {
    let server = Server::memory().await;
    let user = payee(&server).await;
    redirect(&server, &user).await;
    let page = notices(&server, PHONE).await[0].clone();
    let before = server.get(&page).send().await.expect(200).text;
    assert!(before.contains("Was this you?") && before.contains("••0666"), "{before}");
    let step =
        async |step: &str, fields: &[(&str, &str)]| server.post(&format!("{page}/{step}")).form(fields).browse().await;
    assert_eq!(step("freeze", &[]).await.expect(303).header("location"), Some(page.as_str()));
    let stopped = server.get(&page).send().await.expect(200).text;
    assert!(stopped.contains("Automatic payouts are stopped") && stopped.contains("Send me a code"), "{stopped}");
    step("code", &[]).await.expect(303);
    let wrong = step("unfreeze", &[("token", "12")]).await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.text.contains("The code is wrong.") && wrong.text.contains("role=\"alert\""), "{}", wrong.text);
    let code = server.newest_code(PHONE).await.as_str().unwrap().to_owned();
    step("unfreeze", &[("token", &code)]).await.expect(303);
    assert!(server.get(&page).send().await.expect(200).text.contains("Was this you?"));
    assert_eq!(server.get("/notice/x").send().await.status, 404);
    assert_eq!(step("other", &[]).await.status, 404);
}

/// A payee who replied STOP gets no text, so a change that no proved address hears of freezes automatic payouts.
#[tokio::test]
async fn a_change_that_no_notice_reports_freezes_automatic_payouts() {
    for has_stopped in [false, true] {
        let server = Server::memory().await;
        let user = payee(&server).await;
        let notices_before = notices(&server, PHONE).await.len();
        if has_stopped {
            let stop = json!({"from": PHONE, "text": "STOP"});
            server.post("/v2/sandbox/replies").app_key().json(stop).send().await.expect(200);
        }
        redirect(&server, &user).await;
        let expected = notices_before + usize::from(!has_stopped);
        assert_eq!(notices(&server, PHONE).await.len(), expected, "stopped: {has_stopped}");
        assert_eq!(pay(&server, &user).await == "claimed", !has_stopped, "stopped: {has_stopped}");
        server.verify();
    }
}

/// D4: the receipt that the claim page promises.
#[tokio::test]
async fn a_payee_gets_a_receipt_when_the_money_has_arrived() {
    let server = Server::memory().await;
    let user = server.banked_user(1234).await;
    let body = json!({"amount": 12_500, "user_id": user});
    server
        .patch(&format!("/v2/users/{user}"))
        .app_key()
        .json(json!({"auto_payout_enabled": true}))
        .send()
        .await
        .expect(200);
    server.post("/v2/payouts/send-payout").app_key().json(body).send().await.expect(201);
    let address = "jane1234@example.com";
    let before = messages(&server, address).await.len();
    server.pass(3_600).await;
    assert_eq!(messages(&server, address).await.len(), before, "it is still on its way");
    server.pass(4 * DAY).await;
    let receipt = messages(&server, address).await[0].clone();
    let text = receipt["text"].as_str().unwrap();
    assert!(text.contains("$124.75") && text.contains("has arrived") && text.contains("$0.25"), "{text}");
    assert_eq!(messages(&server, address).await.len(), before + 1);
}
