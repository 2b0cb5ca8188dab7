//! The queue of an executor, and the order in which commands are taken.
//!
//! Over the embedded store a batch holds all queued commands. Over a shared store it holds the commands of a limited
//! number of organizations, each in their order; organizations take turns, so that a busy one delays the others by one
//! batch at most.

use std::collections::{HashMap, VecDeque};

use crossbeam_channel::{Receiver, Select};

use super::{BATCH_MAX, Task};
use crate::ids::OrgId;

/// Queued commands at most; beyond that, callers are asked to retry.
pub(super) const QUEUE_MAX: usize = 8_192;

/// How much a batch can still take.
#[derive(Clone, Copy)]
pub(super) struct Room {
    commands: usize,
    /// That are in the batch already, and count against their limit.
    organizations: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { commands: BATCH_MAX, organizations: 0 }
    }
}

impl Room {
    /// Returns the room that a batch with these leaves.
    pub fn after(self, commands: usize, organizations: usize) -> Self {
        Self { commands: self.commands.saturating_sub(commands), organizations: self.organizations + organizations }
    }
}

pub(super) struct Waiting {
    queue: Receiver<Box<dyn Task>>,
    /// The most organizations of a batch; `None` if there is no limit.
    organizations_at_once: Option<usize>,
    /// Taken from the queue already, by organization.
    sorted: HashMap<OrgId, VecDeque<Box<dyn Task>>>,
    /// Organizations with commands in `sorted`, each once.
    turns: VecDeque<OrgId>,
    count: usize,
}

impl Waiting {
    pub fn new(queue: Receiver<Box<dyn Task>>, organizations_at_once: Option<usize>) -> Self {
        Self { queue, organizations_at_once, sorted: HashMap::new(), turns: VecDeque::new(), count: 0 }
    }

    /// Waits for the next batch. Returns `None` when the queue is closed and empty.
    pub fn next_batch(&mut self) -> Option<Vec<Box<dyn Task>>> {
        match self.organizations_at_once {
            Some(organizations) => self.next_of(organizations, BATCH_MAX),
            None => self.next_of_all(),
        }
    }

    /// Returns commands that arrive before `else_first` has a value; `None` if it has one first, there is no room, or
    /// the queue is closed.
    pub fn batch_before<T>(&mut self, else_first: &Receiver<T>, room: Room) -> Option<Vec<Box<dyn Task>>> {
        let organizations = self.organizations_at_once.map(|at_once| at_once.saturating_sub(room.organizations));
        if room.commands == 0 || organizations == Some(0) || !else_first.is_empty() {
            return None;
        }
        if self.turns.is_empty() {
            let mut either = Select::new();
            either.recv(else_first);
            either.recv(&self.queue);
            either.ready();
            let first = self.queue.try_recv().ok()?;
            match organizations {
                Some(_) => self.sort_in(first),
                None => return Some(self.batch_from(first, room.commands)),
            }
        }
        self.next_of(organizations?, room.commands)
    }

    fn next_of_all(&mut self) -> Option<Vec<Box<dyn Task>>> {
        let first = self.queue.recv().ok()?;
        Some(self.batch_from(first, BATCH_MAX))
    }

    fn batch_from(&mut self, first: Box<dyn Task>, at_most: usize) -> Vec<Box<dyn Task>> {
        std::iter::once(first).chain(self.queue.try_iter()).take(at_most).collect()
    }

    fn next_of(&mut self, organizations: usize, at_most: usize) -> Option<Vec<Box<dyn Task>>> {
        if self.turns.is_empty() {
            let first = self.queue.recv().ok()?;
            self.sort_in(first);
        }
        while self.count < QUEUE_MAX {
            let Ok(task) = self.queue.try_recv() else { break };
            self.sort_in(task);
        }
        let (mut batch, mut last) = (Vec::new(), None);
        for _ in 0..organizations.min(self.turns.len()) {
            let Some(organization) = self.turns.pop_front() else { break };
            let mut tasks = self.sorted.remove(&organization)?;
            batch.extend(tasks.drain(..tasks.len().min(at_most - batch.len())));
            if !tasks.is_empty() {
                self.sorted.insert(organization, tasks);
                last = Some(organization);
            }
            if batch.len() == at_most {
                break;
            }
        }
        self.turns.extend(last);
        self.count -= batch.len();
        Some(batch)
    }

