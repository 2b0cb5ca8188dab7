//! The writing half: one transaction per batch, on its own connection.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_postgres::error::SqlState;

use super::cells::Param;
use super::connector::Connector;
use super::link::{Ask, BEGINNING, LOCK_MAX_MILLIS, Link, LinkError};
use super::node::Target;
use super::statements::{CLOSED, NO_ORGANIZATION, Questions, writes};
use crate::clock::Time;
use crate::ids::OrgId;
use crate::store::{Begun, CommitError, StoreError};
use crate::world::{Row, TableChanges, ValueRef, Want};

/// The limit for a round of reads; longer than the wait for the lock.
const LOAD_DEADLINE: Duration = Duration::from_secs(10);
/// The time for which a batch is retried after serialization conflicts.
const LOCKED_WITHIN: Duration = Duration::from_millis(LOCK_MAX_MILLIS);
/// The limit for the response to a COMMIT. It is never canceled on the server: canceling a wait for a standby makes the
/// commit succeed without it.
const COMMIT_DEADLINE: Duration = Duration::from_secs(20);

pub struct Writer {
    connector: Arc<Connector>,
    /// The batch's connection. Dropped after any error.
    link: Option<Link>,
    /// Connections to other organizations' nodes; empty with a single server.
    others: Vec<Link>,
    /// The organizations of the open batch, and the last time of each when it was locked.
    batch: Option<Vec<(OrgId, Time)>>,
    /// Whether a batch may be of several organizations: all of them are on one server.
    is_single: bool,
}

impl Writer {
    pub(super) fn new(connector: Arc<Connector>, is_single: bool) -> Self {
        Self { connector, link: None, others: Vec::new(), batch: None, is_single }
    }

    pub(in crate::store) fn is_single(&self) -> bool {
        self.is_single
    }

    pub(in crate::store) fn begin(&mut self, organizations: &[OrgId], wants: &[Want]) -> Result<Begun, StoreError> {
        self.abandon();
        let Some(&organization) = organizations.first() else {
            return Err(StoreError::Again("a batch without an organization was begun".to_owned()));
        };
        let mut link = self.link_for(organization)?;
        let is_spread = link.has_citus();
        if is_spread && organizations.len() > 1 {
            return Err(StoreError::Again("a batch of a distributed database is of one organization".to_owned()));
        }
        let questions = Questions::of(wants, is_spread);
        let lock = || self.lock(organizations, is_spread);
        let loads = || questions.statements.iter().map(Ask::Made);
        let begun = Instant::now();
        let mut found = loop {
            let first = [lock(), self.skip_lock(organizations, wants)];
            let first = link.begin("").into_iter().chain(first).chain(loads());
            match link.ask_all(&first.collect::<Vec<_>>(), LOAD_DEADLINE) {
                // At SERIALIZABLE the snapshot is older than the awaited lock, and the server reports a conflict. The
                // previous holder may get the lock again first, so this may need many attempts.
                Err(link_error) if link_error.is_conflict() && begun.elapsed() < LOCKED_WITHIN => {
                    tracing::debug!(%link_error, "a batch restarts");
                    metrics::counter!("bursar_batch_retries_total").increment(1);
                    link.ask_all(&[Ask::Plain("ROLLBACK".to_owned())], LOAD_DEADLINE).map_err(LinkError::of_read)?;
                }
                found => break found.map_err(|link_error| self.connector.reported(&link, link_error))?,
            }
        };
        found.drain(..BEGINNING);
        if found[0].is_empty() && organizations.len() == 1 {
            // The organization's first command. Its rows were loaded without a lock, so they are loaded again.
            let made =
                format!("INSERT INTO tenants (org, moment) VALUES ('{}', 0) ON CONFLICT DO NOTHING", organization.0);
            link.ask_all(&[Ask::Plain(made)], LOAD_DEADLINE).map_err(LinkError::of_read)?;
            let again = [lock(), self.skip_lock(organizations, wants)];
            let found_again = link.ask_all(&again.into_iter().chain(loads()).collect::<Vec<_>>(), LOAD_DEADLINE);
            found = found_again.map_err(LinkError::of_read)?;
        }
        let locked = locked(&found[0])?;
        if locked.len() != organizations.len() {
            // An organization without a row has its first command, which locks it alone.
            return Err(StoreError::Again("an organization cannot be locked".to_owned()));
        }
        let last = locked.iter().map(|(_, last)| *last).max();
        let answers = questions.answers(&found[2..])?;
        self.link = Some(link);
        self.batch = Some(locked);
        Ok(Begun { last, answers })
    }

