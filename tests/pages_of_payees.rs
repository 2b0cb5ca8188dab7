//! The claim's pages for people: one button for the code, words instead of fields, one bank form, what arrives where
//! and when, receipts, reminders.

use serde_json::{Value, json};

use crate::harness::{Reply, Server};

const PHONE: &str = "2127361234";
const E164: &str = "+12127361234";
const DAY: i64 = 86_400;

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

/// Proves the phone with the button alone; returns the cookie.
async fn proven(server: &Server, link: &str) -> String {
    post(server, &format!("{link}/contact"), "", &[("send", "phone")]).await.expect(303);
    let message = server.newest_message(E164).await;
    let code = [("token", message["code"].as_str().unwrap())];
    let opened = post(server, &format!("{link}/code"), "", &code).await.expect(303);
    opened.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

const NAME: [(&str, &str); 2] = [("first_name", "Ada"), ("last_name", "Lovelace")];

/// The bank form as a browser posts it.
fn account<'a>(number: &'a str, again: &'a str) -> [(&'static str, &'a str); 5] {
    [
        ("platform", "ach"),
        ("routing_number", "1100 00000"),
        ("account_number", number),
        ("confirm_account_number", again),
        ("account_type", "checking"),
    ]
}

/// Takes every step up to the payout of everything.
async fn paid(server: &Server, link: &str, number: &str) -> String {
    let cookie = proven(server, link).await;
    post(server, &format!("{link}/profile"), &cookie, &NAME).await.expect(303);
    post(server, &format!("{link}/method"), &cookie, &account(number, number)).await.expect(303);
    let all = [("amount", "200.00"), ("shown_amount", "200.00"), ("available", "200.00")];
    post(server, &format!("{link}/payout"), &cookie, &all).await.expect(303);
    server.work_off().await;
    cookie
}

/// The text of a page as a person reads it: without tags, and without the paths in them.
fn words(html: &str) -> String {
    let body = html.split_once("<title>").map_or(html, |(_, rest)| rest);
    let pieces = body.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
    let text = pieces.collect::<Vec<_>>().join(" ");
    let text = text.replace("&#38;", "&").replace("&#39;", "'").replace("&#60;", "<").replace("&#62;", ">");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn a_payee_gets_a_code_without_typing_a_number() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let page = server.get(&link).send().await.expect(200);
    assert!(words(&page.text).contains("Text a code to ••• 1234"), "{}", page.text);
    assert!(!page.text.contains(PHONE) && !page.text.contains("name=\"phone_number\""));
    // A payee with an address too may choose; the link names none.
    assert_eq!(post(&server, &format!("{link}/contact"), "", &[("send", "email")]).await.status, 403);
    let cookie = proven(&server, &link).await;
    assert_eq!(get(&server, &format!("{link}/profile"), &cookie).await.status, 200);
    // A link that names no payee has no such contact.
    let open = link_without_payee(&server).await;
    assert_eq!(post(&server, &format!("{open}/contact"), "", &[("send", "phone")]).await.status, 403);
    let form = server.get(&open).send().await.expect(200);
    assert!(form.text.contains("name=\"phone_number\""), "{}", form.text);
}

async fn link_without_payee(server: &Server) -> String {
    link(server, json!({"payee": null, "delivery": {"method": "link"}})).await
}

#[tokio::test]
async fn the_button_sends_no_more_codes_than_the_form() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let path = format!("{link}/contact");
    for _ in 0..5 {
        post(&server, &path, "", &[("send", "phone")]).await.expect(303);
    }
    assert_eq!(post(&server, &path, "", &[("send", "phone")]).await.status, 429);
    let typed = [("country_code", "1"), ("phone_number", PHONE)];
    assert_eq!(post(&server, &path, "", &typed).await.status, 429, "one budget for both");
}

#[tokio::test]
async fn the_page_offers_one_bank_form_and_no_way_that_it_cannot_take() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let cookie = proven(&server, &link).await;
    post(&server, &format!("{link}/profile"), &cookie, &NAME).await.expect(303);
    let page = get(&server, &format!("{link}/method"), &cookie).await.expect(200);
    let text = words(&page.text);
    assert_eq!(page.text.matches("name=\"routing_number\"").count(), 1, "{}", page.text);
    for shown in ["To your bank", "To a wallet or card", "As a gift card", "Fastest", "Free", "More ways"] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    for hidden in ["Debit card", "ACH", "Wire", "Bank transfer"] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
    // What the page does not offer cannot be opened by its address either.
    assert_eq!(get(&server, &format!("{link}/method?platform=push_to_card"), &cookie).await.status, 400);
}

