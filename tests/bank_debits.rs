//! Debits in files for a bank: deposits, links by ach and payments. They join, are presumed settled, booked and taken back.

use bursar::bankbox::{Account, Grain, StatementFormat};
use bursar::ledger::LedgerAccountKind;
use serde_json::{Value, json};

use crate::bank_files_sent::Bank as Connected;
use crate::bank_intake::Mailbox;
use crate::bank_movements::{own_account, read};
use crate::bank_statements::Bank;
use crate::harness::{Reply, Server};
use crate::samples::{new_connection, new_originator};

const DAY: i64 = 86_400;

/// Returns a connection that collects too.
pub fn collecting() -> Value {
    let mut connection = new_connection("");
    connection["limits"]["debit"] = json!({"per_entry": 100_000, "per_file": 200_000, "per_day": 200_000});
    connection
}

/// A bank that keeps our account and takes debits of all classes. It is Tuesday, 3 March 2026, 10:00 in New York.
pub async fn bank(server: Server, format: StatementFormat, grain: Grain) -> Bank {
    bank_of(server, format, grain, json!({})).await
}

/// As [`bank`], with other fields of the originator.
pub async fn bank_of(server: Server, format: StatementFormat, grain: Grain, of_originator: Value) -> Bank {
    let fields = json!({
        "statement_kind": if format == StatementFormat::Bai2 { "bai2" } else { "camt053" },
        "booking_grain": if grain == Grain::File { "file" } else { "entry" },
    });
    let bank = Bank { mailbox: Mailbox::with_parts(server, collecting(), fields, of_originator).await };
    let now = bank.now();
    bank.act(|bank| bank.keep(Account::open("000123456789", format, grain, 50_000, now)));
    bank
}

pub async fn by_file() -> Bank {
    bank(Server::start().await, StatementFormat::Bai2, Grain::File).await
}

pub async fn deposit(server: &Server, amount: i64) -> Reply {
    let path = format!("/v2/apps/{}/deposit", server.app_id());
    server.post(&path).as_org().json(json!({"amount": amount})).send().await
}

/// Creates a payment customer with a bank account.
pub async fn payer(server: &Server, account_number: &str) -> String {
    let customer = json!({"name": "Ada Byron", "email": "ada@example.com"});
    let customer = server.post("/v2/payment-customers").app_key().json(customer).send().await.expect(201).id();
    add_account(server, &customer, account_number, "individual").await;
    customer
}

async fn add_account(server: &Server, customer: &str, account_number: &str, holder_type: &str) {
    let account = json!({"account_number": account_number, "routing_number": "110000000", "holder_type": holder_type});
    let path = format!("/v2/payment-customers/{customer}/bank-accounts");
    server.post(&path).app_key().json(account).send().await.expect(201);
}

pub fn authorized(channel: &str) -> Value {
    json!({
        "accepted_at": "2026-03-02T12:00:00Z", "text": "I agree.", "channel": channel,
        "account_validation": "micro-deposits",
    })
}

pub async fn collect(server: &Server, customer: &str, amount: i64, authorization: Value) -> Reply {
    let body = json!({
        "amount": amount, "platform": "ach", "customer_id": customer, "authorization": authorization,
    });
    server.post("/v2/payments").app_key().json(body).send().await
}

