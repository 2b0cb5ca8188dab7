//! The sandbox at a glance, on the developer's own machine: its keys, its clock, its wallet, and a test payout to follow.
//!
//! The pages act with the demonstration app's key and show what the API returns: they call its handlers.
//!
//! Invariant: the key is only shown by, and the pages only act in, a sandbox that serves its own machine alone
//! (`Bursar::local_credentials`). They reject a form that another site's page sent.

use std::sync::LazyLock;

use base64::prelude::*;
use serde_json::{Value, json};

use super::draw::page;
use super::origin::{must_be_ours, see_other};
use super::views::{Glance, GlanceEvent, GlanceMessage, GlanceTransfer, Movement, SandboxRefusedPage, TestPayoutPage};
use crate::apps::bootstrap;
use crate::apps::{self, Credentials, Presented, authenticate};
use crate::caller::Caller;
use crate::clock::{DAY_SECONDS, Time};
use crate::events;
use crate::http::route::route;
use crate::http::{Answer, Call, Content, Outcome, Route, Who};
use crate::input::input;
use crate::input::types::{Text, word_input};
use crate::money::Cents;
use crate::refusal::{Code, Refusal};
use crate::sandbox;
use crate::strict_json::Json;
use crate::transfers;
use crate::world::record::words;
use crate::{payout_links, payouts};

/// Days that "until settled" passes at most: rails settle within three days, and returns come two days later.
const SETTLE_DAYS_MAX: usize = 7;
const EVENTS_SHOWN: i64 = 10;
/// Headers that a proxy adds, one of them by default at least.
const FORWARDED: [&str; 7] =
    ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "cf-connecting-ip"];
/// Each test payout has a payee of its own: a phone receives a limited number of messages a day.
const PHONE_START: &str = "212736";

/// The operations of the API that the pages call.
static OPERATIONS: LazyLock<Vec<Route>> = LazyLock::new(|| {
    [
        apps::routes(),
        payouts::routes(),
        payout_links::routes(),
        transfers::routes(),
        events::routes(),
        sandbox::routes(),
        sandbox::inbox::routes(),
    ]
    .concat()
});

/// The demonstration app, which the pages act for.
pub(super) struct Local<'call> {
    call: &'call Call,
    caller: Caller,
    credentials: Credentials,
}

impl<'call> Local<'call> {
    /// Returns the app if these pages may act for it and its key is still valid.
    pub async fn of(call: &'call Call) -> Option<Self> {
        let path = call.bursar.local_credentials.get()?.clone();
        // A proxy on this machine would show the key to its clients.
        if FORWARDED.iter().any(|name| call.header(name).is_some()) {
            return None;
        }
        let credentials = tokio::task::spawn_blocking(move || bootstrap::read(&path)).await.ok()?.ok()?;
        let pair = format!("{}:{}", credentials.app.client_id, credentials.app.api_key);
        let basic = format!("Basic {}", BASE64_STANDARD.encode(pair));
        let presented = Presented { authorization: Some(&basic), ..Presented::default() };
        let caller = authenticate(&call.bursar, presented, Who::App, None).await.ok()?;
        Some(Self { call, caller, credentials })
    }

    /// Like [`Local::of`], for a page that exists on the developer's machine only.
    async fn must(call: &'call Call) -> Result<Self, Refusal> {
        Self::of(call).await.ok_or_else(|| Refusal::not_found("page"))
    }

    /// Calls an operation of the API as the app. A placeholder of its path has the value `id`.
    async fn ask(&self, operation: &str, id: &str, query: &[(&str, &str)], body: &Value) -> Result<Value, Refusal> {
        let route = OPERATIONS.iter().find(|route| route.documented.operation_id == operation);
        let route = route.expect("the operations that the pages call exist");
        let placeholder = route.path.split(['{', '}']).nth(1);
        let own = Call {
            bursar: self.call.bursar.clone(),
            caller: self.caller.clone(),
            target: format!("{} {}", route.method.as_str(), route.path),
            path: placeholder.map(|name| (name.to_owned(), id.to_owned())).into_iter().collect(),
            query: query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            signed_bytes: bytes::Bytes::new(),
            is_csv: false,
            body: Json::parse(body.to_string().as_bytes()).expect("it is JSON"),
            idempotency_key: None,
            headers: Vec::new(),
            peer: self.call.peer,
            request_id: self.call.request_id.clone(),
        };
        read(&(route.handler)(own).await?)
    }