#[tokio::test]
async fn a_mistyped_account_number_is_found_before_it_is_used() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let cookie = proven(&server, &link).await;
    post(&server, &format!("{link}/profile"), &cookie, &NAME).await.expect(303);
    let path = format!("{link}/method");
    let differs = post(&server, &path, &cookie, &account("000123456789", "000123456798")).await;
    assert_eq!(differs.status, 400);
    assert!(words(&differs.text).contains("The two account numbers are different."), "{}", differs.text);
    let missing = post(&server, &path, &cookie, &account("000123456789", "")).await;
    assert!(words(&missing.text).contains("Enter your account number again."), "{}", missing.text);
    // The negative control: spaces make no difference.
    post(&server, &path, &cookie, &account("000123456789", "0001 2345 6789")).await.expect(303);
    let confirm = get(&server, &format!("{link}/payout"), &cookie).await.expect(200);
    let text = words(&confirm.text);
    for shown in ["You get $199.75", "Checking account ••6789", "Sandbox Bank", "Arrives on", "Get $199.75"] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    assert!(!confirm.text.contains("id=\"amount\""), "a part of the amount is behind a link");
    let part = get(&server, &format!("{link}/payout?part=1"), &cookie).await.expect(200);
    assert!(part.text.contains("id=\"amount\""));
}

#[tokio::test]
async fn money_that_comes_back_is_said_to_come_back() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let cookie = paid(&server, &link, "20000001").await;
    let under_way = get(&server, &link, &cookie).await.expect(200);
    assert!(under_way.text.contains("data-refresh=\""), "{}", under_way.text);
    server.pass(DAY + 60).await;
    let arrived = get(&server, &link, &cookie).await.expect(200);
    assert!(words(&arrived.text).contains("Your money has arrived") && !arrived.text.contains("data-refresh"));
    server.pass(3 * DAY).await;
    let returned = words(&get(&server, &link, &cookie).await.expect(200).text);
    assert!(returned.contains("Your bank sent the money back"), "{returned}");
    assert!(returned.contains("Choose another way to get paid") && !returned.contains("debited"), "{returned}");
    let back = "$199.75 is back in your balance. The fee of $0.25 is not returned.";
    assert!(returned.contains(back), "{returned}");
    assert_eq!(get(&server, &format!("{link}/receipt"), &cookie).await.status, 303, "no receipt for it");
}

#[tokio::test]
async fn a_payout_that_failed_costs_nothing() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let cookie = paid(&server, &link, "10000002").await;
    server.pass(2 * DAY).await;
    let text = words(&get(&server, &link, &cookie).await.expect(200).text);
    assert!(text.contains("Your money did not arrive") && text.contains("The account is closed."), "{text}");
    assert!(!text.contains("Fee") && text.contains("Your money is safe: it is back in your balance."), "{text}");
    let message = server.newest_message(E164).await["text"].as_str().unwrap().to_owned();
    assert!(message.contains("could not be paid out: The account is closed."), "the page's words: {message}");
}

/// A reason for developers says nothing to a payee.
#[tokio::test]
async fn a_message_about_a_failed_payout_has_the_words_of_the_page() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let cookie = proven(&server, &link).await;
    post(&server, &format!("{link}/profile"), &cookie, &NAME).await.expect(303);
    let wallet = [("platform", "wallet_a"), ("email", "fail+recipient_not_found@example.com")];
    post(&server, &format!("{link}/method"), &cookie, &wallet).await.expect(303);
    let all = [("amount", "200.00"), ("shown_amount", "200.00"), ("available", "200.00")];
    post(&server, &format!("{link}/payout"), &cookie, &all).await.expect(303);
    server.work_off().await;
    server.pass(DAY).await;
    let page = words(&get(&server, &link, &cookie).await.expect(200).text);
    let message = server.newest_message(E164).await["text"].as_str().unwrap().to_owned();
    for text in [page, message] {
        assert!(text.contains("No account was found under what you entered.") && !text.contains("provider"), "{text}");
    }
}

