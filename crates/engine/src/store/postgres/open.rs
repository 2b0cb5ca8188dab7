//! Opens a database, for service or for reading only, and distributes it.

use std::num::NonZeroU8;
use std::sync::Arc;

use super::connector::Connector;
use super::error::OpenError;
use super::readers::Readers;
use super::schema::{self, May};
use super::settings::Settings;
use super::writer::Writer;
use super::{arrival, placements, statistics};
use crate::store::background::BackgroundThread;

/// Few, because a batch of many organizations costs the server less than many batches.
const EXECUTORS: NonZeroU8 = NonZeroU8::new(2).expect("2 is not 0");
/// Of a distributed database, where a batch has one organization.
const EXECUTORS_OF_NODES: NonZeroU8 = NonZeroU8::new(8).expect("8 is not 0");

pub struct Postgres {
    /// One for each executor.
    pub writers: Vec<Writer>,
    pub readers: Readers,
    /// Analyzes grown tables and tracks the nodes of a distributed database, until it is dropped.
    pub background: Vec<BackgroundThread>,
}

impl Postgres {
    /// Connects, and brings the schema up to date if `migrate` allows it, including new tables of a distributed
    /// database. Safe to run in many processes at once. `executors` is the number of writers, unless the default is used.
    pub fn open(settings: Settings, migrate: bool, executors: Option<NonZeroU8>) -> Result<Self, OpenError> {
        let connector = Arc::new(Connector::new(settings));
        let may = if migrate { May::Migrate } else { May::Check };
        let (mut link, _) = schema::bring_up_to_date(&connector, may)?;
        arrival::refuse_half_moved(&mut link, connector.settings.to_string())?;
        let is_single = !link.has_citus();
        let executors = executors.unwrap_or(if is_single { EXECUTORS } else { EXECUTORS_OF_NODES });
        let writers = (0..executors.get()).map(|_| Writer::new(connector.clone(), is_single)).collect();
        let no_thread = |source| OpenError::Thread { database: connector.settings.to_string(), source };
        let mut background = vec![statistics::keep(connector.clone()).map_err(no_thread)?];
        // A configured pooler must not be bypassed.
        if link.has_citus() && !connector.settings.pooled {
            background.push(placements::keep(connector.clone()).map_err(no_thread)?);
        }
        Ok(Self { writers, readers: Readers::new(connector), background })
    }

    /// Brings the schema up to date and distributes it over the nodes of a Citus cluster, each organization on one of
    /// them. Returns the names of the tables that it distributed. The database must not be served during the call.
    /// Fails with `Undistributable` without such a cluster.
    pub fn distribute(settings: Settings) -> Result<Vec<String>, OpenError> {
        let (_, tables) = schema::bring_up_to_date(&Connector::new(settings), May::Distribute)?;
        Ok(tables)
    }

    /// Opens a database for reading only, such as for `bursar verify`. Fails with `Outdated`, `Newer` or `HalfMoved` if
    /// the program cannot read it.
    pub fn read_only(settings: Settings) -> Result<Readers, OpenError> {
        let connector = Arc::new(Connector::new(settings));
        let (mut link, _) = schema::bring_up_to_date(&connector, May::Check)?;
        arrival::refuse_half_moved(&mut link, connector.settings.to_string())?;
        Ok(Readers::new(connector))
    }
}
