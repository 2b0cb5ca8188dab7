//! Migrates the history of a version without a chain key.

use std::collections::HashMap;

use super::error::HistoryError;
use crate::chain::ChainKey;
use crate::engine::{Command, Executor};
use crate::events::{self, EventStream};
use crate::ids::{AppId, OrgId};
use crate::ledger::{self, LedgerBook, Transaction};
use crate::store::{Reads, Snapshot, StoreError};
use crate::world::record::key;
use crate::world::{Halt, World};

/// Attempts in case another process posts during the migration.
const TRIES: usize = 5;

/// Migrates every log and ledger without a keyed chain.
pub(super) fn run(executor: &mut Executor, reads: &Reads, chain: &ChainKey) -> Result<(), HistoryError> {
    for _ in 0..TRIES {
        let (streams, books) = reads.snapshot(|snapshot| unchained(snapshot, chain))?;
        if streams.is_empty() && books.is_empty() {
            return Ok(());
        }
        tracing::info!(logs = streams.len(), ledgers = books.len(), "the history continues under a keyed chain");
        for (org, app) in streams {
            executor.run_one(org, CarryLog { org, app, chain: chain.clone() })?;
        }
        for book in books {
            executor.run_one(book.org, CarryLedger(book))?;
        }
    }
    Err(HistoryError::Refused(
        "the ledger changes during the upgrade of its chain: stop all other processes".to_owned(),
    ))
}

type Logs = Vec<(OrgId, AppId)>;

fn unchained(snapshot: &Snapshot<'_>, chain: &ChainKey) -> Result<(Logs, Vec<LedgerBook>), StoreError> {
    let (mut streams, mut books) = (Vec::new(), Vec::new());
    snapshot.each::<EventStream>(|stream| {
        if stream.unkeyed_to < 0 {
            streams.push((stream.org, stream.app));
        }
        Ok(())
    })?;
    snapshot.each::<LedgerBook>(|book| {
        if book.hash.is_empty() && book.last_number > 0 {
            books.push(book.clone());
        }
        Ok(())
    })?;
    if !books.is_empty() {
        let mut chains = ledger_chains(snapshot, chain, |_, _| {})?;
        for book in &mut books {
            book.hash = chains.remove(&book.org).unwrap_or_default();
        }
    }
    Ok((streams, books))
}

/// Computes the chain of every ledger and shows each transaction with its link. Returns the newest link of each ledger.
pub fn ledger_chains(
    snapshot: &Snapshot<'_>,
    chain: &ChainKey,
    mut show: impl FnMut(&Transaction, &[u8]),
) -> Result<HashMap<OrgId, Vec<u8>>, StoreError> {
    let mut newest: HashMap<OrgId, Vec<u8>> = HashMap::new();
    snapshot.each::<Transaction>(|transaction| {
        let before = newest.entry(transaction.org).or_default();
        *before = ledger::chain::link(chain, before, transaction);
        show(transaction, before);
        Ok(())
    })?;
    Ok(newest)
}

/// Proves the end of the unkeyed part of a log.
struct CarryLog {
    org: OrgId,
    app: AppId,
    chain: ChainKey,
}

impl Command for CarryLog {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let stream = world.get::<EventStream>(key![self.org, self.app])?;
        if let Some(stream) = stream.filter(|stream| stream.unkeyed_to < 0) {
            let proof = events::unkeyed_proof(&self.chain, &stream, stream.sequence, &stream.hash);
            world.change(&stream, |stream| {
                stream.unkeyed_to = stream.sequence;
                stream.unkeyed_proof = Some(proof);
            });
        }
        Ok(())
    }
}

/// Writes the newest link of a ledger.
struct CarryLedger(LedgerBook);

impl Command for CarryLedger {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let book = world.get::<LedgerBook>(key![self.0.org])?;
        let is_same = |book: &LedgerBook| book.hash.is_empty() && book.last_number == self.0.last_number;
        if let Some(book) = book.filter(|book| is_same(book)) {
            world.change(&book, |book| book.hash.clone_from(&self.0.hash));
        }
        Ok(())
    }
}