/// The name of a payee who chooses another way is kept, also without scripts.
#[tokio::test]
async fn another_way_than_the_account_keeps_the_name() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let cookie = proven(&server, &link).await;
    let page = get(&server, &format!("{link}/profile"), &cookie).await.expect(200);
    let button = format!("formaction=\"{link}/profile?account=later\"");
    assert!(page.text.contains(&button), "{}", page.text);
    // The browser sends the whole form, in which the account is filled in part.
    let typed = [
        ("first_name", "Ada"),
        ("last_name", ""),
        ("email", "ada@example.com"),
        ("platform", "ach"),
        ("account_type", "checking"),
        ("routing_number", "12"),
        ("account_number", ""),
        ("confirm_account_number", ""),
    ];
    let later = format!("{link}/profile?account=later");
    let nothing = typed.map(|(name, value)| (name, if name.ends_with("name") || name == "email" { "" } else { value }));
    let asked = post(&server, &later, &cookie, &nothing).await.expect(303);
    let asked = get(&server, asked.header("location").unwrap(), &cookie).await.expect(200);
    assert!(words(&asked.text).contains("Your name") && !asked.text.contains("routing"), "{}", asked.text);
    let missing = post(&server, &later, &cookie, &typed).await;
    assert_eq!(missing.status, 400);
    assert!(missing.text.contains("Enter your last name.") && missing.text.contains("value=\"ada@example.com\""));
    assert!(!missing.text.contains("routing"), "{}", missing.text);
    let typed = typed.map(|(name, value)| (name, if name == "last_name" { "Lovelace" } else { value }));
    let onward = post(&server, &later, &cookie, &typed).await.expect(303);
    let ways = get(&server, onward.header("location").unwrap(), &cookie).await.expect(200);
    assert!(words(&ways.text).contains("To a wallet or card"), "{}", ways.text);
    let user = server.get("/v2/users").app_key().send().await.expect(200).body["data"][0].clone();
    assert_eq!((&user["last_name"], &user["email"]), (&json!("Lovelace"), &json!("ada@example.com")));
}

#[tokio::test]
async fn a_receipt_is_a_page_for_its_payee_alone() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    let cookie = paid(&server, &link, "000123456789").await;
    let path = format!("{link}/receipt");
    assert_eq!(get(&server, &path, &cookie).await.status, 303, "the money is on its way");
    server.pass(2 * DAY).await;
    let done = get(&server, &link, &cookie).await.expect(200);
    assert!(done.text.contains(&path), "{}", done.text);
    let receipt = words(&get(&server, &path, &cookie).await.expect(200).text);
    for shown in ["Receipt", "Demonstration", "$200.00", "$0.25", "$199.75", "Checking account ••6789", "Reference"]
    {
        assert!(receipt.contains(shown), "{shown}: {receipt}");
    }
    let stranger = get(&server, &path, "").await;
    assert_eq!((stranger.status, stranger.header("location")), (303, Some(link.as_str())));
}

/// Words that are the API's, not a payee's. A name of a field has an underscore.
const TERMS: [&str; 16] = [
    "platform", "rail", "token", "session", "null", "json", "field", "iso", "e.164", "payee", "user", "cents", "step",
    "method", "api", "request",
];

#[track_caller]
fn speaks_plainly(what: &str, reply: &Reply) {
    let text = words(&reply.text);
    // The progress indicator counts steps, and a handle may contain an underscore.
    let said = text.to_lowercase().replace(". _ - + @ $", "");
    let said = without_counts(&said);
    let found = said.split_whitespace().find(|word| word.contains('_') || is_term(word));
    assert!(found.is_none(), "{what}: {found:?} in {text}");
}

fn is_term(word: &str) -> bool {
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
    TERMS.contains(&word) || word.strip_suffix('s').is_some_and(|word| TERMS.contains(&word))
}

/// Leaves out "Step 2 of 6".
fn without_counts(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is_count = |at: usize| words[at] == "step" && words.get(at + 2) == Some(&"of");
    (0..words.len()).filter(|at| !is_count(*at)).map(|at| words[at]).collect::<Vec<_>>().join(" ")
}

/// Every field of every form, and one of none.
const FIELDS: &str = "country_code phone_number email token first_name last_name form entity_type name business_name \
                      tax_id_type tax_id foreign_tax_id line_1 city state postcode citizenship country date_of_birth \
                      routing_number account_number confirm_account_number account_type handle cash_tag iban bic \
                      bank_code network address card_token amount shown_amount available payout_method_id send resend \
                      surprise";
const WAYS: [&str; 8] = ["", "nonsense", "ach", "wallet_b", "wallet_d", "intl_bank", "intl_transfer", "crypto"];

/// Posts nothing, nonsense and too much to the steps, to all fields at once and to some. Returns the number of pages.
async fn mistakes(server: &Server, link: &str, cookie: &str, steps: &[&str]) -> usize {
    let long = "x".repeat(300);
    let mut pages = 0;
    for step in steps {
        let path = format!("{link}/{step}");
        speaks_plainly(&format!("GET {step}"), &get(server, &path, cookie).await);
        for value in ["", "x", "0", "-1", "4111111111111111", "1,50", "ü\u{200b}", long.as_str()] {
            let all: Vec<(&str, &str)> = FIELDS.split_whitespace().map(|field| (field, value)).collect();
            speaks_plainly(&format!("{step} all {value}"), &post(server, &path, cookie, &all).await);
            for way in WAYS {
                let form = [("platform", way), ("form", "w8ben"), ("name", value), ("iban", value)];
                speaks_plainly(&format!("{step} {way} {value}"), &post(server, &path, cookie, &form).await);
            }
            pages += 1 + WAYS.len();
        }
    }
    pages
}

