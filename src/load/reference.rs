//! What the figures of the load generator are compared with: the same work without the service around it.
//!
//! [`Recording`] keeps what a service in memory writes for a run of payouts, commit by commit as a store would get it,
//! and writes just that into an empty store: no request, no rule, no look-up. [`echo`] answers every request with one
//! body. Deliberately absent: any figure for a table of its own; who measures divides.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::{Method, StatusCode, header};
use axum::response::IntoResponse as _;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::{AppKey, Load, Scenario, run};
use crate::apps::bootstrap::write_atomically;
use crate::apps::{CreateDemonstration, Credentials};
use crate::clock::{Clock, Time};
use crate::config::Config;
use crate::connections;
use crate::dispatch::{self, Limits};
use crate::ids::{OrgId, Seeds};
use crate::instance::{self, Dependencies, Guards, Instance};
use crate::jobs;
use crate::outbound;
use crate::payout_links::PayoutLink;
use crate::program::{Bursar, Environment};
use crate::providers::Providers;
use crate::routes;
use crate::screening::Watchlist;
use crate::serve::accept;
use crate::store::memory::Change;
use crate::store::{Memory, Snapshot, Store, StoreError};
use crate::tables;
use crate::vault::Vault;
use crate::worker;
use crate::world::{Columns, Record as _, Row, Table, TableChanges};

/// Payouts of a batch: as many as the connections that they are sent on.
const BATCH: usize = 64;
/// How often to look whether the worker is done.
const CHECK_EVERY: Duration = Duration::from_millis(20);

/// Why there is no reference.
#[derive(Debug, thiserror::Error)]
#[error("the reference data cannot be created: {0}")]
pub struct NoReference(String);

impl From<StoreError> for NoReference {
    fn from(error: StoreError) -> Self {
        failed(error)
    }
}

fn failed(error: impl std::fmt::Display) -> NoReference {
    NoReference(error.to_string())
}

/// What a program of a sandbox needs that speaks to nobody outside.
fn dependencies(vault: Vault) -> Dependencies {
    Dependencies {
        clock: Clock::wall(),
        command_seeds: Seeds::System,
        request_seeds: Seeds::System,
        vault,
        environment: Environment::Sandbox,
        public_url: "http://127.0.0.1:8080".to_owned(),
        providers: Providers::default(),
        call_deadline: outbound::DEADLINE,
        watchlist: Watchlist::of_sandbox(),
    }
}

fn draw(bursar: &Bursar) -> Credentials {
    Credentials::draw(&mut bursar.entropy(), bursar.clock.now(), bursar.environment, &bursar.public_url)
}

async fn create(bursar: &Bursar, credentials: &Credentials) -> Result<(), NoReference> {
    let demonstration = CreateDemonstration::of(credentials, &bursar.vault, &mut bursar.entropy());
    bursar.engine.run(demonstration).await.map_err(|refusal| NoReference(refusal.message))?;
    Ok(())
}

/// No reference touches real money.
fn for_sandboxes(config: &Config) -> Result<(), NoReference> {
    match config.environment {
        Environment::Sandbox => Ok(()),
        Environment::Production => Err(NoReference("reference data is for sandboxes only".to_owned())),
    }
}

/// Opens the configured store for [`Recording::write`]. It waits for a file or a server.
///
/// # Errors
/// For production; when there is any row in the store: what is written would not fit what is there.
pub fn empty_store(config: &Config) -> Result<(Vec<Store>, Guards), NoReference> {
    for_sandboxes(config)?;
    let (stores, reads, guards) = Instance::configured(config).map_err(failed)?.into_parts();
    reads.snapshot(|snapshot| Ok(first_filled(snapshot))).map_err(failed)??;
    Ok((stores, guards))
}

