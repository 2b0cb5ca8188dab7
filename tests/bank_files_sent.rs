//! Payouts in files for a bank: join, cut, release, mark, move, cancel, and the presumed settlement.

use bursar::bank_files::{BankEntry, BankFile, proof};
use bursar::ledger::{LedgerAccount, LedgerAccountKind};
use bursar::money::Cents;
use bursar::payout_methods::PayoutMethod;
use bursar_formats::{Profile, nacha};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::harness::postgres::aside;
use crate::harness::{Desk, Reply, Server};
use crate::samples::{new_account, new_connection, new_originator};

const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;
const FILES: &str = "/v2/bank/files";

/// A server with a route of ach in force, on a Tuesday at 10:00 in New York. The evening's cut-off is at 17:30, the
/// deadline at 18:00, and the settlement on Wednesday at 08:30.
pub struct Bank {
    pub server: Server,
    pub connection: String,
    pub settlement_account: String,
}

impl Bank {
    pub async fn in_force(server: Server) -> Self {
        Self::with(server, new_connection("")).await
    }

    pub async fn with(server: Server, connection: Value) -> Self {
        Self::with_account(server, connection, json!({})).await
    }

    /// As [`Self::with`], with other fields of the settlement account.
    pub async fn with_account(server: Server, connection: Value, fields: Value) -> Self {
        Self::with_parts(server, connection, fields, json!({})).await
    }

    /// As [`Self::with_account`], with other fields of the originator too.
    pub async fn with_parts(server: Server, connection: Value, fields: Value, of_originator: Value) -> Self {
        let bank = Self { server, connection: String::new(), settlement_account: String::new() };
        let (connection, settlement_account) =
            bank.connect_parts(connection, fields, of_originator, "2026-03-03").await;
        bank.server.pass(DAY).await;
        Self { connection, settlement_account, ..bank }
    }

    /// Adds a connection with its parts and routes of the rails of its format; returns its id and that of the account.
    pub async fn connect(&self, connection: Value, fields: Value, from_on: &str) -> (String, String) {
        self.connect_parts(connection, fields, json!({}), from_on).await
    }

    pub async fn connect_parts(
        &self,
        connection: Value,
        fields: Value,
        of_originator: Value,
        from_on: &str,
    ) -> (String, String) {
        let bank = self;
        let rails: &[&str] =
            if connection["format"] == "nacha" { &["ach"] } else { &["bank_transfer", "wire", "rtp", "intl_bank"] };
        let connection = bank.post("/v2/bank/connections", "admin", connection).await.expect(201).id();
        let path = format!("/v2/bank/connections/{connection}");
        bank.post(&format!("{path}/test"), "admin", json!({"evidence": "Accepted."})).await.expect(200);
        let mut originator = new_originator("", &connection);
        for (name, value) in of_originator.as_object().unwrap() {
            originator[name] = value.clone();
        }
        let originator = bank.post("/v2/bank/originators", "admin", originator).await.expect(201).id();
        let mut account = new_account("", &connection, "000123456789");
        for (name, value) in fields.as_object().unwrap() {
            account[name] = value.clone();
        }
        let account = bank.post("/v2/bank/settlement-accounts", "admin", account).await.expect(201).id();
        let parts = [format!("originators/{originator}"), format!("settlement-accounts/{account}")];
        for part in [&[format!("connections/{connection}")], parts.as_slice()].concat() {
            bank.post(&format!("/v2/bank/{part}/approve"), "payer", json!({})).await.expect(200);
        }
        for rail in rails {
            let route = json!({
                "platform": rail, "currency": "USD", "from_on": from_on, "bank_connection_id": connection,
                "originator_id": originator, "settlement_account_id": account,
            });
            let route = bank.post("/v2/bank/routes", "admin", route).await.expect(201).id();
            bank.post(&format!("/v2/bank/routes/{route}/approve"), "payer", json!({})).await.expect(200);
        }
        (connection, account)
    }

