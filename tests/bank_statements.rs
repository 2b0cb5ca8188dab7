//! Statements of a bank account: read whole, applied in order, booked line by line, and reconciled.

use bursar::bank_files::BankEntry;
use bursar::bank_intake::{BankItem, BookedAs, ItemKind, ItemStatus};
use bursar::bank_statements::{BankBalance, BankStatement, StatementStatus};
use bursar::bankbox::{self, Account, Grain, StatementFormat};
use bursar::ledger::{LedgerAccount, LedgerAccountKind};
use bursar::money::Cents;
use serde_json::{Value, json};

use crate::bank_intake::Mailbox;
use crate::crash::setting;
use crate::harness::{Reply, Server, bursar};

pub const DAY: i64 = 86_400;
const ITEMS: &str = "/v2/bank/items";

/// A bank that keeps our account. It is Tuesday, 3 March 2026, 10:00 in New York.
pub struct Bank {
    pub mailbox: Mailbox,
}

impl Bank {
    pub async fn open(server: Server, fields: Value, format: StatementFormat, grain: Grain, opening: i64) -> Self {
        let bank = Self { mailbox: Mailbox::with_account(server, fields).await };
        let now = bank.now();
        bank.act(|bank| bank.keep(Account::open("000123456789", format, grain, opening, now)));
        bank
    }

    pub async fn bai2(opening: i64) -> Self {
        Self::open(Server::memory().await, json!({}), StatementFormat::Bai2, Grain::File, opening).await
    }

    pub fn server(&self) -> &Server {
        self.mailbox.server()
    }

    pub fn now(&self) -> i64 {
        self.server().now().micros() / 1_000_000
    }

    pub fn act(&self, act: impl FnOnce(&mut bankbox::Bank)) {
        bankbox::with(self.mailbox.root.path(), act).unwrap();
    }

    pub fn wire(&self, amount: i64, text: &str) {
        let now = self.now();
        self.act(|bank| bank.wire(amount, text, now));
    }

    /// Passes to the next morning at 10:00, and returns the names of the bank's answers.
    pub async fn morning(&self) -> Vec<String> {
        self.server().pass(DAY).await;
        let names = self.mailbox.bank_answers();
        self.fetch().await;
        names
    }

    /// Two polls, without the time that they take.
    pub async fn fetch(&self) {
        self.mailbox.fetch().await;
    }

    pub async fn statements(&self) -> Vec<Value> {
        let path = format!("/v2/bank/statements?settlement_account_id={}", self.mailbox.bank.settlement_account);
        let mut found = self.mailbox.bank.get(&path).await["data"].as_array().unwrap().clone();
        found.reverse();
        found
    }

    /// Returns the days and the states of the statements.
    pub async fn days(&self) -> Vec<(String, String)> {
        let text = |statement: &Value, name: &str| statement[name].as_str().unwrap().to_owned();
        let mut days: Vec<_> =
            self.statements().await.iter().map(|one| (text(one, "date"), text(one, "status"))).collect();
        days.sort();
        days
    }

    pub async fn reference(&self) -> String {
        let all = self.mailbox.bank.get("/v2/bank/deposit-references").await;
        let app = self.server().app_id();
        let of_app = all.as_array().unwrap().iter().find(|one| one["app_id"] == app).unwrap().clone();
        of_app["reference"].as_str().unwrap().to_owned()
    }

    pub async fn reconciliation(&self) -> Value {
        let account = &self.mailbox.bank.settlement_account;
        self.mailbox.bank.get(&format!("/v2/bank/reconciliation?settlement_account_id={account}")).await
    }

    pub async fn suspense(&self) -> Vec<Value> {
        self.mailbox.items("status=unmatched&kind=line").await
    }

    pub async fn item(&self, item: &Value, verb: &str, role: &str, body: Value) -> Reply {
        let path = format!("{ITEMS}/{}/{verb}", item["id"].as_str().unwrap());
        self.mailbox.bank.post(&path, role, body).await
    }