    async fn get(&self, operation: &str, query: &[(&str, &str)]) -> Result<Value, Refusal> {
        self.ask(operation, "", query, &json!({})).await
    }

    /// Returns the state of the sandbox for the start page.
    pub async fn glance(&self) -> Result<Glance, Refusal> {
        let clock = self.get("get_sandbox_clock", &[]).await?;
        let app = self.ask("get_app", &self.credentials.app.id.to_string(), &[], &json!({})).await?;
        Ok(Glance {
            client_id: self.credentials.app.client_id.clone(),
            api_key: self.credentials.app.api_key.clone(),
            now: for_people(&clock["now"]),
            ahead: ahead(clock["ahead_seconds"].as_i64().unwrap_or_default()),
            wallet: dollars(&app["metrics"]["wallet_available"]),
            events: self.last_events().await?,
        })
    }

    async fn last_events(&self) -> Result<Vec<GlanceEvent>, Refusal> {
        let head = self.get("list_events", &[("limit", "1")]).await?["head"]["sequence"].as_i64().unwrap_or_default();
        let after = (head - EVENTS_SHOWN).max(0).to_string();
        let mut found = of_events(&self.get("list_events", &[("after", &after)]).await?);
        found.reverse();
        Ok(found)
    }

    /// Moves the clock; returns whether all due work is done.
    async fn clock(&self, seconds: i64) -> Result<bool, Refusal> {
        let moved = self.ask("advance_sandbox_clock", "", &[], &json!({"seconds": seconds})).await?;
        Ok(moved["drained"] == true)
    }

    /// Passes days until no bank transfer is in progress, or due work does not end.
    async fn settle(&self) -> Result<(), Refusal> {
        for _ in 0..SETTLE_DAYS_MAX {
            let pending = self.get("list_transfers", &[("status", "pending"), ("limit", "100")]).await?;
            if rows(&pending).iter().all(|transfer| transfer["type"] == "balance") {
                break;
            }
            if !self.clock(DAY_SECONDS).await? {
                break;
            }
        }
        Ok(())
    }

    /// Sends a test payout, and leads to its page.
    async fn send(&self) -> Outcome {
        must_be_ours(self.call)?;
        let digits = 1_000 + u16::from_be_bytes(self.call.bursar.entropy().bytes()) % 9_000;
        let body = json!({
            "amount": 2_500,
            "payee": {"country_code": "1", "phone_number": format!("{PHONE_START}{digits}")},
            "delivery": {"message": "Thank you!"},
        });
        let made = self.ask("send_payout", "", &[], &body).await?;
        Ok(see_other(format!("/sandbox/payouts/{}", text(&made["id"]))))
    }

    /// Carries out a form that moves the clock, and leads back to its page.
    async fn move_clock(&self) -> Outcome {
        must_be_ours(self.call)?;
        let form = self.call.body::<MoveForm>()?;
        match form.until {
            Until::Hour => drop(self.clock(3_600).await?),
            Until::Day => drop(self.clock(DAY_SECONDS).await?),
            Until::Settled => self.settle().await?,
        }
        Ok(see_other(form.payout.map_or_else(|| "/".to_owned(), |payout| format!("/sandbox/payouts/{payout}"))))
    }

    /// Replies to a text message, and leads back to the inbox of the phone.
    async fn reply(&self) -> Outcome {
        must_be_ours(self.call)?;
        let form = self.call.body::<ReplyForm>()?;
        let sent = json!({"from": form.from.0, "text": form.text.0});
        let read = self.ask("send_sandbox_reply", "", &[], &sent).await?;
        Ok(see_other(format!("/inbox?to={}", text(&read["from"]).trim_start_matches('+'))))
    }

