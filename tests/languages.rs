//! Pages and messages in the language of the payee: which one is chosen, and that every step and error is in it.

use serde_json::{Value, json};

use crate::harness::{PUBLIC_URL, Reply, Server};

const PHONE: &str = "2127361234";
const E164: &str = "+12127361234";

async fn link(server: &Server) -> String {
    let body = json!({
        "amount": 20_000,
        "payee": {"country_code": "1", "phone_number": PHONE},
        "payout_fee_party": "user",
        "force_collect_compliance_information": true,
    });
    let made = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201);
    made.body["link"].as_str().unwrap().strip_prefix(PUBLIC_URL).unwrap().to_owned()
}

/// A payee's browser: its languages and its cookies.
struct Browser<'a> {
    server: &'a Server,
    languages: &'static str,
    cookie: String,
}

impl<'a> Browser<'a> {
    fn new(server: &'a Server, languages: &'static str) -> Self {
        Self { server, languages, cookie: String::new() }
    }

    async fn get(&self, path: &str) -> Reply {
        let request = self.server.get(path).header("cookie", &self.cookie);
        request.header("accept-language", self.languages).send().await
    }

    async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let request = self.server.post(path).header("cookie", &self.cookie);
        let reply = request.header("accept-language", self.languages).form(fields).browse().await;
        if let Some(cookie) = reply.header("set-cookie") {
            let pair = cookie.split(';').next().unwrap();
            self.cookie = if self.cookie.is_empty() { pair.to_owned() } else { format!("{}; {pair}", self.cookie) };
        }
        reply
    }
}

async fn newest(server: &Server) -> Value {
    server.newest_message(E164).await
}

fn text(message: &Value) -> &str {
    message["text"].as_str().unwrap()
}

/// Proves the phone.
async fn proven(browser: &mut Browser<'_>, link: &str) {
    browser.post(&format!("{link}/contact"), &[("send", "phone")]).await.expect(303);
    let code = newest(browser.server).await["code"].as_str().unwrap().to_owned();
    browser.post(&format!("{link}/code"), &[("token", &code)]).await.expect(303);
}

const NAME: [(&str, &str); 2] = [("first_name", "Ada"), ("last_name", "Lovelace")];
const TAX: [(&str, &str); 11] = [
    ("form", "w9"),
    ("entity_type", "individual"),
    ("name", "Ada Lovelace"),
    ("tax_id_type", "ssn"),
    ("tax_id", "123456789"),
    ("line_1", "350 Fifth Avenue"),
    ("city", "New York"),
    ("state", "NY"),
    ("postcode", "10118"),
    ("certified", "true"),
    ("business_name", ""),
];
const ACCOUNT: [(&str, &str); 5] = [
    ("platform", "ach"),
    ("routing_number", "110000000"),
    ("account_number", "000123456789"),
    ("confirm_account_number", "000123456789"),
    ("account_type", "checking"),
];

#[tokio::test]
async fn a_claim_in_spanish_is_in_spanish_to_the_receipt() {
    let server = Server::memory().await;
    let link = link(&server).await;
    let mut browser = Browser::new(&server, "es-MX,es;q=0.9,en;q=0.8");
    let shows = |page: &Reply, words: &str| {
        assert!(page.text.contains("<html lang=\"es\" dir=\"ltr\">"), "{}", page.text);
        assert!(page.text.contains(words), "{words} in {}", page.text);
    };
    shows(&browser.get(&link).await, "Confirma que eres tú");
    browser.post(&format!("{link}/contact"), &[("send", "phone")]).await.expect(303);
    let message = newest(&server).await;
    assert!(text(&message).contains("es tu código para recibir tu pago"), "{message}");
    let wrong = if message["code"] == "000000" { "000001" } else { "000000" };
    shows(&browser.post(&format!("{link}/code"), &[("token", wrong)]).await, "Te quedan 4 intentos.");
    let code = message["code"].as_str().unwrap();
    browser.post(&format!("{link}/code"), &[("token", code)]).await.expect(303);

    // Every step refuses an empty form in words, and names no field of the API.
    for (step, error) in [
        ("profile", "Escribe tu nombre."),
        ("compliance", "Elige el tipo de número."),
        ("method", "Escribe tu número de ruta."),
    ] {
        let empty: &[(&str, &str)] = match step {
            "profile" => &[("first_name", "")],
            "compliance" => &[("form", "w9"), ("tax_id", "1")],
            _ => &[("platform", "ach")],
        };
        let page = browser.post(&format!("{link}/{step}"), empty).await;
        assert_eq!(page.status, 400, "{step}: {}", page.text);
        shows(&page, error);
        let whole: &[(&str, &str)] = match step {
            "profile" => &NAME,
            "compliance" => &TAX,
            _ => &ACCOUNT,
        };
        browser.post(&format!("{link}/{step}"), whole).await.expect(303);
    }
    let page = browser.get(&format!("{link}/payout")).await;
    shows(&page, "Recibir 199,75\u{a0}US$");
    shows(&page, "Cuenta corriente ••6789");
    let all = [("amount", "200,00"), ("shown_amount", "200.00"), ("available", "200.00")];
    browser.post(&format!("{link}/payout"), &all).await.expect(303);
    server.work_off().await;
    shows(&browser.get(&link).await, "Tu dinero está en camino");
    server.advance(172_800);
    server.work_off().await;
    shows(&browser.get(&link).await, "Tu dinero ha llegado");
    shows(&browser.get(&format!("{link}/receipt")).await, "Recibiste");
    let receipt = newest(&server).await;
    assert!(text(&receipt).starts_with("Ha llegado tu pago de 199,75 US$ de "), "{receipt}");
    assert!(text(&receipt).contains("Cuenta corriente ••6789"), "{receipt}");
}

