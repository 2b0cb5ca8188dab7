//! All users of an organization are screened again, because another list was taken up.
//!
//! A job does it page by page; how far it came stands in the run's row, written with the users of each page, so
//! that it goes on there after a crash. A newer list begins a newer run, which ends the older one. Processes take a list up
//! one after the other: one that has another list than the run leaves it to the others.

use std::sync::Arc;

use super::model::ScreeningRun;
use super::screen;
use crate::engine::Command;
use crate::events::EventName;
use crate::ids::{JobId, OrgId, ScreeningRunId, UserId};
use crate::jobs::{self, Leased, Work};
use crate::screening::{ListVersion, LookedUp, Watchlist};
use crate::users::model::{User, UserStatus};
use crate::users::{change, find_in_organization};
use crate::world::query::{Direction, Query};
use crate::world::record::{Cell as _, key};
use crate::world::{Halt, Want, World};

/// Has an organization's users screened with a list, unless they are, or are being, already.
#[derive(Clone, Debug)]
pub struct BeginScreening {
    /// The organization.
    pub org: OrgId,
    /// The list.
    pub list: Arc<Watchlist>,
}

impl Command for BeginScreening {
    /// Whether a run was begun.
    type Reply = bool;

    fn organization(&self) -> OrgId {
        self.org
    }

    fn decide(&self, world: &mut World) -> Result<bool, Halt> {
        let version = self.list.version();
        let last = world.get::<ScreeningRun>(key![self.org])?;
        if let Some(run) = last.as_deref().filter(|run| is_by(run, version)) {
            // It goes on where it stopped, should its job ever have been lost.
            let goes_on = run.finished_at.is_some() || jobs::is_there(world, self.org, job_of(run.id))?;
            if !goes_on {
                jobs::enqueue_as(world, self.org, job_of(run.id), Work::ScreenUsers { run: run.id.0 });
            }
            return Ok(!goes_on);
        }

        // From here it must succeed.
        let (id, started_at): (ScreeningRunId, _) = (world.id(), world.now());
        let run = ScreeningRun {
            org: self.org,
            id,
            list_hash: version.hash.clone(),
            score_min: version.score_min,
            screened_to: None,
            users_screened: 0,
            users_flagged: 0,
            started_at,
            finished_at: None,
        };
        match last {
            Some(last) => world.change(&last, |last| *last = run),
            None => world.add(run),
        };
        jobs::enqueue_as(world, self.org, job_of(id), Work::ScreenUsers { run: id.0 });
        Ok(true)
    }
}

/// Whether a run screens with this list.
fn is_by(run: &ScreeningRun, list: &ListVersion) -> bool {
    run.list_hash == list.hash && run.score_min == list.score_min
}

/// The one job of a run.
const fn job_of(run: ScreeningRunId) -> JobId {
    JobId(run.0)
}

/// When to try again where a process has another list than the run: by then it has looked for a newer one.
const OTHER_LIST_SECONDS: i64 = 60;

/// Users in one command: so few that nobody waits for long behind it.
const PAGE: usize = 20;

/// The users that a run screens next, with their names; none when all are done. A read: lists are not kept true while
/// commands run.
pub fn next_users(world: &mut World, org: OrgId, run: ScreeningRunId) -> Result<Vec<(UserId, String)>, Halt> {
    let found = world.get::<ScreeningRun>(key![org])?.filter(|found| found.id == run);
    let after = found.and_then(|run| run.screened_to).map(|id| id.to_value());
    let next = Query { direction: Direction::Ascending, after, ..Query::of::<User>(org.to_value(), "id", PAGE) };
    Ok(world.page::<User>(&next)?.iter().map(|user| (user.id, user.full_name())).collect())
}

/// Screens one page of users, and puts the job off to the next.
#[derive(Clone, Debug)]
pub struct ScreenUsers {
    /// The job.
    pub leased: Leased,
    /// The run.
    pub run: ScreeningRunId,
    /// What the list that the process has says of their names.
    pub names: LookedUp,
    /// The next users in the order of their ids; none when all are done.
    pub users: Vec<UserId>,
}

impl Command for ScreenUsers {
    type Reply = ();

    fn organization(&self) -> OrgId {
        self.leased.org
    }

    fn needs(&self) -> Vec<Want> {
        self.users.iter().map(|id| Want::row::<User>(key![self.leased.org, *id])).collect()
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let org = self.leased.org;
        let run = world.get::<ScreeningRun>(key![org])?;
        let run = run.filter(|run| run.id == self.run && run.finished_at.is_none());
        // A newer list is in use: its own run screens everybody.
        let Some(run) = run else { return jobs::finish(world, &self.leased) };
        if !is_by(&run, self.names.version()) {
            let later = world.now().plus_seconds(OTHER_LIST_SECONDS);
            let reason = "The process that leased the job has another sanctions list.".to_owned();
            return jobs::put_off(world, &self.leased, later, Some(reason));
        }
        let mut flagged = 0;
        for id in &self.users {
            let user = find_in_organization(world, org, *id)?;
            match user.status {
                UserStatus::Unverified | UserStatus::Verified | UserStatus::InReview => {}
                UserStatus::Disabled => continue,
            }
            let mut screened = User::clone(&user);
            if screen(world, &mut screened, &user.full_name(), &self.names)? {
                change(world, &user, EventName::UserUpdated, |user| *user = screened)?;
                flagged += 1;
            }
        }

        // From here it must succeed.
        let now = world.now();
        let many = i64::try_from(self.users.len()).unwrap_or(i64::MAX);
        world.change(&run, |run| {
            run.screened_to = self.users.last().copied().or(run.screened_to);
            run.users_screened += many;
            run.users_flagged += flagged;
            run.finished_at = self.users.is_empty().then_some(now);
        });
        if self.users.is_empty() {
            jobs::finish(world, &self.leased)
        } else {
            jobs::put_off(world, &self.leased, now, None)
        }
    }
}
