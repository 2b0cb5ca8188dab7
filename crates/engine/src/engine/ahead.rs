//! Decides the next batch while the previous one is being written.
//!
//! The next batch is decided over the pending changes, and committed only after they are known to be durable, so that
//! no response depends on data that was never written. If the pending commit fails, the next batch is decided again; if
//! its outcome is unknown, no later batch has happened.
//!
//! Over a shared store the next batch has no locks while it is decided. Its commit fails if another process has written
//! in between; then it runs again with the locks, and for a while no batch is decided ahead.

use std::time::{Duration, Instant};

use crossbeam_channel::bounded;

use super::waiting::{Room, Waiting};
use super::{BatchTask, Executor, Failed, InFlight, Task, Verdict, answer, overrule, record_commit, unavailable};
use crate::store::{CommitError, StoreError};
use crate::world::World;

/// After another process was in between, no batch is decided ahead for this time.
const LOCKED_FOR: Duration = Duration::from_secs(1);

enum CommitEnd {
    Written,
    /// Not all changes are durable. The callers have been answered.
    Otherwise(Verdict),
}

impl Executor {
    pub fn is_writing(&self) -> bool {
        self.in_flight.is_some()
    }

    /// Decides a batch while the previous one is written, and starts its commit after that. For callers that form
    /// batches themselves.
    pub fn decide_ahead(&mut self, tasks: Vec<Box<dyn Task>>) -> Verdict {
        self.run_ahead(tasks, None)
    }

    /// Decides a batch while the previous one is written, and starts its commit after that. Commands that arrive in
    /// between join the batch.
    pub(super) fn run_ahead(&mut self, tasks: Vec<Box<dyn Task>>, mut waiting: Option<&mut Waiting>) -> Verdict {
        let begun = Instant::now();
        if !self.store.decides_ahead() {
            let count = tasks.len();
            let verdict = self.run(tasks);
            record(begun, count);
            return verdict;
        }
        let mut batch = self.batch(tasks);
        loop {
            let pending_rows = self.in_flight.as_mut().map(|in_flight| std::mem::take(&mut in_flight.pending_rows));
            let is_ahead = pending_rows.is_some();
            let mut world = World::after(pending_rows.unwrap_or_default(), self.last);
            world = world.chained(self.chain.clone()).live(self.is_live);
            let mut followed = Vec::new();
            let mut decided = self.decide_and_follow(&mut batch, &mut world, &mut followed);
            while decided.is_ok()
                && let Some(waiting) = waiting.as_deref_mut()
                && let Some(more) = self.joining(waiting, &batch)
            {
                decided = self.decide_too(more, &mut batch, &mut world, &mut followed);
            }
            match self.wait_for_commit() {
                CommitEnd::Written => {}
                CommitEnd::Otherwise(Verdict::GoOn) => {
                    self.store.abandon();
                    batch.iter_mut().for_each(|entry| entry.decided = false);
                    continue;
                }
                CommitEnd::Otherwise(stop) => {
                    overrule(&mut batch, &unavailable());
                    answer(batch);
                    return stop;
                }
            }
            match decided {
                Ok(()) => return self.begin_commit(batch, followed, &world, begun, is_ahead),
                Err(error) if is_ahead && self.store.is_shared() || self.may_load_later(&batch, &error) => {
                    tracing::debug!(%error, is_ahead, "a batch is loaded again with its locks");
                    if is_ahead && !matches!(error, StoreError::Again(_)) {
                        // Without a second connection each attempt would fail.
                        self.locked_until = Some(Instant::now() + LOCKED_FOR);
                    }
                    self.store.abandon();
                    return self.run_again(batch, is_ahead);
                }
                Err(error) => {
                    self.store.abandon();
                    // Nothing was written, so all callers get a definite refusal.
                    tracing::error!(%error, "a batch cannot be loaded");
                    self.commits.note_unread(&error);
                    overrule(&mut batch, &unavailable());
                    answer(batch);
                    return Verdict::GoOn;
                }
            }
        }
    }

    fn begin_commit(
        &mut self,
        batch: Vec<BatchTask>,
        followed: Vec<BatchTask>,
        world: &World,
        begun: Instant,
        is_ahead: bool,
    ) -> Verdict {
        let (changes, pending_rows) = (world.changes(), world.pending_rows());
        if self.foreign(&batch, &changes).is_some() {
            self.store.abandon();
            return self.run_again(batch, is_ahead);
        }
        let (sender, outcome) = bounded(1);
        let count = batch.len();
        let commit_begun = Instant::now();
        let on_commit = move |outcome| {
            record_commit(commit_begun);
            match outcome {
                Ok(()) => {
                    // First unblocks the deciding thread. It may have ended with its executor, which does no harm.
                    sender.send(Ok(())).unwrap_or_default();
                    answer(batch);
                    answer(followed);
                }
                Err(error) => sender.send(Err(Failed { error, batch, followed })).unwrap_or_default(),
            }
        };
        self.store.begin_commit(changes, self.last, Box::new(on_commit));
        self.in_flight = Some(InFlight { pending_rows, outcome, begun, count, is_ahead });
        Verdict::GoOn
    }

