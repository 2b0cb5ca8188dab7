//! Lines of statements that nothing explains, or that must not be booked without a person.

use bursar::bank_files;
use bursar::bankbox::{Grain, StatementFormat};
use bursar::engine::Command;
use bursar::ids::{AppId, BankItemId, OrgId, SettlementAccountId, TransferId};
use bursar::ledger::LedgerAccountKind;
use bursar::money::Cents;
use bursar::world::{Halt, World};
use serde_json::{Value, json};

use crate::bank_statements::{Bank, DAY, NUMBER, bai2};
use crate::harness::Server;

impl Bank {
    /// Assigns a line as one member, and approves it as another one.
    pub async fn settle(&self, item: &Value, mut proposal: Value) -> Value {
        proposal["evidence"] = json!("By phone with J. Doe.");
        let assigned = self.item(item, "assign", "payer", proposal).await.expect(200).body;
        self.item(item, "approve", "admin", json!({"version": assigned["version"]})).await.expect(200).body
    }

    /// Reads a statement of the account with one line, and returns the line.
    async fn line(&self, day: &str, opening: i64, line: (u16, i64, &str)) -> Value {
        self.give(&format!("{day}.bai"), &bai2(day, &[(NUMBER, opening, &[line])])).await;
        self.mailbox.items("kind=line").await.remove(0)
    }
}

/// Returns different ids, which name nothing.
fn unknown_ids(count: u128) -> Vec<String> {
    (1..=count).map(|number| uuid::Uuid::from_u128(number).to_string()).collect()
}

/// A small credit may be the money of a payer, so it is a proposal too.
async fn small_credit_is_written_off_by_two(bank: &Bank, credit: &Value) {
    let written = bank.item(credit, "write-off", "payer", json!({"reason": "Rounding."})).await.expect(200).body;
    assert_eq!((&written["status"], bank.ledger(LedgerAccountKind::BankCosts)), (&json!("matched"), 0));
    let version = json!({"version": written["version"]});
    bank.item(credit, "approve", "payer", version.clone()).await.refused(403, "self-approval");
    let written = bank.item(credit, "approve", "admin", version).await.expect(200).body;
    assert_eq!((&written["status"], &written["booked_as"]), (&json!("applied"), &json!("costs")));
}

