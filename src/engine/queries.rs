//! Where looks are run: by whoever asks, together with others, or on a thread of their own.
//!
//! Over the embedded store a look for rows by their keys is over sooner than another thread would begin with it. Over
//! a server, looks that wait at the same moment are answered together, as commands are: each table is asked once for
//! all of them. Whoever wants a page of a list waits for it alone, and keeps nobody else waiting.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use super::view::{ROUNDS_MAX, Seen, endless, rounds, unreadable, view};
use super::waiting::QUEUE_MAX;
use super::{BatchTask, Command, StoreError, Task, decide_guarded, overrule, take_in, task, unknown_to};
use crate::clock::Time;
use crate::ids::OrgId;
use crate::refusal::{Code, Refusal};
use crate::store::Reads;
use crate::world::{Halt, Want, World};

/// How many threads answer looks together. A server lends more connections than these: lists need some too.
const THREADS: usize = 4;
/// How many looks are answered together at most.
const TOGETHER_MAX: usize = 64;

/// Runs looks. Nothing is written.
pub struct Queries {
    reads: Reads,
    /// To the threads that answer together; none over a store in this process.
    together: Option<SyncSender<Waiting>>,
}

/// A look as a command that changes nothing. Whose rows it is about is known when it asks for them.
struct ReadQuery<L, T> {
    query: L,
    sees: PhantomData<fn() -> T>,
}

impl<L, T> Command for ReadQuery<L, T>
where
    L: Fn(&mut World) -> Result<T, Halt> + Send + 'static,
    T: Send + 'static,
{
    type Reply = T;

    fn organization(&self) -> OrgId {
        OrgId(uuid::Uuid::nil())
    }

    fn decide(&self, world: &mut World) -> Result<T, Halt> {
        (self.query)(world)
    }
}

/// A look that waits, and the moment that it sees.
struct Waiting {
    now: Time,
    task: Box<dyn Task>,
}

impl Queries {
    /// Looks over this store. Its threads end when it is dropped.
    ///
    /// # Errors
    /// When the system has no thread for them.
    pub fn start(reads: Reads) -> std::io::Result<Self> {
        if !reads.is_shared() {
            return Ok(Self { reads, together: None });
        }
        let (queue, waiting) = sync_channel(QUEUE_MAX);
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..THREADS {
            let (reads, waiting) = (reads.clone(), waiting.clone());
            std::thread::Builder::new().name("looks".into()).spawn(move || work(&reads, &waiting))?;
        }
        Ok(Self { reads, together: Some(queue) })
    }

    /// Runs a look to its end. It may be run several times until all rows are there.
    ///
    /// # Errors
    /// What it refuses; `service-unavailable` when the store cannot be read.
    pub async fn run<T, L>(&self, now: Time, query: L) -> Result<T, Refusal>
    where
        T: Send + 'static,
        L: Fn(&mut World) -> Result<T, Halt> + Send + 'static,
    {
        let wants = match rounds(now, &query, |wants| self.reads.load_at_once(wants)) {
            Seen::Ended(outcome) => return outcome,
            Seen::Waits(wants) => wants,
        };
        let bug = || Refusal::new(Code::InternalError, "A bug stopped this request.");
        match &self.together {
            Some(queue) if !wants.iter().any(Want::is_page) => {
                let (answer, answered) = oneshot::channel();
                // A caller that went away does not need its answer.
                let task = task(ReadQuery { query, sees: PhantomData }, move |seen| drop(answer.send(seen)));
                match queue.try_send(Waiting { now, task }) {
                    Ok(()) => answered.await.unwrap_or_else(|_| Err(bug())),
                    Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                        Err(Refusal::new(Code::ServiceUnavailable, "The server is overloaded.").retry_after(1))
                    }
                }
            }
            Some(_) | None => {
                let reads = self.reads.clone();
                let seen = tokio::task::spawn_blocking(move || view(&reads, now, query)).await;
                seen.unwrap_or_else(|_| Err(bug()))
            }
        }
    }
}

/// Answers what waits, until nobody can ask any more.
fn work(reads: &Reads, waiting: &Mutex<Receiver<Waiting>>) {
    loop {
        let batch: Vec<Waiting> = {
            let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let Ok(first) = waiting.recv() else { return };
            std::iter::once(first).chain(waiting.try_iter().take(TOGETHER_MAX - 1)).collect()
        };
        let entry = |Waiting { now, task }| BatchTask { task, now, seed: [0; 32], decided: false };
        let pages = answer(reads, batch.into_iter().map(entry).collect(), Pages::Later);
        for page in pages {
            answer(reads, vec![page], Pages::Now);
        }
    }
}

/// What becomes of a look that turns out to want a page of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pages {
    Now,
    Later,
}

