//! The routes of events.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::acts;
use super::event::Event;
use super::head::HeadJson;
use super::log::{Filter, Page};
use super::names::EventName;
use crate::clock::Time;
use crate::http::lists::LIMIT_MAX;
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::EventId;
use crate::input::input;
use crate::input::types::Integer;
use crate::input::types::word_input;
use crate::refusal::Refusal;
use crate::world::query::Direction;

word_input!(super::EventName);

/// The maximum, because readers of the log want many events at once.
const LIMIT_DEFAULT: i64 = LIMIT_MAX;

input! {
    /// The parameters of the list of events.
    pub struct EventsQuery {
        /// Return only events after this sequence number; all if 0 or not given.
        pub after: Option<Integer<0, { i64::MAX }>>,
        /// Events per page, 1 to 100; 100 if not given.
        pub limit: Option<Integer<1, LIMIT_MAX>>,
        /// Return only events with this name.
        pub name: Option<EventName>,
        /// Return only events about this object.
        pub object_id: Option<Uuid>,
    }
}

/// An event of the app's log.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EventJson {
    /// The event's id.
    pub id: EventId,
    /// The event's position in the app's log: 1 for the first, then counted up without gaps.
    pub sequence: i64,
    /// The event's name, for example payout_link.claimed.
    pub name: EventName,
    /// When the event was emitted.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The id of the object.
    pub object_id: Uuid,
    /// The object's version: 1 for the first event about it.
    pub version: i64,
    /// The whole object at that time. Secrets, such as the address of a link, are null.
    #[schema(value_type = Object)]
    pub object: serde_json::Value,
}

impl From<&Event> for EventJson {
    fn from(event: &Event) -> Self {
        Self {
            id: event.id,
            sequence: event.sequence,
            name: event.name,
            created: event.created_at,
            object_id: event.object_id,
            version: event.version,
            object: serde_json::from_str(&event.object).unwrap_or_default(),
        }
    }
}

/// A page of events, and the signed head of their log.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EventsJson {
    /// Whether more events exist after this page.
    pub has_more: bool,
    /// The events, oldest first.
    pub data: Vec<EventJson>,
    /// The signed head of the log; null if the log is empty.
    #[schema(required)]
    pub head: Option<HeadJson>,
}

/// GET /v2/events
pub async fn list(call: Call) -> Outcome {
    let scope = call.scope()?;
    let asked: EventsQuery = call.query()?;
    let after = asked.after.map_or(0, |after| after.0);
    let limit = usize::try_from(asked.limit.map_or(LIMIT_DEFAULT, |limit| limit.0)).unwrap_or(1);
    let filter = Filter { name: asked.name, object: asked.object_id };
    let page = Page { scope, filter, direction: Direction::Ascending, after: Some(after), limit: limit + 1 };
    let (mut events, head) = call.read(move |world| Ok((page.events(world)?, super::head_of(world, scope)?))).await?;
    let has_more = events.len() > limit;
    events.truncate(limit);
    let data = events.iter().map(|event| EventJson::from(&**event)).collect();
    let head = head.map(|head| HeadJson::of(&call.bursar.history, &head));
    Ok(Answer::ok(&EventsJson { has_more, data, head }))
}

/// GET /v2/events/{event_id}
pub async fn show(call: Call) -> Outcome {
    let (scope, id): (_, EventId) = (call.scope()?, call.id("event_id", "event")?);
    let event = call
        .read(move |world| {
            let found = super::find(world, scope, id)?;
            Ok(found.ok_or_else(|| Refusal::not_found("event"))?.event)
        })
        .await?;
    Ok(Answer::ok(&EventJson::from(&*event)))
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/events" App "list_events" list)
            .about("Events", "List events")
            .describe(
                "Lists events, oldest first, without gaps. Every committed transition has exactly one event. Keep the \
                 sequence of the last event that you processed and request the events after it. The head is signed: \
                 keep its anchor elsewhere to prove later that the history was not rewritten.",
            )
            .asks::<EventsQuery>()
            .gives::<EventsJson>(200, "One page of the list."),
        route!(Get "/v2/administrative-acts" Organization "list_administrative_acts" acts::list)
            .about("Events", "List administrative acts")
            .describe(
                "Lists changes of keys, members, settings and policies: the actor, the time, and the values before \
                 and after. Each act is recorded in the commit of its change and chained like events. A call that \
                 changes nothing is not recorded.",
            )
            .asks::<acts::ActsQuery>()
            .gives::<acts::ActsJson>(200, "One page of the list, oldest first."),
        route!(Get "/v2/events/{event_id}" App "get_event" show)
            .about("Events", "Get an event")
            .describe("The event's id is also the header webhook-id of its webhook deliveries.")
            .gives::<EventJson>(200, "The event."),
    ]
}
