//! Checks that the bodies of stored responses that are read from events can be read (invariant 33).

use super::groups::together;
use crate::events;
use crate::idempotency::StoredAnswer;
use crate::ids::{EventId, PayoutLinkId};
use crate::ledger::verify::Finding;
use crate::payout_links::PayoutLink;
use crate::scope::Scope;
use crate::store::{Snapshot, StoreError};
use crate::world::Key;
use crate::world::record::key;

/// Responses whose segments are in memory together.
const TOGETHER: usize = 50;

pub(super) fn check(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let mut findings = Vec::new();
    together::<StoredAnswer>(snapshot, |answers| {
        let of_events: Vec<&StoredAnswer> = answers.iter().filter(|answer| answer.event.is_some()).collect();
        for some in of_events.chunks(TOGETHER) {
            findings.extend(of_some(snapshot, some)?);
        }
        Ok(())
    })?;
    Ok(findings)
}

fn of_some(snapshot: &Snapshot<'_>, answers: &[&StoredAnswer]) -> Result<Vec<Finding>, StoreError> {
    let ids: Vec<(Scope, EventId)> = answers.iter().filter_map(|answer| Some((answer.log(), answer.event?))).collect();
    let (mut findings, mut linked) = (Vec::new(), Vec::new());
    let mut find = |answer: &StoredAnswer, what: &str| {
        let place = format!("idempotency key {} of {}", answer.idempotency_key, answer.scope);
        findings.push(Finding { invariant: 33, what: what.to_owned(), place });
    };
    for (answer, object) in answers.iter().zip(events::objects_of(snapshot, &ids)?) {
        match (object, &answer.address_start) {
            (None, _) => find(answer, "its response is read from an event that cannot be read"),
            (Some(link), Some(_)) => linked.push((answer, PayoutLinkId(link))),
            (Some(_), None) => {}
        }
    }
    let keys: Vec<Key> = linked.iter().map(|(answer, link)| key![answer.org, *link]).collect();
    for ((answer, _), link) in linked.iter().zip(snapshot.get_all::<PayoutLink>(&keys)?) {
        if link.is_none() {
            find(answer, "its response has the address of a payout link that does not exist");
        }
    }
    Ok(findings)
}
