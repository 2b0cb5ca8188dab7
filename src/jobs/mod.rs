//! Jobs: work after a commit, such as network calls and timers.
//!
//! A commit writes the job that it needs. A worker leases it with a fencing token, does the work, and runs a command
//! that carries the result and the token. Invariant: a command with a stale token commits nothing (invariant 17). A job
//! may run more than once.
//!
//! Work without external effects needs no lease ([`Job::unleased`]): its command does everything. If two workers hold
//! the same token, the second is rejected as stale, because [`finish`] removes the job and [`put_off`] increments its
//! token.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::clock::Time;
use crate::engine::Command;
use crate::ids::{JobId, OrgId};
use crate::refusal::{Code, Refusal};
use crate::world::query::{Compare, Direction, Query};
use crate::world::record::{Cell, Document, key, record, words};
use crate::world::{Halt, Savepoint, Want, World};

/// The time after which another worker may take over.
pub const LEASE_SECONDS: i64 = 60;
const BACKOFF_MAX_SECONDS: i64 = 3_600;

/// The work of a job. Holds ids only: the worker reads the rest when it starts, so a job never carries a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Work {
    SendMessage {
        message: Uuid,
    },
    /// Query a provider for the delivery of a message.
    FollowMessage {
        message: Uuid,
    },
    /// Submit a transfer to its rail.
    SubmitTransfer {
        transfer: Uuid,
    },
    /// Query the rail for the outcome of a transfer.
    FollowTransfer {
        transfer: Uuid,
    },
    /// Refill an app's wallet, or settle its debt.
    TopUpWallet {
        app: Uuid,
    },
    /// End the payment hold of collected money.
    ReleasePayment {
        transfer: Uuid,
    },
    /// Remind the payee of a link, and expire it if it is not claimed in time.
    ExpireLink {
        link: Uuid,
    },
    /// Give the links after this one, which were created three days ago and are open, their jobs. `idle`: no link was
    /// left when it last ran.
    SweepLinks {
        after: Uuid,
        idle: bool,
    },
    /// Compare the names of an organization's users with the sanctions list.
    ScreenUsers {
        run: Uuid,
    },
    /// Create the links of a batch.
    ProcessPayoutLinkBatch {
        batch: Uuid,
    },
    /// Redeliver a link at the time that its sender chose.
    RemindLink {
        link: Uuid,
    },
    /// Remove an erased payee's data from every row that names them.
    EraseUser {
        user: Uuid,
    },
    /// End a bank file at its cut-off.
    CutBankFile {
        file: Uuid,
    },
    /// Write a bank file that was cut, and deliver it.
    SendBankFile {
        file: Uuid,
    },
    /// Record the outcomes of the payments in a bank file that was sent or canceled.
    EndBankFile {
        file: Uuid,
    },
    /// Add the reversals of a bank file's entries to the files of reversals.
    ReverseBankFile {
        reversal: Uuid,
    },
    /// Fetch the files that a bank has for us.
    PollBank {
        connection: Uuid,
    },
    /// Read a file of a bank, and apply it.
    ReadInboundFile {
        file: Uuid,
    },
    /// Apply the statements of a bank account that wait, in order.
    ApplyStatements {
        account: Uuid,
    },
    /// Create the webhook deliveries of an app's new events.
    FeedWebhooks {
        app: Uuid,
    },
    /// Send due events to a webhook endpoint.
    CallWebhook {
        endpoint: Uuid,
    },
}

words! {
    /// A class of jobs with its own workers. Lanes never wait for each other.
    pub enum Lane {
        /// Work of the system, and files of banks.
        System = "system",
        /// Payouts, and calls to the providers of rails, which may be slow.
        Payments = "payments",
        /// Messages to people: a slow provider delays no money.
        Messages = "messages",
        /// Calls to the servers of apps, which may be slow.
        Webhooks = "webhooks",
    }
}

impl Work {
    /// Returns whether its command does all the work, without external effects; then it needs no lease. Without a
    /// provider this applies to messages too.
    pub const fn is_internal(&self) -> bool {
        match self {
            Self::TopUpWallet { .. }
            | Self::ReleasePayment { .. }
            | Self::ExpireLink { .. }
            | Self::RemindLink { .. }
            | Self::SweepLinks { .. }
            | Self::CutBankFile { .. }
            | Self::FeedWebhooks { .. } => true,
            Self::SendMessage { .. }
            | Self::FollowMessage { .. }
            | Self::SubmitTransfer { .. }
            | Self::FollowTransfer { .. }
            | Self::ScreenUsers { .. }
            | Self::EraseUser { .. }
            | Self::ProcessPayoutLinkBatch { .. }
            | Self::SendBankFile { .. }
            | Self::EndBankFile { .. }
            | Self::ReverseBankFile { .. }
            | Self::PollBank { .. }
            | Self::ReadInboundFile { .. }
            | Self::ApplyStatements { .. }
            | Self::CallWebhook { .. } => false,
        }
    }

