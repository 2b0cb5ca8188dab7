//! Rewrites old seals while the service runs: those of layout 1, and those not under the active key.
//!
//! Invariant: a page of records is one command, so an interruption leaves each record either old or new. Several
//! processes may run this at once: records that are current are skipped.

use super::model::SealState;
use super::sealed::{Again, Sealed, for_each_sealed};
use crate::apps::Organization;
use crate::engine::Command;
use crate::ids::OrgId;
use crate::program::Bursar;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::vault::{Ring, Vault};
use crate::world::query::Direction;
use crate::world::record::{Cell as _, Value, key};
use crate::world::{Halt, Key, Query, Want, World};

/// Records per page and command.
const PAGE: usize = 200;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// Records with new seals.
    pub records: usize,
    /// Records with a seal that does not open. They are unchanged, and `bursar verify` reports them.
    pub unopened: usize,
}

/// The position of a pass over the sealed records of an organization. The default is the start.
#[derive(Clone, Debug, Default)]
pub struct Position {
    kind: usize,
    after: Option<Value>,
}

/// The old records of a page, all of one kind.
pub struct OldPage {
    keys: Vec<Key>,
    want: fn(Key) -> Want,
    rewrite: fn(&mut World, Key, &Again<'_>) -> Result<Rewritten, Halt>,
}

impl OldPage {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the command that rewrites them. Each `nonce` must be random.
    #[must_use]
    pub fn rewrite(self, vault: &Vault, mut nonce: impl FnMut() -> [u8; 24]) -> Rewrite {
        let Self { keys, want, rewrite } = self;
        let keys = keys.into_iter().map(|key| (key, nonce())).collect();
        Rewrite { keys, vault: vault.clone(), want, rewrite }
    }
}

pub struct Rewrite {
    keys: Vec<(Key, [u8; 24])>,
    vault: Vault,
    want: fn(Key) -> Want,
    rewrite: fn(&mut World, Key, &Again<'_>) -> Result<Rewritten, Halt>,
}

impl Command for Rewrite {
    type Reply = Rewritten;

    fn needs(&self) -> Vec<Want> {
        self.keys.iter().map(|(key, _)| (self.want)(key.clone())).collect()
    }

