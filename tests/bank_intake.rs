//! Returns, changes and rejections of a bank: fetched from a folder, read whole, and applied once.

use std::path::{Path, PathBuf};

use bursar::bank_files::BankEntry;
use bursar::bank_intake::{BankItem, InboundFile, InboundStatus, ItemReason};
use bursar::bankbox;
use bursar::ids::BankFileId;
use bursar::jobs::{self, Lease, Work};
use bursar_formats::{Profile, nacha};
use serde_json::{Value, json};

use crate::bank_files_sent::Bank;
use crate::harness::{Server, bursar};
use crate::samples::new_connection;

const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;
const INBOUND: &str = "/v2/bank/inbound-files";

/// A bank in a folder, with our connection to it.
pub struct Mailbox {
    pub bank: Bank,
    pub root: tempfile::TempDir,
}

impl Mailbox {
    pub async fn open(server: Server) -> Self {
        Self::with_account(server, json!({})).await
    }

    /// As [`Self::open`], with other fields of the settlement account.
    pub async fn with_account(server: Server, fields: Value) -> Self {
        Self::with(server, new_connection(""), fields).await
    }

    /// As [`Self::with_account`], with another connection.
    pub async fn with(server: Server, connection: Value, fields: Value) -> Self {
        Self::with_parts(server, connection, fields, json!({})).await
    }

    /// As [`Self::with`], with other fields of the originator too.
    pub async fn with_parts(mut server: Server, mut connection: Value, fields: Value, of_originator: Value) -> Self {
        let root = tempfile::tempdir().unwrap();
        bankbox::tick(root.path(), 0).unwrap();
        let org = server.credentials()["organization"]["id"].as_str().unwrap().to_owned();
        let (to, from) = (root.path().join(bankbox::OUTBOUND), root.path().join(bankbox::INBOUND));
        let table = format!(
            "[first-bank]\norganization = '{org}'\nfolder = '{}'\ninbound-folder = '{}'\n",
            to.display(),
            from.display()
        );
        server.restart_with_transports(&table).await;
        connection["transport"] = json!("first-bank");
        Self { bank: Bank::with_parts(server, connection, fields, of_originator).await, root }
    }

    pub fn server(&self) -> &Server {
        &self.bank.server
    }

    /// Lets the bank take our files and answer; returns the names of its answers.
    pub fn bank_answers(&self) -> Vec<String> {
        bankbox::tick(self.root.path(), self.server().now().micros() / 1_000_000).unwrap()
    }

    pub fn answer(&self, name: &str) -> PathBuf {
        self.root.path().join(bankbox::INBOUND).join(name)
    }

    /// Polls twice: a file is read when two polls agree.
    pub async fn fetch(&self) {
        self.server().pass(900).await;
        self.server().pass(60).await;
    }

    /// Pays a new user with an account; returns the user and the transfer.
    pub async fn pay(&self, line: u32, account: &str, amount: i64) -> (String, Value) {
        let user = self.server().verified_user(line).await;
        let method = json!({"platform": "ach", "routing_number": "110000000", "account_number": account});
        self.server().payout_method(&user, method).await;
        let transfer = self.order(&user, amount).await;
        (user, transfer)
    }

    pub async fn order(&self, user: &str, amount: i64) -> Value {
        let order =
            json!({"user_id": user, "amount": amount, "platform": "ach", "fund": true, "payout_fee_party": "platform"});
        self.server().post("/v2/payouts").app_key().json(order).send().await.expect(201).body
    }

    /// Waits for the cut-off of the newest file, after which the file is at the bank.
    pub async fn send(&self) -> Value {
        for _ in 0..400 {
            let file = self.bank.files().await.pop().unwrap();
            if file["status"] == "sent" {
                return file;
            }
            self.server().pass(900).await;
        }
        panic!("the newest file is not sent: {:?}", self.bank.files().await);
    }

