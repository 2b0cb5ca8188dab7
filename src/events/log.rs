//! Reads an app's log: events by id, by sequence, and in pages.
//!
//! Segments begin anywhere, and a command can find rows by their keys only. It finds the segment of a sequence by
//! requesting every key that the segment can have: those of the [`SEGMENT_EVENTS`] sequences up to it.

use std::ops::RangeInclusive;
use std::sync::Arc;

use uuid::Uuid;

use super::event::Event;
use super::model::{EventObject, EventRow, EventSegment, EventStream, SEGMENT_EVENTS, name_bit, place};
use super::names::EventName;
use crate::chain::{ChainKey, Head, Log};
use crate::ids::{EventId, OrgId};
use crate::scope::Scope;
use crate::store::{Snapshot, StoreError};
use crate::world::query::{Compare, Direction};
use crate::world::record::{Cell as _, key};
use crate::world::{Halt, Key, Query, Record as _, Want, World};

/// The segments that a page reads at first; each further read takes twice as many.
const SEGMENTS: usize = 4;

/// An event, and the row that holds it.
#[derive(Clone, Debug)]
pub struct Found {
    pub event: Arc<Event>,
    pub(super) stored: Stored,
}

#[derive(Clone, Debug)]
pub(super) enum Stored {
    Row(Arc<EventRow>),
    Segment(Arc<EventSegment>),
}

impl Found {
    fn of_row(row: Arc<EventRow>) -> Self {
        Self { event: Arc::new(row.event()), stored: Stored::Row(row) }
    }

    /// Returns the log's head as it was after this event. `chain` is the store's.
    pub fn head(&self, chain: &ChainKey) -> Head {
        let Event { app, sequence, created_at, .. } = *self.event;
        let hash = match &self.stored {
            Stored::Row(row) => row.hash.clone(),
            Stored::Segment(segment) => {
                let places = segment.events().zip(segment.hashes(chain));
                let hash = places.into_iter().find(|(event, _)| event.sequence == sequence);
                hash.map(|(_, hash)| hash).unwrap_or_default()
            }
        };
        Head { log: Log::Events, of: app.0, sequence, hash, at: created_at }
    }
}

/// Returns an event by its id.
pub fn find(world: &World, scope: Scope, id: EventId) -> Result<Option<Found>, Halt> {
    let Some((sequence, first)) = place(id) else {
        let row = world.find::<EventRow>(EventRow::BY_ID, key![scope.org, id])?;
        return Ok(row.filter(|row| row.app == scope.app).map(Found::of_row));
    };
    let Some(segment) = world.get::<EventSegment>(key![scope.org, scope.app, first])? else { return Ok(None) };
    let event = segment.event(sequence).filter(|event| event.id == id).cloned();
    Ok(event.map(|event| Found { event, stored: Stored::Segment(segment) }))
}

/// Returns the events about an object, of all apps of its organization.
pub fn about(world: &World, org: OrgId, object: Uuid) -> Result<Vec<Found>, Halt> {
    let wants = [
        Want::by::<EventRow>(EventRow::OF_OBJECT, key![org, object]),
        Want::by::<EventObject>(EventObject::OF_OBJECT, key![org, object]),
    ];
    world.require(wants)?;
    let rows = world.all::<EventRow>(EventRow::OF_OBJECT, key![org, object])?;
    let places = world.all::<EventObject>(EventObject::OF_OBJECT, key![org, object])?;
    let mut found: Vec<Found> = rows.into_iter().map(Found::of_row).collect();
    for segment in segments_at(world, places.iter().map(|place| key![org, place.app, place.first]))? {
        let events = segment.events().filter(|event| event.object_id == object);
        found.extend(events.map(|event| Found { event: event.clone(), stored: Stored::Segment(segment.clone()) }));
    }
    Ok(found)
}

