//! The engine's threads, each with a bounded queue.
//!
//! All commands of an organization go to the same executor, so they are decided in the order in which they arrived.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_channel::{Sender, TrySendError, bounded};
use tokio::sync::{oneshot, watch};

use super::waiting::{QUEUE_MAX, Waiting};
use super::{Command, Commits, Executor, NotTaken, Task, Verdict, watched_task};
use crate::ids::OrgId;
use crate::refusal::{Code, Refusal};

/// Sends commands to the executors' threads. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    queues: Arc<[Sender<Box<dyn Task>>]>,
    alive: Arc<AtomicBool>,
    stopped: watch::Receiver<Option<String>>,
    commits: Commits,
    pending: Arc<AtomicUsize>,
}

/// Counts a command until its caller has the response, or it is dropped.
struct Pending(Arc<AtomicUsize>);

impl Pending {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count.clone())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Reports that the engine stopped, with the reason.
pub type Stopped = watch::Receiver<Option<String>>;

impl Engine {
    pub fn start(executor: Executor) -> std::io::Result<Self> {
        Self::with(vec![executor])
    }

    /// Starts a thread for each executor. They end when the last handle is dropped. The engine has stopped when all
    /// have ended, or one of them has failed: by an unknown outcome of a commit, or by a bug. Fails if a thread cannot
    /// start.
    pub fn with(executors: Vec<Executor>) -> std::io::Result<Self> {
        let (sender, stopped) = watch::channel(None);
        let alive = Arc::new(AtomicBool::new(true));
        let (sender, running) = (Arc::new(sender), Arc::new(AtomicUsize::new(executors.len())));
        let mut queues = Vec::with_capacity(executors.len());
        let commits = Commits::default();
        for mut executor in executors {
            executor.commits = commits.clone();
            let (queue, waiting) = bounded(QUEUE_MAX);
            let waiting = Waiting::new(waiting, executor.organizations_at_once());
            let end = End { alive: alive.clone(), sender: sender.clone(), running: running.clone(), reason: None };
            std::thread::Builder::new().name("engine".into()).spawn(move || {
                let mut end = end;
                end.reason = Some(work(executor, waiting));
            })?;
            queues.push(queue);
        }
        Ok(Self { queues: queues.into(), alive, stopped, commits, pending: Arc::default() })
    }

    fn queue(&self, organization: OrgId) -> &Sender<Box<dyn Task>> {
        let mut hasher = DefaultHasher::new();
        organization.hash(&mut hasher);
        let among = u64::try_from(self.queues.len()).unwrap_or(1).max(1);
        let entry = usize::try_from(hasher.finish() % among).unwrap_or(0);
        &self.queues[entry]
    }

    pub fn is_alive(&self) -> bool {
        self.alive.load(Ordering::SeqCst)
    }

    pub fn commits_failed_within(&self, time: Duration) -> Option<NotTaken> {
        self.commits.failed_within(time)
    }

    /// Returns the number of commands without a response.
    pub fn pending(&self) -> usize {
        self.pending.load(Ordering::Relaxed)
    }

    /// Returns the number of commands that the queues can hold.
    pub fn pending_max(&self) -> usize {
        self.queues.len() * QUEUE_MAX
    }

    /// Changes to `Some(reason)` when the engine stops.
    pub fn stopped(&self) -> Stopped {
        self.stopped.clone()
    }

    /// Queues a command of an organization and waits for its commit. Dropping the future cancels nothing.
    pub async fn run<C: Command>(&self, organization: OrgId, command: C) -> Result<C::Reply, Refusal> {
        let (answer, answered) = oneshot::channel();
        let begun = Arc::new(AtomicBool::new(false));
        let queue = self.queue(organization);
        let pending = Pending::new(&self.pending);
        let task = watched_task(organization, command, begun.clone(), move |outcome| {
            drop(pending);
            // A caller that has disconnected needs no response; the commit remains.
            drop(answer.send(outcome));
        });
        match queue.try_send(task) {
            Ok(()) => answered.await.unwrap_or_else(|_| Err(unanswered(begun.load(Ordering::SeqCst)))),
            Err(TrySendError::Full(_)) => Err(unavailable("The server is overloaded. Nothing was changed.")),
            Err(TrySendError::Disconnected(_)) => Err(unavailable("The server is stopping. Nothing was changed.")),
        }
    }
}

fn unavailable(message: &str) -> Refusal {
    Refusal::new(Code::ServiceUnavailable, message).retry_after(1)
}

/// Returns the refusal for a command that was dropped without a response. A queued command had no effect; one that was
/// running when the thread died may have been committed.
fn unanswered(begun: bool) -> Refusal {
    if !begun {
        return unavailable("The server is stopping. Nothing was changed.");
    }
    let message = "The engine stopped. The outcome is unknown: the request may or may not have taken effect. Retry \
                   with the same idempotency key.";
    Refusal::new(Code::OutcomeUnknown, message).retry_after(2)
}

fn refuse(mut task: Box<dyn Task>) {
    task.overrule(unavailable("The server is stopping. Nothing was changed."));
    task.answer();
}

enum Reason {
    Done,
    Unknown(String),
}

