//! The store for several processes: PostgreSQL 15 or later.
//!
//! A batch is one transaction of one organization. Its first statement locks the organization's row of `tenants`, which
//! serializes the organization's commands across all processes. No transaction waits for two such rows, so there are no
//! deadlocks. The row holds the last command time, so each command's time is unique across processes.
//!
//! Invariants: `Ok` from a commit means that the server confirmed it as durable; an uncertain commit is reported as
//! unknown; after an unexpected error the connection is dropped, and its transaction with it. The server ends the
//! transaction of a stopped process after [`link::IDLE_MAX_MILLIS`].
//!
//! Payment paths use no sequences, no advisory locks and no LISTEN; commits are never canceled, and standbys are not
//! read. Start at [`Writer`] and [`Readers`].

mod arrival;
mod cells;
mod distribution;
mod connector;
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
