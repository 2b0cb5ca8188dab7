//! What an accountant reads: money comes in by wire, people are paid by four rails in messages (pain.001), the bank refuses
//! one payment and returns another, and the ledger equals the bank's statement to the cent.

use std::path::Path;

use bursar::bankbox::{self, Account, Grain, StatementFormat};
use bursar::ledger::LedgerAccountKind;
use bursar_formats::iso20022::pain001::CreditTransfers;
use bursar_formats::iso20022::{self, Message};
use bursar_formats::{Profile, inspect};
use serde_json::{Value, json};

use crate::bank_files::independent;
use crate::bank_files_sent::Bank as Sent;
use crate::bank_intake::Mailbox;
use crate::bank_statements::{Bank, reconcile};
use crate::harness::{Reply, Server};
use crate::samples::{new_connection, new_message_connection};

const HOUR: i64 = 3_600;
/// From 10:00 to 17:45, after the cut-off and before the deadline.
const TO_EVENING: i64 = 7 * HOUR + 45 * 60;

/// Adds a payout method, and pays to it; returns the transfer.
pub async fn pay(server: &Server, line: u32, method: Value, amount: i64) -> Value {
    let (user, platform) = (server.verified_user(line).await, method["platform"].clone());
    server.payout_method(&user, method).await;
    order(server, &user, &platform, amount).await.expect(201).body
}

async fn order(server: &Server, user: &str, platform: &Value, amount: i64) -> Reply {
    let order =
        json!({"user_id": user, "amount": amount, "platform": platform, "fund": true, "payout_fee_party": "platform"});
    server.post("/v2/payouts").app_key().json(order).send().await
}

pub fn us(platform: &str, number: &str) -> Value {
    json!({"platform": platform, "routing_number": "110000000", "account_number": number})
}

fn wire(number: &str) -> Value {
    let mut method = us("wire", number);
    (method["address"], method["town"]) = (json!("Apartment 4b, 12 Elm Street"), json!("Springfield"));
    method["address_country"] = json!("US");
    method
}

fn abroad() -> Value {
    json!({
        "platform": "intl_bank", "iban": "DE89370400440532013000", "bic": "COBADEFFXXX", "town": "Köln",
        "address_country": "DE", "account_holder_name": "Jane Doe",
    })
}

/// An account whose bank takes instant payments.
fn instant(number: &str) -> Value {
    json!({"platform": "ach", "routing_number": "011000015", "account_number": number})
}

/// Returns the messages of the files, by their rails, and writes them into a folder.
async fn messages(bank: &Sent, folder: &Path) -> Vec<(String, CreditTransfers)> {
    let mut found = Vec::new();
    for file in bank.files().await {
        let rail = file["platform"].as_str().unwrap().to_owned();
        let text = bank.download(&file).await.expect(200).text;
        let read = iso20022::read(text.as_bytes(), Profile::Strict).unwrap();
        let (Message::CreditTransfers(message), _) = read else { panic!("{text}") };
        std::fs::write(folder.join(format!("{rail}.pay.xml")), text).unwrap();
        found.push((rail, message));
    }
    found
}

