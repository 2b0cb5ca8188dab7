//! Work that is done after a commit: what talks to the network, and what waits for its time.
//!
//! A job is written in the commit that needs it done. A worker leases it with a
//! fencing number, does the work, and comes back with a command that carries the
//! result and that number. Invariant: a command with a stale number commits nothing
//! (invariant 17). Every job may run twice; deliberately absent: exactly once.
//!
//! Work that tells nobody outside needs no lease ([`Job::unleased`]): its command alone does everything, and of two
//! that hold the same number the second finds it stale, because whatever leaves a job behind counts on.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::clock::Time;
use crate::engine::Command;
use crate::ids::{JobId, OrgId};
use crate::refusal::{Code, Refusal};
use crate::world::query::{Compare, Direction, Query};
use crate::world::record::{Cell, Document, key, record, words};
use crate::world::{Halt, Want, World};

/// How long a worker may take before another may take over.
pub const LEASE_SECONDS: i64 = 60;
/// The longest wait between two attempts.
const BACKOFF_MAX_SECONDS: i64 = 3_600;

/// What is to be done. Ids only: the worker reads the rest when it starts, so a job never carries a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Work {
    /// Send a message to a person.
    SendMessage {
        /// The message.
        message: Uuid,
    },
    /// Ask a carrier whether a message arrived.
    FollowMessage {
        /// The message.
        message: Uuid,
    },
    /// Hand a transfer to its rail.
    SubmitTransfer {
        /// The transfer.
        transfer: Uuid,
    },
    /// Ask the rail what became of a transfer.
    FollowTransfer {
        /// The transfer.
        transfer: Uuid,
    },
    /// Refill an app's wallet, or have it pay what it owes.
    TopUpWallet {
        /// The app.
        app: Uuid,
    },
    /// End the hold of a payment's money.
    ReleasePayment {
        /// The transfer.
        transfer: Uuid,
    },
    /// Take back a link that nobody claimed in time.
    ExpireLink {
        /// The link.
        link: Uuid,
    },
    /// Compare the names of an organization's users with the sanctions list.
    ScreenUsers {
        /// The run.
        run: Uuid,
    },
    /// Make the links of a batch.
    ProcessPayoutLinkBatch {
        /// The batch.
        batch: Uuid,
    },
    /// Deliver a link once more, because its maker asked for a reminder.
    RemindLink {
        /// The link.
        link: Uuid,
    },
    /// Take an erased payee out of every row that names them.
    EraseUser {
        /// The user.
        user: Uuid,
    },
    /// Find out whom an app's new events are to be sent to.
    FeedWebhooks {
        /// The app.
        app: Uuid,
    },
    /// Call a webhook endpoint with what is due there.
    CallWebhook {
        /// The endpoint.
        endpoint: Uuid,
    },
}

words! {
    /// Jobs of one lane share workers, and never wait for those of the other.
    pub enum Lane {
        /// What we do ourselves, or with partners of ours.
        System = "system",
        /// Messages to people: a carrier that hangs holds up no money.
        Messages = "messages",
        /// Calls to servers of other people's choice, which may hang.
        Webhooks = "webhooks",
    }
}

impl Work {
    /// Whether its command does everything, so that nobody outside is ever told: then it needs no lease. Where there
    /// is no carrier, a message is of that kind too.
    pub const fn is_internal(&self) -> bool {
        match self {
            Self::TopUpWallet { .. }
            | Self::ReleasePayment { .. }
            | Self::ExpireLink { .. }
            | Self::RemindLink { .. }
            | Self::FeedWebhooks { .. } => true,
            Self::SendMessage { .. }
            | Self::FollowMessage { .. }
            | Self::SubmitTransfer { .. }
            | Self::FollowTransfer { .. }
            | Self::ScreenUsers { .. }
            | Self::EraseUser { .. }
            | Self::ProcessPayoutLinkBatch { .. }
            | Self::CallWebhook { .. } => false,
        }
    }

    /// Whose workers do it.
    pub const fn lane(&self) -> Lane {
        match self {
            Self::CallWebhook { .. } => Lane::Webhooks,
            Self::SendMessage { .. } | Self::FollowMessage { .. } => Lane::Messages,
            Self::SubmitTransfer { .. }
            | Self::FollowTransfer { .. }
            | Self::TopUpWallet { .. }
            | Self::ReleasePayment { .. }
            | Self::ExpireLink { .. }
            | Self::RemindLink { .. }
            | Self::ScreenUsers { .. }
            | Self::EraseUser { .. }
            | Self::ProcessPayoutLinkBatch { .. }
            | Self::FeedWebhooks { .. } => Lane::System,
        }
    }
}

