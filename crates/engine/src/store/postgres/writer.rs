//! The writing half: one transaction per batch, on its own connection.
//!
//! While a batch is written, the next one reads on a second connection, without locks. Its transaction begins when it is
//! decided: it locks the organizations, and fails if another process has written rows of one of them since the reads.
//!
//! Invariant: a batch is committed only if no other process has written rows of its organizations since it read them. Each
//! read returns the times of the batch's organizations too: they show that it is of the state that the batch was begun in,
//! also if the second connection leads to a server that is no longer the primary.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::commit::{Commit, Committer, lock, moments};
use super::connector::Connector;
use super::link::{Ask, BEGINNING, LOCK_MAX_MILLIS, Link, LinkError};
use super::node::Target;
use super::statements::{CLOSED, NO_ORGANIZATION, Questions};
use crate::clock::Time;
use crate::ids::OrgId;
use crate::store::{Begun, CommitError, OnCommit, StoreError};
use crate::world::{Key, Row, TableChanges, ValueRef, Want};

/// The limit for a round of reads; longer than the wait for the lock.
const LOAD_DEADLINE: Duration = Duration::from_secs(10);
/// The time for which a batch is retried after serialization conflicts.
const LOCKED_WITHIN: Duration = Duration::from_millis(LOCK_MAX_MILLIS);

/// The open batch.
struct Batch {
    /// With the last time of each when its rows were read.
    organizations: Vec<(OrgId, Time)>,
    /// Whether its connection holds the locks. Otherwise it is read while another batch is written.
    is_locked: bool,
}

/// The batch that is being written.
struct Pending {
    /// With the last time of each when its rows were read.
    organizations: Vec<(OrgId, Time)>,
    /// The time that it writes for each.
    last: Time,
    /// Whether it writes rows without an organization.
    shares_rows: bool,
}

pub struct Writer {
    connector: Arc<Connector>,
    /// The batch's connection. Dropped after any error.
    link: Option<Link>,
    /// Connections to other organizations' nodes; empty with a single server.
    others: Vec<Link>,
    batch: Option<Batch>,
    /// The connection on which a batch reads while another one is written.
    reading: Option<Link>,
    committer: Option<Committer>,
    pending: Option<Pending>,
    /// Whether a batch may be of several organizations: all of them are on one server.
    is_single: bool,
}

impl Writer {
    pub(super) fn new(connector: Arc<Connector>, is_single: bool) -> Self {
        Self {
            connector,
            link: None,
            others: Vec::new(),
            batch: None,
            reading: None,
            committer: None,
            pending: None,
            is_single,
        }
    }

    pub(in crate::store) fn is_single(&self) -> bool {
        self.is_single
    }

    /// Returns whether a batch can be decided while another one is written. In a distributed database each organization
    /// has a connection of its own.
    pub(in crate::store) fn reads_ahead(&self) -> bool {
        self.is_single && self.connector.settings.locks
    }

    pub(in crate::store) fn begin(&mut self, organizations: &[OrgId], wants: &[Want]) -> Result<Begun, StoreError> {
        if self.pending.is_some() {
            return self.begin_ahead(organizations, wants);
        }
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
        let lock = || lock(self.connector.settings.locks, organizations, is_spread);
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
        let locked = times(&found[0])?;
        if locked.len() != organizations.len() {
            // An organization without a row has its first command, which locks it alone.
            return Err(StoreError::Again("an organization cannot be locked".to_owned()));
        }
        let last = locked.iter().map(|(_, last)| *last).max();
        let answers = questions.answers(&found[2..])?;
        self.link = Some(link);
        self.batch = Some(Batch { organizations: locked, is_locked: true });
        Ok(Begun { last, answers })
    }

    /// Begins a batch while another one is written, or adds organizations to it. Fails with `Again` if it must wait for
    /// the locks.
    fn begin_ahead(&mut self, organizations: &[OrgId], wants: &[Want]) -> Result<Begun, StoreError> {
        let answers = self.read_ahead(organizations, wants)?;
        let last = self.batch.as_ref().and_then(|batch| batch.organizations.iter().map(|(_, last)| *last).max());
        Ok(Begun { last, answers })
    }

