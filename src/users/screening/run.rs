//! Screens all users of an organization again after a change of the sanctions list.
//!
//! A job screens page by page. Its progress is committed in the run's row with each page, so it resumes there after a
//! crash. A newer list starts a new run, which ends the older one. Processes update their list at different times: a
//! process with another list than the run's leaves the job to the others.

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

/// Starts the screening of an organization's users against a list, unless it is done or in progress.
#[derive(Clone, Debug)]
pub struct BeginScreening {
    pub org: OrgId,
    pub list: Arc<Watchlist>,
}

impl Command for BeginScreening {
    type Reply = bool;

    fn decide(&self, world: &mut World) -> Result<bool, Halt> {
        let version = self.list.version();
        let last = world.get::<ScreeningRun>(key![self.org])?;
        if let Some(run) = last.as_deref().filter(|run| is_by(run, version)) {
            // Restores a lost job, which then resumes the run.
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

fn is_by(run: &ScreeningRun, list: &ListVersion) -> bool {
    run.list_hash == list.hash && run.score_min == list.score_min
}

const fn job_of(run: ScreeningRunId) -> JobId {
    JobId(run.0)
}

/// The retry delay for a process with another list than the run's. By then it has checked for a newer one.
const OTHER_LIST_SECONDS: i64 = 60;

/// Users per command; small, to keep other commands from waiting.
const PAGE: usize = 20;

/// Returns the users to screen next. Runs as a read, because queries are not consistent inside commands.
pub fn next_users(world: &mut World, org: OrgId, run: ScreeningRunId) -> Result<Vec<(UserId, String)>, Halt> {
    let found = world.get::<ScreeningRun>(key![org])?.filter(|found| found.id == run);
    let after = found.and_then(|run| run.screened_to).map(|id| id.to_value());
    let next = Query { direction: Direction::Ascending, after, ..Query::of::<User>(org.to_value(), "id", PAGE) };
    Ok(world.page::<User>(&next)?.iter().map(|user| (user.id, user.full_name())).collect())
}

#[derive(Clone, Debug)]
pub struct ScreenUsers {
    pub leased: Leased,
    pub run: ScreeningRunId,
    pub names: LookedUp,
    /// In the order of ids; empty when all are done.
    pub users: Vec<UserId>,
}

impl Command for ScreenUsers {
    type Reply = ();

    fn needs(&self) -> Vec<Want> {
        self.users.iter().map(|id| Want::row::<User>(key![self.leased.org, *id])).collect()
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let org = self.leased.org;
        let run = world.get::<ScreeningRun>(key![org])?;
        let run = run.filter(|run| run.id == self.run && run.finished_at.is_none());
        // A newer list is in use; its own run screens all users.
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
