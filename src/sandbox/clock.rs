//! The movable clock: it runs like the wall clock, some seconds ahead (docs/decisions.md 13).
//!
//! Invariant: a move is committed before the clock shows it, so that a restart never shows an earlier time.
//! Deliberately absent: moving back, because due work that was done cannot be undone.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::clock::{Clock, DAY_SECONDS, Time};
use crate::engine::Command;
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::OrgId;
use crate::input::input;
use crate::input::types::Integer;
use crate::jobs::{self, Job};
use crate::program::{Bursar, Environment};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::security_log::SecurityEvent;
use crate::world::record::{key, record};
use crate::world::{Halt, Want, World};

/// The longest single move: ten years with their leap days.
const MOVE_MAX_SECONDS: i64 = 3_653 * DAY_SECONDS;
/// The longest total offset: a thousand years, well before the calendar's end.
const AHEAD_MAX_SECONDS: i64 = 100 * MOVE_MAX_SECONDS;
/// The time that a move waits for due jobs.
const DRAIN_MAX: Duration = Duration::from_secs(10);
const DRAIN_EVERY: Duration = Duration::from_millis(20);
/// Stops of the clock within one move, at most.
const STOPS_MAX: usize = 64;
/// Jobs that fall due within these seconds are run at one stop.
const STOP_SECONDS: i64 = 60;

record! {
    /// The offset of the environment's clock. One row without an organization: its id is all zeros.
    pub struct EnvironmentClock in "environment_clock" {
        key (org);
        pub org: OrgId,
        /// Seconds ahead of the wall clock.
        pub ahead_seconds: i64,
    }
}

/// The environment belongs to no organization.
const NO_ORGANIZATION: OrgId = OrgId(uuid::Uuid::nil());

#[derive(Clone, Debug)]
pub struct AdvanceClock {
    pub seconds: i64,
}

/// The result of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The time after the move.
    pub now: Time,
    /// Seconds ahead of the wall clock.
    pub ahead_seconds: i64,
}

impl Command for AdvanceClock {
    type Reply = Moved;

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<EnvironmentClock>(key![NO_ORGANIZATION])]
    }

    fn decide(&self, world: &mut World) -> Result<Moved, Halt> {
        let clock = world.get::<EnvironmentClock>(key![NO_ORGANIZATION])?;
        let ahead_seconds = clock.as_ref().map_or(0, |clock| clock.ahead_seconds).saturating_add(self.seconds);
        if ahead_seconds > AHEAD_MAX_SECONDS {
            let message =
                "The sandbox clock is already a thousand years ahead. Start a new sandbox in an empty data folder.";
            return Err(Refusal::new(Code::LimitExceeded, message).because(Reason::ClockLimit).into());
        }

        // From here it must succeed.
        match clock {
            Some(clock) => drop(world.change(&clock, |clock| clock.ahead_seconds = ahead_seconds)),
            None => drop(world.add(EnvironmentClock { org: NO_ORGANIZATION, ahead_seconds })),
        }
        Ok(Moved { now: world.now().plus_seconds(self.seconds), ahead_seconds })
    }
}

fn ahead_seconds(world: &mut World) -> Result<i64, Halt> {
    Ok(world.get::<EnvironmentClock>(key![NO_ORGANIZATION])?.map_or(0, |clock| clock.ahead_seconds))
}

/// Sets the process's clock to the offset in the store: at the start, and at intervals if other processes share the
/// store. Fails with 503 `service-unavailable` if the store cannot be read.
pub async fn keep_up(bursar: &Bursar) -> Result<(), Refusal> {
    if bursar.environment == Environment::Sandbox {
        bursar.clock.set_ahead_seconds(bursar.read(ahead_seconds).await?);
    }
    Ok(())
}

/// Returns whether no job is due or leased.
fn is_drained(world: &mut World, now: Time) -> Result<bool, Halt> {
    let waiting = jobs::due(world, now, 1)?;
    Ok(waiting.is_empty() && world.page::<Job>(&jobs::leased(1))?.is_empty())
}

/// Waits until all due jobs are done; returns `false` after the deadline.
async fn drained(bursar: &Bursar, deadline: Instant) -> Result<bool, Refusal> {
    loop {
        let now = bursar.clock.now();
        if bursar.read(move |world| is_drained(world, now)).await? {
            return Ok(true);
        }
        if Instant::now() >= deadline {
            return Ok(false);
        }
        tokio::time::sleep(DRAIN_EVERY).await;
    }
}

