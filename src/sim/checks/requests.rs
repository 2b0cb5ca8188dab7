//! Checks payout requests after each commit: an approved one has created exactly one link, any other none (13).

use std::collections::HashMap;

use super::changed::{Changed, changed};
use crate::ids::{PayoutLinkId, PayoutRequestId};
use crate::ledger::verify::Finding;
use crate::payout_links::PayoutLink;
use crate::payout_requests::{PayoutRequest, RequestStatus};
use crate::store::memory::Change;

#[derive(Default)]
pub(super) struct Requests {
    made: HashMap<PayoutLinkId, PayoutRequestId>,
}

impl Requests {
    pub(super) fn commit(&mut self, changes: &[Change]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for change in changed::<PayoutRequest>(changes) {
            let place = |id| format!("payout request {id}");
            let Some(after) = &change.after else {
                let id = change.before.as_ref().map(|before| before.id);
                findings.extend(id.map(|id| broken("is missing", place(id))));
                continue;
            };
            findings.extend(self.decided(&change, changes).map(|what| broken(what, place(after.id))));
        }
        findings
    }

    /// Returns the fault of a written request.
    fn decided(&mut self, change: &Changed<PayoutRequest>, changes: &[Change]) -> Option<&'static str> {
        let after = change.after.as_ref()?;
        if let Some(before) = &change.before {
            if before.amount != after.amount {
                return Some("changed its amount");
            }
            if before.status != RequestStatus::Created && before.status != after.status {
                return Some("was decided twice");
            }
            if before.payout_link.is_some() && before.payout_link != after.payout_link {
                return Some("has another link than before");
            }
        }
        match (after.status, after.payout_link) {
            (RequestStatus::Created | RequestStatus::Rejected, None) => None,
            (RequestStatus::Created | RequestStatus::Rejected, Some(_)) => Some("has a link but is not approved"),
            (RequestStatus::Approved, None) => Some("is approved but has no link"),
            (RequestStatus::Approved, Some(id)) => {
                if *self.made.entry(id).or_insert(after.id) != after.id {
                    return Some("shares its link with another request");
                }
                let newly = change.before.as_ref().is_none_or(|before| before.payout_link.is_none());
                let link = changed::<PayoutLink>(changes).filter_map(|link| link.after).find(|link| link.id == id);
                match link {
                    Some(link) if link.amount == after.amount => None,
                    Some(_) => Some("created a link of another amount"),
                    None => newly.then_some("was approved in another commit than the one that created its link"),
                }
            }
        }
    }
}

fn broken(what: &str, place: String) -> Finding {
    Finding { invariant: 13, what: what.to_owned(), place }
}