/// Answers looks together, each as soon as it has everything; gives those that are left for later.
fn answer(reads: &Reads, mut batch: Vec<BatchTask>, pages: Pages) -> Vec<BatchTask> {
    let mut later = Vec::new();
    let Some(first) = batch.first() else { return later };
    let mut world = World::new(first.now);
    for _ in 0..ROUNDS_MAX {
        let (mut wants, mut left) = (Vec::new(), Vec::new());
        for mut entry in batch {
            let savepoint = world.savepoint();
            let wanted = decide_guarded(&mut entry, &mut world);
            // Some looks try out what a command would do. The others are not to see that.
            world.roll_back(savepoint);
            if entry.decided {
                entry.task.answer();
            } else if pages == Pages::Later && wanted.iter().any(Want::is_page) {
                later.push(entry);
            } else {
                wants.extend(wanted);
                left.push(entry);
            }
        }
        batch = left;
        if batch.is_empty() {
            return later;
        }
        if let Err(error) = load(reads, &mut world, wants) {
            overrule(&mut batch, &unreadable(&error));
            batch.into_iter().for_each(|entry| entry.task.answer());
            return later;
        }
    }
    overrule(&mut batch, &endless());
    batch.into_iter().for_each(|entry| entry.task.answer());
    later
}

/// Loads what is wanted, one organization after the other: on a distributed store each may lie on another node.
fn load(reads: &Reads, world: &mut World, wants: Vec<Want>) -> Result<(), StoreError> {
    let mut by_organization: BTreeMap<_, Vec<Want>> = BTreeMap::new();
    for want in unknown_to(world, wants) {
        by_organization.entry(want.organization().cloned()).or_default().push(want);
    }
    for wants in by_organization.into_values() {
        let answers = reads.load(&wants)?;
        take_in(world, wants, answers)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;
    use crate::engine::ahead::tests::{ORG, Thing};
    use crate::store::Memory;
    use crate::world::Query;
    use crate::world::record::{Cell as _, key};

    /// What looks saw, in the order in which they were answered.
    struct Bench {
        reads: Reads,
        batch: Vec<BatchTask>,
        said: std::sync::mpsc::Sender<(&'static str, Result<usize, Code>)>,
        heard: Receiver<(&'static str, Result<usize, Code>)>,
    }

    impl Bench {
        fn new() -> Self {
            let (said, heard) = channel();
            Self { reads: Reads::Memory(Memory::new()), batch: Vec::new(), said, heard }
        }

        fn query(
            &mut self,
            name: &'static str,
            query: impl Fn(&mut World) -> Result<usize, Halt> + Send + 'static,
        ) -> &mut Self {
            let said = self.said.clone();
            let sender = move |seen: Result<usize, Refusal>| said.send((name, seen.map_err(|no| no.code))).unwrap();
            let task = task(ReadQuery { query, sees: PhantomData }, sender);
            self.batch.push(BatchTask { task, now: Time::from_micros(1), seed: [0; 32], decided: false });
            self
        }

        fn answer(&mut self, pages: Pages) -> Vec<(&'static str, Result<usize, Code>)> {
            self.batch = answer(&self.reads, std::mem::take(&mut self.batch), pages);
            self.heard.try_iter().collect()
        }
    }

    /// How many things have the number 1.
    fn row(world: &mut World) -> Result<usize, Halt> {
        Ok(usize::from(world.get::<Thing>(key![ORG, 1_i64])?.is_some()))
    }

    fn page(world: &mut World) -> Result<usize, Halt> {
        Ok(world.page::<Thing>(&Query::of::<Thing>(ORG.to_value(), "id", 10))?.len())
    }

    #[test]
    fn a_query_for_a_page_is_deferred_and_delays_no_other() {
        let mut bench = Bench::new();
        bench.query("page", page).query("row", row);
        assert_eq!(bench.answer(Pages::Later), [("row", Ok(0))]);
        assert_eq!(bench.batch.len(), 1, "the other is left for later");
        assert_eq!(bench.answer(Pages::Now), [("page", Ok(0))]);
        assert!(bench.batch.is_empty());
    }

    #[test]
    fn a_query_does_not_see_the_dry_run_of_another() {
        let mut bench = Bench::new();
        let trying = |world: &mut World| {
            world.add(Thing { org: ORG, id: 1, name: 1, shelf: 1 });
            row(world)
        };
        bench.query("trying", trying).query("after", row);
        assert_eq!(bench.answer(Pages::Later), [("trying", Ok(1)), ("after", Ok(0))]);
    }

    #[test]
    fn a_query_that_panics_fails_alone() {
        let mut bench = Bench::new();
        bench.query("broken", |_| panic!("on purpose")).query("whole", row);
        assert_eq!(bench.answer(Pages::Later), [("broken", Err(Code::InternalError)), ("whole", Ok(0))]);
    }

    #[test]
    fn a_refused_query_returns_its_refusal() {
        let mut bench = Bench::new();
        bench.query("refused", |_| Err(Refusal::not_found("event").into()));
        assert_eq!(bench.answer(Pages::Later), [("refused", Err(Code::NotFound))]);
    }
}
