//! Every interleaving of two senders that may end at any moment, a server that may lose answers, and a bank that
//! collects files: no file is published twice. The controls take one rule away each, and are found out.

use std::collections::{BTreeMap, HashSet};

use super::rules::{End, Found, Known, Look, Order, Publishing, State, Step, Way, next};
use crate::name::Name;

/// Leases of a file that are explored.
const LEASES: u64 = 3;
const BYTES: &[u8] = b"file";

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Sender {
    lease: u64,
    state: State,
    known: Known,
    /// The final name was checked, and the request to rename is on its way.
    is_renaming: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct World {
    committed: State,
    lease: u64,
    senders: Vec<Sender>,
    /// Temporary files, and whether they are whole.
    temps: BTreeMap<Name, bool>,
    last: Option<bool>,
    collected_parts: bool,
    published: u32,
}

type Rule = fn(&Order, &State, &Known) -> Step;

/// What is explored: a way, a bank, and the rules that a control replaces.
#[derive(Clone, Copy)]
struct Setup {
    way: Way,
    is_acknowledged: bool,
    rule: Rule,
    /// How a new lease reads the committed state.
    resume: fn(&State) -> State,
    is_fenced: bool,
}

const fn setup(way: Way, is_acknowledged: bool) -> Setup {
    Setup { way, is_acknowledged, rule: next, resume: State::clone, is_fenced: true }
}

fn order(setup: &Setup, lease: u64) -> Order {
    let last = Name::parse("last").unwrap();
    let order = Order::new("f", lease, last, BYTES, setup.way).unwrap();
    Order { is_acknowledged: setup.is_acknowledged, ..order }
}

impl World {
    fn new() -> Self {
        Self {
            committed: State::Sealed,
            lease: 0,
            senders: Vec::new(),
            temps: BTreeMap::new(),
            last: None,
            collected_parts: false,
            published: 0,
        }
    }

    fn has_ended(&self) -> bool {
        matches!(self.committed, State::Sent | State::InDoubt(_))
    }

    fn with_lease(&self, setup: &Setup) -> Self {
        let mut world = self.clone();
        world.lease += 1;
        let state = (setup.resume)(&world.committed);
        world.senders.push(Sender { lease: world.lease, state, known: Known::default(), is_renaming: false });
        world
    }

    fn without(&self, sender: usize) -> Self {
        let mut world = self.clone();
        world.senders.remove(sender);
        world
    }

    fn collect(&self) -> Self {
        let mut world = self.clone();
        world.collected_parts |= world.last.take() == Some(false);
        world
    }

    fn publish(&mut self, is_whole: bool) {
        self.last = Some(is_whole);
        self.published += 1;
    }

    fn look(&self, temp: &Name) -> Look {
        let found = |is_whole: Option<bool>| match is_whole {
            None => Found::Missing,
            Some(true) => Found::Whole,
            Some(false) => Found::Different,
        };
        Look { temp: found(self.temps.get(temp).copied()), last: found(self.last) }
    }

    /// Returns the world after a request to publish, as the sender knows it.
    fn answered(mut self, sender: usize, is_confirmed: bool) -> Self {
        let sender = &mut self.senders[sender];
        sender.is_renaming = false;
        sender.known.is_fresh = false;
        sender.known.look = None;
        sender.known.is_published = is_confirmed;
        sender.known.has_failed = !is_confirmed;
        self
    }

    /// Returns each world after the next step of a sender; the end of the sender is explored apart.
    fn steps(&self, at: usize, setup: &Setup) -> Vec<Self> {
        let mut world = self.clone();
        let sender = &mut world.senders[at];
        let is_newest = sender.lease == world.lease;
        match (setup.rule)(&order(setup, sender.lease), &sender.state, &sender.known) {
            Step::Put(temp) => {
                sender.known.is_put = true;
                world.temps.insert(temp.clone(), true);
                let mut part = self.without(at);
                part.temps.insert(temp, false);
                vec![world, part]
            }
            Step::Look(temp) => {
                sender.known.look = Some(self.look(&temp));
                vec![world]
            }
            Step::Commit(_) if setup.is_fenced && !is_newest => vec![self.without(at)],
            Step::Commit(to) => {
                sender.known.is_fresh = matches!(to, State::Renaming(_));
                sender.state = to.clone();
                world.committed = to;
                vec![world]
            }
            Step::Rename(temp) => self.renamed(at, &temp, setup),
            Step::PutFinal if self.last.is_some() => vec![world.answered(at, false)],
            Step::PutFinal => {
                let mut part = self.without(at);
                part.publish(false);
                world.publish(true);
                vec![world.clone().answered(at, true), world.answered(at, false), part]
            }
            Step::Remove(temp) => {
                sender.known.look = sender.known.look.map(|look| Look { temp: Found::Missing, ..look });
                world.temps.remove(&temp);
                vec![world]
            }
            Step::End(_) => vec![self.without(at)],
        }
    }

    /// The check and the rename are two requests, between which everything else may happen.
    fn renamed(&self, at: usize, temp: &Name, setup: &Setup) -> Vec<Self> {
        let mut world = self.clone();
        if !world.senders[at].is_renaming {
            world.senders[at].is_renaming = true;
            return if world.last.is_some() { vec![world.answered(at, false)] } else { vec![world] };
        }
        let lost = world.clone().answered(at, false);
        let is_refused = setup.way == Way::PlainRename && world.last.is_some();
        let Some(is_whole) = world.temps.get(temp).copied().filter(|_| !is_refused) else { return vec![lost] };
        world.publish(is_whole);
        let torn = world.clone().answered(at, false);
        world.temps.remove(temp);
        let mut worlds = vec![lost, world.clone().answered(at, true), world.answered(at, false)];
        if setup.way == Way::PlainRename {
            worlds.push(torn);
        }
        worlds
    }

    fn successors(&self, setup: &Setup) -> Vec<Self> {
        let mut worlds = Vec::new();
        for sender in 0..self.senders.len() {
            worlds.push(self.without(sender));
            worlds.extend(self.steps(sender, setup));
        }
        if self.senders.len() < 2 && self.lease < LEASES && !self.has_ended() {
            worlds.push(self.with_lease(setup));
        }
        if self.last.is_some() {
            worlds.push(self.collect());
        }
        worlds
    }

    fn fault(&self, setup: &Setup) -> Option<&'static str> {
        let shows_parts = self.last == Some(false) || self.collected_parts;
        if self.published > 1 {
            Some("published twice")
        } else if self.committed == State::Sent && self.published == 0 {
            Some("sent, and never published")
        } else if setup.way != Way::Direct && shows_parts {
            Some("a part is visible")
        } else {
            None
        }
    }

    /// Runs one more lease without failures, and returns how it ends.
    fn completed(&self, setup: &Setup) -> State {
        let mut world = self.with_lease(setup);
        for _ in 0..20 {
            let Some(sender) = world.senders.first() else { return world.committed };
            // The first world is the one in which everything succeeds; of a rename it is the second.
            let is_rename = sender.is_renaming;
            let mut worlds = world.steps(0, setup);
            world = worlds.remove(usize::from(is_rename && worlds.len() > 1));
        }
        panic!("a lease alone does not end: {world:?}")
    }
}