async fn story(format: StatementFormat, grain: Grain) {
    let bank = bank(Server::start().await, format, grain).await;
    let (server, mailbox) = (bank.server(), &bank.mailbox);
    let before = server.balance("app_wallet").await;
    own_account(server, "000123450001").await;
    let pulled = deposit(server, 1_000).await.expect(200).body;
    assert_eq!(pulled["status"], "pending", "the entry joins in the commit of the deposit");
    let ada = payer(server, "000123450002").await;
    let mut payments = Vec::new();
    for (amount, channel) in [(2_000, "web"), (3_000, "phone"), (4_000, "written")] {
        let made = collect(server, &ada, amount, authorized(channel)).await.expect(201).body;
        assert_eq!((&made["status"], &made["debit"]["authorization"]["channel"]), (&json!("pending"), &json!(channel)));
        payments.push(made);
    }
    let files = mailbox.bank.files().await;
    let shown: Vec<_> = files
        .iter()
        .map(|file| (&file["direction"], &file["entry_class"], &file["credit"], &file["debit"]))
        .map(|(direction, class, credit, debit)| (direction.clone(), class.clone(), credit.clone(), debit.clone()))
        .collect();
    let of = |class: &str, sum: i64| (json!("debit"), json!(class), json!(0), json!(sum));
    assert_eq!(shown, [of("CCD", 1_000), of("WEB", 2_000), of("TEL", 3_000), of("PPD", 4_000)]);

    mailbox.send().await;
    let files = mailbox.bank.files().await;
    assert!(files.iter().all(|file| file["status"] == "sent"), "{files:?}");
    for (file, account) in files.iter().zip(["000123450001", "000123450002", "000123450002", "000123450002"]) {
        let (_, entries) = read(mailbox, file).remove(0);
        assert_eq!((entries[0].0.as_str(), entries[0].2.as_str()), ("27", account));
        // Wednesday is the effective date; the bank has three banking days more to return it.
        assert_eq!(
            (&file["effective"], &file["settles"]),
            (&json!("2026-03-04"), &json!("2026-03-09T12:30:00.000000Z"))
        );
    }
    assert!(mailbox.bank_answers().is_empty());
    bank.morning().await;
    bank.morning().await;
    // The statement of Wednesday credits the files, which completes nothing.
    assert_eq!(bank.ledger(LedgerAccountKind::AtBank), -60_000);
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), 10_000, "the bank has booked it, and it may come back");
    assert_eq!(mailbox.status(&pulled).await.0, "pending");
    assert_eq!(server.balance("app_wallet").await, before);
    server.verify();
    for _ in 0..4 {
        bank.morning().await;
    }
    for transfer in payments.iter().chain([&pulled]) {
        assert_eq!(mailbox.status(transfer).await, ("completed".to_owned(), None));
    }
    assert_eq!(server.balance("app_wallet").await, before + 10_000);
    // Only the opening balance is in suspense.
    assert_eq!((bank.ledger(LedgerAccountKind::Unbooked), bank.ledger(LedgerAccountKind::Suspense)), (0, 50_000));
    let found = bank.reconciliation().await;
    assert_eq!((&found["difference"], &found["closing"]), (&json!(0), &json!(60_000)), "{found}");
    mailbox.bank.verify();
}

#[tokio::test]
async fn deposits_and_payments_travel_in_files_and_are_booked_by_file() {
    story(StatementFormat::Bai2, Grain::File).await;
}

#[tokio::test]
async fn deposits_and_payments_travel_in_files_and_are_booked_entry_by_entry() {
    story(StatementFormat::Camt053, Grain::Entry).await;
}

#[tokio::test]
async fn debits_that_come_back_fail_before_they_settled_and_are_taken_back_afterwards() {
    let bank = by_file().await;
    let (server, mailbox) = (bank.server(), &bank.mailbox);
    let before = server.balance("app_wallet").await;
    own_account(server, "20000001").await;
    let deposited = deposit(server, 1_000).await.expect(200).body;
    let early = payer(server, "10000001").await;
    let early = collect(server, &early, 2_000, authorized("written")).await.expect(201).body;
    let good = payer(server, "000123450002").await;
    let good = collect(server, &good, 4_000, authorized("written")).await.expect(201).body;
    mailbox.send().await;
    assert_eq!(mailbox.bank_answers(), ["RETURNS_00001.ach"]);
    mailbox.fetch().await;
    assert_eq!(mailbox.status(&early).await, ("failed".to_owned(), Some("insufficient_funds".to_owned())));
    assert_eq!(server.balance("app_wallet").await, before, "nothing had arrived");
    for _ in 0..7 {
        bank.morning().await;
    }
    assert_eq!(mailbox.status(&deposited).await.0, "completed");
    assert_eq!(mailbox.status(&good).await.0, "completed");
    assert_eq!(server.balance("app_wallet").await, before + 5_000);
    for _ in 0..8 {
        bank.morning().await;
    }
    assert_eq!(mailbox.status(&deposited).await, ("reversed".to_owned(), Some("insufficient_funds".to_owned())));
    assert_eq!(server.balance("app_wallet").await, before + 4_000);
    // Only the opening balance is in suspense.
    assert_eq!((bank.ledger(LedgerAccountKind::Unbooked), bank.ledger(LedgerAccountKind::Suspense)), (0, 50_000));
    assert_eq!(bank.ledger(LedgerAccountKind::AtBank), -54_000);
    mailbox.bank.verify();
}