    fn sort_in(&mut self, task: Box<dyn Task>) {
        let organization = task.organization();
        let tasks = self.sorted.entry(organization).or_default();
        if tasks.is_empty() {
            self.turns.push_back(organization);
        }
        tasks.push_back(task);
        self.count += 1;
    }

    /// Returns all remaining commands, when no more batches will run.
    pub fn rest(mut self) -> Vec<Box<dyn Task>> {
        let sorted = std::mem::take(&mut self.sorted);
        sorted.into_values().flatten().chain(self.queue.try_iter()).collect()
    }
}

#[cfg(test)]
mod tests {
    use crossbeam_channel::bounded;
    use uuid::Uuid;

    use super::*;
    use crate::engine::{Command, task};
    use crate::world::{Halt, World};

    struct Numbered(u32);

    impl Command for Numbered {
        type Reply = u32;
        fn decide(&self, _: &mut World) -> Result<u32, Halt> {
            Ok(self.0)
        }
    }

    /// Returns the organization and number of each command, by batch.
    fn batches(asked: &[(u128, u32)], organizations_at_once: Option<usize>) -> Vec<Vec<(u128, u32)>> {
        let (queue, waiting) = bounded(QUEUE_MAX);
        let (said, heard) = std::sync::mpsc::channel();
        for &(organization, number) in asked {
            let said = said.clone();
            let answer = move |outcome: Result<u32, _>| said.send((organization, outcome.unwrap())).unwrap();
            queue.send(task(OrgId(Uuid::from_u128(organization)), Numbered(number), answer)).unwrap();
        }
        drop(queue);
        let mut waiting = Waiting::new(waiting, organizations_at_once);
        let mut batches = Vec::new();
        while let Some(batch) = waiting.next_batch() {
            for mut task in batch {
                task.decide(&mut World::new(crate::clock::Time::from_micros(1)));
                task.answer();
            }
            batches.push(heard.try_iter().collect());
        }
        batches
    }

    #[test]
    fn a_batch_is_of_so_many_organizations_and_keeps_the_order_of_each() {
        let asked = [(1, 1), (2, 2), (1, 3), (3, 4), (2, 5), (1, 6)];
        let (one, two, three) = (vec![(1, 1), (1, 3), (1, 6)], vec![(2, 2), (2, 5)], vec![(3, 4)]);
        assert_eq!(batches(&asked, Some(1)), [one.clone(), two.clone(), three.clone()]);
        assert_eq!(batches(&asked, Some(2)), [[one.clone(), two.clone()].concat(), three.clone()]);
        assert_eq!(batches(&asked, Some(9)), [[one, two, three].concat()]);
        assert_eq!(batches(&asked, None), [asked.to_vec()]);
    }

    #[test]
    fn a_busy_organization_keeps_no_other_waiting() {
        let busy = BATCH_MAX * 3;
        let mut asked: Vec<(u128, u32)> = (0..u32::try_from(busy).unwrap()).map(|number| (1, number)).collect();
        asked.push((2, 0));
        let lengths = |organizations| -> Vec<(u128, usize)> {
            batches(&asked, Some(organizations)).iter().map(|batch| (batch[0].0, batch.len())).collect()
        };
        assert_eq!(lengths(1), [(1, BATCH_MAX), (2, 1), (1, BATCH_MAX), (1, BATCH_MAX)]);
        assert_eq!(lengths(2), [(1, BATCH_MAX), (2, BATCH_MAX), (1, BATCH_MAX), (1, 1)]);
    }
}
