//! The scenarios of the load generator and their preparation.

use std::time::Duration;

use serde_json::{Value, json};

use super::client::Client;
use super::model::{Load, Scenario, Sent};

/// The amount of each payout, small enough for a hundred million from the sandbox's wallet.
pub const CENTS: u64 = 1;
const ROWS: u64 = 500;
const CHECK_EVERY: Duration = Duration::from_millis(10);
const AREAS: [&str; 40] = [
    "212", "213", "214", "215", "216", "217", "218", "219", "301", "302", "303", "304", "305", "307", "308", "309",
    "310", "312", "313", "314", "315", "316", "317", "318", "319", "401", "402", "404", "405", "406", "407", "408",
    "409", "410", "412", "413", "414", "415", "417", "419",
];
/// Links that are read in turn.
const READ: u64 = 1_000;

impl Sent {
    fn get(path: String) -> Self {
        Self { path, key: String::new(), body: String::new(), link: None, micros: 0 }
    }

    fn post(path: &str, key: String, body: &Value) -> Self {
        Self { path: path.to_owned(), key, body: body.to_string(), link: None, micros: 0 }
    }
}

pub(super) struct Stage {
    scenario: Scenario,
    /// The recipient of transfers.
    user: String,
    paths: Vec<String>,
}

impl Scenario {
    /// Returns whether the requests use data prepared for one app.
    pub(super) const fn needs_one_app(self) -> bool {
        match self {
            Self::SendPayout | Self::Links | Self::Batches => false,
            Self::Transfers | Self::Reads | Self::Lists => true,
        }
    }

    pub(super) async fn prepare(self, client: &mut Client, load: &Load) -> Result<Stage, String> {
        let mut stage = Stage { scenario: self, user: String::new(), paths: Vec::new() };
        match self {
            Self::SendPayout | Self::Links | Self::Batches => {}
            Self::Transfers => {
                let line = load.run % 10_000;
                let user = json!({"first_name": "Load", "last_name": "Test", "email": format!("load{line}@example.com"),
                    "country_code": "1", "phone_number": format!("212737{line:04}")});
                let made = well(client, &Sent::post("/v2/users", format!("user-{}", load.run), &user)).await?;
                stage.user = word(&made, "id")?;
            }
            Self::Reads => {
                for count in 0..READ {
                    let link = json!({"amount": 1, "delivery": {"method": "link"}});
                    let key = format!("read-{}-{count}", load.run);
                    let made = well(client, &Sent::post("/v2/payout-links", key, &link)).await?;
                    stage.paths.push(format!("/v2/payout-links/{}", word(&made, "id")?));
                }
            }
            Self::Lists => stage.paths.push(turn_pages(client, load.page).await?),
        }
        Ok(stage)
    }
}

impl Stage {
    /// Returns how much a success counts.
    pub(super) fn worth(&self) -> u64 {
        match self.scenario {
            Scenario::Batches => ROWS,
            Scenario::SendPayout | Scenario::Links | Scenario::Transfers | Scenario::Reads | Scenario::Lists => 1,
        }
    }

    pub(super) fn request(&self, load: &Load, connection: usize, count: u64) -> Sent {
        let connection = u64::try_from(connection).unwrap_or(0);
        let key = format!("load-{}-{connection}-{count}", load.run);
        match self.scenario {
            Scenario::SendPayout => {
                // 736 0000 to 9999 of many areas: numbers that pass full validation, and enough to stay below the daily
                // delivery limit.
                let number = connection * 1_009 + count * 31 + load.run % 10_000;
                let area = AREAS[usize::try_from(number / 10_000).unwrap_or(0) % AREAS.len()];
                let line = number % 10_000;
                let phone = json!({"country_code": "1", "phone_number": format!("{area}736{line:04}")});
                let body = json!({"amount": CENTS, "payee": phone, "delivery": {"message": "Thank you!"}});
                Sent::post("/v2/payouts/send-payout", key, &body)
            }
            Scenario::Links => {
                let body = json!({"amount": CENTS, "memo": key, "delivery": {"method": "link"}});
                Sent::post("/v2/payout-links", key, &body)
            }
            Scenario::Batches => {
                let row = |row| json!({"amount_cents": 1, "delivery_method": "link", "memo": format!("{key}-{row}")});
                let links: Vec<Value> = (0..ROWS).map(row).collect();
                Sent::post("/v2/payout-link-batches", key, &json!({"links": links}))
            }
            Scenario::Transfers => Sent::post("/v2/transfers", key, &json!({"user_id": self.user, "amount": -1})),
            Scenario::Reads | Scenario::Lists => {
                let turn = usize::try_from(connection * 31 + count).unwrap_or(0);
                Sent::get(self.paths[turn % self.paths.len()].clone())
            }
        }
    }

    /// Sends a request and waits for its result: for a batch, until its last row is done.
    pub(super) async fn send(&self, client: &mut Client, sent: &Sent) -> Option<(u16, String)> {
        let (status, body) = client.call(sent).await?;
        if self.scenario != Scenario::Batches || status >= 300 {
            return Some((status, body));
        }
        let fetch = Sent::get(format!("/v2/payout-link-batches/{}", link_id(&body)?));
        loop {
            let (status, body) = client.call(&fetch).await?;
            let batch: Value = serde_json::from_str(&body).ok()?;
            match batch["status"].as_str()? {
                "submitted" | "processing" => tokio::time::sleep(CHECK_EVERY).await,
                "completed" => return Some((status, body)),
                // A batch with failed rows is not a success.
                _ => return Some((422, body)),
            }
        }
    }
}

/// Returns the path of a page of transfers, which requires reading all pages before it.
async fn turn_pages(client: &mut Client, page: usize) -> Result<String, String> {
    let mut path = "/v2/transfers?limit=100".to_owned();
    for turned in 1..page {
        let list = well(client, &Sent::get(path)).await?;
        let last = list["data"].as_array().and_then(|data| data.last());
        match last.and_then(|last| last["id"].as_str()) {
            Some(id) if list["has_more"] == true => path = format!("/v2/transfers?limit=100&starting_after={id}"),
            _ => return Err(format!("there are only {turned} pages of transfers")),
        }
    }
    Ok(path)
}

/// Returns the body of a successful response.
async fn well(client: &mut Client, sent: &Sent) -> Result<Value, String> {
    match client.call(sent).await {
        Some((status, body)) if (200..300).contains(&status) => {
            serde_json::from_str(&body).map_err(|error| error.to_string())
        }
        Some((status, body)) => Err(format!("{} returned {status}: {body}", sent.path)),
        None => Err("the connection closed".to_owned()),
    }
}

fn word(body: &Value, name: &str) -> Result<String, String> {
    body[name].as_str().map(str::to_owned).ok_or_else(|| format!("a response lacks {name}: {body}"))
}

pub fn link_id(body: &str) -> Option<String> {
    let body: Value = serde_json::from_str(body).ok()?;
    body.get("id")?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_area_gives_out_the_numbers_that_are_paid() {
        for area in AREAS {
            assert!(crate::phone::PhoneNumber::parse("1", &format!("{area}7360000")).is_ok(), "{area}");
        }
    }
}
