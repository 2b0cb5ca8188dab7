//! Writes a batch and commits it, on the caller's thread or on a thread of its own.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use tokio_postgres::error::SqlState;

use super::cells::Param;
use super::connector::Connector;
use super::link::{Ask, Link, LinkError};
use super::statements::writes;
use crate::clock::Time;
use crate::ids::OrgId;
use crate::store::{CommitError, OnCommit};
use crate::world::TableChanges;

/// The limit for the response to a COMMIT. It is never canceled on the server: canceling a wait for a standby makes the
/// commit succeed without it.
const COMMIT_DEADLINE: Duration = Duration::from_secs(20);

/// A decided batch, with the connection that writes it.
pub(super) struct Commit {
    pub link: Link,
    /// With the last time of each when its rows were read.
    pub organizations: Vec<(OrgId, Time)>,
    /// Whether the connection has an open transaction that holds the locks of the organizations.
    pub is_locked: bool,
    /// The time of the batch's last command.
    pub last: Time,
}

impl Commit {
    /// Writes all changes and commits, in one round; also returns the connection, if it can be used again. A batch
    /// without changes commits too: its responses may depend on a commit that no standby has confirmed, after an
    /// abandoned wait or a crash. It writes the last time, so it waits for its own commit and all earlier ones.
    pub fn write(mut self, connector: &Connector, changes: &[TableChanges]) -> (Result<(), CommitError>, Option<Link>) {
        let organizations: Vec<OrgId> = self.organizations.iter().map(|(organization, _)| *organization).collect();
        let (locks, is_spread) = (connector.settings.locks, self.link.has_citus());
        let statements =
            changes.iter().map(|changes| writes(&organizations, changes, is_spread)).collect::<Result<Vec<_>, _>>();
        let statements = match statements {
            Ok(statements) => statements,
            Err(error) => return (Err(CommitError::Refused(error.to_string())), None),
        };
        let mut asks = Vec::new();
        if !self.is_locked {
            match self.begun() {
                Ok(begin) => asks.extend(begin),
                Err(link_error) => return (Err(CommitError::Again(link_error.to_string())), None),
            }
            asks.push(lock(locks, &organizations, is_spread));
        }
        asks.push(moment(locks, &self.organizations, self.last, is_spread));
        asks.extend(statements.iter().flatten().map(Ask::Made));
        asks.push(Ask::Plain("COMMIT".to_owned()));
        self.link.listen();
        let mut answers = self.link.ask(&asks, COMMIT_DEADLINE);
        let committed = answers.pop().unwrap_or_else(|| Err(LinkError::Broken("there was no response".to_owned())));
        let outcome = outcome(answers.into_iter().find_map(Result::err), committed.err(), self.link.was_warned());
        let kept = match &outcome {
            // The connection is kept: a server without room may refuse a new one, and its response to COMMIT ended the
            // transaction.
            Ok(()) | Err(CommitError::Full(_)) => Some(self.link),
            Err(CommitError::Unknown(_)) => {
                connector.doubt(&self.link);
                None
            }
            Err(CommitError::Refused(_) | CommitError::Again(_)) => None,
        };
        (outcome, kept)
    }
}

impl Commit {
    /// Returns the statements that begin the transaction; none if it has begun. If its BEGIN failed, the statements after
    /// it would each be a transaction of its own.
    fn begun(&mut self) -> Result<Vec<Ask<'static>>, LinkError> {
        let is_guarded = self.link.guard(COMMIT_DEADLINE)?;
        let begin = self.link.begin("");
        if is_guarded {
            return Ok(Vec::from(begin));
        }
        self.link.ask_all(&begin, COMMIT_DEADLINE)?;
        Ok(Vec::new())
    }
}

/// Locks the organizations until the transaction ends, the highest id first, so that no deadlock is possible. With
/// Citus this is a write: a shard move waits for writers, but not for row locks. It could otherwise run between the
/// read and the write, which would then miss changes at the new node.
pub(super) fn lock(locks: bool, organizations: &[OrgId], is_spread: bool) -> Ask<'static> {
    let text = match (locks, is_spread) {
        (true, true) => "UPDATE tenants SET moment = moment WHERE org = ($1::uuid[])[1] RETURNING org, moment",
        (true, false) => "SELECT org, moment FROM tenants WHERE org = ANY($1) ORDER BY org DESC FOR UPDATE",
        (false, _) => MOMENTS,
    };
    Ask::Fixed(text, vec![of(organizations)])
}

