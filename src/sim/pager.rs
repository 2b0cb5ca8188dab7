//! A reader of lists: reads one page by page while commands run, and must meet every object that existed at the start
//! once (18).

use std::collections::{BTreeSet, HashMap};

use uuid::Uuid;

use super::chance::Chance;
use super::checks::changed::changed;
use super::system::System;
use crate::clock::Time;
use crate::http::lists::{PageRequest, page};
use crate::ledger::verify::Finding;
use crate::payout_link_batches::PayoutLinkBatch;
use crate::payout_links::PayoutLink;
use crate::scope::Scope;
use crate::store::memory::Change;
use crate::transfers::Transfer;
use crate::world::record::Cell as _;
use crate::world::{Halt, Query, Record, World};

/// Objects before the end at which a walk begins. Lists only grow, and a walk must finish.
const WINDOW: usize = 300;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum List {
    Links,
    Transfers,
    Batches,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// From the newest to the oldest, by `starting_after`.
    Down,
    /// From the oldest to the newest, by `starting_after`.
    Up,
    /// From the oldest to the newest, by `ending_before`, page by page backwards.
    Back,
}

#[derive(Debug)]
struct Walk {
    list: List,
    scope: Scope,
    way: Way,
    limit: i64,
    since: Time,
    /// The objects that existed at the start and must be met.
    there: BTreeSet<Uuid>,
    met: BTreeSet<Uuid>,
    cursor: Option<Uuid>,
}

pub(super) struct Pager {
    /// The objects of each list, oldest first, recorded from commits.
    made: HashMap<(List, Scope), Vec<(Uuid, Time)>>,
    walk: Option<Walk>,
    pub walks: u64,
    /// Negative control: pages are found by offset, as in lists without cursors.
    counts_off: bool,
}

impl Pager {
    pub fn new(counts_off: bool) -> Self {
        Self { made: HashMap::new(), walk: None, walks: 0, counts_off }
    }

    pub fn commit(&mut self, changes: &[Change]) {
        self.take_in::<PayoutLink>(changes, List::Links, |it| (it.scope(), it.id.0, it.created_at));
        self.take_in::<Transfer>(changes, List::Transfers, |it| (it.scope(), it.id.0, it.created_at));
        self.take_in::<PayoutLinkBatch>(changes, List::Batches, |it| (it.scope(), it.id.0, it.created_at));
    }

    fn take_in<R: Record>(&mut self, changes: &[Change], list: List, place: impl Fn(&R) -> (Scope, Uuid, Time)) {
        for made in changed::<R>(changes).filter(|change| change.before.is_none()).filter_map(|it| it.after) {
            let (scope, id, created_at) = place(&made);
            self.made.entry((list, scope)).or_default().push((id, created_at));
        }
    }

    /// Reads one page, or begins a walk. Returns the fault.
    pub fn read(&mut self, system: &System, apps: &[Scope], chance: &mut Chance) -> Result<(), Finding> {
        let Some(mut walk) = self.walk.take() else {
            self.walk = self.begin(apps, chance);
            return Ok(());
        };
        let place = format!("{:?} of app {}, read {:?} by {}", walk.list, walk.scope.app, walk.way, walk.limit);
        let finding = |what: String| Finding { invariant: 18, what, place: place.clone() };
        let read = system.read(|world| self.page(world, &walk));
        let (ids, has_more) = read.map_err(|refusal| finding(format!("was refused: {}", refusal.message)))?;
        if let Some(twice) = ids.iter().find(|id| !walk.met.insert(**id)) {
            return Err(finding(format!("{twice} was listed twice")));
        }
        walk.cursor = match walk.way {
            Way::Down | Way::Up => ids.last().copied().or(walk.cursor),
            Way::Back => ids.first().copied().or(walk.cursor),
        };
        if has_more {
            self.walk = Some(walk);
            return Ok(());
        }
        self.walks += 1;
        match walk.there.difference(&walk.met).next() {
            Some(missed) => Err(finding(format!("{missed} exists but was not listed"))),
            None => Ok(()),
        }
    }

    fn begin(&self, apps: &[Scope], chance: &mut Chance) -> Option<Walk> {
        let list = *chance.pick(&[List::Links, List::Transfers, List::Batches])?;
        let way = *chance.pick(&[Way::Down, Way::Up, Way::Back])?;
        let (scope, limit) = (*chance.pick(apps)?, chance.between(1, 40));
        let made = self.made.get(&(list, scope))?;
        let window = &made[made.len().saturating_sub(WINDOW)..];
        let oldest = window.iter().min()?;
        // Objects of one commit may share the moment of the first.
        let there: BTreeSet<Uuid> = window.iter().filter(|it| it.1 >= oldest.1).map(|it| it.0).collect();
        let (cursor, met) = match way {
            Way::Down | Way::Up => (None, BTreeSet::new()),
            // A backward walk needs a first cursor: the oldest object, where the upward walk begins.
            Way::Back => (Some(oldest.0), BTreeSet::from([oldest.0])),
        };
        Some(Walk { list, scope, way, limit, since: oldest.1, there, met, cursor })
    }

    fn page(&self, world: &mut World, walk: &Walk) -> Result<(Vec<Uuid>, bool), Halt> {
        let (starting_after, ending_before) = match walk.way {
            Way::Down | Way::Up => (walk.cursor, None),
            Way::Back => (None, walk.cursor),
        };
        let asked = PageRequest {
            limit: Some(walk.limit),
            starting_after,
            ending_before,
            created_after: Some(walk.since),
            created_before: None,
            ascending: walk.way == Way::Up,
        };
        if self.counts_off {
            return counted_off(world, walk, asked);
        }
        of_list(world, walk, &asked)
    }
}

/// Returns a page of the walk's list, as its handler reads it.
fn of_list(world: &mut World, walk: &Walk, asked: &PageRequest) -> Result<(Vec<Uuid>, bool), Halt> {
    match walk.list {
        List::Links => ids::<PayoutLink>(world, walk.scope, asked, |link| link.id.0),
        List::Transfers => ids::<Transfer>(world, walk.scope, asked, |transfer| transfer.id.0),
        List::Batches => ids::<PayoutLinkBatch>(world, walk.scope, asked, |batch| batch.id.0),
    }
}

fn ids<R: Record>(
    world: &mut World,
    scope: Scope,
    asked: &PageRequest,
    id: impl Fn(&R) -> Uuid,
) -> Result<(Vec<Uuid>, bool), Halt> {
    let mine = Query::of::<R>(scope.org.to_value(), "id", 1).equal("app", scope.app);
    let found = page::<R>(world, mine, asked, |query| query)?;
    Ok((found.records.iter().map(|record| id(record)).collect(), found.has_more))
}

/// Returns the page at the offset of the objects already met. It is wrong once a new object precedes them.
fn counted_off(world: &mut World, walk: &Walk, asked: PageRequest) -> Result<(Vec<Uuid>, bool), Halt> {
    let count = i64::try_from(walk.met.len()).unwrap_or(i64::MAX);
    let from_the_beginning =
        PageRequest { limit: Some(count + walk.limit), starting_after: None, ending_before: None, ..asked };
    let (ids, has_more) = of_list(world, walk, &from_the_beginning)?;
    Ok((ids.into_iter().skip(walk.met.len()).collect(), has_more))
}
