//! The engine: one batch of commands is one commit.
//!
//! It loads the rows that the commands want, runs the commands in order over one [`World`], writes all changes at once,
//! and only then answers the callers.
//!
//! It decides the next batch while one is being written ([`ahead`]). Work that a batch leaves and that calls no external
//! party is decided in the same batch ([`follow_ups`]).
//!
//! Invariants: no caller is answered before the commit; a refused command leaves no change; after an unknown outcome
//! the engine over the embedded store stops, and the engine over a shared store, which caches nothing between batches,
//! continues. The engine knows no network and no nouns.

mod ahead;
mod follow_ups;
mod queries;
mod running;
mod together;
mod view;
mod waiting;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

pub use follow_ups::FollowUps;
pub use queries::Queries;
pub use running::{Engine, Stopped};
pub use view::view;

use crate::chain::{ChainKey, UNKEYED};
use crate::clock::{Clock, Time};
use crate::ids::{OrgId, Seeds};
use crate::refusal::{Code, Refusal};
use crate::store::{Begun, CommitError, Store, StoreError};
use crate::world::{Halt, PendingRows, Row, Want, World, only_once};

/// Commands per batch at most. Above 64 there is little gain from sharing a flush.
pub const BATCH_MAX: usize = 256;

/// Rounds of loading after which a command is considered endless.
const ROUNDS_MAX: usize = 200;

/// Attempts per batch when other writers interfere; then the callers are asked to retry.
const TRIES_MAX: u32 = 6;

/// A command: a plain struct with its inputs, and a decision over a world.
pub trait Command: Send + 'static {
    type Reply: Send + 'static;

    /// Returns rows that it certainly needs, to save a round of loading.
    fn needs(&self) -> Vec<Want> {
        Vec::new()
    }

    /// Checks guards, then applies effects. It may run several times until all rows are loaded, and must be
    /// deterministic.
    fn decide(&self, world: &mut World) -> Result<Self::Reply, Halt>;
}

#[derive(Debug)]
pub enum Decision {
    Done,
    /// Its changes must be rolled back.
    Refused,
    /// It needs these rows, and runs again from its start.
    Load(Vec<Want>),
}

/// A queued command with its caller's callback.
pub trait Task: Send {
    /// The tenant whose rows it reads and changes. A batch on a shared store locks the tenants of its commands.
    fn organization(&self) -> OrgId;
    fn needs(&self) -> Vec<Want>;
    fn decide(&mut self, world: &mut World) -> Decision;
    fn overrule(&mut self, refusal: Refusal);
    fn answer(self: Box<Self>);
}

struct PendingCommand<C: Command, A> {
    organization: OrgId,
    command: C,
    /// Whether a batch took the command. Before that it certainly had no effect.
    begun: Arc<AtomicBool>,
    outcome: Option<Result<C::Reply, Refusal>>,
    answer: A,
}

impl<C, A> Task for PendingCommand<C, A>
where
    C: Command,
    A: FnOnce(Result<C::Reply, Refusal>) + Send,
{
    fn organization(&self) -> OrgId {
        self.organization
    }

    fn needs(&self) -> Vec<Want> {
        self.begun.store(true, Ordering::SeqCst);
        self.command.needs()
    }

    fn decide(&mut self, world: &mut World) -> Decision {
        match self.command.decide(world) {
            Ok(reply) => {
                self.outcome = Some(Ok(reply));
                Decision::Done
            }
            Err(Halt::Refuse(refusal)) => {
                self.outcome = Some(Err(*refusal));
                Decision::Refused
            }
            Err(Halt::Load(wants)) => Decision::Load(wants),
        }
    }

    fn overrule(&mut self, refusal: Refusal) {
        self.outcome = Some(Err(refusal));
    }

    fn answer(self: Box<Self>) {
        let undecided = || Err(Refusal::new(Code::InternalError, "The command was not decided."));
        (self.answer)(self.outcome.unwrap_or_else(undecided));
    }
}

/// Makes a task of an organization's command; `answer` is called after the commit.
pub fn task<C: Command>(
    organization: OrgId,
    command: C,
    answer: impl FnOnce(Result<C::Reply, Refusal>) + Send + 'static,
) -> Box<dyn Task> {
    watched_task(organization, command, Arc::default(), answer)
}

