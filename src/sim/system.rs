//! The program under test: an executor over a memory store, with deliberate faults and restarts.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::chance::Chance;
use super::follow_ups::{Failed, FollowUps};
use crate::clock::{Clock, Time};
use crate::engine::{Command, Executor, Task, Verdict, task, view};
use crate::ids::{OrgId, Seeds};
use crate::refusal::Refusal;
use crate::store::memory::{Change, Fault};
use crate::store::{Memory, Reads, Store};
use crate::world::{Halt, World};

/// Commands that are decided and committed together, each with its sender.
pub(super) struct Batch<W, S> {
    tasks: Vec<Box<dyn Task>>,
    asked_by: Vec<W>,
    organizations: Vec<OrgId>,
    sender: Sender<Result<S, Refusal>>,
    receiver: Receiver<Result<S, Refusal>>,
}

impl<W, S: Send + 'static> Batch<W, S> {
    pub fn new() -> Self {
        let (sender, receiver) = channel();
        Self { tasks: Vec::new(), asked_by: Vec::new(), organizations: Vec::new(), sender, receiver }
    }

    /// Adds a command. `say` converts its reply into the batch's common type.
    pub fn add<C: Command>(&mut self, who: W, org: OrgId, command: C, say: impl Fn(C::Reply) -> S + Send + 'static) {
        let sender = self.sender.clone();
        self.organizations.push(org);
        self.asked_by.push(who);
        self.tasks.push(task(org, command, move |outcome| {
            // The batch holds the receiver until it has read every outcome.
            sender.send(outcome.map(&say)).unwrap_or_default();
        }));
    }
}

/// The outcome of a batch.
pub(super) struct Ran<W, S> {
    /// The outcomes, in the order of the commands.
    pub answers: Vec<(W, Result<S, Refusal>)>,
    pub changes: Vec<Change>,
    /// The organizations whose rows the batch may change.
    pub organizations: Vec<OrgId>,
    pub failed_follow_ups: Vec<Failed>,
    /// The position of the only command of a commit that was refused on purpose. In larger batches, commands are
    /// retried one by one.
    pub excused: Option<usize>,
    /// Whether the program stopped because the outcome of a commit is unknown.
    pub stopped: bool,
}

pub(super) struct System {
    memory: Memory,
    clock: Clock,
    executor: Executor,
    follow_ups: FollowUps,
    pub restarts: u64,
}

impl System {
    pub fn new(start: Time, follow_ups: FollowUps, chance: &mut Chance) -> Self {
        let (memory, clock) = (Memory::new(), Clock::manual(start));
        memory.watch();
        let executor = executor(&memory, &clock, &follow_ups, chance);
        Self { memory, clock, executor, follow_ups, restarts: 0 }
    }

    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    pub fn reads(&self) -> Reads {
        Reads::Memory(self.memory.clone())
    }

    pub fn now(&self) -> Time {
        self.clock.now()
    }

    pub fn pass(&self, seconds: i64) {
        self.clock.advance(seconds);
    }

    pub fn read<T>(&self, read: impl FnMut(&mut World) -> Result<T, Halt>) -> Result<T, Refusal> {
        view(&self.reads(), self.now(), read)
    }

    /// Runs a batch during which the store fails once with `fault`.
    pub fn run<W, S: Send + 'static>(&mut self, batch: Batch<W, S>, fault: Fault) -> Ran<W, S> {
        let Batch { mut tasks, asked_by, mut organizations, sender, receiver } = batch;
        organizations.sort_unstable();
        organizations.dedup();
        // Two of three batches are decided in two parts, the second before the first is written. The fault hits one
        // part.
        let way = self.memory.commits() % 3;
        let second = if way == 0 { Vec::new() } else { tasks.split_off(tasks.len().div_ceil(2)) };
        let meets_second = way == 2 && !second.is_empty();
        let met = if meets_second { tasks.len()..tasks.len() + second.len() } else { 0..tasks.len() };
        if !meets_second {
            self.memory.fail_next(fault);
        }
        let mut verdict = self.executor.decide_ahead(tasks);
        if !second.is_empty() {
            verdict = self.executor.decide_ahead(second);
        }
        if verdict == Verdict::GoOn {
            if meets_second {
                self.memory.fail_next(fault);
            }
            verdict = self.executor.finish_commits();
        }
        let stopped = verdict != Verdict::GoOn;
        let excused = (fault == Fault::Refused && met.len() == 1).then_some(met.start);
        // Every task has sent its outcome, so the channel ends with the last one.
        drop(sender);
        let answers = asked_by.into_iter().zip(receiver).collect();
        let changes = merged(self.memory.take_changes());
        let failed_follow_ups = self.follow_ups.take_failed();
        Ran { answers, changes, organizations, failed_follow_ups, excused, stopped }
    }

    /// Crashes the process, loses all changes that are not durable, and starts another process over the same store.
    pub fn restart(&mut self, chance: &mut Chance) {
        self.memory.crash();
        self.restarts += 1;
        // A start takes time: the new process never uses a timestamp of the old one.
        self.clock.advance(1);
        self.executor = executor(&self.memory, &self.clock, &self.follow_ups, chance);
    }
}

/// Merges the changes by table and key. A batch that the store refused as a whole has several commits.
fn merged(mut changes: Vec<Change>) -> Vec<Change> {
    changes.sort_by(|a, b| (a.table.name, &a.key).cmp(&(b.table.name, &b.key)));
    changes.dedup_by(|later, earlier| {
        let same = later.table == earlier.table && later.key == earlier.key;
        if same {
            earlier.after = later.after.take();
        }
        same
    });
    changes
}

fn executor(memory: &Memory, clock: &Clock, follow_ups: &FollowUps, chance: &mut Chance) -> Executor {
    let executor = Executor::new(Store::Memory(memory.clone()), clock.clone(), Seeds::counted(chance.seed()));
    executor.followed_by(follow_ups.for_executor())
}