    /// Returns the payout with its messages, transfers and events.
    async fn follow(&self, id: &str) -> Result<TestPayoutPage, Refusal> {
        let link = self.ask("get_payout_link", id, &[], &json!({})).await?;
        let recent = self.get("list_transfers", &[("limit", "100")]).await?;
        let transfers: Vec<&Value> = rows(&recent).iter().filter(|transfer| transfer["payout_link_id"] == id).collect();
        let to = recipient(&link);
        let messages = self.get("list_sandbox_messages", &[("to", &to), ("limit", "20")]).await?;
        let mut events = Vec::new();
        for object in [&link].into_iter().chain(transfers.iter().copied()) {
            let of_object = [("object_id", object["id"].as_str().unwrap_or_default()), ("limit", "100")];
            events.extend(of_events(&self.get("list_events", &of_object).await?));
        }
        events.sort_by_key(|event| event.sequence);
        let clock = self.get("get_sandbox_clock", &[]).await?;
        Ok(TestPayoutPage {
            id: id.to_owned(),
            amount: dollars(&link["amount"]),
            to,
            status: words(&link["status"]),
            claim: text(&link["link"]),
            is_open: is_open(&link),
            is_under_way: is_open(&link) || transfers.iter().any(|transfer| transfer["status"] == "pending"),
            messages: rows(&messages).iter().map(shown_message).collect(),
            transfers: transfers.into_iter().rev().map(shown_transfer).collect(),
            events,
            now: for_people(&clock["now"]),
            is_sandbox: true,
        })
    }
}

/// Returns the body of an answer, or the refusal that it is.
fn read(answer: &Answer) -> Result<Value, Refusal> {
    if let Content::Refusal(refusal) = &answer.content {
        return Err((**refusal).clone());
    }
    let Content::Json(body) = &answer.content else { return Ok(Value::Null) };
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    if answer.status < 400 {
        return Ok(body);
    }
    let code = Code::ALL.iter().copied().find(|code| body["error_code"] == code.as_str());
    Err(Refusal::new(code.unwrap_or(Code::InternalError), text(&body["message"])))
}

/// Returns a refusal as a page, because a person reads it.
fn for_a_person(outcome: Outcome) -> Outcome {
    outcome.or_else(|refusal| {
        page(refusal.code.status(), &SandboxRefusedPage { message: refusal.message, is_sandbox: true })
    })
}

/// Whether the payee can claim a link.
fn is_open(link: &Value) -> bool {
    matches!(link["status"].as_str(), Some("sent" | "delivered"))
}