    fn link_for(&mut self, organization: OrgId) -> Result<Link, StoreError> {
        // The previous batch may have used another node.
        self.others.extend(self.link.take());
        self.others.retain(|link| !link.is_closed() && self.connector.leads_to(link));
        let place = match self.connector.nodes.target_of(organization) {
            Some(place) => place,
            None => {
                let mut link = self.link_to(&Target::Main)?;
                if self.connector.nodes.learn(organization, &mut link).is_ok() {
                    self.others.push(link);
                }
                self.connector.nodes.target_of(organization).unwrap_or(Target::Main)
            }
        };
        self.link_to(&place)
    }

    /// Keeps at most one connection per target. If a node is not reachable, the coordinator's connection is used.
    fn link_to(&mut self, place: &Target) -> Result<Link, StoreError> {
        if let Some(at) = self.others.iter().position(|link| link.leads_to(place)) {
            return Ok(self.others.swap_remove(at));
        }
        match place {
            Target::At(node) => match self.connector.open_at(node, false) {
                Some(link) => Ok(link),
                None => self.link_to(&Target::Main),
            },
            Target::Main => Ok(self.connector.open(false)?),
        }
    }

    /// Locks the organizations until the transaction ends, the highest id first, so that no deadlock is possible. With Citus this is a write: a shard move waits for writers, but not for row locks. It could otherwise run
    /// between the read and the write, which would then miss changes at the new node.
    fn lock(&self, organizations: &[OrgId], is_spread: bool) -> Ask<'static> {
        let text = match (self.connector.settings.locks, is_spread) {
            (true, true) => "UPDATE tenants SET moment = moment WHERE org = ($1::uuid[])[1] RETURNING org, moment",
            (true, false) => "SELECT org, moment FROM tenants WHERE org = ANY($1) ORDER BY org DESC FOR UPDATE",
            (false, _) => "SELECT org, moment FROM tenants WHERE org = ANY($1)",
        };
        Ask::Fixed(text, vec![Param::Ids(organizations.iter().map(|organization| Some(organization.0)).collect())])
    }

    /// Also locks [`NO_ORGANIZATION`], the lowest id, if a want concerns its rows: after the organizations and as the last
    /// lock, so that no deadlock is possible. Otherwise returns a placeholder.
    fn skip_lock(&self, organizations: &[OrgId], wants: &[Want]) -> Ask<'static> {
        let of_no_organization = |want: &Want| match want {
            Want::Rows(wanted) => wanted.values.first() == Some(ValueRef::Id(NO_ORGANIZATION)),
            Want::Page(_) => false,
        };
        let is_locked = organizations.contains(&OrgId(NO_ORGANIZATION));
        if is_locked || !self.connector.settings.locks || !wants.iter().any(of_no_organization) {
            return Ask::Nothing;
        }
        Ask::Plain(format!(
            "INSERT INTO tenants (org, moment) VALUES ('{NO_ORGANIZATION}', 0) ON CONFLICT DO NOTHING; \
             SELECT 1 FROM tenants WHERE org = '{NO_ORGANIZATION}' FOR UPDATE"
        ))
    }

    pub(in crate::store) fn load(&mut self, wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
        let (Some(batch), Some(mut link)) = (&self.batch, self.link.take()) else {
            return Err(StoreError::Again("no batch is open".to_owned()));
        };
        let organizations: Vec<OrgId> = batch.iter().map(|(organization, _)| *organization).collect();
        let questions = Questions::of(wants, link.has_citus());
        let lock = [self.skip_lock(&organizations, wants)];
        let asks: Vec<Ask<'_>> = lock.into_iter().chain(questions.statements.iter().map(Ask::Made)).collect();
        let found =
            link.ask_all(&asks, LOAD_DEADLINE).map_err(|link_error| self.connector.reported(&link, link_error))?;
        let answers = questions.answers(&found[1..])?;
        self.link = Some(link);
        Ok(answers)
    }

    /// Writes all changes and commits, in one round. A batch without changes commits too: its responses may depend on a
    /// commit that no standby has confirmed, after an abandoned wait or a crash. It writes the last time, so it waits
    /// for its own commit and all earlier ones.
    pub(in crate::store) fn commit(&mut self, changes: &[TableChanges], last: Time) -> Result<(), CommitError> {
        let (Some(batch), Some(mut link)) = (self.batch.take(), self.link.take()) else {
            return Err(CommitError::Again("no batch is open".to_owned()));
        };
        let organizations: Vec<OrgId> = batch.iter().map(|(organization, _)| *organization).collect();
        let statements = changes
            .iter()
            .map(|changes| writes(&organizations, changes, link.has_citus()))
            .collect::<Result<Vec<_>, _>>();
        let statements = statements.map_err(|error| CommitError::Refused(error.to_string()))?;
        let statements = statements.iter().flatten();
        let mut asks = vec![self.moment(&batch, last, link.has_citus())];
        asks.extend(statements.map(Ask::Made));
        asks.push(Ask::Plain("COMMIT".to_owned()));
        link.listen();
        let mut answers = link.ask(&asks, COMMIT_DEADLINE);
        let committed = answers.pop().unwrap_or_else(|| Err(LinkError::Broken("there was no response".to_owned())));
        let outcome = outcome(answers.into_iter().find_map(Result::err), committed.err(), link.was_warned());
        match &outcome {
            // The connection is kept: a server without room may refuse a new one, and its response to COMMIT ended the
            // transaction.
            Ok(()) | Err(CommitError::Full(_)) => self.link = Some(link),
            Err(CommitError::Unknown(_)) => self.connector.doubt(&link),
            Err(CommitError::Refused(_) | CommitError::Again(_)) => {}
        }
        outcome
    }

    /// Writes the organizations' last time. Fails if one has changed since the lock, because the reads are then stale.
    /// This happens if the lock locked nothing: a transaction that waits while its shard is moved may lock the row that
    /// the move leaves behind.
    fn moment(&self, batch: &[(OrgId, Time)], last: Time, is_spread: bool) -> Ask<'static> {
        let organizations = Param::Ids(batch.iter().map(|(organization, _)| Some(organization.0)).collect());
        let before = Param::Ints(batch.iter().map(|(_, before)| Some(before.micros())).collect());
        let text = match (self.connector.settings.locks, is_spread) {
            (true, false) => {
                "UPDATE tenants t SET moment = $1::bigint / CASE WHEN t.moment = k.before THEN 1 ELSE 0 END \
                 FROM unnest($2, $3) AS k (org, before) WHERE t.org = k.org"
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

    pub(in crate::store) fn abandon(&mut self) {
        if self.batch.take().is_some() {
            self.link = None;
        }
    }
}

/// Returns the locked organizations with the last time of each.
fn locked(found: &[tokio_postgres::Row]) -> Result<Vec<(OrgId, Time)>, StoreError> {
    let unreadable = |error: tokio_postgres::Error| StoreError::Read(error.to_string());
    let row = |row: &tokio_postgres::Row| {
        let (organization, last) = (row.try_get(0).map_err(unreadable)?, row.try_get(1).map_err(unreadable)?);
        match last {
            CLOSED => Err(StoreError::Read("a move into the database is not complete".to_owned())),
            last => Ok((OrgId(organization), Time::from_micros(last))),
        }
    };
    found.iter().map(row).collect()
}

/// Determines the outcome of a transaction whose writes and COMMIT were sent in one round, from the first error of a
/// write, the error of the COMMIT, and whether the server sent a warning.
fn outcome(write: Option<LinkError>, commit: Option<LinkError>, warned: bool) -> Result<(), CommitError> {
    match (write, commit) {
        // A coordinator whose node did not respond to COMMIT warns, then fails: the node may have committed.
        (None, Some(link_error @ LinkError::Said { ended: false, .. })) if warned => {
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
