//! Concurrent approvals, changes and payments of the same bills, over real connections to the real program: no bill is
//! paid twice or at another amount than was approved, and no member approves a bill that they submitted.
//!
//! `BURSAR_PAYABLE_RACES` makes it longer: a thousand races are the acceptance run (`make payables-races`). The checks
//! afterwards read the event log, the ledger and the rail's own records, not the payables; and the checker must find
//! the errors in broken ones.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use bursar::events::{self, EventName};
use bursar::ledger::{LedgerAccount, LedgerAccountKind, Transaction};
use bursar::rails::sandbox::RailItem;
use bursar::store::{Reads, Sqlite};
use bursar::transfers::{Transfer, TransferKind, TransferStatus};
use futures::StreamExt as _;
use futures::future::join_all;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::crash::setting;
use crate::harness::{Process, bursar};

/// Bills that are raced at once; each by some twenty requests.
const AT_ONCE: usize = 4;
/// The accounts of vendors: one is good, one is closed, one returns the money.
const ACCOUNTS: [&str; 3] = ["000123456789", "10000002", "20000003"];

/// The members of the demonstration organization, with a connection for every request.
struct Office {
    address: String,
    token: String,
    members: HashMap<String, String>,
}

impl Office {
    fn open(process: &Process, data: &Path) -> Self {
        let file = std::fs::read_to_string(data.join("sandbox-credentials.json")).unwrap();
        let credentials: Value = serde_json::from_str(&file).unwrap();
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        let app = &credentials["app"];
        let members = credentials["members"].as_array().unwrap().iter();
        Self {
            address: process.address.clone(),
            token: BASE64_STANDARD.encode(format!("{}:{}", word(&app["client_id"]), word(&app["api_key"]))),
            members: members.map(|member| (word(&member["role"]), word(&member["id"]))).collect(),
        }
    }

    async fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let body = body.to_string();
        let request = format!(
            "{method} /v2/{path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Basic {}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.token,
            body.len()
        );
        let mut stream = TcpStream::connect(&self.address).await.expect("it listens");
        stream.write_all(request.as_bytes()).await.expect("it reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).await.expect("it answers in text");
        let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap_or_default())
    }

    async fn done(&self, method: &str, path: &str, body: Value) -> Value {
        let (status, answer) = self.ask(method, path, &body).await;
        assert!(status < 300, "{path}: {answer}");
        answer
    }

    async fn vendor(&self, account_number: &str) -> String {
        let address =
            json!({"line_1": "1 Main St", "city": "New York", "state": "NY", "postcode": "10001", "country": "US"});
        let vendor = self.done("POST", "accounts-payable/vendors", json!({"name": "Mill", "address": address})).await;
        let vendor = vendor["id"].as_str().unwrap().to_owned();
        let account = json!({"name": "Mill", "account_number": account_number, "routing_number": "110000000"});
        self.done("POST", &format!("accounts-payable/vendors/{vendor}/payment-methods"), account).await;
        vendor
    }

    async fn bill(&self, vendor: &str, number: usize) -> String {
        let amount = 1_000 + number;
        let body = json!({
            "acting_user_id": self.members["ap_creator"], "number": number.to_string(), "amount": amount,
            "ap_vendor_id": vendor,
        });
        let bill = self.done("POST", "accounts-payable/payables", body).await;
        bill["id"].as_str().unwrap().to_owned()
    }

    /// Sends every possible act on a bill at once. Returns the error codes of the refusals.
    async fn race(&self, bill: &str, round: usize) -> Vec<String> {
        let path = format!("accounts-payable/payables/{bill}");
        let acts = [
            ("submit-for-approval", "ap_creator"),
            ("approve", "admin"),
            ("pay", "payer"),
            ("submit-for-approval", "admin"),
            ("approve", "ap_approver"),
            ("approve", "ap_approver"),
            ("pay", "admin"),
            ("approve", "admin"),
            ("pay", "payer"),
            ("approve", "viewer"),
            ("pay", "payer"),
        ];
        let act = |(verb, role): (&'static str, &'static str)| {
            let path = format!("{path}/{verb}");
            let body = json!({"acting_user_id": self.members[role]});
            async move { self.ask("POST", &path, &body).await }
        };
        let patch = |amount: usize| {
            let body = json!({"acting_user_id": self.members["ap_creator"], "amount": amount});
            let path = path.clone();
            async move { self.ask("PATCH", &path, &body).await }
        };
        // Each round begins at another act, so that all orders occur.
        let turned = acts.iter().cycle().skip(round % acts.len()).take(acts.len()).copied();
        let rejects = (round % 3 == 1).then_some(("reject", "ap_approver"));
        let (acted, patched) = tokio::join!(
            join_all(turned.chain(rejects).map(act)),
            join_all((0..3).map(|turn| patch(2_000 + round * 10 + turn)))
        );
        let answers = acted.into_iter().chain(patched);
        answers.filter_map(|(_, answer)| answer["error_code"].as_str().map(str::to_owned)).collect()
    }
}