fn watched_task<C: Command>(
    organization: OrgId,
    command: C,
    begun: Arc<AtomicBool>,
    answer: impl FnOnce(Result<C::Reply, Refusal>) + Send + 'static,
) -> Box<dyn Task> {
    Box::new(PendingCommand { organization, command, begun, outcome: None, answer })
}

struct BatchTask {
    task: Box<dyn Task>,
    now: Time,
    /// Whether `now` is drawn. Over a shared store it is drawn with the first attempt.
    is_timed: bool,
    seed: [u8; 32],
    /// The seeds of the follow-ups of the batch that this command begins, for further attempts.
    follow_up_seeds: Vec<[u8; 32]>,
    decided: bool,
}

impl BatchTask {
    fn new(task: Box<dyn Task>, now: Time, seed: [u8; 32]) -> Self {
        Self { task, now, is_timed: false, seed, follow_up_seeds: Vec::new(), decided: false }
    }
}

/// Whether the engine can continue after a batch.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    GoOn,
    Stop(String),
}

/// A batch that is being written.
struct InFlight {
    /// Taken by the next batch.
    pending_rows: PendingRows,
    /// Arrives when the outcome is known. After a success the callers are answered right after it.
    outcome: Receiver<Result<(), Failed>>,
    begun: Instant,
    count: usize,
    /// Whether it was decided while another batch was written.
    is_ahead: bool,
}

/// A batch that was not written, or may not have been, with its callers.
struct Failed {
    error: CommitError,
    batch: Vec<BatchTask>,
    followed: Vec<BatchTask>,
}

/// Runs batches over one store. Owns the store's writing half.
pub struct Executor {
    store: Store,
    clock: Clock,
    seeds: Seeds,
    last: Time,
    in_flight: Option<InFlight>,
    /// Until then, a batch over a shared store is decided with its locks.
    locked_until: Option<Instant>,
    follow_ups: Option<FollowUps>,
    commits: Commits,
    chain: Arc<ChainKey>,
    is_live: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTaken {
    /// It is not reachable, or the outcome is unknown.
    Outage,
    NoRoom,
}

/// The outcome of the last commits of all executors.
#[derive(Clone, Debug, Default)]
struct Commits {
    failed: Arc<Mutex<Option<(Instant, NotTaken)>>>,
}

impl Commits {
    fn note(&self, outcome: Result<(), NotTaken>) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        match outcome {
            Err(why) => *failed = Some((Instant::now(), why)),
            // After a full storage a small commit may still succeed, so only time ends that state.
            Ok(()) => *failed = failed.filter(|(_, why)| *why == NotTaken::NoRoom),
        }
    }

    /// Records that a batch could not be loaded. A damaged row affects one organization, so it is no outage.
    fn note_unread(&self, error: &StoreError) {
        match error {
            StoreError::Read(_) | StoreError::Again(_) => self.note(Err(NotTaken::Outage)),
            StoreError::Full(_) => self.note(Err(NotTaken::NoRoom)),
            StoreError::Corrupt(_) => {}
        }
    }

    /// Returns why a commit failed within this time, unless a later success disproved it.
    fn failed_within(&self, time: Duration) -> Option<NotTaken> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.filter(|(at, _)| at.elapsed() <= time).map(|(_, why)| why)
    }
}

impl Executor {
    pub fn new(store: Store, clock: Clock, seeds: Seeds) -> Self {
        let chain = Arc::new(UNKEYED.clone());
        Self {
            store,
            clock,
            seeds,
            last: Time::from_micros(0),
            in_flight: None,
            locked_until: None,
            follow_ups: None,
            commits: Commits::default(),
            chain,
            is_live: false,
        }
    }

    #[must_use]
    pub fn chained(mut self, chain: ChainKey) -> Self {
        self.chain = Arc::new(chain);
        self
    }

    /// Sets whether the external parties of its commands are real ([`World::is_live`]).
    #[must_use]
    pub fn live(mut self, is_live: bool) -> Self {
        self.is_live = is_live;
        self
    }