/// Every step and page, each with nothing, with nonsense, with too much and with what belongs elsewhere.
#[tokio::test]
async fn no_page_and_no_error_has_a_word_of_the_api() {
    let server = Server::memory().await;
    let link = link(&server, json!({"force_collect_compliance_information": true})).await;
    let without = ["contact", "code", "profile", "method", "payout", "change-contact", "receipt", "nonsense"];
    let mut pages = mistakes(&server, &link, "", &without).await;
    server.advance(DAY);
    let cookie = proven(&server, &link).await;
    pages += mistakes(&server, &link, &cookie, &["profile"]).await;
    post(&server, &format!("{link}/profile"), &cookie, &NAME).await;
    pages += mistakes(&server, &link, &cookie, &["compliance"]).await;
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
    pages += mistakes(&server, &link, &cookie, &["method", "payout"]).await;
    assert!(pages > 800, "{pages}");
}

#[test]
fn a_word_of_the_api_is_found() {
    assert!(is_term("platform.") && is_term("methods") && !is_term("bank"));
    assert_eq!(without_counts("step 2 of 6 next step"), "2 of 6 next step");
    assert_eq!(words("<title>A</title><p class=\"x_y\">b</p>"), "A b");
}

/// The texts that invite the payee to claim, oldest first.
async fn invitations(server: &Server) -> Vec<String> {
    server.work_off().await;
    let all = server.get("/v2/sandbox/messages?limit=100&to=%2B12127361234").app_key().send().await.expect(200).body;
    let texts =
        all["data"].as_array().unwrap().iter().rev().map(|message| message["text"].as_str().unwrap().to_owned());
    texts.filter(|text| text.contains("is sending you")).collect()
}

#[tokio::test]
async fn an_unclaimed_link_reminds_its_payee_twice_and_then_expires() {
    let server = Server::memory().await;
    let link = link(&server, json!({})).await;
    server.pass(3 * DAY - 60).await;
    assert_eq!(invitations(&server).await.len(), 1);
    server.pass(120).await;
    assert_eq!(invitations(&server).await.len(), 2, "after three days");
    server.pass(26 * DAY - 120).await;
    assert_eq!(invitations(&server).await.len(), 2);
    server.pass(120).await;
    let texts = invitations(&server).await;
    assert_eq!(texts.len(), 3, "a day before it expires");
    assert!(texts[2].starts_with("Reminder: ") && texts[2].contains("Choose how to get paid by "), "{}", texts[2]);
    let claim = link.replace("/claim/", "/v2/claims/");
    server.get(&claim).send().await.expect(200);
    server.pass(DAY).await;
    assert_eq!(invitations(&server).await.len(), 3);
    let listed = server.get("/v2/payout-links").app_key().send().await.expect(200).body;
    assert_eq!((&listed["data"][0]["status"], &listed["data"][0]["deliveries"]), (&json!("expired"), &json!(3)));
    assert_eq!(server.balance("app_wallet").await, 100_000_000);
}

#[tokio::test]
async fn a_claimed_link_and_a_sender_who_wants_none_cause_no_reminder() {
    let server = Server::memory().await;
    let claimed = link(&server, json!({})).await;
    paid(&server, &claimed, "000123456789").await;
    link(&server, json!({"delivery": {"method": "link"}})).await;
    server.pass(31 * DAY).await;
    assert_eq!(invitations(&server).await.len(), 1, "the claimed one, when it was sent");

    let server = Server::memory().await;
    server.set(json!({"payee_reminders": false})).await;
    link(&server, json!({})).await;
    server.pass(31 * DAY).await;
    assert_eq!(invitations(&server).await.len(), 1);
    let listed = server.get("/v2/payout-links").app_key().send().await.expect(200).body;
    assert_eq!(listed["data"][0]["status"], "expired");
}

#[tokio::test]
async fn a_phone_that_takes_no_messages_gets_no_reminder() {
    let server = Server::memory().await;
    link(&server, json!({"payee": {"country_code": "1", "phone_number": "2127360199"}})).await;
    server.pass(31 * DAY).await;
    let listed = server.get("/v2/payout-links").app_key().send().await.expect(200).body;
    assert_eq!((&listed["data"][0]["status"], &listed["data"][0]["deliveries"]), (&json!("expired"), &json!(1)));
}