record! {
    /// One piece of work. Its row goes when it is done.
    pub struct Job in "jobs" {
        key (org, id);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: JobId,
        /// What is to be done.
        pub work: Document<Work>,
        /// Whose workers do it.
        pub lane: Lane,
        /// Not before this moment; while it is leased, when the lease ends.
        pub due_at: Time,
        /// How often it was begun.
        pub attempts: i64,
        /// Goes up with each lease; only the newest lease may finish the job.
        pub fence: i64,
        /// Until when a worker has it.
        pub leased_until: Option<Time>,
        /// What went wrong the last time.
        pub last_error: Option<String>,
        /// When it was made.
        pub created_at: Time,
    }
}

/// Adds work to be done at once.
pub fn enqueue(world: &mut World, org: OrgId, work: Work) -> JobId {
    let now = world.now();
    enqueue_at(world, org, work, now)
}

/// Adds work to be done at once, under an id by which [`withdraw`] can take it back.
pub fn enqueue_as(world: &mut World, org: OrgId, id: JobId, work: Work) {
    let now = world.now();
    add(world, org, id, work, now);
}

/// Whether this work is still to be done.
pub fn is_there(world: &World, org: OrgId, id: JobId) -> Result<bool, Halt> {
    Ok(world.get::<Job>(key![org, id])?.is_some())
}

/// Takes work back that nobody has begun; gives whether it could be. What a worker ever had in hand may have been done.
pub fn withdraw(world: &mut World, org: OrgId, id: JobId) -> Result<bool, Halt> {
    match world.get::<Job>(key![org, id])? {
        Some(job) if job.attempts == 0 => {
            world.remove(&job);
            Ok(true)
        }
        Some(_) | None => Ok(false),
    }
}

/// Adds work to be done at a moment.
pub fn enqueue_at(world: &mut World, org: OrgId, work: Work, due_at: Time) -> JobId {
    let id = world.id();
    add(world, org, id, work, due_at);
    id
}

fn add(world: &mut World, org: OrgId, id: JobId, work: Work, due_at: Time) {
    let created_at = world.now();
    world.add(Job {
        org,
        id,
        lane: work.lane(),
        work: Document(work),
        due_at,
        attempts: 0,
        fence: 0,
        leased_until: None,
        last_error: None,
        created_at,
    });
}

/// A job in a worker's hands. Its number is used up by [`finish`] and [`put_off`].
#[derive(Clone, Debug)]
pub struct Leased {
    /// The organization.
    pub org: OrgId,
    /// The job.
    pub id: JobId,
    /// What is to be done.
    pub work: Work,
    /// The number that proves that this lease is the newest.
    pub fence: i64,
    /// Which attempt this is, from 1.
    pub attempt: i64,
}

impl Job {
    /// The job as it stands, for a worker that tells nobody outside of it and so need not be alone with it.
    pub fn unleased(&self) -> Leased {
        let (work, attempt) = (self.work.0.clone(), self.attempts + 1);
        Leased { org: self.org, id: self.id, work, fence: self.fence, attempt }
    }
}

impl Leased {
    /// The row that [`finish`] and its like ask for.
    pub fn want(&self) -> Want {
        Want::row::<Job>(key![self.org, self.id])
    }
}

/// Takes a due job, if nobody else was faster. `None` when somebody was, or it is done.
#[derive(Clone, Debug)]
pub struct Lease {
    /// The organization.
    pub org: OrgId,
    /// The job.
    pub id: JobId,
}

impl Command for Lease {
    type Reply = Option<Leased>;

    fn organization(&self) -> OrgId {
        self.org
    }

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<Job>(key![self.org, self.id])]
    }

    fn decide(&self, world: &mut World) -> Result<Option<Leased>, Halt> {
        let Some(job) = world.get::<Job>(key![self.org, self.id])? else { return Ok(None) };
        let now = world.now();
        if job.due_at > now {
            return Ok(None);
        }
        let until = now.plus_seconds(LEASE_SECONDS);
        let job = world.change(&job, |job| {
            job.fence += 1;
            job.attempts += 1;
            job.leased_until = Some(until);
            // A leased job is due again when its lease ends: a worker that died is taken over by that alone.
            job.due_at = until;
        });
        let work = job.work.0.clone();
        Ok(Some(Leased { org: job.org, id: job.id, work, fence: job.fence, attempt: job.attempts }))
    }
}

/// Takes a job back from a worker that is known to be dead: it is due again at once.
#[derive(Clone, Copy, Debug)]
pub struct Abandon {
    /// The organization.
    pub org: OrgId,
    /// The job.
    pub id: JobId,
}

impl Command for Abandon {
    type Reply = ();

    fn organization(&self) -> OrgId {
        self.org
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let Some(job) = world.get::<Job>(key![self.org, self.id])? else { return Ok(()) };
        let now = world.now();
        world.change(&job, |job| {
            job.fence += 1;
            job.leased_until = None;
            job.due_at = now;
        });
        Ok(())
    }
}

