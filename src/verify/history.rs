//! Checks the chains of event logs and ledgers, and the anchors that they must contain (invariants 14 and 15).

use std::collections::HashMap;

use super::report::Report;
use crate::chain::{Anchor, ChainKey, Log};
use crate::events::{self, Event, EventStream};
use crate::history::ledger_chains;
use crate::ids::{AppId, OrgId};
use crate::ledger::LedgerBook;
use crate::ledger::verify::Finding;
use crate::store::{Snapshot, StoreError};

pub(super) fn check(
    snapshot: &Snapshot<'_>,
    chain: Option<&ChainKey>,
    anchors: &[Anchor],
    report: &mut Report,
) -> Result<Vec<Finding>, StoreError> {
    let mut anchored = Anchored::of(anchors);
    let mut findings = check_events(snapshot, chain, &mut anchored, report)?;
    if let Some(chain) = chain {
        report.history_checked = true;
        findings.extend(check_ledgers(snapshot, chain, &mut anchored)?);
    }
    report.anchors = anchored.met;
    findings.extend(anchored.findings());
    Ok(findings)
}

/// The anchors that were not reached yet.
struct Anchored<'a> {
    waiting: HashMap<(Log, uuid::Uuid, i64), Vec<&'a Anchor>>,
    met: u64,
    findings: Vec<Finding>,
}

impl<'a> Anchored<'a> {
    fn of(anchors: &'a [Anchor]) -> Self {
        let mut waiting: HashMap<_, Vec<&Anchor>> = HashMap::new();
        for anchor in anchors {
            let head = &anchor.head;
            waiting.entry((head.log, head.of, head.sequence)).or_default().push(anchor);
        }
        Self { waiting, met: 0, findings: Vec::new() }
    }

    fn reach(&mut self, log: Log, of: uuid::Uuid, sequence: i64, hash: &[u8]) {
        for anchor in self.waiting.remove(&(log, of, sequence)).unwrap_or_default() {
            if anchor.head.hash == hash {
                self.met += 1;
            } else {
                let what = "the history was rewritten: the hash of an anchor differs".to_owned();
                self.findings.push(Finding { invariant: 15, what, place: place(log, of, sequence) });
            }
        }
    }

    fn findings(self) -> Vec<Finding> {
        let missing = self.waiting.into_keys().map(|(log, of, sequence)| Finding {
            invariant: 15,
            what: "the history was truncated: it does not reach an anchor".to_owned(),
            place: place(log, of, sequence),
        });
        let mut findings: Vec<Finding> = self.findings.into_iter().chain(missing).collect();
        findings.sort_by(|a, b| (&a.place, &a.what).cmp(&(&b.place, &b.what)));
        findings
    }
}

fn place(log: Log, of: uuid::Uuid, sequence: i64) -> String {
    match log {
        Log::Events => format!("event {sequence} of app {of}"),
        Log::Ledger => format!("transaction {sequence} of organization {of}"),
    }
}

/// Checks that the newest link of each ledger covers all its transactions.
fn check_ledgers(
    snapshot: &Snapshot<'_>,
    chain: &ChainKey,
    anchored: &mut Anchored<'_>,
) -> Result<Vec<Finding>, StoreError> {
    let chains = ledger_chains(snapshot, chain, |transaction, link| {
        anchored.reach(Log::Ledger, transaction.org.0, transaction.number, link);
    })?;
    let mut findings = Vec::new();
    snapshot.each::<LedgerBook>(|book| {
        if chains.get(&book.org).map_or(&[][..], Vec::as_slice) != book.hash {
            let what = "transactions or entries were changed: the ledger's chain does not match its head".to_owned();
            findings.push(Finding { invariant: 15, what, place: format!("ledger of organization {}", book.org) });
        }
        Ok(())
    })?;
    Ok(findings)
}

/// The end of an app's log among the events read so far.
struct LogEnd {
    org: OrgId,
    app: AppId,
    sequence: i64,
    hash: Vec<u8>,
    unkeyed_to: i64,
}