fn segments_at(world: &World, keys: impl Iterator<Item = Key> + Clone) -> Result<Vec<Arc<EventSegment>>, Halt> {
    world.require(keys.clone().map(Want::row::<EventSegment>))?;
    let found = keys.map(|key| world.get::<EventSegment>(key)).collect::<Result<Vec<_>, _>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// Returns the events with these sequences, in order, as far as the log has them.
pub(super) fn read(
    world: &World,
    stream: &EventStream,
    sequences: RangeInclusive<i64>,
) -> Result<Vec<Arc<Event>>, Halt> {
    let (from, to) = ((*sequences.start()).max(1), (*sequences.end()).min(stream.sequence));
    let last_row = stream.last_row();
    let row = |sequence: i64| key![stream.org, stream.app, sequence];
    let rows = (from..=to.min(last_row)).map(row);
    // An empty range if all are rows.
    let firsts = ((from - SEGMENT_EVENTS + 1).max(last_row + 1)..=to).map(row);
    let wants = rows.clone().map(Want::row::<EventRow>);
    world.require(wants.chain(firsts.clone().map(Want::row::<EventSegment>)))?;
    let mut events = Vec::new();
    for key in rows {
        events.extend(world.get::<EventRow>(key)?.map(|row| Arc::new(row.event())));
    }
    for segment in segments_at(world, firsts)? {
        events.extend(segment.events().filter(|event| (from..=to).contains(&event.sequence)).cloned());
    }
    Ok(events)
}

/// Returns the events that the running command emitted to a log, newest first, without those before the newest segment.
pub fn emitted(world: &World, scope: Scope) -> Vec<Arc<Event>> {
    // A log that is not loaded has no new event.
    let Ok(Some(stream)) = world.get::<EventStream>(key![scope.org, scope.app]) else { return Vec::new() };
    let segment = world.added::<EventSegment>(&key![scope.org, scope.app, stream.segment]);
    // Each command has a time of its own, and emits at the end of the log.
    let newest_first = segment.iter().flat_map(|segment| segment.events().rev());
    newest_first.take_while(|event| event.created_at == world.now()).cloned().collect()
}

/// Returns the object that an event is about, for each of these events of segments; `None` for an event that the log
/// does not have, or whose segment is damaged.
pub fn objects_of(snapshot: &Snapshot<'_>, ids: &[(Scope, EventId)]) -> Result<Vec<Option<Uuid>>, StoreError> {
    // No segment begins at 0.
    let first = |id: EventId| place(id).map_or(0, |(_, first)| first);
    let keys: Vec<Key> = ids.iter().map(|(scope, id)| key![scope.org, scope.app, first(*id)]).collect();
    let rows = snapshot.rows_at(EventSegment::TABLE, &keys)?;
    let segments = rows.into_iter().map(|row| row.and_then(|row| EventSegment::decoded(&row).ok()));
    let object = |(segment, (_, id)): (Option<EventSegment>, &(Scope, EventId))| {
        let event = segment?.event(place(*id)?.0).filter(|event| event.id == *id).cloned();
        event.map(|event| event.object_id)
    };
    Ok(segments.zip(ids).map(object).collect())
}

/// Returns the object of an event as the JSON text that was emitted, by the event's position in the app's log. Commands
/// may call it: it reads events of the same batch too.
pub fn text_of(world: &World, scope: Scope, sequence: i64) -> Result<Option<String>, Halt> {
    let Some(stream) = world.get::<EventStream>(key![scope.org, scope.app])? else { return Ok(None) };
    let found = read(world, &stream, sequence..=sequence)?;
    Ok(found.first().map(|event| event.object.clone()))
}

/// Returns the head of the app's log; `None` if it is empty.
pub fn head_of(world: &World, scope: Scope) -> Result<Option<Head>, Halt> {
    let Some(stream) = world.get::<EventStream>(key![scope.org, scope.app])? else { return Ok(None) };
    let at = match stream.segment {
        0 => world.get::<EventRow>(key![scope.org, scope.app, stream.sequence])?.map(|row| row.created_at),
        first => world.get::<EventSegment>(key![scope.org, scope.app, first])?.map(|segment| segment.created_at),
    };
    Ok(at.map(|at| stream.head(at)))
}

/// Which events a page has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter {
    pub name: Option<EventName>,
    pub object: Option<Uuid>,
}

impl Filter {
    fn admits(&self, event: &Event) -> bool {
        self.name.is_none_or(|name| event.name == name) && self.object.is_none_or(|object| event.object_id == object)
    }
}

/// A page of a log: the events after a sequence in the given direction.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    pub scope: Scope,
    pub filter: Filter,
    pub direction: Direction,
    /// `None` for the first page.
    pub after: Option<i64>,
    pub limit: usize,
}

impl Page {
    /// Returns the events of the page. Only for reads.
    pub fn events(&self, world: &World) -> Result<Vec<Arc<Event>>, Halt> {
        let Scope { org, app } = self.scope;
        let Some(stream) = world.get::<EventStream>(key![org, app])? else { return Ok(Vec::new()) };
        match self.direction {
            Direction::Ascending => {
                // A caller may give any number.
                let after = self.after.unwrap_or(0).min(stream.sequence);
                let rows = if after < stream.last_row() { self.rows(world, self.limit)? } else { Vec::new() };
                let within = after.max(stream.last_row()) + 1..=stream.sequence;
                let rest = self.segments(world, within, self.limit - rows.len())?;
                Ok(rows.into_iter().chain(rest).collect())
            }
            Direction::Descending => {
                let to = self.after.map_or(stream.sequence, |after| after.saturating_sub(1).min(stream.sequence));
                let newest = self.segments(world, stream.last_row() + 1..=to, self.limit)?;
                let left = if stream.last_row() > 0 { self.limit - newest.len() } else { 0 };
                Ok(newest.into_iter().chain(self.rows(world, left)?).collect())
            }
        }
    }