    pub fn into_store(self) -> Store {
        self.store
    }

    pub fn run_one<C: Command>(&mut self, organization: OrgId, command: C) -> Result<C::Reply, Refusal> {
        let (sender, receiver) = std::sync::mpsc::channel();
        self.run(vec![task(organization, command, move |outcome| {
            // The receiver lives until the end of this function.
            sender.send(outcome).unwrap_or_default();
        })]);
        let silent = || Err(Refusal::new(Code::InternalError, "The command has no response."));
        receiver.recv().unwrap_or_else(|_| silent())
    }

    /// Returns the most organizations whose commands a batch may hold; `None` if there is no limit.
    pub fn organizations_at_once(&self) -> Option<usize> {
        self.store.organizations_at_once()
    }

    /// Runs a batch: decides, commits, then answers the callers. See [`Self::organizations_at_once`].
    pub fn run(&mut self, tasks: Vec<Box<dyn Task>>) -> Verdict {
        if !self.store.is_shared() {
            return match self.run_ahead(tasks, None) {
                Verdict::GoOn => self.finish_commits(),
                stop @ Verdict::Stop(_) => stop,
            };
        }
        if let stop @ Verdict::Stop(_) = self.finish_commits() {
            let mut batch = self.batch(tasks);
            overrule(&mut batch, &unavailable());
            answer(batch);
            return stop;
        }
        let (mut batch, mut followed) = (self.batch(tasks), Vec::new());
        if Self::organizations(&batch).len() > 1 {
            return self.run_together(batch);
        }
        let outcome = self.decide_and_commit(&mut batch, &mut followed);
        self.end(batch, followed, outcome)
    }

    fn batch(&mut self, tasks: Vec<Box<dyn Task>>) -> Vec<BatchTask> {
        tasks.into_iter().map(|task| self.batch_task(task)).collect()
    }

    /// Answers the callers of a batch by the outcome of its commit.
    fn end(
        &mut self,
        mut batch: Vec<BatchTask>,
        followed: Vec<BatchTask>,
        outcome: Result<(), CommitError>,
    ) -> Verdict {
        let is_written = outcome.is_ok();
        let verdict = match outcome {
            // The store rejected one command's changes. Running the commands singly finds it, so that the others
            // succeed.
            Err(CommitError::Refused(_)) if batch.len() + followed.len() > 1 => self.run_singly(&mut batch),
            outcome => self.settle(&mut batch, outcome),
        };
        answer(batch);
        if is_written {
            answer(followed);
        }
        verdict
    }

    /// Runs each command in a commit of its own, without follow-ups: the changes of one of them may be those that the
    /// store rejected.
    fn run_singly(&mut self, batch: &mut [BatchTask]) -> Verdict {
        let follow_ups = self.follow_ups.take();
        let verdict = self.run_each(batch);
        self.follow_ups = follow_ups;
        verdict
    }

    fn run_each(&mut self, batch: &mut [BatchTask]) -> Verdict {
        for at in 0..batch.len() {
            let alone = &mut batch[at..=at];
            alone[0].decided = false;
            let outcome = self.decide_and_commit(alone, &mut Vec::new());
            if let Verdict::Stop(reason) = self.settle(alone, outcome) {
                self.settle(&mut batch[at..], Err(CommitError::Unknown(reason.clone())));
                return Verdict::Stop(reason);
            }
        }
        Verdict::GoOn
    }

    fn batch_task(&mut self, task: Box<dyn Task>) -> BatchTask {
        // Over a shared store the time is determined after the organization is locked.
        let now = if self.store.is_shared() { self.last } else { self.next_moment() };
        BatchTask::new(task, now, self.seeds.next_seed())
    }

    /// Returns a time later than all before, so that creation times order all objects.
    fn next_moment(&mut self) -> Time {
        let now = self.clock.now().max(self.last.plus_micros(1));
        self.last = now;
        self.clock.reach(now);
        now
    }