/// The program's records outside of the payables.
#[derive(Clone, Default)]
struct Books {
    /// The objects in each payable's events, oldest first.
    reported: HashMap<String, Vec<Value>>,
    /// Transfers to vendors, by their ids.
    transfers: HashMap<String, Transfer>,
    /// The items of the rail, by transfers' ids.
    rail: HashMap<String, RailItem>,
    /// The cents that left the ledger and did not return, by transfers' ids.
    left: HashMap<String, i64>,
}

impl Books {
    fn open(data: &Path) -> Self {
        let reads = Reads::Sqlite(Sqlite::read_only(&data.join("bursar.sqlite")).unwrap());
        let mut books = Self::default();
        reads
            .snapshot(|snapshot| {
                events::each(snapshot, |event| {
                    if event.name == EventName::PayableUpdated {
                        let object = serde_json::from_str(&event.object).unwrap();
                        books.reported.entry(event.object_id.to_string()).or_default().push(object);
                    }
                    Ok(())
                })?;
                snapshot.each::<Transfer>(|transfer| {
                    if transfer.kind == TransferKind::Payable {
                        books.transfers.insert(transfer.id.to_string(), transfer.clone());
                    }
                    Ok(())
                })?;
                snapshot.each::<RailItem>(|item| {
                    books.rail.insert(item.transfer.to_string(), item.clone());
                    Ok(())
                })?;
                let mut outside = Vec::new();
                snapshot.each::<LedgerAccount>(|account| {
                    outside.extend((account.kind == LedgerAccountKind::External).then_some(account.id));
                    Ok(())
                })?;
                snapshot.each::<Transaction>(|transaction| {
                    let Some(transfer) = transaction.transfer else { return Ok(()) };
                    let left = books.left.entry(transfer.to_string()).or_default();
                    *left += if outside.contains(&transaction.destination) { transaction.amount.get() } else { 0 };
                    *left -= if outside.contains(&transaction.source) { transaction.amount.get() } else { 0 };
                    Ok(())
                })
            })
            .unwrap();
        books
    }

    /// Returns every error as a sentence.
    fn wrong(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut known = Vec::new();
        for (payable, reported) in &self.reported {
            let attempts = follow(reported, &mut |what| wrong.push(format!("{payable}: {what}")));
            self.check_payments(payable, &attempts, &mut wrong);
            known.extend(attempts.into_iter().map(|(transfer, _)| transfer));
        }
        let strangers = self.transfers.keys().filter(|transfer| !known.contains(transfer));
        wrong.extend(strangers.map(|transfer| format!("{transfer} belongs to no payable")));
        wrong
    }