#[tokio::test]
async fn an_unauthorized_debit_ends_the_authorization_until_the_payer_gives_another_one() {
    let bank = by_file().await;
    let (server, mailbox) = (bank.server(), &bank.mailbox);
    let ada = payer(server, "10000010").await;
    let made = collect(server, &ada, 2_000, authorized("written")).await.expect(201).body;
    mailbox.send().await;
    mailbox.bank_answers();
    mailbox.fetch().await;
    assert_eq!(mailbox.status(&made).await, ("failed".to_owned(), Some("unauthorized".to_owned())));
    collect(server, &ada, 2_000, authorized("written")).await.refused(409, "user-info-missing");
    // The control: another account of the payer has an authorization of its own.
    add_account(server, &ada, "000123450002", "individual").await;
    collect(server, &ada, 2_000, authorized("written")).await.expect(201);
    add_account(server, &ada, "10000010", "individual").await;
    collect(server, &ada, 2_000, authorized("written")).await.refused(409, "invalid-state");
    let attested = json!({"amount": 2_000, "platform": "ach", "customer_id": ada});
    server.post("/v2/payments").app_key().json(attested).send().await.refused(409, "invalid-state");
    let mut again = authorized("written");
    again["accepted_at"] = json!(server.now().to_string());
    collect(server, &ada, 2_000, again).await.expect(201);
    mailbox.bank.verify();
}

#[tokio::test]
async fn a_payment_in_a_file_needs_its_channel_and_the_first_one_on_the_web_its_validation() {
    let bank = by_file().await;
    let (server, mailbox) = (bank.server(), &bank.mailbox);
    let ada = payer(server, "000123450002").await;
    let mut given = authorized("web");
    given["channel"] = Value::Null;
    let refused = collect(server, &ada, 2_000, given).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/authorization/channel"]);
    let mut unvalidated = authorized("web");
    unvalidated["account_validation"] = Value::Null;
    let waits = collect(server, &ada, 2_000, unvalidated.clone()).await.expect(201).body;
    let until = json!("2026-03-09T12:30:00.000000Z");
    assert_eq!(
        (&waits["status"], &waits["held_until"]),
        (&json!("pending"), &until),
        "a prenote validates the account"
    );
    let made = collect(server, &ada, 2_000, authorized("web")).await.expect(201).body;
    assert_eq!((&made["status"], &made["held_until"]), (&json!("pending"), &Value::Null));
    let waits = collect(server, &ada, 2_000, unvalidated.clone()).await.expect(201).body;
    assert_eq!(waits["held_until"], until, "before the first one has settled");
    mailbox.send().await;
    server.pass(8 * DAY).await;
    let made = collect(server, &ada, 2_000, unvalidated).await.expect(201).body;
    assert_eq!(made["held_until"], Value::Null);

    // A company's account needs neither; a payment that the app attests is a written one.
    add_account(server, &ada, "000123450003", "company").await;
    let body = json!({"accepted_at": "2026-03-02T12:00:00Z", "text": "I agree."});
    collect(server, &ada, 100, body).await.expect(201);
    let user = server.banked_user(1234).await;
    let attested = json!({"amount": 200, "platform": "ach", "user_id": user});
    server.post("/v2/payments").app_key().json(attested).send().await.expect(201);
    let files = mailbox.bank.files().await;
    let class = |sum: i64| files.iter().find(|file| file["debit"] == sum).unwrap()["entry_class"].clone();
    assert_eq!((class(100), class(200)), (json!("CCD"), json!("PPD")));
    mailbox.bank.verify();
}

#[tokio::test]
async fn limits_of_debits_refuse_an_entry_and_hold_a_file_apart_from_credits() {
    let bank = Connected::with(Server::start().await, collecting()).await;
    let server = &bank.server;
    own_account(server, "000123450001").await;
    deposit(server, 100_001).await.refused(409, "limit-exceeded");
    assert!(bank.files().await.is_empty());
    for _ in 0..3 {
        deposit(server, 100_000).await.expect(200);
    }
    bank.pay(1234, 1_000).await;
    // Between the cut-off and the deadline.
    server.pass(27_600).await;
    let files = bank.files().await;
    let shown: Vec<_> = files.iter().map(|file| (&file["must_release"], &file["debit"], &file["credit"])).collect();
    let (held, free) = (json!(true), json!(false));
    assert_eq!(shown, [(&held, &json!(300_000), &json!(0)), (&free, &json!(0), &json!(1_000))]);
    bank.verify();
}