/// Returns the number of reachable worlds, and what is wrong in one of them.
fn explored(setup: &Setup) -> Result<usize, &'static str> {
    let mut seen = HashSet::from([World::new()]);
    let mut open = vec![World::new()];
    while let Some(world) = open.pop() {
        if let Some(fault) = world.fault(setup) {
            return Err(fault);
        }
        for next in world.successors(setup) {
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    let at_rest = seen.iter().filter(|world| world.senders.is_empty() && !world.has_ended());
    for world in at_rest {
        let end = world.completed(setup);
        let is_sure = setup.way == Way::AtomicRename && setup.is_acknowledged;
        let is_ended = end == State::Sent || !is_sure && matches!(end, State::InDoubt(_));
        assert!(is_ended, "{end:?} after {world:?}");
    }
    Ok(seen.len())
}

#[test]
fn no_interleaving_publishes_a_file_twice() {
    for way in [Way::AtomicRename, Way::PlainRename, Way::Direct] {
        for is_acknowledged in [true, false] {
            let worlds = explored(&setup(way, is_acknowledged)).unwrap();
            assert!(worlds > 100, "{way:?}: {worlds} worlds");
        }
    }
}

#[test]
fn without_the_look_up_after_a_crash_a_file_is_published_twice() {
    let resume = |state: &State| match state {
        State::Renaming(_) => State::Sending,
        State::Sealed | State::Sending | State::Sent | State::InDoubt(_) => state.clone(),
    };
    assert_eq!(explored(&Setup { resume, ..setup(Way::AtomicRename, true) }), Err("published twice"));
}

#[test]
fn a_rename_before_its_commit_publishes_a_file_twice() {
    fn hasty(order: &Order, state: &State, known: &Known) -> Step {
        match state {
            State::Sending if known.is_published => Step::Commit(State::Sent),
            State::Sending if known.has_failed => Step::End(End::NotRenamed),
            State::Sending if known.is_put => Step::Rename(order.temp.clone()),
            State::Sealed | State::Sending | State::Renaming(_) | State::Sent | State::InDoubt(_) => {
                next(order, state, known)
            }
        }
    }
    assert_eq!(explored(&Setup { rule: hasty, ..setup(Way::AtomicRename, true) }), Err("published twice"));
}

#[test]
fn without_fencing_a_stale_sender_publishes_a_file_twice() {
    assert_eq!(explored(&Setup { is_fenced: false, ..setup(Way::AtomicRename, true) }), Err("published twice"));
}

#[test]
fn a_rename_in_two_steps_is_never_repeated() {
    fn trusting(order: &Order, state: &State, known: &Known) -> Step {
        let renaming = match state {
            State::Renaming(Publishing::Plain { temp }) => State::Renaming(Publishing::Atomic { temp: temp.clone() }),
            State::Sealed | State::Sending | State::Renaming(_) | State::Sent | State::InDoubt(_) => state.clone(),
        };
        next(order, &renaming, known)
    }
    assert_eq!(explored(&Setup { rule: trusting, ..setup(Way::PlainRename, true) }), Err("published twice"));
}