    /// Checks the attempts to pay one bill: transfers of the approved amount.
    fn check_payments(&self, payable: &str, attempts: &[(String, i64)], wrong: &mut Vec<String>) {
        let (mut under_way_or_paid, mut left) = (0, 0);
        for (transfer, approved) in attempts {
            let Some(found) = self.transfers.get(transfer) else {
                wrong.push(format!("{payable}: {transfer} is not there"));
                continue;
            };
            let gone = matches!(found.status, TransferStatus::Failed | TransferStatus::Reversed);
            under_way_or_paid += usize::from(!gone);
            let moved = self.left.get(transfer).copied().unwrap_or(0);
            left += moved;
            let item = self.rail.get(transfer).map(|item| item.amount.get());
            if found.amount.get() != *approved || item.is_some_and(|amount| amount != *approved) {
                wrong.push(format!("{payable}: {approved} were approved, {transfer} carries {found:?} {item:?}"));
            }
            if moved != 0 && (gone || moved != *approved) {
                wrong.push(format!("{payable}: {moved} left of {approved} that were approved"));
            }
        }
        let most = attempts.iter().map(|(_, approved)| *approved).max().unwrap_or(0);
        if under_way_or_paid > 1 || left > most {
            wrong.push(format!("{payable}: is paid more than once: {attempts:?}"));
        }
    }
}

/// Follows a payable through its events. Returns its attempts to pay, each with the amount that was approved for it.
fn follow(reported: &[Value], wrong: &mut impl FnMut(String)) -> Vec<(String, i64)> {
    let (mut submitted, mut submitter, mut before) = (None, Value::Null, "");
    let mut attempts = Vec::new();
    for object in reported {
        let status = object["status"].as_str().unwrap();
        let amount = object["amount"].as_i64().unwrap();
        let act = object["action_history"].as_array().unwrap().last().unwrap();
        match (before, status) {
            ("created", "submitted_for_approval") => {
                submitted = Some(amount);
                submitter = act["user_id"].clone();
            }
            ("submitted_for_approval", "approved") => {
                if act["action"] != "approve" || act["user_id"] == submitter {
                    wrong(format!("approved by {act}, submitted by {submitter}"));
                }
            }
            ("approved" | "payment_failed", "payment_initiated") => {
                let transfer = object["transfer_id"].as_str().unwrap().to_owned();
                if attempts.iter().any(|(known, _)| *known == transfer) {
                    wrong(format!("{transfer} was begun twice"));
                }
                attempts.push((transfer, submitted.unwrap_or(0)));
            }
            ("submitted_for_approval" | "payment_failed", "rejected") => submitted = None,
            ("", "created")
            | ("created" | "rejected", "created")
            | ("payment_initiated", "payment_completed" | "payment_failed")
            | ("payment_completed", "payment_failed") => {}
            (before, status) => wrong(format!("went from {before} to {status}")),
        }
        if submitted.is_some_and(|submitted| submitted != amount) && status != "created" {
            wrong(format!("{submitted:?} were submitted, it is {status} with {amount}"));
        }
        before = status;
    }
    attempts
}

