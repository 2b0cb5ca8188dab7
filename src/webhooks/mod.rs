//! Webhooks: an app's events, sent to URLs of its choice (docs/decisions.md 12).
//!
//! An event is written once, to the log ([`crate::events`]). If the app has an endpoint, the first event after an idle
//! period queues one job ([`feed`]). It reads the log from its last position and adds a delivery for each endpoint that
//! subscribes to the event. Each endpoint with pending deliveries has one job ([`attempt`]), which makes the due calls
//! and records their outcomes.
//!
//! Invariant: every event after an endpoint's creation, with a name that it subscribes to, has exactly one delivery to
//! it, and each delivery ends as succeeded or dead. A receiver gets each event at least once: a call without a recorded
//! outcome is repeated. Without failures, the order is that of the log.
//!
//! Each attempt reads the event from the log, so there is no second copy. Commits that move money write no row for an
//! endpoint.
//!
//! Start at [`feed::Feed`], then [`attempt::Attempted`]; `worker/webhooks.rs` makes the calls.

mod answer;
pub mod attempt;
mod create;
mod delete;
pub mod feed;
mod forget;
mod http;
mod json;
mod model;
mod replay;
mod rotate;
mod rows;
pub mod rules;
pub mod signature;
mod test_endpoint;
mod update;

pub use answer::{erase, printable};
pub use attempt::{Attempted, Called, Outcome, Round, round};
pub use create::CreateEndpoint;
pub use feed::Feed;
pub use forget::{Forget, outlived};
pub use http::routes;
pub use model::{DeliveryError, DeliveryStatus, EndpointStatus, WebhookDelivery, WebhookEndpoint};
pub use rows::{ENDPOINTS_MAX, OVERLAP_SECONDS, find, seal_context, secrets};
pub use rules::transitions;