/// Applies a committed move to this process. The wall clock advances from one due time to the next and waits for the
/// jobs due there. A follow-up job then falls due within the same move, and a settlement counts from the time of its
/// transfer, not from the end of the move.
async fn show(bursar: &Bursar, seconds: i64, deadline: Instant) -> Result<bool, Refusal> {
    match &bursar.clock {
        // Two moves may be applied in either order: the store has their sum.
        Clock::Wall(_) => walk(bursar, deadline).await?,
        Clock::Manual(_) => bursar.clock.advance(seconds),
    }
    drained(bursar, deadline).await
}

async fn walk(bursar: &Bursar, deadline: Instant) -> Result<(), Refusal> {
    for _ in 0..STOPS_MAX {
        let Some(job) = bursar.read(jobs::earliest).await? else { break };
        let wait_seconds = job.due_at.seconds_since(bursar.clock.now()).max(0).saturating_add(STOP_SECONDS);
        let stop = bursar.clock.ahead_seconds().saturating_add(wait_seconds);
        if stop >= bursar.read(ahead_seconds).await? {
            break;
        }
        bursar.clock.set_ahead_seconds(stop);
        if !drained(bursar, deadline).await? {
            break;
        }
    }
    keep_up(bursar).await
}

/// The time of the sandbox's clock.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct ClockJson {
    /// The current time in the sandbox.
    #[schema(value_type = String, format = DateTime)]
    pub now: Time,
    /// Seconds that the clock is ahead of the wall clock.
    pub ahead_seconds: i64,
}

/// The clock after a move.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct AdvancedClockJson {
    /// The time in the sandbox right after the move.
    #[schema(value_type = String, format = DateTime)]
    pub now: Time,
    /// Seconds that the clock is ahead of the wall clock.
    pub ahead_seconds: i64,
    /// Whether all due work is done; false if some is still running after ten seconds.
    pub drained: bool,
}

input! {
    /// Moves the sandbox's clock forward.
    pub struct AdvanceClockInput {
        /// Seconds to move forward, at most ten years.
        pub seconds: Integer<1, MOVE_MAX_SECONDS>,
    }
}

fn sandbox_only(call: &Call) -> Result<(), Refusal> {
    match call.bursar.environment {
        Environment::Sandbox => Ok(()),
        Environment::Production => Err(Refusal::not_found("page")),
    }
}

pub async fn read(call: Call) -> Outcome {
    sandbox_only(&call)?;
    let ahead_seconds = call.read(ahead_seconds).await?;
    Ok(Answer::ok(&ClockJson { now: call.bursar.clock.now(), ahead_seconds }))
}

pub async fn advance(call: Call) -> Outcome {
    sandbox_only(&call)?;
    let (bursar, deadline) = (call.bursar.clone(), Instant::now() + DRAIN_MAX);
    // Jobs due before the move run before it: a new transfer is handed to its rail now, and its settlement days count
    // from now.
    if matches!(bursar.clock, Clock::Wall(_)) {
        drained(&bursar, deadline).await?;
    }
    // A separate task, so that a caller that disconnects cannot separate the commit from the move.
    let moving = tokio::spawn(commit_and_show(call, deadline)).await;
    moving.unwrap_or_else(|_| Err(Refusal::new(Code::InternalError, "Advancing the clock was interrupted.")))
}

async fn commit_and_show(call: Call, deadline: Instant) -> Outcome {
    let input = call.body::<AdvanceClockInput>();
    let seconds = input.as_ref().map_or(0, |input| input.seconds.0);
    let command = input.map(|input| AdvanceClock { seconds: input.seconds.0 });
    // The stored response says drained: by the time of a replay it is.
    let answer = call.once(command, |moved| Answer::ok(&rendered(moved, true))).await?;
    if moved_the_clock(&answer) {
        call.log_security(SecurityEvent::ClockMoved, "moved", None);
    }
    if !moved_the_clock(&answer) || show(&call.bursar, seconds, deadline).await? {
        return Ok(answer);
    }
    let ahead_seconds = call.bursar.read(ahead_seconds).await?;
    Ok(Answer::ok(&rendered(&Moved { now: call.bursar.clock.now(), ahead_seconds }, false)))
}

/// Returns whether this request moved the clock: a replay and a refusal did not.
fn moved_the_clock(answer: &Answer) -> bool {
    answer.status == 200 && !answer.replayed
}

