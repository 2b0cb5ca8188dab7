//! Erases the rows of a payee, one page at a time.

use std::sync::Arc;

use uuid::Uuid;

use super::model::{Erasure, Step};
use super::next::{Found, Page};
use super::redact::redacted_text;
use crate::bank_files;
use crate::bank_intake;
use crate::bank_reversals;
use crate::claims::{ClaimContact, ClaimSession};
use crate::engine::Command;
use crate::events::{self, Found as FoundEvent};
use crate::idempotency::StoredAnswer;
use crate::ids::{AppId, EventId, OrgId, PayoutLinkBatchId, PayoutLinkId, PayoutRequestId, TransferId, UserId};
use crate::jobs::{self, Leased};
use crate::messages::{InboxMessage, Message, delivery_days};
use crate::payout_link_batches::{BatchRow, PayoutLinkBatch, RowStatus};
use crate::payout_links::{self, PayoutLink};
use crate::payout_requests::{self, PayoutRequest};
use crate::refusal::Code;
use crate::scope::Scope;
use crate::transfers::Transfer;
use crate::webhooks;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// Replaces an erased contact.
const ERASED: &str = "erased";

/// Erases a page. The job continues until no rows are left.
#[derive(Clone, Debug)]
pub struct ErasePage {
    pub leased: Leased,
    pub user: UserId,
    /// `None` if the erasure is complete.
    pub page: Option<Page>,
}

impl Command for ErasePage {
    type Reply = ();

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<Erasure>(key![self.leased.org, self.user])]
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let erasure = world.get::<Erasure>(key![self.leased.org, self.user])?;
        let (Some(erasure), Some(page)) = (erasure, &self.page) else { return jobs::finish(world, &self.leased) };
        if (erasure.step, &erasure.after) == (page.step, &page.after) {
            erase(world, &erasure, &page.found)?;
            let follows = match &page.through {
                Some(_) => Some(page.step),
                None => Step::ALL.iter().copied().skip_while(|step| *step != page.step).nth(1),
            };
            let Some(step) = follows else {
                for recipient in [&erasure.phone, &erasure.email].into_iter().flatten() {
                    delivery_days::forget(world, erasure.org, recipient)?;
                }
                world.remove(&erasure);
                return jobs::finish(world, &self.leased);
            };
            world.change(&erasure, |erasure| {
                erasure.step = step;
                erasure.after.clone_from(&page.through);
            });
        }
        let now = world.now();
        jobs::put_off(world, &self.leased, now, None)
    }
}

fn erase(world: &mut World, erasure: &Erasure, found: &Found) -> Result<(), Halt> {
    let org = erasure.org;
    match found {
        Found::Links(ids) => world.each(ids, |world, id| link(world, erasure, *id)).map(drop),
        Found::Contacts(links) => world.each(links, |world, id| contact(world, org, *id)).map(drop),
        Found::Requests(ids) => world.each(ids, |world, id| request(world, erasure, *id)).map(drop),
        Found::Transfers(ids) => world.each(ids, |world, id| transfer(world, org, *id)).map(drop),
        Found::Events(places) => {
            let event = |world: &mut World, (app, id): &(AppId, EventId)| {
                let found = events::find(world, Scope { org, app: *app }, *id)?;
                found.map_or(Ok(()), |found| erase_event(world, &found))
            };
            world.each(places, event).map(drop)
        }
        Found::Messages(ids) => world
            .each(ids, |world, id| {
                if let Some(message) = world.get::<Message>(key![org, *id])?
                    && erasure.covers(message.created_at)
                {
                    world.change(&message, Message::erase);
                }
                Ok(())
            })
            .map(drop),
        Found::Inbox(ids) => world
            .each(ids, |world, id| {
                if let Some(message) = world.get::<InboxMessage>(key![org, *id])?
                    && erasure.covers(message.created_at)
                {
                    world.remove(&message);
                }
                Ok(())
            })
            .map(drop),
        Found::Answers(keys) => world
            .each(keys, |world, (scope, key)| {
                if let Some(answer) = world.get::<StoredAnswer>(key![org, *scope, key.clone()])? {
                    world.change(&answer, StoredAnswer::bury);
                }
                Ok(())
            })
            .map(drop),
        Found::Rows(places) => world.each(places, |world, (batch, number)| row(world, org, *batch, *number)).map(drop),
    }
}

