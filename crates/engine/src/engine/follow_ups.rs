//! Follow-ups: commands that complete the work that a batch leaves, decided in the same batch.
//!
//! Without them a commit adds a job, and another commit removes it together with the result. A row that is added and
//! removed in one world is never written, and a row that is added and changed is written once.
//!
//! Invariant: a follow-up that fails leaves exactly the rows that the batch without it would leave, so its job is left
//! to the worker. It fails if it is refused, if it panics, if it needs too many rounds of loading, or if a row that it
//! needs is damaged. If the store refuses the batch, its commands run again without follow-ups.
//!
//! Deliberately absent: jobs. The function that finds the follow-ups is passed in.

use std::sync::Arc;

use super::{BATCH_MAX, BatchTask, Decision, Executor, Task, decide_guarded, take_in, unknown_to};
use crate::clock::Time;
use crate::store::StoreError;
use crate::world::{Savepoint, Want, World};

/// Returns the follow-ups of the rows that were added since the savepoint. Their callbacks run only after the commit of
/// their batch, and only if they were done.
pub type FollowUps = Arc<dyn Fn(&World, Savepoint, Time) -> Vec<Box<dyn Task>> + Send + Sync>;

/// Follow-ups of follow-ups: a payment that is released may pay a debt, which tops up a wallet.
const DEPTH_MAX: usize = 3;

/// Rounds of loading of a follow-up. Callers wait for them, so work that needs more is left to the worker.
const ROUNDS_MAX: usize = 4;

impl Executor {
    /// Makes the executor decide follow-ups in the batch of the commands that need them.
    #[must_use]
    pub fn followed_by(mut self, follow_ups: FollowUps) -> Self {
        self.follow_ups = Some(follow_ups);
        self
    }

    /// Decides commands, and then their follow-ups. The follow-ups that are done are added to `followed`.
    pub(super) fn decide_and_follow(
        &mut self,
        batch: &mut [BatchTask],
        world: &mut World,
        followed: &mut Vec<BatchTask>,
    ) -> Result<(), StoreError> {
        let mut since = world.savepoint();
        self.decide_all(batch, world)?;
        let Some(follow_ups) = self.follow_ups.clone() else { return Ok(()) };
        let mut seeds = batch.first().map(|first| first.follow_up_seeds.clone()).unwrap_or_default();
        let mut count = 0;
        for _ in 0..DEPTH_MAX {
            let mut tasks = follow_ups(world, since, self.last);
            tasks.truncate(BATCH_MAX.saturating_sub(followed.len()));
            if tasks.is_empty() {
                return Ok(());
            }
            since = world.savepoint();
            while seeds.len() < count + tasks.len() {
                seeds.push(self.seeds.next_seed());
            }
            if let Some(first) = batch.first_mut() {
                first.follow_up_seeds.clone_from(&seeds);
            }
            let entries = tasks.into_iter().zip(&seeds[count..]).map(|(task, seed)| self.follow_up(task, *seed));
            let entries: Vec<BatchTask> = entries.collect();
            count += entries.len();
            self.decide_follow_ups(entries, world, followed)?;
        }
        Ok(())
    }

    /// Its time follows from the batch's, and not from the clock, so that another attempt of the batch gives it the same.
    fn follow_up(&mut self, task: Box<dyn Task>, seed: [u8; 32]) -> BatchTask {
        self.last = self.last.plus_micros(1);
        self.clock.reach(self.last);
        BatchTask::new(task, self.last, seed)
    }

