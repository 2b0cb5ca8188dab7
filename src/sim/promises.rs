//! Checks promises to clients: one key has permanently one effect and one response (8), and acknowledged changes are
//! durable (19).

use std::collections::{BTreeSet, HashMap};

use uuid::Uuid;

use super::requests::{Request, Wish};
use super::system::System;
use crate::http::{Answer, Content};
use crate::idempotency::{StoredAnswer, body_of};
use crate::ids::OrgId;
use crate::ledger::verify::Finding;
use crate::originals::ORIGINALS;
use crate::program::Lost;
use crate::refusal::{Code, Refusal};
use crate::vault::Vault;
use crate::world::record::key;

type Key = (OrgId, Uuid, String);

/// The store, and the vault that opens its stored responses.
pub(super) type Stored<'a> = (&'a System, &'a Vault);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Reported {
    status: u16,
    body: Option<String>,
}

#[derive(Default)]
struct Known {
    /// The requests that were sent with it.
    prints: BTreeSet<String>,
    /// The first request with the key, and its response.
    reported: Option<(String, Reported)>,
    /// Whether a response was lost, so that the first request with the key is unknown.
    doubtful: bool,
}

#[derive(Default)]
pub(super) struct Promises {
    keys: HashMap<Key, Known>,
    /// Promises since the process started.
    recent: Vec<Key>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Content,
    /// Retries with the same key.
    AskAgain,
}

impl Promises {
    /// Returns the number of recorded responses.
    pub fn len(&self) -> usize {
        self.keys.values().filter(|known| known.reported.is_some()).count()
    }

    /// Records a request before it is sent.
    pub fn sent(&mut self, request: &Request) {
        if let Some(key) = key_of(request) {
            self.keys.entry(key).or_default().prints.insert(request.print());
        }
        // Each row of a batch is a separate request in the same key space.
        if let Wish::SubmitBatch(rows) = &request.wish {
            for (key, row) in rows.iter().filter_map(|row| Some((row["idempotency_key"].as_str()?, row))) {
                let key = (request.scope.org, request.key_scope(), key.to_owned());
                self.keys.entry(key).or_default().prints.insert(format!("row {row}"));
            }
        }
    }

    /// Checks and records a response. `excused`: the store refused the commit on purpose.
    pub fn answered(
        &mut self,
        request: &Request,
        outcome: &Result<Answer, Refusal>,
        excused: bool,
        store: Stored<'_>,
    ) -> Result<Next, Finding> {
        let finding = |invariant, what: String| Finding {
            invariant,
            what,
            place: format!("{:?} under the key {:?}", request.wish, request.key),
        };
        if request.foreign && outcome.as_ref().is_ok_and(|answer| answer.status < 400) {
            return Err(finding(16, "another tenant's object was found".to_owned()));
        }
        let code = match outcome {
            Ok(answer) => return self.reported(request, answer).map_err(|what| finding(8, what)),
            Err(refusal) => refusal.code,
        };
        if code == Code::OutcomeUnknown {
            let Some(known) = self.known(request) else { return Ok(Next::Content) };
            known.doubtful = true;
            return Ok(Next::AskAgain);
        }
        if matches!(code, Code::InternalError | Code::ServiceUnavailable | Code::StorageFull) {
            // No numbered invariant: the program itself reports a bug.
            let bug = finding(Finding::UNNUMBERED, format!("a bug: {outcome:?}"));
            return if excused { Ok(Next::AskAgain) } else { Err(bug) };
        }
        if code == Code::IdempotencyKeyReused {
            return self.reused(request, store).map_err(|what| finding(8, what));
        }
        Ok(Next::Content)
    }

    fn known(&mut self, request: &Request) -> Option<&mut Known> {
        self.keys.get_mut(&key_of(request)?)
    }