    /// Runs the batch, and retries it from its start while other writers of a shared store interfere. Nothing was
    /// written and no caller was answered, so a retry is safe.
    fn decide_and_commit(&mut self, batch: &mut [BatchTask], followed: &mut Vec<BatchTask>) -> Result<(), CommitError> {
        let mut tries = 1;
        loop {
            match self.decide_and_commit_once(batch, followed) {
                Err(CommitError::Again(reason)) if tries < TRIES_MAX => {
                    tracing::debug!(reason, tries, "a batch is retried");
                    metrics::counter!("bursar_batch_retries_total").increment(1);
                    std::thread::sleep(Duration::from_millis(u64::from(tries)));
                    tries += 1;
                    batch.iter_mut().for_each(|entry| entry.decided = false);
                    followed.clear();
                }
                outcome => return outcome,
            }
        }
    }

    fn decide_and_commit_once(
        &mut self,
        batch: &mut [BatchTask],
        followed: &mut Vec<BatchTask>,
    ) -> Result<(), CommitError> {
        let mut world = World::new(self.last).chained(self.chain.clone()).live(self.is_live);
        match self.decide_and_follow(batch, &mut world, followed) {
            Ok(()) => {
                let changes = world.changes();
                if let Some(foreign) = self.foreign(batch, &changes) {
                    self.store.abandon();
                    return Err(CommitError::Refused(foreign));
                }
                let begun = Instant::now();
                let committed = self.store.commit(&changes, self.last);
                record_commit(begun);
                if committed.is_ok() {
                    self.commits.note(Ok(()));
                }
                committed
            }
            Err(error) => {
                self.store.abandon();
                match error {
                    StoreError::Again(reason) => Err(CommitError::Again(reason)),
                    StoreError::Full(reason) => Err(CommitError::Full(reason)),
                    error @ (StoreError::Read(_) | StoreError::Corrupt(_)) if self.is_of_several(batch) => {
                        Err(CommitError::Again(error.to_string()))
                    }
                    error @ (StoreError::Read(_) | StoreError::Corrupt(_)) => {
                        // Nothing was written, so all callers get a definite refusal.
                        tracing::error!(%error, "a batch cannot be loaded");
                        self.commits.note_unread(&error);
                        overrule(batch, &unavailable());
                        followed.clear();
                        Ok(())
                    }
                }
            }
        }
    }

    fn decide_all(&mut self, batch: &mut [BatchTask], world: &mut World) -> Result<(), StoreError> {
        let mut wants: Vec<Want> = batch.iter().flat_map(|entry| entry.task.needs()).collect();
        self.begin(batch, world, std::mem::take(&mut wants))?;
        for _ in 0..ROUNDS_MAX {
            for entry in batch.iter_mut().filter(|entry| !entry.decided) {
                if let Decision::Load(more) = decide_guarded(entry, world) {
                    wants.extend(more);
                }
            }
            if batch.iter().all(|entry| entry.decided) {
                return Ok(());
            }
            let new = unknown_to(world, std::mem::take(&mut wants));
            if !new.is_empty() {
                let answers = self.store.load(&new)?;
                take_in(world, new, answers)?;
            }
        }
        for entry in batch.iter_mut().filter(|entry| !entry.decided) {
            entry.task.overrule(Refusal::new(Code::InternalError, "The command was not decided."));
        }
        Ok(())
    }

    /// Begins the batch in the store with the rows that its commands certainly need. Over a shared store this sets the
    /// commands' times, later than those of other processes' commits.
    fn begin(&mut self, batch: &mut [BatchTask], world: &mut World, wants: Vec<Want>) -> Result<(), StoreError> {
        let organizations = Self::organizations(batch);
        if organizations.is_empty() {
            return Ok(());
        }
        let new = unknown_to(world, wants);
        let Begun { last, answers } = self.store.begin(&organizations, &new)?;
        if let Some(last) = last {
            // A time ahead of the clock comes from another process, and applies to its organization only. A batch over a
            // pending one may have commands with a time already.
            let (now, is_ahead) = (self.clock.now(), self.in_flight.is_some());
            let latest = if is_ahead { last.max(self.last) } else { last };
            if latest > now && (is_ahead || organizations.len() > 1) {
                return Err(StoreError::Again("the time of an organization is ahead of the clock".to_owned()));
            }
            self.last = latest.max(self.last.min(now));
            self.set_times(batch, latest);
        }
        take_in(world, new, answers)
    }

