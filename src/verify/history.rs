//! Checks the chains of event logs and ledgers, and the anchors that they must contain (invariants 14 and 15).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::report::{Report, TOGETHER};
use crate::chain::{Anchor, ChainKey, Log};
use crate::events::{self, Event, EventObject, EventRow, EventSegment, EventStream};
use crate::history::ledger_chains;
use crate::ids::{AppId, OrgId};
use crate::ledger::LedgerBook;
use crate::ledger::verify::Finding;
use crate::store::{Snapshot, StoreError};
use crate::world::record::key;
use crate::world::{Key, Record as _, Value};

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

/// Returns the keys of the rows by which a segment is found from its objects.
fn object_keys(segment: &EventSegment) -> impl Iterator<Item = Key> {
    let objects: BTreeSet<uuid::Uuid> = segment.events().map(|event| event.object_id).collect();
    let (org, app, first) = (segment.org, segment.app, segment.first);
    objects.into_iter().map(move |object| key![org, object, app, first])
}

/// Checks that each segment is found by the objects of its events, which an erasure relies on.
fn check_objects(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let (mut waiting, mut expected, mut lacking): (Vec<Key>, u64, u64) = (Vec::new(), 0, 0);
    let mut look_up = |keys: Vec<Key>| {
        let found = snapshot.get_all::<EventObject>(&keys)?;
        lacking += u64::try_from(found.iter().filter(|row| row.is_none()).count()).unwrap_or(u64::MAX);
        Ok::<_, StoreError>(())
    };
    snapshot.rows(EventSegment::TABLE, 0, |row| {
        // A damaged row has a finding of its own.
        let Ok(segment) = EventSegment::decoded(&row) else { return Ok(()) };
        waiting.extend(object_keys(&segment));
        if waiting.len() < TOGETHER {
            return Ok(());
        }
        expected += u64::try_from(waiting.len()).unwrap_or(u64::MAX);
        look_up(std::mem::take(&mut waiting))
    })?;
    expected += u64::try_from(waiting.len()).unwrap_or(u64::MAX);
    look_up(waiting)?;
    let mut rows = 0;
    snapshot.rows(EventObject::TABLE, 0, |_| {
        rows += 1;
        Ok::<_, StoreError>(())
    })?;
    let what = match (lacking, rows == expected) {
        (0, true) => return Ok(Vec::new()),
        (0, false) => "has rows for objects without an event".to_owned(),
        (lacking, _) => format!("lacks {lacking} rows: events are not found by their objects"),
    };
    Ok(vec![Finding { invariant: 14, what, place: "event_objects".to_owned() }])
}

/// The end of an app's log among the events read so far.
#[derive(Default)]
struct LogEnd {
    sequence: i64,
    hash: Vec<u8>,
    /// The last event that is a row of its own.
    last_row: i64,
    /// The first event of the last segment.
    segment: i64,
}

/// The check of all logs. The rows of earlier versions are read before the segments.
struct Logs<'a, 'b> {
    chain: Option<&'a ChainKey>,
    anchored: &'a mut Anchored<'b>,
    report: &'a mut Report,
    streams: BTreeMap<(OrgId, AppId), EventStream>,
    ends: BTreeMap<(OrgId, AppId), LogEnd>,
    findings: Vec<Finding>,
}

fn check_events(
    snapshot: &Snapshot<'_>,
    chain: Option<&ChainKey>,
    anchored: &mut Anchored<'_>,
    report: &mut Report,
) -> Result<Vec<Finding>, StoreError> {
    let mut streams = BTreeMap::new();
    snapshot.each::<EventStream>(|stream| {
        streams.insert((stream.org, stream.app), stream.clone());
        Ok(())
    })?;
    let mut logs = Logs { chain, anchored, report, streams, ends: BTreeMap::new(), findings: Vec::new() };
    snapshot.each::<EventRow>(|row| {
        logs.row(row);
        Ok(())
    })?;
    snapshot.rows(EventSegment::TABLE, 0, |row| {
        match EventSegment::decoded(&row) {
            Ok(segment) => logs.segment(&segment),
            Err(damaged) => logs.find(15, &damaged.to_string(), place_of(&row)),
        }
        Ok::<_, StoreError>(())
    })?;
    let mut findings = logs.findings();
    findings.extend(check_objects(snapshot)?);
    Ok(findings)
}

impl Logs<'_, '_> {
    fn find(&mut self, invariant: u8, what: &str, place: String) {
        self.findings.push(Finding { invariant, what: what.to_owned(), place });
    }

    fn end(&mut self, org: OrgId, app: AppId) -> &mut LogEnd {
        self.ends.entry((org, app)).or_default()
    }

