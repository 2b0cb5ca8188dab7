//! The engine: one batch of commands is one commit.
//!
//! It loads what the commands of a batch ask for, runs them in order over one
//! [`World`], writes everything they changed at once, and only then answers anyone.
//!
//! Over a store of its own it decides the next batch while one is written ([`ahead`]).
//!
//! Invariants: nobody is answered before the commit; a refused command leaves no
//! change; after a commit whose outcome is unknown nothing is guessed: over the embedded
//! store the engine stops, over a shared one, of which it keeps nothing between two
//! batches, it goes on. Deliberately absent: the network, and anything about a
//! particular noun.

mod ahead;
mod queries;
mod running;
mod view;
mod waiting;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ahead::InFlight;
pub use queries::Queries;
pub use running::{Engine, Stopped};
pub use view::view;

use crate::chain::{ChainKey, UNKEYED};
use crate::clock::{Clock, Time};
use crate::ids::{OrgId, Seeds};
use crate::refusal::{Code, Refusal};
use crate::store::{Begun, CommitError, Store, StoreError};
use crate::world::{Halt, Row, Want, World, only_once};

/// A batch holds at most this many commands. Above 64 there is little left to gain by sharing a flush.
pub const BATCH_MAX: usize = 256;

/// A command that has not decided after this many loads would never decide.
const ROUNDS_MAX: usize = 200;

/// A batch that other writers stand in the way of is run this often at most; then its callers are told to come back.
const TRIES_MAX: u32 = 6;

/// Something to be done: a plain struct with its inputs, and a decision over a world.
pub trait Command: Send + 'static {
    /// What it gives when it is done.
    type Reply: Send + 'static;

    /// The tenant it works for; a batch on a distributed store holds one tenant's commands only.
    fn organization(&self) -> OrgId;

    /// Rows it will surely need, to save a round of loading. May be empty.
    fn needs(&self) -> Vec<Want> {
        Vec::new()
    }

    /// Guards, then effects. It may be run several times until all rows are there, and must then do the same.
    fn decide(&self, world: &mut World) -> Result<Self::Reply, Halt>;
}

/// How one run of a command ended.
#[derive(Debug)]
pub enum Decision {
    /// It has its reply; its changes stand.
    Done,
    /// The answer is no; its changes are to be taken back.
    Refused,
    /// It needs these first, and runs again from its start.
    Load(Vec<Want>),
}

/// A command with the place where its answer goes; what the engine queues.
pub trait Task: Send {
    /// See [`Command::organization`].
    fn organization(&self) -> OrgId;
    /// See [`Command::needs`].
    fn needs(&self) -> Vec<Want>;
    /// Runs the command once.
    fn decide(&mut self, world: &mut World) -> Decision;
    /// Replaces whatever it decided.
    fn overrule(&mut self, refusal: Refusal);
    /// Tells the caller.
    fn answer(self: Box<Self>);
}

struct PendingCommand<C: Command, A> {
    command: C,
    outcome: Option<Result<C::Reply, Refusal>>,
    answer: A,
}

impl<C, A> Task for PendingCommand<C, A>
where
    C: Command,
    A: FnOnce(Result<C::Reply, Refusal>) + Send,
{
    fn organization(&self) -> OrgId {
        self.command.organization()
    }

    fn needs(&self) -> Vec<Want> {
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

/// Makes a task of a command; `answer` is called after the commit.
pub fn task<C: Command>(command: C, answer: impl FnOnce(Result<C::Reply, Refusal>) + Send + 'static) -> Box<dyn Task> {
    Box::new(PendingCommand { command, outcome: None, answer })
}

/// A task of the running batch.
struct BatchTask {
    task: Box<dyn Task>,
    now: Time,
    seed: [u8; 32],
    decided: bool,
}

/// Whether the engine may go on after a batch.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    GoOn,
    /// No: the outcome of a commit is unknown.
    Stop(String),
}

/// Runs batches over one store. It owns the store's writing half.
pub struct Executor {
    store: Store,
    clock: Clock,
    seeds: Seeds,
    last: Time,
    /// The batch that is being written.
    in_flight: Option<InFlight>,
    commits: Commits,
    /// Under which the history is chained.
    chain: Arc<ChainKey>,
}

/// Why the store did not take a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTaken {
    /// It cannot be reached, or its outcome is unknown.
    Outage,
    /// It has no room.
    NoRoom,
}

