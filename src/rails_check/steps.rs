//! The checks with whole requests.

use std::time::{Duration, Instant};

use futures::future::join_all;
use serde_json::{Value, json};
use uuid::Uuid;

use super::client::{Client, Said};
use super::model::{Checked, Made};

/// Equal requests that are sent at once.
const AT_ONCE: usize = 100;
/// The interval between look-ups of a payment without an outcome.
const LOOK_UP_EVERY: Duration = Duration::from_millis(250);

pub(super) fn new_id() -> String {
    Uuid::now_v7().to_string()
}

/// Checks an answer, and returns it if there is one.
fn expect(
    checked: &mut Checked,
    what: &str,
    said: Result<Said, String>,
    is_right: impl Fn(&Said) -> bool,
) -> Option<Said> {
    match said {
        Ok(said) if is_right(&said) => Some(said),
        Ok(said) => {
            checked.find(format!("{what}: it answered {}", said.shown()));
            None
        }
        Err(error) => {
            checked.find(format!("{what}: {error}"));
            None
        }
    }
}

fn is_unknown(said: &Said) -> bool {
    (said.status, said.code()) == (404, "unknown-transfer")
}

fn has_state(said: &Said) -> bool {
    !said.state().is_empty()
}

/// Reads the capabilities.
pub(super) async fn capabilities(client: &Client) -> Result<(Checked, Value), String> {
    let mut checked = Checked::of("capabilities", "GET /capabilities names rails, currencies and directions");
    let said = client.get("/capabilities").await?;
    if said.status != 200 {
        return Err(format!("GET /capabilities answered {}. Check the URL and the token.", said.shown()));
    }
    for name in ["platforms", "currencies", "directions"] {
        if said.body[name].as_array().is_none_or(Vec::is_empty) {
            checked.find(format!("{name} is no list, or is empty"));
        }
    }
    for (name, is_right) in [("name", said.body["name"].is_string()), ("test", said.body["test"].is_boolean())] {
        if !is_right {
            checked.find(format!("{name} is missing"));
        }
    }
    Ok((checked, said.body))
}

/// A wrong token must not make a payment.
pub(super) async fn authorization(client: &Client, order: &Value, made: &mut Made) -> Checked {
    let mut checked = Checked::of("authorization", "a wrong token is refused with 401 or 403");
    let id = new_id();
    let put = client.put_with(&id, order, Some("wrong-token")).await;
    expect(&mut checked, "PUT with a wrong token", put, |said| matches!(said.status, 401 | 403));
    expect(&mut checked, "GET of that transfer", client.get(&format!("/transfers/{id}")).await, is_unknown);
    made.refused.push(id);
    checked
}

/// 404 before acceptance.
pub(super) async fn unknown(client: &Client) -> Checked {
    let mut checked = Checked::of("unknown", "a transfer that was never sent is 404 unknown-transfer");
    let id = new_id();
    expect(&mut checked, "GET", client.get(&format!("/transfers/{id}")).await, is_unknown);
    expect(&mut checked, "POST cancel", client.cancel(&id).await, is_unknown);
    checked
}

/// The same PUT twice.
pub(super) async fn repeated(client: &Client, order: &Value, made: &mut Made) -> Checked {
    let mut checked = Checked::of("repeated", "PUT answers 201, then 200 for the same transfer");
    let id = new_id();
    let accepted = |said: &Said| said.status == 201 && has_state(said);
    if expect(&mut checked, "the first PUT", client.put(&id, order).await, accepted).is_some() {
        made.taken.push(id.clone());
    }
    let known = |said: &Said| said.status == 200 && has_state(said);
    expect(&mut checked, "the second PUT", client.put(&id, order).await, known);
    expect(&mut checked, "GET", client.get(&format!("/transfers/{id}")).await, known);
    checked
}

/// Other content under a known id.
pub(super) async fn different(client: &Client, order: &Value, made: &mut Made) -> Checked {
    let mut checked = Checked::of("different", "other content under a known id is 409 different");
    let id = new_id();
    if expect(&mut checked, "the first PUT", client.put(&id, order).await, |said| said.status == 201).is_some() {
        made.taken.push(id.clone());
    }
    let changes: [(&str, Value); 2] = [("/amount", json!(2)), ("/payee/name", json!("Another Person"))];
    for (place, value) in changes {
        let mut other = order.clone();
        if let Some(field) = other.pointer_mut(place) {
            *field = value;
            let what = format!("PUT with another {place}");
            let is_different = |said: &Said| (said.status, said.code()) == (409, "different");
            expect(&mut checked, &what, client.put(&id, &other).await, is_different);
        }
    }
    checked
}