    /// Routes ach to another originator of the connection, from the next day on.
    pub async fn reroute(&self, originator: Value) {
        let originator = self.post("/v2/bank/originators", "admin", originator).await.expect(201).id();
        let path = format!("/v2/bank/originators/{originator}/approve");
        self.post(&path, "payer", json!({})).await.expect(200);
        let tomorrow = self.server.now().plus_seconds(DAY).date().to_string();
        let route = json!({
            "platform": "ach", "currency": "USD", "from_on": tomorrow, "bank_connection_id": self.connection,
            "originator_id": originator, "settlement_account_id": self.settlement_account,
        });
        let route = self.post("/v2/bank/routes", "admin", route).await.expect(201).id();
        self.post(&format!("/v2/bank/routes/{route}/approve"), "payer", json!({})).await.expect(200);
        self.server.pass(DAY).await;
    }

    /// Sends a body as the member of a role, named by the organization's key.
    pub async fn post(&self, path: &str, role: &str, mut body: Value) -> Reply {
        body["acting_user_id"] = json!(Desk::of(&self.server).member(role));
        self.server.post(path).as_org().json(body).send().await
    }

    pub async fn act(&self, file: &Value, verb: &str, body: Value) -> Reply {
        self.post(&format!("{FILES}/{}/{verb}", file["id"].as_str().unwrap()), "payer", body).await
    }

    pub async fn get(&self, path: &str) -> Value {
        self.server.get(path).as_org().send().await.expect(200).body
    }

    /// Returns the files, oldest first.
    pub async fn files(&self) -> Vec<Value> {
        let mut files = self.get(&format!("{FILES}?limit=100")).await["data"].as_array().unwrap().clone();
        files.reverse();
        files
    }

    pub async fn file(&self) -> Value {
        let files = self.files().await;
        assert_eq!(files.len(), 1, "{files:?}");
        files[0].clone()
    }

    /// Pays a new user by ach out of the app's wallet; returns the transfer.
    pub async fn pay(&self, line: u32, amount: i64) -> Value {
        let user = self.server.banked_user(line).await;
        self.order(&user, amount).await.expect(201).body
    }

    async fn order(&self, user: &str, amount: i64) -> Reply {
        let order =
            json!({"user_id": user, "amount": amount, "platform": "ach", "fund": true, "payout_fee_party": "platform"});
        self.server.post("/v2/payouts").app_key().json(order).send().await
    }

    pub async fn transfer(&self, transfer: &Value) -> Value {
        let path = format!("/v2/transfers/{}", transfer["id"].as_str().unwrap());
        self.server.get(&path).app_key().send().await.expect(200).body
    }

    pub async fn download(&self, file: &Value) -> Reply {
        let path = format!("{FILES}/{}/content", file["id"].as_str().unwrap());
        self.server.get(&path).as_org().send().await
    }