/// How the last commits went, of all executors.
#[derive(Clone, Debug, Default)]
struct Commits {
    /// When the last failed commit failed, and why.
    failed: Arc<Mutex<Option<(Instant, NotTaken)>>>,
}

impl Commits {
    fn note(&self, outcome: Result<(), NotTaken>) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        match outcome {
            Err(why) => *failed = Some((Instant::now(), why)),
            // A small commit may fit where the next one does not: it does not end a full storage, time does.
            Ok(()) => *failed = failed.filter(|(_, why)| *why == NotTaken::NoRoom),
        }
    }

    /// A batch could not be loaded. A row that makes no sense is one organization's trouble, not the store's.
    fn note_unread(&self, error: &StoreError) {
        match error {
            StoreError::Read(_) | StoreError::Again(_) => self.note(Err(NotTaken::Outage)),
            StoreError::Full(_) => self.note(Err(NotTaken::NoRoom)),
            StoreError::Corrupt(_) => {}
        }
    }

    /// Why a commit failed not longer ago than this, unless one that succeeded has refuted it.
    fn failed_within(&self, time: Duration) -> Option<NotTaken> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.filter(|(at, _)| at.elapsed() <= time).map(|(_, why)| why)
    }
}

impl Executor {
    /// An executor over a store.
    pub fn new(store: Store, clock: Clock, seeds: Seeds) -> Self {
        let chain = Arc::new(UNKEYED.clone());
        Self { store, clock, seeds, last: Time::from_micros(0), in_flight: None, commits: Commits::default(), chain }
    }

    /// The same executor, which chains the history under this key.
    #[must_use]
    pub fn chained(mut self, chain: ChainKey) -> Self {
        self.chain = Arc::new(chain);
        self
    }

    /// Gives its store back.
    pub fn into_store(self) -> Store {
        self.store
    }

    /// Runs one command as a batch of its own.
    pub fn run_one<C: Command>(&mut self, command: C) -> Result<C::Reply, Refusal> {
        let (sender, receiver) = std::sync::mpsc::channel();
        self.run(vec![task(command, move |outcome| {
            // The receiver stands two lines below, so it is there.
            sender.send(outcome).unwrap_or_default();
        })]);
        let silent = || Err(Refusal::new(Code::InternalError, "The command has no response."));
        receiver.recv().unwrap_or_else(|_| silent())
    }

    /// Whether a batch may hold the commands of one organization only.
    pub fn one_organization(&self) -> bool {
        self.store.is_shared()
    }

    /// Runs a batch: decides, commits, then answers everyone. See [`Self::one_organization`].
    pub fn run(&mut self, tasks: Vec<Box<dyn Task>>) -> Verdict {
        if !self.store.is_shared() {
            return match self.run_ahead(tasks, None) {
                Verdict::GoOn => self.finish_commits(),
                stop @ Verdict::Stop(_) => stop,
            };
        }
        let mut batch = self.batch(tasks);
        let outcome = self.decide_and_commit(&mut batch);
        self.end(batch, outcome)
    }

    fn batch(&mut self, tasks: Vec<Box<dyn Task>>) -> Vec<BatchTask> {
        tasks.into_iter().map(|task| self.batch_task(task)).collect()
    }

    /// Answers everyone of a batch whose commit went so.
    fn end(&mut self, mut batch: Vec<BatchTask>, outcome: Result<(), CommitError>) -> Verdict {
        let verdict = match outcome {
            // One command's changes stand against the store: find out whose, the others must not suffer.
            Err(CommitError::Refused(_)) if batch.len() > 1 => self.run_singly(&mut batch),
            outcome => self.settle(&mut batch, outcome),
        };
        answer(batch);
        verdict
    }

    fn run_singly(&mut self, batch: &mut [BatchTask]) -> Verdict {
        for at in 0..batch.len() {
            let alone = &mut batch[at..=at];
            alone[0].decided = false;
            let outcome = self.decide_and_commit(alone);
            if let Verdict::Stop(reason) = self.settle(alone, outcome) {
                self.settle(&mut batch[at..], Err(CommitError::Unknown(reason.clone())));
                return Verdict::Stop(reason);
            }
        }
        Verdict::GoOn
    }