    fn row(&mut self, row: &EventRow) {
        let (event, chain) = (row.event(), self.chain);
        let stream = self.streams.get(&(row.org, row.app)).cloned();
        let unkeyed = stream.as_ref().is_some_and(|stream| row.sequence <= stream.unkeyed_to);
        self.report.unkeyed_events += u64::from(unkeyed);
        let before = &self.end(row.org, row.app).hash;
        let linked = chain.is_none_or(|chain| events::follows(chain, before, &event, &row.hash, unkeyed));
        self.event(&event, &row.hash, linked);
        self.end(row.org, row.app).last_row = row.sequence;
        if let (Some(chain), Some(stream)) = (chain, stream)
            && row.sequence == stream.unkeyed_to
        {
            self.findings.extend(unproved(chain, &stream, &row.hash));
        }
    }

    fn segment(&mut self, segment: &EventSegment) {
        let EventSegment { org, app, first, last, .. } = *segment;
        let place = format!("events {first} to {last} of app {app}");
        let contradiction = segment.contradiction();
        let mut kept = self.end(org, app).hash == segment.previous_hash;
        if contradiction.is_none() {
            let mut before = segment.previous_hash.clone();
            for event in segment.events() {
                // Without the key only the order of the events is checked.
                let (hash, proved) = match self.chain {
                    Some(chain) => {
                        let hash = events::link(chain, &before, event);
                        let proved = events::erasure_is_proved(chain, &before, event, &hash);
                        (hash, proved)
                    }
                    None => (segment.hash.clone(), true),
                };
                self.event(event, &hash, proved);
                before = hash;
            }
            kept &= before == segment.hash;
        }
        let end = self.end(org, app);
        (end.sequence, end.segment) = (last, first);
        end.hash.clone_from(&segment.hash);
        if let Some(what) = contradiction {
            self.find(15, &format!("damaged row: {what}"), place);
        } else if !kept {
            self.find(15, "one of these events or an earlier one was changed", place);
        }
    }

    /// Adds the next event of a log.
    fn event(&mut self, event: &Event, hash: &[u8], linked: bool) {
        self.report.events += 1;
        self.report.erased_events += u64::from(event.erased.is_some());
        let end = self.end(event.org, event.app);
        let gap = event.sequence != end.sequence + 1;
        end.sequence = event.sequence;
        hash.clone_into(&mut end.hash);
        self.anchored.reach(Log::Events, event.app.0, event.sequence, hash);
        let place = place(Log::Events, event.app.0, event.sequence);
        if gap {
            self.find(14, "the events before it are missing", place);
        } else if !linked {
            self.find(15, "this event or an earlier one was changed", place);
        }
    }

    /// Compares the ends of the logs with their heads.
    fn findings(mut self) -> Vec<Finding> {
        let headless = self.ends.keys().filter(|log| !self.streams.contains_key(log)).count();
        if headless > 0 {
            self.find(14, &format!("{headless} logs have no head"), "event_streams".to_owned());
        }
        for (log, stream) in std::mem::take(&mut self.streams) {
            let place = format!("log of app {}", stream.app);
            // A log may have a subscription before its first event.
            let end = self.ends.remove(&log).unwrap_or_default();
            if (end.sequence, &end.hash) != (stream.sequence, &stream.hash) {
                self.find(14, "the log does not end at its head", place.clone());
            } else if (end.last_row, end.segment) != (stream.last_row(), stream.segment) {
                self.find(14, "its head leads to other rows", place.clone());
            }
            if self.chain.is_some() && (stream.unkeyed_to < 0 || stream.unkeyed_to > stream.last_row()) {
                let what = "its chain is not upgraded: start this version once with its master key";
                self.find(15, what, place);
            }
        }
        self.findings
    }
}

/// Returns the place of a row that cannot be read.
fn place_of(row: &[Value]) -> String {
    match row {
        [_, Value::Id(app), Value::Int(first), ..] => format!("events from {first} of app {app}"),
        _ => "event_segments".to_owned(),
    }
}

/// Checks the key's proof that the events up to here were emitted before the log had a key.
fn unproved(chain: &ChainKey, stream: &EventStream, hash: &[u8]) -> Option<Finding> {
    let proof = events::unkeyed_proof(chain, stream, stream.unkeyed_to, hash);
    let what = "the keyless events up to here are not proved".to_owned();
    let place = place(Log::Events, stream.app.0, stream.unkeyed_to);
    (stream.unkeyed_proof.as_ref() != Some(&proof)).then_some(Finding { invariant: 15, what, place })
}