    /// Returns the names of the events of a transfer, oldest first.
    async fn events(&self, transfer: &Value) -> Vec<String> {
        let path = format!("/v2/events?limit=100&object_id={}", transfer["id"].as_str().unwrap());
        let events = self.server().get(&path).app_key().send().await.expect(200).body;
        let name = |event: &Value| event["name"].as_str().unwrap().to_owned();
        let mut events: Vec<(i64, String)> = events["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| (event["sequence"].as_i64().unwrap(), name(event)))
            .collect();
        events.sort();
        events.into_iter().map(|(_, name)| name).collect()
    }

    pub async fn status(&self, transfer: &Value) -> (String, Option<String>) {
        let transfer = self.bank.transfer(transfer).await;
        (transfer["status"].as_str().unwrap().to_owned(), transfer["error"].as_str().map(str::to_owned))
    }

    /// Returns the files of the bank, oldest first.
    pub async fn inbound(&self) -> Vec<Value> {
        let mut files = self.bank.get(INBOUND).await["data"].as_array().unwrap().clone();
        files.reverse();
        files
    }

    pub async fn items(&self, query: &str) -> Vec<Value> {
        self.bank.get(&format!("/v2/bank/items?limit=100&{query}")).await["data"].as_array().unwrap().clone()
    }

    /// Runs the due poll alone, as a process that ends right after it.
    async fn poll_only(&self) {
        let bursar = self.server().bursar();
        let now = bursar.clock.now();
        let due = bursar.read(move |world| jobs::due(world, now, 10)).await.unwrap();
        let poll = due.iter().find(|job| matches!(job.work.0, Work::PollBank { .. })).expect("a poll is due");
        let leased = bursar.engine.run(poll.org, Lease { org: poll.org, id: poll.id }).await.unwrap().unwrap();
        assert!(bursar::worker::do_job(bursar, leased).await);
    }
}

fn failed(code: &str) -> (String, Option<String>) {
    ("failed".to_owned(), Some(code.to_owned()))
}

fn reversed(code: &str) -> (String, Option<String>) {
    ("reversed".to_owned(), Some(code.to_owned()))
}

fn completed() -> (String, Option<String>) {
    ("completed".to_owned(), None)
}

#[tokio::test]
async fn thirty_payouts_with_returns_changes_and_a_rejected_file() {
    let mut mailbox = Mailbox::open(Server::start().await).await;
    let before = mailbox.server().balance("app_wallet").await;
    let magic = ["10000002", "10000003", "20000001", "30000001", "30000003"];
    let mut paid = Vec::new();
    for line in 0..30_u32 {
        let ordinary = format!("5550{}", 2_000 + line);
        let account = magic.get(line as usize).map_or(ordinary.as_str(), |account| account);
        paid.push(mailbox.pay(2_000 + line, account, 1_000 + i64::from(line)).await);
    }
    mailbox.send().await;
    assert_eq!(mailbox.bank_answers(), ["RETURNS_00001.ach"]);

    // The process ends between the fetch and the reading.
    mailbox.server().pass(900).await;
    mailbox.server().advance(60);
    mailbox.poll_only().await;
    assert_eq!(mailbox.inbound().await[0]["status"], "stored");
    assert_eq!(mailbox.status(&paid[0].1).await.0, "pending");
    mailbox.bank.server.restart().await;
    mailbox.server().work_off().await;
    let applied = mailbox.inbound().await[0].clone();
    assert_eq!(
        (&applied["status"], &applied["items"], &applied["unmatched"]),
        (&json!("applied"), &json!(4), &json!(0))
    );
    assert_eq!(mailbox.status(&paid[0].1).await, failed("account_closed"));
    assert_eq!(mailbox.status(&paid[1].1).await, failed("no_account"));
    mailbox.bank.verify();

    // The same bytes under another name, and after a restart under the same one, are not applied again.
    std::fs::copy(mailbox.answer("RETURNS_00001.ach"), mailbox.answer("AGAIN.ach")).unwrap();
    mailbox.bank.server.restart().await;
    mailbox.fetch().await;
    let files = mailbox.inbound().await;
    let statuses: Vec<&Value> = files.iter().map(|file| &file["status"]).collect();
    assert_eq!((statuses, &files[1]["duplicate_of"]), (vec![&json!("applied"), &json!("duplicate")], &files[0]["id"]));
    assert_eq!(mailbox.items("").await.len(), 4);

    // The presumed settlement, and a return after it.
    mailbox.server().pass(15 * HOUR).await;
    let wanted: Vec<_> = paid.iter().map(|(_, transfer)| transfer).collect();
    for transfer in &wanted[2..] {
        assert_eq!(mailbox.status(transfer).await, completed());
    }
    let sum = |from: usize| (from..30).map(|line| 1_000 + i64::try_from(line).unwrap()).sum::<i64>();
    assert_eq!(mailbox.server().balance("unbooked").await, sum(2));
    mailbox.server().pass(3 * DAY).await;
    assert_eq!(mailbox.bank_answers(), ["RETURNS_00002.ach"]);
    mailbox.fetch().await;
    assert_eq!(mailbox.status(wanted[2]).await, reversed("insufficient_funds"));
    assert_eq!(mailbox.server().balance("unbooked").await, sum(3));
    // The fees of payouts that failed go back; those of the returned one are earned.
    assert_eq!(mailbox.server().balance("app_wallet").await, before - sum(3) - 28 * 25);
    assert_eq!(mailbox.bank.files().await[0]["returned"], 3);

    next_file_is_refused(&mailbox, &paid[3..5]).await;
    assert_eq!(mailbox.server().balance("app_wallet").await, before - sum(3) - 28 * 25);
    assert_eq!(mailbox.events(wanted[0]).await.last().unwrap(), "transfer.failed");
    let returned = mailbox.events(wanted[2]).await;
    assert_eq!(returned[returned.len() - 2..], ["transfer.completed", "transfer.updated"]);
    mailbox.bank.verify();
}

/// Pays the payees with other numbers again, in a file that the bank refuses.
async fn next_file_is_refused(mailbox: &Mailbox, changed: &[(String, Value)]) {
    // The next payout to a changed account uses the new numbers.
    for ((user, _), account) in changed.iter().zip(["60000001", "60000003"]) {
        let next = mailbox.order(user, 500).await;
        assert_eq!(next["status"], "pending", "{account}");
    }
    let (_, refused) = mailbox.pay(2_100, "50000000", 900).await;
    let second = mailbox.send().await;
    let outbound = mailbox.root.path().join(bankbox::OUTBOUND);
    let bytes = std::fs::read(outbound.join(second["name"].as_str().unwrap())).unwrap();
    let accounts = accounts(&bytes);
    assert_eq!(accounts, [("110000000", "60000001"), ("021000021", "60000003"), ("110000000", "50000000")].map(owned));

    // The bank refuses that file: its payments wait for a member, who cancels it.
    assert_eq!(mailbox.bank_answers(), ["REJECTED_00003.ach"]);
    mailbox.fetch().await;
    let rejected = mailbox.bank.files().await[1].clone();
    assert_eq!((&rejected["status"], mailbox.status(&refused).await.0.as_str()), (&json!("rejected"), "pending"));
    mailbox.server().pass(2 * DAY).await;
    assert_eq!(mailbox.status(&refused).await.0, "pending", "a rejected file is never presumed settled");
    mailbox.bank.act(&rejected, "cancel", json!({"reason": "A wrong company id."})).await.expect(200);
    mailbox.server().work_off().await;
    assert_eq!(mailbox.status(&refused).await, failed("rejected_by_rail"));
    assert_eq!(mailbox.server().balance("clearing").await, 0);
}

fn owned(account: (&str, &str)) -> (String, String) {
    (account.0.to_owned(), account.1.to_owned())
}

/// Returns the routing and account numbers of a payment file.
fn accounts(bytes: &[u8]) -> Vec<(String, String)> {
    let file = nacha::read(bytes, Profile::Strict).unwrap().0;
    file.batches[0].entries.iter().map(|entry| (entry.routing.clone(), entry.account.clone())).collect()
}

#[tokio::test]
async fn list_inbound_files_get_inbound_file_list_bank_items_show_why_a_file_is_in_quarantine() {
    let mailbox = Mailbox::open(Server::memory().await).await;
    let (_, paid) = mailbox.pay(2_000, "10000002", 1_000).await;
    mailbox.send().await;
    mailbox.bank_answers();
    // The return is complete, and the sum of the file is wrong: nothing of it is applied.
    let path = mailbox.answer("RETURNS_00001.ach");
    let good = std::fs::read_to_string(&path).unwrap();
    let control = good.lines().rfind(|line| line.starts_with('9') && !line.starts_with("99")).unwrap();
    std::fs::write(&path, good.replace(control, &control.replace("000000001000", "000000001001"))).unwrap();
    mailbox.fetch().await;
    let file = mailbox.inbound().await[0].clone();
    assert_eq!((&file["status"], &file["name"]), (&json!("quarantined"), &json!("RETURNS_00001.ach")));
    let finding = &file["findings"][0];
    assert_eq!((&finding["severity"], &finding["rule"]), (&json!("error"), &json!("nacha.file-credits")));
    assert!(finding["line"].as_u64() > Some(0) && finding["column"].as_u64() > Some(0), "{finding}");
    assert!(finding["message"].is_string() && finding["advice"].as_str().unwrap().ends_with('.'));
    assert_eq!((mailbox.status(&paid).await.0.as_str(), mailbox.items("").await.len()), ("pending", 0));
    let one = mailbox.bank.get(&format!("{INBOUND}/{}", file["id"].as_str().unwrap())).await;
    assert_eq!(one, file);
    let nothing = format!("{INBOUND}/{}", uuid::Uuid::nil());
    mailbox.server().get(&nothing).as_org().send().await.refused(404, "not-found");
    // The bank corrects the file under the same name: other bytes are another file.
    std::fs::write(&path, &good).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(100);
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
    mailbox.fetch().await;
    assert_eq!(mailbox.status(&paid).await, failed("account_closed"));
    let items = mailbox.items("kind=return&status=applied").await;
    assert_eq!((items.len(), &items[0]["code"], &items[0]["transfer_id"]), (1, &json!("R02"), &paid["id"]));
    assert_eq!(mailbox.bank.get(&format!("{INBOUND}?status=quarantined")).await["data"].as_array().unwrap().len(), 1);
    mailbox.bank.verify();
}

#[tokio::test]
async fn reports_that_match_no_payment_wait_for_a_member() {
    let mailbox = Mailbox::open(Server::memory().await).await;
    let (_, twice) = mailbox.pay(2_000, "40000001", 1_000).await;
    let (_, amount) = mailbox.pay(2_001, "40000002", 2_000).await;
    let (_, trace) = mailbox.pay(2_002, "40000003", 3_000).await;
    let (_, name) = mailbox.pay(2_003, "30000004", 4_000).await;
    mailbox.send().await;
    mailbox.bank_answers();
    mailbox.fetch().await;
    assert_eq!(mailbox.status(&twice).await, failed("account_closed"));
    let reasons = || async {
        let items = mailbox.items("status=unmatched").await;
        let mut reasons: Vec<String> = items.iter().map(|item| item["reason"].as_str().unwrap().to_owned()).collect();
        reasons.sort();
        reasons
    };
    assert_eq!(reasons().await, ["not_a_correction", "other_amount", "unknown_trace"]);
    mailbox.server().pass(2 * DAY).await;
    for transfer in [&amount, &trace, &name] {
        assert_eq!(mailbox.status(transfer).await, completed());
    }
    assert_eq!(mailbox.bank_answers(), ["RETURNS_00002.ach"]);
    mailbox.fetch().await;
    assert_eq!(reasons().await, ["already_returned", "not_a_correction", "other_amount", "unknown_trace"]);
    assert_eq!(mailbox.status(&twice).await, failed("account_closed"));
    mailbox.bank.verify();
}

#[tokio::test]
async fn a_correction_reaches_payments_that_are_not_written_yet() {
    let mailbox = Mailbox::open(Server::memory().await).await;
    let (user, _) = mailbox.pay(2_000, "30000006", 1_000).await;
    mailbox.send().await;
    let second = mailbox.order(&user, 700).await;
    mailbox.bank_answers();
    mailbox.fetch().await;
    let file = mailbox.send().await;
    let path = mailbox.root.path().join(bankbox::OUTBOUND).join(file["name"].as_str().unwrap());
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(accounts(&bytes), [owned(("110000000", "60000006"))]);
    let entry = nacha::read(&bytes, Profile::Strict).unwrap().0.batches[0].entries[0].clone();
    assert_eq!(entry.code, "32", "the bank says that it is a savings account");
    assert_eq!(mailbox.status(&second).await.0, "pending");
    mailbox.bank.verify();
}

#[tokio::test]
async fn a_correction_reaches_a_written_file_when_it_is_written_again() {
    let mailbox = Mailbox::open(Server::memory().await).await;
    let (user, _) = mailbox.pay(2_000, "30000001", 1_000).await;
    mailbox.send().await;
    // The bank refuses a second file with a payment to the same account, before the correction arrives.
    let second = mailbox.order(&user, 700).await;
    mailbox.pay(2_001, "50000000", 900).await;
    let refused = mailbox.send().await;
    mailbox.bank_answers();
    mailbox.fetch().await;
    let refused = mailbox.bank.get(&format!("/v2/bank/files/{}", refused["id"].as_str().unwrap())).await;
    assert_eq!(refused["status"], "rejected");
    let sent = |file: &Value| mailbox.root.path().join(bankbox::OUTBOUND).join(file["name"].as_str().unwrap());
    let accounts_of = |file: &Value| accounts(&std::fs::read(sent(file)).unwrap());
    assert_eq!(accounts_of(&refused), [owned(("110000000", "30000001")), owned(("110000000", "50000000"))]);
    mailbox.bank.verify();

    mailbox.bank.act(&refused, "redate", json!({})).await.expect(200);
    mailbox.bank.verify();
    let again = mailbox.send().await;
    assert_eq!(again["id"], refused["id"]);
    assert_eq!(accounts_of(&again), [owned(("110000000", "60000001")), owned(("110000000", "50000000"))]);
    mailbox.server().pass(DAY).await;
    assert_eq!(mailbox.status(&second).await, completed());
    mailbox.bank.verify();
    // A payment that stays with the old account is found.
    let left = |entry: &mut BankEntry| entry.corrected_in = Some(BankFileId(uuid::Uuid::nil()));
    let findings = mailbox.server().tampered::<BankEntry>(|_| true, left);
    assert!(findings.iter().any(|finding| finding.invariant == 66), "{findings:?}");
}

#[tokio::test]
async fn a_rejection_after_the_presumed_settlement_takes_every_payment_back() {
    let mailbox = Mailbox::open(Server::memory().await).await;
    let before = mailbox.server().balance("app_wallet").await;
    let (_, one) = mailbox.pay(2_000, "50000000", 1_000).await;
    let (_, other) = mailbox.pay(2_001, "55501234", 2_000).await;
    mailbox.send().await;
    mailbox.server().pass(DAY).await;
    assert_eq!(mailbox.status(&one).await, completed());
    assert_eq!(mailbox.bank_answers(), ["REJECTED_00001.ach"]);
    mailbox.fetch().await;
    for transfer in [&one, &other] {
        assert_eq!(mailbox.status(transfer).await, reversed("rejected_by_rail"));
    }
    assert_eq!(mailbox.bank.file().await["status"], "canceled");
    assert_eq!(mailbox.server().balance("unbooked").await, 0);
    assert_eq!(mailbox.server().balance("app_wallet").await, before - 2 * 25, "the fees are earned");
    mailbox.bank.verify();
}

#[tokio::test]
async fn a_rejected_file_moves_into_another_window() {
    let mailbox = Mailbox::open(Server::memory().await).await;
    let (_, paid) = mailbox.pay(2_000, "50000000", 1_000).await;
    mailbox.send().await;
    let first = mailbox.bank.file().await;
    mailbox.bank_answers();
    mailbox.fetch().await;
    let moved = mailbox.bank.act(&mailbox.bank.file().await, "redate", json!({})).await.expect(200).body;
    assert_eq!((&moved["status"], &moved["sent"]), (&json!("open"), &Value::Null));
    let again = mailbox.send().await;
    assert_ne!((&again["name"], &again["sha256"]), (&first["name"], &first["sha256"]));
    mailbox.server().pass(DAY).await;
    assert_eq!(mailbox.status(&paid).await, completed());
    mailbox.bank.verify();
}

#[tokio::test]
async fn verify_finds_reports_that_were_applied_twice_or_in_part() {
    let mailbox = Mailbox::open(Server::memory().await).await;
    mailbox.pay(2_000, "10000002", 1_000).await;
    mailbox.pay(2_001, "40000002", 2_000).await;
    mailbox.send().await;
    mailbox.bank_answers();
    std::fs::write(mailbox.answer("OTHER.ach"), "no file of a bank").unwrap();
    mailbox.fetch().await;
    mailbox.bank.verify();
    let server = mailbox.server();
    let file = |edit: fn(&mut InboundFile)| server.tampered::<InboundFile>(|file| file.items > 0, edit);
    let item = |edit: fn(&mut BankItem)| server.tampered::<BankItem>(|item| item.reason.is_none(), edit);
    for findings in [
        file(|file| file.items = 1),
        file(|file| file.unmatched = 0),
        file(|file| (file.status, file.reports_read) = (InboundStatus::Stored, 0)),
        file(|file| file.status = InboundStatus::Quarantined),
        server.tampered::<BankItem>(|item| item.trace.is_some(), |item| item.line = 3),
        item(|item| item.inbound_file = bursar::ids::InboundFileId(uuid::Uuid::nil())),
        item(|item| item.amount = bursar::money::Cents::new(1)),
        item(|item| item.transfer = None),
        item(|item| item.reason = Some(ItemReason::OtherAmount)),
    ] {
        assert!(findings.iter().any(|finding| finding.invariant == 40), "{findings:?}");
    }
}

#[test]
fn the_simulated_bank_answers_once_and_with_the_same_bytes() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/ach-corpus/golden/payment.ach");
    let text = std::fs::read_to_string(file).unwrap();
    let magic = text.replace("000123456789     ", "10000002         ");
    assert_ne!(text, magic);
    let answered = || {
        let mut bank = bankbox::Bank::default();
        bank.take(magic.as_bytes(), 1_790_000_000).unwrap();
        bank.take(magic.as_bytes(), 1_790_000_100).unwrap();
        let answers = bank.answer(1_790_000_200);
        assert_eq!(bank.answer(1_790_000_300), []);
        answers
    };
    let answers = answered();
    assert_eq!(answers, answered());
    assert_eq!(answers.len(), 1);
    let judged = nacha::check(&answers[0].bytes, Profile::Incoming);
    assert!(judged.findings.first_error().is_none(), "{:?}", judged.findings.first_error());
    assert!(bankbox::Bank::default().take(b"101 nothing", 0).is_err());
}