#[tokio::test]
async fn assign_bank_item_write_off_bank_item_explain_bank_item_need_two_members_where_money_reaches_an_app() {
    let bank = Bank::bai2(10_000).await;
    let (app, before) = (bank.server().app_id(), bank.server().balance("app_wallet").await);
    bank.wire(70_000, "FROM JANE DOE");
    bank.wire(500, "ROUNDING");
    let now = bank.now();
    bank.act(|bank| bank.debit_by_other(900, now));
    bank.morning().await;
    let lines = bank.suspense().await;
    let find = |amount: i64| lines.iter().find(|line| line["amount"] == amount).unwrap();
    let (wire, rounding, debit) = (find(70_000), find(500), find(-900));
    assert_eq!((&wire["reason"], &debit["reason"]), (&json!("unknown_line"), &json!("debit_by_other")));
    assert_eq!(bank.ledger(LedgerAccountKind::Suspense), 10_000 + 70_000 + 500 - 900);
    assert_eq!(bank.reconciliation().await["balanced"], false);

    let known = json!({"booked_as": "deposit", "app_id": app, "evidence": "J. Doe: the wire for the app."});
    bank.item(wire, "assign", "ap_approver", known.clone()).await.refused(403, "not-permitted");
    for (fields, at) in [
        (json!({"booked_as": "deposit"}), "/app_id"),
        (json!({"booked_as": "organization", "app_id": app}), "/app_id"),
        (json!({"booked_as": "deposit", "app_id": app, "transfer_ids": [app]}), "/transfer_ids"),
        (json!({"booked_as": "returns", "transfer_ids": []}), "/transfer_ids"),
        (json!({"booked_as": "returns", "bank_file_ids": [app]}), "/bank_file_ids"),
        (json!({"booked_as": "payments"}), "/bank_file_ids"),
        (json!({"booked_as": "payments", "bank_file_ids": [app, app]}), "/bank_file_ids"),
        (json!({"booked_as": "payments", "transfer_ids": [app]}), "/transfer_ids/0"),
        (json!({"booked_as": "payments", "transfer_ids": unknown_ids(500)}), "/transfer_ids/0"),
        (json!({"booked_as": "payments", "transfer_ids": unknown_ids(501)}), "/transfer_ids"),
        (json!({"booked_as": "payments", "bank_file_ids": unknown_ids(501)}), "/bank_file_ids"),
    ] {
        let mut body = fields.clone();
        body["evidence"] = json!("No.");
        assert_eq!(bank.item(wire, "assign", "payer", body).await.refused(400, "invalid-input").fields(), [at]);
    }
    bank.item(wire, "match", "payer", json!({"transfer_id": app, "evidence": "No."}))
        .await
        .refused(409, "invalid-state");
    bank.item(wire, "ignore", "payer", json!({"reason": "No."})).await.refused(409, "invalid-state");
    bank.item(wire, "approve", "admin", json!({"version": 1})).await.refused(409, "invalid-state");
    // Costs above $100.00 are a proposal.
    let costs = bank.item(wire, "write-off", "payer", json!({"reason": "A refund."})).await.expect(200).body;
    assert_eq!((&costs["status"], &costs["proposal"]["booked_as"]), (&json!("matched"), &json!("costs")));
    assert_eq!((bank.ledger(LedgerAccountKind::BankCosts), &costs["version"]), (0, &json!(2)));
    let to_debit = bank.item(debit, "assign", "payer", known.clone()).await;
    assert_eq!(to_debit.refused(400, "invalid-input").fields(), ["/booked_as"]);
    let assigned = bank.item(wire, "assign", "payer", known).await.expect(200).body;
    assert_eq!((&assigned["status"], &assigned["proposal"]["app_id"]), (&json!("matched"), &json!(app)));
    bank.item(wire, "approve", "payer", json!({"version": 3})).await.refused(403, "self-approval");
    // Who saw the costs does not approve the deposit.
    bank.item(wire, "approve", "admin", json!({"version": 2})).await.refused(409, "invalid-state");
    assert_eq!(
        bank.item(wire, "approve", "admin", json!({})).await.refused(400, "invalid-input").fields(),
        ["/version"]
    );
    assert_eq!(bank.server().balance("app_wallet").await, before, "nothing moves before the second member");
    let approved = bank.item(wire, "approve", "admin", json!({"version": 3})).await.expect(200).body;
    assert_eq!((&approved["status"], &approved["booked_as"]), (&json!("applied"), &json!("deposit")));
    assert_eq!((&approved["app_id"], &approved["proposal"]), (&json!(app), &Value::Null));
    assert_eq!(bank.server().balance("app_wallet").await, before + 70_000);
    bank.item(wire, "approve", "admin", json!({"version": 4})).await.refused(409, "invalid-state");

    small_credit_is_written_off_by_two(&bank, rounding).await;
    assert_eq!(bank.ledger(LedgerAccountKind::BankCosts), 500);
    let explained =
        bank.item(debit, "explain", "payer", json!({"reason": "Returned tomorrow."})).await.expect(200).body;
    assert_eq!(explained["status"], "explained");
    let opening = bank.mailbox.items("kind=opening_balance").await.pop().unwrap();
    assert_eq!((&opening["amount"], &opening["reason"]), (&json!(10_000), &json!("money_before")));
    // The organization's own money goes to its wallet.
    bank.settle(&opening, json!({"booked_as": "organization"})).await;
    assert_eq!(bank.ledger(LedgerAccountKind::OrganizationWallet), 10_000);
    let found = bank.reconciliation().await;
    assert_eq!((&found["difference"], &found["balanced"]), (&json!(0), &json!(true)), "{found}");
    assert_eq!((found["suspense"].as_array().unwrap().len(), bank.ledger(LedgerAccountKind::Suspense)), (1, -900));
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn a_line_with_several_candidates_waits_for_members() {
    let fields = json!({});
    let bank = Bank::open(Server::memory().await, fields, StatementFormat::Bai2, Grain::File, 0).await;
    // The return has another trace number, so no report says that the payment came back; its credit is unknown.
    let (_, lost) = bank.mailbox.pay(2_000, "40000003", 3_000).await;
    bank.mailbox.send().await;
    bank.mailbox.bank_answers();
    bank.fetch().await;
    bank.morning().await;
    bank.morning().await;
    let credit = bank.suspense().await.pop().unwrap();
    assert_eq!((&credit["amount"], &credit["meaning"]), (&json!(3_000), &json!("returns")));
    let known = json!({"transfer_id": lost["id"], "evidence": "J. Doe, 9:10."});
    let returned = json!({"booked_as": "returns", "transfer_ids": [lost["id"]], "evidence": "J. Doe, 9:10."});
    let early = bank.item(&credit, "assign", "payer", returned.clone()).await;
    assert_eq!(early.refused(400, "invalid-input").fields(), ["/transfer_ids/0"], "its return is not booked");
    let report = bank.mailbox.items("status=unmatched&kind=return").await.pop().unwrap();
    bank.item(&report, "match", "payer", known.clone()).await.expect(200);
    bank.item(&report, "approve", "admin", json!({"version": 1})).await.refused(409, "invalid-state");
    bank.item(&report, "approve", "admin", json!({"version": 2})).await.expect(200);
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), -3_000);
    let booked = bank.settle(&credit, returned).await;
    assert_eq!(booked["booked_as"], "returns");
    assert_eq!((bank.ledger(LedgerAccountKind::Unbooked), bank.ledger(LedgerAccountKind::Suspense)), (0, 0));

    // Two files with the same sum: the oldest of one app is taken.
    for line in [2_010, 2_011] {
        bank.mailbox.pay(line, "55501234", 5_000).await;
        bank.mailbox.send().await;
    }
    bank.mailbox.bank_answers();
    for _ in 0..4 {
        bank.morning().await;
    }
    assert_eq!((bank.ledger(LedgerAccountKind::Unbooked), bank.ledger(LedgerAccountKind::Suspense)), (0, 0));
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn a_debit_with_an_unknown_code_is_assigned_to_its_file() {
    let bank = Bank::bai2(0).await;
    bank.mailbox.pay(2_000, "55501234", 5_000).await;
    bank.mailbox.send().await;
    bank.mailbox.bank_answers();
    bank.morning().await;
    bank.server().pass(DAY).await;
    bank.mailbox.bank_answers();
    let wednesday = String::from_utf8(bank.take("STATEMENT_20260304.bai")).unwrap();
    bank.give("WEDNESDAY.bai", wednesday.replace("16,447,", "16,475,").as_bytes()).await;
    let debit = bank.suspense().await.pop().unwrap();
    assert_eq!((&debit["amount"], &debit["meaning"]), (&json!(-5_000), &json!("other")));
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), 5_000);
    let file = bank.mailbox.bank.file().await;
    let nothing = json!({"booked_as": "payments", "bank_file_ids": [uuid::Uuid::nil()], "evidence": "No."});
    bank.item(&debit, "assign", "payer", nothing).await.refused(404, "not-found");
    let known = json!({"booked_as": "payments", "bank_file_ids": [file["id"]], "evidence": "J. Doe: a wrong code."});
    let booked = bank.settle(&debit, known.clone()).await;
    assert_eq!((&booked["booked_as"], &booked["bank_file_id"]), (&json!("payments"), &file["id"]));
    assert_eq!((bank.ledger(LedgerAccountKind::Unbooked), bank.ledger(LedgerAccountKind::Suspense)), (0, 0));
    assert_eq!(bank.ledger(LedgerAccountKind::AtBank), 5_000);
    let again = bank.item(&debit, "assign", "payer", known).await;
    again.refused(409, "invalid-state");
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn large_costs_and_debits_with_a_general_code_need_two_members() {
    let bank = Bank::bai2(0).await;
    for (day, line, reason) in [
        ("260302", (698, 10_000, "FEE"), None),
        ("260303", (698, 10_001, "FEE"), Some("large_cost")),
        ("260304", (354, 10_001, "INTEREST"), Some("large_cost")),
        ("260305", (699, 5_000, "MISCELLANEOUS DEBIT"), Some("unknown_line")),
    ] {
        let opening = bank.statements().await.last().map_or(50_000, |last| last["closing"].as_i64().unwrap());
        bank.server().pass(DAY).await;
        let shown = bank.line(day, opening, line).await;
        assert_eq!(shown["reason"], json!(reason), "{line:?}: {shown}");
    }
    assert_eq!(bank.ledger(LedgerAccountKind::BankCosts), -10_000);
    let fee = bank.suspense().await.into_iter().find(|line| line["amount"] == -10_001).unwrap();
    let written = bank.item(&fee, "write-off", "payer", json!({"reason": "The yearly fee."})).await.expect(200).body;
    bank.item(&fee, "approve", "payer", json!({"version": written["version"]})).await.refused(403, "self-approval");
    let booked = bank.item(&fee, "approve", "admin", json!({"version": written["version"]})).await.expect(200).body;
    assert_eq!((&booked["status"], &booked["booked_as"]), (&json!("applied"), &json!("costs")));
    assert_eq!(bank.ledger(LedgerAccountKind::BankCosts), -20_001);
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn a_line_of_several_files_payments_or_returns_is_assigned_to_all_of_them() {
    // The bank books each file, and the account says that it books each payment.
    let fields = json!({"booking_grain": "entry"});
    let bank = Bank::open(Server::memory().await, fields, StatementFormat::Bai2, Grain::File, 0).await;
    let mut paid = Vec::new();
    for (line, amount) in [(2_000, 5_000), (2_001, 7_000)] {
        paid.push(bank.mailbox.pay(line, "55501234", amount).await.1);
    }
    bank.mailbox.send().await;
    paid.push(bank.mailbox.pay(2_002, "55501234", 1_500).await.1);
    bank.mailbox.send().await;
    let files: Vec<Value> = bank.mailbox.bank.files().await.iter().map(|file| file["id"].clone()).collect();
    bank.server().pass(3 * DAY).await;
    let line = bank.line("260304", 100_000, (447, 13_500, "ACH DEBITS")).await;
    assert_eq!((&line["reason"], bank.ledger(LedgerAccountKind::Unbooked)), (&json!("unknown_line"), 13_500));
    let ids: Vec<&Value> = paid.iter().map(|transfer| &transfer["id"]).collect();
    for (fields, at) in [
        (json!({"transfer_ids": ids[..2]}), "/transfer_ids"),
        (json!({"bank_file_ids": [files[0]]}), "/bank_file_ids"),
        (json!({"bank_file_ids": files, "transfer_ids": [ids[0]]}), "/transfer_ids/0"),
    ] {
        let mut body = fields.clone();
        (body["booked_as"], body["evidence"]) = (json!("payments"), json!("No."));
        let refused = bank.item(&line, "assign", "payer", body).await;
        assert_eq!(refused.refused(400, "invalid-input").fields(), [at], "{fields}");
    }
    let booked = bank.settle(&line, json!({"booked_as": "payments", "transfer_ids": ids})).await;
    assert_eq!((&booked["status"], &booked["bank_file_id"]), (&json!("applied"), &Value::Null));
    let again = json!({"booked_as": "payments", "bank_file_ids": files, "evidence": "No."});
    bank.item(&line, "assign", "payer", again).await.refused(409, "invalid-state");
    assert_eq!((bank.ledger(LedgerAccountKind::Unbooked), bank.ledger(LedgerAccountKind::AtBank)), (0, -86_500));
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn files_that_the_bank_debited_before_the_first_statement_are_a_part_of_its_opening_balance() {
    let bank = Bank::bai2(0).await;
    bank.mailbox.pay(2_000, "55501234", 5_000).await;
    bank.mailbox.send().await;
    bank.server().pass(3 * DAY).await;
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), 5_000);
    bank.give("FIRST.bai", &bai2("260306", &[(NUMBER, 45_000, &[])])).await;
    let opening = bank.mailbox.items("kind=opening_balance").await.pop().unwrap();
    let file = bank.mailbox.bank.file().await;
    // Once the money is the organization's, no line would be left for the file.
    let early = json!({"booked_as": "organization", "evidence": "Ours."});
    bank.item(&opening, "assign", "payer", early).await.refused(409, "invalid-state");
    let divided = bank.settle(&opening, json!({"booked_as": "payments", "bank_file_ids": [file["id"]]})).await;
    assert_eq!((&divided["status"], &divided["amount"]), (&json!("unmatched"), &json!(50_000)), "the money before");
    assert_eq!((bank.ledger(LedgerAccountKind::Unbooked), bank.ledger(LedgerAccountKind::Suspense)), (0, 50_000));
    assert_eq!(bank.ledger(LedgerAccountKind::AtBank), -45_000);
    bank.mailbox.bank.verify();
    let ours = bank.settle(&opening, json!({"booked_as": "organization"})).await;
    assert_eq!((&ours["status"], bank.ledger(LedgerAccountKind::OrganizationWallet)), (&json!("applied"), 50_000));
    assert_eq!(bank.reconciliation().await["unbooked"], json!([]));
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn an_account_that_is_empty_since_a_file_before_its_first_statement_has_an_opening_line_of_zero() {
    let bank = Bank::bai2(0).await;
    bank.mailbox.pay(2_000, "55501234", 5_000).await;
    bank.mailbox.send().await;
    bank.server().pass(3 * DAY).await;
    bank.give("FIRST.bai", &bai2("260306", &[(NUMBER, 0, &[])])).await;
    let opening = bank.mailbox.items("kind=opening_balance").await.pop().unwrap();
    assert_eq!((&opening["amount"], &opening["status"]), (&json!(0), &json!("unmatched")));
    let file = bank.mailbox.bank.file().await;
    let divided = bank.settle(&opening, json!({"booked_as": "payments", "bank_file_ids": [file["id"]]})).await;
    assert_eq!((&divided["status"], &divided["amount"]), (&json!("unmatched"), &json!(5_000)));
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn an_opening_line_of_zero_is_closed_when_a_later_line_debits_the_file() {
    let bank = Bank::bai2(0).await;
    bank.mailbox.pay(2_000, "55501234", 5_000).await;
    bank.mailbox.send().await;
    bank.server().pass(4 * DAY).await;
    bank.give("FIRST.bai", &bai2("260305", &[(NUMBER, 0, &[(195, 8_000, "WIRE")])])).await;
    let opening = bank.mailbox.items("kind=opening_balance").await.pop().unwrap();
    bank.item(&opening, "write-off", "payer", json!({"reason": "Nothing."})).await.refused(409, "invalid-state");
    assert_eq!(bank.line("260306", 8_000, (447, 5_000, "ACH")).await["booked_as"], "payments");
    let closed = bank.item(&opening, "write-off", "payer", json!({"reason": "Nothing."})).await.expect(200).body;
    assert_eq!((&closed["status"], bank.ledger(LedgerAccountKind::BankCosts)), (&json!("applied"), 0));
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn a_file_of_which_a_part_is_booked_never_stops_its_account() {
    let bank = Bank::bai2(0).await;
    let mut paid = Vec::new();
    for (line, amount) in [(2_000, 3_000), (2_001, 2_000)] {
        paid.push(bank.mailbox.pay(line, "55501234", amount).await.1);
    }
    bank.mailbox.send().await;
    bank.server().pass(4 * DAY).await;
    let part = bank.line("260303", 90_000, (447, 3_000, "A PART")).await;
    bank.settle(&part, json!({"booked_as": "payments", "transfer_ids": [paid[0]["id"]]})).await;
    assert_eq!(bank.reconciliation().await["unbooked"][0]["amount"], -2_000, "the rest");
    let whole = bank.line("260304", 87_000, (447, 5_000, "ACH")).await;
    assert_eq!((&whole["status"], &whole["reason"]), (&json!("unmatched"), &json!("unknown_line")));
    let rest = bank.line("260305", 82_000, (447, 2_000, "THE REST")).await;
    bank.settle(&rest, json!({"booked_as": "payments", "transfer_ids": [paid[1]["id"]]})).await;
    assert_eq!(bank.ledger(LedgerAccountKind::Unbooked), 0);
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn a_line_that_names_a_booked_file_never_books_another_one() {
    let bank = Bank::bai2(0).await;
    let mut ids = Vec::new();
    for line in [2_000, 2_001] {
        let paid = bank.mailbox.pay(line, "55501234", 5_000).await.1;
        ids.push(bank_files::individual_id(TransferId(paid["id"].as_str().unwrap().parse().unwrap())));
        bank.mailbox.send().await;
    }
    bank.server().pass(4 * DAY).await;
    let named = |id: &str| format!("ACH BATCH {}", id.to_lowercase());
    assert_eq!(bank.line("260303", 90_000, (447, 5_000, &named(&ids[1]))).await["booked_as"], "payments");
    let again = bank.line("260304", 85_000, (447, 5_000, &named(&ids[1]))).await;
    assert_eq!((&again["status"], &again["reason"]), (&json!("unmatched"), &json!("other_payment")), "debited twice");
    assert_eq!(bank.line("260305", 80_000, (447, 5_000, &named(&ids[0]))).await["booked_as"], "payments");
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn a_large_line_is_explained_by_two_members() {
    let bank = Bank::bai2(0).await;
    bank.server().pass(DAY).await;
    let debit = bank.line("260303", 0, (451, 20_000, "BY OTHERS")).await;
    let shown = async |is_open: bool| {
        let found = bank.reconciliation().await;
        assert_eq!((&found["suspense"][0]["open"], &found["balanced"]), (&json!(is_open), &json!(!is_open)), "{found}");
    };
    let explained = bank.item(&debit, "explain", "payer", json!({"reason": "Returned."})).await.expect(200).body;
    shown(true).await;
    let seen = json!({"version": explained["version"]});
    bank.item(&debit, "approve", "payer", seen.clone()).await.refused(403, "self-approval");
    bank.item(&debit, "approve", "admin", seen).await.expect(200);
    shown(false).await;
    bank.item(&debit, "approve", "admin", json!({"version": 3})).await.refused(409, "invalid-state");
    // Other words need another approval.
    bank.item(&debit, "explain", "payer", json!({"reason": "Nothing."})).await.expect(200);
    shown(true).await;
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn a_line_that_names_a_booked_payment_never_books_another_one() {
    let fields = json!({"booking_grain": "entry"});
    let bank = Bank::open(Server::memory().await, fields, StatementFormat::Bai2, Grain::Entry, 0).await;
    let mut ids = Vec::new();
    for line in [2_000, 2_001] {
        let paid = bank.mailbox.pay(line, "55501234", 5_000).await.1;
        ids.push(bank_files::individual_id(TransferId(paid["id"].as_str().unwrap().parse().unwrap())));
    }
    bank.mailbox.send().await;
    let first = bank.line("260303", 90_000, (447, 5_000, &ids[0])).await;
    assert_eq!((&first["status"], &first["booked_as"]), (&json!("applied"), &json!("payments")));
    bank.server().pass(DAY).await;
    let again = bank.line("260304", 85_000, (447, 5_000, &ids[0])).await;
    assert_eq!((&again["status"], &again["reason"]), (&json!("unmatched"), &json!("other_payment")), "debited twice");
    bank.server().pass(DAY).await;
    let second = bank.line("260305", 80_000, (447, 5_000, "WITHOUT A REFERENCE")).await;
    assert_eq!(second["status"], "applied", "the only payment of the amount");
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn a_deposit_of_several_payers_waits_for_members() {
    let fields = json!({"statement_kind": "camt053"});
    let bank = Bank::open(Server::memory().await, fields, StatementFormat::Camt053, Grain::File, 0).await;
    let reference = bank.reference().await;
    bank.wire(9_000, &format!("INVOICE 4 {reference}"));
    bank.server().pass(DAY).await;
    bank.mailbox.bank_answers();
    let text = String::from_utf8(bank.take("STATEMENT_20260303.xml")).unwrap();
    let (from, to) = (text.find("<TxDtls>").unwrap(), text.find("</TxDtls>").unwrap() + "</TxDtls>".len());
    let other = text[from..to].replace(&reference, "INVOICE 5");
    let both = format!("{}{other}{}", &text[..to], &text[to..]);
    bank.give("BOTH.xml", both.as_bytes()).await;
    let line = bank.suspense().await.pop().unwrap();
    assert_eq!((&line["meaning"], &line["reason"]), (&json!("deposits"), &json!("needs_review")));
    bank.mailbox.bank.verify();
}

/// A deposit of an app, as the application of a statement books it.
#[derive(Clone, Debug)]
struct BookDeposit {
    org: OrgId,
    app: AppId,
}

impl Command for BookDeposit {
    type Reply = TransferId;

    fn decide(&self, world: &mut World) -> Result<TransferId, Halt> {
        let (id, account) = (BankItemId(world.id()), SettlementAccountId(world.id()));
        let line = bank_files::Line { org: self.org, id, account, amount: Cents::new(5) };
        bank_files::book_deposit(world, line, self.app)
    }
}

#[tokio::test]
async fn a_deposit_never_reaches_a_deleted_app() {
    let server = Server::memory().await;
    let org = OrgId(server.credentials()["organization"]["id"].as_str().unwrap().parse().unwrap());
    let app = AppId(server.app_id().parse().unwrap());
    let missing = AppId(uuid::Uuid::nil());
    server.bursar().engine.run(org, BookDeposit { org, app }).await.unwrap();
    let refused = server.bursar().engine.run(org, BookDeposit { org, app: missing }).await.unwrap_err();
    assert_eq!(refused.code.as_str(), "invalid-state");
}
