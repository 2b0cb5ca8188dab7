//! What an accountant reads: money comes in by wire, 200 people are paid in files, some payments come back, a file is
//! refused and sent again, and every day the ledger equals the bank's statement to the cent.

use bursar::bankbox::{self, Grain, StatementFormat};
use bursar::ledger::LedgerAccountKind;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::bank_statements::{Bank, reconcile};
use crate::crash::setting;
use crate::harness::Server;

/// The account of a payee: the first three payments come back at once, three more after three banking days, and two
/// accounts have other numbers.
fn account_of(payee: u32) -> String {
    match payee {
        0..3 => "10000002".to_owned(),
        3..6 => "20000001".to_owned(),
        6..8 => "30000001".to_owned(),
        _ => format!("5550{}", 2_000 + payee),
    }
}

async fn pay(bank: &Bank, payees: std::ops::Range<u32>) -> Vec<Value> {
    let mut paid = Vec::new();
    for payee in payees {
        paid.push(bank.mailbox.pay(2_000 + payee, &account_of(payee), 1_000 + i64::from(payee)).await.1);
    }
    paid
}

/// Takes the newest file out of the bank's folder, as if its bank refused it unread, and answers with a rejection.
async fn reject(bank: &Bank, sent: &Value) {
    let file = bank.mailbox.root.path().join(bankbox::OUTBOUND).join(sent["name"].as_str().unwrap());
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(file).unwrap();
    let refused = text.replacen("55502150 ", "50000000 ", 1);
    assert_ne!(text, refused);
    let mut operator = bankbox::Bank::default();
    operator.take(refused.as_bytes(), bank.now()).unwrap();
    bank.give("REJECTED.ach", &operator.answer(bank.now())[0].bytes).await;
}

#[tokio::test]
async fn after_a_wire_200_payments_returns_changes_and_a_file_sent_twice_the_difference_is_zero() {
    let bank = Bank::open(Server::memory().await, json!({}), StatementFormat::Bai2, Grain::File, 0).await;
    let before = bank.server().balance("app_wallet").await;
    bank.wire(1_000_000, &format!("FUNDING {}", bank.reference().await));
    bank.morning().await;
    assert_eq!(bank.server().balance("app_wallet").await, before + 1_000_000, "the wire is in the app's wallet");

    let mut paid = pay(&bank, 0..150).await;
    bank.mailbox.send().await;
    bank.mailbox.bank_answers();
    bank.fetch().await;
    paid.extend(pay(&bank, 150..200).await);
    let first = bank.mailbox.send().await;
    reject(&bank, &first).await;
    let rejected = bank.mailbox.bank.files().await.pop().unwrap();
    assert_eq!(rejected["status"], "rejected");
    bank.mailbox.bank.act(&rejected, "redate", json!({})).await.expect(200);
    let second = bank.mailbox.send().await;
    assert_ne!(first["name"], second["name"]);

    let mut compared = 0;
    for _ in 0..10 {
        bank.morning().await;
        let found = bank.reconciliation().await;
        assert_eq!(found["difference"], 0, "{found}");
        compared += usize::from(found["closing"] != 0);
    }
    assert_eq!(compared, 10);
    let found = bank.reconciliation().await;
    let (sent, returned) = ((1_000..1_200).sum::<i64>(), (1_000..1_006).sum::<i64>());
    assert_eq!((&found["closing"], &found["balanced"]), (&json!(1_000_000 - sent + returned), &json!(true)), "{found}");
    for (payee, transfer) in paid.iter().enumerate() {
        let expected = match payee {
            0..3 => "failed",
            3..6 => "reversed",
            _ => "completed",
        };
        assert_eq!(bank.mailbox.status(transfer).await.0, expected, "payee {payee}");
    }
    assert_eq!(bank.mailbox.items("kind=change&status=applied").await.len(), 2);
    // A payment that failed costs nothing; one that was returned later keeps its fee of 25 cents.
    assert_eq!(bank.server().balance("app_wallet").await, before + 1_000_000 - (sent - returned) - 197 * 25);
    assert_eq!((bank.ledger(LedgerAccountKind::Unbooked), bank.ledger(LedgerAccountKind::Suspense)), (0, 0));
    let (code, text) = reconcile(bank.server(), &[]).await;
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("difference 0.00"), "{text}");
    bank.mailbox.bank.verify();
}