#[tokio::test]
async fn match_bank_item_approve_bank_item_ignore_bank_item_need_two_members_where_money_moves() {
    let mailbox = Mailbox::open(Server::memory().await).await;
    let (_, lost) = mailbox.pay(2_000, "40000003", 1_000).await;
    let (_, other) = mailbox.pay(2_001, "40000002", 2_000).await;
    mailbox.send().await;
    mailbox.bank_answers();
    mailbox.fetch().await;
    let bank = &mailbox.bank;
    let find = |items: &[Value], reason: &str| {
        let found = items.iter().find(|item| item["reason"] == reason).unwrap();
        format!("/v2/bank/items/{}", found["id"].as_str().unwrap())
    };
    let items = mailbox.items("status=unmatched").await;
    let (unknown, amount) = (find(&items, "unknown_trace"), find(&items, "other_amount"));
    let known = |transfer: &Value| json!({"transfer_id": transfer["id"], "evidence": "By phone with J. Doe."});
    let refused = bank.post(&format!("{unknown}/match"), "payer", known(&other)).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/transfer_id"]);
    bank.post(&format!("{unknown}/approve"), "admin", json!({"version": 1})).await.refused(409, "invalid-state");
    bank.post(&format!("{unknown}/match"), "ap_approver", known(&lost)).await.refused(403, "not-permitted");
    let matched = bank.post(&format!("{unknown}/match"), "payer", known(&lost)).await.expect(200).body;
    assert_eq!((&matched["status"], &matched["transfer_id"]), (&json!("matched"), &lost["id"]));
    assert_eq!(mailbox.status(&lost).await.0, "pending", "nothing moves before the second member");
    let seen = json!({"version": 2});
    bank.post(&format!("{unknown}/approve"), "payer", seen.clone()).await.refused(403, "self-approval");
    let approved = bank.post(&format!("{unknown}/approve"), "admin", seen).await.expect(200).body;
    assert_eq!(approved["status"], "applied");
    assert_eq!(mailbox.status(&lost).await, failed("account_closed"));
    bank.post(&format!("{unknown}/approve"), "admin", json!({"version": 3})).await.refused(409, "invalid-state");
    bank.post(&format!("{unknown}/ignore"), "admin", json!({"reason": "No."})).await.refused(409, "invalid-state");

    let reason = json!({"reason": "The bank sends a correct return tomorrow."});
    let ignored = bank.post(&format!("{amount}/ignore"), "payer", reason.clone()).await.expect(200).body;
    assert_eq!((&ignored["status"], &ignored["evidence"]), (&json!("ignored"), &reason["reason"]));
    bank.post(&format!("{amount}/match"), "payer", known(&other)).await.refused(409, "invalid-state");
    assert_eq!(mailbox.status(&other).await.0, "pending");
    bank.verify();
}