/// Reads the last time of each organization, without a lock.
pub(super) fn moments(organizations: &[OrgId]) -> Ask<'static> {
    Ask::Fixed(MOMENTS, vec![of(organizations)])
}

const MOMENTS: &str = "SELECT org, moment FROM tenants WHERE org = ANY($1)";

fn of(organizations: &[OrgId]) -> Param<'static> {
    Param::Ids(organizations.iter().map(|organization| Some(organization.0)).collect())
}

/// Writes the organizations' last time. Fails if one has changed since it was read, because the reads are then stale:
/// another process has written in between, or has removed the organization. A transaction that waits while its shard is moved
/// may lock the row that the move leaves behind.
fn moment(locks: bool, batch: &[(OrgId, Time)], last: Time, is_spread: bool) -> Ask<'static> {
    let organizations = Param::Ids(batch.iter().map(|(organization, _)| Some(organization.0)).collect());
    let before = Param::Ints(batch.iter().map(|(_, before)| Some(before.micros())).collect());
    let text = match (locks, is_spread) {
        (true, false) => {
            "WITH written AS (\
               UPDATE tenants t SET moment = $1::bigint / CASE WHEN t.moment = k.before THEN 1 ELSE 0 END \
               FROM unnest($2, $3) AS k (org, before) WHERE t.org = k.org RETURNING 1\
             ) SELECT 1 / CASE WHEN (SELECT count(*) FROM written) = cardinality($2) THEN 1 ELSE 0 END"
        }
        (true, true) => {
            "UPDATE tenants SET moment = $1::bigint / CASE WHEN moment = ($3::bigint[])[1] THEN 1 ELSE 0 END \
             WHERE org = ($2::uuid[])[1]"
        }
        (false, _) => {
            return Ask::Fixed(
                "UPDATE tenants SET moment = $1 WHERE org = ANY($2)",
                vec![Param::Int(last.micros()), organizations],
            );
        }
    };
    Ask::Fixed(text, vec![Param::Int(last.micros()), organizations, before])
}

/// A thread that writes one batch after another.
pub(super) struct Committer {
    begun: Sender<(Commit, Vec<TableChanges>, OnCommit)>,
    /// The connection of each commit after its end.
    written: Receiver<Option<Link>>,
}

impl Committer {
    /// Starts the thread, which ends when this is dropped.
    pub fn start(connector: Arc<Connector>) -> std::io::Result<Self> {
        let (begun, waiting) = channel::<(Commit, Vec<TableChanges>, OnCommit)>();
        let (done, written) = channel();
        std::thread::Builder::new().name("writer".into()).spawn(move || {
            while let Ok((commit, changes, on_commit)) = waiting.recv() {
                let (outcome, link) = commit.write(&connector, &changes);
                // Before the callers are answered, because the next batch needs it.
                drop(done.send(link));
                on_commit(outcome);
            }
        })?;
        Ok(Self { begun, written })
    }

    /// Queues a commit. If the thread has died, `on_commit` is dropped without a call.
    pub fn begin(&self, commit: Commit, changes: Vec<TableChanges>, on_commit: OnCommit) {
        drop(self.begun.send((commit, changes, on_commit)));
    }

    /// Waits for the end of the commit, and returns its connection.
    pub fn finish(&self) -> Option<Link> {
        self.written.recv().ok().flatten()
    }
}

