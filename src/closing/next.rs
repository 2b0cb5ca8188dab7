//! Finds the next rows to erase. It is a read, because lists may be stale in commands. The rows of a page are loaded
//! together, because a read may load a limited number of times.

use std::sync::Arc;

use uuid::Uuid;

use super::model::{Erasure, Step};
use crate::apps::App;
use crate::claims::ClaimContact;
use crate::clock::Time;
use crate::events::{Filter, Page as LogPage};
use crate::idempotency::{self, StoredAnswer};
use crate::ids::{
    AppId, EventId, MessageId, OrgId, PayoutLinkBatchId, PayoutLinkId, PayoutRequestId, TransferId, UserId,
};
use crate::messages::{InboxMessage, Message};
use crate::payout_link_batches::{BatchRow, PayoutLinkBatch};
use crate::payout_links::PayoutLink;
use crate::payout_requests::PayoutRequest;
use crate::scope::Scope;
use crate::transfers::Transfer;
use crate::vault::Vault;
use crate::world::query::{Compare, Direction};
use crate::world::record::{Cell, key};
use crate::world::{Halt, Query, Record, Value, World};

/// Rows of a page, small because a link brings its events along.
const PAGE: usize = 20;
/// Responses that are searched for one page.
const ANSWERS: usize = 500;

/// Apps whose rows are queried at once.
const APPS: usize = 50;

#[derive(Clone, Debug)]
pub enum Found {
    Links(Vec<PayoutLinkId>),
    /// By their links.
    Contacts(Vec<PayoutLinkId>),
    Requests(Vec<PayoutRequestId>),
    Transfers(Vec<TransferId>),
    Events(Vec<(AppId, EventId)>),
    Messages(Vec<MessageId>),
    Inbox(Vec<MessageId>),
    Answers(Vec<(Uuid, String)>),
    Rows(Vec<(PayoutLinkBatchId, i64)>),
}

/// The rows to erase next, and the start of the page after them.
#[derive(Clone, Debug)]
pub struct Page {
    pub step: Step,
    /// The row after which the page begins.
    pub after: Option<String>,
    pub found: Found,
    /// The last row that was read; `None` if the step has no more.
    pub through: Option<String>,
}

/// Returns the next page of an erasure; `None` if this user has no erasure.
pub fn next(world: &mut World, vault: &Vault, org: OrgId, user: UserId) -> Result<Option<Page>, Halt> {
    let Some(erasure) = world.get::<Erasure>(key![org, user])? else { return Ok(None) };
    let (step, after) = (erasure.step, erasure.after.clone());
    let (phone, email) = (erasure.phone.clone(), erasure.email.clone());
    let (found, through) = match step {
        Step::Links => links(world, &erasure, "payee_user", Some(user))?,
        Step::LinksByPhone => links(world, &erasure, "payee_phone", phone)?,
        Step::LinksByEmail => links(world, &erasure, "payee_email", email)?,
        Step::Contacts => contacts(world, &erasure)?,
        Step::Requests => requests(world, &erasure, "user_id", Some(user))?,
        Step::RequestsByPhone => requests(world, &erasure, "payee_phone", phone)?,
        Step::Transfers => transfers(world, &erasure)?,
        Step::Events => events(world, &erasure)?,
        Step::MessagesByPhone => messages(world, &erasure, phone)?,
        Step::MessagesByEmail => messages(world, &erasure, email)?,
        Step::InboxByPhone => inbox(world, &erasure, phone)?,
        Step::InboxByEmail => inbox(world, &erasure, email)?,
        Step::Answers => answers(world, vault, &erasure)?,
        Step::Batches => batches(world, &erasure)?,
    };
    Ok(Some(Page { step, after, found, through }))
}

type Portion = (Found, Option<String>);

