//! A summary of a store, with which the operator who restores a copy recognizes the right one.

use serde::Serialize;

use crate::apps::Organization;
use crate::clock::Time;
use crate::events;
use crate::store::{Reads, StoreError};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Contents {
    pub organizations: u64,
    /// The newest event of all apps.
    pub last_event: Option<LastEvent>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LastEvent {
    /// Its number in the log of its app.
    pub sequence: i64,
    pub created_at: Time,
}

impl Contents {
    /// Reads the summary.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn of(reads: &Reads) -> Result<Self, StoreError> {
        reads.snapshot(|snapshot| {
            let mut contents = Self::default();
            snapshot.each::<Organization>(|_| {
                contents.organizations += 1;
                Ok(())
            })?;
            let newest = events::heads(snapshot)?.into_iter().max_by_key(|head| head.at);
            contents.last_event = newest.map(|head| LastEvent { sequence: head.sequence, created_at: head.at });
            Ok(contents)
        })
    }

    /// Returns why this cannot be a company's store, or `None`.
    pub fn refusal(&self, empty_ok: bool) -> Option<&'static str> {
        (self.organizations == 0 && !empty_ok)
            .then_some("it has no organization. If it should be empty, run the same command with --empty-ok")
    }
}

impl std::fmt::Display for Contents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let many = self.organizations;
        let (plural, whose) = if many == 1 { ("", "its") } else { ("s", "the") };
        write!(f, "{many} organization{plural}; ")?;
        match &self.last_event {
            Some(LastEvent { sequence, created_at }) => {
                write!(f, "{whose} last event is from {created_at} (number {sequence} of its app)")
            }
            None => write!(f, "no event yet"),
        }
    }
}
