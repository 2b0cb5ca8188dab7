//! The movable clock: it runs like the wall clock, some seconds ahead (docs/decisions.md 13).
//!
//! Invariant: a move is committed before the clock shows it, so that no start shows an
//! earlier time than the one before. Deliberately absent: moving back. What fell due has
//! been done, and nothing here undoes it.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::clock::{Clock, DAY_SECONDS, Time};
use crate::engine::Command;
use crate::http::input::input;
use crate::http::inputs::Integer;
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::OrgId;
use crate::jobs::{self, Job};
use crate::program::{Bursar, Environment};
use crate::refusal::{Code, Refusal};
use crate::security_log::SecurityEvent;
use crate::world::record::{key, record};
use crate::world::{Halt, Want, World};

/// The longest single move: ten years with their leap days.
const MOVE_MAX_SECONDS: i64 = 3_653 * DAY_SECONDS;
/// How far ahead the clock may run in all: a thousand years, well before the calendar's end.
const AHEAD_MAX_SECONDS: i64 = 100 * MOVE_MAX_SECONDS;
/// How long a move waits for what fell due.
const DRAIN_MAX: Duration = Duration::from_secs(10);
/// How often it looks.
const DRAIN_EVERY: Duration = Duration::from_millis(20);
/// How often the clock stops at most within one move.
const STOPS_MAX: usize = 64;
/// Jobs that fall due within so many seconds are done at one stop.
const STOP_SECONDS: i64 = 60;

record! {
    /// How far the environment's clock runs ahead. One row, of no organization: its id is all zeroes.
    pub struct EnvironmentClock in "environment_clock" {
        key (org);
        /// All zeroes.
        pub org: OrgId,
        /// Seconds ahead of the wall clock.
        pub ahead_seconds: i64,
    }
}

/// The environment belongs to no tenant.
const NOBODY: OrgId = OrgId(uuid::Uuid::nil());

/// Moves the environment's clock forward.
#[derive(Clone, Debug)]
pub struct AdvanceClock {
    /// By so many seconds.
    pub seconds: i64,
}

/// Where a move led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// What the clock shows after it.
    pub now: Time,
    /// How far it runs ahead of the wall clock.
    pub ahead_seconds: i64,
}

impl Command for AdvanceClock {
    type Reply = Moved;

    fn organization(&self) -> OrgId {
        NOBODY
    }

    fn needs(&self) -> Vec<Want> {
        vec![Want::row::<EnvironmentClock>(key![NOBODY])]
    }

    fn decide(&self, world: &mut World) -> Result<Moved, Halt> {
        let clock = world.get::<EnvironmentClock>(key![NOBODY])?;
        let ahead_seconds = clock.as_ref().map_or(0, |clock| clock.ahead_seconds).saturating_add(self.seconds);
        if ahead_seconds > AHEAD_MAX_SECONDS {
            let message =
                "The sandbox clock is already a thousand years ahead. Start a new sandbox in an empty data folder.";
            return Err(Refusal::new(Code::LimitExceeded, message).into());
        }

        // From here it must succeed.
        match clock {
            Some(clock) => drop(world.change(&clock, |clock| clock.ahead_seconds = ahead_seconds)),
            None => drop(world.add(EnvironmentClock { org: NOBODY, ahead_seconds })),
        }
        Ok(Moved { now: world.now().plus_seconds(self.seconds), ahead_seconds })
    }
}

fn ahead_seconds(world: &mut World) -> Result<i64, Halt> {
    Ok(world.get::<EnvironmentClock>(key![NOBODY])?.map_or(0, |clock| clock.ahead_seconds))
}

/// Brings the process's clock to where the store says it is: at the start, and from time to time
/// where other processes share the store.
///
/// # Errors
/// 503 `service-unavailable` when the store cannot be read.
pub async fn keep_up(bursar: &Bursar) -> Result<(), Refusal> {
    if bursar.environment == Environment::Sandbox {
        bursar.clock.set_ahead_seconds(bursar.read(ahead_seconds).await?);
    }
    Ok(())
}

/// Whether nothing is due and nothing is in a worker's hands.
fn is_drained(world: &mut World, now: Time) -> Result<bool, Halt> {
    let waiting = jobs::due(world, now, 1)?;
    Ok(waiting.is_empty() && world.page::<Job>(&jobs::leased(1))?.is_empty())
}

/// Waits until everything that fell due has been done; `false` when that took too long.
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

