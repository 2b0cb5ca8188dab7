//! The event log of each app: every committed transition has exactly one event, numbered without gaps
//! (docs/decisions.md 12, invariants 14 and 15).
//!
//! Events are written in the commit of their transition, those of one commit together in compressed segments
//! (docs/internals/adr/0041-events-are-stored-in-segments.md). Each has a keyed hash over itself and the event before,
//! so the log is also the audit chain: a removed or changed event breaks it, and only the store's chain key can compute
//! another one. Administrative acts of an organization are events of its own log (`acts`). Deliberately absent:
//! delivery, which reads the log (`webhooks`).

pub mod acts;
mod body;
mod emit;
mod erase;
mod event;
mod head;
mod http;
mod links;
mod log;
mod model;
mod names;
mod subscription;

pub use emit::{NewEvent, emit, emit_to_all, length, want};
pub use erase::erase;
pub use event::Event;
pub use head::HeadJson;
pub use http::{EventJson, routes};
pub use links::{erasure_is_proved, follows, link, unkeyed_link};
pub use log::{Filter, Found, Page, about, each, emitted, find, head_of, heads, objects_of, text_of};
pub use model::{EventObject, EventRow, EventSegment, EventStream, SEGMENT_EVENTS, Subscription, unkeyed_proof};
pub use names::EventName;
pub use subscription::{Unread, subscribe, take_unread, unsubscribe};