/// Reports the end of a thread on drop, and so also after a panic.
struct End {
    alive: Arc<AtomicBool>,
    sender: Arc<watch::Sender<Option<String>>>,
    running: Arc<AtomicUsize>,
    reason: Option<Reason>,
}

impl Drop for End {
    fn drop(&mut self) {
        let was_last = self.running.fetch_sub(1, Ordering::SeqCst) == 1;
        let reason = match self.reason.take() {
            Some(Reason::Done) if !was_last => return,
            Some(Reason::Done) => "all work is done".to_owned(),
            Some(Reason::Unknown(reason)) => reason,
            None => "an executor panicked".to_owned(),
        };
        self.alive.store(false, Ordering::SeqCst);
        // Only the first reason is reported.
        self.sender.send_if_modified(|reported| {
            let first = reported.is_none();
            reported.get_or_insert(reason);
            first
        });
    }
}

/// Runs batches until the queue is closed or an outcome is unknown.
fn work(mut executor: Executor, mut waiting: Waiting) -> Reason {
    loop {
        let verdict = match executor.next_batch(&mut waiting) {
            Some(batch) => executor.run_ahead(batch, Some(&mut waiting)),
            None if executor.is_writing() => executor.finish_commits(),
            None => return Reason::Done,
        };
        if let Verdict::Stop(reason) = verdict {
            // Queued callers get a refusal: dropping the queue closes it.
            waiting.rest().into_iter().for_each(refuse);
            return Reason::Unknown(reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock, Time};
    use crate::ids::Seeds;
    use crate::store::memory::Fault;
    use crate::store::{Memory, Store, StoreError};
    use crate::world::{Halt, Want, World};

    const NIL: OrgId = OrgId(uuid::Uuid::nil());

    /// Kills the engine's thread at a point where panics are not caught.
    struct Deadly;

    impl Command for Deadly {
        type Reply = ();
        fn needs(&self) -> Vec<Want> {
            panic!("on purpose")
        }
        fn decide(&self, _: &mut World) -> Result<(), Halt> {
            Ok(())
        }
    }

    /// Changes nothing, and is committed nevertheless.
    struct Idle;

    impl Command for Idle {
        type Reply = ();
        fn decide(&self, _: &mut World) -> Result<(), Halt> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_commit_that_the_store_did_not_take_shows_until_it_takes_one() {
        let (memory, long) = (Memory::new(), Duration::from_mins(10));
        let executor =
            Executor::new(Store::Memory(memory.clone()), Clock::manual(Time::from_micros(1)), Seeds::counted(1));
        let engine = Engine::start(executor).unwrap();
        assert_eq!(engine.run(NIL, Idle).await, Ok(()));
        assert_eq!(engine.commits_failed_within(long), None);
        memory.fail_next(Fault::LostAndUnknown);
        assert_eq!(engine.run(NIL, Idle).await.unwrap_err().code, Code::OutcomeUnknown);
        assert_eq!(engine.commits_failed_within(long), Some(NotTaken::Outage));
        assert_eq!(engine.commits_failed_within(Duration::ZERO), None);
        engine.commits.note(Ok(()));
        assert_eq!(engine.commits_failed_within(long), None);
        engine.commits.note_unread(&StoreError::Read("away".to_owned()));
        assert_eq!(engine.commits_failed_within(long), Some(NotTaken::Outage));
    }

    #[tokio::test]
    async fn without_room_the_engine_refuses_definitely_and_continues() {
        let memory = Memory::new();
        let executor =
            Executor::new(Store::Memory(memory.clone()), Clock::manual(Time::from_micros(1)), Seeds::counted(1));
        let engine = Engine::start(executor).unwrap();
        memory.fail_next(Fault::Full);
        assert_eq!((engine.pending(), engine.pending_max()), (0, QUEUE_MAX));
        assert_eq!(engine.run(NIL, Idle).await.unwrap_err().code, Code::StorageFull);
        assert_eq!(engine.commits_failed_within(Duration::from_mins(10)), Some(NotTaken::NoRoom));
        assert_eq!(engine.run(NIL, Idle).await, Ok(()), "the same engine writes again");
        assert_eq!(
            engine.commits_failed_within(Duration::from_mins(10)),
            Some(NotTaken::NoRoom),
            "a small commit fits where the next one does not"
        );
    }

    #[tokio::test]
    async fn a_caller_without_an_answer_gets_outcome_unknown() {
        let clock = Clock::manual(Time::from_micros(1));
        let executor = Executor::new(Store::Memory(Memory::new()), clock, Seeds::counted(1));
        let engine = Engine::start(executor).unwrap();
        assert_eq!(engine.run(NIL, Deadly).await.unwrap_err().code, Code::OutcomeUnknown);
        // The refusal is definite from here on.
        let mut stopped = engine.stopped();
        assert!(stopped.wait_for(Option::is_some).await.is_ok());
        assert!(!engine.is_alive());
        assert_eq!(engine.run(NIL, Deadly).await.unwrap_err().code, Code::ServiceUnavailable);
        assert_eq!(engine.pending(), 0, "dropped commands are not counted");
    }
}
