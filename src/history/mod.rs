//! The keys of the history, and the migration of an older version's history.
//!
//! Invariant: the keys derive from the vault's hashing key, which never changes: a new master key invalidates neither
//! the chain nor an anchor. A store without a chain key is migrated once: the ledger's chain is computed over all
//! transactions, and each event log keeps its unkeyed part, whose end is proved under the key.
//!
//! Start at [`open()`], which must run before any other access to the store.

mod carry_over;
mod error;
mod heads;
mod open;

pub use carry_over::ledger_chains;
pub use error::HistoryError;
pub use heads::heads;
pub use open::{HistoryBegin, is_begun, keys, open, proof};
