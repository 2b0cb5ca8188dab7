//! Runs reads: on the caller's thread, together with others, or on a blocking thread.
//!
//! Over the embedded store a read of rows by their keys is faster than a change of threads. Over a server, concurrent
//! reads run together like commands: one statement per table serves all of them. A read of a page runs alone, so that
//! it delays no others.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use super::view::{ROUNDS_MAX, Seen, Unloaded, endless, rounds, unreadable, view};
use super::waiting::QUEUE_MAX;
use super::{BatchTask, Command, Decision, StoreError, Task, decide_guarded, overrule, take_in, task, unknown_to};
use crate::clock::Time;
use crate::ids::OrgId;
use crate::refusal::{Code, Refusal};
use crate::store::Reads;
use crate::world::{Halt, ValueRef, Want, World};

/// Threads that run reads together. Fewer than the connections to the server, because pages need some too.
const THREADS: usize = 4;
const TOGETHER_MAX: usize = 64;

/// A read has no organization of its own: its wants name theirs.
const ANY: OrgId = OrgId(uuid::Uuid::nil());

pub struct Queries {
    reads: Reads,
    /// The queue of the threads that run reads together; `None` over a store in this process.
    together: Option<SyncSender<Waiting>>,
}

/// A read as a command without changes.
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

    fn decide(&self, world: &mut World) -> Result<T, Halt> {
        (self.query)(world)
    }
}

/// A queued read, and the time that it sees.
struct Waiting {
    now: Time,
    task: Box<dyn Task>,
}

impl Queries {
    /// Starts reads over a store. The threads end when this is dropped. Fails if no thread can start.
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

    /// Runs a read. `query` may run several times until all rows are loaded. Returns its refusal, or
    /// `service-unavailable` if the store cannot be read.
    pub async fn run<T, L>(&self, now: Time, query: L) -> Result<T, Refusal>
    where
        T: Send + 'static,
        L: Fn(&mut World) -> Result<T, Halt> + Send + 'static,
    {
        let load = |world: &mut World, wants: Vec<Want>| {
            let Some(loaded) = self.reads.load_at_once(&wants) else { return Err(Unloaded::Declined(wants)) };
            wants.into_iter().zip(loaded?).for_each(|(want, records)| world.take_in_records(want, &records));
            Ok(())
        };
        let wants = match rounds(now, &query, load) {
            Seen::Ended(outcome) => return outcome,
            Seen::Waits(wants) => wants,
        };
        let bug = || Refusal::new(Code::InternalError, "A bug stopped this request.");
        // A caller that went away does not need its answer.
        let (answer, answered) = oneshot::channel();
        match &self.together {
            Some(queue) if !wants.iter().any(Want::is_page) => {
                let task = task(ANY, ReadQuery { query, sees: PhantomData }, move |seen| drop(answer.send(seen)));
                queue.try_send(Waiting { now, task }).map_err(|full| match full {
                    TrySendError::Full(_) | TrySendError::Disconnected(_) => {
                        Refusal::new(Code::ServiceUnavailable, "The server is overloaded.").retry_after(1)
                    }
                })?;
            }
            Some(_) | None => {
                let reads = self.reads.clone();
                // Boxed, so that one kind of task is compiled instead of one for each query.
                let work: Box<dyn FnOnce() + Send> = Box::new(move || drop(answer.send(view(&reads, now, query))));
                drop(tokio::task::spawn_blocking(work));
            }
        }
        answered.await.unwrap_or_else(|_| Err(bug()))
    }
}

/// Runs queued reads until the queue is closed.
fn work(reads: &Reads, waiting: &Mutex<Receiver<Waiting>>) {
    loop {
        let batch: Vec<Waiting> = {
            let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let Ok(first) = waiting.recv() else { return };
            std::iter::once(first).chain(waiting.try_iter().take(TOGETHER_MAX - 1)).collect()
        };
        let entry = |Waiting { now, task }| BatchTask::new(task, now, [0; 32]);
        let pages = answer(reads, batch.into_iter().map(entry).collect(), Pages::Later);
        for page in pages {
            answer(reads, vec![page], Pages::Now);
        }
    }
}

/// Whether reads of pages are run or returned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pages {
    Now,
    Later,
}

/// Runs reads together and answers each as soon as it is done. Returns the reads of pages that are left for later.
fn answer(reads: &Reads, mut batch: Vec<BatchTask>, pages: Pages) -> Vec<BatchTask> {
    let mut later = Vec::new();
    let Some(first) = batch.first() else { return later };
    let mut world = World::new(first.now);
    for _ in 0..ROUNDS_MAX {
        let (mut wants, mut left) = (Vec::new(), Vec::new());
        for mut entry in batch {
            let savepoint = world.savepoint();
            let decision = decide_guarded(&mut entry, &mut world);
            // Some reads dry-run a command. The rollback hides its changes from the other reads.
            world.roll_back(savepoint);
            match decision {
                Decision::Done | Decision::Refused => entry.task.answer(),
                Decision::Load(wanted) if pages == Pages::Later && wanted.iter().any(Want::is_page) => {
                    later.push(entry);
                }
                Decision::Load(wanted) => {
                    wants.extend(wanted);
                    left.push(entry);
                }
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

/// Loads rows one organization at a time: on a distributed store each may be on another node.
fn load(reads: &Reads, world: &mut World, wants: Vec<Want>) -> Result<(), StoreError> {
    let mut by_organization: BTreeMap<_, Vec<Want>> = BTreeMap::new();
    for want in unknown_to(world, wants) {
        by_organization.entry(want.organization().map(ValueRef::to_value)).or_default().push(want);
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

    /// The results of reads, in the order in which they were answered.
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
            let task = task(ANY, ReadQuery { query, sees: PhantomData }, sender);
            self.batch.push(BatchTask::new(task, Time::from_micros(1), [0; 32]));
            self
        }

        fn answer(&mut self, pages: Pages) -> Vec<(&'static str, Result<usize, Code>)> {
            self.batch = answer(&self.reads, std::mem::take(&mut self.batch), pages);
            self.heard.try_iter().collect()
        }
    }

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