/// Refuses a store in which any table has a row.
fn first_filled(snapshot: &Snapshot<'_>) -> Result<(), NoReference> {
    let filled = |table: &'static Table| {
        NoReference(format!("the store is not empty: it has rows in {}; name an empty store", table.name))
    };
    tables::ALL.iter().try_for_each(|table| snapshot.rows(table, 0, |_| Err(filled(table))))
}

/// Makes so many demonstration organizations in a sandbox's store, and writes the credentials of each to `into`, as
/// `1.json` and so on. Gives how many. A store on a server may be served meanwhile, with the same key file.
///
/// # Errors
/// For production; when one of the files is there already or is not to be written; when the store does not open or
/// take them.
pub async fn organizations(config: &Config, count: u32, into: &Path) -> Result<u32, NoReference> {
    for_sandboxes(config)?;
    let files: Vec<PathBuf> = (1..=count).map(|number| into.join(format!("{number}.json"))).collect();
    if let Some(there) = files.iter().find(|file| file.exists()) {
        return Err(NoReference(format!(
            "{} already exists, with the keys of another organization: name another folder",
            there.display()
        )));
    }
    // Opening waits for a file or a server, and so has a thread of its own.
    let own = config.clone();
    let opened = tokio::task::spawn_blocking(move || instance::with_vault(&own)).await.map_err(failed)?;
    let (opened, vault) = opened.map_err(failed)?;
    let (bursar, guards) = opened.start(dependencies(vault)).map_err(failed)?;
    instance::must_belong(&bursar, config).await.map_err(failed)?;
    for file in files {
        let credentials = draw(&bursar);
        // Written first: what is in the store is to have its keys somewhere.
        write_atomically(&file, &credentials).map_err(failed)?;
        create(&bursar, &credentials).await?;
    }
    tokio::task::spawn_blocking(move || drop((bursar, guards))).await.map_err(failed)?;
    Ok(count)
}

/// What a run of payouts writes.
pub struct Recording {
    organization: OrgId,
    /// What each batch of payouts writes, the messages to their payees included.
    commits: Vec<Vec<TableChanges>>,
    payouts: usize,
}

/// What writing a recording came to.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// Payouts.
    pub payouts: usize,
    /// Rows that were inserted, changed or removed.
    pub rows: usize,
    /// How long it took.
    pub elapsed: Duration,
}

impl Recording {
    /// Runs a service in memory under the load of `send-payout` for so long, and keeps what it writes.
    ///
    /// # Errors
    /// When the service does not start, or no payout succeeds.
    pub async fn of_payouts(duration: Duration) -> Result<Self, NoReference> {
        let memory = Memory::new();
        let dependencies = dependencies(Vault::new(rand::random()));
        let (bursar, guards) = Instance::memory(&memory).start(dependencies).map_err(failed)?;
        let credentials = draw(&bursar);
        create(&bursar, &credentials).await?;
        memory.watch();
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?.to_string();
        let (stop, stopping) = watch::channel(false);
        let router = dispatch::router(bursar.clone(), routes::table(), Limits::default());
        let serving =
            tokio::spawn(accept(listener, router, connections::Limits::default(), Arc::from([]), stopping.clone()));
        let working = worker::start(bursar.clone(), stopping);

        let load = Load {
            address,
            apps: vec![AppKey::of(&credentials)],
            scenario: Scenario::SendPayout,
            connections: BATCH,
            duration,
            rate: None,
            page: 1,
            run: rand::random(),
            keep: false,
            acknowledged: Arc::default(),
        };
        run(&load).await.map_err(failed)?;
        until_worked_off(&bursar).await?;
        stop.send_replace(true);
        for task in [serving, working] {
            task.await.map_err(failed)?;
        }
        drop(guards);
        let (commits, payouts) = batches(memory.take_changes());
        if payouts == 0 {
            return Err(NoReference("no payout succeeded".to_owned()));
        }
        Ok(Self { organization: credentials.organization.id, commits, payouts })
    }