/// Returns the next rows of `R` by id, optionally those with a value in a column.
fn rows<R: Record>(
    world: &World,
    erasure: &Erasure,
    order: &'static str,
    equal: Option<(&'static str, Value)>,
) -> Result<Vec<Arc<R>>, Halt> {
    let after = erasure.after.as_ref().and_then(|after| after.parse::<Uuid>().ok());
    let query = Query::of::<R>(erasure.org.to_value(), order, PAGE);
    let query = match equal {
        Some((column, value)) => query.filter(column, Compare::Equal, value),
        None => query,
    };
    world.page::<R>(&Query { direction: Direction::Ascending, after: after.map(|after| after.to_value()), ..query })
}

/// Returns the end of a full page, after which there may be more rows.
fn through<I: ToString>(ids: &[I], page: usize) -> Option<String> {
    ids.last().filter(|_| ids.len() >= page).map(ToString::to_string)
}

fn links(world: &World, erasure: &Erasure, column: &'static str, value: Option<impl Cell>) -> Result<Portion, Halt> {
    let Some(value) = value else { return Ok((Found::Links(Vec::new()), None)) };
    let ids: Vec<_> = rows::<PayoutLink>(world, erasure, "id", Some((column, value.to_value())))?
        .iter()
        .map(|link| link.id)
        .collect();
    let through = through(&ids, PAGE);
    Ok((Found::Links(ids), through))
}

fn contacts(world: &World, erasure: &Erasure) -> Result<Portion, Halt> {
    let contacts = rows::<ClaimContact>(world, erasure, "link", None)?;
    let links: Vec<_> = contacts.iter().map(|contact| contact.link).collect();
    let through = through(&links, PAGE);
    let is_theirs =
        |recipient: &String| [&erasure.phone, &erasure.email].into_iter().flatten().any(|of| of == recipient);
    let theirs = contacts.iter().filter(|contact| is_theirs(&contact.recipient)).map(|contact| contact.link).collect();
    Ok((Found::Contacts(theirs), through))
}

fn requests(world: &World, erasure: &Erasure, column: &'static str, value: Option<impl Cell>) -> Result<Portion, Halt> {
    let Some(value) = value else { return Ok((Found::Requests(Vec::new()), None)) };
    let found = rows::<PayoutRequest>(world, erasure, "id", Some((column, value.to_value())))?;
    let ids: Vec<_> = found.iter().map(|request| request.id).collect();
    let through = through(&ids, PAGE);
    Ok((Found::Requests(ids), through))
}

/// Returns the apps of the organization from the current one on, each with its last finished row.
fn apps(world: &World, erasure: &Erasure) -> Result<Vec<(AppId, Option<String>)>, Halt> {
    let (at, behind) = match erasure.after.as_ref().and_then(|after| after.split_once('/')) {
        Some((app, behind)) => (app.parse::<Uuid>().ok(), Some(behind.to_owned())),
        None => (None, None),
    };
    let mut apps: Vec<AppId> = world.all::<App>(App::OF_ORG, key![erasure.org])?.iter().map(|app| app.id).collect();
    apps.sort();
    let from = apps.into_iter().filter(|app| at.is_none_or(|at| app.0 >= at));
    Ok(from.map(|app| (app, behind.clone().filter(|_| Some(app.0) == at))).collect())
}

/// Returns the first page with rows, of the apps from the current one on. If no app has rows and more apps follow, it
/// returns the position to continue from.
fn of_apps<R>(
    world: &mut World,
    erasure: &Erasure,
    page: impl Fn(&World, AppId, Option<&str>) -> Result<Vec<Arc<R>>, Halt>,
) -> Result<(Vec<Arc<R>>, Option<String>), Halt> {
    let apps = apps(world, erasure)?;
    let (near, far) = apps.split_at(apps.len().min(APPS));
    let pages = world.each(near, |world, (app, behind)| page(world, *app, behind.as_deref()))?;
    let found = pages.into_iter().find(|page| !page.is_empty()).unwrap_or_default();
    Ok((found, near.last().filter(|_| !far.is_empty()).map(|(app, _)| format!("{app}/"))))
}

fn transfers(world: &mut World, erasure: &Erasure) -> Result<Portion, Halt> {
    let (page, through) = of_apps::<Transfer>(world, erasure, |world, app, behind| {
        let query = Query::of::<Transfer>(erasure.org.to_value(), "id", PAGE).equal("app", app);
        let after = behind.and_then(|behind| behind.parse::<Uuid>().ok()).map(|id| id.to_value());
        world.page(&Query { direction: Direction::Ascending, after, ..query.equal("user_id", erasure.user_id) })
    })?;
    let through = page.last().map(|last| format!("{}/{}", last.app, last.id)).or(through);
    Ok((Found::Transfers(page.iter().map(|transfer| transfer.id).collect()), through))
}

fn events(world: &mut World, erasure: &Erasure) -> Result<Portion, Halt> {
    let filter = Filter { name: None, object: Some(erasure.user_id.0) };
    let (page, through) = of_apps(world, erasure, |world, app, behind| {
        let (scope, after) = (Scope { org: erasure.org, app }, behind.and_then(|behind| behind.parse().ok()));
        LogPage { scope, filter, direction: Direction::Ascending, after, limit: PAGE }.events(world)
    })?;
    let through = page.last().map(|last| format!("{}/{}", last.app, last.sequence)).or(through);
    Ok((Found::Events(page.iter().map(|event| (event.app, event.id)).collect()), through))
}

fn messages(world: &World, erasure: &Erasure, recipient: Option<String>) -> Result<Portion, Halt> {
    let Some(recipient) = recipient else { return Ok((Found::Messages(Vec::new()), None)) };
    let found = rows::<Message>(world, erasure, "id", Some(("recipient", recipient.to_value())))?;
    let ids: Vec<_> = found.iter().map(|message| message.id).collect();
    let through = through(&ids, PAGE);
    Ok((Found::Messages(ids), through))
}

fn inbox(world: &World, erasure: &Erasure, recipient: Option<String>) -> Result<Portion, Halt> {
    let Some(recipient) = recipient else { return Ok((Found::Inbox(Vec::new()), None)) };
    let found = rows::<InboxMessage>(world, erasure, "id", Some(("recipient", recipient.to_value())))?;
    let ids: Vec<_> = found.iter().map(|message| message.id).collect();
    let through = through(&ids, PAGE);
    Ok((Found::Inbox(ids), through))
}

/// Returns stored responses of the last 30 days that contain the payee or the payee's objects.
fn answers(world: &mut World, vault: &Vault, erasure: &Erasure) -> Result<Portion, Halt> {
    let after = erasure.after.as_ref().and_then(|after| after.parse().ok()).map(Time::from_micros);
    let query = Query::of::<StoredAnswer>(erasure.org.to_value(), "created_at", ANSWERS);
    // Only those that still have a body: no comparison matches an empty cell.
    let query = query.filter("body", Compare::AtLeast, String::new().to_value());
    let after = after.map(|after| after.to_value());
    let page = world.page::<StoredAnswer>(&Query { direction: Direction::Ascending, after, ..query })?;
    let theirs = world.each(&page, |world, answer| {
        if !erasure.covers(answer.created_at) {
            return Ok(None);
        }
        // A response that does not open may contain the payee's data.
        let shows = idempotency::shown(answer, vault).is_none_or(|body| erasure.is_in(&body));
        let is_theirs = shows || is_theirs(world, erasure, answer.object_id.as_deref())?;
        Ok(is_theirs.then(|| (answer.scope, answer.idempotency_key.clone())))
    })?;
    let theirs = theirs.into_iter().flatten().collect();
    let last = page.last().filter(|_| page.len() >= ANSWERS);
    Ok((Found::Answers(theirs), last.map(|last| last.created_at.micros().to_string())))
}

/// Whether the link, request or transfer of this id belongs to the payee.
fn is_theirs(world: &World, erasure: &Erasure, id: Option<&str>) -> Result<bool, Halt> {
    let Some(id) = id.and_then(|id| id.parse::<Uuid>().ok()) else { return Ok(false) };
    let (org, user) = (erasure.org, Some(erasure.user_id));
    if let Some(link) = world.get::<PayoutLink>(key![org, PayoutLinkId(id)])? {
        return Ok(link.payee_user == user);
    }
    if let Some(transfer) = world.get::<Transfer>(key![org, TransferId(id)])? {
        return Ok(transfer.user_id == user);
    }
    Ok(world.get::<PayoutRequest>(key![org, PayoutRequestId(id)])?.is_some_and(|request| request.user_id == user))
}

fn batches(world: &mut World, erasure: &Erasure) -> Result<Portion, Halt> {
    let page = rows::<PayoutLinkBatch>(world, erasure, "id", None)?;
    let rows = world.each(&page, |world, batch| {
        if !erasure.covers(batch.created_at) {
            return Ok(Vec::new());
        }
        world.all::<BatchRow>(BatchRow::OF_BATCH, key![erasure.org, batch.id]).map(Vec::from_iter)
    })?;
    let theirs = world.each(rows.into_iter().flatten(), |world, row| {
        let shows = if let Value::Text(asked) = row.asked.to_value() { erasure.is_in(&asked) } else { false };
        let link = row.payout_link.map(|link| link.to_string());
        Ok((shows || is_theirs(world, erasure, link.as_deref())?).then_some((row.batch, row.number)))
    })?;
    let theirs = theirs.into_iter().flatten().collect();
    let ids: Vec<_> = page.iter().map(|batch| batch.id).collect();
    Ok((Found::Rows(theirs), through(&ids, PAGE)))
}