    /// Decides follow-ups, and drops those that fail.
    fn decide_follow_ups(
        &mut self,
        mut undecided: Vec<BatchTask>,
        world: &mut World,
        followed: &mut Vec<BatchTask>,
    ) -> Result<(), StoreError> {
        let mut wants: Vec<Want> = undecided.iter().flat_map(|entry| entry.task.needs()).collect();
        for _ in 0..ROUNDS_MAX {
            let new = unknown_to(world, std::mem::take(&mut wants));
            if !new.is_empty() {
                let answers = self.store.load(&new)?;
                if let Err(error) = take_in(world, new, answers) {
                    tracing::error!(%error, "follow-ups cannot be loaded, and are left to the worker");
                    return Ok(());
                }
            }
            for mut entry in std::mem::take(&mut undecided) {
                match decide_guarded(&mut entry, world) {
                    Decision::Done => followed.push(entry),
                    Decision::Refused => {}
                    Decision::Load(more) => {
                        wants.extend(more);
                        undecided.push(entry);
                    }
                }
            }
            if undecided.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::clock::Clock;
    use crate::engine::ahead::tests::{ORG, Thing};
    use crate::engine::{Command, Verdict, task};
    use crate::ids::Seeds;
    use crate::refusal::{Code, Refusal};
    use crate::store::memory::Fault;
    use crate::store::{Memory, Store};
    use crate::world::record::{Cell as _, key};
    use crate::world::{Halt, Key, Record as _, ValueRef};

    /// What the follow-up of a thing does, by the shelf of the thing.
    const NAMES: i64 = 1;
    const REMOVES: i64 = 2;
    const ADDS_ANOTHER: i64 = 3;
    const IS_REFUSED: i64 = 4;
    const PANICS: i64 = 5;
    const NEVER_ENDS: i64 = 6;
    const NEEDS_A_DAMAGED_ROW: i64 = 7;

    const DAMAGED: i64 = 1_000;

    /// Adds things, each with the shelf that determines its follow-up.
    #[derive(Clone)]
    struct Add(Vec<(i64, i64)>);

    impl Command for Add {
        type Reply = ();

        fn decide(&self, world: &mut World) -> Result<(), Halt> {
            for &(id, shelf) in &self.0 {
                world.add(Thing { org: ORG, id, name: id, shelf });
            }
            Ok(())
        }
    }

    struct Follow(Arc<Thing>);

    impl Command for Follow {
        type Reply = ();

        fn decide(&self, world: &mut World) -> Result<(), Halt> {
            let thing = &self.0;
            if thing.shelf == NEEDS_A_DAMAGED_ROW {
                world.get::<Thing>(key![ORG, DAMAGED])?;
            }
            if thing.shelf == REMOVES {
                world.remove(thing);
                return Ok(());
            }
            world.change(thing, |thing| thing.name += 100);
            match thing.shelf {
                ADDS_ANOTHER => drop(world.add(Thing { id: thing.id + 1, ..Thing::clone(thing) })),
                IS_REFUSED => return Err(Refusal::not_found("thing").into()),
                PANICS => std::panic::resume_unwind(Box::new(())),
                NEVER_ENDS => {
                    let other = i64::from_be_bytes(world.random());
                    return Err(Halt::Load(vec![Want::row::<Thing>(key![ORG, other])]));
                }
                _ => {}
            }
            Ok(())
        }
    }

    struct Bench {
        memory: Memory,
        executor: Executor,
        /// How often a follow-up was reported as done.
        done: Arc<AtomicUsize>,
    }

    impl Bench {
        fn without() -> Self {
            let (memory, clock) = (Memory::new(), Clock::manual(Time::from_micros(1)));
            let damaged = key![ORG, DAMAGED, "damaged".to_owned(), 0_i64].to_row();
            memory.tamper(Thing::TABLE, key![ORG, DAMAGED], Some(damaged));
            memory.watch();
            let executor = Executor::new(Store::Memory(memory.clone()), clock, Seeds::counted(1));
            Self { memory, executor, done: Arc::default() }
        }

        fn with() -> Self {
            let Self { memory, executor, done } = Self::without();
            let counter = done.clone();
            let follow_ups: FollowUps = Arc::new(move |world, since, _| {
                let added = world.added_since::<Thing>(since).into_iter().filter(|thing| thing.shelf != 0);
                let counted = |thing| {
                    let counter = counter.clone();
                    task(ORG, Follow(thing), move |outcome: Result<(), Refusal>| {
                        counter.fetch_add(usize::from(outcome.is_ok()), Ordering::SeqCst);
                    })
                };
                added.map(counted).collect()
            });
            Self { memory, executor: executor.followed_by(follow_ups), done }
        }

        fn add(&mut self, things: &[(i64, i64)]) -> Result<(), Code> {
            self.executor.run_one(ORG, Add(things.to_vec())).map_err(|refusal| refusal.code)
        }

        /// Returns the id and name of the stored things.
        fn stored(&self) -> Vec<Key> {
            let rows = self.memory.rows(Thing::TABLE).into_iter();
            rows.filter(|row| row[1] != DAMAGED.to_value()).map(|row| Key::from(&row[1..3])).collect()
        }

        fn done(&self) -> usize {
            self.done.load(Ordering::SeqCst)
        }
    }

    #[test]
    fn a_follow_up_has_no_commit_of_its_own_and_what_it_removes_is_never_written() {
        let mut bench = Bench::with();
        assert_eq!(bench.add(&[(1, NAMES), (2, REMOVES), (3, 0)]), Ok(()));
        assert_eq!(bench.stored(), [key![1_i64, 101_i64], key![3_i64, 3_i64]]);
        assert_eq!((bench.memory.commits(), bench.done()), (1, 2));
        let written: Vec<Key> = bench.memory.take_changes().into_iter().map(|change| change.key).collect();
        assert_eq!(written, [key![ORG, 1_i64], key![ORG, 3_i64]]);
    }

    #[test]
    fn a_follow_up_that_fails_leaves_exactly_the_rows_of_the_batch_without_it() {
        let same_rows = |things: &[(i64, i64)]| {
            let (mut with, mut without) = (Bench::with(), Bench::without());
            assert_eq!((with.add(things), without.add(things)), (Ok(()), Ok(())));
            assert_eq!(with.memory.commits(), without.memory.commits());
            (with.stored() == without.stored(), with.done())
        };
        for fails in [IS_REFUSED, PANICS, NEVER_ENDS, NEEDS_A_DAMAGED_ROW] {
            assert_eq!(same_rows(&[(1, fails)]), (true, 0), "{fails}");
            assert_eq!(same_rows(&[(1, 0), (2, fails), (3, fails)]), (true, 0), "{fails}");
        }
        // The comparison finds a follow-up that leaves something.
        for leaves in [NAMES, REMOVES, ADDS_ANOTHER] {
            assert!(!same_rows(&[(1, leaves)]).0, "{leaves}");
        }
    }

    #[test]
    fn a_follow_up_that_fails_costs_the_others_nothing() {
        let mut bench = Bench::with();
        let things = [
            (1, IS_REFUSED),
            (2, NAMES),
            (3, PANICS),
            (4, NAMES),
            (5, NEVER_ENDS),
            (6, NAMES),
            (7, NEEDS_A_DAMAGED_ROW),
        ];
        assert_eq!(bench.add(&things), Ok(()));
        let names: Vec<_> = bench.stored().iter().filter_map(|thing| thing.get(1).map(ValueRef::to_value)).collect();
        assert_eq!(names, [1_i64, 102, 3, 104, 5, 106, 7].map(|name| name.to_value()));
        assert_eq!(bench.done(), 3);
    }

    #[test]
    fn follow_ups_are_followed_a_few_times() {
        let mut bench = Bench::with();
        assert_eq!(bench.add(&[(1, ADDS_ANOTHER)]), Ok(()));
        let (followed, last) = (i64::try_from(DEPTH_MAX).unwrap(), bench.stored().pop().unwrap());
        assert_eq!(last, key![1 + followed, 1_i64], "the last one has no follow-up");
        assert_eq!((bench.stored().len(), bench.done()), (DEPTH_MAX + 1, DEPTH_MAX));
    }

    #[test]
    fn a_batch_that_the_store_refuses_runs_again_without_follow_ups() {
        let mut bench = Bench::with();
        bench.memory.fail_next(Fault::Refused);
        assert_eq!(bench.add(&[(1, NAMES)]), Ok(()));
        assert_eq!((bench.stored(), bench.done()), (vec![key![1_i64, 1_i64]], 0));
        assert_eq!(bench.add(&[(2, NAMES)]), Ok(()));
        assert_eq!((bench.stored().pop(), bench.done()), (Some(key![2_i64, 102_i64]), 1), "the next batch has them");
    }

    #[test]
    fn no_follow_up_is_reported_as_done_unless_its_batch_is_written() {
        let refused = [
            (Fault::Full, Code::StorageFull),
            (Fault::LostAndUnknown, Code::OutcomeUnknown),
            (Fault::WrittenButUnknown, Code::OutcomeUnknown),
        ];
        for (fault, code) in refused {
            let mut bench = Bench::with();
            bench.memory.fail_next(fault);
            assert_eq!(bench.add(&[(1, NAMES)]), Err(code));
            assert_eq!(bench.done(), 0, "{fault:?}");
        }
    }

    #[test]
    fn the_next_batch_is_decided_over_the_follow_ups_of_the_one_before() {
        let mut bench = Bench::with();
        let add = |things: Vec<(i64, i64)>| vec![task(ORG, Add(things), |_| ())];
        assert_eq!(bench.executor.decide_ahead(add(vec![(1, ADDS_ANOTHER)])), Verdict::GoOn);
        assert_eq!((bench.memory.commits(), bench.done()), (0, 0), "nothing is written yet");
        // The rows of the batch in flight are not new to this one.
        assert_eq!(bench.executor.decide_ahead(add(vec![(9, NAMES)])), Verdict::GoOn);
        assert_eq!(bench.executor.finish_commits(), Verdict::GoOn);
        let names: Vec<_> = bench.stored().iter().filter_map(|thing| thing.get(1).map(ValueRef::to_value)).collect();
        assert_eq!(names, [101_i64, 101, 101, 1, 109].map(|name| name.to_value()));
        assert_eq!((bench.memory.commits(), bench.done()), (2, DEPTH_MAX + 1));
    }
}
