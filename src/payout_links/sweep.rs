//! The sweep: it gives a link that is still open three days after its creation the job that reminds and expires it.
//!
//! Most links are claimed within three days, and a job that is written with each of them is written for nothing. So one
//! job of each organization visits its links in the order of their ids, which is the order of their creation. It is due
//! when the next link is to be visited, and it is removed when no link is left.
//!
//! Invariant (36): an open link has its job, or the sweep visits it in time.
//!
//! Deliberately absent: links that need a job earlier, or that have a reminder of their own. They get their jobs at
//! their creation (`create.rs`), and the sweep skips a link that has its job.

use std::sync::Arc;

use uuid::Uuid;

use super::deliver::recipients;
use super::expire::{FIRST_REMINDER_SECONDS, first_wake};
use super::model::PayoutLink;
use super::rules::{self, LinkEvent, Transition};
use crate::apps;
use crate::clock::Time;
use crate::engine::Command;
use crate::events;
use crate::ids::{JobId, OrgId, PayoutLinkId};
use crate::jobs::{self, Job, Leased, Work};
use crate::messages::delivery_days;
use crate::world::query::{Direction, Query};
use crate::world::record::{Cell as _, key};
use crate::world::{Halt, Want, World};

/// Links that are visited in one commit.
const PAGE: usize = 128;

/// The id of an organization's sweep.
fn sweep_of(org: OrgId) -> JobId {
    JobId(org.0)
}

/// The id of a link's own job. Links of earlier versions have jobs with other ids.
pub fn job_of(link: PayoutLinkId) -> JobId {
    JobId(link.0)
}

/// Returns the row that [`watch`] needs.
pub(super) fn want(org: OrgId) -> Want {
    Want::row::<Job>(key![org, sweep_of(org)])
}

fn visited_at(link: &PayoutLink) -> Time {
    link.created_at.plus_seconds(FIRST_REMINDER_SECONDS)
}

/// Whether a link waits for its payee or its money.
pub fn is_open(link: &PayoutLink) -> bool {
    match rules::transition(link.status, LinkEvent::Expired) {
        Transition::Moved(_) => true,
        Transition::AlreadyApplied | Transition::Refused(_) => false,
    }
}

/// Ensures that a new link is reminded of and expires: by the sweep, or by its own job if the sweep would visit it too
/// late or not at all. The last case is a clock that was set back between two starts of the program.
pub(super) fn watch(world: &mut World, link: &PayoutLink) -> Result<(), Halt> {
    let (org, visited_at, wakes_at) = (link.org, visited_at(link), first_wake(link));
    let sweep = jobs::find(world, org, sweep_of(org))?;
    let place = sweep.as_ref().and_then(|sweep| sweep.work.0.swept());
    match (sweep, place) {
        _ if wakes_at < visited_at => enqueue(world, link, wakes_at),
        (Some(sweep), Some((after, _))) if link.id.0 <= after || sweep.due_at > visited_at => {
            enqueue(world, link, wakes_at);
        }
        (Some(sweep), Some((after, true))) => {
            let now = world.now();
            jobs::replan(world, &sweep, Work::SweepLinks { after, idle: false }, now);
        }
        (Some(_), Some((_, false))) => {}
        (None, _) | (_, None) => {
            let after = Uuid::from_u128(link.id.0.as_u128().saturating_sub(1));
            jobs::enqueue_as_at(world, org, sweep_of(org), Work::SweepLinks { after, idle: false }, visited_at);
        }
    }
    Ok(())
}

/// Adds the job of a link.
pub(super) fn enqueue(world: &mut World, link: &PayoutLink, wakes_at: Time) {
    jobs::enqueue_as_at(world, link.org, job_of(link.id), Work::ExpireLink { link: link.id.0 }, wakes_at);
}

/// The links that a sweep visits next.
#[derive(Clone, Debug)]
pub struct Visited {
    /// Those that need a job.
    open: Vec<Arc<PayoutLink>>,
    /// The last visited link.
    after: Uuid,
    /// The time of the next visit; `None` if no link is left.
    next_at: Option<Time>,
}

/// Reads the links that are to be visited now. Runs as a read, because queries are not consistent inside commands.
pub fn to_visit(world: &mut World, org: OrgId, after: Uuid, now: Time) -> Result<Visited, Halt> {
    let page = Query::of::<PayoutLink>(org.to_value(), "id", PAGE);
    let page = Query { direction: Direction::Ascending, after: Some(after.to_value()), ..page };
    let links: Vec<Arc<PayoutLink>> = world.page(&page)?;
    let due = links.iter().take_while(|link| visited_at(link) <= now).count();
    let next_at = links.get(due).map(|link| visited_at(link)).or((links.len() == PAGE).then_some(now));
    let (visited, _) = links.split_at(due);
    let open = visited.iter().filter(|link| is_open(link)).cloned().collect();
    Ok(Visited { open, after: visited.last().map_or(after, |link| link.id.0), next_at })
}

/// Gives the visited links their jobs. Those that are due are done in the same batch, as follow-ups.
#[derive(Clone, Debug)]
pub struct SweepLinks {
    pub leased: Leased,
    pub idle: bool,
    pub visited: Visited,
}

impl Command for SweepLinks {
    type Reply = ();

    /// Includes what the jobs read first: a follow-up has few rounds of loading.
    fn needs(&self) -> Vec<Want> {
        let of_link = |link: &Arc<PayoutLink>| {
            let (org, id, scope) = (link.org, link.id, link.scope());
            let counted = recipients(link).into_iter();
            let counted = counted.flat_map(move |(_, recipient)| delivery_days::wants(scope, Some(recipient)));
            let rows = [Want::row::<PayoutLink>(key![org, id]), Want::row::<Job>(key![org, job_of(id)])];
            rows.into_iter().chain([apps::want(scope), events::want(scope)]).chain(counted)
        };
        self.visited.open.iter().flat_map(of_link).chain([self.leased.want()]).collect()
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let (org, Visited { open, after, next_at }) = (self.leased.org, &self.visited);
        let sweep = jobs::current(world, &self.leased)?;
        // A link that was created after the read clears `idle`, which makes this lease stale. So a sweep that reads no
        // link twice in a row has visited all.
        let idle = next_at.is_none();
        if idle && self.idle && open.is_empty() {
            return jobs::finish(world, &self.leased);
        }
        let next_at = next_at.unwrap_or_else(|| world.now());
        jobs::replan(world, &sweep, Work::SweepLinks { after: *after, idle }, next_at);
        for read in open {
            let Some(link) = world.get::<PayoutLink>(key![org, read.id])? else { continue };
            if is_open(&link) && !jobs::is_there(world, org, job_of(link.id))? {
                enqueue(world, &link, first_wake(&link));
            }
        }
        Ok(())
    }
}