    fn decide(&self, world: &mut World) -> Result<Rewritten, Halt> {
        let mut done = Rewritten::default();
        for (key, nonce) in &self.keys {
            add(&mut done, (self.rewrite)(world, key.clone(), &Again { vault: &self.vault, nonce: *nonce })?);
        }
        Ok(done)
    }
}

fn rewrite_one<R: Sealed>(world: &mut World, key: Key, again: &Again<'_>) -> Result<Rewritten, Halt> {
    let Some(record) = world.get::<R>(key)?.filter(|record| !record.is_current(again.vault)) else {
        return Ok(Rewritten::default());
    };
    match record.sealed_again(again) {
        Ok(new) => {
            world.change(&record, |record| *record = new);
            Ok(Rewritten { records: 1, unopened: 0 })
        }
        Err(_) => Ok(Rewritten { records: 0, unopened: 1 }),
    }
}

/// Returns the next page of a pass and the position after it; `None` at the end.
pub fn next_page(
    world: &mut World,
    org: OrgId,
    at: &Position,
    vault: &Vault,
) -> Result<Option<(OldPage, Position)>, Halt> {
    let mut kinds = 0..;
    for_each_sealed!(R => if kinds.next() == Some(at.kind) {
        return page_of::<R>(world, org, at, vault).map(Some);
    });
    Ok(None)
}

fn page_of<R: Sealed>(
    world: &mut World,
    org: OrgId,
    at: &Position,
    vault: &Vault,
) -> Result<(OldPage, Position), Halt> {
    let order = R::TABLE.position(R::ORDER).expect("records are ordered by a column of theirs");
    let page = world.page::<R>(&Query {
        direction: Direction::Ascending,
        after: at.after.clone(),
        ..R::narrowed(Query::of::<R>(org.to_value(), R::ORDER, PAGE))
    })?;
    let next = match page.last().filter(|_| page.len() == PAGE) {
        Some(last) => Position { kind: at.kind, after: Some(last.values()[order].clone()) },
        None => Position { kind: at.kind + 1, after: None },
    };
    let keys = page.iter().filter(|record| !record.is_current(vault)).map(|record| record.key()).collect();
    Ok((OldPage { keys, want: Want::row::<R>, rewrite: rewrite_one::<R> }, next))
}

/// Records the key of all seals of an organization.
struct Mark {
    org: OrgId,
    key: u16,
    vault: Vault,
}

impl Command for Mark {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let state = SealState::new(&self.vault, self.org, self.key, world.now());
        match world.get::<SealState>(key![self.org])? {
            Some(known) => drop(world.change(&known, |known| *known = state)),
            None => drop(world.add(state)),
        }
        Ok(())
    }
}

/// Rewrites every old seal and hash, and then rejects layout 1. Safe to call at any time by several processes. After an
/// error, completed pages stay rewritten.
pub async fn rewrite(bursar: &Bursar) -> Result<Rewritten, Refusal> {
    let mut done = Rewritten::default();
    for org in organizations(bursar).await? {
        let (vault, key) = (bursar.vault.clone(), bursar.vault.ring().active());
        let known = bursar.read(move |world| world.get::<SealState>(key![org])).await?;
        if known.is_some_and(|state| state.holds(&vault) && state.key_id == i64::from(key)) {
            continue;
        }
        add(&mut done, rewrite_all(bursar, org).await?);
        // If another key has become active during the pass, a further pass is needed.
        if bursar.vault.ring().active() == key {
            bursar.engine.run(org, Mark { org, key, vault: bursar.vault.as_ref().clone() }).await?;
        }
    }
    if bursar.vault.reads_layout_1() {
        // Cached keys have the old hash, which is rejected from now on.
        bursar.keys.forget_all();
        bursar.vault.refuse_layout_1();
    }
    if done != Rewritten::default() {
        let Rewritten { records, unopened } = done;
        tracing::info!(records, unopened, "old seals are rewritten");
    }
    Ok(done)
}

fn add(done: &mut Rewritten, more: Rewritten) {
    done.records += more.records;
    done.unopened += more.unopened;
}

async fn organizations(bursar: &Bursar) -> Result<Vec<OrgId>, Refusal> {
    let all = Query::across::<Organization>(100_000);
    bursar.read(move |world| Ok(world.page::<Organization>(&all)?.iter().map(|found| found.org).collect())).await
}

/// Rewrites the records of an organization, page by page.
async fn rewrite_all(bursar: &Bursar, org: OrgId) -> Result<Rewritten, Refusal> {
    let (mut at, mut done) = (Position::default(), Rewritten::default());
    loop {
        let vault = bursar.vault.clone();
        let Some((page, next)) = bursar.read(move |world| next_page(world, org, &at, &vault)).await? else {
            return Ok(done);
        };
        if !page.is_empty() {
            let command = page.rewrite(&bursar.vault, || bursar.entropy().bytes());
            add(&mut done, bursar.engine.run(org, command).await?);
        }
        at = next;
    }
}

/// Replaces the key ring. All processes of the service must have the new ring before one of its keys becomes active.
/// Rejects with `invalid-state` a ring that lacks a key still in use.
pub async fn take_up(bursar: &Bursar, ring: Ring) -> Result<u16, Refusal> {
    let (before, active) = (bursar.vault.ring(), ring.active());
    let refuse = |message: &str| Err(Refusal::new(Code::InvalidState, message).because(Reason::SetUpIncomplete));
    if !ring.hashes_as(&before) {
        return refuse(
            "The hashing key of the key file has changed, which is not allowed. Restore the previous \
                       hashing key.",
        );
    }
    if !ring.contains(&before) && !all_under(bursar, active).await? {
        return refuse("The key file lacks a key that still protects sealed values. Restore it and run bursar rekey.");
    }
    bursar.vault.replace(ring);
    Ok(active)
}

/// Returns whether the seals of all organizations are under this key.
async fn all_under(bursar: &Bursar, key: u16) -> Result<bool, Refusal> {
    for org in organizations(bursar).await? {
        let vault = bursar.vault.clone();
        let known = bursar.read(move |world| world.get::<SealState>(key![org])).await?;
        if !known.is_some_and(|state| state.holds(&vault) && state.key_id == i64::from(key)) {
            return Ok(false);
        }
    }
    Ok(true)
}