/// Shows the checker records that were broken on purpose. It must find each.
fn negative_control(honest: &Books) {
    let paid = |books: &Books| -> (String, String) {
        let mut paid = books.reported.iter().filter_map(|(payable, reported)| {
            let last = reported.last().unwrap();
            let transfer = last["transfer_id"].as_str()?.to_owned();
            (last["status"] == "payment_completed").then(|| (payable.clone(), transfer))
        });
        paid.next().expect("some were paid")
    };
    let (payable, transfer) = paid(honest);
    let check = |name: &str, break_it: &dyn Fn(&mut Books)| {
        let mut broken = honest.clone();
        break_it(&mut broken);
        assert!(!broken.wrong().is_empty(), "{name} was not found");
    };
    check("money that left twice", &|books| *books.left.get_mut(&transfer).unwrap() *= 2);
    check("another amount at the rail", &|books| {
        let item = books.rail.get_mut(&transfer).unwrap();
        item.amount = bursar::money::Cents::new(item.amount.get() + 1);
    });
    check("another amount in the transfer", &|books| {
        books.transfers.get_mut(&transfer).unwrap().amount = bursar::money::Cents::new(1);
    });
    check("a second transfer that stays", &|books| {
        let second = "00000000-0000-0000-0000-000000000000".to_owned();
        let mut copy = books.transfers[&transfer].clone();
        copy.status = TransferStatus::Pending;
        books.transfers.insert(second.clone(), copy);
        let reported = books.reported.get_mut(&payable).unwrap();
        let mut again = reported.last().unwrap().clone();
        again["status"] = json!("payment_failed");
        reported.push(again.clone());
        again["status"] = json!("payment_initiated");
        again["transfer_id"] = json!(second);
        reported.push(again);
    });
    check("a transfer of nobody", &|books| {
        let stray = books.transfers[&transfer].clone();
        books.transfers.insert("stray".to_owned(), stray);
    });
    let edited = |books: &mut Books, status: &str, edit: &dyn Fn(&mut Value)| {
        let reported = books.reported.get_mut(&payable).unwrap();
        edit(reported.iter_mut().rev().find(|object| object["status"] == status).unwrap());
    };
    check("an approval of the submitter's", &|books| {
        let reported = books.reported[&payable].iter().rev();
        let submitted = reported.clone().find(|object| object["status"] == "submitted_for_approval").unwrap();
        let submitter = submitted["action_history"].as_array().unwrap().last().unwrap()["user_id"].clone();
        edited(books, "approved", &|object| {
            object["action_history"].as_array_mut().unwrap().last_mut().unwrap()["user_id"] = submitter.clone();
        });
    });
    check("a change after the approval", &|books| edited(books, "approved", &|object| object["amount"] = json!(7)));
    check("a payment without an approval", &|books| {
        books.reported.get_mut(&payable).unwrap().retain(|object| object["status"] != "approved");
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_race_pays_twice_or_otherwise_than_was_approved() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let process = Process::start(&data);
    let office = Office::open(&process, &data);
    let races = usize::try_from(setting("BURSAR_PAYABLE_RACES", 30)).unwrap();

    let mut vendors = Vec::new();
    for account in ACCOUNTS {
        vendors.push(office.vendor(account).await);
    }
    let mut refused: HashMap<String, usize> = HashMap::new();
    let mut bills = Vec::new();
    for number in 0..races {
        bills.push(office.bill(&vendors[number % vendors.len()], number).await);
    }
    // Two rounds bring some bills to a payment; on the second day the failed ones are raced again.
    for day in 0..2 {
        for volley in 0..2 {
            let office = &office;
            let races = bills.iter().enumerate().map(|(number, bill)| office.race(bill, number + day * 5 + volley * 7));
            let codes: Vec<Vec<String>> = futures::stream::iter(races).buffer_unordered(AT_ONCE).collect().await;
            for code in codes.into_iter().flatten() {
                *refused.entry(code).or_default() += 1;
            }
        }
        office.done("POST", "sandbox/clock/advance", json!({"seconds": 4 * 86_400})).await;
    }

    process.signal("TERM");
    let (status, said) = process.wait(Duration::from_secs(30));
    assert!(status.success(), "{said}");
    let books = Books::open(&data);
    assert_eq!(books.wrong(), Vec::<String>::new());
    let verified = bursar(&["verify", "--data-dir", data.to_str().unwrap()]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));

    // It was a real race: some bills were paid, some again, and each kind of refusal occurred.
    let (payables, attempts) = (books.reported.len(), books.transfers.len());
    println!("{payables} payables, {attempts} attempts to pay, refused: {refused:?}");
    assert_eq!(payables, races);
    assert!(attempts > races / 2, "most were paid");
    for code in ["self-approval", "invalid-state", "not-permitted"] {
        assert!(refused.contains_key(code), "{code} never came: {refused:?}");
    }
    negative_control(&books);
}