fn rendered(moved: &Moved, drained: bool) -> AdvancedClockJson {
    AdvancedClockJson { now: moved.now, ahead_seconds: moved.ahead_seconds, drained }
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/sandbox/clock" AppOrOrganization "get_sandbox_clock" read)
            .about("Sandbox", "Get the sandbox time")
            .describe("Returns 404 in production.")
            .gives::<ClockJson>(200, "The sandbox time."),
        route!(Post "/v2/sandbox/clock/advance" AppOrOrganization "advance_sandbox_clock" advance)
            .about("Sandbox", "Advance the sandbox clock")
            .describe(
                "Moves the clock forward. Settlements, expiries, retries and reminders become due for every app of \
                 this sandbox. Responds when they are done, after ten seconds at the latest. The clock never moves \
                 back. Returns 404 in production.",
            )
            .takes::<AdvanceClockInput>()
            .example(serde_json::json!({"seconds": DAY_SECONDS}))
            .gives::<AdvancedClockJson>(200, "The new sandbox time.")
            .refuses(&[Code::LimitExceeded]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::Work;

    fn sandbox() -> Bursar {
        Bursar::in_memory(Environment::Sandbox).unwrap()
    }

    #[tokio::test]
    async fn moves_add_up_and_survive_a_start() {
        let bursar = sandbox();
        let first = bursar.engine.run(NO_ORGANIZATION, AdvanceClock { seconds: 60 }).await.unwrap();
        let second = bursar.engine.run(NO_ORGANIZATION, AdvanceClock { seconds: 5 }).await.unwrap();
        assert_eq!((first.ahead_seconds, second.ahead_seconds), (60, 65));

        // The next start of the program with the same store.
        let started = Bursar { clock: Clock::wall(), ..bursar };
        keep_up(&started).await.unwrap();
        assert_eq!(started.clock.ahead_seconds(), 65);
        started.clock.set_ahead_seconds(3);
        assert_eq!(started.clock.ahead_seconds(), 65, "it never goes back");
    }

    #[tokio::test]
    async fn the_calendar_does_not_end() {
        let bursar = sandbox();
        for _ in 0..100 {
            bursar.engine.run(NO_ORGANIZATION, AdvanceClock { seconds: MOVE_MAX_SECONDS }).await.unwrap();
        }
        let refusal = bursar.engine.run(NO_ORGANIZATION, AdvanceClock { seconds: 1 }).await.unwrap_err();
        assert_eq!(refusal.code, Code::LimitExceeded);
    }

    #[tokio::test]
    async fn production_does_not_keep_up() {
        let bursar = Bursar { clock: Clock::wall(), ..Bursar::in_memory(Environment::Production).unwrap() };
        bursar.engine.run(NO_ORGANIZATION, AdvanceClock { seconds: 60 }).await.unwrap();
        keep_up(&bursar).await.unwrap();
        assert_eq!(bursar.clock.ahead_seconds(), 0);
    }

    enum Step {
        Add { due_in_seconds: i64 },
        Finish(jobs::Leased),
    }

    impl Command for Step {
        type Reply = ();
        fn decide(&self, world: &mut World) -> Result<(), Halt> {
            match self {
                Self::Add { due_in_seconds } => {
                    let due_at = world.now().plus_seconds(*due_in_seconds);
                    jobs::enqueue_at(world, NO_ORGANIZATION, Work::ExpireLink { link: NO_ORGANIZATION.0 }, due_at);
                    Ok(())
                }
                Self::Finish(leased) => jobs::finish(world, leased),
            }
        }
    }

    #[tokio::test]
    async fn what_is_due_or_in_hand_is_waited_for() {
        let bursar = sandbox();
        let fetch = || {
            let now = bursar.clock.now().plus_seconds(1);
            bursar.read(move |world| is_drained(world, now))
        };
        bursar.engine.run(NO_ORGANIZATION, Step::Add { due_in_seconds: 30 }).await.unwrap();
        assert_eq!(fetch().await, Ok(true), "what is due later is not waited for");
        bursar.engine.run(NO_ORGANIZATION, Step::Add { due_in_seconds: 0 }).await.unwrap();
        assert_eq!(fetch().await, Ok(false));

        let due = bursar.read(jobs::earliest).await.unwrap().unwrap();
        bursar.clock.advance(1);
        let leased = bursar.engine.run(due.org, jobs::Lease { org: due.org, id: due.id }).await.unwrap().unwrap();
        assert_eq!(fetch().await, Ok(false), "a worker has it");
        bursar.engine.run(leased.org, Step::Finish(leased)).await.unwrap();
        assert_eq!(fetch().await, Ok(true));
    }
}