    /// Returns the position of a sweep over links, and whether it is idle.
    pub const fn swept(&self) -> Option<(Uuid, bool)> {
        if let Self::SweepLinks { after, idle } = self { Some((*after, *idle)) } else { None }
    }

    pub const fn lane(&self) -> Lane {
        match self {
            Self::CallWebhook { .. } => Lane::Webhooks,
            Self::SendMessage { .. } | Self::FollowMessage { .. } => Lane::Messages,
            Self::SubmitTransfer { .. } | Self::FollowTransfer { .. } => Lane::Payments,
            Self::TopUpWallet { .. }
            | Self::ReleasePayment { .. }
            | Self::ExpireLink { .. }
            | Self::RemindLink { .. }
            | Self::SweepLinks { .. }
            | Self::ScreenUsers { .. }
            | Self::EraseUser { .. }
            | Self::ProcessPayoutLinkBatch { .. }
            | Self::CutBankFile { .. }
            | Self::SendBankFile { .. }
            | Self::EndBankFile { .. }
            | Self::ReverseBankFile { .. }
            | Self::PollBank { .. }
            | Self::ReadInboundFile { .. }
            | Self::ApplyStatements { .. }
            | Self::FeedWebhooks { .. } => Lane::System,
        }
    }
}

record! {
    /// One piece of work. Its row is removed when it is done.
    pub struct Job in "jobs" {
        key (org, id);
        pub org: OrgId,
        pub id: JobId,
        pub work: Document<Work>,
        pub lane: Lane,
        /// The earliest start; during a lease, the end of the lease.
        pub due_at: Time,
        pub attempts: i64,
        /// The fencing token. Increases with each lease; only the newest lease can finish the job.
        pub fence: i64,
        pub leased_until: Option<Time>,
        pub last_error: Option<String>,
        pub created_at: Time,
    }
}

pub fn enqueue(world: &mut World, org: OrgId, work: Work) -> JobId {
    let now = world.now();
    enqueue_at(world, org, work, now)
}

/// Adds a job that is due at once, with an id for [`withdraw`].
pub fn enqueue_as(world: &mut World, org: OrgId, id: JobId, work: Work) {
    let now = world.now();
    enqueue_as_at(world, org, id, work, now);
}

pub fn is_there(world: &World, org: OrgId, id: JobId) -> Result<bool, Halt> {
    Ok(find(world, org, id)?.is_some())
}

pub fn find(world: &World, org: OrgId, id: JobId) -> Result<Option<Arc<Job>>, Halt> {
    world.get::<Job>(key![org, id])
}

/// Removes a job that was never leased; returns whether it could. The work of a leased job may have been done.
pub fn withdraw(world: &mut World, org: OrgId, id: JobId) -> Result<bool, Halt> {
    match world.get::<Job>(key![org, id])? {
        Some(job) if job.attempts == 0 => {
            world.remove(&job);
            Ok(true)
        }
        Some(_) | None => Ok(false),
    }
}

pub fn enqueue_at(world: &mut World, org: OrgId, work: Work, due_at: Time) -> JobId {
    let id = world.id();
    enqueue_as_at(world, org, id, work, due_at);
    id
}

pub fn enqueue_as_at(world: &mut World, org: OrgId, id: JobId, work: Work, due_at: Time) {
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

/// A leased job. [`finish`] and [`put_off`] use up its fencing token.
#[derive(Clone, Debug)]
pub struct Leased {
    pub org: OrgId,
    pub id: JobId,
    pub work: Work,
    pub fence: i64,
    /// From 1.
    pub attempt: i64,
}

impl Job {
    /// Returns the job for a worker without external effects, which needs no exclusive lease.
    pub fn unleased(&self) -> Leased {
        let (work, attempt) = (self.work.0.clone(), self.attempts + 1);
        Leased { org: self.org, id: self.id, work, fence: self.fence, attempt }
    }
}

impl Leased {
    pub fn want(&self) -> Want {
        Want::row::<Job>(key![self.org, self.id])
    }
}

/// Returns the jobs that were added to a world since the savepoint and are due.
pub fn added_since(world: &World, since: Savepoint, now: Time) -> Vec<Arc<Job>> {
    let mut due = world.added_since::<Job>(since);
    due.retain(|job| job.due_at <= now);
    due
}

/// Leases a due job. `None` if another worker has it, or it is done.
#[derive(Clone, Debug)]
pub struct Lease {
    pub org: OrgId,
    pub id: JobId,
}

impl Command for Lease {
    type Reply = Option<Leased>;

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
            // A leased job is due again when its lease ends, so that another worker replaces a dead one.
            job.due_at = until;
        });
        let work = job.work.0.clone();
        Ok(Some(Leased { org: job.org, id: job.id, work, fence: job.fence, attempt: job.attempts }))
    }
}