/// A refusal is definite.
pub(super) async fn refused(client: &Client, order: &Value, capabilities: &Value, made: &mut Made) -> Checked {
    let mut checked = Checked::of("refused", "a refusal is 422 with a code, and final");
    let Some(most) = capabilities["amount_max"].as_i64() else {
        checked.skipped = Some("the capabilities have no amount_max".to_owned());
        return checked;
    };
    let id = new_id();
    let mut large = order.clone();
    large["amount"] = json!(most.saturating_add(1));
    let is_refusal = |said: &Said| said.status == 422 && !said.code().is_empty();
    expect(&mut checked, "PUT above amount_max", client.put(&id, &large).await, is_refusal);
    expect(&mut checked, "the same PUT again", client.put(&id, &large).await, is_refusal);
    let is_not_taken = |said: &Said| matches!(said.status, 409 | 422);
    let what = "a payable PUT under the refused id";
    expect(&mut checked, what, client.put(&id, order).await, is_not_taken);
    made.refused.push(id);
    checked
}

/// Equal requests at once.
pub(super) async fn at_once(client: &Client, order: &Value, made: &mut Made) -> Checked {
    let mut checked = Checked::of("at-once", "100 equal PUTs at once make one payment");
    let id = new_id();
    let answers = join_all((0..AT_ONCE).map(|_| client.put(&id, order))).await;
    let mut created = 0;
    for answer in answers {
        let said = expect(&mut checked, "one of the PUTs", answer, |said| matches!(said.status, 200 | 201));
        created += usize::from(said.is_some_and(|said| said.status == 201));
    }
    if created != 1 {
        checked.find(format!("{created} of the PUTs answered 201"));
    }
    made.taken.push(id);
    checked
}

/// Cancels in each state.
pub(super) async fn canceled(client: &Client, order: &Value, wait: Duration, made: &mut Made) -> Checked {
    let mut checked = Checked::of("cancel", "cancel answers the state, and changes no outcome");
    let id = new_id();
    if expect(&mut checked, "PUT", client.put(&id, order).await, |said| said.status == 201).is_none() {
        return checked;
    }
    made.taken.push(id.clone());
    let shown = |said: &Said| said.status == 200 && has_state(said);
    let first = expect(&mut checked, "cancel of a new payment", client.cancel(&id).await, shown);
    let second = expect(&mut checked, "cancel again", client.cancel(&id).await, shown);
    let got = expect(&mut checked, "GET after cancel", client.get(&format!("/transfers/{id}")).await, shown);
    if let (Some(first), Some(second), Some(got)) = (first, second, got)
        && first.state() == "canceled"
        && (second.state(), got.state()) != ("canceled", "canceled")
    {
        checked.find(format!("a canceled payment became {} and {}", second.state(), got.state()));
    }
    let id = new_id();
    if expect(&mut checked, "PUT", client.put(&id, order).await, |said| said.status == 201).is_none() {
        return checked;
    }
    made.taken.push(id.clone());
    match outcome(client, &id, wait).await {
        Some(state) => {
            let after = expect(&mut checked, "cancel of a payment with an outcome", client.cancel(&id).await, shown);
            if let Some(after) = after
                && after.state() != state
                && (state.as_str(), after.state()) != ("completed", "returned")
            {
                checked.find(format!("cancel changed a payment from {state} to {}", after.state()));
            }
        }
        None => {
            let seconds = wait.as_secs();
            checked.skipped =
                Some(format!("no payment had an outcome within {seconds} s, so that state is not checked"));
        }
    }
    checked
}

/// Waits for the outcome of a payment.
async fn outcome(client: &Client, id: &str, wait: Duration) -> Option<String> {
    let begun = Instant::now();
    loop {
        let said = client.get(&format!("/transfers/{id}")).await.ok()?;
        if matches!(said.state(), "completed" | "failed" | "returned" | "canceled") {
            return Some(said.state().to_owned());
        }
        if begun.elapsed() >= wait {
            return None;
        }
        tokio::time::sleep(LOOK_UP_EVERY).await;
    }
}

/// Never 404 after acceptance.
pub(super) async fn remembered(client: &Client, made: &Made) -> Checked {
    let mut checked = Checked::of("remembered", "a transfer that was accepted is never unknown");
    for id in &made.taken {
        let known = |said: &Said| said.status == 200 && has_state(said);
        expect(&mut checked, &format!("GET of {id}"), client.get(&format!("/transfers/{id}")).await, known);
    }
    checked
}