    /// Returns the sum of the ledger accounts of a type, of all parts of the ledger.
    pub fn ledger(&self, kind: LedgerAccountKind) -> i64 {
        let mut sum = 0;
        let of_kind = |account: &LedgerAccount| {
            if account.kind == kind {
                sum += account.balance.get();
            }
            Ok(())
        };
        self.server().bursar().reads.snapshot(|snapshot| snapshot.each::<LedgerAccount>(of_kind)).unwrap();
        sum
    }

    /// Writes a file into the bank's folder, and lets the server read it.
    pub async fn give(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.mailbox.answer(name), bytes).unwrap();
        self.fetch().await;
    }

    pub fn take(&self, name: &str) -> Vec<u8> {
        let path = self.mailbox.answer(name);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        bytes
    }
}

/// The number of the account.
pub const NUMBER: &str = "000123456789";

/// Type code, cents and text.
type Lines<'a> = &'a [(u16, i64, &'a str)];

/// Writes a BAI2 file of a day: the accounts with their opening balances and lines, of which code 4xx and 6xx are debits.
pub fn bai2(day: &str, accounts: &[(&str, i64, Lines<'_>)]) -> Vec<u8> {
    let mut text = format!("01,BANK,ACME,{day},0600,1,,,2/\n02,ACME,BANK,1,{day},,USD,2/\n");
    let (mut sum, mut records) = (0, 0);
    for (number, opening, lines) in accounts {
        let credit = |code: u16| if matches!(code, 400..500 | 600..700) { -1 } else { 1 };
        let closing = opening + lines.iter().map(|(code, amount, _)| credit(*code) * amount).sum::<i64>();
        let total = opening + closing + lines.iter().map(|(_, amount, _)| amount).sum::<i64>();
        text += &format!("03,{number},,010,{opening},,,015,{closing},,/\n");
        for (code, amount, words) in *lines {
            text += &format!("16,{code},{amount},Z,,,{words}\n");
        }
        text += &format!("49,{total},{}/\n", lines.len() + 2);
        (sum, records) = (sum + total, records + lines.len() + 2);
    }
    text += &format!("98,{sum},{},{}/\n99,{sum},1,{}/\n", accounts.len(), records + 2, records + 4);
    text.into_bytes()
}

pub fn applied(days: &[&str]) -> Vec<(String, String)> {
    days.iter().map(|day| ((*day).to_owned(), "applied".to_owned())).collect()
}

/// Runs `bursar bank reconcile` against a server; returns its exit code and its output.
pub async fn reconcile(server: &Server, arguments: &[&str]) -> (Option<i32>, String) {
    let address = server.listen().await;
    let keys = server.credentials()["organization"].clone();
    let arguments: Vec<String> = ["bank", "reconcile"].iter().chain(arguments).map(|one| (*one).to_owned()).collect();
    let run = move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut command = bursar(&arguments);
        command.args(["--base-url", &format!("http://{address}"), "--client-id", keys["client_id"].as_str().unwrap()]);
        command.args(["--api-key", keys["api_key"].as_str().unwrap()]);
        command.output().unwrap()
    };
    let output = tokio::task::spawn_blocking(run).await.unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

/// A wire with the app's reference, payouts by ach, a return, fees and interest, until the ledger equals the bank.
async fn story(format: StatementFormat, grain: Grain) {
    let fields = json!({
        "statement_kind": if format == StatementFormat::Bai2 { "bai2" } else { "camt053" },
        "booking_grain": if grain == Grain::File { "file" } else { "entry" },
    });
    let bank = Bank::open(Server::start().await, fields, format, grain, 0).await;
    let before = bank.server().balance("app_wallet").await;
    let reference = bank.reference().await;
    bank.wire(500_000, &format!("WIRE FROM ACME {} /INV 4", reference.to_lowercase()));
    let mut paid = Vec::new();
    for (line, account) in (0..).zip(["10000002", "20000001", "55501234", "55501235"]) {
        paid.push(bank.mailbox.pay(2_000 + line, account, 1_000 + i64::from(line)).await.1);
    }
    bank.mailbox.send().await;
    assert_eq!(bank.mailbox.bank_answers(), ["RETURNS_00001.ach"]);
    bank.fetch().await;
    assert_eq!(bank.mailbox.status(&paid[0]).await.0, "failed");

    // The statement of Tuesday has the wire and the credit of the return; that of Wednesday the debit of the file.
    let mut names = bank.morning().await;
    assert_eq!(names.len(), 1, "{names:?}");
    assert_eq!(bank.days().await, applied(&["2026-03-03"]));
    let tuesday = bank.statements().await[0].clone();
    assert_eq!((&tuesday["credits"], &tuesday["closing"]), (&json!(2), &json!(501_000)));
    let paid_out = 1_001 + 1_002 + 1_003;
    assert_eq!(bank.server().balance("app_wallet").await, before + 500_000 - paid_out - 3 * 25);
    assert_eq!(bank.ledger(LedgerAccountKind::AtBank), -501_000);
    let lines = bank.mailbox.items("kind=line&status=applied").await;
    let deposit = lines.iter().find(|line| line["booked_as"] == "deposit").unwrap();
    let deposit = bank.mailbox.bank.transfer(&json!({"id": deposit["transfer_id"]})).await;
    assert_eq!(
        (&deposit["type"], &deposit["amount"], &deposit["status"]),
        (&json!("refill"), &json!("500000"), &json!("completed"))
    );
    bank.server().verify();
    names = bank.morning().await;
    assert_eq!(names.len(), 1, "{names:?}");
    let wednesday = bank.statements().await[1].clone();
    assert_eq!((&wednesday["debit"], &wednesday["closing"]), (&json!(1_000 + paid_out), &json!(500_000 - paid_out)));
    assert_eq!((bank.ledger(LedgerAccountKind::Unbooked), bank.ledger(LedgerAccountKind::Suspense)), (0, 0));

    // The late return is reported on Friday, three days after the file.
    let now = bank.now();
    bank.act(|bank| bank.fee(300, now));
    bank.act(|bank| bank.interest(20, now));
    assert_eq!(bank.morning().await.len(), 2, "the returns and the statement of Thursday");
    assert_eq!(bank.mailbox.status(&paid[1]).await.0, "reversed");
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), -1_001, "the bank owes the returned payment");
    assert_eq!(bank.ledger(LedgerAccountKind::BankCosts), -280);
    bank.server().pass(2 * DAY).await;
    assert_eq!(bank.morning().await.len(), 1, "the statement of Friday, on Monday");
    let found = bank.reconciliation().await;
    assert_eq!((&found["difference"], &found["balanced"]), (&json!(0), &json!(true)), "{found}");
    assert_eq!(found["closing"], 500_000 - paid_out - 280 + 1_001);
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), 0);
    bank.mailbox.bank.verify();

    let (code, text) = reconcile(bank.server(), &[]).await;
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("2026-03-06") && text.contains("difference 0.00"), "{text}");
    let (code, text) = reconcile(bank.server(), &["--on", "2026-03-04"]).await;
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("bank 4969.94, ledger 4969.94"), "{text}");
}