    /// Adds organizations to the batch, and reads rows, from the state of the database in which the batch was begun.
    fn read_ahead(&mut self, added: &[OrgId], wants: &[Want]) -> Result<Vec<Vec<Row>>, StoreError> {
        let shares_rows = self.pending.as_ref().is_some_and(|pending| pending.shares_rows);
        if shares_rows || added.contains(&OrgId(NO_ORGANIZATION)) || wants.iter().any(of_no_organization) {
            return Err(StoreError::Again("a row without an organization is locked".to_owned()));
        }
        if wants.iter().any(Want::is_page) {
            // A page does not show the rows of the pending batch.
            return Err(StoreError::Again("a page is read with the locks".to_owned()));
        }
        let usable = |link: &Link| !link.is_closed() && self.connector.leads_to(link);
        let mut link = match self.reading.take().filter(usable) {
            Some(link) => link,
            None => self.connector.open(false)?,
        };
        let known = self.batch.as_ref().map_or(&[][..], |batch| &batch.organizations);
        let is_new = |organization: &&OrgId| !known.iter().any(|(other, _)| other == *organization);
        let all = known.iter().map(|(organization, _)| organization).chain(added.iter().filter(is_new));
        let all: Vec<OrgId> = all.copied().collect();
        let questions = Questions::of(wants, link.has_citus());
        let begin = link.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY");
        let reads = std::iter::once(moments(&all)).chain(questions.statements.iter().map(Ask::Made));
        let asks: Vec<Ask<'_>> = begin.into_iter().chain(reads).chain([Ask::Plain("COMMIT".to_owned())]).collect();
        let found = link.ask_all(&asks, LOAD_DEADLINE);
        let found = found.map_err(|link_error| self.connector.reported(&link, link_error))?;
        let read = times(&found[BEGINNING])?;
        let answers = questions.answers(&found[BEGINNING + 1..found.len() - 1])?;
        let agreed = all.iter().map(|organization| self.agreed(*organization, &read)).collect::<Result<Vec<_>, _>>()?;
        self.batch = Some(Batch { organizations: agreed, is_locked: false });
        self.reading = Some(link);
        Ok(answers)
    }

    /// Returns an organization of the batch with the time of the state in which the batch was begun, if the state that was
    /// read is that one, or the one before the pending batch.
    fn agreed(&self, organization: OrgId, read: &[(OrgId, Time)]) -> Result<(OrgId, Time), StoreError> {
        let of =
            |times: &[(OrgId, Time)]| times.iter().find(|(other, _)| *other == organization).map(|(_, last)| *last);
        let again = |reason: &str| Err(StoreError::Again(reason.to_owned()));
        let Some(found) = of(read) else { return again("an organization has its first command") };
        let pending = self.pending.as_ref().and_then(|pending| Some((of(&pending.organizations)?, pending.last)));
        let known = self.batch.as_ref().and_then(|batch| of(&batch.organizations));
        let (time, is_agreed) = match (known, pending) {
            (_, Some((before, last))) => (last, found == before || found == last),
            (Some(known), None) => (known, found == known),
            (None, None) => (found, true),
        };
        if is_agreed {
            Ok((organization, time))
        } else {
            again("another process has written, or a server is out of date")
        }
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

    /// Also locks [`NO_ORGANIZATION`], the lowest id, if a want concerns its rows: after the organizations and as the
    /// last lock, so that no deadlock is possible. Otherwise returns a placeholder.
    fn skip_lock(&self, organizations: &[OrgId], wants: &[Want]) -> Ask<'static> {
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
        let Some(batch) = &self.batch else { return Err(no_batch_to_read()) };
        if !batch.is_locked {
            return self.read_ahead(&[], wants);
        }
        let Some(mut link) = self.link.take() else { return Err(no_batch_to_read()) };
        let organizations: Vec<OrgId> = batch.organizations.iter().map(|(organization, _)| *organization).collect();
        let questions = Questions::of(wants, link.has_citus());
        let lock = [self.skip_lock(&organizations, wants)];
        let asks: Vec<Ask<'_>> = lock.into_iter().chain(questions.statements.iter().map(Ask::Made)).collect();
        let found =
            link.ask_all(&asks, LOAD_DEADLINE).map_err(|link_error| self.connector.reported(&link, link_error))?;
        let answers = questions.answers(&found[1..])?;
        self.link = Some(link);
        Ok(answers)
    }

