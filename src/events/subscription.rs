//! Who reads the log as it grows: a mark on the log's head, so that nobody has to look for what is new.
//!
//! Where nobody listens, an event writes nothing besides itself. Where somebody does, the first event after a quiet
//! while leaves one job behind, and those that follow leave none until it was done. The mark and the job change in
//! the commit of the event, so that no event is missed and no reader is woken twice.

use std::sync::Arc;

use super::{Event, EventStream};
use crate::jobs::{self, Work};
use crate::scope::Scope;
use crate::world::record::{key, words};
use crate::world::{Halt, Want, World};

words! {
    /// Whether anybody is to be told of an app's events.
    pub enum Subscription {
        /// Nobody is.
        None = "none",
        /// Somebody is, and has been told of everything.
        Idle = "idle",
        /// Somebody is, and a job is there that will tell them.
        Scheduled = "scheduled",
    }
}

/// Leaves a job behind where somebody listens who was not called yet; gives how it stands after that.
pub(super) fn schedule(world: &mut World, stream: &EventStream) -> Subscription {
    match stream.subscription {
        Subscription::None => Subscription::None,
        Subscription::Scheduled => Subscription::Scheduled,
        Subscription::Idle => {
            jobs::enqueue(world, stream.org, Work::FeedWebhooks { app: stream.app.0 });
            Subscription::Scheduled
        }
    }
}

/// From now on somebody is to be told of the app's events; gives the last event's sequence, 0 when there is none.
pub fn subscribe(world: &mut World, scope: Scope) -> Result<i64, Halt> {
    let Some(stream) = world.get::<EventStream>(key![scope.org, scope.app])? else {
        world.add(EventStream { subscription: Subscription::Idle, ..EventStream::empty(scope) });
        return Ok(0);
    };
    if stream.subscription == Subscription::None {
        world.change(&stream, |stream| {
            stream.subscription = Subscription::Idle;
            stream.notified_sequence = stream.sequence;
        });
    }
    Ok(stream.sequence)
}

/// From now on nobody is to be told of the app's events.
pub fn unsubscribe(world: &mut World, scope: Scope) -> Result<(), Halt> {
    if let Some(stream) = world.get::<EventStream>(key![scope.org, scope.app])? {
        world.change(&stream, |stream| stream.subscription = Subscription::None);
    }
    Ok(())
}

/// What listeners were not told of yet.
#[derive(Clone, Debug)]
pub struct Unread {
    /// The events, in their order.
    pub events: Vec<Arc<Event>>,
    /// Whether there are more.
    pub more: bool,
}

/// Takes at most `limit` events that listeners were not told of, and marks them as told. When none are left, the
/// next event calls again.
pub fn take_unread(world: &mut World, scope: Scope, limit: i64) -> Result<Unread, Halt> {
    let nothing = Unread { events: Vec::new(), more: false };
    let Some(stream) = world.get::<EventStream>(key![scope.org, scope.app])? else { return Ok(nothing) };
    if stream.subscription == Subscription::None {
        return Ok(nothing);
    }
    let until = stream.sequence.min(stream.notified_sequence + limit);
    let keys = (stream.notified_sequence + 1..=until).map(|sequence| key![scope.org, scope.app, sequence]);
    world.require(keys.clone().map(Want::row::<Event>))?;
    let mut events = Vec::new();
    for key in keys {
        events.extend(world.get::<Event>(key)?);
    }
    let more = until < stream.sequence;
    world.change(&stream, |stream| {
        stream.notified_sequence = until;
        stream.subscription = if more { Subscription::Scheduled } else { Subscription::Idle };
    });
    Ok(Unread { events, more })
}
