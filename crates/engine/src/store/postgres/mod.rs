//! The store for several processes: PostgreSQL 15 or later.
//!
//! A batch is one transaction. It locks the rows of its organizations in `tenants`, all in one order, which serializes an
//! organization's commands across all processes without deadlocks. The row holds the last command time, so each
//! command's time is unique across processes, and a batch that was decided before it had the locks finds out whether
//! another process has written in between.
//!
//! Invariants: `Ok` from a commit means that the server confirmed it as durable; an uncertain commit is reported as
//! unknown; after an unexpected error the connection is dropped, and its transaction with it. The server ends the
//! transaction of a stopped process after [`link::IDLE_MAX_MILLIS`].
//!
//! Payment paths use no sequences, no advisory locks and no LISTEN; commits are never canceled, and standbys are not
//! read. Start at [`Writer`] and [`Readers`].

mod arrival;
mod cells;
mod commit;
mod connector;
mod distribution;
mod error;
mod filling;
mod link;
mod node;
mod nodes;
mod open;
mod placements;
mod readers;
mod schema;
mod settings;
mod statements;
mod statistics;
mod writer;

pub use arrival::{Arrival, Arriving, Found};
pub use error::OpenError;
pub use open::Postgres;
pub use readers::{Readers, State};
pub use settings::Settings;
pub use writer::Writer;