    /// Writes the open batch and commits it, on the caller's thread.
    pub(in crate::store) fn commit(&mut self, changes: &[TableChanges], last: Time) -> Result<(), CommitError> {
        let commit = self.take_commit(last)?;
        let (outcome, link) = commit.write(&self.connector, changes);
        self.link = link;
        outcome
    }

    /// Starts the commit of the open batch, on another thread.
    pub(in crate::store) fn begin_commit(&mut self, changes: Vec<TableChanges>, last: Time, on_commit: OnCommit) {
        let commit = match self.take_commit(last) {
            Ok(commit) => commit,
            Err(error) => return on_commit(Err(error)),
        };
        let started = match self.committer.take() {
            Some(committer) => Ok(committer),
            None => Committer::start(self.connector.clone()),
        };
        match started {
            Ok(committer) => {
                let organizations = commit.organizations.clone();
                let shares_rows = changes.iter().any(has_no_organization);
                self.pending = Some(Pending { organizations, last, shares_rows });
                self.committer.insert(committer).begin(commit, changes, on_commit);
            }
            Err(error) => {
                tracing::warn!(%error, "no thread can be started for commits");
                let (outcome, link) = commit.write(&self.connector, &changes);
                self.link = link;
                on_commit(outcome);
            }
        }
    }

    /// Waits for the end of the pending commit.
    pub(in crate::store) fn finish_commit(&mut self) {
        if self.pending.take().is_some() {
            let link = self.committer.as_ref().and_then(Committer::finish);
            if link.is_none() {
                // The server may have changed its role.
                self.reading = None;
            }
            self.others.extend(link);
        }
    }

    /// Takes the open batch, with a connection that writes.
    fn take_commit(&mut self, last: Time) -> Result<Commit, CommitError> {
        let no_batch = || CommitError::Again("no batch is open".to_owned());
        let Batch { organizations, is_locked } = self.batch.take().ok_or_else(no_batch)?;
        let link = if is_locked {
            self.link.take().ok_or_else(no_batch)?
        } else {
            let organization = organizations.first().map(|(organization, _)| *organization).ok_or_else(no_batch)?;
            self.link_for(organization).map_err(|error| CommitError::Again(error.to_string()))?
        };
        Ok(Commit { link, organizations, is_locked, last })
    }

    pub(in crate::store) fn abandon(&mut self) {
        if self.batch.take().is_some_and(|batch| batch.is_locked) {
            self.link = None;
        }
    }
}

fn no_batch_to_read() -> StoreError {
    StoreError::Again("no batch is open".to_owned())
}

fn of_no_organization(want: &Want) -> bool {
    match want {
        Want::Rows(wanted) => wanted.values.first() == Some(ValueRef::Id(NO_ORGANIZATION)),
        Want::Page(_) => false,
    }
}

fn has_no_organization(changes: &TableChanges) -> bool {
    let rows = [&changes.inserts, &changes.updates].into_iter().flatten();
    let mut owners = rows.map(|row| row.first().map(ValueRef::from)).chain(changes.deletes.iter().map(Key::first));
    owners.any(|owner| owner == Some(ValueRef::Id(NO_ORGANIZATION)))
}

/// Returns the organizations that were found, with the last time of each.
fn times(found: &[tokio_postgres::Row]) -> Result<Vec<(OrgId, Time)>, StoreError> {
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