    /// Runs a batch that was not written over a shared store, and finds the commands at fault.
    fn run_again(&mut self, mut batch: Vec<BatchTask>, was_ahead: bool) -> Verdict {
        batch.iter_mut().for_each(|entry| entry.decided = false);
        match (self.is_of_several(&batch), was_ahead) {
            (true, true) => self.run_together(batch),
            (true, false) => self.run_apart(batch),
            (false, _) => {
                let mut followed = Vec::new();
                let outcome = self.decide_and_commit(&mut batch, &mut followed);
                self.end(batch, followed, outcome)
            }
        }
    }

    /// Returns the next batch; `None` if the pending commit must end first, or the queue is closed.
    pub(super) fn next_batch(&self, waiting: &mut Waiting) -> Option<Vec<Box<dyn Task>>> {
        match &self.in_flight {
            Some(_) if self.locked_until.is_some_and(|until| Instant::now() < until) => None,
            Some(_) => self.during_commit(waiting, Room::default()),
            None => waiting.next_batch(),
        }
    }

    /// Returns commands that join a batch during the pending commit.
    fn joining(&self, waiting: &mut Waiting, batch: &[BatchTask]) -> Option<Vec<Box<dyn Task>>> {
        let organizations = self.store.organizations_at_once().map_or(0, |_| Self::organizations(batch).len());
        self.during_commit(waiting, Room::default().after(batch.len(), organizations))
    }

    /// Returns commands that arrive during the pending commit; `None` if it has ended or there is no room.
    fn during_commit(&self, waiting: &mut Waiting, room: Room) -> Option<Vec<Box<dyn Task>>> {
        let in_flight = self.in_flight.as_ref().filter(|_| self.store.commits_asynchronously())?;
        waiting.batch_before(&in_flight.outcome, room)
    }

    fn decide_too(
        &mut self,
        more: Vec<Box<dyn Task>>,
        batch: &mut Vec<BatchTask>,
        world: &mut World,
        followed: &mut Vec<BatchTask>,
    ) -> Result<(), StoreError> {
        let decided = batch.len();
        batch.extend(self.batch(more));
        self.decide_and_follow(&mut batch[decided..], world, followed)
    }

    /// Waits for the pending commit, if there is one. Its callers are answered right after it.
    pub fn finish_commits(&mut self) -> Verdict {
        match self.wait_for_commit() {
            CommitEnd::Written => Verdict::GoOn,
            CommitEnd::Otherwise(verdict) => verdict,
        }
    }

    /// Returns whether a batch over a shared store, which could not be loaded with its locks, may be loaded by another
    /// attempt, or in part.
    fn may_load_later(&self, batch: &[BatchTask], error: &StoreError) -> bool {
        let may_pass = matches!(error, StoreError::Again(_) | StoreError::Full(_));
        self.store.is_shared() && (may_pass || self.is_of_several(batch))
    }

    /// Returns whether a batch over a shared store was certainly not written.
    fn is_worth_another_run(&self, error: &CommitError) -> bool {
        self.store.is_shared() && !matches!(error, CommitError::Unknown(_))
    }

    fn wait_for_commit(&mut self) -> CommitEnd {
        let Some(InFlight { outcome, begun, count, is_ahead, .. }) = self.in_flight.take() else {
            return CommitEnd::Written;
        };
        self.store.finish_commit();
        let outcome = outcome.recv();
        record(begun, count);
        match outcome {
            Ok(Ok(())) => {
                self.commits.note(Ok(()));
                CommitEnd::Written
            }
            Ok(Err(Failed { error, batch, .. })) if self.is_worth_another_run(&error) => {
                tracing::debug!(%error, is_ahead, "a batch runs again with its locks");
                metrics::counter!("bursar_batch_retries_total").increment(1);
                if is_ahead {
                    self.locked_until = Some(Instant::now() + LOCKED_FOR);
                }
                CommitEnd::Otherwise(self.run_again(batch, is_ahead))
            }
            Ok(Err(Failed { error, batch, followed })) => CommitEnd::Otherwise(self.end(batch, followed, Err(error))),
            // Its callers were dropped with the thread, which informs them.
            Err(_) => CommitEnd::Otherwise(Verdict::Stop("the writer thread panicked".to_owned())),
        }
    }
}