/// Ends a job, as a part of the command that carries its result. Refused when the lease is not the newest.
pub fn finish(world: &mut World, leased: &Leased) -> Result<(), Halt> {
    let job = current(world, leased)?;
    world.remove(&job);
    Ok(())
}

/// Keeps a job for as long again: for work of many commands, each of which carries the lease. Refused when it is
/// not the newest.
pub fn renew(world: &mut World, leased: &Leased) -> Result<(), Halt> {
    let job = current(world, leased)?;
    let until = world.now().plus_seconds(LEASE_SECONDS);
    world.change(&job, |job| {
        job.leased_until = Some(until);
        job.due_at = until;
    });
    Ok(())
}

/// Puts a job off: it failed and is tried again later, or it is not time yet.
pub fn put_off(world: &mut World, leased: &Leased, until: Time, error: Option<String>) -> Result<(), Halt> {
    let job = current(world, leased)?;
    world.change(&job, |job| {
        job.fence += 1;
        job.attempts = leased.attempt;
        job.due_at = until;
        job.leased_until = None;
        job.last_error = error;
    });
    Ok(())
}

/// Whether this worker still has the job: for what must be written down before the work is done.
///
/// # Errors
/// `resource-busy` when it went to another.
pub fn still_leased(world: &mut World, leased: &Leased) -> Result<(), Halt> {
    current(world, leased).map(|_| ())
}

/// Makes a job due at once, whenever it was due. One in a worker's hands stays there. `false` when it is done.
pub fn hasten(world: &mut World, org: OrgId, id: JobId) -> Result<bool, Halt> {
    let Some(job) = world.get::<Job>(key![org, id])? else { return Ok(false) };
    let now = world.now();
    if job.leased_until.is_none() && job.due_at > now {
        world.change(&job, |job| job.due_at = now);
    }
    Ok(true)
}

/// How long to wait after so many attempts: 1, 2, 4 … seconds, at most an hour.
pub fn backoff_seconds(attempts: i64) -> i64 {
    let doublings = u32::try_from(attempts.clamp(1, 20) - 1).unwrap_or(0);
    2_i64.pow(doublings).min(BACKOFF_MAX_SECONDS)
}

fn current(world: &mut World, leased: &Leased) -> Result<Arc<Job>, Halt> {
    match world.get::<Job>(key![leased.org, leased.id])? {
        Some(job) if job.fence == leased.fence => Ok(job),
        Some(_) | None => Err(stale().into()),
    }
}

/// The refusal of a worker whose lease went to another.
fn stale() -> Refusal {
    Refusal::new(Code::ResourceBusy, "The fencing token of this job is stale.")
}

/// The jobs of one lane, of all organizations, earliest first.
fn of_lane(lane: Lane, limit: usize) -> Query {
    let query = Query::across::<Job>(limit).filter("lane", Compare::Equal, lane.to_value());
    let order = query.table.position("due_at").expect("jobs have a due time");
    Query { order, direction: Direction::Ascending, ..query }
}

/// Due jobs of one lane, of all organizations, earliest first.
pub fn due_in(lane: Lane, now: Time, limit: usize) -> Query {
    of_lane(lane, limit).filter("due_at", Compare::Less, now.plus_micros(1).to_value())
}

/// Due jobs of all lanes, earliest first.
pub fn due(world: &mut World, now: Time, limit: usize) -> Result<Vec<Arc<Job>>, Halt> {
    of_all_lanes(world, limit, |lane| due_in(lane, now, limit))
}

/// The earliest job, whatever it is and whenever it is due.
pub fn earliest(world: &mut World) -> Result<Option<Arc<Job>>, Halt> {
    Ok(of_all_lanes(world, 1, |lane| of_lane(lane, 1))?.pop())
}

/// Lanes are looked at one by one, because that is how jobs are found without looking at all of them.
fn of_all_lanes(world: &mut World, limit: usize, query: impl Fn(Lane) -> Query) -> Result<Vec<Arc<Job>>, Halt> {
    let lanes = world.each(Lane::ALL, |world, lane| world.page::<Job>(&query(*lane)))?;
    let mut jobs = lanes.concat();
    jobs.sort_by_key(|job| job.due_at);
    jobs.truncate(limit);
    Ok(jobs)
}

/// Jobs that some worker has, or had when it died.
pub fn leased(limit: usize) -> Query {
    Query::across::<Job>(limit).filter("leased_until", Compare::AtLeast, Time::from_micros(0).to_value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_an_hour() {
        let waits: Vec<i64> = [1, 2, 3, 12, 13, 400].map(backoff_seconds).to_vec();
        assert_eq!(waits, [1, 2, 4, 2_048, 3_600, 3_600]);
    }
}