    /// Sets the times of a batch's commands. Another attempt keeps the times of the first one, unless another process has
    /// written later ones, so that the number of attempts does not change what is written.
    fn set_times(&mut self, batch: &mut [BatchTask], latest: Time) {
        let is_kept = |entry: &BatchTask| entry.is_timed && entry.now > latest;
        let kept = batch.iter().take_while(|entry| is_kept(entry)).count();
        if let Some(last) = batch[..kept].last() {
            self.last = last.now;
        }
        for entry in &mut batch[kept..] {
            entry.now = self.next_moment();
            entry.is_timed = true;
        }
    }

    /// Applies a commit's outcome to the callers of the batch.
    fn settle(&self, batch: &mut [BatchTask], outcome: Result<(), CommitError>) -> Verdict {
        match outcome {
            Ok(()) => Verdict::GoOn,
            Err(CommitError::Refused(reason)) => {
                tracing::error!(reason, "the store refused the changes of a command");
                overrule(batch, &bug());
                Verdict::GoOn
            }
            Err(CommitError::Full(reason)) => {
                tracing::warn!(reason, "the storage is too full for a batch");
                self.commits.note(Err(NotTaken::NoRoom));
                overrule(batch, &Refusal::storage_full());
                Verdict::GoOn
            }
            Err(CommitError::Again(reason)) => {
                tracing::error!(reason, "a batch was abandoned");
                self.commits.note(Err(NotTaken::Outage));
                overrule(batch, &unavailable());
                Verdict::GoOn
            }
            Err(CommitError::Unknown(reason)) => {
                tracing::error!(reason, "the outcome of a commit is unknown");
                self.commits.note(Err(NotTaken::Outage));
                metrics::counter!("bursar_commits_unknown_total").increment(1);
                let message = "The outcome is unknown: the request may or may not have taken effect. Retry with the \
                               same idempotency key.";
                overrule(batch, &Refusal::new(Code::OutcomeUnknown, message).retry_after(2));
                if self.store.is_shared() { Verdict::GoOn } else { Verdict::Stop(reason) }
            }
        }
    }
}

/// Returns the wants that are not loaded yet, without duplicates.
fn unknown_to(world: &World, wants: Vec<Want>) -> Vec<Want> {
    let mut new: Vec<Want> = wants.into_iter().filter(|want| !world.knows(want)).collect();
    only_once(&mut new);
    new
}

fn take_in(world: &mut World, wants: Vec<Want>, answers: Vec<Vec<Row>>) -> Result<(), StoreError> {
    for (want, rows) in wants.into_iter().zip(answers) {
        world.take_in(want, &rows)?;
    }
    Ok(())
}

fn answer(batch: Vec<BatchTask>) {
    batch.into_iter().for_each(|entry| entry.task.answer());
}

fn overrule(batch: &mut [BatchTask], refusal: &Refusal) {
    for entry in batch {
        entry.task.overrule(refusal.clone());
    }
}

/// Records the duration of a commit in the store.
fn record_commit(begun: Instant) {
    metrics::histogram!("bursar_commit_seconds").record(begun.elapsed());
}

fn unavailable() -> Refusal {
    let message = "The store accepts no changes now. This attempt changed nothing; an earlier attempt with the same \
                   idempotency key may have.";
    Refusal::new(Code::ServiceUnavailable, message).retry_after(1)
}

/// Runs one command. Rolls back its changes unless it is done. A panic is a bug; it fails that command alone with a
/// 500, never the batch.
fn decide_guarded(entry: &mut BatchTask, world: &mut World) -> Decision {
    let savepoint = world.savepoint();
    world.begin(entry.now, entry.seed);
    let decision = catch_unwind(AssertUnwindSafe(|| entry.task.decide(world))).unwrap_or_else(|_| {
        entry.task.overrule(bug());
        Decision::Refused
    });
    entry.decided = !matches!(decision, Decision::Load(_));
    if !matches!(decision, Decision::Done) {
        world.roll_back(savepoint);
    }
    decision
}

fn bug() -> Refusal {
    Refusal::new(Code::InternalError, "A bug stopped this request. Nothing was changed.")
}