fn check_events(
    snapshot: &Snapshot<'_>,
    chain: Option<&ChainKey>,
    anchored: &mut Anchored<'_>,
    report: &mut Report,
) -> Result<Vec<Finding>, StoreError> {
    let mut findings = Vec::new();
    let mut streams: HashMap<(OrgId, AppId), EventStream> = HashMap::new();
    snapshot.each::<EventStream>(|stream| {
        streams.insert((stream.org, stream.app), stream.clone());
        Ok(())
    })?;
    let mut ends: Vec<LogEnd> = Vec::new();
    snapshot.each::<Event>(|event| {
        report.events += 1;
        report.erased_events += u64::from(event.erased.is_some());
        let key = (event.org, event.app);
        if ends.last().is_none_or(|end| (end.org, end.app) != key) {
            let unkeyed_to = streams.get(&key).map_or(0, |stream| stream.unkeyed_to);
            ends.push(LogEnd { org: event.org, app: event.app, sequence: 0, hash: Vec::new(), unkeyed_to });
        }
        if let Some(end) = ends.last_mut() {
            report.unkeyed_events += u64::from(event.sequence <= end.unkeyed_to);
            findings.extend(follow(end, event, chain));
            anchored.reach(Log::Events, event.app.0, event.sequence, &event.hash);
            if let (Some(chain), Some(stream)) = (chain, streams.get(&key))
                && event.sequence == stream.unkeyed_to
            {
                findings.extend(unproved(chain, stream, &event.hash));
            }
        }
        Ok(())
    })?;
    let headless = ends.iter().filter(|end| !streams.contains_key(&(end.org, end.app))).count();
    if headless > 0 {
        let what = format!("{headless} logs have no head");
        findings.push(Finding { invariant: 14, what, place: "event_streams".to_owned() });
    }
    let ends: HashMap<_, _> = ends.into_iter().map(|end| ((end.org, end.app), end)).collect();
    for (key, stream) in streams {
        // A log may have a subscription before its first event.
        let ended = ends.get(&key).map_or((0, [].as_slice()), |end| (end.sequence, end.hash.as_slice()));
        if ended != (stream.sequence, stream.hash.as_slice()) {
            let what = "the log does not end at its head".to_owned();
            findings.push(Finding { invariant: 14, what, place: format!("log of app {}", stream.app) });
        }
        if chain.is_some() && (stream.unkeyed_to < 0 || stream.unkeyed_to > stream.sequence) {
            let what = "its chain is not upgraded: start this version once with its master key".to_owned();
            findings.push(Finding { invariant: 15, what, place: format!("log of app {}", stream.app) });
        }
    }
    Ok(findings)
}

/// Checks the key's proof that the events up to here were emitted before the log had a key.
fn unproved(chain: &ChainKey, stream: &EventStream, hash: &[u8]) -> Option<Finding> {
    let proof = events::unkeyed_proof(chain, stream, stream.unkeyed_to, hash);
    let what = "the keyless events up to here are not proved".to_owned();
    let place = place(Log::Events, stream.app.0, stream.unkeyed_to);
    (stream.unkeyed_proof.as_ref() != Some(&proof)).then_some(Finding { invariant: 15, what, place })
}

/// Adds the next event of a log, and returns its fault.
fn follow(end: &mut LogEnd, event: &Event, chain: Option<&ChainKey>) -> Option<Finding> {
    let place = format!("event {} of app {}", event.sequence, event.app);
    let gap = event.sequence != end.sequence + 1;
    let unkeyed = event.sequence <= end.unkeyed_to;
    let linked = chain.is_none_or(|chain| events::follows(chain, &end.hash, event, unkeyed));
    end.sequence = event.sequence;
    end.hash.clone_from(&event.hash);
    if gap {
        return Some(Finding { invariant: 14, what: "the events before it are missing".to_owned(), place });
    }
    (!linked).then(|| Finding { invariant: 15, what: "this event or an earlier one was changed".to_owned(), place })
}