/// Records a batch's number of commands, and the time from its first command until it was written.
fn record(begun: Instant, commands: usize) {
    metrics::histogram!("bursar_batch_commands").record(u32::try_from(commands).unwrap_or(u32::MAX));
    metrics::histogram!("bursar_batch_seconds").record(begun.elapsed());
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use uuid::Uuid;

    use super::*;
    use crate::clock::{Clock, Time};
    use crate::engine::{Command, task};
    use crate::ids::{OrgId, Seeds};
    use crate::refusal::{Code, Refusal};
    use crate::store::memory::Fault;
    use crate::store::{Memory, Store};
    use crate::world::record::{key, record};
    use crate::world::{Halt, Record as _};

    record! {
        pub struct Thing in "things" {
            key (org, id)
            unique BY_NAME (org, name)
            many ON_SHELF (org, shelf);
            pub org: OrgId,
            pub id: i64,
            pub name: i64,
            pub shelf: i64,
        }
    }

    pub const ORG: OrgId = OrgId(Uuid::from_u128(7));

    #[derive(Clone, Copy, Debug)]
    enum Act {
        /// Adds a thing, or changes its name and shelf. Refused if another thing has the name.
        Put { id: i64, name: i64, shelf: i64 },
        /// Removes a thing, if it exists.
        Take { id: i64 },
        /// Finds a thing by name.
        Named(i64),
        /// Finds the things on a shelf.
        On(i64),
    }

    /// The ids of the things that an act found.
    type Saw = Vec<i64>;

    impl Command for Act {
        type Reply = Saw;

        fn decide(&self, world: &mut World) -> Result<Saw, Halt> {
            match *self {
                Self::Put { id, name, shelf } => {
                    let present = world.get::<Thing>(key![ORG, id])?;
                    if let Some(other) = world.find::<Thing>(Thing::BY_NAME, key![ORG, name])?
                        && other.id != id
                    {
                        return Err(Refusal::new(Code::InvalidState, "The name is taken.").into());
                    }
                    match &present {
                        Some(thing) => drop(world.change(thing, |thing| (thing.name, thing.shelf) = (name, shelf))),
                        None => drop(world.add(Thing { org: ORG, id, name, shelf })),
                    }
                    Ok(present.iter().map(|thing| thing.name).collect())
                }
                Self::Take { id } => {
                    let present = world.get::<Thing>(key![ORG, id])?;
                    present.iter().for_each(|thing| world.remove(thing));
                    Ok(present.iter().map(|thing| thing.name).collect())
                }
                Self::Named(name) => {
                    let found = world.find::<Thing>(Thing::BY_NAME, key![ORG, name])?;
                    Ok(found.iter().map(|thing| thing.id).collect())
                }
                Self::On(shelf) => {
                    Ok(world.all::<Thing>(Thing::ON_SHELF, key![ORG, shelf])?.iter().map(|thing| thing.id).collect())
                }
            }
        }
    }

    type Heard = (usize, Result<Saw, Code>);

    struct Bench {
        memory: Memory,
        executor: Executor,
        said: Sender<Heard>,
        heard: Receiver<Heard>,
        asked: usize,
    }

    impl Bench {
        fn new() -> Self {
            let memory = Memory::new();
            let clock = Clock::manual(Time::from_micros(1));
            let executor = Executor::new(Store::Memory(memory.clone()), clock, Seeds::counted(1));
            let (said, heard) = channel();
            Self { memory, executor, said, heard, asked: 0 }
        }

        fn batch(&mut self, acts: &[Act]) -> Vec<Box<dyn Task>> {
            let number = |(entry, act): (usize, &Act)| {
                let (said, number) = (self.said.clone(), self.asked + entry);
                task(ORG, *act, move |outcome| said.send((number, outcome.map_err(|refusal| refusal.code))).unwrap())
            };
            let tasks = acts.iter().enumerate().map(number).collect();
            self.asked += acts.len();
            tasks
        }

        fn ahead(&mut self, acts: &[Act]) -> Verdict {
            let tasks = self.batch(acts);
            self.executor.decide_ahead(tasks)
        }

        fn heard(&self) -> Vec<Heard> {
            self.heard.try_iter().collect()
        }

        /// Returns the stored things: id, name, shelf.
        fn stored(&self) -> Vec<Vec<crate::world::Value>> {
            self.memory.rows(Thing::TABLE)
        }
    }

    #[test]
    fn a_batch_sees_pending_rows_and_no_caller_is_answered_before_the_commit() {
        let mut bench = Bench::new();
        assert_eq!(bench.ahead(&[Act::Put { id: 1, name: 10, shelf: 5 }]), Verdict::GoOn);
        assert_eq!((bench.heard(), bench.stored().len()), (vec![], 0), "it is on its way");
        assert_eq!(bench.ahead(&[Act::Named(10)]), Verdict::GoOn);
        assert_eq!((bench.heard(), bench.stored().len()), (vec![(0, Ok(vec![]))], 1), "the first is there");
        bench.ahead(&[Act::Put { id: 1, name: 11, shelf: 6 }]);
        assert_eq!(bench.heard(), [(1, Ok(vec![1]))]);
        bench.ahead(&[Act::Named(10), Act::Named(11), Act::On(5), Act::On(6)]);
        assert_eq!(bench.heard().last(), Some(&(2, Ok(vec![10]))));
        bench.ahead(&[Act::Take { id: 1 }]);
        assert_eq!(bench.heard(), [(3, Ok(vec![])), (4, Ok(vec![1])), (5, Ok(vec![])), (6, Ok(vec![1]))]);
        bench.ahead(&[Act::Named(11), Act::On(6), Act::Take { id: 1 }]);
        assert_eq!((bench.heard(), bench.stored().len()), (vec![(7, Ok(vec![11]))], 0));
        assert_eq!(bench.executor.finish_commits(), Verdict::GoOn);
        assert_eq!(bench.heard(), [(8, Ok(vec![])), (9, Ok(vec![])), (10, Ok(vec![]))]);
        assert!(bench.stored().is_empty());
    }

    #[test]
    fn a_batch_after_a_failed_commit_is_decided_again() {
        let mut bench = Bench::new();
        bench.ahead(&[Act::Put { id: 1, name: 10, shelf: 5 }]);
        bench.memory.fail_next(Fault::Refused);
        assert_eq!(bench.ahead(&[Act::Named(10), Act::Put { id: 2, name: 10, shelf: 5 }]), Verdict::GoOn);
        assert_eq!(bench.heard(), [(0, Err(Code::InternalError))]);
        assert_eq!(bench.executor.finish_commits(), Verdict::GoOn);
        assert_eq!(bench.heard(), [(1, Ok(vec![])), (2, Ok(vec![]))], "the name was never taken");
        assert_eq!(bench.stored().len(), 1);
    }

    #[test]
    fn after_an_unknown_outcome_nothing_that_came_after_it_has_happened() {
        for (fault, stored) in [(Fault::WrittenButUnknown, 1), (Fault::LostAndUnknown, 0)] {
            let mut bench = Bench::new();
            bench.ahead(&[Act::Put { id: 1, name: 10, shelf: 5 }]);
            bench.memory.fail_next(fault);
            let verdict = bench.ahead(&[Act::Put { id: 2, name: 11, shelf: 5 }]);
            assert!(matches!(verdict, Verdict::Stop(_)), "{verdict:?}");
            assert_eq!(bench.heard(), [(0, Err(Code::OutcomeUnknown)), (1, Err(Code::ServiceUnavailable))]);
            assert_eq!(bench.stored().len(), stored);
        }
    }

    /// Random acts from a small set have the same results ahead of the store as one after the other. Batches hold one
    /// act, because acts of one batch have no defined order.
    #[test]
    fn deciding_ahead_gives_what_one_after_the_other_gives() {
        let (mut ahead, mut alone) = (Bench::new(), Bench::new());
        let mut state = 1_u64;
        let mut below = |bound: i64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i64::try_from(state >> 33).unwrap() % bound
        };
        let (mut seen_ahead, mut seen_alone) = (Vec::new(), Vec::new());
        for _ in 0..2_000 {
            let act = match below(5) {
                0 | 1 => Act::Put { id: below(6), name: below(6), shelf: below(3) },
                2 => Act::Take { id: below(6) },
                3 => Act::Named(below(6)),
                _ => Act::On(below(3)),
            };
            ahead.ahead(&[act]);
            seen_ahead.extend(ahead.heard());
            let tasks = alone.batch(&[act]);
            assert_eq!(alone.executor.run(tasks), Verdict::GoOn);
            seen_alone.extend(alone.heard());
        }
        ahead.executor.finish_commits();
        seen_ahead.extend(ahead.heard());
        assert_eq!(seen_ahead, seen_alone);
        assert_eq!(ahead.stored(), alone.stored());
        let refused = seen_alone.iter().filter(|(_, outcome)| outcome.is_err()).count();
        assert!(refused > 100 && seen_alone.len() - refused > 1_000, "{refused} of {}", seen_alone.len());
    }
}