#[tokio::test]
async fn from_a_wire_to_payouts_and_returns_the_ledger_equals_the_bank_by_bai2() {
    story(StatementFormat::Bai2, Grain::File).await;
}

#[tokio::test]
async fn from_a_wire_to_payouts_and_returns_the_ledger_equals_the_bank_by_camt053_entry_by_entry() {
    story(StatementFormat::Camt053, Grain::Entry).await;
}

#[tokio::test]
async fn list_bank_statements_get_bank_statement_discard_bank_statement_a_gap_waits_and_a_contradiction_is_refused() {
    let bank = Bank::bai2(10_000).await;
    bank.morning().await;
    bank.wire(700, "NO REFERENCE");
    bank.server().pass(DAY).await;
    bank.mailbox.bank_answers();
    let wednesday = bank.take("STATEMENT_20260304.bai");
    bank.morning().await;
    let waiting = [("2026-03-03".to_owned(), "applied".to_owned()), ("2026-03-05".to_owned(), "waiting".to_owned())];
    assert_eq!(bank.days().await, waiting);
    let thursday = bank.statements().await[1].clone();
    assert_eq!(thursday["reason"], "missing_before");
    let found = bank.reconciliation().await;
    assert_eq!((&found["missing"], &found["balanced"]), (&json!(["2026-03-04", "2026-03-05"]), &json!(false)));
    let (code, text) = reconcile(bank.server(), &[]).await;
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("missing: the statement of 2026-03-04"), "{text}");
    // The missing one comes, and both are applied.
    bank.give("LATE.bai", &wednesday).await;
    assert_eq!(bank.days().await, applied(&["2026-03-03", "2026-03-04", "2026-03-05"]));
    let shown = bank.mailbox.bank.get(&format!("/v2/bank/statements/{}", thursday["id"].as_str().unwrap())).await;
    assert_eq!((&shown["lines"], &shown["position"]), (&json!([]), &json!(3)), "a statement without lines counts");
    let nothing = format!("/v2/bank/statements/{}", uuid::Uuid::nil());
    bank.server().get(&nothing).as_org().send().await.refused(404, "not-found");

    // A second version of a day, and one whose opening balance is another.
    let text = String::from_utf8(wednesday).unwrap();
    bank.give("AGAIN.bai", text.replace("NO REFERENCE", "ANOTHER TEXT").as_bytes()).await;
    let again = bank.mailbox.inbound().await.pop().unwrap();
    assert_eq!((&again["status"], &again["findings"][0]["rule"]), (&json!("quarantined"), &json!("statement.again")));
    bank.server().pass(DAY).await;
    bank.mailbox.bank_answers();
    let friday = String::from_utf8(bank.take("STATEMENT_20260306.bai")).unwrap();
    let other = friday.replace("010,10700", "010,10701").replace("015,10700", "015,10701").replace("21400", "21402");
    assert_ne!(friday, other);
    bank.give("OTHER.bai", other.as_bytes()).await;
    let refused = bank.statements().await.pop().unwrap();
    assert_eq!((&refused["status"], &refused["reason"]), (&json!("quarantined"), &json!("other_opening")));
    bank.give("FRIDAY.bai", friday.as_bytes()).await;
    let again = bank.mailbox.inbound().await.pop().unwrap();
    assert_eq!(again["findings"][0]["rule"], "statement.again", "until a member decides");
    let path = format!("/v2/bank/statements/{}/discard", refused["id"].as_str().unwrap());
    let why = json!({"reason": "J. Doe: a wrong balance."});
    bank.mailbox.bank.post(&path, "ap_approver", why.clone()).await.refused(403, "not-permitted");
    let discarded = bank.mailbox.bank.post(&path, "payer", why.clone()).await.expect(200).body;
    assert_eq!((&discarded["status"], &discarded["evidence"]), (&json!("discarded"), &why["reason"]));
    bank.mailbox.bank.post(&path, "payer", why).await.refused(409, "invalid-state");
    let replay = format!("/v2/bank/inbound-files/{}/replay", again["id"].as_str().unwrap());
    bank.mailbox.bank.post(&replay, "payer", json!({})).await.expect(200);
    bank.server().work_off().await;
    assert_eq!(bank.statements().await.pop().unwrap()["status"], "applied");
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn confirm_bank_statement_lets_a_bank_omit_days_without_lines() {
    let bank = Bank::bai2(10_000).await;
    bank.morning().await;
    bank.server().pass(DAY).await;
    bank.mailbox.bank_answers();
    bank.take("STATEMENT_20260304.bai");
    bank.wire(700, "NO REFERENCE");
    bank.morning().await;
    let waiting = bank.statements().await.pop().unwrap();
    assert_eq!((&waiting["status"], &waiting["reason"]), (&json!("waiting"), &json!("missing_before")));
    let path = |statement: &Value| format!("/v2/bank/statements/{}/confirm", statement["id"].as_str().unwrap());
    let known = json!({"evidence": "J. Doe: none for 4 March."});
    bank.mailbox.bank.post(&path(&waiting), "ap_approver", known.clone()).await.refused(403, "not-permitted");
    let confirmed = bank.mailbox.bank.post(&path(&waiting), "payer", known.clone()).await.expect(200).body;
    assert!(confirmed["confirmed_by"].is_string());
    bank.server().work_off().await;
    assert_eq!(bank.days().await, applied(&["2026-03-03", "2026-03-05"]));
    bank.mailbox.bank.post(&path(&waiting), "payer", known.clone()).await.refused(409, "invalid-state");
    // The balances show that a statement with lines is missing: no member can confirm that it is not.
    bank.wire(300, "ALSO UNKNOWN");
    bank.server().pass(3 * DAY).await;
    bank.mailbox.bank_answers();
    bank.take("STATEMENT_20260306.bai");
    bank.morning().await;
    let next = bank.statements().await.pop().unwrap();
    assert_eq!((&next["date"], &next["status"]), (&json!("2026-03-09"), &json!("waiting")));
    bank.mailbox.bank.post(&path(&next), "payer", known).await.refused(409, "invalid-state");
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn a_statement_that_is_wrong_or_of_an_unknown_account_is_quarantined_whole() {
    let bank = Bank::bai2(10_000).await;
    bank.wire(700, "NO REFERENCE");
    bank.server().pass(DAY).await;
    bank.mailbox.bank_answers();
    let good = String::from_utf8(bank.take("STATEMENT_20260303.bai")).unwrap();
    let totals = good.replace("015,10700", "015,10701").replace("22100", "22101");
    let currency = good.replace(",USD", ",EUR");
    for (name, text, rule) in [
        ("SUM.bai", totals, "bai2.balance"),
        ("ACCOUNT.bai", good.replace("000123456789", "000123456788"), "statement.account"),
        ("CURRENCY.bai", currency, "statement.currency"),
        ("COUNT.bai", good.replace("100,700,1", "100,700,2"), "statement.count"),
        ("DELETED.bai", good.replace("BANK,1,26", "BANK,2,26"), "statement.status"),
    ] {
        assert_ne!(text, good, "{name}");
        bank.give(name, text.as_bytes()).await;
        let file = bank.mailbox.inbound().await.pop().unwrap();
        let finding = &file["findings"][0];
        assert_eq!((&file["status"], &finding["rule"]), (&json!("quarantined"), &json!(rule)), "{name}: {file}");
        assert!(finding["advice"].as_str().unwrap().ends_with('.'), "{finding}");
    }
    // A report within the day is information.
    bank.give("INTRADAY.bai", good.replace("USD,2/", "USD,3/").as_bytes()).await;
    let file = bank.mailbox.inbound().await.pop().unwrap();
    assert_eq!((&file["status"], &file["items"]), (&json!("applied"), &json!(0)));
    assert_eq!((bank.statements().await.len(), bank.ledger(LedgerAccountKind::AtBank)), (0, 0));
    let account = &bank.mailbox.bank.settlement_account;
    let path = format!("/v2/bank/reconciliation?settlement_account_id={account}");
    bank.server().get(&path).as_org().send().await.refused(404, "not-found");
    bank.give("GOOD.bai", good.as_bytes()).await;
    assert_eq!(bank.days().await, applied(&["2026-03-03"]));
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn a_file_that_the_bank_refuses_after_its_debit_is_credited_by_a_later_line() {
    let bank = Bank::bai2(0).await;
    let before = bank.server().balance("app_wallet").await;
    let paid = [bank.mailbox.pay(2_000, "55501234", 5_000).await.1, bank.mailbox.pay(2_001, "55501235", 6_000).await.1];
    let sent = bank.mailbox.send().await;
    bank.mailbox.bank_answers();
    bank.morning().await;
    bank.morning().await;
    assert_eq!((bank.ledger(LedgerAccountKind::Unbooked), bank.ledger(LedgerAccountKind::AtBank)), (0, 11_000));
    // The operator refuses the file on Thursday.
    let path = bank.mailbox.root.path().join(bankbox::OUTBOUND).join(sent["name"].as_str().unwrap());
    let file = std::fs::read_to_string(path).unwrap().replace("55501234 ", "50000000 ");
    let mut operator = bankbox::Bank::default();
    operator.take(file.as_bytes(), bank.now()).unwrap();
    bank.give("REJECTED.ach", &operator.answer(bank.now())[0].bytes).await;
    for transfer in &paid {
        assert_eq!(bank.mailbox.status(transfer).await.0, "reversed");
    }
    assert_eq!(bank.mailbox.bank.file().await["status"], "canceled");
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), -11_000, "the bank owes the money");
    assert_eq!(bank.reconciliation().await["unbooked"].as_array().unwrap().len(), 2);
    bank.mailbox.bank.verify();
    bank.wire(11_000, "REFUND");
    bank.server().pass(DAY).await;
    bank.mailbox.bank_answers();
    let thursday = String::from_utf8(bank.take("STATEMENT_20260305.bai")).unwrap();
    bank.give("THURSDAY.bai", thursday.replace("16,195,", "16,168,").as_bytes()).await;
    assert_eq!((bank.ledger(LedgerAccountKind::Unbooked), bank.ledger(LedgerAccountKind::Suspense)), (0, 0));
    assert_eq!(
        (bank.ledger(LedgerAccountKind::AtBank), bank.reconciliation().await["balanced"].clone()),
        (0, json!(true))
    );
    assert_eq!(bank.server().balance("app_wallet").await, before - 2 * 25, "the fees are earned");
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn get_bank_reconciliation_list_deposit_references_and_verify_find_money_that_is_not_at_the_bank() {
    let bank = Bank::bai2(10_000).await;
    bank.mailbox.pay(2_000, "55501234", 1_000).await;
    bank.mailbox.send().await;
    bank.mailbox.bank_answers();
    bank.morning().await;
    let found = bank.reconciliation().await;
    let file = bank.mailbox.bank.file().await;
    assert_eq!(found["unbooked"][0]["bank_file_id"], file["id"], "{found}");
    assert_eq!((&found["unbooked"][0]["amount"], &found["unbooked"][0]["overdue"]), (&json!(-1_000), &json!(false)));
    bank.morning().await;
    bank.wire(400, "UNKNOWN");
    bank.morning().await;
    bank.mailbox.bank.verify();
    let server = bank.server();
    let statement =
        |edit: fn(&mut BankStatement)| server.tampered::<BankStatement>(|one| one.position == Some(2), edit);
    let item = |choose: fn(&BankItem) -> bool, edit: fn(&mut BankItem)| server.tampered::<BankItem>(choose, edit);
    let is_booked: fn(&BankItem) -> bool = |item| item.booked_as == Some(BookedAs::Payments);
    let is_open: fn(&BankItem) -> bool = |item| item.suspense.is_some() && item.kind == ItemKind::Line;
    let ledger = |kind: LedgerAccountKind| {
        server.tampered::<LedgerAccount>(
            |account| account.kind == kind,
            |account| account.balance = account.balance.plus(Cents::new(1)).unwrap(),
        )
    };
    for (findings, invariant) in [
        (ledger(LedgerAccountKind::AtBank), 41),
        (statement(|statement| statement.closing = Cents::new(1)), 44),
        (item(is_booked, |item| item.amount = Cents::new(-1)), 42),
        (item(is_booked, |item| item.booked_as = Some(BookedAs::Costs)), 42),
        (
            server.tampered::<BankEntry>(
                |_| true,
                |entry| entry.credit_line = Some(bursar::ids::BankItemId(uuid::Uuid::nil())),
            ),
            42,
        ),
        (ledger(LedgerAccountKind::Suspense), 43),
        (item(is_open, |item| item.suspense = None), 43),
        (item(is_open, |item| item.status = ItemStatus::Waiting), 44),
        (statement(|statement| statement.position = Some(4)), 44),
        (statement(|statement| statement.status = StatementStatus::Waiting), 44),
        (statement(|statement| statement.lines = 7), 44),
        (server.tampered::<BankBalance>(|_| true, |balance| balance.closing = Cents::new(1)), 44),
    ] {
        assert!(findings.iter().any(|finding| finding.invariant == invariant), "{invariant}: {findings:?}");
    }
}

#[tokio::test]
async fn a_statement_of_a_saturday_is_applied_after_it_came_late() {
    let bank = Bank::bai2(0).await;
    bank.server().pass(7 * DAY).await;
    bank.give("FRIDAY.bai", &bai2("260306", &[(NUMBER, 10_000, &[])])).await;
    bank.give("MONDAY.bai", &bai2("260309", &[(NUMBER, 10_700, &[])])).await;
    let monday = bank.statements().await.pop().unwrap();
    assert_eq!((&monday["status"], &monday["reason"]), (&json!("waiting"), &json!("missing_before")));
    bank.give("SATURDAY.bai", &bai2("260307", &[(NUMBER, 10_000, &[(195, 700, "WIRE")])])).await;
    assert_eq!(bank.days().await, applied(&["2026-03-06", "2026-03-07", "2026-03-09"]));
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn a_statement_of_the_future_or_with_an_impossible_amount_is_quarantined() {
    let bank = Bank::bai2(0).await;
    let newest = async || bank.mailbox.inbound().await.pop().unwrap();
    bank.give("LARGE.bai", &bai2("260303", &[(NUMBER, 100_000_000_000_001, &[])])).await;
    assert_eq!(newest().await["findings"][0]["rule"], "statement.amount");
    bank.give("TOMORROW.bai", &bai2("260304", &[(NUMBER, 10_000, &[])])).await;
    let tomorrow = newest().await;
    assert_eq!(
        (&tomorrow["status"], &tomorrow["findings"][0]["rule"]),
        (&json!("quarantined"), &json!("statement.future"))
    );
    bank.give("TODAY.bai", &bai2("260303", &[(NUMBER, 100_000_000_000_000, &[(469, 99_999_999_990_000, "")])])).await;
    bank.server().pass(DAY).await;
    let replay = format!("/v2/bank/inbound-files/{}/replay", tomorrow["id"].as_str().unwrap());
    bank.mailbox.bank.post(&replay, "payer", json!({})).await.expect(200);
    bank.server().work_off().await;
    assert_eq!(bank.days().await, applied(&["2026-03-03", "2026-03-04"]));
    bank.mailbox.bank.verify();
}

/// A statement is applied in one commit, because the ledger equals its closing balance.
#[tokio::test]
async fn a_statement_with_many_lines_is_applied_whole() {
    let many = setting("BURSAR_STATEMENT_LINES", 6_000);
    let bank = Bank::bai2(0).await;
    let lines: Vec<(u16, i64, &str)> = (0..many).map(|line| (195, 1 + i64::try_from(line).unwrap(), "")).collect();
    let begun = std::time::Instant::now();
    bank.give("MANY.bai", &bai2("260303", &[(NUMBER, 0, &lines)])).await;
    println!("{many} lines applied in {:.1} s", begun.elapsed().as_secs_f64());
    assert_eq!(bank.days().await, applied(&["2026-03-03"]));
    let sum = i64::try_from(many * (many + 1) / 2).unwrap();
    assert_eq!(bank.ledger(LedgerAccountKind::Suspense), sum);
    let found = bank.reconciliation().await;
    assert_eq!((&found["difference"], &found["lines"][0]["in_suspense"]), (&json!(0), &json!(sum)));
    let (_, text) = reconcile(bank.server(), &[]).await;
    assert!(text.contains(" of it in suspense"), "{text}");
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn statements_of_unknown_accounts_are_left_out_and_numbers_that_fit_twice_are_refused() {
    let bank = Bank::bai2(0).await;
    let newest = async || bank.mailbox.inbound().await.pop().unwrap();
    bank.give("BOTH.bai", &bai2("260303", &[("777", 5, &[]), (NUMBER, 10_000, &[])])).await;
    let file = newest().await;
    assert_eq!((&file["status"], &file["findings"][0]["severity"]), (&json!("applied"), &json!("warning")), "{file}");
    assert_eq!(file["findings"][0]["rule"], "statement.account");
    assert_eq!(bank.days().await, applied(&["2026-03-03"]));
    // Another account with the same digits, but for the zeros before them.
    let accounts = "/v2/bank/settlement-accounts";
    let other = crate::samples::new_account("", &bank.mailbox.bank.connection, "0123456789");
    let other = bank.mailbox.bank.post(accounts, "admin", other).await.expect(201).id();
    bank.mailbox.bank.post(&format!("{accounts}/{other}/approve"), "payer", json!({})).await.expect(200);
    bank.server().pass(DAY).await;
    bank.give("SHORT.bai", &bai2("260304", &[("123456789", 10_000, &[])])).await;
    assert_eq!(newest().await["findings"][0]["rule"], "statement.accounts");
    bank.give("WHOLE.bai", &bai2("260304", &[(NUMBER, 10_000, &[]), ("0123456789", 7, &[])])).await;
    assert_eq!(newest().await["status"], "applied");
    assert_eq!(bank.days().await, applied(&["2026-03-03", "2026-03-04"]));
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn an_account_with_money_is_not_taken_out_of_use_and_an_ended_one_takes_no_statement() {
    let bank = Bank::bai2(0).await;
    let account = bank.mailbox.bank.settlement_account.clone();
    let end = format!("/v2/bank/settlement-accounts/{account}/end");
    let refused = async |text: &str| {
        let refused = bank.mailbox.bank.post(&end, "admin", json!({})).await;
        refused.refused(409, "invalid-state");
        assert!(refused.body["message"].as_str().unwrap().contains(text), "{}", refused.body);
    };
    bank.mailbox.pay(2_000, "55501234", 5_000).await;
    bank.mailbox.send().await;
    refused("a route that is in force").await;
    let route = bank.mailbox.bank.get("/v2/bank/routes").await["data"][0]["id"].as_str().unwrap().to_owned();
    bank.mailbox.bank.post(&format!("/v2/bank/routes/{route}/end"), "admin", json!({})).await.expect(200);
    refused("payments may still come back").await;
    let (code, text) = reconcile(bank.server(), &[]).await;
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains(&account) && text.contains("is applied yet"), "{text}");
    bank.server().pass(62 * DAY).await;
    refused("files that the bank has not debited").await;
    bank.give("FIRST.bai", &bai2("260303", &[(NUMBER, 10_000, &[(447, 5_000, "ACH")])])).await;
    let opening = bank.mailbox.items("kind=opening_balance").await.pop().unwrap();
    let ours = json!({"booked_as": "organization", "evidence": "Ours."});
    bank.item(&opening, "assign", "payer", ours).await.expect(200);
    bank.item(&opening, "approve", "admin", json!({"version": 2})).await.expect(200);
    refused("a balance of $50.00").await;
    let lines: &[(u16, i64, &str)] = &[(469, 4_900, "PAID BY CHECK"), (698, 100, "FEE")];
    bank.give("SECOND.bai", &bai2("260304", &[(NUMBER, 5_000, lines)])).await;
    refused("lines in suspense").await;
    let check = bank.suspense().await.pop().unwrap();
    let ours = json!({"booked_as": "organization", "evidence": "Ours."});
    bank.item(&check, "assign", "payer", ours).await.expect(200);
    bank.item(&check, "approve", "admin", json!({"version": 2})).await.expect(200);
    bank.mailbox.bank.post(&end, "admin", json!({})).await.expect(200);
    let newest = async || bank.mailbox.inbound().await.pop().unwrap()["findings"][0]["rule"].clone();
    bank.give("EMPTY.bai", &bai2("260305", &[(NUMBER, 0, &[])])).await;
    assert_eq!(newest().await, "statement.account", "as that of an unknown account");
    bank.give("MONEY.bai", &bai2("260305", &[(NUMBER, 0, &[(195, 5, "WIRE")])])).await;
    assert_eq!(newest().await, "statement.not-approved");
    assert_eq!(bank.days().await, applied(&["2026-03-03", "2026-03-04"]));
    bank.mailbox.bank.verify();
}