fn rows(list: &Value) -> &[Value] {
    list["data"].as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns a status for people: `delivery pending`.
fn words(status: &Value) -> String {
    text(status).replace('_', " ")
}

/// Returns cents, which the API gives as a number or as text, as dollars.
fn dollars(cents: &Value) -> String {
    let cents = cents.as_i64().or_else(|| cents.as_str()?.parse().ok());
    cents.map_or_else(String::new, |cents| Cents::new(cents).dollars())
}

fn for_people(time: &Value) -> String {
    Time::parse(&text(time)).map_or_else(String::new, |time| time.strftime("%B %-d, %Y, %H:%M:%S UTC"))
}

/// Returns a time in little space, for a table on a phone.
fn shortly(time: &Value) -> String {
    Time::parse(&text(time)).map_or_else(String::new, |time| time.strftime("%b %-d, %H:%M:%S"))
}

fn ahead(seconds: i64) -> String {
    match (seconds / DAY_SECONDS, seconds % DAY_SECONDS / 3_600) {
        (0, 0) => "The clock shows the real time.".to_owned(),
        (0, hours) => format!("The clock is {hours} h ahead of the real time."),
        (days, hours) => format!("The clock is {days} d {hours} h ahead of the real time."),
    }
}

fn recipient(link: &Value) -> String {
    let payee = &link["payee"];
    match (payee["country_code"].as_str(), payee["phone_number"].as_str()) {
        (Some(country), Some(number)) => format!("+{country}{number}"),
        _ => text(&payee["email"]),
    }
}

fn of_events(list: &Value) -> Vec<GlanceEvent> {
    let shown = |event: &Value| GlanceEvent {
        sequence: event["sequence"].as_i64().unwrap_or_default(),
        name: text(&event["name"]),
        status: words(&event["object"]["status"]),
        created: shortly(&event["created"]),
    };
    rows(list).iter().map(shown).collect()
}

fn shown_message(message: &Value) -> GlanceMessage {
    GlanceMessage {
        text: text(&message["text"]),
        code: message["code"].as_str().map(str::to_owned),
        created: for_people(&message["created"]),
    }
}

fn shown_transfer(transfer: &Value) -> GlanceTransfer {
    let movements = transfer["transactions"].as_array().map_or(&[][..], Vec::as_slice);
    GlanceTransfer {
        kind: words(&transfer["type"]),
        status: words(&transfer["status"]),
        amount: dollars(&transfer["amount"]),
        error: transfer["error_message"].as_str().map(str::to_owned),
        movements: movements
            .iter()
            .map(|movement| Movement {
                from: text(&movement["source_name"]),
                to: text(&movement["destination_name"]),
                amount: dollars(&movement["amount"]),
            })
            .collect(),
    }
}

/// POST /sandbox/payouts
pub async fn send_test_payout(call: Call) -> Outcome {
    let local = Local::must(&call).await?;
    for_a_person(local.send().await)
}

/// GET /sandbox/payouts/{payout_link_id}
pub async fn show_test_payout(call: Call) -> Outcome {
    let local = Local::must(&call).await?;
    let followed = local.follow(call.parameter("payout_link_id")).await;
    for_a_person(followed.and_then(|view| page(200, &view)))
}

input! {
    /// A move of the sandbox's clock from a page.
    pub struct MoveForm {
        /// How far.
        pub until: Until,
        /// The payout to show next.
        pub payout: Option<uuid::Uuid>,
    }
}

words! {
    /// How far a page moves the clock.
    pub enum Until {
        Hour = "hour",
        Day = "day",
        /// Until no bank transfer is in progress.
        Settled = "settled",
    }
}
word_input!(Until);

/// POST /sandbox/clock
pub async fn move_sandbox_clock(call: Call) -> Outcome {
    let local = Local::must(&call).await?;
    for_a_person(local.move_clock().await)
}

input! {
    /// A reply from the inbox.
    pub struct ReplyForm {
        /// The phone that replies.
        pub from: Text<20>,
        /// The text.
        pub text: Text<20>,
    }
}

/// GET /sandbox/keys
///
/// For the forms of the reference. The pages of the reference are shared and cached, so they do not have the keys.
pub async fn show_sandbox_keys(call: Call) -> Outcome {
    must_be_ours(&call)?;
    let Credentials { organization, app, .. } = Local::must(&call).await?.credentials;
    Ok(Answer::ok(&json!({
        "app": {"id": app.id, "client_id": app.client_id, "api_key": app.api_key},
        "organization": {"client_id": organization.client_id, "api_key": organization.api_key},
    })))
}

/// POST /inbox/replies
pub async fn send_inbox_reply(call: Call) -> Outcome {
    let local = Local::must(&call).await?;
    for_a_person(local.reply().await)
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Get "/sandbox/keys" Anyone "show_sandbox_keys" show_sandbox_keys)
            .about("Pages", "Get the sandbox's keys for the forms of the reference, on this machine only")
            .gives_empty(200, "The keys.")
            .refuses(&[Code::NotFound, Code::NotPermitted]),
        route!(Post "/inbox/replies" Anyone "send_inbox_reply" send_inbox_reply)
            .about("Pages", "Reply to a text message, in a sandbox on this machine only")
            .gives_empty(303, "The inbox of the phone.")
            .refuses(&[Code::NotFound, Code::NotPermitted]),
        route!(Post "/sandbox/payouts" Anyone "send_test_payout" send_test_payout)
            .about("Pages", "Send a test payout, in a sandbox on this machine only")
            .gives_empty(303, "The page that follows the payout.")
            .refuses(&[Code::NotFound, Code::NotPermitted, Code::InsufficientFunds]),
        route!(Get "/sandbox/payouts/{payout_link_id}" Anyone "show_test_payout" show_test_payout)
            .about("Pages", "Follow a payout, in a sandbox on this machine only")
            .gives_empty(200, "The page.")
            .refuses(&[Code::NotFound]),
        route!(Post "/sandbox/clock" Anyone "move_sandbox_clock" move_sandbox_clock)
            .about("Pages", "Move the clock, in a sandbox on this machine only")
            .gives_empty(303, "The page that the form was on.")
            .refuses(&[Code::NotFound, Code::NotPermitted, Code::InvalidInput]),
    ]
}