#[tokio::test]
async fn a_class_that_the_originator_may_not_send_is_refused() {
    let bank = Connected::with(Server::start().await, collecting()).await;
    let server = &bank.server;
    let ada = payer(server, "000123450002").await;
    let mut originator = new_originator("", &bank.connection);
    originator["entry_classes"] = json!(["CCD"]);
    bank.reroute(originator).await;
    collect(server, &ada, 2_000, authorized("phone")).await.refused(409, "invalid-state");
    add_account(server, &ada, "000123450003", "company").await;
    collect(server, &ada, 2_000, authorized("phone")).await.expect(201);
    bank.verify();
}

/// The control: without limits for debits the sandbox simulates them, as before.
#[tokio::test]
async fn a_connection_without_limits_for_debits_collects_nothing_and_the_sandbox_simulates() {
    let bank = Connected::in_force(Server::start().await).await;
    let server = &bank.server;
    own_account(server, "000123450001").await;
    let pulled = deposit(server, 1_000).await.expect(200).body;
    assert_eq!(pulled["status"], "created");
    assert!(bank.files().await.is_empty());
    server.work_off().await;
    server.pass(DAY).await;
    assert_eq!(bank.transfer(&pulled).await["status"], "completed");
}

/// Removing the account before the return comes does not restore the authorization.
#[tokio::test]
async fn an_account_that_was_removed_before_its_unauthorized_return_needs_a_new_authorization_too() {
    let bank = by_file().await;
    let (server, mailbox) = (bank.server(), &bank.mailbox);
    let ada = payer(server, "10000010").await;
    let made = collect(server, &ada, 2_000, authorized("written")).await.expect(201).body;
    let path = format!("/v2/payment-customers/{ada}/bank-accounts");
    let accounts = server.get(&path).app_key().send().await.expect(200).body;
    let account = accounts["data"].as_array().or(accounts.as_array()).unwrap()[0]["id"].as_str().unwrap().to_owned();
    server.delete(&format!("{path}/{account}")).app_key().send().await;
    mailbox.send().await;
    mailbox.bank_answers();
    mailbox.fetch().await;
    assert_eq!(mailbox.status(&made).await, ("failed".to_owned(), Some("unauthorized".to_owned())));
    add_account(server, &ada, "10000010", "individual").await;
    collect(server, &ada, 2_000, authorized("written")).await.refused(409, "invalid-state");
    mailbox.bank.verify();
}

/// A member's word is no proof that the bank of a payer has paid. And a bank that gets debits late returns them late.
#[tokio::test]
async fn debits_that_a_member_marks_as_sent_complete_with_the_line_of_the_statement_only() {
    let bank = Connected::with(Server::start().await, collecting()).await;
    let server = &bank.server;
    own_account(server, "000123450001").await;
    let pulled = deposit(server, 1_000).await.expect(200).body;
    // From 10:00 to 17:45, after the cut-off; then two days, to Thursday, after the deadline.
    server.pass(7 * 3_600 + 45 * 60).await;
    server.pass(2 * DAY).await;
    let marked = bank.act(&bank.file().await, "mark-sent", json!({"evidence": "By hand."})).await.expect(200).body;
    assert!(marked["settles"].as_str().unwrap().starts_with("2026-03-11T"), "four banking days later: {marked}");
    server.pass(14 * DAY).await;
    assert_eq!(bank.transfer(&pulled).await["status"], "pending");
    bank.verify();
}

/// A stolen app key must not pull a deposit from a stranger's account.
#[tokio::test]
async fn in_production_an_organization_sets_the_account_that_is_debited() {
    for (server, status) in [(Server::live().await, 403), (Server::start().await, 200)] {
        let account = json!({"account_number": "000123450001", "routing_number": "110000000"});
        let path = format!("/v2/apps/{}/ach-account", server.app_id());
        let set = server.put(&path).app_key().json(account).send().await;
        assert_eq!(set.status, status, "{}", set.text);
    }
}

#[tokio::test]
async fn in_production_debits_need_a_connection_that_collects() {
    for (connection, is_carried) in [(new_connection(""), false), (collecting(), true)] {
        let (connection_id, settlement_account) = (String::new(), String::new());
        let bank = Connected { server: Server::live().await, connection: connection_id, settlement_account };
        own_account(&bank.server, "000123450001").await;
        let tomorrow = bank.server.now().plus_seconds(DAY).date().to_string();
        bank.connect(connection, json!({}), &tomorrow).await;
        bank.server.pass(DAY).await;
        let made = deposit(&bank.server, 1_000).await;
        if is_carried {
            assert_eq!(made.expect(200).body["status"], "pending");
        } else {
            made.refused(409, "rail-not-connected");
        }
    }
}

