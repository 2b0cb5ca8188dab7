//! `bursar move` of a store with files for a bank, its answers and its statements, and with payments at a provider.

use bursar::bankbox::{Grain, StatementFormat};
use bursar::ledger::LedgerAccountKind;
use serde_json::{Value, json};

use crate::bank_statements::Bank;
use crate::harness::{Adapter, Server};
use crate::move_store::{moved, own, run};
use crate::rails::Rails;

const LISTS: [&str; 10] = [
    "connections",
    "originators",
    "settlement-accounts",
    "routes",
    "files",
    "entries",
    "inbound-files",
    "items",
    "providers",
    "provider-payments",
];

/// Returns what the API shows of the bank.
async fn shown(bank: &Bank) -> Vec<(String, Value)> {
    let account = &bank.mailbox.bank.settlement_account;
    let mut paths: Vec<String> = LISTS.iter().map(|list| format!("/v2/bank/{list}?limit=100")).collect();
    paths.push(format!("/v2/bank/statements?settlement_account_id={account}"));
    paths.push(format!("/v2/bank/reconciliation?settlement_account_id={account}"));
    let mut shown = Vec::new();
    for path in paths {
        let answer = bank.mailbox.bank.get(&path).await;
        shown.push((path, answer));
    }
    shown
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_with_a_bank_and_a_provider_moves_and_is_reconciled_there() {
    let mut bank = Bank::open(Server::sqlite().await, json!({}), StatementFormat::Bai2, Grain::File, 0).await;
    bank.wire(1_000_000, &format!("FUNDING {}", bank.reference().await));
    // One comes back at once, one after three banking days, and one account has other numbers.
    let mut sent = 0;
    for (payee, account) in ["10000002", "20000001", "30000001", "55501234", "40000003"].into_iter().enumerate() {
        let amount = 1_000 + i64::try_from(payee).unwrap();
        bank.mailbox.pay(2_000 + u32::try_from(payee).unwrap(), account, amount).await;
        sent += amount;
    }
    bank.mailbox.send().await;
    bank.morning().await;
    bank.morning().await;
    // The provider has two payments, and one of them is complete.
    let adapter = Adapter::start();
    let rails = Rails::of(bank.server());
    rails.connected(&adapter).await;
    let payee = rails.payee(2_200, "ada@example.com").await;
    let (complete, accepted) = (rails.pay(&payee).await, rails.pay(&payee).await);
    bank.server().work_off().await;
    adapter.settle(&complete, "complete").await;
    bank.morning().await;
    assert_eq!(rails.status(&complete).await.0, "completed");
    // This one waits in an open file.
    bank.mailbox.pay(2_100, "55501235", 700).await;
    let before = shown(&bank).await;
    let of = |list: &str, key: &str| before.iter().find(|(path, _)| path.contains(list)).unwrap().1[key].clone();
    for list in LISTS.iter().chain(&["statements"]) {
        assert!(
            !of(&format!("/{list}?"), "data").as_array().unwrap().is_empty(),
            "{list} is empty: the test has lost its edge"
        );
    }

    let database = own();
    let url = database.url();
    let server = &mut bank.mailbox.bank.server;
    server.move_to(database.settings(), |data| drop(moved(&run(data, &url, &["--json"])))).await;
    for ((path, before), (_, after)) in before.iter().zip(shown(&bank).await) {
        assert_eq!(after, *before, "{path}");
    }
    bank.mailbox.bank.verify();

    // The bank's work continues where it was, and that of the provider.
    adapter.settle(&accepted, "complete").await;
    bank.mailbox.send().await;
    for _ in 0..8 {
        bank.morning().await;
    }
    let returns = bank.mailbox.items("kind=return").await;
    let ends: Vec<&Value> = returns.iter().map(|report| &report["status"]).collect();
    assert_eq!(ends, ["applied", "unmatched", "applied"], "{returns:?}");
    let found = bank.reconciliation().await;
    // Of the first five payments, two came back with our trace number, and one with another.
    let back = 1_000 + 1_001 + 1_004;
    assert_eq!(found["closing"], 1_000_000 - sent - 700 + back, "{found}");
    assert_eq!(found["difference"], 0, "{found}");
    assert_eq!(bank.ledger(LedgerAccountKind::AtBank), -found["closing"].as_i64().unwrap());
    assert_eq!(Rails::of(bank.server()).status(&accepted).await.0, "completed");
    assert_eq!((adapter.payouts(&complete).await, adapter.payouts(&accepted).await), (1, 1));
    bank.mailbox.bank.verify();
}
