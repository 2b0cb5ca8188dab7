//! The engine as a thread of its own, with a bounded queue in front of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Instant;

use tokio::sync::{oneshot, watch};

use super::{BATCH_MAX, Command, Executor, Task, Verdict, task};
use crate::ids::OrgId;
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, Want, World};

/// Commands that wait at most; beyond it callers are told to come back.
const QUEUE_MAX: usize = 8_192;

/// Hands commands to the executor's thread. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    queue: SyncSender<Box<dyn Task>>,
    alive: Arc<AtomicBool>,
    stopped: watch::Receiver<Option<String>>,
}

/// Tells when the engine stopped, and why.
pub type Stopped = watch::Receiver<Option<String>>;

impl Engine {
    /// Starts the thread. It ends when the last handle is dropped, or when a commit's outcome is unknown.
    pub fn start(executor: Executor) -> std::io::Result<Self> {
        let (queue, waiting) = sync_channel(QUEUE_MAX);
        let (tell, stopped) = watch::channel(None);
        let alive = Arc::new(AtomicBool::new(true));
        let life = alive.clone();
        std::thread::Builder::new().name("engine".into()).spawn(move || {
            let reason = work(executor, &waiting);
            life.store(false, Ordering::SeqCst);
            // Whoever still waits gets an answer: the queue is closed when `waiting` goes.
            for task in waiting.try_iter() {
                refuse(task);
            }
            tell.send_replace(Some(reason));
        })?;
        Ok(Self { queue, alive, stopped })
    }

    /// Whether it takes commands.
    pub fn is_alive(&self) -> bool {
        self.alive.load(Ordering::SeqCst)
    }

    /// Changes to `Some(reason)` when the engine stops.
    pub fn stopped(&self) -> Stopped {
        self.stopped.clone()
    }

    /// Queues a command and waits for its commit. Dropping the future cancels nothing.
    pub async fn run<C: Command>(&self, command: C) -> Result<C::Reply, Refusal> {
        let (answer, answered) = oneshot::channel();
        let begun = Arc::new(AtomicBool::new(false));
        let task = task(Noted { command, begun: begun.clone() }, move |outcome| {
            // A caller that went away does not need its answer; what was done stays done.
            drop(answer.send(outcome));
        });
        match self.queue.try_send(task) {
            Ok(()) => answered.await.unwrap_or_else(|_| Err(unanswered(begun.load(Ordering::SeqCst)))),
            Err(TrySendError::Full(_)) => Err(unavailable("Too much is waiting already. Nothing happened.")),
            Err(TrySendError::Disconnected(_)) => Err(unavailable("The engine has stopped. Nothing happened.")),
        }
    }
}

fn unavailable(message: &str) -> Refusal {
    Refusal::new(Code::ServiceUnavailable, message).retry_after(1)
}

/// A command that tells when it is begun: until then it is certain that nothing happened.
struct Noted<C> {
    command: C,
    begun: Arc<AtomicBool>,
}

impl<C: Command> Command for Noted<C> {
    type Reply = C::Reply;

    fn organization(&self) -> OrgId {
        self.command.organization()
    }

    fn needs(&self) -> Vec<Want> {
        self.begun.store(true, Ordering::SeqCst);
        self.command.needs()
    }

    fn decide(&self, world: &mut World) -> Result<C::Reply, Halt> {
        self.command.decide(world)
    }
}

/// What a caller is told whose command was dropped without an answer. One that waited when the engine stopped
/// was never begun; one that the engine's thread died with in hand may have been committed.
fn unanswered(begun: bool) -> Refusal {
    if !begun {
        return unavailable("The engine has stopped. Nothing happened.");
    }
    let message = "The engine died. It may or may not have happened. Repeat it with the same idempotency key.";
    Refusal::new(Code::OutcomeUnknown, message).retry_after(2)
}

fn refuse(mut task: Box<dyn Task>) {
    task.overrule(unavailable("The engine has stopped. Nothing happened."));
    task.answer();
}

/// Takes what waits, as one batch, until nobody can send any more or an outcome is unknown.
fn work(mut executor: Executor, waiting: &Receiver<Box<dyn Task>>) -> String {
    while let Ok(first) = waiting.recv() {
        let mut batch = vec![first];
        batch.extend(waiting.try_iter().take(BATCH_MAX - 1));
        metrics::histogram!("bursar_batch_commands").record(u32::try_from(batch.len()).unwrap_or(u32::MAX));
        let started = Instant::now();
        let verdict = executor.run(batch);
        metrics::histogram!("bursar_batch_seconds").record(started.elapsed());
        if let Verdict::Stop(reason) = verdict {
            return reason;
        }
    }
    "all work is done".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock, Time};
    use crate::ids::Seeds;
    use crate::store::{Memory, Store};

    /// Takes the engine's thread with it, at a place where no panic is caught.
    struct Deadly;

    impl Command for Deadly {
        type Reply = ();
        fn organization(&self) -> OrgId {
            OrgId(uuid::Uuid::nil())
        }
        fn needs(&self) -> Vec<Want> {
            panic!("on purpose")
        }
        fn decide(&self, _: &mut World) -> Result<(), Halt> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn who_is_left_without_an_answer_is_told_that_the_outcome_is_unknown() {
        let clock = Clock::manual(Time::from_micros(1));
        let executor = Executor::new(Store::Memory(Memory::new()), clock, Seeds::counted(1));
        let engine = Engine::start(executor).unwrap();
        assert_eq!(engine.run(Deadly).await.unwrap_err().code, Code::OutcomeUnknown);
        // From now on it is known that nothing happens.
        let mut stopped = engine.stopped();
        assert!(stopped.wait_for(Option::is_some).await.is_err());
        assert_eq!(engine.run(Deadly).await.unwrap_err().code, Code::ServiceUnavailable);
    }
}