#[tokio::test]
async fn a_link_by_ach_is_delivered_when_the_debit_has_settled() {
    let bank = by_file().await;
    let (server, mailbox) = (bank.server(), &bank.mailbox);
    own_account(server, "000123450001").await;
    let link = json!({
        "amount": 1_500, "funding_source": "ach", "delivery": {"method": "link"},
        "payee": {"first_name": "Jane", "last_name": "Doe", "email": "jane@example.com"},
    });
    let link = server.post("/v2/payout-links").app_key().json(link).send().await.expect(202).id();
    let status = async || {
        let path = format!("/v2/payout-links/{link}");
        server.get(&path).app_key().send().await.expect(200).body["status"].clone()
    };
    mailbox.send().await;
    server.pass(2 * DAY).await;
    assert_eq!(status().await, "funds_pending");
    server.pass(5 * DAY).await;
    assert_eq!(status().await, "delivered");
    mailbox.bank.verify();
}

#[tokio::test]
async fn corrected_numbers_replace_the_account_of_a_payer() {
    let bank = by_file().await;
    let (server, mailbox) = (bank.server(), &bank.mailbox);
    let ada = payer(server, "30000001").await;
    collect(server, &ada, 2_000, authorized("written")).await.expect(201);
    mailbox.send().await;
    mailbox.bank_answers();
    mailbox.fetch().await;
    let made = collect(server, &ada, 3_000, authorized("written")).await.expect(201).body;
    mailbox.send().await;
    let file = mailbox.bank.files().await.pop().unwrap();
    assert_eq!(read(mailbox, &file)[0].1[0].2, "60000001");
    assert_eq!(mailbox.status(&made).await.0, "pending");
    mailbox.bank.verify();
}

#[tokio::test]
async fn a_refused_file_of_debits_waits_for_a_member_who_cancels_it() {
    let bank = by_file().await;
    let (server, mailbox) = (bank.server(), &bank.mailbox);
    let ada = payer(server, "50000000").await;
    let made = collect(server, &ada, 2_000, authorized("written")).await.expect(201).body;
    mailbox.send().await;
    assert_eq!(mailbox.bank_answers(), ["REJECTED_00001.ach"]);
    mailbox.fetch().await;
    let file = mailbox.bank.file().await;
    assert_eq!((&file["status"], mailbox.status(&made).await.0.as_str()), (&json!("rejected"), "pending"));
    mailbox.bank.act(&file, "cancel", json!({"reason": "The account is refused."})).await.expect(200);
    server.work_off().await;
    assert_eq!(mailbox.status(&made).await, ("failed".to_owned(), Some("rejected_by_rail".to_owned())));
    mailbox.bank.verify();
}

#[tokio::test]
async fn list_return_rates_counts_debits_that_came_back_in_sixty_days() {
    let bank = by_file().await;
    let (server, mailbox) = (bank.server(), &bank.mailbox);
    for account in ["10000010", "10000002", "10000001", "000123450001", "000123450002", "000123450003"] {
        let customer = payer(server, account).await;
        collect(server, &customer, 2_000, authorized("written")).await.expect(201);
    }
    // The control: a payout that comes back is no debit.
    mailbox.pay(1234, "10000010", 1_000).await;
    let rates = async || mailbox.bank.get("/v2/bank/return-rates").await[0].clone();
    assert_eq!((&rates().await["debits"], &rates().await["all"]["status"]), (&json!(0), &json!("normal")));
    mailbox.send().await;
    mailbox.bank_answers();
    mailbox.fetch().await;
    let found = rates().await;
    let rate = |returned: i64, basis_points: i64, limit: i64| {
        json!({
            "returned": returned, "basis_points": basis_points, "limit_basis_points": limit, "status": "above",
        })
    };
    assert_eq!((&found["debits"], &found["company_name"]), (&json!(6), &json!("ACME INC")));
    assert_eq!(found["unauthorized"], rate(1, 1_666, 50));
    assert_eq!(found["administrative"], rate(1, 1_666, 300));
    assert_eq!(found["all"], rate(3, 5_000, 1_500));
    mailbox.bank.verify();
    server.pass(60 * DAY).await;
    assert_eq!(rates().await["debits"], 0);
}
