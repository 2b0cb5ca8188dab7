//! Subscriptions: a mark on the log's head, so that no worker polls for new events.
//!
//! Without a subscription, an event writes no job. With one, the first event after an idle time leaves one job, and
//! further events leave none until it has run. The mark and the job change in the commit of the event, so no event is
//! missed and no job is duplicated.

use std::sync::Arc;

use super::event::Event;
use super::log;
use super::model::{EventStream, Subscription};
use crate::jobs::{self, Work};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

/// Enqueues a job if the subscription is idle; returns the new state.
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

/// Starts the subscription; returns the sequence of the last event, 0 if there is none.
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

pub fn unsubscribe(world: &mut World, scope: Scope) -> Result<(), Halt> {
    if let Some(stream) = world.get::<EventStream>(key![scope.org, scope.app])? {
        world.change(&stream, |stream| stream.subscription = Subscription::None);
    }
    Ok(())
}

#[derive(Clone, Debug)]
pub struct Unread {
    pub events: Vec<Arc<Event>>,
    pub more: bool,
}

/// Returns at most `limit` unread events and marks them as read. If none remain, the next event enqueues a job.
pub fn take_unread(world: &mut World, scope: Scope, limit: i64) -> Result<Unread, Halt> {
    let nothing = Unread { events: Vec::new(), more: false };
    let Some(stream) = world.get::<EventStream>(key![scope.org, scope.app])? else { return Ok(nothing) };
    if stream.subscription == Subscription::None {
        return Ok(nothing);
    }
    let until = stream.sequence.min(stream.notified_sequence + limit);
    let events = log::read(world, &stream, stream.notified_sequence + 1..=until)?;
    let more = until < stream.sequence;
    world.change(&stream, |stream| {
        stream.notified_sequence = until;
        stream.subscription = if more { Subscription::Scheduled } else { Subscription::Idle };
    });
    Ok(Unread { events, more })
}