    /// Writes it into a store, which must hold nothing yet.
    ///
    /// # Errors
    /// When the store says no.
    pub fn write(&self, store: &mut Store) -> Result<Written, NoReference> {
        let (started, mut rows) = (Instant::now(), 0);
        let mut last = Time::from_micros(0);
        for commit in &self.commits {
            store.begin(self.organization, &[]).map_err(failed)?;
            last = last.plus_micros(1);
            store.commit(commit, last).map_err(failed)?;
            let count = |changes: &TableChanges| changes.inserts.len() + changes.updates.len() + changes.deletes.len();
            rows += commit.iter().map(count).sum::<usize>();
        }
        Ok(Written { payouts: self.payouts, rows, elapsed: started.elapsed() })
    }
}

async fn until_worked_off(bursar: &Arc<Bursar>) -> Result<(), NoReference> {
    loop {
        let now = bursar.clock.now();
        let due = bursar.read(move |world| jobs::due(world, now, 1)).await;
        if due.map_err(|refusal| NoReference(refusal.message))?.is_empty() {
            return Ok(());
        }
        tokio::time::sleep(CHECK_EVERY).await;
    }
}

/// The changes of many commits as commits of [`BATCH`] payouts each, and how many payouts they are.
fn batches(changes: Vec<Change>) -> (Vec<Vec<TableChanges>>, usize) {
    let (mut commits, mut batch, mut payouts) = (Vec::new(), Vec::new(), 0);
    for change in changes {
        if change.before.is_none() && *change.table == *PayoutLink::TABLE {
            if payouts > 0 && payouts % BATCH == 0 {
                commits.push(net(std::mem::take(&mut batch)));
            }
            payouts += 1;
        }
        batch.push(change);
    }
    commits.push(net(batch));
    (commits, payouts)
}

/// A row before the first of many changes, and after the last.
type Net = (Option<Row>, Option<Row>);

/// What is left to write of many changes: each row once.
fn net(changes: Vec<Change>) -> Vec<TableChanges> {
    let mut tables: BTreeMap<&'static str, (&'static Table, BTreeMap<Row, Net>)> = BTreeMap::new();
    for Change { table, key, before, after } in changes {
        let (_, rows) = tables.entry(table.name).or_insert_with(|| (table, BTreeMap::new()));
        match rows.entry(key) {
            Entry::Vacant(new) => {
                new.insert((before, after));
            }
            Entry::Occupied(mut known) => known.get_mut().1 = after,
        }
    }
    let of_table = |(table, rows): (&'static Table, BTreeMap<Row, Net>)| {
        let empty = TableChanges { table, inserts: vec![], updates: vec![], changed: vec![], deletes: vec![] };
        rows.into_iter().fold(empty, |mut changes, (key, net)| {
            match net {
                (None, Some(after)) => changes.inserts.push(after),
                (Some(before), Some(after)) => {
                    changes.changed.push(Columns::differing(&before, &after));
                    changes.updates.push(after);
                }
                (Some(_), None) => changes.deletes.push(key),
                (None, None) => {}
            }
            changes
        })
    };
    tables.into_values().map(of_table).collect()
}

/// Answers every request with this body, which is a file's, until the process ends: 201 for POST, else 200. `announce`
/// is told where it listens.
///
/// # Errors
/// When the file cannot be read, or there is no port.
pub async fn echo(body: PathBuf, announce: impl FnOnce(&str)) -> Result<(), NoReference> {
    let body = std::fs::read_to_string(body).map_err(failed)?;
    let answer = move |method: Method| {
        let status = if method == Method::POST { StatusCode::CREATED } else { StatusCode::OK };
        std::future::ready((status, [(header::CONTENT_TYPE, "application/json")], body.clone()).into_response())
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
    announce(&listener.local_addr().map_err(failed)?.to_string());
    // Nobody ever says stop: the process is ended.
    let (_stop, stopping) = watch::channel(false);
    accept(listener, Router::new().fallback(answer), connections::Limits::default(), Arc::from([]), stopping).await;
    Ok(())
}
