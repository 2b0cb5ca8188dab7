//! The statement: each payment once, and the balance to the cent.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::client::Client;
use super::model::{Checked, Made};

/// Items on a page.
const PAGE: usize = 100;
/// Pages at most. An adapter whose cursor does not advance would have endless pages.
const PAGES_MAX: usize = 100_000;

/// Reads the statement, and compares it with the balance and with the payments.
pub(super) async fn adds_up(client: &Client, made: &Made) -> Checked {
    let mut checked = Checked::of("statement", "the statement has each payment once, and adds up to the balance");
    match read(client).await {
        Ok(items) => {
            sums(&mut checked, &items, client.get("/balance").await.map(|said| said.body["balance"].as_i64()));
            payments(&mut checked, &items, made);
        }
        Err(error) => checked.find(error),
    }
    checked
}

async fn read(client: &Client) -> Result<Vec<Value>, String> {
    let (mut items, mut after) = (Vec::new(), String::new());
    for _ in 0..PAGES_MAX {
        let path = match after.as_str() {
            "" => format!("/statement?limit={PAGE}"),
            after => format!("/statement?after={after}&limit={PAGE}"),
        };
        let said = client.get(&path).await?;
        if said.status != 200 {
            return Err(format!("GET {path} answered {}", said.shown()));
        }
        let Some(page) = said.body["items"].as_array() else { return Err(format!("GET {path} has no items")) };
        items.extend(page.iter().cloned());
        match said.body["next"].as_str() {
            Some(next) if next != after => next.clone_into(&mut after),
            Some(_) => return Err("the cursor of the statement does not advance".to_owned()),
            None => return Ok(items),
        }
    }
    Err("the statement has no end".to_owned())
}

fn sums(checked: &mut Checked, items: &[Value], balance: Result<Option<i64>, String>) {
    let (mut ids, mut running) = (HashSet::new(), 0_i64);
    for item in items {
        let id = item["id"].as_str().unwrap_or_default();
        if id.is_empty() || !ids.insert(id) {
            checked.find(format!("the item {id:?} has no id, or the id of another item"));
        }
        let (Some(amount), Some(after)) = (item["amount"].as_i64(), item["balance"].as_i64()) else {
            checked.find(format!("the item {id} has no whole amount or balance"));
            continue;
        };
        running = running.saturating_add(amount);
        if running != after {
            checked.find(format!("the item {id} states the balance {after}, and the items give {running}"));
            running = after;
        }
    }
    match balance {
        Ok(Some(balance)) if balance == running => {}
        Ok(Some(balance)) => checked.find(format!("GET /balance answers {balance}, and the statement gives {running}")),
        Ok(None) => checked.find("GET /balance has no whole balance"),
        Err(error) => checked.find(format!("GET /balance: {error}")),
    }
}

fn payments(checked: &mut Checked, items: &[Value], made: &Made) {
    let mut payouts: HashMap<&str, usize> = HashMap::new();
    for item in items.iter().filter(|item| item["kind"] == "payout") {
        *payouts.entry(item["transfer"].as_str().unwrap_or_default()).or_default() += 1;
    }
    for id in &made.taken {
        match payouts.get(id.as_str()) {
            Some(1) => {}
            Some(count) => checked.find(format!("the transfer {id} was paid {count} times")),
            None => checked.find(format!("the transfer {id} was accepted, and the statement does not have it")),
        }
    }
    for id in made.refused.iter().filter(|id| payouts.contains_key(id.as_str())) {
        checked.find(format!("the transfer {id} was refused, and paid"));
    }
}