/// Determines the outcome of a transaction whose writes and COMMIT were sent in one round, from the first error of a
/// write, the error of the COMMIT, and whether the server sent a warning.
fn outcome(write: Option<LinkError>, commit: Option<LinkError>, warned: bool) -> Result<(), CommitError> {
    match (write, commit) {
        // A coordinator whose node did not respond to COMMIT warns, then fails: the node may have committed.
        (None, Some(link_error @ LinkError::Said { ended: false, .. })) if warned => {
            Err(CommitError::Unknown(link_error.to_string()))
        }
        // COMMIT found no transaction.
        (Some(link_error @ LinkError::Said { ended: false, .. }), None) if warned => {
            Err(CommitError::Unknown(link_error.to_string()))
        }
        // The server has failed the transaction, so its COMMIT is a rollback.
        (Some(link_error @ LinkError::Said { .. }), _)
        | (None, Some(link_error @ LinkError::Said { ended: false, .. })) => {
            let reported = link_error.to_string();
            // A lock timeout, or a changed last time.
            let late = [SqlState::LOCK_NOT_AVAILABLE, SqlState::DIVISION_BY_ZERO];
            let late = matches!(&link_error, LinkError::Said { code, .. } if late.contains(code));
            if link_error.is_full() && matches!(&link_error, LinkError::Said { ended: false, .. }) {
                return Err(CommitError::Full(reported));
            }
            Err(if link_error.may_pass() || late {
                CommitError::Again(reported)
            } else {
                CommitError::Refused(reported)
            })
        }
        (Some(link_error @ (LinkError::Broken(_) | LinkError::Silent(_))), _) | (None, Some(link_error)) => {
            Err(CommitError::Unknown(link_error.to_string()))
        }
        (None, None) if warned => Err(CommitError::Unknown("the server warned while it committed".to_owned())),
        (None, None) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(code: SqlState, ended: bool) -> LinkError {
        LinkError::Said { code, message: "no".to_owned(), ended }
    }

    #[test]
    fn every_end_of_a_commit_maps_to_its_error() {
        let broken = || LinkError::Broken("gone".to_owned());
        let name = |outcome: Result<(), CommitError>| match outcome {
            Ok(()) => "ok",
            Err(CommitError::Refused(_)) => "refused",
            Err(CommitError::Again(_)) => "again",
            Err(CommitError::Full(_)) => "full",
            Err(CommitError::Unknown(_)) => "unknown",
        };
        for (write, commit, warned, reported) in [
            (None, None, false, "ok"),
            // The commit stopped waiting for its standby.
            (None, None, true, "unknown"),
            (None, Some(broken()), false, "unknown"),
            // Writes and COMMIT are sent together, so the connection broke with both pending.
            (Some(broken()), Some(broken()), false, "unknown"),
            // The session ended after the writes: during the COMMIT, or before it.
            (None, Some(said(SqlState::ADMIN_SHUTDOWN, true)), false, "unknown"),
            // The session ended with a write, so COMMIT was not executed.
            (Some(said(SqlState::ADMIN_SHUTDOWN, true)), Some(broken()), false, "again"),
            (Some(said(SqlState::UNIQUE_VIOLATION, false)), None, false, "refused"),
            // BEGIN failed, and COMMIT found no transaction.
            (Some(said(SqlState::QUERY_CANCELED, false)), None, true, "unknown"),
            (Some(said(SqlState::CHECK_VIOLATION, false)), None, false, "refused"),
            (Some(said(SqlState::T_R_SERIALIZATION_FAILURE, false)), None, false, "again"),
            (Some(said(SqlState::T_R_DEADLOCK_DETECTED, false)), None, false, "again"),
            (Some(said(SqlState::READ_ONLY_SQL_TRANSACTION, false)), None, false, "again"),
            (Some(said(SqlState::DIVISION_BY_ZERO, false)), None, false, "again"),
            (Some(said(SqlState::DISK_FULL, false)), None, false, "full"),
            (None, Some(said(SqlState::DISK_FULL, false)), false, "full"),
            (None, Some(said(SqlState::DISK_FULL, true)), false, "unknown"),
            (None, Some(said(SqlState::T_R_SERIALIZATION_FAILURE, false)), false, "again"),
            // A node of a distributed database was lost at its COMMIT.
            (None, Some(said(SqlState::INTERNAL_ERROR, false)), true, "unknown"),
        ] {
            assert_eq!(name(outcome(write.clone(), commit.clone(), warned)), reported, "{write:?} {commit:?} {warned}");
        }
    }
}
