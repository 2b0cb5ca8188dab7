//! References for the figures of the load generator: the same work without the service.
//!
//! [`Recording`] keeps the commits of an in-memory service during a run of payouts, and writes them into an empty store
//! without requests, rules or reads. [`echo`] returns one body for every request. Deliberately absent: results; the
//! caller compares the figures.

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

use super::model::{AppKey, Load, Scenario};
use super::run::run;
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
use crate::world::{Columns, Key, Record as _, Row, Table, TableChanges};

/// Payouts per batch, equal to the number of connections.
const BATCH: usize = 64;
const CHECK_EVERY: Duration = Duration::from_millis(20);

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

/// Returns the dependencies of a sandbox without external providers.
fn dependencies(vault: Vault) -> Dependencies {
    Dependencies {
        clock: Clock::wall(),
        command_seeds: Seeds::System,
        request_seeds: Seeds::System,
        vault,
        environment: Environment::Sandbox,
        live: Environment::Sandbox.is_live(),
        public_url: "http://127.0.0.1:8080".to_owned(),
        providers: Providers::default(),
        transports: crate::bank_transports::Transports::default(),
        call_deadline: outbound::DEADLINE,
        watchlist: Watchlist::of_sandbox(),
    }
}

fn draw(bursar: &Bursar) -> Credentials {
    Credentials::draw(&mut bursar.entropy(), bursar.clock.now(), bursar.environment, &bursar.public_url)
}

async fn create(bursar: &Bursar, credentials: &Credentials) -> Result<(), NoReference> {
    let demonstration = CreateDemonstration::of(credentials, &bursar.vault, &mut bursar.entropy());
    bursar.engine.run(demonstration.org, demonstration).await.map_err(|refusal| NoReference(refusal.message))?;
    Ok(())
}

/// Refuses production: references never touch real money.
fn for_sandboxes(config: &Config) -> Result<(), NoReference> {
    match config.environment {
        Environment::Sandbox => Ok(()),
        Environment::Production => Err(NoReference("reference data is for sandboxes only".to_owned())),
    }
}

/// Opens the configured store for [`Recording::write`]. Blocks on a file or a server.
///
/// # Errors
/// For production, and for a store with rows, which the recording would contradict.
pub fn empty_store(config: &Config) -> Result<(Vec<Store>, Guards), NoReference> {
    for_sandboxes(config)?;
    let (stores, reads, guards) = Instance::configured(config).map_err(failed)?.into_parts();
    reads.snapshot(|snapshot| Ok(first_filled(snapshot))).map_err(failed)??;
    Ok((stores, guards))
}

fn first_filled(snapshot: &Snapshot<'_>) -> Result<(), NoReference> {
    let filled = |table: &'static Table| {
        NoReference(format!("the store is not empty: it has rows in {}; name an empty store", table.name))
    };
    tables::ALL.iter().try_for_each(|table| snapshot.rows(table, 0, |_| Err(filled(table))))
}

/// Creates demonstration organizations in a sandbox's store, writes their credentials to `into` as `1.json` and so on,
/// and returns their number. A store on a server may be served at the same time with the same key file.
///
/// # Errors
/// For production; if a file exists or cannot be written; if the store does not open or rejects them.
pub async fn organizations(config: &Config, count: u32, into: &Path) -> Result<u32, NoReference> {
    for_sandboxes(config)?;
    let files: Vec<PathBuf> = (1..=count).map(|number| into.join(format!("{number}.json"))).collect();
    if let Some(there) = files.iter().find(|file| file.exists()) {
        return Err(NoReference(format!(
            "{} already exists, with the keys of another organization: name another folder",
            there.display()
        )));
    }
    // Opening blocks on a file or a server, so it has its own thread.
    let own = config.clone();
    let opened = tokio::task::spawn_blocking(move || instance::with_vault(&own)).await.map_err(failed)?;
    let (opened, vault) = opened.map_err(failed)?;
    let (bursar, guards) = opened.start(dependencies(vault)).map_err(failed)?;
    instance::must_belong(&bursar, config).await.map_err(failed)?;
    for file in files {
        let credentials = draw(&bursar);
        // Written first, so that every stored organization has its keys.
        write_atomically(&file, &credentials).map_err(failed)?;
        create(&bursar, &credentials).await?;
    }
    tokio::task::spawn_blocking(move || drop((bursar, guards))).await.map_err(failed)?;
    Ok(count)
}

/// The writes of a run of payouts.
pub struct Recording {
    organization: OrgId,
    /// The writes of each batch of payouts, with the messages to their payees.
    commits: Vec<Vec<TableChanges>>,
    payouts: usize,
}

#[derive(Clone, Copy, Debug)]
pub struct Written {
    pub payouts: usize,
    /// Rows inserted, changed or removed.
    pub rows: usize,
    pub elapsed: Duration,
}

impl Recording {
    /// Runs an in-memory service under `send-payout` load for this time and records its writes.
    ///
    /// # Errors
    /// If the service does not start, or no payout succeeds.
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

    /// Writes the recording into an empty store.
    pub fn write(&self, store: &mut Store) -> Result<Written, NoReference> {
        let (started, mut rows) = (Instant::now(), 0);
        let mut last = Time::from_micros(0);
        for commit in &self.commits {
            store.begin(&[self.organization], &[]).map_err(failed)?;
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

/// Regroups changes into commits of [`BATCH`] payouts each; returns them and the number of payouts.
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

/// A row before the first and after the last change.
type Net = (Option<Row>, Option<Row>);

/// Reduces changes to one write for each row.
fn net(changes: Vec<Change>) -> Vec<TableChanges> {
    let mut tables: BTreeMap<&'static str, (&'static Table, BTreeMap<Key, Net>)> = BTreeMap::new();
    for Change { table, key, before, after } in changes {
        let (_, rows) = tables.entry(table.name).or_insert_with(|| (table, BTreeMap::new()));
        match rows.entry(key) {
            Entry::Vacant(new) => {
                new.insert((before, after));
            }
            Entry::Occupied(mut known) => known.get_mut().1 = after,
        }
    }
    let of_table = |(table, rows): (&'static Table, BTreeMap<Key, Net>)| {
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

/// Returns this file's content for every request until the process ends, with 201 for POST and 200 otherwise.
/// `announce` receives the address.
///
/// # Errors
/// If the file cannot be read, or no port is free.
pub async fn echo(body: PathBuf, announce: impl FnOnce(&str)) -> Result<(), NoReference> {
    let body = std::fs::read_to_string(body).map_err(failed)?;
    let answer = move |method: Method| {
        let status = if method == Method::POST { StatusCode::CREATED } else { StatusCode::OK };
        std::future::ready((status, [(header::CONTENT_TYPE, "application/json")], body.clone()).into_response())
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
    announce(&listener.local_addr().map_err(failed)?.to_string());
    // Never sent: the process is killed.
    let (_stop, stopping) = watch::channel(false);
    accept(listener, Router::new().fallback(answer), connections::Limits::default(), Arc::from([]), stopping).await;
    Ok(())
}
