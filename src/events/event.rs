//! An event, however it is stored.

use uuid::Uuid;

use super::names::EventName;
use crate::clock::Time;
use crate::ids::{AppId, EventId, OrgId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
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
    pub created_at: Time,
    /// Set when a payee's data was erased: the link's part for the original object, and a proof that bursar erased it.
    pub erased: Option<Vec<u8>>,
}
