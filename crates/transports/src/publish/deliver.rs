//! Takes the steps of the protocol: I/O through a transport, commits through a journal.

use sha2::{Digest as _, Sha256};

use super::rules::{End, Found, Known, Look, Order, State, Step, next};
use crate::entry::{EntryKind, Stat};
use crate::error::{Error, Kind};
use crate::name::Name;
use crate::transport::Transport;

/// Where the states are committed.
pub trait Journal {
    /// Commits a state of the file, durably, if the lease is still the newest.
    fn commit(&mut self, lease: u64, state: &State) -> impl Future<Output = Result<(), NotCommitted>> + Send;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotCommitted {
    /// Another lease owns the file.
    Stale,
    Failed(String),
}

/// Why a delivery stopped before its end. The committed state is where the next lease continues.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    #[error("another process has the lease of this file; it continues the delivery")]
    Stale,
    #[error("the state of the file cannot be committed: {0}")]
    NotCommitted(String),
    #[error("{0}")]
    Transport(#[from] Error),
    #[error("the bytes are not those that were sealed; stop the connection and compare both versions of the file")]
    OtherBytes,
}

impl From<NotCommitted> for Stopped {
    fn from(not: NotCommitted) -> Self {
        match not {
            NotCommitted::Stale => Self::Stale,
            NotCommitted::Failed(why) => Self::NotCommitted(why),
        }
    }
}

/// Delivers a file from its committed state to the end of the protocol, or as far as the other side allows.
///
/// `read_back` compares the bytes on the server with ours before they are published.
///
/// # Errors
///
/// Returns why the delivery stopped. Another call, with a newer lease and the committed state, continues it.
pub async fn deliver<J: Journal>(
    transport: &mut Transport,
    journal: &mut J,
    order: &Order,
    bytes: &[u8],
    committed: State,
    read_back: bool,
) -> Result<End, Stopped> {
    if bytes.len() as u64 != order.size || Sha256::digest(bytes)[..] != order.sha256 {
        return Err(Stopped::OtherBytes);
    }
    let (mut state, mut known, mut failure) = (committed, Known::default(), None);
    loop {
        match next(order, &state, &known) {
            Step::Put(temp) => {
                put_temp(transport, &temp, bytes, read_back).await?;
                known.is_put = true;
            }
            Step::Look(temp) => known.look = Some(look(transport, order, &temp).await?),
            Step::Commit(to) => {
                journal.commit(order.lease, &to).await?;
                known.is_fresh = matches!(to, State::Renaming(_));
                state = to;
            }
            Step::Rename(temp) => failure = after(&mut known, transport.rename(&temp, &order.last).await),
            Step::PutFinal => failure = after(&mut known, transport.put(&order.last, bytes, false).await),
            Step::Remove(temp) => {
                // What remains is a stray, which `remove_strays` finds.
                drop(transport.remove(&temp).await);
                known.look = known.look.map(|look| Look { temp: Found::Missing, ..look });
            }
            Step::End(End::NotRenamed) => {
                let unknown = || Error::new(Kind::Refused, "rename", order.temp.as_str(), "");
                return Err(Stopped::Transport(failure.unwrap_or_else(unknown)));
            }
            Step::End(end @ (End::Sent | End::InDoubt(_) | End::NameTaken)) => return Ok(end),
        }
    }
}

/// Records the outcome of a request that publishes. Nothing is concluded from an error: both names are checked next.
fn after(known: &mut Known, outcome: Result<(), Error>) -> Option<Error> {
    known.is_fresh = false;
    known.look = None;
    known.is_published = outcome.is_ok();
    known.has_failed = outcome.is_err();
    outcome.err()
}

/// Writes the temporary file of this lease, again if an earlier try of the same lease left one.
async fn put_temp(transport: &mut Transport, temp: &Name, bytes: &[u8], read_back: bool) -> Result<(), Error> {
    match transport.put(temp, bytes, read_back).await {
        Err(Error { kind: Kind::Exists, .. }) => {
            transport.remove(temp).await?;
            transport.put(temp, bytes, read_back).await
        }
        done => done,
    }
}

async fn look(transport: &mut Transport, order: &Order, temp: &Name) -> Result<Look, Error> {
    let compared = |stat: Option<Stat>| match stat {
        None => Found::Missing,
        Some(stat) if stat.size == order.size && stat.kind != EntryKind::Folder => Found::Whole,
        Some(_) => Found::Different,
    };
    let mut found =
        Look { temp: compared(transport.stat(temp).await?), last: compared(transport.stat(&order.last).await?) };
    // A server that renames in one step cannot have both: the final name may be another file of the same size.
    if found.last == Found::Whole
        && found.temp != Found::Missing
        && let Ok(bytes) = transport.read(&order.last, order.size).await
        && Sha256::digest(&bytes)[..] != order.sha256
    {
        found.last = Found::Different;
    }
    Ok(found)
}

/// Removes the temporary files of a file that is sent or canceled, and returns how many there were.
///
/// Before a file in doubt is sent again, this call must succeed: an old sender could still rename its temporary file.
///
/// # Errors
///
/// Returns why the folder cannot be read, or why a file cannot be removed.
pub async fn remove_strays(transport: &mut Transport, file: &str) -> Result<usize, Error> {
    let mut removed = 0;
    for entry in transport.list().await?.entries {
        if entry.name.lease_of(file).is_some() {
            match transport.remove(&entry.name).await {
                Err(error) if error.kind != Kind::Missing => return Err(error),
                Ok(()) | Err(_) => removed += 1,
            }
        }
    }
    Ok(removed)
}