async fn story(format: StatementFormat, grain: Grain) {
    let fields = json!({
        "statement_kind": if format == StatementFormat::Bai2 { "bai2" } else { "camt053" },
        "booking_grain": if grain == Grain::File { "file" } else { "entry" },
    });
    let bank = Bank { mailbox: Mailbox::with(Server::memory().await, new_message_connection(""), fields).await };
    let now = bank.now();
    bank.act(|bank| bank.keep(Account::open("000123456789", format, grain, 0, now)));
    let before = bank.server().balance("app_wallet").await;
    bank.wire(500_000, &format!("FUNDING {}", bank.reference().await));
    bank.morning().await;
    assert_eq!(bank.server().balance("app_wallet").await, before + 500_000, "the wire is in the app's wallet");

    let server = bank.server();
    let paid = [
        pay(server, 2_000, us("bank_transfer", "55502000"), 1_001).await,
        pay(server, 2_001, us("bank_transfer", "20000002"), 1_002).await,
        pay(server, 2_002, wire("55502002"), 30_003).await,
        pay(server, 2_003, wire("10000002"), 40_004).await,
        pay(server, 2_004, abroad(), 20_005).await,
        pay(server, 2_005, instant("55502005"), 5_006).await,
        pay(server, 2_006, instant("10000001"), 5_007).await,
    ];
    // An instant payment is a file of its own, and is at the bank at once.
    server.work_off().await;
    let files = bank.mailbox.bank.files().await;
    let of = |rail: &str, status: &str| {
        files.iter().filter(|file| file["platform"] == rail && file["status"] == status).count()
    };
    assert_eq!(
        (of("rtp", "sent"), of("bank_transfer", "open"), of("wire", "open"), of("intl_bank", "open")),
        (2, 1, 1, 1)
    );
    bank.mailbox.bank_answers();
    bank.fetch().await;
    assert_eq!(bank.mailbox.status(&paid[5]).await.0, "completed", "the bank says that it is settled");
    assert_eq!(bank.mailbox.status(&paid[6]).await, ("failed".to_owned(), Some("insufficient_funds".to_owned())));

    // 17:45 in New York is 22:45 UTC in winter.
    let evening = 22 * HOUR + 45 * 60;
    bank.server().pass((evening - bank.now()).rem_euclid(24 * HOUR)).await;
    assert!(bank.mailbox.bank.files().await.iter().all(|file| file["status"] == "sent"));
    bank.mailbox.bank_answers();
    bank.fetch().await;
    assert_eq!(bank.mailbox.status(&paid[3]).await, ("failed".to_owned(), Some("account_closed".to_owned())));
    for pending in [0, 1, 2, 4] {
        assert_eq!(bank.mailbox.status(&paid[pending]).await.0, "pending");
    }
    for _ in 0..8 {
        bank.morning().await;
        let found = bank.reconciliation().await;
        assert_eq!(found["difference"], 0, "{found}");
    }
    for (transfer, expected) in paid.iter().zip(["completed", "reversed", "completed", "failed", "completed"]) {
        assert_eq!(bank.mailbox.status(transfer).await.0, expected, "{transfer}");
    }
    let found = bank.reconciliation().await;
    let arrived = 1_001 + 30_003 + 5_006 + sent_abroad(&bank, &paid[4]).await;
    assert_eq!((&found["closing"], &found["balanced"]), (&json!(500_000 - arrived), &json!(true)), "{found}");
    assert_eq!((bank.ledger(LedgerAccountKind::Unbooked), bank.ledger(LedgerAccountKind::Suspense)), (0, 0));
    assert_eq!(bank.mailbox.items("status=unmatched").await, Vec::<Value>::new());
    let (code, text) = reconcile(bank.server(), &[]).await;
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("difference 0.00"), "{text}");
    bank.mailbox.bank.verify();
}

/// A payment abroad pays for its conversion.
async fn sent_abroad(bank: &Bank, transfer: &Value) -> i64 {
    let id = transfer["id"].as_str().unwrap();
    let entries = bank.mailbox.bank.get("/v2/bank/entries?limit=100").await;
    let entry = entries["data"].as_array().unwrap().iter().find(|entry| entry["transfer_id"] == id).unwrap();
    entry["amount"].as_i64().unwrap()
}

#[tokio::test]
async fn four_rails_with_refusals_and_a_return_agree_with_the_statement_by_camt053_file_by_file() {
    story(StatementFormat::Camt053, Grain::File).await;
}

#[tokio::test]
async fn four_rails_with_refusals_and_a_return_agree_with_the_statement_by_camt053_entry_by_entry() {
    story(StatementFormat::Camt053, Grain::Entry).await;
}

#[tokio::test]
async fn four_rails_with_refusals_and_a_return_agree_with_the_statement_by_bai2() {
    story(StatementFormat::Bai2, Grain::File).await;
}