/// Passes to the next time of day in New York.
async fn pass_to(bank: &Bank, hour: i8, minute: i8) {
    let now = jiff::Timestamp::from_second(bank.now()).unwrap().in_tz("America/New_York").unwrap();
    let today = now.with().hour(hour).minute(minute).second(0).build().unwrap();
    let next = if today > now { today } else { today.tomorrow().unwrap() };
    bank.server().pass(next.timestamp().as_second() - bank.now()).await;
}

/// Passes from ten in the morning to the next, with the bank's cut-offs on the way, and fetches the bank's answers.
async fn day(bank: &Bank) {
    for (hour, minute) in [(17, 30), (17, 45), (9, 30)] {
        pass_to(bank, hour, minute).await;
    }
    bank.mailbox.bank_answers();
    bank.fetch().await;
    pass_to(bank, 10, 0).await;
}

/// Three of a hundred payments come back and one account has other numbers; files come twice; the program is killed.
async fn days(seed: u64, payments: u64, days: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut bank = Bank::open(Server::start().await, json!({}), StatementFormat::Bai2, Grain::File, 0).await;
    let reference = bank.reference().await;
    let mut payees = Vec::new();
    // Each receives less in a year than what needs a tax form.
    let regulars = u32::try_from(payments / 100).unwrap();
    for payee in 0..regulars {
        payees.push(bank.mailbox.pay(2_000 + payee, &format!("5550{}", 2_000 + payee), 100).await.0);
    }
    let (mut paid, mut wired, mut line) = (Vec::new(), 0, 2_000 + regulars);
    for today in 0..days {
        if today % 10 == 0 {
            bank.wire(1_000_000, &format!("FUNDING {reference}"));
            wired += 1_000_000;
        }
        let due = payments * (today + 1) / days - payments * today / days;
        for _ in 0..due {
            let amount = random.random_range(100..=600);
            let special = match random.random_range(0..100) {
                0 | 1 => Some("10000002"),
                2 => Some("20000001"),
                3 => Some("30000001"),
                _ => None,
            };
            paid.push(match special {
                Some(account) => {
                    line += 1;
                    bank.mailbox.pay(line, account, amount).await.1
                }
                None => bank.mailbox.order(&payees[random.random_range(0..payees.len())], amount).await,
            });
        }
        if random.random_range(0..4) == 0 {
            bank.mailbox.bank.server.restart().await;
        }
        day(&bank).await;
        if random.random_range(0..10) == 0
            && let Some(last) = bank.mailbox.inbound().await.pop()
        {
            let name = last["name"].as_str().unwrap();
            let (from, to) = (bank.mailbox.answer(name), bank.mailbox.answer(&format!("AGAIN_{today}_{name}")));
            if from.exists() {
                std::fs::copy(from, to).unwrap();
            }
        }
        if bank.statements().await.iter().any(|one| one["status"] == "applied") {
            let found = bank.reconciliation().await;
            assert_eq!(found["difference"], 0, "seed {seed}, day {today}: {found}");
        }
    }
    for _ in 0..10 {
        day(&bank).await;
    }
    let mut closing = wired - i64::from(regulars) * 100;
    for transfer in &paid {
        let transfer = bank.mailbox.bank.transfer(transfer).await;
        match transfer["status"].as_str().unwrap() {
            "completed" => closing -= transfer["amount"].as_str().unwrap().parse::<i64>().unwrap(),
            "failed" | "reversed" => {}
            status => panic!("seed {seed}: a payment is {status}: {transfer}, {:?}", bank.mailbox.bank.files().await),
        }
    }
    let found = bank.reconciliation().await;
    assert_eq!((&found["closing"], &found["balanced"]), (&json!(closing), &json!(true)), "seed {seed}: {found}");
    for kind in [LedgerAccountKind::Unbooked, LedgerAccountKind::Suspense, LedgerAccountKind::Clearing] {
        assert_eq!(bank.ledger(kind), 0, "seed {seed}: {kind:?}");
    }
    bank.mailbox.bank.verify();
}

#[tokio::test]
async fn two_thousand_payments_in_sixty_days_agree_with_the_bank_each_day() {
    // `make bank-long` asks for more payments, and for more seeds.
    let first = setting("BURSAR_BANK_SEED", 1);
    for seed in first..first + setting("BURSAR_BANK_SEEDS", 1) {
        days(seed, setting("BURSAR_BANK_PAYMENTS", 2_000), setting("BURSAR_BANK_DAYS", 60)).await;
    }
}