/// Ends the lease of a worker that is known to be dead, and makes the job due at once.
#[derive(Clone, Copy, Debug)]
pub struct Abandon {
    pub org: OrgId,
    pub id: JobId,
}

impl Command for Abandon {
    type Reply = ();

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

/// Ends a job, as a part of the command that carries its result. Rejects a stale lease.
pub fn finish(world: &mut World, leased: &Leased) -> Result<(), Halt> {
    let job = current(world, leased)?;
    world.remove(&job);
    Ok(())
}

/// Extends a lease by its full length, for work of many commands that each carry the lease. Rejects a stale lease.
pub fn renew(world: &mut World, leased: &Leased) -> Result<(), Halt> {
    let job = current(world, leased)?;
    let until = world.now().plus_seconds(LEASE_SECONDS);
    world.change(&job, |job| {
        job.leased_until = Some(until);
        job.due_at = until;
    });
    Ok(())
}

/// Reschedules a job, for a retry or because it is early.
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

/// Gives a job other work, at another time. Makes its leases stale.
pub fn replan(world: &mut World, job: &Arc<Job>, work: Work, due_at: Time) {
    world.change(job, |job| {
        job.fence += 1;
        job.attempts = 0;
        job.work = Document(work);
        job.due_at = due_at;
        job.leased_until = None;
        job.last_error = None;
    });
}

/// Rejects a stale lease with `resource-busy`. For commands that record something before the work is done.
pub fn still_leased(world: &mut World, leased: &Leased) -> Result<(), Halt> {
    current(world, leased).map(|_| ())
}

/// Makes a job due at once, unless it is leased. Returns `false` if it is done.
pub fn hasten(world: &mut World, org: OrgId, id: JobId) -> Result<bool, Halt> {
    let Some(job) = world.get::<Job>(key![org, id])? else { return Ok(false) };
    let now = world.now();
    if job.leased_until.is_none() && job.due_at > now {
        world.change(&job, |job| job.due_at = now);
    }
    Ok(true)
}

/// Returns the wait after a number of attempts: 1, 2, 4 … seconds, at most an hour.
pub fn backoff_seconds(attempts: i64) -> i64 {
    let doublings = u32::try_from(attempts.clamp(1, 20) - 1).unwrap_or(0);
    2_i64.pow(doublings).min(BACKOFF_MAX_SECONDS)
}

/// Returns the job of a lease. Rejects a stale lease.
pub fn current(world: &mut World, leased: &Leased) -> Result<Arc<Job>, Halt> {
    match world.get::<Job>(key![leased.org, leased.id])? {
        Some(job) if job.fence == leased.fence => Ok(job),
        Some(_) | None => Err(stale().into()),
    }
}

fn stale() -> Refusal {
    Refusal::new(Code::ResourceBusy, "The fencing token of this job is stale.")
}

fn of_lane(lane: Lane, limit: usize) -> Query {
    let query = Query::across::<Job>(limit).filter("lane", Compare::Equal, lane.to_value());
    let order = query.table.position("due_at").expect("jobs have a due time");
    Query { order, direction: Direction::Ascending, ..query }
}

pub fn due_in(lane: Lane, now: Time, limit: usize) -> Query {
    of_lane(lane, limit).filter("due_at", Compare::Less, now.plus_micros(1).to_value())
}

pub fn due(world: &mut World, now: Time, limit: usize) -> Result<Vec<Arc<Job>>, Halt> {
    of_all_lanes(world, limit, |lane| due_in(lane, now, limit))
}

pub fn earliest(world: &mut World) -> Result<Option<Arc<Job>>, Halt> {
    Ok(of_all_lanes(world, 1, |lane| of_lane(lane, 1))?.pop())
}

/// Queries each lane separately, because the index of jobs begins with the lane.
fn of_all_lanes(world: &mut World, limit: usize, query: impl Fn(Lane) -> Query) -> Result<Vec<Arc<Job>>, Halt> {
    let lanes = world.each(Lane::ALL, |world, lane| world.page::<Job>(&query(*lane)))?;
    let mut jobs = lanes.concat();
    jobs.sort_by_key(|job| job.due_at);
    jobs.truncate(limit);
    Ok(jobs)
}

/// Selects jobs that a worker has leased, or had leased when it died.
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