    fn batch_task(&mut self, task: Box<dyn Task>) -> BatchTask {
        // Over a shared store the moment is known only when the organization is locked.
        let now = if self.store.is_shared() { self.last } else { self.next_moment() };
        BatchTask { task, now, seed: self.seeds.next_seed(), decided: false }
    }

    /// Each command has a moment of its own, later than any before, so that creation times order all objects.
    fn next_moment(&mut self) -> Time {
        let now = self.clock.now().max(self.last.plus_micros(1));
        self.last = now;
        self.clock.reach(now);
        now
    }

    /// Runs the batch, and once more from its start for as long as other writers of a shared store stand in its
    /// way: nothing was written and nobody was answered, so that is the same batch.
    fn decide_and_commit(&mut self, batch: &mut [BatchTask]) -> Result<(), CommitError> {
        let mut tries = 1;
        loop {
            match self.decide_and_commit_once(batch) {
                Err(CommitError::Again(reason)) if tries < TRIES_MAX => {
                    tracing::debug!(reason, tries, "a batch is retried");
                    metrics::counter!("bursar_batch_retries_total").increment(1);
                    std::thread::sleep(Duration::from_millis(u64::from(tries)));
                    tries += 1;
                    batch.iter_mut().for_each(|entry| entry.decided = false);
                }
                outcome => return outcome,
            }
        }
    }

    fn decide_and_commit_once(&mut self, batch: &mut [BatchTask]) -> Result<(), CommitError> {
        let mut world = World::new(self.last).chained(self.chain.clone());
        match self.decide_all(batch, &mut world) {
            Ok(()) => {
                let committed = self.store.commit(&world.changes(), self.last);
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
                    error @ (StoreError::Read(_) | StoreError::Corrupt(_)) => {
                        // Nothing was written yet: a definite no for everyone.
                        tracing::error!(%error, "a batch cannot be loaded");
                        self.commits.note_unread(&error);
                        overrule(batch, &unavailable());
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
                wants.extend(decide_guarded(entry, world));
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

    /// Begins the batch in the store, with what its commands know to need. Where others write too, the moments
    /// of the commands are drawn now, later than those of what they committed meanwhile.
    fn begin(&mut self, batch: &mut [BatchTask], world: &mut World, wants: Vec<Want>) -> Result<(), StoreError> {
        let Some(first) = batch.first() else { return Ok(()) };
        let organization = first.task.organization();
        debug_assert!(
            !self.one_organization() || batch.iter().all(|entry| entry.task.organization() == organization),
            "a batch of a shared store is of one organization"
        );
        let new = unknown_to(world, wants);
        let Begun { last, answers } = self.store.begin(organization, &new)?;
        if let Some(last) = last {
            // What lies ahead of the clock is from another's, and stays with the organization that has it.
            self.last = last.max(self.last.min(self.clock.now()));
            for entry in batch {
                entry.now = self.next_moment();
            }
        }
        take_in(world, new, answers)
    }

    /// What a commit's outcome means for the callers of the batch.
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

/// What is asked for and not here yet, each once.
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

fn unavailable() -> Refusal {
    let message = "The store accepts no changes now. This attempt changed nothing; an earlier attempt with the same \
                   idempotency key may have.";
    Refusal::new(Code::ServiceUnavailable, message).retry_after(1)
}

/// Runs one command and gives the rows that it needs. Whatever it changed is taken back unless it is done.
/// A panic is a bug; it costs that command alone a 500, never the batch.
fn decide_guarded(entry: &mut BatchTask, world: &mut World) -> Vec<Want> {
    let savepoint = world.savepoint();
    world.begin(entry.now, entry.seed);
    let step = catch_unwind(AssertUnwindSafe(|| entry.task.decide(world)));
    entry.decided = !matches!(step, Ok(Decision::Load(_)));
    match step {
        Ok(Decision::Done) => Vec::new(),
        Ok(Decision::Refused) => {
            world.roll_back(savepoint);
            Vec::new()
        }
        Ok(Decision::Load(wants)) => {
            world.roll_back(savepoint);
            wants
        }
        Err(_) => {
            world.roll_back(savepoint);
            entry.task.overrule(bug());
            Vec::new()
        }
    }
}

fn bug() -> Refusal {
    Refusal::new(Code::InternalError, "A bug stopped this request. Nothing was changed.")
}
