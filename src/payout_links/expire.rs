//! The timed changes of a link: it expires, or its payee is reminded.
//!
//! One job of a link does both: it wakes for each reminder and for the expiry. Most links get it three days after their
//! creation (`sweep.rs`). A link whose sender chose `remind_at` has that reminder only, by another job.

use std::sync::Arc;

use super::model::{DeliveryMethod, LinkStatus, PayoutLink};
use super::rules::{self, LinkEvent, Transition};
use crate::apps;
use crate::clock::{DAY_SECONDS, Time};
use crate::engine::Command;
use crate::ids::PayoutLinkId;
use crate::jobs::{self, Leased};
use crate::world::record::key;
use crate::world::{Halt, World};

/// From the creation of a link to its first reminder.
pub(super) const FIRST_REMINDER_SECONDS: i64 = 3 * DAY_SECONDS;
/// From the last reminder of a link to its expiry.
const LAST_REMINDER_SECONDS: i64 = DAY_SECONDS;

/// Returns when the job of a link wakes next after `now`: for a reminder, else for the expiry. Reminders are a day
/// apart, from each other and from the creation.
fn next_wake(method: DeliveryMethod, created_at: Time, expires_at: Time, now: Time) -> Time {
    let is_sent = match method {
        DeliveryMethod::Sms | DeliveryMethod::Email | DeliveryMethod::All => true,
        DeliveryMethod::Link => false,
    };
    let first = created_at.plus_seconds(FIRST_REMINDER_SECONDS);
    let last = expires_at.plus_seconds(-LAST_REMINDER_SECONDS);
    let has_last = is_sent && last >= created_at.plus_seconds(DAY_SECONDS);
    let has_first = is_sent && last >= first.plus_seconds(DAY_SECONDS);
    let reminders = [(has_first, first), (has_last, last)];
    let next = reminders.into_iter().find(|(is_due, at)| *is_due && *at > now);
    next.map_or(expires_at, |(_, at)| at)
}

/// Returns when the job of a link wakes first. A reminder that the sender chose replaces the others.
pub(super) fn first_wake(link: &PayoutLink) -> Time {
    next_wake(link.delivery_method, link.created_at, link.expires_at, link.created_at)
}

/// Expires a link and releases its money, unless it was claimed or canceled. Before its expiry, reminds its payee.
#[derive(Clone, Debug)]
pub struct Expire {
    pub leased: Leased,
    pub link: PayoutLinkId,
}

impl Command for Expire {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let (link, now) = (world.get::<PayoutLink>(key![self.leased.org, self.link])?, world.now());
        let Some(link) = link else { return jobs::finish(world, &self.leased) };
        match rules::transition(link.status, LinkEvent::Expired) {
            Transition::Moved(_) if now < link.expires_at => {
                let wake = next_wake(link.delivery_method, link.created_at, link.expires_at, now);
                jobs::put_off(world, &self.leased, wake, None)?;
                let wants = apps::find_even_deleted(world, link.scope())?.settings.0.payee_reminders;
                if wants && has_reached(link.status) {
                    remind(world, &link)?;
                }
                Ok(())
            }
            Transition::Moved(to) => {
                jobs::finish(world, &self.leased)?;
                super::cancel::release(world, &link, to).map(|_| ())
            }
            // Claimed or canceled: no money is left to release, and nothing to remind of.
            Transition::AlreadyApplied | Transition::Refused(_) => jobs::finish(world, &self.leased),
        }
    }
}

/// Whether a message about the link was accepted, so that another one can arrive too.
const fn has_reached(status: LinkStatus) -> bool {
    match status {
        LinkStatus::Sent | LinkStatus::Delivered => true,
        LinkStatus::Created
        | LinkStatus::FundsPending
        | LinkStatus::DeliveryPending
        | LinkStatus::DeliveryFailed
        | LinkStatus::Claimed
        | LinkStatus::Reversed
        | LinkStatus::Canceled
        | LinkStatus::Expired
        | LinkStatus::Failed => false,
    }
}

/// Delivers a link again at the time that its sender chose, if it may still be delivered.
#[derive(Clone, Debug)]
pub struct Remind {
    pub leased: Leased,
    pub link: PayoutLinkId,
}

impl Command for Remind {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        jobs::finish(world, &self.leased)?;
        let Some(link) = world.get::<PayoutLink>(key![self.leased.org, self.link])? else { return Ok(()) };
        remind(world, &link)
    }
}

fn remind(world: &mut World, link: &Arc<PayoutLink>) -> Result<(), Halt> {
    if rules::may_deliver(link, world.now()).is_err() {
        return Ok(());
    }
    if world.attempt(|world| super::deliver::refuse_erased(world, link))?.is_err() {
        return Ok(());
    }
    super::deliver::deliver_unasked(world, link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_wakes_for_its_reminders_and_its_end() {
        let start = Time::parse("2026-06-01T10:00:00Z").unwrap();
        let wakes = |method, days: i64| {
            let end = start.plus_seconds(days * DAY_SECONDS);
            let mut wakes = vec![next_wake(method, start, end, start)];
            while wakes[wakes.len() - 1] < end {
                wakes.push(next_wake(method, start, end, wakes[wakes.len() - 1]));
            }
            wakes.iter().map(|at| at.seconds_since(start) / DAY_SECONDS).collect::<Vec<_>>()
        };
        assert_eq!(wakes(DeliveryMethod::Sms, 30), [3, 29, 30]);
        assert_eq!(wakes(DeliveryMethod::Email, 5), [3, 4, 5]);
        assert_eq!(wakes(DeliveryMethod::All, 4), [3, 4], "the two would be on one day");
        assert_eq!(wakes(DeliveryMethod::Sms, 2), [1, 2]);
        assert_eq!(wakes(DeliveryMethod::Sms, 1), [1]);
        assert_eq!(wakes(DeliveryMethod::Link, 30), [30], "the sender delivers it");
    }
}