#[tokio::test]
async fn the_language_of_the_last_visit_is_that_of_the_next_message_and_page() {
    let server = Server::memory().await;
    let first = link(&server).await;
    assert!(text(&newest(&server).await).contains("is sending you $200.00"));
    proven(&mut Browser::new(&server, "fr"), &first).await;
    let second = link(&server).await;
    assert!(text(&newest(&server).await).contains("vous envoie 200,00 $US"), "{}", newest(&server).await);
    // A browser without a known language, and one that asks for another.
    for languages in ["nl", "de"] {
        let page = Browser::new(&server, languages).get(&second).await.expect(200);
        assert!(page.text.contains("<html lang=\"fr\""), "{languages}");
    }
    // Erasure forgets it: the phone belongs to a new payee.
    let export = server.get("/v2/users").app_key().send().await.expect(200);
    assert!(!export.text.contains("\"fr\""), "the language is no part of the user in the API");
}

#[tokio::test]
async fn the_menu_wins_over_the_browser_and_the_app_over_english() {
    let server = Server::memory().await;
    let brand = format!("/v2/apps/{}/brand", server.app_id());
    server.put(&brand).as_org().json(json!({"language": "xx"})).send().await.expect(400);
    let set = server.put(&brand).as_org().json(json!({"language": "de"})).send().await.expect(200);
    assert_eq!(set.body["language"], "de");
    let link = link(&server).await;
    assert!(text(&newest(&server).await).contains("sendet Ihnen 200,00 $"), "{}", newest(&server).await);

    let mut browser = Browser::new(&server, "nl");
    assert!(browser.get(&link).await.text.contains("<html lang=\"de\""));
    browser.languages = "pt-BR";
    assert!(browser.get(&link).await.text.contains("<html lang=\"pt\""));
    let chosen = browser.post(&format!("{link}/language"), &[("language", "ar")]).await.expect(303);
    assert_eq!(chosen.header("location"), Some(link.as_str()));
    let cookie = chosen.header("set-cookie").unwrap();
    assert!(cookie.starts_with("bursar_language=ar;") && cookie.contains(&format!("Path={link};")), "{cookie}");
    let page = browser.get(&link).await.expect(200);
    assert!(page.text.contains("<html lang=\"ar\" dir=\"rtl\">"), "{}", page.text);
    assert!(page.text.contains("أكّد هويتك") && page.text.contains("aria-current=\"true\">العربية"), "{}", page.text);
    // An unknown language, and a form of another site, change nothing.
    let unknown = browser.post(&format!("{link}/language"), &[("language", "xx")]).await.expect(303);
    assert_eq!(unknown.header("set-cookie"), None);
    let foreign = server.post(&format!("{link}/language")).header("sec-fetch-site", "cross-site");
    assert_eq!(foreign.form(&[("language", "fr")]).send().await.status, 403);
}

#[tokio::test]
async fn a_page_of_a_link_that_nobody_sent_is_in_the_language_of_the_browser() {
    let server = Server::memory().await;
    let page = Browser::new(&server, "ar").get("/claim/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").await;
    assert_eq!(page.status, 404);
    assert!(page.text.contains("<html lang=\"ar\" dir=\"rtl\">"), "{}", page.text);
    assert!(page.text.contains("لا نتعرف على هذا الرابط"), "{}", page.text);
}

#[tokio::test]
async fn a_typed_amount_is_read_by_the_language_of_the_page() {
    let server = Server::memory().await;
    let link = link(&server).await;
    let mut browser = Browser::new(&server, "en");
    proven(&mut browser, &link).await;
    browser.post(&format!("{link}/profile"), &NAME).await.expect(303);
    browser.post(&format!("{link}/compliance"), &TAX).await.expect(303);
    browser.post(&format!("{link}/method"), &ACCOUNT).await.expect(303);
    let asked = browser.get(&format!("{link}/payout?amount=1,50")).await;
    assert_eq!(asked.status, 400);
    assert!(asked.text.contains("Did you mean 1.50 or 150.00?"), "{}", asked.text);
    browser.post(&format!("{link}/language"), &[("language", "de")]).await.expect(303);
    let read = browser.get(&format!("{link}/payout?amount=1,50")).await.expect(200);
    assert!(read.text.contains("1,25\u{a0}$ erhalten") && read.text.contains("value=\"1,50\""), "{}", read.text);
    let asked = browser.get(&format!("{link}/payout?amount=1,500")).await;
    assert_eq!(asked.status, 400);
    assert!(asked.text.contains("Meinen Sie 1,50? Schreiben"), "{}", asked.text);
}
