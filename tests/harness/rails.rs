//! Compares the rails' own records with our payouts and with the clients' requests, after everything has settled.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use super::postgres::Database;

/// A payout by a rail that a client requested and received a transfer for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The transfer in the response.
    pub transfer: String,
    /// The user to be paid.
    pub user: String,
    /// Cents that were to leave the wallet.
    pub amount: i64,
}

/// A payout in the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    pub id: String,
    pub user: String,
    pub status: String,
    /// Why it failed or came back.
    pub error: Option<String>,
    pub platform: String,
    /// Cents that left the wallet.
    pub amount: i64,
    /// Cents that arrive.
    pub arrives: i64,
}

impl Reported {
    pub fn of(transfer: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let cents = |name: &str| transfer[name].as_str().unwrap().parse().unwrap();
        Self {
            id: text(&transfer["id"]),
            user: text(&transfer["user_id"]),
            status: text(&transfer["status"]),
            error: transfer["error"].as_str().map(str::to_owned),
            platform: text(&transfer["external_data"]["platform"]),
            amount: cents("amount"),
            arrives: cents("payout_amount"),
        }
    }
}

/// An item in the records of the sandbox's rails.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Item {
    /// The rail's reference.
    pub transfer: String,
    pub platform: String,
    /// `credit` to the account, `debit` from it.
    pub direction: String,
    /// Cents.
    pub amount: i64,
    pub fails_with: Option<String>,
    /// Why it came back after it had arrived.
    pub returned_with: Option<String>,
}

impl Item {
    /// Returns the expected state and error of its transfer.
    fn outcome(&self) -> (&'static str, Option<&str>) {
        match (&self.fails_with, &self.returned_with) {
            (Some(code), _) => ("failed", Some(code)),
            (None, Some(code)) => ("reversed", Some(code)),
            (None, None) => ("completed", None),
        }
    }
}

/// Returns all items of the rails.
pub fn book(database: &Database) -> Vec<Item> {
    let rows = database.run("SELECT row_to_json(item) FROM rail_items AS item");
    rows.iter().map(|row| serde_json::from_str(row).unwrap()).collect()
}

/// Returns the cents that arrived and were not returned, by the rails' records.
pub fn arrived(items: &[Item]) -> i64 {
    items.iter().filter(|item| item.outcome().0 == "completed").map(|item| item.amount).sum()
}

/// Returns the differences between the three, as sentences. No payout may be in progress.
pub fn disagreements(asked: &[Asked], reported: &[Reported], items: &[Item]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut by_id: BTreeMap<&str, Vec<&Reported>> = BTreeMap::new();
    for one in reported {
        by_id.entry(&one.id).or_default().push(one);
    }
    let mut paid: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    for item in items {
        paid.entry(&item.transfer).or_default().push(item);
    }
    for Asked { transfer, user, amount } in asked {
        match by_id.get(transfer.as_str()).map(Vec::as_slice) {
            Some([one]) if (&one.user, one.amount) == (user, *amount) => {}
            other => drop(found.insert(format!("{transfer}: {amount} cents for {user} were asked for: {other:?}"))),
        }
    }
    let known: BTreeSet<&str> = asked.iter().map(|asked| asked.transfer.as_str()).collect();
    if known.len() != asked.len() {
        found.insert("two keys were told of one transfer".to_owned());
    }
    for one in reported {
        if !known.contains(one.id.as_str()) {
            found.insert(format!("{}: nobody asked for it", one.id));
        }
        match paid.get(one.id.as_str()).map(Vec::as_slice) {
            Some([item]) => found.extend(difference(one, item)),
            other => drop(found.insert(format!("{}: has not one item at its rail: {other:?}", one.id))),
        }
    }
    for transfer in paid.keys().filter(|transfer| !by_id.contains_key(*transfer)) {
        found.insert(format!("{transfer}: its rail was told of it, and we know nothing of it"));
    }
    found
}

/// Returns how a transfer and its item differ, if they do.
fn difference(reported: &Reported, item: &Item) -> Option<String> {
    let moved = (item.platform.as_str(), item.direction.as_str(), item.amount);
    let agrees = moved == (reported.platform.as_str(), "credit", reported.arrives)
        && item.outcome() == (reported.status.as_str(), reported.error.as_deref());
    (!agrees).then(|| format!("{}: {reported:?}, and its rail says {item:?}", reported.id))
}

#[test]
fn what_the_rails_book_says_otherwise_is_found() {
    let word = |word: &str| word.to_owned();
    let asked = |transfer: &str| Asked { transfer: word(transfer), user: word("jane"), amount: 125 };
    let reported = |id: &str, status: &str, error: Option<&str>| {
        let (user, platform, error) = (word("jane"), word("ach"), error.map(str::to_owned));
        Reported { id: word(id), user, status: word(status), error, platform, amount: 125, arrives: 100 }
    };
    let item = |transfer: &str, fails_with: Option<&str>, returned_with: Option<&str>| Item {
        transfer: word(transfer),
        platform: word("ach"),
        direction: word("credit"),
        amount: 100,
        fails_with: fails_with.map(str::to_owned),
        returned_with: returned_with.map(str::to_owned),
    };
    let all_asked = [asked("a"), asked("b"), asked("c")];
    let all_reported = [
        reported("a", "completed", None),
        reported("b", "failed", Some("no_account")),
        reported("c", "reversed", Some("frozen")),
    ];
    let book = [item("a", None, None), item("b", Some("no_account"), None), item("c", None, Some("frozen"))];
    assert_eq!(disagreements(&all_asked, &all_reported, &book), BTreeSet::new());
    assert_eq!(arrived(&book), 100);

    let check = |what: &str, asked: &[Asked], reported: &[Reported], items: &[Item]| {
        assert_eq!(disagreements(asked, reported, items).len(), 1, "{what}");
    };
    let [a, b, c] = all_reported.clone();
    let with = |changed: Reported| [changed, b.clone(), c.clone()];
    check("lost at the rail", &all_asked, &all_reported, &book[..2]);
    check("twice at the rail", &all_asked, &all_reported, &[&book[..], &book[..1]].concat());
    check("unknown here", &all_asked, &all_reported, &[&book[..], &[item("d", None, None)]].concat());
    check("was requested by no client", &all_asked[1..], &all_reported, &book);
    check("told of twice", &[&all_asked[..], &all_asked[..1]].concat(), &all_reported, &book);
    check("in doubt", &all_asked, &with(reported("a", "pending", None)), &book);
    check("another outcome", &all_asked, &with(reported("a", "failed", Some("frozen"))), &book);
    check("another reason", &all_asked, &[a.clone(), reported("b", "failed", Some("frozen")), c.clone()], &book);
    check("another amount arrives", &all_asked, &with(Reported { arrives: 99, ..a.clone() }), &book);
    check("another amount leaves", &all_asked, &with(Reported { amount: 124, ..a.clone() }), &book);
    check("another person", &all_asked, &with(Reported { user: word("joe"), ..a.clone() }), &book);
    check("another rail", &all_asked, &with(Reported { platform: word("rtp"), ..a.clone() }), &book);
    let debit = Item { direction: word("debit"), ..book[0].clone() };
    check("the other way", &all_asked, &all_reported, &[&[debit], &book[1..]].concat());
    assert_eq!(disagreements(&all_asked, &all_reported[1..], &book).len(), 2, "lost here: asked for, and at the rail");
}