    fn reported(&mut self, request: &Request, answer: &Answer) -> Result<Next, String> {
        // A 400 is not stored: the corrected request may use the same key.
        let Some(key) = key_of(request).filter(|_| answer.status != Code::InvalidInput.status()) else {
            return Ok(Next::Content);
        };
        let now = Reported { status: answer.status, body: body(answer) };
        let known = self.keys.entry(key.clone()).or_default();
        match &known.reported {
            Some((print, before)) if *print == request.print() => {
                if *before != now || !answer.replayed {
                    let again = if answer.replayed { "a replay" } else { "an execution" };
                    return Err(format!("returned {before:?} and then, by {again}, {now:?}"));
                }
            }
            Some((print, _)) => return Err(format!("got a response although another request had the key: {print}")),
            None if answer.replayed && !known.doubtful => {
                return Err("the first response is marked as a replay".to_owned());
            }
            None => {
                known.reported = Some((request.print(), now));
                self.recent.push(key);
            }
        }
        Ok(Next::Content)
    }

    fn reused(&mut self, request: &Request, store: Stored<'_>) -> Result<Next, String> {
        let Some(known) = self.known(request) else { return Err("a request without a key was refused for it".into()) };
        let had_it_first = known.reported.as_ref().is_some_and(|(print, _)| *print == request.print());
        if had_it_first && key_of(request).is_some_and(|key| is_erased(&key, store)) {
            return Ok(Next::Content);
        }
        if had_it_first {
            return Err("was refused as another request than itself".to_owned());
        }
        if known.prints.len() < 2 {
            return Err("was refused for a key that only it has used".to_owned());
        }
        Ok(Next::Content)
    }

    /// Checks after a restart that the store has all responses acknowledged before it.
    pub fn kept_recent(&mut self, store: Stored<'_>) -> Option<Finding> {
        std::mem::take(&mut self.recent).iter().find_map(|key| self.kept(key, store))
    }

    /// Checks that the store has all responses ever acknowledged.
    pub fn kept_all(&self, store: Stored<'_>) -> Option<Finding> {
        // The order decides only which of several losses is named.
        let mut keys: Vec<&Key> = self.keys.keys().collect();
        keys.sort_unstable();
        keys.into_iter().find_map(|key| self.kept(key, store))
    }

    fn kept(&self, key: &Key, store: Stored<'_>) -> Option<Finding> {
        let (_, reported) = self.keys.get(key)?.reported.as_ref()?;
        let stored = stored(key, store);
        let is_kept = stored.as_ref().is_some_and(|(status, body)| {
            let is_same = match body {
                Ok(body) => reported.body == *body,
                Err(Lost::Erased { .. }) => true,
                Err(Lost::Damaged) => false,
            };
            i64::from(reported.status) == *status && is_same
        });
        let what = format!("was acknowledged with {}; the store has {:?}", reported.status, stored.map(|it| it.0));
        (!is_kept).then(|| Finding { invariant: 19, what, place: format!("idempotency key {}", key.2) })
    }
}

/// Returns the status and the body of a stored response.
fn stored(key: &Key, (system, vault): Stored<'_>) -> Option<(i64, Result<Option<String>, Lost>)> {
    let (org, scope, idempotency_key) = key;
    let read = system.read(|world| {
        let stored = world.get::<StoredAnswer>(key![*org, *scope, idempotency_key.clone()])?;
        stored.map(|stored| Ok((stored.status, body_of(world, vault, ORIGINALS, &stored)?))).transpose()
    });
    read.ok().flatten()
}

/// Whether a payee's data was erased from a stored response. Only erasures change events (15).
fn is_erased(key: &Key, store: Stored<'_>) -> bool {
    stored(key, store).is_some_and(|(_, body)| matches!(body, Err(Lost::Erased { .. })))
}

fn key_of(request: &Request) -> Option<Key> {
    Some((request.scope.org, request.key_scope(), request.key.clone()?))
}

fn body(answer: &Answer) -> Option<String> {
    match &answer.content {
        Content::Json(body) | Content::Csv(body) => Some(body.clone()),
        Content::Empty | Content::Refusal(_) | Content::Html(_) | Content::File { .. } => None,
    }
}