#[tokio::test]
async fn messages_pass_our_check_the_published_schemas_and_another_bank() {
    let bank = Sent::with(Server::memory().await, new_message_connection("")).await;
    let server = &bank.server;
    pay(server, 2_000, us("bank_transfer", "55502000"), 1_001).await;
    pay(server, 2_001, wire("55502001"), 30_003).await;
    let foreign = pay(server, 2_002, abroad(), 20_005).await;
    pay(server, 2_003, instant("55502003"), 5_006).await;
    bank.server.pass(TO_EVENING).await;
    let folder = tempfile::tempdir().unwrap();
    let found = messages(&bank, folder.path()).await;
    let of = |rail: &str| {
        let message = found.iter().find(|(of, _)| of == rail);
        &message.unwrap_or_else(|| panic!("{rail}: {found:?}")).1.payments[0]
    };
    let service = |rail: &str| (of(rail).service_level.as_deref(), of(rail).local_instrument.as_deref());
    assert_eq!(service("bank_transfer"), (Some("NURG"), Some("PPD")));
    assert_eq!((service("wire"), service("rtp")), ((Some("URGP"), None), (Some("URNS"), Some("INST"))));
    let address = of("wire").transfers[0].creditor.address.clone().unwrap();
    assert_eq!(address.lines, ["Apartment 4b, 12 Elm Street"]);
    assert_eq!((address.town.as_deref(), address.country.as_deref()), (Some("Springfield"), Some("US")));
    let abroad = &of("intl_bank").transfers[0];
    assert_eq!((abroad.creditor.name.as_str(), abroad.converted_to.as_deref()), ("Jane Doe", Some("EUR")));
    assert_eq!(
        (abroad.amount.currency.as_str(), abroad.creditor.address.as_ref().unwrap().town.as_deref()),
        ("USD", Some("Koln"))
    );
    let id = foreign["id"].as_str().unwrap().replace('-', "").to_uppercase();
    assert_eq!(abroad.end_to_end_id, id);
    assert_eq!(
        (of("wire").execute_on.to_string().as_str(), of("rtp").execute_on.to_string().as_str()),
        ("2026-03-04", "2026-03-03")
    );
    for (rail, message) in &found {
        assert_eq!(message.message_id, message.payments[0].id, "{rail}");
        let bytes = std::fs::read(folder.path().join(format!("{rail}.pay.xml"))).unwrap();
        assert!(inspect(&bytes, Profile::Strict).unwrap().findings.is_empty(), "{rail}");
    }
    let said = independent("judge", folder.path());
    let verdicts: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // The other bank converts no currency.
    let refused: Vec<&Value> = verdicts
        .iter()
        .filter(|verdict| verdict["ok"] != true)
        .filter(|verdict| (&verdict["file"], &verdict["tool"]) != (&json!("intl_bank.pay.xml"), &json!("mock-bank")))
        .collect();
    assert!(refused.is_empty(), "{refused:#?}");
    assert_eq!(verdicts.len(), 8);
    bank.verify();
}

#[tokio::test]
async fn a_wire_needs_the_town_and_the_country_of_the_payee_and_a_payment_abroad_the_bic_too() {
    let server = Server::memory().await;
    // A method from before the route.
    let early = server.verified_user(2_000).await;
    server.payout_method(&early, us("wire", "55502000")).await;
    let bank = Sent::with(server, new_message_connection("")).await;
    let refused = order(&bank.server, &early, &json!("wire"), 1_000).await;
    refused.refused(409, "user-info-missing");
    assert!(refused.body["message"].as_str().unwrap().contains("town and address_country"), "{}", refused.text);
    assert!(bank.files().await.is_empty());
    let user = bank.server.verified_user(2_001).await;
    let path = format!("/v2/users/{user}/payout-methods");
    let set = async |method: Value| bank.server.put(&path).app_key().json(method).send().await;
    assert_eq!(set(us("wire", "55502001")).await.refused(400, "invalid-input").fields(), ["/town", "/address_country"]);
    let iban = json!({"platform": "intl_bank", "iban": "DE89370400440532013000"});
    assert_eq!(set(iban).await.refused(400, "invalid-input").fields(), ["/town", "/address_country", "/bic"]);
    let mut half = us("wire", "55502001");
    half["town"] = json!("Springfield");
    assert_eq!(set(half).await.refused(400, "invalid-input").fields(), ["/address_country"]);
    set(us("bank_transfer", "55502001")).await.expect(200);
    set(wire("55502001")).await.expect(200);
    order(&bank.server, &user, &json!("wire"), 1_000).await.expect(201);
    bank.verify();
}

/// A BIC in lower case, and one with digits in its first half, once stopped the file of all payees.
#[tokio::test]
async fn every_form_of_a_bic_that_a_payee_may_store_has_a_place_in_the_message() {
    let bank = Sent::with(Server::memory().await, new_message_connection("")).await;
    let residence = json!({"platform": "intl_bank", "town": "Rio", "address_country": "BR"});
    let with = |more: Value| {
        let mut method = residence.clone();
        method.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        method
    };
    let methods = [
        with(json!({"country": "BR", "bank_code": "brasbrrj", "account_number": "123456"})),
        with(json!({"country": "BR", "bic": "brasbrrjxxx", "account_number": "123457"})),
        with(json!({"iban": "AE070331234567890123456", "bic": "E097AEXX"})),
        abroad(),
    ];
    let mut paid = Vec::new();
    for (line, method) in (2_000..).zip(methods) {
        paid.push(pay(&bank.server, line, method, 1_000).await);
    }
    bank.server.pass(TO_EVENING).await;
    let files = bank.files().await;
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(files[0]["entries"], json!(paid.len()), "{files:?}");
    assert!(files[0]["sha256"].is_string(), "it has its bytes: {files:?}");
    bank.verify();
}