#[tokio::test]
async fn replay_inbound_file_discard_inbound_file_apply_nothing_of_a_damaged_file() {
    let mailbox = Mailbox::open(Server::memory().await).await;
    std::fs::write(mailbox.answer("OTHER.ach"), "no file of a bank").unwrap();
    mailbox.fetch().await;
    let file = mailbox.inbound().await[0].clone();
    let path = format!("{INBOUND}/{}", file["id"].as_str().unwrap());
    assert_eq!((&file["status"], &file["findings"][0]["rule"]), (&json!("quarantined"), &json!("intake.format")));
    let replayed = mailbox.bank.post(&format!("{path}/replay"), "payer", json!({})).await.expect(200).body;
    assert_eq!(replayed["status"], "stored");
    mailbox.server().work_off().await;
    assert_eq!(mailbox.bank.get(&path).await["status"], "quarantined");
    let reason = json!({"reason": "A readme of the bank."});
    mailbox.bank.post(&format!("{path}/discard"), "ap_approver", reason.clone()).await.refused(403, "not-permitted");
    let discarded = mailbox.bank.post(&format!("{path}/discard"), "payer", reason.clone()).await.expect(200).body;
    assert_eq!((&discarded["status"], &discarded["evidence"]), (&json!("discarded"), &reason["reason"]));
    mailbox.bank.post(&format!("{path}/replay"), "payer", json!({})).await.refused(409, "invalid-state");
    mailbox.bank.verify();
}

#[test]
fn bank_serve_answers_the_files_of_a_folder_once() {
    let root = tempfile::tempdir().unwrap();
    let serve = || {
        let folder = root.path().to_str().unwrap();
        let output = bursar(&["bank", "serve", "--dir", folder, "--once"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(serve(), "", "the folders are new");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/ach-corpus/golden/payment.ach");
    let text = std::fs::read_to_string(file).unwrap().replace("000123456789     ", "10000002         ");
    let outbound = root.path().join(bankbox::OUTBOUND);
    std::fs::write(outbound.join("ACME.ach"), text).unwrap();
    std::fs::write(outbound.join("BAD.ach"), "101 nothing").unwrap();
    std::fs::write(outbound.join("NEXT.ach.part"), "101").unwrap();
    assert_eq!(serve(), "REFUSED_BAD.ach.txt\nRETURNS_00001.ach\n");
    assert_eq!(serve(), "");
    let answer = std::fs::read(root.path().join(bankbox::INBOUND).join("RETURNS_00001.ach")).unwrap();
    let returned = nacha::read(&answer, Profile::Incoming).unwrap().0;
    assert_eq!(returned.batches[0].entries[0].account, "10000002");
}
