//! Responses that are not stored with their idempotency key, because an event has the same bytes.

use std::fmt;

use uuid::Uuid;

use crate::ids::EventId;
use crate::scope::Scope;
use crate::vault::Vault;
use crate::world::{Halt, World};

/// The event whose object is the body of a stored response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    pub event: EventId,
    /// If the body has a claim address where the event has null: the address without the link's token.
    pub address_start: Option<String>,
}

/// Why the body of a stored response cannot be returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// A payee's data was erased from it.
    Erased { object: Uuid },
    /// A row that it is read from is missing, or a seal does not open.
    Damaged,
}

/// The body of an original.
pub type ReadBody = Result<String, Lost>;

/// Finds and reads originals. The module `originals` supplies it, because idempotency keys must not depend on events
/// and links. The scope is that of the log.
#[derive(Clone, Copy)]
pub struct Originals {
    /// Returns the original of a body, if the running command emitted one that [`Originals::read`] returns unchanged.
    pub find: fn(&World, &Vault, Scope, &str) -> Option<Original>,
    /// Returns the body of an original.
    pub read: fn(&World, &Vault, Scope, &Original) -> Result<ReadBody, Halt>,
}

impl Originals {
    /// Every body is stored with its key.
    pub const NONE: Self = Self { find: |_, _, _, _| None, read: |_, _, _, _| Ok(Err(Lost::Damaged)) };
}

impl fmt::Debug for Originals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Originals")
    }
}