    fn rows(&self, world: &World, limit: usize) -> Result<Vec<Arc<Event>>, Halt> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let Self { scope: Scope { org, app }, filter: Filter { name, object }, direction, after, .. } = *self;
        let log = Query::of::<EventRow>(org.to_value(), "sequence", limit).equal("app", app);
        let log = log.matching("name", name).matching("object_id", object);
        let page = world.page::<EventRow>(&Query { direction, after: after.map(|after| after.to_value()), ..log })?;
        Ok(page.iter().map(|row| Arc::new(row.event())).collect())
    }

    /// Returns events of segments, with sequences of this range.
    fn segments(&self, world: &World, within: RangeInclusive<i64>, limit: usize) -> Result<Vec<Arc<Event>>, Halt> {
        let (mut events, mut at_once) = (Vec::new(), SEGMENTS);
        let mut after = match self.direction {
            // The first of them may be anywhere in its segment.
            Direction::Ascending => *within.start() - SEGMENT_EVENTS,
            Direction::Descending => within.end() + 1,
        };
        let is_meant = |event: &&Arc<Event>| within.contains(&event.sequence) && self.filter.admits(event);
        while !within.is_empty() && events.len() < limit {
            let (firsts, found) = self.some_segments(world, &within, after, at_once)?;
            for segment in found {
                let mut meant: Vec<_> = segment.events().filter(is_meant).cloned().collect();
                if self.direction == Direction::Descending {
                    meant.reverse();
                }
                events.extend(meant);
            }
            let Some(last) = firsts.last().filter(|_| firsts.len() == at_once) else { break };
            (after, at_once) = (*last, at_once * 2);
        }
        events.truncate(limit);
        Ok(events)
    }

    /// Returns the next segments that may have such events, after the one that begins with `after`, and their first
    /// sequences.
    fn some_segments(
        &self,
        world: &World,
        within: &RangeInclusive<i64>,
        after: i64,
        limit: usize,
    ) -> Result<(Vec<i64>, Vec<Arc<EventSegment>>), Halt> {
        let Scope { org, app } = self.scope;
        let page = |query: Query| Query { direction: self.direction, after: Some(after.to_value()), ..query };
        if let Some(object) = self.filter.object {
            let query = Query::of::<EventObject>(org.to_value(), "first", limit).equal("object_id", object);
            let places = world.page::<EventObject>(&page(query.equal("app", app)))?;
            let firsts = places.iter().map(|place| place.first);
            return Ok((firsts.clone().collect(), segments_at(world, firsts.map(|first| key![org, app, first]))?));
        }
        let query = Query::of::<EventSegment>(org.to_value(), "first", limit).equal("app", app);
        let query = query.filter("last", Compare::AtLeast, within.start().to_value());
        let query = match self.filter.name {
            Some(name) => query.filter("names", Compare::Shares, name_bit(name).to_value()),
            None => query,
        };
        let found = world.page::<EventSegment>(&page(query))?;
        Ok((found.iter().map(|segment| segment.first).collect(), found))
    }
}

/// Visits every event of all organizations, each log in order.
pub fn each(
    snapshot: &Snapshot<'_>,
    mut visit: impl FnMut(&Event) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    snapshot.each::<EventRow>(|row| visit(&row.event()))?;
    snapshot.each::<EventSegment>(|segment| segment.events().try_for_each(|event| visit(event)))
}

/// Returns the head of each log that has an event.
pub fn heads(snapshot: &Snapshot<'_>) -> Result<Vec<Head>, StoreError> {
    let mut streams = Vec::new();
    snapshot.each::<EventStream>(|stream| {
        streams.push(stream.clone());
        Ok(())
    })?;
    let mut heads = Vec::new();
    for stream in streams {
        let at = match stream.segment {
            0 => snapshot.get::<EventRow>(&key![stream.org, stream.app, stream.sequence])?.map(|row| row.created_at),
            first => {
                let newest = snapshot.get::<EventSegment>(&key![stream.org, stream.app, first])?;
                newest.map(|segment| segment.created_at)
            }
        };
        heads.extend(at.map(|at| stream.head(at)));
    }
    Ok(heads)
}