    /// Asserts the invariants, and that every file's bytes follow from its records.
    pub fn verify(&self) {
        self.server.verify();
        let bursar = self.server.bursar();
        assert_eq!(aside(|| proof::bytes(&bursar.reads, &bursar.vault)).unwrap(), []);
    }
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Asserts that a file pays the first and the third user; returns the ids of its entries.
fn paid_by(text: &str) -> Vec<String> {
    let checked = nacha::check(text.as_bytes(), Profile::Strict);
    assert!(checked.findings.first_error().is_none());
    let read = nacha::read(text.as_bytes(), Profile::Strict).unwrap().0;
    let header = &read.batches[0].header;
    assert_eq!((header.sec.as_str(), header.company_id.as_str()), ("PPD", "1234567890"));
    let lines: Vec<_> = read.batches[0]
        .entries
        .iter()
        .map(|entry| {
            (entry.code.as_str(), entry.amount, entry.routing.as_str(), entry.account.as_str(), entry.trace.to_string())
        })
        .collect();
    assert_eq!(
        lines,
        [
            ("22", 1_000, "110000000", "55501234", "011000010000001".to_owned()),
            ("22", 4_000, "110000000", "55501236", "011000010000003".to_owned()),
        ]
    );
    read.batches[0].entries.iter().map(|entry| entry.individual_id.clone()).collect()
}

#[tokio::test]
async fn list_bank_files_get_bank_file_list_bank_entries_download_bank_file_mark_bank_file_sent() {
    let mut bank = Bank::in_force(Server::start().await).await;
    let before = bank.server.balance("app_wallet").await;
    let paid = [bank.pay(1234, 1_000).await, bank.pay(1235, 2_500).await, bank.pay(1236, 4_000).await];
    for transfer in &paid {
        assert_eq!(transfer["status"], "pending", "the entry joins in the commit of the payout");
    }
    let canceled = bank.server.post(&format!("/v2/transfers/{}/cancel", paid[1]["id"].as_str().unwrap()));
    assert_eq!(canceled.app_key().json(json!({})).send().await.expect(200).body["status"], "canceled");
    let open = bank.file().await;
    assert_eq!((&open["status"], &open["entries"], &open["credit"]), (&json!("open"), &json!(2), &json!(5_000)));
    assert_eq!((&open["cutoff"], &open["effective"]), (&json!("2026-03-03T22:30:00.000000Z"), &json!("2026-03-04")));
    bank.download(&open).await.refused(409, "invalid-state");
    bank.act(&open, "mark-sent", json!({"evidence": "No."})).await.refused(409, "invalid-state");
    bank.server.work_off().await;
    assert_eq!(bank.file().await["status"], "open");
    bank.verify();

    bank.server.restart().await;
    bank.server.pass(7 * HOUR + 1_800).await;
    let sealed = bank.file().await;
    assert_eq!((&sealed["status"], &sealed["name"]), (&json!("sealed"), &json!("ACME_20260303_A.ach")));
    bank.server
        .post(&format!("/v2/transfers/{}/cancel", paid[0]["id"].as_str().unwrap()))
        .app_key()
        .json(json!({}))
        .send()
        .await
        .refused(409, "invalid-state");
    let text = bank.download(&sealed).await.expect(200).text;
    assert_eq!(
        (sealed["sha256"].as_str().unwrap(), &sealed["size"]),
        (hash(text.as_bytes()).as_str(), &json!(text.len()))
    );
    let ids = paid_by(&text);
    let entries = bank.get(&format!("/v2/bank/entries?bank_file_id={}", sealed["id"].as_str().unwrap())).await;
    let of =
        |name: &str| entries["data"].as_array().unwrap().iter().rev().map(|row| row[name].clone()).collect::<Vec<_>>();
    assert_eq!(of("status"), ["joined", "withdrawn", "joined"]);
    assert_eq!(of("individual_id")[0], ids[0]);

    // A later payout joins the next file.
    let later = bank.pay(1237, 700).await;
    assert_eq!(bank.files().await[1]["cutoff"], "2026-03-04T14:45:00.000000Z");
    bank.server.restart().await;
    let sent = bank.act(&sealed, "mark-sent", json!({"evidence": "In the portal, 4711."})).await.expect(200).body;
    assert_eq!((&sent["status"], &sent["evidence"]), (&json!("sent"), &json!("In the portal, 4711.")));
    bank.server.work_off().await;
    assert_eq!(bank.transfer(&paid[0]).await["status"], "pending", "before the settlement");
    bank.server.pass(14 * HOUR + 1_800 + 1_800).await;
    for (transfer, status) in [(&paid[0], "completed"), (&paid[1], "canceled"), (&paid[2], "completed")] {
        assert_eq!(bank.transfer(transfer).await["status"], status);
    }
    let settled = bank.transfer(&paid[0]).await;
    let names: Vec<&Value> =
        settled["transactions"].as_array().unwrap().iter().map(|one| &one["destination_name"]).collect();
    assert!(names.contains(&&json!("Through the bank, not booked")), "{names:?}");
    assert_eq!(bank.server.balance("unbooked").await, 5_000);
    assert_eq!(bank.transfer(&later).await["status"], "pending");
    assert_eq!(bank.server.balance("app_wallet").await, before - 5_000 - 700 - 3 * 25);
    bank.verify();
}

#[tokio::test]
async fn release_bank_file_needs_another_person_than_the_one_who_set_the_limits() {
    let mut connection = new_connection("");
    connection["limits"]["credit"] = json!({"per_entry": 1_000, "per_file": 1_500, "per_day": 1_000_000});
    let bank = Bank::with(Server::memory().await, connection).await;
    let user = bank.server.banked_user(1234).await;
    let above = bank.order(&user, 1_001).await;
    above.refused(409, "limit-exceeded");
    bank.pay(1235, 1_000).await;
    bank.pay(1236, 501).await;
    bank.act(&bank.file().await, "release", json!({})).await.refused(409, "invalid-state");
    bank.server.pass(7 * HOUR + 1_800).await;
    let file = bank.file().await;
    assert_eq!((&file["must_release"], &file["released"]), (&json!(true), &Value::Null));
    bank.download(&file).await.refused(409, "invalid-state");
    bank.act(&file, "mark-sent", json!({"evidence": "Early."})).await.refused(409, "invalid-state");
    let path = format!("{FILES}/{}/release", file["id"].as_str().unwrap());
    bank.post(&path, "admin", json!({})).await.refused(403, "self-approval");
    bank.post(&path, "ap_approver", json!({})).await.refused(403, "not-permitted");
    let released = bank.act(&file, "release", json!({})).await.expect(200).body;
    assert_eq!(released["released_by"], json!(Desk::of(&bank.server).member("payer")));
    assert_eq!(bank.act(&file, "release", json!({})).await.expect(200).body["released"], released["released"]);
    bank.download(&file).await.expect(200);
    bank.act(&file, "mark-sent", json!({"evidence": "Now."})).await.expect(200);
    bank.verify();
}

#[tokio::test]
async fn cancel_bank_file_gives_the_money_back() {
    let bank = Bank::in_force(Server::memory().await).await;
    let before = bank.server.balance("app_wallet").await;
    let paid = [bank.pay(1234, 1_000).await, bank.pay(1235, 2_000).await];
    bank.act(&bank.file().await, "cancel", json!({"reason": "Too early."})).await.refused(409, "invalid-state");
    bank.server.pass(7 * HOUR + 1_800).await;
    let why = json!({"reason": "A mistyped company id."});
    let canceled = bank.act(&bank.file().await, "cancel", why.clone()).await.expect(200).body;
    assert_eq!((&canceled["status"], &canceled["evidence"]), (&json!("canceled"), &why["reason"]));
    bank.server.work_off().await;
    for transfer in &paid {
        assert_eq!(bank.transfer(transfer).await["status"], "failed");
    }
    assert_eq!((bank.server.balance("app_wallet").await, bank.server.balance("clearing").await), (before, 0));
    bank.act(&canceled, "mark-sent", json!({"evidence": "Late."})).await.refused(409, "invalid-state");
    bank.verify();
}

#[tokio::test]
async fn redate_bank_file_gives_a_file_another_window_and_identity() {
    let bank = Bank::in_force(Server::memory().await).await;
    bank.pay(1234, 1_000).await;
    bank.server.pass(7 * HOUR + 1_800).await;
    let sealed = bank.file().await;
    let moved = bank.act(&sealed, "redate", json!({})).await.expect(200).body;
    assert_eq!((&moved["status"], &moved["name"], &moved["sha256"]), (&json!("open"), &Value::Null, &Value::Null));
    assert_eq!(moved["cutoff"], "2026-03-04T22:30:00.000000Z", "not into a window of the same day, which costs more");
    bank.act(&moved, "redate", json!({})).await.refused(409, "invalid-state");
    // Payments of today take the morning's window, and those of tomorrow join the moved file.
    bank.server.pass(17 * HOUR).await;
    bank.pay(1235, 2_000).await;
    bank.server.pass(7 * HOUR).await;
    let again = bank.file().await;
    assert_eq!((&again["status"], &again["entries"]), (&json!("sealed"), &json!(2)));
    assert_eq!((&again["name"], &again["effective"]), (&json!("ACME_20260304_A.ach"), &json!("2026-03-05")));
    assert_ne!(again["sha256"], sealed["sha256"]);
    bank.verify();
}

#[tokio::test]
async fn cancel_bank_file_ends_a_moved_file_before_its_cut_off() {
    let bank = Bank::in_force(Server::memory().await).await;
    let paid = bank.pay(1234, 1_000).await;
    let open = bank.file().await;
    let why = json!({"reason": "The list of payees was wrong."});
    bank.act(&open, "cancel", why.clone()).await.refused(409, "invalid-state");
    bank.server.pass(7 * HOUR + 1_800).await;
    let moved = bank.act(&bank.file().await, "redate", json!({})).await.expect(200).body;
    let canceled = bank.act(&moved, "cancel", why).await.expect(200).body;
    assert_eq!(canceled["status"], "canceled");
    bank.server.pass(DAY).await;
    assert_eq!(bank.transfer(&paid).await["status"], "failed");
    assert_eq!(bank.file().await["status"], "canceled", "its cut-off changes nothing");
    bank.verify();
}

#[tokio::test]
async fn a_paused_connection_cuts_nothing_and_a_missed_window_moves_the_file() {
    let bank = Bank::in_force(Server::memory().await).await;
    let path = format!("/v2/bank/connections/{}", bank.connection);
    bank.post(&format!("{path}/pause"), "payer", json!({"reason": "The bank called."})).await.expect(200);
    let paid = bank.pay(1234, 1_000).await;
    assert_eq!(paid["status"], "pending", "payments continue to join");
    bank.server.pass(7 * HOUR + 1_800).await;
    assert_eq!(bank.file().await["status"], "open");
    bank.server.pass(1_800).await;
    let moved = bank.file().await;
    assert_eq!((&moved["status"], &moved["cutoff"]), (&json!("open"), &json!("2026-03-04T22:30:00.000000Z")));
    bank.post(&format!("{path}/resume"), "admin", json!({})).await.expect(200);
    bank.server.pass(23 * HOUR + 1_800).await;
    assert_eq!(bank.file().await["status"], "sealed");
    bank.verify();
}

#[tokio::test]
async fn an_approved_payout_joins_and_a_window_without_payments_drops_its_file() {
    let bank = Bank::in_force(Server::memory().await).await;
    bank.server.set(json!({"payout_approval_limit": 500})).await;
    let flagged = bank.pay(1234, 1_000).await;
    assert_eq!(flagged["status"], "flagged");
    assert!(bank.files().await.is_empty());
    let path = format!("/v2/transfers/{}", flagged["id"].as_str().unwrap());
    let payer = json!({"acting_user_id": Desk::of(&bank.server).member("payer")});
    let approved = bank
        .server
        .post(&format!("{path}/approve"))
        .as_org()
        .for_app(&bank.server.app_id())
        .json(payer)
        .send()
        .await
        .expect(200)
        .body;
    assert_eq!((&approved["status"], &bank.file().await["entries"]), (&json!("pending"), &json!(1)));
    bank.server.post(&format!("{path}/cancel")).app_key().json(json!({})).send().await.expect(200);
    bank.server.pass(8 * HOUR).await;
    assert_eq!(bank.file().await["status"], "dropped");
    bank.verify();
}

#[tokio::test]
async fn a_balanced_file_debits_the_settlement_account() {
    let mut connection = new_connection("");
    connection["nacha"]["balanced"] = json!(true);
    let bank = Bank::with(Server::memory().await, connection).await;
    bank.pay(1234, 1_000).await;
    bank.pay(1235, 250).await;
    bank.server.pass(8 * HOUR - 1_800).await;
    let text = bank.download(&bank.file().await).await.expect(200).text;
    let read = nacha::read(text.as_bytes(), Profile::Strict).unwrap().0;
    let offset = read.batches[0].entries.last().unwrap();
    let debit = (offset.code.as_str(), offset.amount, offset.account.as_str(), offset.name.as_str());
    assert_eq!(debit, ("27", 1_250, "000123456789", "OFFSET"));
    bank.verify();
}

#[tokio::test]
async fn a_payout_to_a_changed_account_fails_before_the_file_is_written() {
    let bank = Bank::in_force(Server::memory().await).await;
    let (bad, good) = (bank.pay(1234, 1_000).await, bank.pay(1235, 2_000).await);
    let rows = bank.server.rows(<PayoutMethod as bursar::world::Record>::TABLE);
    let routing = <PayoutMethod as bursar::world::Record>::TABLE.position("sealed_details").unwrap();
    let user = <PayoutMethod as bursar::world::Record>::TABLE.position("mask").unwrap();
    let row = rows.into_iter().find(|row| row[user] == bursar::world::Value::Text("1234".to_owned())).unwrap();
    let mut changed = row.clone();
    if let bursar::world::Value::Bytes(bytes) = &mut changed[routing] {
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
    }
    bank.server.tamper(<PayoutMethod as bursar::world::Record>::TABLE, row[..2].into(), Some(changed));
    bank.server.pass(8 * HOUR - 1_800).await;
    assert_eq!(
        (&bank.transfer(&bad).await["status"], &bank.transfer(&good).await["status"]),
        (&json!("failed"), &json!("pending"))
    );
    let file = bank.file().await;
    assert_eq!((&file["status"], &file["entries"], &file["credit"]), (&json!("sealed"), &json!(1), &json!(2_000)));
    bank.download(&file).await.expect(200);
}

#[tokio::test]
async fn an_erasure_removes_the_payee_from_the_entry() {
    let bank = Bank::in_force(Server::memory().await).await;
    let paid = bank.pay(1234, 1_000).await;
    bank.server.pass(8 * HOUR - 1_800).await;
    let file = bank.file().await;
    bank.act(&file, "mark-sent", json!({"evidence": "Sent."})).await.expect(200);
    let user = format!("/v2/users/{}", paid["user_id"].as_str().unwrap());
    bank.server.pass(DAY).await;
    assert_eq!(bank.transfer(&paid).await["status"], "completed");
    bank.server.delete(&user).app_key().send().await.expect(200);
    bank.server.work_off().await;
    assert_eq!(bank.get("/v2/bank/entries").await["data"][0]["name"], Value::Null);
    bank.download(&file).await.refused(409, "invalid-state");
    bank.verify();
}

#[tokio::test]
async fn verify_finds_entries_files_and_unbooked_money_that_disagree() {
    let bank = Bank::in_force(Server::memory().await).await;
    bank.pay(1234, 1_000).await;
    bank.pay(1235, 2_000).await;
    bank.server.pass(8 * HOUR - 1_800).await;
    bank.act(&bank.file().await, "mark-sent", json!({"evidence": "Sent."})).await.expect(200);
    bank.server.pass(DAY).await;
    bank.verify();
    let server = &bank.server;
    let entry = |edit: fn(&mut BankEntry)| server.tampered::<BankEntry>(|_| true, edit);
    let file = |edit: fn(&mut BankFile)| server.tampered::<BankFile>(|_| true, edit);
    for (findings, invariant) in [
        (entry(|entry| entry.amount = Cents::new(1)), 38),
        (entry(|entry| entry.number += 1), 38),
        (entry(|entry| entry.file = bursar::ids::BankFileId(uuid::Uuid::nil())), 38),
        (entry(|entry| entry.status = bursar::bank_files::EntryStatus::Joined), 38),
        (file(|file| file.entries = 1), 38),
        (file(|file| file.credit = Cents::new(1)), 38),
        (file(|file| file.refused = 1), 38),
        (file(|file| file.refused_credit = Cents::new(1)), 38),
        (entry(|entry| entry.status = bursar::bank_files::EntryStatus::Rejected), 39),
        (file(|file| file.sha256 = None), 38),
        (file(|file| file.open_at = Some(file.connection)), 38),
        (
            server.tampered::<LedgerAccount>(
                |account| account.kind == LedgerAccountKind::Unbooked,
                |account| account.settlement_account = None,
            ),
            39,
        ),
    ] {
        assert!(findings.iter().any(|finding| finding.invariant == invariant), "{invariant}: {findings:?}");
    }
}
