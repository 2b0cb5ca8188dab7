//! How an app appears to payees: who sets it, what is refused, and where pages show it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bursar::providers::Providers;
use serde_json::{Value, json};

use crate::harness::{FakeMail, PUBLIC_URL, Server};

/// A PNG file of one color.
pub fn png(width: u32, height: u32) -> Vec<u8> {
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    [b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".as_slice(), &size, &[8, 6, 0, 0, 0, 0, 0, 0, 0]].concat()
}

fn image(bytes: &[u8]) -> Value {
    json!({"image": STANDARD.encode(bytes)})
}

fn brand_path(server: &Server) -> String {
    format!("/v2/apps/{}/brand", server.app_id())
}

fn logo_path(server: &Server) -> String {
    format!("/v2/apps/{}/logo", server.app_id())
}

pub fn everything() -> Value {
    json!({
        "color": "#1f4e9e",
        "website": "https://www.harborpine.example/studio",
        "support_email": "help@harborpine.example",
        "support_phone": "+12127361234",
        "terms_url": "https://harborpine.example/terms",
        "privacy_url": "https://harborpine.example/privacy",
        "greeting": "Thank you & welcome",
        "note": "For the invoices of October.",
        "footer": "Harbor & Pine Studio, 1 Wharf Street, Portland",
    })
}

async fn link(server: &Server) -> String {
    let body = json!({"amount": 2_500, "payee": {"country_code": "1", "phone_number": "2127361234"}});
    let made = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    made.body["link"].as_str().unwrap().strip_prefix(PUBLIC_URL).unwrap().to_owned()
}

#[tokio::test]
async fn update_app_brand_keeps_what_get_app_brand_showed() {
    let server = Server::memory().await;
    let path = brand_path(&server);
    let before = server.get(&path).app_key().send().await.expect(200);
    assert!(before.body["color"].is_null() && before.body["logo"].is_null(), "{}", before.text);
    let after = server.put(&path).as_org().json(everything()).send().await.expect(200);
    for (field, value) in everything().as_object().unwrap() {
        assert_eq!(after.body[field], *value, "{field}");
    }
    // What is not sent stays, and null removes.
    let less = json!({"note": null, "color": "#14634A"});
    let less = server.put(&path).as_org().json(less).send().await.expect(200);
    assert_eq!([&less.body["note"], &less.body["color"]], [&Value::Null, &json!("#14634a")]);
    assert_eq!(less.body["greeting"], "Thank you & welcome");
    let nothing: Value = everything().as_object().unwrap().keys().map(|field| (field.clone(), Value::Null)).collect();
    let cleared = server.put(&path).as_org().json(nothing).send().await.expect(200);
    assert_eq!(cleared.text, before.text);
    server.verify();
}

#[tokio::test]
async fn only_the_organization_and_its_administrators_change_a_brand() {
    let server = Server::memory().await;
    let (brand, logo) = (brand_path(&server), logo_path(&server));
    for asked in
        [server.put(&brand).json(everything()), server.put(&logo).json(image(&png(64, 64))), server.delete(&logo)]
    {
        asked.app_key().send().await.refused(403, "organization-key-required");
    }
    for (role, status) in [("admin", 200), ("viewer", 403), ("payer", 403)] {
        let session = server.sign_in(role).await;
        let asked = server.put(&brand).header("member-session", &session).json(json!({"note": "Hello"}));
        assert_eq!(asked.send().await.status, status, "{role}");
    }
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Corner Shop"})).send().await.expect(201);
    let other = format!("/v2/apps/{}/brand", other.id());
    server.get(&other).app_key().send().await.refused(404, "not-found");
    assert_eq!(server.get(&other).as_org().send().await.expect(200).body["note"], Value::Null);
}

#[tokio::test]
async fn a_brand_that_payees_could_not_read_or_trust_is_refused() {
    let server = Server::memory().await;
    let path = brand_path(&server);
    for (field, value, says) in [
        ("color", "#ff8800", "the nearest color that passes is #"),
        ("color", "orange", "such as #14634a"),
        ("website", "http://example.com", "must be an https link"),
        ("terms_url", "javascript:alert(1)", "must be an https link"),
        ("privacy_url", "https://user@example.com/", "must be an https link"),
        ("support_email", "not an address", "e-mail"),
        ("support_phone", "736 1234", "such as +12127361234"),
        ("greeting", "<b>Hello</b>", "without < and >"),
        ("note", &"x".repeat(161), "at most 160 characters"),
        ("footer", "two\nlines", "control characters"),
    ] {
        let refused = server.put(&path).as_org().json(json!({field: value})).send().await;
        let code = match field {
            "support_email" => "invalid-email",
            "support_phone" => "invalid-phone-number",
            _ => "invalid-input",
        };
        let refused = refused.refused(400, code);
        assert_eq!(refused.fields(), [format!("/{field}")], "{value}");
        assert!(refused.text.contains(says), "{}", refused.text);
    }
    // The proposed color is accepted.
    let refused = server.put(&path).as_org().json(json!({"color": "#ff8800"})).send().await;
    let nearest = refused.text.split("passes is ").nth(1).unwrap()[..7].to_owned();
    server.put(&path).as_org().json(json!({"color": nearest})).send().await.expect(200);
}

#[tokio::test]
async fn set_app_logo_serves_the_file_by_get_sender_logo_until_delete_app_logo() {
    let server = Server::memory().await;
    let path = logo_path(&server);
    let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>".to_vec();
    let large = [png(64, 64), vec![0; 64 * 1024]].concat();
    for (bytes, says) in [
        (svg, "SVG and other kinds are not accepted"),
        (b"GIF89a".to_vec(), "must be a PNG, JPEG or WebP file"),
        (png(64, 64)[..20].to_vec(), "is a damaged image"),
        (png(2_000, 64), "2000 x 64 pixels"),
        (png(64, 8), "each side must have 16 to 1024"),
        (large, "at most 65536 are accepted"),
    ] {
        let refused = server.put(&path).as_org().json(image(&bytes)).send().await;
        let refused = refused.refused(400, "invalid-input");
        assert_eq!(refused.fields(), ["/image"]);
        assert!(refused.text.contains(says), "{}", refused.text);
    }
    let wrong = server.put(&path).as_org().json(json!({"image": "not Base64!"})).send().await;
    assert_eq!(wrong.refused(400, "invalid-input").fields(), ["/image"]);

    let full = [png(160, 48), vec![7; 64 * 1024 - png(160, 48).len()]].concat();
    let set = server.put(&path).as_org().json(image(&full)).send().await.expect(200).body["logo"].clone();
    let url = set["url"].as_str().unwrap().strip_prefix(PUBLIC_URL).unwrap().to_owned();
    assert_eq!(set["kind"], "png");
    assert_eq!([&set["width"], &set["height"], &set["bytes"]], [160, 48, 65_536]);
    let served = server.get(&url).send().await.expect(200);
    assert_eq!(served.header("content-type"), Some("image/png"));
    assert_eq!(served.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(served.header("content-security-policy"), Some("default-src 'none'; sandbox"));
    assert_eq!(served.header("content-length"), Some("65536"));

    let page = server.get(&link(&server).await).send().await.expect(200);
    assert!(page.text.contains(&format!("<img class=\"sender-logo\" src=\"{url}\" alt=\"\">")), "{}", page.text);
    for _ in 0..2 {
        let removed = server.delete(&path).as_org().send().await.expect(200);
        assert!(removed.body["logo"].is_null());
    }
    server.get(&url).send().await.refused(404, "not-found");
    let page = server.get(&link(&server).await).send().await.expect(200);
    assert!(!page.text.contains("sender-logo") && page.text.contains("sender-badge"));
    server.verify();
}

#[tokio::test]
async fn every_page_of_a_link_shows_the_brand() {
    let server = Server::memory().await;
    server.put(&brand_path(&server)).as_org().json(everything()).send().await.expect(200);
    let link = link(&server).await;
    let page = server.get(&link).send().await.expect(200);
    for shown in [
        "<link rel=\"stylesheet\" href=\"/assets/color-1f4e9e.css\">",
        "Thank you &#38; welcome",
        "For the invoices of October.",
        "<a href=\"https://www.harborpine.example/studio\" rel=\"external\">harborpine.example</a>",
        "<a href=\"mailto:help@harborpine.example\">",
        "href=\"tel:+12127361234\"",
        "href=\"https://harborpine.example/terms\"",
        "href=\"https://harborpine.example/privacy\"",
        "Harbor &#38; Pine Studio, 1 Wharf Street, Portland",
        &format!("<a href=\"{link}/why\">Why am I getting this?</a>"),
    ] {
        assert!(page.text.contains(shown), "{shown} in {}", page.text);
    }
    assert!(page.header("content-security-policy").unwrap().contains("style-src 'self'"));
    let style = server.get("/assets/color-1f4e9e.css").send().await.expect(200);
    assert_eq!(style.header("content-type"), Some("text/css; charset=utf-8"));
    assert!(style.text.contains("--button: #1f4e9e;"), "{}", style.text);
    server.get("/assets/color-1f4e9.css").send().await.refused(404, "not-found");

    // A link that is closed still says who sent it and how to reach them.
    let found = server.get("/v2/payout-links?limit=1").app_key().send().await.expect(200);
    let id = found.body["data"][0]["id"].as_str().unwrap().to_owned();
    server.delete(&format!("/v2/payout-links/{id}")).app_key().send().await.expect(200);
    let closed = server.get(&link).send().await.expect(410);
    assert!(closed.text.contains("help@harborpine.example") && closed.text.contains(&format!("{link}/why")));
}

#[tokio::test]
async fn the_page_why_names_the_payment_and_show_sender_names_only_the_sender() {
    let server = Server::memory().await;
    let shown = server.put(&brand_path(&server)).as_org().json(everything()).send().await.expect(200);
    let link = link(&server).await;
    let why = server.get(&format!("{link}/why")).send().await.expect(200);
    let text = ["Why am I getting this?", "$25.00", "••• 1234", "How to check", "How to report", PUBLIC_URL];
    assert!(text.iter().all(|shown| why.text.contains(shown)), "{}", why.text);
    assert!(!why.text.contains("2127361234\"") || why.text.contains("tel:+12127361234"));

    let about = shown.body["about_url"].as_str().unwrap().strip_prefix(PUBLIC_URL).unwrap().to_owned();
    let public = server.get(&about).send().await.expect(200);
    assert!(public.text.contains("help@harborpine.example") && !public.text.contains("$25.00"), "{}", public.text);
    let app = server.app_id();
    for unknown in [format!("/senders/{app}/{app}"), "/senders/x/y".to_owned(), format!("/senders/{app}/{app}/logo")] {
        assert_eq!(server.get(&unknown).send().await.status, 404, "{unknown}");
    }
    // A token that opens nothing has no page.
    let wrong = format!("/claim/{}/why", "x".repeat(link.len()));
    assert_eq!(server.get(&wrong).send().await.status, 404);

    // The page of a canceled link names the sender, without the payment.
    let found = server.get("/v2/payout-links?limit=1").app_key().send().await.expect(200);
    let path = format!("/v2/payout-links/{}", found.body["data"][0]["id"].as_str().unwrap());
    server.delete(&path).app_key().send().await.expect(200);
    let why = server.get(&format!("{link}/why")).send().await.expect(200);
    assert!(why.text.contains("help@harborpine.example") && !why.text.contains("$25.00"), "{}", why.text);
}

#[tokio::test]
async fn a_mail_names_its_sender_the_reason_and_the_way_to_ask() {
    let mut mail = FakeMail::start();
    let url = mail.url();
    let server = Server::with_providers(move || Providers { mail: Some(FakeMail::provider(&url)), phone: None }).await;
    let send = async || {
        let payee = json!({"email": "ada@example.org"});
        let body = json!({"amount": 2_500, "payee": payee, "delivery": {"method": "email"}});
        let made = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body;
        server.work_off().await;
        made["link"].as_str().unwrap().to_owned()
    };
    // The control: without a brand, replies go to the sender's address, and the mail still explains itself.
    let plain = send().await;
    let took = mail.mails()[0].clone();
    assert_eq!([&took["reply_to"], &took["sender"]], ["", "Demonstration via Bürsar Pay <pay@example.com>"]);
    assert!(took["text"].as_str().unwrap().contains(&format!("Why am I getting this? {plain}/why")), "{took}");
    assert!(!took["html"].as_str().unwrap().contains("<img"), "{took}");

    server.put(&brand_path(&server)).as_org().json(everything()).send().await.expect(200);
    server.put(&logo_path(&server)).as_org().json(image(&png(160, 48))).send().await.expect(200);
    let link = send().await;
    let took = mail.mails()[1].clone();
    assert_eq!(took["reply_to"], "help@harborpine.example");
    let (text, html) = (took["text"].as_str().unwrap(), took["html"].as_str().unwrap());
    for shown in [
        "You get this email because Demonstration gave us this address to pay you.",
        "Questions? help@harborpine.example or +12127361234",
        "Website: https://www.harborpine.example/studio",
        "Privacy: https://harborpine.example/privacy",
        "Harbor & Pine Studio, 1 Wharf Street, Portland",
        "This link works until ",
        &format!("Choose how to get paid: {link}"),
    ] {
        assert!(text.contains(shown), "{shown} in {text}");
    }
    for shown in [
        "background:#1f4e9e",
        ">Choose how to get paid</a>",
        ">$25.00</p>",
        "mailto:help@harborpine.example",
        "/logo\"",
    ] {
        assert!(html.contains(shown), "{shown} in {html}");
    }

    // The code is the large line, and its mail leads to the sender's public page.
    let path = format!("{}/contact", link.replace(&format!("{PUBLIC_URL}/claim"), "/v2/claims"));
    server.post(&path).json(json!({"email": "ada@example.org"})).send().await.expect(200);
    server.work_off().await;
    let took = mail.mails()[2].clone();
    let (text, html) = (took["text"].as_str().unwrap(), took["html"].as_str().unwrap());
    assert!(html.contains(&format!(">{}</p>", &text[..6])), "{took}");
    assert!(text.contains("If that was not you, ignore this email.") && text.contains("/senders/"), "{text}");
    assert!(!text.contains(&link), "a code's mail has no link that could be passed on with it");
}

/// A reminder is the only mail that repeats itself, so it is the only one with the header.
#[tokio::test]
async fn only_a_reminder_with_a_support_address_offers_to_unsubscribe() {
    let mut mail = FakeMail::start();
    let url = mail.url();
    let server = Server::with_providers(move || Providers { mail: Some(FakeMail::provider(&url)), phone: None }).await;
    let body = json!({"amount": 2_500, "payee": {"email": "ada@example.org"}, "delivery": {"method": "email"}});
    server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    server.work_off().await;
    server.advance(3 * 86_400);
    server.work_off().await;
    server.put(&brand_path(&server)).as_org().json(everything()).send().await.expect(200);
    let link = server.get("/v2/payout-links?limit=1").app_key().send().await.expect(200).body["data"][0].clone();
    let days_left = 26 * 86_400;
    server.advance(days_left);
    server.work_off().await;
    let mails = mail.mails();
    let subjects: Vec<&str> = mails.iter().map(|mail| mail["subject"].as_str().unwrap()).collect();
    assert_eq!(subjects.len(), 3, "a link and its two reminders: {link} {subjects:?}");
    assert!(subjects[1].starts_with("Reminder: ") && subjects[2].starts_with("Reminder: "), "{subjects:?}");
    let header = "<mailto:help@harborpine.example?subject=unsubscribe>";
    let expected = ["", "", header];
    assert!(mails.iter().zip(expected).all(|(mail, expected)| mail["unsubscribe"] == expected), "{mails:?}");

    // A first mail with the brand has none.
    let body = json!({"amount": 2_500, "payee": {"email": "bob@example.org"}, "delivery": {"method": "email"}});
    server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    server.work_off().await;
    let took = mail.mails()[3].clone();
    assert_eq!((&took["reply_to"], &took["unsubscribe"]), (&json!("help@harborpine.example"), &json!("")));
}

#[tokio::test]
async fn a_text_message_about_a_link_ends_with_the_support_contact() {
    let server = Server::memory().await;
    link(&server).await;
    let before = server.newest_message("+12127361234").await["text"].as_str().unwrap().to_owned();
    assert!(!before.contains("Questions?"), "{before}");
    server.put(&brand_path(&server)).as_org().json(everything()).send().await.expect(200);
    link(&server).await;
    let after = server.newest_message("+12127361234").await["text"].as_str().unwrap().to_owned();
    assert!(after.ends_with("\nQuestions? +12127361234\nReply STOP to end text messages."), "{after}");
}