/// Shows in this process a move that was committed. The wall clock goes from one due time to the next, and
/// waits at each for what is done there: what a job leaves to be done later falls due within the same move,
/// and a settlement is counted from the moment of its transfer, not from the end of the move.
async fn show(bursar: &Bursar, seconds: i64, deadline: Instant) -> Result<bool, Refusal> {
    match &bursar.clock {
        // Two moves may be shown in either order: the store knows their sum.
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

/// What the clock shows.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct ClockJson {
    /// The time of the sandbox.
    #[schema(value_type = String, format = DateTime)]
    pub now: Time,
    /// Seconds that it runs ahead of the wall clock.
    pub ahead_seconds: i64,
}

/// Where the clock was moved to.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct AdvancedClockJson {
    /// The time of the sandbox right after the move.
    #[schema(value_type = String, format = DateTime)]
    pub now: Time,
    /// Seconds that it runs ahead of the wall clock.
    pub ahead_seconds: i64,
    /// Whether everything that fell due has been done; false when some of it still is after ten seconds.
    pub drained: bool,
}

input! {
    /// How far to move the clock.
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

/// GET /v2/sandbox/clock
pub async fn read(call: Call) -> Outcome {
    sandbox_only(&call)?;
    let ahead_seconds = call.read(ahead_seconds).await?;
    Ok(Answer::ok(&ClockJson { now: call.bursar.clock.now(), ahead_seconds }))
}

/// POST /v2/sandbox/clock/advance
pub async fn advance(call: Call) -> Outcome {
    sandbox_only(&call)?;
    let (bursar, deadline) = (call.bursar.clone(), Instant::now() + DRAIN_MAX);
    // What is due before the move is done before it: a transfer that was just made is handed to its rail now,
    // and settles so many days from now.
    if matches!(bursar.clock, Clock::Wall(_)) {
        drained(&bursar, deadline).await?;
    }
    // A caller that goes away between the commit and the move must not leave the two apart.
    let moving = tokio::spawn(commit_and_show(call, deadline)).await;
    moving.unwrap_or_else(|_| Err(Refusal::new(Code::InternalError, "Advancing the clock was interrupted.")))
}

async fn commit_and_show(call: Call, deadline: Instant) -> Outcome {
    let input = call.body::<AdvanceClockInput>();
    let seconds = input.as_ref().map_or(0, |input| input.seconds.0);
    let command = input.map(|input| AdvanceClock { seconds: input.seconds.0 });
    // What is kept for repeats says drained: by the time of a repeat it is.
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

/// Whether this very request moved the clock: a repeat did not, and neither did a refusal.
fn moved_the_clock(answer: &Answer) -> bool {
    answer.status == 200 && !answer.replayed
}

fn rendered(moved: &Moved, drained: bool) -> AdvancedClockJson {
    AdvancedClockJson { now: moved.now, ahead_seconds: moved.ahead_seconds, drained }
}

/// The routes of the clock.
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
        let first = bursar.engine.run(AdvanceClock { seconds: 60 }).await.unwrap();
        let second = bursar.engine.run(AdvanceClock { seconds: 5 }).await.unwrap();
        assert_eq!((first.ahead_seconds, second.ahead_seconds), (60, 65));

        // The next start of the program over the same store.
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
            bursar.engine.run(AdvanceClock { seconds: MOVE_MAX_SECONDS }).await.unwrap();
        }
        let refusal = bursar.engine.run(AdvanceClock { seconds: 1 }).await.unwrap_err();
        assert_eq!(refusal.code, Code::LimitExceeded);
    }

    #[tokio::test]
    async fn production_does_not_keep_up() {
        let bursar = Bursar { clock: Clock::wall(), ..Bursar::in_memory(Environment::Production).unwrap() };
        bursar.engine.run(AdvanceClock { seconds: 60 }).await.unwrap();
        keep_up(&bursar).await.unwrap();
        assert_eq!(bursar.clock.ahead_seconds(), 0);
    }

    /// Adds a job; takes it; ends it.
    enum Step {
        Add { due_in_seconds: i64 },
        Finish(jobs::Leased),
    }

    impl Command for Step {
        type Reply = ();
        fn organization(&self) -> OrgId {
            NOBODY
        }
        fn decide(&self, world: &mut World) -> Result<(), Halt> {
            match self {
                Self::Add { due_in_seconds } => {
                    let due_at = world.now().plus_seconds(*due_in_seconds);
                    jobs::enqueue_at(world, NOBODY, Work::ExpireLink { link: NOBODY.0 }, due_at);
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
        bursar.engine.run(Step::Add { due_in_seconds: 30 }).await.unwrap();
        assert_eq!(fetch().await, Ok(true), "what is due later is not waited for");
        bursar.engine.run(Step::Add { due_in_seconds: 0 }).await.unwrap();
        assert_eq!(fetch().await, Ok(false));

        let due = bursar.read(jobs::earliest).await.unwrap().unwrap();
        bursar.clock.advance(1);
        let leased = bursar.engine.run(jobs::Lease { org: due.org, id: due.id }).await.unwrap().unwrap();
        assert_eq!(fetch().await, Ok(false), "a worker has it");
        bursar.engine.run(Step::Finish(leased)).await.unwrap();
        assert_eq!(fetch().await, Ok(true));
    }
}