#[tokio::test]
async fn an_ach_payout_goes_by_rtp_only_if_a_bank_carries_rtp_too() {
    let bank = Sent::in_force(Server::memory().await).await;
    let user = &bank.server.verified_user(2_000).await;
    bank.server.payout_method(user, instant("55502000")).await;
    order(&bank.server, user, &json!("ach"), 1_000).await.expect(201);
    assert_eq!(bank.file().await["platform"], "ach");
    let path = format!("/v2/payouts/fee-estimate?user_id={user}&amount=1000&platform=ach&explain=true");
    let estimate = bank.server.get(&path).app_key().send().await.expect(200).body;
    assert_eq!(estimate["explain"]["rtp"], "not by rtp: no route connects rtp to a bank or a provider");
    // From the day on which a route carries rtp, the same order is an instant payment.
    let mut connection = new_message_connection("");
    connection["name"] = json!("Second Bank");
    bank.connect(connection, json!({"account_number": "000987654321"}), "2026-03-04").await;
    bank.server.pass(24 * HOUR).await;
    order(&bank.server, user, &json!("ach"), 1_000).await.expect(201);
    let newest = bank.files().await.pop().unwrap();
    assert_eq!((&newest["platform"], &newest["entries"]), (&json!("rtp"), &json!(1)));
    bank.verify();
}

#[tokio::test]
async fn a_connection_has_the_identity_of_its_format_and_carries_its_rails() {
    let bank = Sent::in_force(Server::memory().await).await;
    let create = async |connection: Value| bank.post("/v2/bank/connections", "admin", connection).await;
    let mut both = new_message_connection("");
    both["nacha"] = new_connection("")["nacha"].clone();
    assert_eq!(create(both).await.refused(400, "invalid-input").fields(), ["/nacha"]);
    let mut none = new_message_connection("");
    none["pain001"] = json!(null);
    assert_eq!(create(none).await.refused(400, "invalid-input").fields(), ["/pain001"]);
    let mut wrong = new_message_connection("");
    wrong["pain001"]["country"] = json!("ZZ");
    wrong["pain001"]["name"] = json!("Äcme");
    assert_eq!(create(wrong).await.refused(400, "invalid-input").fields(), ["/pain001/name", "/pain001/country"]);
    let made = create(new_message_connection("")).await.expect(201);
    assert_eq!((&made.body["nacha"], &made.body["pain001"]["town"]), (&json!(null), &json!("Boston")));
    let path = format!("/v2/bank/connections/{}", made.id());
    let change = async |body: Value| {
        let mut body = body;
        body["acting_user_id"] = json!(crate::harness::Desk::of(&bank.server).member("admin"));
        bank.server.patch(&path).as_org().json(body).send().await
    };
    let nacha = new_connection("")["nacha"].clone();
    assert_eq!(change(json!({"nacha": nacha})).await.refused(400, "invalid-input").fields(), ["/nacha"]);
    let mut moved = new_message_connection("")["pain001"].clone();
    moved["town"] = json!("Salem");
    assert_eq!(change(json!({"pain001": moved})).await.expect(200).body["pain001"]["town"], "Salem");
    let originators = bank.get("/v2/bank/originators?limit=10").await;
    let route = |platform: &str| {
        json!({
            "platform": platform, "currency": "USD", "from_on": "2026-03-05", "bank_connection_id": bank.connection,
            "originator_id": originators["data"][0]["id"], "settlement_account_id": bank.settlement_account,
        })
    };
    let refused = bank.post("/v2/bank/routes", "admin", route("wallet_a")).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/platform"]);
    bank.verify();
}

#[tokio::test]
async fn a_test_message_moves_one_cent_from_the_account_to_itself() {
    let bank = Sent::with(Server::memory().await, new_message_connection("")).await;
    let list = bank.get("/v2/bank/originators?limit=10").await;
    let path = format!(
        "/v2/bank/connections/{}/test-file?originator_id={}&settlement_account_id={}",
        bank.connection,
        list["data"][0]["id"].as_str().unwrap(),
        bank.settlement_account
    );
    let text = bank.server.get(&path).as_org().send().await.expect(200).text;
    let (Message::CreditTransfers(message), _) = iso20022::read(text.as_bytes(), Profile::Strict).unwrap() else {
        panic!("{text}")
    };
    let payment = &message.payments[0];
    assert_eq!((payment.transfers.len(), payment.transfers[0].amount.minor), (1, 1));
    assert_eq!(payment.debtor_account, payment.transfers[0].creditor_account);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("test.pay.xml"), text).unwrap();
    let said = independent("judge", folder.path());
    assert!(said.lines().all(|line| line.contains("\"ok\": true")), "{said}");
    assert!(bankbox::Bank::default().take(&std::fs::read(folder.path().join("test.pay.xml")).unwrap(), 0).is_ok());
}
