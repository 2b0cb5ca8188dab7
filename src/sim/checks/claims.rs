//! A caller who has only the token of a claim link moves no money and changes nothing about a payee (23). The thief's
//! requests have a commit of their own, which may write only the rows that codes need. A known payee at a link that
//! names no payee sets neither a default method nor automatic payouts.

use std::collections::HashSet;

use super::super::requests::{Request, Step, Wish};
use super::changed::{read, written};
use crate::claims::ClaimSession;
use crate::http::Answer;
use crate::ledger::verify::Finding;
use crate::store::memory::Change;
use crate::webhooks::WebhookEndpoint;
use crate::world::Record as _;

const THIEF: u8 = 23;
/// The tables that a request for a code, or a wrong code, may write: also by delivering its message and its events.
const MAY_WRITE: [&str; 9] = [
    "claim_contacts",
    "event_objects",
    "event_segments",
    "event_streams",
    "jobs",
    "messages",
    "verification_days",
    "verification_recipients",
    "verifications",
];

/// The tables to which a delivery may add rows.
const MAY_ADD_TO: [&str; 2] = ["inbox_messages", "webhook_deliveries"];

#[derive(Default)]
pub(super) struct Claims {
    guests: HashSet<Vec<u8>>,
}

impl Claims {
    pub(super) fn commit(&mut self, changes: &[Change], by_thief: bool) -> Vec<Finding> {
        let guests = written::<ClaimSession>(changes).filter(|session| session.is_guest);
        self.guests.extend(guests.map(|session| session.secret_hash.clone()));
        let forbidden = changes.iter().filter(|change| by_thief && !may_write(change));
        let finding = |change: &Change| {
            let what = "was written by a thief who has only a claim link (docs/decisions.md 17)".to_owned();
            Finding { invariant: THIEF, what, place: format!("{} {:?}", change.table.name, change.key) }
        };
        forbidden.map(finding).collect()
    }

    pub(super) fn answered(&self, request: &Request, answer: &Answer) -> Option<Finding> {
        let Wish::Claim { step, .. } = &request.wish else { return None };
        if answer.status >= 400 {
            return None;
        }
        let what = match step {
            Step::Contact(_) | Step::CodeAgain | Step::End { .. } => return None,
            _ if request.by_thief => "a thief who has only a claim link took a step (docs/decisions.md 17)",
            Step::Method { session, is_preferred: true, .. } if self.guests.contains(session) => {
                "a session at a link that names no payee changed where a payee's later money goes (docs/decisions.md 17)"
            }
            Step::Code(_) | Step::Profile { .. } | Step::TaxForm { .. } | Step::Method { .. } | Step::Payout { .. } => {
                return None;
            }
        };
        Some(Finding { invariant: THIEF, what: what.to_owned(), place: format!("{:?}", request.wish) })
    }
}

fn may_write(change: &Change) -> bool {
    MAY_WRITE.contains(&change.table.name)
        || (MAY_ADD_TO.contains(&change.table.name) && change.before.is_none())
        || (change.table == WebhookEndpoint::TABLE && only_calls(change))
        || (change.table == ClaimSession::TABLE && only_ends(change))
}

/// Whether the change only schedules the job that calls an endpoint.
fn only_calls(change: &Change) -> bool {
    let (Some(before), Some(after)) = (&change.before, &change.after) else { return false };
    let (Some(before), Some(called)) = (read::<WebhookEndpoint>(before), read::<WebhookEndpoint>(after)) else {
        return false;
    };
    let scheduled = WebhookEndpoint { courier: called.courier, calls: called.calls, ..WebhookEndpoint::clone(&before) };
    (WebhookEndpoint::TABLE.encode)(&scheduled) == *after
}

/// Whether the change only ends a session that was idle for too long or had expired.
fn only_ends(change: &Change) -> bool {
    let (Some(before), Some(after)) = (&change.before, &change.after) else { return false };
    let Some(session) = read::<ClaimSession>(before) else { return false };
    let ended_at = read::<ClaimSession>(after).and_then(|after| after.ended_at);
    let was_over = session.paid_at.is_none() && ended_at.is_some_and(|now| now >= session.changes_until);
    let ended = ClaimSession { ended_at, ..ClaimSession::clone(&session) };
    (was_over || ended_at.is_some_and(|now| now >= session.expires_at))
        && (ClaimSession::TABLE.encode)(&ended) == *after
}
