//! Appends an event to the log of its app.

use std::sync::Arc;

use serde::Serialize;
use uuid::Uuid;

use super::event::Event;
use super::links::link;
use super::model::{EventObject, EventSegment, EventStream, numbered_id};
use super::names::EventName;
use super::subscription;
use crate::ids::OrgId;
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

#[derive(Clone, Debug)]
pub struct NewEvent {
    pub name: EventName,
    pub object_id: Uuid,
    pub version: i64,
    /// JSON, without secrets.
    pub object: String,
}

impl NewEvent {
    /// Creates an event for the object's current state.
    ///
    /// # Panics
    /// If the object does not serialize; plain data always does.
    pub fn of(name: EventName, object_id: Uuid, version: i64, object: &impl Serialize) -> Self {
        let object = serde_json::to_string(object).expect("what the API shows is plain data, which always serializes");
        Self { name, object_id, version, object }
    }
}

/// Returns the number of events. Until it changes, objects of the app that were read at this length are current.
pub fn length(world: &World, scope: Scope) -> Result<i64, Halt> {
    Ok(world.get::<EventStream>(key![scope.org, scope.app])?.map_or(0, |stream| stream.sequence))
}

pub fn want(scope: Scope) -> Want {
    Want::row::<EventStream>(key![scope.org, scope.app])
}

pub fn emit(world: &mut World, scope: Scope, new: NewEvent) -> Result<(), Halt> {
    let stream = world.get::<EventStream>(key![scope.org, scope.app])?;
    let stream = stream.unwrap_or_else(|| world.add(EventStream::empty(scope)));
    let sequence = stream.sequence + 1;
    let open = world.added::<EventSegment>(&key![scope.org, scope.app, stream.segment]);
    let open = open.filter(|segment| segment.has_room(new.object.len()));
    let first = open.as_ref().map_or(sequence, |segment| segment.first);
    let event = Event {
        org: scope.org,
        app: scope.app,
        sequence,
        id: numbered_id(sequence, first, world.random()),
        name: new.name,
        object_id: new.object_id,
        version: new.version,
        object: new.object,
        created_at: world.now(),
        erased: None,
    };
    let hash = link(world.chain(), &stream.hash, &event);
    let subscription = subscription::schedule(world, &stream);
    note_object(world, open.as_ref(), &event, first);
    match &open {
        Some(segment) => drop(world.change(segment, |segment| segment.append(event, hash.clone()))),
        None => drop(world.add(EventSegment::of(event, stream.hash.clone(), hash.clone()))),
    }
    world.change(&stream, |stream| {
        stream.rows_to = stream.last_row();
        (stream.sequence, stream.segment, stream.hash, stream.subscription) = (sequence, first, hash, subscription);
    });
    Ok(())
}

/// Adds the object's row for the segment, unless an earlier event of the segment has.
fn note_object(world: &mut World, open: Option<&Arc<EventSegment>>, event: &Event, first: i64) {
    let object_id = event.object_id;
    let is_noted =
        open.is_some() && world.added::<EventObject>(&key![event.org, object_id, event.app, first]).is_some();
    if !is_noted {
        world.add(EventObject { org: event.org, object_id, app: event.app, first });
    }
}

/// Appends an event about a shared object to the log of every app of the organization.
pub fn emit_to_all(world: &mut World, org: OrgId, new: &NewEvent) -> Result<(), Halt> {
    for stream in world.all::<EventStream>(EventStream::OF_ORG, key![org])? {
        if stream.app.0 != org.0 {
            emit(world, Scope { org, app: stream.app }, new.clone())?;
        }
    }
    Ok(())
}