/// Erases a link, the contact of its claim, and the events about it and about the transfer that holds its money.
fn link(world: &mut World, erasure: &Erasure, id: PayoutLinkId) -> Result<(), Halt> {
    let org = erasure.org;
    let Some(link) = world.get::<PayoutLink>(key![org, id])? else { return Ok(()) };
    // The phone number or address may belong to another user by now.
    if link.payee_user.is_some_and(|user| user != erasure.user_id) || !erasure.covers(link.created_at) {
        return Ok(());
    }
    contact(world, org, id)?;
    payout_links::erase(world, &link, erasure.user_id)?;
    for object in [id.0, link.transfer.0] {
        events_of(world, org, object)?;
    }
    match world.get::<Transfer>(key![org, link.transfer])? {
        Some(transfer) => without_metadata(world, &transfer),
        None => Ok(()),
    }
}

fn contact(world: &mut World, org: OrgId, link: PayoutLinkId) -> Result<(), Halt> {
    if let Some(contact) = world.get::<ClaimContact>(key![org, link])? {
        world.change(&contact, |contact| ERASED.clone_into(&mut contact.recipient));
    }
    for session in world.all::<ClaimSession>(ClaimSession::OF_LINK, key![org, link])? {
        if session.change_to.is_some() {
            world.change(&session, |session| (session.change_from, session.change_to) = (None, None));
        }
    }
    Ok(())
}

fn request(world: &mut World, erasure: &Erasure, id: PayoutRequestId) -> Result<(), Halt> {
    let Some(request) = world.get::<PayoutRequest>(key![erasure.org, id])? else { return Ok(()) };
    if request.user_id.is_some_and(|user| user != erasure.user_id) || !erasure.covers(request.created_at) {
        return Ok(());
    }
    payout_requests::erase(world, &request)?;
    events_of(world, erasure.org, id.0)
}

fn transfer(world: &mut World, org: OrgId, id: TransferId) -> Result<(), Halt> {
    if let Some(transfer) = world.get::<Transfer>(key![org, id])? {
        without_metadata(world, &transfer)?;
    }
    for entry in bank_files::erase(world, org, id)? {
        bank_intake::erase(world, org, entry.transfer)?;
        bank_reversals::erase(world, &entry)?;
    }
    events_of(world, org, id.0)
}

fn without_metadata(world: &mut World, transfer: &Arc<Transfer>) -> Result<(), Halt> {
    if transfer.metadata.is_some() {
        world.change(transfer, |transfer| transfer.metadata = None);
    }
    Ok(())
}

fn row(world: &mut World, org: OrgId, batch: PayoutLinkBatchId, number: i64) -> Result<(), Halt> {
    let Some(row) = world.get::<BatchRow>(key![org, batch, number])? else { return Ok(()) };
    let Some(batch) = world.get::<PayoutLinkBatch>(key![org, batch])? else { return Ok(()) };
    world.change(&row, BatchRow::erase);
    // Without a payee, the link would be for any holder.
    if row.status == RowStatus::Waiting {
        world.change(&batch, |batch| batch.failed += 1);
        world.change(&row, |row| {
            row.status = RowStatus::Failed;
            row.error_code = Some(Code::UserInactive.as_str().to_owned());
        });
    }
    Ok(())
}

fn events_of(world: &mut World, org: OrgId, object: Uuid) -> Result<(), Halt> {
    let reported = events::about(world, org, object)?;
    world.each(reported, |world, event| erase_event(world, &event)).map(drop)
}

/// Erases an event, and the responses of its receivers, which may repeat it.
fn erase_event(world: &mut World, found: &FoundEvent) -> Result<(), Halt> {
    let event = &found.event;
    webhooks::erase(world, Scope { org: event.org, app: event.app }, event.sequence)?;
    let object = redacted_text(&found.event.object);
    if object == found.event.object { Ok(()) } else { events::erase(world, found, object) }
}
