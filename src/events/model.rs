//! The rows of the log.

use uuid::Uuid;

use super::names::EventName;
use crate::chain::{Head, Log};
use crate::clock::Time;
use crate::ids::{AppId, EventId, OrgId};
use crate::scope::Scope;
use crate::world::record::{record, words};

words! {
    /// The state of an app's subscription.
    pub enum Subscription {
        /// No subscription.
        None = "none",
        /// Subscribed, without unread events.
        Idle = "idle",
        /// Subscribed, with a job for the unread events.
        Scheduled = "scheduled",
    }
}

record! {
    pub struct EventStream in "event_streams" {
        key (org, app)
        many OF_ORG (org);
        pub org: OrgId,
        pub app: AppId,
        /// The sequence number of the last event; the first event has 1.
        pub sequence: i64,
        pub hash: Vec<u8>,
        pub subscription: Subscription,
        /// The last event that the webhook job has read; meaningless without a subscription.
        pub notified_sequence: i64,
        /// The last event of a version that chained without a key; 0 if none, negative until the chain is migrated.
        pub unkeyed_to: i64,
        /// Proof of [`Self::unkeyed_to`] with the chain key.
        pub unkeyed_proof: Option<Vec<u8>>,
    }
}

impl EventStream {
    pub(super) fn empty(scope: Scope) -> Self {
        Self {
            org: scope.org,
            app: scope.app,
            sequence: 0,
            hash: Vec::new(),
            subscription: Subscription::None,
            notified_sequence: 0,
            unkeyed_to: 0,
            unkeyed_proof: None,
        }
    }
}

record! {
    /// Events are never changed or removed, except that a payee's data can be erased.
    pub struct Event in "events" {
        key (org, app, sequence)
        unique BY_ID (org, id)
        many OF_OBJECT (org, object_id);
        pub org: OrgId,
        pub app: AppId,
        pub sequence: i64,
        pub id: EventId,
        pub name: EventName,
        pub object_id: Uuid,
        /// 1 for the first event about the object, then counted up.
        pub version: i64,
        /// The whole object at that time, as JSON without secrets.
        pub object: String,
        /// The chained hash; see [`super::link`].
        pub hash: Vec<u8>,
        pub created_at: Time,
        /// Set when a payee's data was erased: the link's part for the original object, and a proof that bursar erased
        /// it.
        pub erased: Option<Vec<u8>>,
    }
}

impl Event {
    pub fn head(&self) -> Head {
        let Self { app, sequence, hash, created_at, .. } = self;
        Head { log: Log::Events, of: app.0, sequence: *sequence, hash: hash.clone(), at: *created_at }
    }
}
